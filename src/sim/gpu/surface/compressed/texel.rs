//! Texels of compressed blocks, and conversions of their channels to `f32`.
//!
//! In:  channels of 8 bits, quotients, half floats. Out: bits of `f32`.
//! Ref: Khronos Data Format Specification, "16-bit floating-point numbers", "sRGB EOTF".

use super::srgb;

/// Red, green, blue and alpha as bits of `f32`.
pub(crate) type Texel = [u32; 4];

pub(super) const ONE: u32 = 0x3f80_0000;
pub(super) const BLACK: Texel = [0, 0, 0, ONE];

/// A quotient as `f32` bits.
pub(super) fn normalised_quotient(value: i32, of: i32) -> u32 {
    ((f64::from(value) / f64::from(of)) as f32).to_bits()
}

/// A colour of 8 bits a channel.
pub(super) fn unorm8(colour: [u8; 4], srgb: bool) -> Texel {
    let unorm = srgb::unorm8();
    let colours = if srgb { srgb::linear8() } else { unorm };
    let [r, g, b, a] = colour.map(usize::from);
    [colours[r], colours[g], colours[b], unorm[a]]
}

/// A half float as `f32` bits. No format here makes NaN, and BC6H but for an end point of −32768 no
/// infinity.
pub(super) fn half_bits(half: u16) -> u32 {
    let (exponent, fraction) = (i32::from(half >> 10 & 31), i32::from(half & 0x3ff));
    let (exponent, fraction) = match exponent {
        0 => (1, fraction),
        _ => (exponent, fraction | 0x400),
    };
    // Both factors and the product are exact.
    let size = match exponent {
        31 => f32::INFINITY,
        _ => fraction as f32 * f32::from_bits(((exponent - 25 + 127) as u32) << 23),
    };
    size.to_bits() | u32::from(half >> 15) << 31
}
