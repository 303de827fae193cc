//! BC6H: half floats in fourteen modes of one or two subsets.
//!
//! In:  a block. Out: sixteen texels; black where the mode is reserved.
//! Ref: Khronos Data Format Specification, "BPTC Compressed Texture Image Formats", BC6H.

use super::bits::Bits;
use super::partition::{Partition, mix, weight};
use super::texel::{BLACK, ONE, Texel, half_bits};

/// Where the values of a block are: red, green and blue of the base end point (W) and of the three
/// others (X, Y, Z).
const RW: u8 = 0;
const GW: u8 = 1;
const BW: u8 = 2;
const RX: u8 = 3;
const GX: u8 = 4;
const BX: u8 = 5;
const RY: u8 = 6;
const GY: u8 = 7;
const BY: u8 = 8;
const RZ: u8 = 9;
const GZ: u8 = 10;
const BZ: u8 = 11;

struct Mode {
    /// The lowest bits of a block.
    code: u32,
    /// The other end points are differences to the base.
    delta: bool,
    subsets: usize,
    base_bits: u32,
    delta_bits: [u32; 3],
    /// From the bits after the code on: value, its bit that comes first, and how many.
    fields: &'static [(u8, u32, u32)],
}

#[rustfmt::skip]
static MODES: [Mode; 14] = [
    Mode { code: 0b00, delta: true, subsets: 2, base_bits: 10, delta_bits: [5, 5, 5], fields: &[
        (GY, 4, 1), (BY, 4, 1), (BZ, 4, 1), (RW, 0, 10), (GW, 0, 10), (BW, 0, 10), (RX, 0, 5), (GZ, 4, 1), (GY, 0, 4), (GX, 0, 5),
        (BZ, 0, 1), (GZ, 0, 4), (BX, 0, 5), (BZ, 1, 1), (BY, 0, 4), (RY, 0, 5), (BZ, 2, 1), (RZ, 0, 5), (BZ, 3, 1)] },
    Mode { code: 0b01, delta: true, subsets: 2, base_bits: 7, delta_bits: [6, 6, 6], fields: &[
        (GY, 5, 1), (GZ, 4, 1), (GZ, 5, 1), (RW, 0, 7), (BZ, 0, 1), (BZ, 1, 1), (BY, 4, 1), (GW, 0, 7), (BY, 5, 1), (BZ, 2, 1),
        (GY, 4, 1), (BW, 0, 7), (BZ, 3, 1), (BZ, 5, 1), (BZ, 4, 1), (RX, 0, 6), (GY, 0, 4), (GX, 0, 6), (GZ, 0, 4), (BX, 0, 6),
        (BY, 0, 4), (RY, 0, 6), (RZ, 0, 6)] },
    Mode { code: 0b00010, delta: true, subsets: 2, base_bits: 11, delta_bits: [5, 4, 4], fields: &[
        (RW, 0, 10), (GW, 0, 10), (BW, 0, 10), (RX, 0, 5), (RW, 10, 1), (GY, 0, 4), (GX, 0, 4), (GW, 10, 1), (BZ, 0, 1),
        (GZ, 0, 4), (BX, 0, 4), (BW, 10, 1), (BZ, 1, 1), (BY, 0, 4), (RY, 0, 5), (BZ, 2, 1), (RZ, 0, 5), (BZ, 3, 1)] },
    Mode { code: 0b00110, delta: true, subsets: 2, base_bits: 11, delta_bits: [4, 5, 4], fields: &[
        (RW, 0, 10), (GW, 0, 10), (BW, 0, 10), (RX, 0, 4), (RW, 10, 1), (GZ, 4, 1), (GY, 0, 4), (GX, 0, 5), (GW, 10, 1),
        (GZ, 0, 4), (BX, 0, 4), (BW, 10, 1), (BZ, 1, 1), (BY, 0, 4), (RY, 0, 4), (BZ, 0, 1), (BZ, 2, 1), (RZ, 0, 4), (GY, 4, 1),
        (BZ, 3, 1)] },
    Mode { code: 0b01010, delta: true, subsets: 2, base_bits: 11, delta_bits: [4, 4, 5], fields: &[
        (RW, 0, 10), (GW, 0, 10), (BW, 0, 10), (RX, 0, 4), (RW, 10, 1), (BY, 4, 1), (GY, 0, 4), (GX, 0, 4), (GW, 10, 1),
        (BZ, 0, 1), (GZ, 0, 4), (BX, 0, 5), (BW, 10, 1), (BY, 0, 4), (RY, 0, 4), (BZ, 1, 1), (BZ, 2, 1), (RZ, 0, 4), (BZ, 4, 1),
        (BZ, 3, 1)] },
    Mode { code: 0b01110, delta: true, subsets: 2, base_bits: 9, delta_bits: [5, 5, 5], fields: &[
        (RW, 0, 9), (BY, 4, 1), (GW, 0, 9), (GY, 4, 1), (BW, 0, 9), (BZ, 4, 1), (RX, 0, 5), (GZ, 4, 1), (GY, 0, 4), (GX, 0, 5),
        (BZ, 0, 1), (GZ, 0, 4), (BX, 0, 5), (BZ, 1, 1), (BY, 0, 4), (RY, 0, 5), (BZ, 2, 1), (RZ, 0, 5), (BZ, 3, 1)] },
    Mode { code: 0b10010, delta: true, subsets: 2, base_bits: 8, delta_bits: [6, 5, 5], fields: &[
        (RW, 0, 8), (GZ, 4, 1), (BY, 4, 1), (GW, 0, 8), (BZ, 2, 1), (GY, 4, 1), (BW, 0, 8), (BZ, 3, 1), (BZ, 4, 1), (RX, 0, 6),
        (GY, 0, 4), (GX, 0, 5), (BZ, 0, 1), (GZ, 0, 4), (BX, 0, 5), (BZ, 1, 1), (BY, 0, 4), (RY, 0, 6), (RZ, 0, 6)] },
    Mode { code: 0b10110, delta: true, subsets: 2, base_bits: 8, delta_bits: [5, 6, 5], fields: &[
        (RW, 0, 8), (BZ, 0, 1), (BY, 4, 1), (GW, 0, 8), (GY, 5, 1), (GY, 4, 1), (BW, 0, 8), (GZ, 5, 1), (BZ, 4, 1), (RX, 0, 5),
        (GZ, 4, 1), (GY, 0, 4), (GX, 0, 6), (GZ, 0, 4), (BX, 0, 5), (BZ, 1, 1), (BY, 0, 4), (RY, 0, 5), (BZ, 2, 1), (RZ, 0, 5),
        (BZ, 3, 1)] },
    Mode { code: 0b11010, delta: true, subsets: 2, base_bits: 8, delta_bits: [5, 5, 6], fields: &[
        (RW, 0, 8), (BZ, 1, 1), (BY, 4, 1), (GW, 0, 8), (BY, 5, 1), (GY, 4, 1), (BW, 0, 8), (BZ, 5, 1), (BZ, 4, 1), (RX, 0, 5),
        (GZ, 4, 1), (GY, 0, 4), (GX, 0, 5), (BZ, 0, 1), (GZ, 0, 4), (BX, 0, 6), (BY, 0, 4), (RY, 0, 5), (BZ, 2, 1), (RZ, 0, 5),
        (BZ, 3, 1)] },
    Mode { code: 0b11110, delta: false, subsets: 2, base_bits: 6, delta_bits: [6, 6, 6], fields: &[
        (RW, 0, 6), (GZ, 4, 1), (BZ, 0, 1), (BZ, 1, 1), (BY, 4, 1), (GW, 0, 6), (GY, 5, 1), (BY, 5, 1), (BZ, 2, 1), (GY, 4, 1),
        (BW, 0, 6), (GZ, 5, 1), (BZ, 3, 1), (BZ, 5, 1), (BZ, 4, 1), (RX, 0, 6), (GY, 0, 4), (GX, 0, 6), (GZ, 0, 4), (BX, 0, 6),
        (BY, 0, 4), (RY, 0, 6), (RZ, 0, 6)] },
    Mode { code: 0b00011, delta: false, subsets: 1, base_bits: 10, delta_bits: [10, 10, 10], fields: &[
        (RW, 0, 10), (GW, 0, 10), (BW, 0, 10), (RX, 0, 10), (GX, 0, 10), (BX, 0, 10)] },
    Mode { code: 0b00111, delta: true, subsets: 1, base_bits: 11, delta_bits: [9, 9, 9], fields: &[
        (RW, 0, 10), (GW, 0, 10), (BW, 0, 10), (RX, 0, 9), (RW, 10, 1), (GX, 0, 9), (GW, 10, 1), (BX, 0, 9), (BW, 10, 1)] },
    // High bits of the base are in reverse order from here on.
    Mode { code: 0b01011, delta: true, subsets: 1, base_bits: 12, delta_bits: [8, 8, 8], fields: &[
        (RW, 0, 10), (GW, 0, 10), (BW, 0, 10), (RX, 0, 8), (RW, 11, 1), (RW, 10, 1), (GX, 0, 8), (GW, 11, 1), (GW, 10, 1),
        (BX, 0, 8), (BW, 11, 1), (BW, 10, 1)] },
    Mode { code: 0b01111, delta: true, subsets: 1, base_bits: 16, delta_bits: [4, 4, 4], fields: &[
        (RW, 0, 10), (GW, 0, 10), (BW, 0, 10),
        (RX, 0, 4), (RW, 15, 1), (RW, 14, 1), (RW, 13, 1), (RW, 12, 1), (RW, 11, 1), (RW, 10, 1),
        (GX, 0, 4), (GW, 15, 1), (GW, 14, 1), (GW, 13, 1), (GW, 12, 1), (GW, 11, 1), (GW, 10, 1),
        (BX, 0, 4), (BW, 15, 1), (BW, 14, 1), (BW, 13, 1), (BW, 12, 1), (BW, 11, 1), (BW, 10, 1)] },
];

pub(super) fn block(block: u128, signed: bool, out: &mut [Texel; 16]) {
    // The codes of five bits are those whose second bit is set.
    let length = if block & 2 == 0 { 2 } else { 5 };
    let mut bits = Bits(block);
    let code = bits.next_field(length);
    let Some(mode) = MODES.iter().find(|mode| mode.code == code) else {
        *out = [BLACK; 16];
        return;
    };
    let mut values = [0u32; 12];
    for (value, at, count) in mode.fields {
        values[usize::from(*value)] |= bits.next_field(*count) << at;
    }
    let ends = ends(mode, &values, signed);
    let number = if mode.subsets == 2 {
        bits.next_field(5)
    } else {
        0
    };
    let partition = Partition::new(mode.subsets, number as usize);
    let index_bits = if mode.subsets == 2 { 3 } else { 4 };
    for (texel, result) in out.iter_mut().enumerate() {
        let index = bits.next_field(partition.index_bits(texel, index_bits));
        let weight = weight(index_bits, index);
        let subset = partition.subset(texel) & 1;
        *result = [0, 0, 0, ONE];
        for channel in 0..3 {
            let [a, b] = [ends[2 * subset], ends[2 * subset + 1]].map(|end| end[channel]);
            result[channel] = finish(mix(a, b, weight), signed);
        }
    }
}

/// The end points on a scale of 16 bits.
fn ends(mode: &Mode, values: &[u32; 12], signed: bool) -> [[i32; 3]; 4] {
    let mut ends = [[0; 3]; 4];
    for (i, value) in values.iter().enumerate() {
        let (end, channel) = (i / 3, i % 3);
        let mut value = *value as i32;
        if end != 0 && mode.delta {
            let difference = extend(value, mode.delta_bits[channel]);
            value = (values[channel] as i32).wrapping_add(difference) & ((1 << mode.base_bits) - 1);
        }
        if signed {
            value = extend(value, mode.base_bits);
        }
        ends[end][channel] = widen(value, mode.base_bits, signed);
    }
    ends
}

/// The value of a two's complement number of so many bits.
fn extend(value: i32, bits: u32) -> i32 {
    value << (32 - bits) >> (32 - bits)
}

fn widen(value: i32, bits: u32, signed: bool) -> i32 {
    if signed {
        if bits >= 16 {
            return value;
        }
        let size = value.abs();
        let size = match size {
            0 => 0,
            _ if size >= (1 << (bits - 1)) - 1 => 0x7fff,
            _ => ((size << 15) + 0x4000) >> (bits - 1),
        };
        if value < 0 { -size } else { size }
    } else {
        match value {
            _ if bits >= 15 => value,
            0 => 0,
            _ if value == (1 << bits) - 1 => 0xffff,
            _ => ((value << 16) + 0x8000) >> bits,
        }
    }
}

/// To a half float, and on to `f32`.
fn finish(value: i32, signed: bool) -> u32 {
    let half = if !signed {
        (value * 31) >> 6
    } else if value < 0 {
        ((-value * 31) >> 5) | 0x8000
    } else {
        (value * 31) >> 5
    };
    half_bits(half as u16)
}
