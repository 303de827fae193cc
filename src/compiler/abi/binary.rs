//! A compiled shader: code, variants by SIMD width, and the launch parameters of its stage.

use crate::graphics::{
    FragmentInfo, GeometryInfo, TessControlInfo, TessEvalInfo, VertexInfo, VertexOutputs,
};
use crate::push::PushData;

/// Constant data of a shader: arrays of constants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantData {
    /// The data, for which the driver creates a surface of format RAW. Empty if there is none.
    pub data: Vec<u8>,
    /// Byte offsets in [`ShaderBinary::code`] of the dwords that the driver patches with the handle
    /// of that surface.
    pub handle_offsets: Vec<u32>,
}

/// A compiled shader.
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderBinary {
    /// Machine code of every variant, each starting at a multiple of 64 bytes.
    pub code: Vec<u8>,
    /// Constant data of every variant.
    pub constants: ConstantData,
    /// The variants, narrowest first; the driver launches `preferred` unless the workgroup size
    /// rules it out.
    pub variants: Vec<SimdVariant>,
    /// Index in `variants` of the variant with the lowest estimated cost.
    pub preferred: usize,
    /// Push data of every variant.
    pub push: PushData,
    /// Launch parameters of the stage, common to all variants.
    pub stage: StageInfo,
}

impl ShaderBinary {
    /// Launch parameters of a compute shader; `None` for another stage.
    pub fn compute(&self) -> Option<&ComputeInfo> {
        match &self.stage {
            StageInfo::Compute(compute) => Some(compute),
            _ => None,
        }
    }
}

/// Launch parameters by stage.
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
    /// Vertex outputs of a stage that can be the last before rasterisation; `None` for the others.
    pub fn vertex_outputs(&self) -> Option<&VertexOutputs> {
        match self {
            StageInfo::Vertex(v) => Some(&v.outputs),
            StageInfo::TessEval(e) => Some(&e.outputs),
            StageInfo::Geometry(g) => Some(&g.outputs),
            StageInfo::Compute(_) | StageInfo::TessControl(_) | StageInfo::Fragment(_) => None,
        }
    }
}

/// Launch parameters of a compute shader.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub struct ComputeInfo {
    /// Invocations in a workgroup, x, y, z.
    pub workgroup_size: [u32; 3],
    /// Bytes of shared local memory.
    pub slm_bytes: u32,
    /// The shader executes a workgroup barrier.
    pub uses_barrier: bool,
    /// Each thread receives an additional register, dword 0 of which is its index in the workgroup.
    pub per_thread_push: bool,
}

/// One SIMD width of a shader.
#[derive(Clone, Debug, PartialEq)]
pub struct SimdVariant {
    /// 8, 16 or 32.
    pub simd_width: u8,
    /// Start of its code in `ShaderBinary::code`, in bytes, a multiple of 64.
    pub code_offset_bytes: u32,
    /// Bytes of its code.
    pub code_bytes: u32,
    /// First register of push data.
    pub push_grf: u8,
    /// Scratch of each thread, in bytes: 0, or a power of two of at least 1024.
    pub scratch_bytes: u32,
    /// Statistics, for reports and for the choice of the SIMD width.
    pub stats: ShaderStats,
    /// Text dumps, if requested: (name, text).
    pub dumps: Vec<(String, String)>,
}

/// Statistics of one variant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShaderStats {
    /// Instructions.
    pub instructions: u32,
    /// Estimated cycles of one thread, loops weighted.
    pub cycles: u64,
    /// SEND instructions.
    pub sends: u32,
    /// Loops.
    pub loops: u32,
    /// Registers that the register allocator spills to scratch.
    pub spills: u32,
    /// Registers that it fills from scratch.
    pub fills: u32,
    /// Highest number of GRFs live at once.
    pub max_live_registers: u32,
}
