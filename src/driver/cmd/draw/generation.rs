//! The draw packets of a hardware generation.
//!
//! In:  state, shaders and targets of a draw. Out: packets in a [`Stream`], through an
//!      implementation of [`DrawGeneration`].

use crate::draw::shader::{PipelineShaders, VertexInputs};
use crate::draw::state::{DirtyGroups, FixedFunctionState, SampleLocations};
use crate::draw::target::{DepthStencilTarget, HizOp, RenderTargets};
use crate::generation::{DeviceInfo, Generation};
use crate::stream::{Stream, StreamMemory};

/// Parameters of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawParams {
    /// Number of vertices, or of indices.
    pub vertices: u32,
    /// Number of instances.
    pub instances: u32,
    /// First vertex, or index.
    pub first_vertex: u32,
    /// First instance.
    pub first_instance: u32,
    /// Vertex offset that is added to each index. `None`: the draw is not indexed.
    pub indexed: Option<i32>,
    /// Draw index: position among the draws of a multi-draw command.
    pub number: u32,
}

/// A vertex count that the GPU derives from a byte count in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCount {
    /// GPU address of the byte count.
    pub address: u64,
    /// Bytes to subtract from it.
    pub offset_bytes: u32,
    /// Bytes of a vertex; not 0.
    pub stride_bytes: u32,
}

/// Constant buffers of a shader stage.
pub const CONSTANT_BUFFERS: usize = abi::MAX_PUSHED_RANGES + 1;

/// Memory of a constant buffer, and the number of registers that are read from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstantBuffer {
    /// GPU address, a multiple of 32.
    pub address: u64,
    /// Registers of 32 bytes.
    pub registers: u32,
}

/// Number of shader stages with push constants.
pub const CONSTANT_STAGES: usize = 5;

/// Shader stages with push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the stages' names")]
pub enum ConstantStage {
    Vertex,
    Hull,
    Domain,
    Geometry,
    Fragment,
}

/// Inputs of the state packets of a draw.
#[derive(Debug)]
pub struct DrawState<'a, P> {
    /// Groups whose packets have to be emitted.
    pub dirty: DirtyGroups,
    /// All of the state.
    pub state: &'a FixedFunctionState,
    /// The bound pipeline.
    pub pipeline: &'a P,
    /// The bound render targets.
    pub targets: &'a RenderTargets,
    /// Dynamic State Base Address.
    pub dynamic_base: u64,
}

/// Pipeline state that is not dynamic: no command sets these groups while the pipeline is bound.
#[derive(Clone, Copy, Debug)]
pub struct StaticState<'a> {
    /// The values; those outside `groups` are ignored.
    pub state: &'a FixedFunctionState,
    /// The static groups. [`DirtyGroups::VIEWPORTS`] stands for the viewport count alone.
    pub groups: DirtyGroups,
}

/// Packs and emits the packets of draws.
pub trait DrawGeneration: Generation {
    /// Packed shaders, with the facts that later packets need.
    type Pipeline: Clone + std::fmt::Debug;
    /// Packets of a batch that are in effect, and need not be emitted again.
    type EmittedPackets: Default + std::fmt::Debug;
    /// Packs shaders and static state. Returns `None` if the vertices do not fit into the URB.
    fn pack_pipeline(
        device: &hw::Device,
        shaders: &PipelineShaders<'_>,
        static_state: Option<&StaticState<'_>>,
    ) -> Option<Box<Self::Pipeline>>;
    /// Selects the 3D pipeline; the GPGPU pipeline was selected.
    fn emit_select_3d<M: StreamMemory>(
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<(), M::Error>;
    /// Selects the GPGPU pipeline; the 3D pipeline was selected.
    fn emit_select_gpgpu<M: StreamMemory>(
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<(), M::Error>;
    /// Emits the 3D state that a context needs once, with the 3D pipeline selected.
    fn emit_draw_context<M: StreamMemory>(stream: &mut Stream<M>) -> Result<(), M::Error>;
    /// Emits the packets of all dirty groups, except constants and targets, that differ from those
    /// in effect. Returns whether the URB was divided anew.
    fn emit_state<M: StreamMemory>(
        stream: &mut Stream<M>,
        emitted: &mut Self::EmittedPackets,
        draw_state: &DrawState<'_, Self::Pipeline>,
    ) -> Result<bool, M::Error>;
    /// Other commands may have changed the state: no packet is known to be in effect. Data that
    /// packets refer to is still in the batch's memory.
    fn forget_emitted(emitted: &mut Self::EmittedPackets);
    /// Emits the sample pattern: `locations` for their sample count, the standard pattern for all
    /// others.
    fn emit_sample_pattern<M: StreamMemory>(
        stream: &mut Stream<M>,
        locations: Option<&SampleLocations>,
    ) -> Result<(), M::Error>;
    /// Emits depth, stencil and the binding table of the colour targets. `surface_base` is the
    /// current Surface State Base Address, if known. Returns the new Surface State Base Address and
    /// the table's offset from it.
    fn emit_targets<M: StreamMemory>(
        stream: &mut Stream<M>,
        targets: &RenderTargets,
        surface_base: Option<u64>,
    ) -> Result<(u64, u32), M::Error>;
    /// Performs a HiZ operation on a depth buffer with the given number of samples. Returns the
    /// groups whose packets it replaced.
    fn emit_hiz_op<M: StreamMemory>(
        stream: &mut Stream<M>,
        emitted: &mut Self::EmittedPackets,
        machine: &DeviceInfo,
        target: (&DepthStencilTarget, u8),
        work: &HizOp,
    ) -> Result<DirtyGroups, M::Error>;
    /// Emits the targets for secondary batches that inherit them: the binding table lies at
    /// [`DrawGeneration::inherited_table_offset`]. Returns the new Surface State Base Address.
    fn emit_secondary_targets<M: StreamMemory>(
        stream: &mut Stream<M>,
        targets: &RenderTargets,
    ) -> Result<u64, M::Error>;
    /// Offset of an inherited binding table from Surface State Base Address.
    fn inherited_table_offset<M: StreamMemory>() -> u32;
    /// Emits a stage's binding table pointer. This also makes the hardware latch the constants that
    /// were emitted before it.
    fn emit_binding_table_pointer<M: StreamMemory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        offset_bytes: u32,
    ) -> Result<(), M::Error>;
    /// Binds the two dwords with the first vertex and the first instance as a vertex buffer.
    fn emit_bases_buffer<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
    ) -> Result<(), M::Error>;
    /// Binds the dword with the draw index as a vertex buffer.
    fn emit_draw_id_buffer<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
    ) -> Result<(), M::Error>;
    /// The inputs of the vertex shader.
    fn vertex_inputs(pipeline: &Self::Pipeline) -> &VertexInputs;
    /// Emits the pointer to a stage's samplers, relative to Dynamic State Base Address.
    fn emit_sampler_pointer<M: StreamMemory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        offset_bytes: u32,
    ) -> Result<(), M::Error>;
    /// Emits the constant buffers of a stage. Empty buffers come first; the first buffer, if used,
    /// is addressed relative to Dynamic State Base Address.
    fn emit_push_constants<M: StreamMemory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        buffers: &[ConstantBuffer; CONSTANT_BUFFERS],
        dynamic_base: u64,
    ) -> Result<(), M::Error>;
    /// Emits a draw, predicated if asked for.
    fn emit_primitive<M: StreamMemory>(
        stream: &mut Stream<M>,
        draw: &DrawParams,
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Emits a draw whose vertex count comes from memory; `draw.vertices` is ignored.
    fn emit_primitive_byte_count<M: StreamMemory>(
        stream: &mut Stream<M>,
        draw: &DrawParams,
        count: &ByteCount,
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Emits an indirect draw: four dwords, or five if indexed. Each instance is drawn `instances`
    /// times.
    fn emit_primitive_indirect<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
        indexed: bool,
        instances: u32,
        predicated: bool,
    ) -> Result<(), M::Error>;
}
