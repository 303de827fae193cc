//! The payload of geometry threads, and what the driver must know about the stage.
//!
//! In:  the intrinsics of the shader. Out: [`GeometryThread`], whose parts get GRFs in
//! [`GeometryThread::lay_out`].
//! Ref: SKL PRM vol. 7, "Geometry Shader: SIMD8 Payload"; "GS URB Entry".

use super::layout::PayloadLayout;
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

/// Limit of the vertices, for which control data fits into registers and the count into its packet
/// field.
const MAX_VERTICES: u32 = 256;

/// The payload and state of a geometry thread: eight primitives, or eight invocations of one
/// primitive.
pub(crate) struct GeometryThread {
    pub(crate) info: GeometryInfo,
    /// The URB handles of the entries that the thread writes, r1.
    pub(crate) handles: VgrfId,
    /// The primitive IDs.
    pub(crate) primitive_id: Option<VgrfId>,
    /// The URB handles of the input vertices.
    pub(crate) inputs: VgrfId,
    /// The number of vertices emitted so far, if it differs between lanes.
    pub(crate) vertex_count: Option<Lanes>,
    /// The vertices emitted so far and their control data, if known at compile time.
    pub(crate) known_emits: Option<KnownEmits>,
    /// Control data, 32 bits to a register: a cut bit for each vertex, or two bits with its stream.
    pub(crate) control_data: Vec<Lanes>,
    pub(crate) outputs: Outputs,
}

/// What a thread has emitted, if all lanes emit alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownEmits {
    /// Number of vertices.
    pub(crate) count: u32,
    /// Control data.
    pub(crate) control_data: SmallVec<[u32; 2]>,
}

impl KnownEmits {
    /// Sets bits of the control data from bit `first` on.
    pub(crate) fn set_bits(&mut self, first: u32, bits: u32) {
        let dword = (first / 32) as usize;
        if self.control_data.len() <= dword {
            self.control_data.resize(dword + 1, 0);
        }
        self.control_data[dword] |= bits << (first % 32);
    }
}

/// True if every lane emits the same vertices and ends the same strips: these intrinsics are
/// outside ifs and loops, and no lane returns early.
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

/// The stream of an `emit_vertex`.
fn emitted_stream(i: &Intrinsic) -> Option<u8> {
    (i.op == IntrinsicOp::EmitVertex).then(|| i.index("stream") as u8)
}

impl GeometryThread {
    /// Scans a geometry shader. Fails if it declares too many vertices.
    pub(crate) fn new(
        sh: &Shader,
        layout: &[CfEvent],
        lir: &mut Lir,
    ) -> Result<GeometryThread, FsError> {
        let modes = &sh.info.geometry;
        if modes.vertices_out > MAX_VERTICES {
            return Err(FsError::Limit {
                what: "vertices of a geometry shader",
                need: modes.vertices_out.into(),
                max: MAX_VERTICES.into(),
            });
        }
        let ops = || intrinsics(sh, layout).map(|i| i.op);
        let primitive_id = ops().any(|op| op == IntrinsicOp::LoadPrimitiveId);
        let topology = match modes.output {
            Primitive::LineStrip => OutputTopology::LineStrip,
            Primitive::TriangleStrip => OutputTopology::TriangleStrip,
            _ => OutputTopology::Points,
        };
        let first = intrinsics(sh, layout).find_map(emitted_stream).unwrap_or(0);
        let multiple_streams = intrinsics(sh, layout)
            .filter_map(emitted_stream)
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
            // Only points can go to several streams.
            streams: topology == OutputTopology::Points && multiple_streams,
            stream: if multiple_streams { 0 } else { first },
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
            vertex_count: None,
            known_emits: emits_in_order(sh).then(KnownEmits::default),
            control_data: Vec::new(),
            outputs,
        })
    }

    /// Upper bound of the payload's registers, without push data.
    pub(crate) fn payload_registers(&self) -> usize {
        3 + usize::from(self.info.vertices_in)
    }

    /// Assigns GRFs: r0, output handles, primitive IDs, input handles, push data.
    pub(crate) fn lay_out(&self, lir: &mut Lir, push_regs: u16) -> PayloadLayout {
        let mut grf = 1;
        for v in [Some(self.handles), self.primitive_id, Some(self.inputs)]
            .into_iter()
            .flatten()
        {
            let vgrf = &mut lir.vgrfs[v];
            vgrf.fixed = u8::try_from(grf).ok();
            grf += vgrf.regs;
        }
        PayloadLayout {
            push_grf: grf,
            stage: StageInfo::Geometry(self.info.clone()),
            end: grf + push_regs,
        }
    }
}
