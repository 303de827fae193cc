//! States in the bindless heap that indirect descriptors refer to.
//!
//! In:  the surface states of a view, or the states of a sampler.
//! Out: their place in the heap. They are written at first use, and stay until their owner is
//!      dropped.

use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::surface_state::{SURFACE_BYTES, SurfaceStateWords};

/// The place in the heap of an object's states, from first use on.
#[derive(Debug, Default)]
pub struct HeapStates(OnceLock<i915::HeapAllocation>);

impl HeapStates {
    /// Handle of the first of some consecutive surface states.
    pub(crate) fn surfaces(
        &self,
        heap: &Arc<i915::SurfaceHeap>,
        surfaces: &[SurfaceStateWords],
    ) -> Result<u32> {
        let bytes = SURFACE_BYTES * surfaces.len() as u32;
        let offset = self.get(heap, bytes, |at| {
            let mut places = (at..).step_by(SURFACE_BYTES as usize).zip(surfaces);
            places.try_for_each(|(at, surface)| heap.write(at, surface))
        })?;
        Ok(offset << 6)
    }

    /// Byte offset of a sampler state. That of a conversion's chroma planes is a slot in front of
    /// it.
    pub(crate) fn sampler(
        &self,
        heap: &Arc<i915::SurfaceHeap>,
        state: [u32; 4],
        chroma: Option<[u32; 4]>,
    ) -> Result<u32> {
        let luma_at = match chroma {
            Some(_) => SURFACE_BYTES,
            None => 0,
        };
        let offset = self.get(heap, SURFACE_BYTES + luma_at, |at| {
            if let Some(chroma) = &chroma {
                heap.write_sampler(at, chroma)?;
            }
            heap.write_sampler(at + luma_at, &state)
        })?;
        Ok(offset + luma_at)
    }

    fn get(
        &self,
        heap: &Arc<i915::SurfaceHeap>,
        bytes: u32,
        write: impl FnOnce(u32) -> i915::Result<()>,
    ) -> Result<u32> {
        if let Some(states) = self.0.get() {
            return Ok(states.offset_bytes());
        }
        let new = heap.allocate(bytes)?;
        write(new.offset_bytes())?;
        // If another thread was first, this allocation is dropped.
        Ok(self.0.get_or_init(|| new).offset_bytes())
    }
}
