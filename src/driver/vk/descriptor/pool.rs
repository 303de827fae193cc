//! Descriptor pools: how much of the bindless heap their sets may have.
//!
//! In:  descriptors by type, and sets. Out: places in the heap, taken from the device in slabs as sets need them: what a pool could
//!      hold and does not costs nothing. A freed place serves the next set of its size.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk as api;
use rustc_hash::FxHashMap;

use super::layout::heap_bytes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, Surface};

/// Bytes of heap that a pool takes at once, if it may have so much.
const SLAB_BYTES: u32 = 64 << 10;

/// `VkDescriptorPool`.
#[derive(Debug)]
pub struct Pool {
    heap: Arc<i915::Heap>,
    state: Mutex<State>,
    max_sets: u32,
    /// Bytes of heap that its sets may have together.
    bytes: u32,
}

#[derive(Debug, Default)]
struct State {
    slabs: Vec<i915::HeapPiece>,
    /// Bytes of the last slab that were never taken.
    untouched: u32,
    /// Places that were freed, by their bytes.
    freed: FxHashMap<u32, Vec<u32>>,
    used_bytes: u32,
    sets: u32,
    /// Counts resets: a set of before gives nothing back.
    epoch: u64,
}

impl Pool {
    /// A pool for `max_sets` sets of descriptors (type, pieces of each, and count; of inline uniform blocks the bytes of all of them,
    /// which lie in `inline_bindings` bindings).
    pub fn new(
        context: &Arc<Context>,
        max_sets: u32,
        sizes: &[(api::DescriptorType, u32, u32)],
        inline_bindings: u32,
    ) -> Result<Arc<Self>> {
        let too_big = Error::OutOfDeviceMemory {
            what: "a descriptor pool",
        };
        // Each has a surface, and fills up a line of the heap.
        let mut bytes = inline_bindings
            .checked_mul(2 * SURFACE_BYTES)
            .ok_or_else(|| too_big.clone())?;
        for &(kind, pieces, count) in sizes {
            let more = heap_bytes(kind, pieces, count).ok_or_else(|| too_big.clone())?;
            bytes = bytes.checked_add(more).ok_or_else(|| too_big.clone())?;
        }
        if u64::from(bytes) > i915::BINDLESS_HEAP_BYTES {
            return Err(too_big);
        }
        Ok(Arc::new(Self {
            heap: context.gpu.bindless().clone(),
            state: Mutex::default(),
            max_sets,
            bytes,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Heap for a set; its first byte, and the pool's epoch.
    pub(super) fn take(&self, bytes: u32) -> Result<(u32, u64)> {
        let mut state = self.state();
        if state.sets >= self.max_sets {
            return Err(Error::OutOfPoolMemory {
                what: "another set",
            });
        }
        if bytes > self.bytes - state.used_bytes {
            return Err(Error::OutOfPoolMemory {
                what: "a set's descriptors",
            });
        }
        let at = match bytes {
            0 => 0,
            _ => self.place(&mut state, bytes)?,
        };
        state.used_bytes += bytes;
        state.sets += 1;
        Ok((at, state.epoch))
    }

    fn place(&self, state: &mut State, bytes: u32) -> Result<u32> {
        if let Some(at) = state.freed.get_mut(&bytes).and_then(Vec::pop) {
            return Ok(at);
        }
        if bytes > state.untouched {
            let taken: u32 = state.slabs.iter().map(i915::HeapPiece::bytes).sum();
            let rest = self.bytes.saturating_sub(taken).min(SLAB_BYTES);
            let slab = self.heap.take(bytes.max(rest))?;
            state.untouched = slab.bytes();
            state.slabs.push(slab);
        }
        let end = state
            .slabs
            .last()
            .map_or(0, |slab| slab.offset_bytes() + slab.bytes());
        let at = end - state.untouched;
        state.untouched -= bytes;
        Ok(at)
    }

    /// Takes a set's heap back.
    pub(super) fn give(&self, at: u32, bytes: u32, epoch: u64) {
        let mut state = self.state();
        if state.epoch == epoch {
            state.sets = state.sets.saturating_sub(1);
            state.used_bytes = state.used_bytes.saturating_sub(bytes);
            if bytes > 0 {
                state.freed.entry(bytes).or_default().push(at);
            }
        }
    }

    /// Frees every set at once.
    pub fn reset(&self) {
        let mut state = self.state();
        state.slabs.clear();
        state.freed.clear();
        state.untouched = 0;
        state.used_bytes = 0;
        state.sets = 0;
        state.epoch += 1;
    }

    /// Writes a buffer's surface.
    #[inline(always)]
    pub(super) fn write_buffer(&self, at: u32, buffer: BufferDescriptor) -> Result<()> {
        surface_state::write(&self.heap, at, buffer)
    }

    /// Writes a surface.
    pub(super) fn write(&self, at: u32, surface: &Surface) -> Result<()> {
        Ok(self.heap.write(at, surface)?)
    }

    /// Reads a surface.
    pub(super) fn read(&self, at: u32) -> Result<Surface> {
        Ok(self.heap.read(at)?)
    }
}
