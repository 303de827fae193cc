//! A primary node: its connectors, modes and planes.
//!
//! In:  a node, or a descriptor of it. Out: connected displays, their power and refreshes, and the
//!      route to each: the CRTC and the primary plane that drive it, with the plane's formats and
//!      modifiers.
//! Ref: drm-kms(7); drm_mode.h, "struct drm_format_modifier_blob".

use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use drm::control::{Device as _, ResourceHandle, connector, crtc, from_u32, property};
use drm::{ClientCapability, Device as _};

use super::events::{CardFile, Signal};
use super::hotplug::Hotplug;
use crate::error::{Error, Result};

/// The primary node of a GPU.
#[derive(Debug)]
pub struct Card {
    /// Major and minor number.
    node: [u32; 2],
    /// The descriptor in use: of the node, or from the application.
    file: Mutex<Option<Arc<CardFile>>>,
    /// Whether it is from the application, or from a display server.
    acquired: AtomicBool,
    hotplug: Arc<Hotplug>,
}

/// The power state of a display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerState {
    /// It is on.
    On,
    /// It saves power, and is on again soon.
    Suspend,
    /// It is off.
    Off,
}

impl PowerState {
    /// The value of the property DPMS (`DRM_MODE_DPMS_*`).
    fn value(self) -> u64 {
        match self {
            PowerState::On => 0,
            PowerState::Suspend => 2,
            PowerState::Off => 3,
        }
    }
}

/// A connected display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    /// Number of its connector.
    pub connector: u32,
    /// Name of its connector, such as "HDMI-A-1".
    pub name: String,
    /// Width and height in mm; 0 if unknown.
    pub size_mm: [u32; 2],
    /// Its modes, the preferred one first.
    pub modes: Vec<Mode>,
}

/// A mode of a display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(pub(super) drm::control::Mode);

impl Mode {
    /// Visible width and height in pixels.
    pub fn extent_px(&self) -> [u32; 2] {
        let (width, height) = self.0.size();
        [width, height].map(u32::from)
    }

    /// Period of refreshes in ns, or 0.
    pub(super) fn period_ns(&self) -> u64 {
        let (_, _, across) = self.0.hsync();
        let (_, _, down) = self.0.vsync();
        let pixels = u64::from(across) * u64::from(down);
        // The clock is in kHz.
        let period_ns = pixels
            .saturating_mul(1_000_000)
            .checked_div(self.0.clock().into());
        period_ns.unwrap_or(0)
    }

    /// Refreshes per 1000 seconds.
    pub fn refresh_mhz(&self) -> u32 {
        let (_, _, across) = self.0.hsync();
        let (_, _, down) = self.0.vsync();
        let pixels = u64::from(across) * u64::from(down);
        let pixels_in_1000_s = u64::from(self.0.clock()) * 1_000_000;
        let rounded = (pixels_in_1000_s + pixels / 2).checked_div(pixels);
        rounded.unwrap_or(0) as u32
    }
}

/// What drives a display.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub connector: connector::Handle,
    pub crtc: crtc::Handle,
    /// Pairs of format and modifier that its primary plane shows.
    pub formats: Vec<(u32, u64)>,
}

/// The error for a failed request.
fn lost(what: &str, error: std::io::Error) -> Error {
    Error::lost(format!("{what}: {error}"))
}

impl Card {
    /// A primary node by its device number. It is opened when it is first needed: the first to open
    /// it becomes the master of the displays.
    pub fn new(node: [u32; 2]) -> Self {
        Self {
            node,
            file: Mutex::default(),
            acquired: AtomicBool::new(false),
            hotplug: Arc::default(),
        }
    }

    /// The descriptor in use.
    pub(super) fn file(&self) -> Result<Arc<CardFile>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*file {
            return Ok(file.clone());
        }
        let path = PathBuf::from(format!("/dev/dri/card{}", self.node[1]));
        let opened = sys::open_node(&path);
        let opened = opened.map_err(|error| Error::lost(format!("{}: {error}", path.display())))?;
        let opened = Arc::new(CardFile::new(opened));
        *file = Some(opened.clone());
        Ok(opened)
    }

    /// Uses a descriptor of the application, which is the master or has a lease, for all displays.
    ///
    /// # Errors
    /// The descriptor is not of this node, or lacks the connector.
    pub fn acquire(&self, descriptor: BorrowedFd<'_>, connector: u32) -> Result<()> {
        if !self.has_connector(descriptor, connector)? {
            return Err(Error::lost(format!("there is no connector {connector}")));
        }
        let own = descriptor.try_clone_to_owned().map_err(Error::lost)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        *file = Some(Arc::new(CardFile::new(own)));
        self.acquired.store(true, Relaxed);
        Ok(())
    }

    /// Whether a descriptor of the application is in use.
    pub fn is_acquired(&self) -> bool {
        self.acquired.load(Relaxed)
    }

    /// Whether the node has a connector, as far as this process may look.
    pub fn may_have_connector(&self, connector: u32) -> bool {
        let file = self.file();
        file.and_then(|file| self.has_connector(file.as_fd(), connector))
            .unwrap_or(true)
    }

    /// Stops using the application's descriptor.
    pub fn release(&self) {
        self.acquired.store(false, Relaxed);
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether a descriptor of the application is of this node, and knows a connector.
    pub fn has_connector(&self, descriptor: BorrowedFd<'_>, connector: u32) -> Result<bool> {
        if sys::device_of(descriptor).map_err(Error::lost)? != self.node {
            return Err(Error::lost("a descriptor of another device"));
        }
        let file = CardFile::new(descriptor.try_clone_to_owned().map_err(Error::lost)?);
        let resources = file.resource_handles();
        let resources = resources.map_err(|error| lost("the node's resources", error))?;
        let mut connectors = resources.connectors().iter();
        Ok(connectors.any(|&known| u32::from(known) == connector))
    }

    /// The connected displays. None without an error: the GPU drives no displays.
    pub fn connected(&self) -> Result<Vec<Connected>> {
        let file = self.file()?;
        let Ok(resources) = file.resource_handles() else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for &handle in resources.connectors() {
            let info = file.get_connector(handle, false);
            let info = info.map_err(|error| lost("a connector", error))?;
            if info.state() != connector::State::Connected {
                continue;
            }
            let mut modes: Vec<Mode> = info.modes().iter().map(|&mode| Mode(mode)).collect();
            let preferred = drm::control::ModeTypeFlags::PREFERRED;
            modes.sort_by_key(|mode| !mode.0.mode_type().contains(preferred));
            let (width, height) = info.size().unwrap_or((0, 0));
            all.push(Connected {
                connector: handle.into(),
                name: info.to_string(),
                size_mm: [width, height],
                modes,
            });
        }
        Ok(all)
    }

    /// A connector by its number.
    fn connector(file: &CardFile, number: u32) -> Result<connector::Info> {
        let unknown = || Error::lost(format!("there is no connector {number}"));
        let handle = from_u32(number).ok_or_else(unknown)?;
        let info = file.get_connector(handle, false);
        info.map_err(|error| lost("a connector", error))
    }

    /// The CRTC that drives a display now.
    fn current_crtc(file: &CardFile, connector: &connector::Info) -> Result<Option<crtc::Handle>> {
        let Some(encoder) = connector.current_encoder() else {
            return Ok(None);
        };
        let encoder = file.get_encoder(encoder);
        Ok(encoder.map_err(|error| lost("an encoder", error))?.crtc())
    }

    /// Sets the power state of a display.
    pub fn set_power(&self, connector: u32, power: PowerState) -> Result<()> {
        let file = self.file()?;
        let info = Self::connector(&file, connector)?;
        let mut all = properties(&file, info.handle())?.into_iter();
        let dpms = all.find(|(property, _)| property.name().to_str() == Ok("DPMS"));
        let (property, _) = dpms.ok_or_else(|| Error::lost("a connector without power states"))?;
        let set = file.set_property(info.handle(), property.handle(), power.value());
        set.map_err(|error| lost("the power of a display", error))?;
        match (power, Self::current_crtc(&file, &info)?) {
            (PowerState::On, Some(crtc)) => file.note_light(connector, crtc)?,
            // Without a CRTC it is off until an image is shown.
            (PowerState::On, None) => {}
            (PowerState::Suspend | PowerState::Off, _) => file.note_power_off(connector),
        }
        Ok(())
    }

    /// The number of refreshes of a display so far; 0 while it is off.
    pub fn refresh_count(&self, connector: u32) -> Result<u64> {
        let file = self.file()?;
        let info = Self::connector(&file, connector)?;
        let Some(crtc) = Self::current_crtc(&file, &info)? else {
            return Ok(0);
        };
        let last = sys::last_refresh(file.as_fd(), crtc.into());
        Ok(last.map_err(Error::lost)?.unwrap_or(0))
    }

    /// Signals when the first pixel of the next refresh of a display leaves for it. If the display
    /// is off, this is its first refresh after it is on.
    pub fn signal_refresh(&self, connector: u32, signal: Signal) -> Result<()> {
        let file = self.file()?;
        let info = Self::connector(&file, connector)?;
        let crtc = Self::current_crtc(&file, &info)?;
        file.signal_refresh(connector, crtc, signal)
    }

    /// Signals when a display is plugged in or unplugged.
    pub fn signal_hotplug(&self, signal: Signal) -> Result<()> {
        self.hotplug.signal(self.node, signal)
    }

    /// The route to a display: the CRTC that drives it now, or else the first that can and drives
    /// no other.
    pub(super) fn route(&self, connector: u32) -> Result<Route> {
        let file = self.file()?;
        let resources = file.resource_handles();
        let resources = resources.map_err(|error| lost("the node's resources", error))?;
        let info = Self::connector(&file, connector)?;
        let encoder = |handle| {
            let encoder = file.get_encoder(handle);
            encoder.map_err(|error| lost("an encoder", error))
        };
        let mut crtc = Self::current_crtc(&file, &info)?;
        for &handle in info.encoders() {
            for possible in resources.filter_crtcs(encoder(handle)?.possible_crtcs()) {
                let state = file.get_crtc(possible);
                let state = state.map_err(|error| lost("a CRTC", error))?;
                if crtc.is_none() && state.mode().is_none() {
                    crtc = Some(possible);
                }
            }
        }
        let crtc = crtc.ok_or_else(|| Error::lost("all CRTCs drive other displays"))?;
        Ok(Route {
            connector: info.handle(),
            crtc,
            formats: formats(&file, &resources, crtc)?,
        })
    }
}

/// The formats and modifiers of the primary plane of a CRTC.
fn formats(
    file: &CardFile,
    resources: &drm::control::ResourceHandles,
    crtc: crtc::Handle,
) -> Result<Vec<(u32, u64)>> {
    let shown = file.set_client_capability(ClientCapability::UniversalPlanes, true);
    shown.map_err(|error| lost("planes of every type", error))?;
    let planes = file.plane_handles();
    for handle in planes.map_err(|error| lost("the planes", error))? {
        let info = file.get_plane(handle);
        let info = info.map_err(|error| lost("a plane", error))?;
        let possible = resources.filter_crtcs(info.possible_crtcs());
        let properties = properties(file, handle)?;
        let kind = property_value(&properties, "type");
        if !possible.contains(&crtc) || kind != Some(PRIMARY) {
            continue;
        }
        let Some(blob) = property_value(&properties, "IN_FORMATS") else {
            // The kernel is older than the property: linear images only.
            return Ok(info
                .formats()
                .iter()
                .map(|&format| (format, LINEAR))
                .collect());
        };
        let blob = file.get_property_blob(blob);
        return Ok(parse_formats(
            &blob.map_err(|error| lost("a plane's formats", error))?,
        ));
    }
    Err(Error::lost("a CRTC without a primary plane"))
}

/// DRM_FORMAT_MOD_LINEAR.
const LINEAR: u64 = 0;
/// DRM_PLANE_TYPE_PRIMARY.
const PRIMARY: u64 = 1;

/// The properties of an object with their values.
fn properties(
    file: &CardFile,
    handle: impl ResourceHandle,
) -> Result<Vec<(property::Info, property::RawValue)>> {
    let set = file.get_properties(handle);
    let set = set.map_err(|error| lost("an object's properties", error))?;
    let (ids, values) = set.as_props_and_values();
    let infos = ids.iter().zip(values).map(|(&id, &value)| {
        let info = file.get_property(id);
        Ok((info.map_err(|error| lost("a property", error))?, value))
    });
    infos.collect()
}

/// The value of a property.
fn property_value(properties: &[(property::Info, u64)], name: &str) -> Option<u64> {
    let mut matching = properties
        .iter()
        .filter(|(info, _)| info.name().to_str() == Ok(name));
    matching.next().map(|(_, value)| *value)
}

/// Parses a blob of formats and modifiers (`struct drm_format_modifier_blob`): a header of six
/// words, a table of formats, and modifiers with bits of the formats that they apply to.
fn parse_formats(blob: &[u8]) -> Vec<(u32, u64)> {
    let word = |at: usize| {
        let bytes = blob.get(at..at + 4)?.first_chunk()?;
        Some(u32::from_ne_bytes(*bytes))
    };
    let long = |at: usize| {
        let bytes = blob.get(at..at + 8)?.first_chunk()?;
        Some(u64::from_ne_bytes(*bytes))
    };
    /// Bytes of an entry: bits, the index of bit 0, padding, and the modifier.
    const ENTRY_BYTES: usize = 24;
    let all = || {
        let [formats, formats_at, modifiers, modifiers_at] =
            [word(8)?, word(12)?, word(16)?, word(20)?].map(|number| number as usize);
        let mut pairs = Vec::new();
        for index in 0..modifiers {
            let at = modifiers_at + index * ENTRY_BYTES;
            let (bits, first, modifier) = (long(at)?, word(at + 8)? as usize, long(at + 16)?);
            for bit in (0..64).filter(|bit| bits >> bit & 1 != 0) {
                let format = first + bit;
                if format < formats {
                    pairs.push((word(formats_at + format * 4)?, modifier));
                }
            }
        }
        Some(pairs)
    };
    all().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_modifiers_are_parsed() {
        let mut blob = Vec::new();
        for word in [1u32, 0, 3, 24, 2, 40, 11, 22, 33, 0] {
            blob.extend(word.to_ne_bytes());
        }
        for (bits, first, modifier) in [(0b101u64, 0u32, 7u64), (0b111, 1, 9)] {
            blob.extend(bits.to_ne_bytes());
            blob.extend(first.to_ne_bytes());
            blob.extend([0; 4]);
            blob.extend(modifier.to_ne_bytes());
        }
        let pairs = [(11, 7), (33, 7), (22, 9), (33, 9)];
        assert_eq!(parse_formats(&blob), pairs);
        blob.truncate(blob.len() - 1);
        assert_eq!(parse_formats(&blob), []);
        assert_eq!(parse_formats(&[]), []);
    }
}
