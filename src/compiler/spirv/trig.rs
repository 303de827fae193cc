//! Trigonometric and hyperbolic functions that the hardware does not have.
//!
//! Computed with 32 bits, also for 16-bit operands. Precision (Vulkan spec, "Precision and Operation of SPIR-V
//! Instructions"): atan and atan2 within 4096 ULP, asin and acos as they follow from atan2, the hyperbolic
//! functions as they follow from exp and log. The polynomials: asin by its Taylor-like fit on [0, 0.5], about
//! 2 ULP; atan by a minimax fit of degree 11 on [0, 1], relative error below 2.5e-5 (about 200 ULP).

use crate::error::Result;
use crate::state::Tr;
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

impl Tr<'_> {
    /// `op` of `x`, which has 16 or 32 bits.
    pub fn trigonometric(&mut self, op: G, x: Id<Def>) -> Result<Id<Def>> {
        let bits = self.wide_enough(x)?;
        let x = self.widen(x)?;
        let d = match op {
            G::Tan => {
                let (s, c) = (self.e.op1(A::FSin, x)?, self.e.op1(A::FCos, x)?);
                self.e.op2(A::FDiv, s, c)?
            }
            G::Asin => self.asin(x)?,
            G::Acos => self.acos(x)?,
            G::Atan => {
                let one = self.f(1.0);
                let a = self.e.op1(A::FAbs, x)?;
                let inverse = self.e.op2(A::FLt, one, a)?;
                let r = self.e.op2(A::FDiv, one, a)?;
                let t = self.e.op3(A::Bcsel, inverse, r, a)?;
                let p = self.atan_unit(t)?;
                let half_pi = self.f(FRAC_PI_2);
                let q = self.e.op2(A::FSub, half_pi, p)?;
                let r = self.e.op3(A::Bcsel, inverse, q, p)?;
                self.copysign(r, x)?
            }
            G::Sinh | G::Cosh => {
                let (p, n) = self.exponentials(x)?;
                let op = if op == G::Sinh { A::FSub } else { A::FAdd };
                let d = self.e.op2(op, p, n)?;
                let half = self.f(0.5);
                self.e.op2(A::FMul, d, half)?
            }
            G::Tanh => {
                // Beyond ±10 the result is ±1, and the exponentials would overflow.
                let (lo, hi) = (self.f(-10.0), self.f(10.0));
                let c = self.e.op2(A::FMax, x, lo)?;
                let c = self.e.op2(A::FMin, c, hi)?;
                let (p, n) = self.exponentials(c)?;
                let (d, s) = (self.e.op2(A::FSub, p, n)?, self.e.op2(A::FAdd, p, n)?);
                self.e.op2(A::FDiv, d, s)?
            }
            G::Asinh => {
                let a = self.e.op1(A::FAbs, x)?;
                let one = self.f(1.0);
                let s = self.e.op3(A::FFma, a, a, one)?;
                let s = self.e.op1(A::FSqrt, s)?;
                let s = self.e.op2(A::FAdd, a, s)?;
                let l = self.ln(s)?;
                self.copysign(l, x)?
            }
            G::Acosh => {
                let one = self.f(-1.0);
                let s = self.e.op3(A::FFma, x, x, one)?;
                let s = self.e.op1(A::FSqrt, s)?;
                let s = self.e.op2(A::FAdd, x, s)?;
                self.ln(s)?
            }
            _ => {
                let one = self.f(1.0);
                let (n, d) = (self.e.op2(A::FAdd, one, x)?, self.e.op2(A::FSub, one, x)?);
                let q = self.e.op2(A::FDiv, n, d)?;
                let l = self.ln(q)?;
                let half = self.f(0.5);
                self.e.op2(A::FMul, l, half)?
            }
        };
        self.narrow(d, bits)
    }

    /// The angle of the vector (x, y).
    pub fn atan2(&mut self, y: Id<Def>, x: Id<Def>) -> Result<Id<Def>> {
        let bits = self.wide_enough(y)?;
        let (y, x) = (self.widen(y)?, self.widen(x)?);
        let (ay, ax) = (self.e.op1(A::FAbs, y)?, self.e.op1(A::FAbs, x)?);
        let steep = self.e.op2(A::FLt, ax, ay)?;
        let big = self.e.op3(A::Bcsel, steep, ay, ax)?;
        let small = self.e.op3(A::Bcsel, steep, ax, ay)?;
        // Divisors beyond 2^126 need not work.
        let limit = self.f(2f64.powi(100));
        let huge = self.e.op2(A::FGe, big, limit)?;
        let (down, one) = (self.f(2f64.powi(-32)), self.f(1.0));
        let scale = self.e.op3(A::Bcsel, huge, down, one)?;
        let (bs, ss) = (
            self.e.op2(A::FMul, big, scale)?,
            self.e.op2(A::FMul, small, scale)?,
        );
        let q = self.e.op2(A::FDiv, ss, bs)?;
        // Equal magnitudes (two infinities among them) have quotient 1, two zeros 0.
        let equal = self.e.op2(A::FEq, ax, ay)?;
        let zero = self.f(0.0);
        let is_zero = self.e.op2(A::FEq, big, zero)?;
        let t = self.e.op3(A::Bcsel, equal, one, q)?;
        let t = self.e.op3(A::Bcsel, is_zero, zero, t)?;
        let p = self.atan_unit(t)?;
        let half_pi = self.f(FRAC_PI_2);
        let other = self.e.op2(A::FSub, half_pi, p)?;
        let r = self.e.op3(A::Bcsel, steep, other, p)?;
        let none = self.e.imm32(0);
        let left = self.e.op2(A::ILt, x, none)?;
        let pi = self.f(PI);
        let mirrored = self.e.op2(A::FSub, pi, r)?;
        let r = self.e.op3(A::Bcsel, left, mirrored, r)?;
        let r = self.copysign(r, y)?;
        self.narrow(r, bits)
    }

    fn f(&mut self, v: f64) -> Id<Def> {
        self.e.fimm(32, v)
    }

    fn wide_enough(&self, x: Id<Def>) -> Result<u8> {
        match self.e.shape(x).1 {
            b @ (16 | 32) => Ok(b),
            b => self
                .loc()
                .expected("a float of 16 or 32 bits", format!("{b} bits")),
        }
    }

    fn widen(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        match self.e.shape(x).1 {
            16 => self.e.convert(A::F2F, x, 32),
            _ => Ok(x),
        }
    }

    fn narrow(&mut self, x: Id<Def>, bits: u8) -> Result<Id<Def>> {
        match bits {
            32 => Ok(x),
            b => self.e.convert(A::F2F, x, b),
        }
    }

    fn ln(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        let l = self.e.op1(A::FLog2, x)?;
        let k = self.f(LN_2);
        self.e.op2(A::FMul, l, k)
    }

    /// e^x and e^-x.
    fn exponentials(&mut self, x: Id<Def>) -> Result<(Id<Def>, Id<Def>)> {
        let k = self.f(LOG2_E);
        let x = self.e.op2(A::FMul, x, k)?;
        let minus = self.e.op1(A::FNeg, x)?;
        Ok((self.e.op1(A::FExp2, x)?, self.e.op1(A::FExp2, minus)?))
    }

    fn polynomial(&mut self, x: Id<Def>, coefficients: &[f64]) -> Result<Id<Def>> {
        let mut acc: Option<Id<Def>> = None;
        for &c in coefficients {
            let c = self.f(c);
            acc = Some(match acc {
                Some(a) => self.e.op3(A::FFma, a, x, c)?,
                None => c,
            });
        }
        match acc {
            Some(a) => Ok(a),
            None => Ok(self.f(0.0)),
        }
    }

    /// atan for 0 ≤ t ≤ 1.
    fn atan_unit(&mut self, t: Id<Def>) -> Result<Id<Def>> {
        let z = self.e.op2(A::FMul, t, t)?;
        let p = self.polynomial(z, &ATAN)?;
        self.e.op2(A::FMul, t, p)
    }

    /// For `a = |x|`: whether it is above 0.5, and asin of `a`, or of sqrt((1 − a) / 2) if it is.
    fn asin_half(&mut self, x: Id<Def>) -> Result<(Id<Def>, Id<Def>)> {
        let a = self.e.op1(A::FAbs, x)?;
        let (half, minus, one) = (self.f(0.5), self.f(-0.5), self.f(1.0));
        let big = self.e.op2(A::FLt, half, a)?;
        let aa = self.e.op2(A::FMul, a, a)?;
        // (1 − a) is exact for a ≥ 0.5.
        let rest = self.e.op2(A::FSub, a, one)?;
        let rest = self.e.op2(A::FMul, rest, minus)?;
        let z = self.e.op3(A::Bcsel, big, rest, aa)?;
        let root = self.e.op1(A::FSqrt, z)?;
        let s = self.e.op3(A::Bcsel, big, root, a)?;
        let p = self.polynomial(z, &ASIN)?;
        let p = self.e.op2(A::FMul, p, z)?;
        Ok((big, self.e.op3(A::FFma, p, s, s)?))
    }

    fn asin(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        let (big, p) = self.asin_half(x)?;
        let (two, half_pi) = (self.f(-2.0), self.f(FRAC_PI_2));
        let q = self.e.op3(A::FFma, p, two, half_pi)?;
        let r = self.e.op3(A::Bcsel, big, q, p)?;
        self.copysign(r, x)
    }

    fn acos(&mut self, x: Id<Def>) -> Result<Id<Def>> {
        let (big, p) = self.asin_half(x)?;
        let (half_pi, pi, zero, two) = (self.f(FRAC_PI_2), self.f(PI), self.f(0.0), self.f(2.0));
        let twice = self.e.op2(A::FMul, p, two)?;
        let negative = self.e.op2(A::FLt, x, zero)?;
        let other = self.e.op2(A::FSub, pi, twice)?;
        let outer = self.e.op3(A::Bcsel, negative, other, twice)?;
        let signed = self.copysign(p, x)?;
        let inner = self.e.op2(A::FSub, half_pi, signed)?;
        self.e.op3(A::Bcsel, big, outer, inner)
    }
}
