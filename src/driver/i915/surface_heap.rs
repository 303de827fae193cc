//! The bindless surface heap: one range of addresses, backed by buffers on demand.
//!
//! In:  sizes. Out: allocations, identified by their byte offset in the heap, freed when dropped.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::address_space::{BINDLESS_BASE, BINDLESS_HEAP_BYTES, Zone};
use crate::buffer::{Buffer, DeviceContext, Placement};
use crate::error::{Error, Result};
use crate::exec_list::Owner;
use crate::mapping::BufferMapping;
use crate::range_allocator::{AllocateFrom, RangeAllocator};

/// Size of one backing buffer.
const BLOCK_BYTES: u64 = 1 << 20;
/// Number of backing buffers of the whole heap.
const BLOCKS: usize = (BINDLESS_HEAP_BYTES / BLOCK_BYTES) as usize;
/// Dwords of a RENDER_SURFACE_STATE.
const SURFACE_DW: usize = hw::state::render_surface_state::PACKET.dwords as usize;
/// Dwords of a SAMPLER_STATE.
const SAMPLER_DW: usize = hw::state::sampler_state::PACKET.dwords as usize;
/// Size of a surface state; allocations are multiples of it.
const SURFACE_BYTES: u64 = SURFACE_DW as u64 * 4;

/// The heap of a device.
#[derive(Debug)]
pub struct SurfaceHeap {
    context: Arc<DeviceContext>,
    allocator: Mutex<RangeAllocator>,
    /// The backing blocks, mapped and readable without the lock. First fit from the bottom makes
    /// the heap grow without holes.
    blocks: [OnceLock<Block>; BLOCKS],
}

/// A backing buffer, mapped when it is created: a descriptor write cannot report a lack of memory.
#[derive(Debug)]
struct Block {
    mapping: BufferMapping,
    _buffer: Arc<Buffer>,
}

/// An allocation in the heap.
#[derive(Debug)]
pub struct HeapAllocation {
    heap: Arc<SurfaceHeap>,
    offset_bytes: u32,
    bytes: u32,
}

impl SurfaceHeap {
    /// An empty heap. Its first surface stays unused and null, so that no allocation has the offset
    /// 0.
    pub(crate) fn new(context: &Arc<DeviceContext>) -> Arc<Self> {
        let allocator =
            RangeAllocator::new(SURFACE_BYTES, BINDLESS_HEAP_BYTES, AllocateFrom::Bottom);
        Arc::new(Self {
            context: context.clone(),
            allocator: Mutex::new(allocator),
            blocks: [const { OnceLock::new() }; BLOCKS],
        })
    }

    fn allocator(&self) -> MutexGuard<'_, RangeAllocator> {
        self.allocator
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `bytes`, rounded up to whole surface states.
    pub fn allocate(self: &Arc<Self>, bytes: u32) -> Result<HeapAllocation> {
        let out_of_space = Error::OutOfAddressSpace {
            bytes: bytes.into(),
            zone: Zone::Bindless.name(),
        };
        let rounded = u64::from(bytes.max(1)).next_multiple_of(SURFACE_BYTES);
        let mut allocator = self.allocator();
        let at = allocator
            .allocate(rounded, SURFACE_BYTES)
            .ok_or(out_of_space)?;
        let blocks = self
            .blocks
            .iter()
            .zip((BINDLESS_BASE..).step_by(BLOCK_BYTES as usize));
        for (block, address) in blocks.take((at + rounded).div_ceil(BLOCK_BYTES) as usize) {
            if block.get().is_some() {
                continue;
            }
            let buffer = Buffer::new(
                &self.context,
                BLOCK_BYTES,
                Placement::At(Zone::Bindless, address),
                Owner::Driver,
            );
            match buffer.and_then(Block::new) {
                // Only the holder of the lock sets a block.
                Ok(new) => _ = block.set(new),
                Err(error) => {
                    allocator.free(at, rounded);
                    return Err(error);
                }
            }
        }
        // The heap is smaller than 4 GiB.
        Ok(HeapAllocation {
            heap: self.clone(),
            offset_bytes: at as u32,
            bytes: rounded as u32,
        })
    }

    /// The block that contains a byte offset, and the dword in it.
    #[inline(always)]
    fn locate(&self, offset_bytes: u32) -> Result<(&BufferMapping, usize)> {
        let offset = u64::from(offset_bytes);
        let block = self.blocks.get((offset / BLOCK_BYTES) as usize);
        match block.and_then(OnceLock::get) {
            Some(block) => Ok((&block.mapping, (offset % BLOCK_BYTES) as usize / 4)),
            None => Err(Error::Range { what: "a surface" }),
        }
    }

    /// The dwords of a surface state.
    #[inline]
    fn surface(&self, offset_bytes: u32) -> Result<&[AtomicU32; SURFACE_DW]> {
        let (mapping, at_dw) = self.locate(offset_bytes)?;
        let inside = mapping.words().get(at_dw..).and_then(<[_]>::first_chunk);
        inside.ok_or(Error::Range { what: "a surface" })
    }

    /// Writes a surface state.
    #[inline(always)]
    pub fn write(&self, offset_bytes: u32, surface: &[u32; SURFACE_DW]) -> Result<()> {
        let (mapping, at_dw) = self.locate(offset_bytes)?;
        mapping.write_words(at_dw, surface)
    }

    /// Writes a sampler state. Four of them fit into the space of a surface state.
    #[inline(always)]
    pub fn write_sampler(&self, offset_bytes: u32, state: &[u32; SAMPLER_DW]) -> Result<()> {
        let (mapping, at_dw) = self.locate(offset_bytes)?;
        mapping.write_words(at_dw, state)
    }

    /// Reads a sampler state.
    pub fn read_sampler(&self, offset_bytes: u32) -> Result<[u32; SAMPLER_DW]> {
        let first = (offset_bytes / 4) as usize;
        let dwords = std::array::from_fn(|dword| first + dword);
        self.read_dwords(offset_bytes & !(SURFACE_DW as u32 * 4 - 1), dwords)
    }

    /// Reads some dwords of a surface state.
    #[inline]
    pub fn read_dwords<const N: usize>(
        &self,
        offset_bytes: u32,
        dwords: [usize; N],
    ) -> Result<[u32; N]> {
        let surface = self.surface(offset_bytes)?;
        Ok(dwords.map(|dword| surface[dword % SURFACE_DW].load(Relaxed)))
    }

    /// Reads a surface state.
    pub fn read(&self, offset_bytes: u32) -> Result<[u32; SURFACE_DW]> {
        let surface = self.surface(offset_bytes)?;
        Ok(surface.each_ref().map(|word| word.load(Relaxed)))
    }
}

impl Block {
    fn new(buffer: Arc<Buffer>) -> Result<Self> {
        Ok(Self {
            mapping: buffer.map_separately()?,
            _buffer: buffer,
        })
    }
}

impl HeapAllocation {
    /// Offset in the heap in bytes.
    pub fn offset_bytes(&self) -> u32 {
        self.offset_bytes
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

impl Drop for HeapAllocation {
    fn drop(&mut self) {
        self.heap
            .allocator()
            .free(self.offset_bytes.into(), self.bytes.into());
    }
}
