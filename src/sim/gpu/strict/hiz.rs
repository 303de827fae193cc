//! Depth that hierarchical depth buffers hold back.
//!
//! In:  what draws and clears write through a hierarchical depth buffer, what resolves bring to the depth buffer, who looks at
//!      it without one. Out: whether a real machine may show old depths there.
//! The simulator itself always writes to the depth buffer, so nothing but this rule tells that a resolve is missing.
//! Ref: SKL PRM vol. 7, "Hierarchical Depth Buffer", "Depth Buffer Resolve".

use std::collections::BTreeSet;

/// A slice of a depth buffer: the surface's address, level, array element.
pub(crate) type Slice = (u64, u32, u32);

/// Slices with depths that only the hierarchical depth buffer has. A context keeps them from batch to batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unresolved(BTreeSet<Slice>);

impl Unresolved {
    /// A slice was written through a hierarchical depth buffer.
    pub fn held(&mut self, slice: Slice) {
        self.0.insert(slice);
    }

    /// A slice was resolved, or written without one as a whole.
    pub fn settled(&mut self, slice: Slice) {
        self.0.remove(&slice);
    }

    /// The memory is something else from now on.
    pub fn forgotten(&mut self, address: u64) {
        self.0.retain(|slice| slice.0 != address);
    }

    /// The first slice among these that is held back.
    pub fn among(&self, address: u64, levels: [u32; 2], elements: [u32; 2]) -> Option<Slice> {
        let of = |slice: &&Slice| {
            let (_, level, element) = **slice;
            (levels[0]..levels[1]).contains(&level) && (elements[0]..elements[1]).contains(&element)
        };
        let all = (address, 0, 0)..=(address, u32::MAX, u32::MAX);
        self.0.range(all).find(of).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_told_apart() {
        let mut unresolved = Unresolved::default();
        unresolved.held((0x1000, 1, 2));
        unresolved.held((0x1000, 3, 0));
        unresolved.held((0x2000, 1, 2));
        let of = |u: &Unresolved, address| u.among(address, [1, 3], [0, 3]);
        assert_eq!(of(&unresolved, 0x1000), Some((0x1000, 1, 2)));
        assert_eq!(unresolved.among(0x1000, [1, 3], [0, 2]), None);
        unresolved.settled((0x1000, 1, 2));
        assert_eq!(of(&unresolved, 0x1000), None);
        unresolved.forgotten(0x2000);
        assert_eq!(of(&unresolved, 0x2000), None);
    }
}
