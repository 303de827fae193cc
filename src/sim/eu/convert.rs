//! Conversions of the interpreter: element bits to numbers, and results to element bits.
//!
//! In:  element bits and their type, or a result. Out: a number, or element bits, with rounding,
//!      denormal mode and saturation. Integers are exact. A float result is the nearest double and
//!      the sign of its error; rounded to odd, it can be rounded once more to F or HF, in any mode,
//!      with the same outcome as the exact result.
//! Ref: SKL PRM vol. 7, "Floating Point Modes", "Type Conversion", "Rounding Mode", "Saturate".

use isa::Type;

/// Rounding mode, cr0.0 bits 5:4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundingMode {
    Even,
    Up,
    Down,
    Zero,
}

/// The floating-point state of cr0.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FpMode {
    pub(crate) round: RoundingMode,
    pub(crate) keep_hf_denorms: bool,
    pub(crate) keep_f_denorms: bool,
    pub(crate) keep_df_denorms: bool,
    /// Alternate (ALT) mode of single-precision floats: results are never infinities or NaNs.
    pub(crate) alternate: bool,
}

impl FpMode {
    pub(crate) fn from_cr0(cr0: u32) -> FpMode {
        FpMode {
            round: match (cr0 >> 4) & 3 {
                0 => RoundingMode::Even,
                1 => RoundingMode::Up,
                2 => RoundingMode::Down,
                _ => RoundingMode::Zero,
            },
            keep_df_denorms: cr0 & (1 << 6) != 0,
            keep_f_denorms: cr0 & (1 << 7) != 0,
            keep_hf_denorms: cr0 & (1 << 10) != 0,
            alternate: cr0 & 1 != 0,
        }
    }
}

/// An operand or result of the interpreter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// An exact integer.
    Int(i128),
    /// A double x, and the sign of (exact value − x): −1, 0, 1.
    Float(f64, i8),
}

impl Value {
    pub(crate) fn int(self) -> i128 {
        match self {
            Value::Int(v) => v,
            Value::Float(v, _) => v as i128,
        }
    }
    pub(crate) fn float(self) -> f64 {
        match self {
            Value::Int(v) => v as f64,
            Value::Float(v, _) => v,
        }
    }
}

/// Sign- or zero-extends the low bits of an integer element.
pub(crate) fn int_from_bits(bits: u64, ty: Type) -> i128 {
    match ty {
        Type::Ub => i128::from(bits as u8),
        Type::B => i128::from(bits as i8),
        Type::Uw | Type::Uv => i128::from(bits as u16),
        Type::W | Type::V => i128::from(bits as i16),
        Type::Ud => i128::from(bits as u32),
        Type::D => i128::from(bits as i32),
        Type::Uq => i128::from(bits),
        _ => i128::from(bits as i64),
    }
}

/// Converts a half to a double, exactly.
pub(crate) fn half_to_f64(h: u16) -> f64 {
    let sign = if h & 0x8000 != 0 { -1.0 } else { 1.0 };
    let e = i32::from((h >> 10) & 0x1f);
    let m = f64::from(h & 0x3ff);
    match e {
        0 => sign * m * pow2(-24),
        31 if h & 0x3ff != 0 => f64::from_bits(
            (u64::from(h & 0x8000) << 48) | 0x7ff8 << 48 | u64::from(h & 0x3ff) << 42,
        ),
        31 => sign * f64::INFINITY,
        _ => sign * (1.0 + m * pow2(-10)) * pow2(e - 15),
    }
}

/// 2^e for e in the normal range of a double.
pub(crate) fn pow2(e: i32) -> f64 {
    f64::from_bits(((e + 1023).clamp(1, 2046) as u64) << 52)
}

/// Converts a float element to a double; denormals are flushed according to the mode.
pub(crate) fn float_from_bits(bits: u64, ty: Type, mode: &FpMode) -> f64 {
    match ty {
        Type::Hf => {
            let h = bits as u16;
            if h & 0x7c00 == 0 && !mode.keep_hf_denorms {
                return if h & 0x8000 != 0 { -0.0 } else { 0.0 };
            }
            half_to_f64(h)
        }
        Type::F | Type::Vf => f32_from_bits(bits as u32, mode.keep_f_denorms),
        _ => {
            if bits & (0x7ff << 52) == 0 && !mode.keep_df_denorms {
                return f64::from_bits(bits & (1 << 63));
            }
            f64::from_bits(bits)
        }
    }
}

fn f32_from_bits(b: u32, keep: bool) -> f64 {
    if b & 0x7f80_0000 == 0 && !keep {
        return f64::from(f32::from_bits(b & 0x8000_0000));
    }
    f64::from(f32::from_bits(b))
}

/// Rounds to odd: sets the last bit of the result if the exact value is not representable.
pub(crate) fn round_to_odd(v: f64, err: i8) -> f64 {
    if err == 0 || v == 0.0 || !v.is_finite() {
        return v;
    }
    let b = v.to_bits();
    let away = (err > 0) == (v > 0.0);
    f64::from_bits(if away { b | 1 } else { (b - 1) | 1 })
}

/// Parameters of a binary format narrower than double.
struct FloatFormat {
    mant: i32,
    emin: i32,
    max: f64,
}
const F32: FloatFormat = FloatFormat {
    mant: 23,
    emin: -126,
    max: f32::MAX as f64,
};
const F16: FloatFormat = FloatFormat {
    mant: 10,
    emin: -14,
    max: 65504.0,
};

/// Rounds a double, itself rounded to odd, to a narrower format.
fn round_to_format(x: f64, f: &FloatFormat, mode: RoundingMode) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let e = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(f.emin);
    let q = x * pow2(f.mant - e);
    let r = match mode {
        RoundingMode::Even => q.round_ties_even(),
        RoundingMode::Up => q.ceil(),
        RoundingMode::Down => q.floor(),
        RoundingMode::Zero => q.trunc(),
    };
    let y = (r * pow2(e - f.mant)).copysign(x);
    if y.abs() > f.max {
        let inf = match mode {
            RoundingMode::Even => true,
            RoundingMode::Up => x > 0.0,
            RoundingMode::Down => x < 0.0,
            RoundingMode::Zero => false,
        };
        return if inf { f64::INFINITY } else { f.max }.copysign(x);
    }
    y
}

/// Rounds a double with its error's sign to F.
pub(crate) fn round_f32(v: f64, err: i8, mode: RoundingMode) -> f32 {
    round_to_format(round_to_odd(v, err), &F32, mode) as f32
}

/// Rounds a double with its error's sign to the bits of an HF.
pub(crate) fn round_f16(v: f64, err: i8, mode: RoundingMode) -> u16 {
    let y = round_to_format(round_to_odd(v, err), &F16, mode);
    let sign = ((y.to_bits() >> 48) & 0x8000) as u16;
    if y.is_nan() {
        return sign | 0x7e00 | ((y.to_bits() >> 42) & 0x3ff) as u16;
    }
    if y.is_infinite() {
        return sign | 0x7c00;
    }
    let a = y.abs();
    if a < pow2(-14) {
        return sign | (a * pow2(24)) as u16;
    }
    let e = ((a.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    sign | (((e + 15) as u16) << 10) | ((a.to_bits() >> 42) & 0x3ff) as u16
}

/// Rounds to DF: corrects the nearest double by the sign of its error, for directed modes.
pub(crate) fn round_f64(v: f64, err: i8, mode: RoundingMode) -> f64 {
    let up = match mode {
        RoundingMode::Even => return v,
        RoundingMode::Up => true,
        RoundingMode::Down => false,
        RoundingMode::Zero => v < 0.0,
    };
    match (up, err) {
        (true, 1) => v.next_up(),
        (false, -1) => v.next_down(),
        _ => v,
    }
}

/// Inclusive range of an integer type.
pub(crate) fn int_range(ty: Type) -> (i128, i128) {
    match ty {
        Type::Ub => (0, 0xff),
        Type::B => (-0x80, 0x7f),
        Type::Uw | Type::Uv => (0, 0xffff),
        Type::W | Type::V => (-0x8000, 0x7fff),
        Type::Ud => (0, 0xffff_ffff),
        Type::D => (-0x8000_0000, 0x7fff_ffff),
        Type::Uq => (0, i128::from(u64::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    }
}

/// An element of the destination type, with the properties that conditional modifiers test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) bits: u64,
    pub(crate) zero: bool,
    pub(crate) neg: bool,
    pub(crate) nan: bool,
    pub(crate) overflow: bool,
}

impl Element {
    /// An element of given bits.
    pub(crate) fn of_bits(bits: u64, ty: Type) -> Element {
        let all = FpMode {
            round: RoundingMode::Even,
            keep_hf_denorms: true,
            keep_f_denorms: true,
            keep_df_denorms: true,
            alternate: false,
        };
        if ty.is_float() {
            let v = float_from_bits(bits, ty, &all);
            Element {
                bits,
                zero: v == 0.0,
                neg: v < 0.0,
                nan: v.is_nan(),
                overflow: v.is_infinite(),
            }
        } else {
            let v = int_from_bits(bits, ty);
            Element {
                bits,
                zero: v == 0,
                neg: v < 0,
                nan: false,
                overflow: false,
            }
        }
    }
}

/// Converts a result to the destination's type.
pub(crate) fn convert(v: Value, ty: Type, sat: bool, mode: &FpMode) -> Element {
    match (v, ty.is_float()) {
        (Value::Int(i), false) => int_to_int(i, ty, sat),
        (Value::Float(f, _), false) => {
            // The caller has rounded to the execution type; the conversion itself truncates.
            let (lo, hi) = int_range(ty);
            let i = if f.is_nan() { 0 } else { f as i128 };
            let mut out = int_to_int(i.clamp(lo, hi), ty, sat);
            out.overflow = f.is_nan() || i < lo || i > hi;
            out
        }
        (Value::Int(i), true) => {
            let (v, err) = int_to_f64(i);
            float_element(v, err, ty, sat, mode)
        }
        (Value::Float(f, err), true) => float_element(f, err, ty, sat, mode),
    }
}

fn int_to_int(i: i128, ty: Type, sat: bool) -> Element {
    let (lo, hi) = int_range(ty);
    let overflow = i < lo || i > hi;
    let r = if sat { i.clamp(lo, hi) } else { i };
    let bits = match ty.size_bytes() {
        1 => u64::from(r as u8),
        2 => u64::from(r as u16),
        4 => u64::from(r as u32),
        _ => r as u64,
    };
    let mut out = Element::of_bits(bits, ty);
    out.overflow = overflow;
    out
}

/// The double nearest to an integer, and the sign of its error.
fn int_to_f64(i: i128) -> (f64, i8) {
    let v = i as f64;
    (v, (i - v as i128).signum() as i8)
}

fn float_element(v: f64, err: i8, ty: Type, sat: bool, mode: &FpMode) -> Element {
    let bits = match ty {
        Type::Hf => {
            let mut h = round_f16(v, err, mode.round);
            if h & 0x7c00 == 0 && !mode.keep_hf_denorms {
                h &= 0x8000;
            }
            if sat {
                h = match half_to_f64(h) {
                    x if x.is_nan() || x <= 0.0 => 0,
                    x if x > 1.0 => 0x3c00,
                    _ => h,
                };
            }
            u64::from(h)
        }
        Type::Df | Type::Nf => {
            let mut d = round_f64(v, err, mode.round);
            if d.is_subnormal() && !mode.keep_df_denorms {
                d = 0f64.copysign(d);
            }
            if sat {
                d = if d > 0.0 { d.min(1.0) } else { 0.0 };
            }
            d.to_bits()
        }
        _ => {
            let mut f = round_f32(v, err, mode.round);
            if f.is_subnormal() && !mode.keep_f_denorms {
                f = 0f32.copysign(f);
            }
            if mode.alternate && !f.is_finite() {
                f = if f.is_nan() {
                    0.0
                } else {
                    f32::MAX.copysign(f)
                };
            }
            if sat {
                f = if f > 0.0 { f.min(1.0) } else { 0.0 };
            }
            u64::from(f.to_bits())
        }
    };
    Element::of_bits(bits, ty)
}

/// A result that is an infinity or NaN, with the sign of its error: from finite operands the exact
/// result is finite, so an infinity is too far from zero.
fn non_finite_result(v: f64, operands: &[f64]) -> (f64, i8) {
    let overflow = v.is_infinite() && operands.iter().all(|x| x.is_finite());
    (v, if overflow { -sign(v) } else { 0 })
}

/// a + b as a double, and the sign of its error.
pub(crate) fn add_exact(a: f64, b: f64) -> (f64, i8) {
    let s = a + b;
    if !s.is_finite() {
        return non_finite_result(s, &[a, b]);
    }
    let bb = s - a;
    let e = (a - (s - bb)) + (b - bb);
    (s, sign(e))
}

/// a · b as a double, and the sign of its error.
pub(crate) fn mul_exact(a: f64, b: f64) -> (f64, i8) {
    let p = a * b;
    if !p.is_finite() {
        return non_finite_result(p, &[a, b]);
    }
    (p, sign(a.mul_add(b, -p)))
}

/// a · b + c, rounded once, and the sign of its error.
pub(crate) fn fma_exact(a: f64, b: f64, c: f64) -> (f64, i8) {
    let s = a.mul_add(b, c);
    if !s.is_finite() {
        return non_finite_result(s, &[a, b, c]);
    }
    let p = a * b;
    let pe = a.mul_add(b, -p);
    // Two-sum of the rounded product and c; the remainder is the distance from s.
    let h = p + c;
    let hb = h - p;
    let l = (p - (h - hb)) + (c - hb);
    (s, sign((h - s) + l + pe))
}

pub(crate) fn sign(e: f64) -> i8 {
    if e > 0.0 {
        1
    } else if e < 0.0 {
        -1
    } else {
        0
    }
}

#[cfg(test)]
mod tests;
