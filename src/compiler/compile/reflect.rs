//! Reflection: entry points, workgroup sizes, tessellation modes and descriptors of modules.

use crate::error::CompileError;
use crate::front_end::front_end;
use crate::key::CompileKey;
use abi::{DescriptorBinding, DescriptorKind, PipelineLayout, SetLayout};
use nir::{Stage, TessInfo};

/// Stages by execution model. Ref: SPIR-V, "Execution Model".
const STAGES: [Stage; 6] = [
    Stage::Vertex,
    Stage::TessControl,
    Stage::TessEval,
    Stage::Geometry,
    Stage::Fragment,
    Stage::Compute,
];

/// Names and stages of a module's entry points, without those of unsupported stages.
pub fn entry_points(words: &[u32]) -> Result<Vec<(String, Stage)>, CompileError> {
    let module = spirv_front::Module::parse(words)?;
    let known = module
        .entry_points()
        .filter_map(|(name, model)| Some((name.to_string(), *STAGES.get(model as usize)?)));
    Ok(known.collect())
}

/// The tessellation modes of a pipeline: the union of the modes of its control and evaluation
/// shaders, for input patches of `patch_vertices` vertices.
pub fn tess_modes(
    control: (&[u32], &CompileKey<'_>),
    evaluation: (&[u32], &CompileKey<'_>),
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

/// A layout for a single shader: its descriptors, packed in the order of sets and bindings.
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
        layout.sets[set].bindings.push(DescriptorBinding {
            binding: variable.binding,
            kind,
            count,
            offset_bytes: 0,
            stride_bytes: kind.slots() * abi::DESCRIPTOR_SLOT_BYTES,
            samplers: abi::SamplerOffsets::default(),
            dynamic_index: 0,
            static_at_bind: false,
        });
    }
    for set in &mut layout.sets {
        // Several variables may share a binding: keep the one with the largest descriptors.
        let wide_first = |b: &DescriptorBinding| (b.binding, std::cmp::Reverse(b.stride_bytes));
        set.bindings.sort_by_key(wide_first);
        set.bindings.dedup_by_key(|b| b.binding);
        let mut offset = 0;
        for binding in &mut set.bindings {
            binding.offset_bytes = offset;
            binding.samplers = abi::SamplerOffsets::in_last_slot(offset, binding.stride_bytes);
            offset += binding.count * binding.stride_bytes;
        }
    }
    Ok(layout)
}

/// Kind and number of the descriptors of a variable; `None` if it is not a resource. A runtime
/// array counts as `unsized_elements`.
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
        (nir::VariableMode::Ubo, _) => K::UniformBuffer,
        (nir::VariableMode::Ssbo, _) => K::StorageBuffer,
        (nir::VariableMode::Uniform, nir::Type::Sampler) => K::Sampler,
        (nir::VariableMode::Uniform, nir::Type::SampledImage(of)) => {
            image(&shader.types[*of], true)?
        }
        (nir::VariableMode::Uniform, ty) => image(ty, false)?,
        _ => return None,
    };
    Some((kind, count))
}
