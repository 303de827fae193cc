//! Contents of image, sampler and texel buffer descriptors: surface states, followed by a sampler.
//!
//! In:  what is written to a descriptor. Out: stores to its slots.

use super::indirect::{IndirectContents, SamplerStates};
use super::layout::{BindingLayout, SetLayout};
use crate::error::Result;
use crate::heap_states::HeapStates;
use crate::sampler::{Sampler, SamplerStateWords, as_slot};
use crate::surface_state::{self, SURFACE_BYTES, SurfaceStateWords};

/// Null surfaces.
static NONE: [SurfaceStateWords; 2] = [surface_state::NONE; 2];

/// The contents of a descriptor.
#[derive(Clone, Copy, Debug)]
pub struct DescriptorContents<'a> {
    surfaces: &'a [SurfaceStateWords],
    /// Where indirect descriptors have these surfaces in the heap; `None`: null surfaces.
    surface_states: Option<&'a HeapStates>,
    /// The sampler.
    sampler: Option<&'a Sampler>,
}

impl<'a> DescriptorContents<'a> {
    /// A surface. `None`: a null descriptor.
    pub fn surface(surface: Option<(&'a SurfaceStateWords, &'a HeapStates)>) -> Self {
        Self::planes(surface.map(|(words, states)| (std::slice::from_ref(words), states)))
    }

    /// A surface for each plane. `None`: a null descriptor.
    #[inline]
    pub fn planes(planes: Option<(&'a [SurfaceStateWords], &'a HeapStates)>) -> Self {
        let (surfaces, states) = planes.map_or((&NONE[..1], None), |(s, states)| (s, Some(states)));
        Self {
            surfaces,
            surface_states: states,
            sampler: None,
        }
    }

    /// Surfaces for typed writes and reads. `None`: a null descriptor.
    pub fn storage(surfaces: Option<(&'a [SurfaceStateWords; 2], &'a HeapStates)>) -> Self {
        Self {
            surfaces: surfaces.map_or(&NONE, |(surfaces, _)| surfaces),
            surface_states: surfaces.map(|(_, states)| states),
            sampler: None,
        }
    }

    /// A sampler.
    pub fn sampler(sampler: &'a Sampler) -> Self {
        Self {
            surfaces: &[],
            surface_states: None,
            sampler: Some(sampler),
        }
    }

    /// Nothing: the layout's immutable sampler stays.
    pub fn nothing() -> Self {
        Self {
            surfaces: &[],
            surface_states: None,
            sampler: None,
        }
    }

    /// Adds a sampler.
    #[must_use]
    #[inline]
    pub fn with_sampler(self, sampler: &'a Sampler) -> Self {
        Self {
            sampler: Some(sampler),
            ..self
        }
    }

    /// The contents for an indirect descriptor.
    pub(super) fn indirect(&self) -> IndirectContents<'a> {
        IndirectContents {
            surfaces: self.surface_states.map(|states| (self.surfaces, states)),
            has_surfaces: !self.surfaces.is_empty(),
            sampler: self
                .sampler
                .map(|sampler| (SamplerStates::new(sampler), &sampler.in_heap)),
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
        let writes_samplers = binding_layout.writes_samplers();
        let Some(sampler) = self.sampler.filter(|_| writes_samplers) else {
            return Ok(());
        };
        let alone = self.surfaces.is_empty();
        store_sampler(binding_layout, element, sampler.state, alone, to)
    }
}

/// Stores the sampler of an element; `alone` if the descriptor has no surface.
pub(super) fn store_sampler(
    binding_layout: &BindingLayout,
    element: u32,
    state: SamplerStateWords,
    alone: bool,
    to: &mut impl SlotWriter,
) -> Result<()> {
    to.write_sampler(binding_layout.samplers.element_offset(element), state)?;
    // A mutable descriptor is copied slot by slot, so a lone sampler is also stored in the first
    // slot.
    if alone && binding_layout.info.slots > 1 {
        let start = binding_layout.offset_bytes + element * binding_layout.stride_bytes;
        to.write_slot(start, &as_slot(state))?;
    }
    Ok(())
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
