//! What a geometry thread starts with, and what its launcher must know.
//!
//! In:  the intrinsics of the shader. Out: [`GeometryThread`], whose parts get registers when all is known.
//! Ref: SKL PRM vol. 7, "Geometry Shader: SIMD8 Payload"; "GS URB Entry".

use super::outputs::Outputs;
use super::scan::intrinsics;
use crate::error::FsError;
use crate::lir::builder::Lanes;
use crate::lir::{GRF_BYTES, Lir, VgrfId};
use abi::{GeometryInfo, OutputTopology, StageInfo};
use entity::Id;
use nir::{
    Block, CfEvent, CfNode, Instr, Intrinsic, IntrinsicOp, Jump, ListRef, Primitive, Shader,
};
use smallvec::SmallVec;

/// Vertices that fit into the control data's registers, and into the packet's field.
const MOST_VERTICES: u32 = 256;

/// A geometry thread: eight primitives, or eight invocations for one.
pub(in crate::isel) struct GeometryThread {
    pub(in crate::isel) info: GeometryInfo,
    /// The handles of the URB entries that it writes, r1.
    pub(in crate::isel) handles: VgrfId,
    /// The primitives' numbers.
    pub(in crate::isel) primitive_id: Option<VgrfId>,
    /// The handles of the vertices that come in.
    pub(in crate::isel) inputs: VgrfId,
    /// Vertices emitted so far, where that depends on the lane.
    pub(in crate::isel) count: Option<Lanes>,
    /// Vertices emitted so far, where it is the same for all lanes and known, with the control data.
    pub(in crate::isel) known: Option<Known>,
    /// Control data, 32 bits to a register: a bit for each vertex that ends a strip, or two that are its stream.
    pub(in crate::isel) cuts: Vec<Lanes>,
    pub(in crate::isel) outputs: Outputs,
}

/// What a thread has emitted whose lanes all do so alike.
#[derive(Clone, Debug, Default)]
pub(in crate::isel) struct Known {
    /// Vertices.
    pub(in crate::isel) count: u32,
    /// Control data.
    pub(in crate::isel) cuts: SmallVec<[u32; 2]>,
}

impl Known {
    /// Sets bits of the control data from bit `at` on.
    pub(in crate::isel) fn mark(&mut self, at: u32, bits: u32) {
        let dword = (at / 32) as usize;
        if self.cuts.len() <= dword {
            self.cuts.resize(dword + 1, 0);
        }
        self.cuts[dword] |= bits << (at % 32);
    }
}

/// True if every lane emits the same vertices and ends the same strips: neither stands under a condition or in a loop, and no
/// lane returns early.
fn emits_in_order(sh: &Shader) -> bool {
    let body: Vec<Id<Block>> = (sh.list(ListRef::Body).iter())
        .filter_map(|node| match node {
            CfNode::Block(block) => Some(*block),
            _ => None,
        })
        .collect();
    let diverts = |i: &Id<Instr>| match &sh.instrs[*i] {
        Instr::Intrinsic(i) => matches!(i.op, IntrinsicOp::EmitVertex | IntrinsicOp::EndPrimitive),
        Instr::Jump(jump) => *jump == Jump::Return,
        _ => false,
    };
    let within = sh.block_order().into_iter().filter(|b| !body.contains(b));
    within
        .into_iter()
        .all(|b| !sh.blocks[b].instrs.iter().any(diverts))
}

/// The stream of a vertex that is emitted.
fn stream(i: &Intrinsic) -> Option<u8> {
    (i.op == IntrinsicOp::EmitVertex).then(|| i.index("stream") as u8)
}

impl GeometryThread {
    pub(in crate::isel) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        lir: &mut Lir,
    ) -> Result<GeometryThread, FsError> {
        let modes = &sh.info.geometry;
        if modes.vertices_out > MOST_VERTICES {
            return Err(FsError::Limit {
                what: "vertices of a geometry shader",
                need: modes.vertices_out.into(),
                max: MOST_VERTICES.into(),
            });
        }
        let ops = || intrinsics(sh, layout).map(|i| i.op);
        let primitive_id = ops().any(|op| op == IntrinsicOp::LoadPrimitiveId);
        let topology = match modes.output {
            Primitive::LineStrip => OutputTopology::LineStrip,
            Primitive::TriangleStrip => OutputTopology::TriangleStrip,
            _ => OutputTopology::Points,
        };
        let first = intrinsics(sh, layout).find_map(stream).unwrap_or(0);
        let several = intrinsics(sh, layout)
            .filter_map(stream)
            .any(|s| s != first);
        let outputs = Outputs::new(sh, layout);
        let vertices_in = modes.input.vertices();
        let info = GeometryInfo {
            outputs: outputs.vertices(),
            vertices_in: vertices_in as u8,
            primitive_id,
            invocations: modes.invocations.clamp(1, 32) as u8,
            topology,
            vertices_out: modes.vertices_out as u16,
            // Only points go to several streams.
            streams: topology == OutputTopology::Points && several,
            stream: if several { 0 } else { first },
            // A point is a strip of its own.
            cuts: topology != OutputTopology::Points
                && ops().any(|op| op == IntrinsicOp::EndPrimitive),
        };
        let registers = match info.invocations {
            1 => vertices_in,
            _ => vertices_in.div_ceil(8),
        };
        Ok(GeometryThread {
            info,
            handles: lir.vgrf(GRF_BYTES),
            primitive_id: primitive_id.then(|| lir.vgrf(GRF_BYTES)),
            inputs: lir.vgrf(registers * GRF_BYTES),
            count: None,
            known: emits_in_order(sh).then(Known::default),
            cuts: Vec::new(),
            outputs,
        })
    }

    /// Registers of the payload besides push data, at most.
    pub(in crate::isel) fn payload_registers(&self) -> usize {
        3 + usize::from(self.info.vertices_in)
    }

    /// r0, handles, numbers, handles of vertices, push data.
    pub(in crate::isel) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> (u16, StageInfo, u16) {
        let mut at = 1;
        for v in [Some(self.handles), self.primitive_id, Some(self.inputs)]
            .into_iter()
            .flatten()
        {
            let vgrf = &mut lir.vgrfs[v];
            vgrf.fixed = u8::try_from(at).ok();
            at += vgrf.regs;
        }
        let info = StageInfo::Geometry(self.info.clone());
        (at, info, at + push_regs)
    }
}
