//! Trigonometric and hyperbolic functions that the hardware does not have.
//!
//! All are computed with 32 bits, also for 16-bit operands. Required precision (Vulkan spec,
//! "Precision and Operation of SPIR-V Instructions"): atan and atan2 within 4096 ULP, asin and acos
//! inherited from atan2, the hyperbolic functions inherited from exp and log. The polynomials: asin
//! by a Taylor-like fit on [0, 0.5], about 2 ULP; atan by a minimax fit of degree 11 on [0, 1],
//! relative error below 2.5e-5 (about 200 ULP).

use crate::error::Result;
use crate::state::Translator;
use entity::Id;
use nir::{AluOp as A, Def};
use spirv::GlslStd450Op as G;
use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

/// asin(x) = x + x·z·P(z), z = x², for |x| ≤ 0.5; highest power first.
const ASIN: [f64; 5] = [
    4.216_319_9e-2,
    2.418_131_1e-2,
    4.547_002_6e-2,
    7.495_300_3e-2,
    1.666_675_2e-1,
];
/// atan(x) = x·P(x²), for |x| ≤ 1; highest power first.
const ATAN: [f64; 6] = [
    -0.011_721_20,
    0.052_653_32,
    -0.116_432_87,
    0.193_543_46,
    -0.332_623_47,
    0.999_977_26,
];

impl Translator<'_> {
    /// `op` of `x`, which has 16 or 32 bits.
    pub fn trigonometric(&mut self, op: G, x: Id<Def>) -> Result<Id<Def>> {
        let bits = self.float_bits(x)?;
        let x = self.widen(x)?;
        let d = match op {
            G::Tan => {
                let (s, c) = (self.emit.op1(A::FSin, x)?, self.emit.op1(A::FCos, x)?);
                self.emit.op2(A::FDiv, s, c)?
            }
            G::Asin => self.asin(x)?,
            G::Acos => self.acos(x)?,
            G::Atan => {
                let one = self.imm_f32(1.0);
                let a = self.emit.op1(A::FAbs, x)?;
                let inverse = self.emit.op2(A::FLt, one, a)?;
                let r = self.emit.op2(A::FDiv, one, a)?;
                let t = self.emit.op3(A::Bcsel, inverse, r, a)?;
                let p = self.atan_unit(t)?;
                let half_pi = self.imm_f32(FRAC_PI_2);
                let q = self.emit.op2(A::FSub, half_pi, p)?;
                let r = self.emit.op3(A::Bcsel, inverse, q, p)?;
                self.copysign(r, x)?
            }
            G::Sinh | G::Cosh => {
                let (p, n) = self.exponentials(x)?;
                let op = if op == G::Sinh { A::FSub } else { A::FAdd };
                let d = self.emit.op2(op, p, n)?;
                let half = self.imm_f32(0.5);
                self.emit.op2(A::FMul, d, half)?
            }
            G::Tanh => {
                // Beyond ±10 the result is ±1, and the exponentials would overflow.
                let (lo, hi) = (self.imm_f32(-10.0), self.imm_f32(10.0));
                let c = self.emit.op2(A::FMax, x, lo)?;
                let c = self.emit.op2(A::FMin, c, hi)?;
                let (p, n) = self.exponentials(c)?;
                let (d, s) = (self.emit.op2(A::FSub, p, n)?, self.emit.op2(A::FAdd, p, n)?);
                let r = self.emit.op2(A::FDiv, d, s)?;
                match self.emit.preserves_nan(bits) {
                    // The minimum and the maximum of a NaN and a number are the number.
                    true => {
                        let is_nan = self.emit.op2(A::FNeu, x, x)?;
                        self.emit.op3(A::Bcsel, is_nan, x, r)?
                    }
                    false => r,
                }
            }
            G::Asinh => {
                let a = self.emit.op1(A::FAbs, x)?;
                let one = self.imm_f32(1.0);
                let s = self.emit.op3(A::FFma, a, a, one)?;
                let s = self.emit.op1(A::FSqrt, s)?;
                let s = self.emit.op2(A::FAdd, a, s)?;
                let l = self.ln(s)?;
                self.copysign(l, x)?
            }
            G::Acosh => {
                let one = self.imm_f32(-1.0);
                let s = self.emit.op3(A::FFma, x, x, one)?;
                let s = self.emit.op1(A::FSqrt, s)?;
                let s = self.emit.op2(A::FAdd, x, s)?;
                self.ln(s)?
            }
            _ => {
                let one = self.imm_f32(1.0);
                let (n, d) = (
                    self.emit.op2(A::FAdd, one, x)?,
                    self.emit.op2(A::FSub, one, x)?,
                );
                let q = self.emit.op2(A::FDiv, n, d)?;
                let l = self.ln(q)?;
                let half = self.imm_f32(0.5);
                self.emit.op2(A::FMul, l, half)?
            }
        };
        self.narrow(d, bits)
    }

    /// The angle of the vector (x, y).
    pub fn atan2(&mut self, y: Id<Def>, x: Id<Def>) -> Result<Id<Def>> {
        let bits = self.float_bits(y)?;
        let (y, x) = (self.widen(y)?, self.widen(x)?);
        let (ay, ax) = (self.emit.op1(A::FAbs, y)?, self.emit.op1(A::FAbs, x)?);
        let steep = self.emit.op2(A::FLt, ax, ay)?;
        let big = self.emit.op3(A::Bcsel, steep, ay, ax)?;
        let small = self.emit.op3(A::Bcsel, steep, ax, ay)?;
        // Division by more than 2^126 need not be precise: scale such operands down.
        let limit = self.imm_f32(2f64.powi(100));
        let huge = self.emit.op2(A::FGe, big, limit)?;
        let (down, one) = (self.imm_f32(2f64.powi(-32)), self.imm_f32(1.0));
        let scale = self.emit.op3(A::Bcsel, huge, down, one)?;
        let (bs, ss) = (
            self.emit.op2(A::FMul, big, scale)?,
            self.emit.op2(A::FMul, small, scale)?,
        );
        let q = self.emit.op2(A::FDiv, ss, bs)?;
        // Equal magnitudes (two infinities among them) have quotient 1, two zeros 0.
        let equal = self.emit.op2(A::FEq, ax, ay)?;
        let zero = self.imm_f32(0.0);
        let is_zero = self.emit.op2(A::FEq, big, zero)?;
        let t = self.emit.op3(A::Bcsel, equal, one, q)?;
        let t = self.emit.op3(A::Bcsel, is_zero, zero, t)?;
        let p = self.atan_unit(t)?;
        let half_pi = self.imm_f32(FRAC_PI_2);
        let other = self.emit.op2(A::FSub, half_pi, p)?;
        let r = self.emit.op3(A::Bcsel, steep, other, p)?;
        let none = self.emit.imm32(0);
        let left = self.emit.op2(A::ILt, x, none)?;
        let pi = self.imm_f32(PI);
        let mirrored = self.emit.op2(A::FSub, pi, r)?;
        let r = self.emit.op3(A::Bcsel, left, mirrored, r)?;
        let r = self.copysign(r, y)?;
        self.narrow(r, bits)
    }

    fn imm_f32(&mut self, v: f64) -> Id<Def> {
        self.emit.imm_float(32, v)
    }

    fn float_bits(&self, x: Id<Def>) -> Result<u8> {
        match self.emit.shape(x).1 {
            b @ (16 | 32) => Ok(b),
            b => self
                .loc()
                .expected("a float of 16 or 32 bits", format!("{b} bits")),
        }
    }

    fn widen(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        match self.emit.shape(x).1 {
            16 => self.emit.convert(A::F2F, x, 32),
            _ => Ok(x),
        }
    }

    fn narrow(&mut self, x: Id<Def>, bits: u8) -> Result<Id<Def>> {
        match bits {
            32 => Ok(x),
            b => self.emit.convert(A::F2F, x, b),
        }
    }

    fn ln(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        let l = self.emit.op1(A::FLog2, x)?;
        let k = self.imm_f32(LN_2);
        self.emit.op2(A::FMul, l, k)
    }

    /// e^x and e^-x.
    fn exponentials(&mut self, x: Id<Def>) -> Result<(Id<Def>, Id<Def>)> {
        let k = self.imm_f32(LOG2_E);
        let x = self.emit.op2(A::FMul, x, k)?;
        let minus = self.emit.op1(A::FNeg, x)?;
        Ok((self.emit.op1(A::FExp2, x)?, self.emit.op1(A::FExp2, minus)?))
    }

    fn polynomial(&mut self, x: Id<Def>, coefficients: &[f64]) -> Result<Id<Def>> {
        let mut acc: Option<Id<Def>> = None;
        for &c in coefficients {
            let c = self.imm_f32(c);
            acc = Some(match acc {
                Some(a) => self.emit.op3(A::FFma, a, x, c)?,
                None => c,
            });
        }
        match acc {
            Some(a) => Ok(a),
            None => Ok(self.imm_f32(0.0)),
        }
    }

    /// atan for 0 ≤ t ≤ 1.
    fn atan_unit(&mut self, t: Id<Def>) -> Result<Id<Def>> {
        let z = self.emit.op2(A::FMul, t, t)?;
        let p = self.polynomial(z, &ATAN)?;
        self.emit.op2(A::FMul, t, p)
    }

    /// For `a = |x|`: (`a > 0.5`, asin of `a`, or of sqrt((1 − a) / 2) if `a > 0.5`).
    fn asin_half(&mut self, x: Id<Def>) -> Result<(Id<Def>, Id<Def>)> {
        let a = self.emit.op1(A::FAbs, x)?;
        let (half, minus, one) = (self.imm_f32(0.5), self.imm_f32(-0.5), self.imm_f32(1.0));
        let big = self.emit.op2(A::FLt, half, a)?;
        let aa = self.emit.op2(A::FMul, a, a)?;
        // (1 − a) is exact for a ≥ 0.5.
        let rest = self.emit.op2(A::FSub, a, one)?;
        let rest = self.emit.op2(A::FMul, rest, minus)?;
        let z = self.emit.op3(A::Bcsel, big, rest, aa)?;
        let root = self.emit.op1(A::FSqrt, z)?;
        let s = self.emit.op3(A::Bcsel, big, root, a)?;
        let p = self.polynomial(z, &ASIN)?;
        let p = self.emit.op2(A::FMul, p, z)?;
        Ok((big, self.emit.op3(A::FFma, p, s, s)?))
    }

    fn asin(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        let (big, p) = self.asin_half(x)?;
        let (two, half_pi) = (self.imm_f32(-2.0), self.imm_f32(FRAC_PI_2));
        let q = self.emit.op3(A::FFma, p, two, half_pi)?;
        let r = self.emit.op3(A::Bcsel, big, q, p)?;
        self.copysign(r, x)
    }

    fn acos(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        let (big, p) = self.asin_half(x)?;
        let (half_pi, pi, zero, two) = (
            self.imm_f32(FRAC_PI_2),
            self.imm_f32(PI),
            self.imm_f32(0.0),
            self.imm_f32(2.0),
        );
        let twice = self.emit.op2(A::FMul, p, two)?;
        let negative = self.emit.op2(A::FLt, x, zero)?;
        let other = self.emit.op2(A::FSub, pi, twice)?;
        let outer = self.emit.op3(A::Bcsel, negative, other, twice)?;
        let signed = self.copysign(p, x)?;
        let inner = self.emit.op2(A::FSub, half_pi, signed)?;
        self.emit.op3(A::Bcsel, big, outer, inner)
    }
}
