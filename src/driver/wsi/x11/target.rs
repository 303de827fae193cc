//! A window that pictures are shown in, and the pixmaps that are shown there by the Present extension.
//!
//! Ref: Present protocol, version 1.2.

use std::collections::VecDeque;
use std::os::fd::AsFd;

use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::present::{self, CompleteKind, CompleteMode, ConnectionExt as _, EventMask};
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use super::server::connect;
use crate::error::{Error, Result};
use crate::present::{Fit, Pace, Wake};

/// Bytes of a pixel: depths of 24, 30 and 32 bits.
pub const PIXEL_BYTES: u32 = 4;
/// PresentWindowDestroyed: the window of a ConfigureNotify is gone.
const WINDOW_DESTROYED: u32 = 1;

/// A window, and the size of the pictures for it.
#[derive(Debug)]
pub struct Target {
    /// Our own.
    pub connection: RustConnection,
    /// Its name.
    pub window: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Bits of a pixel that mean something.
    pub depth: u8,
}

impl Target {
    /// A window of a display.
    pub fn new(display: &str, window: u32, width: u32, height: u32) -> Result<Self> {
        let connection = connect(display)?;
        let geometry = connection.get_geometry(window).map_err(Error::lost)?;
        let depth = geometry.reply().map_err(Error::lost)?.depth;
        Ok(Self {
            connection,
            window,
            width,
            height,
            depth,
        })
    }

    /// A name for something new.
    pub fn id(&self) -> Result<u32> {
        self.connection.generate_id().map_err(Error::lost)
    }

    /// Width and height as the protocol has them. None: it does not.
    pub fn size(&self) -> Option<(u16, u16)> {
        Some((
            u16::try_from(self.width).ok()?,
            u16::try_from(self.height).ok()?,
        ))
    }

    /// Bytes of a row of pixels, without a gap to the next.
    pub fn row_bytes(&self) -> usize {
        (self.width * PIXEL_BYTES) as usize
    }

    /// Whether pictures fit a window of this size.
    pub fn fit(&self, width: u16, height: u16) -> Fit {
        if (u32::from(width), u32::from(height)) == (self.width, self.height) {
            Fit::Same
        } else {
            Fit::Resized
        }
    }

    /// Whether they fit the window as it is now.
    pub fn fit_now(&self) -> Result<Fit> {
        let geometry = self.connection.get_geometry(self.window);
        let geometry = geometry.map_err(Error::lost)?.reply();
        let geometry = geometry.map_err(Error::lost)?;
        Ok(self.fit(geometry.width, geometry.height))
    }

    /// Version of the Present extension. None: there is none.
    pub fn present_version(&self) -> Option<(u32, u32)> {
        let connection = &self.connection;
        connection
            .extension_information(present::X11_EXTENSION_NAME)
            .ok()??;
        let version = connection.present_query_version(1, 2).ok()?.reply().ok()?;
        Some((version.major_version, version.minor_version))
    }
}

/// Pixmaps that are shown in a window.
#[derive(Debug)]
pub struct Pixmaps {
    /// The window.
    pub target: Target,
    /// Their names.
    pub names: Vec<u32>,
    /// What each presentation asks for.
    options: present::Option,
    /// Pictures so far; the low half is the last one's number for the server.
    given: u64,
    /// How many of them were shown, or dropped for newer ones.
    shown: u64,
    /// The refresh at which the last one was shown.
    refresh: u64,
    /// Of the names, those that the server does not read any more.
    idle: VecDeque<usize>,
    is_copied: bool,
    size: Fit,
}

impl Pixmaps {
    /// Pixmaps of a window.
    pub fn new(target: Target, names: Vec<u32>, options: present::Option) -> Result<Self> {
        let mask =
            EventMask::CONFIGURE_NOTIFY | EventMask::COMPLETE_NOTIFY | EventMask::IDLE_NOTIFY;
        let selected = (target.connection).present_select_input(target.id()?, target.window, mask);
        let checked = selected.map_err(Error::lost)?.check();
        checked.map_err(Error::lost)?;
        // From here on changes are told.
        let size = target.fit_now()?;
        Ok(Self {
            target,
            names,
            options,
            given: 0,
            shown: 0,
            refresh: 0,
            idle: VecDeque::new(),
            is_copied: false,
            size,
        })
    }

    /// How many pictures have been shown, or dropped for newer ones.
    pub fn shown(&self) -> u64 {
        self.shown
    }

    /// Whether the window still is what they were made for.
    pub fn fit(&self) -> Fit {
        match self.size {
            Fit::Same if self.is_copied => Fit::Copied,
            size => size,
        }
    }

    /// Whether the pace lets another one come.
    pub fn is_ready(&self, pace: Pace) -> bool {
        !pace.is_even() || self.shown == self.given
    }

    /// One that the server does not read any more.
    pub fn idle(&mut self) -> Option<usize> {
        self.idle.pop_front()
    }

    fn heard(&mut self, event: Event) -> Result<()> {
        match event {
            Event::PresentIdleNotify(event) => {
                let known = self.names.iter().position(|&name| name == event.pixmap);
                self.idle.extend(known);
            }
            Event::PresentCompleteNotify(event) if event.kind == CompleteKind::PIXMAP => {
                let behind = (self.given as u32).wrapping_sub(event.serial);
                self.shown = self.shown.max(self.given.saturating_sub(behind.into()));
                self.refresh = event.msc;
                self.is_copied = match event.mode {
                    CompleteMode::SUBOPTIMAL_COPY => true,
                    // Of those that are not shown nothing is known.
                    CompleteMode::SKIP => self.is_copied,
                    _ => false,
                };
            }
            Event::PresentConfigureNotify(event) => {
                if event.pixmap_flags & WINDOW_DESTROYED != 0 {
                    return Err(Error::lost("the window is gone"));
                }
                self.size = self.target.fit(event.width, event.height);
            }
            Event::Error(error) => return Err(Error::lost(format!("{:?}", error.error_kind))),
            _ => {}
        }
        Ok(())
    }

    /// Hears what has come. Returns whether that was anything.
    pub fn hear(&mut self) -> Result<bool> {
        let mut any = false;
        while let Some(event) = self
            .target
            .connection
            .poll_for_event()
            .map_err(Error::lost)?
        {
            any = true;
            self.heard(event)?;
        }
        Ok(any)
    }

    /// Waits for news, or until it is woken.
    pub fn listen(&mut self, wake: &Wake) -> Result<()> {
        // What was read along with an answer is not in the socket any more.
        if !self.hear()? {
            wake.wait(&[self.target.connection.stream().as_fd()])?;
            self.hear()?;
        }
        Ok(())
    }

    /// Shows one.
    pub fn show(&mut self, which: usize, pace: Pace) -> Result<()> {
        let Some(&name) = self.names.get(which) else {
            return Ok(());
        };
        self.given += 1;
        let at_once = match pace {
            Pace::Immediate | Pace::Relaxed => present::Option::ASYNC,
            Pace::Mailbox | Pace::Fifo => present::Option::NONE,
        };
        // A refresh that is over already is none to wait for.
        let refresh = match pace {
            Pace::Relaxed => self.refresh + 1,
            _ => 0,
        };
        let (connection, window, serial) = (
            &self.target.connection,
            self.target.window,
            self.given as u32,
        );
        let options = self.options | at_once;
        let said = connection.present_pixmap(
            window,
            name,
            serial,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            options.into(),
            refresh,
            0,
            0,
            &[],
        );
        said.map_err(Error::lost)?;
        connection.flush().map_err(Error::lost)
    }
}
