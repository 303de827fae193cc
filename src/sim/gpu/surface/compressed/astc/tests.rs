//! Block modes, sequences and blocks at the limits of what is legal.
//!
//! Ref: Khronos Data Format Specification, ASTC: "Block Mode", "Integer Sequence Form",
//!      "Void-Extent Blocks", "Illegal Encodings".

use super::block::{ERROR, decode_block};
use super::mode::Mode;
use super::sequence::{Digit, Range};
use crate::surface::compressed::texel::{ONE, Texel};

/// Bits 10 to 0 of a block mode; width and height of its grid, by A and by B.
type Row = (&'static str, fn(usize, usize) -> [usize; 2]);

/// The specification's table of two-dimensional block modes. Two bits of R stand together, and r is
/// the lowest.
const TABLE: [Row; 10] = [
    ("DHBBAAr00RR", |a, b| [b + 4, a + 2]),
    ("DHBBAAr01RR", |a, b| [b + 8, a + 2]),
    ("DHBBAAr10RR", |a, b| [a + 2, b + 8]),
    ("DH0BAAr11RR", |a, b| [a + 2, b + 6]),
    ("DH1BAAr11RR", |a, b| [b + 2, a + 2]),
    ("DH00AArRR00", |a, _| [12, a + 2]),
    ("DH01AArRR00", |a, _| [a + 2, 12]),
    ("DH1100rRR00", |_, _| [6, 10]),
    ("DH1101rRR00", |_, _| [10, 6]),
    ("BB10AArRR00", |a, b| [a + 6, b + 6]),
];

/// Greatest weights by the three bits of R, for both values of H. The first two are reserved.
const GREATEST: [[u32; 8]; 2] = [[0, 0, 1, 2, 3, 4, 5, 7], [0, 0, 9, 11, 15, 19, 23, 31]];

/// The number in the bits marked with a character; none if a fixed bit differs.
fn field(pattern: &str, mode: u128, field_char: char) -> Option<usize> {
    let mut value = 0;
    for (i, of) in pattern.chars().enumerate() {
        let bit = (mode >> (10 - i) & 1) as usize;
        match of {
            '0' | '1' if of != char::from(b'0' + bit as u8) => return None,
            _ if of == field_char => value = value << 1 | bit,
            _ => {}
        }
    }
    Some(value)
}

fn greatest(range: Range) -> u32 {
    let digits = match range.digit {
        Digit::None => 1,
        Digit::Trit => 3,
        Digit::Quint => 5,
    };
    (digits << range.bits) - 1
}

#[test]
fn astc_block_modes_follow_the_table() {
    let mut legal = 0;
    for mode in 0..1 << 11 {
        // Zeros in the two lowest bits are not part of R but select the later rows.
        let row = TABLE.iter().find(|(pattern, _)| {
            field(pattern, mode, 'R').is_some_and(|upper| pattern.ends_with("00") || upper != 0)
        });
        let expected = row.and_then(|(pattern, grid)| {
            let get = |field_char| field(pattern, mode, field_char).unwrap_or(0);
            let max = GREATEST[get('H')][get('R') << 1 | get('r')];
            (max > 0).then(|| (grid(get('A'), get('B')), get('D') == 1, max))
        });
        let found = Mode::from_block(mode).map(|mode| (mode.grid, mode.dual, greatest(mode.range)));
        assert_eq!(found, expected, "{mode:011b}");
        legal += usize::from(found.is_some());
    }
    // By rows: three of 64 grids, two of 32, two of 16, two of 4 and one of 16, each with six
    // ranges for a value of H.
    assert_eq!(legal, 6 * (3 * 64 + 2 * 32 + 2 * 16 + 2 * 4 + 16));
}

/// The texel at the left and top, and the one at the right and bottom.
fn corners(block: u128, size: [usize; 2]) -> [Texel; 2] {
    let mut texels = [[7; 4]; 144];
    let count = size[0] * size[1];
    decode_block(block, size, false, &mut texels[..count]);
    [texels[0], texels[count - 1]]
}

/// A block mode from its bits.
fn mode(bits: &str) -> u128 {
    u128::from_str_radix(bits, 2).expect(bits)
}

const BLACK: Texel = [0, 0, 0, ONE];

#[test]
fn astc_blocks_at_the_legal_limits() {
    for (what, block, size, expected) in [
        // Weights have 24 to 96 bits: 7 × 2 and 5 × 3 of trits, 4 × 6 of four bits, 3 × 7 of a trit
        // and three bits.
        ("23 bits", mode("00110010001"), [8, 8], ERROR),
        ("24 bits", mode("00010110001"), [8, 8], BLACK),
        ("96 bits", mode("01001001110"), [8, 8], BLACK),
        ("97 bits", mode("01010101111"), [8, 8], ERROR),
        // Two planes of 4 × 4 bits and three or four partitions of grey.
        (
            "three partitions",
            mode("10001000001") | 2 << 11,
            [4, 4],
            BLACK,
        ),
        (
            "four partitions",
            mode("10001000001") | 3 << 11,
            [4, 4],
            ERROR,
        ),
        // The grid is as wide and high as the block, or more: 5 × 4.
        ("wide", mode("00011000010"), [5, 4], BLACK),
        ("wider", mode("00011000010"), [4, 4], ERROR),
        ("high", mode("00001100010"), [5, 5], BLACK),
        ("higher", mode("00001100010"), [5, 4], ERROR),
        // At most 64 weights: 8 × 8 and 9 × 8 of one bit.
        ("64 weights", mode("10101000100"), [12, 12], BLACK),
        ("72 weights", mode("10101100100"), [12, 12], ERROR),
        ("reserved", 0, [4, 4], ERROR),
    ] {
        assert_eq!(corners(block, size), [expected; 2], "{what}");
    }
}

#[test]
fn astc_void_extent_coordinates() {
    // Left, right, upper and lower end.
    for (extent, expected) in [
        ([0x1fff; 4], BLACK),
        ([1, 2, 3, 4], BLACK),
        ([0, 0x1fff, 0, 0x1fff], BLACK),
        ([2, 2, 3, 4], ERROR),
        ([2, 1, 3, 4], ERROR),
        ([1, 2, 3, 3], ERROR),
        ([1, 2, 4, 3], ERROR),
        ([0x1fff, 0x1fff, 3, 4], ERROR),
        ([1, 2, 0x1fff, 0x1fff], ERROR),
    ] {
        let ends = extent.into_iter().enumerate();
        let block = ends.fold(0xdfc | 0xffff << 112, |block, (i, end)| {
            block | end << (12 + 13 * i)
        });
        assert_eq!(corners(block, [4, 4]), [expected; 2], "{extent:x?}");
    }
}

#[test]
fn interpolation_rounds_to_nearest() {
    // Grey 0 and 35, which are 0 and 35 × 257 of 16 bits, by a weight of 21: (8995 × 21 + 32) / 64
    // is 2951 and a bit. A half float has channel11 bits, and is rounded down: 2950.
    let two_bits = mode("00001000010");
    let weight = 1u128.reverse_bits();
    let [first, last] = corners(two_bits | 35 << 25 | weight, [4, 4]);
    let grey = (2950.0f32 / 65536.0).to_bits();
    assert_eq!([first, last], [[grey, grey, grey, ONE], BLACK]);
    // 255 is 65535 of 65536, which is one.
    let [first, last] = corners(two_bits | 0xffff << 17, [4, 4]);
    assert_eq!([first, last], [[ONE; 4]; 2]);
}

/// The bits of five trits: the specification's definition, from the code's bits.
fn five_trits(code: u32) -> [u32; 5] {
    let t = |hi: u32, lo: u32| code >> lo & ((1 << (hi - lo + 1)) - 1);
    let (c, t3, t4) = match (t(4, 2), t(6, 5)) {
        (0b111, _) => (t(7, 5) << 2 | t(1, 0), 2, 2),
        (_, 0b11) => (t(4, 0), t(7, 7), 2),
        _ => (t(4, 0), t(6, 5), t(7, 7)),
    };
    let c = |hi: u32, lo: u32| c >> lo & ((1 << (hi - lo + 1)) - 1);
    let pair = |high: u32, low: u32| match high {
        1 => 2,
        _ => low,
    };
    match (c(1, 0), c(3, 2)) {
        (0b11, _) => [pair(c(3, 3), c(2, 2)), c(4, 4), 2, t3, t4],
        (_, 0b11) => [c(1, 0), 2, 2, t3, t4],
        _ => [pair(c(1, 1), c(0, 0)), c(3, 2), c(4, 4), t3, t4],
    }
}

/// The same of three quints.
fn three_quints(code: u32) -> [u32; 3] {
    let q = |hi: u32, lo: u32| code >> lo & ((1 << (hi - lo + 1)) - 1);
    let not = |bit: u32| 1 - bit;
    if q(2, 1) == 0b11 && q(6, 5) == 0 {
        let upper = q(0, 0);
        let third = upper << 2 | (q(4, 4) & not(upper)) << 1 | q(3, 3) & not(upper);
        return [4, 4, third];
    }
    let (c, third) = match q(2, 1) {
        0b11 => (
            q(4, 3) << 3 | not(q(6, 6)) << 2 | not(q(5, 5)) << 1 | q(0, 0),
            4,
        ),
        _ => (q(4, 0), q(6, 5)),
    };
    match c & 7 {
        0b101 => [c >> 3, 4, third],
        first => [first, c >> 3, third],
    }
}

#[test]
fn trit_and_quint_sequences() {
    // A whole group of each code, its pieces between the integers' own bits: here none, and two
    // each.
    for (digit, count, codes) in [(Digit::Trit, 5, 256), (Digit::Quint, 3, 128)] {
        let pieces: &[u32] = match digit {
            Digit::Trit => &[2, 2, 1, 2, 1],
            _ => &[3, 2, 2],
        };
        let mut seen = std::collections::BTreeSet::new();
        for code in 0..codes {
            let expected = match digit {
                Digit::Trit => five_trits(code).to_vec(),
                _ => three_quints(code).to_vec(),
            };
            for bits in [0, 2] {
                let (mut stream, mut at, mut left) = (0u128, 0, code);
                for (i, piece) in pieces.iter().enumerate() {
                    stream |= u128::from(i as u32 & ((1 << bits) - 1)) << at;
                    stream |= u128::from(left & ((1 << piece) - 1)) << (at + bits);
                    left >>= piece;
                    at += bits + piece;
                }
                let mut out = [(9, 9); 5];
                let range = Range { digit, bits };
                range.decode(stream, &mut out[..count]);
                let own = |i: usize| i as u32 & ((1 << bits) - 1);
                let wanted: Vec<_> = (0..count).map(|i| (expected[i], own(i))).collect();
                assert_eq!(out[..count], wanted, "{digit:?} {code}");
            }
            seen.insert(expected);
        }
        // Every combination has a code.
        let combinations = match digit {
            Digit::Trit => 243,
            _ => 125,
        };
        assert_eq!(seen.len(), combinations, "{digit:?}");
    }
    let mut out = [(9, 9); 4];
    let three = Range {
        digit: Digit::None,
        bits: 3,
    };
    three.decode(0o7053, &mut out);
    assert_eq!(out, [(0, 3), (0, 5), (0, 0), (0, 7)]);
}

#[test]
fn integer_sequence_ends_with_a_partial_group() {
    // A trit in 8 / 5 bits, a quint in 7 / 3, rounded up.
    for (digit, bits, lengths) in [
        (Digit::None, 3, [3, 6, 9, 12, 15, 18]),
        (Digit::Trit, 0, [2, 4, 5, 7, 8, 10]),
        (Digit::Trit, 1, [3, 6, 8, 11, 13, 16]),
        (Digit::Quint, 0, [3, 5, 7, 10, 12, 14]),
        (Digit::Quint, 2, [5, 9, 13, 18, 22, 26]),
    ] {
        let range = Range { digit, bits };
        let found = [1, 2, 3, 4, 5, 6].map(|count| range.bits(count));
        assert_eq!(found, lengths, "{digit:?} {bits}");
    }
}
