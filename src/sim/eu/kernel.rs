//! A decoded kernel, shared by its threads.
//!
//! In:  micro-ops with their byte offsets. Out: the index of the micro-op at an offset.

use crate::register_clearing::ClearRanges;
use crate::uop::Uop;
use std::collections::BTreeMap;

/// A decoded kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) uops: Vec<Uop>,
    /// Byte offset of each instruction → its index in `uops`.
    pub(crate) index: BTreeMap<u64, u32>,
    pub(crate) start: u64,
    /// Index of the first instruction.
    pub(crate) first: u32,
    /// Every thread executes the same instructions with the same channels: see
    /// [`crate::straight_line`].
    pub(crate) straight_line: bool,
    pub(crate) clear_ranges: ClearRanges,
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

    /// Always false: a kernel has at least one instruction.
    pub fn is_empty(&self) -> bool {
        self.uops.is_empty()
    }

    /// Index of the instruction at a byte offset.
    pub(crate) fn index_of(&self, offset: u64) -> Option<u32> {
        self.index.get(&offset).copied()
    }
}
