//! The layout of the thread payload.
//!
//! In:  the parts of the payload that selected code reads. Out: their GRFs, and the [`StageInfo`].
//! Ref: SKL PRM vol. 7, "Thread Payload" of each stage.

use super::context::Isel;
use super::payload::{PayloadLayout, Thread};
use super::unsupported::wrong_stage;
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes};
use crate::lir::{FIRST_EOT_GRF, GRF_BYTES, MAX_PAYLOAD_GRFS, Vgrf, VgrfId};
use abi::StageInfo;
use isa::Type;

impl Isel<'_> {
    /// The number of the thread in its workgroup; requests it in the payload.
    pub(super) fn thread_index(&mut self) -> Result<Lanes, FsError> {
        match &mut self.thread {
            Thread::Compute(thread) => {
                thread.info.per_thread_push = true;
                Ok(Lanes::new(thread.index, 0, Type::Ud, 0))
            }
            _ => Err(wrong_stage("load_subgroup_id")),
        }
    }

    /// Records that the shader has a workgroup barrier.
    pub(super) fn record_barrier(&mut self) {
        if let Thread::Compute(thread) = &mut self.thread {
            thread.info.uses_barrier = true;
        }
    }

    /// Assigns GRFs to the payload: what the fixed function sends, push data, other pushed inputs.
    /// Returns the first GRF of push data and the description of the stage.
    pub(super) fn lay_out_payload(&mut self) -> Result<(u8, StageInfo), FsError> {
        let block_regs = self.push.registers() as u16;
        let push_regs = self.push.all_registers() as u16;
        if u32::from(push_regs) > abi::MAX_PUSH_REGISTERS {
            return Err(FsError::Limit {
                what: "registers of push data",
                need: u64::from(push_regs),
                max: u64::from(abi::MAX_PUSH_REGISTERS),
            });
        }
        let lir = &mut self.b.lir;
        lir.vgrfs[self.r0].fixed = Some(0);
        let layout = match &self.thread {
            Thread::Compute(thread) => {
                let index_grf = 1 + push_regs;
                lir.vgrfs[thread.index].fixed =
                    thread.info.per_thread_push.then_some(index_grf as u8);
                PayloadLayout {
                    push_grf: 1,
                    stage: StageInfo::Compute(thread.info.clone()),
                    end: index_grf + 1,
                }
            }
            Thread::Vertex(thread) => thread.lay_out(lir, push_regs),
            Thread::Control(thread) => thread.lay_out(lir, push_regs),
            Thread::Evaluation(thread) => thread.lay_out(lir, push_regs),
            Thread::Geometry(thread) => thread.lay_out(lir, push_regs),
            Thread::Fragment(thread) => thread.lay_out(lir, push_regs),
        };
        let PayloadLayout {
            push_grf,
            stage,
            end,
        } = layout;
        if end > u16::from(MAX_PAYLOAD_GRFS) {
            return Err(FsError::Limit {
                what: "registers of a thread's payload",
                need: u64::from(end),
                max: u64::from(MAX_PAYLOAD_GRFS),
            });
        }
        let push = &mut self.b.lir.vgrfs[self.push_reg];
        push.regs = block_regs.max(1);
        push.fixed = (block_regs > 0).then_some(push_grf as u8);
        self.lay_out_pushed_ubos(u32::from(push_grf + block_regs));
        self.move_late_payload();
        Ok((push_grf as u8, stage))
    }

    /// Copies payload that arrives where the EOT payload may be allocated, because it may be
    /// live until the end.
    fn move_late_payload(&mut self) {
        let lir = &mut self.b.lir;
        let end = |vgrf: &Vgrf| Some(u16::from(vgrf.fixed?) + vgrf.regs);
        let late: Vec<VgrfId> = lir
            .vgrfs
            .iter()
            .filter(|(_, vgrf)| vgrf.is_thread_payload() && end(vgrf) > Some(FIRST_EOT_GRF.into()))
            .map(|(v, _)| v)
            .collect();
        for v in late {
            let regs = self.b.lir.vgrfs[v].regs;
            let arrived = self.b.lir.vgrf(u32::from(regs) * GRF_BYTES);
            self.b.lir.vgrfs[arrived].fixed = self.b.lir.vgrfs[v].fixed.take();
            for offset in (0..u32::from(regs)).map(|reg| reg * GRF_BYTES) {
                let lanes = |v| Lanes::new(v, offset, Type::Ud, 4);
                self.b
                    .in_prologue(|b| b.mov(Exec::NoMask(8), lanes(v), lanes(arrived)));
            }
        }
        self.b.finish();
    }
}
