//! Interfaces between stages: slots, interpolation, and the stages' execution modes.
//!
//! In:  nothing. Out: plain data for variables, I/O intrinsics (their index `location`) and
//!      [`crate::ShaderInfo`].
//! Ref: NIR's gl_varying_slot and shader_info; Vulkan, "Shader Interfaces".

/// The slot of an input or output, as NIR's gl_varying_slot: four 32-bit components. One number
/// space serves all interfaces: built-ins below 32, user locations (including vertex attributes and
/// colour outputs) from [`Slot::VAR0`], locations of per-patch variables from [`Slot::PATCH0`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u8);

macro_rules! slots {
    ($($(#[$doc:meta])* $name:ident $number:literal $text:literal;)*) => {
        impl Slot {
            $($(#[$doc])* pub const $name: Slot = Slot($number);)*
        }
        static NAMED: &[(Slot, &str)] = &[$((Slot($number), $text)),*];
    };
}

slots! {
    /// gl_Position.
    POS 0 "pos";
    /// gl_PointSize.
    PSIZ 1 "psiz";
    /// gl_ClipDistance 0 to 3; after `lower_clip_cull_distance_arrays` cull distances follow the
    /// clip distances.
    CLIP_DIST0 2 "clip_dist0";
    /// gl_ClipDistance 4 to 7.
    CLIP_DIST1 3 "clip_dist1";
    /// gl_CullDistance 0 to 3.
    CULL_DIST0 4 "cull_dist0";
    /// gl_CullDistance 4 to 7.
    CULL_DIST1 5 "cull_dist1";
    /// gl_Layer.
    LAYER 6 "layer";
    /// gl_ViewportIndex.
    VIEWPORT 7 "viewport";
    /// gl_PrimitiveID, written by a geometry shader and read by a fragment shader.
    PRIMITIVE_ID 8 "primitive_id";
    /// gl_TessLevelOuter.
    TESS_LEVEL_OUTER 9 "tess_level_outer";
    /// gl_TessLevelInner.
    TESS_LEVEL_INNER 10 "tess_level_inner";
    /// gl_FragDepth.
    FRAG_DEPTH 11 "frag_depth";
    /// gl_FragStencilRef.
    FRAG_STENCIL 12 "frag_stencil";
    /// gl_SampleMask, as output.
    FRAG_SAMPLE_MASK 13 "frag_sample_mask";
    /// gl_PointCoord, after `lower_system_values`.
    POINT_COORD 14 "point_coord";
    /// User location 0.
    VAR0 32 "var0";
    /// User location 0 of per-patch variables.
    PATCH0 96 "patch0";
}

impl Slot {
    /// Slot numbers are less than this.
    pub const END: u8 = 128;

    /// User location `n`; `None` if it is too large.
    pub fn var(n: u32) -> Option<Slot> {
        (n < 64).then(|| Slot(Slot::VAR0.0 + n as u8))
    }
    /// User location `n` of per-patch variables; `None` if it is too large.
    pub fn patch(n: u32) -> Option<Slot> {
        (n < 32).then(|| Slot(Slot::PATCH0.0 + n as u8))
    }
    /// The user location; `None` for built-ins.
    pub fn user_location(self) -> Option<u32> {
        match self.0 {
            32..96 => Some(u32::from(self.0) - 32),
            96..128 => Some(u32::from(self.0) - 96),
            _ => None,
        }
    }
    /// The slot `n` after this one; `None` if there is none.
    pub fn plus(self, n: u32) -> Option<Slot> {
        let at = u32::from(self.0).checked_add(n)?;
        (at < u32::from(Slot::END)).then_some(Slot(at as u8))
    }
    /// Name in text.
    pub fn name(self) -> String {
        match (NAMED.iter().find(|n| n.0 == self), self.user_location()) {
            (_, Some(n)) if self >= Slot::PATCH0 => format!("patch{n}"),
            (_, Some(n)) => format!("var{n}"),
            (Some(n), None) => n.1.to_owned(),
            (None, None) => self.0.to_string(),
        }
    }
    /// The slot with this name.
    pub fn from_name(name: &str) -> Option<Slot> {
        if let Some(n) = NAMED.iter().find(|n| n.1 == name) {
            return Some(n.0);
        }
        let number = |prefix: &str| name.strip_prefix(prefix).and_then(|d| d.parse().ok());
        number("var")
            .and_then(Slot::var)
            .or_else(|| number("patch").and_then(Slot::patch))
    }
}

/// A set of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlotSet(u128);

impl SlotSet {
    /// No slot.
    pub const NONE: SlotSet = SlotSet(0);

    /// `count` consecutive slots from `first` on, ending at the last slot.
    pub fn run(first: Slot, count: u32) -> SlotSet {
        let slots = (0..count).map_while(|n| first.plus(n));
        slots.fold(SlotSet::NONE, SlotSet::with)
    }

    /// The set with `slot` added.
    #[must_use]
    pub fn with(self, slot: Slot) -> SlotSet {
        SlotSet(self.0 | 1u128.checked_shl(slot.0.into()).unwrap_or(0))
    }

    /// The union.
    #[must_use]
    pub fn or(self, other: SlotSet) -> SlotSet {
        SlotSet(self.0 | other.0)
    }

    /// The set as a mask: the bit of each slot's number is set.
    pub fn mask(self) -> u128 {
        self.0
    }

    /// The set of a mask.
    pub fn from_mask(mask: u128) -> SlotSet {
        SlotSet(mask)
    }

    /// True if the sets intersect.
    pub fn any(self, other: SlotSet) -> bool {
        self.0 & other.0 != 0
    }
}

/// Interpolation mode of a fragment shader's input: the value of an `interp_mode` index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum InterpMode {
    /// Perspective-correct.
    #[default]
    Smooth,
    /// The provoking vertex's value.
    Flat,
    /// Linear in screen space.
    NoPerspective,
}

pub(crate) const INTERPS: [(InterpMode, &str); 3] = [
    (InterpMode::Smooth, "smooth"),
    (InterpMode::Flat, "flat"),
    (InterpMode::NoPerspective, "noperspective"),
];

impl InterpMode {
    /// The mode with this number.
    pub fn from_index(index: u32) -> Option<InterpMode> {
        INTERPS.get(index as usize).map(|i| i.0)
    }
}

/// The position in the pixel at which an input is interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InterpLocation {
    /// At the pixel's centre.
    #[default]
    Pixel,
    /// At a position in the pixel that the primitive covers.
    Centroid,
    /// At the sample; the shader runs for each sample.
    Sample,
}

/// Slot and interpolation of an input or output variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IoVar {
    /// First slot.
    pub slot: Slot,
    /// First 32-bit component in it.
    pub component: u8,
    /// `Index`: 1 for the second source of dual-source blending.
    pub index: u8,
    /// Interpolation.
    pub interp: InterpMode,
    /// Position of interpolation.
    pub sampling: InterpLocation,
    /// A per-patch variable, not a per-vertex one.
    pub patch: bool,
    /// An array of scalars packed into slots without gaps (clip distances, tessellation levels).
    pub compact: bool,
    /// `Stream` of a geometry shader's output.
    pub stream: u8,
    /// Integers of 16 bits are signed: they are sign-extended to the 32 bits of a component.
    pub signed: bool,
}

/// Declared relation of the depth that a fragment shader writes to the interpolated depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum DepthLayout {
    /// Not declared.
    #[default]
    Any,
    Greater,
    Less,
    Unchanged,
}

pub(crate) const DEPTH_LAYOUTS: [(DepthLayout, &str); 4] = [
    (DepthLayout::Any, "any"),
    (DepthLayout::Greater, "greater"),
    (DepthLayout::Less, "less"),
    (DepthLayout::Unchanged, "unchanged"),
];

/// Clip and cull distances that a stage writes, after `lower_clip_cull_distance_arrays`: a bit for
/// each component from slot CLIP_DIST0 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClipCullDistances {
    /// Components that are clip distances.
    pub clip: u8,
    /// Components that are cull distances.
    pub cull: u8,
}

/// Alpha to coverage, or the number of samples, is known at draws only: `load_coverage_samples`.
pub const COVERAGE_OF_COMMANDS: u8 = u8::MAX;

/// Execution modes of fragment shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentInfo {
    /// EarlyFragmentTests.
    pub early_fragment_tests: bool,
    /// PostDepthCoverage.
    pub post_depth_coverage: bool,
    /// The shader is executed for each sample (capability SampleRateShading and its built-ins).
    pub sample_shading: bool,
    /// Alpha to coverage: number of samples of a pixel whose coverage the alpha of colour output 0
    /// determines; 0: disabled; [`COVERAGE_OF_COMMANDS`].
    pub alpha_to_coverage: u8,
    /// DepthGreater, DepthLess, DepthUnchanged.
    pub depth_layout: DepthLayout,
}

/// Input and output primitives of geometry shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum Primitive {
    #[default]
    Points,
    Lines,
    LinesAdjacency,
    Triangles,
    TrianglesAdjacency,
    LineStrip,
    TriangleStrip,
}

pub(crate) const PRIMITIVES: [(Primitive, &str); 7] = [
    (Primitive::Points, "points"),
    (Primitive::Lines, "lines"),
    (Primitive::LinesAdjacency, "lines_adjacency"),
    (Primitive::Triangles, "triangles"),
    (Primitive::TrianglesAdjacency, "triangles_adjacency"),
    (Primitive::LineStrip, "line_strip"),
    (Primitive::TriangleStrip, "triangle_strip"),
];

impl Primitive {
    /// Number of vertices of one primitive as input of a geometry shader.
    pub fn vertices(self) -> u32 {
        match self {
            Primitive::Points => 1,
            Primitive::Lines | Primitive::LineStrip => 2,
            Primitive::LinesAdjacency => 4,
            Primitive::Triangles | Primitive::TriangleStrip => 3,
            Primitive::TrianglesAdjacency => 6,
        }
    }
}

/// Execution modes of geometry shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeometryInfo {
    /// Input primitive.
    pub input: Primitive,
    /// Output primitive: points or strips.
    pub output: Primitive,
    /// Maximum number of vertices emitted.
    pub vertices_out: u32,
    /// Number of invocations for each primitive (instancing).
    pub invocations: u32,
}

/// Domain of a tessellated patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum TessDomain {
    #[default]
    Unspecified,
    Triangles,
    Quads,
    Isolines,
}

pub(crate) const TESS_DOMAINS: [(TessDomain, &str); 4] = [
    (TessDomain::Unspecified, "unspecified"),
    (TessDomain::Triangles, "triangles"),
    (TessDomain::Quads, "quads"),
    (TessDomain::Isolines, "isolines"),
];

/// How edges are subdivided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SPIR-V's names")]
pub enum TessSpacing {
    #[default]
    Unspecified,
    Equal,
    FractionalEven,
    FractionalOdd,
}

pub(crate) const TESS_SPACINGS: [(TessSpacing, &str); 4] = [
    (TessSpacing::Unspecified, "unspecified"),
    (TessSpacing::Equal, "equal"),
    (TessSpacing::FractionalEven, "fractional_even"),
    (TessSpacing::FractionalOdd, "fractional_odd"),
];

impl TessInfo {
    /// The execution modes of a pipeline: what either tessellation stage declares.
    pub fn union(self, other: TessInfo) -> TessInfo {
        fn first<T: Default + PartialEq>(a: T, b: T) -> T {
            if a == T::default() { b } else { a }
        }
        TessInfo {
            vertices_in: first(self.vertices_in, other.vertices_in),
            vertices_out: first(self.vertices_out, other.vertices_out),
            domain: first(self.domain, other.domain),
            spacing: first(self.spacing, other.spacing),
            ccw: self.ccw.or(other.ccw),
            point_mode: self.point_mode || other.point_mode,
        }
    }
}

/// Execution modes of tessellation shaders. Both stages may declare them; the pipeline's are the
/// union.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TessInfo {
    /// Number of vertices of the input patch; 0 if commands set it.
    pub vertices_in: u32,
    /// Number of vertices of the output patch of the control stage; 0 if not declared.
    pub vertices_out: u32,
    /// Domain of the patch.
    pub domain: TessDomain,
    /// Subdivision of edges.
    pub spacing: TessSpacing,
    /// VertexOrderCcw (`true`), VertexOrderCw (`false`).
    pub ccw: Option<bool>,
    /// PointMode.
    pub point_mode: bool,
}

impl TessInfo {
    /// The modes as numbers, for caches.
    pub fn to_words(self) -> [u32; 6] {
        [
            self.vertices_in,
            self.vertices_out,
            self.domain as u32,
            self.spacing as u32,
            match self.ccw {
                None => 0,
                Some(false) => 1,
                Some(true) => 2,
            },
            self.point_mode.into(),
        ]
    }

    /// The modes of [`TessInfo::to_words`]. `None` if a number has no meaning.
    pub fn from_words(words: [u32; 6]) -> Option<TessInfo> {
        let [vertices_in, vertices_out, domain, spacing, ccw, point_mode] = words;
        let mut domains = TESS_DOMAINS.iter().map(|row| row.0);
        let mut spacings = TESS_SPACINGS.iter().map(|row| row.0);
        Some(TessInfo {
            vertices_in,
            vertices_out,
            domain: domains.find(|mode| *mode as u32 == domain)?,
            spacing: spacings.find(|mode| *mode as u32 == spacing)?,
            ccw: match ccw {
                0 => None,
                1 => Some(false),
                2 => Some(true),
                _ => return None,
            },
            point_mode: match point_mode {
                0 => false,
                1 => true,
                _ => return None,
            },
        })
    }
}
