//! The interface to the shader compiler.
//!
//! In:  the parameters of a pipeline. Out: [`abi::ShaderBinary`], and its cache key.

use std::sync::Arc;

pub use compile::{
    COVERAGE_OF_COMMANDS, InputsRead, RobustBuffers, Stage, SubgroupSize, TranslatedShader,
};

use crate::cache::PipelineCache;
use crate::cache_item::{Item, ItemKind, ItemName};
use crate::cached;
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::{Error, Result};
use crate::shader::{ShaderModule, SpecializationConstant};

/// Parameters of a stage's shader.
#[derive(Clone, Debug)]
pub struct ShaderInfo {
    /// The stage.
    pub stage: Stage,
    /// Shader module.
    pub module: Arc<ShaderModule>,
    /// Entry point name.
    pub entry: String,
    /// Specialization constants.
    pub constants: Vec<SpecializationConstant>,
    /// Pipeline layout.
    pub layout: Arc<PipelineLayout>,
    /// `vkCmdDispatchBase` may be used with a base other than 0.
    pub dispatch_base: bool,
    /// Subgroup size requirements.
    pub subgroup_size: SubgroupSize,
    /// Robustness of its buffer accesses.
    pub robustness: BufferRobustness,
    /// Fail if the shader is not in a cache, instead of compiling it.
    pub cached_only: bool,
    /// Do not add the shader to the cache on disk: the application stores it.
    pub is_private: bool,
    /// Keep the dumps for `vkGetPipelineExecutableInternalRepresentationsKHR`.
    pub capture: bool,
}

/// Whether a shader's accesses to a type of buffer are robust; `None`: as the device's features
/// demand. The hardware bounds all accesses anyway, also those to vertices and images: robust
/// accesses only prevent that the compiler merges them where that would move the bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferRobustness {
    /// Storage buffers.
    pub storage: Option<bool>,
    /// Uniform buffers.
    pub uniform: Option<bool>,
}

impl BufferRobustness {
    /// The buffers with robust accesses, given whether the device's features demand them.
    fn resolve(self, device: bool) -> RobustBuffers {
        RobustBuffers {
            storage: self.storage.unwrap_or(device),
            uniform: self.uniform.unwrap_or(device),
        }
    }
}

/// What a graphics shader depends on besides itself.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// Sample shading: a fragment shader runs once for each sample.
    pub sample_shading: bool,
    /// Sample count, if alpha to coverage is enabled; else 0; or [`COVERAGE_OF_COMMANDS`].
    pub alpha_to_coverage: u8,
    /// View mask.
    pub views: u32,
    /// Tessellation modes, which the two tessellation shaders declare together.
    pub tess: Option<compile::TessInfo>,
    /// Compiled shader of the previous stage.
    pub previous_stage: Option<Arc<abi::ShaderBinary>>,
    /// Inputs of the next stage, if known.
    pub next_stage_reads: Option<InputsRead>,
}

/// The inputs that a shader reads from the previous stage. `None` if unknown: they are in no cache,
/// and the module has no SPIR-V, only an identifier, or must not be compiled. Also returns the
/// translated shader, if it had to be translated, for [`compile()`].
pub fn reads(
    context: &Context,
    cache: Option<&PipelineCache>,
    info: &ShaderInfo,
) -> Result<(Option<InputsRead>, Option<TranslatedShader>)> {
    let alone = Neighbours::default();
    with_key(context, info, &alone, |key| {
        let name = ItemName {
            kind: ItemKind::Inputs,
            key: key.hash(info.module.identifier()),
        };
        if let Some(known) = context.reads.get(&name.key) {
            if let Some(cache) = cache {
                cache.insert(name, Item::Inputs(known));
            }
            return Ok((Some(known), None));
        }
        if let Some((Item::Inputs(known), _)) = cached::find(context, cache, &name) {
            context.reads.insert(name.key, known);
            return Ok((Some(known), None));
        }
        if info.cached_only || !info.module.has_words() {
            return Ok((None, None));
        }
        let translated = TranslatedShader::new(&info.module.words, key).map_err(invalid)?;
        let read = translated.reads();
        context.shader_counts.add_analysed();
        context.reads.insert(name.key, read);
        cached::store(context, cache, name, &Item::Inputs(read), info.is_private);
        Ok((Some(read), Some(translated)))
    })
}

/// Tessellation modes of a pair of shaders, for patches of `patch_points` vertices.
pub fn tess_modes(
    context: &Context,
    cache: Option<&PipelineCache>,
    [control, evaluation]: [&ShaderInfo; 2],
    patch_points: u32,
) -> Result<compile::TessInfo> {
    let alone = Neighbours::default();
    with_key(context, control, &alone, |first| {
        with_key(context, evaluation, &alone, |second| {
            let mut text = first.hash(control.module.identifier()).to_vec();
            text.extend_from_slice(&second.hash(evaluation.module.identifier()));
            text.extend_from_slice(&patch_points.to_le_bytes());
            let name = ItemName {
                kind: ItemKind::TessModes,
                key: compile::hash_bytes(&text),
            };
            if let Some((Item::TessModes(modes), _)) = cached::find(context, cache, &name) {
                return Ok(modes);
            }
            let shaders = [control, evaluation];
            if shaders
                .iter()
                .any(|shader| shader.cached_only || !shader.module.has_words())
            {
                return Err(Error::CompileRequired);
            }
            let control = (&control.module.words[..], first);
            let evaluation = (&evaluation.module.words[..], second);
            let modes = compile::tess_modes(control, evaluation, patch_points).map_err(invalid)?;
            context.shader_counts.add_analysed();
            let is_private = shaders[0].is_private;
            cached::store(context, cache, name, &Item::TessModes(modes), is_private);
            Ok(modes)
        })
    })
}

fn with_key<R>(
    context: &Context,
    info: &ShaderInfo,
    neighbours: &Neighbours,
    then: impl FnOnce(&compile::CompileKey<'_>) -> R,
) -> R {
    let specialization: Vec<(u32, u64)> = info
        .constants
        .iter()
        .map(|constant| (constant.id, constant.bits))
        .collect();
    then(&compile::CompileKey {
        stage: info.stage,
        entry_point: &info.entry,
        specialization: &specialization,
        dispatch_base: info.dispatch_base,
        robust_buffers: info.robustness.resolve(context.features.robust_buffers),
        subgroup_size: info.subgroup_size,
        sample_shading: neighbours.sample_shading,
        alpha_to_coverage: match info.stage {
            Stage::Fragment => neighbours.alpha_to_coverage,
            _ => 0,
        },
        views: neighbours.views,
        tess: neighbours.tess,
        previous_stage: neighbours
            .previous_stage
            .as_ref()
            .map(|before| &before.stage),
        next_stage_reads: neighbours.next_stage_reads,
        layout: info.layout.abi(),
        device: context.physical.info().device,
        backend: backend(context, info.capture),
        flags: context.physical.diagnosis().flags.code_bits(),
    })
}

/// Cache key of what [`compile()`] returns.
pub fn key(context: &Context, info: &ShaderInfo, neighbours: &Neighbours) -> [u8; 32] {
    with_key(context, info, neighbours, |key| {
        key.hash(info.module.identifier())
    })
}

fn invalid(error: compile::CompileError) -> Error {
    Error::InvalidShader {
        why: error.to_string(),
    }
}

/// A shader of meta operations.
pub struct MetaShader<F> {
    /// Its stage.
    pub stage: Stage,
    /// A name that no other shader of the stage has.
    pub name: String,
    /// Builds its NIR, if it has to be compiled.
    pub nir: F,
    /// All pixels of a thread write the same colour.
    pub is_replicated: bool,
}

/// Compiles a meta shader, or loads it from the disk.
pub fn internal<F: FnOnce() -> blit::Nir>(
    context: &Context,
    shader: MetaShader<F>,
    layout: &PipelineLayout,
) -> Result<Arc<abi::ShaderBinary>> {
    let mut backend = backend(context, false);
    if shader.is_replicated {
        (backend.replicated, backend.widths) = (true, 0);
    }
    let device = context.physical.info().device;
    let key = compile::CompileKey {
        subgroup_size: SubgroupSize::Fixed,
        backend,
        flags: context.physical.diagnosis().flags.code_bits(),
        ..compile::CompileKey::new(shader.stage, "main", layout.abi(), device)
    };
    let text = format!("meta shader: {}", shader.name);
    let name = ItemName {
        kind: ItemKind::Shader,
        key: key.hash(&compile::hash_bytes(text.as_bytes())),
    };
    if let Some((Item::Shader(binary), _)) = cached::find(context, None, &name) {
        context.shader_counts.add_loaded(false);
        return Ok(binary);
    }
    let binary = compile::compile_nir((shader.nir)(), &key).map_err(invalid)?;
    context.shader_counts.add_compiled();
    let binary = Arc::new(binary);
    cached::store(context, None, name, &Item::Shader(binary.clone()), false);
    Ok(binary)
}

/// Compiles a shader. With `capture`, every variant has its dumps: the final NIR, then the
/// backend's.
pub fn compile(
    context: &Context,
    info: &ShaderInfo,
    neighbours: &Neighbours,
    translated: Option<TranslatedShader>,
) -> Result<abi::ShaderBinary> {
    with_key(context, info, neighbours, |key| {
        if !info.capture {
            let shader = match translated {
                Some(translated) => translated.compile(key),
                None => compile::compile(&info.module.words, key),
            };
            return shader.map_err(invalid);
        }
        let mut last = String::new();
        let mut sink = |_: &'static str, text: String| last = text;
        let shader = compile::compile_with_dumps(&info.module.words, key, &mut sink);
        let mut shader = shader.map_err(invalid)?;
        for variant in &mut shader.variants {
            variant.dumps.insert(0, ("NIR".into(), last.clone()));
        }
        Ok(shader)
    })
}

/// Backend options from the debug flags.
fn backend(context: &Context, capture: bool) -> compile::Backend {
    let flags = context.physical.diagnosis().flags;
    let mut widths = 0;
    for (flag, width) in [
        (debug::Flag::No8, 8),
        (debug::Flag::No16, 16),
        (debug::Flag::No32, 32),
    ] {
        widths |= if flags.has(flag) { 0 } else { width };
    }
    compile::Backend {
        widths,
        dumps: if capture {
            vec!["asm".into()]
        } else {
            Vec::new()
        },
        force_simd32: flags.has(debug::Flag::Simd32Fs),
        spill_everything: flags.has(debug::Flag::SpillFs),
        dword_booleans: flags.has(debug::Flag::Bool32),
        soft_fp64: flags.has(debug::Flag::SoftFp64),
        soft_int64: flags.has(debug::Flag::SoftInt64),
        push_ranges: !flags.has(debug::Flag::NoPushUbo),
        ..Default::default()
    }
}
