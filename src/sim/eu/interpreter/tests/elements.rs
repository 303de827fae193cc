//! From operands to elements: selections, comparisons, execution types, flags, indirect addresses,
//! what is not written.
//!
//! Ref: SKL PRM vol. 7, "Execution Data Type", "Conditional Modifier", "Indirect Addressing"; vol.
//!      2a, sel, cmp, cmpn, csel.

use crate::kernel::Kernel;
use crate::message::StopReason;
use crate::regs;
use crate::state::Options;
use crate::testing::{
    Recorder, abs, both_paths, both_paths_with, cmod, dst, eot, g, imm, neg, no_mask, null_dst, op,
    pred, reg, region,
};
use crate::thread::{Thread, ThreadInit};
use isa::{Addr, CondMod, Inst, Opcode, PredCtrl, Region, Src, Type};
use std::sync::Arc;

const INF: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;
/// A NaN that an operation would make quiet.
const SIGNALLING: u32 = 0x7f80_0001;
const DENORMAL: u32 = 0x0000_1234;

fn float_bits(x: f32) -> u32 {
    x.to_bits()
}

/// g2 = `a`, g4 = `b`, g6 = `c`, eight channels, cr0 that flushes all denormals; what g20 holds by
/// either path.
fn each_way(i: Inst, [a, b, c]: [[u32; 8]; 3], flags: u64, check: impl Fn(&Thread, [u32; 8])) {
    let mut p = vec![0; 1024];
    p[16..24].copy_from_slice(&a);
    p[32..40].copy_from_slice(&b);
    p[48..56].copy_from_slice(&c);
    for t in both_paths_with(&[i], &p, 0xff, 0, |t| t.state.regs.set_flags(flags)) {
        check(&t, reg(&t, 20));
    }
}

fn two(o: Opcode, d: Type, s: Type) -> Inst {
    op(o, 8, dst(20, d), &[g(2, s), g(4, s)])
}

const Z: [u32; 8] = [0; 8];

#[test]
fn predicated_sel_copies_bits_and_modifiers_change_values() {
    let a = [
        SIGNALLING,
        DENORMAL,
        float_bits(1.5),
        float_bits(-2.5),
        0x8000_0000,
        INF,
        float_bits(-0.5),
        0x8000_1234,
    ];
    let b = [float_bits(7.0); 8];
    let by = |i| pred(i, PredCtrl::Normal, false, 0);
    each_way(
        by(two(Opcode::Sel, Type::F, Type::F)),
        [a, b, Z],
        0b0111_1111,
        |_, got| {
            assert_eq!(got[..7], a[..7], "as they are");
            assert_eq!(got[7], b[7]);
        },
    );
    let mut negated = by(two(Opcode::Sel, Type::F, Type::F));
    negated.src[0].negate = true;
    each_way(negated, [a, b, Z], 0b0111_1111, |_, got| {
        assert!(f32::from_bits(got[0]).is_nan());
        let sign = 0x8000_0000;
        let want = [
            sign,
            float_bits(-1.5),
            float_bits(2.5),
            0,
            INF | sign,
            float_bits(0.5),
            b[7],
        ];
        assert_eq!(got[1..], want, "negated, denormals flushed");
    });
    let mut saturated = by(two(Opcode::Sel, Type::F, Type::F));
    saturated.saturate = true;
    each_way(saturated, [a, b, Z], 0xff, |_, got| {
        assert_eq!(
            got,
            [0, 0, float_bits(1.0), 0, 0, float_bits(1.0), 0, 0],
            "saturated"
        );
    });
    // Integers between types.
    let a = [0x8765, 1, 2, 3, 4, 5, 6, 7];
    let mut words = by(two(Opcode::Sel, Type::D, Type::W));
    words.src[0] = region(g(2, Type::W), 0, 16, 8, 2);
    words.src[1] = neg(region(g(4, Type::W), 0, 16, 8, 2));
    each_way(words, [a, [10; 8], Z], 0b0000_0011, |_, got| {
        assert_eq!(got[..2], [0xffff_8765, 1]);
        assert_eq!(got[2..], [-10i32 as u32; 6]);
    });
}

#[test]
fn sel_min_and_max_ignore_nans() {
    let a = [
        float_bits(1.0),
        float_bits(3.0),
        NAN,
        float_bits(5.0),
        NAN,
        DENORMAL,
        float_bits(2.0),
        0x8000_0001,
    ];
    let b = [
        float_bits(2.0),
        float_bits(2.0),
        float_bits(4.0),
        NAN,
        NAN,
        float_bits(-1.0),
        float_bits(2.0),
        float_bits(1.0),
    ];
    let sel = |c, sat| {
        let mut i = cmod(two(Opcode::Sel, Type::F, Type::F), c, 0);
        i.saturate = sat;
        i
    };
    let check = |c, want: [u32; 8]| {
        each_way(sel(c, false), [a, b, Z], 0x5a, |t, got| {
            assert_eq!(
                (got[..4].to_vec(), got[5..].to_vec()),
                (want[..4].to_vec(), want[5..].to_vec()),
                "{c:?}"
            );
            assert!(f32::from_bits(got[4]).is_nan());
            assert_eq!(t.flags(), 0x5a, "a selection sets no flags");
        });
    };
    check(
        CondMod::L,
        [
            float_bits(1.0),
            float_bits(2.0),
            float_bits(4.0),
            float_bits(5.0),
            0,
            float_bits(-1.0),
            float_bits(2.0),
            0x8000_0000,
        ],
    );
    // Flushed denormals are zeros of their sign.
    check(
        CondMod::Ge,
        [
            float_bits(2.0),
            float_bits(3.0),
            float_bits(4.0),
            float_bits(5.0),
            0,
            0,
            float_bits(2.0),
            float_bits(1.0),
        ],
    );
    each_way(sel(CondMod::Ge, true), [a, b, Z], 0, |_, got| {
        assert_eq!(
            got,
            [
                float_bits(1.0),
                float_bits(1.0),
                float_bits(1.0),
                float_bits(1.0),
                0,
                0,
                float_bits(1.0),
                float_bits(1.0)
            ]
        );
    });
    // Integers by their own order, also where a modifier leaves 32 bits.
    let (a, b) = (
        [5, 0x8000_0000, 7, 1, 0, 9, 3, 4],
        [6, 1, 0xffff_ffff, 1, 0, 8, 3, 5],
    );
    let order = |c, ty, want: [u32; 8]| {
        each_way(
            cmod(two(Opcode::Sel, ty, ty), c, 0),
            [a, b, Z],
            0,
            |_, got| {
                assert_eq!(got, want, "{c:?} {ty:?}");
            },
        );
    };
    order(
        CondMod::L,
        Type::D,
        [5, 0x8000_0000, 0xffff_ffff, 1, 0, 8, 3, 4],
    );
    order(CondMod::L, Type::Ud, [5, 1, 7, 1, 0, 8, 3, 4]);
    order(CondMod::Ge, Type::D, [6, 1, 7, 1, 0, 9, 3, 5]);
    order(
        CondMod::Ge,
        Type::Ud,
        [6, 0x8000_0000, 0xffff_ffff, 1, 0, 9, 3, 5],
    );
    let mut minus = cmod(two(Opcode::Sel, Type::D, Type::D), CondMod::L, 0);
    minus.src[1].negate = true;
    each_way(minus, [a, b, Z], 0, |_, got| {
        assert_eq!(got[..3], [-6i32 as u32, 0x8000_0000, 1], "-b");
    });
}

#[test]
fn csel_tests_its_third_source() {
    let (a, b) = (
        [DENORMAL, 2, 3, 4, 5, 6, 7, 8],
        [11, 12, 13, 14, 15, 16, 17, 18],
    );
    let c = [
        float_bits(1.0),
        float_bits(-1.0),
        0,
        0x8000_0000,
        NAN,
        INF,
        DENORMAL,
        INF | 0x8000_0000,
    ];
    let (y, n) = (true, false);
    for (cond, first) in [
        (CondMod::Z, [n, n, y, y, n, n, y, n]),
        (CondMod::Nz, [y, y, n, n, y, y, n, y]),
        (CondMod::G, [y, n, n, n, n, y, n, n]),
        (CondMod::Ge, [y, n, y, y, n, y, y, n]),
        (CondMod::L, [n, y, n, n, n, n, n, y]),
        (CondMod::Le, [n, y, y, y, n, n, y, y]),
    ] {
        let mut i = cmod(
            op(
                Opcode::Csel,
                8,
                dst(20, Type::F),
                &[g(2, Type::F), g(4, Type::F), g(6, Type::F)],
            ),
            cond,
            0,
        );
        each_way(i, [a, b, c], 0x33, |t, got| {
            let want: Vec<u32> = (0..8).map(|k| if first[k] { a[k] } else { b[k] }).collect();
            assert_eq!(got.to_vec(), want, "{cond:?}, bits as they are");
            assert_eq!(t.flags(), 0x33, "no flags");
        });
        // With a modifier it is an operation: denormals, as all of these are, become zeros.
        i.src[0].negate = true;
        each_way(i, [a, b, c], 0, |_, got| {
            for k in 0..8 {
                assert_eq!(
                    got[k],
                    if first[k] { 0x8000_0000 } else { b[k] },
                    "{cond:?} {k}"
                );
            }
        });
        i.src[0].negate = false;
        i.src[1].abs = true;
        each_way(i, [a, b, c], 0, |_, got| {
            for k in 0..8 {
                assert_eq!(got[k], if first[k] { a[k] } else { 0 }, "{cond:?} {k}");
            }
        });
        i.src[1].abs = false;
        i.saturate = true;
        each_way(
            i,
            [[float_bits(3.0); 8], [float_bits(-3.0); 8], c],
            0,
            |_, got| {
                for k in 0..8 {
                    assert_eq!(
                        got[k],
                        if first[k] { float_bits(1.0) } else { 0 },
                        "{cond:?} {k}"
                    );
                }
            },
        );
    }
    let ints = op(
        Opcode::Csel,
        8,
        dst(20, Type::D),
        &[g(2, Type::D), g(4, Type::D), g(6, Type::D)],
    );
    each_way(
        cmod(ints, CondMod::L, 0),
        [a, b, [0, 1, u32::MAX, 0x8000_0000, 5, 0, 0, 0]],
        0,
        |_, got| {
            assert_eq!(got, [11, 12, 3, 4, 15, 16, 17, 18]);
        },
    );
}

#[test]
fn cmp_writes_destination_and_flags() {
    let a = [1, 2, 3, 4, 5, 6, 7, 8];
    let b = [5; 8];
    for (d, stride, ones) in [
        (Type::B, 4, 0xffu64),
        (Type::W, 2, 0xffff),
        (Type::D, 1, 0xffff_ffff),
        (Type::Q, 1, u64::MAX),
    ] {
        for s in [Type::D, Type::Ud, Type::F] {
            let mut i = cmod(two(Opcode::Cmp, d, s), CondMod::L, 1);
            i.dst.hstride = stride;
            let value = |x: [u32; 8]| {
                if s == Type::F {
                    x.map(|x| float_bits(x as f32))
                } else {
                    x
                }
            };
            each_way(i, [value(a), value(b), Z], u64::MAX, |t, _| {
                assert_eq!(t.flags() >> 16 & 0xffff, 0xff0f, "{d:?} {s:?}");
                for k in 0..8usize {
                    let size = d.size_bytes() as usize;
                    let got = t
                        .state
                        .regs
                        .read(640 + k * size * usize::from(stride), size);
                    assert_eq!(got, if k < 4 { ones } else { 0 }, "{d:?} {s:?} {k}");
                }
            });
        }
    }
}

#[test]
fn cmp_with_nan_is_false_and_cmpn_selects_source_0_if_source_1_is_nan() {
    let a = [
        float_bits(1.0),
        NAN,
        float_bits(1.0),
        NAN,
        float_bits(2.0),
        INF,
        float_bits(3.0),
        float_bits(2.0),
    ];
    let b = [
        float_bits(2.0),
        float_bits(2.0),
        NAN,
        NAN,
        float_bits(2.0),
        INF,
        float_bits(2.0),
        float_bits(1.0),
    ];
    // CMP's verdicts of the eight pairs, bit 0 the first; CMPN holds besides where source 1 is a
    // NaN.
    for (c, cmp) in [
        (CondMod::Z, 0b0011_0000u64),
        (CondMod::Nz, 0b1100_1111),
        (CondMod::G, 0b1100_0000),
        (CondMod::Ge, 0b1111_0000),
        (CondMod::L, 0b0000_0001),
        (CondMod::Le, 0b0011_0001),
        (CondMod::U, 0b0000_1110),
        (CondMod::O, 0),
    ] {
        let nans = if c == CondMod::O { 0 } else { 0b0000_1100 };
        for (o, want) in [(Opcode::Cmp, cmp), (Opcode::Cmpn, cmp | nans)] {
            each_way(
                cmod(two(o, Type::F, Type::F), c, 0),
                [a, b, Z],
                0,
                |t, got| {
                    assert_eq!(t.flags(), want, "{o:?} {c:?}");
                    let ones = (0..8).fold(0, |m, k| m | u64::from(got[k] == u32::MAX) << k);
                    assert_eq!(ones, want, "{o:?} {c:?}");
                },
            );
        }
    }
}

#[test]
fn float_result_rounds_to_execution_type_before_integer_conversion() {
    // The sum; as an integer by way of each type: 2²³ + 0.75 is no F, 2049.5 no half.
    let hf = |x: u64| imm(Type::Hf, x);
    let f = |x: f32| imm(Type::F, u64::from(x.to_bits()));
    let df = |x: f64| imm(Type::Df, x.to_bits());
    let table = [
        ([f(8_388_608.0), f(0.75)], 8_388_609),
        ([df(8_388_608.0), df(0.75)], 8_388_608),
        // 2048 and 1.5.
        ([hf(0x6800), hf(0x3e00)], 2050),
        ([f(2048.0), hf(0x3e00)], 2049),
        ([f(2048.0), f(1.5)], 2049),
        ([f(8_388_608.0), df(0.75)], 8_388_608),
    ];
    for (s, want) in table {
        let i = op(Opcode::Add, 4, dst(20, Type::D), &s);
        for t in both_paths(&[i], &[], 0xf) {
            assert_eq!(reg(&t, 20)[0], want, "{s:?}");
        }
    }
    // A MOV has nothing to round.
    let i = op(Opcode::Mov, 4, dst(20, Type::D), &[f(2.75)]);
    for t in both_paths(&[i], &[], 0xf) {
        assert_eq!(reg(&t, 20)[..4], [2; 4]);
    }
}

#[test]
fn cmod_tests_the_stored_result() {
    // A raw move of denormals where they are flushed: zeros for the flags, whole in the register.
    let a = [
        DENORMAL,
        0x8000_1234,
        0,
        float_bits(1.0),
        float_bits(-1.0),
        NAN,
        INF,
        0x8000_0000,
    ];
    for (c, want) in [
        (CondMod::Z, 0b1000_0111u64),
        (CondMod::Nz, 0b0111_1000),
        (CondMod::G, 0b0100_1000),
        (CondMod::Ge, 0b1100_1111),
        (CondMod::L, 0b0001_0000),
        (CondMod::Le, 0b1001_0111),
        (CondMod::O, 0b0100_0000),
        (CondMod::U, 0b0010_0000),
    ] {
        let i = cmod(op(Opcode::Mov, 8, dst(20, Type::F), &[g(2, Type::F)]), c, 0);
        each_way(i, [a, Z, Z], 0, |t, got| {
            assert_eq!((t.flags(), got), (want, a), "mov {c:?}");
        });
        // A sum with zero is flushed in the register too, and has the same flags.
        let i = cmod(two(Opcode::Add, Type::F, Type::F), c, 0);
        each_way(i, [a, Z, Z], 0, |t, _| {
            assert_eq!(t.flags(), want, "add {c:?}")
        });
    }
    // Integers as their destination has them: 128 + 128 is zero in a byte, and has not fitted.
    let sums = |d: Type, c| {
        let mut i = cmod(two(Opcode::Add, d, Type::D), c, 2);
        i.dst.hstride = (4 / d.size_bytes()) as u8;
        i
    };
    let (a, b) = (
        [128, 127, 1, 0x7fff, 0x7fff_ffff, 0, 0xffff_ffff, 200],
        [128, 1, 1, 1, 1, 0, 1, 0],
    );
    let values = a
        .iter()
        .zip(b)
        .map(|(a, b)| i64::from(*a as i32) + i64::from(b as i32));
    let values: Vec<i64> = values.collect();
    for (d, cut) in [
        (Type::B, (|v| i64::from(v as i8)) as fn(i64) -> i64),
        (Type::Ub, |v| i64::from(v as u8)),
        (Type::W, |v| i64::from(v as i16)),
        (Type::Uw, |v| i64::from(v as u16)),
        (Type::D, |v| i64::from(v as i32)),
    ] {
        let all =
            |f: &dyn Fn(i64) -> bool| (0..8).fold(0u64, |m, k| m | u64::from(f(values[k])) << k);
        for (c, want) in [
            (CondMod::Z, all(&|v| cut(v) == 0)),
            (CondMod::L, all(&|v| cut(v) < 0)),
            (CondMod::G, all(&|v| cut(v) > 0)),
            (CondMod::O, all(&|v| cut(v) != v)),
        ] {
            each_way(sums(d, c), [a, b, Z], 0, |t, _| {
                assert_eq!(t.flags() >> 32, want, "{d:?} {c:?}");
            });
        }
    }
}

#[test]
fn align16_write_mask_preserves_flags() {
    let mut i = cmod(
        op(
            Opcode::Add,
            8,
            dst(20, Type::D),
            &[g(2, Type::D), imm(Type::D, 0)],
        ),
        CondMod::Z,
        0,
    );
    i.align16 = true;
    i.src[0].region.vstride = 4;
    i.dst.writemask = 0b0101;
    each_way(i, [Z; 3], 0, |t, _| assert_eq!(t.flags(), 0b0101_0101));
    // Two-wide sums have results, and flags, of the even lanes alone.
    let i = cmod(
        op(
            Opcode::Sad2,
            8,
            dst(20, Type::W),
            &[g(2, Type::Ub), g(4, Type::Ub)],
        ),
        CondMod::Z,
        0,
    );
    each_way(i, [Z; 3], 0, |t, _| assert_eq!(t.flags(), 0b0101_0101));
}

#[test]
fn null_destination_writes_no_register() {
    let a0: Vec<u16> = (0..16).map(|i| 0x1111 * i).collect();
    for (d, s) in [
        (Type::D, Type::D),
        (Type::F, Type::F),
        (Type::W, Type::W),
        (Type::Q, Type::Q),
    ] {
        let n = if d == Type::Q { 8 } else { 16 };
        for o in [Opcode::Add, Opcode::Cmp] {
            let i = cmod(op(o, n, null_dst(d), &[g(2, s), g(4, s)]), CondMod::Z, 0);
            let set = |t: &mut Thread| {
                t.state.regs.words_mut()[regs::A0 / 2..][..16].copy_from_slice(&a0)
            };
            for t in both_paths_with(&[i], &[float_bits(1.0); 1024], 0xffff, 0, set) {
                assert_eq!(
                    t.state.regs.words()[regs::A0 / 2..][..16],
                    a0,
                    "{o:?} {d:?}"
                );
                assert_eq!(t.state.regs.read(regs::NULL, 8), 0, "{o:?} {d:?}");
            }
        }
    }
}

/// An operand at a0.`sub` + `imm_bytes`.
fn through(sub: u8, imm_bytes: i16) -> Addr {
    Addr::Indirect {
        a0_sub: sub,
        imm_bytes,
    }
}

/// Runs `i` with a0 as given and strict checks, by either path: the rule that it breaks.
fn breaks(i: Inst, a0: &[u16], mask: u32) -> Option<&'static str> {
    let kernel = Kernel::from_insts(&[i, eot()]).expect("there is an instruction");
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    let ends = [kernel.clone(), kernel.interpreter_only()].map(|k| {
        let mut t = Thread::new(&Arc::new(k), &[], mask, &ThreadInit::default(), strict);
        t.state.regs.words_mut()[regs::A0 / 2..][..a0.len()].copy_from_slice(a0);
        match t.run(&mut Recorder::default(), 10) {
            Ok(_) => None,
            Err(StopReason::Undefined { rule, at: 0, .. }) => Some(rule),
            Err(e) => panic!("{i:?}: {e}"),
        }
    });
    assert_eq!(ends[0], ends[1], "{i:?}");
    ends[0]
}

#[test]
fn indirect_operand_outside_the_register_file_is_undefined() {
    let grf = Some("grf-range");
    let mut from = op(Opcode::Mov, 8, dst(20, Type::D), &[g(0, Type::D)]);
    let mut to = op(Opcode::Mov, 8, dst(0, Type::D), &[imm(Type::D, 0)]);
    for (a0, disp, want) in [
        (0u16, 0, None),
        (32, -32, None),
        (31, -32, grf),
        (4096 - 32, 0, None),
        (4096 - 31, 0, grf),
        (4096 - 64, 32, None),
        (4096 - 64, 36, grf),
        (0xffff, 0, grf),
    ] {
        from.src[0].addr = through(2, disp);
        assert_eq!(breaks(from, &[9, 9, a0], 0xff), want, "from {a0} {disp}");
        to.dst.addr = through(2, disp);
        assert_eq!(breaks(to, &[9, 9, a0], 0xff), want, "to {a0} {disp}");
    }
    // The last lane of a strided destination needs no stride behind it.
    to.dst.hstride = 2;
    to.dst.addr = through(0, 0);
    assert_eq!(breaks(to, &[4096 - 60], 0xff), None);
    assert_eq!(breaks(to, &[4096 - 59], 0xff), grf);
    // Lanes that are off have no address, but where the instruction has no mask.
    from.src[0].addr = through(0, 0);
    from.src[0].region = Region::new(Region::VX1, 1, 0);
    let one_bad = [0, 0, 0, 4095, 0, 0, 0, 0];
    assert_eq!(breaks(from, &one_bad, 0b1111_0111), None);
    assert_eq!(breaks(from, &one_bad, 0b0000_1000), grf);
    assert_eq!(breaks(no_mask(from), &one_bad, 0b1111_0111), grf);
    // Sixteen address registers.
    from.exec_size = 4;
    from.src[0].addr = through(12, 0);
    assert_eq!(breaks(from, &[0; 16], 0xff), None);
    from.src[0].addr = through(13, 0);
    assert_eq!(breaks(from, &[0; 16], 0xff), Some("a0-range"));
}

#[test]
fn indirect_accesses_past_the_end_wrap_without_strict_mode() {
    let p: Vec<u32> = (0..1024).collect();
    let mut from = op(Opcode::Mov, 8, dst(20, Type::D), &[g(0, Type::D)]);
    from.src[0].addr = through(1, -8);
    let set = |a: u16| move |t: &mut Thread| t.state.regs.words_mut()[regs::A0 / 2 + 1] = a;
    for (a0, want) in [
        (4104, [0, 1]),
        (4, [1023, 0]),
        (4100, [1023, 0]),
        (8 + 40, [10, 11]),
    ] {
        for t in both_paths_with(&[from], &p, 0xff, 0, set(a0)) {
            assert_eq!(reg(&t, 20)[..2], want, "{a0}");
        }
    }
}

#[test]
fn vxh_source_has_an_address_per_row() {
    let p: Vec<u32> = (0..1024).collect();
    let a0 = [64u16, 160, 320, 400, 640, 720, 800, 900];
    let set =
        |t: &mut Thread| t.state.regs.words_mut()[regs::A0 / 2 + 4..][..8].copy_from_slice(&a0);
    for (w, h) in [(1u8, 0u8), (2, 1), (4, 2), (8, 1)] {
        for (o, more) in [(Opcode::Mov, 0), (Opcode::Add, 5)] {
            let mut s = g(0, Type::D);
            s.addr = through(4, 8);
            s.region = Region::new(Region::VX1, w, h);
            let i = op(o, 8, dst(20, Type::D), &[s, imm(Type::D, 5)]);
            let (w, h) = (usize::from(w), usize::from(h));
            let want: Vec<u32> = (0..8)
                .map(|c| u32::from(a0[c / w]) / 4 + 2 + (c % w * h) as u32 + more)
                .collect();
            for t in both_paths_with(&[i], &p, 0xff, 0, set) {
                assert_eq!(reg(&t, 20).to_vec(), want, "{i:?}");
            }
        }
    }
}

#[test]
fn f16_conversions_round_flush_and_saturate() {
    let keep = 1 << 10;
    let f = [
        float_bits(1.0),
        float_bits(-2.5),
        float_bits(65520.0),
        NAN,
        float_bits(6.0e-8),
        float_bits(1.0004),
        INF,
        float_bits(-0.5),
    ];
    let h = [
        0x3c00u32, 0xc100, 0x7c00, 0x7e00, 0x0001, 0x3c00, 0x7c00, 0xb800,
    ];
    let mut p = vec![0; 1024];
    p[16..24].copy_from_slice(&f);
    p[32..40].copy_from_slice(&h);
    let words = |s: Src| region(s, 0, 16, 8, 2);
    let to = |s: Src, sat| {
        let mut i = op(Opcode::F32to16, 8, dst(20, Type::Uw), &[s]);
        i.dst.hstride = 2;
        i.saturate = sat;
        i
    };
    let from = |s: Src| op(Opcode::F16to32, 8, dst(21, Type::F), &[words(s)]);
    for (cr0, kept) in [(keep, true), (0, false)] {
        let code = [to(g(2, Type::F), false), from(g(4, Type::Uw))];
        for t in both_paths_with(&code, &p, 0xff, cr0, |_| {}) {
            let mut want = h;
            want[4] &= if kept { 0xffff } else { 0 };
            assert_eq!(reg(&t, 20), want, "to halves");
            let got = reg(&t, 21);
            let tiny = if kept { 2f32.powi(-24) } else { 0.0 };
            let back = [
                1.0,
                -2.5,
                f32::INFINITY,
                0.0,
                tiny,
                1.0,
                f32::INFINITY,
                -0.5,
            ];
            for k in (0..8).filter(|k| *k != 3) {
                assert_eq!(f32::from_bits(got[k]), back[k], "lane {k}");
            }
            assert!(f32::from_bits(got[3]).is_nan());
        }
    }
    let code = [to(neg(g(2, Type::F)), true), from(neg(abs(g(4, Type::Uw))))];
    for t in both_paths_with(&code, &p, 0xff, keep, |_| {}) {
        assert_eq!(reg(&t, 20), [0, 0x3c00, 0, 0, 0, 0, 0, 0x3800], "saturated");
        let got = reg(&t, 21).map(f32::from_bits);
        assert_eq!((got[0], got[1], got[7]), (-1.0, -2.5, -0.5), "-|x|");
    }
}
