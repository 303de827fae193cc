//! The whole pipeline: front end, passes, backend.

use crate::error::CompileError;
use crate::front_end::{apply_key, front_end, translate};
use crate::key::{CompileKey, SubgroupSize};
use abi::{ShaderBinary, StageInfo};
use nir::{InputsRead, Stage};

/// Receives dumps: the name of a pass, and the NIR after it.
pub type DumpSink<'a> = &'a mut dyn FnMut(&'static str, String);

/// Compiles a shader of any stage.
pub fn compile(words: &[u32], key: &CompileKey<'_>) -> Result<ShaderBinary, CompileError> {
    compile_nir(front_end(words, key)?, key)
}

/// A stage translated to NIR, before it depends on its neighbours. Of the key, only `stage`,
/// `entry_point`, `specialization`, `dispatch_base` and `subgroup_size` are used.
#[derive(Debug)]
pub struct TranslatedShader(nir::Shader);

impl TranslatedShader {
    /// Translates an entry point.
    pub fn new(words: &[u32], key: &CompileKey<'_>) -> Result<TranslatedShader, CompileError> {
        let mut shader = translate(words, key)?;
        opt::remove_dead_control_flow(&mut shader);
        Ok(TranslatedShader(shader))
    }

    /// The inputs that the shader may read, without built-ins, which the previous stage has to
    /// write.
    pub fn reads(&self) -> InputsRead {
        opt::inputs_read(&self.0)
    }

    /// Compiles the shader. The fields of `key` that [`TranslatedShader::new`] used must be the
    /// same.
    pub fn compile(mut self, key: &CompileKey<'_>) -> Result<ShaderBinary, CompileError> {
        apply_key(&mut self.0, key);
        compile_nir(self.0, key)
    }
}

/// Compiles NIR that the caller has built, for example for a meta operation. Of the key, the
/// layout, device and backend options are used, and what passes need of the neighbouring stages.
pub fn compile_nir(
    mut shader: nir::Shader,
    key: &CompileKey<'_>,
) -> Result<ShaderBinary, CompileError> {
    opt::compile(&mut shader, context(key))?;
    back_end(&shader, key)
}

/// As [`compile()`]; also passes the NIR after the front end, and after each pass that changes it,
/// to `sink`.
pub fn compile_with_dumps(
    words: &[u32],
    key: &CompileKey<'_>,
    sink: DumpSink<'_>,
) -> Result<ShaderBinary, CompileError> {
    let mut shader = front_end(words, key)?;
    sink("spirv", shader.to_string());
    let mut dump = |pass: &'static str, shader: &nir::Shader| sink(pass, shader.to_string());
    let mut runner = opt::PassRunner {
        dump: Some(&mut dump),
        validate: true,
        ctx: context(key),
        ..opt::PassRunner::default()
    };
    runner.run(&mut shader, opt::GEN9)?;
    opt::validate_lowered(&shader, &runner.ctx)?;
    back_end(&shader, key)
}

/// The passes' context from a key.
pub(crate) fn context(key: &CompileKey<'_>) -> opt::Ctx {
    let sets = (0..).zip(&key.layout.sets);
    let all = sets.flat_map(|(set, layout)| layout.conversions.iter().map(move |c| (set, *c)));
    let numbered = (0..u32::BITS).zip(&key.layout.sets);
    let indirect = numbered.filter(|(_, layout)| layout.indirect);
    let blocks = (0..).zip(&key.layout.sets).flat_map(|(set, layout)| {
        let bindings = layout.bindings.iter();
        let blocks = bindings.filter(|b| b.kind == abi::DescriptorKind::InlineUniformBlock);
        blocks.map(move |b| (set, b.binding, b.count))
    });
    let outputs = key.previous_stage.and_then(StageInfo::vertex_outputs);
    opt::Ctx {
        conversions: all.collect(),
        inline_blocks: blocks.collect(),
        indirect_sets: opt::IndirectSets {
            mask: indirect.map(|(set, _)| 1 << set).sum(),
            base_high: key.layout.indirect_base_high,
        },
        next_stage_reads: key.next_stage_reads,
        links: outputs.map_or(Vec::new(), |outputs| outputs.links.clone()),
        robust_buffers: key.robust_buffers,
        soft_fp64: soft_fp64(key),
        soft_int64: soft_int64(key),
        ..opt::Ctx::default()
    }
}

/// True if doubles are emulated: the device has no FP64, or the backend options disable it.
fn soft_fp64(key: &CompileKey<'_>) -> bool {
    key.backend.soft_fp64 || !key.device.has(hw::Cap::NativeFp64)
}

/// True if 64-bit integers are emulated: the device has no 64-bit integers, or the backend options
/// disable them.
fn soft_int64(key: &CompileKey<'_>) -> bool {
    key.backend.soft_int64 || !key.device.has(hw::Cap::NativeInt64)
}

/// The SIMD widths of `allowed` that a subgroup of the given size has room for. Only the subgroups
/// of compute shaders are full; those of fragment shaders may be dispatched at any smaller width,
/// and the other graphics stages have eight lanes at any size.
fn widths_up_to(size: u8, allowed: u8) -> u8 {
    let fitting = size | size.wrapping_sub(8);
    match allowed {
        0 => fitting,
        _ => fitting & allowed,
    }
}

fn back_end(shader: &nir::Shader, key: &CompileKey<'_>) -> Result<ShaderBinary, CompileError> {
    let options = fs::Options {
        layout: key.layout.clone(),
        previous_stage: key.previous_stage.cloned(),
        required_width: match key.subgroup_size {
            SubgroupSize::Required(size) if key.stage == Stage::Compute => Some(size),
            _ => key.backend.required_width,
        },
        widths: match key.subgroup_size {
            SubgroupSize::Required(size) if key.stage == Stage::Fragment => {
                widths_up_to(size, key.backend.widths)
            }
            _ => key.backend.widths,
        },
        soft_fp64: soft_fp64(key),
        soft_int64: soft_int64(key),
        robust_storage: key.robust_buffers.storage,
        robust_uniform: key.robust_buffers.uniform,
        ..key.backend.clone()
    };
    Ok(fs::compile(shader, key.device, &options)?)
}
