//! What the stages that draw need at launch.
//!
//! Slots are numbers of `nir::Slot`: this crate knows but those that the hardware gives a place ([`slot`]).
//! Ref: SKL PRM vol. 7, "Vertex URB Entry Formats", "Pixel Shader Payload"; vol. 2a, 3DSTATE_VS, 3DSTATE_PS, 3DSTATE_PS_EXTRA, 3DSTATE_SBE.

/// Slots with a place of their own in a vertex's URB entry.
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
    /// Primitive's number. Fragments get the hardware's where no stage writes it.
    pub const PRIMITIVE_ID: u8 = 8;
    /// Where in a point a fragment lies: the setup makes it.
    pub const POINT_COORD: u8 = 14;
}

/// Where a stage puts its outputs in a vertex's URB entry: a slot of four dwords each. It follows from what the stage
/// writes alone, so that stages that are compiled apart agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VueMap {
    /// The slot at each place. The first is the header (named [`slot::POINT_SIZE`]), the second the position; clip distances
    /// follow, then the others by number.
    pub slots: Vec<u8>,
}

impl VueMap {
    /// The map of a stage that writes these slots, a bit each.
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

    /// Place of a slot; the header's for what is a part of it.
    pub fn place(&self, slot: u8) -> Option<usize> {
        if in_header(slot) {
            return Some(0);
        }
        self.slots.iter().position(|&s| s == slot)
    }
}

/// The dword of the header that a slot is, if it is one.
pub const fn header_dword(slot: u8) -> Option<u8> {
    match slot {
        slot::LAYER => Some(1),
        slot::VIEWPORT => Some(2),
        slot::POINT_SIZE => Some(3),
        _ => None,
    }
}

/// True for a slot that is a dword of the header.
pub const fn in_header(slot: u8) -> bool {
    header_dword(slot).is_some()
}

/// A vertex element: four dwords of each vertex, pushed in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VertexElement {
    /// The attribute at a location.
    Location(u8),
    /// First vertex, first instance, VertexID (without the first vertex) and InstanceID: two dwords from a buffer of the
    /// launcher's, and two that 3DSTATE_VF_SGVS puts there.
    DrawParameters,
    /// Number of the draw in its first dword, from a buffer of the launcher's.
    DrawIndex,
}

/// Buffers that vertices can be captured to.
pub const CAPTURE_BUFFERS: usize = 4;
/// Streams of a geometry shader's vertices.
pub const STREAMS: usize = 4;

/// A dword of a vertex that is captured (transform feedback).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Captured {
    /// The slot.
    pub slot: u8,
    /// Dword in it, as the shader names it: of what is a part of the header, 0.
    pub component: u8,
    /// Buffer.
    pub buffer: u8,
    /// Stream.
    pub stream: u8,
    /// Byte from the start of the vertex in the buffer.
    pub offset_bytes: u32,
}

/// What of vertices is captured, if the stage is the last one before rasterisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capture {
    /// The dwords, in any order. None: nothing is captured.
    pub dwords: Vec<Captured>,
    /// Bytes from one vertex to the next in each buffer.
    pub strides_bytes: [u32; CAPTURE_BUFFERS],
}

/// A dword of a vertex that the stage behind finds elsewhere than in its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The slot.
    pub slot: u8,
    /// The component.
    pub component: u8,
    /// Where it is.
    pub to: Linked,
}

/// Where a dword of a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linked {
    /// In a component of a slot.
    At(u8, u8),
    /// In no vertex: it is this for all of them.
    Constant(u32),
}

/// What the last stage before rasterisation says of its vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexOutputs {
    /// Where it writes what.
    pub vue: VueMap,
    /// The slots written, a bit each: those of the header too.
    pub written: u128,
    /// Distances to clip by, a bit for each of the eight components from [`slot::CLIP_DISTANCES_LOW`] on.
    pub clip_distances: u8,
    /// Distances to cull by, alike.
    pub cull_distances: u8,
    /// What of them goes to buffers.
    pub capture: Capture,
    /// What the stage behind finds elsewhere, if the shader was compiled for that one.
    pub links: Vec<Link>,
}

/// What a vertex shader needs at launch. Eight vertices a thread; the URB entry's handles are pushed in r1, then the push data's
/// block, then the elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexInfo {
    /// The elements, in the order in which they are pushed.
    pub elements: Vec<VertexElement>,
    /// What it writes. An entry has room for it and for the elements.
    pub outputs: VertexOutputs,
}

/// Where the parts of a patch lie in its URB entry: two slots with the tessellation levels, its own slots, then those of each
/// control point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PatchMap {
    /// The slots of the patch, by number.
    pub slots: Vec<u8>,
    /// The slots of a control point.
    pub point: VueMap,
    /// Control points.
    pub points: u32,
}

/// Slots of a patch's header.
const PATCH_HEADER_SLOTS: usize = 2;

impl PatchMap {
    /// The map of a stage that writes these slots of patches and of control points, a bit each.
    pub fn new(patch: u128, point: u128, points: u32) -> PatchMap {
        PatchMap {
            slots: (0..128).filter(|s| patch >> s & 1 == 1).collect(),
            point: VueMap::new(point),
            points,
        }
    }

    /// Place of a slot of the patch.
    pub fn place(&self, slot: u8) -> Option<usize> {
        let at = self.slots.iter().position(|&s| s == slot)?;
        Some(PATCH_HEADER_SLOTS + at)
    }

    /// Place of a slot of the first control point. Those of the next lie [`PatchMap::point_slots`] further.
    pub fn point_place(&self, slot: u8) -> Option<usize> {
        Some(PATCH_HEADER_SLOTS + self.slots.len() + self.point.place(slot)?)
    }

    /// Slots of a control point.
    pub fn point_slots(&self) -> usize {
        self.point.slots.len()
    }

    /// Slots of an entry.
    pub fn entry_slots(&self) -> usize {
        PATCH_HEADER_SLOTS + self.slots.len() + self.points as usize * self.point_slots()
    }
}

/// What a tessellation control shader needs at launch: SINGLE_PATCH, a thread for each eight control points that it makes. The
/// handles of up to 32 vertices are pushed in r1 to r4, then the push data's block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TessControlInfo {
    /// What it writes.
    pub patch: PatchMap,
}

impl TessControlInfo {
    /// Threads of a patch.
    pub fn instances(&self) -> u32 {
        self.patch.points.div_ceil(8).max(1)
    }
}

/// Kind of a patch: the values of 3DSTATE_TE, TE Domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the kinds' names")]
pub enum TessDomain {
    #[default]
    Quads = 0,
    Triangles = 1,
    Isolines = 2,
}

/// How edges are divided: the values of 3DSTATE_TE, Partitioning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum TessSpacing {
    #[default]
    Equal = 0,
    FractionalOdd = 1,
    FractionalEven = 2,
}

/// What a tessellation evaluation shader needs at launch: SIMD8_SINGLE_PATCH, eight points of the domain a thread. Coordinates are in
/// r1 to r3, handles in r4; the push data's block follows, then so much of the patch's entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TessEvalInfo {
    /// What it writes.
    pub outputs: VertexOutputs,
    /// Kind of patch.
    pub domain: TessDomain,
    /// Division of edges.
    pub spacing: TessSpacing,
    /// Triangles go round counterclockwise in the domain.
    pub ccw: bool,
    /// Points alone are made.
    pub point_mode: bool,
    /// Registers of the patch's entry that are pushed.
    pub pushed_grf: u8,
}

/// What a geometry shader makes: the values of 3D_PRIM_TOPO_TYPE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the topologies' names")]
pub enum OutputTopology {
    #[default]
    Points = 1,
    LineStrip = 3,
    TriangleStrip = 5,
}

/// What a geometry shader needs at launch: SIMD8. Output handles are in r1, with the instance in bits 31:27; then a register of
/// primitives' numbers, if it reads them, and the handles of vertices: a register for each, or, if it has several invocations, a dword
/// for each; then the push data's block.
///
/// Its URB entry begins with 32 bytes whose first dword is the number of vertices, then control data, then vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GeometryInfo {
    /// What it writes for each vertex.
    pub outputs: VertexOutputs,
    /// Vertices of what comes in.
    pub vertices_in: u8,
    /// It reads the primitive's number.
    pub primitive_id: bool,
    /// Runs for each primitive.
    pub invocations: u8,
    /// What it makes.
    pub topology: OutputTopology,
    /// Vertices that it emits at most.
    pub vertices_out: u16,
    /// It ends strips: there is a bit for each vertex that is the last of one.
    pub cuts: bool,
    /// It emits points to several streams: there are two bits for each vertex, the number of its stream.
    pub streams: bool,
    /// The stream of its vertices, where it is one.
    pub stream: u8,
}

impl GeometryInfo {
    /// Registers of control data.
    pub fn control_grf(&self) -> u32 {
        const BITS: u32 = GRF_BYTES * 8;
        let vertices = u32::from(self.vertices_out);
        match (self.cuts, self.streams) {
            (_, true) => (2 * vertices).div_ceil(BITS),
            (true, false) => vertices.div_ceil(BITS),
            (false, false) => 0,
        }
    }

    /// Slots from one vertex to the next: an even number.
    pub fn vertex_slots(&self) -> u32 {
        self.outputs.vue.slots.len().next_multiple_of(2) as u32
    }

    /// Slots before the first vertex.
    pub fn first_slot(&self) -> u32 {
        2 + 2 * self.control_grf()
    }

    /// Slots of an entry.
    pub fn entry_slots(&self) -> u32 {
        self.first_slot() + u32::from(self.vertices_out) * self.vertex_slots()
    }
}

/// Bytes of a register.
const GRF_BYTES: u32 = 32;

/// How an attribute is evaluated: a bit of [`FragmentInfo::barycentric_modes`], in the order in which the payload has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barycentric {
    /// With perspective, at the pixel's centre.
    PerspectivePixel,
    /// With perspective, at the centroid.
    PerspectiveCentroid,
    /// With perspective, at the sample.
    PerspectiveSample,
    /// Linear on the screen, at the pixel's centre.
    LinearPixel,
    /// Linear on the screen, at the centroid.
    LinearCentroid,
    /// Linear on the screen, at the sample.
    LinearSample,
}

/// Modes of [`Barycentric`].
pub const BARYCENTRIC_MODES: usize = 6;

/// What is known of the depth that a fragment shader writes: the values of 3DSTATE_PS_EXTRA, Pixel Shader Computed Depth Mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ComputedDepth {
    /// It writes none.
    #[default]
    Off,
    /// Any.
    On,
    /// None smaller than the primitive's.
    GreaterOrEqual,
    /// None greater than the primitive's.
    LessOrEqual,
}

/// Attributes that may come from anywhere; those behind them come from the slots behind that of the last of these, in order.
pub const FREE_INPUTS: usize = 16;

/// What a fragment shader needs at launch. Threads have the vector mask (3DSTATE_PS, Vector Mask Enable): helper pixels run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FragmentInfo {
    /// Slot of each attribute, in the order of the setup data: two registers each.
    pub inputs: Vec<u8>,
    /// Attributes that take the provoking vertex's value, a bit each.
    pub flat_inputs: u64,
    /// Bits of [`Barycentric`].
    pub barycentric_modes: u8,
    /// The payload has the depth.
    pub source_depth: bool,
    /// The payload has w.
    pub source_w: bool,
    /// The payload has the samples' positions.
    pub sample_positions: bool,
    /// The payload has the coverage mask.
    pub input_coverage: bool,
    /// The depth that it writes.
    pub computed_depth: ComputedDepth,
    /// It asks for barycentric coordinates elsewhere than at those places.
    pub pulls_barycentrics: bool,
    /// It writes stencil.
    pub output_stencil: bool,
    /// It writes a sample mask.
    pub output_mask: bool,
    /// It may end pixels, or make helpers of them.
    pub kills: bool,
    /// It runs for each sample.
    pub per_sample: bool,
    /// EarlyFragmentTests.
    pub early_tests: bool,
    /// The coverage mask is that behind the depth test.
    pub post_depth_coverage: bool,
    /// It writes memory.
    pub writes_memory: bool,
    /// Render targets written, a bit each: index n of the binding table is target n.
    pub targets: u8,
    /// It writes the second source of dual-source blending.
    pub dual_source: bool,
}
