//! Spare buffers: small ones that nobody names any more, kept for the next that is wanted of their size.
//!
//! In:  handles with their mappings and addresses. Out: the same. To make a buffer, map it and give both back takes five calls of the
//! kernel, and a fault for each page that is touched; to make one anew that lies ready takes a question and a few pages of zeros.

use std::collections::BTreeMap;

use crate::mapping::Mapping;

/// Bytes of the largest buffer that is kept: from there on the zeros cost what the kernel does.
const MOST_EACH_BYTES: u64 = 256 << 10;

/// Bytes of all that are kept.
const MOST_BYTES: u64 = 8 << 20;

/// A buffer that nobody names.
#[derive(Debug)]
pub(crate) struct Spare {
    pub(crate) handle: u32,
    pub(crate) bytes: u64,
    pub(crate) address: u64,
    pub(crate) mapping: Mapping,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Spares {
    by_bytes: BTreeMap<u64, Vec<Spare>>,
    bytes: u64,
}

impl Spares {
    /// Keeps a buffer, if there is room; else it comes back.
    pub(crate) fn put(&mut self, spare: Spare) -> Result<(), Spare> {
        if spare.bytes > MOST_EACH_BYTES || self.bytes + spare.bytes > MOST_BYTES {
            return Err(spare);
        }
        self.bytes += spare.bytes;
        self.by_bytes.entry(spare.bytes).or_default().push(spare);
        Ok(())
    }

    /// One of so many bytes: the last that came.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<Spare> {
        let spare = self.by_bytes.get_mut(&bytes)?.pop()?;
        self.bytes -= bytes;
        Some(spare)
    }

    /// All of them.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = Spare> + use<> {
        let all = std::mem::take(self);
        all.by_bytes.into_values().flatten()
    }
}
