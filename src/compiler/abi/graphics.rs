//! Launch parameters of the graphics stages.
//!
//! Slots are numbers of `nir::Slot`; this crate names only those with a fixed position in the VUE
//! ([`slot`]).
//! Ref: SKL PRM vol. 7, "Vertex URB Entry Formats", "Pixel Shader Payload"; vol. 2a, 3DSTATE_VS,
//!      3DSTATE_PS, 3DSTATE_PS_EXTRA, 3DSTATE_SBE.

/// Slots with a fixed position in a VUE.
pub mod slot {
    /// Position.
    pub const POSITION: u8 = 0;
    /// Point size: dword 3 of the header.
    pub const POINT_SIZE: u8 = 1;
    /// Clip distances 0 to 3.
    pub const CLIP_DISTANCES_LOW: u8 = 2;
    /// Clip distances 4 to 7.
    pub const CLIP_DISTANCES_HIGH: u8 = 3;
    /// Render target array index: dword 1 of the header.
    pub const LAYER: u8 = 6;
    /// Viewport index: dword 2 of the header.
    pub const VIEWPORT: u8 = 7;
    /// Primitive ID. Fragment shaders receive the hardware's if no stage writes it.
    pub const PRIMITIVE_ID: u8 = 8;
    /// Position of a fragment in a point sprite, which attribute setup computes.
    pub const POINT_COORD: u8 = 14;
}

/// The VUE map: the slot of four dwords at each position of a VUE. It depends only on the slots
/// that a stage writes, so that stages that are compiled separately agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VueMap {
    /// The slot at each position. The first is the header (represented by [`slot::POINT_SIZE`]),
    /// the second the position; clip distances follow, then the others by number.
    pub slots: Vec<u8>,
}

impl VueMap {
    /// The map of a stage that writes the slots in a mask.
    pub fn new(written: u128) -> VueMap {
        let is_written = |s: u8| written >> s & 1 == 1;
        let mut slots = vec![slot::POINT_SIZE, slot::POSITION];
        let high = is_written(slot::CLIP_DISTANCES_HIGH);
        if high || is_written(slot::CLIP_DISTANCES_LOW) {
            slots.push(slot::CLIP_DISTANCES_LOW);
        }
        if high {
            slots.push(slot::CLIP_DISTANCES_HIGH);
        }
        let placed = |s: u8| s <= slot::CLIP_DISTANCES_HIGH || in_header(s);
        slots.extend((0..128).filter(|&s| is_written(s) && !placed(s)));
        VueMap { slots }
    }

    /// Position of a slot; 0, the header's, for slots in the header.
    pub fn slot_index(&self, slot: u8) -> Option<usize> {
        if in_header(slot) {
            return Some(0);
        }
        self.slots.iter().position(|&s| s == slot)
    }
}

/// The dword of the VUE header that holds a slot; `None` for slots outside the header.
pub const fn header_dword(slot: u8) -> Option<u8> {
    match slot {
        slot::LAYER => Some(1),
        slot::VIEWPORT => Some(2),
        slot::POINT_SIZE => Some(3),
        _ => None,
    }
}

/// True for slots in the VUE header.
pub const fn in_header(slot: u8) -> bool {
    header_dword(slot).is_some()
}

/// A vertex element: four dwords of each vertex, pushed to registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VertexElement {
    /// The attribute at a location.
    Location(u8),
    /// First vertex, first instance, VertexID (without the first vertex) and InstanceID: two dwords
    /// from a buffer of the driver, and two that 3DSTATE_VF_SGVS inserts.
    DrawParameters,
    /// DrawIndex in its first dword, from a buffer of the driver.
    DrawIndex,
}

/// Number of transform feedback buffers.
pub const CAPTURE_BUFFERS: usize = 4;
/// Number of vertex streams of a geometry shader.
pub const STREAMS: usize = 4;

/// A dword of a vertex that transform feedback captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransformFeedbackOutput {
    /// The slot.
    pub slot: u8,
    /// Dword in the slot as the shader sees it: 0 for slots in the VUE header.
    pub component: u8,
    /// Transform feedback buffer.
    pub buffer: u8,
    /// Vertex stream.
    pub stream: u8,
    /// Byte offset in the buffer from the start of the vertex.
    pub offset_bytes: u32,
}

/// The outputs that transform feedback captures if the stage is the last before rasterisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TransformFeedbackInfo {
    /// The captured dwords, in any order.
    pub dwords: Vec<TransformFeedbackOutput>,
    /// Stride of a vertex in each buffer, in bytes.
    pub strides_bytes: [u32; CAPTURE_BUFFERS],
}

/// A dword of a vertex that the next stage reads from elsewhere than its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputLink {
    /// The slot.
    pub slot: u8,
    /// The component of the slot.
    pub component: u8,
    /// The new location.
    pub to: LinkTarget,
}

/// The new location of a dword of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkTarget {
    /// A component of a slot.
    At(u8, u8),
    /// A constant, the same for all vertices, that is not stored in the VUE.
    Constant(u32),
}

/// Vertex outputs of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexOutputs {
    /// Positions of the slots in the VUE.
    pub vue: VueMap,
    /// Mask of the slots written, including those in the header.
    pub written: u128,
    /// Mask of clip distances among the eight components from [`slot::CLIP_DISTANCES_LOW`] on.
    pub clip_distances: u8,
    /// Mask of cull distances among the same components.
    pub cull_distances: u8,
    /// Outputs that transform feedback captures.
    pub capture: TransformFeedbackInfo,
    /// Dwords that the next stage reads from elsewhere, if the shader was linked with it.
    pub links: Vec<OutputLink>,
}

/// Launch parameters of a vertex shader. Eight vertices a thread. Payload: URB handles in r1, then
/// the push data block, then the elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexInfo {
    /// The vertex elements, in payload order.
    pub elements: Vec<VertexElement>,
    /// The outputs. A URB entry must have room for either the outputs or the vertex elements.
    pub outputs: VertexOutputs,
}

/// Layout of a patch's URB entry: two slots of tessellation levels, the per-patch slots, then the
/// slots of each control point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PatchMap {
    /// The per-patch slots, by number.
    pub slots: Vec<u8>,
    /// The slots of a control point.
    pub point: VueMap,
    /// Number of control points.
    pub points: u32,
}

/// Number of slots of the patch header.
const PATCH_HEADER_SLOTS: usize = 2;

impl PatchMap {
    /// The map of a stage that writes the per-patch slots and control point slots in two masks.
    pub fn new(patch: u128, point: u128, points: u32) -> PatchMap {
        PatchMap {
            slots: (0..128).filter(|s| patch >> s & 1 == 1).collect(),
            point: VueMap::new(point),
            points,
        }
    }

    /// Position of a per-patch slot.
    pub fn slot_index(&self, slot: u8) -> Option<usize> {
        let at = self.slots.iter().position(|&s| s == slot)?;
        Some(PATCH_HEADER_SLOTS + at)
    }

    /// Position of a slot of the first control point; each further control point is
    /// [`PatchMap::point_slots`] later.
    pub fn point_slot_index(&self, slot: u8) -> Option<usize> {
        Some(PATCH_HEADER_SLOTS + self.slots.len() + self.point.slot_index(slot)?)
    }

    /// Number of slots of a control point.
    pub fn point_slots(&self) -> usize {
        self.point.slots.len()
    }

    /// Number of slots of a URB entry.
    pub fn entry_slots(&self) -> usize {
        PATCH_HEADER_SLOTS + self.slots.len() + self.points as usize * self.point_slots()
    }
}

/// Launch parameters of a tessellation control shader (HS): SINGLE_PATCH, a thread for each eight
/// output control points. Payload: the URB handles of up to 32 input vertices in r1 to r4, then the
/// push data block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TessControlInfo {
    /// Layout of the output patch.
    pub patch: PatchMap,
}

impl TessControlInfo {
    /// Number of threads for each patch.
    pub fn instances(&self) -> u32 {
        self.patch.points.div_ceil(8).max(1)
    }
}

/// Domain of a patch: the values of 3DSTATE_TE, TE Domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the kinds' names")]
pub enum TessDomain {
    #[default]
    Quads = 0,
    Triangles = 1,
    Isolines = 2,
}

/// Subdivision of edges: the values of 3DSTATE_TE, Partitioning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum TessSpacing {
    #[default]
    Equal = 0,
    FractionalOdd = 1,
    FractionalEven = 2,
}

/// Launch parameters of a tessellation evaluation shader (DS): SIMD8_SINGLE_PATCH, eight domain
/// points a thread. Payload: coordinates in r1 to r3, URB handles in r4, the push data block, then
/// the pushed part of the patch's URB entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TessEvalInfo {
    /// The outputs.
    pub outputs: VertexOutputs,
    /// Domain of the patch.
    pub domain: TessDomain,
    /// Subdivision of edges.
    pub spacing: TessSpacing,
    /// Triangles are counterclockwise in the domain.
    pub ccw: bool,
    /// The tessellator outputs only points.
    pub point_mode: bool,
    /// Number of registers of the patch's URB entry that are pushed.
    pub pushed_grf: u8,
}

/// Output topology of a geometry shader: the values of 3D_PRIM_TOPO_TYPE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the topologies' names")]
pub enum OutputTopology {
    #[default]
    Points = 1,
    LineStrip = 3,
    TriangleStrip = 5,
}

/// Launch parameters of a geometry shader: SIMD8. Payload: output handles in r1, with the instance
/// in bits 31:27; then a register of primitive IDs, if read; the URB handles of the input vertices,
/// a register each, or a dword each with several invocations; then the push data block.
///
/// The output URB entry begins with 32 bytes whose first dword is the number of vertices; control
/// data and vertices follow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GeometryInfo {
    /// Outputs of each vertex.
    pub outputs: VertexOutputs,
    /// Number of vertices of the input primitive.
    pub vertices_in: u8,
    /// The shader reads the primitive ID.
    pub primitive_id: bool,
    /// Number of invocations for each primitive.
    pub invocations: u8,
    /// Output topology.
    pub topology: OutputTopology,
    /// Maximum number of vertices emitted.
    pub vertices_out: u16,
    /// The shader ends strips: control data is a cut bit for each vertex.
    pub cuts: bool,
    /// The shader emits points to several streams: control data is a stream number of two bits for
    /// each vertex.
    pub streams: bool,
    /// The stream of all vertices, unless `streams`.
    pub stream: u8,
}

impl GeometryInfo {
    /// Number of registers of control data.
    pub fn control_grf(&self) -> u32 {
        const BITS: u32 = GRF_BYTES * 8;
        let vertices = u32::from(self.vertices_out);
        match (self.cuts, self.streams) {
            (_, true) => (2 * vertices).div_ceil(BITS),
            (true, false) => vertices.div_ceil(BITS),
            (false, false) => 0,
        }
    }

    /// Number of slots from one vertex to the next, even.
    pub fn vertex_slots(&self) -> u32 {
        self.outputs.vue.slots.len().next_multiple_of(2) as u32
    }

    /// Number of slots before the first vertex.
    pub fn first_slot(&self) -> u32 {
        2 + 2 * self.control_grf()
    }

    /// Number of slots of a URB entry.
    pub fn entry_slots(&self) -> u32 {
        self.first_slot() + u32::from(self.vertices_out) * self.vertex_slots()
    }
}

/// Bytes of a register.
const GRF_BYTES: u32 = 32;

/// Interpolation of an attribute: a bit of [`FragmentInfo::barycentric_modes`], in payload order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barycentric {
    /// Perspective-correct, at the pixel's centre.
    PerspectivePixel,
    /// Perspective-correct, at the centroid.
    PerspectiveCentroid,
    /// Perspective-correct, at the sample.
    PerspectiveSample,
    /// Linear in screen space, at the pixel's centre.
    LinearPixel,
    /// Linear in screen space, at the centroid.
    LinearCentroid,
    /// Linear in screen space, at the sample.
    LinearSample,
}

/// Number of modes of [`Barycentric`].
pub const BARYCENTRIC_MODES: usize = 6;

/// Depth output of a fragment shader: the values of 3DSTATE_PS_EXTRA, Pixel Shader Computed Depth
/// Mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ComputedDepth {
    /// None.
    #[default]
    Off,
    /// Any depth.
    On,
    /// Not less than the interpolated depth.
    GreaterOrEqual,
    /// Not greater than the interpolated depth.
    LessOrEqual,
}

/// Number of attributes with a swizzle in 3DSTATE_SBE_SWIZ, which may come from any slot. Further
/// attributes come from the consecutive slots after that of the last of these.
pub const MAX_SWIZZLED_INPUTS: usize = 16;

/// Launch parameters of a fragment shader. Threads use the vector mask (3DSTATE_PS, Vector Mask
/// Enable), so that helper invocations execute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FragmentInfo {
    /// Slot of each attribute, in the order of the setup data (two registers each).
    pub inputs: Vec<u8>,
    /// Mask of flat attributes, with the provoking vertex's value.
    pub flat_inputs: u64,
    /// Mask of [`Barycentric`] modes in the payload.
    pub barycentric_modes: u8,
    /// The payload has the interpolated depth.
    pub source_depth: bool,
    /// The payload has the interpolated w.
    pub source_w: bool,
    /// The payload has the sample positions.
    pub sample_positions: bool,
    /// The payload has the coverage mask.
    pub input_coverage: bool,
    /// The depth output.
    pub computed_depth: ComputedDepth,
    /// The shader sends pixel interpolator messages, for barycentric coordinates at other
    /// positions.
    pub pulls_barycentrics: bool,
    /// The shader writes stencil.
    pub output_stencil: bool,
    /// The shader writes a sample mask.
    pub output_mask: bool,
    /// The shader may terminate or demote invocations.
    pub kills: bool,
    /// The shader is executed for each sample.
    pub per_sample: bool,
    /// EarlyFragmentTests.
    pub early_tests: bool,
    /// The coverage mask is that after the depth test.
    pub post_depth_coverage: bool,
    /// The shader writes memory.
    pub writes_memory: bool,
    /// Mask of the render targets written; target n is index n of the binding table.
    pub targets: u8,
    /// The shader writes the second source of dual-source blending.
    pub dual_source: bool,
}
