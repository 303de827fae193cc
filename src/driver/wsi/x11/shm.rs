//! Presentation of copied pixels: by MIT-SHM and the Present extension, or with PutImage requests
//! where these are not available.
//!
//! In:  images. Out: their pixels in a window.
//! Ref: MIT-SHM 1.2 (file descriptors).

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use x11rb::connection::RequestConnection;
use x11rb::protocol::present;
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, ImageFormat};
use x11rb::wrapper::ConnectionExt as _;

use super::target::{Pixmaps, Target};
use crate::error::{Error, Result};
use crate::present::{
    PixelSource, PresentMode, Presenter, Refresh, ShownImage, SwapchainFit, Waker,
};

/// Maximum number of images that the server holds at once: the shown one, the next one, and one
/// that replaces it.
const PIXMAPS: usize = 3;
/// The assumed refresh period where no event reports refreshes.
const REFRESH_PERIOD: Duration = Duration::from_micros(16_667);

/// A presenter of copied pixels.
pub fn new(target: Target) -> Result<Box<dyn Presenter>> {
    match ShmPresenter::pixmaps(&target) {
        Some(pixmaps) => Ok(Box::new(ShmPresenter::new(target, pixmaps)?)),
        None => Ok(Box::new(PutImagePresenter::new(target)?)),
    }
}

/// Whether the server has the extensions for pixmaps in shared memory, and for their presentation.
pub fn is_supported(target: &Target) -> bool {
    let version = || {
        let connection = &target.connection;
        connection
            .extension_information(shm::X11_EXTENSION_NAME)
            .ok()??;
        target.present_version()?;
        let shm = connection.shm_query_version().ok()?.reply().ok()?;
        Some((shm.shared_pixmaps, shm.major_version, shm.minor_version))
    };
    version().is_some_and(|(pixmaps, major, minor)| pixmaps && (major, minor) >= (1, 2))
}

/// A pixmap in memory shared with the server.
#[derive(Debug)]
struct Pixmap {
    name: u32,
    memory: sys::Mapping,
    /// The server reads it.
    busy: bool,
}

/// Copies images into shared memory.
struct ShmPresenter {
    pixmaps: Pixmaps,
    shm_pixmaps: Vec<Pixmap>,
    released: VecDeque<u32>,
}

impl ShmPresenter {
    /// Creates the pixmaps. None if the server lacks an extension or is on another machine.
    fn pixmaps(target: &Target) -> Option<Vec<Pixmap>> {
        if !is_supported(target) {
            return None;
        }
        (0..PIXMAPS).map(|_| Self::pixmap(target)).collect()
    }

    fn pixmap(target: &Target) -> Option<Pixmap> {
        let bytes = target.row_bytes() * target.height as usize;
        let file = sys::memfd(c"ingot-window", bytes as u64).ok()?;
        let memory = sys::Mapping::new(file.as_fd(), 0, bytes).ok()?;
        let connection = &target.connection;
        let (segment, name) = (target.id().ok()?, target.id().ok()?);
        // Servers refuse pixmaps in memory that they may not write.
        let attached = connection.shm_attach_fd(segment, file, false).ok()?;
        attached.check().ok()?;
        let (width, height) = target.size()?;
        let (window, depth) = (target.window, target.depth);
        let created = connection.shm_create_pixmap(name, window, width, height, depth, segment, 0);
        created.ok()?.check().ok()?;
        // The pixmap keeps the segment alive.
        connection.shm_detach(segment).ok()?;
        Some(Pixmap {
            name,
            memory,
            busy: false,
        })
    }

    fn new(target: Target, shm_pixmaps: Vec<Pixmap>) -> Result<Self> {
        let names = shm_pixmaps.iter().map(|pixmap| pixmap.name).collect();
        Ok(Self {
            pixmaps: Pixmaps::new(target, names, present::Option::NONE)?,
            shm_pixmaps,
            released: VecDeque::new(),
        })
    }

    /// Marks the pixmaps that the server has released as free.
    fn update(&mut self) {
        while let Some(idle) = self.pixmaps.idle() {
            if let Some(pixmap) = self.shm_pixmaps.get_mut(idle) {
                pixmap.busy = false;
            }
        }
    }
}

impl Presenter for ShmPresenter {
    fn is_ready(&self, mode: PresentMode) -> bool {
        self.pixmaps.is_ready(mode) && self.shm_pixmaps.iter().any(|pixmap| !pixmap.busy)
    }

    fn show(&mut self, index: u32, image: &dyn PixelSource, mode: PresentMode) -> Result<()> {
        self.released.push_back(index);
        let Some(free) = self.shm_pixmaps.iter().position(|pixmap| !pixmap.busy) else {
            return Ok(());
        };
        let row_bytes = self.pixmaps.target.row_bytes();
        let mut row = vec![0; row_bytes];
        let pixmap = &mut self.shm_pixmaps[free];
        for y in 0..image.height().min(self.pixmaps.target.height) {
            image.row(y, &mut row)?;
            let written = pixmap.memory.write(y as usize * row_bytes, &row);
            written.map_err(Error::lost)?;
        }
        pixmap.busy = true;
        self.pixmaps.show(free, mode)
    }

    fn shown(&self) -> u64 {
        self.pixmaps.shown()
    }

    fn fit(&self) -> SwapchainFit {
        self.pixmaps.fit()
    }

    fn released(&mut self) -> Option<u32> {
        self.released.pop_front()
    }

    fn shown_image(&mut self) -> Option<ShownImage> {
        self.pixmaps.shown_image()
    }

    fn reports_times(&self) -> bool {
        true
    }

    fn refresh(&self) -> Refresh {
        self.pixmaps.refresh_state()
    }

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        self.pixmaps.wait_events(wake)?;
        self.update();
        Ok(())
    }

    fn poll_events(&mut self) -> Result<()> {
        self.pixmaps.poll_events()?;
        self.update();
        Ok(())
    }
}

/// Sends images in PutImage requests.
struct PutImagePresenter {
    target: Target,
    context: u32,
    last: Instant,
    shown: u64,
    fit: SwapchainFit,
    released: VecDeque<u32>,
}

impl PutImagePresenter {
    fn new(target: Target) -> Result<Self> {
        let context = target.id()?;
        let made = (target.connection).create_gc(context, target.window, &CreateGCAux::new());
        let checked = made.map_err(Error::lost)?.check();
        checked.map_err(Error::lost)?;
        Ok(Self {
            target,
            context,
            last: Instant::now(),
            shown: 0,
            fit: SwapchainFit::Optimal,
            released: VecDeque::new(),
        })
    }
}

impl Presenter for PutImagePresenter {
    fn is_ready(&self, _: PresentMode) -> bool {
        true
    }

    fn show(&mut self, index: u32, image: &dyn PixelSource, mode: PresentMode) -> Result<()> {
        /// Bytes of a PutImage request before its pixels.
        const HEADER_BYTES: usize = 28;
        if mode != PresentMode::Immediate {
            std::thread::sleep(REFRESH_PERIOD.saturating_sub(self.last.elapsed()));
        }
        self.last = Instant::now();
        let target = &self.target;
        let connection = &target.connection;
        let row_bytes = target.row_bytes();
        let max_pixel_bytes = connection
            .maximum_request_bytes()
            .saturating_sub(HEADER_BYTES);
        let rows_at_once = (max_pixel_bytes / row_bytes.max(1)).max(1) as u32;
        let height = image.height().min(target.height);
        let width = u16::try_from(target.width).map_err(Error::lost)?;
        let mut y = 0;
        while y < height {
            let rows = rows_at_once.min(height - y);
            let mut pixels = vec![0; rows as usize * row_bytes];
            for (row, out) in (y..).zip(pixels.chunks_exact_mut(row_bytes)) {
                image.row(row, out)?;
            }
            let (rows16, at) = (
                u16::try_from(rows).map_err(Error::lost)?,
                i16::try_from(y).map_err(Error::lost)?,
            );
            let sent = connection.put_image(
                ImageFormat::Z_PIXMAP,
                target.window,
                self.context,
                width,
                rows16,
                0,
                at,
                0,
                target.depth,
                &pixels,
            );
            sent.map_err(Error::lost)?;
            y += rows;
        }
        // The round trip ends when the image is drawn, and reports errors of the requests before
        // it.
        connection.sync().map_err(Error::lost)?;
        self.fit = target.fit_now()?;
        self.shown += 1;
        self.released.push_back(index);
        Ok(())
    }

    fn shown(&self) -> u64 {
        self.shown
    }

    fn fit(&self) -> SwapchainFit {
        self.fit
    }

    fn released(&mut self) -> Option<u32> {
        self.released.pop_front()
    }

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        wake.wait(&[])
    }
}
