//! Descriptor pools: how much of the bindless heap their sets may have.
//!
//! In:  descriptors by type, and sets. Out: places in the heap, taken from the device in slabs as sets need them: what a pool could
//!      hold and does not costs nothing. A freed place serves the next set of its size.

use std::sync::Arc;

use ash::vk as api;

use super::layout::heap_bytes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::surface_state::SURFACE_BYTES;

/// Bytes of heap that a pool takes at once, if it may have so much.
const SLAB_BYTES: u32 = 64 << 10;

/// Bytes of a descriptor with a conversion at most.
const MOST_CONVERTED_BYTES: u32 = abi::Conversion::MOST_PIECES * SURFACE_BYTES;

/// `VkDescriptorPool`. Vulkan wants that one thread at a time uses it, so there is no lock; its sets do not name it.
#[derive(Debug)]
pub struct Pool {
    heap: Arc<i915::Heap>,
    max_sets: u32,
    /// Bytes of heap that its sets may have together.
    bytes: u32,
    slabs: Vec<i915::HeapPiece>,
    /// Bytes of the last slab that were never taken.
    untouched: u32,
    /// Places that were freed, by their bytes, in the order of these: a pool's sets are of few sizes.
    freed: Vec<(u32, Vec<u32>)>,
    used_bytes: u32,
    sets: u32,
}

impl Pool {
    /// A pool for `max_sets` sets of descriptors (type, pieces of each, and count; of inline uniform blocks the bytes of all of them,
    /// which lie in `inline_bindings` bindings).
    pub fn new(
        context: &Arc<Context>,
        max_sets: u32,
        sizes: &[(api::DescriptorType, u8, u32)],
        inline_bindings: u32,
    ) -> Result<Self> {
        let too_big = Error::OutOfDeviceMemory {
            what: "a descriptor pool",
        };
        // Each has a surface, and fills up a line of the heap.
        let inline = u64::from(inline_bindings) * 2 * u64::from(SURFACE_BYTES);
        let each = sizes
            .iter()
            .map(|&(kind, pieces, count)| heap_bytes(kind, pieces, count));
        let bytes = inline + each.sum::<u64>();
        if bytes > i915::BINDLESS_HEAP_BYTES {
            return Err(too_big);
        }
        // Applications forget that conversions of colours count for several (combinedImageSamplerDescriptorCount), and find room by
        // drivers that reckon with it. It costs nothing where there are none.
        let combined = api::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let converted = sizes.iter().filter(|(kind, ..)| *kind == combined);
        let more = converted.map(|&(.., count)| u64::from(count) * u64::from(MOST_CONVERTED_BYTES));
        let bytes = (bytes + more.sum::<u64>()).min(i915::BINDLESS_HEAP_BYTES) as u32;
        Ok(Self {
            heap: context.gpu.bindless().clone(),
            max_sets,
            bytes,
            slabs: Vec::new(),
            untouched: 0,
            freed: Vec::new(),
            used_bytes: 0,
            sets: 0,
        })
    }

    /// The heap that its sets lie in.
    pub(super) fn heap(&self) -> &i915::Heap {
        &self.heap
    }

    /// Heap for a set; its first byte.
    pub(super) fn take(&mut self, bytes: u32) -> Result<u32> {
        if self.sets >= self.max_sets {
            return Err(Error::OutOfPoolMemory {
                what: "another set",
            });
        }
        if bytes > self.bytes - self.used_bytes {
            return Err(Error::OutOfPoolMemory {
                what: "a set's descriptors",
            });
        }
        let at = match bytes {
            0 => 0,
            _ => self.place(bytes)?,
        };
        self.used_bytes += bytes;
        self.sets += 1;
        Ok(at)
    }

    fn place(&mut self, bytes: u32) -> Result<u32> {
        if let Ok(size) = self.size(bytes)
            && let Some(at) = self.freed[size].1.pop()
        {
            return Ok(at);
        }
        if bytes > self.untouched {
            let taken: u32 = self.slabs.iter().map(i915::HeapPiece::bytes).sum();
            let rest = self.bytes.saturating_sub(taken).min(SLAB_BYTES);
            let slab = self.heap.take(bytes.max(rest))?;
            self.untouched = slab.bytes();
            self.slabs.push(slab);
        }
        let slab = self.slabs.last();
        let end = slab.map_or(0, |slab| slab.offset_bytes() + slab.bytes());
        let at = end - self.untouched;
        self.untouched -= bytes;
        Ok(at)
    }

    /// Which of the sizes this is, or would be.
    #[inline]
    fn size(&self, bytes: u32) -> std::result::Result<usize, usize> {
        match self.freed.first() {
            Some((first, _)) if *first == bytes => Ok(0),
            _ => self.freed.binary_search_by_key(&bytes, |(bytes, _)| *bytes),
        }
    }

    /// Takes a set's heap back.
    pub(super) fn give(&mut self, at: u32, bytes: u32) {
        self.sets = self.sets.saturating_sub(1);
        self.used_bytes = self.used_bytes.saturating_sub(bytes);
        if bytes > 0 {
            let size = self.size(bytes).unwrap_or_else(|size| {
                self.freed.insert(size, (bytes, Vec::new()));
                size
            });
            self.freed[size].1.push(at);
        }
    }

    /// Frees the room of every set at once.
    pub fn reset(&mut self) {
        self.slabs.clear();
        self.freed.clear();
        self.untouched = 0;
        self.used_bytes = 0;
        self.sets = 0;
    }
}
