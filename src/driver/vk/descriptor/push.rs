//! Pushed descriptors: a set that a command buffer keeps, and writes anew into the heap at each push.
//!
//! In:  buffers. Out: surfaces, those pushed before among them. Ref: Vulkan specification, "Push Descriptor Updates".

use std::sync::Arc;

use super::layout::{Holds, SetLayout};
use super::set::{BEYOND, Cursor};
use crate::error::Result;
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
    pub fn begin(&mut self, number: usize, layout: &Arc<SetLayout>) {
        let known = self.number == number && self.layout.as_ref() == Some(layout);
        if !known {
            let count = layout.heap_bytes / SURFACE_BYTES;
            self.surfaces.clear();
            self.surfaces.resize(
                count as usize,
                surface_state::buffer(BufferDescriptor::NONE),
            );
            self.number = number;
            self.layout = Some(layout.clone());
        }
    }

    /// Writes buffers from an element of a binding on.
    pub fn write(
        &mut self,
        (binding, element): (u32, u32),
        buffers: impl Iterator<Item = Result<BufferDescriptor>>,
    ) -> Result<()> {
        let layout = self.layout.as_deref().ok_or(BEYOND)?;
        let mut place = Cursor::new(layout, binding, element)?;
        for buffer in buffers {
            let (placed, element) = place.next().ok_or(BEYOND)?;
            let at = placed.offset_bytes / SURFACE_BYTES + element;
            match self.surfaces.get_mut(at as usize) {
                Some(surface) if placed.holds == Holds::Surface => {
                    *surface = surface_state::buffer(buffer?);
                }
                _ => return Err(BEYOND),
            }
        }
        Ok(())
    }

    /// The surfaces of all descriptors.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }
}
