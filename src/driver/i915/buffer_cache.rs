//! A cache of small dropped buffers, for new buffers of the same size.
//!
//! In:  handles with their mappings and addresses. Out: the same. Creating, mapping and destroying
//!      a buffer takes five system calls and a page fault for each touched page; reusing a cached
//!      one takes one system call and zeroing a few pages.

use std::collections::BTreeMap;

use crate::mapping::BufferMapping;

/// Size of the largest cached buffer: zeroing a larger one costs as much as the kernel's work.
const MAX_BUFFER_BYTES: u64 = 256 << 10;

/// Maximum total size of the cached buffers.
const MAX_TOTAL_BYTES: u64 = 8 << 20;

/// A buffer without users.
#[derive(Debug)]
pub(crate) struct CachedBuffer {
    pub(crate) handle: u32,
    pub(crate) bytes: u64,
    pub(crate) address: u64,
    pub(crate) mapping: BufferMapping,
}

/// The cached buffers of a device.
#[derive(Debug, Default)]
pub(crate) struct BufferCache {
    by_bytes: BTreeMap<u64, Vec<CachedBuffer>>,
    bytes: u64,
}

impl BufferCache {
    /// Adds a buffer, or returns it as an error if it is too large or the cache is full.
    pub(crate) fn insert(&mut self, buffer: CachedBuffer) -> Result<(), CachedBuffer> {
        if buffer.bytes > MAX_BUFFER_BYTES || self.bytes + buffer.bytes > MAX_TOTAL_BYTES {
            return Err(buffer);
        }
        self.bytes += buffer.bytes;
        self.by_bytes.entry(buffer.bytes).or_default().push(buffer);
        Ok(())
    }

    /// Removes the most recently added buffer of this size.
    pub(crate) fn pop(&mut self, bytes: u64) -> Option<CachedBuffer> {
        let buffer = self.by_bytes.get_mut(&bytes)?.pop()?;
        self.bytes -= bytes;
        Some(buffer)
    }

    /// Removes all buffers.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = CachedBuffer> + use<> {
        let all = std::mem::take(self);
        all.by_bytes.into_values().flatten()
    }
}
