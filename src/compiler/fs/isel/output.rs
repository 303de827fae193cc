//! `store_output`: output values stay in registers until the thread ends or emits a vertex.
//!
//! In:  `store_output`.
//! Out: MOVs into the registers of [`super::payload::Outputs`]. If the vertex is emitted in the
//! same block, or if the store is the component's only one and every lane executes it, the stored
//! value itself is the output, without a MOV.

use super::context::Isel;
use super::unsupported::{unsupported, unsupported_intrinsic};
use crate::error::FsError;
use crate::lir::builder::Exec;
use entity::Id;
use isa::Type;
use nir::{Def, Instr, Intrinsic};

impl Isel<'_> {
    /// An offset in slots, which the NIR pipeline has made constant.
    pub(super) fn constant_slot(&self, i: &Intrinsic, offset: Id<Def>) -> Result<u32, FsError> {
        let offset = self.sh.const_component(offset, 0).map(|o| o as u32);
        offset.ok_or(unsupported_intrinsic(
            i,
            "the NIR pipeline should have lowered a dynamic slot",
        ))
    }

    /// True for an undefined component.
    fn is_undef(&self, def: Id<Def>, c: u8) -> bool {
        match self.sh.instr_of(def) {
            Instr::Undef { .. } => true,
            Instr::Alu(alu) if alu.op.is_vec() => {
                let src = alu.srcs.get(usize::from(c));
                src.is_some_and(|s| matches!(self.sh.instr_of(s.def), Instr::Undef { .. }))
            }
            _ => false,
        }
    }

    /// Selects `store_output`.
    pub(super) fn select_store_output(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let d = self.sh.defs[i.srcs[0]];
        let slot = i.index("location") + self.constant_slot(i, i.srcs[1])?;
        let unsupported = || unsupported(i);
        if d.bit_size != 32 {
            return Err(unsupported_intrinsic(
                i,
                "only 32-bit outputs are supported",
            ));
        }
        let emits_vertex = self.block_emits_vertex;
        let is_unconditional = self.shared.is_outermost();
        for c in (0..d.num_components.min(4)).filter(|c| i.index("write_mask") >> c & 1 == 1) {
            if self.is_undef(i.srcs[0], c) {
                continue;
            }
            let component = i.index("component") as u8 + c;
            let index = i.index("index") as u8;
            let value = self.comp(i.srcs[0], c, Type::Ud);
            let outputs = self.thread.outputs().ok_or_else(unsupported)?;
            let no_component = unsupported_intrinsic(i, "a slot has only four components");
            // Not in geometry shaders: a vertex emitted in another block may be emitted repeatedly,
            // and needs the value in a register of its own until then.
            let is_only_store = is_unconditional
                && self.sh.stage != nir::Stage::Geometry
                && outputs.is_stored_once(slot as u8, index, component);
            if emits_vertex || is_only_store {
                *outputs
                    .component_mut(slot as u8, index, component)
                    .ok_or(no_component)? = Some(value);
            } else {
                let to = outputs.component_register(&mut self.b.lir, slot as u8, index, component);
                self.b.mov(Exec::Active, to.ok_or(no_component)?, value);
            }
        }
        Ok(())
    }
}
