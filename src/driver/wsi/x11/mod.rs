//! Windows of X11, by a connection of our own to the application's server.
//!
//! Windows are the server's, so another connection can ask about them and draw to them; events of ours never get among the
//! application's. What the application has asked for and the server has not yet done is the C face's to wait for.
//! Ref: X11 protocol; MIT-SHM 1.2 (file descriptors); Present 1.0.

mod presenter;
mod server;

use std::os::fd::BorrowedFd;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, VisualClass};
use x11rb::rust_connection::RustConnection;

use crate::error::{Error, Result};
use crate::present::Presenter;

/// A window.
#[derive(Debug)]
pub struct Window {
    connection: RustConnection,
    /// Name of the server.
    display: String,
    id: u32,
}

/// What a window is like now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Bits of a pixel that mean something: 24, 30 or 32.
    pub depth: u8,
}

impl Window {
    /// A window of the server that the application's socket leads to.
    pub fn open(socket: BorrowedFd<'_>, id: u32) -> Result<Self> {
        let display = server::display_of(socket)?;
        let connection = server::connect(&display)?;
        let window = Self {
            connection,
            display,
            id,
        };
        window.geometry()?;
        Ok(window)
    }

    /// Asks the server how it is.
    pub fn geometry(&self) -> Result<Geometry> {
        let reply = self.connection.get_geometry(self.id).map_err(Error::lost)?;
        let reply = reply.reply().map_err(Error::lost)?;
        Ok(Geometry {
            width: reply.width.into(),
            height: reply.height.into(),
            depth: reply.depth,
        })
    }

    /// What shows pictures of a size in it.
    pub fn presenter(&self, width: u32, height: u32) -> Result<Box<dyn Presenter>> {
        presenter::new(&self.display, self.id, width, height)
    }
}

/// Whether windows with this visual can be drawn to: 8 bits of blue, green and red in this order, or 10 of each.
pub fn shows_visual(socket: BorrowedFd<'_>, visual: u32) -> Result<bool> {
    let connection = server::connect(&server::display_of(socket)?)?;
    let visuals = connection.setup().roots.iter();
    let mut visuals = visuals
        .flat_map(|screen| &screen.allowed_depths)
        .flat_map(|depth| &depth.visuals);
    Ok(visuals.any(|known| {
        known.visual_id == visual
            && known.class == VisualClass::TRUE_COLOR
            && [0xff0000, 0x3ff0_0000].contains(&known.red_mask)
    }))
}
