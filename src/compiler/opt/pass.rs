//! What a pass is, the options that passes take, and the steps of a pipeline.

use nir::{Shader, ValidateError};

/// What passes need to know besides the shader: the target's capabilities, limits, and what the
/// neighbouring stages are known to do.
#[derive(Clone, Debug)]
pub struct Ctx {
    /// Maximum number of instructions of a loop after unrolling, all copies together.
    pub unroll_limit: u32,
    /// Maximum length of a local array whose dynamic indexing is lowered to `bcsel` instead of
    /// scratch.
    pub select_array_limit: u32,
    /// Textures with a YCbCr conversion, each with its descriptor set number.
    pub conversions: Vec<(u32, abi::ConvertedBinding)>,
    /// The sets with indirect descriptors.
    pub indirect_sets: IndirectSets,
    /// The inline uniform blocks in those sets: set, binding and size in bytes.
    pub inline_blocks: Vec<(u32, u32, u32)>,
    /// Inputs that the next stage reads, built-in slots excluded; `None` if the next stage is not
    /// known.
    pub next_stage_reads: Option<nir::InputsRead>,
    /// Outputs of the previous stage that moved out of their slots, or became constants.
    pub links: Vec<abi::OutputLink>,
    /// The buffers with robust accesses.
    pub robust_buffers: RobustBuffers,
    /// Lower 64-bit floats to pairs of 32-bit words, because the EU has no double arithmetic.
    pub soft_fp64: bool,
    /// Lower 64-bit integers to pairs of 32-bit words, because the EU has no such arithmetic.
    pub soft_int64: bool,
}

/// The types of buffers for which out-of-bounds accesses must not affect in-bounds ones
/// (`robustBufferAccess`, `pipelineRobustness`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RobustBuffers {
    /// Storage buffers.
    pub storage: bool,
    /// Uniform buffers.
    pub uniform: bool,
}

/// The sets with indirect descriptors (see crate `abi`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IndirectSets {
    /// Mask of their numbers.
    pub mask: u32,
    /// High dword of the address of the region of indirect descriptors.
    pub base_high: u32,
}

impl IndirectSets {
    /// Whether a set has indirect descriptors.
    pub fn contains(self, set: u32) -> bool {
        self.mask.checked_shr(set).unwrap_or(0) & 1 == 1
    }
}

impl Default for Ctx {
    fn default() -> Self {
        Ctx {
            unroll_limit: 832,
            select_array_limit: 16,
            conversions: Vec::new(),
            indirect_sets: IndirectSets::default(),
            inline_blocks: Vec::new(),
            next_stage_reads: None,
            links: Vec::new(),
            robust_buffers: RobustBuffers::default(),
            soft_fp64: false,
            soft_int64: false,
        }
    }
}

/// A pass's entry point. Returns true if it changed the shader.
pub type PassFn = fn(&mut Shader, &Ctx) -> bool;

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name, equal to that of its file.
    pub name: &'static str,
    /// Entry point.
    pub run: PassFn,
}

/// A step of a pipeline.
#[derive(Clone, Copy, Debug)]
pub enum PipelineStep {
    /// Runs the pass once.
    Once(Pass),
    /// Runs the passes in turn until none changes the shader any more.
    UntilStable(&'static [Pass]),
    /// Like [`PipelineStep::UntilStable`], but only for shaders for which the predicate is true.
    UntilStableIf(fn(&Shader) -> bool, &'static [Pass]),
}

/// Errors of a pipeline run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptError {
    /// A pass produced an invalid shader, which is a bug of that pass.
    #[error("after {pass}: {error}")]
    Invalid {
        /// The pass.
        pass: &'static str,
        /// The validator's error.
        error: ValidateError,
    },
    /// The shader uses something that the pipeline cannot lower.
    #[error("not supported: {0}")]
    Unsupported(String),
}
