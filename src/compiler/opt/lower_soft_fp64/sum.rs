//! Sums.

use super::format::*;
use crate::word::{Pair, Word};

/// `x + y`.
pub(super) fn add<'p>(x: Pair<'p>, y: Pair<'p>, modes: Modes) -> Pair<'p> {
    let (ax, ay) = (x.hi & MAGNITUDE, y.hi & MAGNITUDE);
    // Magnitudes are below 2^63: their difference has a sign.
    let less = (ax - ay - x.lo.below(y.lo).bit()).less(0);
    let (large, small) = (less.choose_pair(y, x), less.choose_pair(x, y));
    let apart = (large.hi ^ small.hi).sign();
    let sign = large.hi & SIGN;
    let (a, b) = (part(large), part(small));
    // What is cut off leaves a mark, far below what the rounding sees.
    let shifted = b.mantissa.shr_marked((a.exponent - b.exponent).min(63));
    // a - b is the complement of the sum of b and a's.
    let sum = (a.mantissa.both(|w| w ^ apart) + shifted).both(|w| w ^ apart);
    let zero = sum.is_zero();
    // Bit 63 is the highest one then, where the exponent allows that; it is one more than that of bit 62.
    let n = sum.leading_zeros().min(a.exponent);
    let sum = sum.shl(n);
    let magnitude = rounded(sum.shr_by(11), a.exponent - n, sum.lo << 21, modes);
    let finite = Pair {
        lo: magnitude.lo,
        // Zero is negative only as the sum of two that are.
        hi: zero.choose(sign & !apart, magnitude.hi | sign),
    };
    // Infinity, or NaN, is the larger one.
    let magnitude = Magnitude::of(large);
    let opposite = (apart & small.hi & MAGNITUDE).from(INFINITY);
    let special = (magnitude.is_nan() | opposite).choose(NAN, large.hi);
    let is_special = magnitude.is_special();
    Pair {
        lo: is_special.choose(0, finite.lo),
        hi: is_special.choose(special, finite.hi),
    }
}

/// The mantissa of an operand, normal ones' highest bit being 62, and its exponent.
fn part(x: Pair<'_>) -> Normal<'_> {
    let exponent: Word<'_> = (x.hi & MAGNITUDE) >> EXPONENT_AT;
    let hi = (x.hi & FRACTION) | (exponent.any() << EXPONENT_AT);
    Normal {
        mantissa: Pair { lo: x.lo, hi }.shl_by(10),
        exponent: exponent.max(1),
    }
}
