//! Tracks depth and colour slices that need a resolve.
//!
//! In:  writes through and past hierarchical depth buffers (HiZ), resolves and clears, compressed
//!      colour writes. Out: whether a reader without the aux surface would see stale data. The
//!      simulator always writes depths to the depth buffer itself, so only these rules detect a
//!      missing resolve. Where stale data is to be returned, the old depths of the buffer are kept
//!      here until the slice is resolved. Colours are compressed in memory, and the CCS marks
//!      cleared blocks (`surface/aux.rs`), so a missing resolve gives wrong colours by itself;
//!      slices that may be compressed or cleared are tracked too, so that strict mode can report
//!      the cause.
//! Ref: SKL PRM vol. 7, "Hierarchical Depth Buffer", "Depth Buffer Resolve", "Render Target
//!      Resolve".

use crate::observer::Memory;
use crate::space::Backing;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// A slice of a surface: surface address, level, array element.
pub(crate) type Slice = (u64, u32, u32);

/// A set of slices, by memory: several address spaces may use equal addresses. The `Weak` reference
/// of an entry prevents the allocation from being reused, so its pointer stays unique.
#[derive(Clone, Default)]
struct SliceSet(BTreeMap<(usize, Slice), Weak<dyn Backing>>);

/// Identifies a memory: the address of its allocation.
pub(crate) fn memory_id(memory: &Memory) -> usize {
    Arc::as_ptr(memory).cast::<()>() as usize
}

/// Range of map keys that covers all slices of a memory.
fn slices_of_memory(memory: &Memory) -> std::ops::RangeInclusive<(usize, Slice)> {
    let memory_id = memory_id(memory);
    (memory_id, (0, 0, 0))..=(memory_id, (u64::MAX, u32::MAX, u32::MAX))
}

impl SliceSet {
    fn insert(&mut self, slice: Slice, memory: &Memory) {
        let before = self
            .0
            .insert((memory_id(memory), slice), Arc::downgrade(memory));
        if before.is_none() {
            self.0.retain(|_, memory| memory.strong_count() > 0);
        }
    }

    fn remove(&mut self, slice: Slice, memory: &Memory) {
        self.0.remove(&(memory_id(memory), slice));
    }

    fn remove_surface(&mut self, address: u64, memory: &Memory) {
        let memory_id = memory_id(memory);
        self.0
            .retain(|key, _| (key.0, key.1.0) != (memory_id, address));
    }

    fn contains(&self, slice: Slice, memory: &Memory) -> bool {
        self.0.contains_key(&(memory_id(memory), slice))
    }

    /// Finds the first slice of a surface within these levels and elements.
    fn first_in(
        &self,
        (address, memory): (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        self.slices_of(address, memory)
            .find(|&(_, level, element)| {
                let inside = (levels[0]..levels[1]).contains(&level);
                inside && (elements[0]..elements[1]).contains(&element)
            })
    }

    /// The slices of a surface.
    fn slices_of(&self, address: u64, memory: &Memory) -> impl Iterator<Item = Slice> {
        let memory_id = memory_id(memory);
        let all = (memory_id, (address, 0, 0))..=(memory_id, (address, u32::MAX, u32::MAX));
        self.0.range(all).map(|(key, _)| key.1)
    }
}

/// The first 64-byte line of a surface.
pub(crate) type FirstLine = [u32; 16];

/// Old contents of a page: one bit for each byte that has a stale value, and the values.
#[derive(Clone)]
struct StalePage {
    bits: [u64; 64],
    bytes: Box<[u8; 4096]>,
}

/// Stale pages of a slice, by page number in the address space.
#[derive(Clone)]
struct StaleSlice {
    memory: Weak<dyn Backing>,
    pages: BTreeMap<u64, StalePage>,
}

/// Resolve state of all surfaces. Belongs to the simulated GPU, whichever context draws.
#[derive(Clone, Default)]
pub(crate) struct ResolveTracker {
    /// Depth slices that were written through HiZ and not resolved.
    unresolved: SliceSet,
    /// Depth slices whose HiZ is valid: cleared whole or resolved, and not bypassed since.
    hiz_valid: SliceSet,
    /// Colour slices that were drawn to with compression or fast-cleared, and not fully resolved
    /// since.
    compressed: SliceSet,
    /// FirstLine line of each depth buffer after the last draw or clear, by memory and address.
    first_lines: BTreeMap<(usize, u64), (Weak<dyn Backing>, FirstLine)>,
    /// Where stale data is returned: the contents of depth buffers before unresolved writes.
    stale: BTreeMap<(usize, Slice), StaleSlice>,
}

impl ResolveTracker {
    /// Saves the old bytes of a slice before a write through HiZ. `bits` selects bytes of the
    /// 64-byte line `word` of a page; `line` is its present contents.
    pub fn save_stale_bytes(
        &mut self,
        (slice, memory): (Slice, &Memory),
        (page, word, bits): (u64, usize, u64),
        line: &[u8; 64],
    ) {
        let key = (memory_id(memory), slice);
        if !self.stale.contains_key(&key) {
            self.stale
                .retain(|_, pages| pages.memory.strong_count() > 0);
        }
        let pages = self.stale.entry(key).or_insert_with(|| StaleSlice {
            memory: Arc::downgrade(memory),
            pages: BTreeMap::new(),
        });
        let hidden = pages.pages.entry(page).or_insert_with(|| StalePage {
            bits: [0; 64],
            bytes: Box::new([0; 4096]),
        });
        let new = bits & !hidden.bits[word];
        hidden.bits[word] |= new;
        for byte in (0..64).filter(|byte| new >> byte & 1 == 1) {
            hidden.bytes[word * 64 + byte] = line[byte];
        }
    }

    /// Drops saved bytes of a line after a write that bypasses HiZ.
    pub fn drop_stale_bytes(&mut self, memory: &Memory, (page, word, bits): (u64, usize, u64)) {
        for (_, pages) in self.stale.range_mut(slices_of_memory(memory)) {
            if let Some(hidden) = pages.pages.get_mut(&page) {
                hidden.bits[word] &= !bits;
            }
        }
    }

    /// Returns the value of a byte that a reader without HiZ sees, if it differs from memory.
    pub fn stale_byte(&self, memory: &Memory, address: u64) -> Option<u8> {
        let (page, at) = (address >> 12, address as usize & 0xfff);
        let of = |pages: &StaleSlice| {
            let hidden = pages.pages.get(&page)?;
            (hidden.bits[at / 64] >> (at % 64) & 1 == 1).then(|| hidden.bytes[at])
        };
        let mut found = self.stale.range(slices_of_memory(memory));
        found.find_map(|(_, pages)| of(pages))
    }

    /// True if no stale bytes are saved.
    pub fn has_no_stale_bytes(&self) -> bool {
        self.stale.is_empty()
    }

    /// Marks a slice as written through HiZ and unresolved.
    pub fn mark_unresolved(&mut self, slice: Slice, memory: &Memory) {
        self.unresolved.insert(slice, memory);
    }

    /// Records the first line of a depth buffer after a draw or clear.
    pub fn record_first_line(&mut self, address: u64, memory: &Memory, first: FirstLine) {
        let entry = (Arc::downgrade(memory), first);
        let before = self.first_lines.insert((memory_id(memory), address), entry);
        if before.is_none() {
            self.first_lines.retain(|_, left| left.0.strong_count() > 0);
        }
    }

    /// True if a depth buffer's first line changed since the last draw or clear: the memory was
    /// reused for something else.
    pub fn is_overwritten(&self, address: u64, memory: &Memory, first: &FirstLine) -> bool {
        let left = self.first_lines.get(&(memory_id(memory), address));
        left.is_some_and(|(_, left)| left != first)
    }

    /// Marks a slice as resolved.
    pub fn mark_resolved(&mut self, slice: Slice, memory: &Memory) {
        self.unresolved.remove(slice, memory);
        self.stale.remove(&(memory_id(memory), slice));
    }

    /// Marks the HiZ of a slice as valid.
    pub fn mark_hiz_valid(&mut self, slice: Slice, memory: &Memory) {
        self.hiz_valid.insert(slice, memory);
    }

    /// Marks the HiZ of a slice as invalid: the slice was written past it.
    pub fn mark_hiz_invalid(&mut self, slice: Slice, memory: &Memory) {
        self.hiz_valid.remove(slice, memory);
    }

    /// Drops all state of the surface at an address.
    pub fn forget_surface(&mut self, address: u64, memory: &Memory) {
        for slices in [&mut self.unresolved, &mut self.hiz_valid] {
            slices.remove_surface(address, memory);
        }
        let memory_id = memory_id(memory);
        self.stale
            .retain(|key, _| (key.0, key.1.0) != (memory_id, address));
    }

    /// Drops the state of surfaces for which `is_overwritten(address, memory id)` is true. Saved
    /// bytes are updated by [`ResolveTracker::drop_stale_bytes`] instead.
    pub fn forget_overwritten(&mut self, is_overwritten: impl Fn(u64, usize) -> bool) {
        for slices in [
            &mut self.unresolved,
            &mut self.hiz_valid,
            &mut self.compressed,
        ] {
            slices
                .0
                .retain(|(memory, slice), _| !is_overwritten(slice.0, *memory));
        }
    }

    /// Marks a colour slice as compressed or fast-cleared.
    pub fn mark_compressed(&mut self, slice: Slice, memory: &Memory) {
        self.compressed.insert(slice, memory);
    }

    /// Marks a colour slice as uncompressed.
    pub fn mark_uncompressed(&mut self, slice: Slice, memory: &Memory) {
        self.compressed.remove(slice, memory);
    }

    /// Finds the first unresolved depth slice in a range.
    pub fn first_unresolved(
        &self,
        place: (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        self.unresolved.first_in(place, levels, elements)
    }

    /// Finds the first compressed colour slice in a range.
    pub fn first_compressed(
        &self,
        place: (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        self.compressed.first_in(place, levels, elements)
    }

    /// Finds the first element of a level whose HiZ is not valid.
    pub fn first_without_hiz(
        &self,
        (address, memory): (u64, &Memory),
        level: u32,
        elements: [u32; 2],
    ) -> Option<Slice> {
        let mut slices = (elements[0]..elements[1]).map(|element| (address, level, element));
        slices.find(|&slice| !self.hiz_valid.contains(slice, memory))
    }
}

impl std::fmt::Debug for ResolveTracker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.unresolved.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory;

    #[test]
    fn slices_are_tracked_separately() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut unresolved = ResolveTracker::default();
        unresolved.mark_unresolved((0x1000, 1, 2), &here);
        unresolved.mark_unresolved((0x1000, 3, 0), &here);
        unresolved.mark_unresolved((0x2000, 1, 2), &here);
        let of = |u: &ResolveTracker, address| u.first_unresolved((address, &here), [1, 3], [0, 3]);
        assert_eq!(of(&unresolved, 0x1000), Some((0x1000, 1, 2)));
        let others = unresolved.first_unresolved((0x1000, &elsewhere), [1, 3], [0, 3]);
        assert_eq!(others, None);
        assert_eq!(
            unresolved.first_unresolved((0x1000, &here), [1, 3], [0, 2]),
            None
        );
        unresolved.mark_resolved((0x1000, 1, 2), &here);
        assert_eq!(of(&unresolved, 0x1000), None);
        unresolved.forget_surface(0x2000, &here);
        assert_eq!(of(&unresolved, 0x2000), None);
    }

    #[test]
    fn changed_first_lines_mean_reused_memory() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = ResolveTracker::default();
        assert!(!known.is_overwritten(0x1000, &here, &[7; 16]));
        known.record_first_line(0x1000, &here, [7; 16]);
        assert!(!known.is_overwritten(0x1000, &here, &[7; 16]));
        assert!(known.is_overwritten(0x1000, &here, &[8; 16]));
        assert!(!known.is_overwritten(0x1000, &elsewhere, &[8; 16]));
        assert!(!known.is_overwritten(0x2000, &here, &[8; 16]));
    }

    #[test]
    fn slices_stay_compressed_until_resolved() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = ResolveTracker::default();
        known.mark_compressed((0x1000, 1, 0), &here);
        let seen = |u: &ResolveTracker, memory, levels, elements| {
            u.first_compressed((0x1000, memory), levels, elements)
        };
        assert_eq!(seen(&known, &here, [0, 2], [0, 1]), Some((0x1000, 1, 0)));
        assert_eq!(seen(&known, &elsewhere, [0, 2], [0, 1]), None);
        assert_eq!(seen(&known, &here, [0, 1], [0, 1]), None);
        assert_eq!(seen(&known, &here, [0, 2], [1, 2]), None);
        known.mark_uncompressed((0x1000, 0, 0), &here);
        assert!(seen(&known, &here, [0, 2], [0, 1]).is_some());
        known.mark_uncompressed((0x1000, 1, 0), &here);
        assert_eq!(seen(&known, &here, [0, 2], [0, 1]), None);
    }

    #[test]
    fn stale_depths_last_until_resolved_or_overwritten() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = ResolveTracker::default();
        let slice = (0x1000, 0, 1);
        known.save_stale_bytes((slice, &here), (1, 2, 0xf0), &[7; 64]);
        // A second write to a saved byte keeps the oldest value.
        known.save_stale_bytes((slice, &here), (1, 2, 0xff), &[9; 64]);
        let at = 0x1000 + 128;
        let seen =
            |u: &ResolveTracker, memory| [0, 4, 8].map(|byte| u.stale_byte(memory, at + byte));
        assert_eq!(seen(&known, &here), [Some(9), Some(7), None]);
        assert_eq!(seen(&known, &elsewhere), [None; 3]);
        known.drop_stale_bytes(&elsewhere, (1, 2, 0xff));
        known.drop_stale_bytes(&here, (1, 2, 0x0f));
        assert_eq!(seen(&known, &here), [None, Some(7), None]);
        known.mark_resolved((0x1000, 0, 0), &here);
        known.mark_resolved(slice, &elsewhere);
        assert_eq!(seen(&known, &here), [None, Some(7), None]);
        known.mark_resolved(slice, &here);
        assert_eq!(seen(&known, &here), [None; 3]);
        assert!(known.has_no_stale_bytes());
        known.save_stale_bytes((slice, &here), (1, 2, 1), &[7; 64]);
        known.forget_surface(0x1000, &here);
        assert!(known.has_no_stale_bytes());
    }

    #[test]
    fn writes_without_hiz_invalidate_it() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = ResolveTracker::default();
        let first = |u: &ResolveTracker, memory| u.first_without_hiz((0x1000, memory), 1, [2, 5]);
        assert_eq!(first(&known, &here), Some((0x1000, 1, 2)));
        for element in 2..5 {
            known.mark_hiz_valid((0x1000, 1, element), &here);
        }
        assert_eq!(first(&known, &here), None);
        assert_eq!(first(&known, &elsewhere), Some((0x1000, 1, 2)));
        known.mark_hiz_invalid((0x1000, 1, 3), &here);
        assert_eq!(first(&known, &here), Some((0x1000, 1, 3)));
        known.mark_hiz_valid((0x1000, 1, 3), &here);
        // Equal addresses in another address space do not matter.
        for element in 2..5 {
            known.mark_hiz_valid((0x1000, 1, element), &elsewhere);
        }
        assert_eq!(first(&known, &here), None);
        known.forget_surface(0x1000, &elsewhere);
        assert_eq!(first(&known, &here), None);
        known.forget_surface(0x1000, &here);
        assert_eq!(first(&known, &here), Some((0x1000, 1, 2)));
    }
}
