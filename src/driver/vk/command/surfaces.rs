//! Surfaces that a command buffer makes: of dynamic buffers, and of the buffers that copies and fills work on.
//!
//! In:  buffers. Out: handles in the bindless heap, whose pieces live as long as the recording. A dynamic buffer that is bound again as
//!      it was keeps its surface.

use crate::context::Context;
use crate::error::Result;
use crate::limits::{MAX_DYNAMIC_BUFFERS, MAX_PUSH_DESCRIPTORS};
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, Surface};

/// Surfaces of the pieces in which the heap is taken.
const PIECE_SURFACES: u32 = 64;
// Two each at most.
const _: () = assert!(2 * MAX_PUSH_DESCRIPTORS <= PIECE_SURFACES);
/// Dynamic buffers of both kinds.
const DYNAMIC: usize = 2 * MAX_DYNAMIC_BUFFERS as usize;

/// The surfaces of a recording.
#[derive(Debug, Default)]
pub struct Surfaces {
    pieces: Vec<i915::HeapPiece>,
    /// Surfaces of the last piece that are taken.
    used: u32,
    /// Dynamic buffers of each bind point as they were bound last, with their handles.
    dynamic: [[Option<(BufferDescriptor, u32)>; DYNAMIC]; 2],
}

impl Surfaces {
    /// Gives all back but one piece.
    pub fn clear(&mut self) {
        self.pieces.truncate(1);
        self.used = 0;
        self.dynamic = Default::default();
    }

    /// Writes a surface; its handle.
    pub fn make(&mut self, context: &Context, buffer: BufferDescriptor) -> Result<u32> {
        self.put(context, &[surface_state::buffer(buffer)])
    }

    /// Writes surfaces behind one another, at most a piece of them; the handle of the first.
    #[inline]
    pub fn put(&mut self, context: &Context, surfaces: &[Surface]) -> Result<u32> {
        let count = surfaces.len() as u32;
        if self.used + count > PIECE_SURFACES || self.pieces.is_empty() {
            let bytes = PIECE_SURFACES * SURFACE_BYTES;
            self.pieces.push(context.gpu.bindless().take(bytes)?);
            self.used = 0;
        }
        let start = self.pieces.last().map_or(0, i915::HeapPiece::offset_bytes);
        let at = start + self.used * SURFACE_BYTES;
        for (surface, at) in surfaces.iter().zip((at..).step_by(SURFACE_BYTES as usize)) {
            context.gpu.bindless().write(at, surface)?;
        }
        self.used += count;
        Ok(at << 6)
    }

    /// The handle of a bind point's dynamic buffer, by its index in the pipeline layout.
    pub fn dynamic(
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
        let handle = self.make(context, buffer)?;
        let known = self.dynamic.get_mut(point);
        if let Some(known) = known.and_then(|all| all.get_mut(index)) {
            *known = Some((buffer, handle));
        }
        Ok(handle)
    }
}
