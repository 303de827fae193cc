//! What stands behind the handles whose objects the C face keeps more of than `vk` does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};

use ash::vk as c;
use rustc_hash::FxHashSet;
use wsi::frame::Frame;

use crate::native::Connection;

/// Behind `VkInstance`.
pub struct InstanceFace {
    /// The object.
    pub instance: Arc<vk::Instance>,
    /// Handles of its physical devices.
    pub physical: OnceLock<Vec<c::PhysicalDevice>>,
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
    pub pool: Arc<vk::descriptor::Pool>,
    /// Handles (as numbers) of its sets, each at its place.
    pub sets: Mutex<Vec<u64>>,
}

/// Behind `VkDescriptorSet`.
pub struct SetFace {
    /// The object.
    pub set: vk::descriptor::Set,
    /// Its place in its pool's list.
    pub place: AtomicU32,
}

/// Behind `VkPipeline`.
pub enum PipelineFace {
    /// Of the compute bind point.
    Compute(vk::pipeline::Pipeline),
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
#[derive(Default)]
pub struct Slot {
    /// By handle and serial number.
    pub values: Mutex<BTreeMap<(u64, u32), u64>>,
}

/// Behind `VkDeferredOperationKHR`.
pub struct Operation;
