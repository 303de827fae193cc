//! The bindless surface heap: one range of addresses, backed by buffers as it fills.
//!
//! In:  sizes. Out: pieces, by byte offset in the heap; a dropped piece is free again.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::buffer::{Buffer, Core, Place};
use crate::error::{Error, Result};
use crate::mapping::Mapping;
use crate::range::{From, RangeAllocator};
use crate::resident::Use;
use crate::zone::{BINDLESS_BASE, BINDLESS_HEAP_BYTES, Zone};

/// Bytes of one backing buffer.
const BLOCK_BYTES: u64 = 1 << 20;
/// Blocks of the whole heap.
const BLOCKS: usize = (BINDLESS_HEAP_BYTES / BLOCK_BYTES) as usize;
/// Dwords of one surface.
const SURFACE_DW: usize = 16;
/// Dwords of a SAMPLER_STATE.
const SAMPLER_DW: usize = 4;
/// Bytes of one surface; pieces are multiples.
const SURFACE_BYTES: u64 = SURFACE_DW as u64 * 4;

/// The heap of a device.
#[derive(Debug)]
pub struct Heap {
    core: Arc<Core>,
    free: Mutex<RangeAllocator>,
    /// Backing, mapped, by number of block: read without a lock. First fit from the bottom makes it grow without holes.
    blocks: [OnceLock<Block>; BLOCKS],
}

/// Backing. Mapped from the start: a write of a descriptor cannot report that there is no memory for it.
#[derive(Debug)]
struct Block {
    mapping: Mapping,
    _buffer: Arc<Buffer>,
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
            free: Mutex::new(free),
            blocks: [const { OnceLock::new() }; BLOCKS],
        })
    }

    fn free(&self) -> MutexGuard<'_, RangeAllocator> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A piece of `bytes`, rounded up to whole surfaces.
    pub fn take(self: &Arc<Self>, bytes: u32) -> Result<HeapPiece> {
        let lacking = Error::OutOfAddressSpace {
            bytes: bytes.into(),
            zone: Zone::Bindless.name(),
        };
        let rounded = u64::from(bytes.max(1)).next_multiple_of(SURFACE_BYTES);
        let mut free = self.free();
        let at = free.take(rounded, SURFACE_BYTES).ok_or(lacking)?;
        let blocks = self
            .blocks
            .iter()
            .zip((BINDLESS_BASE..).step_by(BLOCK_BYTES as usize));
        for (block, address) in blocks.take((at + rounded).div_ceil(BLOCK_BYTES) as usize) {
            if block.get().is_some() {
                continue;
            }
            let buffer = Buffer::new(
                &self.core,
                BLOCK_BYTES,
                Place::At(Zone::Bindless, address),
                Use::Driver,
            );
            match buffer.and_then(Block::new) {
                // Only who holds the lock sets it.
                Ok(new) => _ = block.set(new),
                Err(error) => {
                    free.give(at, rounded);
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

    /// Where a surface is: its block, and the dword in it.
    #[inline(always)]
    fn place(&self, offset_bytes: u32) -> Result<(&Mapping, usize)> {
        let offset = u64::from(offset_bytes);
        let block = self.blocks.get((offset / BLOCK_BYTES) as usize);
        match block.and_then(OnceLock::get) {
            Some(block) => Ok((&block.mapping, (offset % BLOCK_BYTES) as usize / 4)),
            None => Err(Error::Range { what: "a surface" }),
        }
    }

    /// The words of one surface.
    #[inline]
    fn surface(&self, offset_bytes: u32) -> Result<&[AtomicU32; SURFACE_DW]> {
        let (mapping, at_dw) = self.place(offset_bytes)?;
        let inside = mapping.words().get(at_dw..).and_then(<[_]>::first_chunk);
        inside.ok_or(Error::Range { what: "a surface" })
    }

    /// Writes one surface.
    #[inline(always)]
    pub fn write(&self, offset_bytes: u32, surface: &[u32; SURFACE_DW]) -> Result<()> {
        let (mapping, at_dw) = self.place(offset_bytes)?;
        mapping.write_words(at_dw, surface)
    }

    /// Writes one sampler, which may share a surface's place with others.
    #[inline(always)]
    pub fn write_sampler(&self, offset_bytes: u32, state: &[u32; SAMPLER_DW]) -> Result<()> {
        let (mapping, at_dw) = self.place(offset_bytes)?;
        mapping.write_words(at_dw, state)
    }

    /// Reads one sampler.
    pub fn read_sampler(&self, offset_bytes: u32) -> Result<[u32; SAMPLER_DW]> {
        let first = (offset_bytes / 4) as usize;
        let dwords = std::array::from_fn(|dword| first + dword);
        self.read_dwords(offset_bytes & !(SURFACE_DW as u32 * 4 - 1), dwords)
    }

    /// Reads some dwords of one surface.
    #[inline]
    pub fn read_dwords<const N: usize>(
        &self,
        offset_bytes: u32,
        dwords: [usize; N],
    ) -> Result<[u32; N]> {
        let surface = self.surface(offset_bytes)?;
        Ok(dwords.map(|dword| surface[dword % SURFACE_DW].load(Relaxed)))
    }

    /// Reads one surface.
    pub fn read(&self, offset_bytes: u32) -> Result<[u32; SURFACE_DW]> {
        let surface = self.surface(offset_bytes)?;
        Ok(surface.each_ref().map(|word| word.load(Relaxed)))
    }
}

impl Block {
    fn new(buffer: Arc<Buffer>) -> Result<Self> {
        Ok(Self {
            mapping: buffer.map_anew()?,
            _buffer: buffer,
        })
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
            .free()
            .give(self.offset_bytes.into(), self.bytes.into());
    }
}
