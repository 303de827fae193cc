//! `VkBufferView`: a texel buffer.

use ash::vk as api;
use hw::FormatUse;

use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::format;
use crate::heap_states::HeapStates;
use crate::limits::MAX_TEXEL_BUFFER_ELEMENTS;
use crate::physical::PhysicalDevice;
use crate::surface_state::{self, SurfaceStateWords};

/// `VkBufferView`.
#[derive(Debug)]
pub struct BufferView {
    /// Surface state for the sampler.
    pub texture: SurfaceStateWords,
    /// Surface states for typed writes and for typed reads.
    pub storage: [SurfaceStateWords; 2],
    /// Where indirect descriptors have `texture` in the heap.
    pub texture_in_heap: HeapStates,
    /// Where indirect descriptors have `storage` in the heap.
    pub storage_in_heap: HeapStates,
}

impl BufferView {
    /// Creates a view of a buffer with bound memory.
    pub fn new(
        physical: &PhysicalDevice,
        buffer: &Buffer,
        format: api::Format,
        offset: u64,
        range: u64,
    ) -> Result<Self> {
        let rest = buffer.bytes.checked_sub(offset).ok_or(Error::InvalidUse {
            why: "a view that starts beyond its buffer",
        })?;
        Self::from_address(
            physical,
            buffer.address()? + offset,
            range.min(rest),
            format,
        )
    }

    /// Creates a view of memory at an address.
    pub fn from_address(
        physical: &PhysicalDevice,
        address: u64,
        range: u64,
        format: api::Format,
    ) -> Result<Self> {
        let row = format::find(format).ok_or(Error::FormatNotSupported)?;
        let hw_gen = physical.info().device.hw_gen;
        if row.buffer_features(hw_gen).is_empty() {
            return Err(Error::FormatNotSupported);
        }
        let row = row.for_texel_buffers();
        let bytes = u32::from(row.hw.block_bits / 8);
        let count = range / u64::from(bytes.max(1));
        let count = count.min(MAX_TEXEL_BUFFER_ELEMENTS.into());
        let surface = |format| surface_state::texels(address, count, bytes, format, row.swizzle);
        let format_number = row.hw.number;
        let uses = row.hw.uses(hw_gen);
        let surface_if = |wanted, format| match uses.contains(wanted) {
            true => surface(format),
            false => surface_state::NONE,
        };
        let read = abi::typed_read_format(format_number).unwrap_or(format_number);
        let mut storage = [
            surface_if(FormatUse::TYPED_WRITE, format_number),
            surface_if(FormatUse::TYPED_WRITE, read),
        ];
        if bytes == abi::ADDRESSED_TEXEL_BYTES && count > 0 {
            let addressing = abi::TexelAddressing {
                base_address: address,
                extent: [count as u32, 1, 1],
                row_pitch_bytes: bytes,
                ..abi::TexelAddressing::default()
            };
            addressing.store(&mut storage);
        }
        Ok(Self {
            texture: surface_if(FormatUse::SAMPLE, format_number),
            storage,
            texture_in_heap: HeapStates::default(),
            storage_in_heap: HeapStates::default(),
        })
    }
}
