//! Integer functions of SPV_INTEL_shader_integer_functions2: counts of zeros, absolute differences,
//! saturating sums, averages, 32×16 products.
//!
//! In:  integer scalars or vectors. Out: the same, composed of NIR operations.
//! Ref: SPV_INTEL_shader_integer_functions2.

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use entity::Id;
use nir::{AluOp as A, Def};
use spirv::Op;

impl Translator<'_> {
    /// The extension's instructions; `None` if `inst` is not one.
    pub fn integer_function(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        match inst.op {
            Op::UCountLeadingZerosINTEL | Op::UCountTrailingZerosINTEL => {
                self.count_zeros(inst).map(Some)
            }
            Op::AbsISubINTEL
            | Op::AbsUSubINTEL
            | Op::IAddSatINTEL
            | Op::UAddSatINTEL
            | Op::ISubSatINTEL
            | Op::USubSatINTEL
            | Op::IAverageINTEL
            | Op::UAverageINTEL
            | Op::IAverageRoundedINTEL
            | Op::UAverageRoundedINTEL
            | Op::IMul32x16INTEL
            | Op::UMul32x16INTEL => {
                let (a, b) = (self.arg_def(inst, 0)?, self.arg_def(inst, 1)?);
                self.binary_integer_function(inst.op, a, b).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A constant with `value` in as many components as `d` has.
    fn splat_const(&mut self, d: Id<Def>, bits: u8, value: u64) -> Id<Def> {
        let components = usize::from(self.emit.shape(d).0);
        self.emit.constant(bits, &vec![value; components])
    }

    fn count_zeros(&mut self, inst: &Inst) -> Result<Id<Def>> {
        let a = self.arg_def(inst, 0)?;
        let bits = self.emit.shape(a).1;
        let count = if inst.op == Op::UCountLeadingZerosINTEL {
            self.emit.op1(A::UClz, a)?
        } else {
            // For zero, FindLsb gives -1, the unsigned maximum.
            let lowest = self.emit.op1(A::FindLsb, a)?;
            let all = self.splat_const(a, 32, bits.into());
            self.emit.op2(A::UMin, lowest, all)?
        };
        let to = self.shape_of(inst.ty)?.1;
        self.zext_or_trunc(count, to)
    }

    fn binary_integer_function(&mut self, op: Op, a: Id<Def>, b: Id<Def>) -> Result<Id<Def>> {
        match op {
            Op::IAddSatINTEL => self.emit.op2(A::IAddSat, a, b),
            Op::UAddSatINTEL => self.emit.op2(A::UAddSat, a, b),
            Op::ISubSatINTEL => self.emit.op2(A::ISubSat, a, b),
            Op::USubSatINTEL => self.emit.op2(A::USubSat, a, b),
            Op::AbsISubINTEL | Op::AbsUSubINTEL => {
                let (max, min) = match op {
                    Op::AbsISubINTEL => (A::IMax, A::IMin),
                    _ => (A::UMax, A::UMin),
                };
                let (max, min) = (self.emit.op2(max, a, b)?, self.emit.op2(min, a, b)?);
                self.emit.op2(A::ISub, max, min)
            }
            Op::IMul32x16INTEL | Op::UMul32x16INTEL => {
                let extend = if op == Op::IMul32x16INTEL {
                    A::I2I
                } else {
                    A::U2U
                };
                let low = self.emit.convert(A::U2U, b, 16)?;
                let low = self.emit.convert(extend, low, 32)?;
                self.emit.op2(A::IMul, a, low)
            }
            _ => self.average(op, a, b),
        }
    }

    /// The average without overflow: `(a & b) + ((a ^ b) >> 1)`, or rounded up `(a | b) - ((a ^ b)
    /// >> 1)`.
    fn average(&mut self, op: Op, a: Id<Def>, b: Id<Def>) -> Result<Id<Def>> {
        let shift = match op {
            Op::IAverageINTEL | Op::IAverageRoundedINTEL => A::IShr,
            _ => A::UShr,
        };
        let (differ, one) = (self.emit.op2(A::IXor, a, b)?, self.splat_const(a, 32, 1));
        let half = self.emit.op2(shift, differ, one)?;
        match op {
            Op::IAverageINTEL | Op::UAverageINTEL => {
                let both = self.emit.op2(A::IAnd, a, b)?;
                self.emit.op2(A::IAdd, both, half)
            }
            _ => {
                let either = self.emit.op2(A::IOr, a, b)?;
                self.emit.op2(A::ISub, either, half)
            }
        }
    }
}
