//! Computes system values from those that the thread payload contains.
//!
//! In:  any shader.
//! Out: of the local ids only `load_subgroup_id`, `load_subgroup_invocation` and
//!      `load_subgroup_size` remain, and of the vertex ids `load_vertex_id_zero_base` and
//!      `load_first_vertex`. A fragment coordinate converted to an integer becomes
//!      `load_pixel_coord`.
//! Tests: tests/opt/lower_system_values/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// The ALU instruction, if it converts the x and y of the fragment coordinate to integers, which
/// gives the pixel coordinate.
fn as_pixel_coord<'s>(s: &'s Shader, i: &'s Instr) -> Option<&'s Alu> {
    let Instr::Alu(alu) = i else { return None };
    let src = alu.srcs.first()?;
    let n = usize::from(s.defs[alu.def].num_components);
    let coord = s.intrinsic_of(src.def)?;
    let is_pixel_coord = matches!(alu.op, AluOp::F2I | AluOp::F2U)
        && s.defs[alu.def].bit_size == 32
        && coord.op == IntrinsicOp::LoadFragCoord
        && src.swizzle[..n].iter().all(|c| *c < 2);
    is_pixel_coord.then_some(alu)
}

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_system_values(s: &mut Shader, _: &Ctx) -> bool {
    use IntrinsicOp as Op;
    lower_instrs(
        s,
        |s, i| {
            as_pixel_coord(s, i).is_some()
                || matches!(i, Instr::Intrinsic(i) if matches!(
                    i.op,
                    Op::LoadLocalInvocationId
                        | Op::LoadLocalInvocationIndex
                        | Op::LoadNumSubgroups
                        | Op::LoadSubgroupMask
                        | Op::LoadVertexId
                        | Op::LoadBaseVertex
                        | Op::LoadPointCoord
                        | Op::LoadFragCoord
                        | Op::LoadSampleMaskIn
                ))
        },
        |b, id| {
            if let Some(alu) = as_pixel_coord(b.shader, &b.shader.instrs[id]) {
                let n = usize::from(b.components(alu.def));
                let components: SmallVec<[u8; 4]> = alu.srcs[0].swizzle[..n].into();
                let pixel = b.system_value(IntrinsicOp::LoadPixelCoord);
                let parts: SmallVec<[(Id<Def>, u8); 4]> =
                    components.into_iter().map(|c| (pixel, c)).collect();
                return Action::Replace(b.vec_of(&parts));
            }
            let Instr::Intrinsic(i) = &b.shader.instrs[id] else {
                return Action::Keep;
            };
            let (op, relation) = (i.op, i.index("relation"));
            match op {
                Op::LoadLocalInvocationIndex => Action::Replace(local_index(b)),
                Op::LoadLocalInvocationId => {
                    let size = b.shader.info.workgroup_size.map(|n| n.max(1));
                    let index = local_index(b);
                    Action::ReplaceVec(local_id(b, index, size).into_iter().collect())
                }
                Op::LoadNumSubgroups => {
                    let all: u32 = b.shader.info.workgroup_size.iter().product();
                    let size = b.system_value(Op::LoadSubgroupSize);
                    let less = b.iadd_imm(size, i64::from(all) - 1);
                    // The subgroup size is a power of two.
                    let shift = b.find_lsb(size);
                    Action::Replace(b.ushr(less, shift))
                }
                Op::LoadPointCoord => {
                    // The hardware generates it as a varying.
                    let smooth = InterpMode::Smooth as u32;
                    let barycentric = match b.shader.info.fragment.sample_shading {
                        true => Op::LoadBarycentricSample,
                        false => Op::LoadBarycentricPixel,
                    };
                    let at = b.load(barycentric, 2, 32, &[], &[smooth]);
                    let zero = b.imm_u32(0);
                    let indices = [0, 0, Slot::POINT_COORD.0.into(), 1];
                    Action::Replace(b.load(Op::LoadInterpolatedInput, 2, 32, &[at, zero], &indices))
                }
                Op::LoadFragCoord if b.shader.info.fragment.sample_shading => {
                    // The position of the sample, not of the pixel's centre.
                    let pixel = b.system_value(Op::LoadFragCoord);
                    let mut position = b.channels(pixel);
                    let sample = b.system_value(Op::LoadSamplePos);
                    for (to, at) in position.iter_mut().zip(b.channels(sample)) {
                        let half = b.imm_float(32, -0.5);
                        let corner = b.fadd(*to, half);
                        *to = b.fadd(corner, at);
                    }
                    Action::ReplaceVec(position.into_iter().collect())
                }
                Op::LoadSampleMaskIn if b.shader.info.fragment.sample_shading => {
                    // Only the sample for which the invocation runs, if it is covered.
                    let covered = b.system_value(Op::LoadSampleMaskIn);
                    let (one, number) = (b.imm_u32(1), b.system_value(Op::LoadSampleId));
                    let own = b.ishl(one, number);
                    Action::Replace(b.iand(covered, own))
                }
                Op::LoadSubgroupMask => subgroup_mask(b, relation),
                Op::LoadVertexId => {
                    let zero_base = b.system_value(Op::LoadVertexIdZeroBase);
                    let first = b.system_value(Op::LoadFirstVertex);
                    Action::Replace(b.iadd(zero_base, first))
                }
                // For non-indexed draws, Vulkan's BaseVertex is the first vertex too.
                Op::LoadBaseVertex => Action::Replace(b.system_value(Op::LoadFirstVertex)),
                _ => Action::Keep,
            }
        },
    )
}

/// The local invocation index. It is the lane's number in the workgroup, except with
/// derivative_group_quads, where quads span two rows.
fn local_index(b: &mut Builder<'_>) -> Id<Def> {
    let lane = lane_in_workgroup(b);
    match b.shader.info.derivative_group {
        DerivativeGroup::None | DerivativeGroup::Linear => lane,
        DerivativeGroup::Quads => quad_index(b, lane),
    }
}

/// The index with derivative_group_quads: quads of four lanes follow one another in a pair of rows,
/// and pairs of rows follow from top to bottom. Sizes in x and y are even (Vulkan, "Compute Shader
/// Derivatives"), so that a pair of rows lies in one plane.
fn quad_index(b: &mut Builder<'_>, lane: Id<Def>) -> Id<Def> {
    let width = b.shader.info.workgroup_size[0].max(1);
    let (one, two) = (b.imm_u32(1), b.imm_u32(2));
    let right = b.iand(lane, one);
    let half = b.ushr(lane, one);
    let lower = b.iand(half, one);
    let quad = b.ushr(lane, two);
    let in_row = b.imm_u32((width / 2).max(1));
    let (column, rows) = (b.umod(quad, in_row), b.udiv(quad, in_row));
    let (left, top) = (b.ishl(column, one), b.ishl(rows, one));
    let (x, y) = (b.iadd(left, right), b.iadd(top, lower));
    let width = b.imm_u32(width);
    let row = b.imul(y, width);
    b.iadd(row, x)
}

fn lane_in_workgroup(b: &mut Builder<'_>) -> Id<Def> {
    let group = b.system_value(IntrinsicOp::LoadSubgroupId);
    let size = b.system_value(IntrinsicOp::LoadSubgroupSize);
    let lane = b.system_value(IntrinsicOp::LoadSubgroupInvocation);
    let start = b.imul(group, size);
    b.iadd(start, lane)
}

/// Splits the index into its three dimensions. Dimensions of size 1 are 0, and the last other one
/// needs no remainder.
fn local_id(b: &mut Builder<'_>, index: Id<Def>, size: [u32; 3]) -> [Id<Def>; 3] {
    let last = size.iter().rposition(|n| *n > 1).unwrap_or(0);
    let mut rest = index;
    [0, 1, 2].map(|k| {
        if k > last || size[k] == 1 {
            return b.imm_u32(0);
        }
        if k == last {
            return rest;
        }
        let n = b.imm_u32(size[k]);
        let part = b.umod(rest, n);
        rest = b.udiv(rest, n);
        part
    })
}

/// The masks fit the first dword: no variant is wider than 32.
fn subgroup_mask(b: &mut Builder<'_>, relation: u32) -> Action {
    let lane = b.system_value(IntrinsicOp::LoadSubgroupInvocation);
    let size = b.system_value(IntrinsicOp::LoadSubgroupSize);
    let one = b.imm_u32(1);
    let ones = b.imm_int(32, -1);
    let eq = b.ishl(one, lane);
    let below = b.iadd_imm(eq, -1);
    // All lanes of the subgroup. A shift count of 32 is taken as 0, so shift right by -size.
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
