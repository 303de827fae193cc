//! Presentation on a display: framebuffers, a mode, and page flips.
//!
//! In:  images in dma-bufs. Out: the images on a display, each from one refresh on. The kernel
//!      waits for their rendering by the fences of the dma-bufs. On a display that the application
//!      has turned off, images replace one another at the pace of refreshes, without being shown.
//! Ref: drm_mode.h, "struct drm_mode_crtc_page_flip"; drm-kms(7).

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use drm::buffer::{DrmFourcc, DrmModifier, Handle, PlanarBuffer};
use drm::control::{Device as _, FbCmd2Flags, PageFlipFlags, framebuffer};
use drm::{Device as _, DriverCapability};

use super::card::{Card, Mode, Route};
use super::events::{CardFile, FlipQueue};
use crate::error::{Error, Result};
use crate::present::{
    MemoryPlane, PixelSource, PresentMode, Presenter, Refresh, SharedImage, ShownImage,
    SwapchainFit, Waker,
};

/// DRM_FORMAT_MOD_LINEAR.
const LINEAR: u64 = 0;
/// Milliseconds for which the last flip is waited for at the end.
const LAST_FLIP_MS: u32 = 200;

/// A buffer as the display engine reads it.
struct Scanout<'a> {
    size: [u32; 2],
    format: DrmFourcc,
    modifier: Option<u64>,
    handle: Handle,
    planes: &'a [MemoryPlane],
}

impl Scanout<'_> {
    /// A value of each memory plane.
    fn each<T: Copy + Default>(&self, value: impl Fn(&MemoryPlane) -> T) -> [T; 4] {
        let mut all = [T::default(); 4];
        for (to, plane) in all.iter_mut().zip(self.planes) {
            *to = value(plane);
        }
        all
    }
}

impl PlanarBuffer for Scanout<'_> {
    fn size(&self) -> (u32, u32) {
        (self.size[0], self.size[1])
    }

    fn format(&self) -> DrmFourcc {
        self.format
    }

    fn modifier(&self) -> Option<DrmModifier> {
        self.modifier.map(DrmModifier::from)
    }

    fn pitches(&self) -> [u32; 4] {
        self.each(|plane| plane.pitch_bytes)
    }

    fn handles(&self) -> [Option<Handle>; 4] {
        self.each(|_| Some(self.handle))
    }

    fn offsets(&self) -> [u32; 4] {
        self.each(|plane| plane.offset_bytes)
    }
}

/// Creates a framebuffer of an image; none if the display engine does not accept it.
fn framebuffer(
    file: &CardFile,
    size: [u32; 2],
    format: DrmFourcc,
    image: &SharedImage,
) -> Option<framebuffer::Handle> {
    let knows = file.get_driver_capability(DriverCapability::AddFB2Modifiers);
    let with_modifier = knows.is_ok_and(|value| value != 0);
    if !with_modifier && image.modifier != LINEAR {
        return None;
    }
    let handle = file.prime_fd_to_buffer(image.memory.as_fd()).ok()?;
    let scanout = Scanout {
        size,
        format,
        modifier: with_modifier.then_some(image.modifier),
        handle,
        planes: &image.planes,
    };
    let flags = match with_modifier {
        true => FbCmd2Flags::MODIFIERS,
        false => FbCmd2Flags::empty(),
    };
    let made = file.add_planar_framebuffer(&scanout, flags).ok();
    // The framebuffer keeps the buffer.
    _ = file.close_buffer(handle);
    made
}

/// A presenter of shared images on a display, or none if the display engine does not accept them.
pub fn new(
    card: &Card,
    connector: u32,
    mode: &Mode,
    format: u32,
    images: Vec<SharedImage>,
) -> Result<Option<Box<dyn Presenter>>> {
    let (file, route) = (card.file()?, card.route(connector)?);
    let Ok(format) = DrmFourcc::try_from(format) else {
        return Ok(None);
    };
    let mut presenter = FlipPresenter {
        flips: file.flips(route.crtc)?,
        file,
        route,
        mode: *mode,
        end_without_power_ns: None,
        framebuffers: Vec::new(),
        on_screen: None,
        flipping: None,
        released: VecDeque::new(),
        shown_images: VecDeque::new(),
        shown: 0,
    };
    for image in &images {
        let made = framebuffer(&presenter.file, mode.extent_px(), format, image);
        let Some(made) = made else {
            return Ok(None);
        };
        presenter.framebuffers.push(made);
    }
    Ok(Some(Box::new(presenter)))
}

/// Images as framebuffers, by index.
struct FlipPresenter {
    file: Arc<CardFile>,
    flips: Arc<FlipQueue>,
    route: Route,
    mode: Mode,
    framebuffers: Vec<framebuffer::Handle>,
    /// The image on the display.
    on_screen: Option<u32>,
    /// The image that the next refresh shows.
    flipping: Option<u32>,
    /// When the flip ends, in ns, if the display is off.
    end_without_power_ns: Option<i64>,
    released: VecDeque<u32>,
    /// Images shown, until the swapchain hears of them.
    shown_images: VecDeque<ShownImage>,
    shown: u64,
}

impl FlipPresenter {
    /// Shows an image at once, with the mode of the display.
    fn set_mode(&mut self, index: u32, framebuffer: framebuffer::Handle) -> Result<()> {
        let Route {
            crtc, connector, ..
        } = self.route;
        let (place, mode) = ((0, 0), Some(self.mode.0));
        let set = self
            .file
            .set_crtc(crtc, Some(framebuffer), place, &[connector], mode);
        set.map_err(|error| Error::lost(format!("the display cannot be used: {error}")))?;
        // The call ends when the display shows the image, and there is no event with the time.
        self.replace(index, Some(sys::monotonic_ns()));
        self.file.note_light(connector.into(), crtc)
    }

    /// Notes that an image has replaced the one on the display, at a time in ns; none if the
    /// display is off.
    fn replace(&mut self, index: u32, time_ns: Option<i64>) {
        self.released.extend(self.on_screen.replace(index));
        self.shown += 1;
        self.shown_images.push_back(ShownImage {
            number: self.shown,
            time_ns,
        });
    }
}

impl Presenter for FlipPresenter {
    fn is_ready(&self, _: PresentMode) -> bool {
        self.flipping.is_none()
    }

    fn show(&mut self, index: u32, _: &dyn PixelSource, _: PresentMode) -> Result<()> {
        let Some(&framebuffer) = self.framebuffers.get(index as usize) else {
            return Ok(());
        };
        if self.on_screen.is_none() {
            return self.set_mode(index, framebuffer);
        }
        if self.file.is_powered_off(self.route.connector.into()) {
            let period_ns = i64::try_from(self.mode.period_ns()).unwrap_or(0);
            self.end_without_power_ns = Some(sys::monotonic_ns().saturating_add(period_ns));
            self.flipping = Some(index);
            return Ok(());
        }
        let flags = PageFlipFlags::EVENT;
        match self
            .file
            .page_flip(self.route.crtc, framebuffer, flags, None)
        {
            Ok(()) => {
                self.flipping = Some(index);
                Ok(())
            }
            // Another program has turned the display off or changed its layout meanwhile.
            Err(error)
                if [
                    std::io::ErrorKind::ResourceBusy,
                    std::io::ErrorKind::InvalidInput,
                ]
                .contains(&error.kind()) =>
            {
                self.set_mode(index, framebuffer)
            }
            Err(error) => Err(Error::lost(format!("a page flip: {error}"))),
        }
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

    fn accepts_unfinished(&self) -> bool {
        true
    }

    fn shown_image(&mut self) -> Option<ShownImage> {
        self.shown_images.pop_front()
    }

    fn reports_times(&self) -> bool {
        true
    }

    fn refresh(&self) -> Refresh {
        match self.mode.period_ns() {
            0 => Refresh::Unknown,
            period_ns => Refresh::Period(period_ns),
        }
    }

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        if self.end_without_power_ns.is_some() {
            wake.set_deadline(self.end_without_power_ns);
        }
        wake.wait(&[self.file.as_fd(), self.flips.event()])?;
        self.poll_events()
    }

    fn poll_events(&mut self) -> Result<()> {
        sys::clear_event(self.flips.event());
        self.file.read_events()?;
        while let Some(time_ns) = self.flips.next() {
            if let Some(index) = self.flipping.take() {
                self.replace(index, Some(time_ns));
            }
        }
        if let Some(end_ns) = self.end_without_power_ns
            && sys::monotonic_ns() >= end_ns
        {
            self.end_without_power_ns = None;
            if let Some(index) = self.flipping.take() {
                self.replace(index, None);
            }
        }
        Ok(())
    }
}

impl Drop for FlipPresenter {
    fn drop(&mut self) {
        // The next presenter must not take the last flip's event for its own.
        for _ in 0..LAST_FLIP_MS {
            if self.flipping.is_none() || self.poll_events().is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // An error means that the descriptor is revoked.
        for &framebuffer in &self.framebuffers {
            _ = self.file.destroy_framebuffer(framebuffer);
        }
    }
}
