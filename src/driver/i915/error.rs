//! What can go wrong below Vulkan.

/// An error of the kernel, or of our own bookkeeping of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An ioctl failed.
    #[error("{call} failed with errno {errno}")]
    Ioctl {
        /// Its name.
        call: &'static str,
        /// The kernel's reason.
        errno: i32,
    },
    /// No room for a buffer in a zone of the address space.
    #[error("no {bytes} bytes left in the {zone} zone of the GPU's address space")]
    OutOfAddressSpace {
        /// What was wanted.
        bytes: u64,
        /// Where.
        zone: &'static str,
    },
    /// Pages could not be mapped, read or written.
    #[error("mapping: {why}")]
    Mapping {
        /// What was seen.
        why: String,
    },
    /// There is no GPU, or none that can be driven.
    #[error("unsupported device: {why}")]
    Unsupported {
        /// What was seen.
        why: String,
    },
    /// A read or write beyond a buffer.
    #[error("{what} reaches beyond its buffer")]
    Range {
        /// Which access.
        what: &'static str,
    },
}

/// Result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
