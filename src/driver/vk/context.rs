//! What the objects of a device are made of: the kernel's context, the heaps everything lives in, and whether all is well.
//!
//! In:  a physical device. Out: buffers, pools, scratch memory, and waits that end when the device is lost.
//! Objects hold this, never the device: [`crate::Device`] is built of it and of objects.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use compile::Stage;
use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::feature::Enabled;
use crate::physical::PhysicalDevice;

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

/// Shaders of which it is kept what they read: about a MiB.
const MOST_READS: usize = 1 << 14;

/// What shaders were found to read of the stage before: many pipelines have the same. Of too many, all are forgotten.
#[derive(Debug, Default)]
pub struct Reads(Mutex<FxHashMap<[u8; 32], compile::Reads>>);

impl Reads {
    /// That of a shader.
    pub fn get(&self, name: &[u8; 32]) -> Option<compile::Reads> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(name).copied()
    }

    /// Keeps that of a shader.
    pub fn put(&self, name: [u8; 32], read: compile::Reads) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_READS {
            known.clear();
        }
        known.insert(name, read);
    }
}

/// What objects are made of.
#[derive(Debug)]
pub struct Context {
    /// The GPU.
    pub physical: Arc<PhysicalDevice>,
    /// Features that were enabled.
    pub features: Enabled,
    /// The kernel context and the address space.
    pub gpu: Arc<i915::Device>,
    /// Small objects that the GPU reads and writes: events.
    pub general: Arc<i915::Pool>,
    /// Dynamic state: push data, interface descriptors.
    pub dynamic: Arc<i915::Pool>,
    /// Shader code.
    pub instructions: Arc<i915::Pool>,
    /// Batch buffers of the queue's own.
    pub batches: Arc<i915::Pool>,
    /// Memory of command buffers.
    pub chunks: Arc<i915::Chunks>,
    /// Whether the device is lost.
    pub lost: Arc<Lost>,
    /// What shaders read of the stage before, by their names.
    pub reads: Reads,
    scratch: Mutex<BTreeMap<(u8, u32), Arc<i915::Buffer>>>,
    /// Border colours of samplers.
    border_pool: Arc<i915::Pool>,
    /// Those that Vulkan names.
    borders: i915::Slice,
    /// What nobody reads.
    scrap: i915::Slice,
}

/// Bytes from one border colour to the next: what Border Color Pointer counts in.
pub const BORDER_STRIDE_BYTES: u64 = 64;

/// Border colours that Vulkan names, by its numbers.
pub const BORDERS: [[u32; 4]; 6] = {
    const ONE: u32 = 1f32.to_bits();
    [
        [0; 4],
        [0; 4],
        [0, 0, 0, ONE],
        [0, 0, 0, 1],
        [ONE; 4],
        [1; 4],
    ]
};

fn bytes(words: [u32; 4]) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *to = word.to_le_bytes();
    }
    bytes
}

/// Bytes of a chunk of a command buffer: commands from its front, data from its back.
pub const CHUNK_BYTES: u64 = 4 << 10;

/// The heaps, where the address space of a device has them.
pub const HEAPS: cmd::Heaps = cmd::Heaps {
    general: i915::GENERAL_BASE,
    surface: i915::SURFACE_BASE,
    dynamic: i915::DYNAMIC_BASE,
    instruction: i915::INSTRUCTION_BASE,
    bindless: i915::BINDLESS_BASE,
    bindless_surfaces: i915::BINDLESS_HEAP_BYTES / 64,
};

// Where surfaces are told how shared memory is cached, it lies.
const _: () =
    assert!(i915::SHARED.start == cmd::SHARED.start && i915::SHARED.end == cmd::SHARED.end);

/// Bytes from Dynamic State Base Address to the heap that samplers lie in.
pub const SAMPLER_BASE_BYTES: u32 = {
    let distance = HEAPS.bindless - HEAPS.dynamic;
    assert!(distance + i915::BINDLESS_HEAP_BYTES < 1 << 32);
    distance as u32
};

impl Context {
    /// A context of its own, with nothing in it.
    pub fn new(
        physical: &Arc<PhysicalDevice>,
        priority: i915::Priority,
        features: Enabled,
    ) -> Result<Arc<Self>> {
        let gpu = i915::Device::new(physical.file(), physical.info(), priority)?;
        let pool = |zone| i915::Pool::new(&gpu, zone);
        let general = pool(i915::Zone::High);
        let border_pool = pool(i915::Zone::Border);
        let borders = border_pool.take(BORDERS.len() as u64 * BORDER_STRIDE_BYTES, 64)?;
        for (at, colour) in (0..).step_by(BORDER_STRIDE_BYTES as usize).zip(BORDERS) {
            borders.write(at, &bytes(colour))?;
        }
        Ok(Arc::new(Self {
            physical: physical.clone(),
            features,
            scrap: general.take(64, 64)?,
            general,
            // Their data is dynamic state.
            chunks: i915::Chunks::new(&gpu, i915::Zone::Dynamic, CHUNK_BYTES),
            dynamic: pool(i915::Zone::Dynamic),
            instructions: pool(i915::Zone::Instruction),
            batches: pool(i915::Zone::High),
            lost: Arc::default(),
            reads: Reads::default(),
            scratch: Mutex::default(),
            border_pool,
            borders,
            gpu,
        }))
    }

    /// Address of the border colours that Vulkan names, [`BORDER_STRIDE_BYTES`] apart.
    pub fn borders(&self) -> u64 {
        self.borders.address()
    }

    /// A place for a border colour.
    pub fn custom_border(&self, colour: [u32; 4]) -> Result<i915::Slice> {
        let slice = self.border_pool.take(BORDER_STRIDE_BYTES, 64)?;
        slice.write(0, &bytes(colour))?;
        Ok(slice)
    }

    /// What batches need to know.
    pub fn machine(&self) -> cmd::Machine {
        cmd::Machine {
            max_threads: self.physical.info().threads(),
            dynamic_base: HEAPS.dynamic,
            bindless_base: HEAPS.bindless,
            scrap_address: self.scrap.address(),
        }
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

    /// Scratch memory for every thread of the GPU, `thread_bytes` each; one buffer for each size, kept. Threads of stages that run
    /// at one time have the same numbers, so each stage has its own.
    pub fn scratch(&self, stage: Stage, thread_bytes: u32) -> Result<Arc<i915::Buffer>> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (stage as u8, thread_bytes);
        if let Some(buffer) = scratch.get(&key) {
            return Ok(buffer.clone());
        }
        let bytes = u64::from(thread_bytes) * u64::from(self.physical.info().scratch_threads());
        let buffer = self.gpu.buffer(bytes, i915::Zone::Low)?;
        scratch.insert(key, buffer.clone());
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
