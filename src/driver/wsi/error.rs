//! Errors of surfaces and swapchains.

use ash::vk as api;

/// An error of a surface or a swapchain.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The window, or the connection to its window system, is lost.
    #[error("the surface is lost: {why}")]
    SurfaceLost {
        /// The reason.
        why: String,
    },
    /// The window already belongs to a swapchain.
    #[error("the window has a swapchain already")]
    WindowInUse,
    /// A newer swapchain uses the window.
    #[error("the swapchain is retired")]
    Retired,
    /// There is no room for the timing of another present.
    #[error("the queue of present timings is full")]
    TimingQueueFull,
    /// An error of the device.
    #[error(transparent)]
    Device(#[from] vk::Error),
}

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The result code returned to the application.
    pub fn code(&self) -> api::Result {
        match self {
            Error::SurfaceLost { .. } => api::Result::ERROR_SURFACE_LOST_KHR,
            Error::WindowInUse => api::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR,
            Error::Retired => api::Result::ERROR_OUT_OF_DATE_KHR,
            // VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT.
            Error::TimingQueueFull => api::Result::from_raw(-1_000_208_000),
            Error::Device(error) => error.code(),
        }
    }

    /// A `SurfaceLost` error.
    pub(crate) fn lost(why: impl std::fmt::Display) -> Self {
        Error::SurfaceLost {
            why: why.to_string(),
        }
    }
}
