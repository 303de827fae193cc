//! Surfaces of Wayland.
//!
//! In:  the application's connection and its `wl_surface`. Out: buffers attached to it: images read
//!      in place (`zwp_linux_dmabuf_v1`) or copies of their pixels (`wl_shm`). Objects created here
//!      use an event queue of their own, so the application does not see their events.
//! Ref: Wayland protocol, `wl_surface`; wayland-protocols, `linux-dmabuf-v1`.
//!
//! Files import one way: `frames` ← `shm` and `dmabuf`; `feedback` stands alone.

mod dmabuf;
mod feedback;
mod frames;
mod shm;

use wayland_client::Connection;
use wayland_client::protocol::wl_surface::WlSurface;

use crate::error::Result;
use crate::present::{AlphaMode, GpuNodes, Presenter, SharedImage};

/// A surface of the application.
#[derive(Debug)]
pub struct Window {
    connection: Connection,
    surface: WlSurface,
}

impl Window {
    /// A surface and its connection.
    pub fn new(connection: Connection, surface: WlSurface) -> Self {
        Self {
            connection,
            surface,
        }
    }

    /// The modifiers with which the compositor reads images of a format (a FourCC) in place, in
    /// groups of decreasing preference.
    pub fn modifiers(&self, gpu: GpuNodes<'_>, format: u32) -> Result<Vec<Vec<u64>>> {
        feedback::modifiers(&self.connection, &self.surface, gpu, format)
    }

    /// A presenter that lets the compositor read the images in place, or none if it does not accept
    /// them.
    pub fn direct_presenter(
        &self,
        width: u32,
        height: u32,
        format: u32,
        images: Vec<SharedImage>,
    ) -> Result<Option<Box<dyn Presenter>>> {
        dmabuf::new(
            &self.connection,
            &self.surface,
            (width, height),
            format,
            images,
        )
    }

    /// A presenter that copies the pixels of images of a size.
    pub fn copying_presenter(
        &self,
        width: u32,
        height: u32,
        alpha: AlphaMode,
    ) -> Result<Box<dyn Presenter>> {
        shm::new(&self.connection, &self.surface, (width, height), alpha)
    }
}
