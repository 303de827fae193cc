//! Surfaces of Wayland, by shared memory (`wl_shm`).
//!
//! In:  the application's connection and its `wl_surface`. Out: buffers attached to it. Events of what is made here come on a queue of
//! our own, so the application's never sees them.
//! Ref: Wayland protocol, `wl_surface`, `wl_shm`.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_buffer::{self, WlBuffer};
use wayland_client::protocol::wl_callback::{self, WlCallback};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_shm::{self, WlShm};
use wayland_client::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, EventQueue, QueueHandle};

use crate::error::{Error, Result};
use crate::present::{Alpha, Fit, Pace, Picture, Presenter, STEP_MS, Stop};

/// Bytes of a pixel: blue, green, red, and alpha or nothing.
const PIXEL_BYTES: usize = 4;
/// Pictures that the compositor may hold at once: one that is shown, one that is to come, one that replaces it.
const BUFFERS: usize = 3;

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

    /// What shows pictures of a size in it.
    pub fn presenter(&self, width: u32, height: u32, alpha: Alpha) -> Result<Box<dyn Presenter>> {
        Ok(Box::new(Shown::new(self, width, height, alpha)?))
    }
}

/// What is heard of a surface's pictures.
#[derive(Debug, Default)]
struct Heard {
    /// How many pictures were shown, or dropped for newer ones.
    shown: u64,
}

/// A buffer's memory, and whether the compositor reads it.
#[derive(Debug)]
struct Buffer {
    object: WlBuffer,
    /// First byte in the pool.
    at: usize,
    busy: Arc<AtomicBool>,
}

struct Shown {
    connection: Connection,
    surface: WlSurface,
    queue: EventQueue<Heard>,
    heard: Heard,
    /// Pictures so far.
    given: u64,
    memory: sys::Mapping,
    buffers: Vec<Buffer>,
    width: u32,
    height: u32,
}

impl Shown {
    fn new(window: &Window, width: u32, height: u32, alpha: Alpha) -> Result<Self> {
        let connection = window.connection.clone();
        let (globals, queue) = registry_queue_init::<Heard>(&connection).map_err(Error::lost)?;
        let handle = queue.handle();
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
        let buffers = (0..BUFFERS).map(|index| {
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
            Ok(Buffer { object, at, busy })
        });
        let buffers = buffers.collect::<Result<_>>()?;
        // The buffers hold it.
        pool.destroy();
        Ok(Self {
            connection,
            surface: window.surface.clone(),
            queue,
            heard: Heard::default(),
            given: 0,
            memory,
            buffers,
            width,
            height,
        })
    }

    /// Hears what comes, for a while if nothing has come yet.
    fn wait(&mut self, millis: u16) -> Result<()> {
        self.connection.flush().map_err(Error::lost)?;
        let heard = self.queue.dispatch_pending(&mut self.heard);
        if heard.map_err(Error::lost)? > 0 {
            return Ok(());
        }
        // None: another thread has read events for us meanwhile.
        if let Some(reading) = self.connection.prepare_read() {
            let ready = sys::wait_readable(reading.connection_fd(), millis);
            if ready.map_err(Error::lost)? {
                reading.read().map_err(Error::lost)?;
            }
        }
        let heard = self.queue.dispatch_pending(&mut self.heard);
        heard.map_err(Error::lost).map(drop)
    }

    /// A buffer that the compositor does not read. None: the swapchain ends first.
    fn free(&mut self, stop: &Stop) -> Result<Option<usize>> {
        loop {
            let free = self
                .buffers
                .iter()
                .position(|buffer| !buffer.busy.load(Relaxed));
            if free.is_some() || stop.is_set() {
                return Ok(free);
            }
            self.wait(STEP_MS)?;
        }
    }
}

impl Presenter for Shown {
    fn show(&mut self, picture: &dyn Picture, pace: Pace, stop: &Stop) -> Result<Fit> {
        let heard = self.queue.dispatch_pending(&mut self.heard);
        heard.map_err(Error::lost)?;
        while pace == Pace::Fifo && self.heard.shown != self.given && !stop.is_set() {
            self.wait(STEP_MS)?;
        }
        let Some(free) = self.free(stop)? else {
            return Ok(Fit::Same);
        };
        let buffer = &self.buffers[free];
        let row_bytes = self.width as usize * PIXEL_BYTES;
        let mut row = vec![0; row_bytes];
        for y in 0..picture.height().min(self.height) {
            picture.row(y, &mut row)?;
            let at = buffer.at + y as usize * row_bytes;
            self.memory.write(at, &row).map_err(Error::lost)?;
        }
        buffer.busy.store(true, Relaxed);
        self.surface.attach(Some(&buffer.object), 0, 0);
        // All of it; older compositors have no damage in the buffer's own pixels.
        self.surface.damage(0, 0, i32::MAX, i32::MAX);
        self.given += 1;
        self.surface.frame(&self.queue.handle(), self.given);
        self.surface.commit();
        self.connection.flush().map_err(Error::lost)?;
        Ok(Fit::Same)
    }

    fn shown(&self) -> u64 {
        self.heard.shown
    }

    fn listen(&mut self, millis: u16) -> Result<Fit> {
        self.wait(millis)?;
        Ok(Fit::Same)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        for buffer in &self.buffers {
            buffer.object.destroy();
        }
        // If the connection is gone there is nothing left to tell.
        _ = self.connection.flush();
    }
}

impl Dispatch<WlCallback, u64> for Heard {
    fn event(
        heard: &mut Self,
        _: &WlCallback,
        event: wl_callback::Event,
        &number: &u64,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_callback::Event::Done { .. } = event {
            heard.shown = heard.shown.max(number);
        }
    }
}

impl Dispatch<WlBuffer, Arc<AtomicBool>> for Heard {
    fn event(
        _: &mut Self,
        _: &WlBuffer,
        event: wl_buffer::Event,
        busy: &Arc<AtomicBool>,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_buffer::Event::Release = event {
            busy.store(false, Relaxed);
        }
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

impl Dispatch<WlRegistry, GlobalListContents> for Heard {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // What comes and goes later is not asked for.
    }
}
