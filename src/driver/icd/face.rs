//! What stands behind the handles whose objects the C face keeps more of than `vk` does.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ash::vk as c;
use rustc_hash::FxHashSet;
use wsi::frame::Frame;

use crate::native::Connection;
use crate::set_list::SetList;

/// Behind `VkInstance`.
pub struct InstanceFace {
    /// The object.
    pub instance: Arc<vk::Instance>,
    /// Handles of its physical devices.
    pub physical: OnceLock<Vec<c::PhysicalDevice>>,
    /// Whom to tell what went wrong.
    pub messengers: Arc<Mutex<Vec<Arc<Callback>>>>,
    /// Whom to tell while it is destroyed.
    pub chained: Vec<Arc<Callback>>,
}

// SAFETY: the handles in it are addresses of boxes whose objects are `Sync` (bound on `Kind::Object`).
unsafe impl Send for InstanceFace {}
// SAFETY: as above.
unsafe impl Sync for InstanceFace {}

/// Behind `VkDevice`.
pub struct DeviceFace {
    /// The object.
    pub device: Arc<vk::Device>,
    /// Handle of its queue.
    pub queue: c::Queue,
}

// SAFETY: as for `InstanceFace`.
unsafe impl Send for DeviceFace {}
// SAFETY: as for `InstanceFace`.
unsafe impl Sync for DeviceFace {}

/// Behind `VkCommandPool`.
pub struct CommandPoolFace {
    /// The object.
    pub pool: vk::command::CommandPool,
    /// Handles (as numbers) of its command buffers.
    pub buffers: Mutex<FxHashSet<u64>>,
}

/// Behind `VkDescriptorPool`.
pub struct DescriptorPoolFace {
    /// The object.
    pub pool: vk::descriptor::Pool,
    /// Its sets.
    pub sets: SetList,
}

/// Behind `VkPipeline`.
pub enum PipelineFace {
    /// Of the compute bind point.
    Compute(Box<vk::pipeline::Pipeline>),
    /// Of the graphics bind point.
    Graphics(vk::graphics::Pipeline),
}

impl PipelineFace {
    /// What its stages were compiled to.
    pub fn compiled(&self) -> Vec<vk::executable::Compiled<'_>> {
        match self {
            PipelineFace::Compute(pipeline) => vec![pipeline.compiled()],
            PipelineFace::Graphics(pipeline) => pipeline.compiled(),
        }
    }
}

/// Behind `VkSurfaceKHR`.
pub struct SurfaceFace {
    /// The object.
    pub surface: Arc<wsi::Surface>,
    /// The connection that the window is of, if its server is to be waited for.
    pub application: Option<Connection>,
}

impl SurfaceFace {
    /// Waits until the application's window is as it has asked for.
    ///
    /// # Safety
    /// The application's connection is open, as Vulkan wants it to be as long as there are surfaces of it.
    pub unsafe fn settle(&self) -> wsi::Result<()> {
        match self.application {
            // SAFETY: as the caller says.
            Some(connection) => unsafe { connection.settle() },
            None => Ok(()),
        }
    }
}

/// Behind `VkSwapchainKHR`.
pub struct SwapchainFace {
    /// The object.
    pub swapchain: wsi::Swapchain,
    /// Its images.
    pub frames: Vec<Arc<Frame>>,
    /// What the application calls them.
    pub images: Vec<c::Image>,
    /// Signalled with a rising value, by what draws each picture.
    pub drawn: Arc<i915::Syncobj>,
    /// The last value.
    pub last: AtomicU64,
}

// SAFETY: the handles in it are addresses of boxes whose objects are `Sync`.
unsafe impl Send for SwapchainFace {}
// SAFETY: as above.
unsafe impl Sync for SwapchainFace {}

/// Behind `VkPrivateDataSlot`.
pub struct Slot {
    /// Tells it from every other, before and after it.
    pub number: u64,
}

impl Slot {
    /// Another slot.
    pub fn new() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Self {
            number: MADE.fetch_add(1, Relaxed),
        }
    }
}

/// Behind `VkDeferredOperationKHR`.
pub struct Operation;

/// Behind `VkDebugUtilsMessengerEXT`: what the application gave, to be called from any thread.
pub struct Callback {
    /// The function.
    pub function: c::PFN_vkDebugUtilsMessengerCallbackEXT,
    /// Its last argument.
    pub user: *mut c_void,
    /// What it wants to hear.
    pub severities: c::DebugUtilsMessageSeverityFlagsEXT,
    /// What it wants to hear.
    pub types: c::DebugUtilsMessageTypeFlagsEXT,
}

impl Callback {
    /// As an application describes it.
    pub fn new(info: &c::DebugUtilsMessengerCreateInfoEXT<'_>) -> Self {
        Self {
            function: info.pfn_user_callback,
            user: info.p_user_data,
            severities: info.message_severity,
            types: info.message_type,
        }
    }
}

// SAFETY: the specification has the callback called from any thread that calls Vulkan, with the pointer as it was given.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

/// From now on these hear messages, and nobody else.
pub fn listen(messengers: &Mutex<Vec<Arc<Callback>>>, all: Vec<Arc<Callback>>) {
    *messengers.lock().unwrap_or_else(PoisonError::into_inner) = all;
}

/// Calls all who want messages like this one. Nothing is locked meanwhile: they may call Vulkan.
///
/// # Safety
/// The message is valid, and no messenger is destroyed meanwhile, as is the rule.
pub unsafe fn call(
    messengers: &Mutex<Vec<Arc<Callback>>>,
    severity: c::DebugUtilsMessageSeverityFlagsEXT,
    types: c::DebugUtilsMessageTypeFlagsEXT,
    message: *const c::DebugUtilsMessengerCallbackDataEXT<'_>,
) {
    let all = messengers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    for callback in all {
        if let Some(function) = callback.function
            && callback.severities.intersects(severity)
            && callback.types.intersects(types)
        {
            // SAFETY: as the caller says. What it returns is for layers.
            unsafe { function(severity, types, message, callback.user) };
        }
    }
}

/// Tells all messengers of an error of ours.
pub fn tell(messengers: &Mutex<Vec<Arc<Callback>>>, text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    let message = c::DebugUtilsMessengerCallbackDataEXT::default()
        .message_id_name(c"ingot")
        .message(&text);
    let (severity, types) = (
        c::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        c::DebugUtilsMessageTypeFlagsEXT::GENERAL,
    );
    // SAFETY: the message lives as long as the call; messengers are destroyed by the application, not while they may be called.
    unsafe { call(messengers, severity, types, &message) };
}
