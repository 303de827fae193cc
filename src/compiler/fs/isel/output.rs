//! Outputs of a stage: registers that gather what `store_output` writes until the thread ends.

use super::Isel;
use super::thread::{Thread, intrinsics};
use crate::builder::{Exec, Lanes};
use crate::error::FsError;
use crate::lir::{Lir, VgrfId};
use entity::Id;
use isa::Type;
use nir::{CfEvent, Def, Intrinsic, IntrinsicOp, Shader};

/// One slot.
struct Output {
    slot: u8,
    /// Source of dual-source blending.
    index: u8,
    components: [Option<VgrfId>; 4],
}

/// What a stage writes.
#[derive(Default)]
pub(super) struct Outputs {
    slots: Vec<Output>,
    written: u128,
}

impl Outputs {
    pub(super) fn new(sh: &Shader, layout: &[CfEvent]) -> Outputs {
        let mut written = 0;
        for i in intrinsics(sh, layout).filter(|i| i.op == IntrinsicOp::StoreOutput) {
            let first = i.index("location");
            for slot in first..first + i.index("num_slots").max(1) {
                written |= 1u128.checked_shl(slot).unwrap_or(0);
            }
        }
        Outputs {
            slots: Vec::new(),
            written,
        }
    }

    /// The slots that are written, a bit each.
    pub(super) fn written(&self) -> u128 {
        self.written
    }

    /// A component that was written.
    pub(super) fn component(&self, slot: u8, index: u8, c: u8) -> Option<Lanes> {
        let output = self
            .slots
            .iter()
            .find(|o| (o.slot, o.index) == (slot, index))?;
        let v = output.components.get(usize::from(c)).copied().flatten()?;
        Some(Lanes::new(v, 0, Type::Ud, 4))
    }

    /// The register of a component.
    fn register(&mut self, lir: &mut Lir, slot: u8, index: u8, c: u8) -> Option<VgrfId> {
        let known = self
            .slots
            .iter()
            .position(|o| (o.slot, o.index) == (slot, index));
        let at = known.unwrap_or_else(|| {
            self.slots.push(Output {
                slot,
                index,
                components: [None; 4],
            });
            self.slots.len() - 1
        });
        let bytes = u32::from(lir.width) * 4;
        let component = self.slots[at].components.get_mut(usize::from(c))?;
        Some(*component.get_or_insert_with(|| lir.vgrf(bytes)))
    }
}

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
        let outputs = match &mut self.thread {
            Thread::Vertex(thread) => thread.outputs(),
            Thread::Fragment(thread) => thread.outputs(),
            Thread::Compute(_) => return Err(super::subgroup::unsupported(i)),
        };
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
