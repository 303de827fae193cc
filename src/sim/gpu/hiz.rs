//! Depth that hierarchical depth buffers hold back.
//!
//! In:  what draws and clears write through a hierarchical depth buffer, what resolves bring to the depth buffer, who looks at
//!      it without one. Out: whether a real machine may show old depths there.
//! The simulator itself always writes to the depth buffer, so nothing but this rule tells that a resolve is missing.
//! Ref: SKL PRM vol. 7, "Hierarchical Depth Buffer", "Depth Buffer Resolve".

use crate::space::Backing;
use crate::watch::Memory;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// A slice of a depth buffer: the surface's address, level, array element.
pub(crate) type Slice = (u64, u32, u32);

/// Slices with depths that only the hierarchical depth buffer has. A context keeps them from batch to batch.
#[derive(Clone, Default)]
pub(crate) struct Unresolved(BTreeMap<Slice, Weak<dyn Backing>>);

impl Unresolved {
    /// A slice was written through a hierarchical depth buffer.
    pub fn held(&mut self, slice: Slice, memory: &Memory) {
        self.0.insert(slice, Arc::downgrade(memory));
    }

    /// A slice was resolved.
    pub fn settled(&mut self, slice: Slice) {
        self.0.remove(&slice);
    }

    /// The memory is something else from now on.
    pub fn forgotten(&mut self, address: u64) {
        self.0.retain(|slice, _| slice.0 != address);
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
            let same = std::ptr::addr_eq(written.as_ptr(), Arc::as_ptr(memory));
            let inside = (levels[0]..levels[1]).contains(&level);
            same && inside && (elements[0]..elements[1]).contains(&element)
        };
        let all = (address, 0, 0)..=(address, u32::MAX, u32::MAX);
        self.0.range(all).find(of).map(|(slice, _)| *slice)
    }
}

impl std::fmt::Debug for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
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
}
