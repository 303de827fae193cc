//! Spells out what gen9 does with 32 bits only: division, roots and rounding of 64 bits.
//!
//! In:  64-bit scalars, from `lower_alu`. Out: operations on 64 bits that gen9 has, seeds from the math box, and
//! operations that `lower_alu` takes another time.
//! Ref: SKL PRM vol. 7, "Extended Math Function"; J.-M. Muller et al., "Handbook of Floating-Point Arithmetic",
//! "Newton-Raphson-Based Division and Square Root". Tests: tests/fs_exec/.

use entity::Id;
use nir::Builder;
use nir::Def;

/// `2^n` for -1022 <= n <= 1023.
fn power_of_two(b: &mut Builder<'_>, n: Id<Def>) -> Id<Def> {
    let (shift, zero) = (b.imm_u32(20), b.imm_u32(0));
    let biased = b.iadd_imm(n, 1023);
    let high = b.ishl(biased, shift);
    b.pack_64_2x32_split(zero, high)
}

/// True where `frexp_sig`'s result is a significand: the operand is neither zero, infinite nor NaN.
fn is_significand(b: &mut Builder<'_>, sig: Id<Def>) -> Id<Def> {
    let (half, one) = (b.imm_float(64, 0.5), b.imm_float(64, 1.0));
    let magnitude = b.fabs(sig);
    let (low, high) = (b.fge(magnitude, half), b.flt(magnitude, one));
    b.iand(low, high)
}

/// The quotient, to about an ULP: a seed of 22 bits, two steps of Newton, one correction of the product.
pub(crate) fn fdiv(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>) -> Id<Def> {
    let exact = std::mem::replace(&mut b.exact, true);
    // Both in [0.5, 1), so that nothing between overflows or loses bits.
    let (x, up) = (b.frexp_sig(x), b.frexp_exp(x));
    let (sig, down) = (b.frexp_sig(y), b.frexp_exp(y));
    let single = b.f2f(sig, 32);
    let seed = b.frcp(single);
    let seed = b.f2f(seed, 64);
    let one = b.imm_float(64, 1.0);
    let minus = b.fneg(sig);
    let mut r = seed;
    for _ in 0..2 {
        let error = b.ffma(minus, r, one);
        r = b.ffma(r, error, r);
    }
    let product = b.fmul(x, r);
    let rest = b.ffma(minus, product, x);
    let corrected = b.ffma(rest, r, product);
    // Zeros keep their sign, and infinities are not subtracted.
    let (zero, infinity) = (b.imm_float(64, 0.0), b.imm_float(64, f64::INFINITY));
    let magnitude = b.fabs(product);
    let (some, finite) = (b.flt(zero, magnitude), b.flt(magnitude, infinity));
    let plain = b.iand(some, finite);
    let q = b.bcsel(plain, corrected, product);
    // The exponent in two halves, neither of which overflows; only the second product rounds.
    let by = b.imm_u32(1);
    let minus = b.ineg(down);
    let exp = b.iadd(up, minus);
    let (least, most) = (b.imm_int(32, -2044), b.imm_int(32, 2046));
    let exp = b.imax(exp, least);
    let exp = b.imin(exp, most);
    let first = b.ishr(exp, by);
    let other = b.ineg(first);
    let second = b.iadd(exp, other);
    let (first, second) = (power_of_two(b, first), power_of_two(b, second));
    let q = b.fmul(q, first);
    let q = b.fmul(q, second);
    let special = b.fmul(x, seed);
    let normal = is_significand(b, sig);
    let q = b.bcsel(normal, q, special);
    b.exact = exact;
    q
}

/// The square root, or its reciprocal, to about an ULP.
pub(crate) fn root(b: &mut Builder<'_>, x: Id<Def>, reciprocal: bool) -> Id<Def> {
    let exact = std::mem::replace(&mut b.exact, true);
    let (sig, exp) = (b.frexp_sig(x), b.frexp_exp(x));
    // x = m · 2^(2n), m in [0.5, 2).
    let by = b.imm_u32(1);
    let n = b.ishr(exp, by);
    let twice = b.ishl(n, by);
    let back = b.ineg(twice);
    let odd = b.iadd(exp, back);
    let scale = power_of_two(b, odd);
    let m = b.fmul(sig, scale);
    let single = b.f2f(m, 32);
    let seed = b.frsq(single);
    let seed = b.f2f(seed, 64);
    let (half, one) = (b.imm_float(64, 0.5), b.imm_float(64, 1.0));
    let mut r = seed;
    for _ in 0..2 {
        let square = b.fmul(m, r);
        let minus = b.fneg(square);
        let error = b.ffma(minus, r, one);
        let part = b.fmul(r, half);
        r = b.ffma(part, error, r);
    }
    let (value, n, special) = if reciprocal {
        (r, b.ineg(n), seed)
    } else {
        let g = b.fmul(m, r);
        let minus = b.fneg(g);
        let rest = b.ffma(minus, g, m);
        let part = b.fmul(r, half);
        (b.ffma(rest, part, g), n, x)
    };
    let scale = power_of_two(b, n);
    let value = b.fmul(value, scale);
    let normal = is_significand(b, sig);
    let value = b.bcsel(normal, value, special);
    b.exact = exact;
    value
}

/// Towards zero: the bits of the fraction cleared; below one all but the sign.
pub(crate) fn ftrunc(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let high = b.unpack_64_2x32_split_y(x);
    let (at, bits) = (b.imm_u32(20), b.imm_u32(11));
    let exp = b.ubfe(high, at, bits);
    let n = b.ineg(exp);
    let fraction = b.iadd_imm(n, 1023 + 52);
    // What has no fraction, infinity and NaN among it, is kept whole.
    let zero = b.imm_u32(0);
    let fraction = b.imax(fraction, zero);
    let (most, all) = (b.imm_u32(52), b.imm_u32(63));
    let small = b.ult(most, fraction);
    let fraction = b.bcsel(small, all, fraction);
    let ones = b.imm_int(64, -1);
    let keep = b.ishl(ones, fraction);
    b.iand(x, keep)
}

/// Downwards, or upwards.
pub(crate) fn floor_or_ceil(b: &mut Builder<'_>, x: Id<Def>, up: bool) -> Id<Def> {
    let exact = std::mem::replace(&mut b.exact, true);
    let t = ftrunc(b, x);
    let (passed, step) = if up {
        (b.flt(t, x), b.imm_float(64, 1.0))
    } else {
        (b.flt(x, t), b.imm_float(64, -1.0))
    };
    let next = b.fadd(t, step);
    let v = b.bcsel(passed, next, t);
    b.exact = exact;
    v
}

/// To nearest even: adding 2^52 leaves no room for a fraction.
pub(crate) fn fround_even(b: &mut Builder<'_>, x: Id<Def>) -> Id<Def> {
    let exact = std::mem::replace(&mut b.exact, true);
    let (up, down) = (
        b.imm_float(64, 4_503_599_627_370_496.0),
        b.imm_float(64, -4_503_599_627_370_496.0),
    );
    let magnitude = b.fabs(x);
    let v = b.fadd(magnitude, up);
    let v = b.fadd(v, down);
    let sign = b.imm_int(64, i64::MIN);
    let sign = b.iand(x, sign);
    let v = b.ior(v, sign);
    let fits = b.flt(magnitude, up);
    let v = b.bcsel(fits, v, x);
    b.exact = exact;
    v
}

/// Unsigned quotient and remainder. Each estimate is by a reciprocal a little too small, so that no remainder is
/// negative: the first is short by less than 2^16, the second by one at most.
pub(crate) fn udivmod(b: &mut Builder<'_>, x: Id<Def>, y: Id<Def>) -> (Id<Def>, Id<Def>) {
    let exact = std::mem::replace(&mut b.exact, true);
    let divisor = b.u2f(y, 64);
    let r = b.frcp(divisor);
    let less = b.imm_float(64, 1.0 - 2f64.powi(-50));
    let r = b.fmul(r, less);
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

/// Signed quotient, or remainder with the sign of `x`.
pub(crate) fn signed_division(
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
