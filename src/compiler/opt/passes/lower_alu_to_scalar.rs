//! Splits vector ALU operations into scalar ones.
//!
//! In:  any shader.
//! Out: ALU operations other than `mov` and `vecN` have one component and read one component of
//!      each operand; so do derivatives. Dot products and vector packing are expanded.
//! Tests: tests/opt/lower_alu_to_scalar/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_alu_to_scalar(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(s, needs_lowering, lower)
}

fn needs_lowering(s: &Shader, i: &Instr) -> bool {
    let a = match i {
        Instr::Alu(a) => a,
        Instr::Intrinsic(i) => {
            return is_derivative(i.op) && i.def.is_some_and(|d| s.defs[d].num_components > 1);
        }
        _ => return false,
    };
    if a.op.is_vec() {
        return false;
    }
    if a.op == AluOp::Mov {
        // Copy propagation handles plain copies; a `mov` that swizzles becomes a vector of
        // components.
        return s.defs[a.def].num_components > 1;
    }
    s.defs[a.def].num_components > 1 || matches!(a.op.info().fold, FoldFn::Vector(_))
}

fn is_derivative(op: IntrinsicOp) -> bool {
    op.info().effects.any(Effects::NEEDS_HELPERS)
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Action {
    let a = match &b.shader.instrs[id] {
        Instr::Intrinsic(i) => {
            let (op, of) = (i.op, i.srcs[0]);
            let bits = b.shader.defs[of].bit_size;
            let parts = b.channels(of);
            let each = parts.iter().map(|p| b.load(op, 1, bits, &[*p], &[]));
            return Action::ReplaceVec(each.collect());
        }
        Instr::Alu(a) => a.clone(),
        _ => return Action::Keep,
    };
    b.exact = a.exact;
    b.preserve_nan_inf_sz = a.preserve_nan_inf_sz;
    let def = b.shader.defs[a.def];
    let action = if matches!(a.op.info().fold, FoldFn::Vector(_)) {
        lower_horizontal(b, &a, def.num_components)
    } else {
        let parts = (0..def.num_components)
            .map(|c| {
                if a.op == AluOp::Mov {
                    let s = &a.srcs[0];
                    return b.channel(s.def, s.swizzle[usize::from(c)]);
                }
                let srcs = a
                    .srcs
                    .iter()
                    .map(|s| scalar_source(b, s.def, s.swizzle[usize::from(c)]))
                    .collect();
                b.alu_with(a.op, srcs, 1, def.bit_size)
            })
            .collect();
        Action::ReplaceVec(parts)
    };
    b.exact = false;
    b.preserve_nan_inf_sz = false;
    action
}

/// One component as an operand. Components of constants become scalar constants, so that CSE merges
/// equal ones.
fn scalar_source(b: &mut Builder<'_>, def: Id<Def>, c: u8) -> AluSrc {
    match b.shader.const_component(def, c) {
        Some(value) if b.components(def) > 1 => {
            let bits = b.bits(def);
            AluSrc::splat(b.constant(bits, &[value]), 0)
        }
        _ => AluSrc::splat(def, c),
    }
}

/// Component `c` of operand `i`.
fn operand_component(b: &mut Builder<'_>, a: &Alu, i: usize, c: usize) -> Id<Def> {
    let s = a.srcs[i];
    b.channel(s.def, s.swizzle[c])
}

fn lower_horizontal(b: &mut Builder<'_>, a: &Alu, n: u8) -> Action {
    use AluOp as Op;
    let value = match a.op {
        Op::FDot2 | Op::FDot3 | Op::FDot4 => {
            let n = usize::from(a.op.info().srcs[0].components);
            let mut sum = None;
            // Starting with the last component, which is most often 0.0 or 1.0.
            for c in (0..n).rev() {
                let (x, y) = (operand_component(b, a, 0, c), operand_component(b, a, 1, c));
                let p = b.fmul(x, y);
                sum = Some(match sum {
                    None => p,
                    Some(old) => b.fadd(old, p),
                });
            }
            match sum {
                Some(s) => s,
                None => return Action::Keep,
            }
        }
        Op::Pack64_2x32 => {
            let (x, y) = (operand_component(b, a, 0, 0), operand_component(b, a, 0, 1));
            b.pack_64_2x32_split(x, y)
        }
        Op::Pack32_2x16 => {
            let (x, y) = (operand_component(b, a, 0, 0), operand_component(b, a, 0, 1));
            b.pack_32_2x16_split(x, y)
        }
        Op::PackHalf2x16 => {
            let (x, y) = (operand_component(b, a, 0, 0), operand_component(b, a, 0, 1));
            b.pack_half_2x16_split(x, y)
        }
        Op::Pack64_4x16 => {
            let p: SmallVec<[Id<Def>; 4]> = (0..4).map(|c| operand_component(b, a, 0, c)).collect();
            let lo = b.pack_32_2x16_split(p[0], p[1]);
            let hi = b.pack_32_2x16_split(p[2], p[3]);
            b.pack_64_2x32_split(lo, hi)
        }
        Op::Pack32_4x8 => {
            let words: SmallVec<[Id<Def>; 4]> = (0..4)
                .map(|c| {
                    let byte = operand_component(b, a, 0, c);
                    b.u2u(byte, 32)
                })
                .collect();
            pack_fields(b, &words, 8)
        }
        Op::PackSnorm2x16 => pack_norm(b, a, 16, true),
        Op::PackUnorm2x16 => pack_norm(b, a, 16, false),
        Op::PackSnorm4x8 => pack_norm(b, a, 8, true),
        Op::PackUnorm4x8 => pack_norm(b, a, 8, false),
        _ => return lower_unpack(b, a, n),
    };
    Action::Replace(value)
}

/// Packs fields of `bits` bits into a dword, lowest first. The values must have no bits set above
/// their field.
fn pack_fields(b: &mut Builder<'_>, parts: &[Id<Def>], bits: u32) -> Id<Def> {
    let mut all = parts[0];
    for (i, p) in parts.iter().enumerate().skip(1) {
        let by = b.imm_u32(bits * i as u32);
        let moved = b.ishl(*p, by);
        all = b.ior(all, moved);
    }
    all
}

fn pack_norm(b: &mut Builder<'_>, a: &Alu, bits: u8, signed: bool) -> Id<Def> {
    let n = usize::from(32 / bits);
    let max = if signed {
        (1u64 << (bits - 1)) - 1
    } else {
        (1u64 << bits) - 1
    };
    let mut parts: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    for c in 0..n {
        let x = operand_component(b, a, 0, c);
        let x = if signed {
            let (low, high) = (b.imm_float(32, -1.0), b.imm_float(32, 1.0));
            // For NaN, `fmax` returns its other operand, so that the result would be -1; it has to
            // be 0.
            let nan = b.fneu(x, x);
            let x = b.fmax(x, low);
            let x = b.fmin(x, high);
            let zero = b.imm_float(32, 0.0);
            b.bcsel(nan, zero, x)
        } else {
            b.fsat(x)
        };
        let scale = b.imm_float(32, max as f64);
        let x = b.fmul(x, scale);
        let x = b.fround_even(x);
        let v = b.f2i(x, 32);
        parts.push(if signed {
            let field = b.imm_u32(((1u64 << bits) - 1) as u32);
            b.iand(v, field)
        } else {
            v
        });
    }
    pack_fields(b, &parts, u32::from(bits))
}

fn lower_unpack(b: &mut Builder<'_>, a: &Alu, n: u8) -> Action {
    use AluOp as Op;
    let x = operand_component(b, a, 0, 0);
    let parts: SmallVec<[Id<Def>; 4]> = match a.op {
        Op::Unpack64_2x32 => [b.unpack_64_2x32_split_x(x), b.unpack_64_2x32_split_y(x)]
            .into_iter()
            .collect(),
        Op::Unpack32_2x16 => [b.unpack_32_2x16_split_x(x), b.unpack_32_2x16_split_y(x)]
            .into_iter()
            .collect(),
        Op::UnpackHalf2x16 => [b.unpack_half_2x16_split_x(x), b.unpack_half_2x16_split_y(x)]
            .into_iter()
            .collect(),
        Op::Unpack64_4x16 => {
            let (lo, hi) = (b.unpack_64_2x32_split_x(x), b.unpack_64_2x32_split_y(x));
            [
                b.unpack_32_2x16_split_x(lo),
                b.unpack_32_2x16_split_y(lo),
                b.unpack_32_2x16_split_x(hi),
                b.unpack_32_2x16_split_y(hi),
            ]
            .into_iter()
            .collect()
        }
        Op::Unpack32_4x8 => (0..n)
            .map(|c| {
                let index = b.imm_u32(u32::from(c));
                let v = b.extract_u8(x, index);
                b.u2u(v, 8)
            })
            .collect(),
        Op::UnpackSnorm2x16 => unpack_norm(b, x, 16, true),
        Op::UnpackUnorm2x16 => unpack_norm(b, x, 16, false),
        Op::UnpackSnorm4x8 => unpack_norm(b, x, 8, true),
        Op::UnpackUnorm4x8 => unpack_norm(b, x, 8, false),
        _ => return Action::Keep,
    };
    Action::ReplaceVec(parts)
}

fn unpack_norm(b: &mut Builder<'_>, x: Id<Def>, bits: u8, signed: bool) -> SmallVec<[Id<Def>; 4]> {
    (0..32 / bits)
        .map(|c| {
            let index = b.imm_u32(u32::from(c));
            let v = match (bits, signed) {
                (8, true) => b.extract_i8(x, index),
                (8, false) => b.extract_u8(x, index),
                (_, true) => b.extract_i16(x, index),
                (_, false) => b.extract_u16(x, index),
            };
            let max = if signed {
                (1u64 << (bits - 1)) - 1
            } else {
                (1u64 << bits) - 1
            } as f64;
            // A product with the reciprocal is within an ULP of the quotient; Vulkan requires 2.5.
            let scale = b.imm_float(32, 1.0 / max);
            if signed {
                let f = b.i2f(v, 32);
                let f = b.fmul(f, scale);
                let low = b.imm_float(32, -1.0);
                b.fmax(f, low)
            } else {
                let f = b.u2f(v, 32);
                b.fmul(f, scale)
            }
        })
        .collect()
}
