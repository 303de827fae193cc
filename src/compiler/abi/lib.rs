//! The contract between compiled shaders and whoever launches them.
//!
//! In:  a [`PipelineLayout`]: where the launcher puts descriptors.
//! Out: a [`ShaderBinary`]: machine code in one or more SIMD widths, and what each needs at launch.
//!
//! ## Descriptors (gen9+)
//! A descriptor set is a piece of one *bindless surface heap* (STATE_BASE_ADDRESS, Bindless Surface State
//! Base Address). A descriptor lies at [`Binding::offset_bytes`] + array element × [`Binding::stride_bytes`] within its set, in
//! pieces of [`PIECE_BYTES`]: each a 64-byte RENDER_SURFACE_STATE, or a SAMPLER_STATE and nothing behind it. Where the samplers of a
//! set lie side by side, they are none of these pieces.
//! The *handle* of a surface is its byte offset in the
//! heap shifted left by 6, ready to be the extended descriptor of a bindless message: bits 31:12 = offset / 64.
//! The shader gets the handle of each set's start as a push value ([`DriverValue::SetHandle`]) and adds constants:
//! binding a set costs the driver one dword. Where several messages want one, whole extended descriptors are pushed
//! ([`DriverValue::SetDescriptor`]), which one move brings into a0. Dynamic buffers live in their own surfaces, written when bound:
//! their handles are push values of their own ([`DriverValue::DynamicHandle`]).
//!
//! Dword 12 ([`SURFACE_BYTES_DWORD`]) of a buffer's RENDER_SURFACE_STATE holds the exact size of the buffer in bytes (0 for a
//! null surface). The hardware ignores that dword where there is no auxiliary surface (it is a clear colour otherwise). The size
//! query of a runtime array reads it by a 64-bit address: [`DriverValue::SurfaceHeapAddress`] + (handle >> 6) + 48.
//!
//! What the pieces of a descriptor are, by [`DescriptorKind`]:
//!
//! | kind | pieces |
//! | --- | --- |
//! | buffers | one surface: format RAW, SURFTYPE_BUFFER |
//! | sampled image, input attachment, uniform texel buffer | one surface, with the view's format and swizzle |
//! | sampler | the sampler state |
//! | combined image sampler | the surface (of a conversion of several planes: one for each plane, then the sampler state of all planes but the first), then the sampler state |
//! | storage image, storage texel buffer | a surface with the view's own format for typed writes, and for reads that declare none; then one with [`typed_read_format`] for typed reads and atomics |
//!
//! A sampler state lies where [`Binding::samplers`] says: side by side with the set's others, so that messages ask for them by number
//! ([`Samplers`]); or it is the *last* piece of an element, of a descriptor that may be of several kinds (mutable) as of one with a
//! conversion. The *handle of a sampler* is the byte offset of its state from Dynamic State Base
//! Address: [`DriverValue::SetPlace`] (the set's handle >> 6) + place in the set + [`PipelineLayout::sampler_base_bytes`], modulo 2^32.
//!
//! Storage images of cubes are SURFTYPE_2D, six layers each: typed messages know no faces. Their queries divide. Fetches of
//! samples ask for the multisample control data first, whether the surface has any or not. Input attachments are fetched at
//! (x, y, layer drawn to); a surface of one layer ignores the layer.
//!
//! ## Constant data
//! A shader may have data of its own, [`Constants`]. The launcher makes a surface of it in the bindless heap, of exactly its bytes, and
//! writes that surface's handle into the code.
//!
//! ## Push data
//! One block for all threads, [`PushData`]: a run of the application's push constants as they are, then the launcher's own values,
//! a dword each, padded to whole registers (8 dwords). Then, for compute, one register for each thread of the group whose dword 0
//! is its index in the workgroup, if [`ComputeInfo::per_thread_push`]. The payload is r0 (header), then the block, then the
//! thread's register. In stages that draw, ranges of uniform buffers may follow the block ([`PushedRange`]), each a whole number of registers.
//!
//! ## Stages that draw
//! [`VertexInfo`], [`TessControlInfo`], [`TessEvalInfo`], [`GeometryInfo`], [`FragmentInfo`]. Their payload is what the fixed function sends first, then the same block from [`Variant::push_grf`] on, then
//! vertex elements or attributes' setup data.

mod conversion;
mod graphics;
mod image;

pub use conversion::{ColourModel, Component, Conversion, Converted};
pub use graphics::*;
pub use image::typed_read_format;

/// Bytes of a piece of a descriptor: a surface state, or the place of a sampler state.
pub const PIECE_BYTES: u32 = 64;

/// Piece of a storage image's or storage texel buffer's descriptor that writes take, and reads that declare no format: the view has one
/// that the data port reads itself, or the shader may not (Vulkan, "Format Feature Query", STORAGE_READ_WITHOUT_FORMAT).
pub const OWN_PIECE: u32 = 0;

/// The piece that other reads and atomics take.
pub const READ_PIECE: u32 = 1;

/// Kind of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescriptorKind {
    /// Uniform buffer.
    UniformBuffer,
    /// Storage buffer.
    StorageBuffer,
    /// Uniform buffer with dynamic offset.
    UniformBufferDynamic,
    /// Storage buffer with dynamic offset.
    StorageBufferDynamic,
    /// Sampler.
    Sampler,
    /// Image that is sampled or fetched.
    SampledImage,
    /// Both.
    CombinedImageSampler,
    /// Image that is read and written.
    StorageImage,
    /// Buffer that is fetched from.
    UniformTexelBuffer,
    /// Buffer of texels that are read and written.
    StorageTexelBuffer,
    /// Attachment that fragments fetch from at their own place.
    InputAttachment,
}

/// One binding of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Number in the shader.
    pub binding: u32,
    /// Kind.
    pub kind: DescriptorKind,
    /// Array elements.
    pub count: u32,
    /// Byte offset of element 0 in the set's part of the heap; a multiple of [`PIECE_BYTES`]. Unused for dynamic ones.
    pub offset_bytes: u32,
    /// Bytes from one element to the next; a multiple of [`PIECE_BYTES`]. Unused for dynamic ones.
    pub stride_bytes: u32,
    /// Where the samplers are. Unused for what has none.
    pub samplers: Places,
    /// Dynamic ones: index of element 0 among all dynamic buffers of the pipeline layout.
    pub dynamic_index: u32,
    /// All its descriptors are there, and do not change, from the time when the set is bound: what they name may be pushed.
    pub settled: bool,
}

impl DescriptorKind {
    /// Pieces of a descriptor without a conversion, its sampler among them.
    pub const fn pieces(self) -> u32 {
        match self {
            Self::CombinedImageSampler | Self::StorageImage | Self::StorageTexelBuffer => 2,
            _ => 1,
        }
    }
}

/// Where the samplers of an array lie in a set's part of the heap: at multiples of [`SAMPLER_PITCH_BYTES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Places {
    /// Byte offset of element 0's.
    pub offset_bytes: u32,
    /// Bytes from one to the next.
    pub stride_bytes: u32,
}

impl Places {
    /// Byte offset of an element's.
    pub fn of(&self, element: u32) -> u32 {
        element
            .wrapping_mul(self.stride_bytes)
            .wrapping_add(self.offset_bytes)
    }

    /// Each the last of the pieces of its element.
    pub fn last_of(offset_bytes: u32, stride_bytes: u32) -> Places {
        Places {
            offset_bytes: offset_bytes + stride_bytes.saturating_sub(PIECE_BYTES),
            stride_bytes,
        }
    }
}

/// The bindings of one set, sorted by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SetLayout {
    /// The bindings.
    pub bindings: Vec<Binding>,
    /// Combined image samplers whose colours are converted, by binding and element.
    pub conversions: Vec<Converted>,
}

/// All sets of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PipelineLayout {
    /// By set number.
    pub sets: Vec<SetLayout>,
    /// Address of the bindless heap, less Dynamic State Base Address, modulo 2^32: samplers are found from there.
    pub sampler_base_bytes: u32,
}

/// Dword of a buffer's RENDER_SURFACE_STATE in which the launcher stores the buffer's size in bytes.
pub const SURFACE_BYTES_DWORD: usize = 12;

/// Dword of a buffer's RENDER_SURFACE_STATE with the low half of its address; the high half follows. 64-bit atomics go there.
pub const SURFACE_ADDRESS_DWORD: usize = 8;

/// A dword that the launcher supplies of its own knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DriverValue {
    /// Handle of the first descriptor of a set.
    SetHandle {
        /// Number of the set.
        set: u32,
    },
    /// Byte of the first descriptor of a set in the heap: its handle shifted right by 6.
    SetPlace {
        /// Number of the set.
        set: u32,
    },
    /// Handle of a dynamic buffer's surface.
    DynamicHandle {
        /// Index among all dynamic buffers of the pipeline layout.
        index: u32,
    },
    /// Handle of the first descriptor of a set, and what is added: an extended descriptor, ready for a message.
    SetDescriptor {
        /// Number of the set.
        set: u32,
        /// What is added, modulo 2^32.
        more: u32,
    },
    /// The same of a dynamic buffer's surface.
    DynamicDescriptor {
        /// Index among all dynamic buffers of the pipeline layout.
        index: u32,
        /// What is added, modulo 2^32.
        more: u32,
    },
    /// Nothing: a dword that nobody reads.
    Nothing,
    /// Low (0) or high (1) dword of the address of the three dwords gl_NumWorkGroups.
    NumWorkgroupsAddress {
        /// 0 low, 1 high.
        dword: u32,
    },
    /// Base of vkCmdDispatchBase, component 0..=2.
    BaseWorkgroupId {
        /// x, y, z.
        component: u32,
    },
    /// Low (0) or high (1) dword of the address of the bindless surface heap.
    SurfaceHeapAddress {
        /// 0 low, 1 high.
        dword: u32,
    },
}

/// Values of its own that a launcher is asked for at most.
pub const LAUNCHER_VALUES: usize = 64;

/// Of those so many at most are sums ([`DriverValue::SetDescriptor`], [`DriverValue::DynamicDescriptor`]), at any places.
pub const LAUNCHER_SUMS: usize = 8;

/// Dwords of a register: the unit of push data.
pub const REGISTER_DW: u32 = 8;

/// Ranges of uniform buffers that a stage can have pushed: the machine takes four buffers, of which the block is one.
pub const PUSHED_RANGES: usize = 3;

/// Registers of push data that a stage can have.
pub const PUSH_REGISTERS: u32 = 64;

/// Where the surface of a uniform buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PushedBuffer {
    /// In a set.
    InSet {
        /// Number of the set.
        set: u32,
        /// Bytes from its first descriptor.
        offset_bytes: u32,
    },
    /// Where a dynamic buffer's is.
    Dynamic {
        /// Index among all dynamic buffers of the pipeline layout.
        index: u32,
    },
}

/// A range of a uniform buffer that the launcher pushes: its bytes, and zeros for those that lie beyond the buffer's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PushedRange {
    /// The buffer.
    pub buffer: PushedBuffer,
    /// First register of 32 bytes in the buffer.
    pub first: u32,
    /// Registers.
    pub registers: u32,
    /// End of what is read of the buffer, in bytes from its start: what the last register holds behind it does not matter.
    pub end_bytes: u32,
}

/// Samplers that messages without a header ask for by number: states of [`SAMPLER_BYTES`] behind each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Samplers {
    /// Number of the set.
    pub set: u32,
    /// What is added to the place of its first descriptor for the byte of sampler 0 from Dynamic State Base Address, modulo 2^32; a
    /// multiple of 32.
    pub offset_bytes: u32,
}

/// Bytes of a SAMPLER_STATE.
pub const SAMPLER_BYTES: u32 = 16;

/// Samplers lie no nearer: pointers to them, in a message's header or from the launcher, leave out the lowest bits.
/// Ref: SKL PRM vol. 7, "Sampling Engine: Message Header"; vol. 2a, 3DSTATE_SAMPLER_STATE_POINTERS.
pub const SAMPLER_PITCH_BYTES: u32 = 32;

/// Samplers that a message can ask for by number.
pub const NUMBERED_SAMPLERS: u32 = 16;

/// The block of push data that all threads share, and what is pushed behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PushData {
    /// Dword of the application's push constants that the block begins with.
    pub constants_first_dw: u32,
    /// Dwords of push constants in the block.
    pub constants_dw: u32,
    /// What follows, a dword each.
    pub driver: Vec<DriverValue>,
    /// Where the launcher points the stage's samplers to; `None` where no message asks for one by its number.
    pub samplers: Option<Samplers>,
    /// Ranges of uniform buffers, behind the block, [`PUSHED_RANGES`] at most; compute shaders have none.
    pub ranges: Vec<PushedRange>,
}

impl PushData {
    /// Registers that the block fills, the last one perhaps not wholly.
    pub fn registers(&self) -> u32 {
        (self.constants_dw + self.driver.len() as u32).div_ceil(REGISTER_DW)
    }

    /// Registers of everything, the ranges too.
    pub fn all_registers(&self) -> u32 {
        let ranges: u32 = self.ranges.iter().map(|range| range.registers).sum();
        self.registers() + ranges
    }
}

/// Data of a shader's own that its loads read: arrays of constants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants {
    /// What the launcher keeps in memory, as a surface of format RAW. Empty: there is none.
    pub data: Vec<u8>,
    /// Bytes of [`ShaderBinary::code`] where the launcher puts the handle of that surface, a dword each.
    pub handles_at: Vec<u32>,
}

/// A compiled shader.
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderBinary {
    /// Machine code of every variant, each starting at a multiple of 64 bytes.
    pub code: Vec<u8>,
    /// Constant data of every variant.
    pub constants: Constants,
    /// The variants, narrowest first; the launcher takes `preferred` unless the workgroup forbids it.
    pub variants: Vec<Variant>,
    /// Index in `variants` of the one that the compiler estimates to be fastest.
    pub preferred: usize,
    /// Push data of every variant.
    pub push: PushData,
    /// What a launch of this stage needs, of every variant.
    pub stage: StageInfo,
}

impl ShaderBinary {
    /// What a compute shader needs; `None` for another stage.
    pub fn compute(&self) -> Option<&ComputeInfo> {
        match &self.stage {
            StageInfo::Compute(compute) => Some(compute),
            _ => None,
        }
    }
}

/// What a launch needs, by stage: each has facts of its own.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum StageInfo {
    /// A compute shader.
    Compute(ComputeInfo),
    /// A vertex shader.
    Vertex(VertexInfo),
    /// A tessellation control shader.
    TessControl(TessControlInfo),
    /// A tessellation evaluation shader.
    TessEval(TessEvalInfo),
    /// A geometry shader.
    Geometry(GeometryInfo),
    /// A fragment shader.
    Fragment(FragmentInfo),
}

impl StageInfo {
    /// What the stage writes for vertices, of those that may come last before rasterisation.
    pub fn vertex_outputs(&self) -> Option<&VertexOutputs> {
        match self {
            StageInfo::Vertex(v) => Some(&v.outputs),
            StageInfo::TessEval(e) => Some(&e.outputs),
            StageInfo::Geometry(g) => Some(&g.outputs),
            StageInfo::Compute(_) | StageInfo::TessControl(_) | StageInfo::Fragment(_) => None,
        }
    }
}

/// What a compute shader needs at launch.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub struct ComputeInfo {
    /// Invocations in a workgroup, x, y, z.
    pub workgroup_size: [u32; 3],
    /// Bytes of shared local memory.
    pub slm_bytes: u32,
    /// The shader executes a workgroup barrier.
    pub uses_barrier: bool,
    /// Each thread gets one more register, dword 0 of which is its index in the workgroup.
    pub per_thread_push: bool,
}

/// One SIMD width of a shader.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// 8, 16 or 32.
    pub simd_width: u8,
    /// Start of its code in `ShaderBinary::code`, in bytes, a multiple of 64.
    pub code_offset_bytes: u32,
    /// Bytes of its code.
    pub code_bytes: u32,
    /// First register of push data.
    pub push_grf: u8,
    /// Scratch for each thread, in bytes: 0 or a power of two from 1024.
    pub scratch_bytes: u32,
    /// Statistics, for people and for the choice of width.
    pub stats: Stats,
    /// Text dumps, if asked for: (name, text).
    pub dumps: Vec<(String, String)>,
}

/// Statistics of one variant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Instructions.
    pub instructions: u32,
    /// Estimated cycles of one thread, loops weighted.
    pub cycles: u64,
    /// SEND instructions.
    pub sends: u32,
    /// Loops.
    pub loops: u32,
    /// Registers written to scratch by the allocator.
    pub spills: u32,
    /// Registers read back.
    pub fills: u32,
    /// Highest number of GRFs live at once.
    pub max_live_registers: u32,
}
