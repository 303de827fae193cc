//! Logical devices: a kernel context, the heaps everything lives in, one queue.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::{Error, Result};
use crate::extension;
use crate::feature::Features;
use crate::instance;
use crate::physical::PhysicalDevice;
use crate::queue::Queue;

/// What an application asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Extensions by name.
    pub extensions: Vec<String>,
    /// Features.
    pub features: Features,
    /// Queue families and how many queues of each.
    pub queues: Vec<(u32, u32)>,
}

/// Tells everyone that the device is lost, and why.
#[derive(Debug, Default)]
pub struct Lost(OnceLock<String>);

impl Lost {
    /// Marks the device lost; the first reason stays.
    pub fn mark(&self, why: String) {
        let _ = self.0.set(why);
    }

    /// Fails if the device is lost.
    pub fn check(&self) -> Result<()> {
        match self.0.get() {
            Some(why) => Err(Error::DeviceLost { why: why.clone() }),
            None => Ok(()),
        }
    }
}

/// `VkDevice`.
#[derive(Debug)]
pub struct Device {
    /// Its GPU.
    pub physical: Arc<PhysicalDevice>,
    /// The kernel context and the address space.
    pub gpu: Arc<i915::Device>,
    /// Small objects that the GPU reads and writes: events.
    pub general: Arc<i915::Pool>,
    /// Dynamic state: push data, interface descriptors.
    pub dynamic: Arc<i915::Pool>,
    /// Shader code.
    pub instructions: Arc<i915::Pool>,
    /// Batch buffers.
    pub batches: Arc<i915::Pool>,
    /// The one queue.
    pub queue: Arc<Queue>,
    extensions: Vec<&'static str>,
    features: Features,
    lost: Arc<Lost>,
    scratch: Mutex<BTreeMap<u32, Arc<i915::Buffer>>>,
    /// Shaders of the driver's own, compiled when first used.
    pub internal: crate::internal::Internal,
}

impl Device {
    /// Creates a device.
    pub fn new(physical: &Arc<PhysicalDevice>, request: &Request) -> Result<Arc<Self>> {
        let extensions = instance::enabled(extension::DEVICE, &request.extensions)?;
        request.features.check(&physical.features())?;
        for &(family, count) in &request.queues {
            if family != 0 || count > physical.queue_family().queue_count {
                return Err(Error::InitializationFailed {
                    why: "a queue that does not exist".into(),
                });
            }
        }
        let gpu = i915::Device::new(physical.file(), physical.info())?;
        let lost = Arc::new(Lost::default());
        let pool = |zone| i915::Pool::new(&gpu, zone);
        let batches = pool(i915::Zone::High);
        let queue = Queue::new(&gpu, &lost, physical.diagnosis(), &batches)?;
        Ok(Arc::new(Self {
            physical: physical.clone(),
            general: pool(i915::Zone::High),
            dynamic: pool(i915::Zone::Dynamic),
            instructions: pool(i915::Zone::Instruction),
            batches,
            queue,
            extensions,
            features: request.features,
            lost,
            scratch: Mutex::new(BTreeMap::new()),
            internal: crate::internal::Internal::default(),
            gpu,
        }))
    }

    /// Whether an extension was enabled.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name)
    }

    /// The features that were enabled.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Fails if the device is known to be lost.
    pub fn check_lost(&self) -> Result<()> {
        self.lost.check()
    }

    /// Asks the kernel whether our context hung, and fails if so.
    pub fn check_hang(&self) -> Result<()> {
        check_hang(&self.gpu, &self.lost)
    }

    /// As [`wait`].
    pub fn wait(
        &self,
        deadline_ns: i64,
        step: impl FnMut(i64) -> i915::Result<bool>,
    ) -> Result<bool> {
        wait(&self.gpu, &self.lost, deadline_ns, step)
    }

    /// Waits until everything submitted is done.
    pub fn wait_idle(&self) -> Result<()> {
        self.queue.wait_idle()
    }

    /// Scratch memory for every thread of the GPU, `thread_bytes` each; one buffer for each size, kept.
    pub fn scratch(&self, thread_bytes: u32) -> Result<Arc<i915::Buffer>> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(buffer) = scratch.get(&thread_bytes) {
            return Ok(buffer.clone());
        }
        let bytes = u64::from(thread_bytes) * u64::from(self.physical.info().scratch_threads());
        let buffer = self.gpu.buffer(bytes, i915::Zone::Low)?;
        scratch.insert(thread_bytes, buffer.clone());
        Ok(buffer)
    }
}

/// How long one wait of a loop lasts that must notice a lost device too.
pub const STEP_NS: i64 = 100_000_000;

/// Waits in steps, so that a device that is lost by then (and will signal nothing any more) ends the wait. False: the deadline of
/// the monotonic clock passed first.
pub fn wait(
    gpu: &i915::Device,
    lost: &Lost,
    deadline_ns: i64,
    mut step: impl FnMut(i64) -> i915::Result<bool>,
) -> Result<bool> {
    loop {
        lost.check()?;
        let until = gpu.now_ns().saturating_add(STEP_NS).min(deadline_ns);
        if step(until)? {
            return Ok(true);
        }
        if until == deadline_ns {
            return Ok(false);
        }
    }
}

/// Asks the kernel whether the context hung; marks and fails if so.
pub fn check_hang(gpu: &i915::Device, lost: &Lost) -> Result<()> {
    lost.check()?;
    if gpu.is_hung()? {
        lost.mark("the GPU hung and the kernel reset it".into());
    }
    lost.check()
}
