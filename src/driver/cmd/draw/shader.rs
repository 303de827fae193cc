//! Shaders that draw, as they are launched.
//!
//! In:  what the compiler says of each. Out: the same facts for the packets; nothing here is packed.
//! Ref: SKL PRM vol. 7, "Vertex Shader Stage", "Pixel Shader Thread Payload", "SF Attribute Setup".

use crate::generation::Scratch;

/// Attributes that a fragment shader can have.
pub const INPUTS: usize = 32;

/// What a vertex shader reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexInputs {
    /// Attributes, by location. They come in this order, and what the driver adds comes behind them.
    pub locations: u32,
    /// The number of the vertex.
    pub vertex_id: bool,
    /// The number of the instance.
    pub instance_id: bool,
    /// The first vertex, or the first instance.
    pub bases: bool,
    /// The number of the draw.
    pub draw_id: bool,
    /// Instances that each of the application's is drawn as, one for each view; 0 is 1.
    pub views: u8,
}

impl VertexInputs {
    /// Whether there is an element with first vertex, first instance, number of vertex and number of instance.
    pub const fn has_numbers(&self) -> bool {
        self.vertex_id || self.instance_id || self.bases
    }

    /// Instances that each of the application's is drawn as.
    pub fn instances(&self) -> u32 {
        u32::from(self.views).max(1)
    }

    /// Elements of a vertex, each of 16 bytes.
    pub const fn elements(&self) -> u32 {
        self.locations.count_ones() + self.has_numbers() as u32 + self.draw_id as u32
    }
}

/// A vertex shader.
#[derive(Clone, Copy, Debug)]
pub struct VertexShader<'a> {
    /// Code, in bytes from Instruction Base Address.
    pub kernel_offset_bytes: u64,
    /// Scratch.
    pub scratch: Scratch,
    /// What it reads.
    pub inputs: VertexInputs,
    /// Register in which its constants and, behind them, its attributes begin.
    pub first_grf: u32,
    /// Slots of 16 bytes of the vertices that it writes, of which two are the header and the position.
    pub output_slots: u32,
    /// Its constants.
    pub push: &'a abi::PushData,
}

/// Where an attribute of a fragment comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A slot of the vertex, counted from its header.
    Slot(u8),
    /// Nothing: zeros.
    Zero,
    /// The number of the primitive.
    PrimitiveId,
    /// Where in a point the fragment lies.
    PointCoord,
}

/// An attribute of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it comes from.
    pub source: Source,
    /// It is not interpolated.
    pub flat: bool,
}

/// A fragment shader of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Code, in bytes from Instruction Base Address.
    pub kernel_offset_bytes: u64,
    /// Register in which its constants and attributes begin.
    pub first_grf: u32,
}

/// What a fragment shader says about depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComputedDepth {
    /// Nothing.
    #[default]
    No,
    /// Any value.
    Any,
    /// None less than the object's.
    Greater,
    /// None greater than the object's.
    Less,
}

/// A fragment shader.
#[derive(Clone, Debug)]
pub struct FragmentShader<'a> {
    /// Widths 8, 16 and 32; one at least.
    pub variants: [Option<Variant>; 3],
    /// Scratch.
    pub scratch: Scratch,
    /// Its attributes, in order.
    pub inputs: Vec<Input>,
    /// Barycentric coordinates that it gets: perspective at pixel, centroid, sample, then the linear ones, from bit 0.
    pub barycentrics: u8,
    /// It gets depth.
    pub reads_depth: bool,
    /// It gets the reciprocal of W.
    pub reads_w: bool,
    /// It gets offsets of sample positions.
    pub reads_sample_position: bool,
    /// It gets the samples that are covered.
    pub reads_coverage: bool,
    /// Those alone that have passed the tests before it.
    pub coverage_is_tested: bool,
    /// It asks for attributes elsewhere.
    pub pulls_barycentrics: bool,
    /// What it says about depth.
    pub depth: ComputedDepth,
    /// It writes stencil.
    pub writes_stencil: bool,
    /// It writes the samples that it covers.
    pub writes_mask: bool,
    /// It may drop fragments.
    pub kills: bool,
    /// It may read the depth or stencil that it is tested by, which is not to be written before it has.
    pub reads_tests: bool,
    /// It runs for each sample.
    pub per_sample: bool,
    /// It writes memory.
    pub has_side_effects: bool,
    /// Tests come before it.
    pub early_tests: bool,
    /// Colours that it writes, by target.
    pub targets: u8,
    /// It writes a second colour to blend by.
    pub dual_source: bool,
    /// What its colours mean.
    pub special: Special,
    /// Its constants.
    pub push: &'a abi::PushData,
}

/// What becomes of a target that a fragment shader writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Special {
    /// It gets the colours.
    #[default]
    None,
    /// Its blocks are said to have the surface's clear colour.
    FastClear,
    /// Blocks of which that is said get it.
    PartialResolve,
    /// So they do, and compressed ones are no longer.
    Resolve,
}

/// A shader of a stage that has nothing but URB entries.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Code, in bytes from Instruction Base Address.
    pub kernel_offset_bytes: u64,
    /// Scratch.
    pub scratch: Scratch,
    /// Register in which its constants begin.
    pub first_grf: u32,
    /// Its constants.
    pub push: &'a abi::PushData,
}

/// A tessellation control shader.
#[derive(Clone, Copy, Debug)]
pub struct ControlShader<'a> {
    /// Code.
    pub program: Program<'a>,
    /// What the compiler says of it.
    pub info: &'a abi::TessControlInfo,
}

/// A tessellation evaluation shader.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationShader<'a> {
    /// Code.
    pub program: Program<'a>,
    /// What the compiler says of it.
    pub info: &'a abi::TessEvalInfo,
}

/// Tessellation.
#[derive(Clone, Copy, Debug)]
pub struct Tessellation<'a> {
    /// From vertices to patches.
    pub control: ControlShader<'a>,
    /// From patches to vertices.
    pub evaluation: EvaluationShader<'a>,
}

/// A geometry shader.
#[derive(Clone, Copy, Debug)]
pub struct GeometryShader<'a> {
    /// Code.
    pub program: Program<'a>,
    /// What the compiler says of it.
    pub info: &'a abi::GeometryInfo,
}

/// A dword of a vertex that is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedDword {
    /// Slot of the vertex, counted from its header; none: nothing writes it.
    pub slot: Option<u8>,
    /// Dword in the slot.
    pub component: u8,
    /// Buffer.
    pub buffer: u8,
    /// Stream.
    pub stream: u8,
    /// Byte from the start of the vertex in the buffer.
    pub offset_bytes: u32,
}

/// What happens to vertices between the last stage and rasterisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOut {
    /// What is captured, by buffer and offset.
    pub dwords: Vec<CapturedDword>,
    /// Bytes from one vertex to the next in each buffer.
    pub strides_bytes: [u32; abi::CAPTURE_BUFFERS],
    /// There are several streams, of which one is drawn, or another one than the first.
    pub streams: bool,
    /// Slots of a vertex.
    pub slots: u32,
}

impl StreamOut {
    /// Whether it has anything to do.
    pub fn is_on(&self) -> bool {
        self.streams || !self.dwords.is_empty()
    }
}

/// What draws, from vertices to colours.
#[derive(Clone, Debug)]
pub struct Shaders<'a> {
    /// Vertices.
    pub vertex: VertexShader<'a>,
    /// Tessellation.
    pub tessellation: Option<Tessellation<'a>>,
    /// Primitives.
    pub geometry: Option<GeometryShader<'a>>,
    /// Fragments; None: depth and stencil alone.
    pub fragment: Option<FragmentShader<'a>>,
    /// What is captured, and which streams there are.
    pub stream_out: StreamOut,
    /// What they do is counted.
    pub counted: bool,
    /// The last stage before rasterisation writes the size of points.
    pub writes_point_size: bool,
    /// It writes the layer.
    pub writes_layer: bool,
    /// It writes the number of the viewport.
    pub writes_viewport: bool,
    /// Distances by which vertices of the vertex shader are clipped, a bit each; the last stage's count.
    pub clip_distances: u8,
    /// Distances by which they are culled, alike.
    pub cull_distances: u8,
}
