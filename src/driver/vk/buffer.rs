//! Buffers: a size and a use; bound, an address.

use std::sync::{Arc, OnceLock};

use ash::vk as api;

use crate::error::{Error, Result};
use crate::limits;
use crate::memory::Memory;

/// Bytes of a buffer at most: what a process's half of the address space could hold.
pub const MAX_BYTES: u64 = 1 << 47;

/// `VkBuffer`.
#[derive(Debug)]
pub struct Buffer {
    /// Bytes.
    pub bytes: u64,
    /// Declared use.
    pub usage: api::BufferUsageFlags,
    bound: OnceLock<Bound>,
}

/// Where a buffer lies.
#[derive(Debug)]
struct Bound {
    /// GPU address of its first byte.
    address: u64,
    /// Keeps that its own.
    _memory: Arc<Memory>,
}

/// What a buffer wants of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// Bytes.
    pub bytes: u64,
    /// Alignment of the offset in the memory, in bytes.
    pub alignment_bytes: u64,
    /// Memory types that serve, by bit.
    pub type_bits: u32,
}

impl Buffer {
    /// A buffer with no memory yet.
    pub fn new(
        bytes: u64,
        usage: api::BufferUsageFlags,
        flags: api::BufferCreateFlags,
    ) -> Result<Self> {
        // Where the memory lies decides where the buffer does.
        let replayed = api::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY;
        if !replayed.contains(flags) {
            return Err(Error::FeatureNotPresent {
                what: "sparse or protected buffers",
            });
        }
        if bytes == 0 || bytes > MAX_BYTES {
            return Err(Error::OutOfDeviceMemory {
                what: "a buffer larger than the address space",
            });
        }
        Ok(Self {
            bytes,
            usage,
            bound: OnceLock::new(),
        })
    }

    /// What it wants of memory, given the memory types there are.
    pub fn requirements(&self, type_count: u32) -> Requirements {
        // Fill and copy work on whole dwords, and a surface is bounded in dwords.
        let alignment_bytes = if self.usage.contains(api::BufferUsageFlags::UNIFORM_BUFFER) {
            limits::UNIFORM_OFFSET_ALIGNMENT
        } else {
            16
        };
        Requirements {
            bytes: self.bytes.next_multiple_of(4),
            alignment_bytes,
            type_bits: (1 << type_count) - 1,
        }
    }

    /// Puts the buffer at an offset of a memory.
    pub fn bind(&self, memory: &Arc<Memory>, offset: u64) -> Result<()> {
        if offset
            .checked_add(self.bytes)
            .is_none_or(|end| end > memory.bytes)
        {
            return Err(Error::InvalidUse {
                why: "a buffer bound beyond its memory",
            });
        }
        self.bound
            .set(Bound {
                address: memory.address() + offset,
                _memory: memory.clone(),
            })
            .map_err(|_| Error::InvalidUse {
                why: "a buffer bound twice",
            })
    }

    /// GPU address of the first byte.
    #[inline]
    pub fn address(&self) -> Result<u64> {
        match self.bound.get() {
            Some(bound) => Ok(bound.address),
            None => Err(Error::InvalidUse {
                why: "a buffer used without memory",
            }),
        }
    }

    /// GPU address of `offset..offset + bytes`, checked.
    pub fn address_of(&self, offset: u64, bytes: u64) -> Result<u64> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return Err(Error::InvalidUse {
                why: "a command reaches beyond its buffer",
            });
        }
        Ok(self.address()? + offset)
    }
}
