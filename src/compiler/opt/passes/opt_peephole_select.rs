//! Flattens small `if`s to selections.
//!
//! In:  any shader.
//! Out: an `if` whose branches only compute a few pure values is removed: the values are always
//!      computed, and phis become `bcsel`. Cross-lane operations and memory accesses are not
//!      speculated, except for loads that the effects table calls pure.
//! Tests: tests/opt/opt_peephole_select/.

use crate::pass::Ctx;
use crate::rewrite::cf::{CfEdit, replace_ifs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Maximum cost of both branches together.
const MAX_COST: u32 = 12;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_peephole_select(s: &mut Shader, _: &Ctx) -> bool {
    replace_ifs(s, flatten)
}

/// The cost of executing a block unconditionally; `None` if that is not allowed.
fn speculation_cost(s: &Shader, b: Id<Block>) -> Option<u32> {
    let mut sum = 0u32;
    for &id in &s.blocks[b].instrs {
        sum += match &s.instrs[id] {
            Instr::Alu(a) => u32::from(a.op.info().cost) * u32::from(s.defs[a.def].num_components),
            Instr::Const { .. } | Instr::Undef { .. } | Instr::Deref(_) => 0,
            // Uniform buffers do not change, and out-of-bounds loads return zero.
            Instr::Intrinsic(i) if is_constant_load(s, i) => 1,
            i @ (Instr::Intrinsic(_) | Instr::Tex(_)) => {
                let e = i.effects();
                if !e.can_reorder() || e.any(Effects::MESSAGE) {
                    return None;
                }
                1
            }
            Instr::Phi(_) | Instr::Jump(_) => return None,
        };
    }
    Some(sum)
}

/// True for a load from a constant offset of a buffer with a constant index: it is usually a push
/// constant, or shared by CSE.
fn is_constant_load(s: &Shader, i: &Intrinsic) -> bool {
    let constant = |d: Id<Def>| s.const_of(d).is_some();
    i.op == IntrinsicOp::LoadUbo
        && constant(i.srcs[1])
        && s.intrinsic_of(i.srcs[0])
            .is_some_and(|h| h.op == IntrinsicOp::VulkanResourceIndex && constant(h.srcs[0]))
}

fn flatten(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, i: Id<If>) -> Option<()> {
    let (&[CfNode::Block(then)], &[CfNode::Block(other)]) = (
        s.list(ListRef::Then(i)).as_slice(),
        s.list(ListRef::Else(i)).as_slice(),
    ) else {
        return None;
    };
    let Some(&CfNode::Block(after)) = s.list(list).get(at + 1) else {
        return None;
    };
    let total = speculation_cost(s, then)? + speculation_cost(s, other)?;
    let phis: SmallVec<[Id<Instr>; 4]> = s.blocks[after]
        .instrs
        .iter()
        .copied()
        .take_while(|p| matches!(s.instrs[*p], Instr::Phi(_)))
        .collect();
    if total + phis.len() as u32 > MAX_COST {
        return None;
    }
    let cond = s.ifs[i].cond;
    // All phis of this block must have exactly the two branches as predecessors.
    let mut pairs = Vec::with_capacity(phis.len());
    for &id in &phis {
        let Instr::Phi(p) = &s.instrs[id] else {
            return None;
        };
        let from = |b: Id<Block>| {
            p.srcs
                .iter()
                .find(|(x, _)| edit.current_block(*x) == b)
                .map(|x| x.1)
        };
        pairs.push((id, from(then)?, from(other)?));
    }
    for (id, x, y) in pairs {
        let Some(def) = s.instrs[id].def() else {
            continue;
        };
        s.instrs[id] = Instr::Alu(Alu {
            op: AluOp::Bcsel,
            def,
            srcs: SmallVec::from_iter([
                AluSrc::splat(cond, 0),
                AluSrc::identity(x),
                AluSrc::identity(y),
            ]),
            exact: false,
            preserve_nan_inf_sz: false,
        });
    }
    let tail = std::mem::take(&mut s.blocks[other].instrs);
    s.blocks[then].instrs.extend(tail);
    let nodes = std::mem::take(s.list_mut(ListRef::Then(i)));
    edit.splice(s, list, at, nodes);
    Some(())
}
