//! Lowers stores to a dynamically indexed component of an output to conditional stores.
//!
//! In:  `store_deref` of shader_out with a dynamic index into a vector, or into scalars packed into
//!      slots (tessellation levels). Only tessellation control shaders have them: the outputs of
//!      other stages are temporaries at this point.
//! Out: for each component an `if` around a store with a constant index. Read-modify-write is not
//!      possible, because other invocations may write the other components at the same time.
//! Tests: tests/opt/lower_indirect_stores/.

use crate::analysis::dynamic_index::{DynamicComponent, dynamic_component};
use crate::pass::Ctx;
use crate::rewrite::cf::{CfEdit, SplitPoint, split_block, split_blocks};
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_indirect_stores(s: &mut Shader, _: &Ctx) -> bool {
    split_blocks(s, dynamic_store, store_conditionally)
}

/// The last array index of a store's pointer, if it selects a component of an output dynamically.
fn dynamic_store(s: &Shader, i: Id<Instr>) -> Option<DynamicComponent> {
    let Instr::Intrinsic(i) = &s.instrs[i] else {
        return None;
    };
    if i.op != IntrinsicOp::StoreDeref {
        return None;
    }
    dynamic_component(s, s.deref_of(i.srcs[0])?)
}

/// Replaces a store by conditional stores. Returns the number of nodes inserted before the rest of
/// the block.
fn store_conditionally(
    s: &mut Shader,
    edit: &mut CfEdit,
    point: SplitPoint,
    component: DynamicComponent,
) -> usize {
    let SplitPoint { list, at, block, k } = point;
    let (store, after) = split_block(s, edit, block, k);
    let Instr::Intrinsic(store) = s.instrs[store].clone() else {
        return 0;
    };
    let indices = [store.index("write_mask"), store.index("access")];
    let (mut head, mut nodes) = (block, CfList::new());
    for k in 0..component.count {
        let [then_block, else_block] = [0; 2].map(|_| s.blocks.push(Block::default()));
        let mut b = Builder::at_end_of_block(s, head);
        let number = b.imm_int(b.bits(component.index), k.into());
        let cond = b.ieq(component.index, number);
        b.set_block_end(then_block);
        let number = b.imm_u32(k);
        if let Some(to) = b.deref_array(component.parent, number) {
            b.intrinsic(
                IntrinsicOp::StoreDeref,
                None,
                &[to, store.srcs[1]],
                &indices,
            );
        }
        let branch = s.ifs.push(If {
            cond,
            then_list: vec![CfNode::Block(then_block)],
            else_list: vec![CfNode::Block(else_block)],
        });
        head = match k + 1 == component.count {
            true => after,
            false => s.blocks.push(Block::default()),
        };
        nodes.extend([CfNode::If(branch), CfNode::Block(head)]);
    }
    // The last block, which holds the rest, is searched again.
    let taken = nodes.len().saturating_sub(1);
    s.list_mut(list).splice(at..at, nodes);
    taken
}
