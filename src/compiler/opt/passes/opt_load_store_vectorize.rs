//! Merges accesses to adjacent memory, and to the I/O slots of tessellation control shaders.
//!
//! In:  offset-based loads and stores of dwords, words and bytes.
//! Out: within a block, loads from adjacent dwords of the same buffer with the same dynamic offset
//!      are one load of up to four dwords, at the position of the first, if no possible write is in
//!      between; words and bytes are parts of it. Stores are merged likewise, at the position of
//!      the last; words and bytes only where they fill a dword (bytes: a word) together. I/O
//!      accesses are merged within a slot.
//!
//! Words and bytes can be merged to a dword if the offset of the dword is known to be a multiple of
//! four: from the factors of its terms, or from what the module states. The bytes around them that
//! a load then reads too are in the same dword, which exists as a whole: the driver rounds the size
//! of buffers up to dwords, and memory is bound in pages.
//!
//! Elsewhere two words, or two or four bytes, that are all accessed are one unaligned access of
//! their own, unless it has to be robust: one that is partly out of bounds has no effect at all.
//!
//! With robust accesses, offsets that may wrap around prevent merging: a message that begins out of
//! bounds is entirely out of bounds, so it must not include the start of the buffer. At the end of
//! a buffer each dword is checked on its own.
//! Tests: tests/opt/opt_load_store_vectorize/.

mod access;
mod apply;
mod groups;
mod merge;

use crate::pass::{Ctx, RobustBuffers};
use access::{Candidate, Class, classify};
use apply::apply_merges;
use entity::Id;
use groups::Groups;
use merge::{Merge, find_merges};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_load_store_vectorize(s: &mut Shader, ctx: &Ctx) -> bool {
    let mut changed = false;
    for b in s.block_order() {
        changed |= vectorize_block(s, b, ctx.robust_buffers);
    }
    changed
}

fn vectorize_block(s: &mut Shader, b: Id<Block>, robust: RobustBuffers) -> bool {
    let is_access = |id: &&Id<Instr>| match &s.instrs[**id] {
        Instr::Intrinsic(i) => classify(s.stage, i).is_some(),
        _ => false,
    };
    if s.blocks[b].instrs.iter().filter(is_access).count() < 2 {
        return false;
    }
    let mut groups = Groups::default();
    for (at, &id) in s.blocks[b].instrs.iter().enumerate() {
        if let Some(candidate) = Candidate::new(s, at, id, robust) {
            groups.add(candidate);
            continue;
        }
        // Atomics and barriers order accesses to all memory that may change.
        let effects = s.instrs[id].effects();
        if effects.any(Effects::WRITES) || effects.any(Effects::BARRIER) {
            groups.close(|g| g.class != Class::Constant);
        }
    }
    let mut merges: Vec<Merge> = Vec::new();
    for mut g in groups.finish() {
        find_merges(s, &mut g, &mut merges);
    }
    if merges.is_empty() {
        return false;
    }
    apply_merges(s, b, merges);
    true
}
