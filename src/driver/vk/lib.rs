//! Vulkan objects, limits, recording and pipelines.
//!
//! In:  plain structures and slices, from the C face. Out: calls of `i915`, `cmd`, `blit` and `compile`.
//! Safe Rust throughout; of `ash` only the plain types are used. What is not supported is not reported, and asking for it is an
//! [`Error`].
//! Ref: Vulkan specification 1.1 and the extensions listed in [`extension`].

pub mod buffer;
pub mod cache;
pub mod command;
mod compiler;
pub mod descriptor;
pub mod device;
pub mod diagnosis;
mod error;
pub mod executable;
pub mod extension;
pub mod feature;
pub mod instance;
mod internal;
pub mod limits;
pub mod memory;
pub mod physical;
pub mod pipeline;
pub mod query;
pub mod queue;
pub mod shader;
mod surface_state;
pub mod sync;

pub use device::Device;
pub use diagnosis::Diagnosis;
pub use error::{Error, Result};
pub use instance::Instance;
pub use physical::PhysicalDevice;

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
