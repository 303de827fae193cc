//! Rounding to integers, `ldexp` and `frexp`.

use super::format::*;
use super::sum;
use crate::rewrite::word::{Cond, Pair, Word};

/// The fraction of a number.
struct Split<'p> {
    magnitude: Magnitude<'p>,
    /// A mask of the fraction bits; for magnitudes below one, of everything but the sign.
    fraction: Pair<'p>,
    /// The number of fraction bits; 63 for magnitudes below one.
    bits: Word<'p>,
    /// The magnitude is below one.
    small: Cond<'p>,
}

impl<'p> Split<'p> {
    fn of(x: Pair<'p>) -> Split<'p> {
        let magnitude = Magnitude::of(x);
        let exponent = magnitude.bits.hi >> EXPONENT_AT;
        // Numbers without a fraction, infinity and NaN included, are unchanged.
        let bits = (-exponent + (BIAS + 52)).imax(0);
        let small = bits.constant(52).below(bits);
        let bits = small.choose(63, bits);
        let ones = !(bits.constant(u32::MAX) << bits);
        let long = (bits & 32).ne(0);
        Split {
            magnitude,
            fraction: Pair {
                lo: long.choose(u32::MAX, ones),
                hi: long.choose(ones, 0),
            },
            bits,
            small,
        }
    }

    /// The magnitude plus `more`, with the fraction cleared, and the sign. A magnitude below one
    /// becomes 1.0 or 0.0 instead, according to `one`.
    fn moved(&self, more: Pair<'p>, one: Cond<'p>, sign: Word<'p>) -> Pair<'p> {
        let sum = self.magnitude.bits + more;
        let whole = sum.zip(self.fraction, |a, b| a & !b);
        Pair {
            lo: self.small.choose(0, whole.lo),
            hi: self.small.choose(one.choose(ONE, 0), whole.hi) | sign,
        }
    }
}

/// Rounds towards zero.
pub(super) fn trunc(x: Pair<'_>) -> Pair<'_> {
    x.zip(Split::of(x).fraction, |a, b| a & !b)
}

/// Rounds towards zero, or away from zero if `away` is all ones: the mask of the fraction, just
/// less than one, is added before truncating.
fn away<'p>(x: Pair<'p>, away: Word<'p>) -> Pair<'p> {
    let split = Split::of(x);
    let more = split.fraction.both(|w| w & away);
    let one = (split.magnitude.key & away).ne(0);
    split.moved(more, one, x.hi & SIGN)
}

/// Rounds down.
pub(super) fn floor(x: Pair<'_>) -> Pair<'_> {
    away(x, x.hi.sign())
}

/// `x - floor(x)`.
pub(super) fn fract(x: Pair<'_>, modes: Modes) -> Pair<'_> {
    sum::add(x, negated(floor(x)), modes)
}

/// Rounds up.
pub(super) fn ceil(x: Pair<'_>) -> Pair<'_> {
    away(x, !x.hi.sign())
}

/// Rounds to nearest even. Adds half, or just less than half if the integer part is even, before
/// truncating.
pub(super) fn round_even(x: Pair<'_>) -> Pair<'_> {
    let split = Split::of(x);
    let bits = split.magnitude.bits;
    let long = (split.bits & 32).ne(0);
    let unit = long.choose(bits.hi, bits.lo) >> split.bits;
    // Nothing is added without a fraction.
    let odd = unit & split.fraction.lo & 1;
    let half = split.fraction.shr_by(1).add_word(odd);
    let key = split.magnitude.key;
    let one = key.constant(ONE - HIDDEN).below(key);
    split.moved(half, one, x.hi & SIGN)
}

/// `x * 2^n`.
pub(super) fn ldexp<'p>(x: Pair<'p>, n: Word<'p>, modes: Modes) -> Pair<'p> {
    let of = Magnitude::of(x);
    let normal = Normal::of(of.bits);
    // Clamped to a range that is enough to go from the smallest number to infinity and back.
    let n = n.imax(0u32.wrapping_sub(4096)).imin(4096);
    let exponent = (normal.exponent + n).imin(INFINITY >> EXPONENT_AT);
    let scaled = scaled(normal.mantissa.shr_by(2), exponent, None, modes);
    let ends = of.key.eq(0) | of.is_special();
    Pair {
        lo: ends.choose(x.lo, scaled.lo),
        hi: ends.choose(x.hi, scaled.hi | (x.hi & SIGN)),
    }
}

/// The significand in [0.5, 1) and the exponent. Zero, infinity and NaN are their own significands,
/// with exponent 0.
pub(super) fn frexp(x: Pair<'_>) -> (Pair<'_>, Word<'_>) {
    let of = Magnitude::of(x);
    let normal = Normal::of(of.bits);
    let mantissa = normal.mantissa.shr_by(10);
    let ends = of.key.eq(0) | of.is_special();
    let hi = (mantissa.hi & FRACTION) | (x.hi & SIGN) | (ONE - HIDDEN);
    let significand = Pair {
        lo: ends.choose(x.lo, mantissa.lo),
        hi: ends.choose(x.hi, hi),
    };
    let exponent = normal.exponent + 0u32.wrapping_sub(BIAS - 1);
    (significand, ends.choose(0, exponent))
}
