//! What all indirect descriptors of a device refer to.
//!
//! In:  a device. Out: the first pages of the region of indirect descriptors, and the surfaces of
//!      null descriptors.

use std::sync::Arc;

use abi::IndirectDescriptor;

use crate::error::Result;
use crate::heap_states::HeapStates;
use crate::surface_state;

/// The shared part of the region of indirect descriptors.
#[derive(Debug)]
pub struct IndirectRegion {
    /// Zeros, and where discarded writes go.
    _pages: Arc<i915::Buffer>,
    /// The surfaces of null descriptors.
    null: HeapStates,
}

impl IndirectRegion {
    /// Creates it, before anything else in the region.
    pub(crate) fn new(gpu: &i915::Device) -> Result<Self> {
        let at = i915::Placement::At(i915::Zone::Indirect, i915::INDIRECT_BASE);
        Ok(Self {
            _pages: gpu.memory(IndirectDescriptor::FIRST_SET_OFFSET.into(), at)?,
            null: HeapStates::default(),
        })
    }

    /// Handle of null surfaces.
    pub(crate) fn null(&self, heap: &Arc<i915::SurfaceHeap>) -> Result<u32> {
        self.null.surfaces(heap, &[surface_state::NONE; 2])
    }
}
