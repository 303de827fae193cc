//! Pixels to a window: by shared memory and the Present extension, or as requests over the socket where there are none.
//!
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
use crate::present::{Fit, Pace, Picture, Presenter, Wake};

/// Pictures that the server may hold at once: one that is shown, one that is to come, one that replaces it.
const PIXMAPS: usize = 3;
/// How long a picture stays where nothing tells when the screen is refreshed.
const REFRESH: Duration = Duration::from_micros(16_667);

/// What shows pixels in a window.
pub fn new(target: Target) -> Result<Box<dyn Presenter>> {
    match Copied::pixmaps(&target) {
        Some(pixmaps) => Ok(Box::new(Copied::new(target, pixmaps)?)),
        None => Ok(Box::new(Sent::new(target)?)),
    }
}

/// A pixmap in memory that we share with the server.
#[derive(Debug)]
struct Pixmap {
    name: u32,
    memory: sys::Mapping,
    /// The server reads it.
    busy: bool,
}

/// Pictures in shared memory.
struct Copied {
    pixmaps: Pixmaps,
    copies: Vec<Pixmap>,
    done: VecDeque<u32>,
}

impl Copied {
    /// The pixmaps. None: the server does not have all that this takes, or is on another machine.
    fn pixmaps(target: &Target) -> Option<Vec<Pixmap>> {
        let connection = &target.connection;
        connection
            .extension_information(shm::X11_EXTENSION_NAME)
            .ok()??;
        target.present_version()?;
        let shm = connection.shm_query_version().ok()?.reply().ok()?;
        if !shm.shared_pixmaps || (shm.major_version, shm.minor_version) < (1, 2) {
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
        let attached = connection.shm_attach_fd(segment, file, true).ok()?;
        attached.check().ok()?;
        let (width, height) = target.size()?;
        let (window, depth) = (target.window, target.depth);
        let made = connection.shm_create_pixmap(name, window, width, height, depth, segment, 0);
        made.ok()?.check().ok()?;
        // The pixmap holds the segment.
        connection.shm_detach(segment).ok()?;
        Some(Pixmap {
            name,
            memory,
            busy: false,
        })
    }

    fn new(target: Target, copies: Vec<Pixmap>) -> Result<Self> {
        let names = copies.iter().map(|pixmap| pixmap.name).collect();
        Ok(Self {
            pixmaps: Pixmaps::new(target, names, present::Option::NONE)?,
            copies,
            done: VecDeque::new(),
        })
    }

    fn update(&mut self) {
        while let Some(idle) = self.pixmaps.idle() {
            if let Some(pixmap) = self.copies.get_mut(idle) {
                pixmap.busy = false;
            }
        }
    }
}

impl Presenter for Copied {
    fn is_ready(&self, pace: Pace) -> bool {
        self.pixmaps.is_ready(pace) && self.copies.iter().any(|pixmap| !pixmap.busy)
    }

    fn show(&mut self, index: u32, picture: &dyn Picture, pace: Pace) -> Result<()> {
        self.done.push_back(index);
        let Some(free) = self.copies.iter().position(|pixmap| !pixmap.busy) else {
            return Ok(());
        };
        let row_bytes = self.pixmaps.target.row_bytes();
        let mut row = vec![0; row_bytes];
        let pixmap = &mut self.copies[free];
        for y in 0..picture.height().min(self.pixmaps.target.height) {
            picture.row(y, &mut row)?;
            let written = pixmap.memory.write(y as usize * row_bytes, &row);
            written.map_err(Error::lost)?;
        }
        pixmap.busy = true;
        self.pixmaps.show(free, pace)
    }

    fn shown(&self) -> u64 {
        self.pixmaps.shown()
    }

    fn fit(&self) -> Fit {
        self.pixmaps.fit()
    }

    fn done(&mut self) -> Option<u32> {
        self.done.pop_front()
    }

    fn listen(&mut self, wake: &Wake) -> Result<()> {
        self.pixmaps.listen(wake)?;
        self.update();
        Ok(())
    }

    fn hear(&mut self) -> Result<()> {
        self.pixmaps.hear()?;
        self.update();
        Ok(())
    }
}

/// Pictures in requests.
struct Sent {
    target: Target,
    context: u32,
    last: Instant,
    shown: u64,
    fit: Fit,
    done: VecDeque<u32>,
}

impl Sent {
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
            fit: Fit::Same,
            done: VecDeque::new(),
        })
    }
}

impl Presenter for Sent {
    fn is_ready(&self, _: Pace) -> bool {
        true
    }

    fn show(&mut self, index: u32, picture: &dyn Picture, pace: Pace) -> Result<()> {
        /// Bytes of a PutImage request before its pixels.
        const HEADER_BYTES: usize = 28;
        if pace != Pace::Immediate {
            std::thread::sleep(REFRESH.saturating_sub(self.last.elapsed()));
        }
        self.last = Instant::now();
        let target = &self.target;
        let connection = &target.connection;
        let row_bytes = target.row_bytes();
        let most = connection
            .maximum_request_bytes()
            .saturating_sub(HEADER_BYTES);
        let rows_at_once = (most / row_bytes.max(1)).max(1) as u32;
        let height = picture.height().min(target.height);
        let width = u16::try_from(target.width).map_err(Error::lost)?;
        let mut y = 0;
        while y < height {
            let rows = rows_at_once.min(height - y);
            let mut pixels = vec![0; rows as usize * row_bytes];
            for (row, out) in (y..).zip(pixels.chunks_exact_mut(row_bytes)) {
                picture.row(row, out)?;
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
        // Answers when all is drawn, with the errors of what came before it.
        connection.sync().map_err(Error::lost)?;
        self.fit = target.fit_now()?;
        self.shown += 1;
        self.done.push_back(index);
        Ok(())
    }

    fn shown(&self) -> u64 {
        self.shown
    }

    fn fit(&self) -> Fit {
        self.fit
    }

    fn done(&mut self) -> Option<u32> {
        self.done.pop_front()
    }

    fn listen(&mut self, wake: &Wake) -> Result<()> {
        wake.wait(&[])
    }
}
