//! Turns a store to a component of an output that is chosen at run time into a choice between stores.
//!
//! In:  `store_deref` of shader_out with a dynamic index of a vector's component, or of the scalars that lie side by side in slots
//! (tessellation levels). Only tessellation control has them: the outputs of other stages are temporaries by now.
//! Out: for each component an `if` around a store with a constant index. Other invocations may write the other components at the same
//! time, so nothing is read and written back. Tests: tests/opt/lower_indirect_stores/.

use crate::cf::{CfEdit, Cut, cut_block, cut_blocks};
use crate::pass::Ctx;
use entity::Id;
use nir::*;

/// Entry point.
pub fn lower_indirect_stores(s: &mut Shader, _: &Ctx) -> bool {
    cut_blocks(s, dynamic, choose)
}

/// A store's last step: the pointer to the whole, the index, and how many there are.
pub(crate) struct Step {
    parent: Id<Def>,
    index: Id<Def>,
    count: u32,
}

/// The last step of a store's pointer, if it chooses one of several scalars of an output's slots at run time.
fn dynamic(s: &Shader, i: Id<Instr>) -> Option<Step> {
    let Instr::Intrinsic(i) = &s.instrs[i] else {
        return None;
    };
    if i.op != IntrinsicOp::StoreDeref {
        return None;
    }
    step(s, s.deref_of(i.srcs[0])?)
}

/// The step of a pointer that chooses one of several scalars of an output's slots at run time.
pub(crate) fn step(s: &Shader, d: &Deref) -> Option<Step> {
    let DerefKind::Array { parent, index } = d.kind else {
        return None;
    };
    if d.mode != Mode::ShaderOut || s.const_of(index).is_some() {
        return None;
    }
    let of = s.deref_of(parent)?;
    let count = match (&s.types[of.ty], &of.kind) {
        (Type::Vector { len, .. }, _) => u32::from(*len),
        (Type::Array { len, .. }, DerefKind::Var(v))
            if s.vars[*v].io.is_some_and(|io| io.compact) && !s.is_per_vertex(&s.vars[*v]) =>
        {
            (*len)?
        }
        _ => return None,
    };
    Some(Step {
        parent,
        index,
        count,
    })
}

/// Puts stores in the place of one; returns how many nodes that took.
fn choose(s: &mut Shader, edit: &mut CfEdit, cut: Cut, step: Step) -> usize {
    let Cut { list, at, block, k } = cut;
    let (store, after) = cut_block(s, edit, block, k);
    let Instr::Intrinsic(store) = s.instrs[store].clone() else {
        return 0;
    };
    let indices = [store.index("write_mask"), store.index("access")];
    let (mut head, mut nodes) = (block, CfList::new());
    for k in 0..step.count {
        let [then_block, else_block] = [0; 2].map(|_| s.blocks.push(Block::default()));
        let mut b = Builder::at_end_of_block(s, head);
        let number = b.imm_int(b.bits(step.index), k.into());
        let cond = b.ieq(step.index, number);
        b.set_block_end(then_block);
        let number = b.imm_u32(k);
        if let Some(to) = b.deref_array(step.parent, number) {
            b.intrinsic(
                IntrinsicOp::StoreDeref,
                None,
                &[to, store.srcs[1]],
                &indices,
            );
        }
        let choice = s.ifs.push(If {
            cond,
            then_list: vec![CfNode::Block(then_block)],
            else_list: vec![CfNode::Block(else_block)],
        });
        head = match k + 1 == step.count {
            true => after,
            false => s.blocks.push(Block::default()),
        };
        nodes.extend([CfNode::If(choice), CfNode::Block(head)]);
    }
    // The last block is looked at again: it holds what followed.
    let taken = nodes.len().saturating_sub(1);
    s.list_mut(list).splice(at..at, nodes);
    taken
}
