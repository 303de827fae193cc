//! Descriptor pools: allocation of sets in the bindless heap.
//!
//! In:  descriptor counts by type, and sets. Out: offsets in the heap. A pool takes slabs from the
//!      device as its sets need them, so unused capacity costs nothing. A freed set's allocation
//!      serves the next set of its size.

use std::sync::Arc;

use abi::IndirectDescriptor;
use ash::vk as api;

use super::indirect::IndirectSet;
use super::layout::{MAX_SET_DESCRIPTORS, heap_bytes, indirect_bytes};
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
    context: Arc<Context>,
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
    /// Capacity for sets with indirect descriptors in bytes, and its used part.
    indirect_bytes: u64,
    used_indirect_bytes: u64,
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
        // Large sets, whose descriptors are indirect, do not count against this capacity. For each
        // inline block, there is a surface state, and it is padded to a heap line.
        let inline = u64::from(inline_bindings) * 2 * u64::from(SURFACE_BYTES);
        let each = sizes
            .iter()
            .map(|&(kind, slots, count)| heap_bytes(kind, slots, count));
        let bytes = inline + each.sum::<u64>();
        let each = sizes
            .iter()
            .map(|&(kind, _, count)| indirect_bytes(kind, count));
        let indirect_bytes = each.sum::<u64>()
            + u64::from(inline_bindings) * 2 * u64::from(IndirectDescriptor::BYTES);
        let descriptors = sizes.iter().map(|&(_, _, count)| u64::from(count));
        if descriptors.sum::<u64>() > MAX_SET_DESCRIPTORS {
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
            context: context.clone(),
            heap: context.gpu.bindless().clone(),
            max_sets,
            bytes,
            slabs: Vec::new(),
            slab_free: 0,
            freed: Vec::new(),
            used_bytes: 0,
            indirect_bytes,
            used_indirect_bytes: 0,
            sets: 0,
        })
    }

    /// Allocates memory for a set with indirect descriptors.
    pub(super) fn allocate_indirect(&mut self, bytes: u32) -> Result<IndirectSet> {
        if self.sets >= self.max_sets {
            return Err(TOO_MANY_SETS);
        }
        let used = self.used_indirect_bytes + u64::from(bytes);
        if used > self.indirect_bytes {
            return Err(TOO_MANY_DESCRIPTORS);
        }
        let set = IndirectSet::new(&self.context, bytes)?;
        self.used_indirect_bytes = used;
        self.sets += 1;
        Ok(set)
    }

    /// Returns the capacity of a set with indirect descriptors.
    pub(super) fn free_indirect(&mut self, bytes: u32) {
        self.sets = self.sets.saturating_sub(1);
        self.used_indirect_bytes = self.used_indirect_bytes.saturating_sub(bytes.into());
    }

    /// The heap of its sets.
    pub(super) fn heap(&self) -> &i915::SurfaceHeap {
        &self.heap
    }

    /// Allocates heap for a set. Returns the byte offset.
    pub(super) fn alloc(&mut self, bytes: u32) -> Result<u32> {
        if self.sets >= self.max_sets {
            return Err(TOO_MANY_SETS);
        }
        if bytes > self.bytes - self.used_bytes {
            return Err(TOO_MANY_DESCRIPTORS);
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
        self.used_indirect_bytes = 0;
        self.sets = 0;
    }
}

const TOO_MANY_SETS: Error = Error::OutOfPoolMemory {
    what: "another set",
};

const TOO_MANY_DESCRIPTORS: Error = Error::OutOfPoolMemory {
    what: "a set's descriptors",
};
