//! Memory of command pools and command buffers.
//!
//! In:  chunks of the device. Out: [`cmd::StreamMemory`] of a batch. A pool keeps the chunks of
//!      reset command buffers, so that recording again allocates nothing; a lock is taken once per
//!      chunk.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::CHUNK_BYTES;
use crate::error::{Error, Result};

/// Free chunks of a command pool.
#[derive(Debug)]
pub struct PoolMemory {
    device: Arc<i915::ChunkPool>,
    surfaces: Arc<i915::SurfaceHeap>,
    free: Mutex<Vec<i915::Chunk>>,
}

impl PoolMemory {
    /// Creates an empty pool.
    pub fn new(device: &Arc<i915::ChunkPool>, surfaces: &Arc<i915::SurfaceHeap>) -> Arc<Self> {
        Arc::new(Self {
            device: device.clone(),
            surfaces: surfaces.clone(),
            free: Mutex::default(),
        })
    }

    fn free(&self) -> MutexGuard<'_, Vec<i915::Chunk>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alloc_chunk(&self) -> Result<i915::Chunk> {
        if let Some(chunk) = self.free().pop() {
            return Ok(chunk);
        }
        Ok(self.device.allocate()?)
    }

    /// Returns all chunks to the device.
    pub fn trim(&self) {
        self.device.return_chunks(std::mem::take(&mut *self.free()));
    }
}

impl Drop for PoolMemory {
    fn drop(&mut self) {
        self.trim();
    }
}

/// The chunks of a batch.
#[derive(Debug)]
pub struct BatchMemory {
    pool: Arc<PoolMemory>,
    /// Full chunks, with the dwords of commands in each.
    full: Vec<(i915::Chunk, usize)>,
    current: Option<i915::Chunk>,
    next: Option<i915::Chunk>,
    ahead: i915::PrefetchBase,
}

impl BatchMemory {
    /// Creates an empty batch.
    pub fn new(pool: &Arc<PoolMemory>) -> Self {
        Self {
            pool: pool.clone(),
            full: Vec::new(),
            current: None,
            next: None,
            ahead: i915::PrefetchBase::default(),
        }
    }

    /// Allocates the first chunk, if there is none.
    pub fn begin(&mut self) -> Result<()> {
        if self.current.is_none() {
            self.current = Some(self.pool.alloc_chunk()?);
        }
        Ok(())
    }

    /// Returns all chunks to the pool.
    pub fn clear(&mut self) {
        if self.current.is_some() {
            let full = self.full.drain(..).map(|(chunk, _)| chunk);
            let mut free = self.pool.free();
            free.extend(full);
            free.extend(self.current.take());
            free.extend(self.next.take());
        }
    }

    /// The first chunk.
    pub fn first(&self) -> Option<&i915::Chunk> {
        let full = self.full.first().map(|(chunk, _)| chunk);
        full.or(self.current.as_ref())
    }

    /// The commands and address of each chunk; `current_dw` is the size of the commands in the
    /// current one.
    pub fn commands(&self, current_dw: usize) -> impl Iterator<Item = (u64, &[u32])> {
        let full = self.full.iter().map(|(chunk, used)| (chunk, *used));
        let all = full.chain(self.current.iter().map(move |chunk| (chunk, current_dw)));
        all.map(|(chunk, used)| {
            let words = chunk.read().get(..used).unwrap_or_default();
            (chunk.address(), words)
        })
    }
}

impl Drop for BatchMemory {
    fn drop(&mut self) {
        self.clear();
    }
}

impl cmd::StreamMemory for BatchMemory {
    type Error = Error;
    const CHUNK_DW: usize = CHUNK_BYTES as usize / 4;

    #[inline]
    fn words(&mut self) -> Option<&mut [u32]> {
        self.current.as_mut().map(i915::Chunk::words)
    }

    #[inline]
    fn address(&self) -> u64 {
        self.current.as_ref().map_or(0, i915::Chunk::address)
    }

    fn prepare(&mut self) -> Result<u64> {
        let next = match self.next.take() {
            Some(next) => next,
            None => self.pool.alloc_chunk()?,
        };
        Ok(self.next.insert(next).address())
    }

    fn advance(&mut self, commands_dw: usize) {
        if let Some(next) = self.next.take()
            && let Some(last) = self.current.replace(next)
        {
            self.full.push((last, commands_dw));
        }
        // A batch that filled a chunk is likely to fill the next one.
        self.next = self.pool.alloc_chunk().ok();
        self.ahead = self
            .next
            .as_ref()
            .map(i915::Chunk::prefetch_base)
            .unwrap_or_default();
    }

    /// The next chunk is not cached: prefetching hides the misses.
    #[inline(always)]
    fn fetch_ahead(&self, at_dw: usize) {
        self.ahead.prefetch(at_dw);
    }

    fn too_long() -> Error {
        Error::InvalidUse {
            why: "a command longer than a chunk of batch",
        }
    }

    #[inline]
    fn surface<const N: usize>(&self, offset_bytes: u32, dwords: [usize; N]) -> Result<[u32; N]> {
        Ok(self.pool.surfaces.read_dwords(offset_bytes, dwords)?)
    }
}
