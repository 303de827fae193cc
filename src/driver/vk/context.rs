//! The shared base of a device's objects: kernel context, heaps, device-lost state.
//!
//! In:  a physical device. Out: pools, scratch memory, and waits that end when the device is lost.
//!
//! Objects hold this, never the device: [`crate::Device`] is built from it and from objects.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use compile::Stage;
use rustc_hash::FxHashMap;

use crate::diagnosis::Diagnosis;
use crate::disk_cache::{self, DiskCache};
use crate::error::{Error, Result};
use crate::feature::EnabledFeatures;
use crate::indirect_region::IndirectRegion;
use crate::physical::PhysicalDevice;
use crate::uploaded_code::UploadedCodes;

/// The device-lost state.
#[derive(Debug)]
pub struct Lost {
    why: OnceLock<String>,
    diagnosis: Diagnosis,
}

impl Lost {
    /// The state of a device that is not lost. `diagnosis` receives the reason once it is.
    pub fn new(diagnosis: Diagnosis) -> Self {
        Self {
            why: OnceLock::new(),
            diagnosis,
        }
    }

    /// Marks the device as lost. The first reason is remembered, and sent to debug messengers.
    pub fn mark(&self, why: String) {
        if self.why.set(why.clone()).is_ok() {
            self.diagnosis.report_error(&Error::DeviceLost { why });
        }
    }

    /// Marks the device as lost because of an error.
    pub fn mark_error(&self, error: &Error) {
        self.mark(match error {
            Error::DeviceLost { why } => why.clone(),
            other => other.to_string(),
        });
    }

    /// Fails if the device is lost.
    pub fn check(&self) -> Result<()> {
        match self.why.get() {
            Some(why) => Err(Error::DeviceLost { why: why.clone() }),
            None => Ok(()),
        }
    }
}

/// Maximum number of remembered shaders: about a MiB.
const MAX_READS: usize = 1 << 14;

/// Inputs that shaders read from the previous stage, by cache key: many pipelines share shaders.
/// All are dropped when there are too many.
#[derive(Debug, Default)]
pub struct InputsReadCache(Mutex<FxHashMap<[u8; 32], compile::InputsRead>>);

impl InputsReadCache {
    /// The inputs of a shader.
    pub fn get(&self, name: &[u8; 32]) -> Option<compile::InputsRead> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(name).copied()
    }

    /// Remembers the inputs of a shader.
    pub fn insert(&self, name: [u8; 32], read: compile::InputsRead) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_READS {
            known.clear();
        }
        known.insert(name, read);
    }
}

/// How many shaders were compiled, and how many were not because a cache had them.
#[derive(Debug, Default)]
pub struct ShaderCounts {
    compiled: AtomicU32,
    analysed: AtomicU32,
    from_pipeline_caches: AtomicU32,
    from_disk: AtomicU32,
}

impl ShaderCounts {
    /// Counts a compiled shader.
    pub fn add_compiled(&self) {
        self.compiled.fetch_add(1, Relaxed);
    }

    /// Counts a shader that was translated to find out what linking needs to know about it.
    pub fn add_analysed(&self) {
        self.analysed.fetch_add(1, Relaxed);
    }

    /// Counts a shader of a cache: of the application's, or of the one on disk.
    pub fn add_loaded(&self, is_application: bool) {
        let count = match is_application {
            true => &self.from_pipeline_caches,
            false => &self.from_disk,
        };
        count.fetch_add(1, Relaxed);
    }
}

impl std::fmt::Display for ShaderCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} shaders compiled, {} analysed, {} from pipeline caches, {} from the shader cache",
            self.compiled.load(Relaxed),
            self.analysed.load(Relaxed),
            self.from_pipeline_caches.load(Relaxed),
            self.from_disk.load(Relaxed)
        )
    }
}

/// See the module.
#[derive(Debug)]
pub struct Context {
    /// Physical device.
    pub physical: Arc<PhysicalDevice>,
    /// Enabled features.
    pub features: EnabledFeatures,
    /// Kernel context and address space.
    pub gpu: Arc<i915::Device>,
    /// Small objects that the GPU reads and writes: events.
    pub general: Arc<i915::MemoryPool>,
    /// Dynamic state: push data, interface descriptors.
    pub dynamic: Arc<i915::MemoryPool>,
    /// Shader code.
    pub instructions: Arc<i915::MemoryPool>,
    /// The shader code in use.
    pub codes: UploadedCodes,
    /// Batches of the queue.
    pub batches: Arc<i915::MemoryPool>,
    /// Chunks of command buffers.
    pub chunks: Arc<i915::ChunkPool>,
    /// Device-lost state.
    pub lost: Arc<Lost>,
    /// Inputs that shaders read from the previous stage.
    pub reads: InputsReadCache,
    /// The cache that all processes share, if it is enabled.
    pub disk_cache: Option<DiskCache>,
    /// Compiled and cached shaders.
    pub shader_counts: ShaderCounts,
    scratch: Mutex<BTreeMap<(u8, u32), Arc<i915::Buffer>>>,
    /// What sets with indirect descriptors share; created for the first of them.
    indirect: OnceLock<IndirectRegion>,
    /// Custom border colours of samplers.
    border_pool: Arc<i915::MemoryPool>,
    /// Vulkan's predefined border colours.
    predefined_borders: i915::PoolAllocation,
    /// Write target of PIPE_CONTROLs whose write serves synchronisation only.
    scrap: i915::PoolAllocation,
}

/// Distance between border colours in bytes: the unit of Border Color Pointer.
pub const BORDER_STRIDE_BYTES: u64 = 64;

/// Vulkan's predefined border colours, by `VkBorderColor`.
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

/// Size of a command buffer's chunk in bytes.
pub const CHUNK_BYTES: u64 = 4 << 10;

/// The heaps of a device's address space.
pub const HEAPS: cmd::HeapBases = cmd::HeapBases {
    general: i915::GENERAL_BASE,
    surface: i915::SURFACE_BASE,
    dynamic: i915::DYNAMIC_BASE,
    instruction: i915::INSTRUCTION_BASE,
    bindless: i915::BINDLESS_BASE,
    bindless_surfaces: i915::BINDLESS_HEAP_BYTES / 64,
};

// Surface states choose the caching policy of shared memory by its address.
const _: () =
    assert!(i915::SHARED.start == cmd::SHARED.start && i915::SHARED.end == cmd::SHARED.end);

/// Offset of the heap with samplers from Dynamic State Base Address, in bytes.
pub const SAMPLER_BASE_BYTES: u32 = {
    let distance = HEAPS.bindless - HEAPS.dynamic;
    assert!(distance + i915::BINDLESS_HEAP_BYTES < 1 << 32);
    distance as u32
};

impl Context {
    /// Creates a context with a kernel context of its own. `disk_cache`: the folder of the cache on
    /// disk.
    pub fn new(
        physical: &Arc<PhysicalDevice>,
        priority: i915::ContextPriority,
        features: EnabledFeatures,
        listener: Option<i915::BufferListener>,
        disk_cache: Option<disk_cache::Settings>,
    ) -> Result<Arc<Self>> {
        let gpu = i915::Device::new(physical.file(), physical.info(), priority, listener)?;
        let pool = |zone| i915::MemoryPool::new(&gpu, zone);
        let general = pool(i915::Zone::High);
        let border_pool = pool(i915::Zone::Border);
        let predefined_borders =
            border_pool.allocate(BORDERS.len() as u64 * BORDER_STRIDE_BYTES, 64)?;
        for (at, colour) in (0..).step_by(BORDER_STRIDE_BYTES as usize).zip(BORDERS) {
            predefined_borders.write(at, &bytes(colour))?;
        }
        Ok(Arc::new(Self {
            physical: physical.clone(),
            features,
            scrap: general.allocate(64, 64)?,
            general,
            // Batch data is dynamic state.
            chunks: i915::ChunkPool::new(&gpu, i915::Zone::Dynamic, CHUNK_BYTES),
            dynamic: pool(i915::Zone::Dynamic),
            instructions: pool(i915::Zone::Instruction),
            codes: UploadedCodes::default(),
            batches: pool(i915::Zone::High),
            lost: Arc::new(Lost::new(physical.diagnosis().clone())),
            reads: InputsReadCache::default(),
            disk_cache: disk_cache.and_then(|settings| physical.disk_cache(settings)),
            shader_counts: ShaderCounts::default(),
            scratch: Mutex::default(),
            indirect: OnceLock::new(),
            border_pool,
            predefined_borders,
            gpu,
        }))
    }

    /// What all sets with indirect descriptors refer to.
    pub fn indirect(&self) -> Result<&IndirectRegion> {
        // Two threads that create the first set at once must not place the same pages twice.
        let _first = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = self.indirect.get() {
            return Ok(shared);
        }
        let new = IndirectRegion::new(&self.gpu)?;
        Ok(self.indirect.get_or_init(|| new))
    }

    /// GPU address of the predefined border colours, [`BORDER_STRIDE_BYTES`] apart.
    pub fn predefined_borders(&self) -> u64 {
        self.predefined_borders.address()
    }

    /// Allocates a custom border colour.
    pub fn alloc_border(&self, colour: [u32; 4]) -> Result<i915::PoolAllocation> {
        let slice = self.border_pool.allocate(BORDER_STRIDE_BYTES, 64)?;
        slice.write(0, &bytes(colour))?;
        Ok(slice)
    }

    /// The facts that batches depend on.
    pub fn machine(&self) -> cmd::DeviceInfo {
        cmd::DeviceInfo {
            device: self.physical.info().device,
            max_threads: self.physical.info().threads(),
            dynamic_base: HEAPS.dynamic,
            bindless_base: HEAPS.bindless,
            scrap_address: self.scrap.address(),
            has_barrier_mode: self.physical.info().device.needs(hw::Wa::BarrierMode),
            full_state: self.physical.diagnosis().has(debug::Flag::FullState),
        }
    }

    /// Fails if the device is known to be lost.
    pub fn check_lost(&self) -> Result<()> {
        self.lost.check()
    }

    /// Checks with the kernel whether the context hung. Fails if so.
    pub fn check_hang(&self) -> Result<()> {
        check_hang(&self.gpu, &self.lost)
    }

    /// Waits as [`wait`] does.
    pub fn wait(
        &self,
        deadline_ns: i64,
        step: impl FnMut(i64) -> i915::Result<bool>,
    ) -> Result<bool> {
        wait(&self.gpu, &self.lost, deadline_ns, step)
    }

    /// Whether no texture may have aux data. Blocks of ASTC 5x5 and surfaces with aux data must not
    /// be sampled by one draw, nor by two without an invalidate of the texture cache between them;
    /// which textures a draw samples is not known where descriptors are.
    pub fn has_textures_without_aux(&self) -> bool {
        let device = self.physical.info().device;
        self.features.astc && device.needs(hw::Wa::FlushBetweenAstc5x5AndAux)
    }

    /// Scratch memory for all threads of the GPU, `thread_bytes` each; buffers are kept, one per
    /// size. Threads of concurrent stages use the same thread numbers, so each stage has its own
    /// buffer.
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

impl Drop for Context {
    fn drop(&mut self) {
        let diagnosis = self.physical.diagnosis();
        diagnosis.log(debug::Flag::Perf, || {
            format!("ingot: {}\n", self.shader_counts)
        });
    }
}

/// Length of one step of a wait that must notice a lost device.
pub const STEP_NS: i64 = 100_000_000;

/// Waits in steps, so that a lost device, which signals nothing any more, ends the wait. Returns
/// false if the deadline (of the monotonic clock) passed first.
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

/// Checks with the kernel whether the context hung. Marks the device lost and fails if so.
pub fn check_hang(gpu: &i915::Device, lost: &Lost) -> Result<()> {
    lost.check()?;
    if gpu.is_hung()? {
        lost.mark("the GPU hung and the kernel reset it".into());
    }
    lost.check()
}
