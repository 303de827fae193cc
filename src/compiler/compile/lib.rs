//! One call from SPIR-V and a key to a [`ShaderBinary`].
//!
//! In:  SPIR-V words, and a [`Key`]: everything else that the machine code depends on.
//! Out: a [`ShaderBinary`]; [`Key::hash`] names it in caches.

#[cfg(test)]
mod rows_tests;

pub use abi::DescriptorKind;
use std::hash::{Hash, Hasher};

use abi::{Binding, PipelineLayout, SetLayout, ShaderBinary, StageInfo};
use hw::Device;
use sha2::{Digest, Sha256};

pub use fs::{Options as Backend, supports};
pub use nir::{Reads, Stage, TessInfo};

/// Invocations of a subgroup as the API reports them and shaders read them. Threads run 8, 16 or 32 of them.
pub const API_SUBGROUP_SIZE: u32 = 32;

/// Invocations of a subgroup, as the application wants them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubgroupSize {
    /// Shaders read [`API_SUBGROUP_SIZE`], however many run together.
    #[default]
    Fixed,
    /// Shaders read how many run together.
    Varying,
    /// So many run together, and shaders read that.
    Required(u8),
}

/// Everything besides the SPIR-V that the machine code depends on.
#[derive(Clone, Debug)]
pub struct Key<'a> {
    /// Stage of the entry point.
    pub stage: Stage,
    /// Name of the entry point.
    pub entry_point: &'a str,
    /// Specialization constants: `SpecId` and bit pattern, zero-extended; booleans are 0 or 1.
    pub specialization: &'a [(u32, u64)],
    /// The dispatch may start at another workgroup than 0.
    pub dispatch_base: bool,
    /// Accesses beyond a buffer leave those within as they are (`robustBufferAccess`).
    pub robust_buffers: bool,
    /// Invocations of a subgroup.
    pub subgroup_size: SubgroupSize,
    /// A fragment shader runs for each sample, and its inputs are the sample's (`sampleShadingEnable`, where more than one
    /// sample of a pixel is asked for).
    pub sample_shading: bool,
    /// Samples of a pixel that a fragment shader's alpha decides about (`alphaToCoverageEnable`); 0: it decides about none.
    pub alpha_to_coverage: u8,
    /// Views that each draw is made for, a bit each; none: there is no multiview.
    pub views: u32,
    /// Modes of a pipeline's tessellation ([`tess_modes`]), for its two stages.
    pub tess: Option<TessInfo>,
    /// What the stage before writes. A pipeline's stages are compiled in their order, each with the last one's
    /// [`ShaderBinary::stage`]. Without it a shader that reads primitives' or patches' vertices takes it that what it reads is
    /// written, and nothing else; a fragment shader needs it only if it has more than [`abi::FREE_INPUTS`] inputs, or if the stage
    /// before was told what it reads.
    pub before: Option<&'a StageInfo>,
    /// What the stage behind reads ([`Translated::reads`]); without it that may be anything. With it outputs are arranged for that stage,
    /// which has to be given this one's [`ShaderBinary::stage`] then.
    pub read_behind: Option<Reads>,
    /// Where the launcher puts descriptors.
    pub layout: &'a PipelineLayout,
    /// The machine.
    pub device: &'static Device,
    /// Choices of the backend; its `layout` is replaced by the one above, and its width by one that is required.
    pub backend: fs::Options,
    /// Flags that change code in any other way: `debug::Flags::code_bits`.
    pub flags: u64,
}

impl<'a> Key<'a> {
    /// A stage by itself, nothing being chosen.
    pub fn new(
        stage: Stage,
        entry_point: &'a str,
        layout: &'a PipelineLayout,
        device: &'static Device,
    ) -> Key<'a> {
        Key {
            stage,
            entry_point,
            specialization: &[],
            dispatch_base: false,
            robust_buffers: false,
            subgroup_size: SubgroupSize::default(),
            sample_shading: false,
            alpha_to_coverage: 0,
            views: 0,
            tess: None,
            before: None,
            read_behind: None,
            layout,
            device,
            backend: fs::Options::default(),
            flags: 0,
        }
    }
}

impl Key<'_> {
    /// A name for the result of compiling a module of this name with this key. Equal names mean equal results, within one build of
    /// the compiler.
    pub fn hash(&self, module: &[u8; 32]) -> [u8; 32] {
        let Key {
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
            before,
            read_behind,
            layout,
            device,
            backend,
            flags,
        } = self;
        let mut said = Said::default();
        concat!("ingot ", env!("CARGO_PKG_VERSION")).hash(&mut said);
        (stage, entry_point, specialization).hash(&mut said);
        (dispatch_base, robust_buffers).hash(&mut said);
        (subgroup_size, sample_shading, alpha_to_coverage, views).hash(&mut said);
        (tess, before, read_behind, layout).hash(&mut said);
        (device.pci_id, backend, flags, module).hash(&mut said);
        Sha256::digest(&said.0).into()
    }
}

/// What a key says, in bytes: each value as [`Hash`] tells it.
#[derive(Default)]
struct Said(Vec<u8>);

impl Hasher for Said {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// A name for SPIR-V: equal names mean equal words.
pub fn identify(words: &[u32]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for word in words {
        hash.update(word.to_le_bytes());
    }
    hash.finalize().into()
}

/// Why a shader cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The SPIR-V is malformed, or uses what is not supported.
    #[error("SPIR-V: {0}")]
    Spirv(#[from] spirv_front::SpirvError),
    /// A pass of the optimiser failed.
    #[error("NIR: {0}")]
    Opt(#[from] opt::OptError),
    /// The backend failed.
    #[error("backend: {0}")]
    Backend(#[from] fs::FsError),
}

/// Dumps on the way: the pass that has run, and the text of what it left.
pub type Sink<'a> = &'a mut dyn FnMut(&'static str, String);

/// Compiles a shader of any stage.
pub fn compile(words: &[u32], key: &Key<'_>) -> Result<ShaderBinary, CompileError> {
    compile_nir(front_end(words, key)?, key)
}

/// A stage in NIR, before anything is known of its neighbours: of a key only the stage, the entry point, the constants, the dispatch's
/// base and the subgroups' size count for it.
#[derive(Debug)]
pub struct Translated(nir::Shader);

impl Translated {
    /// Translates.
    pub fn new(words: &[u32], key: &Key<'_>) -> Result<Translated, CompileError> {
        Ok(Translated(translate(words, key)?))
    }

    /// What of its inputs it may read, the API's own slots aside: what the stage before has to write.
    pub fn reads(&self) -> Reads {
        opt::inputs_read(&self.0)
    }

    /// Compiles it, with a key that says the same of what counted for it.
    pub fn compile(mut self, key: &Key<'_>) -> Result<ShaderBinary, CompileError> {
        settle(&mut self.0, key);
        compile_nir(self.0, key)
    }
}

/// Compiles NIR that a front end, or a driver for its own use, has made. Of the key, layout, machine and backend count.
pub fn compile_nir(mut shader: nir::Shader, key: &Key<'_>) -> Result<ShaderBinary, CompileError> {
    opt::compile(&mut shader, context(key))?;
    back_end(&shader, key)
}

/// As [`compile()`], with NIR after each pass that changes something (and after the front end) given to `sink`.
pub fn compile_with_dumps(
    words: &[u32],
    key: &Key<'_>,
    sink: Sink<'_>,
) -> Result<ShaderBinary, CompileError> {
    let mut shader = front_end(words, key)?;
    sink("spirv", shader.to_string());
    let mut dump = |pass: &'static str, shader: &nir::Shader| sink(pass, shader.to_string());
    let mut runner = opt::Runner {
        dump: Some(&mut dump),
        validate: true,
        ctx: context(key),
        ..opt::Runner::default()
    };
    runner.run(&mut shader, opt::GEN9)?;
    opt::validate_lowered(&shader, &runner.ctx)?;
    back_end(&shader, key)
}

/// What passes know of a key.
fn context(key: &Key<'_>) -> opt::Ctx {
    let sets = (0..).zip(&key.layout.sets);
    let all = sets.flat_map(|(set, layout)| layout.conversions.iter().map(move |c| (set, *c)));
    let outputs = key.before.and_then(StageInfo::vertex_outputs);
    opt::Ctx {
        conversions: all.collect(),
        read_behind: key.read_behind,
        links: outputs.map_or(Vec::new(), |outputs| outputs.links.clone()),
        robust_buffers: key.robust_buffers,
        soft_fp64: soft_fp64(key),
        soft_int64: soft_int64(key),
        ..opt::Ctx::default()
    }
}

/// True if doubles are computed as words: there is no unit for them, or it is not to be used.
fn soft_fp64(key: &Key<'_>) -> bool {
    key.backend.soft_fp64 || !key.device.has(hw::Cap::NativeFp64)
}

/// True if 64-bit integers are.
fn soft_int64(key: &Key<'_>) -> bool {
    key.backend.soft_int64 || !key.device.has(hw::Cap::NativeInt64)
}

fn back_end(shader: &nir::Shader, key: &Key<'_>) -> Result<ShaderBinary, CompileError> {
    let options = fs::Options {
        layout: key.layout.clone(),
        before: key.before.cloned(),
        required_width: match key.subgroup_size {
            SubgroupSize::Required(size) => Some(size),
            _ => key.backend.required_width,
        },
        soft_fp64: soft_fp64(key),
        soft_int64: soft_int64(key),
        ..key.backend.clone()
    };
    Ok(fs::compile(shader, key.device, &options)?)
}

/// The stages by their execution models. Ref: SPIR-V, "Execution Model".
const STAGES: [Stage; 6] = [
    Stage::Vertex,
    Stage::TessControl,
    Stage::TessEval,
    Stage::Geometry,
    Stage::Fragment,
    Stage::Compute,
];

/// Names and stages of a module's entry points, those of stages that are not known left out.
pub fn entry_points(words: &[u32]) -> Result<Vec<(String, Stage)>, CompileError> {
    let module = spirv_front::Module::parse(words)?;
    let known = module
        .entry_points()
        .filter_map(|(name, model)| Some((name.to_string(), *STAGES.get(model as usize)?)));
    Ok(known.collect())
}

/// The modes of a pipeline's tessellation: what its control and evaluation shaders declare together, for patches of so many vertices.
pub fn tess_modes(
    control: (&[u32], &Key<'_>),
    evaluation: (&[u32], &Key<'_>),
    patch_vertices: u32,
) -> Result<TessInfo, CompileError> {
    let [control, evaluation] = [control, evaluation].map(|(words, key)| front_end(words, key));
    Ok(TessInfo {
        vertices_in: patch_vertices,
        ..control?.info.tess.union(evaluation?.info.tess)
    })
}

/// Names of a module's compute entry points.
pub fn compute_entry_points(words: &[u32]) -> Result<Vec<String>, CompileError> {
    let mut all = entry_points(words)?;
    all.retain(|e| e.1 == Stage::Compute);
    Ok(all.into_iter().map(|e| e.0).collect())
}

/// Invocations of a workgroup in x, y and z, with specialization constants at their defaults.
pub fn workgroup_size(words: &[u32], entry_point: &str) -> Result<[u32; 3], CompileError> {
    let module = spirv_front::Module::parse(words)?;
    let shader = module.to_nir(&spirv_front::Options {
        entry_point,
        ..spirv_front::Options::default()
    })?;
    Ok(shader.info.workgroup_size)
}

/// A layout for a shader on its own: every descriptor it names, packed in the order of sets and bindings.
pub fn default_layout(
    words: &[u32],
    stage: Stage,
    entry_point: &str,
) -> Result<PipelineLayout, CompileError> {
    let module = spirv_front::Module::parse(words)?;
    let shader = module.to_nir(&spirv_front::Options {
        entry_point,
        stage,
        ..spirv_front::Options::default()
    })?;
    let mut layout = PipelineLayout::default();
    for (_, variable) in shader.vars.iter() {
        let Some((kind, count)) = described(&shader, variable, 1) else {
            continue;
        };
        let set = variable.set as usize;
        if layout.sets.len() <= set {
            layout.sets.resize_with(set + 1, SetLayout::default);
        }
        layout.sets[set].bindings.push(Binding {
            binding: variable.binding,
            kind,
            count,
            offset_bytes: 0,
            stride_bytes: kind.pieces() * abi::PIECE_BYTES,
            samplers: abi::Places::default(),
            dynamic_index: 0,
            settled: false,
        });
    }
    for set in &mut layout.sets {
        // Several variables may share a binding: the one with the largest descriptors says what it is.
        let wide_first = |b: &Binding| (b.binding, std::cmp::Reverse(b.stride_bytes));
        set.bindings.sort_by_key(wide_first);
        set.bindings.dedup_by_key(|b| b.binding);
        let mut offset = 0;
        for binding in &mut set.bindings {
            binding.offset_bytes = offset;
            binding.samplers = abi::Places::last_of(offset, binding.stride_bytes);
            offset += binding.count * binding.stride_bytes;
        }
    }
    Ok(layout)
}

/// What descriptors a variable stands for, and how many; those whose number is the application's choice count as `unsized_elements`.
pub fn described(
    shader: &nir::Shader,
    variable: &nir::Variable,
    unsized_elements: u32,
) -> Option<(DescriptorKind, u32)> {
    use DescriptorKind as K;
    let (mut ty, mut count) = (&shader.types[variable.ty], 1u32);
    while let nir::Type::Array { elem, len, .. } = ty {
        count = count.saturating_mul(len.unwrap_or(unsized_elements));
        ty = &shader.types[*elem];
    }
    let image = |ty: &nir::Type, combined: bool| match ty {
        nir::Type::Image { dim, storage, .. } => Some(match (dim, storage) {
            (nir::Dim::Buffer, true) => K::StorageTexelBuffer,
            (nir::Dim::Buffer, false) => K::UniformTexelBuffer,
            (nir::Dim::SubpassData, _) => K::InputAttachment,
            (_, true) => K::StorageImage,
            (_, false) if combined => K::CombinedImageSampler,
            (_, false) => K::SampledImage,
        }),
        _ => None,
    };
    let kind = match (variable.mode, ty) {
        (nir::Mode::Ubo, _) => K::UniformBuffer,
        (nir::Mode::Ssbo, _) => K::StorageBuffer,
        (nir::Mode::Uniform, nir::Type::Sampler) => K::Sampler,
        (nir::Mode::Uniform, nir::Type::SampledImage(of)) => image(&shader.types[*of], true)?,
        (nir::Mode::Uniform, ty) => image(ty, false)?,
        _ => return None,
    };
    Some((kind, count))
}

/// Inputs are evaluated where the sample is that a fragment is for, those at centroids too, whether they are declared or asked for so:
/// both are to be the same, and OpenGL asks for the sample's place (ARB_sample_shading).
fn inputs_by_sample(shader: &mut nir::Shader) {
    for var in shader.vars.ids() {
        let var = &mut shader.vars[var];
        if let (nir::Mode::ShaderIn, Some(io)) = (var.mode, &mut var.io) {
            io.sampling = nir::Sampling::Sample;
        }
    }
    for id in shader.instrs.ids() {
        if let nir::Instr::Intrinsic(i) = &mut shader.instrs[id]
            && i.op == nir::IntrinsicOp::InterpDerefAtCentroid
        {
            i.op = nir::IntrinsicOp::LoadDeref;
            i.indices.push(0);
        }
    }
}

fn front_end(words: &[u32], key: &Key<'_>) -> Result<nir::Shader, CompileError> {
    let mut shader = translate(words, key)?;
    settle(&mut shader, key);
    Ok(shader)
}

fn translate(words: &[u32], key: &Key<'_>) -> Result<nir::Shader, CompileError> {
    let module = spirv_front::Module::parse(words)?;
    Ok(module.to_nir(&spirv_front::Options {
        entry_point: key.entry_point,
        stage: key.stage,
        specialization: key.specialization,
        dispatch_base: key.dispatch_base,
        subgroup_size: match key.subgroup_size {
            // From SPIR-V 1.6 on sizes vary without a flag. Ref: Vulkan, "SubgroupSize".
            SubgroupSize::Fixed if words.get(1).is_some_and(|version| *version >= 0x1_0600) => None,
            SubgroupSize::Fixed => Some(API_SUBGROUP_SIZE),
            SubgroupSize::Varying => None,
            SubgroupSize::Required(size) => Some(size.into()),
        },
    })?)
}

/// Tells a shader what a key says of its neighbours and the state around it.
fn settle(shader: &mut nir::Shader, key: &Key<'_>) {
    if let Some(tess) = key.tess {
        let vertices_in = match key.stage {
            Stage::TessEval => tess.vertices_out,
            _ => tess.vertices_in,
        };
        shader.info.tess = TessInfo {
            vertices_in,
            ..tess
        };
    }
    shader.info.views = key.views;
    shader.info.fragment.alpha_to_coverage = key.alpha_to_coverage;
    let outputs = key.before.and_then(StageInfo::vertex_outputs);
    let culls = outputs.map_or(0, |outputs| outputs.cull_distances);
    if culls != 0 {
        shader.info.clips_before = Some(culls.trailing_zeros() as u8);
    }
    if key.sample_shading && key.stage == Stage::Fragment {
        shader.info.fragment.sample_shading = true;
        inputs_by_sample(shader);
    }
}
