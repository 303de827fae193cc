//! Windows of X11, by a connection of our own to the application's server.
//!
//! Windows are the server's, so another connection can ask about them and draw to them; events of ours never get among the
//! application's. What the application has asked for and the server has not yet done is the C face's to wait for.
//! Ref: X11 protocol; MIT-SHM 1.2; DRI3 1.2; Present 1.2.
//!
//! Files import one way: `server` ← `target` ← `copies` and `direct`.

mod copies;
mod direct;
mod server;
mod target;

use std::os::fd::BorrowedFd;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, VisualClass};
use x11rb::rust_connection::RustConnection;

use self::target::Target;
use crate::error::{Error, Result};
use crate::present::{Ours, Presenter, Shared};

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

    fn target(&self, width: u32, height: u32) -> Result<Target> {
        Target::new(&self.display, self.id, width, height)
    }

    /// Layouts of images that the server takes as they are, in groups, those that it likes best first.
    pub fn modifiers(&self, ours: Ours<'_>) -> Result<Vec<Vec<u64>>> {
        Ok(direct::modifiers(&self.target(0, 0)?, ours))
    }

    /// What shows images of a size in it as they are. None: the server does not take them.
    pub fn shows_shared(
        &self,
        width: u32,
        height: u32,
        images: Vec<Shared>,
    ) -> Result<Option<Box<dyn Presenter>>> {
        direct::new(self.target(width, height)?, images)
    }

    /// What shows pictures of a size in it by their pixels.
    pub fn shows_copies(&self, width: u32, height: u32) -> Result<Box<dyn Presenter>> {
        copies::new(self.target(width, height)?)
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
