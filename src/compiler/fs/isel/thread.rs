//! What a thread starts with, by stage: the registers of its payload, and what its launcher must know.
//!
//! In:  the intrinsics of the shader.
//! Out: VGRFs for each part of the payload, which get their registers when all is known ([`Isel::lay_out`]).
//! Ref: SKL PRM vol. 7, "Thread Payload" of each stage.

use super::Isel;
use super::payload::{
    ControlThread, EvaluationThread, FragmentThread, GeometryThread, Outputs, VertexThread,
};
use crate::error::FsError;
use crate::lir::builder::{Exec, Lanes};
use crate::lir::{FIRST_EOT_GRF, GRF_BYTES, Vgrf, VgrfId};
use abi::{ComputeInfo, StageInfo};
use isa::Type;
use nir::{CfEvent, Shader, Stage};

/// A thread of one stage.
pub(super) enum Thread {
    Compute(ComputeThread),
    Vertex(VertexThread),
    Control(Box<ControlThread>),
    Evaluation(Box<EvaluationThread>),
    Geometry(Box<GeometryThread>),
    Fragment(Box<FragmentThread>),
}

/// A compute thread.
pub(super) struct ComputeThread {
    /// Dword 0 is the thread's number in its workgroup.
    index: VgrfId,
    info: ComputeInfo,
}

impl Thread {
    pub(super) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        before: Option<&StageInfo>,
        lir: &mut crate::lir::Lir,
    ) -> Result<Thread, FsError> {
        match sh.stage {
            Stage::Compute => Ok(Thread::Compute(ComputeThread {
                index: lir.vgrf(GRF_BYTES),
                info: ComputeInfo {
                    workgroup_size: sh.info.workgroup_size,
                    slm_bytes: sh.info.shared_bytes,
                    ..ComputeInfo::default()
                },
            })),
            Stage::Vertex => Ok(Thread::Vertex(VertexThread::new(sh, layout, lir))),
            Stage::Fragment => {
                FragmentThread::new(sh, layout, before).map(|f| Thread::Fragment(Box::new(f)))
            }
            Stage::TessControl => {
                ControlThread::new(sh, layout, lir).map(|t| Thread::Control(Box::new(t)))
            }
            Stage::TessEval => EvaluationThread::new(sh, layout, before, lir)
                .map(|t| Thread::Evaluation(Box::new(t))),
            Stage::Geometry => {
                GeometryThread::new(sh, layout, lir).map(|t| Thread::Geometry(Box::new(t)))
            }
        }
    }

    /// Registers that the payload has besides push data, at most.
    pub(super) fn payload_registers(&self) -> u32 {
        let registers = match self {
            Thread::Compute(_) => 2,
            Thread::Vertex(thread) => thread.payload_registers(),
            Thread::Control(_) => ControlThread::PAYLOAD_REGISTERS,
            Thread::Evaluation(_) => EvaluationThread::PAYLOAD_REGISTERS,
            Thread::Geometry(thread) => thread.payload_registers(),
            Thread::Fragment(thread) => thread.payload_registers(),
        };
        registers as u32
    }

    /// What the stage gathers until its end, or until a vertex is emitted.
    pub(super) fn outputs(&mut self) -> Option<&mut Outputs> {
        match self {
            Thread::Vertex(thread) => Some(&mut thread.outputs),
            Thread::Evaluation(thread) => Some(&mut thread.outputs),
            Thread::Geometry(thread) => Some(&mut thread.outputs),
            Thread::Fragment(thread) => Some(thread.outputs()),
            Thread::Compute(_) | Thread::Control(_) => None,
        }
    }
}

impl Isel<'_> {
    /// The thread's number in its workgroup.
    pub(super) fn thread_index(&mut self) -> Result<Lanes, FsError> {
        match &mut self.thread {
            Thread::Compute(thread) => {
                thread.info.per_thread_push = true;
                Ok(Lanes::new(thread.index, 0, Type::Ud, 0))
            }
            _ => Err(FsError::Unsupported {
                op: "load_subgroup_id",
                what: "is of compute shaders",
            }),
        }
    }

    /// The workgroup has a barrier.
    pub(super) fn note_barrier(&mut self) {
        if let Thread::Compute(thread) = &mut self.thread {
            thread.info.uses_barrier = true;
        }
    }

    /// Gives the payload its registers: what the fixed function sends, the push data, what else is pushed. Returns the first
    /// register of push data.
    pub(super) fn lay_out(&mut self) -> Result<(u8, StageInfo), FsError> {
        let block_regs = self.push.registers() as u16;
        let push_regs = self.push.all_registers() as u16;
        if u32::from(push_regs) > abi::PUSH_REGISTERS {
            return Err(FsError::Limit {
                what: "registers of push data",
                need: u64::from(push_regs),
                max: u64::from(abi::PUSH_REGISTERS),
            });
        }
        let lir = &mut self.b.lir;
        lir.vgrfs[self.r0].fixed = Some(0);
        let (push_at, stage, end) = match &self.thread {
            Thread::Compute(thread) => {
                let at = 1 + push_regs;
                lir.vgrfs[thread.index].fixed = thread.info.per_thread_push.then_some(at as u8);
                (1, StageInfo::Compute(thread.info.clone()), at + 1)
            }
            Thread::Vertex(thread) => thread.lay_out(lir, push_regs),
            Thread::Control(thread) => thread.lay_out(lir, push_regs),
            Thread::Evaluation(thread) => thread.lay_out(lir, push_regs),
            Thread::Geometry(thread) => thread.lay_out(lir, push_regs),
            Thread::Fragment(thread) => thread.lay_out(lir, push_regs),
        };
        if end > u16::from(crate::lir::MAX_PAYLOAD_GRFS) {
            return Err(FsError::Limit {
                what: "registers of a thread's payload",
                need: u64::from(end),
                max: u64::from(crate::lir::MAX_PAYLOAD_GRFS),
            });
        }
        let push = &mut self.b.lir.vgrfs[self.push_reg];
        push.regs = block_regs.max(1);
        push.fixed = (block_regs > 0).then_some(push_at as u8);
        self.lay_out_ranges(u32::from(push_at + block_regs));
        self.leave_the_end();
        Ok((push_at as u8, stage))
    }

    /// Copies what arrives where the payload of the last message may lie: it might live until then.
    fn leave_the_end(&mut self) {
        let lir = &mut self.b.lir;
        let ends = |vgrf: &Vgrf| Some(u16::from(vgrf.fixed?) + vgrf.regs);
        let late: Vec<VgrfId> = lir
            .vgrfs
            .iter()
            .filter(|(_, vgrf)| vgrf.is_thread_payload() && ends(vgrf) > Some(FIRST_EOT_GRF.into()))
            .map(|(v, _)| v)
            .collect();
        for v in late {
            let regs = self.b.lir.vgrfs[v].regs;
            let arrived = self.b.lir.vgrf(u32::from(regs) * GRF_BYTES);
            self.b.lir.vgrfs[arrived].fixed = self.b.lir.vgrfs[v].fixed.take();
            for at in (0..u32::from(regs)).map(|reg| reg * GRF_BYTES) {
                let lanes = |v| Lanes::new(v, at, Type::Ud, 4);
                self.b
                    .in_prologue(|b| b.mov(Exec::NoMask(8), lanes(v), lanes(arrived)));
            }
        }
        self.b.finish();
    }
}
