//! The driver's own shaders, compiled when first used.

use std::sync::{Arc, OnceLock};

use ash::vk as api;
use cmd::draw::shader::Special;

use crate::code::Code;
use crate::compiler::{self, Stage};
use crate::context::Context;
use crate::descriptor::{BindingInfo, PipelineLayout, PushRange, SetLayout};
use crate::error::{Error, Result};
use crate::graphics::{self, Purpose};
use crate::limits;
use crate::pipeline::Pipeline;

/// 1, 2, 4, 8, 16.
const SAMPLE_COUNTS: usize = 5;

/// Pipelines of a device's internal shaders.
#[derive(Debug)]
pub struct Internal {
    pipelines: [OnceLock<Pipeline>; blit::SHADERS],
    /// By targets, and by the logarithm of samples.
    clears: [[OnceLock<graphics::Pipeline>; SAMPLE_COUNTS]; blit::clear::TARGETS as usize + 1],
    /// Fast clears and resolves, by the logarithm of samples.
    specials: [[OnceLock<graphics::Pipeline>; SAMPLE_COUNTS]; 3],
    /// Pictures that are drawn.
    drawn: [OnceLock<graphics::Pipeline>; blit::Drawn::COUNT],
}

impl Default for Internal {
    fn default() -> Self {
        Self {
            pipelines: std::array::from_fn(|_| OnceLock::new()),
            clears: Default::default(),
            specials: Default::default(),
            drawn: Default::default(),
        }
    }
}

impl Internal {
    /// The pipeline of a shader. Its buffers are dynamic ones, so a launch needs no descriptor set.
    pub fn pipeline(&self, context: &Arc<Context>, shader: blit::Shader) -> Result<&Pipeline> {
        let slot = self.pipelines.get(shader.index()).ok_or(NO_PLACE)?;
        once(slot, || make(context, shader))
    }

    /// The pipeline that clears the first so many targets, and depth and stencil, of so many samples.
    pub fn clear(
        &self,
        context: &Arc<Context>,
        targets: usize,
        samples: u8,
    ) -> Result<&graphics::Pipeline> {
        let slots = self.clears.get(targets).ok_or(NO_PLACE)?;
        let slot = slots.get(samples.max(1).ilog2() as usize);
        let slot = slot.ok_or(NO_PLACE)?;
        once(slot, || make_clear(context, targets as u32, samples))
    }

    /// The pipeline that clears or resolves a target of so many samples by its auxiliary surface.
    pub fn special(
        &self,
        context: &Arc<Context>,
        special: Special,
        samples: u8,
    ) -> Result<&graphics::Pipeline> {
        let slots = match special {
            Special::None => None,
            Special::FastClear => self.specials.first(),
            Special::PartialResolve => self.specials.get(1),
            Special::Resolve => self.specials.get(2),
        };
        let slot = slots.and_then(|slots| slots.get(samples.max(1).ilog2() as usize));
        let slot = slot.ok_or(NO_PLACE)?;
        once(slot, || make_special(context, special, samples))
    }

    /// The pipeline that draws a picture.
    pub fn drawn(&self, context: &Arc<Context>, drawn: blit::Drawn) -> Result<&graphics::Pipeline> {
        let slot = self.drawn.get(drawn.index()).ok_or(NO_PLACE)?;
        once(slot, || make_drawn(context, drawn))
    }
}

/// What is in a slot, made by who comes first.
fn once<T>(slot: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    match slot.get() {
        Some(there) => Ok(there),
        None => {
            let made = make()?;
            // Another thread may have been quicker; then this one goes again.
            Ok(slot.get_or_init(|| made))
        }
    }
}

const NO_PLACE: Error = Error::InvalidUse {
    why: "an internal shader without a place",
};

/// A layout with push constants and nothing else.
fn constants_alone() -> Result<PipelineLayout> {
    let push = PushRange {
        offset_bytes: 0,
        bytes: limits::MAX_PUSH_CONSTANTS_BYTES,
    };
    PipelineLayout::new(&[], &[push])
}

/// The code of a stage whose constants are all that it is given. `replicated`: one colour for all pixels.
fn code(
    context: &Arc<Context>,
    stage: Stage,
    shader: blit::Nir,
    replicated: bool,
) -> Result<(Stage, Code)> {
    let layout = constants_alone()?;
    let binary = compiler::internal(context, stage, shader, &layout, replicated)?;
    Ok((stage, Code::upload(context, Arc::new(binary))?))
}

fn make_clear(context: &Arc<Context>, targets: u32, samples: u8) -> Result<graphics::Pipeline> {
    let mut codes = vec![code(context, Stage::Vertex, blit::clear::vertex(), false)?];
    if targets > 0 {
        codes.push(code(
            context,
            Stage::Fragment,
            blit::clear::fragment(targets),
            false,
        )?);
    }
    let fixed = graphics::Fixed::clearing(samples);
    graphics::Pipeline::of(context, fixed, codes, Purpose::default())
}

fn make_special(
    context: &Arc<Context>,
    special: Special,
    samples: u8,
) -> Result<graphics::Pipeline> {
    let codes = vec![
        code(context, Stage::Vertex, blit::clear::rectangle(true), false)?,
        code(context, Stage::Fragment, blit::clear::anything(), true)?,
    ];
    let fixed = graphics::Fixed::covering(samples);
    graphics::Pipeline::of(
        context,
        fixed,
        codes,
        Purpose {
            special,
            ..Purpose::default()
        },
    )
}

fn make_drawn(context: &Arc<Context>, drawn: blit::Drawn) -> Result<graphics::Pipeline> {
    let codes = vec![
        code(context, Stage::Vertex, blit::clear::rectangle(false), false)?,
        code(context, Stage::Fragment, drawn.nir(), false)?,
    ];
    graphics::Pipeline::of(
        context,
        graphics::Fixed::covering(1),
        codes,
        Purpose::default(),
    )
}

fn make(context: &Arc<Context>, shader: blit::Shader) -> Result<Pipeline> {
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
