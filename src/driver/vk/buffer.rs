//! `VkBuffer`: size and usage; once bound, an address.

use std::sync::{Arc, OnceLock};

use ash::vk as api;

use crate::error::{Error, Result};
use crate::limits;
use crate::memory::DeviceMemory;
use crate::newer_types;
use crate::physical::PhysicalDevice;

/// Maximum size of a buffer in bytes: half of the address space of a process.
pub const MAX_BYTES: u64 = 1 << 47;

/// Usages of descriptor buffers and heaps. Push descriptors do not need a buffer.
const DESCRIPTORS: api::BufferUsageFlags = api::BufferUsageFlags::from_raw(
    api::BufferUsageFlags::SAMPLER_DESCRIPTOR_BUFFER_EXT.as_raw()
        | api::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT.as_raw()
        | newer_types::DESCRIPTOR_HEAP_USAGE.as_raw(),
);

/// `VkBuffer`.
#[derive(Debug)]
pub struct Buffer {
    /// Size in bytes.
    pub bytes: u64,
    /// Declared usage.
    pub usage: api::BufferUsageFlags,
    bound: OnceLock<Bound>,
}

/// The memory that a buffer is bound to.
#[derive(Debug)]
struct Bound {
    /// GPU address of its first byte.
    address: u64,
    /// Keeps the address reserved.
    _memory: Arc<DeviceMemory>,
}

/// Memory requirements of a buffer or image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// Size in bytes.
    pub bytes: u64,
    /// Alignment of the offset in the memory, in bytes.
    pub alignment_bytes: u64,
    /// Mask of the supported memory types.
    pub type_bits: u32,
}

impl Buffer {
    /// Creates a buffer without memory.
    pub fn new(
        bytes: u64,
        usage: api::BufferUsageFlags,
        flags: api::BufferCreateFlags,
    ) -> Result<Self> {
        // A replayed address is a property of the memory, so the buffer has nothing to do for it.
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

    /// Its memory requirements.
    pub fn requirements(&self, physical: &PhysicalDevice) -> Requirements {
        // Fills and copies work on whole dwords, and surfaces are bounded in dwords.
        let alignment_bytes = if self.usage.contains(api::BufferUsageFlags::UNIFORM_BUFFER) {
            limits::UNIFORM_OFFSET_ALIGNMENT
        } else {
            16
        };
        Requirements {
            bytes: self.bytes.next_multiple_of(4),
            alignment_bytes,
            type_bits: match self.usage.intersects(DESCRIPTORS) {
                true => physical.descriptor_types(),
                false => physical.resource_types(),
            },
        }
    }

    /// Binds the buffer at an offset of a memory.
    pub fn bind(&self, memory: &Arc<DeviceMemory>, offset: u64) -> Result<()> {
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

    /// GPU address of `offset..offset + bytes`, after a bounds check.
    pub fn address_of(&self, offset: u64, bytes: u64) -> Result<u64> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return Err(Error::InvalidUse {
                why: "a command reaches beyond its buffer",
            });
        }
        Ok(self.address()? + offset)
    }
}
