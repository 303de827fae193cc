//! What a descriptor of an image, a sampler or texels is: surfaces, and a sampler behind them.
//!
//! In:  what is written to an element. Out: pieces, and where they go.

use super::layout::{Placed, SetLayout};
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

    /// Stores the pieces of an element.
    #[inline]
    pub(super) fn store(&self, placed: &Placed, element: u32, to: &mut impl Room) -> Result<()> {
        let start = placed.offset_bytes + element * placed.stride_bytes;
        let places = (start..).step_by(SURFACE_BYTES as usize);
        for (surface, at) in self
            .surfaces
            .iter()
            .zip(places.take(placed.pieces() as usize))
        {
            to.put(at, surface)?;
        }
        let Some(state) = self.sampler.filter(|_| placed.own_samplers()) else {
            return Ok(());
        };
        to.put_sampler(placed.samplers.of(element), state)?;
        // A descriptor that may be of several kinds is copied by its first piece where there is room for one alone.
        if self.surfaces.is_empty() && placed.info.pieces > 1 {
            to.put(start, &in_piece(state))?;
        }
        Ok(())
    }
}

/// What descriptors of a set are stored to, by the byte in the set.
pub(super) trait Room {
    /// Stores a piece.
    fn put(&mut self, at_bytes: u32, piece: &Surface) -> Result<()>;
    /// Stores a sampler, which may be a part of a piece.
    fn put_sampler(&mut self, at_bytes: u32, state: State) -> Result<()>;
}

/// Stores the samplers that a binding's sets all have.
pub(super) fn store_immutable(
    layout: &SetLayout,
    placed: &Placed,
    to: &mut impl Room,
) -> Result<()> {
    for (element, sampler) in (0..placed.info.count).zip(layout.samplers(placed)) {
        let at = placed.samplers.of(element);
        to.put_sampler(at, sampler.state)?;
        if let Some(chroma) = sampler.chroma
            && placed.fixed > 1
        {
            to.put_sampler(at - SURFACE_BYTES, chroma)?;
        }
    }
    Ok(())
}
