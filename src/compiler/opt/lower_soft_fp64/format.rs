//! The format of doubles in words: its fields, what is near its ends, and how results are rounded to it.
//!
//! In:  pairs of words. Out: pairs of words.
//! Ref: IEEE 754-2019, 3.4 (binary64), 4.3 (rounding), 7.4 (overflow).

use crate::word::{Cond, Pair, Word};

/// The sign, in the high word.
pub(super) const SIGN: u32 = 1 << 31;
/// All but the sign.
pub(super) const MAGNITUDE: u32 = !SIGN;
/// The fraction's part of the high word.
pub(super) const FRACTION: u32 = (1 << EXPONENT_AT) - 1;
/// The bit above the fraction, which normal numbers have without showing it: also the high word of the smallest one.
pub(super) const HIDDEN: u32 = 1 << EXPONENT_AT;
/// Infinity's high word.
pub(super) const INFINITY: u32 = 0x7ff << EXPONENT_AT;
/// The high word of a NaN.
pub(super) const NAN: u32 = INFINITY | HIDDEN >> 1;
/// The exponent of one.
pub(super) const BIAS: u32 = 1023;
/// The high word of one.
pub(super) const ONE: u32 = BIAS << EXPONENT_AT;
/// Where the exponent begins in the high word.
pub(super) const EXPONENT_AT: u32 = 20;

/// How a shader wants doubles to be computed.
#[derive(Clone, Copy)]
pub(super) struct Modes {
    /// Results are rounded towards zero, not to nearest even.
    pub(super) towards_zero: bool,
    /// Subnormal operands and results are zeros of their sign.
    pub(super) flush: bool,
}

/// Operands with their signs off, and what is asked of them again and again.
#[derive(Clone, Copy)]
pub(super) struct Magnitude<'p> {
    /// The bits.
    pub(super) bits: Pair<'p>,
    /// Orders magnitudes against zero and infinity: 0 for zero alone, above [`INFINITY`] for NaNs alone.
    pub(super) key: Word<'p>,
}

impl<'p> Magnitude<'p> {
    pub(super) fn of(x: Pair<'p>) -> Magnitude<'p> {
        let hi = x.hi & MAGNITUDE;
        Magnitude {
            bits: Pair { lo: x.lo, hi },
            key: hi | x.lo.any(),
        }
    }

    pub(super) fn is_nan(self) -> Cond<'p> {
        self.key.constant(INFINITY).below(self.key)
    }

    /// True of infinity and NaN.
    pub(super) fn is_special(self) -> Cond<'p> {
        self.bits.hi.from(INFINITY)
    }
}

/// A number whose highest one is bit 62 of the mantissa: `mantissa * 2^-62 * 2^(exponent - BIAS)`.
#[derive(Clone, Copy)]
pub(super) struct Normal<'p> {
    /// The mantissa; its lowest ten bits are zeros.
    pub(super) mantissa: Pair<'p>,
    /// The biased exponent, which is below one where the number was subnormal.
    pub(super) exponent: Word<'p>,
}

impl<'p> Normal<'p> {
    /// Of any number but zero; subnormals, too, become such.
    pub(super) fn of(magnitude: Pair<'p>) -> Normal<'p> {
        let Pair { lo, hi } = magnitude;
        let exponent = (hi >> EXPONENT_AT).max(1);
        let hi = hi.from(HIDDEN).choose((hi & FRACTION) | HIDDEN, hi);
        // Where there is no high part, the low one takes its place, below bit 31.
        let short = hi.eq(0);
        let moved = Pair {
            lo: short.choose(lo << 31, lo),
            hi: short.choose(lo >> 1, hi),
        };
        let exponent = short.choose(1u32.wrapping_sub(31), exponent);
        let n = moved.hi.leading_zeros() + u32::MAX;
        Normal {
            mantissa: moved.shl_short(n),
            exponent: exponent - n + 10,
        }
    }

    /// Of a normal number; of others anything that is no larger than the smallest one.
    pub(super) fn of_normal(magnitude: Pair<'p>) -> Normal<'p> {
        Normal {
            mantissa: left_aligned(magnitude, 10),
            exponent: magnitude.hi >> EXPONENT_AT,
        }
    }
}

/// The mantissa of a normal number with its hidden bit, so far to the left.
pub(super) fn left_aligned(magnitude: Pair<'_>, by: u32) -> Pair<'_> {
    let hi = (magnitude.hi & FRACTION) | HIDDEN;
    Pair {
        lo: magnitude.lo,
        hi,
    }
    .shl_by(by)
}

/// The number with the other sign.
pub(super) fn negated(x: Pair<'_>) -> Pair<'_> {
    Pair {
        lo: x.lo,
        hi: x.hi ^ SIGN,
    }
}

/// The operand as the modes have it.
pub(super) fn operand(x: Pair<'_>, modes: Modes) -> Pair<'_> {
    if !modes.flush {
        return x;
    }
    let tiny = (x.hi & INFINITY).eq(0);
    Pair {
        lo: tiny.choose(0, x.lo),
        hi: tiny.choose(x.hi & SIGN, x.hi),
    }
}

/// `mantissa * 2^-60 * 2^(exponent - BIAS)` and less than one unit of the mantissa, if any bit of `below` is set: as a magnitude, rounded.
/// The mantissa's highest one is bit 60 or 61; the exponent may leave its range.
pub(super) fn scaled<'p>(
    mantissa: Pair<'p>,
    exponent: Word<'p>,
    below: Option<Word<'p>>,
    modes: Modes,
) -> Pair<'p> {
    let top = mantissa.hi >> 29;
    let exponent = exponent + top + u32::MAX;
    let above = exponent.imax(0);
    // Subnormals move further. With 63 all is cut off, and nothing is as much as half.
    let n = (above - exponent + top + 8).min(63);
    let (mantissa, mut cut) = mantissa.shr_cut(n);
    if let Some(below) = below {
        cut = cut | below.any();
    }
    rounded(mantissa, above, cut, modes)
}

/// A mantissa of 53 bits, or fewer of subnormals, with an exponent that is one less than the biased one, as a magnitude. Of what was cut
/// off the mantissa, `cut` has the highest 32 bits, any lower ones in its last.
pub(super) fn rounded<'p>(
    mantissa: Pair<'p>,
    exponent: Word<'p>,
    cut: Word<'p>,
    modes: Modes,
) -> Pair<'p> {
    let Pair { mut lo, mut hi } = mantissa;
    if !modes.towards_zero {
        let up = round_up(lo, cut);
        lo = lo + up.bit();
        hi = hi + lo.below(mantissa.lo).bit();
    }
    hi = hi + (exponent << EXPONENT_AT);
    let over = hi.from(INFINITY);
    if modes.towards_zero {
        lo = over.choose(u32::MAX, lo);
        hi = hi.min(INFINITY - 1);
    } else {
        lo = over.choose(0, lo);
        hi = hi.min(INFINITY);
    }
    if modes.flush {
        let tiny = hi.below(HIDDEN);
        lo = tiny.choose(0, lo);
        hi = tiny.choose(0, hi);
    }
    Pair { lo, hi }
}

/// True if the number nearest to a mantissa and what was cut off it is the next one: it is even where two are as near.
pub(super) fn round_up<'p>(mantissa: Word<'p>, cut: Word<'p>) -> Cond<'p> {
    cut.constant(SIGN).below(cut | (mantissa & 1))
}
