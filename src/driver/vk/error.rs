//! What can go wrong, and the `VkResult` it becomes.

use ash::vk as api;

/// An error of a Vulkan command.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Memory of the process is used up.
    #[error("no host memory for {what}")]
    OutOfHostMemory {
        /// What it was for.
        what: &'static str,
    },
    /// Memory or address space of the GPU is used up.
    #[error("no device memory for {what}")]
    OutOfDeviceMemory {
        /// What it was for.
        what: &'static str,
    },
    /// The GPU hung, or the kernel refused a submission.
    #[error("device lost: {why}")]
    DeviceLost {
        /// What was seen.
        why: String,
    },
    /// The driver cannot start.
    #[error("initialisation failed: {why}")]
    InitializationFailed {
        /// What was seen.
        why: String,
    },
    /// A feature or structure that the device does not report was asked for.
    #[error("{what} is not supported")]
    FeatureNotPresent {
        /// Which one.
        what: &'static str,
    },
    /// An extension that is not listed was enabled.
    #[error("extension {name} is not supported")]
    ExtensionNotPresent {
        /// Its name.
        name: String,
    },
    /// A layer was asked for: a driver has none.
    #[error("layer {name} is not present")]
    LayerNotPresent {
        /// Its name.
        name: String,
    },
    /// A format or a use of it that is not reported.
    #[error("format is not supported")]
    FormatNotSupported,
    /// A descriptor pool has no room left.
    #[error("descriptor pool has no room for {what}")]
    OutOfPoolMemory {
        /// What did not fit.
        what: &'static str,
    },
    /// A descriptor pool has room, but not in one piece.
    #[error("descriptor pool is fragmented")]
    FragmentedPool,
    /// An imported handle is not what it was said to be.
    #[error("invalid external handle: {why}")]
    InvalidExternalHandle {
        /// What is wrong with it.
        why: String,
    },
    /// An address of another run that something else has in this one.
    #[error("the address of another run is not free")]
    InvalidOpaqueCaptureAddress,
    /// Memory could not be mapped.
    #[error("memory map failed: {why}")]
    MemoryMapFailed {
        /// What was seen.
        why: String,
    },
    /// The process has no descriptors left, or the like.
    #[error("too many objects: {what}")]
    TooManyObjects {
        /// Of which kind.
        what: &'static str,
    },
    /// A shader does not compile.
    #[error("shader does not compile: {why}")]
    InvalidShader {
        /// The compiler's words.
        why: String,
    },
    /// More than this process may have.
    #[error("a priority of queues that this process may not give")]
    NotPermitted,
    /// A pipeline that was to be made without compiling, and is in no cache.
    #[error("the pipeline would have to be compiled")]
    CompileRequired,
    /// A handle of another kind, or none.
    #[error("not a handle of {what}")]
    BadHandle {
        /// What was expected.
        what: &'static str,
    },
    /// Planes of an image that others have laid out, as no surface can lie.
    #[error("not a layout of a plane: {why}")]
    InvalidPlaneLayout {
        /// What is wrong.
        why: &'static str,
    },
    /// A count, offset or state that valid usage excludes and that cannot be carried out.
    #[error("invalid use: {why}")]
    InvalidUse {
        /// What is wrong.
        why: &'static str,
    },
}

/// Result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The code the application sees.
    pub fn code(&self) -> api::Result {
        match self {
            Error::OutOfHostMemory { .. } => api::Result::ERROR_OUT_OF_HOST_MEMORY,
            Error::OutOfDeviceMemory { .. } => api::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            Error::DeviceLost { .. } => api::Result::ERROR_DEVICE_LOST,
            Error::InitializationFailed { .. } => api::Result::ERROR_INITIALIZATION_FAILED,
            Error::FeatureNotPresent { .. } => api::Result::ERROR_FEATURE_NOT_PRESENT,
            Error::ExtensionNotPresent { .. } => api::Result::ERROR_EXTENSION_NOT_PRESENT,
            Error::LayerNotPresent { .. } => api::Result::ERROR_LAYER_NOT_PRESENT,
            Error::FormatNotSupported => api::Result::ERROR_FORMAT_NOT_SUPPORTED,
            Error::OutOfPoolMemory { .. } => api::Result::ERROR_OUT_OF_POOL_MEMORY,
            Error::FragmentedPool => api::Result::ERROR_FRAGMENTED_POOL,
            Error::InvalidExternalHandle { .. } => api::Result::ERROR_INVALID_EXTERNAL_HANDLE,
            Error::InvalidOpaqueCaptureAddress => api::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
            Error::MemoryMapFailed { .. } => api::Result::ERROR_MEMORY_MAP_FAILED,
            Error::TooManyObjects { .. } => api::Result::ERROR_TOO_MANY_OBJECTS,
            // The registry lists it for modules and pipelines, whatever extension is enabled.
            Error::InvalidShader { .. } => api::Result::ERROR_INVALID_SHADER_NV,
            Error::NotPermitted => api::Result::ERROR_NOT_PERMITTED_KHR,
            Error::InvalidPlaneLayout { .. } => {
                api::Result::ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT
            }
            Error::CompileRequired => api::Result::PIPELINE_COMPILE_REQUIRED,
            Error::BadHandle { .. } | Error::InvalidUse { .. } => api::Result::ERROR_UNKNOWN,
        }
    }
}

impl From<i915::Error> for Error {
    fn from(error: i915::Error) -> Self {
        // errno values of asm-generic/errno-base.h and errno.h.
        const EIO: i32 = 5;
        const ENOMEM: i32 = 12;
        const EMFILE: i32 = 24;
        const ENFILE: i32 = 23;
        const ENOSPC: i32 = 28;
        match error {
            i915::Error::OutOfAddressSpace { .. } => Error::OutOfDeviceMemory {
                what: "GPU addresses",
            },
            i915::Error::Ioctl { errno: ENOMEM, .. } => {
                Error::OutOfHostMemory { what: "the kernel" }
            }
            i915::Error::Ioctl { errno: ENOSPC, .. } => Error::OutOfDeviceMemory {
                what: "a submission",
            },
            i915::Error::Ioctl {
                errno: EMFILE | ENFILE,
                ..
            } => Error::TooManyObjects {
                what: "file descriptors",
            },
            i915::Error::Ioctl { errno: EIO, call } => Error::DeviceLost {
                why: format!("{call}: the GPU hung"),
            },
            i915::Error::Mapping { .. } => Error::OutOfHostMemory { what: "a mapping" },
            other @ i915::Error::Unsupported { .. } => Error::InitializationFailed {
                why: other.to_string(),
            },
            other @ (i915::Error::Ioctl { .. } | i915::Error::Range { .. }) => Error::DeviceLost {
                why: other.to_string(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shader_that_does_not_compile_has_a_code_of_its_own() {
        let error = Error::InvalidShader {
            why: "not SPIR-V".into(),
        };
        assert_eq!(error.code(), api::Result::ERROR_INVALID_SHADER_NV);
    }
}
