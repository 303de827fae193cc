//! Numbers as the script language reads them.

/// The characters at the start of `text` that belong to an integer: sign, digits, hex digits.
fn integer_len(text: &str) -> usize {
    let sign = usize::from(text.starts_with(['+', '-']));
    let rest = &text[sign..];
    let prefix = if rest.starts_with("0x") || rest.starts_with("0X") {
        2
    } else {
        0
    };
    let digits = rest[prefix..]
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(rest.len() - prefix);
    sign + prefix + digits
}

/// Reads an integer of `bits` bits (8..=64) at the start of `text`: decimal, 0octal or 0xhex.
/// Returns its bit pattern and the rest. `None` where there is none, or it does not fit.
pub fn integer(text: &str, bits: u32, signed: bool) -> Option<(u64, &str)> {
    let text = text.trim_start_matches([' ', '\t']);
    let len = integer_len(text);
    let (word, rest) = text.split_at(len);
    let (negative, digits) = match word.as_bytes().first() {
        Some(b'-') => (true, &word[1..]),
        Some(b'+') => (false, &word[1..]),
        _ => (false, word),
    };
    let (radix, digits) = if let Some(hex) = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        (16, hex)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (8, &digits[1..])
    } else {
        (10, digits)
    };
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    let mask = if bits == 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    };
    if !signed {
        return (!negative && magnitude <= mask).then_some((magnitude, rest));
    }
    let max = mask >> 1;
    if negative {
        (magnitude <= max + 1).then_some((magnitude.wrapping_neg() & mask, rest))
    } else {
        (magnitude <= max).then_some((magnitude, rest))
    }
}

/// Reads a floating-point number at the start of `text` and returns its bit pattern in `bits` (16,
/// 32, 64) bits, and the rest. `0x…` is the bit pattern itself.
pub fn float(text: &str, bits: u32) -> Option<(u64, &str)> {
    let text = text.trim_start_matches([' ', '\t']);
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let len = hex
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(hex.len());
        let pattern = u64::from_str_radix(&hex[..len], 16).ok()?;
        let fits = bits == 64 || pattern >> bits == 0;
        return fits.then_some((pattern, &hex[len..]));
    }
    let len = float_len(text)?;
    let (word, rest) = text.split_at(len);
    let pattern = match bits {
        64 => word.parse::<f64>().ok()?.to_bits(),
        32 => word.parse::<f32>().ok()?.to_bits().into(),
        _ => half_truncated(word.parse::<f32>().ok()?).into(),
    };
    Some((pattern, rest))
}

fn float_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = usize::from(text.starts_with(['+', '-']));
    for name in ["infinity", "inf", "nan"] {
        if bytes
            .get(at..at + name.len())
            .is_some_and(|w| w.eq_ignore_ascii_case(name.as_bytes()))
        {
            return Some(at + name.len());
        }
    }
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits((at + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    Some(at)
}

/// Half float by cutting the mantissa off, as VkRunner does; see the language's section on numbers.
fn half_truncated(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let mantissa = bits & 0x7f_ffff;
    let magnitude = match exponent {
        128 if mantissa != 0 => 0x7c01,
        16.. => 0x7c00,
        -14..=15 => ((exponent + 15) as u16) << 10 | (mantissa >> 13) as u16,
        -24..=-15 => ((mantissa | 0x80_0000) >> (-exponent - 1)) as u16,
        _ => 0,
    };
    sign | magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_check_range_and_radix() {
        assert_eq!(integer(" 0x10 z", 32, false), Some((16, " z")));
        assert_eq!(integer("010", 32, false), Some((8, "")));
        assert_eq!(integer("-1", 32, true), Some((0xffff_ffff, "")));
        assert_eq!(integer("-128", 8, true), Some((0x80, "")));
        for (text, bits, signed) in [
            ("08", 32, false),
            ("12ab", 32, false),
            ("-1", 32, false),
            ("0xffffffff", 32, true),
            ("256", 8, false),
            ("", 32, false),
        ] {
            assert_eq!(integer(text, bits, signed), None, "{text}");
        }
    }

    #[test]
    fn floats_take_patterns_names_and_exponents() {
        assert_eq!(float("1.5e1,", 32), Some((15f32.to_bits().into(), ",")));
        assert_eq!(float("0x7fc00000", 32), Some((0x7fc0_0000, "")));
        assert_eq!(float("-INF)", 64), Some((f64::NEG_INFINITY.to_bits(), ")")));
        assert_eq!(float(".5", 32), Some((0.5f32.to_bits().into(), "")));
        assert_eq!(float("x", 32), None);
        assert_eq!(float("0x1ffff", 16), None);
    }

    #[test]
    fn halves_are_truncated() {
        for (value, half) in [
            (1.0, 0x3c00),
            (1.999_999_9, 0x3fff),
            (65536.0, 0x7c00),
            (5.960_464_5e-8, 1),
            (2.9e-8, 0),
            (6.0e-5, 0x03ee),
            (-2.0, 0xc000),
        ] {
            assert_eq!(half_truncated(value), half, "{value}");
        }
    }
}
