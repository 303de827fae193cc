//! Lowers texture operations that gen9's sampler does not support.
//!
//! In:  any `tex`.
//! Out: no projector (coordinates and comparator are divided by it), no offset of a `txf` (it is
//!      added to the coordinates), and no `tg4` with four offsets (one gather per offset, of which
//!      the last texel is used).
//! Ref: SKL PRM vol. 2d, "Sampling Engine": message parameters.
//! Tests: tests/opt/lower_tex/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_tex(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |_, i| {
            matches!(i, Instr::Tex(t)
            if t.src(TexSrc::Projector).is_some()
                || t.tg4_offsets.is_some()
                || (t.op == TexOp::Txf || t.op == TexOp::TxfMs) && t.src(TexSrc::Offset).is_some())
        },
        |b, id| {
            let Instr::Tex(mut t) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            if let Some(q) = t.remove_src(TexSrc::Projector) {
                divide_by_projector(b, &mut t, q);
            }
            if let TexOp::Txf | TexOp::TxfMs = t.op
                && let Some(offset) = t.remove_src(TexSrc::Offset)
                && let Some(coord) = t.src(TexSrc::Coord)
            {
                let by = b.channels(offset);
                let parts: SmallVec<[Id<Def>; 4]> = b
                    .channels(coord)
                    .into_iter()
                    .enumerate()
                    .map(|(k, c)| by.get(k).map_or(c, |o| b.iadd(c, *o)))
                    .collect();
                let sum = b.vec(&parts);
                t.set_src(TexSrc::Coord, sum);
            }
            if let Some(offsets) = t.tg4_offsets.take() {
                return Action::ReplaceVec(four_gathers(b, &t, offsets));
            }
            b.shader.instrs[id] = Instr::Tex(t);
            Action::Changed
        },
    )
}

/// Divides the coordinates, except for the array layer, and the comparator by `q`.
pub(super) fn divide_by_projector(b: &mut Builder<'_>, t: &mut Tex, q: Id<Def>) {
    let inverse = b.frcp(q);
    if let Some(coord) = t.src(TexSrc::Coord) {
        let n = usize::from(t.dim.coord_components());
        let parts: SmallVec<[Id<Def>; 4]> = b
            .channels(coord)
            .into_iter()
            .enumerate()
            .map(|(k, c)| if k < n { b.fmul(c, inverse) } else { c })
            .collect();
        let divided = b.vec(&parts);
        t.set_src(TexSrc::Coord, divided);
    }
    if let Some(r) = t.src(TexSrc::Comparator) {
        let divided = b.fmul(r, inverse);
        t.set_src(TexSrc::Comparator, divided);
    }
}

fn four_gathers(b: &mut Builder<'_>, t: &Tex, offsets: [[i8; 2]; 4]) -> SmallVec<[Id<Def>; 4]> {
    let bits = b.shader.defs[t.def].bit_size;
    offsets
        .iter()
        .map(|[x, y]| {
            let (x, y) = (b.imm_int(32, (*x).into()), b.imm_int(32, (*y).into()));
            let offset = b.vec(&[x, y]);
            let mut one = t.clone();
            one.set_src(TexSrc::Offset, offset);
            let v = b.tex(one, 4, bits);
            // The last of the four texels of a gather is the one at (i0, j0).
            b.channel(v, 3)
        })
        .collect()
}
