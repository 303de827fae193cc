//! Logical devices: a context and one queue, with what was enabled on them.

use std::sync::Arc;

use ash::vk as api;

use crate::context::{CHUNK_BYTES, Context, HEAPS};
use crate::error::{Error, Result};
use crate::extension;
use crate::feature::Enabled;
use crate::instance;
use crate::internal::Internal;
use crate::physical::PhysicalDevice;
use crate::queue::{Queue, Submission};

/// What an application asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Features.
    pub features: Enabled,
    /// Extensions by name.
    pub extensions: Vec<String>,
    /// Queue families and how many queues of each.
    pub queues: Vec<(u32, u32)>,
    /// How urgent their work is.
    pub priority: Option<api::QueueGlobalPriorityKHR>,
}

/// `VkDevice`.
#[derive(Debug)]
pub struct Device {
    /// What its objects are made of.
    pub context: Arc<Context>,
    /// The one queue.
    pub queue: Arc<Queue>,
    extensions: Vec<&'static str>,
    /// Where descriptors lie.
    pub descriptors: Arc<i915::Heap>,
    /// Shaders of the driver's own, compiled when first used.
    pub internal: Arc<Internal>,
    /// The first batch of the context.
    _opening: i915::Chunk,
}

/// A batch that says what all others rely on: the pipeline, the heaps, the L3's division. The kernel keeps it for the context.
fn opening(context: &Context) -> Result<i915::Chunk> {
    let mut recorder =
        cmd::Recorder::<cmd::Gen9, _>::new(OneChunk(context.chunks.take()?), context.machine());
    recorder.context(context.physical.info().device, &HEAPS)?;
    recorder.end()?;
    Ok(recorder.into_memory().0)
}

/// The memory of a batch that fits one chunk.
struct OneChunk(i915::Chunk);

impl cmd::Memory for OneChunk {
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

/// The kernel's priority of one by the API's name. More than this process may give is refused.
fn priority(
    physical: &PhysicalDevice,
    wanted: Option<api::QueueGlobalPriorityKHR>,
) -> Result<i915::Priority> {
    let Some(wanted) = wanted else {
        return Ok(i915::Priority::Medium);
    };
    let known = physical.priorities().into_iter().find(|p| p.0 == wanted);
    known.map(|p| p.1).ok_or(Error::NotPermitted)
}

impl Device {
    /// Creates a device.
    pub fn new(physical: &Arc<PhysicalDevice>, request: &Request) -> Result<Arc<Self>> {
        let extensions = instance::enabled(extension::DEVICE, &request.extensions)?;
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
        )?;
        let queue = Queue::new(
            &context.gpu,
            &context.lost,
            physical.diagnosis(),
            &context.batches,
        )?;
        let opening = opening(&context)?;
        queue.submit(&mut Submission {
            batches: [opening.start()].into_iter().collect(),
            ..Submission::default()
        })?;
        Ok(Arc::new(Self {
            _opening: opening,
            queue,
            extensions,
            internal: Arc::default(),
            descriptors: context.gpu.bindless().clone(),
            context,
        }))
    }

    /// Whether an extension was enabled.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name)
    }

    /// Waits until everything submitted is done.
    pub fn wait_idle(&self) -> Result<()> {
        self.queue.wait_idle()
    }
}
