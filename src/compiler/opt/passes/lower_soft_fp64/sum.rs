//! Sums.

use super::format::*;
use crate::rewrite::word::{Pair, Word};

/// `x + y`.
pub(super) fn add<'p>(x: Pair<'p>, y: Pair<'p>, modes: FloatModes) -> Pair<'p> {
    let (ax, ay) = (x.hi & MAGNITUDE, y.hi & MAGNITUDE);
    // Magnitudes are below 2^63, so that the sign of their difference is valid.
    let less = (ax - ay - x.lo.ult(y.lo).to_int()).ilt(0);
    let (large, small) = (less.select_pair(y, x), less.select_pair(x, y));
    let signs_differ = (large.hi ^ small.hi).sign();
    let sign = large.hi & SIGN;
    let (a, b) = (unpack_operand(large), unpack_operand(small));
    // Bits that are shifted out leave a sticky bit, far below the rounding position.
    let shifted = b.mantissa.shr_sticky((a.exponent - b.exponent).min(63));
    // a - b is the complement of the sum of b and the complement of a.
    let sum = (a.mantissa.map(|w| w ^ signs_differ) + shifted).map(|w| w ^ signs_differ);
    let zero = sum.is_zero();
    // Normalised to bit 63, as far as the exponent allows; the exponent increases by one from that
    // for bit 62.
    let n = sum.leading_zeros().min(a.exponent);
    let sum = sum.shl(n);
    let magnitude = round_mantissa(sum.shr_const(11), a.exponent - n, sum.lo << 21, modes);
    let finite = Pair {
        lo: magnitude.lo,
        // Zero is only negative as the sum of two negative zeros.
        hi: zero.select(sign & !signs_differ, magnitude.hi | sign),
    };
    // Infinity or NaN is the larger operand.
    let magnitude = Magnitude::new(large);
    let opposite = (signs_differ & small.hi & MAGNITUDE).uge(INFINITY);
    let special = (magnitude.is_nan() | opposite).select(NAN, large.hi);
    let is_special = magnitude.is_special();
    Pair {
        lo: is_special.select(0, finite.lo),
        hi: is_special.select(special, finite.hi),
    }
}

/// The mantissa and exponent of an operand. The highest bit of a normal number is bit 62.
fn unpack_operand(x: Pair<'_>) -> Normal<'_> {
    let exponent: Word<'_> = (x.hi & MAGNITUDE) >> EXPONENT_SHIFT;
    let hi = (x.hi & FRACTION) | (exponent.any_bit() << EXPONENT_SHIFT);
    Normal {
        mantissa: Pair { lo: x.lo, hi }.shl_const(10),
        exponent: exponent.max(1),
    }
}
