//! The key of a compilation: everything besides the SPIR-V that the machine code depends on.

use abi::{PipelineLayout, StageInfo};
use hw::Device;
use nir::{InputsRead, Stage, TessInfo};
use opt::RobustBuffers;
use sha2::{Digest, Sha256};
use std::hash::{Hash, Hasher};

/// The subgroup size that the API reports, and shaders read unless it varies. Threads execute 8, 16
/// or 32 invocations.
pub const API_SUBGROUP_SIZE: u32 = 32;

/// The subgroup size that the pipeline requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubgroupSize {
    /// Shaders read [`API_SUBGROUP_SIZE`], at any dispatch width.
    #[default]
    Fixed,
    /// Shaders read the dispatch width.
    Varying,
    /// The dispatch width must be this, and shaders read it.
    Required(u8),
}

/// Everything besides the SPIR-V that the machine code depends on.
#[derive(Clone, Debug)]
pub struct CompileKey<'a> {
    /// Stage of the entry point.
    pub stage: Stage,
    /// Name of the entry point.
    pub entry_point: &'a str,
    /// Specialization constants: `SpecId` and bit pattern, zero-extended; booleans are 0 or 1. Data
    /// of more than eight bytes take several elements, the first bytes first.
    pub specialization: &'a [(u32, u64)],
    /// A dispatch may start at another workgroup than 0.
    pub dispatch_base: bool,
    /// The types of buffers for which out-of-bounds accesses must not affect in-bounds ones.
    pub robust_buffers: RobustBuffers,
    /// Requested subgroup size.
    pub subgroup_size: SubgroupSize,
    /// A fragment shader is executed for each sample, and its inputs are interpolated at the sample
    /// (`sampleShadingEnable`, if it requires more than one sample of a pixel).
    pub sample_shading: bool,
    /// Number of samples of a pixel for alpha to coverage (`alphaToCoverageEnable`); 0: disabled.
    pub alpha_to_coverage: u8,
    /// Mask of the views that each draw is repeated for; 0 without multiview.
    pub views: u32,
    /// Tessellation modes of the pipeline ([`tess_modes`](crate::tess_modes)), for both
    /// tessellation stages.
    pub tess: Option<TessInfo>,
    /// The previous stage's [`ShaderBinary::stage`](abi::ShaderBinary::stage). A pipeline's stages
    /// are compiled in order, each with that of the previous one. Without it, a stage that reads
    /// vertices of primitives or patches assumes that the previous stage writes exactly the slots
    /// that it reads; a fragment shader needs it only if it has more than
    /// [`abi::MAX_SWIZZLED_INPUTS`] inputs, or if the previous stage was compiled with
    /// `next_stage_reads`.
    pub previous_stage: Option<&'a StageInfo>,
    /// The outputs that the next stage reads
    /// ([`TranslatedShader::reads`](crate::TranslatedShader::reads)); `None` if unknown. If given,
    /// outputs are arranged for the next stage, which must be compiled with this stage's
    /// [`ShaderBinary::stage`](abi::ShaderBinary::stage).
    pub next_stage_reads: Option<InputsRead>,
    /// Where the driver places descriptors.
    pub layout: &'a PipelineLayout,
    /// The device to compile for.
    pub device: &'static Device,
    /// Backend options; its `layout` is overridden by the field above, and its width by a required
    /// subgroup size.
    pub backend: fs::Options,
    /// Debug flags that change code: `debug::Flags::code_bits`.
    pub flags: u64,
}

impl<'a> CompileKey<'a> {
    /// The key of a stage on its own, with defaults.
    pub fn new(
        stage: Stage,
        entry_point: &'a str,
        layout: &'a PipelineLayout,
        device: &'static Device,
    ) -> CompileKey<'a> {
        CompileKey {
            stage,
            entry_point,
            specialization: &[],
            dispatch_base: false,
            robust_buffers: RobustBuffers::default(),
            subgroup_size: SubgroupSize::default(),
            sample_shading: false,
            alpha_to_coverage: 0,
            views: 0,
            tess: None,
            previous_stage: None,
            next_stage_reads: None,
            layout,
            device,
            backend: fs::Options::default(),
            flags: 0,
        }
    }
}

impl CompileKey<'_> {
    /// The hash of a compilation: of this key, and of a module given by its [`identify`] hash.
    /// Equal hashes mean equal results of the same build of the compiler.
    pub fn hash(&self, module: &[u8; 32]) -> [u8; 32] {
        let CompileKey {
            stage,
            entry_point,
            specialization,
            dispatch_base,
            robust_buffers,
            subgroup_size,
            sample_shading,
            alpha_to_coverage,
            views,
            tess,
            previous_stage: before,
            next_stage_reads,
            layout,
            device,
            backend,
            flags,
        } = self;
        let mut bytes = KeyBytes(Vec::with_capacity(USUAL_KEY_BYTES));
        concat!("ingot ", env!("CARGO_PKG_VERSION")).hash(&mut bytes);
        (stage, entry_point, specialization).hash(&mut bytes);
        (dispatch_base, robust_buffers).hash(&mut bytes);
        (subgroup_size, sample_shading, alpha_to_coverage, views).hash(&mut bytes);
        (tess, before, next_stage_reads, layout).hash(&mut bytes);
        (device.pci_id, backend, flags, module).hash(&mut bytes);
        Sha256::digest(&bytes.0).into()
    }
}

/// Most keys have at most so many bytes.
const USUAL_KEY_BYTES: usize = 1024;

/// Collects the bytes that [`Hash`] implementations write.
struct KeyBytes(Vec<u8>);

impl Hasher for KeyBytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// The SHA-256 hash of bytes.
pub fn hash_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The SHA-256 hash of a module's words.
pub fn identify(words: &[u32]) -> [u8; 32] {
    let mut hash = Sha256::new();
    // Whole blocks of the hash: parts of one would be copied to a buffer first.
    for block in words.chunks(16) {
        let mut bytes = [0; 64];
        for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(block) {
            *to = word.to_le_bytes();
        }
        hash.update(&bytes[..4 * block.len()]);
    }
    hash.finalize().into()
}
