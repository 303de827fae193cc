//! Pipelines of meta operations, compiled at first use.

use std::sync::{Arc, OnceLock};

use ash::vk as api;
use cmd::draw::shader::TargetOp;

use crate::code::Code;
use crate::compiler::{self, MetaShader, Stage};
use crate::context::Context;
use crate::descriptor::{BindingInfo, PipelineLayout, PushRange, SetLayout};
use crate::error::{Error, Result};
use crate::graphics::{self, Purpose, StageCode};
use crate::limits;
use crate::pipeline::Pipeline;

/// 1, 2, 4, 8, 16.
const SAMPLE_COUNTS: usize = 5;

/// The meta pipelines of a device.
#[derive(Debug)]
pub struct MetaPipelines {
    pipelines: [OnceLock<Pipeline>; blit::SHADERS],
    /// Clears, by number of targets and log2 of the sample count.
    clears: [[OnceLock<graphics::Pipeline>; SAMPLE_COUNTS]; blit::clear::TARGETS as usize + 1],
    /// Fast clears and resolves, by log2 of the sample count.
    aux_ops: [[OnceLock<graphics::Pipeline>; SAMPLE_COUNTS]; 3],
    /// Blits and resolves drawn as rectangles.
    blit_draw: [OnceLock<graphics::Pipeline>; blit::DrawShader::COUNT],
}

impl Default for MetaPipelines {
    fn default() -> Self {
        Self {
            pipelines: std::array::from_fn(|_| OnceLock::new()),
            clears: Default::default(),
            aux_ops: Default::default(),
            blit_draw: Default::default(),
        }
    }
}

impl MetaPipelines {
    /// The compute pipeline of a meta shader. Its buffers are dynamic, so it needs no descriptor
    /// set.
    pub fn pipeline(&self, context: &Arc<Context>, shader: blit::Shader) -> Result<&Pipeline> {
        let slot = self.pipelines.get(shader.index()).ok_or(NO_SLOT)?;
        get_or_make(slot, || make_compute(context, shader))
    }

    /// The pipeline that clears the first `targets` colour targets, depth and stencil.
    pub fn clear(
        &self,
        context: &Arc<Context>,
        targets: usize,
        samples: u8,
    ) -> Result<&graphics::Pipeline> {
        let slots = self.clears.get(targets).ok_or(NO_SLOT)?;
        let slot = slots.get(samples.max(1).ilog2() as usize);
        let slot = slot.ok_or(NO_SLOT)?;
        get_or_make(slot, || make_clear(context, targets as u32, samples))
    }

    /// The pipeline that fast-clears or resolves a target.
    pub fn aux_op(
        &self,
        context: &Arc<Context>,
        aux_op: TargetOp,
        samples: u8,
    ) -> Result<&graphics::Pipeline> {
        let slots = match aux_op {
            TargetOp::None => None,
            TargetOp::FastClear => self.aux_ops.first(),
            TargetOp::PartialResolve => self.aux_ops.get(1),
            TargetOp::Resolve => self.aux_ops.get(2),
        };
        let slot = slots.and_then(|slots| slots.get(samples.max(1).ilog2() as usize));
        let slot = slot.ok_or(NO_SLOT)?;
        get_or_make(slot, || make_aux_op(context, aux_op, samples))
    }

    /// The pipeline of a blit or resolve that is drawn.
    pub fn blit_draw(
        &self,
        context: &Arc<Context>,
        blit_draw: blit::DrawShader,
    ) -> Result<&graphics::Pipeline> {
        let slot = self.blit_draw.get(blit_draw.index()).ok_or(NO_SLOT)?;
        get_or_make(slot, || make_blit_draw(context, blit_draw))
    }
}

/// The value of a slot, initialised at first use.
fn get_or_make<T>(slot: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    match slot.get() {
        Some(there) => Ok(there),
        None => {
            let made = make()?;
            // If another thread was faster, this value is dropped.
            Ok(slot.get_or_init(|| made))
        }
    }
}

const NO_SLOT: Error = Error::InvalidUse {
    why: "an unknown meta shader",
};

/// A layout with push constants and no sets.
fn push_constant_layout() -> Result<PipelineLayout> {
    let push = PushRange {
        offset_bytes: 0,
        bytes: limits::MAX_PUSH_CONSTANTS_BYTES,
    };
    PipelineLayout::new(&[], &[push])
}

/// A stage that reads push constants only.
fn code<F: FnOnce() -> blit::Nir>(
    context: &Arc<Context>,
    shader: MetaShader<F>,
) -> Result<StageCode> {
    let (stage, layout) = (shader.stage, push_constant_layout()?);
    let binary = compiler::internal(context, shader, &layout)?;
    let code = Code::upload(context, binary)?;
    Ok(StageCode::new(stage, code))
}

/// A vertex shader.
fn vertex<F: FnOnce() -> blit::Nir>(name: &str, nir: F) -> MetaShader<F> {
    MetaShader {
        stage: Stage::Vertex,
        name: name.into(),
        nir,
        is_replicated: false,
    }
}

/// A fragment shader.
fn fragment<F: FnOnce() -> blit::Nir>(name: String, nir: F) -> MetaShader<F> {
    MetaShader {
        stage: Stage::Fragment,
        name,
        nir,
        is_replicated: false,
    }
}

fn make_clear(context: &Arc<Context>, targets: u32, samples: u8) -> Result<graphics::Pipeline> {
    let mut codes = vec![code(context, vertex("clear", blit::clear::vertex))?];
    if targets > 0 {
        let name = format!("clear {targets}");
        let shader = fragment(name, || blit::clear::fragment(targets));
        codes.push(code(context, shader)?);
    }
    let fixed = graphics::StaticStateWords::for_clears(samples);
    graphics::Pipeline::link(context, fixed, codes, Purpose::default())
}

fn make_aux_op(
    context: &Arc<Context>,
    aux_op: TargetOp,
    samples: u8,
) -> Result<graphics::Pipeline> {
    let codes = vec![
        code(context, vertex("aux op", || blit::clear::rectangle(true)))?,
        code(
            context,
            MetaShader {
                is_replicated: true,
                ..fragment("aux op".into(), blit::clear::anything)
            },
        )?,
    ];
    let fixed = graphics::StaticStateWords::for_rectangles(samples);
    graphics::Pipeline::link(
        context,
        fixed,
        codes,
        Purpose {
            aux_op,
            ..Purpose::default()
        },
    )
}

fn make_blit_draw(
    context: &Arc<Context>,
    blit_draw: blit::DrawShader,
) -> Result<graphics::Pipeline> {
    let codes = vec![
        code(context, vertex("blit", || blit::clear::rectangle(false)))?,
        code(
            context,
            fragment(format!("{blit_draw:?}"), || blit_draw.nir()),
        )?,
    ];
    graphics::Pipeline::link(
        context,
        graphics::StaticStateWords::for_rectangles(1),
        codes,
        Purpose::default(),
    )
}

fn make_compute(context: &Arc<Context>, shader: blit::Shader) -> Result<Pipeline> {
    let kind = api::DescriptorType::STORAGE_BUFFER_DYNAMIC;
    let binding = |binding| BindingInfo::plain(binding, kind, 1);
    let bindings: Vec<_> = (0..shader.buffers()).map(binding).collect();
    let push = PushRange {
        offset_bytes: 0,
        bytes: limits::MAX_PUSH_CONSTANTS_BYTES,
    };
    let set = Arc::new(SetLayout::new(bindings, false)?);
    let layout = PipelineLayout::new(&[set], &[push])?;
    Pipeline::internal(context, shader, &layout)
}
