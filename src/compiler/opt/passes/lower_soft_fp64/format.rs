//! The format of doubles in words: fields, special values, and rounding of results.
//!
//! In:  pairs of words.
//! Out: pairs of words.
//! Ref: IEEE 754-2019, 3.4 (binary64), 4.3 (rounding), 7.4 (overflow).

use crate::rewrite::word::{Cond, Pair, Word};

/// The sign, in the high word.
pub(super) const SIGN: u32 = 1 << 31;
/// Everything but the sign, in the high word.
pub(super) const MAGNITUDE: u32 = !SIGN;
/// The high word's part of the fraction.
pub(super) const FRACTION: u32 = (1 << EXPONENT_SHIFT) - 1;
/// The hidden bit, above the fraction. It is also the high word of the smallest normal number.
pub(super) const HIDDEN: u32 = 1 << EXPONENT_SHIFT;
/// The high word of infinity.
pub(super) const INFINITY: u32 = 0x7ff << EXPONENT_SHIFT;
/// The high word of a quiet NaN.
pub(super) const NAN: u32 = INFINITY | HIDDEN >> 1;
/// The exponent's bias.
pub(super) const BIAS: u32 = 1023;
/// The high word of 1.0.
pub(super) const ONE: u32 = BIAS << EXPONENT_SHIFT;
/// The position of the exponent in the high word.
pub(super) const EXPONENT_SHIFT: u32 = 20;

/// The float controls that apply to doubles.
#[derive(Clone, Copy)]
pub(super) struct FloatModes {
    /// Round results towards zero instead of to nearest even.
    pub(super) towards_zero: bool,
    /// Flush subnormal operands and results to zeros of the same sign.
    pub(super) flush: bool,
}

/// The magnitude of an operand.
#[derive(Clone, Copy)]
pub(super) struct Magnitude<'p> {
    /// The bits without the sign.
    pub(super) bits: Pair<'p>,
    /// A word that compares to zero and [`INFINITY`] as the magnitude does: 0 only for zero, above
    /// [`INFINITY`] only for NaN.
    pub(super) key: Word<'p>,
}

impl<'p> Magnitude<'p> {
    pub(super) fn new(x: Pair<'p>) -> Magnitude<'p> {
        let hi = x.hi & MAGNITUDE;
        Magnitude {
            bits: Pair { lo: x.lo, hi },
            key: hi | x.lo.any_bit(),
        }
    }

    pub(super) fn is_nan(self) -> Cond<'p> {
        self.key.constant(INFINITY).ult(self.key)
    }

    /// True for infinity and NaN.
    pub(super) fn is_special(self) -> Cond<'p> {
        self.bits.hi.uge(INFINITY)
    }
}

/// A number normalised such that bit 62 is the highest bit of its mantissa: `mantissa * 2^-62 *
/// 2^(exponent - BIAS)`.
#[derive(Clone, Copy)]
pub(super) struct Normal<'p> {
    /// The mantissa; its lowest ten bits are zeros.
    pub(super) mantissa: Pair<'p>,
    /// The biased exponent, which is below one for subnormals.
    pub(super) exponent: Word<'p>,
}

impl<'p> Normal<'p> {
    /// Normalises any number but zero, including subnormals.
    pub(super) fn normalise(magnitude: Pair<'p>) -> Normal<'p> {
        let Pair { lo, hi } = magnitude;
        let exponent = (hi >> EXPONENT_SHIFT).max(1);
        let hi = hi.uge(HIDDEN).select((hi & FRACTION) | HIDDEN, hi);
        // If the high part is zero, the low word is moved there, below bit 31.
        let short = hi.eq(0);
        let moved = Pair {
            lo: short.select(lo << 31, lo),
            hi: short.select(lo >> 1, hi),
        };
        let exponent = short.select(1u32.wrapping_sub(31), exponent);
        let n = moved.hi.leading_zeros() + u32::MAX;
        Normal {
            mantissa: moved.shl_short(n),
            exponent: exponent - n + 10,
        }
    }

    /// Normalises a normal number. For other numbers the result is arbitrary, but not larger than
    /// the smallest normal number.
    pub(super) fn from_normal(magnitude: Pair<'p>) -> Normal<'p> {
        Normal {
            mantissa: left_aligned(magnitude, 10),
            exponent: magnitude.hi >> EXPONENT_SHIFT,
        }
    }
}

/// The mantissa of a normal number, with the hidden bit, shifted left by `by`.
pub(super) fn left_aligned(magnitude: Pair<'_>, by: u32) -> Pair<'_> {
    let hi = (magnitude.hi & FRACTION) | HIDDEN;
    Pair {
        lo: magnitude.lo,
        hi,
    }
    .shl_const(by)
}

/// The negated number.
pub(super) fn negate(x: Pair<'_>) -> Pair<'_> {
    Pair {
        lo: x.lo,
        hi: x.hi ^ SIGN,
    }
}

/// Flushes an operand if the modes require it.
pub(super) fn flush_operand(x: Pair<'_>, modes: FloatModes) -> Pair<'_> {
    if !modes.flush {
        return x;
    }
    let tiny = (x.hi & INFINITY).eq(0);
    Pair {
        lo: tiny.select(0, x.lo),
        hi: tiny.select(x.hi & SIGN, x.hi),
    }
}

/// Rounds `mantissa * 2^-60 * 2^(exponent - BIAS)` to a magnitude. Any bit set in `below` adds less
/// than one unit of the mantissa. The mantissa's highest bit must be bit 60 or 61; the exponent may
/// be out of range.
pub(super) fn round_scaled<'p>(
    mantissa: Pair<'p>,
    exponent: Word<'p>,
    below: Option<Word<'p>>,
    modes: FloatModes,
) -> Pair<'p> {
    let top = mantissa.hi >> 29;
    let exponent = exponent + top + u32::MAX;
    let above = exponent.imax(0);
    // Subnormals are shifted further. A shift by 63 leaves nothing, and what is shifted out is less
    // than half.
    let n = (above - exponent + top + 8).min(63);
    let (mantissa, mut cut) = mantissa.shr_with_cut(n);
    if let Some(below) = below {
        cut = cut | below.any_bit();
    }
    round_mantissa(mantissa, above, cut, modes)
}

/// Rounds a mantissa of 53 bits, or fewer for subnormals, to a magnitude. `exponent` is the biased
/// exponent minus one. `cut` holds the upper 32 of the bits below the mantissa; the last of them is
/// sticky.
pub(super) fn round_mantissa<'p>(
    mantissa: Pair<'p>,
    exponent: Word<'p>,
    cut: Word<'p>,
    modes: FloatModes,
) -> Pair<'p> {
    let Pair { mut lo, mut hi } = mantissa;
    if !modes.towards_zero {
        let up = round_up(lo, cut);
        lo = lo + up.to_int();
        hi = hi + lo.ult(mantissa.lo).to_int();
    }
    hi = hi + (exponent << EXPONENT_SHIFT);
    let over = hi.uge(INFINITY);
    if modes.towards_zero {
        lo = over.select(u32::MAX, lo);
        hi = hi.min(INFINITY - 1);
    } else {
        lo = over.select(0, lo);
        hi = hi.min(INFINITY);
    }
    if modes.flush {
        let tiny = hi.ult(HIDDEN);
        lo = tiny.select(0, lo);
        hi = tiny.select(0, hi);
    }
    Pair { lo, hi }
}

/// True if a mantissa has to be rounded up to the nearest number, or to the even one in a tie.
pub(super) fn round_up<'p>(mantissa: Word<'p>, cut: Word<'p>) -> Cond<'p> {
    cut.constant(SIGN).ult(cut | (mantissa & 1))
}
