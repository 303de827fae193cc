//! Errors of Vulkan calls.

use ash::vk;

/// A Vulkan call that failed, or a library that could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum VulkanError {
    /// A call returned an error.
    #[error("{call} failed: {result:?}")]
    Call {
        /// Name of the function.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// The Vulkan library could not be loaded.
    #[error("cannot load Vulkan: {0}")]
    Load(String),
    /// The device lacks what the script requires; the script is skipped.
    #[error("{0}")]
    Unsupported(String),
}

/// Adds the name of the call to an error.
pub(super) fn check<T>(
    call: &'static str,
    result: Result<T, vk::Result>,
) -> Result<T, VulkanError> {
    result.map_err(|result| VulkanError::Call { call, result })
}
