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

/// Slices by what they are in.
type Slices = BTreeMap<Slice, Weak<dyn Backing>>;

fn is_in(written: &Weak<dyn Backing>, memory: &Memory) -> bool {
    std::ptr::addr_eq(written.as_ptr(), Arc::as_ptr(memory))
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
        self.held.insert(slice, Arc::downgrade(memory));
    }

    /// A slice was resolved.
    pub fn settled(&mut self, slice: Slice) {
        self.held.remove(&slice);
    }

    /// The hierarchical depth buffer has learnt all of a slice.
    pub fn told(&mut self, slice: Slice, memory: &Memory) {
        self.told.insert(slice, Arc::downgrade(memory));
    }

    /// A slice was written past its hierarchical depth buffer.
    pub fn passed(&mut self, slice: Slice) {
        self.told.remove(&slice);
    }

    /// The memory is something else from now on.
    pub fn forgotten(&mut self, address: u64) {
        for slices in [&mut self.held, &mut self.told] {
            slices.retain(|slice, _| slice.0 != address);
        }
    }

    /// The first slice among these that is held back.
    pub fn among(
        &self,
        (address, memory): (u64, &Memory),
        levels: [u32; 2],
        elements: [u32; 2],
    ) -> Option<Slice> {
        let of = |(slice, written): &(&Slice, &Weak<dyn Backing>)| {
            let (_, level, element) = **slice;
            let inside = (levels[0]..levels[1]).contains(&level);
            is_in(written, memory) && inside && (elements[0]..elements[1]).contains(&element)
        };
        let all = (address, 0, 0)..=(address, u32::MAX, u32::MAX);
        self.held.range(all).find(of).map(|(slice, _)| *slice)
    }

    /// The first of a level's elements that the hierarchical depth buffer does not tell of.
    pub fn untold(
        &self,
        (address, memory): (u64, &Memory),
        level: u32,
        elements: [u32; 2],
    ) -> Option<Slice> {
        let mut slices = (elements[0]..elements[1]).map(|element| (address, level, element));
        slices.find(|slice| {
            let known = self.told.get(slice);
            !known.is_some_and(|written| is_in(written, memory))
        })
    }
}

impl std::fmt::Debug for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.held.keys()).finish()
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
        unresolved.settled((0x1000, 1, 2));
        assert_eq!(of(&unresolved, 0x1000), None);
        unresolved.forgotten(0x2000);
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
        known.passed((0x1000, 1, 3));
        assert_eq!(first(&known, &here), Some((0x1000, 1, 3)));
        known.told((0x1000, 1, 3), &here);
        known.forgotten(0x1000);
        assert_eq!(first(&known, &here), Some((0x1000, 1, 2)));
    }
}
