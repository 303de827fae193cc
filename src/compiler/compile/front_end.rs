//! The front end: SPIR-V to NIR, with what the key says of pipeline state and neighbouring stages.

use crate::error::CompileError;
use crate::key::{API_SUBGROUP_SIZE, CompileKey, SubgroupSize};
use abi::StageInfo;
use nir::{Stage, TessInfo};

/// Makes all inputs interpolate at the sample, including centroid inputs and InterpolateAtCentroid:
/// these must agree with each other, and OpenGL requires the sample's position
/// (ARB_sample_shading).
fn inputs_by_sample(shader: &mut nir::Shader) {
    for var in shader.vars.ids() {
        let var = &mut shader.vars[var];
        if let (nir::VariableMode::ShaderIn, Some(io)) = (var.mode, &mut var.io) {
            io.sampling = nir::InterpLocation::Sample;
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

pub(crate) fn front_end(words: &[u32], key: &CompileKey<'_>) -> Result<nir::Shader, CompileError> {
    let mut shader = translate(words, key)?;
    apply_key(&mut shader, key);
    Ok(shader)
}

pub(crate) fn translate(words: &[u32], key: &CompileKey<'_>) -> Result<nir::Shader, CompileError> {
    let module = spirv_front::Module::parse(words)?;
    Ok(module.to_nir(&spirv_front::Options {
        entry_point: key.entry_point,
        stage: key.stage,
        specialization: key.specialization,
        dispatch_base: key.dispatch_base,
        heap: key.layout.heap.as_ref(),
        subgroup_size: match key.subgroup_size {
            // From SPIR-V 1.6 on, the subgroup size varies by default. Ref: Vulkan, "SubgroupSize".
            SubgroupSize::Fixed if words.get(1).is_some_and(|version| *version >= 0x1_0600) => None,
            SubgroupSize::Fixed => Some(API_SUBGROUP_SIZE),
            SubgroupSize::Varying => None,
            SubgroupSize::Required(size) => Some(size.into()),
        },
    })?)
}

/// Sets the parts of the shader's `Info` that depend on pipeline state and on neighbouring stages.
pub(crate) fn apply_key(shader: &mut nir::Shader, key: &CompileKey<'_>) {
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
    let outputs = key.previous_stage.and_then(StageInfo::vertex_outputs);
    let culls = outputs.map_or(0, |outputs| outputs.cull_distances);
    if culls != 0 {
        shader.info.input_clip_distances = Some(culls.trailing_zeros() as u8);
    }
    if key.sample_shading && key.stage == Stage::Fragment {
        shader.info.fragment.sample_shading = true;
        inputs_by_sample(shader);
    }
}
