//! Floating-point immediates as IGA writes them: six significant digits where these read back exactly, seven where
//! those do, else the bits; NaNs with their payload.

/// What C's `%g` prints with six significant digits.
fn general(x: f64) -> String {
    let scientific = format!("{x:.5e}");
    let (mantissa, exponent) = split(&scientific);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        let fixed = format!("{x:.decimals$}");
        return trim(&fixed).to_owned();
    }
    with_exponent(trim(mantissa), exponent)
}

/// What C's `%e` prints.
fn scientific(x: f64) -> String {
    let text = format!("{x:.6e}");
    let (mantissa, exponent) = split(&text);
    with_exponent(mantissa, exponent)
}

fn split(text: &str) -> (&str, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa, exponent.parse().unwrap_or(0))
}

fn trim(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// `x` in decimal if that reads back to the same; `narrow` is what reading does after parsing a double.
fn exact(x: f64, narrow: impl Fn(f64) -> f64) -> Option<String> {
    if x.is_infinite() {
        let text = if x < 0.0 { "-inf" } else { "inf" };
        return Some(text.to_owned());
    }
    let same = |text: &str| text.parse().is_ok_and(|y: f64| narrow(y) == x);
    let short = general(x);
    if same(&short) {
        let plain = !short.contains(['.', 'e']);
        return Some(if plain { short + ".0" } else { short });
    }
    Some(scientific(x)).filter(|text| same(text))
}

/// A NaN of a format with this many bits of mantissa.
fn nan(bits: u64, mantissa: u32, sign: bool) -> String {
    let quiet = 1 << (mantissa - 1);
    let kind = if bits & quiet != 0 { "qnan" } else { "snan" };
    let minus = if sign { "-" } else { "" };
    format!("{minus}{kind}(0x{:X})", bits & (quiet - 1))
}

/// A single's bits.
pub fn format_f32(bits: u32) -> String {
    let x = f32::from_bits(bits);
    if x.is_nan() {
        return nan(bits.into(), 23, x.is_sign_negative());
    }
    let narrow = |y: f64| f64::from(y as f32);
    exact(x.into(), narrow).unwrap_or_else(|| format!("0x{bits:X}"))
}

/// A double's bits.
pub fn format_f64(bits: u64) -> String {
    let x = f64::from_bits(bits);
    if x.is_nan() {
        return nan(bits, 52, x.is_sign_negative());
    }
    exact(x, |y| y).unwrap_or_else(|| format!("0x{bits:X}"))
}

/// A half's bits.
pub fn format_f16(bits: u16) -> String {
    let x = half_to_single(bits);
    if x.is_nan() {
        return nan(bits.into(), 10, bits & 0x8000 != 0);
    }
    let narrow = |y: f64| f64::from(y as f32);
    exact(x.into(), narrow).unwrap_or_else(|| format!("0x{bits:X}"))
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

/// The nearest half, ties to even.
pub fn half_from(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    // The last bit's weight: that of the binade, but never under the denormals'.
    let exponent = ((x.to_bits() >> 52) as i32 - 1023).max(-14);
    let scaled = (x * 2f64.powi(10 - exponent)).round_ties_even();
    if exponent > 15 || scaled >= 2048.0 && exponent == 15 {
        return sign | 0x7c00;
    }
    // A mantissa of 2048 carries into the exponent by itself; denormals have the implied bit missing.
    sign + ((exponent + 14) as u16 * 1024 + scaled as u16)
}
