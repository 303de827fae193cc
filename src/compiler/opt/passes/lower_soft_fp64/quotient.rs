//! Quotients and roots by digit recurrence: each digit is a product of 32-bit floats that is never
//! too large, and remainders are exact.
//!
//! Ref: J.-M. Muller et al., "Handbook of Floating-Point Arithmetic", "Digit-Recurrence
//!      Algorithms".

use super::format::*;
use super::product;
use crate::rewrite::word::{Pair, Word};
use nir::AluOp;

/// Factor that makes estimates smaller by at least the sum of all their rounding errors, in any
/// rounding mode: less than 2^-21 for two conversions, a product and the error of the math box.
const ROUND_DOWN_FACTOR: f32 = 1.0 - 1.0 / 1_048_576.0;

/// Bits per digit of a quotient. A remainder below twice the divisor gives a digit below 2^19,
/// which is too small by less than two: by the estimate's 2^-20 and its rounding errors, and by
/// truncation.
const DIGIT_BITS: u32 = 18;

fn float(x: Word<'_>) -> Word<'_> {
    x.unary(AluOp::U2F)
}

/// Truncates a float to an integer.
fn truncate(x: Word<'_>) -> Word<'_> {
    x.unary(AluOp::F2U)
}

/// `x * 2^54 / y`, truncated, and the remainder. `x` must be below `2 y`, and the highest bit of
/// `y` must be bit 60 to 62.
fn divide<'p>(x: Pair<'p>, y: Pair<'p>) -> (Pair<'p>, Pair<'p>) {
    let up = ROUND_DOWN_FACTOR * (1u32 << DIGIT_BITS) as f32;
    let reciprocal = float(y.hi).unary(AluOp::FRcp).fmul(up.to_bits());
    let mut rest = x;
    let mut digit = || {
        let digit = truncate(float(rest.hi).fmul(reciprocal));
        rest = rest.shl_const(DIGIT_BITS) - y.mul_word(digit);
        digit
    };
    let [first, second, third] = [digit(), digit(), digit()];
    let high = Pair {
        lo: second << DIGIT_BITS,
        hi: (first << (2 * DIGIT_BITS - 32)) + (second >> (32 - DIGIT_BITS)),
    };
    let quotient = high.add_word(third);
    let more = !rest.ult(y);
    (
        quotient.add_word(more.to_int()),
        more.select_pair(rest - y, rest),
    )
}

/// `x / y`.
pub(super) fn div<'p>(x: Pair<'p>, y: Pair<'p>, modes: FloatModes) -> Pair<'p> {
    let sign = (x.hi ^ y.hi) & SIGN;
    let (ax, ay) = (Magnitude::new(x), Magnitude::new(y));
    let (a, b) = (Normal::normalise(ax.bits), Normal::normalise(ay.bits));
    let (quotient, rest) = divide(a.mantissa, b.mantissa);
    let exponent = a.exponent - b.exponent + (BIAS - 1);
    let below = rest.lo | rest.hi;
    let finite = round_scaled(quotient.shl_const(7), exponent, Some(below), modes);
    let (x_zero, y_zero) = (ax.key.eq(0), ay.key.eq(0));
    let (x_special, y_special) = (ax.is_special(), ay.is_special());
    let nan = ax.is_nan() | ay.is_nan() | (x_zero & y_zero) | (x_special & y_special);
    let infinite = x_special | y_zero;
    let special_result = nan.select(NAN, infinite.select(INFINITY, 0));
    let is_special_case = infinite | x_zero | y_special;
    Pair {
        lo: is_special_case.select(0, finite.lo),
        hi: is_special_case.select(special_result, finite.hi) | sign,
    }
}

/// `1 / y`.
pub(super) fn rcp(y: Pair<'_>, modes: FloatModes) -> Pair<'_> {
    let one = Pair {
        lo: y.lo.constant(0),
        hi: y.lo.constant(ONE),
    };
    div(one, y, modes)
}

/// `x - y * round(x / y)`.
pub(super) fn remainder<'p>(
    x: Pair<'p>,
    y: Pair<'p>,
    modes: FloatModes,
    round: impl FnOnce(Pair<'p>) -> Pair<'p>,
) -> Pair<'p> {
    let whole = round(div(x, y, modes));
    product::fma(negate(whole), y, x, modes)
}

/// The state of a square root computation.
struct SquareRoot<'p> {
    /// The radicand, with bit 60 or 61 as its highest bit: `square * 2^-60 * 4^half_exponent`.
    square: Pair<'p>,
    half_exponent: Word<'p>,
    /// The root, truncated: `root * 2^-53`.
    root: Pair<'p>,
    /// The remainder: `square * 2^46 - root²`.
    rest: Pair<'p>,
    /// An approximation of `2^16 / sqrt(square)`, as a float.
    inverse: Word<'p>,
}

/// The square root of a positive number, by digits of 20, 18 and 16 bits.
fn root(magnitude: Pair<'_>) -> SquareRoot<'_> {
    let x = Normal::normalise(magnitude);
    let exponent = x.exponent + 0u32.wrapping_sub(BIAS);
    let even = (exponent & 1).eq(0);
    let (one_less, two_less) = (x.mantissa.shr_const(1), x.mantissa.shr_const(2));
    let square = even.select_pair(two_less, one_less);
    let high = float(square.hi);
    let inverse = high.unary(AluOp::FRsq);
    // sqrt(square) * 2^-11, too small by at most 3.
    let scale = ROUND_DOWN_FACTOR * 32.0;
    let first = truncate(high.fmul(inverse).fmul(scale.to_bits()));
    let rest = square - Pair::product(first, first).shl_const(22);
    // A root that is too small by d leaves an error of d². The estimate of the second digit, below
    // 3 * 2^18, is reduced by 2^-17, so that it is too small by less than 8. The remainder is below
    // 2^45 before, and below 2^42 after it.
    let scale = (1.0 - 2f32.powi(-17)) * 8.0;
    let top = rest.hi << 19 | rest.lo >> 13;
    let second = truncate(float(top).fmul(inverse).fmul(scale.to_bits()));
    let rest = rest.shl_const(14)
        - Pair::product(first, second).shl_const(19)
        - Pair::product(second, second);
    let root = Pair {
        lo: first << 18,
        hi: first >> 14,
    }
    .add_word(second);
    // The third digit, below 2^19, is too small by less than two.
    let scale = ROUND_DOWN_FACTOR * 4.0;
    let top = rest.hi << 22 | rest.lo >> 10;
    let third = truncate(float(top).fmul(inverse).fmul(scale.to_bits()));
    let rest =
        rest.shl_const(32) - root.mul_word(third).shl_const(17) - Pair::product(third, third);
    let root = root.shl_const(16).add_word(third);
    // The square of the root's successor is larger by twice the root plus one.
    let one = root.lo.constant(1);
    let step = root.shl_const(1).add_word(one);
    let more = !rest.ult(step);
    SquareRoot {
        square,
        half_exponent: exponent.asr(1),
        root: root.add_word(more.to_int()),
        rest: more.select_pair(rest - step, rest),
        inverse,
    }
}

/// The square root.
pub(super) fn sqrt(x: Pair<'_>, modes: FloatModes) -> Pair<'_> {
    let found = root(Magnitude::new(x).bits);
    let below = found.rest.lo | found.rest.hi;
    let exponent = found.half_exponent + BIAS;
    let finite = round_scaled(found.root.shl_const(7), exponent, Some(below), modes);
    let of = Magnitude::new(x);
    // Zeros and infinity are their own roots.
    let special_result = (of.is_nan() | x.hi.ilt(0)).select(NAN, x.hi);
    let zero = of.key.eq(0);
    let special_result = zero.select(x.hi, special_result);
    let is_special_case = x.hi.uge(INFINITY) | zero;
    Pair {
        lo: is_special_case.select(0, finite.lo),
        hi: is_special_case.select(special_result, finite.hi),
    }
}

/// `1 / sqrt(x)`, to within one ULP: the quotient of the root, with seven more bits, and the
/// radicand.
pub(super) fn rsq(x: Pair<'_>, modes: FloatModes) -> Pair<'_> {
    let of = Magnitude::new(x);
    let found = root(of.bits);
    let top = found.rest.hi << 9 | found.rest.lo >> 23;
    let scale = ROUND_DOWN_FACTOR / 1024.0;
    let more = truncate(float(top).fmul(found.inverse).fmul(scale.to_bits()));
    let root = found.root.shl_const(7).add_word(more);
    let (quotient, rest) = divide(root, found.square);
    let exponent = -found.half_exponent + (BIAS - 1);
    let below = rest.lo | rest.hi;
    let finite = round_scaled(quotient.shl_const(7), exponent, Some(below), modes);
    let zero = of.key.eq(0);
    let nan = of.is_nan() | (x.hi.ilt(0) & !zero);
    let special_result = zero.select((x.hi & SIGN) | INFINITY, 0);
    let special_result = nan.select(NAN, special_result);
    let is_special_case = nan | zero | of.is_special();
    Pair {
        lo: is_special_case.select(0, finite.lo),
        hi: is_special_case.select(special_result, finite.hi),
    }
}
