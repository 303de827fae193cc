//! No window: pictures are drawn and go nowhere (`VK_EXT_headless_surface`).

use crate::error::Result;
use crate::present::{Fit, Pace, Picture, Presenter, Stop};

/// Takes pictures, and drops them.
#[derive(Debug, Default)]
pub struct Nowhere {
    shown: u64,
}

impl Presenter for Nowhere {
    fn show(&mut self, _: &dyn Picture, _: Pace, _: &Stop) -> Result<Fit> {
        self.shown += 1;
        Ok(Fit::Same)
    }

    fn shown(&self) -> u64 {
        self.shown
    }

    fn listen(&mut self, _: u16) -> Result<Fit> {
        Ok(Fit::Same)
    }
}
