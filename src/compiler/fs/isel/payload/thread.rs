//! The payload of a thread, by stage, and what the driver must know about it.
//!
//! In:  the intrinsics of the shader. Out: a VGRF for each part of the payload;
//! [`crate::isel::payload_layout`] assigns their GRFs.
//! Ref: SKL PRM vol. 7, "Thread Payload" of each stage.

use super::fragment::FragmentThread;
use super::geometry::GeometryThread;
use super::outputs::Outputs;
use super::tess::{ControlThread, EvaluationThread};
use super::vertex::VertexThread;
use crate::error::FsError;
use crate::lir::{GRF_BYTES, Lir, VgrfId};
use abi::{ComputeInfo, StageInfo};
use nir::{CfEvent, Shader, Stage};

/// The thread of one stage.
pub(crate) enum Thread {
    Compute(ComputeThread),
    Vertex(VertexThread),
    Control(Box<ControlThread>),
    Evaluation(Box<EvaluationThread>),
    Geometry(Box<GeometryThread>),
    Fragment(Box<FragmentThread>),
}

/// A compute thread.
pub(crate) struct ComputeThread {
    /// Dword 0 is the number of the thread in its workgroup.
    pub(crate) index: VgrfId,
    pub(crate) info: ComputeInfo,
}

impl Thread {
    /// Scans a shader and allocates the payload of its stage.
    pub(crate) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        previous_stage: Option<&StageInfo>,
        lir: &mut Lir,
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
            Stage::Fragment => FragmentThread::new(sh, layout, previous_stage)
                .map(|f| Thread::Fragment(Box::new(f))),
            Stage::TessControl => {
                ControlThread::new(sh, layout, lir).map(|t| Thread::Control(Box::new(t)))
            }
            Stage::TessEval => EvaluationThread::new(sh, layout, previous_stage, lir)
                .map(|t| Thread::Evaluation(Box::new(t))),
            Stage::Geometry => {
                GeometryThread::new(sh, layout, lir).map(|t| Thread::Geometry(Box::new(t)))
            }
        }
    }

    /// Upper bound of the payload's registers, without push data.
    pub(crate) fn payload_registers(&self) -> u32 {
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

    /// The outputs that the stage collects until the thread ends or emits a vertex.
    pub(crate) fn outputs(&mut self) -> Option<&mut Outputs> {
        match self {
            Thread::Vertex(thread) => Some(&mut thread.outputs),
            Thread::Evaluation(thread) => Some(&mut thread.outputs),
            Thread::Geometry(thread) => Some(&mut thread.outputs),
            Thread::Fragment(thread) => Some(thread.outputs()),
            Thread::Compute(_) | Thread::Control(_) => None,
        }
    }
}
