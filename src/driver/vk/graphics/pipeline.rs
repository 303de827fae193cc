//! Graphics pipelines.
//!
//! In:  the shaders of the stages, and fixed-function state. Out: both, packed for draws.

use std::sync::Arc;

use cmd::Gen9;
use cmd::draw::link;
use cmd::draw::recorder::DrawPipeline;
use cmd::draw::shader::TargetOp;
use smallvec::SmallVec;

use super::dynamic_buffers;
use super::library::{GraphicsPipelineInfo, Library};
use super::state::StaticStateWords;
use crate::cache::PipelineCache;
use crate::code::{self, Code};
use crate::compiler::Stage;
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::error::{Error, Result};
use crate::executable::CompiledStage;
use crate::pipeline_binary::{BinaryStage, PipelineBinary};

/// Use of a pipeline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Purpose {
    /// Statistics counters include it. False for meta operations.
    pub counted: bool,
    /// View mask.
    pub views: u32,
    /// Fast clear or resolve that it performs.
    pub aux_op: TargetOp,
    /// The depth or stencil attachment may also be an input attachment.
    pub reads_tests: bool,
    /// Mask of the colour attachments that are not written.
    pub ignored_targets: u8,
}

/// The code of a stage, to be linked.
#[derive(Debug)]
pub(crate) struct StageCode {
    stage: Stage,
    code: Arc<Code>,
    /// Push data, if the pipeline's layout requires other than that of the code.
    push: Option<abi::PushData>,
}

impl StageCode {
    /// Code that was compiled with the layout of its pipeline.
    pub(crate) fn new(stage: Stage, code: Code) -> Self {
        Self {
            stage,
            code: Arc::new(code),
            push: None,
        }
    }

    /// The stage with its scratch memory, for linking.
    fn link_input(
        &self,
        context: &Context,
        scratch_buffers: &mut Vec<Arc<i915::Buffer>>,
    ) -> Result<link::StageShader<'_>> {
        let shader = &self.code.shader;
        let max_scratch = shader.variants.iter().map(|variant| variant.scratch_bytes);
        let max_scratch = max_scratch.max().unwrap_or(0);
        let (scratch, memory) = code::scratch(context, self.stage, max_scratch)?;
        scratch_buffers.extend(memory);
        Ok(link::StageShader {
            binary: shader,
            push: self.push.as_ref().unwrap_or(&shader.push),
            code_offset_bytes: self.code.offset_bytes(),
            scratch,
        })
    }
}

/// The stages that were compiled for a pipeline with these parts. It has no use for their SPIR-V.
fn own_stages(parts: &Library) -> SmallVec<[BinaryStage; 2]> {
    let own = parts.stages.iter().filter(|stage| stage.is_own());
    own.map(|stage| stage.binary_stage(Arc::default()))
        .collect()
}

fn binaries_of(context: &Context, stages: &[BinaryStage]) -> Vec<Arc<PipelineBinary>> {
    let binaries = stages
        .iter()
        .map(|stage| PipelineBinary::new(context, stage.clone()));
    binaries.collect()
}

/// `VkPipeline` of the graphics bind point.
#[derive(Debug)]
pub struct Pipeline {
    draw: Arc<DrawPipeline<Gen9>>,
    fixed: StaticStateWords,
    stages: Vec<Arc<Code>>,
    /// The stages that were compiled for it.
    own_stages: SmallVec<[BinaryStage; 2]>,
    /// The layouts of the stages that embed samplers.
    embedded: Vec<Arc<PipelineLayout>>,
    _scratch: Vec<Arc<i915::Buffer>>,
}

impl Pipeline {
    /// Compiles its shaders, or takes them from libraries or a cache, and links them.
    pub fn new(
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        info: GraphicsPipelineInfo<'_>,
    ) -> Result<Self> {
        let layout = info.layout.clone();
        let parts = Self::complete_parts(context, cache, info)?;
        Self::from_parts(context, parts, layout.as_deref())
    }

    /// All parts, with a fragment shader that fits the others.
    fn complete_parts(
        context: &Arc<Context>,
        cache: Option<&PipelineCache>,
        info: GraphicsPipelineInfo<'_>,
    ) -> Result<Library> {
        let (cached_only, binaries) = (info.cached_only, info.binaries.clone());
        let mut parts = Library::new(context, cache, info)?;
        parts.check_complete()?;
        parts.replace_fragment_shader(context, &binaries)?;
        parts.fit_fragment_shader(context, cache, cached_only)?;
        Ok(parts)
    }

    /// The binaries of a pipeline with these parameters, from the cache on disk. The error
    /// [`Error::CompileRequired`]: it does not have all of them.
    pub fn cached_binaries(
        context: &Arc<Context>,
        info: GraphicsPipelineInfo<'_>,
    ) -> Result<Vec<Arc<PipelineBinary>>> {
        let parts = Self::complete_parts(context, None, info)?;
        Ok(binaries_of(context, &own_stages(&parts)))
    }

    /// The binaries of the stages that were compiled for it.
    pub fn binaries(&self, context: &Context) -> Vec<Arc<PipelineBinary>> {
        binaries_of(context, &self.own_stages)
    }

    /// Links shader objects.
    pub(super) fn of_shader_objects(context: &Arc<Context>, mut parts: Library) -> Result<Self> {
        parts.fit_fragment_shader(context, None, false)?;
        Self::from_parts(context, parts, None)
    }

    /// Links complete parts. Without a layout, it is the union of those of the stages.
    fn from_parts(
        context: &Arc<Context>,
        parts: Library,
        layout: Option<&PipelineLayout>,
    ) -> Result<Self> {
        let own_stages = own_stages(&parts);
        let layouts = parts.stages.iter().map(|stage| &*stage.info.layout);
        let dynamic_buffers = match layout {
            Some(layout) => layout.dynamic_bases().collect(),
            None => dynamic_buffers::first_indices(layouts),
        };
        let embedded: Vec<_> = parts
            .stages
            .iter()
            .map(|stage| &stage.info.layout)
            .filter(|layout| layout.embedded_samplers().is_some())
            .cloned()
            .collect();
        let stages = parts.stages.into_iter().map(|stage| {
            let push = &stage.code.shader.push;
            StageCode {
                stage: stage.info.stage,
                push: dynamic_buffers::relocate(push, &stage.info.layout, &dynamic_buffers),
                code: stage.code,
            }
        });
        let purpose = Purpose {
            counted: true,
            views: parts.facts.views.unwrap_or(0),
            aux_op: TargetOp::None,
            reads_tests: parts.facts.reads_tests.may_read(),
            ignored_targets: parts.facts.ignored_targets,
        };
        let linked = Self::link(context, parts.fixed, stages.collect(), purpose)?;
        Ok(Self {
            own_stages,
            embedded,
            ..linked
        })
    }

    /// Links shaders, given in pipeline order.
    pub(crate) fn link(
        context: &Arc<Context>,
        fixed: StaticStateWords,
        codes: Vec<StageCode>,
        purpose: Purpose,
    ) -> Result<Self> {
        let mut scratch_buffers = Vec::new();
        let stages = codes.iter();
        let stages = stages.map(|code| code.link_input(context, &mut scratch_buffers));
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
            stages: codes.into_iter().map(|code| code.code).collect(),
            own_stages: SmallVec::new(),
            embedded: Vec::new(),
            _scratch: scratch_buffers,
        })
    }

    /// Number and handle of each stage's set of embedded samplers.
    #[inline]
    pub(crate) fn embedded_samplers(&self) -> impl Iterator<Item = (u32, u32)> {
        self.embedded
            .iter()
            .filter_map(|layout| layout.embedded_samplers())
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
        codes
            .map(|code| CompiledStage::preferred(&code.shader))
            .collect()
    }
}
