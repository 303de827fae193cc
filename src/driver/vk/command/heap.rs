//! Commands of descriptor heaps.
//!
//! In:  addresses of heaps, push data. Out: handles that shaders read as those of sets.
//!
//! A heap takes the place of a set at both bind points (see `descriptor::heap`). So binding sets
//! ends the use of heaps and the reverse, as Vulkan has it. Only the sets of embedded samplers have
//! to be bound again after other sets: they come with a pipeline, which stays bound.
//! Ref: Vulkan, "Using Heaps", "Push Data".

use ash::vk as api;

use super::buffer::{BindPoint, CommandBuffer, EmbeddedSamplers};
use crate::descriptor::handle_at;
use crate::error::{Error, Result};

/// The heaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// Samplers.
    Samplers,
    /// All other descriptors.
    Resources,
}

impl CommandBuffer {
    /// Binds the heap at an address; 0: one without bytes, as that of samplers may be, which has no
    /// descriptors to read.
    pub fn bind_heap(&mut self, heap: Heap, address: u64) -> Result<()> {
        if address == 0 {
            self.heaps[heap as usize] = None;
            return Ok(());
        }
        let number = match heap {
            Heap::Resources => abi::RESOURCE_HEAP_SET,
            Heap::Samplers => abi::SAMPLER_HEAP_SET,
        };
        let handle = handle_at(address).ok_or(Error::InvalidUse {
            why: "a descriptor heap whose memory is of another type than \
                  vkGetBufferMemoryRequirements returns",
        })?;
        self.heaps[heap as usize] = Some(address);
        for point in [BindPoint::Compute, BindPoint::Graphics] {
            self.set_buffer_handle(point, number as usize, handle)?;
        }
        for at in 0..self.embedded_samplers.len() {
            let (point, number, handle) = self.embedded_samplers[at];
            self.set_buffer_handle(point, number as usize, handle)?;
        }
        Ok(())
    }

    /// Binds the heaps again: secondary command buffers that inherit them leave them bound.
    pub(super) fn bind_heaps_again(&mut self) -> Result<()> {
        for heap in [Heap::Samplers, Heap::Resources] {
            if let Some(address) = self.heaps[heap as usize] {
                self.bind_heap(heap, address)?;
            }
        }
        Ok(())
    }

    /// Sets push data from a byte offset.
    pub fn push_data(&mut self, offset_bytes: u32, data: &[u8]) -> Result<()> {
        let all = api::ShaderStageFlags::ALL_GRAPHICS | api::ShaderStageFlags::COMPUTE;
        self.push(all, offset_bytes, data)
    }

    /// Binds the sets of embedded samplers of a pipeline.
    #[inline]
    pub(super) fn embed_samplers(
        &mut self,
        point: BindPoint,
        sets: impl Iterator<Item = (u32, u32)>,
    ) -> Result<()> {
        for (number, handle) in sets {
            let others = |set: &mut EmbeddedSamplers| (set.0, set.1) != (point, number);
            self.embedded_samplers.retain(others);
            self.embedded_samplers.push((point, number, handle));
            self.set_buffer_handle(point, number as usize, handle)?;
        }
        Ok(())
    }
}
