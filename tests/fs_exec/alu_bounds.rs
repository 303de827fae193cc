//! Checks that a computed result is one that Vulkan allows.

use crate::alu_tables::{Bound, PRECISION};
use nir::fold::{self, float_value, mask, sext};
use nir::{AluOp, BaseType, FloatControls};

/// One evaluation: the operation, its operands by component, bits of each, bits of the result.
pub struct Value<'a> {
    pub op: AluOp,
    pub srcs: &'a [&'a [u64]],
    pub src_bits: &'a [u8],
    pub def_bits: u8,
    pub components: usize,
}

/// The bound for an operation.
pub fn bound(op: AluOp, bits: u8) -> Bound {
    let name = op.info().name;
    PRECISION
        .iter()
        .find(|p| p.0 == name && (p.1 == 0 || p.1 == bits))
        .map_or(Bound::Exact, |p| p.2)
}

/// What the folder says; `flush`: bits 0 to 2 for subnormals of 16, 32 and 64 bits.
pub fn folded(v: &Value<'_>, flush: u8) -> Vec<u64> {
    let controls = FloatControls {
        denorm_flush: flush,
        ..FloatControls::default()
    };
    let mut out = vec![0; v.components];
    assert!(
        fold::fold(v.op, v.def_bits, v.src_bits, v.srcs, controls, &mut out),
        "{:?} does not fold",
        v.op
    );
    out
}

fn mantissa(bits: u8) -> i32 {
    match bits {
        16 => 10,
        32 => 23,
        _ => 52,
    }
}

fn least_exponent(bits: u8) -> i32 {
    match bits {
        16 => -14,
        32 => -126,
        _ => -1022,
    }
}

/// A unit in the last place at `x`, in the precision of `bits`.
fn ulp(bits: u8, x: f64) -> f64 {
    let (_, e) = fold::frexp(x);
    let least = i64::from(least_exponent(bits));
    fold::scale(1.0, (e - 1).max(least) - i64::from(mantissa(bits)))
}

/// False where the specification leaves the result open.
pub fn defined(v: &Value<'_>) -> bool {
    use AluOp as Op;
    let s = |i: usize| v.srcs[i][0];
    let bits = v.src_bits[0];
    let f = |i: usize| float_value(v.src_bits[i], s(i));
    let domain = |x: f64| {
        let e = if bits == 16 { 14 } else { 126 };
        x == 0.0 || x.is_infinite() || (2f64.powi(-e)..=2f64.powi(e)).contains(&x.abs())
    };
    match v.op {
        Op::UDiv | Op::UMod => s(1) != 0,
        Op::IDiv | Op::IRem | Op::IMod => {
            s(1) != 0 && !(s(1) == mask(bits) && s(0) == 1 << (bits - 1))
        }
        Op::UBitfieldExtract | Op::IBitfieldExtract => s(1) + s(2) <= 32,
        Op::BitfieldInsert => s(2) + s(3) <= 32,
        Op::F2I | Op::F2U => {
            let x = f(0).trunc();
            let n = i32::from(v.def_bits);
            if v.op == Op::F2U {
                x >= 0.0 && x < 2f64.powi(n)
            } else {
                x >= -2f64.powi(n - 1) && x < 2f64.powi(n - 1)
            }
        }
        // GLSL.std.450: above 128 (1024) undefined, below -126 (-1022) may be flushed.
        Op::Ldexp => {
            let e = sext(32, s(1));
            let least = i64::from(least_exponent(bits));
            f(0).is_finite() && (least..=2 - least).contains(&e)
        }
        Op::FrexpSig | Op::FrexpExp => f(0).is_finite(),
        Op::FDiv => domain(f(1)),
        Op::FMod | Op::FRem => {
            f(0).is_finite()
                && f(1).is_finite()
                && f(1) != 0.0
                && domain(f(1))
                && fold::float_value(bits, fold::round_float(bits, (f(0) / f(1)).into(), false))
                    .is_finite()
        }
        Op::FSin | Op::FCos | Op::FExp2 => f(0).is_finite(),
        Op::FLog2 | Op::FSqrt | Op::FRsq => f(0).is_finite() && f(0) >= 0.0,
        Op::FPow => f(0).is_finite() && f(1).is_finite() && f(0) > 0.0,
        Op::FDot2 | Op::FDot3 | Op::FDot4 => {
            let small = v.srcs.iter().all(|s| {
                s.iter()
                    .all(|x| float_value(bits, *x).abs() < 2f64.powi(6 - least_exponent(bits) / 2))
            });
            // Products that overflow both ways cancel or do not, as they are rounded before their
            // sum or with it.
            let overflows = |sign: f64| {
                (0..v.srcs[0].len()).any(|i| {
                    let p = float_value(bits, v.srcs[0][i]) * float_value(bits, v.srcs[1][i]);
                    let p = float_value(bits, fold::round_float(bits, p.into(), false));
                    p == sign * f64::INFINITY
                })
            };
            small && !(overflows(1.0) && overflows(-1.0))
        }
        // The low bits of a signalling NaN's quieting are left open too; only quiet ones are made
        // here.
        _ => true,
    }
}

/// `|got - want|` is at most `error`, or both overflow, or `want` underflows to zero.
fn near(bits: u8, want: f64, got: f64, error: f64) -> bool {
    if want.is_nan() || got.is_nan() {
        return want.is_nan() && got.is_nan();
    }
    let most = 2f64.powi(1 - least_exponent(bits)) * (2.0 - 2f64.powi(-mantissa(bits)));
    if want == got || want.is_infinite() && (got - want.signum() * most).abs() <= error {
        return true;
    }
    if got.is_infinite() {
        return got.signum() == want.signum() && most - want.abs() <= error;
    }
    (got - want).abs() <= error
        || want.abs() < 2f64.powi(least_exponent(bits)) + error && got == 0.0
}

/// One component of a result against the folder's.
fn component(v: &Value<'_>, bound: Bound, want: u64, got: u64, c: usize) -> bool {
    if want == got {
        return true;
    }
    let bits = v.def_bits;
    if matches!(v.op, AluOp::PackHalf2x16 | AluOp::PackHalf2x16Split) {
        let nan = |h: u64| float_value(16, h).is_nan();
        return [0, 16].into_iter().all(|shift| {
            let (w, g) = (want >> shift & 0xffff, got >> shift & 0xffff);
            w == g || nan(w) && nan(g)
        });
    }
    if v.op.info().out.base != BaseType::Float {
        return false;
    }
    let (w, g) = (float_value(bits, want), float_value(bits, got));
    let x = |i: usize| float_value(v.src_bits[i], v.srcs[i][c.min(v.srcs[i].len() - 1)]);
    // Vulkan guarantees doubles only the precision of singles.
    let unit = |x: f64| match bits {
        64 => 2f64.powi(-23) * x.abs(),
        _ => ulp(bits, x),
    };
    match bound {
        Bound::Exact => w.is_nan() && g.is_nan(),
        Bound::ExactZero => w == g || w.is_nan() && g.is_nan(),
        Bound::Rounded => {
            // Neighbours have neighbouring bit patterns.
            w.is_nan() && g.is_nan() || want.abs_diff(got) <= 1
        }
        Bound::Ulp(n) => near(bits, w, g, n * unit(w)),
        Bound::UlpPlus(a, b) => near(bits, w, g, (a + b * x(0).abs()) * unit(w)),
        Bound::Abs(error, [lo, hi], n) => {
            let error = if (lo..=hi).contains(&x(0)) {
                error
            } else {
                n * unit(w)
            };
            near(bits, w, g, error)
        }
        Bound::Within(error, [lo, hi]) => !(lo..=hi).contains(&x(0)) || near(bits, w, g, error),
        Bound::Power => {
            let log = x(0).log2();
            let least = if bits == 16 {
                2f64.powi(-7)
            } else {
                2f64.powi(-21)
            };
            let log_error = if (0.5..=2.0).contains(&x(0)) {
                least
            } else {
                3.0 * unit(log)
            };
            let t = x(1) * log;
            let t_error = x(1).abs() * log_error + unit(t);
            let exp_error = (3.0 + 2.0 * t.abs()) * unit(w);
            near(bits, w, g, w.abs() * (t_error.exp2() - 1.0) + exp_error)
        }
        Bound::Modulo => {
            let (x, y) = (x(0), x(1));
            let q = x / y;
            let k = if v.op == AluOp::FMod {
                q.floor()
            } else {
                q.trunc()
            };
            let exact = fold::fma(-y, k, x).hi;
            let slack = 2.0 * ulp(bits, x.abs().max(y.abs()));
            // The quotient is off by 2.5 ULP: below 1 it may reach the neighbouring integer.
            let off = 2.5 * ulp(bits, q);
            let many = if off < 0.5 {
                0.0
            } else {
                y.abs() * (off + 1.0)
            };
            let touches = |n: f64| (n - q).abs() <= off;
            (g - exact).abs() <= slack + many
                || touches(k + 1.0) && (g - (exact - y)).abs() <= slack
                || touches(k) && (g - (exact + y)).abs() <= slack
                || touches(k) && (g - (exact - y)).abs() <= slack
        }
        Bound::Dot => {
            let sum: f64 = v.srcs[0]
                .iter()
                .zip(v.srcs[1])
                .map(|(a, b)| (float_value(bits, *a) * float_value(bits, *b)).abs())
                .sum();
            near(bits, w, g, 4.0 * ulp(bits, sum))
        }
    }
}

/// True if `got` is a result that the specification allows.
pub fn allowed(v: &Value<'_>, got: &[u64]) -> bool {
    let bound = bound(v.op, v.src_bits[0]);
    // Subnormals of 16 and 32 bits may be flushed.
    [0, 3, 1, 2].into_iter().any(|flush| {
        folded(v, flush)
            .iter()
            .zip(got)
            .enumerate()
            .all(|(c, (w, g))| component(v, bound, *w, *g, c))
    })
}
