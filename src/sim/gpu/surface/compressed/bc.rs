//! BC1 to BC5: two end points and an interpolation a texel.
//!
//! In:  halves of a block, little-endian. Out: sixteen texels.
//! Ref: Khronos Data Format Specification, "S3TC Compressed Texture Image Formats" and "RGTC
//!      Compressed Texture Image Formats".

use super::srgb;
use super::texel::{ONE, Texel, normalised_quotient};

/// Which colours lie between the end points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interpolation {
    /// Two, whatever the order of the end points.
    Two,
    /// As the order says; the last of one is black, and transparent where there is alpha.
    Ordered { alpha: bool },
}

/// BC1: colours, and perhaps one bit of alpha.
pub(super) fn bc1(block: u64, alpha: bool, srgb: bool, out: &mut [Texel; 16]) {
    colours(block, Interpolation::Ordered { alpha }, srgb, out);
}

/// BC2: alpha of four bits a texel.
pub(super) fn bc2(alpha: u64, block: u64, srgb: bool, out: &mut [Texel; 16]) {
    colours(block, Interpolation::Two, srgb, out);
    for (i, texel) in out.iter_mut().enumerate() {
        texel[3] = normalised_quotient((alpha >> (4 * i) & 15) as i32, 15);
    }
}

/// BC3: alpha as a channel of BC4.
pub(super) fn bc3(alpha: u64, block: u64, srgb: bool, out: &mut [Texel; 16]) {
    colours(block, Interpolation::Two, srgb, out);
    channel(alpha, false, 3, out);
}

fn colours(block: u64, between: Interpolation, srgb: bool, out: &mut [Texel; 16]) {
    const MAX: [i32; 3] = [31, 63, 31];
    let ends = [block as u16, (block >> 16) as u16];
    let split = |colour: u16| [colour >> 11, colour >> 5 & 63, colour & 31].map(i32::from);
    let [first, second] = ends.map(split);
    let mix = |a: i32, b: i32| {
        let mut texel = [0, 0, 0, ONE];
        for c in 0..3 {
            let (value, of) = (first[c] * a + second[c] * b, MAX[c] * (a + b));
            texel[c] = match srgb {
                true => srgb::linear(f64::from(value) / f64::from(of)),
                false => normalised_quotient(value, of),
            };
        }
        texel
    };
    let rest = match between {
        Interpolation::Ordered { alpha } if ends[0] <= ends[1] => {
            [mix(1, 1), [0, 0, 0, if alpha { 0 } else { ONE }]]
        }
        _ => [mix(2, 1), mix(1, 2)],
    };
    let palette = [mix(1, 0), mix(0, 1), rest[0], rest[1]];
    for (i, texel) in out.iter_mut().enumerate() {
        *texel = palette[(block >> (32 + 2 * i) & 3) as usize];
    }
}

/// One channel: end points of eight bits, and three bits a texel.
pub(super) fn channel(block: u64, signed: bool, to: usize, out: &mut [Texel; 16]) {
    let ends = [block as u8, (block >> 8) as u8];
    // Of the signed values the lowest two both mean −1, but they are told apart in the comparison.
    let (ordered, [a, b], most) = if signed {
        let ends = ends.map(|end| i32::from(end as i8));
        (ends[0] > ends[1], ends.map(|end| end.max(-127)), 127)
    } else {
        (ends[0] > ends[1], ends.map(i32::from), 255)
    };
    let mut palette = [
        normalised_quotient(a, most),
        normalised_quotient(b, most),
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    let between = if ordered { 7 } else { 5 };
    for i in 1..between {
        palette[i as usize + 1] = normalised_quotient(a * (between - i) + b * i, most * between);
    }
    if !ordered {
        palette[6] = if signed { (-1.0f32).to_bits() } else { 0 };
        palette[7] = ONE;
    }
    for (i, texel) in out.iter_mut().enumerate() {
        texel[to] = palette[(block >> (16 + 3 * i) & 7) as usize];
    }
}
