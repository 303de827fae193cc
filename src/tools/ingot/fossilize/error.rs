//! Errors of Fossilize archives.

/// Why an archive, or a part of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FossilizeError {
    /// Reading the file failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The bytes from this offset of the file on are not as the format requires.
    #[error("offset {offset:#x}: {what}")]
    Malformed { offset: u64, what: String },
    /// The archive does not contain an object that another one refers to.
    #[error("the archive has no {kind} {hash:016x}")]
    Missing { kind: &'static str, hash: u64 },
}

impl FossilizeError {
    /// [`FossilizeError::Malformed`].
    pub fn malformed(offset: u64, what: impl Into<String>) -> FossilizeError {
        FossilizeError::Malformed {
            offset,
            what: what.into(),
        }
    }
}
