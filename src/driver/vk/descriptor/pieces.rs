//! What a descriptor of an image, a sampler or texels is: surfaces, and a sampler behind them.
//!
//! In:  what is written to an element. Out: pieces, and where they go.

use super::layout::Placed;
use crate::error::Result;
use crate::sampler::{State, in_piece};
use crate::surface_state::{self, SURFACE_BYTES, Surface};

/// Surfaces that are not there.
static NONE: [Surface; 2] = [surface_state::NONE; 2];

/// What is written to an element.
#[derive(Clone, Copy, Debug)]
pub struct Pieces<'a> {
    surfaces: &'a [Surface],
    sampler: Option<State>,
}

impl<'a> Pieces<'a> {
    /// A surface; nothing: none that is there.
    pub fn surface(surface: Option<&'a Surface>) -> Self {
        Self::planes(surface.map(std::slice::from_ref))
    }

    /// A surface for each plane; nothing: none that is there.
    #[inline]
    pub fn planes(planes: Option<&'a [Surface]>) -> Self {
        Self {
            surfaces: planes.unwrap_or(&NONE[..1]),
            sampler: None,
        }
    }

    /// Surfaces to write to and to read from; nothing: none that is there.
    pub fn storage(surfaces: Option<&'a [Surface; 2]>) -> Self {
        Self {
            surfaces: surfaces.unwrap_or(&NONE),
            sampler: None,
        }
    }

    /// A sampler alone.
    pub fn sampler(state: State) -> Self {
        Self {
            surfaces: &[],
            sampler: Some(state),
        }
    }

    /// The same with a sampler.
    #[must_use]
    #[inline]
    pub fn with_sampler(self, state: State) -> Self {
        Self {
            sampler: Some(state),
            ..self
        }
    }

    /// Stores the pieces of an element, by the byte in the set.
    #[inline]
    pub(super) fn store(
        &self,
        placed: &Placed,
        element: u32,
        mut put: impl FnMut(u32, &Surface) -> Result<()>,
    ) -> Result<()> {
        let start = placed.offset_bytes + element * placed.stride_bytes;
        let places = (start..).step_by(SURFACE_BYTES as usize);
        let places = places.take((placed.info.pieces - placed.info.fixed()) as usize);
        for (surface, at) in self.surfaces.iter().zip(places) {
            put(at, surface)?;
        }
        let Some(state) = self.sampler.filter(|_| placed.info.samplers().is_empty()) else {
            return Ok(());
        };
        let piece = in_piece(state);
        put(start + placed.stride_bytes - SURFACE_BYTES, &piece)?;
        // A descriptor that may be of several kinds is copied by its first piece where there is room for one alone.
        if self.surfaces.is_empty() && placed.info.pieces > 1 {
            put(start, &piece)?;
        }
        Ok(())
    }
}

/// Stores the samplers that a binding's sets all have, by the byte in the set.
pub(super) fn store_immutable(
    placed: &Placed,
    mut put: impl FnMut(u32, &Surface) -> Result<()>,
) -> Result<()> {
    for (element, sampler) in (0..placed.info.count).zip(placed.info.samplers()) {
        let next = placed.offset_bytes + (element + 1) * placed.stride_bytes;
        put(next - SURFACE_BYTES, &in_piece(sampler.state))?;
        if let Some(chroma) = sampler.chroma
            && placed.info.fixed() > 1
        {
            put(next - 2 * SURFACE_BYTES, &in_piece(chroma))?;
        }
    }
    Ok(())
}
