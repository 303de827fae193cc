//! A window as the target of presentation, and the pixmaps presented in it by the Present
//! extension.
//!
//! In:  a window and pixmaps. Out: presented pixmaps; which of them are shown and which are idle.
//! Ref: Present protocol, version 1.2.

use std::collections::VecDeque;
use std::os::fd::AsFd;

use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::Event;
use x11rb::protocol::present::{self, CompleteKind, CompleteMode, ConnectionExt as _, EventMask};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, EventMask as WindowEvents,
};
use x11rb::rust_connection::RustConnection;

use super::display::{connect, is_local};
use crate::error::{Error, Result};
use crate::present::{PresentMode, Refresh, ShownImage, SwapchainFit, Waker};
use crate::schedule::PeriodEstimate;

/// Bytes of a pixel, for depths of 24, 30 and 32 bits.
pub const PIXEL_BYTES: u32 = 4;
/// PresentWindowDestroyed: a ConfigureNotify event reports that the window is destroyed.
const WINDOW_DESTROYED: u32 = 1;

/// A window, and the size of the images for it.
#[derive(Debug)]
pub struct Target {
    /// The driver's own connection.
    pub connection: RustConnection,
    /// The window's ID.
    pub window: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Depth in bits.
    pub depth: u8,
    /// The server runs on this machine.
    pub is_local: bool,
}

impl Target {
    /// Connects to a window of a display.
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
            is_local: is_local(display),
        })
    }

    /// Allocates a resource ID.
    pub fn id(&self) -> Result<u32> {
        self.connection.generate_id().map_err(Error::lost)
    }

    /// Width and height as 16-bit numbers, or none if they do not fit.
    pub fn size(&self) -> Option<(u16, u16)> {
        Some((
            u16::try_from(self.width).ok()?,
            u16::try_from(self.height).ok()?,
        ))
    }

    /// Bytes of a row of pixels, without padding.
    pub fn row_bytes(&self) -> usize {
        (self.width * PIXEL_BYTES) as usize
    }

    /// How well the images fit a window of this size.
    pub fn fit(&self, width: u16, height: u16) -> SwapchainFit {
        if (u32::from(width), u32::from(height)) == (self.width, self.height) {
            SwapchainFit::Optimal
        } else {
            SwapchainFit::Resized
        }
    }

    /// How well the images fit the window's current size.
    pub fn fit_now(&self) -> Result<SwapchainFit> {
        let geometry = self.connection.get_geometry(self.window);
        let geometry = geometry.map_err(Error::lost)?.reply();
        let geometry = geometry.map_err(Error::lost)?;
        Ok(self.fit(geometry.width, geometry.height))
    }

    /// The version of the Present extension, or none if it is missing.
    pub fn present_version(&self) -> Option<(u32, u32)> {
        let connection = &self.connection;
        connection
            .extension_information(present::X11_EXTENSION_NAME)
            .ok()??;
        let version = connection.present_query_version(1, 2).ok()?.reply().ok()?;
        Some((version.major_version, version.minor_version))
    }
}

/// The pixmaps presented in a window.
#[derive(Debug)]
pub struct Pixmaps {
    /// The window.
    pub target: Target,
    /// Their IDs.
    pub pixmaps: Vec<u32>,
    /// Options of each presentation.
    options: present::Option,
    /// Number of presentations so far; the low half is the serial of the last one.
    presented: u64,
    /// Number of presentations shown, or dropped in favour of newer ones.
    shown: u64,
    /// The refresh (MSC) at which the last one was shown.
    refresh: u64,
    /// Presentations shown or dropped, until the swapchain hears of them.
    shown_images: VecDeque<ShownImage>,
    /// The period of refreshes.
    period: PeriodEstimate,
    /// Indices of pixmaps that the server has released.
    idle: VecDeque<usize>,
    is_copied: bool,
    size: SwapchainFit,
}

impl Pixmaps {
    /// The pixmaps of a window.
    pub fn new(target: Target, pixmaps: Vec<u32>, options: present::Option) -> Result<Self> {
        let mask =
            EventMask::CONFIGURE_NOTIFY | EventMask::COMPLETE_NOTIFY | EventMask::IDLE_NOTIFY;
        let selected = (target.connection).present_select_input(target.id()?, target.window, mask);
        let checked = selected.map_err(Error::lost)?.check();
        checked.map_err(Error::lost)?;
        // Present reports no end of a window with a presentation that is not shown yet.
        let structure = ChangeWindowAttributesAux::new().event_mask(WindowEvents::STRUCTURE_NOTIFY);
        let selected = (target.connection).change_window_attributes(target.window, &structure);
        let checked = selected.map_err(Error::lost)?.check();
        checked.map_err(Error::lost)?;
        // Queried after the events are selected, so that no change is missed.
        let size = target.fit_now()?;
        Ok(Self {
            target,
            pixmaps,
            options,
            presented: 0,
            shown: 0,
            refresh: 0,
            shown_images: VecDeque::new(),
            period: PeriodEstimate::default(),
            idle: VecDeque::new(),
            is_copied: false,
            size,
        })
    }

    /// Presents a pixmap.
    pub fn shown(&self) -> u64 {
        self.shown
    }

    /// How well the images fit the window.
    pub fn fit(&self) -> SwapchainFit {
        match self.size {
            SwapchainFit::Optimal if self.is_copied => SwapchainFit::NeedsCopy,
            size => size,
        }
    }

    /// Whether the mode allows another presentation now.
    pub fn is_ready(&self, mode: PresentMode) -> bool {
        !mode.is_fifo() || self.shown == self.presented
    }

    /// The index of a pixmap that the server has released.
    pub fn idle(&mut self) -> Option<usize> {
        self.idle.pop_front()
    }

    /// Processes an event.
    fn handle_event(&mut self, event: Event) -> Result<()> {
        match event {
            Event::PresentIdleNotify(event) => {
                let known = self.pixmaps.iter().position(|&name| name == event.pixmap);
                self.idle.extend(known);
            }
            Event::PresentCompleteNotify(event) if event.kind == CompleteKind::PIXMAP => {
                let behind = (self.presented as u32).wrapping_sub(event.serial);
                let number = self.presented.saturating_sub(behind.into());
                self.shown = self.shown.max(number);
                self.refresh = event.msc;
                self.note_time(number, &event);
                self.is_copied = match event.mode {
                    CompleteMode::SUBOPTIMAL_COPY => true,
                    // A dropped presentation does not change whether copies are made.
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
            Event::DestroyNotify(event) if event.window == self.target.window => {
                return Err(Error::lost("the window is gone"));
            }
            Event::Error(error) => return Err(Error::lost(format!("{:?}", error.error_kind))),
            _ => {}
        }
        Ok(())
    }

    /// Notes when a presentation was shown. Only the clock of a server on this machine is ours; its
    /// times are in microseconds.
    fn note_time(&mut self, number: u64, event: &present::CompleteNotifyEvent) {
        let time_ns = i64::try_from(event.ust.saturating_mul(1000)).ok();
        let time_ns = time_ns
            .filter(|&ns| self.target.is_local && ns > 0 && event.mode != CompleteMode::SKIP);
        if let Some(time_ns) = time_ns {
            self.period.add(event.msc, time_ns);
        }
        self.shown_images.push_back(ShownImage { number, time_ns });
    }

    /// When a presentation was shown; once for each.
    pub fn shown_image(&mut self) -> Option<ShownImage> {
        self.shown_images.pop_front()
    }

    /// The refreshes of the display, measured between the presentations shown.
    pub fn refresh_state(&self) -> Refresh {
        match self.period.period_ns() {
            _ if !self.target.is_local => Refresh::Unknown,
            None => Refresh::Pending,
            Some(period_ns) => Refresh::Period(period_ns),
        }
    }

    /// Processes the events that have arrived. Returns whether there were any.
    pub fn poll_events(&mut self) -> Result<bool> {
        let mut any = false;
        while let Some(event) = self
            .target
            .connection
            .poll_for_event()
            .map_err(Error::lost)?
        {
            any = true;
            self.handle_event(event)?;
        }
        Ok(any)
    }

    /// Waits for events, or until the waker is woken, and processes them.
    pub fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        // Events read together with a reply are no longer in the socket.
        if !self.poll_events()? {
            wake.wait(&[self.target.connection.stream().as_fd()])?;
            self.poll_events()?;
        }
        Ok(())
    }

    /// Shows one.
    pub fn show(&mut self, index: usize, mode: PresentMode) -> Result<()> {
        let Some(&name) = self.pixmaps.get(index) else {
            return Ok(());
        };
        self.presented += 1;
        let at_once = match mode {
            PresentMode::Immediate | PresentMode::Relaxed => present::Option::ASYNC,
            PresentMode::Mailbox | PresentMode::Fifo => present::Option::NONE,
        };
        // In relaxed mode the target refresh may already have passed.
        let refresh = match mode {
            PresentMode::Relaxed => self.refresh + 1,
            _ => 0,
        };
        let (connection, window, serial) = (
            &self.target.connection,
            self.target.window,
            self.presented as u32,
        );
        let options = self.options | at_once;
        let cookie = connection.present_pixmap(
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
        cookie.map_err(Error::lost)?;
        connection.flush().map_err(Error::lost)
    }
}
