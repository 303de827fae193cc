//! Conversion of clear values to texels.
//!
//! In:  a format, and a value as Vulkan gives it. Out: the bytes of an element.
//! Ref: Vulkan specification, "Conversion from Floating-Point to Normalized Fixed-Point",
//!      "Floating-Point Format Conversions", "sRGB"; SKL PRM vol. 2d, "SURFACE_FORMAT" (a name
//!      lists channels from bit 0 up).

use ash::vk as api;
use cmd::image::ChannelSelect;
use smallvec::SmallVec;

use crate::format::{Format, channels};

/// The bytes of an element.
pub type Texel = SmallVec<[u8; 16]>;

/// Encoding of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unorm,
    Snorm,
    Integer,
    Float,
}

/// Rounds to a float with `exponent` and `mantissa` bits, ties to even; `signed` adds a sign bit.
fn small_float(value: f32, exponent: u32, mantissa: u32, signed: bool) -> u32 {
    let sign = if signed && value.is_sign_negative() {
        1 << (exponent + mantissa)
    } else {
        0
    };
    let infinity = ((1 << exponent) - 1) << mantissa;
    if value.is_nan() {
        return sign | infinity | 1 << (mantissa - 1);
    }
    if !signed && value < 0.0 {
        return 0;
    }
    let bias = (1 << (exponent - 1)) - 1;
    // In units of the last place of the value's binade, or of the subnormals.
    let magnitude = f64::from(value.abs());
    let binade = (magnitude.to_bits() >> 52) as i32 - 1023;
    let ulp = binade.max(1 - bias) - mantissa as i32;
    let units = (magnitude * (f64::from(-ulp)).exp2()).round_ties_even();
    let lowest = (1 - bias) - mantissa as i32;
    // A carry out of the mantissa increments the exponent.
    let steps = (ulp - lowest) as u64;
    let bits = (steps << mantissa) as f64 + units;
    sign | if bits >= f64::from(infinity) {
        infinity
    } else {
        bits as u32
    }
}

/// Encodes E5B9G9R9: nine bits of each channel, and a shared exponent.
fn shared_exponent(rgb: [f32; 3]) -> u32 {
    const MAX: f32 = 65408.0;
    let rgb = rgb.map(|value| if value > 0.0 { value.min(MAX) } else { 0.0 });
    let largest = rgb.into_iter().fold(0.0, f32::max);
    let binade = ((largest.to_bits() >> 23) as i32 - 127).max(-16);
    let mut exponent = binade + 16;
    let scale = |exponent: i32| (exponent as f32 - 24.0).exp2();
    if (largest / scale(exponent)).round() >= 512.0 {
        exponent += 1;
    }
    let parts = rgb.map(|value| (value / scale(exponent)).round() as u32);
    parts[0] | parts[1] << 9 | parts[2] << 18 | (exponent as u32) << 27
}

fn to_srgb(linear: f32) -> f32 {
    // `max` replaces NaN by zero.
    let linear = linear.max(0.0);
    if linear < 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * linear.min(1.0).powf(1.0 / 2.4) - 0.055
    }
}

/// Encodes a value as normalised fixed point.
fn normalised(value: f32, bits: u32, signed: bool) -> u32 {
    let value = f64::from(if value.is_nan() { 0.0 } else { value });
    let max = f64::from((1u32 << (bits - u32::from(signed))).wrapping_sub(1));
    let min = if signed { -1.0 } else { 0.0 };
    let rounded = (value.clamp(min, 1.0) * max).round();
    rounded as i64 as u32
}

/// Converts a clear value to an element of a colour format.
pub fn colour(format: &Format, value: &[u32; 4]) -> Texel {
    let name = format.hw.name;
    let float = value.map(f32::from_bits);
    if name == "R9G9B9E5_SHAREDEXP" {
        return SmallVec::from_slice(
            &shared_exponent([float[0], float[1], float[2]]).to_le_bytes(),
        );
    }
    let srgb = name.ends_with("_SRGB");
    let kind = match name {
        name if name.contains("UINT") || name.contains("SINT") => Kind::Integer,
        name if name.contains("FLOAT") => Kind::Float,
        name if name.contains("SNORM") => Kind::Snorm,
        _ => Kind::Unorm,
    };
    let (mut word, mut at) = (0u128, 0);
    for (channel_char, bits) in channels(name) {
        let channel = match channel_char {
            b'R' | b'L' => Some(ChannelSelect::Red),
            b'G' => Some(ChannelSelect::Green),
            b'B' => Some(ChannelSelect::Blue),
            b'A' => Some(ChannelSelect::Alpha),
            _ => None,
        };
        // The component that the channel is read as.
        let component = format
            .swizzle
            .iter()
            .position(|select| Some(*select) == channel);
        let bits_value = component.map_or(0, |component| {
            let number = match component {
                0..3 if srgb => to_srgb(float[component]),
                _ => float[component],
            };
            match (kind, bits) {
                (Kind::Integer, _) => value[component],
                (Kind::Unorm, _) => normalised(number, bits, false),
                (Kind::Snorm, _) => normalised(number, bits, true),
                (Kind::Float, 16) => small_float(number, 5, 10, true),
                (Kind::Float, 10 | 11) => small_float(number, 5, bits - 5, false),
                (Kind::Float, _) => value[component],
            }
        });
        let mask = u32::MAX >> (32 - bits.clamp(1, 32));
        word |= u128::from(bits_value & mask) << at;
        at += bits;
    }
    SmallVec::from_slice(
        word.to_le_bytes()
            .get(..at as usize / 8)
            .unwrap_or_default(),
    )
}

/// Converts a clear value to the clear colour of a surface state: four values of the format's type,
/// in its range. Returns `None` for swizzled formats, and for formats that have no such encoding.
pub fn clear_colour(format: &Format, value: &[u32; 4]) -> Option<[u32; 4]> {
    let name = format.hw.name;
    if format.swizzle != cmd::image::IDENTITY_SWIZZLE || name == "R9G9B9E5_SHAREDEXP" {
        return None;
    }
    let integer = name.contains("UINT") || name.contains("SINT");
    let has = |wanted: u8| channels(name).iter().any(|at| at.0 == wanted);
    let one = if integer { 1 } else { 1_f32.to_bits() };
    let mut all = *value;
    for ((place, channel_char), absent) in all.iter_mut().zip(*b"RGBA").zip([0, 0, 0, one]) {
        let number = f32::from_bits(*place);
        *place = match has(channel_char) {
            false => absent,
            true if integer => *place,
            true if name.contains("SNORM") => number.clamp(-1.0, 1.0).to_bits(),
            // Small floats are unsigned.
            true if name == "R11G11B10_FLOAT" => number.max(0.0).to_bits(),
            true if name.contains("FLOAT") => *place,
            true => number.clamp(0.0, 1.0).to_bits(),
        };
    }
    let finite = integer || all.iter().all(|&word| f32::from_bits(word).is_finite());
    finite.then_some(all)
}

/// Converts a depth or stencil value to an element of an aspect.
pub fn depth_stencil(format: &hw::Format, value: &api::ClearDepthStencilValue) -> Texel {
    match format.name {
        "R16_UNORM" => {
            SmallVec::from_slice(&(normalised(value.depth, 16, false) as u16).to_le_bytes())
        }
        "R24_UNORM_X8_TYPELESS" => {
            SmallVec::from_slice(&normalised(value.depth, 24, false).to_le_bytes())
        }
        "R32_FLOAT" => SmallVec::from_slice(&value.depth.to_le_bytes()),
        _ => SmallVec::from_slice(&[value.stencil as u8]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::find;
    use ash::vk::Format as F;

    fn bytes(format: F, value: [f32; 4]) -> Vec<u8> {
        colour(find(format).unwrap(), &value.map(f32::to_bits)).to_vec()
    }

    fn integers(format: F, value: [u32; 4]) -> Vec<u8> {
        colour(find(format).unwrap(), &value).to_vec()
    }

    #[test]
    fn channels_are_where_vulkan_defines_them() {
        let value = [1.0, 0.5, 0.0, 0.25];
        assert_eq!(bytes(F::R8G8B8A8_UNORM, value), [255, 128, 0, 64]);
        assert_eq!(bytes(F::B8G8R8A8_UNORM, value), [0, 128, 255, 64]);
        assert_eq!(bytes(F::R8G8B8_UNORM, value), [255, 128, 0]);
        // Packed formats start at the top bit: red 31, green 32, blue 0.
        assert_eq!(bytes(F::R5G6B5_UNORM_PACK16, value), [0, 0xfc]);
        assert_eq!(bytes(F::B5G6R5_UNORM_PACK16, value), [0x1f, 0x04]);
        assert_eq!(bytes(F::R4G4B4A4_UNORM_PACK16, value), [0x04, 0xf8]);
        assert_eq!(bytes(F::B4G4R4A4_UNORM_PACK16, value), [0xf4, 0x08]);
        assert_eq!(
            bytes(F::A2B10G10R10_UNORM_PACK32, value),
            (1u32 << 30 | 512 << 10 | 1023).to_le_bytes()
        );
        assert_eq!(bytes(F::R8G8_SNORM, [-1.0, 0.5, 0.0, 0.0]), [129, 64]);
        assert_eq!(
            integers(F::R16G16_SINT, [u32::MAX, 7, 0, 0]),
            [255, 255, 7, 0]
        );
        assert_eq!(bytes(F::R8G8B8A8_SRGB, value), [255, 188, 0, 64]);
        assert_eq!(bytes(F::R8_SRGB, value), [255]);
        assert_eq!(bytes(F::R32G32_SFLOAT, value).len(), 8);
    }

    #[test]
    fn clear_colours_are_in_range() {
        let of = |format, value: [f32; 4]| {
            let words = clear_colour(find(format).unwrap(), &value.map(f32::to_bits));
            words.map(|words| words.map(f32::from_bits))
        };
        let value = [2.0, -0.5, 0.25, 0.5];
        let within = Some([1.0, 0.0, 0.25, 0.5]);
        assert_eq!(of(F::B8G8R8A8_UNORM, value), within);
        assert_eq!(of(F::R8G8B8A8_SRGB, value), within);
        assert_eq!(of(F::R16G16_SNORM, value), Some([1.0, -0.5, 0.0, 1.0]));
        assert_eq!(of(F::R32G32B32A32_SFLOAT, value), Some(value));
        let small = of(F::B10G11R11_UFLOAT_PACK32, value);
        assert_eq!(small, Some([2.0, 0.0, 0.25, 1.0]));
        assert_eq!(of(F::R32_SFLOAT, [f32::NAN; 4]), None);
        let integers = clear_colour(find(F::R32G32_SINT).unwrap(), &[u32::MAX, 7, 8, 9]);
        assert_eq!(integers, Some([u32::MAX, 7, 0, 1]));
    }

    #[test]
    fn small_floats_are_rounded_to_even() {
        let half = |value| small_float(value, 5, 10, true);
        assert_eq!(half(1.0), 0x3c00);
        assert_eq!(half(-2.0), 0xc000);
        assert_eq!(half(65504.0), 0x7bff);
        assert_eq!(half(65520.0), 0x7c00);
        assert_eq!(half(5.960_464_5e-8), 1);
        assert_eq!(half(0.0), 0);
        // Halfway: to even, also into the next binade.
        assert_eq!(half(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(half(2.0 - 1.0 / 2048.0), 0x4000);
        assert_eq!(half(f32::INFINITY), 0x7c00);
        assert!(half(f32::NAN) > 0x7c00);
        assert_eq!(small_float(1.0, 5, 6, false), 15 << 6);
        assert_eq!(small_float(-1.0, 5, 5, false), 0);
        assert_eq!(shared_exponent([1.0, 0.5, 0.0]), 256 | 128 << 9 | 16 << 27);
        assert_eq!(shared_exponent([0.0; 3]) & 0x07ff_ffff, 0);
    }
}
