//! Lowers 64-bit atomics on storage buffers to global atomics: the data port only supports them at
//! addresses (A64).
//!
//! In:  `ssbo_atomic` and `ssbo_atomic_swap` of 64 bits.
//! Out: `global_atomic` and `global_atomic_swap`, guarded by a bounds check: an out-of-bounds
//!      atomic does nothing and returns 0.
//! Ref: Vulkan, "Robust Buffer Access"; SKL PRM vol. 7, "A64 Untyped Atomic Integer".
//! Tests: tests/opt/lower_ssbo_atomic_64/.

use crate::pass::Ctx;
use crate::rewrite::cf::split_blocks;
use crate::rewrite::guarded_atomic::{GuardedAtomic, lower_to_guarded_atomic};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Bytes per operand.
const BYTES: u32 = 8;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_ssbo_atomic_64(s: &mut Shader, _: &Ctx) -> bool {
    split_blocks(s, lowering, |s, edit, point, how| {
        lower_to_guarded_atomic(s, edit, point, how)
    })
}

/// How an instruction is lowered, if it is a 64-bit atomic.
fn lowering(s: &Shader, i: Id<Instr>) -> Option<GuardedAtomic> {
    let Instr::Intrinsic(i) = &s.instrs[i] else {
        return None;
    };
    let op = match i.op {
        IntrinsicOp::SsboAtomic => IntrinsicOp::GlobalAtomic,
        IntrinsicOp::SsboAtomicSwap => IntrinsicOp::GlobalAtomicSwap,
        _ => return None,
    };
    let is_wide = i.srcs.get(2).is_some_and(|d| s.defs[*d].bit_size == 64);
    is_wide.then(|| GuardedAtomic {
        op,
        indices: SmallVec::from_slice(&i.indices),
        first_data: 2,
        condition: emit_is_inside,
        address: emit_address,
    })
}

/// Whether all bytes are in the buffer.
fn emit_is_inside(b: &mut Builder<'_>, i: &Intrinsic) -> Id<Def> {
    let size = b.load(IntrinsicOp::GetSsboSize, 1, 32, &[i.srcs[0]], &[]);
    let rest = b.imm_u32(BYTES - 1);
    let end = b.usub_sat(size, rest);
    b.ult(i.srcs[1], end)
}

fn emit_address(b: &mut Builder<'_>, i: &Intrinsic) -> Id<Def> {
    let base = b.load(IntrinsicOp::LoadSsboAddress, 1, 64, &[i.srcs[0]], &[]);
    let offset = b.u2u(i.srcs[1], 64);
    b.iadd(base, offset)
}
