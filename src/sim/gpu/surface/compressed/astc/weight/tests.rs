//! Weights of every range, by the specification's tables of bits.
//!
//! Ref: Khronos Data Format Specification, ASTC, "Weight Unquantization", "Weight Infill".

use super::*;
use crate::surface::compressed::astc::colour::tests::patterned;

/// From 63 steps to 64.
fn to_64(value: u32) -> u32 {
    if value > 32 { value + 1 } else { value }
}

#[test]
fn weight_unquantisation_with_trits_and_quints() {
    // Digit, bits, B and C of the table.
    for (digit, bits, pattern, step) in [
        (Digit::Trit, 1, "0000000", 50),
        (Digit::Quint, 1, "0000000", 28),
        (Digit::Trit, 2, "b000b0b", 23),
        (Digit::Quint, 2, "b0000b0", 13),
        (Digit::Trit, 3, "cb000cb", 11),
    ] {
        let digits = if digit == Digit::Trit { 3 } else { 5 };
        for (number, own) in (0..digits).flat_map(|n| (0..1 << bits).map(move |own| (n, own))) {
            let a = patterned("aaaaaaa", own);
            let t = (number * step + patterned(pattern, own)) ^ a;
            let expected = to_64(a & 0x20 | t >> 2);
            let range = Range { digit, bits };
            assert_eq!(
                widen(range, number, own),
                expected,
                "{digit:?} {bits} {number} {own}"
            );
        }
    }
}

#[test]
fn weight_unquantisation_of_bits_or_a_single_digit() {
    let of = |digit, bits| Range { digit, bits };
    for (range, expected) in [
        (of(Digit::Trit, 0), &[0, 32, 64][..]),
        (of(Digit::Quint, 0), &[0, 16, 32, 48, 64]),
    ] {
        for (digit, weight) in expected.iter().enumerate() {
            assert_eq!(widen(range, digit as u32, 0), *weight, "{range:?}");
        }
    }
    // The bits are repeated until there are six.
    for (bits, pattern) in [
        (1, "aaaaaa"),
        (2, "bababa"),
        (3, "cbacba"),
        (4, "dcbadc"),
        (5, "edcbae"),
    ] {
        for own in 0..1 << bits {
            let expected = to_64(patterned(pattern, own));
            assert_eq!(
                widen(of(Digit::None, bits), 0, own),
                expected,
                "{bits} {own}"
            );
        }
    }
}

#[test]
fn weight_grid_infill() {
    // A grid of 3 × 2 in a block of 6 × 5, of two planes: the second has other weights.
    let mut weights = [0; MAX_WEIGHTS];
    for (i, pair) in [[0, 64], [64, 0], [32, 16], [16, 8], [8, 32], [4, 64]]
        .iter()
        .enumerate()
    {
        weights[2 * i..2 * i + 2].copy_from_slice(pair);
    }
    let grid = Grid {
        weights,
        size: [3, 2],
        planes: 2,
    };
    let at = |x, y| grid.texel_weights([x, y], [6, 5]);
    // The corners of the block are those of the grid.
    assert_eq!(
        [at(0, 0), at(5, 0), at(0, 4), at(5, 4)],
        [(0, 64), (32, 16), (16, 8), (4, 64)]
    );
    // Scales are (1024 + 3) / 5 = 205 and (1024 + 2) / 4 = 256. Texel (2, 1): 205 × 2 × 2 = 820,
    // 852 / 64 = 13, so 0 and 13 / 16; 256 + 32 = 288 / 64 = 4, so 0 and 4 / 16. The products are
    // 52 / 16 = 3 (rounded), 10, 1 and 2 of 16.
    assert_eq!(
        at(2, 1),
        (
            (10 * 64 + 16 + 3 * 8 + 8) / 16,
            (2 * 64 + 8 + 3 * 32 + 8) / 16
        )
    );
    // Of one plane both are the same.
    let alone = Grid { planes: 1, ..grid };
    assert_eq!(alone.texel_weights([5, 0], [6, 5]), (64, 64));
}
