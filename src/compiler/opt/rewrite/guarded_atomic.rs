//! Atomics that are lowered to a global one behind a bounds check.
//!
//! In:  an atomic of 64 bits with a result, its condition and its address.
//! Out: `global_atomic` or `global_atomic_swap` in an `if`; the result is 0 where the condition is
//!      false.

use super::cf::{CfEdit, SplitPoint, split_block};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// How an atomic is lowered.
pub(crate) struct GuardedAtomic {
    /// The global atomic.
    pub op: IntrinsicOp,
    /// Its constant indices.
    pub indices: SmallVec<[u32; 2]>,
    /// The first operand of the old atomic that is data.
    pub first_data: usize,
    /// Emits the condition for executing the atomic.
    pub condition: fn(&mut Builder<'_>, &Intrinsic) -> Id<Def>,
    /// Emits the address, where the condition is true.
    pub address: fn(&mut Builder<'_>, &Intrinsic) -> Id<Def>,
}

/// Replaces the atomic at a split point. Returns the number of nodes that it inserts.
pub(crate) fn lower_to_guarded_atomic(
    s: &mut Shader,
    edit: &mut CfEdit,
    point: SplitPoint,
    how: GuardedAtomic,
) -> usize {
    let SplitPoint { list, at, block, k } = point;
    let (atomic, after) = split_block(s, edit, block, k);
    let (inside, outside) = (
        s.blocks.push(Block::default()),
        s.blocks.push(Block::default()),
    );
    let Instr::Intrinsic(i) = s.instrs[atomic].clone() else {
        return 0;
    };
    let mut b = Builder::at_end_of_block(s, block);
    let cond = (how.condition)(&mut b, &i);

    b.set_block_end(inside);
    let address = (how.address)(&mut b, &i);
    let mut srcs: SmallVec<[Id<Def>; 4]> = SmallVec::from_iter([address]);
    srcs.extend(i.srcs.iter().skip(how.first_data).copied());
    let old = b.load(how.op, 1, 64, &srcs, &how.indices);

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
    // The branch.
    1
}
