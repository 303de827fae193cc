//! Address space of a context: maps GPU addresses to memory that the CPU shares.
//!
//! In:  memory, and the addresses at which it is bound. Out: the memory at an address.
//! Ref: SKL PRM vol. 5, "Memory Views", per-process GTT with 48-bit addresses.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// Memory behind a range of addresses. The application may map it at the same time, hence the
/// atomics.
pub trait Backing: Send + Sync {
    /// All words, a whole number of pages.
    fn words(&self) -> &[AtomicU32];
    /// True if the memory is exported or imported as a dma-buf.
    fn is_shared(&self) -> bool {
        false
    }
}

impl Backing for Box<[AtomicU32]> {
    fn words(&self) -> &[AtomicU32] {
        self
    }
}

/// One mapped range.
#[derive(Clone)]
pub(crate) struct Range {
    pub start: u64,
    pub end: u64,
    pub backing: Arc<dyn Backing>,
    /// First word of the backing that the range maps.
    pub first_word: usize,
}

/// Why a range cannot be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// Not a multiple of 4 KiB, empty, or beyond 48 bits.
    #[error("the range {start:#x}+{len:#x} is not made of pages of a 48-bit space")]
    Range {
        /// First address.
        start: u64,
        /// Bytes.
        len: u64,
    },
    /// Another range is mapped there.
    #[error("the range {start:#x}+{len:#x} overlaps another")]
    Overlap {
        /// First address.
        start: u64,
        /// Bytes.
        len: u64,
    },
    /// The backing is shorter than the range.
    #[error("the memory behind {start:#x}+{len:#x} is shorter than that")]
    Short {
        /// First address.
        start: u64,
        /// Bytes.
        len: u64,
    },
}

const PAGE: u64 = 4096;

/// Significant bits of an address; the bits above are copies of bit 47. Offsets can be added to a
/// masked address without overflow.
pub(crate) const ADDRESS_MASK: u64 = (1 << 48) - 1;

/// A 48-bit address space. Cloning is cheap: backings are shared.
#[derive(Clone, Default)]
pub struct AddressSpace {
    /// Sorted by start, without overlap.
    ranges: Vec<Range>,
}

impl AddressSpace {
    /// An empty space.
    pub fn new() -> AddressSpace {
        AddressSpace::default()
    }

    /// Maps `len` bytes of `backing` from byte offset `offset` at `start` (canonical or not).
    pub fn map(
        &mut self,
        start: u64,
        len: u64,
        backing: Arc<dyn Backing>,
        offset: u64,
    ) -> Result<(), MapError> {
        let start = start & ADDRESS_MASK;
        let aligned = [start, len, offset].iter().all(|v| v.is_multiple_of(PAGE));
        if !aligned || len == 0 || start.checked_add(len).is_none_or(|e| e > ADDRESS_MASK + 1) {
            return Err(MapError::Range { start, len });
        }
        let have = backing.words().len() as u64 * 4;
        if offset.checked_add(len).is_none_or(|end| end > have) {
            return Err(MapError::Short { start, len });
        }
        let end = start + len;
        let at = self.ranges.partition_point(|r| r.end <= start);
        if self.ranges.get(at).is_some_and(|r| r.start < end) {
            return Err(MapError::Overlap { start, len });
        }
        let range = Range {
            start,
            end,
            backing,
            first_word: (offset / 4) as usize,
        };
        self.ranges.insert(at, range);
        Ok(())
    }

    /// Removes the range that starts at `start`; false if there is none.
    pub fn unmap(&mut self, start: u64) -> bool {
        let start = start & ADDRESS_MASK;
        match self.ranges.binary_search_by_key(&start, |r| r.start) {
            Ok(at) => {
                self.ranges.remove(at);
                true
            }
            Err(_) => false,
        }
    }

    /// Start and length of every range, in address order.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        self.ranges.iter().map(|r| (r.start, r.end - r.start))
    }

    /// Returns the memory that is mapped at an address.
    pub(crate) fn backing(&self, address: u64) -> Option<&Arc<dyn Backing>> {
        Some(&self.find(address & ADDRESS_MASK)?.backing)
    }

    /// Returns the range that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<&Range> {
        let at = self.ranges.partition_point(|r| r.end <= address);
        self.ranges.get(at).filter(|range| range.start <= address)
    }
}

impl std::fmt::Debug for AddressSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ranges()).finish()
    }
}
