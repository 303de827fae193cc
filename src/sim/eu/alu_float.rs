//! Float operations, one lane at a time.
//!
//! In:  operands as doubles (modifiers and denormal flushing done). Out: the nearest double and the
//!      sign of the remaining error. With that sign, the single rounding that follows is correct in
//!      every mode, for F and HF as for DF.
//! Ref: SKL PRM vol. 2a, instruction reference; vol. 7, "Floating Point Modes".

use crate::convert::{Value, add_exact, fma_exact, mul_exact};
use isa::{CondMod, Opcode, Type};

fn value_with_error(v: (f64, i8)) -> Value {
    Value::Float(v.0, v.1)
}

/// Evaluates one lane of a float instruction; None if the opcode is not a float operation.
pub(crate) fn eval(op: Opcode, a: f64, b: f64, c: f64) -> Option<Value> {
    Some(match op {
        Opcode::Mov | Opcode::Movi | Opcode::Dim => Value::Float(a, 0),
        Opcode::Add => value_with_error(add_exact(a, b)),
        Opcode::Mul => value_with_error(mul_exact(a, b)),
        Opcode::Mad | Opcode::Madm => value_with_error(fma_exact(b, c, a)),
        Opcode::Lrp => {
            // src0·src1 + (1 − src0)·src2
            let (p, _) = mul_exact(a, b);
            value_with_error(fma_exact(1.0 - a, c, p))
        }
        Opcode::Rndd => Value::Float(a.floor(), 0),
        Opcode::Rndu => Value::Float(a.ceil(), 0),
        Opcode::Rnde => Value::Float(a.round_ties_even(), 0),
        Opcode::Rndz => Value::Float(a.trunc(), 0),
        _ => return None,
    })
}

/// FRC: a − floor(a), limited to the largest number of the destination type below one, so that no
/// rounding mode gives one.
pub(crate) fn fraction(a: f64, to: Type) -> Value {
    let max = match to {
        Type::Hf => 1.0 - 2f64.powi(-11),
        Type::F => 1.0 - 2f64.powi(-24),
        _ => 1.0 - 2f64.powi(-53),
    };
    let f = a - a.floor();
    Value::Float(if f > max { max } else { f }, 0)
}

/// SEL with a conditional modifier: true if `a` is selected. A number is preferred to a NaN.
pub(crate) fn select(c: CondMod, a: f64, b: f64) -> bool {
    if b.is_nan() {
        return true;
    }
    crate::flags::compare(c, a, b)
}

/// The dot product of a group of four channels: DP2, DP3, DP4, DPH.
pub(crate) fn dot(op: Opcode, a: [f64; 4], b: [f64; 4]) -> Option<Value> {
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
    Some(value_with_error(acc))
}

/// LINE: p·u + r.
pub(crate) fn line(p: f64, u: f64, r: f64) -> Value {
    value_with_error(fma_exact(p, u, r))
}

/// PLN: p·u + q·v + r.
pub(crate) fn plane(p: f64, u: f64, q: f64, v: f64, r: f64) -> Value {
    let (s, _) = fma_exact(q, v, r);
    value_with_error(fma_exact(p, u, s))
}

/// [`select`] for F values.
#[inline(always)]
pub(crate) fn select_f32(c: CondMod, a: f32, b: f32) -> bool {
    b.is_nan() || crate::flags::compare(c, a, b)
}
