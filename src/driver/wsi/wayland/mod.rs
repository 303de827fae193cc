//! Surfaces of Wayland.
//!
//! In:  the application's connection and its `wl_surface`. Out: buffers attached to it: images read
//!      in place (`zwp_linux_dmabuf_v1`) or copies of their pixels (`wl_shm`). Objects created here
//!      use an event queue of their own, so the application does not see their events.
//! Ref: Wayland protocol, `wl_surface`; wayland-protocols, `linux-dmabuf-v1`, and as in
//!      `extensions`.
//!
//! Files import one way: `colours` ← `extensions` ← `frames` and `explicit_sync` ← `shm` and
//! `dmabuf`; `feedback` stands alone.

mod colours;
mod dmabuf;
mod explicit_sync;
mod extensions;
mod feedback;
mod frames;
mod shm;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ash::vk as api;
use wayland_client::Connection;
use wayland_client::globals::GlobalList;
use wayland_client::protocol::wl_surface::WlSurface;

use self::extensions::Extensions;
use self::frames::Frames;
use crate::error::Result;
use crate::format::WindowFormat;
use crate::present::{AlphaMode, GpuNodes, Presenter, SharedImage, Timelines};

/// A surface of the application.
#[derive(Debug)]
pub struct Window {
    connection: Connection,
    surface: WlSurface,
    extensions: OnceLock<Arc<Extensions>>,
    formats: Mutex<Vec<GpuFormats>>,
}

/// The formats that the compositor accepts from a GPU.
#[derive(Debug)]
struct GpuFormats {
    /// Numbers of the GPU's device nodes.
    nodes: Vec<[u32; 2]>,
    /// As DRM format codes (FourCC).
    codes: Vec<u32>,
}

impl Window {
    /// A surface and its connection.
    pub fn new(connection: Connection, surface: WlSurface) -> Self {
        Self {
            connection,
            surface,
            extensions: OnceLock::new(),
            formats: Mutex::default(),
        }
    }

    /// The extensions of the surface, queried once.
    fn extensions(&self) -> Result<&Arc<Extensions>> {
        if let Some(known) = self.extensions.get() {
            return Ok(known);
        }
        let found = Arc::new(Extensions::new(&self.connection, &self.surface)?);
        Ok(self.extensions.get_or_init(|| found))
    }

    /// Whether the compositor shows frames at once if it is asked to.
    pub fn has_tearing(&self) -> Result<bool> {
        Ok(self.extensions()?.has_tearing())
    }

    /// Whether the compositor reports when images are shown.
    pub fn reports_times(&self) -> Result<bool> {
        Ok(self.extensions()?.reports_times())
    }

    /// The colour spaces that the compositor converts from, and that of unmanaged colours.
    pub fn color_spaces(&self) -> Result<Vec<api::ColorSpaceKHR>> {
        Ok(self.extensions()?.colours.spaces())
    }

    /// The frames of a new swapchain, and the compositor's globals.
    fn frames(&self, space: api::ColorSpaceKHR) -> Result<(Frames, GlobalList)> {
        Frames::new(&self.connection, &self.surface, self.extensions()?, space)
    }

    /// The DRM formats (FourCC) of buffers that the compositor accepts: dma-bufs of a GPU, or
    /// shared memory. Queried once for each GPU: a query takes several round trips, and
    /// applications ask for the capabilities of a surface, which depend on its formats, in each
    /// frame.
    pub fn formats(&self, gpu: &GpuNodes) -> Result<Vec<u32>> {
        let mut known = self.formats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_gpu) = known.iter().find(|of_gpu| of_gpu.nodes == gpu.nodes) {
            return Ok(of_gpu.codes.clone());
        }
        let mut codes = feedback::formats(&self.connection, &self.surface, gpu)?;
        codes.extend(shm::formats(&self.connection)?);
        known.push(GpuFormats {
            nodes: gpu.nodes.clone(),
            codes: codes.clone(),
        });
        Ok(codes)
    }

    /// The modifiers with which the compositor reads images of a format (a FourCC) in place, in
    /// groups of decreasing preference.
    pub fn modifiers(&self, gpu: &GpuNodes, format: u32) -> Result<Vec<Vec<u64>>> {
        feedback::modifiers(&self.connection, &self.surface, gpu, format)
    }

    /// A presenter that lets the compositor read the images in place, or none if it does not accept
    /// them.
    pub fn direct_presenter(
        &self,
        width: u32,
        height: u32,
        format: u32,
        space: api::ColorSpaceKHR,
        images: Vec<SharedImage>,
        timelines: &dyn Timelines,
    ) -> Result<Option<Box<dyn Presenter>>> {
        dmabuf::new(
            self.frames(space)?,
            (width, height),
            format,
            images,
            timelines,
        )
    }

    /// A presenter that copies the pixels of images of a size.
    pub fn copying_presenter(
        &self,
        width: u32,
        height: u32,
        format: &WindowFormat,
        alpha: AlphaMode,
        space: api::ColorSpaceKHR,
    ) -> Result<Box<dyn Presenter>> {
        shm::new(self.frames(space)?, (width, height), format, alpha)
    }
}
