//! Lowers cube map operations that gen9's sampler does not support.
//!
//! In:  `tex` of cubes.
//! Out: directions normalised such that their largest component is 1 or -1; no explicit derivatives
//!      (a level of detail is computed from them).
//! Ref: SKL PRM vol. 2d, "Sampling Engine", cube maps; Vulkan, "Cube Map Derivative
//!      Transformation", "Scale Factor Operation, Level-of-Detail Operation and Image Level(s)
//!      Selection".
//! Tests: tests/opt/lower_tex_cubes/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_tex_cubes(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |_, i| match i {
            Instr::Tex(t) => t.dim == Dim::Cube && t.op.needs_sampler(),
            _ => false,
        },
        |b, id| {
            let Instr::Tex(mut t) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            if t.op == TexOp::Txd {
                lower_txd(b, &mut t);
            }
            normalise(b, &mut t);
            b.shader.instrs[id] = Instr::Tex(t);
            Action::Changed
        },
    )
}

/// Divides the direction by its largest component's magnitude.
fn normalise(b: &mut Builder<'_>, t: &mut Tex) {
    let Some(coord) = t.src(TexSrc::Coord) else {
        return;
    };
    let mut parts = b.channels(coord);
    let [x, y, z] = [0, 1, 2].map(|c| b.fabs(parts[c]));
    let largest = b.fmax(x, y);
    let largest = b.fmax(largest, z);
    let inverse = b.frcp(largest);
    for part in parts.iter_mut().take(3) {
        *part = b.fmul(*part, inverse);
    }
    let coord = b.vec(&parts);
    t.set_src(TexSrc::Coord, coord);
}

/// Lowers `txd` to `txl`.
fn lower_txd(b: &mut Builder<'_>, t: &mut Tex) {
    let (Some(coord), Some(ddx), Some(ddy)) = (
        t.src(TexSrc::Coord),
        t.remove_src(TexSrc::Ddx),
        t.remove_src(TexSrc::Ddy),
    ) else {
        return;
    };
    let size = face_width(b, t);
    let direction = b.channels(coord);
    let magnitudes = [0, 1, 2].map(|c| b.fabs(direction[c]));
    let [x, y, z] = magnitudes;
    let xy = b.fmax(x, y);
    let xz = b.fmax(x, z);
    let z_is_largest = b.fge(z, xy);
    let y_is_largest = b.fge(y, xz);
    // Reorders the components of the direction and its derivatives such that the major axis is
    // last.
    let order = |b: &mut Builder<'_>, v: &[Id<Def>]| {
        let pick = |b: &mut Builder<'_>, at_z: Id<Def>, at_y: Id<Def>, at_x: Id<Def>| {
            let rest = b.bcsel(y_is_largest, at_y, at_x);
            b.bcsel(z_is_largest, at_z, rest)
        };
        [
            pick(b, v[0], v[0], v[1]),
            pick(b, v[1], v[2], v[2]),
            pick(b, v[2], v[1], v[0]),
        ]
    };
    let [s, u, major] = order(b, &direction);
    let inverse = b.frcp(major);
    let (s, u) = (b.fmul(s, inverse), b.fmul(u, inverse));
    let squares = [ddx, ddy].map(|by| {
        let by = b.channels(by);
        let [ds, du, dm] = order(b, &by);
        // d(s / m) = (ds - (s / m) dm) / m, for faces that are two units wide.
        let along = [(s, ds), (u, du)].map(|(at, d)| {
            let turned = b.fmul(at, dm);
            let less = b.fsub(d, turned);
            b.fmul(less, inverse)
        });
        let first = b.fmul(along[0], along[0]);
        b.ffma(along[1], along[1], first)
    });
    let square = b.fmax(squares[0], squares[1]);
    // log2(size / 2 * sqrt(square))
    let level = b.flog2(square);
    let half = b.imm_float(32, 0.5);
    let level = b.fmul(level, half);
    let size = b.fmul(size, half);
    let size = b.flog2(size);
    let level = b.fadd(level, size);
    let level = match t.remove_src(TexSrc::MinLod) {
        Some(min) => b.fmax(level, min),
        None => level,
    };
    t.op = TexOp::Txl;
    t.set_src(TexSrc::Lod, level);
}

/// The width of a cube's faces in texels at level 0, as a float.
fn face_width(b: &mut Builder<'_>, t: &Tex) -> Id<Def> {
    let zero = b.imm_u32(0);
    let mut srcs: SmallVec<[(TexSrc, Id<Def>); 4]> = SmallVec::new();
    srcs.extend(
        t.src(TexSrc::TextureHandle)
            .map(|h| (TexSrc::TextureHandle, h)),
    );
    srcs.push((TexSrc::Lod, zero));
    let query = Tex {
        op: TexOp::Txs,
        srcs,
        shadow: false,
        dest_type: BaseType::Int,
        sampler_non_uniform: false,
        offset_non_uniform: false,
        ..t.clone()
    };
    let n = query.result_components();
    let size = b.tex(query, n, 32);
    let width = b.channel(size, 0);
    b.i2f(width, 32)
}
