//! Dot products of integers, with and without a saturating accumulator.
//!
//! In:  vectors, or dwords of four packed bytes. Out: products and sums with the bits of the
//!      result.
//! Ref: SPV_KHR_integer_dot_product.

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use entity::Id;
use nir::{AluOp as A, Def};
use spirv::{Op, PackedVectorFormat};

impl Translator<'_> {
    /// Integer dot products; `None` if `inst` is not one.
    pub fn integer_dot(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        let (signed, accumulates) = match inst.op {
            Op::SDot => ([true, true], false),
            Op::UDot => ([false, false], false),
            Op::SUDot => ([true, false], false),
            Op::SDotAccSat => ([true, true], true),
            Op::UDotAccSat => ([false, false], true),
            Op::SUDotAccSat => ([true, false], true),
            _ => return Ok(None),
        };
        let (_, bits) = self.shape_of(inst.ty)?;
        let mut factors = [self.arg_def(inst, 0)?, self.arg_def(inst, 1)?];
        if factors.map(|d| self.emit.shape(d)) == [(1, 32); 2] {
            let format = inst.arg(if accumulates { 3 } else { 2 })?;
            if format != PackedVectorFormat::PackedVectorFormat4x8Bit as u32 {
                return inst
                    .loc
                    .unsupported(format!("packed vectors of kind {format}"));
            }
            for d in &mut factors {
                *d = self.bitcast(*d, 4, 8)?;
            }
        }
        let [a, b] = factors.map(|d| self.emit.shape(d));
        if a != b || a.1 > bits {
            return inst.loc.expected(
                "two vectors alike, no wider than the result",
                format!("{a:?} and {b:?}"),
            );
        }
        for (d, signed) in factors.iter_mut().zip(signed) {
            let op = if signed { A::I2I } else { A::U2U };
            if a.1 != bits {
                *d = self.emit.convert(op, *d, bits)?;
            }
        }
        let products = self.emit.op2(A::IMul, factors[0], factors[1])?;
        let sum = self.emit.reduce_channels(A::IAdd, products)?;
        if !accumulates {
            return Ok(Some(sum));
        }
        let accumulator = self.arg_def(inst, 2)?;
        let op = if signed[0] { A::IAddSat } else { A::UAddSat };
        Ok(Some(self.emit.op2(op, sum, accumulator)?))
    }
}
