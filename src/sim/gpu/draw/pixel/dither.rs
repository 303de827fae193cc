//! Dithering: selects one of the two representable values around a colour.
//!
//! In:  a colour, its pixel, BLEND_STATE's offsets. Out: the colour, with values that the format
//!      can represent.
//! Ref: SKL PRM vol. 7, "Dithering"; ERRATA.md, "Dithering" documents what it leaves open.

use crate::surface::format;
use hw::{ChannelKind, Format};

/// By row and column, in sixteenths of the step between two values.
const MATRIX: [[u32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Bits of the widest channel that is dithered.
const MAX_BITS: u8 = 8;

/// The dithered colour of a pixel, in the order of the format's channels.
pub(super) fn dither(
    format: &Format,
    colour: [u32; 4],
    [x, y]: [u32; 2],
    offset: [u32; 2],
) -> [u32; 4] {
    let column = (x + offset[0]) as usize & 3;
    let row = (y + offset[1]) as usize & 3;
    let by = MATRIX[row][column];
    let srgb = format::is_srgb(format);
    std::array::from_fn(|i| match format.channels[i] {
        (ChannelKind::Unorm, bits @ 1..=MAX_BITS) => {
            let value = f32::from_bits(colour[i]);
            // NaN counts as zero.
            let value = if value > 0.0 { value.min(1.0) } else { 0.0 };
            let curved = srgb && i < 3;
            let stored = match curved {
                true => format::linear_to_srgb(value),
                false => value,
            };
            let largest = (1u32 << bits) - 1;
            // Four bits more than the format has; the sum is truncated to the format's bits.
            let sixteenths = (f64::from(stored) * f64::from(largest) * 16.0).round() as u32;
            let step = (sixteenths + by) >> 4;
            let found = (f64::from(step) / f64::from(largest)) as f32;
            match curved {
                true => format::srgb_to_linear(found).to_bits(),
                false => found.to_bits(),
            }
        }
        _ => colour[i],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dithered(number: u16, colour: [f32; 4], pixel: [u32; 2]) -> [u8; 16] {
        let format = Format::by_number(number.into()).expect("a format");
        let colour = colour.map(f32::to_bits);
        format::encode(format, dither(format, colour, pixel, [0; 2]))
    }

    #[test]
    fn dithering_preserves_exact_values_and_spreads_others() {
        let (unorm, srgb) = (0x0c7, 0x0c8);
        for k in 0..=255u8 {
            let exact = f32::from(k) / 255.0;
            for pixel in (0..16).map(|i| [i & 3, i >> 2]) {
                assert_eq!(dithered(unorm, [exact; 4], pixel)[..4], [k; 4], "{k}");
                let linear = format::srgb_to_linear(exact);
                let colour = [linear, linear, linear, exact];
                assert_eq!(dithered(srgb, colour, pixel)[..4], [k; 4], "{k} sRGB");
            }
        }
        // A quarter of the way from 100 to 101: four of sixteen pixels.
        let colour = [100.25 / 255.0; 4];
        let found = (0..16).map(|i| dithered(unorm, colour, [i & 3, i >> 2])[0]);
        let found: Vec<_> = found.collect();
        let of = |value| found.iter().filter(|v| **v == value).count();
        assert_eq!((of(100), of(101)), (12, 4));
    }

    #[test]
    fn dither_matrix_offsets() {
        let format = Format::by_number(0x0c7).expect("R8G8B8A8_UNORM");
        let colour = [(7.5f32 / 255.0).to_bits(); 4];
        for i in 0..64 {
            let (x, y, dx, dy) = (i & 3, i >> 2 & 3, i >> 4, i >> 5 & 1);
            let moved = dither(format, colour, [x, y], [dx, dy]);
            let there = dither(format, colour, [x + dx, y + dy], [0; 2]);
            assert_eq!(moved, there);
        }
    }

    #[test]
    fn wide_and_non_unorm_channels_are_not_dithered() {
        // R16G16B16A16_UNORM, R10G10B10A2_UNORM, R8G8B8A8_SNORM, R32G32B32A32_FLOAT.
        for (number, alpha) in [(0x080, true), (0x0c2, false), (0x0c9, true), (0x000, true)] {
            let format = Format::by_number(number).expect("a format");
            let colour = [0.3f32.to_bits(); 4];
            let found = dither(format, colour, [1, 1], [0; 2]);
            assert_eq!(found[..3], colour[..3], "{number:#x}");
            assert_eq!(found[3] == colour[3], alpha, "{number:#x}");
        }
    }
}
