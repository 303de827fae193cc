//! A decoded kernel, shared by its threads.
//!
//! In:  instructions, and where each stands. Out: the instruction at an offset.

use crate::leftovers::Leftovers;
use crate::uop::Uop;
use std::collections::BTreeMap;

/// A decoded kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) uops: Vec<Uop>,
    /// Offset of each instruction → its index.
    pub(crate) index: BTreeMap<u64, u32>,
    pub(crate) start: u64,
    /// Index of the first instruction.
    pub(crate) first: u32,
    /// All its threads execute the same: see [`crate::straight`].
    pub(crate) straight: bool,
    pub(crate) leftovers: Leftovers,
}

impl Kernel {
    /// Byte offset of the first instruction.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Number of decoded instructions.
    pub fn len(&self) -> usize {
        self.uops.len()
    }

    /// True for a kernel without instructions (there is none).
    pub fn is_empty(&self) -> bool {
        self.uops.is_empty()
    }

    /// Index of the instruction at a byte offset.
    pub(crate) fn at(&self, offset: u64) -> Option<u32> {
        self.index.get(&offset).copied()
    }
}
