//! Descriptor pools: allocation of sets in the bindless heap.
//!
//! In:  descriptor counts by type, and sets. Out: offsets in the heap. A pool takes slabs from the
//!      device as its sets need them, so unused capacity costs nothing. A freed set's allocation
//!      serves the next set of its size.

use std::sync::Arc;

use ash::vk as api;

use super::layout::heap_bytes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::surface_state::SURFACE_BYTES;

/// Size of a slab, if the pool's capacity allows.
const SLAB_BYTES: u32 = 64 << 10;

/// Maximum bytes of a descriptor with a Y'CbCr conversion.
const MAX_CONVERTED_BYTES: u32 = abi::YcbcrConversion::MAX_SLOTS * SURFACE_BYTES;

/// `VkDescriptorPool`. It is externally synchronised, so there is no lock; sets do not refer to it.
#[derive(Debug)]
pub struct DescriptorPool {
    heap: Arc<i915::SurfaceHeap>,
    max_sets: u32,
    /// Capacity in bytes.
    bytes: u32,
    slabs: Vec<i915::HeapAllocation>,
    /// Bytes at the end of the last slab that were never allocated.
    slab_free: u32,
    /// Freed offsets by size, in order of size: a pool's sets have few sizes.
    freed: Vec<(u32, Vec<u32>)>,
    used_bytes: u32,
    sets: u32,
}

impl DescriptorPool {
    /// Creates a pool for `max_sets` sets. `sizes` has the type, slots and count of descriptors;
    /// for inline uniform blocks, the count is the total of bytes, in `inline_bindings` bindings.
    pub fn new(
        context: &Arc<Context>,
        max_sets: u32,
        sizes: &[(api::DescriptorType, u8, u32)],
        inline_bindings: u32,
    ) -> Result<Self> {
        let too_big = Error::OutOfDeviceMemory {
            what: "a descriptor pool",
        };
        // Each has a surface state, and is padded to a heap line.
        let inline = u64::from(inline_bindings) * 2 * u64::from(SURFACE_BYTES);
        let each = sizes
            .iter()
            .map(|&(kind, slots, count)| heap_bytes(kind, slots, count));
        let bytes = inline + each.sum::<u64>();
        if bytes > i915::BINDLESS_HEAP_BYTES {
            return Err(too_big);
        }
        // Applications often ignore that conversions need several descriptors
        // (combinedImageSamplerDescriptorCount) and rely on drivers that allow for it. It costs
        // nothing if there are none.
        let combined = api::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let converted = sizes.iter().filter(|(kind, ..)| *kind == combined);
        let more = converted.map(|&(.., count)| u64::from(count) * u64::from(MAX_CONVERTED_BYTES));
        let bytes = (bytes + more.sum::<u64>()).min(i915::BINDLESS_HEAP_BYTES) as u32;
        Ok(Self {
            heap: context.gpu.bindless().clone(),
            max_sets,
            bytes,
            slabs: Vec::new(),
            slab_free: 0,
            freed: Vec::new(),
            used_bytes: 0,
            sets: 0,
        })
    }

    /// The heap of its sets.
    pub(super) fn heap(&self) -> &i915::SurfaceHeap {
        &self.heap
    }

    /// Allocates heap for a set. Returns the byte offset.
    pub(super) fn alloc(&mut self, bytes: u32) -> Result<u32> {
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
            _ => self.allocate(bytes)?,
        };
        self.used_bytes += bytes;
        self.sets += 1;
        Ok(at)
    }

    fn allocate(&mut self, bytes: u32) -> Result<u32> {
        if let Ok(size_index) = self.size_index(bytes)
            && let Some(at) = self.freed[size_index].1.pop()
        {
            return Ok(at);
        }
        if bytes > self.slab_free {
            let slab_bytes: u32 = self.slabs.iter().map(i915::HeapAllocation::bytes).sum();
            let rest = self.bytes.saturating_sub(slab_bytes).min(SLAB_BYTES);
            let slab = self.heap.allocate(bytes.max(rest))?;
            self.slab_free = slab.bytes();
            self.slabs.push(slab);
        }
        let slab = self.slabs.last();
        let end = slab.map_or(0, |slab| slab.offset_bytes() + slab.bytes());
        let at = end - self.slab_free;
        self.slab_free -= bytes;
        Ok(at)
    }

    /// Index of a size in `freed`, or where it would be inserted.
    #[inline]
    fn size_index(&self, bytes: u32) -> std::result::Result<usize, usize> {
        match self.freed.first() {
            Some((first, _)) if *first == bytes => Ok(0),
            _ => self.freed.binary_search_by_key(&bytes, |(bytes, _)| *bytes),
        }
    }

    /// Frees a set's heap.
    pub(super) fn free(&mut self, at: u32, bytes: u32) {
        self.sets = self.sets.saturating_sub(1);
        self.used_bytes = self.used_bytes.saturating_sub(bytes);
        if bytes > 0 {
            let size_index = self.size_index(bytes).unwrap_or_else(|size_index| {
                self.freed.insert(size_index, (bytes, Vec::new()));
                size_index
            });
            self.freed[size_index].1.push(at);
        }
    }

    /// Frees all sets.
    pub fn reset(&mut self) {
        self.slabs.clear();
        self.freed.clear();
        self.slab_free = 0;
        self.used_bytes = 0;
        self.sets = 0;
    }
}
