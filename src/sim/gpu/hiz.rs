//! Depth that hierarchical depth buffers hold back.
//!
//! In:  what draws and clears write through a hierarchical depth buffer and past it, what resolves bring from one to the other,
//!      who looks at depths with and without it. Out: whether a real machine may show old depths there.
//! The simulator itself always writes to the depth buffer, so nothing but these rules tells that a resolve is missing.
//! Ref: SKL PRM vol. 7, "Hierarchical Depth Buffer", "Depth Buffer Resolve".

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
fn number(memory: &Memory) -> usize {
    Arc::as_ptr(memory).cast::<()>() as usize
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

    /// The slices of a surface.
    fn of(&self, address: u64, memory: &Memory) -> impl Iterator<Item = Slice> {
        let number = number(memory);
        let all = (number, (address, 0, 0))..=(number, (address, u32::MAX, u32::MAX));
        self.0.range(all).map(|(key, _)| key.1)
    }
}

/// What is known of slices of depth buffers. A machine keeps it, whichever context draws.
#[derive(Clone, Default)]
pub(crate) struct Unresolved {
    /// Slices with depths that only the hierarchical depth buffer has.
    held: Slices,
    /// Slices of which the hierarchical depth buffer tells: it was cleared whole or resolved, and nothing has gone past it since.
    told: Slices,
}

impl Unresolved {
    /// A slice was written through a hierarchical depth buffer.
    pub fn held(&mut self, slice: Slice, memory: &Memory) {
        self.held.insert(slice, memory);
    }

    /// A slice was resolved.
    pub fn settled(&mut self, slice: Slice, memory: &Memory) {
        self.held.remove(slice, memory);
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
    }

    /// The first slice among these that is held back.
    pub fn among(
        &self,
        (address, memory): (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        self.held.of(address, memory).find(|&(_, level, element)| {
            let inside = (levels[0]..levels[1]).contains(&level);
            inside && (elements[0]..elements[1]).contains(&element)
        })
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
