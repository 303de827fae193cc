//! Surfaces: their capabilities, and the presenters of their swapchains.
//!
//! In:  windows, or none. Out: formats, present modes, modifiers, presenters.
//! Ref: Vulkan specification, "Surface Queries".

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ash::vk as api;
use vk::modifier::MODIFIERS;

use crate::error::{Error, Result};
use crate::format::{FORMATS, WindowFormat};
use crate::frame::ImageDescription;
use crate::headless::HeadlessPresenter;
use crate::present::{AlphaMode, GpuNodes, PresentMode, Presenter, SharedImage, Timelines};
use crate::timing::stage;
use crate::{display, wayland, x11};

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
    /// A display without a window system.
    Display(display::Screen),
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

/// Formats of X11 windows with 8 bits per channel, the preferred one first.
const EIGHT_BITS: &[api::Format] = &[api::Format::B8G8R8A8_SRGB, api::Format::B8G8R8A8_UNORM];
/// Formats of X11 windows with 10 bits per channel.
const TEN_BITS: &[api::Format] = &[api::Format::A2R10G10B10_UNORM_PACK32];

/// The present modes of Vulkan.
static MODES: [(api::PresentModeKHR, PresentMode); 4] = [
    (api::PresentModeKHR::IMMEDIATE, PresentMode::Immediate),
    (api::PresentModeKHR::MAILBOX, PresentMode::Mailbox),
    (api::PresentModeKHR::FIFO, PresentMode::Fifo),
    (api::PresentModeKHR::FIFO_RELAXED, PresentMode::Relaxed),
];

/// The description of a window format.
fn window_format(format: api::Format) -> Result<&'static WindowFormat> {
    WindowFormat::find(format).ok_or(Error::Device(vk::Error::FormatNotSupported))
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
            NativeWindow::Display(screen) => Some(screen.extent_px()),
            NativeWindow::Wayland(_) | NativeWindow::Headless => None,
        };
        Ok(Capabilities { extent })
    }

    /// The colour spaces of its images, sRGB first. Each format has all of them.
    pub fn color_spaces(&self) -> Result<Vec<api::ColorSpaceKHR>> {
        match &self.native {
            NativeWindow::Wayland(window) => window.color_spaces(),
            NativeWindow::X11(_) | NativeWindow::Display(_) | NativeWindow::Headless => {
                Ok(vec![api::ColorSpaceKHR::SRGB_NONLINEAR])
            }
        }
    }

    /// The formats of its images, the preferred one first.
    pub fn formats(&self, gpu: &GpuNodes) -> Result<Vec<api::Format>> {
        Ok(match &self.native {
            NativeWindow::X11(window) => match window.geometry()?.depth {
                24 | 32 => EIGHT_BITS.to_vec(),
                30 => TEN_BITS.to_vec(),
                _ => Vec::new(),
            },
            NativeWindow::Wayland(window) => {
                let offered = window.formats(gpu)?;
                // The alpha modes of a surface are the same for all of its formats.
                let is_offered = |row: &&WindowFormat| {
                    [AlphaMode::Opaque, AlphaMode::Premultiplied]
                        .iter()
                        .all(|&alpha| offered.contains(&row.fourcc(alpha)))
                };
                let rows = FORMATS.iter().filter(is_offered);
                rows.map(|row| row.format).collect()
            }
            NativeWindow::Display(screen) => {
                let shown = screen.formats()?;
                let rows = FORMATS.iter();
                let rows = rows.filter(|row| shown.contains(&row.fourcc(AlphaMode::Opaque)));
                rows.map(|row| row.format).collect()
            }
            NativeWindow::Headless => FORMATS.iter().map(|row| row.format).collect(),
        })
    }

    /// The present modes that it supports.
    pub fn modes(&self) -> Result<&'static [(api::PresentModeKHR, PresentMode)]> {
        Ok(match &self.native {
            // A Wayland compositor tears on demand, if at all.
            NativeWindow::Wayland(window) => match window.has_tearing()? {
                true => &MODES[..3],
                false => &MODES[1..3],
            },
            // A flip takes effect at a refresh.
            NativeWindow::Display(_) => &MODES[2..3],
            NativeWindow::X11(_) | NativeWindow::Headless => &MODES,
        })
    }

    /// The alpha modes that it supports.
    pub fn alphas(&self) -> &'static [AlphaMode] {
        match &self.native {
            NativeWindow::X11(_) => &[AlphaMode::Opaque, AlphaMode::Inherit],
            NativeWindow::Wayland(_) => &[AlphaMode::Opaque, AlphaMode::Premultiplied],
            NativeWindow::Display(_) => &[AlphaMode::Opaque],
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
        gpu: &GpuNodes,
        format: api::Format,
        alpha: AlphaMode,
    ) -> Result<Vec<u64>> {
        let groups = match &self.native {
            NativeWindow::X11(window) => window.modifiers(gpu)?,
            NativeWindow::Wayland(window) => {
                window.modifiers(gpu, window_format(format)?.fourcc(alpha))?
            }
            NativeWindow::Display(screen) => {
                screen.modifiers(window_format(format)?.fourcc(alpha))?
            }
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
        timelines: &dyn Timelines,
    ) -> Result<Option<Box<dyn Presenter>>> {
        let [width, height] = description.extent_px;
        match &self.native {
            NativeWindow::X11(window) => window.direct_presenter(width, height, shared),
            NativeWindow::Wayland(window) => window.direct_presenter(
                width,
                height,
                window_format(description.format)?.fourcc(alpha),
                description.color_space,
                shared,
                timelines,
            ),
            NativeWindow::Display(screen) => {
                let format = window_format(description.format)?.fourcc(alpha);
                screen.presenter(description.extent_px, format, shared)
            }
            NativeWindow::Headless => Ok(None),
        }
    }

    /// A presenter that copies the pixels of images of a description.
    pub(crate) fn copying_presenter(
        &self,
        description: &ImageDescription,
        alpha: AlphaMode,
    ) -> Result<Box<dyn Presenter>> {
        let [width, height] = description.extent_px;
        match &self.native {
            NativeWindow::Wayland(window) => {
                let format = window_format(description.format)?;
                window.copying_presenter(width, height, format, alpha, description.color_space)
            }
            NativeWindow::X11(window) => window.copying_presenter(width, height),
            NativeWindow::Display(_) => {
                Err(Error::lost("the display engine does not accept the images"))
            }
            NativeWindow::Headless => Ok(Box::new(HeadlessPresenter::default())),
        }
    }

    /// The minimum number of images for a present mode: one is rendered to, one waits, and the
    /// window system may hold the image that it shows and, in mailbox mode, the one that it will
    /// show next.
    pub fn min_images(&self, mode: PresentMode) -> u32 {
        match (&self.native, mode) {
            (NativeWindow::Headless, _) => MIN_IMAGES,
            (_, PresentMode::Mailbox) => MIN_IMAGES + 2,
            _ => MIN_IMAGES + 1,
        }
    }

    /// Whether [`Surface::refresh_count`] counts the refreshes of its display.
    pub fn counts_refreshes(&self) -> bool {
        matches!(self.native, NativeWindow::Display(_))
    }

    /// The number of refreshes of its display so far; 0 while the display is off.
    pub fn refresh_count(&self) -> Result<u64> {
        match &self.native {
            NativeWindow::Display(screen) => screen.refresh_count(),
            NativeWindow::X11(_) | NativeWindow::Wayland(_) | NativeWindow::Headless => {
                Err(Error::Device(vk::Error::InvalidUse {
                    why: "the counter of a surface that has none",
                }))
            }
        }
    }

    /// Whether images of another size than the window are shown pixel by pixel, from its upper left
    /// corner on. A display shows whole images only.
    pub fn shows_any_size(&self) -> bool {
        !matches!(self.native, NativeWindow::Display(_))
    }

    /// The present mode for a Vulkan enumerator, if the surface supports it.
    pub fn present_mode(&self, mode: api::PresentModeKHR) -> Result<Option<PresentMode>> {
        let row = self.modes()?.iter().find(|row| row.0 == mode);
        Ok(row.map(|row| row.1))
    }

    /// The stages of presents whose times swapchains report, as bits of [`stage`].
    pub fn timed_stages(&self) -> Result<u32> {
        let reports_times = match &self.native {
            NativeWindow::X11(window) => window.reports_times()?,
            NativeWindow::Wayland(window) => window.reports_times()?,
            NativeWindow::Display(_) => true,
            NativeWindow::Headless => false,
        };
        Ok(match reports_times {
            true => stage::ALL,
            false => stage::ALL & !stage::IMAGE_FIRST_PIXEL_OUT,
        })
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
