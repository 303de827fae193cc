//! What stands behind the handles of surfaces and swapchains.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ash::vk as c;
use wsi::frame::Frame;

use crate::native::Connection;

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
