//! Every ALU operation against plain scalar Rust, on random and edge values.

use crate::state::Options;
use crate::testing::{Recorder, Rng, abs, cmod, dst, g, imm, neg, op, run, thread_with};
use crate::thread::ThreadExit;
use isa::{CondMod, Inst, MathFn, Opcode, RegFile, Region, Src, Type};

type Relation = fn(i64, i64) -> bool;
type Function = fn(f64) -> f64;

/// Runs one SIMD16 instruction on random registers and hands each channel's operands and result to
/// `check`.
fn each(i: Inst, seed: u64, check: impl Fn(usize, [u64; 3], u64)) {
    each_cr0(i, seed, 1 << 6 | 1 << 7 | 1 << 10, check);
}

fn element(p: &[u32], nr: usize, size: usize, i: usize) -> u64 {
    let at = nr * 32 + i * size;
    let w = |k: usize| u64::from(p[(at / 4 + k) % p.len()]);
    match size {
        8 => w(0) | w(1) << 32,
        4 => w(0),
        2 => (w(0) >> (8 * (at % 4))) & 0xffff,
        _ => (w(0) >> (8 * (at % 4))) & 0xff,
    }
}

fn each_cr0(i: Inst, seed: u64, cr0: u32, check: impl Fn(usize, [u64; 3], u64)) {
    let mut r = Rng(seed | 1);
    for _ in 0..40 {
        let mut p: Vec<u32> = (0..1024).map(|_| r.dword()).collect();
        if i.src[0].ty == Type::Df {
            // Doubles whose exponents meet now and then.
            for x in p.iter_mut().skip(1).step_by(2) {
                *x = (*x & 0x800f_ffff) | ((1000 + r.below(46) as u32) << 20);
            }
        }
        let mut t = thread_with(&[i], &p, 0xffff, cr0, Options::default());
        assert_eq!(
            t.run(&mut Recorder::default(), 10),
            Ok(ThreadExit::Eot),
            "{i:?}"
        );
        let size = |ty: Type| ty.size_bytes() as usize;
        let n = usize::from(i.exec_size);
        for c in 0..n {
            let s = [0, 1, 2].map(|k| match i.src[k].file {
                RegFile::Grf => element(&p, 20 + 8 * k, size(i.src[k].ty), c),
                _ => i.src[k].imm,
            });
            check(c, s, element(t.grf(), 60, size(i.dst.ty), c));
        }
    }
}

fn srcs(ty: Type) -> [Src; 3] {
    [g(20, ty), g(28, ty), g(36, ty)]
}

fn int1(o: Opcode, ty: Type, f: impl Fn(u32) -> u32) {
    each(
        op(o, 16, dst(60, Type::Ud), &srcs(ty)[..1]),
        11,
        |_, s, d| {
            assert_eq!(d as u32, f(s[0] as u32), "{o:?} {:#x}", s[0]);
        },
    );
}

fn int2(o: Opcode, ty: Type, f: impl Fn(u32, u32) -> u32) {
    each(op(o, 16, dst(60, ty), &srcs(ty)[..2]), 12, |_, s, d| {
        assert_eq!(
            d as u32,
            f(s[0] as u32, s[1] as u32),
            "{o:?} {:#x} {:#x}",
            s[0],
            s[1]
        );
    });
}

fn int3(o: Opcode, ty: Type, f: impl Fn(u32, u32, u32) -> u32) {
    each(op(o, 16, dst(60, ty), &srcs(ty)), 13, |_, s, d| {
        let (a, b, c) = (s[0] as u32, s[1] as u32, s[2] as u32);
        assert_eq!(d as u32, f(a, b, c), "{o:?} {a:#x} {b:#x} {c:#x}");
    });
}

#[test]
fn dword_integer_operations() {
    int1(Opcode::Mov, Type::Ud, |a| a);
    int1(Opcode::Not, Type::Ud, |a| !a);
    int1(Opcode::Bfrev, Type::Ud, u32::reverse_bits);
    int1(Opcode::Cbit, Type::Ud, u32::count_ones);
    int1(Opcode::Lzd, Type::Ud, u32::leading_zeros);
    int1(Opcode::Fbl, Type::Ud, |a| {
        if a == 0 { !0 } else { a.trailing_zeros() }
    });
    int1(Opcode::Fbh, Type::Ud, |a| {
        if a == 0 { !0 } else { a.leading_zeros() }
    });
    int1(Opcode::Fbh, Type::D, |a| {
        let a = a as i32;
        if a == 0 || a == -1 {
            !0
        } else if a < 0 {
            a.leading_ones()
        } else {
            a.leading_zeros()
        }
    });
    for ty in [Type::Ud, Type::D] {
        int2(Opcode::Add, ty, u32::wrapping_add);
        int2(Opcode::Mul, ty, u32::wrapping_mul);
        int2(Opcode::And, ty, |a, b| a & b);
        int2(Opcode::Or, ty, |a, b| a | b);
        int2(Opcode::Xor, ty, |a, b| a ^ b);
        int2(Opcode::Shl, ty, |a, b| a << (b & 31));
    }
    int2(Opcode::Shr, Type::Ud, |a, b| a >> (b & 31));
    int2(Opcode::Asr, Type::D, |a, b| ((a as i32) >> (b & 31)) as u32);
    int2(Opcode::Avg, Type::D, |a, b| {
        ((i64::from(a as i32) + i64::from(b as i32) + 1) >> 1) as u32
    });
    int2(Opcode::Avg, Type::Ud, |a, b| {
        ((u64::from(a) + u64::from(b) + 1) >> 1) as u32
    });
    int2(Opcode::Bfi1, Type::Ud, |a, b| {
        ((1 << (a & 31)) - 1) << (b & 31)
    });
    int3(Opcode::Bfi2, Type::Ud, |mask, ins, base| {
        let mut out = base & !mask;
        if mask != 0 {
            out |= (ins << mask.trailing_zeros()) & mask;
        }
        out
    });
    // Fields wholly inside the dword, bit by bit.
    int3(Opcode::Bfe, Type::Ud, |w, o, v| {
        field(w & 31, o & 31, v, false)
    });
    int3(Opcode::Bfe, Type::D, |w, o, v| {
        field(w & 31, o & 31, v, true)
    });
}

fn field(w: u32, o: u32, v: u32, signed: bool) -> u32 {
    if w == 0 {
        return 0;
    }
    let mut out = 0;
    for k in 0..32 {
        // Bits past the field, or past the top, repeat its highest bit where it is signed.
        let top = (w - 1).min(31 - o);
        let from = if k < w && o + k < 32 {
            Some(o + k)
        } else if signed {
            Some(o + top)
        } else {
            None
        };
        if let Some(b) = from {
            out |= ((v >> b) & 1) << k;
        }
    }
    out
}

#[test]
fn quadword_operations() {
    let two = |o, td, t0, t1, f: &dyn Fn(u64, u64) -> u64| {
        each(
            op(o, 8, dst(60, td), &[g(20, t0), g(28, t1)]),
            21,
            |_, s, d| {
                assert_eq!(d, f(s[0], s[1]), "{o:?} {:#x} {:#x}", s[0], s[1]);
            },
        );
    };
    two(Opcode::Add, Type::Q, Type::Q, Type::Q, &|a, b| {
        a.wrapping_add(b)
    });
    two(Opcode::Add, Type::Q, Type::Q, Type::D, &|a, b| {
        a.wrapping_add(b as i32 as u64)
    });
    two(Opcode::Mul, Type::Q, Type::D, Type::D, &|a, b| {
        (i64::from(a as i32) * i64::from(b as i32)) as u64
    });
    two(Opcode::Mul, Type::Uq, Type::Ud, Type::Ud, &|a, b| a * b);
    two(Opcode::Shl, Type::Uq, Type::Uq, Type::Ud, &|a, b| {
        a << (b & 63)
    });
    two(Opcode::Shr, Type::Uq, Type::Uq, Type::Ud, &|a, b| {
        a >> (b & 63)
    });
    two(Opcode::Asr, Type::Q, Type::Q, Type::Ud, &|a, b| {
        ((a as i64) >> (b & 63)) as u64
    });
    two(Opcode::Xor, Type::Uq, Type::Uq, Type::Uq, &|a, b| a ^ b);
}

#[test]
fn int_div_and_its_special_cases() {
    for (f, k) in [(MathFn::IntDivQuotient, 0), (MathFn::IntDivRemainder, 1)] {
        let mut i = op(Opcode::Math, 8, dst(60, Type::D), &srcs(Type::D)[..2]);
        i.math = Some(f);
        each(i, 31, |_, s, d| {
            let (a, b) = (s[0] as i32, s[1] as i32);
            if b != 0 {
                let want = if k == 0 {
                    a.wrapping_div(b)
                } else {
                    a.wrapping_rem(b)
                };
                assert_eq!(d as i32, want, "{a} {b}");
            }
        });
        i.dst.ty = Type::Ud;
        i.src = srcs(Type::Ud);
        each(i, 32, |_, s, d| {
            let (a, b) = (s[0] as u32, s[1] as u32);
            match a.checked_div(b) {
                Some(q) => assert_eq!(d as u32, if k == 0 { q } else { a % b }),
                None => assert_eq!(d as u32, u32::MAX),
            }
        });
    }
}

fn same_f32(d: u64, want: f32, what: &str) {
    let d = f32::from_bits(d as u32);
    assert!(
        d.to_bits() == want.to_bits() || (d.is_nan() && want.is_nan()),
        "{what}: {d:e} ({:#x}) instead of {want:e}",
        d.to_bits()
    );
}

#[test]
fn float_operations() {
    let f = |x: u64| f32::from_bits(x as u32);
    let run = |o, n: usize, want: &dyn Fn(f32, f32, f32) -> f32| {
        each(
            op(o, 16, dst(60, Type::F), &srcs(Type::F)[..n]),
            41,
            |_, s, d| {
                let (a, b, c) = (f(s[0]), f(s[1]), f(s[2]));
                same_f32(d, want(a, b, c), &format!("{o:?} {a:e} {b:e} {c:e}"));
            },
        );
    };
    run(Opcode::Add, 2, &|a, b, _| a + b);
    run(Opcode::Mul, 2, &|a, b, _| a * b);
    run(Opcode::Mad, 3, &|a, b, c| b.mul_add(c, a));
    run(Opcode::Rndd, 1, &|a, _, _| a.floor());
    run(Opcode::Rndu, 1, &|a, _, _| a.ceil());
    run(Opcode::Rnde, 1, &|a, _, _| a.round_ties_even());
    run(Opcode::Rndz, 1, &|a, _, _| a.trunc());
    run(Opcode::Frc, 1, &|a, _, _| {
        (a - a.floor()).min(if a.is_finite() {
            1f32.next_down()
        } else {
            f32::NAN
        })
    });
}

#[test]
fn double_operations() {
    let f = f64::from_bits;
    let run = |o, n: usize, want: &dyn Fn(f64, f64, f64) -> f64| {
        each(
            op(o, 8, dst(60, Type::Df), &srcs(Type::Df)[..n]),
            43,
            |_, s, d| {
                assert_eq!(
                    f(d).to_bits(),
                    want(f(s[0]), f(s[1]), f(s[2])).to_bits(),
                    "{o:?}"
                );
            },
        );
    };
    run(Opcode::Add, 2, &|a, b, _| a + b);
    run(Opcode::Mul, 2, &|a, b, _| a * b);
    run(Opcode::Mad, 3, &|a, b, c| b.mul_add(c, a));
    run(Opcode::Rnde, 1, &|a, _, _| a.round_ties_even());
}

/// Directed rounding against the definition: the nearest F on the right side of the exact double.
#[test]
fn directed_rounding_of_sums_and_products() {
    for (mode, dir) in [(1u32, 1), (2, -1), (3, 0)] {
        for o in [Opcode::Mul, Opcode::Add] {
            let i = op(o, 16, dst(60, Type::F), &srcs(Type::F)[..2]);
            each_cr0(i, 47, mode << 4 | 1 << 7, |_, s, d| {
                let (a, b) = (f32::from_bits(s[0] as u32), f32::from_bits(s[1] as u32));
                let (x, y) = (f64::from(a), f64::from(b));
                let e = if o == Opcode::Mul { x * y } else { x + y };
                // Sums of very different sizes are not exact in a double; products always are.
                let exact = o == Opcode::Mul || (e - x == y && e - y == x);
                if !e.is_finite() || !exact || e.abs() > f64::from(f32::MAX) {
                    return;
                }
                let mut n = e as f32;
                match dir {
                    1 if f64::from(n) < e => n = n.next_up(),
                    -1 if f64::from(n) > e => n = n.next_down(),
                    0 if f64::from(n).abs() > e.abs() => {
                        n = if n > 0.0 { n.next_down() } else { n.next_up() };
                    }
                    _ => {}
                }
                if n != 0.0 || e != 0.0 {
                    same_f32(d, n, &format!("{o:?} {a:e} {b:e} mode {mode}"));
                }
            });
        }
    }
}

#[test]
fn denormals_are_flushed_or_preserved() {
    let i = op(Opcode::Mul, 16, dst(60, Type::F), &srcs(Type::F)[..2]);
    each_cr0(i, 48, 0, |_, s, d| {
        let z = |x: u64| {
            let f = f32::from_bits(x as u32);
            if f.is_subnormal() {
                0f32.copysign(f)
            } else {
                f
            }
        };
        let r = z(s[0]) * z(s[1]);
        let r = if r.is_subnormal() {
            0f32.copysign(r)
        } else {
            r
        };
        same_f32(d, r, "flushed product");
    });
    // A raw move keeps them.
    let i = op(Opcode::Mov, 16, dst(60, Type::F), &srcs(Type::F)[..1]);
    each_cr0(i, 49, 0, |_, s, d| assert_eq!(d, s[0]));
}

#[test]
fn conversions_between_types() {
    let f = |x: u64| f32::from_bits(x as u32);
    let run = |from, to, sat: bool, want: &dyn Fn(u64) -> u64| {
        let mut i = op(Opcode::Mov, 8, dst(60, to), &[g(20, from)]);
        i.saturate = sat;
        each(i, 51, |_, s, d| {
            assert_eq!(d, want(s[0]), "{from:?} {:#x} to {to:?}", s[0])
        });
    };
    run(Type::F, Type::D, false, &|x| u64::from(f(x) as i32 as u32));
    run(Type::F, Type::Ud, false, &|x| u64::from(f(x) as u32));
    run(Type::F, Type::W, false, &|x| u64::from(f(x) as i16 as u16));
    run(Type::F, Type::Ub, true, &|x| u64::from(f(x) as u8));
    run(Type::F, Type::Q, false, &|x| f(x) as i64 as u64);
    run(Type::F, Type::Df, false, &|x| {
        let d = f64::from(f(x));
        if d.is_nan() {
            d.to_bits()
        } else {
            f64::from(f(x)).to_bits()
        }
    });
    run(Type::D, Type::F, false, &|x| {
        u64::from((x as i32 as f32).to_bits())
    });
    run(Type::Ud, Type::F, false, &|x| {
        u64::from((x as u32 as f32).to_bits())
    });
    run(Type::Uq, Type::F, false, &|x| {
        u64::from((x as f32).to_bits())
    });
    run(Type::Q, Type::Df, false, &|x| (x as i64 as f64).to_bits());
    run(Type::D, Type::Df, false, &|x| f64::from(x as i32).to_bits());
    run(Type::Df, Type::F, false, &|x| {
        u64::from((f64::from_bits(x) as f32).to_bits())
    });
    run(Type::Df, Type::D, false, &|x| {
        u64::from(f64::from_bits(x) as i32 as u32)
    });
    run(Type::D, Type::W, false, &|x| x & 0xffff);
    run(Type::D, Type::W, true, &|x| {
        u64::from((x as i32).clamp(-0x8000, 0x7fff) as i16 as u16)
    });
    run(Type::D, Type::Ub, true, &|x| {
        (x as i32).clamp(0, 255) as u64
    });
    run(Type::B, Type::D, false, &|x| {
        u64::from(x as i8 as i32 as u32)
    });
    run(Type::Uw, Type::Q, false, &|x| x);
    run(Type::W, Type::Q, false, &|x| x as i16 as i64 as u64);
}

/// Every half to a double and back, and the points halfway between neighbours, against the
/// definition.
#[test]
fn half_conversions_are_exact_and_round_to_even() {
    use crate::convert::{RoundingMode, half_to_f64, round_f16};
    let mut last = -1.0;
    for h in 0..0x7c00u16 {
        let v = half_to_f64(h);
        assert_eq!(round_f16(v, 0, RoundingMode::Even), h);
        assert_eq!(round_f16(-v, 0, RoundingMode::Even), h | 0x8000);
        assert!(v > last, "{h:#x}");
        last = v;
        let up = half_to_f64(h + 1);
        if up.is_finite() {
            let mid = (v + up) / 2.0;
            let even = if h & 1 == 0 { h } else { h + 1 };
            assert_eq!(round_f16(mid, 0, RoundingMode::Even), even, "{h:#x}");
            assert_eq!(round_f16(mid, 0, RoundingMode::Zero), h);
            assert_eq!(round_f16(mid, 0, RoundingMode::Up), h + 1);
            assert_eq!(round_f16(mid, 1, RoundingMode::Even), h + 1);
            assert_eq!(round_f16(mid, -1, RoundingMode::Even), h);
        }
    }
    assert_eq!(round_f16(65520.0, 0, RoundingMode::Even), 0x7c00);
    assert_eq!(round_f16(65519.99, 0, RoundingMode::Even), 0x7bff);
    assert_eq!(round_f16(1e9, 0, RoundingMode::Zero), 0x7bff);
    // What is too great is infinite, or the greatest number, by the side that it is rounded to.
    for (mode, above, below) in [
        (RoundingMode::Even, 0x7c00, 0xfc00),
        (RoundingMode::Up, 0x7c00, 0xfbff),
        (RoundingMode::Down, 0x7bff, 0xfc00),
        (RoundingMode::Zero, 0x7bff, 0xfbff),
    ] {
        assert_eq!(round_f16(1e9, 0, mode), above, "{mode:?}");
        assert_eq!(round_f16(-1e9, 0, mode), below, "{mode:?}");
    }
    assert_eq!(half_to_f64(0x0001), 2f64.powi(-24));
    assert_eq!(half_to_f64(0x8400), -(2f64.powi(-14)));
}

#[test]
fn select_minimum_and_maximum_with_nans() {
    let f = |x: u64| f32::from_bits(x as u32);
    for (c, max) in [(CondMod::L, false), (CondMod::Ge, true)] {
        let i = cmod(
            op(Opcode::Sel, 16, dst(60, Type::F), &srcs(Type::F)[..2]),
            c,
            0,
        );
        each(i, 61, |_, s, d| {
            let (a, b) = (f(s[0]), f(s[1]));
            let want = match (a.is_nan(), b.is_nan()) {
                (_, true) => a,
                (true, false) => b,
                _ if max => {
                    if a >= b {
                        a
                    } else {
                        b
                    }
                }
                _ => {
                    if a < b {
                        a
                    } else {
                        b
                    }
                }
            };
            same_f32(d, want, &format!("{a:e} {b:e}"));
        });
        let i = cmod(
            op(Opcode::Sel, 16, dst(60, Type::D), &srcs(Type::D)[..2]),
            c,
            0,
        );
        each(i, 62, |_, s, d| {
            let (a, b) = (s[0] as i32, s[1] as i32);
            assert_eq!(d as i32, if max { a.max(b) } else { a.min(b) });
        });
    }
}

#[test]
fn comparisons_are_exact_across_types() {
    let conds: [(CondMod, Relation); 6] = [
        (CondMod::Z, |a, b| a == b),
        (CondMod::Nz, |a, b| a != b),
        (CondMod::G, |a, b| a > b),
        (CondMod::Ge, |a, b| a >= b),
        (CondMod::L, |a, b| a < b),
        (CondMod::Le, |a, b| a <= b),
    ];
    for (c, f) in conds {
        for (t0, t1) in [
            (Type::D, Type::D),
            (Type::Ud, Type::Ud),
            (Type::D, Type::Ud),
            (Type::W, Type::D),
        ] {
            let i = cmod(
                op(Opcode::Cmp, 16, dst(60, Type::D), &[g(20, t0), g(28, t1)]),
                c,
                0,
            );
            each(i, 63, |_, s, d| {
                let v = |x: u64, t| match t {
                    Type::D => i64::from(x as i32),
                    Type::W => i64::from(x as i16),
                    _ => x as i64,
                };
                let want = if f(v(s[0], t0), v(s[1], t1)) {
                    u32::MAX
                } else {
                    0
                };
                assert_eq!(
                    d as u32, want,
                    "{c:?} {t0:?} {:#x} {t1:?} {:#x}",
                    s[0], s[1]
                );
            });
        }
        let i = cmod(
            op(Opcode::Cmp, 16, dst(60, Type::F), &srcs(Type::F)[..2]),
            c,
            0,
        );
        each(i, 64, |_, s, d| {
            let (a, b) = (f32::from_bits(s[0] as u32), f32::from_bits(s[1] as u32));
            let hit = match c {
                CondMod::Z => a == b,
                CondMod::Nz => a != b,
                CondMod::G => a > b,
                CondMod::Ge => a >= b,
                CondMod::L => a < b,
                _ => a <= b,
            };
            assert_eq!(d as u32, if hit { u32::MAX } else { 0 });
        });
    }
}

#[test]
fn saturation_and_float_modifiers() {
    let f = |x: u64| f32::from_bits(x as u32);
    let mut i = op(
        Opcode::Add,
        16,
        dst(60, Type::F),
        &[neg(abs(g(20, Type::F))), g(28, Type::F)],
    );
    i.saturate = true;
    each(i, 65, |_, s, d| {
        let r = -f(s[0]).abs() + f(s[1]);
        let want = if r > 1.0 {
            1.0
        } else if r > 0.0 {
            r
        } else {
            0.0
        };
        same_f32(d, want, "sat(-|a| + b)");
    });
    for (ty, lo, hi) in [
        (Type::D, i64::from(i32::MIN), i64::from(i32::MAX)),
        (Type::Ud, 0, i64::from(u32::MAX)),
    ] {
        let mut i = op(Opcode::Add, 16, dst(60, ty), &[neg(g(20, ty)), g(28, ty)]);
        i.saturate = true;
        each(i, 66, |_, s, d| {
            let v = |x: u64| {
                if ty == Type::D {
                    i64::from(x as i32)
                } else {
                    x as i64
                }
            };
            // INT_MIN is its own negative.
            let minus = match v(s[0]) == i64::from(i32::MIN) {
                true => i64::from(i32::MIN),
                false => -v(s[0]),
            };
            assert_eq!(d as u32, (v(s[1]) + minus).clamp(lo, hi) as u32);
        });
    }
    // `-` on a logic operation is a bitwise NOT.
    let i = op(
        Opcode::And,
        16,
        dst(60, Type::Ud),
        &[neg(g(20, Type::Ud)), g(28, Type::Ud)],
    );
    each(i, 67, |_, s, d| assert_eq!(d, !s[0] & 0xffff_ffff & s[1]));
}

#[test]
fn math_functions_are_accurate_and_handle_special_values() {
    let f = |x: u64| f32::from_bits(x as u32);
    let funcs: [(MathFn, Function); 7] = [
        (MathFn::Inv, |x| 1.0 / x),
        (MathFn::Sqrt, f64::sqrt),
        (MathFn::Rsq, |x| 1.0 / x.sqrt()),
        (MathFn::Exp, f64::exp2),
        (MathFn::Log, |x| {
            if x == 0.0 {
                f64::NEG_INFINITY
            } else {
                x.log2()
            }
        }),
        (MathFn::Sin, f64::sin),
        (MathFn::Cos, f64::cos),
    ];
    for (m, want) in funcs {
        let mut i = op(Opcode::Math, 16, dst(60, Type::F), &srcs(Type::F)[..1]);
        i.math = Some(m);
        each(i, 71, |_, s, d| {
            let x = f(s[0]);
            if x == 0.0 && m == MathFn::Rsq {
                return assert_eq!(f(d), f32::INFINITY.copysign(x));
            }
            same_f32(d, want(f64::from(x)) as f32, &format!("{m:?} {x:e}"));
        });
    }
    let mut i = op(Opcode::Math, 16, dst(60, Type::F), &srcs(Type::F)[..2]);
    i.math = Some(MathFn::Fdiv);
    each(i, 72, |_, s, d| same_f32(d, f(s[0]) / f(s[1]), "fdiv"));
}

#[test]
fn half_precision_conversion_instructions() {
    let mut w = g(20, Type::Uw);
    w.region = Region::new(8, 8, 1);
    each(
        op(Opcode::F16to32, 16, dst(60, Type::F), &[w]),
        81,
        |_, s, d| {
            let want = crate::convert::half_to_f64(s[0] as u16) as f32;
            same_f32(d, want, "f16to32");
        },
    );
    let to = op(
        Opcode::F32to16,
        8,
        dst(60, Type::Uw),
        &[imm(Type::F, u64::from(1.5f32.to_bits()))],
    );
    each(to, 82, |_, _, d| assert_eq!(d, 0x3e00));
    // HF arithmetic, and mixed with F.
    let add = op(Opcode::Add, 16, dst(60, Type::Hf), &srcs(Type::Hf)[..2]);
    each(add, 83, |_, s, d| {
        let h = |x: u64| crate::convert::half_to_f64(x as u16);
        let want = h(s[0]) + h(s[1]);
        let got = h(d);
        // The nearest half: no other half is nearer.
        if want.is_nan() {
            assert!(got.is_nan());
        } else if got.is_finite() {
            let e = (got - want).abs();
            for n in [
                d as u16 ^ 1,
                (d as u16).wrapping_add(1),
                (d as u16).wrapping_sub(1),
            ] {
                let v = h(u64::from(n));
                assert!(
                    !v.is_finite() || (v - want).abs() >= e,
                    "{want:e} {got:e} {v:e}"
                );
            }
        }
    });
}

#[test]
fn csel_lrp_and_sad2() {
    let f = |x: u64| f32::from_bits(x as u32);
    let mut i = cmod(
        op(Opcode::Csel, 16, dst(60, Type::F), &srcs(Type::F)),
        CondMod::Le,
        0,
    );
    i.align16 = true;
    each(i, 91, |_, s, d| {
        let want = if f(s[2]) <= 0.0 { s[0] } else { s[1] };
        assert_eq!(d, want);
    });
    let mut i = op(Opcode::Lrp, 8, dst(60, Type::F), &[imm(Type::F, 0); 3]);
    i.src = [0.25f32, 8.0, 16.0].map(|x| imm(Type::F, u64::from(x.to_bits())));
    each(i, 92, |_, _, d| assert_eq!(f(d), 0.25 * 8.0 + 0.75 * 16.0));
    // Two-wide sums land in the even channels.
    let i = op(Opcode::Sad2, 16, dst(60, Type::Uw), &srcs(Type::Ub)[..2]);
    let p: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let t = run(&[i], &p, 0xffff);
    for c in (0..16).step_by(2) {
        let d =
            |c: usize| (element(&p, 20, 1, c) as i32 - element(&p, 28, 1, c) as i32).unsigned_abs();
        assert_eq!(element(t.grf(), 60, 2, c), u64::from(d(c) + d(c + 1)));
    }
}
