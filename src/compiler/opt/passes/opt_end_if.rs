//! Converts conditional `terminate` and `demote` to `terminate_if` and `demote_if`.
//!
//! In:  any shader.
//! Out: `if c { terminate }` is `terminate_if c`, followed by the code of the other branch, which
//!      only the remaining invocations reach. `if c { demote }` is `demote_if c` if the other
//!      branch is empty, because helper invocations continue after it.
//! Tests: tests/opt/opt_end_if/.

use crate::pass::Ctx;
use crate::rewrite::cf::{CfEdit, is_empty_list, replace_ifs};
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_end_if(s: &mut Shader, _: &Ctx) -> bool {
    replace_ifs(s, convert)
}

/// `Terminate` or `Demote`, if a branch contains nothing else.
fn ends_invocation(s: &Shader, side: ListRef) -> Option<IntrinsicOp> {
    let &[CfNode::Block(b)] = s.list(side).as_slice() else {
        return None;
    };
    let mut end = None;
    for &id in &s.blocks[b].instrs {
        match &s.instrs[id] {
            Instr::Const { .. } | Instr::Undef { .. } => {}
            Instr::Intrinsic(i)
                if end.is_none()
                    && matches!(i.op, IntrinsicOp::Terminate | IntrinsicOp::Demote) =>
            {
                end = Some(i.op);
            }
            _ => return None,
        }
    }
    end
}

fn convert(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, i: Id<If>) -> Option<()> {
    let (then, other) = (ListRef::Then(i), ListRef::Else(i));
    let (end, side, inverse) = match (ends_invocation(s, then), ends_invocation(s, other)) {
        (Some(end), _) => (end, other, false),
        (None, Some(end)) => (end, then, true),
        (None, None) => return None,
    };
    let (&CfNode::Block(before), &CfNode::Block(after)) = (
        s.list(list).get(at.checked_sub(1)?)?,
        s.list(list).get(at + 1)?,
    ) else {
        return None;
    };
    let op = match end {
        IntrinsicOp::Terminate => IntrinsicOp::TerminateIf,
        _ => {
            let first = s.blocks[after].instrs.first();
            let phis = first.is_some_and(|id| matches!(s.instrs[*id], Instr::Phi(_)));
            if phis || !is_empty_list(s, side) {
                return None;
            }
            IntrinsicOp::DemoteIf
        }
    };
    let cond = s.ifs[i].cond;
    let mut b = Builder::at_end_of_block(s, before);
    let cond = if inverse { b.inot(cond) } else { cond };
    b.intrinsic(op, None, &[cond], &[]);
    let nodes = std::mem::take(s.list_mut(side));
    edit.splice(s, list, at, nodes);
    Some(())
}
