//! A parsed script.

use crate::format::Format;
use crate::value::{Layout, Type, Values};
use ash::vk;

/// Stage of a shader section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "Vulkan's names")]
pub enum ShaderStage {
    Vertex,
    TessControl,
    TessEval,
    Geometry,
    Fragment,
    Compute,
}

impl ShaderStage {
    /// All stages, in pipeline order, with their names in section headers and glslang's short
    /// names.
    pub const ALL: [(
        ShaderStage,
        &'static str,
        &'static str,
        vk::ShaderStageFlags,
    ); 6] = [
        (
            ShaderStage::Vertex,
            "vertex",
            "vert",
            vk::ShaderStageFlags::VERTEX,
        ),
        (
            ShaderStage::TessControl,
            "tessellation control",
            "tesc",
            vk::ShaderStageFlags::TESSELLATION_CONTROL,
        ),
        (
            ShaderStage::TessEval,
            "tessellation evaluation",
            "tese",
            vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        ),
        (
            ShaderStage::Geometry,
            "geometry",
            "geom",
            vk::ShaderStageFlags::GEOMETRY,
        ),
        (
            ShaderStage::Fragment,
            "fragment",
            "frag",
            vk::ShaderStageFlags::FRAGMENT,
        ),
        (
            ShaderStage::Compute,
            "compute",
            "comp",
            vk::ShaderStageFlags::COMPUTE,
        ),
    ];

    /// Vulkan's flag.
    pub fn flag(self) -> vk::ShaderStageFlags {
        Self::ALL[self as usize].3
    }

    /// Short name, as in file extensions.
    pub fn short_name(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// The stage with this section name.
    pub fn from_name(name: &str) -> Option<ShaderStage> {
        Self::ALL.iter().find(|s| s.1 == name).map(|s| s.0)
    }
}

/// Source of one stage's module.
#[derive(Clone, Debug, PartialEq)]
pub enum ShaderSource {
    /// One or more GLSL texts, linked; each with the number of its first line.
    Glsl(Vec<(usize, String)>),
    /// SPIR-V assembly, with the number of its first line.
    SpirvText(usize, String),
    /// SPIR-V words.
    SpirvWords(Vec<u32>),
    /// The built-in vertex shader.
    Passthrough,
}

/// What a script asks of the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirements {
    /// Instance API version.
    pub version: (u32, u32, u32),
    /// Members of VkPhysicalDeviceFeatures, by index in `features::CORE`.
    pub core_features: Vec<usize>,
    /// (row of `features::EXTENSIONS`, member).
    pub extension_features: Vec<(usize, usize)>,
    /// Device extensions by name.
    pub extensions: Vec<String>,
    /// Colour format.
    pub framebuffer: &'static Format,
    /// Depth/stencil format.
    pub depth_stencil: Option<&'static Format>,
    /// Samples of every attachment.
    pub samples: u32,
    /// Width and height.
    pub framebuffer_size: (u32, u32),
    /// What subgroups of compute shaders must do.
    pub subgroup_operations: ash::vk::SubgroupFeatureFlags,
    /// Requirements that no runner of this kind can meet: the script is skipped with this text.
    pub unknown: Option<String>,
}

/// Kind of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// Uniform buffer.
    Ubo,
    /// Storage buffer.
    Ssbo,
}

/// A buffer that the script names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Kind.
    pub kind: BufferKind,
    /// Bytes.
    pub size: usize,
}

/// One column of `[vertex data]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute {
    /// Location.
    pub location: u32,
    /// Format.
    pub format: &'static Format,
    /// Byte offset in a vertex.
    pub offset: usize,
}

/// The `[vertex data]` section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexData {
    /// Columns.
    pub attributes: Vec<Attribute>,
    /// Bytes of one vertex.
    pub stride: usize,
    /// All vertices.
    pub bytes: Vec<u8>,
}

/// Comparison of `probe ssbo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `~=`
    Fuzzy,
}

/// Tolerance of fuzzy comparisons, for each of four components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Values.
    pub values: [f64; 4],
    /// Percent of the expected value rather than absolute.
    pub percent: bool,
}

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance {
            values: [0.01; 4],
            percent: false,
        }
    }
}

/// Pipeline state that a draw needs besides shaders; a script's `property value` lines.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineState {
    /// Integer, bool and enum properties, by index in `enums::INT_PROPERTIES`.
    pub ints: Vec<i64>,
    /// Float properties, by index in `enums::FLOAT_PROPERTIES`.
    pub floats: Vec<f32>,
}

/// What kind of vertices a draw uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexSource {
    /// The four corners of `draw rect`.
    Rectangle,
    /// `[vertex data]`.
    Script,
}

/// One way to set a pipeline up.
#[derive(Clone, Debug, PartialEq)]
pub enum PipelineKey {
    /// Compute, with its entry point.
    Compute(String),
    /// Graphics.
    Graphics {
        /// Where vertices come from.
        vertices: VertexSource,
        /// State.
        state: PipelineState,
        /// Entry point of each stage, in `ShaderStage::ALL` order.
        entries: [String; 6],
    },
}

/// Where a probe looks: left, top, width, height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbePlace {
    /// In pixels.
    Pixels([u32; 4]),
    /// In fractions of the framebuffer; width and height NaN mean one pixel.
    Relative([f32; 4]),
}

/// One line of `[test]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Line in the script.
    pub line: usize,
    /// What it does.
    pub op: Operation,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    Dispatch {
        pipeline: usize,
        groups: [u32; 3],
    },
    /// Left, top, width, height: normalised device coordinates, or pixels if `ortho`.
    DrawRect {
        pipeline: usize,
        ortho: bool,
        x: f32,
        y: f32,
        w: f32,
        h: f32,
    },
    DrawArrays {
        pipeline: usize,
        indexed: bool,
        first: u32,
        count: u32,
        instances: u32,
    },
    Clear {
        color: [f32; 4],
        depth: f32,
        stencil: u32,
    },
    SetBuffer {
        buffer: usize,
        offset: usize,
        bytes: Vec<u8>,
    },
    SetPush {
        offset: usize,
        bytes: Vec<u8>,
    },
    ProbeRect {
        /// Components compared: 3 or 4.
        components: usize,
        /// `None` for the whole framebuffer.
        place: Option<ProbePlace>,
        color: [f64; 4],
        tolerance: Tolerance,
    },
    ProbeSsbo {
        ty: Type,
        set: u32,
        binding: u32,
        offset: usize,
        compare: Compare,
        values: Values,
        layout: Layout,
        tolerance: Tolerance,
    },
}

/// A parsed script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// What it needs.
    pub requirements: Requirements,
    /// Shaders by stage, in pipeline order.
    pub shaders: Vec<(ShaderStage, ShaderSource)>,
    /// Vertex data, if any.
    pub vertex_data: Option<VertexData>,
    /// Indices.
    pub indices: Vec<u16>,
    /// Buffers, in (set, binding) order.
    pub buffers: Vec<Buffer>,
    /// Bytes of push constants over the whole script.
    pub push_bytes: usize,
    /// Distinct pipelines.
    pub pipelines: Vec<PipelineKey>,
    /// Commands in order.
    pub commands: Vec<Command>,
}

impl Script {
    /// Workgroups of all dispatches together.
    pub fn workgroups(&self) -> u64 {
        let of = |c: &Command| match c.op {
            Operation::Dispatch { groups, .. } => groups.iter().map(|g| u64::from(*g)).product(),
            _ => 0,
        };
        self.commands.iter().map(of).sum()
    }

    /// True if the script needs a graphics queue: it draws, clears, or probes the framebuffer.
    pub fn needs_graphics(&self) -> bool {
        self.commands.iter().any(|c| {
            !matches!(
                c.op,
                Operation::Dispatch { .. }
                    | Operation::SetBuffer { .. }
                    | Operation::SetPush { .. }
                    | Operation::ProbeSsbo { .. }
            )
        }) || self.shaders.iter().any(|s| s.0 != ShaderStage::Compute)
    }
}
