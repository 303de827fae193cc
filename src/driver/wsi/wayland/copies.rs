//! Pixels in shared memory (`wl_shm`).

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wayland_client::protocol::wl_shm::{self, WlShm};
use wayland_client::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, QueueHandle};

use super::frames::{Buffer, Frames, Heard};
use crate::error::{Error, Result};
use crate::present::{Alpha, Fit, Pace, Picture, Presenter, Wake};

/// Bytes of a pixel: blue, green, red, and alpha or nothing.
const PIXEL_BYTES: usize = 4;
/// Pictures that the compositor may hold at once: one that is shown, one that is to come, one that replaces it.
const BUFFERS: usize = 3;

/// A buffer's memory.
struct Copy {
    buffer: Buffer,
    /// First byte in the pool.
    at: usize,
}

struct Copied {
    memory: sys::Mapping,
    copies: Vec<Copy>,
    /// After what it has to tell the end of.
    frames: Frames,
    done: VecDeque<u32>,
    width: u32,
    height: u32,
}

/// What shows pixels in a surface.
pub fn new(
    connection: &Connection,
    surface: &WlSurface,
    (width, height): (u32, u32),
    alpha: Alpha,
) -> Result<Box<dyn Presenter>> {
    let (frames, globals) = Frames::new(connection, surface)?;
    let handle = frames.queue.handle();
    let shm: WlShm = globals.bind(&handle, 1..=1, ()).map_err(Error::lost)?;
    let picture_bytes = width as usize * height as usize * PIXEL_BYTES;
    let pool_bytes = picture_bytes * BUFFERS;
    let number = |bytes: usize| i32::try_from(bytes).map_err(Error::lost);
    let file: OwnedFd = sys::memfd(c"ingot-window", pool_bytes as u64).map_err(Error::lost)?;
    let memory = sys::Mapping::new(file.as_fd(), 0, pool_bytes).map_err(Error::lost)?;
    let pool = shm.create_pool(file.as_fd(), number(pool_bytes)?, &handle, ());
    let format = match alpha {
        Alpha::Opaque => wl_shm::Format::Xrgb8888,
        Alpha::Premultiplied | Alpha::Inherit => wl_shm::Format::Argb8888,
    };
    let (width_px, height_px) = (number(width as usize)?, number(height as usize)?);
    let pitch = number(width as usize * PIXEL_BYTES)?;
    let copies = (0..BUFFERS).map(|index| {
        let busy = Arc::new(AtomicBool::new(false));
        let at = index * picture_bytes;
        let known = busy.clone();
        let object = pool.create_buffer(
            number(at)?,
            width_px,
            height_px,
            pitch,
            format,
            &handle,
            known,
        );
        Ok(Copy {
            buffer: Buffer::new(object, busy),
            at,
        })
    });
    let copies = copies.collect::<Result<_>>()?;
    // The buffers hold it.
    pool.destroy();
    Ok(Box::new(Copied {
        frames,
        memory,
        copies,
        done: VecDeque::new(),
        width,
        height,
    }))
}

impl Presenter for Copied {
    fn is_ready(&self, pace: Pace) -> bool {
        self.frames.is_ready(pace) && self.copies.iter().any(|copy| !copy.buffer.is_busy())
    }

    fn show(&mut self, index: u32, picture: &dyn Picture, _: Pace) -> Result<()> {
        self.done.push_back(index);
        let Some(free) = self.copies.iter().find(|copy| !copy.buffer.is_busy()) else {
            return Ok(());
        };
        let row_bytes = self.width as usize * PIXEL_BYTES;
        let mut row = vec![0; row_bytes];
        for y in 0..picture.height().min(self.height) {
            picture.row(y, &mut row)?;
            let at = free.at + y as usize * row_bytes;
            self.memory.write(at, &row).map_err(Error::lost)?;
        }
        self.frames.show(&free.buffer)
    }

    fn shown(&self) -> u64 {
        self.frames.shown()
    }

    fn fit(&self) -> Fit {
        Fit::Same
    }

    fn done(&mut self) -> Option<u32> {
        self.done.pop_front()
    }

    fn listen(&mut self, wake: &Wake) -> Result<()> {
        self.frames.listen(wake)
    }

    fn hear(&mut self) -> Result<()> {
        self.frames.hear().map(drop)
    }
}

impl Dispatch<WlShm, ()> for Heard {
    fn event(
        _: &mut Self,
        _: &WlShm,
        _: wl_shm::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // Formats beyond the two that every compositor has.
    }
}

impl Dispatch<WlShmPool, ()> for Heard {
    fn event(
        _: &mut Self,
        _: &WlShmPool,
        _: wl_shm_pool::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // It has none.
    }
}
