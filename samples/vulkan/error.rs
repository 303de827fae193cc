//! Errors of Vulkan calls.

use ash::vk;

/// Why a program could not draw; the message is one line.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A call returned an error.
    #[error("{call} failed: {result:?}")]
    Call {
        /// Name of the function.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// The Vulkan library or the driver could not be loaded.
    #[error("cannot load Vulkan: {0}")]
    Load(String),
    /// The device lacks a requested feature or extension.
    #[error("{0}")]
    Unsupported(String),
    /// A shader does not compile.
    #[error("{0}")]
    Shader(String),
}

/// Adds the name of the call to an error.
pub(super) fn check<T>(call: &'static str, result: Result<T, vk::Result>) -> Result<T, Error> {
    result.map_err(|result| Error::Call { call, result })
}
