//! Surfaces: what a swapchain can be made for, and what it may ask for.
//!
//! Ref: Vulkan specification, "Surface Queries".

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ash::vk as api;
use vk::modifier::MODIFIERS;

use crate::error::{Error, Result};
use crate::frame::Wish;
use crate::headless::Nowhere;
use crate::present::{Alpha, Ours, Pace, Presenter, Shared};
use crate::{wayland, x11};

/// Largest width and height of an image that is drawn to.
pub const MAX_EXTENT: u32 = 16_384;
/// Images that a swapchain has at least: one that is drawn to, one that waits to be shown.
pub const MIN_IMAGES: u32 = 2;

/// What stands behind a surface.
#[derive(Debug)]
pub enum Native {
    /// A window of X11.
    X11(Box<x11::Window>),
    /// A surface of Wayland.
    Wayland(wayland::Window),
    /// Nothing.
    Headless,
}

/// `VkSurfaceKHR`.
#[derive(Debug)]
pub struct Surface {
    native: Native,
    /// A swapchain shows pictures in it.
    taken: AtomicBool,
}

/// What a surface is like now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Its size; None: it takes that of the swapchain.
    pub extent: Option<[u32; 2]>,
}

/// Formats of windows with 8 bits a channel; what applications should take comes first.
const EIGHT_BITS: &[api::Format] = &[api::Format::B8G8R8A8_SRGB, api::Format::B8G8R8A8_UNORM];
/// Of windows with 10.
const TEN_BITS: &[api::Format] = &[api::Format::A2R10G10B10_UNORM_PACK32];
/// Where there is no window.
const ANY: &[api::Format] = &[
    api::Format::B8G8R8A8_SRGB,
    api::Format::B8G8R8A8_UNORM,
    api::Format::R8G8B8A8_SRGB,
    api::Format::R8G8B8A8_UNORM,
];

/// The modes of presentation.
static MODES: [(api::PresentModeKHR, Pace); 4] = [
    (api::PresentModeKHR::IMMEDIATE, Pace::Immediate),
    (api::PresentModeKHR::MAILBOX, Pace::Mailbox),
    (api::PresentModeKHR::FIFO, Pace::Fifo),
    (api::PresentModeKHR::FIFO_RELAXED, Pace::Relaxed),
];

/// The name that DRM has for a format of a window.
fn drm_format(format: api::Format, alpha: Alpha) -> u32 {
    let opaque = alpha == Alpha::Opaque;
    let name = match format {
        api::Format::A2R10G10B10_UNORM_PACK32 if opaque => b"XR30",
        api::Format::A2R10G10B10_UNORM_PACK32 => b"AR30",
        _ if opaque => b"XR24",
        _ => b"AR24",
    };
    u32::from_le_bytes(*name)
}

impl Surface {
    /// A surface.
    pub fn new(native: Native) -> Self {
        Self {
            native,
            taken: AtomicBool::new(false),
        }
    }

    /// What it is like now.
    pub fn capabilities(&self) -> Result<Capabilities> {
        let extent = match &self.native {
            Native::X11(window) => {
                let geometry = window.geometry()?;
                Some([geometry.width, geometry.height])
            }
            Native::Wayland(_) | Native::Headless => None,
        };
        Ok(Capabilities { extent })
    }

    /// Formats that its pictures may have, all in the sRGB colour space.
    pub fn formats(&self) -> Result<&'static [api::Format]> {
        Ok(match &self.native {
            Native::X11(window) => match window.geometry()?.depth {
                24 | 32 => EIGHT_BITS,
                30 => TEN_BITS,
                _ => &[],
            },
            Native::Wayland(_) => EIGHT_BITS,
            Native::Headless => ANY,
        })
    }

    /// When its pictures may replace one another.
    pub fn modes(&self) -> &'static [(api::PresentModeKHR, Pace)] {
        match self.native {
            // The compositor of Wayland shows no halves of pictures.
            Native::Wayland(_) => &MODES[1..3],
            Native::X11(_) | Native::Headless => &MODES,
        }
    }

    /// What alpha may mean.
    pub fn alphas(&self) -> &'static [Alpha] {
        match &self.native {
            Native::X11(_) => &[Alpha::Opaque, Alpha::Inherit],
            Native::Wayland(_) => &[Alpha::Opaque, Alpha::Premultiplied],
            Native::Headless => &[Alpha::Opaque, Alpha::Premultiplied, Alpha::Inherit],
        }
    }

    /// Layouts of images of a format that the window system takes as they are, what it likes best first. None at all: it takes copies.
    pub(crate) fn modifiers(
        &self,
        ours: Ours<'_>,
        format: api::Format,
        alpha: Alpha,
    ) -> Result<Vec<u64>> {
        let theirs = match &self.native {
            Native::X11(window) => window.modifiers(ours)?,
            Native::Wayland(window) => window.modifiers(ours, drm_format(format, alpha))?,
            Native::Headless => Vec::new(),
        };
        // Of those that it likes equally, ours are tried in our order.
        let ordered = theirs.iter().flat_map(|equal| {
            MODIFIERS
                .iter()
                .map(|modifier| modifier.code)
                .filter(|code| equal.contains(code))
        });
        Ok(ordered.collect())
    }

    /// What shows images in it as they are. None: the window system does not take them.
    pub(crate) fn shows_shared(
        &self,
        wish: &Wish,
        alpha: Alpha,
        shared: Vec<Shared>,
    ) -> Result<Option<Box<dyn Presenter>>> {
        let [width, height] = wish.extent_px;
        match &self.native {
            Native::X11(window) => window.shows_shared(width, height, shared),
            Native::Wayland(window) => {
                window.shows_shared(width, height, drm_format(wish.format, alpha), shared)
            }
            Native::Headless => Ok(None),
        }
    }

    /// What shows pictures of a size in it by their pixels.
    pub(crate) fn shows_copies(
        &self,
        width: u32,
        height: u32,
        alpha: Alpha,
    ) -> Result<Box<dyn Presenter>> {
        match &self.native {
            Native::Wayland(window) => window.shows_copies(width, height, alpha),
            Native::X11(window) => window.shows_copies(width, height),
            Native::Headless => Ok(Box::new(Nowhere::default())),
        }
    }

    /// Images without which a pace cannot be kept: one is drawn to, one waits, and the window system may hold what it shows and, where newer
    /// pictures replace older ones, what it is about to show.
    pub(crate) fn least_images(&self, pace: Pace) -> u32 {
        match (&self.native, pace) {
            (Native::Headless, _) => MIN_IMAGES,
            (_, Pace::Mailbox) => MIN_IMAGES + 2,
            _ => MIN_IMAGES + 1,
        }
    }

    /// The pace of a mode that it has.
    pub fn pace(&self, mode: api::PresentModeKHR) -> Option<Pace> {
        let known = self.modes().iter().find(|known| known.0 == mode);
        known.map(|known| known.1)
    }

    /// Takes it for a swapchain.
    pub(crate) fn take(&self) -> Result<()> {
        if self.taken.swap(true, Relaxed) {
            return Err(Error::WindowInUse);
        }
        Ok(())
    }

    /// Gives it back.
    pub(crate) fn give(&self) {
        self.taken.store(false, Relaxed);
    }
}
