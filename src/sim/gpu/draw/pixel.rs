//! Pixels: a gap so far. What would be drawn stops the draw.

use super::exec::Draw;
use super::object::{Setup, Subspan};
use eu::Stop;

/// What the pixel pipeline counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub samples_passed: u64,
    pub invocations: u64,
    pub threads: u64,
    pub instructions: u64,
    pub messages: u64,
}

/// The units behind the rasteriser.
pub(crate) struct Pixels<'a> {
    draw: Draw<'a>,
}

impl<'a> Pixels<'a> {
    pub fn new(draw: Draw<'a>, _constants: Vec<u32>) -> Result<Pixels<'a>, Stop> {
        Ok(Pixels { draw })
    }

    pub fn object(&mut self, _setup: &Setup, _subspans: &[Subspan]) -> Result<(), Stop> {
        Err(gap(&self.draw, "pixel shaders and render targets"))
    }

    pub fn finish(self) -> Result<Counts, Stop> {
        Ok(Counts::default())
    }
}

/// Clears and resolves of depth by 3DSTATE_WM_HZ_OP.
pub(crate) fn hz_op(draw: &Draw<'_>, _words: &[u32]) -> Result<(), Stop> {
    Err(gap(draw, "3DSTATE_WM_HZ_OP"))
}

fn gap(draw: &Draw<'_>, what: &str) -> Stop {
    Stop::Unimplemented {
        what: what.into(),
        at: draw.at,
    }
}
