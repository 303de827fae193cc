//! Conversions from and to doubles.

use super::format::*;
use crate::rewrite::word::{Cond, Pair, Word};

/// A format of 16 or 32 bits.
#[derive(Clone, Copy)]
pub(super) struct NarrowFormat {
    /// Bits of the fraction.
    pub(super) fraction: u32,
    /// The exponent's bias.
    pub(super) bias: u32,
    /// Subnormals are flushed to zero.
    pub(super) flush: bool,
}

impl NarrowFormat {
    /// The bits of infinity.
    const fn infinity(self) -> u32 {
        (2 * self.bias + 1) << self.fraction
    }
}

/// Rounds a double's magnitude to a smaller format, once.
pub(super) fn narrow<'p>(x: Pair<'p>, to: NarrowFormat, towards_zero: bool) -> Word<'p> {
    let of = Magnitude::new(x);
    // Bit 29 is the hidden bit, and the lowest bit is sticky. Subnormals and zero do not have a
    // hidden bit; setting it is harmless, because they are too small to leave more than the sticky
    // bit.
    let aligned = left_aligned(of.bits, 9);
    let mantissa = aligned.hi | aligned.lo.any_bit();
    let exponent = (of.bits.hi >> EXPONENT_SHIFT) + (to.bias.wrapping_sub(BIAS + 1));
    let above = exponent.imax(0);
    let n = (above - exponent + (29 - to.fraction)).min(31);
    let above = above.imin(2 * to.bias);
    let mut value = mantissa >> n;
    if !towards_zero {
        let cut = (mantissa << 1) << !n;
        value = value + round_up(value, cut).to_int();
    }
    let value = value + (above << to.fraction);
    let max = if towards_zero {
        to.infinity() - 1
    } else {
        to.infinity()
    };
    let mut value = value.min(max);
    if to.flush {
        value = value.ult(1 << to.fraction).select(0, value);
    }
    let nan = to.infinity() | 1 << (to.fraction - 1);
    let special_result = of.is_nan().select(nan, to.infinity());
    of.is_special().select(special_result, value)
}

/// Converts a 32-bit float to a double.
pub(super) fn widen(x: Word<'_>, flush: bool) -> Pair<'_> {
    /// The difference of the biases.
    const MORE: u32 = BIAS - 127;
    let magnitude = x & MAGNITUDE;
    let tiny = magnitude.ult(1 << 23);
    // Subnormals are shifted until their highest bit is bit 23.
    let n = magnitude.leading_zeros() + 0u32.wrapping_sub(8);
    let (moved, exponent) = if flush {
        (x.constant(0), x.constant(0))
    } else {
        let some = magnitude.any_bit();
        (magnitude << n, (-n + MORE) & -some)
    };
    let special = magnitude.uge(0xff << 23);
    let bits = tiny.select(moved, magnitude);
    let more = special.select(2 * MORE, MORE);
    let exponent = tiny.select(exponent, more);
    let quiet = magnitude.constant(0xff << 23).ult(magnitude).select(NAN, 0);
    Pair {
        lo: bits << 29,
        hi: ((bits >> 3) + (exponent << EXPONENT_SHIFT)) | quiet | (x & SIGN),
    }
}

/// Converts an unsigned 32-bit integer.
pub(super) fn from_u32(x: Word<'_>) -> Pair<'_> {
    let n = x.leading_zeros();
    let mantissa = x << n;
    let exponent = x.eq(0).select(0, -n + (BIAS + 30));
    Pair {
        lo: mantissa << 21,
        hi: (mantissa >> 11) + (exponent << EXPONENT_SHIFT),
    }
}

/// Converts an unsigned 64-bit integer.
pub(super) fn from_u64(x: Pair<'_>, modes: FloatModes) -> Pair<'_> {
    let n = x.leading_zeros();
    let mantissa = x.shl(n);
    let exponent = x.is_zero().select(0, -n + (BIAS + 62));
    round_mantissa(mantissa.shr_const(11), exponent, mantissa.lo << 21, modes)
}

/// The integer type to which a double is converted.
#[derive(Clone, Copy)]
pub(super) struct IntegerType {
    /// 8 to 64.
    pub(super) bits: u32,
    pub(super) signed: bool,
}

/// Truncates to an integer. Out-of-range values saturate; NaN gives zero. The result of a type of
/// at most 32 bits is in the low word.
pub(super) fn to_integer(x: Pair<'_>, to: IntegerType) -> Pair<'_> {
    let of = Magnitude::new(x);
    let Pair { hi: magnitude, .. } = of.bits;
    let aligned = left_aligned(of.bits, 11);
    let exponent = magnitude >> EXPONENT_SHIFT;
    let wide = to.bits > 32;
    let n = -exponent + (BIAS + if wide { 63 } else { 31 });
    let zero = x.lo.constant(0);
    let cut = if wide {
        aligned.shr(n)
    } else {
        Pair {
            lo: aligned.hi >> n,
            hi: zero,
        }
    };
    let range = to.bits - u32::from(to.signed);
    let over = magnitude.uge((BIAS + range) << EXPONENT_SHIFT);
    let max = u64::MAX >> (64 - range);
    let (sign, none) = if to.signed {
        (x.hi.sign(), of.is_nan())
    } else {
        (zero, of.is_nan() | x.hi.ilt(0))
    };
    let none = none | magnitude.ult(ONE);
    // The bits of the minimum are the complement of those of the maximum.
    let limit = Pair::constant(zero, max).map(|w| w ^ sign);
    let value = if !to.signed {
        cut
    } else if wide {
        cut.negate_if(sign)
    } else {
        Pair {
            lo: (cut.lo ^ sign) - sign,
            hi: zero,
        }
    };
    let value = over.select_pair(limit, value);
    Pair {
        lo: none.select(0, value.lo),
        hi: none.select(0, value.hi),
    }
}

/// 1.0 or 0.0.
pub(super) fn from_bool(x: Cond<'_>) -> Pair<'_> {
    let hi = x.select(ONE, 0);
    Pair {
        lo: hi.constant(0),
        hi,
    }
}
