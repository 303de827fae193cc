//! No window: pictures are drawn and go nowhere (`VK_EXT_headless_surface`).

use crate::error::Result;
use crate::present::{Fit, Pace, Picture, Presenter, Stop};

/// Takes pictures, and drops them.
#[derive(Debug, Default)]
pub struct Nowhere;

impl Presenter for Nowhere {
    fn show(&mut self, _: &dyn Picture, _: Pace, _: &Stop) -> Result<Fit> {
        Ok(Fit::Same)
    }
}
