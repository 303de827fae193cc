//! A context's address space: GPU addresses to memory that the CPU shares.
//!
//! Ref: SKL PRM vol. 5, "Memory Views", per-process GTT with 48-bit addresses.

use crate::strict::{Log, Via};
use eu::Stop;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Memory behind a range of addresses. It may be mapped by the application at the same time, which is why it is
/// seen as atomics.
pub trait Backing: Send + Sync {
    /// All of it, a whole number of pages.
    fn words(&self) -> &[AtomicU32];
}

impl Backing for Box<[AtomicU32]> {
    fn words(&self) -> &[AtomicU32] {
        self
    }
}

/// One mapped range.
#[derive(Clone)]
struct Range {
    start: u64,
    end: u64,
    backing: Arc<dyn Backing>,
    /// First word of the backing that the range shows.
    first_word: usize,
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
    /// Something else is mapped there.
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

/// Bits of an address that count: those above are copies of bit 47. What is cut to these can be added to without
/// overflow.
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

    /// Maps `len` bytes of `backing` from byte `offset` on at `start` (canonical or not).
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

    /// Removes the range that starts at `start`; true if there was one.
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

    /// Start and length of every range, in order.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        self.ranges.iter().map(|r| (r.start, r.end - r.start))
    }

    /// The memory that is mapped at an address.
    fn backing(&self, address: u64) -> Option<&Arc<dyn Backing>> {
        let range = self.ranges.get(self.find(address & ADDRESS_MASK)?)?;
        Some(&range.backing)
    }

    fn find(&self, address: u64) -> Option<usize> {
        let at = self.ranges.partition_point(|r| r.end <= address);
        (self.ranges.get(at)?.start <= address).then_some(at)
    }
}

/// Memory that was looked at: its first address, bytes, and words.
#[derive(Clone, Copy)]
struct Known<'a> {
    start: u64,
    bytes: u64,
    words: &'a [AtomicU32],
}

impl Known<'_> {
    const NONE: Known<'static> = Known {
        start: 0,
        bytes: 0,
        words: &[],
    };
}

/// One thread's view of an address space: remembers the last range, as a TLB does.
pub struct View<'a> {
    space: &'a AddressSpace,
    /// Ranges that were looked at last, the latest first.
    last: Cell<Known<'a>>,
    before: Cell<Known<'a>>,
    /// What strict mode remembers.
    log: Option<&'a Log>,
    /// Through what accesses go.
    via: Cell<Via>,
}

impl<'a> View<'a> {
    /// A view with nothing remembered.
    pub fn new(space: &'a AddressSpace) -> View<'a> {
        View {
            space,
            last: Cell::new(Known::NONE),
            before: Cell::new(Known::NONE),
            log: None,
            via: Cell::default(),
        }
    }

    /// A view whose accesses are checked.
    pub(crate) fn watched(space: &'a AddressSpace, log: Option<&'a Log>, via: Via) -> View<'a> {
        View {
            log,
            via: Cell::new(via),
            ..View::new(space)
        }
    }

    /// Accesses are checked.
    pub(crate) fn is_strict(&self) -> bool {
        self.log.is_some()
    }

    /// In strict mode: the memory of a surface is no depth buffer any more.
    pub(crate) fn depth_forgotten(&self, address: u64) {
        if let Some(log) = self.log {
            log.depth(|held| held.forgotten(address));
        }
    }

    /// In strict mode: checks that no hierarchical depth buffer holds anything of these slices back.
    pub(crate) fn depth_resolved(
        &self,
        address: u64,
        levels: [u32; 2],
        elements: [u32; 2],
        at: u64,
    ) -> Result<(), Stop> {
        match (self.log, self.space.backing(address)) {
            (Some(log), Some(memory)) => log.resolved((address, memory), levels, elements, at),
            _ => Ok(()),
        }
    }

    /// In strict mode: this slice of a depth buffer was written through a hierarchical one.
    pub(crate) fn depth_held(&self, slice: (u64, u32, u32)) {
        if let (Some(log), Some(memory)) = (self.log, self.space.backing(slice.0)) {
            log.depth(|held| held.held(slice, memory));
        }
    }

    /// In strict mode: a slice was resolved.
    pub(crate) fn depth_settled(&self, slice: (u64, u32, u32)) {
        if let Some(log) = self.log {
            log.depth(|held| held.settled(slice));
        }
    }

    /// Through what the next accesses go.
    pub(crate) fn through(&self, via: Via) {
        self.via.set(via);
    }

    #[inline]
    fn reads(&self, address: u64, bytes: usize) -> Result<(), Stop> {
        match self.log {
            Some(log) => log.read(address & ADDRESS_MASK, bytes as u64, self.via.get()),
            None => Ok(()),
        }
    }

    #[inline]
    fn writes(&self, address: u64, bytes: usize, atomic: bool) -> Result<(), Stop> {
        match self.log {
            Some(log) => log.write(address & ADDRESS_MASK, bytes as u64, self.via.get(), atomic),
            None => Ok(()),
        }
    }

    /// The dword at `address`, rounded down, to be changed at once.
    pub fn atomic(&self, address: u64) -> Result<&'a AtomicU32, Stop> {
        self.writes(address & !3, 4, true)?;
        Ok(&self.words(address)?[0])
    }

    /// The words from `address` (rounded down to a dword) to the end of its range: at least one.
    #[inline]
    fn words(&self, address: u64) -> Result<&'a [AtomicU32], Stop> {
        let at = address & ADDRESS_MASK;
        let mut known = self.last.get();
        if at.wrapping_sub(known.start) >= known.bytes {
            known = self.look(at).ok_or_else(|| fault(address))?;
        }
        let words = known.words.get(((at - known.start) / 4) as usize..);
        words
            .filter(|w| !w.is_empty())
            .ok_or_else(|| fault(address))
    }

    /// Finds the range of an address and remembers it.
    #[cold]
    fn look(&self, at: u64) -> Option<Known<'a>> {
        let before = self.before.replace(self.last.get());
        if at.wrapping_sub(before.start) < before.bytes {
            self.last.set(before);
            return Some(before);
        }
        let range = self.space.ranges.get(self.space.find(at)?)?;
        let first = range.first_word;
        let count = ((range.end - range.start) / 4) as usize;
        let known = Known {
            start: range.start,
            bytes: range.end - range.start,
            words: range.backing.words().get(first..first + count)?,
        };
        self.last.set(known);
        Some(known)
    }

    /// Reads a dword at a multiple of 4.
    #[inline]
    pub fn read(&self, address: u64) -> Result<u32, Stop> {
        self.reads(address, 4)?;
        Ok(self.words(address)?[0].load(Relaxed))
    }

    /// Writes a dword at a multiple of 4.
    #[inline]
    pub fn write(&self, address: u64, value: u32) -> Result<(), Stop> {
        self.writes(address, 4, false)?;
        self.words(address)?[0].store(value, Relaxed);
        Ok(())
    }

    /// Writes dwords of `mask` at multiples of 4 each.
    #[inline]
    pub fn write_four(&self, addresses: [u64; 4], mask: u32, values: [u32; 4]) -> Result<(), Stop> {
        let known = self.last.get();
        let places = addresses.map(|a| (a & ADDRESS_MASK).wrapping_sub(known.start));
        if self.log.is_none() && places.iter().all(|p| *p < known.bytes) {
            for (i, (place, value)) in places.into_iter().zip(values).enumerate() {
                if mask >> i & 1 == 1
                    && let Some(word) = known.words.get((place / 4) as usize)
                {
                    word.store(value, Relaxed);
                }
            }
            return Ok(());
        }
        for (i, (address, value)) in addresses.into_iter().zip(values).enumerate() {
            if mask >> i & 1 == 1 {
                self.write(address, value)?;
            }
        }
        Ok(())
    }

    /// Reads two dwords.
    pub fn read64(&self, address: u64) -> Result<u64, Stop> {
        let low = self.read(address)?;
        let high = self.read(address.wrapping_add(4))?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    /// Writes two dwords.
    pub fn write64(&self, address: u64, value: u64) -> Result<(), Stop> {
        self.write(address, value as u32)?;
        self.write(address.wrapping_add(4), (value >> 32) as u32)
    }

    /// Fills `out` with dwords from a multiple of 4 on, across ranges that adjoin.
    pub fn read_block(&self, address: u64, out: &mut [u32]) -> Result<(), Stop> {
        self.reads(address, out.len() * 4)?;
        let mut done = 0;
        while done < out.len() {
            let words = self.words(address.wrapping_add(done as u64 * 4))?;
            for (to, from) in out[done..].iter_mut().zip(words) {
                *to = from.load(Relaxed);
            }
            done += words.len();
        }
        Ok(())
    }

    /// Writes dwords from a multiple of 4 on.
    pub fn write_block(&self, address: u64, values: &[u32]) -> Result<(), Stop> {
        self.writes(address, values.len() * 4, false)?;
        let mut done = 0;
        while done < values.len() {
            let words = self.words(address.wrapping_add(done as u64 * 4))?;
            for (from, to) in values[done..].iter().zip(words) {
                to.store(*from, Relaxed);
            }
            done += words.len();
        }
        Ok(())
    }

    /// Reads 1, 2, 4 or 8 bytes at any address.
    pub fn read_bytes(&self, address: u64, bytes: u32) -> Result<u64, Stop> {
        let shift = (address & 3) as u32 * 8;
        let base = address & !3;
        self.reads(address, bytes as usize)?;
        let dword = |at: u64| -> Result<u128, Stop> { Ok(self.words(at)?[0].load(Relaxed).into()) };
        let mut raw = dword(base)?;
        let last = address.wrapping_add(u64::from(bytes) - 1) & !3;
        for i in 1..=2u64 {
            if i * 4 <= last.wrapping_sub(base) {
                raw |= dword(base.wrapping_add(i * 4))? << (32 * i);
            }
        }
        Ok((raw >> shift) as u64 & (u64::MAX >> (64 - bytes * 8)))
    }

    /// Writes 1, 2, 4 or 8 bytes at any address; neighbours in the same dword keep what others write to them.
    pub fn write_bytes(&self, address: u64, bytes: u32, value: u64) -> Result<(), Stop> {
        let shift = (address & 3) as u32 * 8;
        let base = address & !3;
        self.writes(address, bytes as usize, false)?;
        let mask = u128::from(u64::MAX >> (64 - bytes * 8)) << shift;
        let bits = u128::from(value) << shift & mask;
        for i in 0..3u64 {
            let part = |wide: u128| (wide >> (32 * i)) as u32;
            let (mask, bits) = (part(mask), part(bits));
            match mask {
                0 => {}
                u32::MAX => self.words(base.wrapping_add(i * 4))?[0].store(bits, Relaxed),
                _ => {
                    let word = &self.words(base.wrapping_add(i * 4))?[0];
                    // The closure always answers, so the update cannot fail.
                    let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | bits));
                }
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for AddressSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ranges()).finish()
    }
}

fn fault(address: u64) -> Stop {
    Stop::Fault {
        what: "no memory is mapped at this GPU address".into(),
        at: address,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Zeroed memory.
    pub(crate) fn memory(bytes: usize) -> Arc<dyn Backing> {
        let words: Box<[AtomicU32]> = (0..bytes / 4).map(|_| AtomicU32::new(0)).collect();
        Arc::new(words)
    }

    #[test]
    fn ranges_do_not_overlap_and_faults_name_the_address() {
        let mut space = AddressSpace::new();
        space.map(0x1000, 0x2000, memory(0x2000), 0).unwrap();
        let overlap = space.map(0x2000, 0x1000, memory(0x1000), 0);
        assert!(matches!(overlap, Err(MapError::Overlap { .. })));
        assert!(matches!(
            space.map(0x10, 0x1000, memory(0x1000), 0),
            Err(MapError::Range { .. })
        ));
        assert!(matches!(
            space.map(0x8000, 0x2000, memory(0x1000), 0),
            Err(MapError::Short { .. })
        ));
        let view = View::new(&space);
        assert!(view.read(0x2ffc).is_ok());
        assert!(matches!(
            view.read(0x3000),
            Err(Stop::Fault { at: 0x3000, .. })
        ));
        assert!(space.unmap(0x1000) && !space.unmap(0x1000));
    }

    #[test]
    fn bytes_cross_dwords_and_ranges() {
        let mut space = AddressSpace::new();
        space.map(0, 0x1000, memory(0x1000), 0).unwrap();
        space.map(0x1000, 0x1000, memory(0x1000), 0).unwrap();
        let view = View::new(&space);
        view.write_bytes(0xffe, 4, 0x1122_3344).unwrap();
        assert_eq!(view.read_bytes(0xffe, 4).unwrap(), 0x1122_3344);
        assert_eq!(view.read(0xffc).unwrap(), 0x3344_0000);
        assert_eq!(view.read(0x1000).unwrap(), 0x1122);
        view.write_bytes(0xffd, 1, 0xaa).unwrap();
        assert_eq!(view.read_bytes(0xffc, 8).unwrap(), 0x1122_3344_aa00);
        let mut out = [0; 2];
        view.read_block(0xffc, &mut out).unwrap();
        assert_eq!(out, [0x3344_aa00, 0x1122]);
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod view_tests;
