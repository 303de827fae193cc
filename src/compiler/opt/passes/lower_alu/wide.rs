//! 64-bit division, square root and rounding, which gen9 only has for 32 bits.
//!
//! In:  64-bit scalars, from `lower_alu`.
//! Out: 64-bit operations that gen9 has, initial approximations from the math box, and operations
//!      that `lower_alu` lowers in its next iteration.
//! Ref: SKL PRM vol. 7, "Extended Math Function"; J.-M. Muller et al., "Handbook of Floating-Point
//!      Arithmetic", "Newton-Raphson-Based Division and Square Root".
//! Tests: tests/fs_exec/.

use entity::Id;
use nir::{Builder, Def};

/// Factor by which 32-bit seeds are too large, so that 64-bit reciprocals are never too small. They
/// have to be the nearest numbers to 1 / y; the hardest case (a `y` with an all-ones significand)
/// lies just above the midpoint of two.
const SEED_EXCESS: f64 = 1.0 + 1.0 / 4_194_304.0;

/// Runs `f` with `exact` and `preserve_nan_inf_sz` set, so that later passes do not change what it
/// emits.
fn with_exact<R>(b: &mut Builder<'_>, f: impl FnOnce(&mut Builder<'_>) -> R) -> R {
    let before = (b.exact, b.preserve_nan_inf_sz);
    (b.exact, b.preserve_nan_inf_sz) = (true, true);
    let made = f(b);
    (b.exact, b.preserve_nan_inf_sz) = before;
    made
}

/// `one / y` for a `y` within the range of 32-bit floats. Returns the seed r, the result of one
/// third-order iteration, r · (1 + e + e²) with e = one - y · r, and e + e².
fn reciprocal(b: &mut Builder<'_>, y: Id<Def>, excess: Option<f64>, one: f64) -> [Id<Def>; 3] {
    let single = b.f2f(y, 32);
    let mut single = b.frcp(single);
    if let Some(excess) = excess {
        let excess = b.imm_float(32, excess);
        single = b.fmul(single, excess);
    }
    let r = b.f2f(single, 64);
    let (one, minus) = (b.imm_float(64, one), b.fneg(y));
    let e = b.ffma(minus, r, one);
    let e = b.ffma(e, e, e);
    [r, b.ffma(r, e, r), e]
}

/// How a quotient treats products that overflow.
#[derive(Clone, Copy)]
pub(super) enum Overflow {
    /// Keeps them infinite.
    Infinite,
    /// Clamps them to the largest finite number before the correction: the quotient may be that
    /// number, and becomes infinite or NaN if an operand requires it.
    Largest,
}

/// `x / y` for operands scaled such that neither the reciprocal nor the remainder overflows or
/// underflows. The product is corrected once, which makes it the nearest quotient. Only the
/// correction rounds, so that subnormal quotients are within half an ULP too; ties may go either
/// way.
fn scaled_quotient(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>, overflow: Overflow) -> Id<Def> {
    // For zero, infinity and NaN the seed is the reciprocal.
    let [seed, r, e] = reciprocal(b, y, Some(SEED_EXCESS), 1.0);
    let number = b.feq(e, e);
    let r = b.bcsel(number, r, seed);
    let product = b.fmul(x, r);
    let q = match overflow {
        Overflow::Infinite => product,
        Overflow::Largest => {
            let (max, min) = (b.imm_float(64, f64::MAX), b.imm_float(64, f64::MIN));
            let q = b.fmin(product, max);
            b.fmax(q, min)
        }
    };
    let minus = b.fneg(y);
    let rest = b.ffma(minus, q, x);
    let corrected = b.ffma(rest, r, q);
    // Keep the sign of zeros, and do not subtract infinities.
    let zero = b.imm_float(64, 0.0);
    let some = b.fneu(product, zero);
    let plain = match overflow {
        Overflow::Infinite => {
            let (infinity, magnitude) = (b.imm_float(64, f64::INFINITY), b.fabs(q));
            let finite = b.flt(magnitude, infinity);
            b.iand(some, finite)
        }
        Overflow::Largest => some,
    };
    b.bcsel(plain, corrected, q)
}

/// The quotient `x / y`. Both operands are first multiplied by the same power of two, about 2^-(15
/// ey + ex)/16 for their exponents ex and ey. That brings the divisor into the range of 32-bit
/// floats: above one where the quotient is so small that its remainder would underflow, below one
/// where it is so large that the dividend would overflow. Subnormals need no special case, as their
/// exponents are off by at most 52.
pub(super) fn fdiv(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>, overflow: Overflow) -> Id<Def> {
    with_exact(b, |b| {
        let (hx, hy) = (b.unpack_64_2x32_split_y(x), b.unpack_64_2x32_split_y(y));
        // The divisor's exponent is taken in multiples of 16 and the scale's in multiples of 2, so
        // that the scale is neither zero nor infinite.
        let (field, sixteens) = (b.imm_u32(0x7ff0_0000), b.imm_u32(0x7f00_0000));
        let twos = b.imm_u32(0x7fe0_0000);
        let (ex, ey) = (b.iand(hx, field), b.iand(hy, sixteens));
        let (minus, by) = (b.ineg(ey), b.imm_u32(4));
        let more = b.iadd(ex, minus);
        let more = b.ishr(more, by);
        let exp = b.iadd(ey, more);
        let inverse = b.inot(exp);
        let high = b.iand(inverse, twos);
        let low = b.imm_u32(0);
        let scale = b.pack_64_2x32_split(low, high);
        let (x, y) = (b.fmul(x, scale), b.fmul(y, scale));
        scaled_quotient(b, x, y, overflow)
    })
}

/// The reciprocal, as a quotient with a scale that brings the operand to 2^0 to 2^63.
pub(super) fn frcp(b: &mut Builder<'_>, y: Id<Def>) -> Id<Def> {
    with_exact(b, |b| {
        let (sixtyfours, rest) = (
            b.imm_int(64, 0x7c00_0000_0000_0000),
            b.imm_int(64, 0x03e0_0000_0000_0000),
        );
        let inverse = b.inot(y);
        let exp = b.iand(inverse, sixtyfours);
        let scale = b.ior(exp, rest);
        let y = b.fmul(y, scale);
        scaled_quotient(b, scale, y, Overflow::Infinite)
    })
}

/// The square root, rounded to nearest, or the reciprocal square root, to less than an ULP. The
/// operand is scaled by 2^(2n) to 2^-1 to 2^63. From a 22-bit seed, with h half the seed and g
/// about the root, one third-order iteration computes g · (1 + e + 3/2 e²) with e = 1/2 - g · h.
pub(super) fn sqrt_or_rsq(b: &mut Builder<'_>, x: Id<Def>, reciprocal: bool) -> Id<Def> {
    with_exact(b, |b| {
        let sixtyfours = b.imm_int(64, 0x7c00_0000_0000_0000);
        let exp = b.iand(x, sixtyfours);
        let (minus, max) = (b.ineg(exp), b.imm_int(64, 2045 << 52));
        let scale = b.iadd(minus, max);
        let by = b.imm_u32(1);
        let half_exp = b.ushr(exp, by);
        let back = if reciprocal {
            let (minus, max) = (b.ineg(half_exp), b.imm_int(64, 1534 << 52));
            b.iadd(minus, max)
        } else {
            let min = b.imm_int(64, 512 << 52);
            b.iadd(half_exp, min)
        };
        let m = b.fmul(x, scale);
        let single = b.f2f(m, 32);
        let mut single = b.frsq(single);
        let (half, max) = (b.imm_float(64, 0.5), b.imm_float(64, 1.5));
        // Zero and infinity are their own roots. The scale is never 1, and negative infinity
        // differs from its magnitude.
        let magnitude = b.fabs(x);
        let own = b.feq(m, magnitude);
        if !reciprocal {
            let one = b.imm_float(32, 1.0);
            single = b.bcsel(own, one, single);
        }
        let r = b.f2f(single, 64);
        let (g, h) = (b.fmul(m, r), b.fmul(r, half));
        let minus = b.fneg(g);
        let e = b.ffma(minus, h, half);
        let part = b.fmul(e, max);
        let p = b.ffma(part, e, e);
        let value = if reciprocal {
            let better = b.ffma(r, p, r);
            let number = b.feq(p, p);
            b.bcsel(number, better, r)
        } else {
            let (near, h) = (b.ffma(g, p, g), b.ffma(h, p, h));
            let minus = b.fneg(near);
            let rest = b.ffma(minus, near, m);
            let nearest = b.ffma(rest, h, near);
            b.bcsel(own, g, nearest)
        };
        b.fmul(value, back)
    })
}

/// Rounds towards zero by clearing the fraction bits, or everything but the sign for magnitudes
/// below one.
pub(super) fn ftrunc(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let high = b.unpack_64_2x32_split_y(x);
    let (at, bits) = (b.imm_u32(20), b.imm_u32(11));
    let exp = b.ubfe(high, at, bits);
    let n = b.ineg(exp);
    let fraction = b.iadd_imm(n, 1023 + 52);
    // Operands without a fraction, infinity and NaN included, are unchanged.
    let zero = b.imm_u32(0);
    let fraction = b.imax(fraction, zero);
    let (max, all) = (b.imm_u32(52), b.imm_u32(63));
    let small = b.ult(max, fraction);
    let fraction = b.bcsel(small, all, fraction);
    let ones = b.imm_int(64, -1);
    let keep = b.ishl(ones, fraction);
    b.iand(x, keep)
}

/// Rounds down, or up.
pub(super) fn floor_or_ceil(b: &mut Builder<'_>, x: Id<Def>, up: bool) -> Id<Def> {
    with_exact(b, |b| {
        let t = ftrunc(b, x);
        let (passed, step) = if up {
            (b.flt(t, x), b.imm_float(64, 1.0))
        } else {
            (b.flt(x, t), b.imm_float(64, -1.0))
        };
        let next = b.fadd(t, step);
        b.bcsel(passed, next, t)
    })
}

/// Rounds to nearest even. Adding 2^52 leaves no room for a fraction.
pub(super) fn fround_even(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let towards_zero = b.shader.info.float_controls.rounding_rtz != 0;
    with_exact(b, |b| {
        let up = b.imm_float(64, 4_503_599_627_370_496.0);
        let magnitude = b.fabs(x);
        let v = if towards_zero {
            nearest_even_in_any_mode(b, magnitude)
        } else {
            let down = b.imm_float(64, -4_503_599_627_370_496.0);
            let v = b.fadd(magnitude, up);
            b.fadd(v, down)
        };
        let sign = b.imm_int(64, i64::MIN);
        let sign = b.iand(x, sign);
        let v = b.ior(v, sign);
        let fits = b.flt(magnitude, up);
        b.bcsel(fits, v, x)
    })
}

/// Rounds a non-negative number to nearest even using only exact sums, which are independent of the
/// rounding mode. In a tie between n and n + 1, the even one is 2 · trunc((n + 1) / 2).
fn nearest_even_in_any_mode(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let (half, one, two) = (
        b.imm_float(64, 0.5),
        b.imm_float(64, 1.0),
        b.imm_float(64, 2.0),
    );
    let n = ftrunc(b, x);
    let minus = b.fneg(n);
    let (rest, next) = (b.fadd(x, minus), b.fadd(n, one));
    let pairs = b.fmul(next, half);
    let pairs = ftrunc(b, pairs);
    let even = b.fmul(pairs, two);
    let (below, tie) = (b.flt(rest, half), b.feq(rest, half));
    let v = b.bcsel(tie, even, next);
    b.bcsel(below, n, v)
}

/// The unsigned quotient and remainder. Both estimates use a reciprocal that is slightly too small,
/// so that no remainder is negative: the first estimate is too small by less than 2^16, the second
/// by at most one.
pub(super) fn udivmod(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>) -> (Id<Def>, Id<Def>) {
    let exact = std::mem::replace(&mut b.exact, true);
    let divisor = b.u2f(y, 64);
    let [_, r, _] = reciprocal(b, divisor, None, 1.0 - 2f64.powi(-50));
    let mut rest = x;
    let mut q = b.imm_zero(1, 64);
    for _ in 0..2 {
        let number = b.u2f(rest, 64);
        let part = b.fmul(number, r);
        let part = b.f2u(part, 64);
        q = b.iadd(q, part);
        let done = b.imul(part, y);
        let done = b.ineg(done);
        rest = b.iadd(rest, done);
    }
    let again = b.uge(rest, y);
    let (minus, more) = (b.ineg(y), b.iadd_imm(q, 1));
    let less = b.iadd(rest, minus);
    b.exact = exact;
    (b.bcsel(again, more, q), b.bcsel(again, less, rest))
}

/// The signed quotient, or the remainder with the sign of `x`.
pub(super) fn signed_division(
    b: &mut Builder<'_>,
    x: Id<Def>,
    y: Id<Def>,
    quotient: bool,
) -> Id<Def> {
    let (a, c) = (b.iabs(x), b.iabs(y));
    let (q, rest) = udivmod(b, a, c);
    let (v, sign) = if quotient {
        (q, b.ixor(x, y))
    } else {
        (rest, x)
    };
    let zero = b.imm_zero(1, 64);
    let negative = b.ilt(sign, zero);
    let minus = b.ineg(v);
    b.bcsel(negative, minus, v)
}
