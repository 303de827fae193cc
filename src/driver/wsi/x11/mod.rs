//! Windows of X11, over a connection of the driver's own to the application's server.
//!
//! In:  the application's socket and a window. Out: images in the window.
//!
//! X11 windows belong to the server, so another connection can query and draw to them, and the
//! driver's events do not mix with the application's. The caller waits until the server has
//! processed the application's requests.
//! Ref: X11 protocol; MIT-SHM 1.2; DRI3 1.2; Present 1.2; RandR 1.6.
//!
//! Files import one way: `display` ← `target` ← `shm` and `dri3`; `display` ← `lease`.

mod display;
mod dri3;
mod lease;
mod shm;
mod target;

use std::os::fd::BorrowedFd;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, VisualClass};
use x11rb::rust_connection::RustConnection;

use self::target::Target;
use crate::error::{Error, Result};
use crate::present::{GpuNodes, Presenter, SharedImage};
pub use lease::{connector_of_output, lease};

/// An X11 window.
#[derive(Debug)]
pub struct Window {
    connection: RustConnection,
    /// The display name of its server.
    display: String,
    id: u32,
}

/// The current size and depth of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Depth in bits: 24, 30 or 32.
    pub depth: u8,
}

impl Window {
    /// Opens a window of the server that the application's socket is connected to.
    pub fn open(socket: BorrowedFd<'_>, id: u32) -> Result<Self> {
        let display = display::display_of(socket)?;
        let connection = display::connect(&display)?;
        let window = Self {
            connection,
            display,
            id,
        };
        window.geometry()?;
        Ok(window)
    }

    /// Queries the current geometry.
    pub fn geometry(&self) -> Result<Geometry> {
        let reply = self.connection.get_geometry(self.id).map_err(Error::lost)?;
        let reply = reply.reply().map_err(Error::lost)?;
        Ok(Geometry {
            width: reply.width.into(),
            height: reply.height.into(),
            depth: reply.depth,
        })
    }

    /// A connection to the window, for images of a size.
    fn target(&self, width: u32, height: u32) -> Result<Target> {
        Target::new(&self.display, self.id, width, height)
    }

    /// Whether the server reports when images are shown, on a clock of this machine.
    pub fn reports_times(&self) -> Result<bool> {
        let target = self.target(0, 0)?;
        Ok(target.is_local && shm::is_supported(&target))
    }

    /// The modifiers with which the server reads images in place, in groups of decreasing
    /// preference.
    pub fn modifiers(&self, gpu: &GpuNodes) -> Result<Vec<Vec<u64>>> {
        Ok(dri3::modifiers(&self.target(0, 0)?, gpu))
    }

    /// A presenter that lets the server read the images in place, or none if it does not accept
    /// them.
    pub fn direct_presenter(
        &self,
        width: u32,
        height: u32,
        images: Vec<SharedImage>,
    ) -> Result<Option<Box<dyn Presenter>>> {
        dri3::new(self.target(width, height)?, images)
    }

    /// A presenter that copies the pixels of images of a size.
    pub fn copying_presenter(&self, width: u32, height: u32) -> Result<Box<dyn Presenter>> {
        shm::new(self.target(width, height)?)
    }
}

/// Whether the driver can present to windows with this visual: 8 bits of blue, green and red in
/// this order, or 10 of each.
pub fn supports_visual(socket: BorrowedFd<'_>, visual: u32) -> Result<bool> {
    let connection = display::connect(&display::display_of(socket)?)?;
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
