//! Operands for the comparison of ALU operations: corner values crossed, and fixed-seed random
//! ones.

use nir::fold::{mask, round_float};
use nir::{AluOp, BaseType, OpType};

/// A fixed-seed generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

fn ints(bits: u8) -> Vec<u64> {
    let top = 1u64 << (bits - 1);
    let half = 1u64 << (bits / 2);
    [
        0,
        1,
        2,
        3,
        7,
        10,
        31,
        32,
        33,
        63,
        100,
        u64::MAX,
        u64::MAX - 1,
        7u64.wrapping_neg(),
        top,
        top - 1,
        top + 1,
        top >> 1,
        half,
        half - 1,
        half.wrapping_neg(),
        0x5555_5555_5555_5555,
        0xaaaa_aaaa_aaaa_aaaa,
        0x0123_4567_89ab_cdef,
    ]
    .iter()
    .map(|v| v & mask(bits))
    .collect()
}

fn floats(bits: u8) -> Vec<u64> {
    let mant: u32 = match bits {
        16 => 10,
        32 => 23,
        _ => 52,
    };
    let inf = ((1u64 << (u32::from(bits) - 1 - mant)) - 1) << mant;
    let near = |x: f64| round_float(bits, x.into(), false);
    let mut out: Vec<u64> = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        3.0,
        0.25,
        0.75,
        10.0,
        std::f64::consts::PI,
        1.0 / 3.0,
        127.0,
        255.5,
        2048.0,
        32767.0,
        65504.0,
        65519.0,
        16_777_217.0,
        2_147_483_648.0,
        4_294_967_040.0,
        1e-5,
        1e-7,
        6e-8,
        1e19,
        // Beside a tie of 16 bits by less than 32 bits tell.
        1.0 + 1.0 / 2048.0 + 1.0 / 1_099_511_627_776.0,
        1.0 + 3.0 / 2048.0 - 1.0 / 1_099_511_627_776.0,
    ]
    .iter()
    .map(|x| near(*x))
    .collect();
    // Beside 0.5 and 1; smallest and largest subnormal, smallest normal, largest finite, infinity.
    out.extend([
        near(0.5) - 1,
        near(1.0) - 1,
        near(1.0) + 1,
        1,
        (1 << mant) - 1,
        1 << mant,
        inf - 1,
        inf,
        inf | 1 << (mant - 1),
    ]);
    let negative: Vec<u64> = out.iter().map(|v| v | 1 << (bits - 1)).collect();
    out.extend(negative);
    out.sort_unstable();
    out.dedup();
    out
}

/// Operands whose useful values are few: counts, offsets, widths, exponents.
fn narrow(op: AluOp, operand: usize) -> Option<&'static [i64]> {
    const FIELD: &[i64] = &[0, 1, 2, 5, 8, 15, 16, 17, 24, 30, 31, 32];
    const EXPONENT: &[i64] = &[
        -1000, -200, -126, -125, -30, -14, -1, 0, 1, 5, 14, 30, 127, 128, 1000, 1023,
    ];
    use AluOp as Op;
    match (op, operand) {
        (Op::UBfe | Op::IBfe | Op::UBitfieldExtract | Op::IBitfieldExtract, 1 | 2)
        | (Op::BitfieldInsert, 2 | 3)
        | (Op::Bfm, _) => Some(FIELD),
        (Op::Ldexp, 1) => Some(EXPONENT),
        _ => None,
    }
}

fn corners(op: AluOp, operand: usize, ty: OpType, bits: u8) -> Vec<u64> {
    if bits == 1 {
        return vec![0, 1];
    }
    if let Some(list) = narrow(op, operand) {
        return list.iter().map(|v| *v as u64 & mask(bits)).collect();
    }
    match ty.base {
        BaseType::Float => floats(bits),
        _ => ints(bits),
    }
}

fn random(r: &mut Random, op: AluOp, operand: usize, ty: OpType, bits: u8) -> u64 {
    if let Some(list) = narrow(op, operand) {
        return list[r.below(list.len())] as u64 & mask(bits);
    }
    if ty.base == BaseType::Float && r.below(4) != 0 {
        // Of everyday size, often with a short fraction.
        let v = r.next() as i64 >> 44;
        let x = v as f64 / f64::from(1u32 << r.below(24));
        return round_float(bits, x.into(), false);
    }
    let v = r.next() & mask(bits);
    if ty.base != BaseType::Float && r.below(3) == 0 {
        return v >> r.below(usize::from(bits));
    }
    v
}

/// Rows of operands: for each operand (type, bits, components), one value for each component.
pub fn rows(op: AluOp, operands: &[(OpType, u8, u8)], seed: u64) -> Vec<Vec<u64>> {
    const CROSSED: usize = 700;
    const RANDOM: usize = 250;
    let slots: Vec<(usize, OpType, u8)> = operands
        .iter()
        .enumerate()
        .flat_map(|(i, &(ty, bits, n))| (0..n).map(move |_| (i, ty, bits)))
        .collect();
    let lists: Vec<Vec<u64>> = slots
        .iter()
        .map(|&(i, ty, bits)| corners(op, i, ty, bits))
        .collect();
    let mut r = Random(seed);
    let mut out = Vec::new();
    let total = lists.iter().fold(1usize, |n, l| n.saturating_mul(l.len()));
    if total <= 2 * CROSSED {
        for mut k in 0..total {
            out.push(
                lists
                    .iter()
                    .map(|l| {
                        let v = l[k % l.len()];
                        k /= l.len();
                        v
                    })
                    .collect(),
            );
        }
    } else {
        for _ in 0..CROSSED {
            out.push(lists.iter().map(|l| l[r.below(l.len())]).collect());
        }
    }
    for _ in 0..RANDOM {
        out.push(
            slots
                .iter()
                .map(|&(i, ty, bits)| random(&mut r, op, i, ty, bits))
                .collect(),
        );
    }
    out
}
