//! The driver's own shaders, compiled when first used.

use std::sync::{Arc, OnceLock};

use ash::vk as api;

use crate::context::Context;
use crate::descriptor::{BindingInfo, PipelineLayout, PushRange, SetLayout};
use crate::error::{Error, Result};
use crate::limits;
use crate::pipeline::Pipeline;

/// Pipelines of a device's internal shaders.
#[derive(Debug)]
pub struct Internal {
    pipelines: [OnceLock<Pipeline>; blit::SHADERS],
}

impl Default for Internal {
    fn default() -> Self {
        Self {
            pipelines: std::array::from_fn(|_| OnceLock::new()),
        }
    }
}

impl Internal {
    /// The pipeline of a shader. Its buffers are dynamic ones, so a launch needs no descriptor set.
    pub fn pipeline(&self, context: &Arc<Context>, shader: blit::Shader) -> Result<&Pipeline> {
        let slot = self
            .pipelines
            .get(shader.index())
            .ok_or(Error::InvalidUse {
                why: "an internal shader without a place",
            })?;
        match slot.get() {
            Some(pipeline) => Ok(pipeline),
            None => {
                let made = make(context, shader)?;
                // Another thread may have been quicker; then this one goes again.
                Ok(slot.get_or_init(|| made))
            }
        }
    }
}

fn make(context: &Arc<Context>, shader: blit::Shader) -> Result<Pipeline> {
    let kind = api::DescriptorType::STORAGE_BUFFER_DYNAMIC;
    let binding = |binding| BindingInfo::plain(binding, kind, 1);
    let bindings: Vec<_> = (0..shader.buffers()).map(binding).collect();
    let push = PushRange {
        offset_bytes: 0,
        bytes: limits::MAX_PUSH_CONSTANTS_BYTES,
    };
    let set = Arc::new(SetLayout::new(&bindings, false)?);
    let layout = PipelineLayout::new(&[set], &[push])?;
    Pipeline::internal(context, shader, &layout)
}
