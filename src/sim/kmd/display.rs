//! A simulated display: one connector with a connected monitor, one CRTC, one plane.
//!
//! In:  framebuffers. Out: the monitor's modes, and what it shows, as PNG files.
//! Ref: drm_mode.h; SKL PRM vol. 12, "Plane Capability and Interoperability" (formats, tilings),
//!      "PLANE_STRIDE"; VESA DMT 1.13 (timings).

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use uapi::mode::{self, EventVblank, ModeInfo};

use crate::options::LogSink;
use crate::refreshes::Refreshes;
use crate::scanout::{self, Framebuffer};
pub use crate::scanout::{MAX_SIDE, format_blob, format_codes};

/// The plane.
pub const PLANE: u32 = 31;
/// The CRTC.
pub const CRTC: u32 = 41;
/// The encoder.
pub const ENCODER: u32 = 51;
/// The connector.
pub const CONNECTOR: u32 = 61;
/// The property of planes with the type of a plane.
pub const PROPERTY_TYPE: u32 = 71;
/// The property of planes with the blob of formats and modifiers.
pub const PROPERTY_IN_FORMATS: u32 = 72;
/// The property of connectors with their power state.
pub const PROPERTY_DPMS: u32 = 73;
/// That blob.
pub const BLOB_IN_FORMATS: u32 = 81;
/// Number of the first framebuffer.
const FIRST_FRAMEBUFFER: u32 = 101;
/// The file in the folder of the display that unplugs the monitor while it exists.
const UNPLUGGED: &str = "unplugged";
/// Size of the monitor in mm.
pub const MONITOR_MM: [u32; 2] = [160, 120];

/// The timings of the monitor: VESA's of 640 × 480 and 800 × 600 at 60 Hz; the first is preferred.
pub fn modes() -> [ModeInfo; 2] {
    let mode = |clock, horizontal: [u16; 4], vertical: [u16; 4], flags, name: &[u8; 7], kind| {
        let mut padded = [0; 32];
        padded[..name.len()].copy_from_slice(name);
        ModeInfo {
            clock,
            hdisplay: horizontal[0],
            hsync_start: horizontal[1],
            hsync_end: horizontal[2],
            htotal: horizontal[3],
            vdisplay: vertical[0],
            vsync_start: vertical[1],
            vsync_end: vertical[2],
            vtotal: vertical[3],
            vrefresh: 60,
            flags,
            kind,
            name: padded,
            ..ModeInfo::default()
        }
    };
    let negative = mode::FLAG_NHSYNC | mode::FLAG_NVSYNC;
    let positive = mode::FLAG_PHSYNC | mode::FLAG_PVSYNC;
    let preferred = mode::TYPE_DRIVER | mode::TYPE_PREFERRED;
    [
        mode(
            25_175,
            [640, 656, 752, 800],
            [480, 490, 492, 525],
            negative,
            b"640x480",
            preferred,
        ),
        mode(
            40_000,
            [800, 840, 968, 1056],
            [600, 601, 605, 628],
            positive,
            b"800x600",
            mode::TYPE_DRIVER,
        ),
    ]
}

/// Receives the event of a completed flip.
pub type EventSink = Box<dyn FnOnce(&EventVblank) + Send>;

/// The display of a device.
#[derive(Debug)]
pub(crate) struct Display {
    /// Folder for what the monitor shows.
    folder: Option<PathBuf>,
    sink: LogSink,
    next_framebuffer: AtomicU32,
    pub(crate) state: Mutex<DisplayState>,
}

#[derive(Debug, Default)]
pub(crate) struct DisplayState {
    /// The timing; none while the CRTC is off.
    pub(crate) mode: Option<ModeInfo>,
    /// The power state of the connector: `DPMS_*`.
    pub(crate) power: u64,
    pub(crate) refreshes: Refreshes,
    pub(crate) shown: Option<Arc<Framebuffer>>,
    /// A flip is not complete yet.
    pub(crate) flipping: bool,
    /// Number of images shown.
    images: u64,
}

impl DisplayState {
    /// Sets or ends the mode, which turns the power on.
    pub(crate) fn set_mode(&mut self, mode: Option<ModeInfo>) {
        self.mode = mode;
        if mode.is_some() {
            self.power = mode::DPMS_ON;
        } else {
            self.shown = None;
        }
        self.update_cycle();
    }

    /// Counts refreshes if the CRTC has a mode and power.
    pub(crate) fn update_cycle(&mut self) {
        let mode = self.mode.as_ref();
        let mode = mode.filter(|_| self.power == mode::DPMS_ON);
        self.refreshes.set_cycle(mode);
    }
}

/// The state of the CRTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrtcState {
    /// The timing; none while it is off.
    pub mode: Option<ModeInfo>,
    /// The framebuffer that it shows, or 0.
    pub framebuffer: u32,
}

impl Display {
    pub(crate) fn new(folder: Option<PathBuf>, sink: LogSink) -> Self {
        Self {
            folder,
            sink,
            next_framebuffer: AtomicU32::new(FIRST_FRAMEBUFFER),
            state: Mutex::default(),
        }
    }

    /// Whether the monitor is plugged in: unless the folder has a file of this name.
    pub(crate) fn is_plugged(&self) -> bool {
        let folder = self.folder.as_ref();
        folder.is_none_or(|folder| !folder.join(UNPLUGGED).exists())
    }

    /// The number of a new framebuffer.
    pub(crate) fn next_framebuffer(&self) -> u32 {
        self.next_framebuffer.fetch_add(1, Ordering::Relaxed)
    }

    /// Shows a framebuffer, and writes what the monitor shows to a file.
    pub(crate) fn latch(&self, state: &mut DisplayState, framebuffer: Arc<Framebuffer>) {
        state.images += 1;
        if let (Some(folder), Some(mode)) = (&self.folder, &state.mode) {
            let size = [mode.hdisplay, mode.vdisplay].map(u32::from);
            if let Err(why) = scanout::write_image(folder, state.images, size, &framebuffer) {
                self.sink.line(&format!("display: {why}"));
            }
        }
        state.shown = Some(framebuffer);
    }
}
