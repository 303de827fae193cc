//! Dispatches each instruction to its family.
//!
//! In:  an instruction of a function, or of a specialization constant. Out: its translation by the
//!      family's file.

use crate::error::Result;
use crate::reader::Inst;
use crate::state::Translator;
use crate::value::Value;
use spirv::{Decoration, FPFastMathMode, Op};

impl Translator<'_> {
    /// Translates one instruction that is neither call nor terminator.
    pub fn translate_inst(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            Op::Phi
            | Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::LifetimeStart
            | Op::LifetimeStop
            | Op::AssumeTrueKHR => return Ok(()),
            _ => {}
        }
        if self.module.is_non_semantic(inst) {
            return Ok(());
        }
        let fast_math = self.fast_math(inst.id);
        self.emit.exact = !fast_math.contains(FPFastMathMode::ALLOW_TRANSFORM)
            || inst.id != 0
                && self
                    .module
                    .has_decoration(inst.id, Decoration::NoContraction);
        self.emit.preserve_nan_inf_sz = !fast_math.contains(FPFastMathMode::NSZ);
        if let Some(v) = self.pure_inst(inst)? {
            return self.set_result(inst, v);
        }
        if self.memory_inst(inst)?
            || self.image_inst(inst)?
            || self.sync_inst(inst)?
            || self.subgroup_inst(inst)?
            || self.stage_specific_inst(inst)?
        {
            return Ok(());
        }
        inst.loc.unsupported("this instruction")
    }

    /// Translates instructions that are pure functions of their operands; `None` if `inst` is not
    /// one.
    pub fn pure_inst(&mut self, inst: &Inst) -> Result<Option<Value>> {
        if let Some(v) = self.pointer_comparison_inst(inst)? {
            return Ok(Some(v));
        }
        if let Some(v) = self.address_inst(inst)? {
            return Ok(Some(v));
        }
        if let Some(d) = self.alu_inst(inst)? {
            return Ok(Some(Value::Def(d)));
        }
        if let Some(v) = self.composite_inst(inst)? {
            return Ok(Some(v));
        }
        if let Some(v) = self.matrix_inst(inst)? {
            return Ok(Some(v));
        }
        self.ext_inst(inst)
    }
}
