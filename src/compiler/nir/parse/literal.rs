//! Constants in text.

use crate::fold;

/// Parses a constant of `bits` bits: decimal, hexadecimal, `true`, `false`, or a float (with a
/// point, `inf` or `nan`). Returns its bit pattern, or `None` if `w` is no such constant.
pub fn parse_bits(w: &str, bits: u8) -> Option<u64> {
    match w {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (negative, digits) = match w.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, w),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()?
    } else if digits.contains('.') || matches!(digits, "inf" | "nan") {
        if !matches!(bits, 16 | 32 | 64) {
            return None;
        }
        let x: f64 = w.parse().ok()?;
        return Some(fold::round_float(bits, x.into(), false));
    } else {
        digits.parse::<u64>().ok()?
    };
    let value = if negative {
        value.wrapping_neg()
    } else {
        value
    };
    if !negative && value & !fold::mask(bits) != 0 {
        return None;
    }
    Some(value & fold::mask(bits))
}
