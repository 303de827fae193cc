//! Graphics pipelines.
//!
//! In:  the shaders of the stages, and fixed-function state. Out: both, packed for draws.

use std::sync::Arc;

use cmd::Gen9;
use cmd::draw::link;
use cmd::draw::recorder::DrawPipeline;
use cmd::draw::shader::TargetOp;

use super::state::{FixedInfo, StaticStateWords};
use crate::cache::PipelineCache;
use crate::code::{self, Code};
use crate::compiler::{self, InputsRead, Neighbours, ShaderInfo, Stage};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executable::CompiledStage;

/// Parameters of a graphics pipeline.
#[derive(Clone, Debug)]
pub struct GraphicsPipelineInfo<'a> {
    /// Shaders.
    pub stages: Vec<ShaderInfo>,
    /// Fixed-function state.
    pub fixed: FixedInfo<'a>,
    /// View mask; 0 without multiview.
    pub views: u32,
    /// The depth or stencil attachment is also an input attachment.
    pub reads_tests: bool,
}

/// Use of a pipeline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Purpose {
    /// Statistics counters include it. False for meta operations.
    pub counted: bool,
    /// View mask.
    pub views: u32,
    /// Fast clear or resolve that it performs.
    pub aux_op: TargetOp,
    /// As in [`GraphicsPipelineInfo`].
    pub reads_tests: bool,
    /// Mask of the colour attachments that are not written.
    pub ignored_targets: u8,
}

/// `VkPipeline` of the graphics bind point.
#[derive(Debug)]
pub struct Pipeline {
    draw: Arc<DrawPipeline<Gen9>>,
    fixed: StaticStateWords,
    stages: Vec<Code>,
    _scratch: Vec<Arc<i915::Buffer>>,
}

/// A stage with its scratch memory, for linking.
fn stage<'a>(
    context: &Context,
    code: &'a Code,
    stage: Stage,
    scratch_buffers: &mut Vec<Arc<i915::Buffer>>,
) -> Result<link::StageShader<'a>> {
    let variants = code.shader.variants.iter();
    let max_scratch = variants.map(|variant| variant.scratch_bytes).max();
    let (scratch, memory) = code::scratch(context, stage, max_scratch.unwrap_or(0))?;
    scratch_buffers.extend(memory);
    Ok(link::StageShader {
        binary: &code.shader,
        code_offset_bytes: code.offset_bytes(),
        scratch,
    })
}

impl Pipeline {
    /// Compiles its shaders, or takes them from a cache, and links them.
    pub fn new(
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        info: &GraphicsPipelineInfo<'_>,
    ) -> Result<Self> {
        let fixed = StaticStateWords::new(context.physical.info().device.hw_gen, &info.fixed)?;
        let mut stages: Vec<_> = info.stages.iter().collect();
        stages.sort_by_key(|shader| shader.stage as u8);
        let find_stage = |stage: Stage| stages.iter().find(|shader| shader.stage == stage);
        let mut neighbours = Neighbours {
            sample_shading: info.fixed.has_sample_shading(),
            alpha_to_coverage: info.fixed.alpha_to_coverage_samples(),
            views: info.views,
            ..Neighbours::default()
        };
        if let (Some(control), Some(evaluation)) =
            (find_stage(Stage::TessControl), find_stage(Stage::TessEval))
        {
            let points = info.fixed.known_patch_points();
            let both = [*control, *evaluation];
            neighbours.tess = Some(compiler::tess_modes(context, both, points)?);
        }
        let mut codes = Vec::with_capacity(stages.len());
        let mut translated = None;
        for (at, shader) in stages.iter().enumerate() {
            let shader_translated = translated.take();
            // After the last pre-rasterisation stage, only the fragment shader reads outputs.
            (neighbours.next_stage_reads, translated) = match (shader.stage, stages.get(at + 1)) {
                (Stage::Fragment, _) => (None, None),
                (_, Some(next)) => compiler::reads(context, next)?,
                (_, None) => (Some(InputsRead::NONE), None),
            };
            let code = Code::new(context, cache, shader, &neighbours, shader_translated)?;
            neighbours.previous_stage = Some(code.shader.clone());
            codes.push((shader.stage, code));
        }
        let purpose = Purpose {
            counted: true,
            views: info.views,
            aux_op: TargetOp::None,
            reads_tests: info.reads_tests,
            ignored_targets: info.fixed.ignored_targets,
        };
        Self::link(context, fixed, codes, purpose)
    }

    /// Links shaders, given in pipeline order.
    pub(crate) fn link(
        context: &Arc<Context>,
        fixed: StaticStateWords,
        codes: Vec<(Stage, Code)>,
        purpose: Purpose,
    ) -> Result<Self> {
        let mut scratch_buffers = Vec::new();
        let stages = codes.iter();
        let stages = stages.map(|(which, code)| stage(context, code, *which, &mut scratch_buffers));
        let stages: Vec<_> = stages.collect::<Result<_>>()?;
        let mut shaders = link::link(&stages, purpose.views).map_err(|error| {
            let why = match error {
                link::LinkError::Stage => {
                    "an invalid combination of stages, or a stage without code"
                }
                link::LinkError::TooManyInputs => "too many fragment shader inputs",
            };
            Error::InvalidShader { why: why.into() }
        })?;
        shaders.counted = purpose.counted;
        if let Some(fragment) = &mut shaders.fragment {
            fragment.targets &= !purpose.ignored_targets;
            fragment.target_op = purpose.aux_op;
            // Where commands enable feedback loops, any draw may read depth and stencil.
            fragment.reads_tests = purpose.reads_tests || fixed.has_dynamic_feedback_loops();
            let diagnosis = context.physical.diagnosis();
            fragment.header_only = diagnosis.has(debug::Flag::HeaderOnly);
        }
        let device = context.physical.info().device;
        let static_state = Some(&fixed.static_state());
        let draw =
            DrawPipeline::new(device, &shaders, static_state).ok_or(Error::InvalidShader {
                why: "push constants, vertices or captured outputs exceed the hardware's limits"
                    .into(),
            })?;
        Ok(Self {
            draw: Arc::new(draw),
            fixed,
            stages: codes.into_iter().map(|code| code.1).collect(),
            _scratch: scratch_buffers,
        })
    }

    /// The packed shaders and static state.
    #[inline]
    pub fn draw(&self) -> &Arc<DrawPipeline<Gen9>> {
        &self.draw
    }

    /// The fixed-function state.
    #[inline]
    pub fn fixed(&self) -> &StaticStateWords {
        &self.fixed
    }

    /// Whether each of its shaders was found in the application's cache.
    pub fn cached(&self) -> impl Iterator<Item = bool> {
        self.stages.iter().map(|code| code.cached)
    }

    /// The compiled shaders of its stages.
    pub fn compiled(&self) -> Vec<CompiledStage<'_>> {
        let codes = self.stages.iter();
        let compiled = codes.map(|code| CompiledStage {
            shader: &code.shader,
            used_variant: code.shader.preferred,
        });
        compiled.collect()
    }
}
