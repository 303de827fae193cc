//! Bounded integer sequence encoding.
//!
//! In:  bits, a range, how many integers. Out: the integers, with a trit or quint above their bits.
//! Ref: Khronos Data Format Specification, ASTC, "Integer Sequence Form".

use crate::surface::compressed::bits::Bits;

/// A range from zero on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// What integers have besides bits.
    pub digit: Digit,
    /// How many bits they have.
    pub bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digit {
    None,
    Trit,
    Quint,
}

use Digit::{None as Plain, Quint, Trit};

const fn range(digit: Digit, bits: u32) -> Range {
    Range { digit, bits }
}

/// Ranges of weights: 0 to 1, 2, 3, 4, 5, 7, 9, 11, 15, 19, 23 and 31.
#[rustfmt::skip]
pub(super) static WEIGHT_RANGES: [Range; 12] = [
    range(Plain, 1), range(Trit, 0), range(Plain, 2), range(Quint, 0), range(Trit, 1), range(Plain, 3),
    range(Quint, 1), range(Trit, 2), range(Plain, 4), range(Quint, 2), range(Trit, 3), range(Plain, 5),
];

/// Ranges of end points, from 0 to 255 down to 0 to 5.
#[rustfmt::skip]
pub(super) static COLOUR_RANGES: [Range; 17] = [
    range(Plain, 8), range(Trit, 6), range(Quint, 5), range(Plain, 7), range(Trit, 5), range(Quint, 4), range(Plain, 6),
    range(Trit, 4), range(Quint, 3), range(Plain, 5), range(Trit, 3), range(Quint, 2), range(Plain, 4), range(Trit, 2),
    range(Quint, 1), range(Plain, 3), range(Trit, 1),
];

impl Range {
    /// Bits of so many integers.
    pub fn bits(&self, count: usize) -> usize {
        let digits = match self.digit {
            Plain => 0,
            Trit => (8 * count).div_ceil(5),
            Quint => (7 * count).div_ceil(3),
        };
        digits + count * self.bits as usize
    }

    /// The first `out.len()` integers: digit and bits.
    pub fn decode(&self, bits: u128, out: &mut [(u32, u32)]) {
        let length = self.bits(out.len()) as u32;
        // What a last, partial group lacks reads as zero.
        let mut bits = Bits(match length {
            0..128 => bits & ((1 << length) - 1),
            _ => bits,
        });
        let pieces: &[u32] = match self.digit {
            Plain => &[0],
            Trit => &[2, 2, 1, 2, 1],
            Quint => &[3, 2, 2],
        };
        for group in out.chunks_mut(pieces.len()) {
            let (mut code, mut at) = (0, 0);
            for ((_, low), piece) in group.iter_mut().zip(pieces) {
                *low = bits.next_field(self.bits);
                code |= bits.next_field(*piece) << at;
                at += piece;
            }
            let digits = match self.digit {
                Plain => [0; 5],
                Trit => trits(code),
                Quint => quints(code),
            };
            for ((digit, _), value) in group.iter_mut().zip(digits) {
                *digit = value;
            }
        }
    }
}

/// Five trits of eight bits.
fn trits(code: u32) -> [u32; 5] {
    let bit = |at: u32| code >> at & 1;
    let (rest, t3, t4) = if code >> 2 & 7 == 7 {
        (code >> 5 << 2 | code & 3, 2, 2)
    } else if code >> 5 & 3 == 3 {
        (code & 0x1f, bit(7), 2)
    } else {
        (code & 0x1f, code >> 5 & 3, bit(7))
    };
    let bit = |at: u32| rest >> at & 1;
    let (t0, t1, t2) = if rest & 3 == 3 {
        (bit(3) << 1 | bit(2) & !bit(3), bit(4), 2)
    } else if rest >> 2 & 3 == 3 {
        (rest & 3, 2, 2)
    } else {
        (bit(1) << 1 | bit(0) & !bit(1), rest >> 2 & 3, bit(4))
    };
    [t0, t1, t2, t3, t4]
}

/// Three quints of seven bits.
fn quints(code: u32) -> [u32; 5] {
    let bit = |at: u32| code >> at & 1;
    if code >> 1 & 3 == 3 && code >> 5 & 3 == 0 {
        let q2 = bit(0) << 2 | (bit(4) & !bit(0)) << 1 | bit(3) & !bit(0);
        return [4, 4, q2, 0, 0];
    }
    let (rest, q2) = if code >> 1 & 3 == 3 {
        (code & 0x18 | (!code >> 5 & 3) << 1 | code & 1, 4)
    } else {
        (code & 0x1f, code >> 5 & 3)
    };
    match rest & 7 {
        5 => [rest >> 3 & 3, 4, q2, 0, 0],
        low => [low, rest >> 3 & 3, q2, 0, 0],
    }
}
