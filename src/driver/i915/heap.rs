//! The bindless surface heap: one range of addresses, backed by buffers as it fills.
//!
//! In:  sizes. Out: pieces, by byte offset in the heap; a dropped piece is free again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::buffer::{Buffer, Core};
use crate::error::{Error, Result};
use crate::range::{From, RangeAllocator};
use crate::resident::Use;
use crate::zone::{BINDLESS_BASE, BINDLESS_HEAP_BYTES, Zone};

/// Bytes of one backing buffer.
const BLOCK_BYTES: u64 = 1 << 20;
/// Bytes of one surface; pieces are multiples.
const SURFACE_BYTES: u64 = 64;

/// The heap of a device.
#[derive(Debug)]
pub(crate) struct Heap {
    core: Arc<Core>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: RangeAllocator,
    /// Backing, by number of block. First fit from the bottom makes it grow without holes.
    blocks: Vec<Arc<Buffer>>,
}

/// A piece of the heap.
#[derive(Debug)]
pub struct HeapPiece {
    heap: Arc<Heap>,
    offset_bytes: u32,
    bytes: u32,
}

impl Heap {
    /// An empty heap. Its first surface stays unused and null, so that handle 0 is no piece's.
    pub(crate) fn new(core: &Arc<Core>) -> Arc<Self> {
        let free = RangeAllocator::new(SURFACE_BYTES, BINDLESS_HEAP_BYTES, From::Bottom);
        Arc::new(Self {
            core: core.clone(),
            state: Mutex::new(State {
                free,
                blocks: Vec::new(),
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A piece of `bytes`, rounded up to whole surfaces.
    pub(crate) fn take(self: &Arc<Self>, bytes: u32) -> Result<HeapPiece> {
        let lacking = Error::OutOfAddressSpace {
            bytes: bytes.into(),
            zone: Zone::Bindless.name(),
        };
        let rounded = u64::from(bytes.max(1)).next_multiple_of(SURFACE_BYTES);
        let mut state = self.state();
        let at = state.free.take(rounded, SURFACE_BYTES).ok_or(lacking)?;
        while (state.blocks.len() as u64) * BLOCK_BYTES < at + rounded {
            let address = BINDLESS_BASE + state.blocks.len() as u64 * BLOCK_BYTES;
            let block = Buffer::new(
                &self.core,
                BLOCK_BYTES,
                Zone::Bindless,
                Some(address),
                Use::Driver,
            );
            // Mapped at once: a write of a descriptor cannot report that there is no memory for it.
            match block.and_then(Buffer::mapped) {
                Ok(block) => state.blocks.push(block),
                Err(error) => {
                    state.free.give(at, rounded);
                    return Err(error);
                }
            }
        }
        // The heap is smaller than 4 GiB.
        Ok(HeapPiece {
            heap: self.clone(),
            offset_bytes: at as u32,
            bytes: rounded as u32,
        })
    }

    /// Writes one surface.
    pub(crate) fn write(
        &self,
        offset_bytes: u32,
        surface: &[u8; SURFACE_BYTES as usize],
    ) -> Result<()> {
        let (block, inside) = (
            u64::from(offset_bytes) / BLOCK_BYTES,
            u64::from(offset_bytes) % BLOCK_BYTES,
        );
        let block = self.state().blocks.get(block as usize).cloned();
        block
            .ok_or(Error::Range { what: "a surface" })?
            .write(inside as usize, surface)
    }
}

impl HeapPiece {
    /// First byte in the heap.
    pub fn offset_bytes(&self) -> u32 {
        self.offset_bytes
    }

    /// Bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

impl Drop for HeapPiece {
    fn drop(&mut self) {
        self.heap
            .state()
            .free
            .give(self.offset_bytes.into(), self.bytes.into());
    }
}
