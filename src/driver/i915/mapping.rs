//! Mapped pages, with this crate's errors.
//!
//! In:  a file and an offset, or pages of the process. Out: their words and bytes.

use std::num::NonZeroUsize;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use uapi::HostPages;

use crate::error::{Error, Result};

/// Pages of a buffer, mapped for reading and writing.
#[derive(Debug)]
pub struct BufferMapping(sys::Mapping);

/// Converts an error number of an operation on a mapping.
fn mapping_error(what: &'static str) -> impl FnOnce(uapi::Errno) -> Error {
    move |errno| Error::Mapping {
        why: format!("{what}: {errno}"),
    }
}

impl BufferMapping {
    /// Maps pages of a file, at any address or at a place.
    pub(crate) fn new(
        descriptor: BorrowedFd<'_>,
        length: NonZeroUsize,
        offset_bytes: u64,
        place: Option<sys::Place>,
    ) -> Result<Self> {
        let length = length.get();
        match place {
            None => sys::Mapping::map_device(descriptor, offset_bytes, length),
            Some(place) => sys::Mapping::map_device_at(descriptor, offset_bytes, length, place),
        }
        .map(Self)
        .map_err(mapping_error("mmap"))
    }

    /// Ends the mapping, and leaves its addresses reserved.
    pub fn reserve(self) -> Result<()> {
        self.0.reserve().map_err(mapping_error("reserve"))
    }

    /// The mapping of pages of the process.
    pub(crate) fn of_host(pages: Arc<dyn HostPages>) -> Result<Self> {
        sys::Mapping::of_host(pages)
            .map(Self)
            .map_err(mapping_error("host memory"))
    }

    /// Splits the mapping into slices of `slice_bytes`.
    pub(crate) fn into_slices(self, slice_bytes: usize) -> Vec<sys::MappingSlice> {
        self.0.into_slices(slice_bytes)
    }

    /// Writes words at a dword offset.
    #[inline(always)]
    pub fn write_words<const N: usize>(&self, at_dw: usize, words: &[u32; N]) -> Result<()> {
        self.0
            .write_words(at_dw, words)
            .map_err(mapping_error("write"))
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> &[AtomicU32] {
        self.0.words()
    }

    /// A pointer to the first byte.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// Writes back and invalidates the CPU's cache lines of a range of bytes.
    pub fn flush_lines(&self, offset_bytes: usize, len_bytes: usize) -> Result<()> {
        let flushed = self.0.flush_lines(offset_bytes, len_bytes);
        flushed.map_err(mapping_error("flush"))
    }

    /// Zeroes all bytes.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    /// Writes bytes at an offset.
    pub fn write(&self, offset_bytes: usize, data: &[u8]) -> Result<()> {
        self.0
            .write(offset_bytes, data)
            .map_err(mapping_error("write"))
    }

    /// Reads bytes at an offset.
    pub fn read(&self, offset_bytes: usize, out: &mut [u8]) -> Result<()> {
        self.0
            .read(offset_bytes, out)
            .map_err(mapping_error("read"))
    }
}
