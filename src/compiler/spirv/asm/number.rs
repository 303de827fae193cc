//! Literal numbers.

/// The type of a literal number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Int { bits: u32, signed: bool },
    Float { bits: u32 },
}

/// An integer: decimal or 0x hexadecimal, with an optional sign.
pub(super) fn integer(s: &str) -> Option<i128> {
    let (negative, digits) = match s.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, s.strip_prefix('+').unwrap_or(s)),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(d) => (d, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || digits.len() > 24 || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let v = i128::from_str_radix(digits, radix).ok()?;
    Some(if negative { -v } else { v })
}

/// The words of a literal of this type, or a message.
pub(super) fn literal(s: &str, kind: Number) -> Result<Vec<u32>, String> {
    match kind {
        Number::Int { bits, signed } => {
            let Some(v) = integer(s) else {
                return Err(format!("{s} is not an integer"));
            };
            if bits == 0 || bits > 64 {
                return Err(format!("integers of {bits} bits are not supported"));
            }
            let hex = s.contains('x') || s.contains('X');
            let low = if signed || v < 0 {
                -(1i128 << (bits - 1))
            } else {
                0
            };
            let high = if signed && !hex {
                1i128 << (bits - 1)
            } else {
                1i128 << bits
            };
            if v < low || v >= high {
                return Err(format!("{s} does not fit into {bits} bits"));
            }
            let v = if hex && signed && bits < 64 && v >= 1i128 << (bits - 1) {
                v - (1i128 << bits)
            } else {
                v
            };
            Ok(words(v as i64 as u64, bits))
        }
        Number::Float { bits } => float(s, bits)
            .map(|v| words(v, bits))
            .ok_or_else(|| format!("{s} is not a float of {bits} bits")),
    }
}

/// Words of a value, lowest first; values narrower than a word are sign-extended already.
fn words(v: u64, bits: u32) -> Vec<u32> {
    if bits > 32 {
        vec![v as u32, (v >> 32) as u32]
    } else {
        vec![v as u32]
    }
}

fn float(s: &str, bits: u32) -> Option<u64> {
    let (mant_bits, bias) = match bits {
        16 => (10, 15),
        32 => (23, 127),
        64 => (52, 1023),
        _ => return None,
    };
    let (negative, body) = match s.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, s),
    };
    let sign = u64::from(negative) << (bits - 1);
    if let Some(hex) = body.strip_prefix("0x").or(body.strip_prefix("0X")) {
        let (mantissa, exponent) = hex.split_once(['p', 'P'])?;
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.len() + fraction.len() > 16 || whole.len() + fraction.len() == 0 {
            return None;
        }
        let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
        // The exponent of infinity and NaN, whose significand gives the bits.
        if exponent == bias + 1 && whole == "1" {
            let shift = mant_bits - 4 * fraction.len() as i32;
            let f = u64::from_str_radix(&format!("0{fraction}"), 16).ok()?;
            let f = if shift >= 0 { f << shift } else { f >> -shift };
            let inf = (2 * bias as u64 + 1) << mant_bits;
            return Some(sign | inf | f & ((1 << mant_bits) - 1));
        }
        let scale = exponent.checked_sub(4 * fraction.len() as i32)?;
        // Scale in two steps, because the power of two alone may overflow.
        let half = scale.clamp(-2000, 2000) / 2;
        let rest = scale.clamp(-2000, 2000) - half;
        let v = digits as f64 * 2f64.powi(half) * 2f64.powi(rest);
        return Some(sign | narrow(v, bits));
    }
    let v: f64 = body.parse().ok()?;
    if !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    // Parse as 32 bits directly: conversion via 64 bits would round twice.
    if bits == 32 {
        let v: f32 = body.parse().ok()?;
        return Some(sign | u64::from(v.to_bits()));
    }
    Some(sign | narrow(v, bits))
}

fn narrow(v: f64, bits: u32) -> u64 {
    match bits {
        16 => u64::from(half::f16::from_f64(v).to_bits()),
        32 => u64::from((v as f32).to_bits()),
        _ => v.to_bits(),
    }
}
