//! Draw state besides shaders and targets, independent of the API.
//!
//! In:  values, as commands set them. Out: the same values, with the groups that changed
//!      ([`DirtyGroups`]).
//! Ref: SKL PRM vol. 7, "3D Pipeline Stages"; Vulkan 1.3, chapters "Drawing Commands",
//!      "Rasterization", "Fragment Operations", "The Framebuffer".

/// Colour targets of a draw.
pub const TARGETS: usize = 8;
/// Viewports, and scissors.
pub const VIEWPORTS: usize = 16;
/// Vertex buffers of the application; the driver adds two.
pub const VERTEX_BUFFERS: usize = 31;
/// Vertex attributes of the application, by location.
pub const ATTRIBUTES: usize = 29;

/// A set of state groups; each group's packets are emitted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirtyGroups(u32);

impl DirtyGroups {
    /// No group.
    pub const NONE: DirtyGroups = DirtyGroups(0);
    /// Shaders, and the packets that depend on them alone.
    pub const SHADERS: DirtyGroups = DirtyGroups(1);
    /// Vertex attributes: formats and offsets.
    pub const ATTRIBUTES: DirtyGroups = DirtyGroups(1 << 1);
    /// Vertex buffers.
    pub const VERTEX_BUFFERS: DirtyGroups = DirtyGroups(1 << 2);
    /// The index buffer.
    pub const INDEX_BUFFER: DirtyGroups = DirtyGroups(1 << 3);
    /// Topology and primitive restart.
    pub const ASSEMBLY: DirtyGroups = DirtyGroups(1 << 4);
    /// [`RasterState`].
    pub const RASTER: DirtyGroups = DirtyGroups(1 << 5);
    /// [`MultisampleState`].
    pub const MULTISAMPLE: DirtyGroups = DirtyGroups(1 << 6);
    /// [`DepthStencil`].
    pub const DEPTH_STENCIL: DirtyGroups = DirtyGroups(1 << 7);
    /// [`BlendState`], except the blend constants.
    pub const BLEND: DirtyGroups = DirtyGroups(1 << 8);
    /// Blend constants.
    pub const BLEND_CONSTANTS: DirtyGroups = DirtyGroups(1 << 9);
    /// Viewports.
    pub const VIEWPORTS: DirtyGroups = DirtyGroups(1 << 10);
    /// Scissors.
    pub const SCISSORS: DirtyGroups = DirtyGroups(1 << 11);
    /// Render targets.
    pub const TARGETS: DirtyGroups = DirtyGroups(1 << 12);
    /// Push constants.
    pub const CONSTANTS: DirtyGroups = DirtyGroups(1 << 13);
    /// Tessellation domain origin.
    pub const DOMAIN: DirtyGroups = DirtyGroups(1 << 14);
    /// Depth clamping, and whether clip space depth starts at -w.
    pub const DEPTH_RANGE: DirtyGroups = DirtyGroups(1 << 15);
    /// Transform feedback buffers.
    pub const STREAM_OUT: DirtyGroups = DirtyGroups(1 << 16);
    /// Sample locations.
    pub const LOCATIONS: DirtyGroups = DirtyGroups(1 << 17);
    /// All groups.
    pub const ALL: DirtyGroups = DirtyGroups((1 << 18) - 1);

    /// The union.
    #[must_use]
    pub const fn with(self, other: DirtyGroups) -> DirtyGroups {
        DirtyGroups(self.0 | other.0)
    }

    /// The difference.
    #[must_use]
    pub const fn without(self, other: DirtyGroups) -> DirtyGroups {
        DirtyGroups(self.0 & !other.0)
    }

    /// Whether any group of `other` is in the set.
    pub const fn any(self, other: DirtyGroups) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all groups of `other` are in the set.
    pub const fn all(self, other: DirtyGroups) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set is empty.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// Primitive topology.
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

/// Polygon mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PolygonMode {
    /// Filled polygons.
    #[default]
    Solid,
    /// Edges.
    Lines,
    /// Vertices.
    Points,
}

/// Culled faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the modes' names")]
pub enum CullMode {
    #[default]
    None,
    Front,
    Back,
    Both,
}

/// Line rasterisation mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineMode {
    /// Bresenham lines if single-sampled, else rectangular.
    #[default]
    Default,
    /// Rectangles.
    Rectangular,
    /// Bresenham lines.
    Bresenham,
    /// Rectangles with antialiased edges.
    Smooth,
}

/// Depth bias.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// Constant factor, in units of the smallest resolvable depth difference.
    pub constant: f32,
    /// Slope factor.
    pub slope: f32,
    /// Maximum (or minimum, if negative) bias; 0: unlimited.
    pub clamp: f32,
    /// The constant factor is the bias itself, not a multiple of the smallest difference.
    pub absolute: bool,
}

/// Line stipple.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineStipple {
    /// Repeat factor of each pattern bit, 1 to 256.
    pub factor: u16,
    /// Pattern, lowest bit first.
    pub pattern: u16,
}

/// Rasterisation state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterState {
    /// Rasteriser discard.
    pub discard: bool,
    /// Positions are in pixels: neither clipped nor transformed, as rectangle lists require.
    pub screen: bool,
    /// Polygon mode.
    pub fill: PolygonMode,
    /// Culled faces.
    pub cull: CullMode,
    /// Front faces have clockwise winding on the screen.
    pub front_is_clockwise: bool,
    /// Clip at the near and the far plane. `None`: clip unless depth is clamped.
    pub depth_clip: Option<bool>,
    /// Depth is clamped to the viewport's range, or to `clamp_range`; not just to 0..1.
    pub depth_clamp: bool,
    /// Minimum and maximum of clamped depth. `None`: those of the viewport.
    pub clamp_range: Option<[f32; 2]>,
    /// Clip space depth goes from -w to w, not from 0 to w.
    pub near_at_minus_w: bool,
    /// Depth bias is enabled.
    pub biased: bool,
    /// Depth bias.
    pub depth_bias: DepthBias,
    /// Line width in pixels.
    pub line_width: f32,
    /// Line rasterisation mode.
    pub lines: LineMode,
    /// Line stipple is enabled.
    pub stippled: bool,
    /// Line stipple.
    pub stipple: LineStipple,
    /// Conservative (overestimating) rasterisation.
    pub conservative: bool,
    /// The vertex stream that is rasterised.
    pub stream: u8,
    /// The last vertex, not the first, is the provoking vertex.
    pub provoking_last: bool,
}

impl RasterState {
    /// Whether primitives are clipped at the near and the far plane.
    pub fn clips_depth(&self) -> bool {
        self.depth_clip.unwrap_or(!self.depth_clamp)
    }
}

impl Default for RasterState {
    fn default() -> Self {
        Self {
            discard: false,
            screen: false,
            fill: PolygonMode::Solid,
            cull: CullMode::None,
            front_is_clockwise: false,
            depth_clip: None,
            depth_clamp: false,
            clamp_range: None,
            near_at_minus_w: false,
            biased: false,
            depth_bias: DepthBias::default(),
            line_width: 1.0,
            lines: LineMode::Default,
            stippled: false,
            stipple: LineStipple::default(),
            conservative: false,
            stream: 0,
            provoking_last: false,
        }
    }
}

/// Multisample state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultisampleState {
    /// Samples of a pixel: 1, 2, 4, 8 or 16.
    pub samples: u8,
    /// Sample mask.
    pub mask: u16,
    /// Alpha to coverage.
    pub alpha_to_coverage: bool,
    /// Alpha to one.
    pub alpha_to_one: bool,
}

impl Default for MultisampleState {
    fn default() -> Self {
        Self {
            samples: 1,
            mask: 0xffff,
            alpha_to_coverage: false,
            alpha_to_one: false,
        }
    }
}

/// Comparison of the new value with the stored one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the functions' names")]
pub enum CompareOp {
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

/// Stencil operation.
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

/// Stencil state of one face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StencilFace {
    /// Operation if the stencil test fails.
    pub fail: StencilOp,
    /// Operation if the stencil test passes and the depth test fails.
    pub depth_fail: StencilOp,
    /// Operation if both tests pass.
    pub pass: StencilOp,
    /// Comparison.
    pub compare: CompareOp,
    /// Mask of the compared bits.
    pub compare_mask: u8,
    /// Mask of the written bits.
    pub write_mask: u8,
    /// Reference value.
    pub reference: u8,
}

/// Depth and stencil tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthStencil {
    /// Depth test; without it, depth is not written.
    pub depth_test: bool,
    /// Depth comparison.
    pub depth_compare: CompareOp,
    /// Depth is written if the test passes.
    pub depth_write: bool,
    /// Stencil test; without it, stencil is not written.
    pub stencil_test: bool,
    /// Front and back face.
    pub stencil: [StencilFace; 2],
    /// The pipeline is not made for a depth attachment: an attachment is not accessed.
    pub ignores_depth: bool,
    /// As `ignores_depth`, for stencil.
    pub ignores_stencil: bool,
}

/// Blend factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the factors' names")]
pub enum BlendFactor {
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

/// Blend operation.
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

/// Blend equation of colour or of alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlendEquation {
    /// Factor of the shader's output.
    pub source: BlendFactor,
    /// Factor of the target's value.
    pub destination: BlendFactor,
    /// Operation.
    pub op: BlendOp,
}

/// Blend state of one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlendTarget {
    /// Blending is enabled.
    pub blended: bool,
    /// Equations of colour and of alpha.
    pub equations: [BlendEquation; 2],
    /// Channel write mask: red is bit 0.
    pub write_mask: u8,
}

/// Blend state of all targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendState {
    /// By target.
    pub targets: [BlendTarget; TARGETS],
    /// Mask of the targets with colour writes enabled.
    pub write_mask: u8,
    /// The logic operation replaces blending.
    pub logic: bool,
    /// Truth table of the logic operation: source 1 and destination 1 at bit 3, source 1 and
    /// destination 0 at bit 2.
    pub logic_op: u8,
    /// Blend constants.
    pub constants: [f32; 4],
}

impl Default for BlendState {
    fn default() -> Self {
        Self {
            targets: Default::default(),
            write_mask: u8::MAX,
            logic: false,
            logic_op: 0,
            constants: [0.0; 4],
        }
    }
}

/// Which location of the fragment shader writes each colour attachment. The binding table and the
/// blend state are ordered by location; an attachment without a location takes one that is left, so
/// that meta draws reach it, and draws do not write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetSlots {
    /// By attachment: its slot of the binding table.
    slots: [u8; TARGETS],
    /// Mask of the slots with an attachment that draws write.
    mapped: u8,
}

impl Default for TargetSlots {
    /// Each attachment has its own index for a location.
    fn default() -> Self {
        Self {
            slots: std::array::from_fn(|index| index as u8),
            mapped: u8::MAX,
        }
    }
}

impl TargetSlots {
    /// From the location of each attachment, or none. Attachments beyond the list have none.
    /// Returns `None` if a location is out of range or belongs to two attachments.
    pub fn new(locations: impl IntoIterator<Item = Option<u32>>) -> Option<Self> {
        let mut slots = [None; TARGETS];
        let mut mapped = 0_u8;
        for (index, location) in locations.into_iter().enumerate() {
            let slot = slots.get_mut(index)?;
            let Some(location) = location else { continue };
            if location as usize >= TARGETS || mapped >> location & 1 != 0 {
                return None;
            }
            mapped |= 1 << location;
            *slot = Some(location as u8);
        }
        let mut left = (0..TARGETS as u8).filter(|slot| mapped >> slot & 1 == 0);
        // There are as many slots as attachments.
        let slots = slots.map(|slot| slot.or_else(|| left.next()).unwrap_or(0));
        Some(Self { slots, mapped })
    }

    /// The slot of an attachment.
    pub fn slot(&self, attachment: usize) -> usize {
        self.slots.get(attachment).map_or(0, |&slot| slot.into())
    }

    /// Values by attachment, ordered by slot.
    pub fn by_slot<T: Copy>(&self, by_attachment: &[T; TARGETS]) -> [T; TARGETS] {
        let mut ordered = *by_attachment;
        for (&slot, &value) in self.slots.iter().zip(by_attachment) {
            if let Some(to) = ordered.get_mut(usize::from(slot)) {
                *to = value;
            }
        }
        ordered
    }

    /// Values by slot, ordered by attachment.
    pub fn by_attachment<T: Copy>(&self, by_slot: &[T; TARGETS]) -> [T; TARGETS] {
        std::array::from_fn(|attachment| by_slot[self.slot(attachment) % TARGETS])
    }

    /// Mask of the slots with an attachment that draws write.
    pub fn mapped(&self) -> u8 {
        self.mapped
    }
}

impl BlendState {
    /// The state by slot, where this is by attachment.
    pub fn by_slot(&self, slots: &TargetSlots) -> BlendState {
        let enabled = std::array::from_fn(|index| self.write_mask >> index & 1);
        let enabled = slots.by_slot(&enabled);
        BlendState {
            targets: slots.by_slot(&self.targets),
            write_mask: (0..)
                .zip(enabled)
                .fold(0, |mask, (slot, on)| mask | on << slot),
            ..*self
        }
    }
}

/// A viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewport {
    /// Left edge, in pixels.
    pub x: f32,
    /// Upper edge, or the lower edge if the height is negative.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height; negative to flip the image.
    pub height: f32,
    /// Depth at the near plane.
    pub near: f32,
    /// Depth at the far plane.
    pub far: f32,
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelRect {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl PixelRect {
    /// The intersection.
    #[must_use]
    #[inline]
    pub fn and(&self, other: &PixelRect) -> PixelRect {
        let span = |a: u32, a_len: u32, b: u32, b_len: u32| {
            let start = a.max(b);
            let end = a.saturating_add(a_len).min(b.saturating_add(b_len));
            (start, end.saturating_sub(start))
        };
        let (x, width) = span(self.x, self.width, other.x, other.width);
        let (y, height) = span(self.y, self.height, other.y, other.height);
        PixelRect {
            x,
            y,
            width,
            height,
        }
    }
}

/// A bound vertex buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexBuffer {
    /// GPU address; 0: unbound, reads return zero.
    pub address: u64,
    /// Readable bytes.
    pub bytes: u32,
    /// Bytes between consecutive vertices or instances; at most 2048.
    pub stride_bytes: u16,
}

/// A vertex attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexAttribute {
    /// Index of its vertex buffer.
    pub buffer: u8,
    /// Offset from the start of the vertex, in bytes; at most 2047.
    pub offset_bytes: u16,
    /// Hardware format number.
    pub format: u16,
    /// Channels of the format. Missing channels read as 0, 0, 1, except those of 64-bit formats.
    pub channels: u8,
    /// Type of its channels.
    pub kind: AttributeKind,
    /// Instance step rate. `None`: per vertex. 0: all instances share one value.
    pub per_instance: Option<u32>,
}

/// Type of an attribute's channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the kinds")]
pub enum AttributeKind {
    #[default]
    Float,
    Integer,
    /// 64-bit channels, at most two; passed through unconverted.
    Quadwords,
}

/// Index types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the widths")]
pub enum IndexType {
    U8,
    #[default]
    U16,
    U32,
}

/// The bound index buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexBuffer {
    /// GPU address.
    pub address: u64,
    /// Readable bytes.
    pub bytes: u32,
    /// Index type.
    pub index: IndexType,
    /// The index that restarts primitives. `None`: the greatest of the type.
    pub restart_index: Option<u32>,
}

/// A bound transform feedback buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureBuffer {
    /// GPU address, a multiple of 4.
    pub address: u64,
    /// Writable bytes; 0: unbound.
    pub bytes: u64,
}

/// Custom sample locations for one sample count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleLocations {
    /// Samples of a pixel: 1, 2, 4, 8 or 16.
    pub samples: u8,
    /// Position of each sample, right and down from the pixel's corner, in sixteenths of a pixel: 0
    /// to 15.
    pub positions: [(u8, u8); 16],
}

/// All draw state besides shaders and targets.
#[derive(Clone, Debug)]
pub struct FixedFunctionState {
    /// Vertex attributes by location.
    pub attributes: [VertexAttribute; ATTRIBUTES],
    /// Vertex buffers by binding.
    pub vertex_buffers: [VertexBuffer; VERTEX_BUFFERS],
    /// Number of bound vertex buffers.
    pub vertex_buffer_count: u8,
    /// Index buffer.
    pub index_buffer: IndexBuffer,
    /// Transform feedback buffers, used while capturing.
    pub capture_buffers: [CaptureBuffer; abi::CAPTURE_BUFFERS],
    /// Transform feedback is active.
    pub capturing: bool,
    /// Custom sample locations are enabled.
    pub located: bool,
    /// Custom sample locations.
    pub locations: SampleLocations,
    /// Primitive topology.
    pub topology: Topology,
    /// Vertices of a patch, 1 to 32.
    pub patch_points: u8,
    /// Primitive restart.
    pub restart: bool,
    /// The tessellation domain origin is the lower left corner, not the upper left.
    pub lower_left: bool,
    /// Rasterisation state.
    pub raster: RasterState,
    /// Multisample state.
    pub multisample: MultisampleState,
    /// Depth and stencil tests.
    pub depth_stencil: DepthStencil,
    /// Blend state.
    pub blend: BlendState,
    /// Colours are dithered before they are stored. The targets determine it, not the pipeline.
    pub dithered: bool,
    /// Locations of the colour attachments. The rendering determines them, not the pipeline.
    pub target_slots: TargetSlots,
    /// Viewports.
    pub viewports: [Viewport; VIEWPORTS],
    /// Number of viewports.
    pub viewport_count: u8,
    /// Scissors, one for each viewport.
    pub scissors: [PixelRect; VIEWPORTS],
}

impl Default for FixedFunctionState {
    fn default() -> Self {
        Self {
            attributes: [VertexAttribute::default(); ATTRIBUTES],
            vertex_buffers: [VertexBuffer::default(); VERTEX_BUFFERS],
            vertex_buffer_count: 0,
            index_buffer: IndexBuffer::default(),
            capture_buffers: Default::default(),
            capturing: false,
            located: false,
            locations: SampleLocations::default(),
            topology: Topology::default(),
            patch_points: 1,
            restart: false,
            lower_left: false,
            raster: RasterState::default(),
            multisample: MultisampleState::default(),
            depth_stencil: DepthStencil::default(),
            blend: BlendState::default(),
            dithered: false,
            target_slots: TargetSlots::default(),
            viewports: [Viewport::default(); VIEWPORTS],
            viewport_count: 1,
            scissors: [PixelRect::default(); VIEWPORTS],
        }
    }
}

impl FixedFunctionState {
    /// The custom sample locations, if enabled.
    pub fn custom_sample_locations(&self) -> Option<&SampleLocations> {
        self.located.then_some(&self.locations)
    }
}
