//! Options of the backend.

use abi::{PipelineLayout, StageInfo};

/// Options of a compilation, besides the shader and the device.
#[derive(Clone, Debug, Default, Hash)]
pub struct Options {
    /// The pipeline layout: the location of each descriptor.
    pub layout: PipelineLayout,
    /// The outputs of the previous stage. Without it, stages that read the vertices of a primitive
    /// or patch assume that the previous stage writes exactly the inputs that they read. Fragment
    /// shaders with more than [`abi::MAX_SWIZZLED_INPUTS`] inputs require it.
    pub previous_stage: Option<StageInfo>,
    /// Allowed SIMD widths, as a bit set of 8, 16 and 32; 0 for all.
    pub widths: u8,
    /// The only SIMD width to compile, if the application requires one.
    pub required_width: Option<u8>,
    /// The colour is the same for all pixels: it is written to target 0 with the replicated-data
    /// message, for 16 pixels at a time.
    pub replicated: bool,
    /// Fragment shaders get a SIMD32 variant if that is legal, even if it is not expected to be
    /// faster.
    pub force_simd32: bool,
    /// Out-of-bounds accesses to storage buffers must not affect in-bounds ones.
    pub robust_storage: bool,
    /// The same for uniform buffers.
    pub robust_uniform: bool,
    /// Graphics stages receive ranges of uniform buffers with their push data.
    pub push_ranges: bool,
    /// Booleans in registers have 32 bits, whatever was compared: for comparisons of the code.
    pub dword_booleans: bool,
    /// The shader must not use the EU's double-precision arithmetic; an instruction that does is an
    /// error.
    pub soft_fp64: bool,
    /// The shader must not use the EU's 64-bit integer arithmetic; an instruction that does is an
    /// error.
    pub soft_int64: bool,
    /// The dumps to keep in each [`abi::SimdVariant`]: the name of a pass for the LIR after it,
    /// `all` for every pass, `asm` for the assembly, `registers` for the final LIR with its
    /// registers.
    pub dumps: Vec<String>,
    /// Validates LIR after every pass, also in release builds. Debug builds also check that its
    /// text is parsed to the same LIR.
    pub validate: bool,
    /// Spills every VGRF that can be spilled: for tests.
    pub spill_everything: bool,
}

impl Options {
    /// True if the dump of this name is kept.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.dumps.iter().any(|d| d == name || d == "all")
    }
}
