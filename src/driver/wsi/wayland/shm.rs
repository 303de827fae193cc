//! Presentation of copied pixels in shared memory (`wl_shm`).
//!
//! In:  images. Out: their pixels in buffers of the compositor.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wayland_client::protocol::wl_shm::{self, WlShm};
use wayland_client::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, QueueHandle};

use super::frames::{Buffer, Frames, SurfaceEvents};
use crate::error::{Error, Result};
use crate::present::{AlphaMode, PixelSource, PresentMode, Presenter, SwapchainFit, Waker};

/// Bytes of a pixel: blue, green, red, and alpha or padding.
const PIXEL_BYTES: usize = 4;
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
    width: u32,
    height: u32,
}

/// A presenter of images of a size.
pub fn new(
    connection: &Connection,
    surface: &WlSurface,
    (width, height): (u32, u32),
    alpha: AlphaMode,
) -> Result<Box<dyn Presenter>> {
    let (frames, globals) = Frames::new(connection, surface)?;
    let handle = frames.queue.handle();
    let shm: WlShm = globals.bind(&handle, 1..=1, ()).map_err(Error::lost)?;
    let image_bytes = width as usize * height as usize * PIXEL_BYTES;
    let pool_bytes = image_bytes * BUFFERS;
    let to_i32 = |bytes: usize| i32::try_from(bytes).map_err(Error::lost);
    let file: OwnedFd = sys::memfd(c"ingot-window", pool_bytes as u64).map_err(Error::lost)?;
    let memory = sys::Mapping::new(file.as_fd(), 0, pool_bytes).map_err(Error::lost)?;
    let pool = shm.create_pool(file.as_fd(), to_i32(pool_bytes)?, &handle, ());
    let format = match alpha {
        AlphaMode::Opaque => wl_shm::Format::Xrgb8888,
        AlphaMode::Premultiplied | AlphaMode::Inherit => wl_shm::Format::Argb8888,
    };
    let (width_px, height_px) = (to_i32(width as usize)?, to_i32(height as usize)?);
    let pitch = to_i32(width as usize * PIXEL_BYTES)?;
    let buffers = (0..BUFFERS).map(|index| {
        let busy = Arc::new(AtomicBool::new(false));
        let offset_bytes = index * image_bytes;
        let matching_entries = busy.clone();
        let object = pool.create_buffer(
            to_i32(offset_bytes)?,
            width_px,
            height_px,
            pitch,
            format,
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
        width,
        height,
    }))
}

impl Presenter for ShmPresenter {
    fn is_ready(&self, mode: PresentMode) -> bool {
        self.frames.is_ready(mode) && self.buffers.iter().any(|copy| !copy.buffer.is_busy())
    }

    fn show(&mut self, index: u32, image: &dyn PixelSource, _: PresentMode) -> Result<()> {
        self.released.push_back(index);
        let Some(free) = self.buffers.iter().find(|copy| !copy.buffer.is_busy()) else {
            return Ok(());
        };
        let row_bytes = self.width as usize * PIXEL_BYTES;
        let mut row = vec![0; row_bytes];
        for y in 0..image.height().min(self.height) {
            image.row(y, &mut row)?;
            let offset_bytes = free.offset_bytes + y as usize * row_bytes;
            self.memory.write(offset_bytes, &row).map_err(Error::lost)?;
        }
        self.frames.show(&free.buffer)
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

    fn wait_events(&mut self, wake: &Waker) -> Result<()> {
        self.frames.wait_events(wake)
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
        // Announces formats beyond the two that every compositor supports.
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
