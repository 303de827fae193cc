//! Float operations that gen9 has no instruction for.

use super::wide;
use super::words::split_words;
use entity::Id;
use nir::*;

/// Expands a float operation. `None` for other operations, and for operations that gen9 has.
pub(super) fn lower_float_op(
    b: &mut Builder<'_>,
    op: AluOp,
    [x, y, _, _]: [Id<Def>; 4],
    bits: u8,
) -> Option<Id<Def>> {
    use AluOp as Op;
    Some(match op {
        Op::FSub => {
            let n = b.fneg(y);
            b.fadd(x, n)
        }
        Op::FDiv => fdiv(b, x, y, bits, wide::Overflow::Largest),
        Op::FMod | Op::FRem => {
            // A quotient that overflows has no meaningful remainder.
            let q = fdiv(b, x, y, bits, wide::Overflow::Infinite);
            let q = if op == Op::FMod {
                b.ffloor(q)
            } else {
                b.ftrunc(q)
            };
            let n = b.fneg(y);
            b.ffma(n, q, x)
        }
        Op::FSign => fsign(b, x, bits),
        Op::FRcp => wide::frcp(b, x),
        Op::FSqrt | Op::FRsq => wide::sqrt_or_rsq(b, x, op == Op::FRsq),
        Op::FTrunc => wide::ftrunc(b, x),
        Op::FFloor | Op::FCeil => wide::floor_or_ceil(b, x, op == Op::FCeil),
        Op::FRoundEven => wide::fround_even(b, x),
        Op::FFract => {
            let floor = wide::floor_or_ceil(b, x, false);
            let minus = b.fneg(floor);
            b.fadd(x, minus)
        }
        Op::F2F | Op::F2FRtne => {
            // Convert to 32 bits with round-to-odd first, so that rounding twice gives the
            // correctly rounded result.
            let single = b.f2f_rtz(x, 32);
            let back = b.f2f(single, 64);
            let lost = b.fneu(back, x);
            let lost = b.b2i(lost, 32);
            let single = b.ior(single, lost);
            b.alu_sized(op, &[single], 16)
        }
        Op::Ldexp => ldexp(b, x, y, bits),
        Op::FrexpSig => frexp(b, x, bits).0,
        Op::FrexpExp => {
            let bits = b.bits(x);
            frexp(b, x, bits).1
        }
        Op::FQuantize2F16 => {
            let h = b.f2f_rtne(x, 16);
            let q = b.f2f(h, 32);
            let magnitude = b.fabs(x);
            let min = b.imm_float(32, 2f64.powi(-14));
            // Decided before rounding, according to "too small to be represented as a normal" of
            // OpQuantizeToF16.
            let small = b.flt(magnitude, min);
            let sign = b.imm_u32(0x8000_0000);
            let zero = b.iand(x, sign);
            b.bcsel(small, zero, q)
        }
        _ => return None,
    })
}

/// Division with at most 2.5 ULP of error, as Vulkan requires: a multiplication by the math box's
/// reciprocal. Vulkan requires nothing for divisors outside 2^-126 to 2^126 in magnitude, whose
/// reciprocals may be subnormal.
fn fdiv(
    b: &mut Builder<'_>,
    x: Id<Def>,
    y: Id<Def>,
    bits: u8,
    overflow: wide::Overflow,
) -> Id<Def> {
    if bits == 16 {
        // Divided in 32 bits and rounded once more: well within 2.5 ULP.
        let (x, y) = (b.f2f(x, 32), b.f2f(y, 32));
        let q = fdiv_plain(b, x, y);
        return b.f2f(q, 16);
    }
    if bits == 64 {
        let one = b.shader.const_component(x, 0) == Some(1f64.to_bits());
        if one {
            return wide::frcp(b, y);
        }
        return wide::fdiv(b, x, y, overflow);
    }
    fdiv_plain(b, x, y)
}

fn fdiv_plain(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>) -> Id<Def> {
    let r = b.frcp(y);
    b.fmul(x, r)
}

/// `copysign(1, x)`, or `x` itself if it is zero.
fn fsign(b: &mut Builder<'_>, x: Id<Def>, bits: u8) -> Id<Def> {
    let zero = b.imm_float(bits, 0.0);
    let nonzero = b.fneu(x, zero);
    let sign_bit = b.imm_int(bits, (1u64 << (bits - 1)) as i64);
    let sign = b.iand(x, sign_bit);
    let one = b.imm_float(bits, 1.0);
    let signed_one = b.ior(sign, one);
    b.bcsel(nonzero, signed_one, sign)
}

/// `x * 2^e` as two products. The second factor is exactly 1.0 unless the exponent is above
/// Vulkan's range.
fn ldexp(b: &mut Builder<'_>, x: Id<Def>, e: Id<Def>, bits: u8) -> Id<Def> {
    if bits == 16 {
        // Exact in 32 bits, then rounded once.
        let (low, high) = (b.imm_int(32, -126), b.imm_int(32, 127));
        let t = b.imax(e, low);
        let t = b.imin(t, high);
        let t = b.iadd_imm(t, 127);
        let shift = b.imm_u32(23);
        let scale = b.ishl(t, shift);
        let wide = b.f2f(x, 32);
        let p = b.fmul(wide, scale);
        return b.f2f(p, 16);
    }
    let (bias, shift) = if bits == 32 { (127, 23) } else { (1023, 20) };
    let (zero, high) = (b.imm_u32(0), b.imm_int(32, bias));
    let by = b.imm_u32(shift);
    let t = b.imin(e, high);
    let t = b.iadd_imm(t, bias);
    let t = b.imax(t, zero);
    let t = b.ishl(t, by);
    // The part of the exponent above the bias, biased again: 1.0 in most cases.
    let top = b.imm_int(32, 2 * bias);
    let u = b.imax(e, high);
    let u = b.imin(u, top);
    let u = b.ishl(u, by);
    let (t, u) = if bits == 32 {
        (t, u)
    } else {
        (b.pack_64_2x32_split(zero, t), b.pack_64_2x32_split(zero, u))
    };
    let p = b.fmul(x, t);
    b.fmul(p, u)
}

/// The significand in [0.5, 1) and the exponent. Zero, infinity and NaN are their own significands,
/// with exponent 0.
fn frexp(b: &mut Builder<'_>, x: Id<Def>, bits: u8) -> (Id<Def>, Id<Def>) {
    if bits == 16 {
        // Every half, subnormals included, is a normal 32-bit float.
        let wide = b.f2f(x, 32);
        let zero = b.imm_u32(0);
        let (sig, exp) = frexp_normal(b, wide, 32, zero);
        return (b.f2f(sig, 16), exp);
    }
    // Subnormals are scaled up to normal numbers first.
    let (min, up) = match bits {
        64 => (f64::MIN_POSITIVE, 54),
        _ => (f64::from(f32::MIN_POSITIVE), 24),
    };
    let (min, factor) = (b.imm_float(bits, min), b.imm_float(bits, 2f64.powi(up)));
    let magnitude = b.fabs(x);
    let small = b.flt(magnitude, min);
    let larger = b.fmul(x, factor);
    let x = b.bcsel(small, larger, x);
    let (extra, zero) = (b.imm_int(32, -i64::from(up)), b.imm_u32(0));
    let extra = b.bcsel(small, extra, zero);
    frexp_normal(b, x, bits, extra)
}

/// `frexp` of an operand that is not subnormal; `extra` is added to the exponent.
fn frexp_normal(b: &mut Builder<'_>, x: Id<Def>, bits: u8, extra: Id<Def>) -> (Id<Def>, Id<Def>) {
    // The fields of the dword that holds the exponent.
    let (word, low, field, shift, bias) = if bits == 64 {
        let (lo, hi) = split_words(b, x);
        (hi, Some(lo), 0x7ff0_0000u32, 20, 1022)
    } else {
        (x, None, 0x7f80_0000, 23, 126)
    };
    let mask = b.imm_u32(field);
    let keep = b.imm_u32(!field);
    let half = b.imm_u32(bias << shift);
    let e = b.iand(word, mask);
    let rest = b.iand(word, keep);
    let sig = b.ior(rest, half);
    let by = b.imm_u32(shift);
    let exp = b.ushr(e, by);
    let exp = b.iadd_imm(exp, -i64::from(bias));
    let exp = b.iadd(exp, extra);
    let zero = b.imm_u32(0);
    let not_zero = b.ine(e, zero);
    let not_inf = b.ine(e, mask);
    let normal = b.iand(not_zero, not_inf);
    let sig = b.bcsel(normal, sig, word);
    let exp = b.bcsel(normal, exp, zero);
    match low {
        None => (sig, exp),
        Some(lo) => (b.pack_64_2x32_split(lo, sig), exp),
    }
}
