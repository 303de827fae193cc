//! Results next to what a float can hold: denormals, halfway between two floats, too great.
//!
//! Ref: IEEE 754, 4.3 and 7.4; SKL PRM vol. 7, "Floating Point Modes", "Rounding Mode".

use crate::testing::{both_paths, both_paths_with, dst, g, imm, op, reg, scalar};
use isa::{Opcode, Type};

#[test]
fn denormal_results_flush_to_signed_zero() {
    let f = |x: f32| imm(Type::F, u64::from(x.to_bits()));
    let df = |x: f64| imm(Type::Df, x.to_bits());
    let scaled_min = |x: f64| df(x * f64::MIN_POSITIVE);
    // The bits without flushing.
    let table = [
        (
            Opcode::Mul,
            Type::F,
            vec![f(f32::MIN_POSITIVE), f(0.5)],
            1u64 << 22,
        ),
        (
            Opcode::Mul,
            Type::F,
            vec![f(-f32::MIN_POSITIVE), f(0.5)],
            1 << 31 | 1 << 22,
        ),
        (
            Opcode::Mul,
            Type::Df,
            vec![scaled_min(1.0), df(0.5)],
            1 << 51,
        ),
        (
            Opcode::Mul,
            Type::Df,
            vec![scaled_min(-1.0), df(0.5)],
            1 << 63 | 1 << 51,
        ),
        (Opcode::Mov, Type::F, vec![df(2f64.powi(-130))], 1 << 19),
        (
            Opcode::Mov,
            Type::F,
            vec![df(-(2f64.powi(-130)))],
            1 << 31 | 1 << 19,
        ),
    ];
    for (o, ty, s, bits) in table {
        let i = op(o, 4, dst(20, ty), &s);
        let (own, sign) = if ty == Type::F {
            (1 << 7, 31)
        } else {
            (1 << 6, 63)
        };
        let all = 1 << 6 | 1 << 7 | 1 << 10;
        for (cr0, want) in [(own, bits), (all & !own, bits & 1 << sign)] {
            for t in both_paths_with(&[i], &[], 0xf, cr0, |_| {}) {
                let got = t.state.regs.read(640, ty.size_bytes() as usize);
                assert_eq!(got, want, "cr0 {cr0:#x}: {i:?}");
            }
        }
    }
}

#[test]
fn mad_rounds_once_near_halfway() {
    // (1 + 2⁻¹²)² and (1 + 2⁻¹²)(1 + 3·2⁻¹²) are halfway between floats, whose lower is even, or
    // odd.
    let (b, even, odd) = (
        1.0 + 2f64.powi(-12),
        1.0 + 2f64.powi(-12),
        1.0 + 3.0 * 2f64.powi(-12),
    );
    // Just off it, by what a double of that size has lost, or has in its last bits.
    let (tiny, ulp) = (2f64.powi(-70), 2f64.powi(-52));
    let off = [tiny, ulp - tiny, ulp + tiny, 2.0 * ulp - tiny];
    for c in [even, odd] {
        let half = 2f64.powi(-24);
        let (lower, upper) = (b * c - half, b * c + half);
        for scale in [-40, -2, 0, 30].map(|e| 2f64.powi(e)) {
            for sign in [1.0, -1.0] {
                let lane = |k: usize| off[k % 4] * if k < 4 { 1.0 } else { -1.0 };
                let bits = |x: f64| ((x * scale * sign) as f32).to_bits();
                let mut p = vec![0; 1024];
                for k in 0..8 {
                    p[16 + k] = bits(lane(k));
                    p[32 + k] = bits(b);
                    p[48 + k] = (c as f32).to_bits();
                }
                let s = [g(2, Type::F), g(4, Type::F), g(6, Type::F)];
                let i = op(Opcode::Mad, 8, dst(20, Type::F), &s);
                for t in both_paths(&[i], &p, 0xff) {
                    for (k, got) in reg(&t, 20).into_iter().enumerate() {
                        let want = bits(if k < 4 { upper } else { lower });
                        assert_eq!(got, want, "{:e} off, times {scale:e}, {sign}", lane(k));
                    }
                }
                // A plane of no slope in one direction is as much.
                for k in 0..8 {
                    p[64..68].copy_from_slice(&[bits(b), 0, 0, bits(lane(k))]);
                    p[72..80].fill((c as f32).to_bits());
                    let s = [scalar(8, 0, Type::F), g(9, Type::F)];
                    let i = op(Opcode::Pln, 8, dst(20, Type::F), &s);
                    for t in both_paths(&[i], &p, 0xff) {
                        let want = bits(if k < 4 { upper } else { lower });
                        assert_eq!(reg(&t, 20), [want; 8], "plane {:e} off", lane(k));
                    }
                }
            }
        }
    }
}

#[test]
fn mad_rounds_denormals_once() {
    // ±(2⁻¹⁵⁰ − 2⁻¹⁹⁶) is a little less than half of the least denormal: the sum is the third
    // operand.
    let (b, c) = (
        1f32.next_up() * 2f32.powi(-75),
        (1.0 - 2f32.powi(-23)) * 2f32.powi(-75),
    );
    let a = 2f32.powi(-127).next_up();
    for (a, b) in [(a, b), (a, -b), (-a, b), (-a, -b)] {
        let s = [a, b, c].map(|x| imm(Type::F, u64::from(x.to_bits())));
        let i = op(Opcode::Mad, 8, dst(20, Type::F), &s);
        for t in both_paths(&[i], &[], 0xff) {
            assert_eq!(reg(&t, 20), [a.to_bits(); 8], "{a:e} + {b:e} * {c:e}");
        }
    }
}

#[test]
fn double_overflow_follows_the_rounding_mode() {
    // IEEE 754, 7.4: to nearest, up, down, towards zero.
    let (inf, max) = (f64::INFINITY, f64::MAX);
    let df = |x: f64| imm(Type::Df, x.to_bits());
    for (x, want) in [
        (max, [inf, inf, max, max]),
        (-max, [-inf, -max, -inf, -max]),
        (inf, [inf; 4]),
    ] {
        let sum = op(Opcode::Add, 4, dst(20, Type::Df), &[df(x), df(x)]);
        let product = op(Opcode::Mul, 4, dst(20, Type::Df), &[df(x), df(2.0)]);
        let both = op(Opcode::Mad, 4, dst(20, Type::Df), &[df(x), df(x), df(2.0)]);
        for i in [sum, product, both] {
            for (mode, want) in want.into_iter().enumerate() {
                for t in both_paths_with(&[i], &[], 0xf, (mode as u32) << 4, |_| {}) {
                    let got = f64::from_bits(t.state.regs.read(640, 8));
                    assert_eq!(got, want, "mode {mode}: {i:?}");
                }
            }
        }
    }
}
