//! Texels of uncompressed surface formats to values and back.
//!
//! In:  a format, a texel's bytes (or four values). Out: four values as bits: floats for
//!      normalised, scaled and float channels, integers for integer ones (or bytes). Channels that
//!      a format lacks read as 0, alpha as 1.
//! Ref: SKL PRM vol. 2d, "SURFACE_FORMAT" (a name lists channels from bit 0 on); vol. 5, "Common
//!      Surface Formats"; Vulkan, "Conversion from Floating-Point to Normalized Fixed-Point",
//!      "sRGB".

use hw::{ChannelKind, Format};
use std::sync::LazyLock;

/// The colour channel that a channel of a texel stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Index of red, green, blue or alpha.
    Colour(usize),
    Luminance,
    Intensity,
}

/// A channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ChannelLayout {
    target: Target,
    lo: u32,
    bits: u32,
    kind: ChannelKind,
}

/// The conversion that a format uses: special cases are faster, or have no separate channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// Part by part.
    General,
    /// Four bytes, unsigned normalised, with the position of red and blue.
    Bytes { red: usize, blue: usize },
    /// Red, green, blue and alpha, unsigned integers of a byte.
    Integers,
    /// One to four channels of a dword, unconverted.
    Dwords(usize),
    /// R9G9B9E5.
    SharedExponent,
}

/// The bit layout of a texel.
#[derive(Clone, Debug)]
struct Layout {
    parts: Vec<ChannelLayout>,
    srgb: bool,
    integer: bool,
    form: Encoding,
    bytes: usize,
}

/// Layouts by format number.
static LAYOUTS: LazyLock<Vec<Option<Layout>>> = LazyLock::new(|| {
    (0..512)
        .map(|number| Format::by_number(number).and_then(parse_layout))
        .collect()
});

fn find_layout(format: &Format) -> Option<&'static Layout> {
    LAYOUTS.get(usize::from(format.number))?.as_ref()
}

fn parse_kind(token: &str) -> Option<ChannelKind> {
    Some(match token {
        "UNORM" => ChannelKind::Unorm,
        "SNORM" => ChannelKind::Snorm,
        "UINT" => ChannelKind::Uint,
        "SINT" => ChannelKind::Sint,
        "FLOAT" => ChannelKind::Sfloat,
        "USCALED" => ChannelKind::Uscaled,
        "SSCALED" => ChannelKind::Sscaled,
        "SFIXED" => ChannelKind::Sfixed,
        "TYPELESS" => ChannelKind::Void,
        _ => return None,
    })
}

/// Parses channel letters and sizes of a token such as `R10G10B10A2`; `None` for other tokens.
fn parse_channels(token: &str) -> Option<Vec<(u8, u32)>> {
    let mut found: Vec<(u8, u32)> = Vec::new();
    for byte in token.bytes() {
        match (byte, found.last_mut()) {
            (b'R' | b'G' | b'B' | b'A' | b'L' | b'I' | b'X', _) => found.push((byte, 0)),
            (b'0'..=b'9', Some((_, bits))) => *bits = *bits * 10 + u32::from(byte - b'0'),
            _ => return None,
        }
    }
    let whole = !found.is_empty() && found.iter().all(|(_, bits)| (1..=64).contains(bits));
    whole.then_some(found)
}

/// The layout that a format's name tells. None for formats that are compressed, planar, with a
/// palette, of single bits, or passed through.
fn parse_layout(format: &Format) -> Option<Layout> {
    let bytes = usize::from(format.block_bits / 8);
    if format.name == "R9G9B9E5_SHAREDEXP" {
        return Some(Layout {
            parts: Vec::new(),
            srgb: false,
            integer: false,
            form: Encoding::SharedExponent,
            bytes,
        });
    }
    // The small floats with a sign in none of them have an exponent range of their own in this one.
    let peculiar = format.name == "R10G10B10_FLOAT_A2_UNORM" || format.name == "R1_UNORM";
    if format.block_el != [1, 1] || peculiar {
        return None;
    }
    let mut parts: Vec<(u8, ChannelLayout)> = Vec::new();
    let (mut lo, mut untyped, mut srgb) = (0, 0, false);
    for token in format.name.split('_') {
        if let Some(kind) = parse_kind(token) {
            for (_, part) in parts.iter_mut().skip(untyped) {
                part.kind = match (kind, part.bits) {
                    (ChannelKind::Sfloat, 10 | 11) => ChannelKind::Ufloat,
                    _ => kind,
                };
            }
            untyped = parts.len();
        } else if let Some(channels) = parse_channels(token) {
            for (channel_char, bits) in channels {
                let target = match channel_char {
                    b'R' => Target::Colour(0),
                    b'G' => Target::Colour(1),
                    b'B' => Target::Colour(2),
                    b'L' => Target::Luminance,
                    b'I' => Target::Intensity,
                    _ => Target::Colour(3),
                };
                let kind = ChannelKind::Void;
                parts.push((
                    channel_char,
                    ChannelLayout {
                        target,
                        lo,
                        bits,
                        kind,
                    },
                ));
                lo += bits;
            }
        } else if token == "SRGB" {
            srgb = true;
        } else if token != "LD" {
            return None;
        }
    }
    if untyped != parts.len() || parts.is_empty() {
        return None;
    }
    let preserved = parts
        .into_iter()
        .filter(|(channel_char, _)| *channel_char != b'X');
    let parts: Vec<ChannelLayout> = preserved.map(|(_, part)| part).collect();
    let integer = parts
        .iter()
        .any(|p| matches!(p.kind, ChannelKind::Uint | ChannelKind::Sint));
    let form = classify(&parts);
    Some(Layout {
        parts,
        srgb,
        integer,
        form,
        bytes: lo as usize / 8,
    })
}

fn classify(parts: &[ChannelLayout]) -> Encoding {
    let as_is = |(i, p): (usize, &ChannelLayout)| {
        let raw = matches!(
            p.kind,
            ChannelKind::Uint | ChannelKind::Sint | ChannelKind::Sfloat
        );
        raw && p.bits == 32 && p.target == Target::Colour(i) && p.lo == i as u32 * 32
    };
    if parts.iter().enumerate().all(as_is) {
        return Encoding::Dwords(parts.len());
    }
    let integers = |(i, p): (usize, &ChannelLayout)| {
        p.kind == ChannelKind::Uint && p.bits == 8 && p.target == Target::Colour(i)
    };
    if parts.len() == 4 && parts.iter().enumerate().all(integers) {
        return Encoding::Integers;
    }
    let bytes = |p: &ChannelLayout| p.kind == ChannelKind::Unorm && p.bits == 8;
    if parts.len() == 4 && parts.iter().all(bytes) {
        let targets: Vec<_> = parts.iter().map(|p| p.target).collect();
        let order = |of: [usize; 4]| targets == of.map(Target::Colour);
        if order([0, 1, 2, 3]) {
            return Encoding::Bytes { red: 0, blue: 2 };
        }
        if order([2, 1, 0, 3]) {
            return Encoding::Bytes { red: 2, blue: 0 };
        }
    }
    Encoding::General
}

/// Whether [`decode`] and, up to 128 bits, [`encode`] know the format.
pub(crate) fn known(format: &Format) -> bool {
    find_layout(format).is_some()
}

/// Whether a format's values are integers.
pub(crate) fn is_integer(format: &Format) -> bool {
    find_layout(format).is_some_and(|l| l.integer)
}

/// Whether a format's colours are stored by the sRGB curve.
pub(crate) fn is_srgb(format: &Format) -> bool {
    find_layout(format).is_some_and(|l| l.srgb)
}

/// Whether a format's values are normalised: between 0 and 1, or -1 and 1.
pub(crate) fn is_normalised(format: &Format) -> bool {
    let part = |p: &ChannelLayout| matches!(p.kind, ChannelKind::Unorm | ChannelKind::Snorm);
    find_layout(format).is_some_and(|l| l.parts.iter().any(part))
}

/// The channels of a format whose parts are each of one colour, none by a curve: the colour's
/// index, the first bit, how many, and what they mean.
pub(super) fn plain_parts(format: &Format) -> Option<Vec<(usize, u32, u32, ChannelKind)>> {
    let layout = find_layout(format).filter(|l| !l.srgb && l.form != Encoding::SharedExponent)?;
    let each = layout.parts.iter().map(|part| match part.target {
        Target::Colour(channel) => Some((channel, part.lo, part.bits, part.kind)),
        Target::Luminance | Target::Intensity => None,
    });
    each.collect()
}

/// Merges two texels: the `preserved` channels are those of `old`. Luminance and intensity count as
/// red.
pub(crate) fn with_preserved_channels(
    format: &Format,
    texel: [u8; 16],
    old: &[u8; 16],
    preserved: [bool; 4],
) -> [u8; 16] {
    let (new, old) = (u128::from_le_bytes(texel), u128::from_le_bytes(*old));
    let parts = find_layout(format).into_iter().flat_map(|l| &l.parts);
    let mask = parts
        .filter(|part| match part.target {
            Target::Colour(channel) => preserved[channel & 3],
            Target::Luminance | Target::Intensity => preserved[0],
        })
        .fold(0, |mask, part| {
            mask | u128::MAX >> (128 - part.bits) << part.lo
        });
    (new & !mask | old & mask).to_le_bytes()
}

/// Replaces the channels that the format lacks: by 0, alpha by 1.
pub(crate) fn fill_missing_channels(format: &Format, values: [u32; 4]) -> [u32; 4] {
    let name = format.name;
    let has: [bool; 4] = match find_layout(format) {
        Some(layout) if layout.form != Encoding::SharedExponent => std::array::from_fn(|i| {
            layout.parts.iter().any(|part| match part.target {
                Target::Colour(channel) => channel == i,
                Target::Luminance => i < 3,
                Target::Intensity => true,
            })
        }),
        // Compressed formats tell by their names.
        _ if name.starts_with("BC4") || name.ends_with("_R11") => [true, false, false, false],
        _ if name.starts_with("BC5") || name.ends_with("_RG11") => [true, true, false, false],
        _ if name.starts_with("BC6H") => [true, true, true, false],
        _ if name.starts_with("DXT1_RGB") => [true, true, true, false],
        _ if matches!(
            name,
            "ETC1_RGB8" | "ETC2_RGB8" | "ETC2_SRGB8" | "R9G9B9E5_SHAREDEXP"
        ) =>
        {
            [true, true, true, false]
        }
        _ => [true; 4],
    };
    let one = if is_integer(format) { 1 } else { ONE };
    std::array::from_fn(|i| match (has[i], i) {
        (true, _) => values[i],
        (false, 3) => one,
        _ => 0,
    })
}

/// Of formats whose texels share their colour by twos: bytes of the luma of the first and of the
/// second, of blue's and of red's chroma, in the dword of both.
fn shared_chroma(format: &Format) -> Option<[usize; 4]> {
    Some(match format.name {
        "YCRCB_NORMAL" => [0, 2, 1, 3],
        "YCRCB_SWAPUVY" => [1, 3, 2, 0],
        "YCRCB_SWAPUV" => [0, 2, 3, 1],
        "YCRCB_SWAPY" => [1, 3, 0, 2],
        _ => return None,
    })
}

/// Whether texels have to be read by twos: see [`decode_pair`].
pub(crate) fn shares_chroma(format: &Format) -> bool {
    shared_chroma(format).is_some()
}

/// The texel of a dword of two that share their chroma: luma is green.
pub(crate) fn decode_pair(format: &Format, pair: u32, second: bool) -> [u32; 4] {
    let Some([first, last, blue, red]) = shared_chroma(format) else {
        return [0; 4];
    };
    let bytes = pair.to_le_bytes();
    let luma = if second { last } else { first };
    let at = |i: usize| BYTE_VALUES[0][usize::from(bytes[i & 3])];
    [at(red), at(luma), at(blue), ONE]
}

/// Bytes of a texel or of a compressed block.
pub(crate) fn bytes(format: &Format) -> u32 {
    match find_layout(format) {
        Some(layout) => layout.bytes as u32,
        None => u32::from(format.block_bits / 8).max(1),
    }
}

const ONE: u32 = 0x3f80_0000;

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// `bits` bits from bit `lo` on.
fn extract(bytes: &[u8], lo: u32, bits: u32) -> u64 {
    let first = (lo / 8) as usize;
    let mut raw = 0u128;
    for i in 0..(lo % 8 + bits).div_ceil(8) as usize {
        raw |= u128::from(byte(bytes, first + i)) << (8 * i);
    }
    (raw >> (lo % 8)) as u64 & (u64::MAX >> (64 - bits))
}

fn insert(bytes: &mut [u8; 16], lo: u32, bits: u32, value: u64) {
    for i in 0..bits {
        let at = lo + i;
        if let Some(byte) = bytes.get_mut((at / 8) as usize) {
            *byte |= ((value >> i & 1) as u8) << (at % 8);
        }
    }
}

fn sign_extend(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// A value's float from an exponent of five bits and a mantissa.
fn small_float(exponent: u32, mantissa: u32, mantissa_bits: u32) -> f32 {
    let fraction = mantissa as f32 / (1u32 << mantissa_bits) as f32;
    match exponent {
        0 => fraction * f32::powi(2.0, -14),
        31 if mantissa == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * f32::powi(2.0, exponent as i32 - 15),
    }
}

/// Half to float.
pub(crate) fn from_half(half: u16) -> f32 {
    let half = u32::from(half);
    let value = small_float(half >> 10 & 31, half & 0x3ff, 10);
    f32::from_bits(value.to_bits() | half >> 15 << 31)
}

/// Exponent of five bits and mantissa of a magnitude, rounded to nearest even. Too large comes out
/// as infinity.
fn to_small_float(magnitude: f32, mantissa_bits: u32) -> u32 {
    if magnitude.is_nan() {
        return (31 << mantissa_bits) | 1 << (mantissa_bits - 1);
    }
    let infinity = 31 << mantissa_bits;
    if magnitude.is_infinite() {
        return infinity;
    }
    // The exponent's step at this magnitude; below 2^-14 it stays that of denormals.
    let exponent = ((magnitude.to_bits() >> 23) as i32 - 127).max(-14);
    let scale = f64::powi(2.0, mantissa_bits as i32 - exponent);
    let steps = (f64::from(magnitude) * scale).round_ties_even() as u64;
    // With the hidden bit in place a carry into the exponent comes by itself.
    let biased = (exponent + 14) as u64;
    let bits = (biased << mantissa_bits) + steps;
    bits.min(infinity.into()) as u32
}

/// Float to half, rounded to nearest even.
pub(crate) fn to_half(value: f32) -> u16 {
    let sign = (value.to_bits() >> 31) << 15;
    (to_small_float(value.abs(), 10) | sign) as u16
}

/// Float to one without sign: negative values become 0, large finite ones the largest.
fn to_unsigned_float(value: f32, mantissa_bits: u32) -> u32 {
    if value.is_sign_negative() && !value.is_nan() {
        return 0;
    }
    let bits = to_small_float(value, mantissa_bits);
    match value.is_finite() {
        true => bits.min((31 << mantissa_bits) - 1),
        false => bits,
    }
}

/// The sRGB EOTF: from the encoded to the linear value.
pub(crate) fn srgb_to_linear(value: f32) -> f32 {
    match value <= 0.04045 {
        true => value / 12.92,
        false => ((f64::from(value) + 0.055) / 1.055).powf(2.4) as f32,
    }
}

/// The inverse of the sRGB EOTF: from the linear to the encoded value.
pub(crate) fn linear_to_srgb(value: f32) -> f32 {
    match value <= 0.003_130_8 {
        true => value * 12.92,
        false => (1.055 * f64::from(value).powf(1.0 / 2.4) - 0.055) as f32,
    }
}

/// Values of the 256 bytes, as they stand and from sRGB to linear.
static BYTE_VALUES: LazyLock<[[u32; 256]; 2]> = LazyLock::new(|| {
    let plain: [u32; 256] = std::array::from_fn(|i| linear_byte(i as u32));
    let curved = |v: u32| srgb_to_linear(f32::from_bits(v)).to_bits();
    [plain, plain.map(curved)]
});

/// The value of a byte as it stands.
#[inline(always)]
fn linear_byte(byte: u32) -> u32 {
    (byte as i32 as f32 / 255.0).to_bits()
}

/// A channel's value.
fn decode_channel(part: &ChannelLayout, raw: u64, srgb: bool) -> u32 {
    let float = match part.kind {
        ChannelKind::Uint => return raw as u32,
        ChannelKind::Sint => return sign_extend(raw, part.bits) as u32,
        ChannelKind::Unorm => {
            let max = u64::MAX >> (64 - part.bits);
            let value = (raw as f64 / max as f64) as f32;
            match srgb && part.target != Target::Colour(3) {
                true => srgb_to_linear(value),
                false => value,
            }
        }
        ChannelKind::Snorm => {
            let max = (u64::MAX >> (65 - part.bits)) as f64;
            (sign_extend(raw, part.bits) as f64 / max).max(-1.0) as f32
        }
        ChannelKind::Uscaled => raw as f32,
        ChannelKind::Sscaled => sign_extend(raw, part.bits) as f32,
        ChannelKind::Sfixed => (sign_extend(raw, part.bits) as f64 / 65536.0) as f32,
        ChannelKind::Ufloat => {
            let mantissa = part.bits - 5;
            let low = raw as u32 & ((1 << mantissa) - 1);
            small_float(raw as u32 >> mantissa & 31, low, mantissa)
        }
        ChannelKind::Sfloat => match part.bits {
            16 => from_half(raw as u16),
            32 => return raw as u32,
            _ => f64::from_bits(raw) as f32,
        },
        ChannelKind::Raw | ChannelKind::Ufixed | ChannelKind::Void => 0.0,
    };
    float.to_bits()
}

/// The values of a texel: red, green, blue, alpha. Zeros where the format is not [`known`].
pub(crate) fn decode(format: &Format, texel: &[u8]) -> [u32; 4] {
    let Some(layout) = find_layout(format) else {
        return [0; 4];
    };
    let mut out = [0, 0, 0, if layout.integer { 1 } else { ONE }];
    match layout.form {
        Encoding::Bytes { red, blue } => {
            let tables = &*BYTE_VALUES;
            let colour = &tables[usize::from(layout.srgb)];
            let at = |i: usize| usize::from(byte(texel, i));
            out = [
                colour[at(red)],
                colour[at(1)],
                colour[at(blue)],
                tables[0][at(3)],
            ];
        }
        Encoding::Integers => out = [0, 1, 2, 3].map(|i| u32::from(byte(texel, i))),
        Encoding::Dwords(count) => {
            let dwords = texel.as_chunks::<4>().0.iter();
            for (to, from) in out.iter_mut().zip(dwords).take(count) {
                *to = u32::from_le_bytes(*from);
            }
        }
        Encoding::SharedExponent => {
            let raw = extract(texel, 0, 32) as u32;
            let scale = f32::powi(2.0, (raw >> 27) as i32 - 15 - 9);
            for (i, to) in out.iter_mut().take(3).enumerate() {
                *to = ((raw >> (9 * i) & 0x1ff) as f32 * scale).to_bits();
            }
        }
        Encoding::General => {
            for part in &layout.parts {
                let value = decode_channel(part, extract(texel, part.lo, part.bits), layout.srgb);
                match part.target {
                    Target::Colour(i) => out[i & 3] = value,
                    Target::Luminance => out[..3].fill(value),
                    Target::Intensity => out.fill(value),
                }
            }
        }
    }
    out
}

/// To the nearest integer, ties to even, of magnitudes below 2^51: adding 1.5 · 2^52 leaves no bits
/// for the fraction.
fn round_ties_even(value: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    (value + SHIFT).to_bits() as i64 - SHIFT.to_bits() as i64
}

/// A float as a normalised number: clamped, rounded to nearest even; NaN is 0.
fn quantise(value: f32, min: f64, max: f64) -> i64 {
    if value.is_nan() {
        return 0;
    }
    round_ties_even(f64::from(value).max(min).min(1.0) * max)
}

fn encode_channel(part: &ChannelLayout, bits: u32, srgb: bool) -> u64 {
    let mask = u64::MAX >> (64 - part.bits);
    let float = f32::from_bits(bits);
    let half_range = (mask >> 1) as i64;
    match part.kind {
        ChannelKind::Uint => u64::from(bits).min(mask),
        ChannelKind::Sint => {
            let signed = i64::from(bits as i32);
            signed.clamp(-half_range - 1, half_range) as u64 & mask
        }
        ChannelKind::Unorm => {
            let float = match srgb && part.target != Target::Colour(3) {
                true => linear_to_srgb(float.clamp(0.0, 1.0)),
                false => float,
            };
            quantise(float, 0.0, mask as f64) as u64
        }
        ChannelKind::Snorm => quantise(float, -1.0, half_range as f64) as u64 & mask,
        ChannelKind::Uscaled => (f64::from(float).round_ties_even() as u64).min(mask),
        ChannelKind::Sscaled => {
            let rounded = f64::from(float).round_ties_even() as i64;
            rounded.clamp(-half_range - 1, half_range) as u64 & mask
        }
        ChannelKind::Sfixed => {
            let rounded = (f64::from(float) * 65536.0).round_ties_even() as i64;
            rounded.clamp(-half_range - 1, half_range) as u64 & mask
        }
        ChannelKind::Ufloat => to_unsigned_float(float, part.bits - 5).into(),
        ChannelKind::Sfloat => match part.bits {
            16 => to_half(float).into(),
            32 => bits.into(),
            _ => f64::from(float).to_bits(),
        },
        ChannelKind::Raw | ChannelKind::Ufixed | ChannelKind::Void => 0,
    }
}

/// R9G9B9E5 of three floats (Vulkan, "Shared Exponent to RGB").
fn encode_shared_exponent(values: [u32; 4]) -> u32 {
    const MAX: f32 = 511.0 / 512.0 * 65536.0;
    let [r, g, b, _] = values.map(|v| match f32::from_bits(v) {
        value if value.is_nan() => 0.0,
        value => value.clamp(0.0, MAX),
    });
    let largest = r.max(g).max(b);
    let log = (largest.to_bits() >> 23) as i32 - 127;
    let preliminary = log.max(-16) + 1 + 15;
    let steps = |value: f32, exponent: i32| {
        (f64::from(value) / f64::powi(2.0, exponent - 15 - 9) + 0.5).floor() as u32
    };
    let exponent = match steps(largest, preliminary) {
        512 => preliminary + 1,
        _ => preliminary,
    };
    let [r, g, b] = [r, g, b].map(|v| steps(v, exponent).min(511));
    r | g << 9 | b << 18 | (exponent as u32) << 27
}

/// The lowest linear value that encodes to each sRGB byte from 1 on.
static SRGB_THRESHOLDS: LazyLock<[f32; 255]> = LazyLock::new(|| {
    let stored = |v: f32| quantise(linear_to_srgb(v), 0.0, 255.0);
    std::array::from_fn(|i| {
        // Floats between 0 and 1 are in the order of their bits.
        let (mut below, mut there) = (0, ONE);
        while there - below > 1 {
            let middle = below + (there - below) / 2;
            match stored(f32::from_bits(middle)) > i as i64 {
                true => there = middle,
                false => below = middle,
            }
        }
        f32::from_bits(there)
    })
});

/// The byte that stands for a linear value; NaN is 0.
fn srgb_byte(value: f32) -> u8 {
    SRGB_THRESHOLDS.partition_point(|threshold| *threshold <= value) as u8
}

/// Converts colours to texels of a dword and back, many at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packer {
    /// Unsigned normalised bytes, with the bits that red and blue start at.
    Bytes { red: u32, blue: u32, srgb: bool },
    /// Unsigned integers of a byte.
    Integers,
    /// Red as it stands; what alpha is then.
    Dword { one: u32 },
}

impl Packer {
    /// The packer of a format; `None` if only [`encode`] converts it.
    pub fn from_format(format: &Format) -> Option<Packer> {
        let layout = find_layout(format)?;
        match layout.form {
            Encoding::Bytes { red, blue } => Some(Packer::Bytes {
                red: red as u32 * 8,
                blue: blue as u32 * 8,
                srgb: layout.srgb,
            }),
            Encoding::Integers => Some(Packer::Integers),
            Encoding::Dwords(1) => Some(Packer::Dword {
                one: if layout.integer { 1 } else { ONE },
            }),
            _ => None,
        }
    }

    /// What [`decode`] makes of a texel.
    #[inline(always)]
    pub fn unpack(self, texel: u32) -> [u32; 4] {
        let byte = |i: u32| (texel >> (8 * i) & 0xff) as usize;
        let bytes = [byte(0), byte(1), byte(2), byte(3)];
        match self {
            Packer::Bytes { red, blue, srgb } => {
                let tables = &*BYTE_VALUES;
                let colour = &tables[usize::from(srgb)];
                let at = |bit: u32| bytes[(bit / 8) as usize & 3];
                [
                    colour[at(red)],
                    colour[bytes[1]],
                    colour[at(blue)],
                    tables[0][bytes[3]],
                ]
            }
            Packer::Integers => std::array::from_fn(|i| bytes[i] as u32),
            Packer::Dword { one } => [texel, 0, 0, one],
        }
    }

    /// [`Packer::unpack`] of many: their reds, greens, blues and alphas.
    #[inline(always)]
    pub fn unpack_all<const N: usize>(self, texels: &[u32; N]) -> [[u32; N]; 4] {
        let mut all = [[0; N]; 4];
        match self {
            Packer::Integers => {
                for (at, channel) in (0..).step_by(8).zip(&mut all) {
                    for (to, texel) in channel.iter_mut().zip(texels) {
                        *to = texel >> at & 0xff;
                    }
                }
            }
            Packer::Bytes { red, blue, srgb } => {
                let places = [(red, srgb), (8, srgb), (blue, srgb), (24, false)];
                for ((at, srgb), channel) in places.into_iter().zip(&mut all) {
                    let table = srgb.then(|| &BYTE_VALUES[1]);
                    for (to, texel) in channel.iter_mut().zip(texels) {
                        let byte = texel >> at & 0xff;
                        *to = match table {
                            Some(table) => table[byte as usize],
                            None => linear_byte(byte),
                        };
                    }
                }
            }
            Packer::Dword { one } => all = [*texels, [0; N], [0; N], [one; N]],
        }
        all
    }

    /// The texels of some pixels' red, green, blue and alpha: what [`encode`] makes of them.
    #[inline(always)]
    pub fn pack<const N: usize>(self, colours: [&[u32; N]; 4]) -> [u32; N] {
        let (red_at, blue_at, srgb) = match self {
            Packer::Bytes { red, blue, srgb } => (red, blue, srgb),
            Packer::Integers => {
                let mut texels = [0; N];
                for (at, channel) in (0..).step_by(8).zip(colours) {
                    for (texel, value) in texels.iter_mut().zip(channel) {
                        *texel |= (*value).min(255) << at;
                    }
                }
                return texels;
            }
            Packer::Dword { .. } => return *colours[0],
        };
        let mut texels = [0; N];
        let places = [(red_at, srgb), (8, srgb), (blue_at, srgb), (24, false)];
        for ((at, srgb), channel) in places.into_iter().zip(colours) {
            let each = texels.iter_mut().zip(channel);
            match srgb {
                true => {
                    each.for_each(|(to, v)| {
                        *to |= u32::from(srgb_byte(f32::from_bits(*v))) << at;
                    });
                }
                false => each.for_each(|(to, v)| *to |= unorm_byte(f32::from_bits(*v)) << at),
            }
        }
        texels
    }
}

/// [`quantise`] of a byte, in a form that compilers make wide.
#[inline(always)]
fn unorm_byte(value: f32) -> u32 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let above = if value > 0.0 { value } else { 0.0 };
    let clamped = if above < 1.0 { above } else { 1.0 };
    (f64::from(clamped) * 255.0 + SHIFT).to_bits() as u32
}

/// A texel of four values, [`bytes`] of the array. Zeros where the format is not [`known`] or
/// longer than 128 bits. Floats are clamped and rounded to nearest even, integers clamped;
/// luminance and intensity take red.
pub(crate) fn encode(format: &Format, values: [u32; 4]) -> [u8; 16] {
    let mut out = [0; 16];
    let Some(layout) = find_layout(format).filter(|l| l.bytes <= 16) else {
        return out;
    };
    match layout.form {
        Encoding::Bytes { red, blue } => {
            let linear = |bits: u32| quantise(f32::from_bits(bits), 0.0, 255.0) as u8;
            let curved = |bits: u32| match layout.srgb {
                true => srgb_byte(f32::from_bits(bits)),
                false => linear(bits),
            };
            out[red & 3] = curved(values[0]);
            out[1] = curved(values[1]);
            out[blue & 3] = curved(values[2]);
            out[3] = linear(values[3]);
        }
        Encoding::Integers => {
            for (to, from) in out.iter_mut().zip(values) {
                *to = from.min(255) as u8;
            }
        }
        Encoding::Dwords(count) => {
            let dwords = out.as_chunks_mut::<4>().0.iter_mut();
            for (to, from) in dwords.zip(values).take(count) {
                *to = from.to_le_bytes();
            }
        }
        Encoding::SharedExponent => {
            out[..4].copy_from_slice(&encode_shared_exponent(values).to_le_bytes());
        }
        Encoding::General => {
            for part in &layout.parts {
                let from = match part.target {
                    Target::Colour(i) => values[i & 3],
                    Target::Luminance | Target::Intensity => values[0],
                };
                insert(
                    &mut out,
                    part.lo,
                    part.bits,
                    encode_channel(part, from, layout.srgb),
                );
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
