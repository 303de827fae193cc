//! Rounding to integers, and the parts of a number.

use super::format::*;
use super::sum;
use crate::word::{Cond, Pair, Word};

/// Where a number's fraction is.
struct Split<'p> {
    magnitude: Magnitude<'p>,
    /// Ones over the fraction; below one, over all but the sign.
    fraction: Pair<'p>,
    /// Bits of the fraction; 63 below one.
    bits: Word<'p>,
    /// Below one in magnitude.
    small: Cond<'p>,
}

impl<'p> Split<'p> {
    fn of(x: Pair<'p>) -> Split<'p> {
        let magnitude = Magnitude::of(x);
        let exponent = magnitude.bits.hi >> EXPONENT_AT;
        // What has no fraction, infinity and NaN among it, is kept whole.
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

    /// The magnitude with `more` added, and without its fraction; what is below one becomes one or zero, and has the sign again.
    fn moved(&self, more: Pair<'p>, one: Cond<'p>, sign: Word<'p>) -> Pair<'p> {
        let sum = self.magnitude.bits + more;
        let whole = sum.zip(self.fraction, |a, b| a & !b);
        Pair {
            lo: self.small.choose(0, whole.lo),
            hi: self.small.choose(one.choose(ONE, 0), whole.hi) | sign,
        }
    }
}

/// Towards zero.
pub(super) fn trunc(x: Pair<'_>) -> Pair<'_> {
    x.zip(Split::of(x).fraction, |a, b| a & !b)
}

/// Upwards, or downwards: where the sign says that this is away from zero, all but the smallest bit of one is added first.
fn away<'p>(x: Pair<'p>, away: Word<'p>) -> Pair<'p> {
    let split = Split::of(x);
    let more = split.fraction.both(|w| w & away);
    let one = (split.magnitude.key & away).ne(0);
    split.moved(more, one, x.hi & SIGN)
}

/// Downwards.
pub(super) fn floor(x: Pair<'_>) -> Pair<'_> {
    away(x, x.hi.sign())
}

/// `x - floor(x)`.
pub(super) fn fract(x: Pair<'_>, modes: Modes) -> Pair<'_> {
    sum::add(x, negated(floor(x)), modes)
}

/// Upwards.
pub(super) fn ceil(x: Pair<'_>) -> Pair<'_> {
    away(x, !x.hi.sign())
}

/// To the nearest, of two that are as near the even one: half is added, or all but the smallest bit of it.
pub(super) fn round_even(x: Pair<'_>) -> Pair<'_> {
    let split = Split::of(x);
    let bits = split.magnitude.bits;
    let long = (split.bits & 32).ne(0);
    let unit = long.choose(bits.hi, bits.lo) >> split.bits;
    // Without a fraction nothing is added.
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
    // Far enough from the smallest number to infinity, and back.
    let n = n.imax(0u32.wrapping_sub(4096)).imin(4096);
    let exponent = (normal.exponent + n).imin(INFINITY >> EXPONENT_AT);
    let scaled = scaled(normal.mantissa.shr_by(2), exponent, None, modes);
    let ends = of.key.eq(0) | of.is_special();
    Pair {
        lo: ends.choose(x.lo, scaled.lo),
        hi: ends.choose(x.hi, scaled.hi | (x.hi & SIGN)),
    }
}

/// The significand in 0.5 to 1, and the exponent; zero, infinity and NaN are their own, and have no exponent.
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
