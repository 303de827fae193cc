//! Graphics pipelines.
//!
//! In:  the shaders of stages, and the fixed functions' state. Out: both, packed for draws.

use std::sync::Arc;

use cmd::Gen9;
use cmd::draw::link;
use cmd::draw::recorder::DrawPipeline;
use cmd::draw::shader::Special;

use super::state::{Fixed, FixedInfo};
use crate::cache::Cache;
use crate::code::{self, Code};
use crate::compiler::{self, Neighbours, Reads, ShaderInfo, Stage};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executable::Compiled;

/// What makes a graphics pipeline.
#[derive(Clone, Debug)]
pub struct Info<'a> {
    /// The shaders.
    pub stages: Vec<ShaderInfo>,
    /// The fixed functions' state.
    pub fixed: FixedInfo<'a>,
    /// Views that each draw is made for, a bit each; none: there is no multiview.
    pub views: u32,
    /// The depth or stencil that its fragments are tested by is an input attachment, too.
    pub reads_tests: bool,
}

/// What a pipeline is for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Purpose {
    /// What it does is the application's.
    pub counted: bool,
    /// Views that each draw is made for.
    pub views: u32,
    /// What its colours mean.
    pub special: Special,
    /// As of [`Info`].
    pub reads_tests: bool,
}

/// `VkPipeline` of the graphics bind point.
#[derive(Debug)]
pub struct Pipeline {
    draw: Arc<DrawPipeline<Gen9>>,
    fixed: Fixed,
    stages: Vec<Code>,
    _scratch: Vec<Arc<i915::Buffer>>,
}

/// The shader of a stage, and where it runs.
fn stage<'a>(
    context: &Context,
    code: &'a Code,
    stage: Stage,
    kept: &mut Vec<Arc<i915::Buffer>>,
) -> Result<link::Stage<'a>> {
    let variants = code.shader.variants.iter();
    let most = variants.map(|variant| variant.scratch_bytes).max();
    let (scratch, memory) = code::scratch(context, stage, most.unwrap_or(0))?;
    kept.extend(memory);
    Ok(link::Stage {
        binary: &code.shader,
        code_offset_bytes: code.offset_bytes(),
        scratch,
    })
}

impl Pipeline {
    /// Compiles its shaders, or finds them in a cache, and puts them together.
    pub fn new(context: &Arc<Context>, cache: Option<&Cache>, info: &Info<'_>) -> Result<Self> {
        let fixed = Fixed::new(context.physical.info().device.hw_gen, &info.fixed)?;
        let mut stages: Vec<_> = info.stages.iter().collect();
        stages.sort_by_key(|shader| shader.stage as u8);
        let of = |stage: Stage| stages.iter().find(|shader| shader.stage == stage);
        let mut neighbours = Neighbours {
            sample_shading: info.fixed.shades_samples(),
            alpha_to_coverage: info.fixed.samples_by_alpha(),
            views: info.views,
            ..Neighbours::default()
        };
        if let (Some(control), Some(evaluation)) = (of(Stage::TessControl), of(Stage::TessEval)) {
            let points = info.fixed.patch_points.into();
            let both = [*control, *evaluation];
            neighbours.tess = Some(compiler::tess_modes(context, both, points)?);
        }
        let mut codes = Vec::with_capacity(stages.len());
        let mut translated = None;
        for (at, shader) in stages.iter().enumerate() {
            let own = translated.take();
            // Behind the last stage before rasterisation nothing reads but what fragments do.
            (neighbours.read_behind, translated) = match (shader.stage, stages.get(at + 1)) {
                (Stage::Fragment, _) => (None, None),
                (_, Some(next)) => compiler::reads(context, next)?,
                (_, None) => (Some(Reads::NONE), None),
            };
            let code = Code::new(context, cache, shader, &neighbours, own)?;
            neighbours.before = Some(code.shader.clone());
            codes.push((shader.stage, code));
        }
        let purpose = Purpose {
            counted: true,
            views: info.views,
            special: Special::None,
            reads_tests: info.reads_tests,
        };
        Self::of(context, fixed, codes, purpose)
    }

    /// Puts shaders together, which come in the pipeline's order.
    pub(crate) fn of(
        context: &Arc<Context>,
        fixed: Fixed,
        codes: Vec<(Stage, Code)>,
        purpose: Purpose,
    ) -> Result<Self> {
        let mut kept = Vec::new();
        let stages = codes.iter();
        let stages = stages.map(|(which, code)| stage(context, code, *which, &mut kept));
        let stages: Vec<_> = stages.collect::<Result<_>>()?;
        let mut shaders = link::link(&stages, purpose.views).map_err(|error| {
            let why = match error {
                link::LinkError::Stage => "stages that make no pipeline, or one without code",
                link::LinkError::TooManyInputs => "more inputs than fragments can have",
            };
            Error::InvalidShader { why: why.into() }
        })?;
        shaders.counted = purpose.counted;
        if let Some(fragment) = &mut shaders.fragment {
            fragment.special = purpose.special;
            fragment.reads_tests = purpose.reads_tests;
        }
        let device = context.physical.info().device;
        let own = Some(&fixed.own());
        let draw = DrawPipeline::new(device, &shaders, own).ok_or(Error::InvalidShader {
            why: "more constants, larger vertices or more captured parts of them than there is room for".into(),
        })?;
        Ok(Self {
            draw: Arc::new(draw),
            fixed,
            stages: codes.into_iter().map(|code| code.1).collect(),
            _scratch: kept,
        })
    }

    /// How it draws.
    #[inline]
    pub fn draw(&self) -> &Arc<DrawPipeline<Gen9>> {
        &self.draw
    }

    /// The fixed functions' state.
    #[inline]
    pub fn fixed(&self) -> &Fixed {
        &self.fixed
    }

    /// Whether each of its shaders was found in the application's cache.
    pub fn cached(&self) -> impl Iterator<Item = bool> {
        self.stages.iter().map(|code| code.cached)
    }

    /// What its stages were compiled to.
    pub fn compiled(&self) -> Vec<Compiled<'_>> {
        let codes = self.stages.iter();
        let compiled = codes.map(|code| Compiled {
            shader: &code.shader,
            first: code.shader.preferred,
        });
        compiled.collect()
    }
}
