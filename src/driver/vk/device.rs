//! Logical devices: a context, one queue, enabled extensions.

use std::sync::Arc;

use ash::vk as api;

use crate::context::{CHUNK_BYTES, Context, HEAPS};
use crate::descriptor::{HeapSamplers, TexelBuffers};
use crate::disk_cache;
use crate::error::{Error, Result};
use crate::extension;
use crate::feature::EnabledFeatures;
use crate::graphics::ShaderPrograms;
use crate::instance;
use crate::meta_pipelines::MetaPipelines;
use crate::physical::PhysicalDevice;
use crate::queue::{Queue, QueueSubmission, QueuedBatch};

/// Parameters of device creation.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Enabled features.
    pub features: EnabledFeatures,
    /// Enabled extensions.
    pub extensions: Vec<String>,
    /// Queue families, and the number of queues of each.
    pub queues: Vec<(u32, u32)>,
    /// Global priority of the queues.
    pub priority: Option<api::QueueGlobalPriorityKHR>,
    /// Receives what happens to the driver's own buffers.
    pub listener: Option<i915::BufferListener>,
    /// Where the shader cache on disk is, if it is enabled.
    pub disk_cache: Option<disk_cache::Settings>,
}

/// `VkDevice`.
#[derive(Debug)]
pub struct Device {
    /// Shared base of the device's objects.
    pub context: Arc<Context>,
    /// The one queue.
    pub queue: Arc<Queue>,
    extensions: Vec<&'static str>,
    /// The bindless heap with descriptors.
    pub descriptors: Arc<i915::SurfaceHeap>,
    /// Views of texel buffers in descriptor buffers.
    pub texel_buffers: TexelBuffers,
    /// Samplers of descriptors in heaps.
    pub heap_samplers: HeapSamplers,
    /// Meta shaders, compiled at first use.
    pub meta_pipelines: Arc<MetaPipelines>,
    /// Linked shader objects.
    pub shader_programs: Arc<ShaderPrograms>,
    /// The first batch of the context.
    _first_batch: i915::Chunk,
}

/// The batch with the state that all others rely on: pipeline selection, heaps, L3 configuration.
/// The kernel saves it with the context.
fn first_batch(context: &Context) -> Result<(i915::Chunk, cmd::L3Use)> {
    let mut recorder =
        cmd::Recorder::<cmd::Gen9, _>::new(OneChunk(context.chunks.allocate()?), context.machine());
    recorder.context(context.physical.info().device, &HEAPS)?;
    recorder.end()?;
    let l3 = recorder.end_state().l3();
    Ok((recorder.into_memory().0, l3))
}

/// Memory of a batch that fits into one chunk.
struct OneChunk(i915::Chunk);

impl cmd::StreamMemory for OneChunk {
    type Error = Error;
    const CHUNK_DW: usize = CHUNK_BYTES as usize / 4;

    fn words(&mut self) -> Option<&mut [u32]> {
        Some(self.0.words())
    }
    fn address(&self) -> u64 {
        self.0.address()
    }
    fn prepare(&mut self) -> Result<u64> {
        Err(Self::too_long())
    }
    fn advance(&mut self, _commands_dw: usize) {}
    fn too_long() -> Error {
        Error::InvalidUse {
            why: "a context's first batch longer than a chunk",
        }
    }
    fn surface<const N: usize>(&self, _offset_bytes: u32, _dwords: [usize; N]) -> Result<[u32; N]> {
        Err(Error::InvalidUse {
            why: "a context's first batch draws nothing",
        })
    }
}

/// The kernel's priority for a global priority. Fails if the process may not use it.
fn priority(
    physical: &PhysicalDevice,
    wanted: Option<api::QueueGlobalPriorityKHR>,
) -> Result<i915::ContextPriority> {
    let Some(wanted) = wanted else {
        return Ok(i915::ContextPriority::Medium);
    };
    let known = physical.priorities().into_iter().find(|p| p.0 == wanted);
    known.map(|p| p.1).ok_or(Error::NotPermitted)
}

impl Device {
    /// Creates a device with its queue.
    pub fn new(physical: &Arc<PhysicalDevice>, request: &Request) -> Result<Arc<Self>> {
        let extensions = instance::enabled(
            extension::offered_on(physical.info().device),
            &request.extensions,
        )?;
        for &(family, count) in &request.queues {
            if family != 0 || count > physical.queue_family().queue_count {
                return Err(Error::InitializationFailed {
                    why: "a queue that does not exist".into(),
                });
            }
        }
        let context = Context::new(
            physical,
            priority(physical, request.priority)?,
            request.features,
            request.listener.clone(),
            request.disk_cache.clone(),
        )?;
        let queue = Queue::new(
            &context.gpu,
            &context.lost,
            physical.diagnosis(),
            &context.batches,
        )?;
        let (first_batch, l3) = first_batch(&context)?;
        let first = QueuedBatch {
            start: first_batch.start(),
            l3,
        };
        queue.submit(&mut QueueSubmission {
            batches: [first].into_iter().collect(),
            ..QueueSubmission::default()
        })?;
        Ok(Arc::new(Self {
            _first_batch: first_batch,
            queue,
            extensions,
            meta_pipelines: Arc::default(),
            shader_programs: Arc::default(),
            descriptors: context.gpu.bindless().clone(),
            texel_buffers: TexelBuffers::default(),
            heap_samplers: HeapSamplers::default(),
            context,
        }))
    }

    /// Whether an extension was enabled.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name)
    }

    /// Waits until all submitted work is done.
    pub fn wait_idle(&self) -> Result<()> {
        self.queue.wait_idle()
    }
}
