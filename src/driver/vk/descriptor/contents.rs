//! Contents of image, sampler and texel buffer descriptors: surface states, followed by a sampler.
//!
//! In:  what is written to a descriptor. Out: stores to its slots.

use super::layout::{BindingLayout, SetLayout};
use crate::error::Result;
use crate::sampler::{SamplerStateWords, as_slot};
use crate::surface_state::{self, SURFACE_BYTES, SurfaceStateWords};

/// Null surfaces.
static NONE: [SurfaceStateWords; 2] = [surface_state::NONE; 2];

/// The contents of a descriptor.
#[derive(Clone, Copy, Debug)]
pub struct DescriptorContents<'a> {
    surfaces: &'a [SurfaceStateWords],
    sampler: Option<SamplerStateWords>,
}

impl<'a> DescriptorContents<'a> {
    /// A surface. `None`: a null descriptor.
    pub fn surface(surface: Option<&'a SurfaceStateWords>) -> Self {
        Self::planes(surface.map(std::slice::from_ref))
    }

    /// A surface for each plane. `None`: a null descriptor.
    #[inline]
    pub fn planes(planes: Option<&'a [SurfaceStateWords]>) -> Self {
        Self {
            surfaces: planes.unwrap_or(&NONE[..1]),
            sampler: None,
        }
    }

    /// Surfaces for typed writes and reads. `None`: a null descriptor.
    pub fn storage(surfaces: Option<&'a [SurfaceStateWords; 2]>) -> Self {
        Self {
            surfaces: surfaces.unwrap_or(&NONE),
            sampler: None,
        }
    }

    /// A sampler.
    pub fn sampler(state: SamplerStateWords) -> Self {
        Self {
            surfaces: &[],
            sampler: Some(state),
        }
    }

    /// Adds a sampler.
    #[must_use]
    #[inline]
    pub fn with_sampler(self, state: SamplerStateWords) -> Self {
        Self {
            sampler: Some(state),
            ..self
        }
    }

    /// Stores the contents of an element.
    #[inline]
    pub(super) fn store(
        &self,
        binding_layout: &BindingLayout,
        element: u32,
        to: &mut impl SlotWriter,
    ) -> Result<()> {
        let start = binding_layout.offset_bytes + element * binding_layout.stride_bytes;
        let places = (start..).step_by(SURFACE_BYTES as usize);
        for (surface, at) in self
            .surfaces
            .iter()
            .zip(places.take(binding_layout.slots() as usize))
        {
            to.write_slot(at, surface)?;
        }
        let Some(state) = self.sampler.filter(|_| binding_layout.writes_samplers()) else {
            return Ok(());
        };
        to.write_sampler(binding_layout.samplers.element_offset(element), state)?;
        // A mutable descriptor is copied slot by slot, so a lone sampler is also stored in the
        // first slot.
        if self.surfaces.is_empty() && binding_layout.info.slots > 1 {
            to.write_slot(start, &as_slot(state))?;
        }
        Ok(())
    }
}

/// Destination of descriptor stores, by byte offset in the set.
pub(super) trait SlotWriter {
    /// Stores a slot.
    fn write_slot(&mut self, at_bytes: u32, slot: &SurfaceStateWords) -> Result<()>;
    /// Stores a sampler, which may be part of a slot.
    fn write_sampler(&mut self, at_bytes: u32, state: SamplerStateWords) -> Result<()>;
}

/// Stores the immutable samplers of a binding.
pub(super) fn store_immutable(
    layout: &SetLayout,
    binding_layout: &BindingLayout,
    to: &mut impl SlotWriter,
) -> Result<()> {
    for (element, sampler) in (0..binding_layout.info.count).zip(layout.samplers(binding_layout)) {
        let at = binding_layout.samplers.element_offset(element);
        to.write_sampler(at, sampler.state)?;
        if let Some(chroma) = sampler.chroma
            && binding_layout.fixed > 1
        {
            to.write_sampler(at - SURFACE_BYTES, chroma)?;
        }
    }
    Ok(())
}
