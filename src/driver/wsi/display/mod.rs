//! Displays without a window system: connectors of the primary node, which the driver lights up
//! itself (`VK_KHR_display`).
//!
//! In:  the primary node of a GPU, or a descriptor of it from the application. Out: displays, their
//!      modes, formats and modifiers, and presenters that flip images onto them.
//! Ref: Vulkan specification, "Presenting Directly to Display Devices"; drm-kms(7); drm_mode.h.
//!
//! Files import one way: `events` ← `hotplug` ← `card` ← `flip`.

mod card;
mod events;
mod flip;
mod hotplug;

use std::sync::Arc;

pub use card::{Card, Connected, Mode, PowerState};
pub use events::Signal;

use crate::error::{Error, Result};
use crate::present::{Presenter, SharedImage};

/// A display in a mode: the target of presentation.
#[derive(Clone, Debug)]
pub struct Screen {
    card: Arc<Card>,
    connector: u32,
    mode: Mode,
}

impl Screen {
    /// A display, by its connector, in one of its modes.
    pub fn new(card: Arc<Card>, connector: u32, mode: Mode) -> Self {
        Self {
            card,
            connector,
            mode,
        }
    }

    /// Its size in pixels.
    pub fn extent_px(&self) -> [u32; 2] {
        self.mode.extent_px()
    }

    /// The number of its refreshes so far; 0 while it is off.
    pub fn refresh_count(&self) -> Result<u64> {
        self.card.refresh_count(self.connector)
    }

    /// The DRM formats (FourCC) that it shows.
    pub fn formats(&self) -> Result<Vec<u32>> {
        let route = self.card.route(self.connector)?;
        let mut formats: Vec<u32> = route.formats.iter().map(|entry| entry.0).collect();
        formats.sort_unstable();
        formats.dedup();
        Ok(formats)
    }

    /// The modifiers with which it shows images of a format, in groups of decreasing preference.
    pub fn modifiers(&self, format: u32) -> Result<Vec<Vec<u64>>> {
        let route = self.card.route(self.connector)?;
        let matching = route.formats.iter().filter(|entry| entry.0 == format);
        Ok(vec![matching.map(|entry| entry.1).collect()])
    }

    /// A presenter of images of a size, or none if the display engine does not accept them.
    pub fn presenter(
        &self,
        extent_px: [u32; 2],
        format: u32,
        images: Vec<SharedImage>,
    ) -> Result<Option<Box<dyn Presenter>>> {
        if extent_px != self.extent_px() {
            return Err(Error::Device(vk::Error::InvalidUse {
                why: "a swapchain of another size than its display's mode",
            }));
        }
        flip::new(&self.card, self.connector, &self.mode, format, images)
    }
}
