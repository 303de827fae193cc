//! Bit fields of 64-bit integers, which the IR has no operations for.
//!
//! In:  values, offset and number of bits. Out: shifts and masks.
//! Ref: Vulkan specification, "maintenance9": bit-field instructions take integers of any width.

use crate::error::Result;
use crate::state::Translator;
use entity::Id;
use nir::{AluOp as A, Def};

impl Translator<'_> {
    /// A bit field of 64-bit values: raised to the top, and lowered to bit 0.
    pub fn extract_from_qword(
        &mut self,
        signed: bool,
        base: Id<Def>,
        [offset, count]: [Id<Def>; 2],
    ) -> Result<Id<Def>> {
        let all = self.emit.imm32(64);
        let above = self.emit.op2(A::ISub, all, count)?;
        let left = self.emit.op2(A::ISub, above, offset)?;
        let raised = self.emit.op2(A::IShl, base, left)?;
        let shift = if signed { A::IShr } else { A::UShr };
        let field = self.emit.op2(shift, raised, above)?;
        // No bits would have to be shifted by 64, which shifts by 0.
        let zero = self.emit.imm32(0);
        let none = self.emit.op2(A::IEq, count, zero)?;
        let nothing = self.emit.constant(64, &[0]);
        self.emit.op3(A::Bcsel, none, nothing, field)
    }

    /// 64-bit values with a bit field replaced by the low bits of others.
    pub fn insert_into_qword(
        &mut self,
        base: Id<Def>,
        insert: Id<Def>,
        [offset, count]: [Id<Def>; 2],
    ) -> Result<Id<Def>> {
        let ones = self.emit.constant(64, &[u64::MAX]);
        let zero = self.emit.imm32(0);
        let mask = self.extract_from_qword(false, ones, [zero, count])?;
        let mask = self.emit.op2(A::IShl, mask, offset)?;
        let raised = self.emit.op2(A::IShl, insert, offset)?;
        let field = self.emit.op2(A::IAnd, raised, mask)?;
        let rest = self.emit.op1(A::INot, mask)?;
        let rest = self.emit.op2(A::IAnd, base, rest)?;
        self.emit.op2(A::IOr, rest, field)
    }
}
