//! What can go wrong with a window.

use ash::vk as api;

/// An error of a surface or a swapchain.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The window, or the connection to what shows it, is gone.
    #[error("the surface is lost: {why}")]
    SurfaceLost {
        /// What was seen.
        why: String,
    },
    /// The window already belongs to a swapchain.
    #[error("the window has a swapchain already")]
    WindowInUse,
    /// A newer swapchain has taken the window over.
    #[error("the swapchain is retired")]
    Retired,
    /// The device.
    #[error(transparent)]
    Device(#[from] vk::Error),
}

/// Result of everything in this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The code the application sees.
    pub fn code(&self) -> api::Result {
        match self {
            Error::SurfaceLost { .. } => api::Result::ERROR_SURFACE_LOST_KHR,
            Error::WindowInUse => api::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR,
            Error::Retired => api::Result::ERROR_OUT_OF_DATE_KHR,
            Error::Device(error) => error.code(),
        }
    }

    /// The surface is lost.
    pub(crate) fn lost(why: impl std::fmt::Display) -> Self {
        Error::SurfaceLost {
            why: why.to_string(),
        }
    }
}
