//! No window: pictures are drawn and go nowhere (`VK_EXT_headless_surface`).

use std::collections::VecDeque;

use crate::error::Result;
use crate::present::{Fit, Pace, Picture, Presenter, Wake};

/// Takes pictures, and drops them.
#[derive(Debug, Default)]
pub struct Nowhere {
    shown: u64,
    done: VecDeque<u32>,
}

impl Presenter for Nowhere {
    fn is_ready(&self, _: Pace) -> bool {
        true
    }

    fn show(&mut self, index: u32, _: &dyn Picture, _: Pace) -> Result<()> {
        self.shown += 1;
        self.done.push_back(index);
        Ok(())
    }

    fn shown(&self) -> u64 {
        self.shown
    }

    fn fit(&self) -> Fit {
        Fit::Same
    }

    fn done(&mut self) -> Option<u32> {
        self.done.pop_front()
    }

    fn listen(&mut self, wake: &Wake) -> Result<()> {
        wake.wait(&[])
    }
}
