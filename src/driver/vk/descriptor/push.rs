//! Push descriptors: a set that a command buffer keeps on the host and writes to the heap as a
//! whole at each push.
//!
//! In:  descriptors. Out: surface states, earlier pushed ones included. Ref: Vulkan specification,
//!      "Push Descriptor Updates".

use std::sync::Arc;

use super::contents::{DescriptorContents, SlotWriter, store_immutable};
use super::layout::{BindingLayout, SetLayout, Storage};
use super::set::{BindingCursor, OUT_OF_RANGE};
use crate::error::Result;
use crate::sampler::SamplerStateWords;
use crate::surface_state::{self, BufferDescriptor, SURFACE_BYTES, SurfaceStateWords};

/// Host copy of a push descriptor set.
#[derive(Debug, Default)]
pub struct PushDescriptorSet {
    number: usize,
    layout: Option<Arc<SetLayout>>,
    surfaces: Vec<SurfaceStateWords>,
}

impl PushDescriptorSet {
    /// Continues with a set number and layout. Descriptors pushed for another number or layout are
    /// dropped.
    pub fn begin(&mut self, number: usize, layout: &Arc<SetLayout>) -> Result<()> {
        let known = self.number == number && self.layout.as_ref() == Some(layout);
        if !known {
            let count = layout.size.heap_bytes as u32 / SURFACE_BYTES;
            self.surfaces.clear();
            self.surfaces.resize(count as usize, surface_state::NONE);
            for binding_layout in &layout.bindings {
                store_immutable(layout, binding_layout, &mut self.surfaces)?;
            }
            self.number = number;
            self.layout = Some(layout.clone());
        }
        Ok(())
    }

    /// Writes consecutive elements, from an element of a binding on.
    fn each<T>(
        &mut self,
        (binding, element): (u32, u32),
        what: impl Iterator<Item = Result<T>>,
        mut write: impl FnMut(&mut Vec<SurfaceStateWords>, &BindingLayout, u32, T) -> Result<()>,
    ) -> Result<()> {
        let layout = self.layout.as_deref().ok_or(OUT_OF_RANGE)?;
        let mut place = BindingCursor::new(layout, binding, element)?;
        for binding_at in what {
            let (binding_layout, element) = place.next().ok_or(OUT_OF_RANGE)?;
            if binding_layout.storage != Storage::Pieces {
                return Err(OUT_OF_RANGE);
            }
            write(&mut self.surfaces, binding_layout, element, binding_at?)?;
        }
        Ok(())
    }

    /// Writes buffers from an element of a binding on.
    pub fn write(
        &mut self,
        place: (u32, u32),
        buffers: impl Iterator<Item = Result<BufferDescriptor>>,
    ) -> Result<()> {
        self.each(
            place,
            buffers,
            |surfaces, binding_layout, element, buffer| {
                let at = binding_layout.offset_bytes + element * binding_layout.stride_bytes;
                surfaces.write_slot(at, &surface_state::buffer(buffer))
            },
        )
    }

    /// Writes `count` images, samplers or texel buffers from an element of a binding on. `contents`
    /// is called with the index and whether the sampler is written too.
    pub fn write_pieces<'a>(
        &mut self,
        place: (u32, u32),
        count: usize,
        contents: impl Fn(usize, bool) -> Result<DescriptorContents<'a>>,
    ) -> Result<()> {
        let all = (0..count).map(Ok);
        self.each(place, all, |surfaces, binding_layout, element, index| {
            contents(index, binding_layout.writes_samplers())?.store(
                binding_layout,
                element,
                surfaces,
            )
        })
    }

    /// The surface states of the set.
    pub fn surfaces(&self) -> &[SurfaceStateWords] {
        &self.surfaces
    }
}

impl SlotWriter for Vec<SurfaceStateWords> {
    fn write_slot(&mut self, at_bytes: u32, slot: &SurfaceStateWords) -> Result<()> {
        let place = self.get_mut((at_bytes / SURFACE_BYTES) as usize);
        *place.ok_or(OUT_OF_RANGE)? = *slot;
        Ok(())
    }

    fn write_sampler(&mut self, at_bytes: u32, state: SamplerStateWords) -> Result<()> {
        let place = self.get_mut((at_bytes / SURFACE_BYTES) as usize);
        let rest = place.and_then(|p| p.get_mut((at_bytes % SURFACE_BYTES / 4) as usize..));
        let room = rest.and_then(<[u32]>::first_chunk_mut);
        *room.ok_or(OUT_OF_RANGE)? = state;
        Ok(())
    }
}
