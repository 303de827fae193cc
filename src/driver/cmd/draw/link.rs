//! Links the compiled shaders of a graphics pipeline.
//!
//! In:  each stage's compiled binary, and the location of its code. Out: [`PipelineShaders`], in
//!      which each fragment input names its source among the vertex outputs.
//! Ref: Vulkan 1.3, "Shader Input and Output Interfaces": an input that no stage writes is
//!      undefined; here it is zero.

use abi::{FragmentInfo, ShaderBinary, StageInfo, VertexElement, slot};

use crate::draw::shader::{
    CapturedDword, ComputedDepth, ControlShader, EvaluationShader, FragmentInput, FragmentShader,
    FragmentVariant, GeometryShader, INPUTS, InputSource, PipelineShaders, StreamOut, TargetOp,
    Tessellation, UrbStageShader, VertexInputs, VertexShader,
};
use crate::generation::ScratchSpace;

/// A compiled shader and its resources.
#[derive(Clone, Copy, Debug)]
pub struct StageShader<'a> {
    /// The compiled shader.
    pub binary: &'a ShaderBinary,
    /// Its push data for the pipeline's layout.
    pub push: &'a abi::PushData,
    /// Offset of its code from Instruction Base Address, in bytes.
    pub code_offset_bytes: u64,
    /// Scratch, sized for the variant that needs most.
    pub scratch: ScratchSpace,
}

impl<'a> StageShader<'a> {
    fn variant(&self, variant: &abi::SimdVariant) -> FragmentVariant {
        FragmentVariant {
            kernel_offset_bytes: self.code_offset_bytes + u64::from(variant.code_offset_bytes),
            first_grf: variant.push_grf.into(),
        }
    }

    /// The only variant of a SIMD8 stage.
    fn program(&self) -> Result<UrbStageShader<'a>, LinkError> {
        let [code, ..] = &self.binary.variants[..] else {
            return Err(LinkError::Stage);
        };
        let FragmentVariant {
            kernel_offset_bytes,
            first_grf,
        } = self.variant(code);
        Ok(UrbStageShader {
            kernel_offset_bytes,
            first_grf,
            scratch: self.scratch,
            push: self.push,
        })
    }
}

/// Why shaders cannot be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// A stage is missing (vertex, or one of the two tessellation stages), duplicated, not a
    /// graphics stage, or has no code.
    Stage,
    /// The fragment shader has too many input attributes.
    TooManyInputs,
}

/// Whether attribute setup can connect a fragment shader that was compiled alone with the outputs
/// of a stage that was compiled alone: inputs beyond those with a swizzle come from consecutive
/// slots, and cull distances follow the clip distances that were written.
pub fn fits_any_outputs(info: &FragmentInfo, outputs: &abi::VertexOutputs) -> bool {
    let distances = [slot::CLIP_DISTANCES_LOW, slot::CLIP_DISTANCES_HIGH];
    let reads_distances = info.inputs.iter().any(|input| distances.contains(input));
    info.inputs.len() <= abi::MAX_SWIZZLED_INPUTS
        && !(reads_distances && outputs.cull_distances != 0)
}

/// Links the shaders of a pipeline, given in pipeline order with the vertex shader first. Each was
/// compiled against the outputs of the stage before it (`compile::CompileKey::before`). `views` is
/// the multiview mask.
pub fn link<'a>(stages: &[StageShader<'a>], views: u32) -> Result<PipelineShaders<'a>, LinkError> {
    let [vertex, stages @ ..] = stages else {
        return Err(LinkError::Stage);
    };
    let StageInfo::Vertex(info) = &vertex.binary.stage else {
        return Err(LinkError::Stage);
    };
    let mut outputs = &info.outputs;
    let (mut control, mut evaluation, mut geometry, mut fragment) = (None, None, None, None);
    for stage in stages {
        let is_new = match &stage.binary.stage {
            StageInfo::TessControl(info) => {
                let program = stage.program()?;
                control.replace(ControlShader { program, info }).is_none()
            }
            StageInfo::TessEval(info) => {
                let program = stage.program()?;
                evaluation
                    .replace(EvaluationShader { program, info })
                    .is_none()
            }
            StageInfo::Geometry(info) => {
                let program = stage.program()?;
                geometry.replace(GeometryShader { program, info }).is_none()
            }
            StageInfo::Fragment(_) => fragment.replace(stage).is_none(),
            StageInfo::Vertex(_) | StageInfo::Compute(_) => false,
        };
        if !is_new {
            return Err(LinkError::Stage);
        }
        outputs = stage.binary.stage.vertex_outputs().unwrap_or(outputs);
    }
    let tessellation = match (control, evaluation) {
        (Some(control), Some(evaluation)) => Some(Tessellation {
            control,
            evaluation,
        }),
        (None, None) => None,
        _ => return Err(LinkError::Stage),
    };
    let program = vertex.program()?;
    let mut inputs = VertexInputs {
        views: views.count_ones() as u8,
        ..VertexInputs::default()
    };
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
    let writes = |slot: u8| outputs.written >> slot & 1 != 0;
    Ok(PipelineShaders {
        vertex: VertexShader {
            kernel_offset_bytes: program.kernel_offset_bytes,
            scratch: program.scratch,
            inputs,
            first_grf: program.first_grf,
            output_slots: info.outputs.vue.slots.len() as u32,
            push: program.push,
        },
        tessellation,
        geometry,
        fragment,
        stream_out: stream_out(
            outputs,
            geometry.is_some_and(|g| g.info.streams || g.info.stream != 0),
        ),
        counted: true,
        writes_point_size: writes(slot::POINT_SIZE),
        writes_layer: writes(slot::LAYER),
        writes_viewport: writes(slot::VIEWPORT),
        clip_distances: info.outputs.clip_distances,
        cull_distances: info.outputs.cull_distances,
    })
}

/// The captured outputs of the last pre-rasterisation stage, sorted by buffer and offset.
fn stream_out(outputs: &abi::VertexOutputs, streams: bool) -> StreamOut {
    let dwords = outputs.capture.dwords.iter().map(|c| CapturedDword {
        slot: match outputs.written >> c.slot & 1 {
            0 => None,
            _ => outputs
                .vue
                .slot_index(c.slot)
                .and_then(|at| u8::try_from(at).ok()),
        },
        component: abi::header_dword(c.slot).unwrap_or(c.component),
        buffer: c.buffer,
        stream: c.stream,
        offset_bytes: c.offset_bytes,
    });
    let mut dwords: Vec<_> = dwords.collect();
    dwords.sort_by_key(|c| (c.buffer, c.offset_bytes));
    StreamOut {
        dwords,
        strides_bytes: outputs.capture.strides_bytes,
        streams,
        slots: outputs.vue.slots.len() as u32,
    }
}

fn fragment_shader<'a>(
    stage: &StageShader<'a>,
    vertices: &abi::VertexOutputs,
) -> Result<FragmentShader<'a>, LinkError> {
    let StageInfo::Fragment(info) = &stage.binary.stage else {
        return Err(LinkError::Stage);
    };
    let mut variants = [None; 3];
    for variant in &stage.binary.variants {
        let index = match variant.simd_width {
            8 => 0,
            16 => 1,
            _ => 2,
        };
        variants[index] = Some(stage.variant(variant));
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
        coverage_is_tested: info.post_depth_coverage,
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
        reads_tests: false,
        header_only: false,
        per_sample: info.per_sample,
        has_side_effects: info.writes_memory,
        early_tests: info.early_tests,
        targets: info.targets,
        dual_source: info.dual_source,
        target_op: TargetOp::None,
        push: stage.push,
    })
}

fn sources(
    info: &FragmentInfo,
    vertices: &abi::VertexOutputs,
) -> Result<Vec<FragmentInput>, LinkError> {
    if info.inputs.len() > INPUTS {
        return Err(LinkError::TooManyInputs);
    }
    let source = |slot: u8| match vertices.vue.slot_index(slot) {
        // The VUE header has a slot even if the shader does not write it.
        Some(_) if vertices.written >> slot & 1 == 0 => Ok(InputSource::Zero),
        Some(slot) => u8::try_from(slot)
            .map(InputSource::Slot)
            .map_err(|_| LinkError::TooManyInputs),
        None if slot == slot::PRIMITIVE_ID => Ok(InputSource::PrimitiveId),
        None if slot == slot::POINT_COORD => Ok(InputSource::PointCoord),
        None => Ok(InputSource::Zero),
    };
    let inputs = (0..).zip(&info.inputs).map(|(index, &slot)| {
        Ok(FragmentInput {
            source: source(slot)?,
            flat: info.flat_inputs >> index & 1 != 0,
        })
    });
    inputs.collect()
}
