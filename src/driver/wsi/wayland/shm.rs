//! Presentation of copied pixels in shared memory (`wl_shm`).
//!
//! In:  images. Out: their pixels in buffers of the compositor.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wayland_client::globals::{GlobalList, GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_shm::{self, WlShm};
use wayland_client::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_client::{Connection, Dispatch, QueueHandle, WEnum};

use super::frames::{Buffer, Frames, SurfaceEvents};
use crate::error::{Error, Result};
use crate::format::WindowFormat;
use crate::present::{
    AlphaMode, HdrMetadata, PixelSource, PresentMode, Presenter, Refresh, ShownImage, SwapchainFit,
    Waker,
};

/// Maximum number of images that the compositor holds offset_bytes once: the shown one, the next
/// one, and one that replaces it.
const BUFFERS: usize = 3;

/// A buffer and its memory.
struct ShmBuffer {
    buffer: Buffer,
    /// Offset in the pool.
    offset_bytes: usize,
}

/// Copies images into buffers.
struct ShmPresenter {
    memory: sys::Mapping,
    buffers: Vec<ShmBuffer>,
    /// Declared after the buffers, so that their destruction is flushed when it is dropped.
    frames: Frames,
    released: VecDeque<u32>,
    row_bytes: usize,
    height: u32,
}

/// The shared-memory formats of a compositor.
#[derive(Debug, Default)]
struct ShmFormats {
    /// As DRM format codes.
    codes: Vec<u32>,
}

/// The DRM format code of a format of `wl_shm`, which has numbers of its own for two of them.
fn drm_code(format: wl_shm::Format) -> u32 {
    match format {
        wl_shm::Format::Argb8888 => u32::from_le_bytes(*b"AR24"),
        wl_shm::Format::Xrgb8888 => u32::from_le_bytes(*b"XR24"),
        other => other.into(),
    }
}

/// The format of `wl_shm` with a DRM format code. None: the protocol does not know it.
fn shm_format(code: u32) -> Option<wl_shm::Format> {
    match &code.to_le_bytes() {
        b"AR24" => Some(wl_shm::Format::Argb8888),
        b"XR24" => Some(wl_shm::Format::Xrgb8888),
        _ => wl_shm::Format::try_from(code).ok(),
    }
}

/// The formats of shared memory that the compositor accepts, as DRM format codes (FourCC).
pub fn formats(connection: &Connection) -> Result<Vec<u32>> {
    let (globals, mut queue) =
        registry_queue_init::<ShmFormats>(connection).map_err(Error::lost)?;
    let bound = globals.bind::<WlShm, _, _>(&queue.handle(), 1..=1, ());
    bound.map_err(Error::lost)?;
    let mut found = ShmFormats::default();
    queue.roundtrip(&mut found).map_err(Error::lost)?;
    Ok(found.codes)
}

/// A presenter of images of a size.
pub fn new(
    (frames, globals): (Frames, GlobalList),
    (width, height): (u32, u32),
    format: &WindowFormat,
    alpha: AlphaMode,
) -> Result<Box<dyn Presenter>> {
    let handle = frames.queue.handle();
    let code = shm_format(format.fourcc(alpha));
    let code = code.ok_or(vk::Error::FormatNotSupported)?;
    let shm: WlShm = globals.bind(&handle, 1..=1, ()).map_err(Error::lost)?;
    let row_bytes = width as usize * format.pixel_bytes as usize;
    let image_bytes = row_bytes * height as usize;
    let pool_bytes = image_bytes * BUFFERS;
    let to_i32 = |bytes: usize| i32::try_from(bytes).map_err(Error::lost);
    let file: OwnedFd = sys::memfd(c"ingot-window", pool_bytes as u64).map_err(Error::lost)?;
    let memory = sys::Mapping::new(file.as_fd(), 0, pool_bytes).map_err(Error::lost)?;
    let pool = shm.create_pool(file.as_fd(), to_i32(pool_bytes)?, &handle, ());
    let (width_px, height_px) = (to_i32(width as usize)?, to_i32(height as usize)?);
    let pitch = to_i32(row_bytes)?;
    let buffers = (0..BUFFERS).map(|index| {
        let busy = Arc::new(AtomicBool::new(false));
        let offset_bytes = index * image_bytes;
        let matching_entries = busy.clone();
        let object = pool.create_buffer(
            to_i32(offset_bytes)?,
            width_px,
            height_px,
            pitch,
            code,
            &handle,
            matching_entries,
        );
        Ok(ShmBuffer {
            buffer: Buffer::new(object, busy),
            offset_bytes,
        })
    });
    let buffers = buffers.collect::<Result<_>>()?;
    // The buffers keep the pool's memory alive.
    pool.destroy();
    Ok(Box::new(ShmPresenter {
        frames,
        memory,
        buffers,
        released: VecDeque::new(),
        row_bytes,
        height,
    }))
}

impl Presenter for ShmPresenter {
    fn is_ready(&self, mode: PresentMode) -> bool {
        self.frames.is_ready(mode) && self.buffers.iter().any(|copy| !copy.buffer.is_busy())
    }

    fn show(&mut self, index: u32, image: &dyn PixelSource, mode: PresentMode) -> Result<()> {
        self.released.push_back(index);
        let Some(free) = self.buffers.iter().find(|copy| !copy.buffer.is_busy()) else {
            return Ok(());
        };
        let mut row = vec![0; self.row_bytes];
        for y in 0..image.height().min(self.height) {
            image.row(y, &mut row)?;
            let offset_bytes = free.offset_bytes + y as usize * self.row_bytes;
            self.memory.write(offset_bytes, &row).map_err(Error::lost)?;
        }
        self.frames.show(&free.buffer, mode, None)
    }

    fn shown(&self) -> u64 {
        self.frames.shown()
    }

    fn fit(&self) -> SwapchainFit {
        SwapchainFit::Optimal
    }

    fn released(&mut self) -> Option<u32> {
        self.released.pop_front()
    }

    fn set_metadata(&mut self, metadata: &HdrMetadata) -> Result<()> {
        self.frames.set_metadata(metadata)
    }

    fn request_times(&mut self) {
        self.frames.request_times();
    }

    fn shown_image(&mut self) -> Option<ShownImage> {
        self.frames.shown_image()
    }

    fn reports_times(&self) -> bool {
        self.frames.reports_times()
    }

    fn refresh(&self) -> Refresh {
        self.frames.refresh()
    }

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        self.frames.wait_events(wake, &[])
    }

    fn poll_events(&mut self) -> Result<()> {
        self.frames.poll_events().map(drop)
    }
}

impl Dispatch<WlShm, ()> for SurfaceEvents {
    fn event(
        _: &mut Self,
        _: &WlShm,
        _: wl_shm::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // `formats` has queried them.
    }
}

impl Dispatch<WlShm, ()> for ShmFormats {
    fn event(
        found: &mut Self,
        _: &WlShm,
        event: wl_shm::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_shm::Event::Format {
            format: WEnum::Value(format),
        } = event
        {
            found.codes.push(drm_code(format));
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for ShmFormats {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // Globals that appear or disappear later are not used.
    }
}

impl Dispatch<WlShmPool, ()> for SurfaceEvents {
    fn event(
        _: &mut Self,
        _: &WlShmPool,
        _: wl_shm_pool::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // The interface has no events.
    }
}
