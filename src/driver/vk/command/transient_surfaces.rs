//! Surface states that a command buffer writes: for dynamic buffers, and for buffers of meta
//! operations.
//!
//! In:  buffers. Out: handles in the bindless heap, which live as long as the recording. A dynamic
//!      buffer that is bound again unchanged keeps its surface state.

use crate::context::Context;
use crate::error::Result;
use crate::limits::{MAX_DYNAMIC_BUFFERS, MAX_PUSH_DESCRIPTORS};
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, SurfaceStateWords};

/// TransientSurfaces of a heap allocation.
const BLOCK_SURFACES: u32 = 64;
// A descriptor takes at most two surfaces.
const _: () = assert!(2 * MAX_PUSH_DESCRIPTORS <= BLOCK_SURFACES);
/// Dynamic uniform and storage buffers.
const DYNAMIC: usize = 2 * MAX_DYNAMIC_BUFFERS as usize;

/// The surface states of a recording.
#[derive(Debug, Default)]
pub struct TransientSurfaces {
    blocks: Vec<i915::HeapAllocation>,
    /// Used surfaces of the last heap allocation.
    used: u32,
    /// Last bound dynamic buffers of each bind point, with their handles.
    dynamic: [[Option<(BufferDescriptor, u32)>; DYNAMIC]; 2],
}

impl TransientSurfaces {
    /// Frees all heap allocations but one.
    pub fn clear(&mut self) {
        self.blocks.truncate(1);
        self.used = 0;
        self.dynamic = Default::default();
    }

    /// Writes the surface state of a buffer. Returns its handle.
    pub fn write_buffer(&mut self, context: &Context, buffer: BufferDescriptor) -> Result<u32> {
        self.write(context, &[surface_state::buffer(buffer)])
    }

    /// Writes consecutive surface states, at most [`BLOCK_SURFACES`]. Returns the handle of the
    /// first.
    #[inline]
    pub fn write(&mut self, context: &Context, surfaces: &[SurfaceStateWords]) -> Result<u32> {
        let count = surfaces.len() as u32;
        if self.used + count > BLOCK_SURFACES || self.blocks.is_empty() {
            let bytes = BLOCK_SURFACES * SURFACE_BYTES;
            self.blocks.push(context.gpu.bindless().allocate(bytes)?);
            self.used = 0;
        }
        let start = self
            .blocks
            .last()
            .map_or(0, i915::HeapAllocation::offset_bytes);
        let at = start + self.used * SURFACE_BYTES;
        for (surface, at) in surfaces.iter().zip((at..).step_by(SURFACE_BYTES as usize)) {
            context.gpu.bindless().write(at, surface)?;
        }
        self.used += count;
        Ok(at << 6)
    }

    /// The handle of a dynamic buffer, by its index in the pipeline layout.
    pub fn dynamic_handle(
        &mut self,
        context: &Context,
        point: usize,
        index: usize,
        buffer: BufferDescriptor,
    ) -> Result<u32> {
        let known = self.dynamic.get(point).and_then(|all| all.get(index));
        if let Some(Some((known, handle))) = known
            && *known == buffer
        {
            return Ok(*handle);
        }
        let handle = self.write_buffer(context, buffer)?;
        let known = self.dynamic.get_mut(point);
        if let Some(known) = known.and_then(|all| all.get_mut(index)) {
            *known = Some((buffer, handle));
        }
        Ok(handle)
    }
}
