//! The displays of a physical device: handles that stay the same from query to query.
//!
//! In:  physical devices. Out: handles of displays and modes.

use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk as c;
use wsi::display::{Card, Connected, Mode};

use crate::handle;

/// The object of a `VkDisplayKHR`.
pub struct DisplayObject {
    /// The primary node that drives it.
    pub card: Arc<Card>,
    /// Number of its connector.
    pub connector: u32,
    /// Name for the application, valid as long as the instance.
    pub name: CString,
}

/// The object of a `VkDisplayModeKHR`.
pub struct DisplayModeObject {
    /// The primary node that drives the display.
    pub card: Arc<Card>,
    /// Number of the display's connector.
    pub connector: u32,
    /// The mode.
    pub mode: Mode,
}

/// A display that an application knows, and its modes.
struct KnownDisplay {
    connector: u32,
    handle: c::DisplayKHR,
    modes: Vec<(Mode, c::DisplayModeKHR)>,
}

/// The displays of a physical device that its application has asked for. Their handles stay valid
/// until the instance is destroyed, even if the display is unplugged.
#[derive(Default)]
pub struct Displays {
    state: Mutex<DisplaysState>,
}

#[derive(Default)]
struct DisplaysState {
    card: Option<Arc<Card>>,
    known: Vec<KnownDisplay>,
}

impl Drop for DisplaysState {
    fn drop(&mut self) {
        for display in self.known.drain(..) {
            // SAFETY: no command uses the handles any more: the instance is being destroyed.
            unsafe {
                for (_, mode) in display.modes {
                    handle::destroy(mode);
                }
                handle::destroy(display.handle);
            }
        }
    }
}

impl Displays {
    fn state(&self) -> MutexGuard<'_, DisplaysState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The primary node of the device. None: it has none, or is simulated within this process.
    pub fn card(&self, physical: &vk::PhysicalDevice) -> Option<Arc<Card>> {
        let node = physical.info().node.as_ref()?.primary?;
        let mut state = self.state();
        let card = state.card.get_or_insert_with(|| Arc::new(Card::new(node)));
        Some(card.clone())
    }

    /// The displays that are connected now, with their handles.
    pub fn connected(
        &self,
        physical: &vk::PhysicalDevice,
    ) -> wsi::Result<Vec<(Connected, c::DisplayKHR)>> {
        let Some(card) = self.card(physical) else {
            return Ok(Vec::new());
        };
        let connected = card.connected()?.into_iter();
        let connected = connected.map(|display| {
            let handle = self.handle(&card, display.connector, &display.name);
            (display, handle)
        });
        Ok(connected.collect())
    }

    /// The handle of a display.
    pub fn handle(&self, card: &Arc<Card>, connector: u32, name: &str) -> c::DisplayKHR {
        let mut state = self.state();
        let known = state
            .known
            .iter()
            .find(|known| known.connector == connector);
        if let Some(known) = known {
            return known.handle;
        }
        let handle = handle::create(DisplayObject {
            card: card.clone(),
            connector,
            // A connector's name has no zero.
            name: CString::new(name).unwrap_or_default(),
        });
        state.known.push(KnownDisplay {
            connector,
            handle,
            modes: Vec::new(),
        });
        handle
    }

    /// The modes of a display with their handles.
    pub fn modes(&self, display: &DisplayObject) -> wsi::Result<Vec<(Mode, c::DisplayModeKHR)>> {
        let connected = display.card.connected()?.into_iter();
        let mut connected = connected.filter(|one| one.connector == display.connector);
        let modes = connected.next().map_or_else(Vec::new, |one| one.modes);
        let mut state = self.state();
        let known = state.known.iter_mut();
        let mut known = known.filter(|known| known.connector == display.connector);
        let Some(known) = known.next() else {
            return Ok(Vec::new());
        };
        let with_handles = modes.into_iter().map(|mode| {
            let found = known.modes.iter().find(|(known, _)| *known == mode);
            if let Some((_, handle)) = found {
                return (mode, *handle);
            }
            let handle = handle::create(DisplayModeObject {
                card: display.card.clone(),
                connector: display.connector,
                mode,
            });
            known.modes.push((mode, handle));
            (mode, handle)
        });
        Ok(with_handles.collect())
    }
}
