//! Signals for displays that are plugged in or unplugged.
//!
//! In:  the kernel's messages about a primary node. Out: signals to fences.
//! Ref: Vulkan specification, "VK_DEVICE_EVENT_TYPE_DISPLAY_HOTPLUG_EXT"; Linux,
//!      drivers/gpu/drm/drm_sysfs.c.

use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sys::UeventSocket;

use super::events::{Signal, send};
use crate::error::{Error, Result};

/// How long the thread waits for a message before it looks whether it still has to.
const WAIT_MS: u16 = 500;

/// Those who wait for a display to be plugged in or unplugged.
#[derive(Debug, Default)]
pub struct Hotplug {
    state: Mutex<HotplugState>,
}

#[derive(Debug, Default)]
struct HotplugState {
    signals: Vec<Signal>,
    /// A thread reads messages as long as there are signals.
    has_reader: bool,
}

impl Hotplug {
    fn state(&self) -> MutexGuard<'_, HotplugState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Signals when a display is plugged in or unplugged at a primary node, by its device numbers.
    pub fn signal(self: &Arc<Self>, node: [u32; 2], signal: Signal) -> Result<()> {
        let mut state = self.state();
        state.signals.push(signal);
        if state.has_reader {
            return Ok(());
        }
        // Opened here: what happens from now on is reported.
        let socket = UeventSocket::open().map_err(Error::lost)?;
        let owner = self.clone();
        let thread = std::thread::Builder::new().name("ingot-hotplug".into());
        let started = thread.spawn(move || owner.read(&socket, node));
        started.map_err(Error::lost)?;
        state.has_reader = true;
        Ok(())
    }

    /// The thread: reads messages until no signal is awaited.
    fn read(&self, socket: &UeventSocket, node: [u32; 2]) {
        loop {
            let waited = sys::wait_readable(socket.as_fd(), WAIT_MS);
            if waited == Ok(false) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let message = waited.and_then(|_| socket.receive());
            let mut state = self.state();
            match &message {
                Ok(Some(message)) if sys::is_hotplug(message, node) => {
                    state.signals.drain(..).for_each(|signal| send(&signal));
                }
                Ok(_) => state.signals.retain(|signal| signal.strong_count() > 0),
                Err(_) => state.signals.clear(),
            }
            if state.signals.is_empty() {
                state.has_reader = false;
                return;
            }
        }
    }
}
