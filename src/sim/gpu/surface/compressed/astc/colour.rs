//! Colour end points.
//!
//! In:  bits, how many there are, and the end points' modes. Out: two colours of 16 bits a channel
//!      for each partition; none where a mode is of high dynamic range.
//! Ref: Khronos Data Format Specification, ASTC, "Endpoint Unquantization", "LDR Endpoint
//!      Decoding".

use super::sequence::{COLOUR_RANGES, Digit, Range};

/// Most integers of a block's end points.
const MAX_VALUES: usize = 18;

type Colour = [i32; 4];

/// `None` where the block is illegal.
pub(super) fn ends(
    bits: u128,
    room: usize,
    count: usize,
    modes: &[u32],
    srgb: bool,
) -> Option<[Option<[[u32; 4]; 2]>; 4]> {
    // Even the smallest range must fit, which the specification puts as 13 bits for 5 values.
    if count > MAX_VALUES || room < (13 * count).div_ceil(5) {
        return None;
    }
    let range = COLOUR_RANGES
        .iter()
        .find(|range| range.bits(count) <= room)?;
    let mut digits = [(0, 0); MAX_VALUES];
    range.decode(bits, digits.get_mut(..count)?);
    let values = digits.map(|(digit, bits)| widen(*range, digit, bits) as i32);
    let mut ends = [None; 4];
    let mut at = 0;
    for (end, mode) in ends.iter_mut().zip(modes) {
        let length = (*mode as usize / 4 + 1) * 2;
        let mut own = [0; 8];
        own.get_mut(..length)?
            .copy_from_slice(values.get(at..at + length)?);
        at += length;
        *end = decode(*mode, own).map(|pair| pair.map(|colour| spread(colour, srgb)));
    }
    Some(ends)
}

/// To 16 bits: those of sRGB in the middle of what their eight bits stand for.
fn spread(colour: Colour, srgb: bool) -> [u32; 4] {
    let mut wide = colour.map(|value| value as u32 * 0x101);
    if srgb {
        for (wide, value) in wide.iter_mut().zip(colour).take(3) {
            *wide = (value as u32) << 8 | 0x80;
        }
    }
    wide
}

/// To eight bits.
fn widen(range: Range, digit: u32, bits: u32) -> u32 {
    let length = range.bits;
    let place = |at: u32, pattern: u32| (bits >> at & 1) * pattern;
    let (step, pattern) = match (range.digit, length) {
        (Digit::None, _) => {
            let mut value = 0;
            let mut filled = 0;
            while filled < 8 {
                value = value << length | bits;
                filled += length.max(1);
            }
            return value >> (filled - 8);
        }
        (Digit::Trit, 1) => (204, 0),
        (Digit::Trit, 2) => (93, place(1, 0b1_0001_0110)),
        (Digit::Trit, 3) => (44, place(2, 0b1_0000_1010) | place(1, 0b0_1000_0101)),
        (Digit::Trit, 4) => (
            22,
            place(3, 0b1_0000_0100) | place(2, 0b0_1000_0010) | place(1, 0b0_0100_0001),
        ),
        (Digit::Trit, 5) => (11, bits >> 1 << 5 | bits >> 3),
        (Digit::Trit, _) => (5, bits >> 1 << 4 | bits >> 5),
        (Digit::Quint, 1) => (113, 0),
        (Digit::Quint, 2) => (54, place(1, 0b1_0000_1100)),
        (Digit::Quint, 3) => (26, place(2, 0b1_0000_0101) | place(1, 0b0_1000_0010)),
        (Digit::Quint, 4) => (
            13,
            place(3, 0b1_0000_0010) | place(2, 0b0_1000_0001) | place(1, 0b0_0100_0000),
        ),
        (Digit::Quint, _) => (6, bits >> 1 << 5 | bits >> 4),
    };
    let a = (bits & 1) * 0x1ff;
    let value = (digit * step + pattern) ^ a;
    a & 0x80 | value >> 2 & 0x7f
}

/// The end points of a mode; `None` of high dynamic range.
fn decode(mode: u32, v: [i32; 8]) -> Option<[Colour; 2]> {
    let grey = |value: i32, alpha: i32| [value, value, value, alpha];
    Some(match mode {
        0 => [grey(v[0], 255), grey(v[1], 255)],
        1 => {
            let low = v[0] >> 2 | v[1] & 0xc0;
            let high = (low + (v[1] & 0x3f)).min(255);
            [grey(low, 255), grey(high, 255)]
        }
        4 => [grey(v[0], v[2]), grey(v[1], v[3])],
        5 => {
            let (light, alpha) = (difference(v[0], v[1]), difference(v[2], v[3]));
            let pair = [
                grey(light.0, alpha.0),
                grey(light.0 + light.1, alpha.0 + alpha.1),
            ];
            pair.map(clamp)
        }
        6 => scaled(v, 255, 255),
        10 => scaled(v, v[4], v[5]),
        8 => direct(v, 255, 255),
        12 => direct(v, v[6], v[7]),
        9 => offset(v, (255, 0)),
        13 => offset(v, difference(v[6], v[7])),
        _ => return None,
    })
}

/// A base of eight bits, and an offset of six.
fn difference(base: i32, offset: i32) -> (i32, i32) {
    let size = offset >> 1 & 0x3f;
    (offset & 0x80 | base >> 1, size << 26 >> 26)
}

fn clamp(colour: Colour) -> Colour {
    colour.map(|value| value.clamp(0, 255))
}

/// Red and green nearer to blue.
fn contract([r, g, b, a]: Colour) -> Colour {
    [(r + b) >> 1, (g + b) >> 1, b, a]
}

fn scaled(v: [i32; 8], low: i32, high: i32) -> [Colour; 2] {
    let by = |value: i32| (value * v[3]) >> 8;
    [
        [by(v[0]), by(v[1]), by(v[2]), low],
        [v[0], v[1], v[2], high],
    ]
}

fn direct(v: [i32; 8], low: i32, high: i32) -> [Colour; 2] {
    let pair = [[v[0], v[2], v[4], low], [v[1], v[3], v[5], high]];
    let [first, second] = pair;
    match v[1] + v[3] + v[5] >= v[0] + v[2] + v[4] {
        true => pair,
        false => [contract(second), contract(first)],
    }
}

fn offset(v: [i32; 8], alpha: (i32, i32)) -> [Colour; 2] {
    let [r, g, b] = [0, 2, 4].map(|i| difference(v[i], v[i + 1]));
    let base = [r.0, g.0, b.0, alpha.0];
    let moved = [r.0 + r.1, g.0 + g.1, b.0 + b.1, alpha.0 + alpha.1];
    let pair = match r.1 + g.1 + b.1 >= 0 {
        true => [base, moved],
        false => [contract(moved), contract(base)],
    };
    pair.map(clamp)
}

#[cfg(test)]
pub(super) mod tests;
