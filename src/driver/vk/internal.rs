//! The driver's own shaders, compiled when first used.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk as api;

use crate::context::Context;
use crate::descriptor::{BindingInfo, PipelineLayout, PushRange, SetLayout};
use crate::error::Result;
use crate::limits;
use crate::pipeline::{ComputeInfo, Pipeline};
use crate::shader::Module;

/// Pipelines of a device's internal shaders.
#[derive(Debug, Default)]
pub struct Internal {
    pipelines: Mutex<BTreeMap<blit::Shader, Arc<Pipeline>>>,
}

impl Internal {
    /// The pipeline of a shader. Its buffers are dynamic ones, so a launch needs no descriptor set.
    pub fn pipeline(&self, context: &Arc<Context>, shader: blit::Shader) -> Result<Arc<Pipeline>> {
        let mut pipelines = self
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = pipelines.get(&shader) {
            return Ok(pipeline.clone());
        }
        let binding = |binding| BindingInfo {
            binding,
            kind: api::DescriptorType::STORAGE_BUFFER_DYNAMIC,
            count: 1,
        };
        let bindings: Vec<_> = (0..shader.buffers()).map(binding).collect();
        let push = PushRange {
            offset_bytes: 0,
            bytes: limits::MAX_PUSH_CONSTANTS_BYTES,
        };
        let info = ComputeInfo {
            module: Arc::new(Module::new(&shader.spirv())?),
            entry: "main".into(),
            constants: Vec::new(),
            layout: Arc::new(PipelineLayout::new(
                &[Arc::new(SetLayout::new(&bindings)?)],
                &[push],
            )?),
            dispatch_base: false,
            capture: false,
        };
        let pipeline = Arc::new(Pipeline::compute(context, None, &info)?);
        pipelines.insert(shader, pipeline.clone());
        Ok(pipeline)
    }
}
