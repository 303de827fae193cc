//! Objects that handles point to where the object of `vk` alone is not enough.

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ash::vk as c;
use rustc_hash::FxHashSet;
use wsi::display::Card;
use wsi::frame::Frame;

use crate::display_list::Displays;
use crate::memory_report::Reports;
use crate::native_connection::NativeConnection;
use crate::set_list::SetList;

/// The object of a `VkInstance`.
pub struct InstanceObject {
    /// The instance of `vk`.
    pub instance: Arc<vk::Instance>,
    /// Handles of its physical devices, created when they are first enumerated.
    pub physical: OnceLock<Vec<c::PhysicalDevice>>,
    /// The messengers that receive the driver's messages.
    pub messengers: Arc<Mutex<Vec<Arc<DebugMessenger>>>>,
    /// Messengers in the `pNext` chain of `VkInstanceCreateInfo`, which receive messages while the
    /// instance is created and destroyed.
    pub creation_messengers: Vec<Arc<DebugMessenger>>,
    /// `VkApplicationInfo::apiVersion`, or 1.0.
    pub requested_version: u32,
}

// SAFETY: the handles in it are addresses of boxes whose objects are `Sync` (bound on
// `Kind::Object`).
unsafe impl Send for InstanceObject {}
// SAFETY: as above.
unsafe impl Sync for InstanceObject {}

/// The object of a `VkPhysicalDevice`.
pub struct PhysicalDeviceObject {
    /// The device of `vk`.
    pub physical: Arc<vk::PhysicalDevice>,
    /// Its displays.
    pub displays: Displays,
    /// The messengers of its instance.
    pub messengers: Arc<Mutex<Vec<Arc<DebugMessenger>>>>,
    /// That of its instance.
    pub requested_version: u32,
}

impl std::ops::Deref for PhysicalDeviceObject {
    type Target = Arc<vk::PhysicalDevice>;

    fn deref(&self) -> &Self::Target {
        &self.physical
    }
}

/// The object of a `VkDevice`.
pub struct DeviceObject {
    /// The device of `vk`.
    pub device: Arc<vk::Device>,
    /// Handle of its only queue.
    pub queue: c::Queue,
    /// The flags that the queue was created with.
    pub queue_flags: c::DeviceQueueCreateFlags,
    /// What it reports of its memory.
    pub reports: Arc<Reports>,
    /// Its primary node, if it has one.
    pub card: Option<Arc<Card>>,
    /// That of its instance: `vkGetDeviceProcAddr` finds no newer functions.
    pub requested_version: u32,
}

impl DeviceObject {
    /// The context that the objects of the device share.
    #[inline]
    pub fn context(&self) -> &Arc<vk::Context> {
        &self.device.context
    }
}

// SAFETY: as for `InstanceObject`.
unsafe impl Send for DeviceObject {}
// SAFETY: as for `InstanceObject`.
unsafe impl Sync for DeviceObject {}

/// The object of a `VkCommandPool`.
pub struct CommandPoolObject {
    /// The pool of `vk`.
    pub pool: vk::command::CommandPool,
    /// Handles (as numbers) of its command buffers.
    pub buffers: Mutex<FxHashSet<u64>>,
}

/// The object of a `VkDescriptorPool`.
pub struct DescriptorPoolObject {
    /// The pool of `vk`.
    pub pool: vk::descriptor::DescriptorPool,
    /// The sets allocated from it.
    pub sets: SetList,
}

/// The object of a `VkPipeline`.
pub enum PipelineObject {
    /// A compute pipeline.
    Compute(Arc<vk::pipeline::Pipeline>),
    /// A graphics pipeline.
    Graphics(Arc<vk::graphics::Pipeline>),
    /// Parts of graphics pipelines.
    Library(Box<vk::graphics::Library>),
}

impl PipelineObject {
    /// The binaries of the stages that were compiled for it.
    pub fn binaries(&self, context: &vk::Context) -> Vec<Arc<vk::pipeline_binary::PipelineBinary>> {
        match self {
            PipelineObject::Compute(pipeline) => vec![pipeline.binary(context)],
            PipelineObject::Graphics(pipeline) => pipeline.binaries(context),
            PipelineObject::Library(library) => library.binaries(context),
        }
    }

    /// The executables that its stages were compiled to.
    pub fn compiled(&self) -> Vec<vk::executable::CompiledStage<'_>> {
        match self {
            PipelineObject::Compute(pipeline) => vec![pipeline.compiled()],
            PipelineObject::Graphics(pipeline) => pipeline.compiled(),
            PipelineObject::Library(library) => library.compiled(),
        }
    }
}

/// The object of a `VkShaderEXT`.
pub enum ShaderObjectKind {
    /// A shader of a graphics stage.
    Graphics(Arc<vk::graphics::ShaderObject>),
    /// A compute shader.
    Compute {
        /// Its pipeline.
        pipeline: Box<vk::pipeline::Pipeline>,
        /// What it was created from.
        source: Box<vk::graphics::ShaderObject>,
    },
}

/// The object of a `VkSurfaceKHR`.
pub struct SurfaceObject {
    /// The surface of `wsi`.
    pub surface: Arc<wsi::Surface>,
    /// The application's connection to the X server, if the window is an X11 one.
    pub connection: Option<NativeConnection>,
}

impl SurfaceObject {
    /// Waits until the X server has processed the application's requests, so that the window has
    /// the size the application asked for.
    ///
    /// # Safety
    /// The application's connection is open: Vulkan requires this as long as surfaces use it.
    pub unsafe fn sync_connection(&self) -> wsi::Result<()> {
        match self.connection {
            // SAFETY: as the caller says.
            Some(connection) => unsafe { connection.sync() },
            None => Ok(()),
        }
    }
}

/// The object of a `VkSwapchainKHR`.
pub struct SwapchainObject {
    /// Its surface.
    pub surface: Arc<wsi::Surface>,
    /// The swapchain of `wsi`.
    pub swapchain: wsi::Swapchain,
    /// Its images, with the memory that the window system shows.
    pub frames: Vec<Arc<Frame>>,
    /// The handles of its images.
    pub images: Vec<c::Image>,
    /// A timeline that each present signals when the rendering of its image is complete.
    pub rendered: Arc<i915::Syncobj>,
    /// The last value used on that timeline.
    pub last_value: AtomicU64,
}

// SAFETY: the handles in it are addresses of boxes whose objects are `Sync`.
unsafe impl Send for SwapchainObject {}
// SAFETY: as above.
unsafe impl Sync for SwapchainObject {}

/// The object of a `VkPrivateDataSlot`.
pub struct PrivateDataSlot {
    /// A number that no other slot of the process ever has.
    pub number: u64,
}

impl PrivateDataSlot {
    /// A slot with a new number.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            number: NEXT.fetch_add(1, Relaxed),
        }
    }
}

/// The object of a `VkDeferredOperationKHR`. It has no state: no command defers its work.
pub struct DeferredOperation;

/// The object of a `VkDebugUtilsMessengerEXT`: a callback of the application, called from any
/// thread.
pub struct DebugMessenger {
    /// The callback.
    pub function: c::PFN_vkDebugUtilsMessengerCallbackEXT,
    /// Its last argument, `pUserData`.
    pub user: *mut c_void,
    /// The severities that it receives.
    pub severities: c::DebugUtilsMessageSeverityFlagsEXT,
    /// The message types that it receives.
    pub types: c::DebugUtilsMessageTypeFlagsEXT,
}

impl DebugMessenger {
    /// A messenger with the callback and filters of a create info.
    pub fn new(info: &c::DebugUtilsMessengerCreateInfoEXT<'_>) -> Self {
        Self {
            function: info.pfn_user_callback,
            user: info.p_user_data,
            severities: info.message_severity,
            types: info.message_type,
        }
    }
}

// SAFETY: the specification allows the callback to be called, with the pointer unchanged, from any
// thread that calls Vulkan.
unsafe impl Send for DebugMessenger {}
// SAFETY: as above.
unsafe impl Sync for DebugMessenger {}

/// Replaces the list of messengers.
pub fn set_messengers(messengers: &Mutex<Vec<Arc<DebugMessenger>>>, all: Vec<Arc<DebugMessenger>>) {
    *messengers.lock().unwrap_or_else(PoisonError::into_inner) = all;
}

/// Calls every messenger whose filters match the message. The list is not locked during the calls:
/// a callback may call Vulkan.
///
/// # Safety
/// The message is valid, and no messenger is destroyed during the call, as Vulkan requires.
pub unsafe fn send_message(
    messengers: &Mutex<Vec<Arc<DebugMessenger>>>,
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
            // SAFETY: as the caller says. The return value is meant for layers.
            unsafe { function(severity, types, message, callback.user) };
        }
    }
}

/// Sends an error of the driver to all messengers.
pub fn send_error(messengers: &Mutex<Vec<Arc<DebugMessenger>>>, text: &str) {
    send_text(
        messengers,
        c::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        text,
    );
}

/// Sends to all messengers why GPUs are no physical devices: a warning for Intel GPUs, which this
/// driver is for, and information for others.
pub fn send_unusable_gpus(messengers: &Mutex<Vec<Arc<DebugMessenger>>>, instance: &vk::Instance) {
    for gpu in instance.unusable_gpus() {
        let severity = if gpu.concerns_intel {
            c::DebugUtilsMessageSeverityFlagsEXT::WARNING
        } else {
            c::DebugUtilsMessageSeverityFlagsEXT::INFO
        };
        send_text(messengers, severity, &gpu.message);
    }
}

/// Sends a message of the driver to all messengers.
fn send_text(
    messengers: &Mutex<Vec<Arc<DebugMessenger>>>,
    severity: c::DebugUtilsMessageSeverityFlagsEXT,
    text: &str,
) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    let message = c::DebugUtilsMessengerCallbackDataEXT::default()
        .message_id_name(c"ingot")
        .message(&text);
    let types = c::DebugUtilsMessageTypeFlagsEXT::GENERAL;
    // SAFETY: the message lives as long as the call; messengers are destroyed by the application,
    // not while they may be called.
    unsafe { send_message(messengers, severity, types, &message) };
}
