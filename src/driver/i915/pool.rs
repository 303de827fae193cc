//! Pools: suballocation of larger buffers.
//!
//! In:  sizes. Out: slices, each a mapped range of a buffer, freed when dropped.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::address_space::Zone;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::range_allocator::{AllocateFrom, RangeAllocator};

/// Size of the first buffer of a pool; each further one is twice as large, up to
/// [`MAX_BLOCK_BYTES`].
const FIRST_BLOCK_BYTES: u64 = 64 << 10;
const MAX_BLOCK_BYTES: u64 = 4 << 20;

/// A pool in one zone.
#[derive(Debug)]
pub struct MemoryPool {
    device: Arc<Device>,
    zone: Zone,
    blocks: Mutex<Vec<Block>>,
}

#[derive(Debug)]
struct Block {
    buffer: Arc<Buffer>,
    free: RangeAllocator,
}

/// An allocation of a pool.
#[derive(Debug)]
pub struct PoolAllocation {
    pool: Arc<MemoryPool>,
    buffer: Arc<Buffer>,
    offset_bytes: u64,
    bytes: u64,
}

impl MemoryPool {
    /// An empty pool.
    pub fn new(device: &Arc<Device>, zone: Zone) -> Arc<Self> {
        Arc::new(Self {
            device: device.clone(),
            zone,
            blocks: Mutex::default(),
        })
    }

    fn blocks(&self) -> MutexGuard<'_, Vec<Block>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `bytes` (rounded up to `align`) at a multiple of `align`, a power of two up to the
    /// page size.
    pub fn allocate(self: &Arc<Self>, bytes: u64, align: u64) -> Result<PoolAllocation> {
        let bytes = bytes
            .max(1)
            .checked_next_multiple_of(align.max(1))
            .ok_or(Error::Range {
                what: "a pool's piece",
            })?;
        let mut blocks = self.blocks();
        let found = blocks
            .iter_mut()
            .find_map(|block| Some((block.buffer.clone(), block.free.allocate(bytes, align)?)));
        let (buffer, offset_bytes) = match found {
            Some(found) => found,
            None => {
                let grown = FIRST_BLOCK_BYTES << blocks.len().min(6);
                let block_bytes = bytes.max(grown.min(MAX_BLOCK_BYTES));
                // Mapped at once, as some writes (a host query reset) cannot report a failure.
                let buffer = self.device.buffer(block_bytes, self.zone)?.mapped()?;
                let mut free = RangeAllocator::new(0, buffer.bytes(), AllocateFrom::Bottom);
                let offset = free.allocate(bytes, align).ok_or(Error::Range {
                    what: "a pool's piece",
                })?;
                blocks.push(Block {
                    buffer: buffer.clone(),
                    free,
                });
                (buffer, offset)
            }
        };
        Ok(PoolAllocation {
            pool: self.clone(),
            buffer,
            offset_bytes,
            bytes,
        })
    }
}

impl PoolAllocation {
    /// GPU address of the first byte.
    pub fn address(&self) -> u64 {
        self.buffer.address() + self.offset_bytes
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The buffer that contains it.
    pub fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// Its offset in that buffer in bytes.
    pub fn offset_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// The buffer's offset of a range of the slice.
    fn buffer_offset(&self, offset: usize, length: usize) -> Result<usize> {
        let inside = offset
            .checked_add(length)
            .is_some_and(|end| end as u64 <= self.bytes);
        if inside {
            Ok(self.offset_bytes as usize + offset)
        } else {
            Err(Error::Range {
                what: "a pool's piece",
            })
        }
    }

    /// Writes bytes at an offset.
    pub fn write(&self, offset_bytes: usize, data: &[u8]) -> Result<()> {
        self.buffer
            .write(self.buffer_offset(offset_bytes, data.len())?, data)
    }

    /// Reads bytes at an offset.
    pub fn read(&self, offset_bytes: usize, out: &mut [u8]) -> Result<()> {
        self.buffer
            .read(self.buffer_offset(offset_bytes, out.len())?, out)
    }
}

impl Drop for PoolAllocation {
    fn drop(&mut self) {
        let mut blocks = self.pool.blocks();
        if let Some(block) = blocks
            .iter_mut()
            .find(|block| Arc::ptr_eq(&block.buffer, &self.buffer))
        {
            block.free.free(self.offset_bytes, self.bytes);
        }
    }
}
