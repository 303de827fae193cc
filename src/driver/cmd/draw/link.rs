//! Compiled shaders of several stages, put together.
//!
//! In:  what the compiler says of each, and where its code lies. Out: [`Shaders`], in which inputs of fragments are slots of vertices.
//! Ref: Vulkan 1.3, "Shader Input and Output Interfaces": an input that nothing writes is undefined; here it is zero.

use abi::{FragmentInfo, ShaderBinary, StageInfo, VertexElement, slot};

use crate::draw::shader::{
    ComputedDepth, FragmentShader, INPUTS, Input, Shaders, Source, Variant, VertexInputs,
    VertexShader,
};
use crate::generation::Scratch;

/// A compiled shader, and what a launcher has given it.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The shader.
    pub binary: &'a ShaderBinary,
    /// Where its code lies, in bytes from Instruction Base Address.
    pub code_offset_bytes: u64,
    /// Scratch, of the variant that wants most.
    pub scratch: Scratch,
}

impl Stage<'_> {
    fn variant(&self, variant: &abi::Variant) -> Variant {
        Variant {
            kernel_offset_bytes: self.code_offset_bytes + u64::from(variant.code_offset_bytes),
            first_grf: variant.push_grf.into(),
        }
    }
}

/// Why shaders do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// A shader is not of the stage that it is taken for, or has no code.
    Stage,
    /// More attributes than fragments can have.
    TooManyInputs,
}

/// Puts a vertex shader and a fragment shader together.
pub fn link<'a>(
    vertex: &Stage<'a>,
    fragment: Option<&Stage<'a>>,
) -> Result<Shaders<'a>, LinkError> {
    let StageInfo::Vertex(info) = &vertex.binary.stage else {
        return Err(LinkError::Stage);
    };
    let outputs = &info.outputs;
    let writes = |slot: u8| outputs.written >> slot & 1 != 0;
    let [code, ..] = &vertex.binary.variants[..] else {
        return Err(LinkError::Stage);
    };
    let code = vertex.variant(code);
    let mut inputs = VertexInputs::default();
    for element in &info.elements {
        match element {
            VertexElement::Location(location) => inputs.locations |= 1 << (location & 31),
            VertexElement::DrawParameters => {
                (inputs.vertex_id, inputs.instance_id, inputs.bases) = (true, true, true);
            }
            VertexElement::DrawIndex => inputs.draw_id = true,
        }
    }
    let fragment = match fragment {
        Some(stage) => Some(fragment_shader(stage, outputs)?),
        None => None,
    };
    Ok(Shaders {
        vertex: VertexShader {
            kernel_offset_bytes: code.kernel_offset_bytes,
            scratch: vertex.scratch,
            inputs,
            first_grf: code.first_grf,
            output_slots: outputs.vue.slots.len() as u32,
            push: &vertex.binary.push,
        },
        fragment,
        writes_point_size: writes(slot::POINT_SIZE),
        writes_layer: writes(slot::LAYER),
        writes_viewport: writes(slot::VIEWPORT),
        clip_distances: outputs.clip_distances,
        cull_distances: outputs.cull_distances,
    })
}

fn fragment_shader<'a>(
    stage: &Stage<'a>,
    vertices: &abi::VertexOutputs,
) -> Result<FragmentShader<'a>, LinkError> {
    let StageInfo::Fragment(info) = &stage.binary.stage else {
        return Err(LinkError::Stage);
    };
    let mut variants = [None; 3];
    for variant in &stage.binary.variants {
        let place = match variant.simd_width {
            8 => 0,
            16 => 1,
            _ => 2,
        };
        variants[place] = Some(stage.variant(variant));
    }
    if variants.iter().all(Option::is_none) {
        return Err(LinkError::Stage);
    }
    Ok(FragmentShader {
        variants,
        scratch: stage.scratch,
        inputs: sources(info, vertices)?,
        barycentrics: info.barycentric_modes,
        reads_depth: info.source_depth,
        reads_w: info.source_w,
        reads_sample_position: info.sample_positions,
        reads_coverage: info.input_coverage,
        pulls_barycentrics: info.pulls_barycentrics,
        depth: match info.computed_depth {
            abi::ComputedDepth::Off => ComputedDepth::No,
            abi::ComputedDepth::On => ComputedDepth::Any,
            abi::ComputedDepth::GreaterOrEqual => ComputedDepth::Greater,
            abi::ComputedDepth::LessOrEqual => ComputedDepth::Less,
        },
        writes_stencil: info.output_stencil,
        writes_mask: info.output_mask,
        kills: info.kills,
        per_sample: info.per_sample,
        has_side_effects: info.writes_memory,
        early_tests: info.early_tests,
        targets: info.targets,
        dual_source: info.dual_source,
        push: &stage.binary.push,
    })
}

fn sources(info: &FragmentInfo, vertices: &abi::VertexOutputs) -> Result<Vec<Input>, LinkError> {
    if info.inputs.len() > INPUTS {
        return Err(LinkError::TooManyInputs);
    }
    let source = |slot: u8| match vertices.vue.place(slot) {
        // The header is there, whatever is written of it.
        Some(_) if vertices.written >> slot & 1 == 0 => Ok(Source::Zero),
        Some(place) => u8::try_from(place)
            .map(Source::Slot)
            .map_err(|_| LinkError::TooManyInputs),
        None if slot == slot::PRIMITIVE_ID => Ok(Source::PrimitiveId),
        None if slot == slot::POINT_COORD => Ok(Source::PointCoord),
        None => Ok(Source::Zero),
    };
    let inputs = (0..).zip(&info.inputs).map(|(index, &slot)| {
        Ok(Input {
            source: source(slot)?,
            flat: info.flat_inputs >> index & 1 != 0,
        })
    });
    inputs.collect()
}
