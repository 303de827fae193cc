//! Computes system values from those that the payload brings.
//!
//! In:  any compute shader. Out: of the local ids only `load_subgroup_id`, `load_subgroup_invocation` and
//! `load_subgroup_size` are left. Tests: tests/opt/lower_system_values/.

use crate::pass::Ctx;
use crate::rewrite::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Entry point.
pub fn lower_system_values(s: &mut Shader, _: &Ctx) -> bool {
    use IntrinsicOp as Op;
    lower_instrs(
        s,
        |_, i| {
            matches!(i, Instr::Intrinsic(i) if matches!(
                i.op,
                Op::LoadLocalInvocationId
                    | Op::LoadLocalInvocationIndex
                    | Op::LoadNumSubgroups
                    | Op::LoadSubgroupMask
            ))
        },
        |b, id| {
            let Instr::Intrinsic(i) = &b.shader.instrs[id] else {
                return Action::Keep;
            };
            let (op, relation) = (i.op, i.index("relation"));
            match op {
                Op::LoadLocalInvocationIndex => Action::Replace(local_index(b)),
                Op::LoadLocalInvocationId => {
                    let [x, y, _] = b.shader.info.workgroup_size;
                    let index = local_index(b);
                    let width = b.imm_u32(x.max(1));
                    let height = b.imm_u32(y.max(1));
                    let row = b.udiv(index, width);
                    let parts = [
                        b.umod(index, width),
                        b.umod(row, height),
                        b.udiv(row, height),
                    ];
                    Action::ReplaceVec(parts.into_iter().collect())
                }
                Op::LoadNumSubgroups => {
                    let all: u32 = b.shader.info.workgroup_size.iter().product();
                    let size = b.system_value(Op::LoadSubgroupSize);
                    let less = b.iadd_imm(size, i64::from(all) - 1);
                    // The size is a power of two.
                    let shift = b.find_lsb(size);
                    Action::Replace(b.ushr(less, shift))
                }
                Op::LoadSubgroupMask => subgroup_mask(b, relation),
                _ => Action::Keep,
            }
        },
    )
}

fn local_index(b: &mut Builder<'_>) -> Id<Def> {
    let group = b.system_value(IntrinsicOp::LoadSubgroupId);
    let size = b.system_value(IntrinsicOp::LoadSubgroupSize);
    let lane = b.system_value(IntrinsicOp::LoadSubgroupInvocation);
    let start = b.imul(group, size);
    b.iadd(start, lane)
}

/// The masks fit the first dword: no variant is wider than 32.
fn subgroup_mask(b: &mut Builder<'_>, relation: u32) -> Action {
    let lane = b.system_value(IntrinsicOp::LoadSubgroupInvocation);
    let size = b.system_value(IntrinsicOp::LoadSubgroupSize);
    let one = b.imm_u32(1);
    let ones = b.imm_int(32, -1);
    let eq = b.ishl(one, lane);
    let below = b.iadd_imm(eq, -1);
    // All lanes of the subgroup: a shift by 32 is no shift, so shift the other way.
    let unused = b.ineg(size);
    let all = b.ushr(ones, unused);
    let not_below = b.inot(below);
    let le = b.ior(below, eq);
    let mask = match relation {
        0 => eq,
        1 => b.iand(not_below, all),
        2 => {
            let above = b.inot(le);
            b.iand(above, all)
        }
        3 => le,
        _ => below,
    };
    let zero = b.imm_u32(0);
    Action::ReplaceVec([mask, zero, zero, zero].into_iter().collect())
}
