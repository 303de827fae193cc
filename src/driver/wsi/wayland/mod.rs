//! Surfaces of Wayland.
//!
//! In:  the application's connection and its `wl_surface`. Out: buffers attached to it: images as they are (`zwp_linux_dmabuf_v1`), or
//! copies of their pixels (`wl_shm`). Events of what is made here come on a queue of our own, so the application's never sees them.
//! Ref: Wayland protocol, `wl_surface`; wayland-protocols, `linux-dmabuf-v1`.
//!
//! Files import one way: `frames` ← `copies` and `direct`; `offer` stands alone.

mod copies;
mod direct;
mod frames;
mod offer;

use wayland_client::Connection;
use wayland_client::protocol::wl_surface::WlSurface;

use crate::error::Result;
use crate::present::{Alpha, Ours, Presenter, Shared};

/// A surface of the application's.
#[derive(Debug)]
pub struct Window {
    connection: Connection,
    surface: WlSurface,
}

impl Window {
    /// A surface and the connection that it is of.
    pub fn new(connection: Connection, surface: WlSurface) -> Self {
        Self {
            connection,
            surface,
        }
    }

    /// Layouts of images of a format, by its DRM name, that the compositor takes as they are, in groups, those that it likes best first.
    pub fn modifiers(&self, ours: Ours<'_>, format: u32) -> Result<Vec<Vec<u64>>> {
        offer::modifiers(&self.connection, &self.surface, ours, format)
    }

    /// What shows images of a size in it as they are. None: the compositor does not take them.
    pub fn shows_shared(
        &self,
        width: u32,
        height: u32,
        format: u32,
        images: Vec<Shared>,
    ) -> Result<Option<Box<dyn Presenter>>> {
        direct::new(
            &self.connection,
            &self.surface,
            (width, height),
            format,
            images,
        )
    }

    /// What shows pictures of a size in it by their pixels.
    pub fn shows_copies(
        &self,
        width: u32,
        height: u32,
        alpha: Alpha,
    ) -> Result<Box<dyn Presenter>> {
        copies::new(&self.connection, &self.surface, (width, height), alpha)
    }
}
