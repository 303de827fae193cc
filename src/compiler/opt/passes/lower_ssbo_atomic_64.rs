//! Lowers 64-bit atomics on storage buffers to global atomics: the data port only supports them at
//! addresses (A64).
//!
//! In:  `ssbo_atomic` and `ssbo_atomic_swap` of 64 bits.
//! Out: `global_atomic` and `global_atomic_swap`, guarded by a bounds check: an out-of-bounds
//!      atomic does nothing and returns 0.
//! Ref: Vulkan, "Robust Buffer Access"; SKL PRM vol. 7, "A64 Untyped Atomic Integer".
//! Tests: tests/opt/lower_ssbo_atomic_64/.

use crate::pass::Ctx;
use crate::rewrite::cf::{CfEdit, split_block, split_blocks};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Bytes per operand.
const BYTES: u32 = 8;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_ssbo_atomic_64(s: &mut Shader, _: &Ctx) -> bool {
    let wide = |s: &Shader, i| is_64_bit_atomic(s, i).then_some(());
    split_blocks(s, wide, |s, edit, point, ()| {
        guard_with_if(s, edit, point.list, point.at, point.block, point.k);
        // The branch.
        1
    })
}

fn is_64_bit_atomic(s: &Shader, i: Id<Instr>) -> bool {
    match &s.instrs[i] {
        Instr::Intrinsic(i) => {
            matches!(i.op, IntrinsicOp::SsboAtomic | IntrinsicOp::SsboAtomicSwap)
                && i.srcs.get(2).is_some_and(|d| s.defs[*d].bit_size == 64)
        }
        _ => false,
    }
}

/// Puts the atomic at `k` of `block` into an `if` inserted at `at` of `list`.
fn guard_with_if(
    s: &mut Shader,
    edit: &mut CfEdit,
    list: ListRef,
    at: usize,
    block: Id<Block>,
    k: usize,
) {
    let (atomic, after) = split_block(s, edit, block, k);
    let Instr::Intrinsic(i) = s.instrs[atomic].clone() else {
        return;
    };
    let (handle, offset) = (i.srcs[0], i.srcs[1]);
    let (inside, outside) = (
        s.blocks.push(Block::default()),
        s.blocks.push(Block::default()),
    );
    let mut b = Builder::at_end_of_block(s, block);
    let size = b.load(IntrinsicOp::GetSsboSize, 1, 32, &[handle], &[]);
    let rest = b.imm_u32(BYTES - 1);
    let end = b.usub_sat(size, rest);
    let cond = b.ult(offset, end);

    b.set_block_end(inside);
    let base = b.load(IntrinsicOp::LoadSsboAddress, 1, 64, &[handle], &[]);
    let offset = b.u2u(offset, 64);
    let address = b.iadd(base, offset);
    let mut srcs: SmallVec<[Id<Def>; 4]> = SmallVec::from_iter([address]);
    srcs.extend(i.srcs.iter().skip(2).copied());
    let op = match i.op {
        IntrinsicOp::SsboAtomic => IntrinsicOp::GlobalAtomic,
        _ => IntrinsicOp::GlobalAtomicSwap,
    };
    let old = b.load(op, 1, 64, &srcs, &i.indices);

    b.set_block_end(outside);
    let zero = b.imm_int(64, 0);
    let branch = s.ifs.push(If {
        cond,
        then_list: vec![CfNode::Block(inside)],
        else_list: vec![CfNode::Block(outside)],
    });
    s.list_mut(list)
        .splice(at..at, [CfNode::If(branch), CfNode::Block(after)]);
    if let Some(def) = i.def {
        // The phi keeps the atomic's def, so that no use has to be rewritten.
        let srcs = SmallVec::from_iter([(inside, old), (outside, zero)]);
        s.instrs[atomic] = Instr::Phi(Phi { def, srcs });
        s.blocks[after].instrs.insert(0, atomic);
    }
}
