//! Presentation without a window (`VK_EXT_headless_surface`).
//!
//! In:  images. Out: the same images, released at once.

use std::collections::VecDeque;

use crate::error::Result;
use crate::present::{PixelSource, PresentMode, Presenter, SwapchainFit, Waker};

/// Accepts images and releases them.
#[derive(Debug, Default)]
pub struct HeadlessPresenter {
    shown: u64,
    released: VecDeque<u32>,
}

impl Presenter for HeadlessPresenter {
    fn is_ready(&self, _: PresentMode) -> bool {
        true
    }

    fn show(&mut self, index: u32, _: &dyn PixelSource, _: PresentMode) -> Result<()> {
        self.shown += 1;
        self.released.push_back(index);
        Ok(())
    }

    fn shown(&self) -> u64 {
        self.shown
    }

    fn fit(&self) -> SwapchainFit {
        SwapchainFit::Optimal
    }

    fn released(&mut self) -> Option<u32> {
        self.released.pop_front()
    }

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        wake.wait(&[])
    }
}
