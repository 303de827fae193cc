//! What a draw depends on beside its shaders, in no API's words.
//!
//! In:  values, as they are set. Out: the same, with the groups of which something has changed ([`Dirty`]).
//! Ref: SKL PRM vol. 7, "3D Pipeline Stages"; Vulkan 1.3, chapters "Drawing Commands", "Rasterization", "Fragment Operations",
//! "The Framebuffer".

/// Colour targets of a draw.
pub const TARGETS: usize = 8;
/// Viewports, and scissors.
pub const VIEWPORTS: usize = 16;
/// Vertex buffers that an application binds; two more are the driver's.
pub const VERTEX_BUFFERS: usize = 31;
/// Vertex attributes that an application has, by location.
pub const ATTRIBUTES: usize = 29;

/// Groups of state that are said together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dirty(u32);

impl Dirty {
    /// Nothing.
    pub const NONE: Dirty = Dirty(0);
    /// The shaders and all that follows from them alone.
    pub const SHADERS: Dirty = Dirty(1);
    /// Where attributes lie in their buffers.
    pub const ATTRIBUTES: Dirty = Dirty(1 << 1);
    /// Vertex buffers.
    pub const VERTEX_BUFFERS: Dirty = Dirty(1 << 2);
    /// The index buffer.
    pub const INDEX_BUFFER: Dirty = Dirty(1 << 3);
    /// Topology and primitive restart.
    pub const ASSEMBLY: Dirty = Dirty(1 << 4);
    /// [`Raster`].
    pub const RASTER: Dirty = Dirty(1 << 5);
    /// [`Multisample`].
    pub const MULTISAMPLE: Dirty = Dirty(1 << 6);
    /// [`DepthStencil`].
    pub const DEPTH_STENCIL: Dirty = Dirty(1 << 7);
    /// [`Blend`], but for its constants.
    pub const BLEND: Dirty = Dirty(1 << 8);
    /// The constants of blending.
    pub const BLEND_CONSTANTS: Dirty = Dirty(1 << 9);
    /// Viewports.
    pub const VIEWPORTS: Dirty = Dirty(1 << 10);
    /// Scissors.
    pub const SCISSORS: Dirty = Dirty(1 << 11);
    /// What is drawn to.
    pub const TARGETS: Dirty = Dirty(1 << 12);
    /// Constants of the shaders.
    pub const CONSTANTS: Dirty = Dirty(1 << 13);
    /// Where the domain of tessellation has its origin.
    pub const DOMAIN: Dirty = Dirty(1 << 14);
    /// Clamping of depth, and where its range begins.
    pub const DEPTH_RANGE: Dirty = Dirty(1 << 15);
    /// Where captured vertices go.
    pub const STREAM_OUT: Dirty = Dirty(1 << 16);
    /// Where samples lie in a pixel.
    pub const LOCATIONS: Dirty = Dirty(1 << 17);
    /// Everything.
    pub const ALL: Dirty = Dirty((1 << 18) - 1);

    /// Both.
    #[must_use]
    pub const fn with(self, other: Dirty) -> Dirty {
        Dirty(self.0 | other.0)
    }

    /// These but for others.
    #[must_use]
    pub const fn without(self, other: Dirty) -> Dirty {
        Dirty(self.0 & !other.0)
    }

    /// Whether any of `other` is among them.
    pub const fn any(self, other: Dirty) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all of `other` are among them.
    pub const fn all(self, other: Dirty) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there are none.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// How vertices make objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the topologies' names")]
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    #[default]
    TriangleList,
    TriangleStrip,
    TriangleFan,
    LineListAdjacency,
    LineStripAdjacency,
    TriangleListAdjacency,
    TriangleStripAdjacency,
    Rectangles,
    Patches,
}

/// What is left of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// All of it.
    #[default]
    Solid,
    /// Its edges.
    Lines,
    /// Its corners.
    Points,
}

/// Which faces are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the modes' names")]
pub enum Cull {
    #[default]
    None,
    Front,
    Back,
    Both,
}

/// How lines are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lines {
    /// By Bresenham's rule where a pixel has one sample, else as rectangles.
    #[default]
    Default,
    /// As rectangles.
    Rectangular,
    /// By Bresenham's rule.
    Bresenham,
    /// As rectangles with smooth edges.
    Smooth,
}

/// Moves depth away from the viewer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// In the smallest steps that the depth buffer resolves.
    pub constant: f32,
    /// For each unit of slope.
    pub slope: f32,
    /// The most that it may be; 0: no limit.
    pub clamp: f32,
}

/// Stippling of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stipple {
    /// Pixels that each bit stands for, 1 to 256.
    pub factor: u16,
    /// Bits, the lowest first.
    pub pattern: u16,
}

/// From objects to fragments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster {
    /// Nothing is drawn.
    pub discard: bool,
    /// Positions are pixels: neither clipped nor projected, as rectangles have to be.
    pub screen: bool,
    /// What is left of polygons.
    pub fill: Fill,
    /// Faces that are dropped.
    pub cull: Cull,
    /// Whose corners go round clockwise on the screen is a front face.
    pub front_is_clockwise: bool,
    /// Objects are clipped at the near and the far plane; None: unless depth is clamped.
    pub depth_clip: Option<bool>,
    /// Depth is clamped to the viewport's, not just to 0 and 1.
    pub depth_clamp: bool,
    /// The near plane is at z = -w, not at 0.
    pub near_at_minus_w: bool,
    /// Depth is moved.
    pub biased: bool,
    /// By how much, if it is.
    pub depth_bias: DepthBias,
    /// Pixels.
    pub line_width: f32,
    /// How lines are drawn.
    pub lines: Lines,
    /// They are stippled.
    pub stippled: bool,
    /// How, if they are.
    pub stipple: Stipple,
    /// Triangles cover each pixel that they overlap.
    pub conservative: bool,
    /// The stream that is drawn.
    pub stream: u8,
    /// The last vertex gives an object its flat attributes, not the first.
    pub provoking_last: bool,
}

impl Raster {
    /// Whether objects are clipped at the near and the far plane.
    pub fn clips_depth(&self) -> bool {
        self.depth_clip.unwrap_or(!self.depth_clamp)
    }
}

impl Default for Raster {
    fn default() -> Self {
        Self {
            discard: false,
            screen: false,
            fill: Fill::Solid,
            cull: Cull::None,
            front_is_clockwise: false,
            depth_clip: None,
            depth_clamp: false,
            near_at_minus_w: false,
            biased: false,
            depth_bias: DepthBias::default(),
            line_width: 1.0,
            lines: Lines::Default,
            stippled: false,
            stipple: Stipple::default(),
            conservative: false,
            stream: 0,
            provoking_last: false,
        }
    }
}

/// Samples of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multisample {
    /// 1, 2, 4, 8 or 16.
    pub samples: u8,
    /// Which of them may be written.
    pub mask: u16,
    /// Alpha says how many are.
    pub alpha_to_coverage: bool,
    /// Alpha is then 1.
    pub alpha_to_one: bool,
}

impl Default for Multisample {
    fn default() -> Self {
        Self {
            samples: 1,
            mask: 0xffff,
            alpha_to_coverage: false,
            alpha_to_one: false,
        }
    }
}

/// When a test passes: the new value compared with the stored one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the functions' names")]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    #[default]
    Always,
}

/// What becomes of a stencil value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the operations' names")]
pub enum StencilOp {
    #[default]
    Keep,
    Zero,
    Replace,
    IncrementClamp,
    DecrementClamp,
    Invert,
    IncrementWrap,
    DecrementWrap,
}

/// The stencil test of one face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StencilFace {
    /// The test fails.
    pub fail: StencilOp,
    /// The depth test fails.
    pub depth_fail: StencilOp,
    /// Both pass.
    pub pass: StencilOp,
    /// The test.
    pub compare: Compare,
    /// Bits that are compared.
    pub compare_mask: u8,
    /// Bits that may change.
    pub write_mask: u8,
    /// What is compared with the stored value.
    pub reference: u8,
}

/// The tests of depth and stencil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthStencil {
    /// Depth is tested; if not, none is written.
    pub depth_test: bool,
    /// The test.
    pub depth_compare: Compare,
    /// What passes is written.
    pub depth_write: bool,
    /// Stencil is tested; if not, none is written.
    pub stencil_test: bool,
    /// Front and back face.
    pub stencil: [StencilFace; 2],
}

/// What a colour is multiplied by before it is blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the factors' names")]
pub enum Factor {
    Zero,
    #[default]
    One,
    Source,
    OneMinusSource,
    Destination,
    OneMinusDestination,
    SourceAlpha,
    OneMinusSourceAlpha,
    DestinationAlpha,
    OneMinusDestinationAlpha,
    Constant,
    OneMinusConstant,
    ConstantAlpha,
    OneMinusConstantAlpha,
    SourceAlphaSaturate,
    Source1,
    OneMinusSource1,
    Source1Alpha,
    OneMinusSource1Alpha,
}

/// How the two are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the operations' names")]
pub enum BlendOp {
    #[default]
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// Blending of colour, or of alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Equation {
    /// Of what the shader writes.
    pub source: Factor,
    /// Of what is there.
    pub destination: Factor,
    /// What is done with both.
    pub op: BlendOp,
}

/// Blending into one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlendTarget {
    /// What is there is blended with, not replaced.
    pub blended: bool,
    /// Of colour and of alpha, where there is blending.
    pub equations: [Equation; 2],
    /// Channels that are written: red is bit 0.
    pub write_mask: u8,
}

/// Blending into all targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// By target.
    pub targets: [BlendTarget; TARGETS],
    /// Targets that are written, a bit each, as far as their masks say.
    pub written: u8,
    /// A bitwise operation takes the place of blending.
    pub logic: bool,
    /// Its truth table, with source 1 and destination 1 at bit 3, 1 and 0 at bit 2.
    pub logic_op: u8,
    /// Constants of the factors.
    pub constants: [f32; 4],
}

impl Default for Blend {
    fn default() -> Self {
        Self {
            targets: Default::default(),
            written: u8::MAX,
            logic: false,
            logic_op: 0,
            constants: [0.0; 4],
        }
    }
}

/// Where normalized coordinates fall on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewport {
    /// Left edge, in pixels.
    pub x: f32,
    /// Upper edge, or the lower one if the height is negative.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height; negative: upside down.
    pub height: f32,
    /// Depth of the near plane.
    pub near: f32,
    /// Depth of the far plane.
    pub far: f32,
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Area {
    /// What is in both.
    #[must_use]
    #[inline]
    pub fn and(&self, other: &Area) -> Area {
        let span = |a: u32, a_len: u32, b: u32, b_len: u32| {
            let start = a.max(b);
            let end = a.saturating_add(a_len).min(b.saturating_add(b_len));
            (start, end.saturating_sub(start))
        };
        let (x, width) = span(self.x, self.width, other.x, other.width);
        let (y, height) = span(self.y, self.height, other.y, other.height);
        Area {
            x,
            y,
            width,
            height,
        }
    }
}

/// A buffer that vertices are read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexBuffer {
    /// Where it begins; 0: there is none, and zeros are read.
    pub address: u64,
    /// Bytes that may be read.
    pub bytes: u32,
    /// Bytes from one vertex, or instance, to the next; at most 2048.
    pub stride_bytes: u16,
}

/// An attribute of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// Index of its buffer.
    pub buffer: u8,
    /// Bytes from the vertex's start; at most 2047.
    pub offset_bytes: u16,
    /// The hardware's number of its format.
    pub format: u16,
    /// Channels that the format has; others are 0, 0, 1, but for those behind quadwords.
    pub channels: u8,
    /// What they are.
    pub kind: AttributeKind,
    /// Instances that share a value; None: each vertex has its own. 0: all share it.
    pub per_instance: Option<u32>,
}

/// What the channels of an attribute are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the kinds")]
pub enum AttributeKind {
    #[default]
    Float,
    Integer,
    /// Two at most, which pass as they are.
    Quadwords,
}

/// Widths of indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the widths")]
pub enum IndexType {
    U8,
    #[default]
    U16,
    U32,
}

/// Where indices are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexBuffer {
    /// Where it begins.
    pub address: u64,
    /// Bytes that may be read.
    pub bytes: u32,
    /// Width of an index.
    pub index: IndexType,
}

/// A buffer that captured vertices go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureBuffer {
    /// Where it begins, a multiple of 4.
    pub address: u64,
    /// Bytes that may be written; 0: there is none.
    pub bytes: u64,
}

/// Where samples lie in a pixel, of pixels with so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locations {
    /// Samples of a pixel: 1, 2, 4, 8 or 16.
    pub samples: u8,
    /// Each one's place, to the right and down, in sixteenths of a pixel: 0 to 15.
    pub places: [(u8, u8); 16],
}

/// All of it.
#[derive(Clone, Debug)]
pub struct State {
    /// Attributes by location.
    pub attributes: [Attribute; ATTRIBUTES],
    /// Buffers by index.
    pub vertex_buffers: [VertexBuffer; VERTEX_BUFFERS],
    /// How many of those are bound.
    pub vertex_buffer_count: u8,
    /// Indices.
    pub index_buffer: IndexBuffer,
    /// Where captured vertices go, while they are captured.
    pub capture_buffers: [CaptureBuffer; abi::CAPTURE_BUFFERS],
    /// They are captured.
    pub capturing: bool,
    /// Samples do not lie where they always do.
    pub located: bool,
    /// Where they lie then.
    pub locations: Locations,
    /// Topology.
    pub topology: Topology,
    /// Vertices of a patch, 1 to 32.
    pub patch_points: u8,
    /// The highest index ends a strip.
    pub restart: bool,
    /// The origin of tessellation's domain is its lower left corner, not the upper one.
    pub lower_left: bool,
    /// From objects to fragments.
    pub raster: Raster,
    /// Samples.
    pub multisample: Multisample,
    /// Tests.
    pub depth_stencil: DepthStencil,
    /// Blending.
    pub blend: Blend,
    /// Viewports.
    pub viewports: [Viewport; VIEWPORTS],
    /// How many there are.
    pub viewport_count: u8,
    /// Scissors, as many as viewports.
    pub scissors: [Area; VIEWPORTS],
}

impl Default for State {
    fn default() -> Self {
        Self {
            attributes: [Attribute::default(); ATTRIBUTES],
            vertex_buffers: [VertexBuffer::default(); VERTEX_BUFFERS],
            vertex_buffer_count: 0,
            index_buffer: IndexBuffer::default(),
            capture_buffers: Default::default(),
            capturing: false,
            located: false,
            locations: Locations::default(),
            topology: Topology::default(),
            patch_points: 1,
            restart: false,
            lower_left: false,
            raster: Raster::default(),
            multisample: Multisample::default(),
            depth_stencil: DepthStencil::default(),
            blend: Blend::default(),
            viewports: [Viewport::default(); VIEWPORTS],
            viewport_count: 1,
            scissors: [Area::default(); VIEWPORTS],
        }
    }
}

impl State {
    /// Where samples lie, if not where they always do.
    pub fn own_locations(&self) -> Option<&Locations> {
        self.located.then_some(&self.locations)
    }
}
