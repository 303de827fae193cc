//! Formats floating-point immediates as IGA does: with six significant digits if these read back
//! exactly, with seven if those do, else as bits; NaNs with their payload.

/// Formats like `%g` of C, with six significant digits.
fn format_g(x: f64) -> String {
    let scientific = format!("{x:.5e}");
    let (mantissa, exponent) = split_exponent(&scientific);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        let fixed = format!("{x:.decimals$}");
        return trim_zeros(&fixed).to_owned();
    }
    join_exponent(trim_zeros(mantissa), exponent)
}

/// Formats like `%e` of C.
fn format_e(x: f64) -> String {
    let text = format!("{x:.6e}");
    let (mantissa, exponent) = split_exponent(&text);
    join_exponent(mantissa, exponent)
}

fn split_exponent(text: &str) -> (&str, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa, exponent.parse().unwrap_or(0))
}

fn trim_zeros(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

fn join_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Formats `x` in decimal if that reads back exactly; `narrow` rounds a parsed double to the type
/// of the immediate.
fn format_exact(x: f64, narrow: impl Fn(f64) -> f64) -> Option<String> {
    if x.is_infinite() {
        let text = if x < 0.0 { "-inf" } else { "inf" };
        return Some(text.to_owned());
    }
    let same = |text: &str| text.parse().is_ok_and(|y: f64| narrow(y) == x);
    let short = format_g(x);
    if same(&short) {
        let plain = !short.contains(['.', 'e']);
        return Some(if plain { short + ".0" } else { short });
    }
    Some(format_e(x)).filter(|text| same(text))
}

/// Formats a NaN of a format with `mantissa` bits of mantissa.
fn format_nan(bits: u64, mantissa: u32, sign: bool) -> String {
    let quiet = 1 << (mantissa - 1);
    let kind = if bits & quiet != 0 { "qnan" } else { "snan" };
    let minus = if sign { "-" } else { "" };
    format!("{minus}{kind}(0x{:X})", bits & (quiet - 1))
}

/// Formats an F immediate, given its bits.
pub fn format_f32(bits: u32) -> String {
    let x = f32::from_bits(bits);
    if x.is_nan() {
        return format_nan(bits.into(), 23, x.is_sign_negative());
    }
    let narrow = |y: f64| f64::from(y as f32);
    format_exact(x.into(), narrow).unwrap_or_else(|| format!("0x{bits:X}"))
}

/// Formats a DF immediate, given its bits.
pub fn format_f64(bits: u64) -> String {
    let x = f64::from_bits(bits);
    if x.is_nan() {
        return format_nan(bits, 52, x.is_sign_negative());
    }
    format_exact(x, |y| y).unwrap_or_else(|| format!("0x{bits:X}"))
}

/// Formats an HF immediate, given its bits.
pub fn format_f16(bits: u16) -> String {
    let x = half_to_single(bits);
    if x.is_nan() {
        return format_nan(bits.into(), 10, bits & 0x8000 != 0);
    }
    let narrow = |y: f64| f64::from(y as f32);
    format_exact(x.into(), narrow).unwrap_or_else(|| format!("0x{bits:X}"))
}

fn half_to_single(bits: u16) -> f32 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let mantissa = f32::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => mantissa * 2f32.powi(-24),
        31 if mantissa == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        e => (1.0 + mantissa / 1024.0) * 2f32.powi(e - 15),
    };
    sign * magnitude
}

/// The bits of the nearest half, ties to even.
pub fn double_to_half(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    // The unit in the last place depends on the exponent, which for denormals is -14.
    let exponent = ((x.to_bits() >> 52) as i32 - 1023).max(-14);
    let scaled = (x * 2f64.powi(10 - exponent)).round_ties_even();
    if exponent > 15 || scaled >= 2048.0 && exponent == 15 {
        return sign | 0x7c00;
    }
    // A mantissa that was rounded up to 2048 carries into the exponent. Denormals lack the implied
    // bit, which gives exponent 0.
    sign + ((exponent + 14) as u16 * 1024 + scaled as u16)
}
