//! Errors and their `VkResult`.

use ash::vk as api;

/// An error of a Vulkan command.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Host memory is exhausted.
    #[error("no host memory for {what}")]
    OutOfHostMemory {
        /// Purpose of the allocation.
        what: &'static str,
    },
    /// GPU memory or address space is exhausted.
    #[error("no device memory for {what}")]
    OutOfDeviceMemory {
        /// Purpose of the allocation.
        what: &'static str,
    },
    /// The GPU hung, or the kernel refused a submission.
    #[error("device lost: {why}")]
    DeviceLost {
        /// Reason.
        why: String,
    },
    /// The driver cannot start.
    #[error("initialisation failed: {why}")]
    InitializationFailed {
        /// Reason.
        why: String,
    },
    /// An unsupported feature or structure was requested.
    #[error("{what} is not supported")]
    FeatureNotPresent {
        /// Its name.
        what: &'static str,
    },
    /// An unsupported extension was enabled.
    #[error("extension {name} is not supported")]
    ExtensionNotPresent {
        /// Its name.
        name: String,
    },
    /// A layer was requested; drivers have none.
    #[error("layer {name} is not present")]
    LayerNotPresent {
        /// Its name.
        name: String,
    },
    /// An unsupported format, or use of a format.
    #[error("format is not supported")]
    FormatNotSupported,
    /// A descriptor pool is exhausted.
    #[error("descriptor pool has no room for {what}")]
    OutOfPoolMemory {
        /// What did not fit.
        what: &'static str,
    },
    /// A descriptor pool has no contiguous space.
    #[error("descriptor pool is fragmented")]
    FragmentedPool,
    /// An imported handle has the wrong type or size.
    #[error("invalid external handle: {why}")]
    InvalidExternalHandle {
        /// What is wrong with it.
        why: String,
    },
    /// A capture address is not free in this process.
    #[error("the address of another run is not free")]
    InvalidOpaqueCaptureAddress,
    /// Memory could not be mapped.
    #[error("memory map failed: {why}")]
    MemoryMapFailed {
        /// Reason.
        why: String,
    },
    /// The process is out of file descriptors or the like.
    #[error("too many objects: {what}")]
    TooManyObjects {
        /// Kind of object.
        what: &'static str,
    },
    /// A shader does not compile.
    #[error("shader does not compile: {why}")]
    InvalidShader {
        /// The compiler's message.
        why: String,
    },
    /// The process lacks permission.
    #[error("a queue priority that this process may not use")]
    NotPermitted,
    /// A pipeline was to be created without compiling, and is in no cache.
    #[error("the pipeline would have to be compiled")]
    CompileRequired,
    /// A shader binary of another device, driver or version, of other parameters, or damaged.
    #[error("a shader binary that does not fit the device or its parameters")]
    IncompatibleBinary,
    /// A handle of another type.
    #[error("not a handle of {what}")]
    BadHandle {
        /// The expected type.
        what: &'static str,
    },
    /// Imported plane layouts that the hardware does not support.
    #[error("not a layout of a plane: {why}")]
    InvalidPlaneLayout {
        /// Reason.
        why: &'static str,
    },
    /// Invalid use of the API that cannot be carried out.
    #[error("invalid use: {why}")]
    InvalidUse {
        /// What is wrong.
        why: &'static str,
    },
}

/// Result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The result code for the application.
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
            // The registry lists this code for modules and pipelines, whatever extension is
            // enabled.
            Error::InvalidShader { .. } => api::Result::ERROR_INVALID_SHADER_NV,
            Error::IncompatibleBinary => api::Result::INCOMPATIBLE_SHADER_BINARY_EXT,
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
                why: format!(
                    "the kernel has banned this context after a hang, or given the GPU up \
                     ({call}: EIO): dmesg has the cause"
                ),
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
    fn invalid_shaders_have_their_own_code() {
        let error = Error::InvalidShader {
            why: "not SPIR-V".into(),
        };
        assert_eq!(error.code(), api::Result::ERROR_INVALID_SHADER_NV);
    }
}
