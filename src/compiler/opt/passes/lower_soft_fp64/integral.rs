//! Rounding to integers, `ldexp` and `frexp`.

use super::format::*;
use super::sum;
use crate::rewrite::word::{Cond, Pair, Word};

/// The fraction of a number.
struct Fraction<'p> {
    magnitude: Magnitude<'p>,
    /// A mask of the fraction bits; for magnitudes below one, of everything but the sign.
    fraction: Pair<'p>,
    /// The number of fraction bits; 63 for magnitudes below one.
    bits: Word<'p>,
    /// The magnitude is below one.
    small: Cond<'p>,
}

impl<'p> Fraction<'p> {
    fn new(x: Pair<'p>) -> Fraction<'p> {
        let magnitude = Magnitude::new(x);
        let exponent = magnitude.bits.hi >> EXPONENT_SHIFT;
        // Numbers without a fraction, infinity and NaN included, are unchanged.
        let bits = (-exponent + (BIAS + 52)).imax(0);
        let small = bits.constant(52).ult(bits);
        let bits = small.select(63, bits);
        let ones = !(bits.constant(u32::MAX) << bits);
        let long = (bits & 32).ne(0);
        Fraction {
            magnitude,
            fraction: Pair {
                lo: long.select(u32::MAX, ones),
                hi: long.select(ones, 0),
            },
            bits,
            small,
        }
    }

    /// The magnitude plus `more`, with the fraction cleared, and the sign. A magnitude below one
    /// becomes 1.0 or 0.0 instead, according to `one`.
    fn round_with(&self, more: Pair<'p>, one: Cond<'p>, sign: Word<'p>) -> Pair<'p> {
        let sum = self.magnitude.bits + more;
        let whole = sum.zip(self.fraction, |a, b| a & !b);
        Pair {
            lo: self.small.select(0, whole.lo),
            hi: self.small.select(one.select(ONE, 0), whole.hi) | sign,
        }
    }
}

/// Rounds towards zero.
pub(super) fn trunc(x: Pair<'_>) -> Pair<'_> {
    x.zip(Fraction::new(x).fraction, |a, b| a & !b)
}

/// Rounds towards zero, or away from zero if `away` is all ones: the mask of the fraction, just
/// less than one, is added before truncating.
fn round_away_if<'p>(x: Pair<'p>, away: Word<'p>) -> Pair<'p> {
    let fraction = Fraction::new(x);
    let more = fraction.fraction.map(|w| w & away);
    let one = (fraction.magnitude.key & away).ne(0);
    fraction.round_with(more, one, x.hi & SIGN)
}

/// Rounds down.
pub(super) fn floor(x: Pair<'_>) -> Pair<'_> {
    round_away_if(x, x.hi.sign())
}

/// `x - floor(x)`.
pub(super) fn fract(x: Pair<'_>, modes: FloatModes) -> Pair<'_> {
    sum::add(x, negate(floor(x)), modes)
}

/// Rounds up.
pub(super) fn ceil(x: Pair<'_>) -> Pair<'_> {
    round_away_if(x, !x.hi.sign())
}

/// Rounds to nearest even. Adds half, or just less than half if the integer part is even, before
/// truncating.
pub(super) fn round_even(x: Pair<'_>) -> Pair<'_> {
    let fraction = Fraction::new(x);
    let bits = fraction.magnitude.bits;
    let long = (fraction.bits & 32).ne(0);
    let unit = long.select(bits.hi, bits.lo) >> fraction.bits;
    // Nothing is added without a fraction.
    let odd = unit & fraction.fraction.lo & 1;
    let half = fraction.fraction.shr_const(1).add_word(odd);
    let key = fraction.magnitude.key;
    let one = key.constant(ONE - HIDDEN).ult(key);
    fraction.round_with(half, one, x.hi & SIGN)
}

/// `x * 2^n`.
pub(super) fn ldexp<'p>(x: Pair<'p>, n: Word<'p>, modes: FloatModes) -> Pair<'p> {
    let of = Magnitude::new(x);
    let normal = Normal::normalise(of.bits);
    // Clamped to a range that is enough to go from the smallest number to infinity and back.
    let n = n.imax(0u32.wrapping_sub(4096)).imin(4096);
    let exponent = (normal.exponent + n).imin(INFINITY >> EXPONENT_SHIFT);
    let scaled = round_scaled(normal.mantissa.shr_const(2), exponent, None, modes);
    let is_special_case = of.key.eq(0) | of.is_special();
    Pair {
        lo: is_special_case.select(x.lo, scaled.lo),
        hi: is_special_case.select(x.hi, scaled.hi | (x.hi & SIGN)),
    }
}

/// The significand in [0.5, 1) and the exponent. Zero, infinity and NaN are their own significands,
/// with exponent 0.
pub(super) fn frexp(x: Pair<'_>) -> (Pair<'_>, Word<'_>) {
    let of = Magnitude::new(x);
    let normal = Normal::normalise(of.bits);
    let mantissa = normal.mantissa.shr_const(10);
    let is_special_case = of.key.eq(0) | of.is_special();
    let hi = (mantissa.hi & FRACTION) | (x.hi & SIGN) | (ONE - HIDDEN);
    let significand = Pair {
        lo: is_special_case.select(x.lo, mantissa.lo),
        hi: is_special_case.select(x.hi, hi),
    };
    let exponent = normal.exponent + 0u32.wrapping_sub(BIAS - 1);
    (significand, is_special_case.select(0, exponent))
}
