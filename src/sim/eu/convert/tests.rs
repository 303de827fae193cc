//! Numbers of the interpreter: elements to numbers and back, roundings, and what is missing of a
//! result.
//!
//! Expected values are IEEE 754's (and SKL PRM vol. 7, "Floating Point Modes", "Type Conversion",
//! "Saturate"): codes of neighbouring floats are consecutive integers, and sums and products of
//! integers are exact in 128 bits.

use crate::convert::*;
use crate::testing::Rng;
use isa::Type;

const TO_NEAREST: FpMode = FpMode {
    round: RoundingMode::Even,
    keep_hf_denorms: false,
    keep_f_denorms: false,
    keep_df_denorms: false,
    alternate: false,
};
const KEEP: FpMode = FpMode {
    keep_hf_denorms: true,
    keep_f_denorms: true,
    keep_df_denorms: true,
    ..TO_NEAREST
};

#[test]
fn cr0_rounding_mode_and_denormal_bits() {
    let rounds = |round| FpMode {
        round,
        ..TO_NEAREST
    };
    let meant = 1 | 3 << 4 | 1 << 6 | 1 << 7 | 1 << 10;
    let table = [
        (0, TO_NEAREST),
        (!meant, TO_NEAREST),
        (1 << 4, rounds(RoundingMode::Up)),
        (2 << 4, rounds(RoundingMode::Down)),
        (3 << 4, rounds(RoundingMode::Zero)),
        (
            1 << 6,
            FpMode {
                keep_df_denorms: true,
                ..TO_NEAREST
            },
        ),
        (
            1 << 7,
            FpMode {
                keep_f_denorms: true,
                ..TO_NEAREST
            },
        ),
        (
            1 << 10,
            FpMode {
                keep_hf_denorms: true,
                ..TO_NEAREST
            },
        ),
        (
            1,
            FpMode {
                alternate: true,
                ..TO_NEAREST
            },
        ),
    ];
    for (cr0, want) in table {
        assert_eq!(FpMode::from_cr0(cr0), want, "cr0 {cr0:#x}");
    }
}

#[test]
fn integer_loads_sign_or_zero_extend() {
    for bits in [0xfedc_ba98_f6f5_f4f3u64, 0x0123_4567_1625_3443] {
        let table: [(Type, i128); 10] = [
            (Type::Ub, (bits as u8).into()),
            (Type::B, (bits as i8).into()),
            (Type::Uw, (bits as u16).into()),
            (Type::Uv, (bits as u16).into()),
            (Type::W, (bits as i16).into()),
            (Type::V, (bits as i16).into()),
            (Type::Ud, (bits as u32).into()),
            (Type::D, (bits as i32).into()),
            (Type::Uq, bits.into()),
            (Type::Q, (bits as i64).into()),
        ];
        for (ty, want) in table {
            assert_eq!(int_from_bits(bits, ty), want, "{ty:?} of {bits:#x}");
        }
    }
}

/// Least and greatest value of each integer type.
const RANGES: [(Type, i128, i128); 8] = [
    (Type::Ub, 0, u8::MAX as i128),
    (Type::B, i8::MIN as i128, i8::MAX as i128),
    (Type::Uw, 0, u16::MAX as i128),
    (Type::W, i16::MIN as i128, i16::MAX as i128),
    (Type::Ud, 0, u32::MAX as i128),
    (Type::D, i32::MIN as i128, i32::MAX as i128),
    (Type::Uq, 0, u64::MAX as i128),
    (Type::Q, i64::MIN as i128, i64::MAX as i128),
];

#[test]
fn integer_stores_saturate_or_wrap_and_report_overflow() {
    for (ty, lo, hi) in RANGES {
        let size = 8 * ty.size_bytes();
        let bits = |v: i128| (v as u128 & (u128::MAX >> (128 - size))) as u64;
        assert_eq!(int_range(ty), (lo, hi), "{ty:?}");
        for v in [
            lo - 2,
            lo - 1,
            lo,
            lo + 1,
            -1,
            0,
            1,
            hi - 1,
            hi,
            hi + 1,
            hi + 3,
        ] {
            let within = (lo..=hi).contains(&v);
            for (sat, to) in [(false, v), (true, v.clamp(lo, hi))] {
                let o = convert(Value::Int(v), ty, sat, &KEEP);
                assert_eq!(
                    (o.bits, o.overflow),
                    (bits(to), !within),
                    "{v} as {ty:?}, {sat}"
                );
                let seen = int_from_bits(bits(to), ty);
                assert_eq!(
                    (o.zero, o.neg, o.nan),
                    (seen == 0, seen < 0, false),
                    "{v} as {ty:?}"
                );
            }
        }
    }
    assert_eq!(int_range(Type::Uv), int_range(Type::Uw));
    assert_eq!(int_range(Type::V), int_range(Type::W));
}

#[test]
fn float_to_integer_truncates_and_clamps_to_the_type() {
    for (ty, lo, hi) in RANGES {
        let size = 8 * ty.size_bytes();
        let bits = |v: i128| (v as u128 & (u128::MAX >> (128 - size))) as u64;
        let mut table = vec![
            (0.0, 0, false),
            (-0.9, 0, false),
            (0.9, 0, false),
            (1.5, 1, false),
            (2.0, 2, false),
            (-1.5, (-1).max(lo), lo == 0),
            (f64::NAN, 0, true),
            (f64::INFINITY, hi, true),
            (f64::NEG_INFINITY, lo, true),
            (1e30, hi, true),
            (-1e30, lo, true),
            (lo as f64, lo, false),
            // One past the greatest is a power of two.
            ((hi + 1) as f64, hi, true),
        ];
        if size < 64 {
            table.extend([
                (hi as f64, hi, false),
                (hi as f64 + 0.5, hi, false),
                (hi as f64 - 1.0, hi - 1, false),
                (lo as f64 - 0.5, lo, false),
                (lo as f64 - 1.0, lo, true),
            ]);
        }
        for (f, want, overflow) in table {
            for sat in [false, true] {
                let o = convert(Value::Float(f, 0), ty, sat, &KEEP);
                assert_eq!(
                    (o.bits, o.overflow),
                    (bits(want), overflow),
                    "{f} as {ty:?}"
                );
                assert_eq!((o.zero, o.neg), (want == 0, want < 0), "{f} as {ty:?}");
            }
        }
    }
}

#[test]
fn half_nan_conversion_quiets_and_preserves_sign_and_payload() {
    assert_eq!(half_to_f64(0x7c00), f64::INFINITY);
    assert_eq!(half_to_f64(0xfc00), f64::NEG_INFINITY);
    assert_eq!(half_to_f64(0x8000).to_bits(), 1 << 63);
    for h in (0x7c01..=0x7fff).chain(0xfc01..=0xffffu16) {
        let d = half_to_f64(h);
        let (sign, payload) = (u64::from(h >> 15), u64::from(h & 0x3ff));
        assert_eq!(
            d.to_bits(),
            sign << 63 | 0xfff << 51 | payload << 42,
            "{h:#x}"
        );
        assert_eq!(round_f16(d, 0, RoundingMode::Zero), h | 0x200, "{h:#x}");
    }
    for (inf, h) in [(f64::INFINITY, 0x7c00), (f64::NEG_INFINITY, 0xfc00)] {
        assert_eq!(round_f16(inf, 0, RoundingMode::Zero), h);
    }
}

#[test]
fn source_denormals_flush_to_signed_zero_per_format_bit() {
    // Format, codes of a denormal, of the greatest one, and of the least normal; the sign bit; the
    // mode that keeps them.
    let table = [
        (Type::Hf, 0x0001, 0x03ff, 0x0400u64, 15, 1 << 10),
        (Type::F, 0x0001, 0x007f_ffff, 0x0080_0000, 31, 1 << 7),
        (Type::Df, 0x0001, (1 << 52) - 1, 1 << 52, 63, 1 << 6),
    ];
    for (ty, least, greatest, normal, sign, keep) in table {
        let all = 1 << 10 | 1 << 7 | 1 << 6;
        let value = |code: u64| match ty {
            Type::Hf => half_to_f64(code as u16),
            Type::F => f64::from(f32::from_bits(code as u32)),
            _ => f64::from_bits(code),
        };
        for s in [0, 1 << sign] {
            for (cr0, kept) in [(keep, true), (all & !keep, false)] {
                let mode = FpMode::from_cr0(cr0);
                // Of every exponent of one bit, and none.
                let bit = normal.trailing_zeros();
                let normals = (bit..sign).map(|k| 1 << k);
                for code in [least, greatest, 0].into_iter().chain(normals) {
                    let flushed = if kept || code >= normal { code } else { 0 };
                    let (got, want) = (float_from_bits(code | s, ty, &mode), value(flushed | s));
                    assert_eq!(
                        got.to_bits(),
                        want.to_bits(),
                        "{ty:?} {code:#x}, cr0 {cr0:#x}"
                    );
                    let out = convert(Value::Float(value(code | s), 0), ty, false, &mode).bits;
                    assert_eq!(out, flushed | s, "to {ty:?} {code:#x}, cr0 {cr0:#x}");
                }
            }
        }
    }
}

/// Each mode's choice for what lies `sixteenths` above the float of code `code`, as a code: the
/// exact value is between the floats of two neighbouring codes, or is one of them.
fn chosen(code: u64, sixteenths: i64, mode: RoundingMode, negative: bool) -> u64 {
    let at = code as i64 * 16 + sixteenths;
    let (below, above) = (at.div_euclid(16), (at + 15).div_euclid(16));
    let code = match (mode, negative) {
        (RoundingMode::Zero, _) | (RoundingMode::Down, false) | (RoundingMode::Up, true) => below,
        (RoundingMode::Up, false) | (RoundingMode::Down, true) => above,
        (RoundingMode::Even, _) => match at.rem_euclid(16) {
            0..8 => below,
            8 => below + (below & 1),
            _ => below + 1,
        },
    };
    code as u64
}

const ROUNDS: [RoundingMode; 4] = [
    RoundingMode::Even,
    RoundingMode::Up,
    RoundingMode::Down,
    RoundingMode::Zero,
];

#[test]
fn rounding_selects_one_of_the_two_nearest_floats() {
    // What stands in a format's first code past the greatest finite one is the next power of two,
    // which is infinite.
    let single = |code: u64| match code {
        0x7f80_0000 => 2f64.powi(128),
        code => f64::from(f32::from_bits(code as u32)),
    };
    let half = |code: u64| match code {
        0..0x400 => code as f64 * 2f64.powi(-24),
        _ => (1024 + (code & 0x3ff)) as f64 * 2f64.powi((code >> 10) as i32 - 25),
    };
    let singles = [
        0,
        1,
        2,
        0x7f_fffe,
        0x7f_ffff,
        0x80_0000,
        0x80_0001,
        0x3e80_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x4b00_0001,
        0x7f7f_fffe,
        0x7f7f_ffff,
    ];
    let halves = [
        0, 1, 0x3fe, 0x3ff, 0x400, 0x3400, 0x3bff, 0x3c00, 0x7bfe, 0x7bff,
    ];
    for mode in ROUNDS {
        let check = |codes: &[u64],
                     value: &dyn Fn(u64) -> f64,
                     round: &dyn Fn(f64, i8) -> u64,
                     sign| {
            for &code in codes {
                let (lo, hi) = (value(code), value(code + 1));
                for (quarters, missing) in (0..4).flat_map(|q| [-1i8, 0, 1].map(move |m| (q, m))) {
                    let x = lo + (hi - lo) * f64::from(quarters) / 4.0;
                    if x == 0.0 && missing != 0 {
                        continue;
                    }
                    let sixteenths = i64::from(quarters * 4) + i64::from(missing);
                    let what = format!("{mode:?} {code:#x} + {sixteenths}/16");
                    let want = chosen(code, sixteenths, mode, false);
                    assert_eq!(round(x, missing), want, "{what}");
                    let want = chosen(code, sixteenths, mode, true);
                    assert_eq!(round(-x, -missing), want | sign, "-({what})");
                }
            }
        };
        check(
            &singles,
            &single,
            &|x, m| u64::from(round_f32(x, m, mode).to_bits()),
            1 << 31,
        );
        check(
            &halves,
            &half,
            &|x, m| u64::from(round_f16(x, m, mode)),
            1 << 15,
        );
        // Far too great.
        let missing = u32::from(matches!(mode, RoundingMode::Zero | RoundingMode::Down));
        assert_eq!(
            round_f32(1e300, 0, mode).to_bits(),
            0x7f80_0000 - missing,
            "{mode:?}"
        );
        let missing = u32::from(matches!(mode, RoundingMode::Zero | RoundingMode::Up));
        assert_eq!(
            round_f32(-1e300, 0, mode).to_bits(),
            0xff80_0000 - missing,
            "{mode:?}"
        );
        for x in [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY] {
            let got = round_f32(f64::from(x), 0, mode);
            assert_eq!(got.to_bits(), x.to_bits(), "{x} {mode:?}");
        }
        assert!(round_f32(f64::NAN, 0, mode).is_nan());
    }
    // What a double next to an F misses does not cross the F.
    let (above, below) = (1f64.next_up(), 1f64.next_down());
    assert_eq!(round_f32(above, -1, RoundingMode::Down), 1.0);
    assert_eq!(round_f32(above, -1, RoundingMode::Up), 1f32.next_up());
    assert_eq!(round_f32(below, 1, RoundingMode::Up), 1.0);
    assert_eq!(round_f32(below, 1, RoundingMode::Down), 1f32.next_down());
    for e in -1022..=1023 {
        assert_eq!(pow2(e), 2f64.powi(e), "2^{e}");
    }
}

#[test]
fn directed_rounding_moves_a_double_by_one_ulp() {
    let (up, down) = (1f64.next_up(), 1f64.next_down());
    // Mode; results of 1 where the exact one is less, the same, greater; of -1 likewise.
    let table = [
        (RoundingMode::Even, [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]),
        (RoundingMode::Up, [1.0, 1.0, up], [-1.0, -1.0, -down]),
        (RoundingMode::Down, [down, 1.0, 1.0], [-up, -1.0, -1.0]),
        (RoundingMode::Zero, [down, 1.0, 1.0], [-1.0, -1.0, -down]),
    ];
    for (mode, positive, negative) in table {
        for (k, missing) in [-1, 0, 1].into_iter().enumerate() {
            assert_eq!(
                round_f64(1.0, missing, mode),
                positive[k],
                "{mode:?} {missing}"
            );
            assert_eq!(
                round_f64(-1.0, missing, mode),
                negative[k],
                "{mode:?} {missing}"
            );
            // The same of other powers of two.
            assert_eq!(
                round_f64(0.125, missing, mode),
                positive[k] / 8.0,
                "{mode:?} {missing}"
            );
        }
    }
}

#[test]
fn float_saturation_clamps_to_zero_and_one() {
    // One half, one, two, and the greatest below one, of each format.
    let table = [
        (Type::Hf, [0x3800u64, 0x3c00, 0x3bff]),
        (Type::F, [0x3f00_0000, 0x3f80_0000, 0x3f7f_ffff]),
        (
            Type::Df,
            [
                0x3fe0_0000_0000_0000,
                0x3ff0_0000_0000_0000,
                0x3fef_ffff_ffff_ffff,
            ],
        ),
    ];
    for (ty, [half, one, below]) in table {
        let eighth = 2 * (one - half);
        let less = float_from_bits(below, ty, &KEEP);
        let cases = [
            (0.5, half),
            // Two powers of two less.
            (0.125, half - eighth),
            (1.0, one),
            (less, below),
            (1.5, one),
            (2.0, one),
            (f64::INFINITY, one),
            (0.0, 0),
            (-0.0, 0),
            (-0.5, 0),
            (f64::NEG_INFINITY, 0),
            (f64::NAN, 0),
        ];
        for (x, want) in cases {
            let o = convert(Value::Float(x, 0), ty, true, &KEEP);
            assert_eq!(o.bits, want, "sat({x}) as {ty:?}");
            assert_eq!(
                (o.zero, o.neg, o.nan, o.overflow),
                (want == 0, false, false, false)
            );
        }
        for x in [0.5, -0.5, 3.0, -3.0] {
            let o = convert(Value::Float(x, 0), ty, false, &KEEP);
            assert_eq!(float_from_bits(o.bits, ty, &KEEP), x, "{ty:?}");
            assert_eq!((o.zero, o.neg), (false, x < 0.0), "{x} as {ty:?}");
        }
        let inf = convert(Value::Float(f64::INFINITY, 0), ty, false, &KEEP);
        assert!(inf.overflow && !inf.nan && !inf.zero, "{ty:?}");
        let nan = convert(Value::Float(f64::NAN, 0), ty, false, &KEEP);
        assert!(nan.nan && !nan.overflow && !nan.zero, "{ty:?}");
    }
}

#[test]
fn alternate_float_mode_has_no_infinities_or_nans() {
    let alt = FpMode {
        alternate: true,
        ..KEEP
    };
    let of =
        |x: f64, sat| f32::from_bits(convert(Value::Float(x, 0), Type::F, sat, &alt).bits as u32);
    assert_eq!(of(f64::INFINITY, false), f32::MAX);
    assert_eq!(of(f64::NEG_INFINITY, false), -f32::MAX);
    assert_eq!(of(f64::NAN, false).to_bits(), 0);
    assert_eq!(of(-1.5, false), -1.5);
    assert_eq!(of(f64::INFINITY, true), 1.0);
}

#[test]
fn integer_to_float_rounds_once() {
    let to = |v: i128, ty, round| {
        let mode = FpMode { round, ..KEEP };
        float_from_bits(convert(Value::Int(v), ty, false, &mode).bits, ty, &KEEP)
    };
    // The integers next to a power of two whose spacing is two are halfway between floats.
    for (ty, at) in [(Type::F, 1i128 << 24), (Type::Df, 1 << 53)] {
        for (round, one, three, minus_one) in [
            (RoundingMode::Even, 0, 4, 0),
            (RoundingMode::Up, 2, 4, 0),
            (RoundingMode::Down, 0, 2, -2),
            (RoundingMode::Zero, 0, 2, 0),
        ] {
            assert_eq!(
                to(at + 1, ty, round),
                (at + one) as f64,
                "{ty:?} {round:?}, one"
            );
            assert_eq!(
                to(at + 3, ty, round),
                (at + three) as f64,
                "{ty:?} {round:?}, three"
            );
            let want = (minus_one - at) as f64;
            assert_eq!(to(-at - 1, ty, round), want, "{ty:?} {round:?}, minus one");
        }
    }
    // A double halfway between floats that an integer just misses.
    let x = (1i128 << 62) + (1 << 38) + 1;
    assert_eq!(
        to(x, Type::F, RoundingMode::Even),
        ((1i128 << 62) + (1 << 39)) as f64
    );
    assert_eq!(to(-7, Type::Hf, RoundingMode::Even), -7.0);
}

/// A random integer of up to 53 bits, often with few of them.
fn mantissa(r: &mut Rng) -> i128 {
    let bits = 1 + r.below(53);
    let m = (r.next() >> (64 - bits)) as i128;
    if r.below(2) == 0 { -m } else { m }
}

#[test]
fn sums_and_products_return_the_sign_of_their_rounding_error() {
    let mut r = Rng(0x5eed_0001);
    let near = |exact: i128| {
        let v = exact as f64;
        (v, (exact - v as i128).signum() as i8)
    };
    for _ in 0..20_000 {
        let (a, b) = (mantissa(&mut r), mantissa(&mut r));
        let c = mantissa(&mut r) << r.below(60);
        let (x, y, z) = (a as f64, b as f64, c as f64);
        assert_eq!(add_exact(x, z), near(a + c), "{a} + {c}");
        assert_eq!(add_exact(z, x), near(a + c), "{c} + {a}");
        assert_eq!(mul_exact(x, y), near(a * b), "{a} * {b}");
        assert_eq!(fma_exact(x, y, z), near(a * b + c), "{a} * {b} + {c}");
        // A sum that cancels what a product rounds to leaves what it has lost.
        let p = (a * b) as f64;
        let left = a * b - p as i128;
        assert_eq!(
            fma_exact(x, y, -p),
            (left as f64, 0),
            "{a} * {b} - its nearest double"
        );
    }
    let inf = f64::INFINITY;
    // Beyond a double: less than infinity.
    assert_eq!(add_exact(f64::MAX, f64::MAX), (inf, -1));
    assert_eq!(mul_exact(f64::MAX, -2.0), (-inf, 1));
    assert_eq!(fma_exact(f64::MAX, 2.0, 1.0), (inf, -1));
    assert_eq!(fma_exact(inf, 2.0, 1.0), (inf, 0));
    assert_eq!(mul_exact(-inf, 2.0), (-inf, 0));
    assert_eq!(add_exact(inf, 1.0), (inf, 0));
    for (nan, missing) in [
        add_exact(inf, -inf),
        mul_exact(inf, 0.0),
        fma_exact(inf, 0.0, 1.0),
    ] {
        assert!(nan.is_nan() && missing == 0);
    }
    assert_eq!([sign(3.0), sign(-3.0), sign(0.0)], [1, -1, 0]);
}

#[test]
fn value_classification_follows_the_type() {
    // Zero, negative, NaN, infinite.
    let see = |bits, ty| {
        let o = Element::of_bits(bits, ty);
        assert_eq!(o.bits, bits, "{ty:?}");
        [o.zero, o.neg, o.nan, o.overflow]
    };
    for ty in [Type::B, Type::W, Type::D, Type::Q] {
        let top = 1 << (8 * ty.size_bytes() - 1);
        assert_eq!(see(top, ty), [false, true, false, false], "{ty:?}");
        assert_eq!(see(top - 1, ty), [false; 4], "{ty:?}");
        assert_eq!(see(0, ty), [true, false, false, false], "{ty:?}");
    }
    for ty in [Type::Ub, Type::Uw, Type::Ud, Type::Uq] {
        let top = 1 << (8 * ty.size_bytes() - 1);
        assert_eq!(see(top, ty), [false; 4], "{ty:?}");
        assert_eq!(see(0, ty), [true, false, false, false], "{ty:?}");
    }
    for (ty, inf) in [
        (Type::Hf, 0x7c00u64),
        (Type::F, 0x7f80_0000),
        (Type::Df, 0x7ff0_0000_0000_0000),
    ] {
        let sign = 1 << (8 * ty.size_bytes() - 1);
        assert_eq!(see(0, ty), [true, false, false, false], "{ty:?}");
        assert_eq!(see(sign, ty), [true, false, false, false], "{ty:?}");
        // The least denormals are numbers here.
        assert_eq!(see(1, ty), [false; 4], "{ty:?}");
        assert_eq!(see(1 | sign, ty), [false, true, false, false], "{ty:?}");
        assert_eq!(see(inf, ty), [false, false, false, true], "{ty:?}");
        assert_eq!(see(inf | sign, ty), [false, true, false, true], "{ty:?}");
        assert_eq!(see(inf + 1, ty), [false, false, true, false], "{ty:?}");
    }
}
