//! Float operations, one lane at a time.
//!
//! In:  operands as doubles (modifiers and denormal flushing done). Out: a double and the sign of what it misses.
//! F and HF results are exact or carry that sign, so the one rounding that follows is right in every mode; DF
//! results are the nearest double with that sign.
//! Ref: SKL PRM vol. 2a, instruction reference; vol. 7, "Floating Point Modes".

use crate::convert::{Val, add_exact, fma_exact, mul_exact};
use isa::{CondMod, Opcode, Type};

fn exact(v: (f64, i8)) -> Val {
    Val::F(v.0, v.1)
}

/// One lane of a float instruction, or nothing where the operation is not one of this family.
pub(crate) fn eval(op: Opcode, a: f64, b: f64, c: f64) -> Option<Val> {
    Some(match op {
        Opcode::Mov | Opcode::Movi | Opcode::Dim => Val::F(a, 0),
        Opcode::Add => exact(add_exact(a, b)),
        Opcode::Mul => exact(mul_exact(a, b)),
        Opcode::Mad | Opcode::Madm => exact(fma_exact(b, c, a)),
        Opcode::Lrp => {
            // src0·src1 + (1 − src0)·src2
            let (p, _) = mul_exact(a, b);
            exact(fma_exact(1.0 - a, c, p))
        }
        Opcode::Rndd => Val::F(a.floor(), 0),
        Opcode::Rndu => Val::F(a.ceil(), 0),
        Opcode::Rnde => Val::F(a.round_ties_even(), 0),
        Opcode::Rndz => Val::F(a.trunc(), 0),
        _ => return None,
    })
}

/// FRC: a − floor(a), of at most the largest number of its type below one: in no rounding mode is it one.
pub(crate) fn fraction(a: f64, to: Type) -> Val {
    let most = match to {
        Type::Hf => 1.0 - 2f64.powi(-11),
        Type::F => 1.0 - 2f64.powi(-24),
        _ => 1.0 - 2f64.powi(-53),
    };
    let f = a - a.floor();
    Val::F(if f > most { most } else { f }, 0)
}

/// SEL with a conditional modifier: a number wins over a NaN.
pub(crate) fn select(c: CondMod, a: f64, b: f64) -> bool {
    if b.is_nan() {
        return true;
    }
    crate::flags::compare(c, a, b)
}

/// Dot products of a group of four channels: DP2, DP3, DP4, DPH.
pub(crate) fn dot(op: Opcode, a: [f64; 4], b: [f64; 4]) -> Option<Val> {
    let n = match op {
        Opcode::Dp2 => 2,
        Opcode::Dp3 | Opcode::Dph => 3,
        Opcode::Dp4 => 4,
        _ => return None,
    };
    let mut acc = (0.0, 0);
    for i in 0..n {
        acc = fma_exact(a[i], b[i], acc.0);
    }
    if op == Opcode::Dph {
        acc = add_exact(acc.0, b[3]);
    }
    Some(exact(acc))
}

/// LINE and one step of PLN.
pub(crate) fn line(p: f64, u: f64, r: f64) -> Val {
    exact(fma_exact(p, u, r))
}

/// PLN: p·u + q·v + r.
pub(crate) fn plane(p: f64, u: f64, q: f64, v: f64, r: f64) -> Val {
    let (s, _) = fma_exact(q, v, r);
    exact(fma_exact(p, u, s))
}

/// As [`select`], on F values.
#[inline(always)]
pub(crate) fn select_f32(c: CondMod, a: f32, b: f32) -> bool {
    b.is_nan() || crate::flags::compare(c, a, b)
}
