//! Registers that messages share, and what they hold at the current point of the program.
//!
//! In:  control flow events. Out: header dwords that need no write, and blocks that need no read.
//! Tests: tests/fs/header_reuse/.

use crate::lir::VgrfId;
use crate::lir::builder::Lanes;
use entity::{Id, IdMap};
use nir::{CfEvent, Def};
use rustc_hash::FxHashMap;

/// A block of a uniform buffer: buffer handle, dynamic part of the offset, and first byte.
pub(super) type UniformBlock = (Id<Def>, Option<Id<Def>>, u32);

/// The offset of a sampler's state: a register plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SamplerOffset {
    /// A scalar.
    pub(super) base: Lanes,
    /// Added to the base.
    pub(super) constant: u32,
}

/// The shared registers, and what they hold at the current point of the program.
#[derive(Default)]
pub(super) struct SharedRegisters {
    /// The byte range (start, end) that loads read of each block.
    pub(super) block_ranges: FxHashMap<UniformBlock, (u32, u32)>,
    /// Blocks already read whose read dominates the current instruction: block, first byte,
    /// registers.
    pub(super) blocks: Vec<(UniformBlock, u32, VgrfId)>,
    /// For each open if or loop: the number of `blocks`, and the value of `changes`, at its start.
    pub(super) open_constructs: Vec<(usize, u32)>,
    /// Counts writes to header dwords.
    pub(super) header_writes: u32,
    pub(super) block_header: Option<VgrfId>,
    /// Header of block reads at 64-bit addresses.
    pub(super) address_header: Option<VgrfId>,
    pub(super) stateless_header: Option<VgrfId>,
    /// Payload of barrier messages.
    pub(super) barrier_payload: Option<VgrfId>,
    /// Dword 2 of the block header, if known: the byte offset.
    pub(super) block_offset: Option<Lanes>,
    pub(super) sampler_header: Option<VgrfId>,
    /// Its dword 2, if known: texel offsets and gather component.
    pub(super) sampler_word: Option<Lanes>,
    /// Its dword 3, if known: the sampler.
    pub(super) sampler_offset: Option<SamplerOffset>,
    /// Some sampler message needs a non-zero dword 2.
    pub(super) needs_sampler_word: bool,
    /// Number of uses of a def as a sampler handle.
    pub(super) sampler_uses: IdMap<Def, u32>,
    pub(super) sampler_offsets: IdMap<Def, Option<SamplerOffset>>,
    /// Number of the first active lane, and the count of control flow instructions for which it is
    /// valid.
    pub(super) first_active: Option<(u32, Lanes)>,
}

impl SharedRegisters {
    /// True outside all ifs and loops.
    pub(super) fn is_outermost(&self) -> bool {
        self.open_constructs.is_empty()
    }

    /// Updates the state for a control flow event. Header dwords that a branch has changed are
    /// unknown after it, and all are unknown inside a loop, which may change them. Blocks stay
    /// known where their read dominates.
    pub(super) fn enter(&mut self, event: &CfEvent) {
        match event {
            CfEvent::Block(_) => {}
            CfEvent::If(_) => self
                .open_constructs
                .push((self.blocks.len(), self.header_writes)),
            CfEvent::Loop(_) => {
                self.forget_headers();
                self.open_constructs
                    .push((self.blocks.len(), self.header_writes));
            }
            CfEvent::Else(_) => {
                let (blocks, changes) = self.open_constructs.last().copied().unwrap_or_default();
                self.leave(blocks, changes);
            }
            CfEvent::EndIf(_) | CfEvent::EndLoop(_) => {
                let (blocks, changes) = self.open_constructs.pop().unwrap_or_default();
                self.leave(blocks, changes);
            }
        }
    }

    /// Leaves a branch or loop that began with these numbers of blocks and header writes.
    fn leave(&mut self, blocks: usize, changes: u32) {
        self.blocks.truncate(blocks);
        if self.header_writes != changes {
            self.forget_headers();
        }
    }

    /// Forgets the contents of header dwords.
    fn forget_headers(&mut self) {
        self.block_offset = None;
        self.sampler_word = None;
        self.sampler_offset = None;
    }
}
