//! Depth that hierarchical depth buffers hold back, and colours that are compressed.
//!
//! In:  what draws and clears write through a hierarchical depth buffer and past it, what resolves bring from one to the other,
//!      who looks at depths with and without it. Out: whether a real machine may show old depths there.
//! The simulator itself always writes to the depth buffer, so nothing but these rules tells that a resolve is missing; and where old
//! data is to be delivered, the depths that the buffer had before are kept here until the slice is resolved.
//! Colours are really compressed, and cleared blocks are known to the control surface (`surface/aux.rs`), so a missing resolve gives other
//! colours; what may be compressed or cleared is known here, too, so that whoever looks past the control surface is told why.
//! Ref: SKL PRM vol. 7, "Hierarchical Depth Buffer", "Depth Buffer Resolve", "Render Target Resolve".

use crate::space::Backing;
use crate::watch::Memory;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// A slice of a depth buffer: the surface's address, level, array element.
pub(crate) type Slice = (u64, u32, u32);

/// Slices of what memory: address spaces that a machine works on side by side have equal addresses. While an entry is there, no other
/// memory can lie in the same place.
#[derive(Clone, Default)]
struct Slices(BTreeMap<(usize, Slice), Weak<dyn Backing>>);

/// What tells one memory from another.
pub(crate) fn number(memory: &Memory) -> usize {
    Arc::as_ptr(memory).cast::<()>() as usize
}

/// All slices of surfaces in a memory.
fn all_of(memory: &Memory) -> std::ops::RangeInclusive<(usize, Slice)> {
    let number = number(memory);
    (number, (0, 0, 0))..=(number, (u64::MAX, u32::MAX, u32::MAX))
}

impl Slices {
    fn insert(&mut self, slice: Slice, memory: &Memory) {
        let before = self
            .0
            .insert((number(memory), slice), Arc::downgrade(memory));
        if before.is_none() {
            self.0.retain(|_, memory| memory.strong_count() > 0);
        }
    }

    fn remove(&mut self, slice: Slice, memory: &Memory) {
        self.0.remove(&(number(memory), slice));
    }

    fn forget(&mut self, address: u64, memory: &Memory) {
        let number = number(memory);
        self.0
            .retain(|key, _| (key.0, key.1.0) != (number, address));
    }

    fn has(&self, slice: Slice, memory: &Memory) -> bool {
        self.0.contains_key(&(number(memory), slice))
    }

    /// The first slice of a surface among these levels and elements.
    fn among(
        &self,
        (address, memory): (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        self.of(address, memory).find(|&(_, level, element)| {
            let inside = (levels[0]..levels[1]).contains(&level);
            inside && (elements[0]..elements[1]).contains(&element)
        })
    }

    /// The slices of a surface.
    fn of(&self, address: u64, memory: &Memory) -> impl Iterator<Item = Slice> {
        let number = number(memory);
        let all = (number, (address, 0, 0))..=(number, (address, u32::MAX, u32::MAX));
        self.0.range(all).map(|(key, _)| key.1)
    }
}

/// What a surface begins with: a line of 64 bytes.
pub(crate) type First = [u32; 16];

/// A page as it was before depths were held back from it: a bit for each byte that was, and the bytes.
#[derive(Clone)]
struct Hidden {
    bits: [u64; 64],
    bytes: Box<[u8; 4096]>,
}

/// Pages of a slice with depths that are held back, by the page's number in the address space.
#[derive(Clone)]
struct Pages {
    memory: Weak<dyn Backing>,
    pages: BTreeMap<u64, Hidden>,
}

/// What is known of slices of depth buffers. A machine keeps it, whichever context draws.
#[derive(Clone, Default)]
pub(crate) struct Unresolved {
    /// Slices with depths that only the hierarchical depth buffer has.
    held: Slices,
    /// Slices of which the hierarchical depth buffer tells: it was cleared whole or resolved, and nothing has gone past it since.
    told: Slices,
    /// Slices of colour surfaces that were drawn to with compression enabled or cleared by blocks, and not resolved in full since.
    compressed: Slices,
    /// What depth buffers begin with as draws and clears have left them, by memory and address.
    left: BTreeMap<(usize, u64), (Weak<dyn Backing>, First)>,
    /// Where old data is delivered: what the depth buffer has in its memory instead of what is held back.
    hidden: BTreeMap<(usize, Slice), Pages>,
}

impl Unresolved {
    /// Bytes of a slice are about to be written through a hierarchical depth buffer: those of `bits` in a line of 64, which are
    /// `line` now.
    pub fn hide(
        &mut self,
        (slice, memory): (Slice, &Memory),
        (page, word, bits): (u64, usize, u64),
        line: &[u8; 64],
    ) {
        let key = (number(memory), slice);
        if !self.hidden.contains_key(&key) {
            self.hidden
                .retain(|_, pages| pages.memory.strong_count() > 0);
        }
        let pages = self.hidden.entry(key).or_insert_with(|| Pages {
            memory: Arc::downgrade(memory),
            pages: BTreeMap::new(),
        });
        let hidden = pages.pages.entry(page).or_insert_with(|| Hidden {
            bits: [0; 64],
            bytes: Box::new([0; 4096]),
        });
        let new = bits & !hidden.bits[word];
        hidden.bits[word] |= new;
        for byte in (0..64).filter(|byte| new >> byte & 1 == 1) {
            hidden.bytes[word * 64 + byte] = line[byte];
        }
    }

    /// Bytes of a line are written past all hierarchical depth buffers: they are what is there.
    pub fn show(&mut self, memory: &Memory, (page, word, bits): (u64, usize, u64)) {
        for (_, pages) in self.hidden.range_mut(all_of(memory)) {
            if let Some(hidden) = pages.pages.get_mut(&page) {
                hidden.bits[word] &= !bits;
            }
        }
    }

    /// What somebody who looks past the hierarchical depth buffer sees of a byte, where that is not what is there.
    pub fn behind(&self, memory: &Memory, address: u64) -> Option<u8> {
        let (page, at) = (address >> 12, address as usize & 0xfff);
        let of = |pages: &Pages| {
            let hidden = pages.pages.get(&page)?;
            (hidden.bits[at / 64] >> (at % 64) & 1 == 1).then(|| hidden.bytes[at])
        };
        let mut found = self.hidden.range(all_of(memory));
        found.find_map(|(_, pages)| of(pages))
    }

    /// Nothing is held back where old data is delivered.
    pub fn hides_nothing(&self) -> bool {
        self.hidden.is_empty()
    }

    /// A slice was written through a hierarchical depth buffer.
    pub fn held(&mut self, slice: Slice, memory: &Memory) {
        self.held.insert(slice, memory);
    }

    /// A depth buffer was drawn to or cleared, and begins so now.
    pub fn left(&mut self, address: u64, memory: &Memory, first: First) {
        let entry = (Arc::downgrade(memory), first);
        let before = self.left.insert((number(memory), address), entry);
        if before.is_none() {
            self.left.retain(|_, left| left.0.strong_count() > 0);
        }
    }

    /// What begins so is not what a draw or clear has left there: nobody says that a buffer is used for something else, but somebody has
    /// written over it.
    pub fn is_other(&self, address: u64, memory: &Memory, first: &First) -> bool {
        let left = self.left.get(&(number(memory), address));
        left.is_some_and(|(_, left)| left != first)
    }

    /// A slice was resolved.
    pub fn settled(&mut self, slice: Slice, memory: &Memory) {
        self.held.remove(slice, memory);
        self.hidden.remove(&(number(memory), slice));
    }

    /// The hierarchical depth buffer has learnt all of a slice.
    pub fn told(&mut self, slice: Slice, memory: &Memory) {
        self.told.insert(slice, memory);
    }

    /// A slice was written past its hierarchical depth buffer.
    pub fn passed(&mut self, slice: Slice, memory: &Memory) {
        self.told.remove(slice, memory);
    }

    /// What lies at the address is something else from now on.
    pub fn forgotten(&mut self, address: u64, memory: &Memory) {
        for slices in [&mut self.held, &mut self.told] {
            slices.forget(address, memory);
        }
        let number = number(memory);
        self.hidden
            .retain(|key, _| (key.0, key.1.0) != (number, address));
    }

    /// What lies at addresses of which `is_other` holds, given the memory's number, is something else from now on. Which bytes of it
    /// are new is known by [`Unresolved::show`].
    pub fn replaced(&mut self, is_other: impl Fn(u64, usize) -> bool) {
        for slices in [&mut self.held, &mut self.told, &mut self.compressed] {
            slices
                .0
                .retain(|(memory, slice), _| !is_other(slice.0, *memory));
        }
    }

    /// A slice of a colour surface was drawn to with compression enabled, or cleared by blocks.
    pub fn compressed(&mut self, slice: Slice, memory: &Memory) {
        self.compressed.insert(slice, memory);
    }

    /// A slice of a colour surface stands in memory as it is.
    pub fn plain(&mut self, slice: Slice, memory: &Memory) {
        self.compressed.remove(slice, memory);
    }

    /// The first slice among these that is held back.
    pub fn among(
        &self,
        place: (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        self.held.among(place, levels, elements)
    }

    /// The first slice among these that may be compressed.
    pub fn among_compressed(
        &self,
        place: (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        self.compressed.among(place, levels, elements)
    }

    /// The first of a level's elements that the hierarchical depth buffer does not tell of.
    pub fn untold(
        &self,
        (address, memory): (u64, &Memory),
        level: u32,
        elements: [u32; 2],
    ) -> Option<Slice> {
        let mut slices = (elements[0]..elements[1]).map(|element| (address, level, element));
        slices.find(|&slice| !self.told.has(slice, memory))
    }
}

impl std::fmt::Debug for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.held.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::memory;

    #[test]
    fn slices_are_told_apart() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut unresolved = Unresolved::default();
        unresolved.held((0x1000, 1, 2), &here);
        unresolved.held((0x1000, 3, 0), &here);
        unresolved.held((0x2000, 1, 2), &here);
        let of = |u: &Unresolved, address| u.among((address, &here), [1, 3], [0, 3]);
        assert_eq!(of(&unresolved, 0x1000), Some((0x1000, 1, 2)));
        let others = unresolved.among((0x1000, &elsewhere), [1, 3], [0, 3]);
        assert_eq!(others, None);
        assert_eq!(unresolved.among((0x1000, &here), [1, 3], [0, 2]), None);
        unresolved.settled((0x1000, 1, 2), &here);
        assert_eq!(of(&unresolved, 0x1000), None);
        unresolved.forgotten(0x2000, &here);
        assert_eq!(of(&unresolved, 0x2000), None);
    }

    #[test]
    fn what_begins_otherwise_than_it_was_left_is_something_else() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = Unresolved::default();
        assert!(!known.is_other(0x1000, &here, &[7; 16]));
        known.left(0x1000, &here, [7; 16]);
        assert!(!known.is_other(0x1000, &here, &[7; 16]));
        assert!(known.is_other(0x1000, &here, &[8; 16]));
        assert!(!known.is_other(0x1000, &elsewhere, &[8; 16]));
        assert!(!known.is_other(0x2000, &here, &[8; 16]));
    }

    #[test]
    fn colours_are_compressed_until_their_slice_is_plain() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = Unresolved::default();
        known.compressed((0x1000, 1, 0), &here);
        let seen = |u: &Unresolved, memory, levels, elements| {
            u.among_compressed((0x1000, memory), levels, elements)
        };
        assert_eq!(seen(&known, &here, [0, 2], [0, 1]), Some((0x1000, 1, 0)));
        assert_eq!(seen(&known, &elsewhere, [0, 2], [0, 1]), None);
        assert_eq!(seen(&known, &here, [0, 1], [0, 1]), None);
        assert_eq!(seen(&known, &here, [0, 2], [1, 2]), None);
        known.plain((0x1000, 0, 0), &here);
        assert!(seen(&known, &here, [0, 2], [0, 1]).is_some());
        known.plain((0x1000, 1, 0), &here);
        assert_eq!(seen(&known, &here, [0, 2], [0, 1]), None);
    }

    #[test]
    fn old_depths_are_kept_until_they_are_resolved_or_written_past() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = Unresolved::default();
        let slice = (0x1000, 0, 1);
        known.hide((slice, &here), (1, 2, 0xf0), &[7; 64]);
        // Once a byte is held back, what the buffer had before stays known.
        known.hide((slice, &here), (1, 2, 0xff), &[9; 64]);
        let at = 0x1000 + 128;
        let seen = |u: &Unresolved, memory| [0, 4, 8].map(|byte| u.behind(memory, at + byte));
        assert_eq!(seen(&known, &here), [Some(9), Some(7), None]);
        assert_eq!(seen(&known, &elsewhere), [None; 3]);
        known.show(&elsewhere, (1, 2, 0xff));
        known.show(&here, (1, 2, 0x0f));
        assert_eq!(seen(&known, &here), [None, Some(7), None]);
        known.settled((0x1000, 0, 0), &here);
        known.settled(slice, &elsewhere);
        assert_eq!(seen(&known, &here), [None, Some(7), None]);
        known.settled(slice, &here);
        assert_eq!(seen(&known, &here), [None; 3]);
        assert!(known.hides_nothing());
        known.hide((slice, &here), (1, 2, 1), &[7; 64]);
        known.forgotten(0x1000, &here);
        assert!(known.hides_nothing());
    }

    #[test]
    fn what_goes_past_a_hierarchical_buffer_is_not_told_by_it() {
        let (here, elsewhere) = (memory(4096), memory(4096));
        let mut known = Unresolved::default();
        let first = |u: &Unresolved, memory| u.untold((0x1000, memory), 1, [2, 5]);
        assert_eq!(first(&known, &here), Some((0x1000, 1, 2)));
        for element in 2..5 {
            known.told((0x1000, 1, element), &here);
        }
        assert_eq!(first(&known, &here), None);
        assert_eq!(first(&known, &elsewhere), Some((0x1000, 1, 2)));
        known.passed((0x1000, 1, 3), &here);
        assert_eq!(first(&known, &here), Some((0x1000, 1, 3)));
        known.told((0x1000, 1, 3), &here);
        // The same addresses of another address space change nothing here.
        for element in 2..5 {
            known.told((0x1000, 1, element), &elsewhere);
        }
        assert_eq!(first(&known, &here), None);
        known.forgotten(0x1000, &elsewhere);
        assert_eq!(first(&known, &here), None);
        known.forgotten(0x1000, &here);
        assert_eq!(first(&known, &here), Some((0x1000, 1, 2)));
    }
}
