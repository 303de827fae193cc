//! The one door to the shader compiler.
//!
//! In:  what makes a pipeline. Out: a [`abi::ShaderBinary`], and a name for it in caches.

use std::sync::Arc;

pub use compile::{Reads, Stage, SubgroupSize, Translated};

use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::{Error, Result};
use crate::shader::{Constant, Module};

/// Everything that makes the shader of a stage.
#[derive(Clone, Debug)]
pub struct ShaderInfo {
    /// The stage.
    pub stage: Stage,
    /// The module.
    pub module: Arc<Module>,
    /// Entry point.
    pub entry: String,
    /// Specialization constants.
    pub constants: Vec<Constant>,
    /// Layout.
    pub layout: Arc<PipelineLayout>,
    /// `vkCmdDispatchBase` may start at another workgroup than 0.
    pub dispatch_base: bool,
    /// Invocations of a subgroup.
    pub subgroup_size: SubgroupSize,
    /// Take it from a cache or fail: compile nothing.
    pub cached_only: bool,
    /// Keep the texts for `vkGetPipelineExecutableInternalRepresentationsKHR`.
    pub capture: bool,
}

/// What a shader depends on besides itself, in a pipeline that draws.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// A fragment shader runs for each sample.
    pub sample_shading: bool,
    /// Samples of a pixel that a fragment shader's alpha decides about; 0: none.
    pub alpha_to_coverage: u8,
    /// Views that each draw is made for, a bit each.
    pub views: u32,
    /// Modes of tessellation, which two shaders declare together.
    pub tess: Option<compile::TessInfo>,
    /// The stage before.
    pub before: Option<Arc<abi::ShaderBinary>>,
    /// What the stage behind reads, where it is known.
    pub read_behind: Option<Reads>,
}

/// What a shader may read of what the stage before writes, as far as it is known: of a module of which the words are not there, if
/// it was asked before. A shader that had to be translated for that comes with them, for [`compile`].
pub fn reads(context: &Context, info: &ShaderInfo) -> Result<(Option<Reads>, Option<Translated>)> {
    let alone = Neighbours::default();
    with_key(context, info, &alone, |key| {
        let name = key.hash(info.module.identifier());
        if let Some(known) = context.reads.get(&name) {
            return Ok((Some(known), None));
        }
        if !info.module.has_words() {
            return Ok((None, None));
        }
        let translated = Translated::new(&info.module.words, key).map_err(invalid)?;
        let read = translated.reads();
        context.reads.put(name, read);
        Ok((Some(read), Some(translated)))
    })
}

/// The modes of two shaders' tessellation, for patches of so many vertices.
pub fn tess_modes(
    context: &Context,
    [control, evaluation]: [&ShaderInfo; 2],
    patch_points: u32,
) -> Result<compile::TessInfo> {
    if !control.module.has_words() || !evaluation.module.has_words() {
        return Err(Error::CompileRequired);
    }
    let alone = Neighbours::default();
    with_key(context, control, &alone, |first| {
        with_key(context, evaluation, &alone, |second| {
            let control = (&control.module.words[..], first);
            let evaluation = (&evaluation.module.words[..], second);
            compile::tess_modes(control, evaluation, patch_points).map_err(invalid)
        })
    })
}

fn with_key<R>(
    context: &Context,
    info: &ShaderInfo,
    neighbours: &Neighbours,
    then: impl FnOnce(&compile::Key<'_>) -> R,
) -> R {
    let specialization: Vec<(u32, u64)> = info
        .constants
        .iter()
        .map(|constant| (constant.id, constant.bits))
        .collect();
    then(&compile::Key {
        stage: info.stage,
        entry_point: &info.entry,
        specialization: &specialization,
        dispatch_base: info.dispatch_base,
        robust_buffers: context.features.robust_buffers,
        subgroup_size: info.subgroup_size,
        sample_shading: neighbours.sample_shading,
        alpha_to_coverage: match info.stage {
            Stage::Fragment => neighbours.alpha_to_coverage,
            _ => 0,
        },
        views: neighbours.views,
        tess: neighbours.tess,
        before: neighbours.before.as_ref().map(|before| &before.stage),
        read_behind: neighbours.read_behind,
        layout: &info.layout.abi,
        device: context.physical.info().device,
        backend: backend(context, info.capture),
        flags: context.physical.diagnosis().flags.code_bits(),
    })
}

/// Names what [`compile`] would make.
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

/// Compiles a shader of the driver's own.
pub fn internal(
    context: &Context,
    stage: Stage,
    shader: blit::Nir,
    layout: &PipelineLayout,
    replicated: bool,
) -> Result<abi::ShaderBinary> {
    let mut backend = backend(context, false);
    if replicated {
        (backend.replicated, backend.widths) = (true, 0);
    }
    let key = compile::Key {
        subgroup_size: SubgroupSize::Fixed,
        backend,
        flags: context.physical.diagnosis().flags.code_bits(),
        ..compile::Key::new(stage, "main", &layout.abi, context.physical.info().device)
    };
    compile::compile_nir(shader, &key).map_err(invalid)
}

/// Compiles a shader, which may have been translated before. With `capture`, every variant has its texts: NIR as the backend got it, then the backend's own.
pub fn compile(
    context: &Context,
    info: &ShaderInfo,
    neighbours: &Neighbours,
    translated: Option<Translated>,
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

/// The backend's choices.
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
        wide_fragments: flags.has(debug::Flag::Simd32Fs),
        spill_everything: flags.has(debug::Flag::SpillFs),
        soft_fp64: flags.has(debug::Flag::SoftFp64),
        soft_int64: flags.has(debug::Flag::SoftInt64),
        push_ranges: !flags.has(debug::Flag::NoPushUbo),
        ..Default::default()
    }
}
