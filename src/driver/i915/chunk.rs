//! Chunks: fixed-size pieces of mapped memory, each with one owner, for batches and the state that
//! they point to.
//!
//! In:  a zone and a size. Out: chunks, each a range of a buffer with a mapping of its own, so that
//!      its owner has exclusive access to plain words. Returned chunks go to a free list: taking
//!      one costs a lock and no system call.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::address_space::Zone;
use crate::buffer::Buffer;
use crate::device::{BatchStart, Device};
use crate::error::{Error, Result};

/// Size of the first buffer; each further one is twice as large, up to [`MAX_BLOCK_BYTES`].
const FIRST_BLOCK_BYTES: u64 = 64 << 10;
const MAX_BLOCK_BYTES: u64 = 1 << 20;

/// A pool of chunks of one size in one zone.
#[derive(Debug)]
pub struct ChunkPool {
    device: Arc<Device>,
    zone: Zone,
    chunk_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    free: Vec<Chunk>,
    blocks: u32,
}

/// A piece of mapped memory with one owner.
#[derive(Debug)]
pub struct Chunk {
    buffer: Arc<Buffer>,
    offset_bytes: u64,
    slice: sys::MappingSlice,
}

impl ChunkPool {
    /// An empty pool. `chunk_bytes` is a multiple of 64 and divides 64 KiB.
    pub fn new(device: &Arc<Device>, zone: Zone, chunk_bytes: u64) -> Arc<Self> {
        Arc::new(Self {
            device: device.clone(),
            zone,
            chunk_bytes,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a chunk. It contains what its last owner wrote.
    pub fn allocate(&self) -> Result<Chunk> {
        let mut state = self.state();
        if let Some(chunk) = state.free.pop() {
            return Ok(chunk);
        }
        let bytes = (FIRST_BLOCK_BYTES << state.blocks.min(4)).min(MAX_BLOCK_BYTES);
        let buffer = self.device.buffer(bytes, self.zone)?;
        let slices = buffer
            .map_separately()?
            .into_slices(self.chunk_bytes as usize);
        state.blocks += 1;
        let chunks = (0..).zip(slices).map(|(index, slice)| Chunk {
            buffer: buffer.clone(),
            offset_bytes: index * self.chunk_bytes,
            slice,
        });
        // The chunk with the lowest address is taken first.
        state.free.extend(chunks);
        state.free.reverse();
        state.free.pop().ok_or(Error::Range { what: "a chunk" })
    }

    /// Returns chunks to the pool.
    pub fn return_chunks(&self, chunks: impl IntoIterator<Item = Chunk>) {
        self.state().free.extend(chunks);
    }
}

impl Chunk {
    /// GPU address of the first word.
    #[inline]
    pub fn address(&self) -> u64 {
        self.buffer.address() + self.offset_bytes
    }

    /// The words, mutable.
    #[inline]
    pub fn words(&mut self) -> &mut [u32] {
        self.slice.words_mut()
    }

    /// The words.
    pub fn read(&self) -> &[u32] {
        self.slice.words()
    }

    /// The slice's prefetcher, which brings its cache lines near before they are written.
    pub fn prefetch_base(&self) -> sys::PrefetchBase {
        self.slice.prefetch_base()
    }

    /// The start of a batch at the chunk's first word.
    pub fn start(&self) -> BatchStart {
        BatchStart::new(&self.buffer, self.offset_bytes)
    }
}
