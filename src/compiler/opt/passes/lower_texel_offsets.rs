//! Lowers texel offsets of samples that are not constants.
//!
//! In:  `tex`, `txb`, `txl` and `txd` with any offset.
//! Out: offsets that are not constants are one dword of the message's header (`packed_offset`),
//!      which serves all lanes of a message; where it may differ between lanes it is marked
//!      non-uniform. The level of detail of those is computed before the loop that they get
//!      (`lower_non_uniform_access`), in which the lanes of a quad may be active one by one: they
//!      become `txd`.
//!
//! Offsets of fetches are added to the coordinates ([`super::lower_tex`]), and gathers have
//! messages with an offset for each lane.
//! Ref: SKL PRM vol. 7, "Sampling Engine: Message Header"; Vulkan, "Texel Filtering", "Scale Factor
//!      Operation, Level-of-Detail Operation and Image Level(s) Selection".
//! Tests: tests/opt/lower_texel_offsets/.

use super::lower_tex::divide_by_projector;
use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Bits of a component in the packed offset.
const COMPONENT_BITS: u32 = 4;
/// Components of the packed offset.
const COMPONENTS: usize = 3;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_texel_offsets(s: &mut Shader, _: &Ctx) -> bool {
    let divergent = divergent_offsets(s);
    lower_instrs(
        s,
        |s, i| dynamic_offset(s, i).is_some(),
        |b, id| {
            let Instr::Tex(mut t) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            let Some(offset) = t.remove_src(TexSrc::Offset) else {
                return Action::Keep;
            };
            t.offset_non_uniform = divergent.contains(&id);
            if t.offset_non_uniform && b.shader.has_quads() {
                compute_derivatives(b, &mut t);
            }
            let word = pack(b, offset);
            t.set_src(TexSrc::PackedOffset, word);
            b.shader.instrs[id] = Instr::Tex(t);
            Action::Changed
        },
    )
}

/// The offset of a sample, if it is no constant.
fn dynamic_offset(s: &Shader, i: &Instr) -> Option<Id<Def>> {
    let Instr::Tex(t) = i else { return None };
    match t.op {
        TexOp::Tex | TexOp::Txb | TexOp::Txl | TexOp::Txd => t
            .src(TexSrc::Offset)
            .filter(|offset| s.const_of(*offset).is_none()),
        _ => None,
    }
}

/// The samples whose offsets may differ between lanes.
fn divergent_offsets(s: &Shader) -> FxHashSet<Id<Instr>> {
    let mut samples: Vec<(Id<Instr>, Id<Def>, Id<Block>)> = Vec::new();
    for b in s.block_order() {
        let instrs = s.blocks[b].instrs.iter();
        samples.extend(instrs.filter_map(|i| Some((*i, dynamic_offset(s, &s.instrs[*i])?, b))));
    }
    if samples.is_empty() {
        return FxHashSet::default();
    }
    let divergence = Divergence::new(s);
    let differs = |&&(_, offset, b): &&(_, _, _)| divergence.is_divergent_at(s, offset, b);
    samples
        .iter()
        .filter(differs)
        .map(|sample| sample.0)
        .collect()
}

/// Makes a sample with an implicit level of detail one with derivatives.
fn compute_derivatives(b: &mut Builder<'_>, t: &mut Tex) {
    if !matches!(t.op, TexOp::Tex | TexOp::Txb) {
        return;
    }
    if let Some(q) = t.remove_src(TexSrc::Projector) {
        divide_by_projector(b, t, q);
    }
    let Some(coord) = t.src(TexSrc::Coord) else {
        return;
    };
    let mut parts = b.channels(coord);
    parts.truncate(t.dim.offset_components().into());
    // A bias of the level multiplies what it is the logarithm of.
    let scale = t.remove_src(TexSrc::Bias).map(|bias| b.fexp2(bias));
    for (kind, op) in [
        (TexSrc::Ddx, IntrinsicOp::DdxCoarse),
        (TexSrc::Ddy, IntrinsicOp::DdyCoarse),
    ] {
        let derivatives: SmallVec<[Id<Def>; 4]> = parts
            .iter()
            .map(|part| {
                let bits = b.shader.defs[*part].bit_size;
                let derivative = b.load(op, 1, bits, &[*part], &[]);
                scale.map_or(derivative, |scale| b.fmul(derivative, scale))
            })
            .collect();
        let derivatives = b.vec(&derivatives);
        t.set_src(kind, derivatives);
    }
    t.op = TexOp::Txd;
}

/// The components of an offset in one dword.
fn pack(b: &mut Builder<'_>, offset: Id<Def>) -> Id<Def> {
    let mask = b.imm_u32((1 << COMPONENT_BITS) - 1);
    let mut word = b.imm_u32(0);
    for (c, part) in b.channels(offset).into_iter().enumerate().take(COMPONENTS) {
        let bits = b.iand(part, mask);
        let at = b.imm_u32(COMPONENT_BITS * (COMPONENTS - 1 - c) as u32);
        let bits = b.ishl(bits, at);
        word = b.ior(word, bits);
    }
    word
}
