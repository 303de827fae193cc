//! Pictures to a window: by shared memory and the Present extension, or as requests over the socket where there are none.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::present::{self, ConnectionExt as _, EventMask};
use x11rb::protocol::shm::ConnectionExt as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, ImageFormat};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use super::server::connect;
use crate::error::{Error, Result};
use crate::present::{Fit, Pace, Picture, Presenter, STEP_MS, Stop};

/// Bytes of a pixel: depths of 24, 30 and 32 bits.
const PIXEL_BYTES: u32 = 4;
/// Pictures that the server may hold at once: one that is shown, one that is to come, one that replaces it.
const PIXMAPS: usize = 3;
/// How long a picture stays where nothing tells when the screen is refreshed.
const REFRESH: Duration = Duration::from_micros(16_667);

/// What shows pictures of a size in a window.
pub fn new(display: &str, window: u32, width: u32, height: u32) -> Result<Box<dyn Presenter>> {
    let connection = connect(display)?;
    let geometry = connection.get_geometry(window).map_err(Error::lost)?;
    let depth = geometry.reply().map_err(Error::lost)?.depth;
    let target = Target {
        connection,
        window,
        width,
        height,
        depth,
    };
    match Shared::pixmaps(&target) {
        Some(pixmaps) => Ok(Box::new(Shared::new(target, pixmaps)?)),
        None => Ok(Box::new(Sent::new(target)?)),
    }
}

/// A window, and the size of the pictures for it.
#[derive(Debug)]
struct Target {
    connection: RustConnection,
    window: u32,
    width: u32,
    height: u32,
    depth: u8,
}

impl Target {
    fn id(&self) -> Result<u32> {
        self.connection.generate_id().map_err(Error::lost)
    }

    fn row_bytes(&self) -> usize {
        (self.width * PIXEL_BYTES) as usize
    }

    fn fit(&self, width: u16, height: u16) -> Fit {
        if (u32::from(width), u32::from(height)) == (self.width, self.height) {
            Fit::Same
        } else {
            Fit::Resized
        }
    }
}

/// A pixmap in memory that we share with the server.
#[derive(Debug)]
struct Pixmap {
    id: u32,
    memory: sys::Mapping,
    /// The server reads it.
    busy: bool,
}

/// Pictures in shared memory.
struct Shared {
    target: Target,
    pixmaps: Vec<Pixmap>,
    /// Pictures so far; the low half is the last one's number for the server.
    given: u64,
    /// How many of them were shown, or dropped for newer ones.
    shown: u64,
    fit: Fit,
}

impl Shared {
    /// The pixmaps. None: the server does not have all that this takes, or is on another machine.
    fn pixmaps(target: &Target) -> Option<Vec<Pixmap>> {
        let connection = &target.connection;
        for name in ["Present", "MIT-SHM"] {
            connection.extension_information(name).ok()??;
        }
        connection.present_query_version(1, 0).ok()?.reply().ok()?;
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
        let (segment, id) = (target.id().ok()?, target.id().ok()?);
        let attached = connection.shm_attach_fd(segment, file, true).ok()?;
        attached.check().ok()?;
        let size = (
            u16::try_from(target.width).ok()?,
            u16::try_from(target.height).ok()?,
        );
        let (window, depth) = (target.window, target.depth);
        let made = connection.shm_create_pixmap(id, window, size.0, size.1, depth, segment, 0);
        made.ok()?.check().ok()?;
        // The pixmap holds the segment.
        connection.shm_detach(segment).ok()?;
        Some(Pixmap {
            id,
            memory,
            busy: false,
        })
    }

    fn new(target: Target, pixmaps: Vec<Pixmap>) -> Result<Self> {
        let mask =
            EventMask::CONFIGURE_NOTIFY | EventMask::COMPLETE_NOTIFY | EventMask::IDLE_NOTIFY;
        let selected = (target.connection).present_select_input(target.id()?, target.window, mask);
        let checked = selected.map_err(Error::lost)?.check();
        checked.map_err(Error::lost)?;
        Ok(Self {
            target,
            pixmaps,
            given: 0,
            shown: 0,
            fit: Fit::Same,
        })
    }

    fn heard(&mut self, event: Event) -> Result<()> {
        match event {
            Event::PresentIdleNotify(event) => {
                let pixmap = self
                    .pixmaps
                    .iter_mut()
                    .find(|known| known.id == event.pixmap);
                if let Some(pixmap) = pixmap {
                    pixmap.busy = false;
                }
            }
            Event::PresentCompleteNotify(event) if event.kind == present::CompleteKind::PIXMAP => {
                let behind = (self.given as u32).wrapping_sub(event.serial);
                self.shown = self.shown.max(self.given.saturating_sub(behind.into()));
            }
            Event::PresentConfigureNotify(event) => {
                self.fit = self.target.fit(event.width, event.height);
            }
            Event::Error(error) => return Err(Error::lost(format!("{:?}", error.error_kind))),
            _ => {}
        }
        Ok(())
    }

    /// Hears what has come already.
    fn hear(&mut self) -> Result<()> {
        while let Some(event) = self
            .target
            .connection
            .poll_for_event()
            .map_err(Error::lost)?
        {
            self.heard(event)?;
        }
        Ok(())
    }

    /// Waits for an event, for a while.
    fn wait(&mut self, millis: u16) -> Result<()> {
        let socket = self.target.connection.stream().as_fd();
        sys::wait_readable(socket, millis).map_err(Error::lost)?;
        self.hear()
    }

    /// A pixmap that the server does not read. None: the swapchain ends first.
    fn free(&mut self, stop: &Stop) -> Result<Option<usize>> {
        loop {
            if let Some(free) = self.pixmaps.iter().position(|pixmap| !pixmap.busy) {
                return Ok(Some(free));
            }
            if stop.is_set() {
                return Ok(None);
            }
            self.wait(STEP_MS)?;
        }
    }
}

impl Presenter for Shared {
    fn show(&mut self, picture: &dyn Picture, pace: Pace, stop: &Stop) -> Result<Fit> {
        self.hear()?;
        while pace == Pace::Fifo && self.shown != self.given && !stop.is_set() {
            self.wait(STEP_MS)?;
        }
        let Some(free) = self.free(stop)? else {
            return Ok(self.fit);
        };
        let row_bytes = self.target.row_bytes();
        let mut row = vec![0; row_bytes];
        let pixmap = &mut self.pixmaps[free];
        for y in 0..picture.height().min(self.target.height) {
            picture.row(y, &mut row)?;
            let written = pixmap.memory.write(y as usize * row_bytes, &row);
            written.map_err(Error::lost)?;
        }
        pixmap.busy = true;
        self.given += 1;
        let options = match pace {
            Pace::Immediate => present::Option::ASYNC,
            Pace::Mailbox | Pace::Fifo => present::Option::NONE,
        };
        let (connection, window, id) = (&self.target.connection, self.target.window, pixmap.id);
        let serial = self.given as u32;
        let said = connection.present_pixmap(
            window,
            id,
            serial,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            options.into(),
            0,
            0,
            0,
            &[],
        );
        said.map_err(Error::lost)?;
        connection.flush().map_err(Error::lost)?;
        Ok(self.fit)
    }

    fn shown(&self) -> u64 {
        self.shown
    }

    fn listen(&mut self, millis: u16) -> Result<Fit> {
        // What was read along with an answer is not in the socket any more.
        let before = self.shown;
        self.hear()?;
        if self.shown == before {
            self.wait(millis)?;
        }
        Ok(self.fit)
    }
}

/// Pictures in requests.
struct Sent {
    target: Target,
    context: u32,
    last: Instant,
    shown: u64,
    fit: Fit,
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
        })
    }
}

impl Presenter for Sent {
    fn show(&mut self, picture: &dyn Picture, pace: Pace, _: &Stop) -> Result<Fit> {
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
        let geometry = connection
            .get_geometry(target.window)
            .map_err(Error::lost)?;
        let geometry = geometry.reply().map_err(Error::lost)?;
        self.fit = target.fit(geometry.width, geometry.height);
        self.shown += 1;
        Ok(self.fit)
    }

    fn shown(&self) -> u64 {
        self.shown
    }

    fn listen(&mut self, _: u16) -> Result<Fit> {
        Ok(self.fit)
    }
}
