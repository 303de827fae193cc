//! End points of every range and mode, by the specification's tables.
//!
//! Ref: Khronos Data Format Specification, ASTC, "Color Endpoint Unquantization", "LDR Endpoint
//!      Decoding".

use super::*;

/// The number that a pattern of characters encodes: a is the lowest bit of `bits`, b the next.
pub(in crate::surface::compressed::astc) fn patterned(pattern: &str, bits: u32) -> u32 {
    pattern.bytes().fold(0, |value, letter| {
        let bit = match letter {
            b'0' => 0,
            letter => bits >> (letter - b'a') & 1,
        };
        value << 1 | bit
    })
}

#[test]
fn colour_unquantisation_with_trits_and_quints() {
    // Digit, bits, B and C of the table.
    for (digit, bits, pattern, step) in [
        (Digit::Trit, 1, "000000000", 204),
        (Digit::Quint, 1, "000000000", 113),
        (Digit::Trit, 2, "b000b0bb0", 93),
        (Digit::Quint, 2, "b0000bb00", 54),
        (Digit::Trit, 3, "cb000cbcb", 44),
        (Digit::Quint, 3, "cb0000cbc", 26),
        (Digit::Trit, 4, "dcb000dcb", 22),
        (Digit::Quint, 4, "dcb0000dc", 13),
        (Digit::Trit, 5, "edcb000ed", 11),
        (Digit::Quint, 5, "edcb0000e", 6),
        (Digit::Trit, 6, "fedcb000f", 5),
    ] {
        let digits = if digit == Digit::Trit { 3 } else { 5 };
        for (number, own) in (0..digits).flat_map(|n| (0..1 << bits).map(move |own| (n, own))) {
            let a = patterned("aaaaaaaaa", own);
            let t = (number * step + patterned(pattern, own)) ^ a;
            let expected = a & 0x80 | t >> 2 & 0x7f;
            let range = Range { digit, bits };
            assert_eq!(
                widen(range, number, own),
                expected,
                "{digit:?} {bits} {number} {own}"
            );
        }
    }
    // Bits alone are repeated until there are eight.
    for (bits, pattern) in [
        (3, "cbacbacb"),
        (4, "dcbadcba"),
        (5, "edcbaedc"),
        (6, "fedcbafe"),
        (7, "gfedcbag"),
        (8, "hgfedcba"),
    ] {
        let range = Range {
            digit: Digit::None,
            bits,
        };
        for own in 0..1 << bits {
            assert_eq!(
                widen(range, 0, own),
                patterned(pattern, own),
                "{bits} {own}"
            );
        }
    }
}

#[test]
fn endpoint_range_is_the_largest_that_fits() {
    // The second bit alone, which is b of the first value, shows the range. Of 0 to 9 it is the
    // lowest of the quint.
    for (room, red) in [
        (5, None),
        (6, Some(0b0100_1001)),
        (7, Some(113 >> 2)),
        (8, Some(0b0010_0010)),
        (9, Some(0b1_0000_1100 >> 2)),
        (10, Some(0b0001_0000)),
        (11, Some(0b0_1000_0010 >> 2)),
        (12, Some(0b0000_1000)),
        (13, Some(0b0_0100_0000 >> 2)),
        (14, Some(0b0000_0100)),
        (15, Some(0b0_0010_0000 >> 2)),
        (16, Some(0b0000_0010)),
        (90, Some(0b0000_0010)),
    ] {
        let found = ends(0b10, room, 2, &[0], false).map(|ends| ends[0].map(|pair| pair[0]));
        let expected = red.map(|red| Some([red * 0x101, red * 0x101, red * 0x101, 0xffff]));
        assert_eq!(found, expected, "{room}");
    }
    // At most 18 values, the last of two partitions follow those of the first.
    assert!(ends(0, 47, 18, &[12, 12, 0], false).is_some());
    assert!(ends(0, 46, 18, &[12, 12, 0], false).is_none());
    assert!(ends(0, 99, 20, &[12, 12, 4], false).is_none());
    let bytes = u128::from_le_bytes([1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let found = ends(bytes, 64, 6, &[0, 4], true).expect("room");
    let grey = |value: u32, alpha: u32| {
        let [value, alpha] = [value << 8 | 0x80, alpha * 0x101];
        [value, value, value, alpha]
    };
    let expected = [
        Some([grey(1, 255), grey(2, 255)]),
        Some([grey(3, 5), grey(4, 6)]),
        None,
        None,
    ];
    assert_eq!(found, expected);
}

#[test]
fn colour_endpoint_modes() {
    // The values, and both colours as they are before they are made wide.
    for (mode, values, expected) in [
        // Luminance: both, or a base of eight bits and an offset of six.
        (
            0,
            [10, 20, 0, 0, 0, 0, 0, 0],
            [[10, 10, 10, 255], [20, 20, 20, 255]],
        ),
        (
            1,
            [0x84, 0x45, 0, 0, 0, 0, 0, 0],
            [[97, 97, 97, 255], [102, 102, 102, 255]],
        ),
        (1, [0xff, 0xc0, 0, 0, 0, 0, 0, 0], [[255; 4]; 2]),
        (
            1,
            [0xf8, 0xff, 0, 0, 0, 0, 0, 0],
            [[254, 254, 254, 255], [255; 4]],
        ),
        (
            1,
            [0x07, 0x3f, 0, 0, 0, 0, 0, 0],
            [[1, 1, 1, 255], [64, 64, 64, 255]],
        ),
        // With alpha: both, or a base and a difference.
        (
            4,
            [10, 20, 30, 40, 0, 0, 0, 0],
            [[10, 10, 10, 30], [20, 20, 20, 40]],
        ),
        (
            5,
            [100, 0x86, 201, 0x41, 0, 0, 0, 0],
            [[178, 178, 178, 100], [181, 181, 181, 68]],
        ),
        (
            5,
            [1, 0x7e, 255, 0xbe, 0, 0, 0, 0],
            [[0, 0, 0, 255], [0, 0, 0, 255]],
        ),
        (
            5,
            [255, 0xbe, 1, 0x40, 0, 0, 0, 0],
            [[255, 255, 255, 0], [255, 255, 255, 0]],
        ),
        // A colour and a factor of 256, with separate alpha.
        (
            6,
            [200, 100, 50, 128, 0, 0, 0, 0],
            [[100, 50, 25, 255], [200, 100, 50, 255]],
        ),
        (
            6,
            [255, 1, 0, 255, 0, 0, 0, 0],
            [[254, 0, 0, 255], [255, 1, 0, 255]],
        ),
        (
            10,
            [200, 100, 50, 128, 7, 9, 0, 0],
            [[100, 50, 25, 7], [200, 100, 50, 9]],
        ),
        // Two colours; where the second is darker, exchanged and with blue contracted.
        (
            8,
            [1, 2, 3, 4, 5, 6, 0, 0],
            [[1, 3, 5, 255], [2, 4, 6, 255]],
        ),
        (
            8,
            [9, 3, 3, 8, 3, 4, 0, 0],
            [[9, 3, 3, 255], [3, 8, 4, 255]],
        ),
        (
            8,
            [10, 3, 3, 8, 3, 4, 0, 0],
            [[3, 6, 4, 255], [6, 3, 3, 255]],
        ),
        (12, [1, 2, 3, 4, 5, 6, 7, 8], [[1, 3, 5, 7], [2, 4, 6, 8]]),
        (12, [10, 3, 3, 8, 3, 4, 7, 8], [[3, 6, 4, 8], [6, 3, 3, 7]]),
        (12, [10, 3, 3, 8, 3, 4, 8, 7], [[3, 6, 4, 7], [6, 3, 3, 8]]),
        // A colour and differences: bases of half, with the upper bit of the other value; here 4,
        // −1 and −3.
        (
            9,
            [20, 8, 40, 0x7e, 60, 0x7a, 0, 0],
            [[10, 20, 30, 255], [14, 19, 27, 255]],
        ),
        (
            9,
            [20, 6, 40, 0x7e, 60, 0x7a, 0, 0],
            [[20, 23, 27, 255], [20, 25, 30, 255]],
        ),
        (
            9,
            [0, 0x40, 255, 0x3e, 2, 0x02, 0, 0],
            [[0, 127, 1, 255], [0, 158, 2, 255]],
        ),
        (
            9,
            [255, 0xbe, 1, 0x40, 255, 0xbe, 0, 0],
            [[255, 0, 255, 255], [255, 0, 255, 255]],
        ),
        (
            13,
            [20, 8, 40, 0x7e, 60, 0x7a, 80, 0x90],
            [[10, 20, 30, 168], [14, 19, 27, 176]],
        ),
        (
            13,
            [20, 6, 40, 0x7e, 60, 0x7a, 80, 0x90],
            [[20, 23, 27, 176], [20, 25, 30, 168]],
        ),
    ] {
        assert_eq!(decode(mode, values), Some(expected), "{mode} {values:x?}");
    }
    for mode in [2, 3, 7, 11, 14, 15] {
        assert_eq!(decode(mode, [0; 8]), None, "{mode}");
    }
}
