//! Integer functions that one instruction each does: zeros at either end, distances, averages, products of half a word.
//!
//! In:  words, or vectors of them. Out: the same, put together from what NIR has.
//! Ref: SPV_INTEL_shader_integer_functions2.

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Tr;
use entity::Id;
use nir::{AluOp as A, Def};
use spirv::Op;

impl Tr<'_> {
    /// The extension's instructions; `None` if `inst` is none of them.
    pub fn integer_function(&mut self, inst: &Inst) -> Result<Option<Id<Def>>> {
        match inst.op {
            Op::UCountLeadingZerosINTEL | Op::UCountTrailingZerosINTEL => {
                self.zeros(inst).map(Some)
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
                self.of_two(inst.op, a, b).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A number for each component of a value.
    fn like(&mut self, d: Id<Def>, bits: u8, value: u64) -> Id<Def> {
        let components = usize::from(self.e.shape(d).0);
        self.e.constant(bits, &vec![value; components])
    }

    fn zeros(&mut self, inst: &Inst) -> Result<Id<Def>> {
        let a = self.arg_def(inst, 0)?;
        let bits = self.e.shape(a).1;
        let count = if inst.op == Op::UCountLeadingZerosINTEL {
            self.e.op1(A::UClz, a)?
        } else {
            // Of zero it is -1, which is more than any.
            let lowest = self.e.op1(A::FindLsb, a)?;
            let all = self.like(a, 32, bits.into());
            self.e.op2(A::UMin, lowest, all)?
        };
        let to = self.shape_of(inst.ty)?.1;
        self.resize(count, to)
    }

    fn of_two(&mut self, op: Op, a: Id<Def>, b: Id<Def>) -> Result<Id<Def>> {
        match op {
            Op::IAddSatINTEL => self.e.op2(A::IAddSat, a, b),
            Op::UAddSatINTEL => self.e.op2(A::UAddSat, a, b),
            Op::ISubSatINTEL => self.e.op2(A::ISubSat, a, b),
            Op::USubSatINTEL => self.e.op2(A::USubSat, a, b),
            Op::AbsISubINTEL | Op::AbsUSubINTEL => {
                let (most, least) = match op {
                    Op::AbsISubINTEL => (A::IMax, A::IMin),
                    _ => (A::UMax, A::UMin),
                };
                let (most, least) = (self.e.op2(most, a, b)?, self.e.op2(least, a, b)?);
                self.e.op2(A::ISub, most, least)
            }
            Op::IMul32x16INTEL | Op::UMul32x16INTEL => {
                let extend = if op == Op::IMul32x16INTEL {
                    A::I2I
                } else {
                    A::U2U
                };
                let low = self.e.convert(A::U2U, b, 16)?;
                let low = self.e.convert(extend, low, 32)?;
                self.e.op2(A::IMul, a, low)
            }
            _ => self.average(op, a, b),
        }
    }

    /// Half of a sum that may not fit: what both have, and half of what one of them has; or what either has, less that half.
    fn average(&mut self, op: Op, a: Id<Def>, b: Id<Def>) -> Result<Id<Def>> {
        let shift = match op {
            Op::IAverageINTEL | Op::IAverageRoundedINTEL => A::IShr,
            _ => A::UShr,
        };
        let (differ, one) = (self.e.op2(A::IXor, a, b)?, self.like(a, 32, 1));
        let half = self.e.op2(shift, differ, one)?;
        match op {
            Op::IAverageINTEL | Op::UAverageINTEL => {
                let both = self.e.op2(A::IAnd, a, b)?;
                self.e.op2(A::IAdd, both, half)
            }
            _ => {
                let either = self.e.op2(A::IOr, a, b)?;
                self.e.op2(A::ISub, either, half)
            }
        }
    }
}
