//! Correctly rounded arithmetic on bit patterns, from which the ALU operations' constant folding is
//! built.
//!
//! In:  bit patterns of integers and floats, the float controls.
//! Out: correctly rounded bit patterns; NaN and the sign of zero are preserved.
//! Ref: Vulkan spec, "Precision and Operation of SPIR-V Instructions"; SPV_KHR_float_controls.
//!
//! Floats of 16, 32 and 64 bits are computed as an `f64` and the sign of its rounding error
//! ([`Exact`]). The narrower result is rounded once from that, so there is no double rounding.

/// Execution modes of SPV_KHR_float_controls, for each of 16, 32 and 64 bits (bit 0, 1, 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatControls {
    /// DenormPreserve.
    pub denorm_preserve: u8,
    /// DenormFlushToZero.
    pub denorm_flush: u8,
    /// SignedZeroInfNanPreserve.
    pub signed_zero_inf_nan_preserve: u8,
    /// RoundingModeRTE.
    pub rounding_rte: u8,
    /// RoundingModeRTZ.
    pub rounding_rtz: u8,
}

impl FloatControls {
    /// True if subnormal floats of `bits` bits are flushed to zero.
    pub fn flushes(&self, bits: u8) -> bool {
        self.denorm_flush & size_bit(bits) != 0
    }
}

/// Context of the evaluation of one operation: sizes and float controls.
#[derive(Clone, Copy, Debug)]
pub struct FoldCtx {
    /// Bits of the operands and results with size rule [`crate::SizeRule::Same`].
    pub bits: u8,
    /// Bits of the result.
    pub def_bits: u8,
    /// Bits of the first operand.
    pub src_bits: u8,
    /// Rounding and denormal modes of the shader.
    pub controls: FloatControls,
}

/// A real number near an `f64`: `hi` is the number rounded to nearest; the sign of `err` tells on
/// which side of `hi` the number is (0: it equals `hi`).
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// Nearest double.
    pub hi: f64,
    /// Sign of (number − `hi`).
    pub err: f64,
}

impl From<f64> for Exact {
    fn from(hi: f64) -> Exact {
        Exact { hi, err: 0.0 }
    }
}

/// All ones in the low `bits` bits.
pub const fn mask(bits: u8) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

/// Sign-extends the low `bits` bits.
pub const fn sext(bits: u8, v: u64) -> i64 {
    let shift = 64 - bits as u32;
    ((v << shift) as i64) >> shift
}

fn size_bit(bits: u8) -> u8 {
    match bits {
        16 => 1,
        32 => 2,
        _ => 4,
    }
}

/// The value of a float's bit pattern.
pub fn float_value(bits: u8, v: u64) -> f64 {
    match bits {
        64 => f64::from_bits(v),
        32 => f64::from(f32::from_bits(v as u32)),
        _ => half_value(v),
    }
}

fn half_value(v: u64) -> f64 {
    let sign = if v & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exp = (v >> 10) & 31;
    let mant = (v & 0x3ff) as f64;
    sign * match exp {
        0 => mant * 2f64.powi(-24),
        31 if v & 0x3ff == 0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + mant) * 2f64.powi(e as i32 - 25),
    }
}

/// Rounds to a float of `bits` bits: to nearest even, or towards zero.
pub fn round_float(bits: u8, x: Exact, rtz: bool) -> u64 {
    if x.hi.is_nan() {
        return match bits {
            16 => 0x7e00,
            32 => 0x7fc0_0000,
            _ => 0x7ff8_0000_0000_0000,
        };
    }
    let hi = x.hi.to_bits();
    // `err` and `hi` of opposite signs: the number is nearer to zero than `hi`.
    let below = x.err != 0.0 && (x.err < 0.0) != (x.hi < 0.0);
    if bits == 64 {
        return if rtz && below { hi - 1 } else { hi };
    }
    // Round to odd: of the two doubles around the number, the one that ends in 1.
    let odd = if x.err == 0.0 || x.err.is_nan() || hi & 1 == 1 || x.hi.is_infinite() {
        hi
    } else if below {
        hi.wrapping_sub(1)
    } else {
        hi + 1
    };
    let (mant_bits, bias): (i32, i32) = if bits == 16 { (10, 15) } else { (23, 127) };
    let sign = (odd >> 63) << (bits - 1);
    let inf = (2 * bias as u64 + 1) << mant_bits;
    let exp = ((odd >> 52) & 0x7ff) as i32;
    if exp == 0x7ff {
        return sign | inf;
    }
    if exp == 0 {
        // A zero, or far below the smallest subnormal of 32 bits.
        return sign;
    }
    let e = exp - 1023;
    let full = (1u64 << 52) | (odd & ((1 << 52) - 1));
    let normal = e >= 1 - bias;
    let shift = 52 - mant_bits + if normal { 0 } else { 1 - bias - e };
    if shift > 54 {
        return sign;
    }
    let mut q = full >> shift;
    let rem = full & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    if !rtz && (rem > half || (rem == half && q & 1 == 1)) {
        q += 1;
    }
    let value = if normal {
        (((e + bias - 1) as u64) << mant_bits) + q
    } else {
        q
    };
    if e > bias || value >= inf {
        return sign | if rtz { inf - 1 } else { inf };
    }
    sign | value
}

/// `a + b`, with its error.
pub fn add(a: f64, b: f64) -> Exact {
    let hi = a + b;
    if !hi.is_finite() {
        return hi.into();
    }
    let bb = hi - a;
    let err = (a - (hi - bb)) + (b - bb);
    Exact { hi, err }
}

/// `a * b`, with its error.
pub fn mul(a: f64, b: f64) -> Exact {
    let hi = a * b;
    if !hi.is_finite() {
        return hi.into();
    }
    Exact {
        hi,
        err: a.mul_add(b, -hi),
    }
}

/// `a * b + c`, with its error (Boldo and Muller, "Exact and Approximated Error of the FMA").
pub fn fma(a: f64, b: f64, c: f64) -> Exact {
    let hi = a.mul_add(b, c);
    if !hi.is_finite() {
        return hi.into();
    }
    let p = mul(a, b);
    let al = add(c, p.err);
    let be = add(p.hi, al.hi);
    let ga = (be.hi - hi) + be.err;
    Exact {
        hi,
        err: add(ga, al.err).hi,
    }
}

/// `a / b`, with its error.
pub fn div(a: f64, b: f64) -> Exact {
    let hi = a / b;
    if !hi.is_finite() || !b.is_finite() || hi == 0.0 {
        return hi.into();
    }
    let rest = (-hi).mul_add(b, a);
    Exact {
        hi,
        err: if b < 0.0 { -rest } else { rest },
    }
}

/// The square root, with its error.
pub fn sqrt(a: f64) -> Exact {
    let hi = a.sqrt();
    if !hi.is_finite() || hi == 0.0 {
        return hi.into();
    }
    Exact {
        hi,
        err: (-hi).mul_add(hi, a),
    }
}

/// `x · 2^n`, rounded once.
pub fn scale(x: f64, n: i64) -> f64 {
    let mut n = n.clamp(-4000, 4000);
    let mut x = x;
    let big = f64::from_bits(0x7fe0_0000_0000_0000); // 2^1023
    let small = f64::from_bits(0x0010_0000_0000_0000) * 9_007_199_254_740_992.0; // 2^(-1022+53)
    for _ in 0..2 {
        if n > 1023 {
            x *= big;
            n -= 1023;
        } else if n < -1022 {
            // 53 bits are left above the subnormals, so that only the last product rounds.
            x *= small;
            n += 969;
        }
    }
    let n = n.clamp(-1022, 1023);
    x * f64::from_bits(((n + 1023) as u64) << 52)
}

/// Significand in [0.5, 1) and exponent; zero, infinity and NaN have exponent 0.
pub fn frexp(x: f64) -> (f64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (x, extra) = if x.abs() < f64::MIN_POSITIVE {
        (x * 2f64.powi(54), 54)
    } else {
        (x, 0)
    };
    let bits = x.to_bits();
    let exp = ((bits >> 52) & 0x7ff) as i64 - 1022;
    (
        f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)),
        exp - extra,
    )
}

impl FoldCtx {
    /// Value of a float operand of the operation's size, flushed as the float controls demand.
    pub fn float(&self, v: u64) -> f64 {
        self.float_of(self.bits, v)
    }
    /// Value of a float operand of `bits` bits, flushed as the float controls demand.
    pub fn float_of(&self, bits: u8, v: u64) -> f64 {
        float_value(bits, self.flush(bits, v))
    }
    fn flush(&self, bits: u8, v: u64) -> u64 {
        if !self.controls.flushes(bits) {
            return v;
        }
        let exp_mask = match bits {
            16 => 0x7c00,
            32 => 0x7f80_0000,
            _ => 0x7ff0_0000_0000_0000,
        };
        if v & exp_mask == 0 {
            v & (1 << (bits - 1))
        } else {
            v
        }
    }
    /// Rounds to a float of the operation's size by the float controls.
    pub fn round(&self, x: impl Into<Exact>) -> u64 {
        self.round_to(self.bits, x)
    }
    /// Rounds to a float of `bits` bits by the float controls.
    pub fn round_to(&self, bits: u8, x: impl Into<Exact>) -> u64 {
        let rtz = self.controls.rounding_rtz & size_bit(bits) != 0;
        self.flush(bits, round_float(bits, x.into(), rtz))
    }
    /// Value of a signed operand of the operation's size.
    pub fn signed(&self, v: u64) -> i64 {
        sext(self.bits, v)
    }
    /// Sign bit of the operation's size.
    pub fn sign_bit(&self) -> u64 {
        1 << (self.bits - 1)
    }
    /// Largest signed integer of the operation's size.
    pub fn int_max(&self) -> i64 {
        (self.sign_bit() - 1) as i64
    }
    /// Smallest signed integer of the operation's size.
    pub fn int_min(&self) -> i64 {
        sext(self.bits, self.sign_bit())
    }
    /// An integer as an exact value.
    pub fn exact_int(&self, v: i128) -> Exact {
        let hi = v as f64;
        Exact {
            hi,
            err: (v - hi as i128) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_convert_both_ways() {
        for v in 0..0x1_0000u64 {
            let x = float_value(16, v);
            if !x.is_nan() {
                assert_eq!(round_float(16, x.into(), false), v);
                assert_eq!(round_float(16, x.into(), true), v);
            }
        }
    }

    #[test]
    fn singles_round_as_the_host_does() {
        let mut seed = 1u64;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Exponents around the range of 32 bits.
            let exp = 1023 - 155 + (seed >> 40) % 290;
            let x = f64::from_bits((seed & !(0x7ff << 52)) | (exp << 52));
            assert_eq!(
                round_float(32, x.into(), false),
                u64::from((x as f32).to_bits())
            );
        }
    }

    #[test]
    fn fma_of_halves_rounds_once() {
        // 1.0009765625² + 2^-40 is just above a tie of 16 bits; rounding to f32 first would lose
        // that.
        let a = 1.0 + 2f64.powi(-10);
        let x = fma(a, a, 2f64.powi(-40));
        assert_eq!(round_float(16, x, false), 0x3c02);
        let tie = fma(1.0, 1.0, 2f64.powi(-11));
        assert_eq!(round_float(16, tie, false), 0x3c00);
        let above = fma(1.0, 1.0 + 2f64.powi(-11), 2f64.powi(-70));
        assert_eq!(round_float(16, above, false), 0x3c01);
    }

    #[test]
    fn scale_rounds_once_into_subnormals() {
        assert_eq!(scale(1.0, -1074), f64::from_bits(1));
        assert_eq!(scale(3.0, -1076), f64::from_bits(1));
        assert_eq!(scale(1.0, 1023), 2f64.powi(1023));
        assert_eq!(scale(-0.0, 5000).to_bits(), (-0.0f64).to_bits());
        assert_eq!(scale(1.0, 5000), f64::INFINITY);
        assert_eq!(scale(f64::from_bits(1), 2046), 2f64.powi(2046 - 1074));
    }
}
