//! Graphics shaders, as draws launch them.
//!
//! In:  the compiler's results for each stage. Out: the facts that packets need, not yet packed.
//! Ref: SKL PRM vol. 7, "Vertex Shader Stage", "Pixel Shader Thread Payload", "SF Attribute Setup".

use crate::generation::ScratchSpace;

/// Maximum number of fragment shader inputs.
pub const INPUTS: usize = 32;

/// Inputs of a vertex shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexInputs {
    /// Mask of attribute locations. Attributes come in this order; the driver's elements follow.
    pub locations: u32,
    /// gl_VertexIndex is read.
    pub vertex_id: bool,
    /// gl_InstanceIndex is read.
    pub instance_id: bool,
    /// The first vertex or the first instance is read.
    pub bases: bool,
    /// The draw index is read.
    pub draw_id: bool,
    /// Number of views: each instance is drawn once for each view. 0 means 1.
    pub views: u8,
}

impl VertexInputs {
    /// Whether there is a vertex element with first vertex, first instance, vertex index and
    /// instance index.
    pub const fn has_numbers(&self) -> bool {
        self.vertex_id || self.instance_id || self.bases
    }

    /// Hardware instances for each of the application's instances.
    pub fn instances(&self) -> u32 {
        u32::from(self.views).max(1)
    }

    /// Vertex elements, of 16 bytes each.
    pub const fn elements(&self) -> u32 {
        self.locations.count_ones() + self.has_numbers() as u32 + self.draw_id as u32
    }
}

/// A vertex shader.
#[derive(Clone, Copy, Debug)]
pub struct VertexShader<'a> {
    /// Offset of the code from Instruction Base Address, in bytes.
    pub kernel_offset_bytes: u64,
    /// Scratch.
    pub scratch: ScratchSpace,
    /// Its inputs.
    pub inputs: VertexInputs,
    /// First register of its push constants, which its attributes follow.
    pub first_grf: u32,
    /// VUE slots (16 bytes each) that it writes, header and position included.
    pub output_slots: u32,
    /// Its push constants.
    pub push: &'a abi::PushData,
}

/// Source of a fragment shader input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// A VUE slot, counted from the header.
    Slot(u8),
    /// Constant zero.
    Zero,
    /// The primitive ID.
    PrimitiveId,
    /// The point coordinate.
    PointCoord,
}

/// A fragment shader input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentInput {
    /// Its source.
    pub source: InputSource,
    /// Not interpolated.
    pub flat: bool,
}

/// A fragment shader of one SIMD width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentVariant {
    /// Offset of the code from Instruction Base Address, in bytes.
    pub kernel_offset_bytes: u64,
    /// First register of its push constants and attributes.
    pub first_grf: u32,
}

/// How a fragment shader computes depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComputedDepth {
    /// It does not.
    #[default]
    No,
    /// Any value.
    Any,
    /// Not less than the interpolated depth.
    Greater,
    /// Not greater than the interpolated depth.
    Less,
}

/// A fragment shader.
#[derive(Clone, Debug)]
pub struct FragmentShader<'a> {
    /// SIMD8, SIMD16 and SIMD32 variants; at least one.
    pub variants: [Option<FragmentVariant>; 3],
    /// Scratch.
    pub scratch: ScratchSpace,
    /// Its inputs, in order.
    pub inputs: Vec<FragmentInput>,
    /// Barycentric modes of its payload, from bit 0: perspective at pixel, centroid and sample,
    /// then linear ones.
    pub barycentrics: u8,
    /// Its payload has source depth.
    pub reads_depth: bool,
    /// Its payload has 1/W.
    pub reads_w: bool,
    /// Its payload has sample position offsets.
    pub reads_sample_position: bool,
    /// Its payload has the input coverage mask.
    pub reads_coverage: bool,
    /// That mask has only the samples that passed early tests (post-depth coverage).
    pub coverage_is_tested: bool,
    /// It interpolates with explicit messages to the pixel interpolator.
    pub pulls_barycentrics: bool,
    /// How it computes depth.
    pub depth: ComputedDepth,
    /// It writes stencil.
    pub writes_stencil: bool,
    /// It writes the sample mask.
    pub writes_mask: bool,
    /// It may discard fragments.
    pub kills: bool,
    /// It may read the depth or stencil attachment that it is tested against (input attachment), so
    /// that the write must wait for it.
    pub reads_tests: bool,
    /// Its payload may end behind the header, even where the machine may hang.
    pub header_only: bool,
    /// It runs once for each sample.
    pub per_sample: bool,
    /// It writes memory.
    pub has_side_effects: bool,
    /// Early fragment tests are forced.
    pub early_tests: bool,
    /// Mask of the colour targets that it writes.
    pub targets: u8,
    /// It writes a second blend source.
    pub dual_source: bool,
    /// The fast clear or resolve that it performs.
    pub target_op: TargetOp,
    /// Its push constants.
    pub push: &'a abi::PushData,
}

impl<'a> FragmentShader<'a> {
    /// A shader without inputs that writes colour target 0 and does nothing else.
    pub fn new(variants: [Option<FragmentVariant>; 3], push: &'a abi::PushData) -> Self {
        Self {
            variants,
            scratch: ScratchSpace::default(),
            inputs: Vec::new(),
            barycentrics: 0,
            reads_depth: false,
            reads_w: false,
            reads_sample_position: false,
            reads_coverage: false,
            coverage_is_tested: false,
            pulls_barycentrics: false,
            depth: ComputedDepth::No,
            writes_stencil: false,
            writes_mask: false,
            kills: false,
            reads_tests: false,
            header_only: false,
            per_sample: false,
            has_side_effects: false,
            early_tests: false,
            targets: 1,
            dual_source: false,
            target_op: TargetOp::None,
            push,
        }
    }
}

/// What rendering with a fragment shader does to the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetOp {
    /// An ordinary write.
    #[default]
    None,
    /// Fast clear: marks blocks as clear in the aux surface.
    FastClear,
    /// Partial resolve: writes the clear colour to clear blocks.
    PartialResolve,
    /// Full resolve: also decompresses blocks.
    Resolve,
}

/// A shader of a stage with nothing but URB entries in its payload.
#[derive(Clone, Copy, Debug)]
pub struct UrbStageShader<'a> {
    /// Offset of the code from Instruction Base Address, in bytes.
    pub kernel_offset_bytes: u64,
    /// Scratch.
    pub scratch: ScratchSpace,
    /// First register of its push constants.
    pub first_grf: u32,
    /// Its push constants.
    pub push: &'a abi::PushData,
}

/// A tessellation control shader.
#[derive(Clone, Copy, Debug)]
pub struct ControlShader<'a> {
    /// Program.
    pub program: UrbStageShader<'a>,
    /// The compiler's results.
    pub info: &'a abi::TessControlInfo,
}

/// A tessellation evaluation shader.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationShader<'a> {
    /// Program.
    pub program: UrbStageShader<'a>,
    /// The compiler's results.
    pub info: &'a abi::TessEvalInfo,
}

/// Tessellation.
#[derive(Clone, Copy, Debug)]
pub struct Tessellation<'a> {
    /// Control shader: vertices to patches.
    pub control: ControlShader<'a>,
    /// Evaluation shader: patches to vertices.
    pub evaluation: EvaluationShader<'a>,
}

/// A geometry shader.
#[derive(Clone, Copy, Debug)]
pub struct GeometryShader<'a> {
    /// Program.
    pub program: UrbStageShader<'a>,
    /// The compiler's results.
    pub info: &'a abi::GeometryInfo,
}

/// A captured dword of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedDword {
    /// VUE slot, counted from the header. `None`: no stage writes it.
    pub slot: Option<u8>,
    /// Dword in the slot.
    pub component: u8,
    /// Transform feedback buffer.
    pub buffer: u8,
    /// Vertex stream.
    pub stream: u8,
    /// Byte offset from the start of the vertex in the buffer.
    pub offset_bytes: u32,
}

/// Stream output: what is captured between the last pre-rasterisation stage and rasterisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOut {
    /// Captured dwords, sorted by buffer and offset.
    pub dwords: Vec<CapturedDword>,
    /// Vertex stride in each buffer, in bytes.
    pub strides_bytes: [u32; abi::CAPTURE_BUFFERS],
    /// The geometry shader has several vertex streams, or a single one other than stream 0.
    pub streams: bool,
    /// VUE slots of a vertex.
    pub slots: u32,
}

impl StreamOut {
    /// Whether stream output is used.
    pub fn is_on(&self) -> bool {
        self.streams || !self.dwords.is_empty()
    }
}

/// The shaders of a graphics pipeline.
#[derive(Clone, Debug)]
pub struct PipelineShaders<'a> {
    /// Vertex shader.
    pub vertex: VertexShader<'a>,
    /// Tessellation shaders.
    pub tessellation: Option<Tessellation<'a>>,
    /// Geometry shader.
    pub geometry: Option<GeometryShader<'a>>,
    /// Fragment shader. `None`: only depth and stencil are written.
    pub fragment: Option<FragmentShader<'a>>,
    /// Stream output.
    pub stream_out: StreamOut,
    /// Statistics counters include its work. False for meta operations.
    pub counted: bool,
    /// The last pre-rasterisation stage writes the point size.
    pub writes_point_size: bool,
    /// It writes the layer.
    pub writes_layer: bool,
    /// It writes the viewport index.
    pub writes_viewport: bool,
    /// Mask of the clip distances that the last pre-rasterisation stage writes.
    pub clip_distances: u8,
    /// Mask of its cull distances.
    pub cull_distances: u8,
}
