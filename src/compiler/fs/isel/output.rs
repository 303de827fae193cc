//! `store_output`: what is written stays in registers until the thread ends.
//!
//! In:  stores of a shader. Out: moves into the registers of [`super::payload::Outputs`].

use super::Isel;
use crate::builder::{Exec, Lanes};
use crate::error::FsError;
use entity::Id;
use isa::Type;
use nir::{Def, Intrinsic};

impl Isel<'_> {
    /// An offset in slots, which is a constant behind the NIR pipeline.
    pub(super) fn constant_slot(&self, i: &Intrinsic, offset: Id<Def>) -> Result<u32, FsError> {
        let offset = self.sh.const_component(offset, 0).map(|o| o as u32);
        offset.ok_or(FsError::Unsupported {
            op: i.op.info().name,
            what: "a slot that is known at run time alone is lowered before the backend",
        })
    }

    /// `store_output`.
    pub(super) fn store_output(&mut self, i: &Intrinsic) -> Result<(), FsError> {
        let d = self.sh.defs[i.srcs[0]];
        let slot = i.index("location") + self.constant_slot(i, i.srcs[1])?;
        let unsupported = || super::subgroup::unsupported(i);
        let outputs = self.thread.outputs().ok_or_else(unsupported)?;
        if d.bit_size != 32 {
            return Err(FsError::Unsupported {
                op: i.op.info().name,
                what: "outputs of 32 bits alone are made",
            });
        }
        let mut to = [None; 4];
        for c in (0..d.num_components.min(4)).filter(|c| i.index("write_mask") >> c & 1 == 1) {
            let component = i.index("component") as u8 + c;
            let index = i.index("index") as u8;
            let v = outputs.register(&mut self.b.lir, slot as u8, index, component);
            to[usize::from(c)] = Some(v.ok_or(FsError::Unsupported {
                op: i.op.info().name,
                what: "a slot has four components",
            })?);
        }
        for (c, v) in to.into_iter().enumerate() {
            if let Some(v) = v {
                let value = self.comp(i.srcs[0], c as u8, Type::Ud);
                let to = Lanes::new(v, 0, Type::Ud, 4);
                self.b.mov(Exec::Active, to, value);
            }
        }
        Ok(())
    }
}
