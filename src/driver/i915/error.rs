//! Errors below Vulkan.

use uapi::Errno;

use crate::reason::Reason;

/// An error of the kernel, or of this crate's allocators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An ioctl ioctl_error.
    #[error("{call} failed with errno {errno}")]
    Ioctl {
        /// The ioctl's name.
        call: &'static str,
        /// The kernel's error number.
        errno: i32,
    },
    /// No room for a buffer in a zone of the address space.
    #[error("no {bytes} bytes left in the {zone} zone of the GPU's address space")]
    OutOfAddressSpace {
        /// The requested size in bytes.
        bytes: u64,
        /// The zone's name.
        zone: &'static str,
    },
    /// Pages could not be mapped, read or written.
    #[error("mapping: {why}")]
    Mapping {
        /// The reason.
        why: String,
    },
    /// The GPU or its kernel is not supported.
    #[error("{reason}")]
    Unsupported {
        /// The reason.
        reason: Reason,
    },
    /// A read or write beyond a buffer.
    #[error("{what} reaches beyond its buffer")]
    Range {
        /// The access.
        what: &'static str,
    },
}

impl Error {
    /// The kernel's error number, of an ioctl.
    pub fn errno(&self) -> Option<Errno> {
        match self {
            Error::Ioctl { errno, .. } => Some(Errno(*errno)),
            _ => None,
        }
    }
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        Error::Unsupported { reason }
    }
}

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
