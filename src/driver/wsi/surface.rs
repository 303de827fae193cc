//! Surfaces: their capabilities, and the presenters of their swapchains.
//!
//! In:  windows, or none. Out: formats, present modes, modifiers, presenters.
//! Ref: Vulkan specification, "Surface Queries".

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ash::vk as api;
use vk::modifier::MODIFIERS;

use crate::error::{Error, Result};
use crate::frame::ImageDescription;
use crate::headless::HeadlessPresenter;
use crate::present::{AlphaMode, GpuNodes, PresentMode, Presenter, SharedImage};
use crate::{wayland, x11};

/// Maximum width and height of a render target.
pub const MAX_EXTENT: u32 = 16_384;
/// Minimum number of images of a swapchain: one is rendered to while one waits to be shown.
pub const MIN_IMAGES: u32 = 2;

/// The window of a surface.
#[derive(Debug)]
pub enum NativeWindow {
    /// An X11 window.
    X11(Box<x11::Window>),
    /// A Wayland surface.
    Wayland(wayland::Window),
    /// No window.
    Headless,
}

/// `VkSurfaceKHR`.
#[derive(Debug)]
pub struct Surface {
    native: NativeWindow,
    /// Whether a swapchain uses the surface.
    in_use: AtomicBool,
}

/// The current properties of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Its size; none if the swapchain determines it.
    pub extent: Option<[u32; 2]>,
}

/// Formats of windows with 8 bits per channel, the preferred one first.
const EIGHT_BITS: &[api::Format] = &[api::Format::B8G8R8A8_SRGB, api::Format::B8G8R8A8_UNORM];
/// Formats of windows with 10 bits per channel.
const TEN_BITS: &[api::Format] = &[api::Format::A2R10G10B10_UNORM_PACK32];
/// Formats of headless surfaces.
const ANY: &[api::Format] = &[
    api::Format::B8G8R8A8_SRGB,
    api::Format::B8G8R8A8_UNORM,
    api::Format::R8G8B8A8_SRGB,
    api::Format::R8G8B8A8_UNORM,
];

/// The present modes of Vulkan.
static MODES: [(api::PresentModeKHR, PresentMode); 4] = [
    (api::PresentModeKHR::IMMEDIATE, PresentMode::Immediate),
    (api::PresentModeKHR::MAILBOX, PresentMode::Mailbox),
    (api::PresentModeKHR::FIFO, PresentMode::Fifo),
    (api::PresentModeKHR::FIFO_RELAXED, PresentMode::Relaxed),
];

/// The DRM FourCC of a format.
fn drm_format(format: api::Format, alpha: AlphaMode) -> u32 {
    let opaque = alpha == AlphaMode::Opaque;
    let name = match format {
        api::Format::A2R10G10B10_UNORM_PACK32 if opaque => b"XR30",
        api::Format::A2R10G10B10_UNORM_PACK32 => b"AR30",
        _ if opaque => b"XR24",
        _ => b"AR24",
    };
    u32::from_le_bytes(*name)
}

impl Surface {
    /// A surface that no swapchain uses.
    pub fn new(native: NativeWindow) -> Self {
        Self {
            native,
            in_use: AtomicBool::new(false),
        }
    }

    /// The current properties.
    pub fn capabilities(&self) -> Result<Capabilities> {
        let extent = match &self.native {
            NativeWindow::X11(window) => {
                let geometry = window.geometry()?;
                Some([geometry.width, geometry.height])
            }
            NativeWindow::Wayland(_) | NativeWindow::Headless => None,
        };
        Ok(Capabilities { extent })
    }

    /// The formats of its images, all in the sRGB colour space.
    pub fn formats(&self) -> Result<&'static [api::Format]> {
        Ok(match &self.native {
            NativeWindow::X11(window) => match window.geometry()?.depth {
                24 | 32 => EIGHT_BITS,
                30 => TEN_BITS,
                _ => &[],
            },
            NativeWindow::Wayland(_) => EIGHT_BITS,
            NativeWindow::Headless => ANY,
        })
    }

    /// The present modes that it supports.
    pub fn modes(&self) -> &'static [(api::PresentModeKHR, PresentMode)] {
        match self.native {
            // A Wayland compositor never tears, so immediate presentation is impossible.
            NativeWindow::Wayland(_) => &MODES[1..3],
            NativeWindow::X11(_) | NativeWindow::Headless => &MODES,
        }
    }

    /// The alpha modes that it supports.
    pub fn alphas(&self) -> &'static [AlphaMode] {
        match &self.native {
            NativeWindow::X11(_) => &[AlphaMode::Opaque, AlphaMode::Inherit],
            NativeWindow::Wayland(_) => &[AlphaMode::Opaque, AlphaMode::Premultiplied],
            NativeWindow::Headless => &[
                AlphaMode::Opaque,
                AlphaMode::Premultiplied,
                AlphaMode::Inherit,
            ],
        }
    }

    /// The modifiers with which the window system reads images of a format in place, the preferred
    /// one first. Empty if it needs copies.
    pub(crate) fn modifiers(
        &self,
        gpu: GpuNodes<'_>,
        format: api::Format,
        alpha: AlphaMode,
    ) -> Result<Vec<u64>> {
        let groups = match &self.native {
            NativeWindow::X11(window) => window.modifiers(gpu)?,
            NativeWindow::Wayland(window) => window.modifiers(gpu, drm_format(format, alpha))?,
            NativeWindow::Headless => Vec::new(),
        };
        // Among modifiers that it prefers equally, the driver's order decides.
        let ordered = groups.iter().flat_map(|group| {
            MODIFIERS
                .iter()
                .map(|modifier| modifier.code)
                .filter(|code| group.contains(code))
        });
        Ok(ordered.collect())
    }

    /// A presenter that lets the window system read the images in place, or none if it does not
    /// accept them.
    pub(crate) fn direct_presenter(
        &self,
        description: &ImageDescription,
        alpha: AlphaMode,
        shared: Vec<SharedImage>,
    ) -> Result<Option<Box<dyn Presenter>>> {
        let [width, height] = description.extent_px;
        match &self.native {
            NativeWindow::X11(window) => window.direct_presenter(width, height, shared),
            NativeWindow::Wayland(window) => window.direct_presenter(
                width,
                height,
                drm_format(description.format, alpha),
                shared,
            ),
            NativeWindow::Headless => Ok(None),
        }
    }

    /// A presenter that copies the pixels of images of a size.
    pub(crate) fn copying_presenter(
        &self,
        width: u32,
        height: u32,
        alpha: AlphaMode,
    ) -> Result<Box<dyn Presenter>> {
        match &self.native {
            NativeWindow::Wayland(window) => window.copying_presenter(width, height, alpha),
            NativeWindow::X11(window) => window.copying_presenter(width, height),
            NativeWindow::Headless => Ok(Box::new(HeadlessPresenter::default())),
        }
    }

    /// The minimum number of images for a present mode: one is rendered to, one waits, and the
    /// window system may hold the image that it shows and, in mailbox mode, the one that it will
    /// show next.
    pub(crate) fn min_images(&self, mode: PresentMode) -> u32 {
        match (&self.native, mode) {
            (NativeWindow::Headless, _) => MIN_IMAGES,
            (_, PresentMode::Mailbox) => MIN_IMAGES + 2,
            _ => MIN_IMAGES + 1,
        }
    }

    /// The present mode for a Vulkan enumerator, if the surface supports it.
    pub fn present_mode(&self, mode: api::PresentModeKHR) -> Option<PresentMode> {
        let row = self.modes().iter().find(|row| row.0 == mode);
        row.map(|row| row.1)
    }

    /// Marks the surface as used by a swapchain; an error if one uses it already.
    pub(crate) fn claim(&self) -> Result<()> {
        if self.in_use.swap(true, Relaxed) {
            return Err(Error::WindowInUse);
        }
        Ok(())
    }

    /// Marks the surface as unused.
    pub(crate) fn release(&self) {
        self.in_use.store(false, Relaxed);
    }
}
