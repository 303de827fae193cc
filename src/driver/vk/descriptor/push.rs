//! Pushed descriptors: a set that a command buffer keeps, and writes anew into the heap at each push.
//!
//! In:  buffers. Out: surfaces, those pushed before among them. Ref: Vulkan specification, "Push Descriptor Updates".

use std::sync::Arc;

use super::layout::{Holds, Placed, SetLayout};
use super::pieces::{Pieces, Room, store_immutable};
use super::set::{BEYOND, Cursor};
use crate::error::Result;
use crate::sampler::State;
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, Surface};

/// What was pushed.
#[derive(Debug, Default)]
pub struct Pushed {
    number: usize,
    layout: Option<Arc<SetLayout>>,
    surfaces: Vec<Surface>,
}

impl Pushed {
    /// Goes on with a set number and its layout. What was pushed for another does not count.
    pub fn begin(&mut self, number: usize, layout: &Arc<SetLayout>) -> Result<()> {
        let known = self.number == number && self.layout.as_ref() == Some(layout);
        if !known {
            let count = layout.room.heap_bytes as u32 / SURFACE_BYTES;
            self.surfaces.clear();
            self.surfaces.resize(count as usize, surface_state::NONE);
            for placed in &layout.bindings {
                store_immutable(layout, placed, &mut self.surfaces)?;
            }
            self.number = number;
            self.layout = Some(layout.clone());
        }
        Ok(())
    }

    /// Calls for each element from one of a binding on.
    fn each<T>(
        &mut self,
        (binding, element): (u32, u32),
        what: impl Iterator<Item = Result<T>>,
        mut write: impl FnMut(&mut Vec<Surface>, &Placed, u32, T) -> Result<()>,
    ) -> Result<()> {
        let layout = self.layout.as_deref().ok_or(BEYOND)?;
        let mut place = Cursor::new(layout, binding, element)?;
        for one in what {
            let (placed, element) = place.next().ok_or(BEYOND)?;
            if placed.holds != Holds::Pieces {
                return Err(BEYOND);
            }
            write(&mut self.surfaces, placed, element, one?)?;
        }
        Ok(())
    }

    /// Writes buffers from an element of a binding on.
    pub fn write(
        &mut self,
        place: (u32, u32),
        buffers: impl Iterator<Item = Result<BufferDescriptor>>,
    ) -> Result<()> {
        self.each(place, buffers, |surfaces, placed, element, buffer| {
            let at = placed.offset_bytes + element * placed.stride_bytes;
            surfaces.put(at, &surface_state::buffer(buffer))
        })
    }

    /// Writes so many images, samplers or texel buffers from an element of a binding on. `pieces` is told which, and whether it has a
    /// sampler of its own.
    pub fn write_pieces<'a>(
        &mut self,
        place: (u32, u32),
        count: usize,
        pieces: impl Fn(usize, bool) -> Result<Pieces<'a>>,
    ) -> Result<()> {
        let all = (0..count).map(Ok);
        self.each(place, all, |surfaces, placed, element, index| {
            pieces(index, placed.own_samplers())?.store(placed, element, surfaces)
        })
    }

    /// The surfaces of all descriptors.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }
}

impl Room for Vec<Surface> {
    fn put(&mut self, at_bytes: u32, piece: &Surface) -> Result<()> {
        let place = self.get_mut((at_bytes / SURFACE_BYTES) as usize);
        *place.ok_or(BEYOND)? = *piece;
        Ok(())
    }

    fn put_sampler(&mut self, at_bytes: u32, state: State) -> Result<()> {
        let place = self.get_mut((at_bytes / SURFACE_BYTES) as usize);
        let rest = place.and_then(|p| p.get_mut((at_bytes % SURFACE_BYTES / 4) as usize..));
        let room = rest.and_then(<[u32]>::first_chunk_mut);
        *room.ok_or(BEYOND)? = state;
        Ok(())
    }
}
