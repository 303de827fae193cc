//! Fields of blocks one by one, and the specified handling of ties, equal endpoints and zeros.
//!
//! Ref: Khronos Data Format Specification, "S3TC", "RGTC", "BPTC", "ETC2" (tables of bit layouts)
//!      and "sRGB EOTF".

use crate::surface::compressed::{decode_texel, srgb};
use hw::FORMATS;

/// The bits of a texel.
fn texel(name: &str, block: &[u8], [x, y]: [usize; 2]) -> [u32; 4] {
    let format = FORMATS.iter().find(|f| f.name == name).expect(name);
    decode_texel(format, block, x, y).expect(name)
}

/// Eight bits a channel, opaque.
fn opaque(colour: [i32; 3]) -> [u32; 4] {
    let [r, g, b] = colour.map(|value| (value.clamp(0, 255) as f32 / 255.0).to_bits());
    [r, g, b, 1.0f32.to_bits()]
}

fn floats(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

/// A field of a block: its pieces from the highest bits on, each by its highest and lowest bit.
type Pieces = &'static [(u32, u32)];

fn length(pieces: Pieces) -> u32 {
    pieces.iter().map(|(hi, lo)| hi - lo + 1).sum()
}

/// A block with this value in a field.
fn placed(pieces: Pieces, value: u64) -> u64 {
    let mut left = length(pieces);
    pieces.iter().fold(0, |block, (hi, lo)| {
        let bits = hi - lo + 1;
        left -= bits;
        block | (value >> left & ((1 << bits) - 1)) << lo
    })
}

/// Values for fields: each bit of each alone, with the other fields zero, and all but it.
fn patterns(fields: &[Pieces]) -> Vec<Vec<u64>> {
    let mut all = Vec::new();
    for field in 0..fields.len() {
        for bit in 0..length(fields[field]) {
            let alone = |i: usize| if i == field { 1 << bit } else { 0 };
            let ones = |i: usize| (1u64 << length(fields[i])) - 1;
            all.push((0..fields.len()).map(alone).collect());
            all.push((0..fields.len()).map(|i| ones(i) ^ alone(i)).collect());
        }
    }
    all
}

/// Whether red, green and blue of a differential block leave their five bits.
fn leaves(block: u64) -> [bool; 3] {
    [56, 48, 40].map(|lo| {
        let base = (block >> (lo + 3) & 31) as i32;
        let delta = match (block >> lo & 7) as i32 {
            negative @ 4.. => negative - 8,
            positive => positive,
        };
        !(0..32).contains(&(base + delta))
    })
}

/// Blocks of a mode with these fields: for each setting of the free bits that makes the block one
/// of the mode.
fn coded_blocks(
    fields: &[Pieces],
    values: &[u64],
    free: Pieces,
    mode: fn([bool; 3]) -> bool,
) -> Vec<u64> {
    let set = fields.iter().zip(values);
    let block = set.fold(1 << 33, |block, (field, value)| {
        block | placed(field, *value)
    });
    let settings = 0..1 << length(free);
    let blocks: Vec<u64> = settings
        .map(|setting| block | placed(free, setting))
        .filter(|block| mode(leaves(*block)))
        .collect();
    assert!(!blocks.is_empty(), "{values:x?}");
    blocks
}

#[test]
fn every_bit_of_planar_blocks_is_decoded() {
    // Origin, right and below; red, green and blue of each.
    const FIELDS: [Pieces; 9] = [
        &[(62, 57)],
        &[(56, 56), (54, 49)],
        &[(48, 48), (44, 43), (41, 39)],
        &[(38, 34), (32, 32)],
        &[(31, 25)],
        &[(24, 19)],
        &[(18, 13)],
        &[(12, 6)],
        &[(5, 0)],
    ];
    const FREE: Pieces = &[(63, 63), (55, 55), (47, 45), (42, 42)];
    for values in patterns(&FIELDS) {
        let wide: Vec<i32> = (0..9)
            .map(|i| match (values[i] as i32, i % 3) {
                (green, 1) => green << 1 | green >> 6,
                (other, _) => other << 2 | other >> 4,
            })
            .collect();
        let blocks = coded_blocks(&FIELDS, &values, FREE, |out| out == [false, false, true]);
        for (block, at) in blocks.iter().flat_map(|b| (0..16).map(move |at| (b, at))) {
            let [x, y] = [at % 4, at / 4];
            let expected = [0, 1, 2].map(|c| {
                let [o, h, v] = [wide[c], wide[3 + c], wide[6 + c]];
                (x * (h - o) + y * (v - o) + 4 * o + 2).div_euclid(4)
            });
            let found = texel("ETC2_RGB8", &block.to_be_bytes(), [x as usize, y as usize]);
            assert_eq!(found, opaque(expected), "{block:#x} {x} {y}");
        }
    }
}

/// Distances of T and H blocks.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// The texels of the first column have the indices 0 to 3: their upper and lower bits from 16 and
/// from 0 on.
const FOUR_INDICES: u64 = 0b1100 << 16 | 0b1010;

/// Compares the first column with four paints.
fn painted(block: u64, paints: [[i32; 3]; 4]) {
    let bytes = (block | FOUR_INDICES).to_be_bytes();
    for (y, paint) in paints.into_iter().enumerate() {
        let found = texel("ETC2_RGB8", &bytes, [0, y]);
        assert_eq!(found, opaque(paint), "{block:#x} {y}");
    }
}

#[test]
fn every_bit_of_t_blocks_is_decoded() {
    // Two colours, and the distance.
    const FIELDS: [Pieces; 7] = [
        &[(60, 59), (57, 56)],
        &[(55, 52)],
        &[(51, 48)],
        &[(47, 44)],
        &[(43, 40)],
        &[(39, 36)],
        &[(35, 34), (32, 32)],
    ];
    const FREE: Pieces = &[(63, 61), (58, 58)];
    for values in patterns(&FIELDS) {
        let wide: Vec<i32> = values.iter().map(|v| *v as i32 * 17).collect();
        let [first, second] = [0, 3].map(|i| [wide[i], wide[i + 1], wide[i + 2]]);
        let by = DISTANCES[values[6] as usize];
        let paints = [
            first,
            second.map(|v| v + by),
            second,
            second.map(|v| v - by),
        ];
        for block in coded_blocks(&FIELDS, &values, FREE, |out| out[0]) {
            painted(block, paints);
        }
    }
}

#[test]
fn every_bit_of_h_blocks_is_decoded() {
    // Two colours, and the upper bits of the distance.
    const FIELDS: [Pieces; 7] = [
        &[(62, 59)],
        &[(58, 56), (52, 52)],
        &[(51, 51), (49, 47)],
        &[(46, 43)],
        &[(42, 39)],
        &[(38, 35)],
        &[(34, 34), (32, 32)],
    ];
    const FREE: Pieces = &[(63, 63), (55, 53), (50, 50)];
    let mut all = patterns(&FIELDS);
    // Equal colours, and such as differ in one channel: the order gives the lowest bit of the
    // distance.
    for second in [
        [5, 6, 7],
        [5, 6, 8],
        [5, 7, 0],
        [6, 0, 0],
        [5, 6, 6],
        [4, 15, 15],
    ] {
        all.push([vec![5, 6, 7], second.to_vec(), vec![2]].concat());
    }
    for values in all {
        let number = |i: usize| values[i] << 8 | values[i + 1] << 4 | values[i + 2];
        let lowest = u64::from(number(0) >= number(3));
        let by = DISTANCES[(values[6] << 1 | lowest) as usize];
        let wide: Vec<i32> = values.iter().map(|v| *v as i32 * 17).collect();
        let [first, second] = [0, 3].map(|i| [wide[i], wide[i + 1], wide[i + 2]]);
        let paints = [(first, by), (first, -by), (second, by), (second, -by)];
        let paints = paints.map(|(colour, by)| colour.map(|v| v + by));
        for block in coded_blocks(&FIELDS, &values, FREE, |out| !out[0] && out[1]) {
            painted(block, paints);
        }
    }
}

#[test]
fn etc2_differential_base_overflow() {
    // Red 31 and 0, 31 + 1, 0 and 0 − 1: differential where the sum has five bits, else T.
    for (red, delta, leaving) in [(31, 0, false), (31, 1, true), (0, 0, false), (0, 7, true)] {
        let block = red << 59 | delta << 56 | 1u64 << 33;
        assert_eq!(leaves(block)[0], leaving, "{red} {delta}");
        let wide = red as i32 * 8 + red as i32 / 4;
        let expected = match leaving {
            // The first of the four paints: bits 60, 59, 57 and 56 of red.
            true => [17 * ((red as i32 & 3) << 2 | delta as i32 & 3), 0, 0],
            // The base and the least difference of the first codeword.
            false => [wide + 2, 2, 2],
        };
        let found = texel("ETC2_RGB8", &block.to_be_bytes(), [0, 0]);
        assert_eq!(found, opaque(expected), "{red} {delta}");
    }
}

#[test]
fn signed_eac_channels() {
    // Bases −100 and 100 with a multiplier of 1, table 0: index 0 is −3, 4 is 2.
    let half = |base: i8, index: u64| {
        let block = (base as u8 as u64) << 56 | 1 << 52 | index << 45;
        block.to_be_bytes()
    };
    let block = [half(-100, 0), half(100, 4)].concat();
    let expected = [(-824.0 / 1023.0), 816.0 / 1023.0, 0.0, 1.0];
    assert_eq!(texel("EAC_SIGNED_RG11", &block, [0, 0]), floats(expected));
    let block = [half(10, 4), half(100, 0)].concat();
    let expected = [100.0 / 2047.0, 780.0 / 2047.0, 0.0, 1.0];
    assert_eq!(texel("EAC_RG11", &block, [0, 0]), floats(expected));
    assert_eq!(texel("EAC_R11", &block[..8], [0, 0])[1], 0);
    assert_eq!(texel("EAC_SIGNED_R11", &block[..8], [0, 0])[1], 0);
}

#[test]
fn equal_bc_endpoints_use_the_second_interpolation_mode() {
    // White twice: index 3 is black, and transparent where there is alpha; with alpha apart it is
    // white.
    let equal = [0xff, 0xff, 0xff, 0xff, 0b11_10_01_00, 0, 0, 0];
    for (name, black) in [("BC1_UNORM", [0.0; 4]), ("DXT1_RGB", [0.0, 0.0, 0.0, 1.0])] {
        assert_eq!(texel(name, &equal, [2, 0]), floats([1.0; 4]), "{name}");
        assert_eq!(texel(name, &equal, [3, 0]), floats(black), "{name}");
    }
    let block = [[0xff; 8], equal].concat();
    assert_eq!(texel("BC2_UNORM", &block, [3, 0]), floats([1.0; 4]));
    // Of one channel: indices 6 and 7 are the minimum and the maximum.
    for (name, least) in [("BC4_UNORM", 0.0f32), ("BC4_SNORM", -1.0)] {
        let block = [51, 51, 0b01_111_110, 0, 0, 0, 0, 0];
        let reds = [0, 1].map(|x| texel(name, &block, [x, 0])[0]);
        assert_eq!(reds, [least.to_bits(), 1.0f32.to_bits()], "{name}");
    }
}

#[test]
fn bc_channel_interpolation_values() {
    // Indices 0 to 7 in the first eight texels. The first end is the greater, as signed numbers, or
    // it is not.
    let indices = (0..8).fold(0u64, |bits, i| bits | i << (3 * i));
    for (name, ends, most) in [
        ("BC4_UNORM", [200, 60], 255),
        ("BC4_UNORM", [60, 200], 255),
        ("BC4_SNORM", [100, -100], 127),
        ("BC4_SNORM", [-100, 100], 127),
        ("BC4_SNORM", [-3, -90], 127),
        ("BC4_SNORM", [-90, -3], 127),
    ] {
        let [a, b]: [i32; 2] = ends;
        let bytes = [a as u8, b as u8].map(u64::from);
        let block = (bytes[0] | bytes[1] << 8 | indices << 16).to_le_bytes();
        let parts = if a > b { 7 } else { 5 };
        for index in 0..8 {
            let exact = |above: i32, below: i32| f64::from(above) / f64::from(below);
            let expected = match index {
                0 => exact(a, most),
                1 => exact(b, most),
                6 if a <= b && name == "BC4_UNORM" => 0.0,
                6 if a <= b => -1.0,
                7 if a <= b => 1.0,
                _ => exact(a * (parts + 1 - index) + b * (index - 1), parts * most),
            };
            let at = [index as usize % 4, index as usize / 4];
            let red = texel(name, &block, at)[0];
            assert_eq!(red, (expected as f32).to_bits(), "{name} {ends:?} {index}");
        }
    }
}

/// A BC6H block of one subset, of base and other end points of ten bits, and indices from the
/// second texel on.
fn ten_bits(base: [u128; 3], other: [u128; 3], indices: u128) -> [u8; 16] {
    let ends = [base, other].concat().into_iter().enumerate();
    let ends = ends.fold(3, |block, (i, end)| block | end << (5 + 10 * i));
    (ends | indices << 68).to_le_bytes()
}

#[test]
fn bc6h_zero_endpoints_decode_to_zero() {
    for name in ["BC6H_UF16", "BC6H_SF16"] {
        let black = texel(name, &ten_bits([0; 3], [0; 3], 0), [0, 0]);
        assert_eq!(black, floats([0.0, 0.0, 0.0, 1.0]), "{name}");
    }
    // Unsigned: 0 and 1 are 0 and 96; 96 × 4 / 64 is 6, × 31 / 64 is 2.
    let block = ten_bits([0; 3], [1, 0, 0], 1);
    let [red, green, ..] = texel("BC6H_UF16", &block, [1, 0]).map(f32::from_bits);
    assert_eq!([red, green], [2.0 / 16_777_216.0, 0.0]);
    // Signed, it is × 31 / 32: 5.
    let red = texel("BC6H_SF16", &block, [1, 0])[0];
    assert_eq!(f32::from_bits(red), 5.0 / 16_777_216.0);
    // Signed: 1 is 96, −1 is −96, 511 and −511 are 0x7fff and its opposite; a factor of 31 / 32
    // then.
    for (value, expected) in [
        (1, 93.0 / 16_777_216.0),
        (0x3ff, -93.0 / 16_777_216.0),
        (0x1ff, 65504.0),
        (0x201, -65504.0),
        (0x200, -65504.0),
    ] {
        let block = ten_bits([0, value, 0], [0; 3], 0);
        let green = texel("BC6H_SF16", &block, [0, 0])[1];
        assert_eq!(f32::from_bits(green), expected, "{value:#x}");
    }
}

#[test]
fn bc6h_minimum_signed_endpoint_is_minus_infinity() {
    // The mode of 16 bits: red's upper ones from bit 39 on, the highest first; differences of zero.
    // As a signed number it is −32768, × 31 / 32 is 0x7c00; next to it is the least finite half
    // float. (Direct3D 11, "BC6H Format": signed BC6H supports −INF, as an artifact of the format.)
    for (name, low, expected) in [
        ("BC6H_SF16", 0, f32::NEG_INFINITY),
        ("BC6H_SF16", 1, -65504.0),
        // 0x8000 × 31 / 64 is 0x3e00.
        ("BC6H_UF16", 0, 1.5),
    ] {
        let block = (0b01111 | low << 5 | 1u128 << 39).to_le_bytes();
        for at in [[0, 0], [3, 3]] {
            let red = texel(name, &block, at)[0];
            assert_eq!(f32::from_bits(red), expected, "{name} {low}");
        }
    }
}

#[test]
fn srgb_bytes_become_linear() {
    let linear = |byte: u8| f32::from_bits(srgb::linear8()[usize::from(byte)]);
    // The last of the straight part, and the first of the curve.
    for (byte, expected) in [
        (0, 0.0),
        (1, 1.0 / 255.0 / 12.92),
        (10, 10.0 / 255.0 / 12.92),
        (11, 0.003_346_536),
        (128, 0.215_860_5),
        (188, 0.502_886_5),
        (255, 1.0),
    ] {
        let found = linear(byte);
        assert!(
            (found - expected).abs() <= expected * 2e-6,
            "{byte}: {found}"
        );
    }
    // The straight part includes its end.
    let end = (0.04045 / 12.92) as f32;
    assert_eq!(srgb::linear(0.04045), end.to_bits());
    for (byte, value) in srgb::unorm8().iter().enumerate() {
        assert_eq!(*value, (byte as f32 / 255.0).to_bits(), "{byte}");
    }
}
