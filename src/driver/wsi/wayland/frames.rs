//! Buffers as the frames of a surface: attached one after another, given back, and when each was shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use wayland_client::backend::WaylandError;
use wayland_client::globals::{GlobalList, GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_buffer::{self, WlBuffer};
use wayland_client::protocol::wl_callback::{self, WlCallback};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, EventQueue, QueueHandle};

use crate::error::{Error, Result};
use crate::present::{Pace, Wake};

/// What is heard of a surface's pictures.
#[derive(Debug, Default)]
pub struct Heard {
    /// How many pictures were shown, or dropped for newer ones.
    shown: u64,
    /// What has become of buffers that were asked for: in their order, or nothing.
    pub made: Vec<Option<WlBuffer>>,
}

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    object: WlBuffer,
    busy: Arc<AtomicBool>,
}

impl Buffer {
    /// Of an object that tells this flag when it is given back.
    pub fn new(object: WlBuffer, busy: Arc<AtomicBool>) -> Self {
        Self { object, busy }
    }

    /// Whether the compositor reads it.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Relaxed)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.object.destroy();
    }
}

/// A surface's frames.
pub struct Frames {
    connection: Connection,
    surface: WlSurface,
    /// Our own.
    pub queue: EventQueue<Heard>,
    /// What has come on it.
    pub heard: Heard,
    /// Pictures so far.
    given: u64,
}

impl Frames {
    /// Frames of a surface, and what else its compositor has.
    pub fn new(connection: &Connection, surface: &WlSurface) -> Result<(Self, GlobalList)> {
        let (globals, queue) = registry_queue_init::<Heard>(connection).map_err(Error::lost)?;
        let frames = Self {
            connection: connection.clone(),
            surface: surface.clone(),
            queue,
            heard: Heard::default(),
            given: 0,
        };
        Ok((frames, globals))
    }

    /// How many were shown, or dropped for newer ones.
    pub fn shown(&self) -> u64 {
        self.heard.shown
    }

    /// Whether the pace lets another one come.
    pub fn is_ready(&self, pace: Pace) -> bool {
        !pace.is_even() || self.heard.shown == self.given
    }

    /// Hears what has been read. Returns whether that was anything.
    pub fn hear(&mut self) -> Result<bool> {
        let heard = self.queue.dispatch_pending(&mut self.heard);
        Ok(heard.map_err(Error::lost)? > 0)
    }

    /// Waits for news, or until it is woken.
    pub fn listen(&mut self, wake: &Wake) -> Result<()> {
        self.connection.flush().map_err(Error::lost)?;
        if self.hear()? {
            return Ok(());
        }
        // None: another thread has read events for us meanwhile.
        if let Some(reading) = self.connection.prepare_read() {
            wake.wait(&[reading.connection_fd()])?;
            if sys::poll_readable(reading.connection_fd()).map_err(Error::lost)? {
                match reading.read() {
                    // Others, who wait as well, have read it.
                    Err(WaylandError::Io(error))
                        if error.kind() == std::io::ErrorKind::WouldBlock => {}
                    read => drop(read.map_err(Error::lost)?),
                }
            }
        }
        self.hear().map(drop)
    }

    /// Shows a buffer.
    pub fn show(&mut self, buffer: &Buffer) -> Result<()> {
        buffer.busy.store(true, Relaxed);
        self.surface.attach(Some(&buffer.object), 0, 0);
        // All of it; older compositors have no damage in the buffer's own pixels.
        self.surface.damage(0, 0, i32::MAX, i32::MAX);
        self.given += 1;
        self.surface.frame(&self.queue.handle(), self.given);
        self.surface.commit();
        self.connection.flush().map_err(Error::lost)
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
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
