//! Operations by their definitions, each lane with its own operands, by the fast paths and by the
//! interpreter.
//!
//! Ref: SKL PRM vol. 2a, instruction reference; vol. 7, "Extended Math", "Accumulator Registers".

mod alu;
mod elements;
mod rounding;

use crate::alu_int::{self, IntegerWidth};
use crate::message::StopReason;
use crate::testing::{
    Recorder, abs, arf, arf_dst, both_paths, both_paths_with, dst, g, imm, neg, no_mask, null_dst,
    op, pred, reg, region, run, scalar, thread,
};
use crate::{alu_float, math, regs};
use isa::{Addr, ArfReg, CondMod, Dst, Inst, MathFn, Opcode, PredCtrl, Src, Type};

type Unary = fn(f32) -> f32;
type Binary = fn(f32, f32) -> f32;

/// Dwords 8·nr … of the registers that `values` gives, and zeros.
fn payload(values: &[(usize, &[u32])]) -> Vec<u32> {
    let mut p = vec![0; 1024];
    for (nr, v) in values {
        p[nr * 8..nr * 8 + v.len()].copy_from_slice(v);
    }
    p
}

fn bits(v: &[f32]) -> Vec<u32> {
    v.iter().map(|x| x.to_bits()).collect()
}

/// Runs one instruction both ways and compares registers from g20 on.
fn leaves(i: Inst, p: &[u32], want: &[u32]) {
    for t in both_paths(&[i], p, 0xffff) {
        assert_eq!(&t.grf()[160..160 + want.len()], want, "{i:?}");
    }
}

fn acc(ty: Type) -> Src {
    arf(ArfReg::Accumulator, 0, 0, ty)
}

fn to_acc(ty: Type) -> Dst {
    arf_dst(ArfReg::Accumulator, 0, 0, ty)
}

fn int_div(f: MathFn, n: u8, ty: Type) -> Inst {
    let mut i = op(Opcode::Math, n, dst(20, ty), &[g(2, ty), g(4, ty)]);
    i.math = Some(f);
    i
}

#[test]
fn integer_division_truncates_and_division_by_zero_gives_the_extreme() {
    let limit = i32::MIN as u32;
    let (m7, m2) = (-7i32 as u32, -2i32 as u32);
    // Dividend, divisor; signed quotient and remainder; unsigned ones.
    let table: [([u32; 2], [u32; 2], [u32; 2]); 8] = [
        ([7, 2], [3, 1], [3, 1]),
        ([m7, 2], [-3i32 as u32, u32::MAX], [0x7fff_fffc, 1]),
        ([7, m2], [-3i32 as u32, 1], [0, 7]),
        ([m7, m2], [3, u32::MAX], [0, m7]),
        ([5, 0], [0x7fff_ffff; 2], [u32::MAX; 2]),
        ([m7, 0], [limit; 2], [u32::MAX; 2]),
        ([0, 0], [0x7fff_ffff; 2], [u32::MAX; 2]),
        ([limit, 1], [limit, 0], [limit, 0]),
    ];
    let (a, b) = (table.map(|t| t.0[0]), table.map(|t| t.0[1]));
    let p = payload(&[(2, &a), (4, &b)]);
    for (ty, of) in [(Type::D, 0), (Type::Ud, 1)] {
        let want = |k: usize| table.map(|t| if of == 0 { t.1[k] } else { t.2[k] });
        leaves(int_div(MathFn::IntDivQuotient, 8, ty), &p, &want(0));
        leaves(int_div(MathFn::IntDivRemainder, 8, ty), &p, &want(1));
        let both = [want(0), want(1)].concat();
        leaves(int_div(MathFn::IntDivBoth, 8, ty), &p, &both);
        // By the interpreter: a modifier that changes nothing.
        for (f, k) in [(MathFn::IntDivQuotient, 0), (MathFn::IntDivRemainder, 1)] {
            let mut i = int_div(f, 8, ty);
            i.acc_wr = true;
            leaves(i, &p, &want(k));
        }
    }
    // One signed operand makes a signed division.
    let mut mixed = int_div(MathFn::IntDivQuotient, 8, Type::D);
    mixed.src[0].ty = Type::Ud;
    mixed.src[1].ty = Type::D;
    let p = payload(&[(2, &[9; 8]), (4, &[m2, 0, 2, 9, 10, 1, 3, 4])]);
    let minus_four = -4i32 as u32;
    leaves(mixed, &p, &[minus_four, 0x7fff_ffff, 4, 1, 0, 9, 3, 2]);
    (mixed.src[0].ty, mixed.src[1].ty) = (Type::D, Type::Ud);
    let p = payload(&[(2, &[m7; 8]), (4, &[2; 8])]);
    leaves(mixed, &p, &[-3i32 as u32; 8]);
    assert_eq!(
        alu_int::int_div(i128::from(i32::MIN), -1, true),
        (1 << 31, 0)
    );
}

#[test]
fn division_writes_remainders_after_quotients() {
    let a: Vec<u32> = (100..116).collect();
    let mut p = payload(&[(2, &a), (4, &[7; 16])]);
    p[160..].fill(u32::MAX);
    let (q, r): (Vec<u32>, Vec<u32>) = a.iter().map(|x| (x / 7, x % 7)).unzip();
    for n in [1u8, 4, 8, 16] {
        let t = run(&[int_div(MathFn::IntDivBoth, n, Type::Ud)], &p, 0xffff);
        let n = usize::from(n);
        let behind = 160 + n.div_ceil(8) * 8;
        assert_eq!(t.grf()[160..160 + n], q[..n], "{n}");
        assert_eq!(t.grf()[behind..behind + n], r[..n], "{n}");
        assert_eq!(t.grf()[behind + n], u32::MAX, "{n}");
    }
    let mut null = int_div(MathFn::IntDivBoth, 8, Type::Ud);
    null.dst = null_dst(Type::Ud);
    let t = run(&[null], &p, 0xff);
    assert_eq!(
        t.state.regs.read(regs::NULL + 32, 4),
        0,
        "nothing behind null"
    );
}

#[test]
fn unsupported_operand_types_are_undefined() {
    let f = |n: usize| [g(2, Type::F), g(4, Type::F), g(6, Type::F)][..n].to_vec();
    let of = |o, s: &[Src]| op(o, 8, dst(20, s[0].ty), s);
    let mut table = vec![
        of(Opcode::Not, &f(1)),
        of(Opcode::And, &f(2)),
        of(Opcode::Avg, &f(2)),
        of(Opcode::Addc, &f(2)),
        of(Opcode::Subb, &f(2)),
        of(Opcode::Mach, &f(2)),
        of(Opcode::Sad2, &f(2)),
        of(Opcode::Sada2, &f(2)),
        of(Opcode::Bfe, &f(3)),
        of(Opcode::Frc, &[g(2, Type::D)]),
        of(Opcode::Lrp, &[g(2, Type::D), g(4, Type::D), g(6, Type::D)]),
        // One float among the sources makes it a float operation.
        of(Opcode::Addc, &[g(2, Type::D), g(4, Type::F)]),
        of(Opcode::Bfe, &[g(2, Type::D), g(4, Type::D), g(6, Type::F)]),
    ];
    for m in [
        MathFn::IntDivBoth,
        MathFn::IntDivQuotient,
        MathFn::IntDivRemainder,
    ] {
        table.push(int_div(m, 8, Type::F));
    }
    for i in table {
        let mut t = thread(&[i], &[0; 1024], 0xff);
        let e = t.run(&mut Recorder::default(), 10);
        let types = matches!(
            e,
            Err(StopReason::Undefined {
                rule: "types",
                at: 0,
                ..
            })
        );
        assert!(types, "{i:?}: {e:?}");
    }
    // MATH without a function and SMOV are undefined.
    for i in [
        op(Opcode::Math, 8, dst(20, Type::F), &f(2)),
        op(Opcode::Smov, 8, dst(20, Type::F), &f(2)),
    ] {
        let mut t = thread(&[i], &[0; 1024], 0xff);
        let e = t.run(&mut Recorder::default(), 10);
        assert!(
            matches!(e, Err(StopReason::Unimplemented { at: 0, .. })),
            "{i:?}: {e:?}"
        );
    }
}

#[test]
fn invm_and_rsqrtm_set_the_flags_of_their_lanes() {
    // The flags of INVM and RSQRTM mark lanes that need no more steps; all of them, as they are
    // exact.
    let a = bits(&[1.0, 4.0, 9.0, 16.0, 25.0, 0.25, 36.0, 49.0]);
    let b = bits(&[2.0, 8.0, 3.0, -4.0, 5.0, 0.5, 6.0, -7.0]);
    let p = payload(&[(2, &a), (4, &b)]);
    let table: [(_, Binary); 2] = [
        (MathFn::Invm, |a, b| a / b),
        (MathFn::Rsqrtm, |a, _| a.sqrt()),
    ];
    for (f, want) in table {
        let mut i = op(
            Opcode::Math,
            8,
            dst(20, Type::F),
            &[g(2, Type::F), g(4, Type::F)],
        );
        i.math = Some(f);
        i.flag = 3;
        for t in both_paths_with(&[i], &p, 0b1101_1010, 0, |t| t.state.regs.set_flags(1)) {
            assert_eq!(t.flags(), 0b1101_1010 << 48 | 1, "{f:?}");
            for c in (0..8).filter(|c| 0b1101_1010 >> c & 1 != 0) {
                let x = want(f32::from_bits(a[c]), f32::from_bits(b[c]));
                assert_eq!(f32::from_bits(reg(&t, 20)[c]), x, "{f:?} {c}");
            }
        }
    }
}

#[test]
fn math_functions_have_the_values_that_the_prm_lists() {
    let inf = f64::INFINITY;
    let is = |f, a, b, want: f64| {
        let got = math::eval(f, a, b).unwrap_or_else(|| panic!("{f:?}"));
        assert_eq!(
            got.to_bits(),
            want.to_bits(),
            "{f:?} {a} {b}: {got}, not {want}"
        );
    };
    let nan = |f, a, b| {
        let got = math::eval(f, a, b);
        assert!(got.is_some_and(f64::is_nan), "{f:?} {a} {b}: {got:?}");
    };
    for (f, a, b, want) in [
        (MathFn::Inv, 4.0, 0.0, 0.25),
        (MathFn::Inv, -0.0, 0.0, -inf),
        (MathFn::Inv, -inf, 0.0, -0.0),
        (MathFn::Log, 8.0, 0.0, 3.0),
        (MathFn::Log, 0.25, 0.0, -2.0),
        (MathFn::Log, 0.0, 0.0, -inf),
        (MathFn::Log, -0.0, 0.0, -inf),
        (MathFn::Log, 1.0, 0.0, 0.0),
        (MathFn::Exp, -3.0, 0.0, 0.125),
        (MathFn::Exp, -inf, 0.0, 0.0),
        (MathFn::Sqrt, 6.25, 0.0, 2.5),
        (MathFn::Sqrt, -0.0, 0.0, -0.0),
        (MathFn::Rsq, 0.25, 0.0, 2.0),
        (MathFn::Rsq, 0.0, 0.0, inf),
        (MathFn::Rsq, -0.0, 0.0, -inf),
        (MathFn::Rsqrtm, 4.0, 0.0, 2.0),
        (MathFn::Rsqrtm, -0.0, 0.0, -0.0),
        (MathFn::Rsqrtm, inf, 0.0, inf),
        (MathFn::Sin, 0.0, 0.0, 0.0),
        (MathFn::Cos, 0.0, 0.0, 1.0),
        (MathFn::Fdiv, 3.0, -2.0, -1.5),
        (MathFn::Invm, 3.0, -2.0, -1.5),
        (MathFn::Pow, 2.0, 3.0, 8.0),
        (MathFn::Pow, 4.0, -0.5, 0.5),
        (MathFn::Pow, 0.0, 2.0, 0.0),
        (MathFn::Pow, 0.0, -1.0, inf),
        (MathFn::Pow, 0.0, 0.0, 1.0),
        (MathFn::Pow, inf, 0.0, 1.0),
        (MathFn::Pow, -2.0, 0.0, 1.0),
    ] {
        is(f, a, b, want);
    }
    for (f, a, b) in [
        (MathFn::Log, -1.0, 0.0),
        (MathFn::Sqrt, -1.0, 0.0),
        (MathFn::Rsq, -1.0, 0.0),
        (MathFn::Fdiv, 0.0, 0.0),
        // exp2(b · log2 a) has no logarithm of a negative number, whatever the power.
        (MathFn::Pow, -2.0, 2.0),
        (MathFn::Pow, -2.0, -1.0),
    ] {
        nan(f, a, b);
    }
    for f in [
        MathFn::IntDivBoth,
        MathFn::IntDivQuotient,
        MathFn::IntDivRemainder,
    ] {
        assert_eq!(math::eval(f, 4.0, 2.0), None, "{f:?}");
    }
    let one = std::f64::consts::FRAC_PI_2;
    assert_eq!(math::eval(MathFn::Sin, one, 0.0), Some(1.0));
}

#[test]
fn integer_operations_of_every_width() {
    let w = |bits, signed, src0| IntegerWidth {
        bits,
        signed,
        signed_dst: signed,
        src0,
    };
    let (ud, d) = (w(32, false, Type::Ud), w(32, true, Type::D));
    let to_signed = IntegerWidth {
        signed_dst: true,
        ..ud
    };
    let (uq, q) = (w(64, false, Type::Uq), w(64, true, Type::Q));
    let (ub, b) = (w(32, false, Type::Ub), w(32, true, Type::B));
    let (uw, sw) = (w(32, false, Type::Uw), w(32, true, Type::W));
    let low = 0x8765_4321i128;
    let table: Vec<(Opcode, IntegerWidth, [i128; 3], i128)> = vec![
        (Opcode::Avg, d, [3, 4, 0], 4),
        (Opcode::Avg, d, [-3, -4, 0], -3),
        (Opcode::Avg, d, [-1, 0, 0], 0),
        // A shift counts in the low five bits, or six where a quadword takes part.
        (Opcode::Shl, ud, [1, 33, 0], 2),
        (Opcode::Shl, ud, [1, 31, 0], 1 << 31),
        (Opcode::Shl, uq, [1, 33, 0], 1 << 33),
        (Opcode::Shl, uq, [1, 65, 0], 2),
        (Opcode::Shr, ud, [low, 4, 0], 0x0876_5432),
        (Opcode::Shr, d, [-1, 28, 0], 15),
        (Opcode::Shr, d, [-1, 0, 0], 0xffff_ffff),
        (Opcode::Shr, uq, [1 << 40, 36, 0], 16),
        (Opcode::Shr, q, [-1, 60, 0], 15),
        (Opcode::Asr, d, [-16, 2, 0], -4),
        (Opcode::Asr, d, [-16, 33, 0], -8),
        (Opcode::Asr, ud, [low, 4, 0], 0x0876_5432),
        (Opcode::Asr, q, [-1 << 40, 36, 0], -16),
        (Opcode::Asr, uq, [i128::from(u64::MAX) << 4, 4, 0], -1),
        (Opcode::Rol, ud, [low, 8, 0], 0x6543_2187),
        (Opcode::Rol, ud, [low, 40, 0], 0x6543_2187),
        (Opcode::Ror, ud, [low, 8, 0], 0x2187_6543),
        (Opcode::Ror, ud, [low, 0, 0], low),
        (Opcode::Rol, uw, [0x4321, 4, 0], 0x3214),
        (Opcode::Ror, uw, [0x4321, 4, 0], 0x1432),
        (Opcode::Rol, uq, [1, 63, 0], 1 << 63),
        (Opcode::Rol, uq, [3, 68, 0], 48),
        (Opcode::Ror, uq, [1, 1, 0], 1 << 63),
        (Opcode::Mad, d, [100, -7, 6], 58),
        (Opcode::Lzd, ud, [1, 0, 0], 31),
        (Opcode::Lzd, ud, [0, 0, 0], 32),
        (Opcode::Lzd, ud, [low, 0, 0], 0),
        (Opcode::Fbh, ud, [0x8000, 0, 0], 16),
        (Opcode::Fbh, ud, [low, 0, 0], 0),
        (Opcode::Fbh, ud, [0, 0, 0], 0xffff_ffff),
        (Opcode::Fbh, d, [-1, 0, 0], 0xffff_ffff),
        (Opcode::Fbh, d, [-2, 0, 0], 31),
        (Opcode::Fbh, d, [-0x8000_0000, 0, 0], 1),
        (Opcode::Fbl, ud, [0, 0, 0], 0xffff_ffff),
        (Opcode::Fbl, ud, [0x50, 0, 0], 4),
        // Bits of the source's own width.
        (Opcode::Cbit, ub, [0xff, 0, 0], 8),
        (Opcode::Cbit, b, [-1, 0, 0], 8),
        (Opcode::Cbit, sw, [-1, 0, 0], 16),
        (Opcode::Cbit, d, [-1, 0, 0], 32),
        (Opcode::Cbit, q, [-1, 0, 0], 64),
        (Opcode::Bfrev, ud, [1, 0, 0], 1 << 31),
        (Opcode::Bfrev, ud, [0x8000_000c, 0, 0], 0x3000_0001),
        // IntegerWidth, offset, value.
        (Opcode::Bfe, ud, [8, 4, low], 0x32),
        (Opcode::Bfe, d, [8, 24, low], -0x79),
        (Opcode::Bfe, ud, [8, 28, low], 8),
        (Opcode::Bfe, d, [8, 28, low], -8),
        (Opcode::Bfe, ud, [32, 0, low], 0),
        (Opcode::Bfe, ud, [33, 32, low], 1),
        (Opcode::Bfe, ud, [31, 1, low], low >> 1),
        (Opcode::Bfe, d, [1, 0, low], -1),
        // Of unsigned sources, to a signed destination.
        (Opcode::Bfe, to_signed, [8, 28, low], -8),
        (Opcode::Bfe, to_signed, [4, 4, low], 2),
        (Opcode::Bfi1, ud, [4, 8, 0], 0xf00),
        (Opcode::Bfi1, ud, [36, 40, 0], 0xf00),
        (Opcode::Bfi1, ud, [31, 4, 0], 0xffff_fff0),
        // Mask, field, value.
        (Opcode::Bfi2, ud, [0xff0, 0xab, 0x1234_5678], 0x1234_5ab8),
        (Opcode::Bfi2, ud, [0xff0, 0xfab, 0x1234_5678], 0x1234_5ab8),
        (Opcode::Bfi2, ud, [0, 0xab, 0x1234_5678], 0x1234_5678),
        (
            Opcode::Dp4a,
            ud,
            [1000, 0x0102_0304, 0x0506_0708],
            1000 + 5 + 12 + 21 + 32,
        ),
        (
            Opcode::Dp4a,
            ud,
            [1000, 0xff00_0002, 0x0200_0003],
            1000 + 510 + 6,
        ),
        (
            Opcode::Dp4a,
            d,
            [1000, 0xff00_0002, 0x0200_0003],
            1000 - 2 + 6,
        ),
        (
            Opcode::Dp4a,
            d,
            [1000, 0x0080_0000, 0x00ff_0000],
            1000 + 128,
        ),
        (
            Opcode::Dp4a,
            d,
            [-1000, 0x0000_7f00, 0x0000_8000],
            -1000 - 127 * 128,
        ),
    ];
    for (o, width, [a, b, c], want) in table {
        assert_eq!(
            alu_int::eval(o, width, a, b, c),
            Some(want),
            "{o:?} {width:?} {a:#x} {b:#x} {c:#x}"
        );
    }
    for o in [Opcode::Frc, Opcode::Dp4, Opcode::Lrp, Opcode::Cmp] {
        assert_eq!(alu_int::eval(o, ud, 1, 2, 3), None, "{o:?}");
    }
}

#[test]
fn frc_is_below_one_when_it_would_round_to_one() {
    let greatest = 1f32.next_down();
    let table = [
        (0.0, 0.0),
        (2.75, 0.75),
        (-2.75, 0.25),
        (-1.0, 0.0),
        // Just below zero: one minus 2⁻²⁵ is halfway to one, and one is even.
        (-(2f32.powi(-25)), greatest),
        (-(2f32.powi(-24)), greatest),
        (-(2f32.powi(-23)), 1.0 - 2f32.powi(-23)),
        (-1e-30, greatest),
    ];
    let a: Vec<u32> = bits(&table.map(|t| t.0));
    let want: Vec<u32> = bits(&table.map(|t| t.1));
    let i = op(Opcode::Frc, 8, dst(20, Type::F), &[g(2, Type::F)]);
    leaves(i, &payload(&[(2, &a)]), &want);
    // Cut towards zero.
    for t in both_paths_with(&[i], &payload(&[(2, &a)]), 0xff, 3 << 4, |_| {}) {
        assert_eq!(reg(&t, 20), want[..], "to zero");
    }
}

/// `max(-x, 7)` of INT_MIN is 7.
#[test]
fn negating_int_min_wraps() {
    let int_min = i32::MIN as u32;
    let a = [int_min, 1, -5i32 as u32, int_min, 0, 9, 7, int_min];
    let p = payload(&[(2, &a)]);
    let seven = Src::imm_d(7);
    let minus = neg(g(2, Type::D));
    let mut size = g(2, Type::D);
    size.abs = true;
    let wrapped = |x: u32| (x as i32).wrapping_neg();
    for (source, of) in [
        (minus, wrapped as fn(u32) -> i32),
        (size, |x| (x as i32).wrapping_abs()),
    ] {
        let mut greatest = op(Opcode::Sel, 8, dst(20, Type::D), &[source, seven]);
        greatest.cmod = CondMod::Ge;
        let mut less = op(Opcode::Cmp, 8, Dst::null(Type::D), &[source, seven]);
        less.cmod = CondMod::L;
        for t in both_paths(&[greatest, less], &p, 0xff) {
            let expected = a.map(|x| of(x).max(7) as u32);
            assert_eq!(reg(&t, 20), expected);
            let flags = (0..8).fold(0, |all, i| all | u64::from(of(a[i]) < 7) << i);
            assert_eq!(t.flags() & 0xff, flags);
        }
    }
}

#[test]
fn frc_never_returns_one() {
    // Whatever the rounding and the type: up is 1.
    for round in 0..4 {
        let single = op(Opcode::Frc, 8, dst(20, Type::F), &[g(2, Type::F)]);
        let a = bits(&[
            -(2f32.powi(-26)),
            -1e-30,
            -(2f32.powi(-24) * 1.25),
            0.75,
            0.0,
            -0.25,
            -1.0,
            1.5,
        ]);
        for t in both_paths_with(&[single], &payload(&[(2, &a)]), 0xff, round << 4, |_| {}) {
            let found = reg(&t, 20).map(f32::from_bits);
            assert!(found.iter().all(|f| (0.0..1.0).contains(f)), "{found:?}");
            assert_eq!(found[3..], [0.75, 0.0, 0.75, 0.0, 0.5]);
        }
        let double = op(Opcode::Frc, 4, dst(20, Type::Df), &[g(2, Type::Df)]);
        let a: Vec<u32> = [-1e-300f64, -(2f64.powi(-54)), -0.25, 2.5]
            .iter()
            .flat_map(|f| [f.to_bits() as u32, (f.to_bits() >> 32) as u32])
            .collect();
        for t in both_paths_with(&[double], &payload(&[(2, &a)]), 0xf, round << 4, |_| {}) {
            let found = reg(&t, 20);
            let found: Vec<f64> = found
                .chunks(2)
                .map(|d| f64::from_bits(u64::from(d[0]) | u64::from(d[1]) << 32))
                .collect();
            let limit = 1f64.next_down();
            assert_eq!(found, [limit, limit, 0.75, 0.5], "mode {round}");
        }
    }
}

#[test]
fn moves_and_roundings_are_exact_in_every_rounding_mode() {
    let values = [2.5f32, -2.5, 1.5, -0.75, 8_388_607.5, -1e30, 0.125, -3.0];
    let p = payload(&[(2, &bits(&values))]);
    let table: [(Opcode, Unary); 6] = [
        (Opcode::Mov, |x| -x),
        (Opcode::Rndd, |x| (-x).floor()),
        (Opcode::Rndu, |x| (-x).ceil()),
        (Opcode::Rndz, |x| (-x).trunc()),
        (Opcode::Rnde, |x| (-x).round_ties_even()),
        (Opcode::Frc, |x| -x - (-x).floor()),
    ];
    for (o, f) in table {
        let i = op(o, 8, dst(20, Type::F), &[neg(g(2, Type::F))]);
        for round in 0..4 {
            for t in both_paths_with(&[i], &p, 0xff, round << 4, |_| {}) {
                let got = reg(&t, 20).map(f32::from_bits);
                assert_eq!(got, values.map(f), "{o:?}, mode {round}");
            }
        }
    }
    // Selections, and halves.
    let minus = neg(g(2, Type::F));
    let sel = op(Opcode::Sel, 8, dst(20, Type::F), &[minus, minus]);
    let mut csel = op(Opcode::Csel, 8, dst(20, Type::F), &[minus, minus, minus]);
    csel.cmod = CondMod::G;
    let half = op(Opcode::F16to32, 8, dst(20, Type::F), &[neg(g(3, Type::Uw))]);
    let mut p = p;
    // 2.5, −1.5, twice.
    p[24..28].fill(0xbe00_4100);
    let halves = [-2.5f32, 1.5, -2.5, 1.5, -2.5, 1.5, -2.5, 1.5];
    // A quotient that is a number.
    let mut eighth = op(
        Opcode::Math,
        8,
        dst(20, Type::F),
        &[neg(g(2, Type::F)), imm(Type::F, 0x4100_0000)],
    );
    eighth.math = Some(MathFn::Fdiv);
    for (i, want) in [
        (sel, values.map(|x| -x)),
        (csel, values.map(|x| -x)),
        (half, halves),
        (eighth, values.map(|x| -x / 8.0)),
    ] {
        for round in 0..4 {
            for t in both_paths_with(&[i], &p, 0xff, round << 4, |_| {}) {
                assert_eq!(reg(&t, 20).map(f32::from_bits), want, "{i:?}, mode {round}");
            }
        }
    }
}

#[test]
fn lrp_rounds_both_products() {
    // src0 · src1 + (1 − src0) · src2.
    let table = [
        ([0.25f32, 8.0, 16.0], 14.0f32),
        ([0.0, 8.0, -3.0], -3.0),
        ([1.0, 8.0, -3.0], 8.0),
        ([2.0, 8.0, 3.0], 13.0),
        ([-1.0, 4.0, 3.0], 2.0),
    ];
    for ([a, b, c], want) in table {
        let s = [a, b, c].map(|x| imm(Type::F, u64::from(x.to_bits())));
        let i = op(Opcode::Lrp, 8, dst(20, Type::F), &s);
        leaves(i, &[0; 8], &[want.to_bits(); 8]);
    }
    assert!(alu_float::dot(Opcode::Add, [0.0; 4], [0.0; 4]).is_none());
}

#[test]
fn dot_products_read_whole_groups_regardless_of_the_mask() {
    let a = bits(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let b = bits(&[10.0, 100.0, -1.0, 0.5, 2.0, 3.0, -4.0, 5.0]);
    let p = payload(&[(2, &a), (4, &b)]);
    for (o, want) in [
        (Opcode::Dp2, [210.0, 28.0]),
        (Opcode::Dp3, [207.0, 0.0]),
        (Opcode::Dp4, [209.0, 40.0]),
        // Homogeneous: the fourth of source 0 is one.
        (Opcode::Dph, [207.5, 5.0]),
    ] {
        let i = op(o, 8, dst(20, Type::F), &[g(2, Type::F), g(4, Type::F)]);
        let t = run(&[i], &p, 0b1010_0101);
        let got = reg(&t, 20).map(f32::from_bits);
        let [x, y] = want;
        assert_eq!(got, [x, 0.0, x, 0.0, 0.0, y, 0.0, y], "{o:?}");
        let i = op(
            o,
            8,
            dst(20, Type::F),
            &[neg(g(2, Type::F)), abs(g(4, Type::F))],
        );
        let got = f32::from_bits(reg(&run(&[i], &p, 0xff), 20)[0]);
        let mut want = -10.0 - 200.0;
        want -= if o == Opcode::Dp2 { 0.0 } else { 3.0 };
        want += match o {
            Opcode::Dp4 => -2.0,
            Opcode::Dph => 0.5,
            _ => 0.0,
        };
        assert_eq!(got, want, "{o:?} with modifiers");
    }
}

#[test]
fn pln_and_line_read_four_coefficients() {
    let whole: Vec<u32> = (0..1024).map(|i| (i as f32).to_bits()).collect();
    for n in [8u8, 16, 32] {
        for (sub, a, b) in [
            (0, 1.0f32, 1.0f32),
            (16, 1.0, 1.0),
            (0, -1.0, 1.0),
            (16, 1.0, -1.0),
        ] {
            let mut s = [scalar(1, sub, Type::F), g(4, Type::F)];
            s[0].negate = a < 0.0;
            s[1].negate = b < 0.0;
            let first = 8.0 + f32::from(sub / 4);
            let [p, q, r] = [first, first + 1.0, first + 3.0].map(|x| x * a);
            let pln = op(Opcode::Pln, n, dst(40, Type::F), &s);
            let line = op(Opcode::Line, n, dst(50, Type::F), &s);
            for t in both_paths(&[pln, line], &whole, u32::MAX) {
                for i in 0..usize::from(n) {
                    // u and v of each eight channels are a pair of registers.
                    let u = (32 + i / 8 * 16 + i % 8) as f32 * b;
                    let v = (32 + i / 8 * 16 + 8 + i % 8) as f32 * b;
                    let got = f32::from_bits(t.grf()[320 + i]);
                    assert_eq!(got, p * u + q * v + r, "{pln:?} {i}");
                    let got = f32::from_bits(t.grf()[400 + i]);
                    assert_eq!(got, p * (32 + i) as f32 * b + r, "{line:?} {i}");
                }
            }
        }
    }
    // Four channels.
    let pln = op(
        Opcode::Pln,
        4,
        dst(40, Type::F),
        &[scalar(1, 0, Type::F), g(4, Type::F)],
    );
    for t in both_paths(&[pln], &whole, 0xf) {
        for i in 0..4 {
            let want = 8.0 * (32 + i) as f32 + 9.0 * (40 + i) as f32 + 11.0;
            assert_eq!(f32::from_bits(t.grf()[320 + i]), want);
        }
    }
}

#[test]
fn sada2_adds_to_the_accumulator() {
    let a: Vec<u32> = (0..8).map(|i| 0x0905_0a80u32.rotate_left(i * 3)).collect();
    let b: Vec<u32> = (0..8).map(|i| 0x1105_7f01u32.rotate_left(i * 5)).collect();
    let p = payload(&[
        (2, &a),
        (4, &b),
        (6, &(0..8).map(|i| i * 0x11 + 3).collect::<Vec<_>>()),
    ]);
    let to_acc = op(
        Opcode::Add,
        16,
        to_acc(Type::W),
        &[g(6, Type::W), imm(Type::W, 0)],
    );
    for ty in [Type::Ub, Type::B] {
        let byte = |v: &[u32], i: usize| {
            let x = (v[i / 4] >> (8 * (i % 4))) as u8;
            if ty == Type::B {
                i32::from(x as i8)
            } else {
                i32::from(x)
            }
        };
        let sum = |i: usize| {
            let d = |i| (byte(&a, i) - byte(&b, i)).abs();
            d(i) + d(i + 1)
        };
        for (o, from_acc) in [(Opcode::Sad2, 0), (Opcode::Sada2, 1)] {
            let sad = op(o, 16, dst(20, Type::W), &[g(2, ty), g(4, ty)]);
            let t = run(&[to_acc, sad], &p, 0xffff);
            let word =
                |nr: usize, i: usize| (t.grf()[nr * 8 + i / 2] >> (16 * (i % 2)) & 0xffff) as i32;
            for i in (0..16).step_by(2) {
                let want = sum(i) + from_acc * word(6, i);
                assert_eq!(word(20, i), want, "{o:?} {ty:?} {i}");
                assert_eq!(word(20, i + 1), 0, "{o:?} leaves the odd ones");
            }
        }
    }
}

#[test]
fn carry_and_borrow_at_the_overflow_boundary() {
    let a = [u32::MAX, u32::MAX, 5, 5, 5, 0, 0, 0x8000_0000];
    let b = [0, 1, 5, 6, 4, 0, 1, 0x8000_0000];
    let p = payload(&[(2, &a), (4, &b)]);
    for o in [Opcode::Addc, Opcode::Subb] {
        let mut i = op(o, 8, dst(20, Type::Ud), &[g(2, Type::Ud), g(4, Type::Ud)]);
        i.acc_wr = true;
        let read = op(Opcode::Mov, 8, dst(21, Type::Ud), &[acc(Type::Ud)]);
        for t in both_paths(&[i, read], &p, 0xff) {
            for k in 0..8 {
                let (sum, carry) = match o {
                    Opcode::Addc => a[k].overflowing_add(b[k]),
                    _ => a[k].overflowing_sub(b[k]),
                };
                let got = (reg(&t, 20)[k], reg(&t, 21)[k]);
                assert_eq!(
                    got,
                    (sum, u32::from(carry)),
                    "{o:?} {:#x} {:#x}",
                    a[k],
                    b[k]
                );
            }
        }
    }
}

#[test]
fn acc_wr_en_copies_the_destination_to_the_accumulator() {
    let a: Vec<u32> = (0..16).map(|i| i * 3 + 1).collect();
    let f: Vec<u32> = (0..16).map(|i| (i as f32 * 1.5).to_bits()).collect();
    let p = payload(&[(2, &a), (4, &f)]);
    for (ty, from, n) in [
        (Type::D, 2, 8),
        (Type::F, 4, 8),
        (Type::F, 4, 16),
        (Type::W, 2, 16),
    ] {
        let mut i = op(Opcode::Add, n, dst(20, ty), &[g(from, ty), g(from, ty)]);
        i.acc_wr = true;
        let read = op(Opcode::Mov, n, dst(30, ty), &[acc(ty)]);
        for t in both_paths(&[i, read], &p, 0xffff) {
            assert_eq!(t.grf()[160..176], t.grf()[240..256], "{i:?}");
            assert_ne!(t.grf()[161], 0, "{i:?}");
        }
    }
    // The second quarter of a float instruction has the second accumulator.
    let mut i = op(
        Opcode::Add,
        8,
        dst(20, Type::F),
        &[g(4, Type::F), g(4, Type::F)],
    );
    i.acc_wr = true;
    i.chan_off = 8;
    let second = arf(ArfReg::Accumulator, 1, 0, Type::F);
    let read = |nr, s| no_mask(op(Opcode::Mov, 8, dst(nr, Type::F), &[s]));
    for t in both_paths(&[i, read(30, acc(Type::F)), read(31, second)], &p, 0xffff) {
        assert_eq!((reg(&t, 30), reg(&t, 31)), ([0; 8], reg(&t, 20)));
    }
}

#[test]
fn mac_uses_the_accumulator_lanes_of_its_quarter() {
    let whole: Vec<u32> = (0..1024).map(|i| (i as f32).to_bits()).collect();
    let mut quarter = op(
        Opcode::Mac,
        8,
        dst(20, Type::F),
        &[g(6, Type::F), g(8, Type::F)],
    );
    quarter.chan_off = 8;
    let fill = op(
        Opcode::Add,
        16,
        to_acc(Type::F),
        &[g(2, Type::F), g(4, Type::F)],
    );
    for t in both_paths(&[fill, quarter], &whole, 0xffff) {
        for i in 0..8 {
            let x = |nr: usize| (nr * 8 + i) as f32;
            let want = x(3) + x(5) + x(6) * x(8);
            assert_eq!(f32::from_bits(reg(&t, 20)[i]), want, "{i}");
        }
    }
    // Integers accumulate beyond 32 bits; a register in the middle of the accumulator is the lane
    // that it is.
    let p: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(0x0101_0101)).collect();
    let mut half = to_acc(Type::D);
    if let Addr::Direct { sub_bytes, .. } = &mut half.addr {
        *sub_bytes = 16;
    }
    let clear = op(
        Opcode::Mul,
        8,
        to_acc(Type::D),
        &[g(2, Type::D), imm(Type::D, 0)],
    );
    let set = op(Opcode::Add, 4, half, &[g(2, Type::D), imm(Type::D, 1)]);
    let mac = |nr| {
        op(
            Opcode::Mac,
            8,
            dst(nr, Type::D),
            &[g(3, Type::D), g(4, Type::D)],
        )
    };
    for t in both_paths(&[clear, set, mac(20)], &p, 0xff) {
        for i in 0..8 {
            let product = p[24 + i].wrapping_mul(p[32 + i]);
            let added = if i < 4 { 0 } else { p[16 + i - 4] + 1 };
            assert_eq!(reg(&t, 20)[i], product.wrapping_add(added), "{i}");
        }
    }
}

#[test]
fn mach_computes_the_high_half_of_a_product() {
    let edges = [
        0u32,
        1,
        0xffff,
        0x1_0000,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        u32::MAX,
    ];
    for rotate in 0..8 {
        let mut b = edges;
        b.rotate_left(rotate);
        let p = payload(&[(2, &edges), (4, &b)]);
        for ty in [Type::Ud, Type::D] {
            // The low word of source 1 first (SKL PRM vol. 2a, MACH).
            let low = region(g(4, Type::Uw), 0, 16, 8, 2);
            let mut mach = op(Opcode::Mach, 8, dst(20, ty), &[g(2, ty), g(4, ty)]);
            mach.acc_wr = true;
            let code = [
                op(Opcode::Mul, 8, to_acc(ty), &[g(2, ty), low]),
                mach,
                op(Opcode::Mov, 8, dst(21, ty), &[acc(ty)]),
            ];
            for t in both_paths(&code, &p, 0xff) {
                for i in 0..8 {
                    let full = match ty {
                        Type::Ud => u64::from(edges[i]) * u64::from(b[i]),
                        _ => (i64::from(edges[i] as i32) * i64::from(b[i] as i32)) as u64,
                    };
                    let got = (reg(&t, 20)[i], reg(&t, 21)[i]);
                    let want = ((full >> 32) as u32, full as u32);
                    assert_eq!(got, want, "{ty:?} {:#x} * {:#x}", edges[i], b[i]);
                }
            }
        }
    }
}

#[test]
fn mov_and_sel_write_accumulators_like_alu_operations() {
    let p: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(0x0101_0101)).collect();
    let to = to_acc(Type::D);
    let aside = |mut i: Inst| {
        i.acc_wr = true;
        i
    };
    let mov = |d| op(Opcode::Mov, 8, d, &[g(2, Type::D)]);
    let sel = |d| {
        let i = op(Opcode::Sel, 8, d, &[g(2, Type::D), g(9, Type::D)]);
        pred(i, PredCtrl::Normal, true, 0)
    };
    let d = dst(30, Type::D);
    for first in [mov(to), aside(mov(d)), sel(to), aside(sel(d))] {
        // What the accumulator held before is gone, also above its 32 bits.
        let before = op(Opcode::Mul, 8, to, &[g(100, Type::D), g(101, Type::D)]);
        let mac = op(
            Opcode::Mac,
            8,
            dst(20, Type::D),
            &[g(3, Type::D), g(4, Type::D)],
        );
        let read = op(Opcode::Mov, 8, dst(21, Type::D), &[acc(Type::D)]);
        for t in both_paths(&[before, first, read, mac], &p, 0xff) {
            for i in 0..8 {
                let sum = p[24 + i].wrapping_mul(p[32 + i]).wrapping_add(p[16 + i]);
                assert_eq!(
                    (reg(&t, 21)[i], reg(&t, 20)[i]),
                    (p[16 + i], sum),
                    "{first:?} {i}"
                );
            }
        }
    }
    // Floats keep their bits.
    let bits = [0x7f80_0001, 0x8000_0001, 0x3f80_0000, 0, 1, 2, 3, 4];
    let i = aside(op(Opcode::Mov, 8, dst(20, Type::F), &[g(2, Type::F)]));
    let read = op(Opcode::Mov, 8, dst(21, Type::D), &[acc(Type::D)]);
    for t in both_paths(&[i, read], &payload(&[(2, &bits)]), 0xff) {
        assert_eq!((reg(&t, 20), reg(&t, 21)), (bits, bits));
    }
}
