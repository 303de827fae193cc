//! `VkBufferView`: a range of a buffer as texels.

use ash::vk as api;
use hw::FormatUse;

use crate::buffer::Buffer;
use crate::error::{Error, Result};
use crate::format;
use crate::limits::MAX_TEXEL_BUFFER_ELEMENTS;
use crate::physical::PhysicalDevice;
use crate::surface_state::{self, Surface};

/// `VkBufferView`.
#[derive(Debug)]
pub struct BufferView {
    /// As the sampler sees it.
    pub texture: Surface,
    /// As typed messages write to it, and read from it.
    pub storage: [Surface; 2],
}

impl BufferView {
    /// A view of a buffer that has its memory.
    pub fn new(
        physical: &PhysicalDevice,
        buffer: &Buffer,
        format: api::Format,
        offset: u64,
        range: u64,
    ) -> Result<Self> {
        let row = format::find(format).ok_or(Error::FormatNotSupported)?;
        let hw_gen = physical.info().device.hw_gen;
        if row.buffer_features(hw_gen).is_empty() {
            return Err(Error::FormatNotSupported);
        }
        let rest = buffer.bytes.checked_sub(offset).ok_or(Error::InvalidUse {
            why: "a view that starts beyond its buffer",
        })?;
        let bytes = u32::from(row.hw.block_bits / 8);
        let count = range.min(rest) / u64::from(bytes.max(1));
        let count = count.min(MAX_TEXEL_BUFFER_ELEMENTS.into());
        let address = buffer.address()? + offset;
        let seen = |format| surface_state::texels(address, count, bytes, format, row.swizzle);
        let own = row.hw.number;
        let uses = row.hw.uses(hw_gen);
        let when = |wanted, format| match uses.contains(wanted) {
            true => seen(format),
            false => surface_state::NONE,
        };
        let read = abi::typed_read_format(own).unwrap_or(own);
        Ok(Self {
            texture: when(FormatUse::SAMPLE, own),
            storage: [
                when(FormatUse::TYPED_WRITE, own),
                when(FormatUse::TYPED_WRITE, read),
            ],
        })
    }
}
