//! ETC1, ETC2 and EAC.
//!
//! In:  halves of a block, big-endian. Out: sixteen texels, or one channel of them.
//! Ref: Khronos Data Format Specification, "ETC1 Compressed Texture Image Formats", "ETC2
//!      Compressed Texture Image Formats".

use super::srgb;
use super::texel::{Texel, normalised_quotient, unorm8};

/// Small and large differences, by codeword.
static DIFFERENCES: [[i32; 2]; 8] = [
    [2, 8],
    [5, 17],
    [9, 29],
    [13, 42],
    [18, 60],
    [24, 80],
    [33, 106],
    [47, 183],
];

/// Distances of T and H modes.
static DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Differences of EAC: the negative ones, by codeword. The other four are their complements.
static MODIFIERS: [[i32; 4]; 16] = [
    [-3, -6, -9, -15],
    [-3, -7, -10, -13],
    [-2, -5, -8, -13],
    [-2, -4, -6, -13],
    [-3, -6, -8, -12],
    [-3, -7, -9, -11],
    [-4, -7, -8, -11],
    [-3, -5, -8, -11],
    [-2, -6, -8, -10],
    [-2, -5, -8, -10],
    [-2, -4, -8, -10],
    [-2, -5, -7, -10],
    [-3, -4, -7, -10],
    [-1, -2, -3, -10],
    [-4, -6, -8, -9],
    [-3, -5, -7, -9],
];

type Rgb = [i32; 3];

/// Bits `lo` to `hi` of a block, named as in the specification.
fn bits(block: u64, hi: u32, lo: u32) -> i32 {
    (block >> lo & ((1 << (hi - lo + 1)) - 1)) as i32
}

fn offset(colour: Rgb, by: i32) -> Rgb {
    colour.map(|value| value + by)
}

fn opaque(colour: Rgb) -> [u8; 4] {
    let [r, g, b] = colour.map(|value| value.clamp(0, 255) as u8);
    [r, g, b, 255]
}

/// Colours, with transparent texels where `punchthrough` says that there may be some.
pub(super) fn rgb(block: u64, punchthrough: bool, srgb: bool, out: &mut [Texel; 16]) {
    // The differential bit of formats without alpha says in the others that all texels are opaque.
    let flag = bits(block, 33, 33) == 1;
    let holes = punchthrough && !flag;
    if !punchthrough && !flag {
        let value = |hi: u32| bits(block, hi, hi - 3) * 17;
        let ends = [
            [value(63), value(55), value(47)],
            [value(59), value(51), value(43)],
        ];
        return halves(block, ends, false, srgb, out);
    }
    let base = [63, 55, 47].map(|hi| bits(block, hi, hi - 4));
    let delta = [58, 50, 42].map(|hi| bits(block, hi, hi - 2) << 29 >> 29);
    let second: Rgb = std::array::from_fn(|c| base[c] + delta[c]);
    let outside = second.map(|value| !(0..32).contains(&value));
    match outside {
        [true, ..] => paints(block, t_mode(block), holes, srgb, out),
        [_, true, _] => paints(block, h_mode(block), holes, srgb, out),
        [_, _, true] => planar(block, srgb, out),
        _ => {
            let ends = [base, second].map(|colour| colour.map(|value| value << 3 | value >> 2));
            halves(block, ends, holes, srgb, out);
        }
    }
}

/// Index of a texel, by its place in rows; the block has them in columns.
fn index(block: u64, texel: usize) -> usize {
    let at = texel % 4 * 4 + texel / 4;
    (block >> (16 + at) & 1) as usize * 2 + (block >> at & 1) as usize
}

/// Individual and differential modes: a colour for each half of the block.
fn halves(block: u64, ends: [Rgb; 2], holes: bool, srgb: bool, out: &mut [Texel; 16]) {
    let flip = bits(block, 32, 32) == 1;
    let codewords = [bits(block, 39, 37), bits(block, 36, 34)];
    let mut palettes = [[[0; 4]; 4]; 2];
    for (half, palette) in palettes.iter_mut().enumerate() {
        let [small, large] = DIFFERENCES[codewords[half] as usize];
        let by = match holes {
            true => [0, large, 0, -large],
            false => [small, large, -small, -large],
        };
        *palette = by.map(|by| unorm8(opaque(offset(ends[half], by)), srgb));
        if holes {
            palette[2] = [0; 4];
        }
    }
    for (texel, result) in out.iter_mut().enumerate() {
        let half = match flip {
            true => texel / 8,
            false => texel % 4 / 2,
        };
        *result = palettes[half][index(block, texel)];
    }
}

/// T and H modes: four paints.
fn paints(block: u64, paints: [Rgb; 4], holes: bool, srgb: bool, out: &mut [Texel; 16]) {
    let mut palette = paints.map(|paint| unorm8(opaque(paint), srgb));
    if holes {
        palette[2] = [0; 4];
    }
    for (texel, result) in out.iter_mut().enumerate() {
        *result = palette[index(block, texel)];
    }
}

fn t_mode(block: u64) -> [Rgb; 4] {
    let red = bits(block, 60, 59) << 2 | bits(block, 57, 56);
    let first = [red, bits(block, 55, 52), bits(block, 51, 48)].map(|value| value * 17);
    let second = [47, 43, 39].map(|hi| bits(block, hi, hi - 3) * 17);
    let distance = bits(block, 35, 34) << 1 | bits(block, 32, 32);
    let distance = DISTANCES[distance as usize];
    [
        first,
        offset(second, distance),
        second,
        offset(second, -distance),
    ]
}

fn h_mode(block: u64) -> [Rgb; 4] {
    let green = bits(block, 58, 56) << 1 | bits(block, 52, 52);
    let blue = bits(block, 51, 51) << 3 | bits(block, 49, 47);
    let first = [bits(block, 62, 59), green, blue];
    let second = [46, 42, 38].map(|hi| bits(block, hi, hi - 3));
    // The order of the colours is the lowest bit of the distance.
    let distance = bits(block, 34, 34) << 2 | bits(block, 32, 32) << 1 | i32::from(first >= second);
    let distance = DISTANCES[distance as usize];
    let [first, second] = [first, second].map(|colour| colour.map(|value| value * 17));
    [
        offset(first, distance),
        offset(first, -distance),
        offset(second, distance),
        offset(second, -distance),
    ]
}

/// Planar mode: colours of the origin, and where the next blocks to the right and below begin.
fn planar(block: u64, srgb: bool, out: &mut [Texel; 16]) {
    let six = |value: i32| value << 2 | value >> 4;
    let seven = |value: i32| value << 1 | value >> 6;
    let origin = [
        six(bits(block, 62, 57)),
        seven(bits(block, 56, 56) << 6 | bits(block, 54, 49)),
        six(bits(block, 48, 48) << 5 | bits(block, 44, 43) << 3 | bits(block, 41, 39)),
    ];
    let right = [
        six(bits(block, 38, 34) << 1 | bits(block, 32, 32)),
        seven(bits(block, 31, 25)),
        six(bits(block, 24, 19)),
    ];
    let below = [
        six(bits(block, 18, 13)),
        seven(bits(block, 12, 6)),
        six(bits(block, 5, 0)),
    ];
    for (texel, result) in out.iter_mut().enumerate() {
        let (x, y) = (texel as i32 % 4, texel as i32 / 4);
        let colour = std::array::from_fn(|c| {
            let (o, h, v) = (origin[c], right[c], below[c]);
            (x * (h - o) + y * (v - o) + 4 * o + 2) >> 2
        });
        *result = unorm8(opaque(colour), srgb);
    }
}

/// Base, multiplier and modifiers of an EAC block; the modifier of each texel, rows first.
fn eac(block: u64) -> (u8, i32, [i32; 16]) {
    let modifiers = &MODIFIERS[bits(block, 51, 48) as usize];
    let by_texel = std::array::from_fn(|texel| {
        let at = (texel % 4 * 4 + texel / 4) as u32;
        let index = bits(block, 47 - 3 * at, 45 - 3 * at) as usize;
        match modifiers.get(index) {
            Some(below) => *below,
            None => !modifiers[index & 3],
        }
    });
    ((block >> 56) as u8, bits(block, 55, 52), by_texel)
}

/// Alpha of eight bits.
pub(super) fn alpha(block: u64, out: &mut [Texel; 16]) {
    let (base, multiplier, modifiers) = eac(block);
    for (texel, modifier) in out.iter_mut().zip(modifiers) {
        let alpha = (i32::from(base) + modifier * multiplier).clamp(0, 255);
        texel[3] = srgb::unorm8()[alpha as usize];
    }
}

/// A channel of channel11 bits.
pub(super) fn channel11(block: u64, signed: bool, to: usize, out: &mut [Texel; 16]) {
    let (base, multiplier, modifiers) = eac(block);
    let scale = match multiplier {
        0 => 1,
        _ => multiplier * 8,
    };
    for (texel, modifier) in out.iter_mut().zip(modifiers) {
        texel[to] = if signed {
            let base = i32::from(base as i8).max(-127);
            normalised_quotient((base * 8 + modifier * scale).clamp(-1023, 1023), 1023)
        } else {
            let value = i32::from(base) * 8 + 4 + modifier * scale;
            normalised_quotient(value.clamp(0, 2047), 2047)
        };
    }
}
