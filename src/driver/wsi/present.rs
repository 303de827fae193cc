//! What shows pictures: the side of a swapchain that a window system stands behind.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::error::Result;

/// Longest wait for a window system, in milliseconds, before it is asked whether anyone still wants to know.
pub(crate) const STEP_MS: u16 = 50;

/// Says that a swapchain ends: who waits for its window gives up.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// It ends.
    pub fn set(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether it ends.
    pub fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// When a picture replaces the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At once (`VK_PRESENT_MODE_IMMEDIATE_KHR`).
    Immediate,
    /// At the next refresh; a newer one may come instead (`VK_PRESENT_MODE_MAILBOX_KHR`).
    Mailbox,
    /// At the next refresh, each for one at least (`VK_PRESENT_MODE_FIFO_KHR`).
    Fifo,
}

/// Rows of pixels, as they lie in an image's memory: four bytes a pixel.
pub trait Picture {
    /// Width in pixels.
    fn width(&self) -> u32;
    /// Height in pixels.
    fn height(&self) -> u32;
    /// Copies a row's pixels, from its first byte, as many as `out` has room for.
    fn row(&self, y: u32, out: &mut [u8]) -> Result<()>;
}

/// Whether a picture's alpha means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alpha {
    /// No: the picture covers what is behind the window.
    Opaque,
    /// Colours are multiplied by it already.
    Premultiplied,
    /// As the window has it.
    Inherit,
}

/// Whether a window still is what its swapchain was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is.
    Same,
    /// It has another size: pictures are cut or leave a border.
    Resized,
}

/// Shows the pictures of one swapchain.
pub trait Presenter: Send {
    /// Shows a picture. Returns when the picture has been taken over, and, if the pace asks for it, when the one before it was shown.
    /// Where that does not come and the swapchain ends, nothing is shown.
    fn show(&mut self, picture: &dyn Picture, pace: Pace, stop: &Stop) -> Result<Fit>;

    /// How many of the pictures have been shown, or dropped for newer ones. They are in the order in which they came.
    fn shown(&self) -> u64;

    /// Hears what has become of them, for some milliseconds if there is no news yet.
    fn listen(&mut self, millis: u16) -> Result<Fit>;
}
