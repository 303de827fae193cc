//! A simulated display: one connector with a connected monitor, one CRTC, one plane.
//!
//! In:  framebuffers, modes, page flips. Out: what the monitor shows, as PNG files, and events at
//!      its refreshes.
//! Ref: drm_mode.h; SKL PRM vol. 12, "Plane Capability and Interoperability" (formats, tilings),
//!      "PLANE_STRIDE"; VESA DMT 1.13 (timings).

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use uapi::mode::{self, EventVblank, FbCmd2, ModeInfo};
use uapi::{Errno, Result};

use crate::buffer::Buffer;
use crate::fence::lock;
use crate::file::File;
use crate::options::LogSink;
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
/// That blob.
pub const BLOB_IN_FORMATS: u32 = 81;
/// Number of the first framebuffer.
const FIRST_FRAMEBUFFER: u32 = 101;
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

/// Period of a mode's refreshes in ns.
fn period_ns(mode: &ModeInfo) -> u64 {
    let pixels = u64::from(mode.htotal) * u64::from(mode.vtotal);
    (pixels * 1_000_000)
        .checked_div(mode.clock.into())
        .unwrap_or(0)
        .max(1)
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
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The timing; none while the CRTC is off.
    mode: Option<ModeInfo>,
    shown: Option<Arc<Framebuffer>>,
    /// A flip is not complete yet.
    flipping: bool,
    /// Number of images shown.
    images: u64,
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

    /// Shows a framebuffer, and writes what the monitor shows to a file.
    fn latch(&self, state: &mut State, framebuffer: Arc<Framebuffer>) {
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

impl File {
    fn display(&self) -> Result<&Arc<Display>> {
        self.device.display.as_ref().ok_or(Errno::EOPNOTSUPP)
    }

    fn framebuffer(&self, id: u32) -> Result<Arc<Framebuffer>> {
        let state = lock(&self.state);
        state.framebuffers.get(&id).cloned().ok_or(Errno::ENOENT)
    }

    /// Whether the device has a display.
    pub fn has_display(&self) -> bool {
        self.device.display.is_some()
    }

    /// The framebuffers of the file.
    pub fn framebuffers(&self) -> Vec<u32> {
        lock(&self.state).framebuffers.keys().copied().collect()
    }

    /// ADDFB2: a framebuffer for a buffer of one memory plane. `EINVAL` if the plane cannot show
    /// it.
    pub fn add_framebuffer(&self, request: &FbCmd2) -> Result<u32> {
        let display = self.display()?;
        let others = request.handles[1..].iter().any(|&handle| handle != 0);
        if request.flags & !mode::FB_MODIFIERS != 0 || others {
            return Err(Errno::EINVAL);
        }
        let buffer: Arc<Buffer> = self.buffer(request.handles[0])?;
        let modifier = match request.flags & mode::FB_MODIFIERS {
            0 => None,
            _ => Some(request.modifier[0]),
        };
        let id = display.next_framebuffer.fetch_add(1, Ordering::Relaxed);
        let framebuffer = Arc::new(Framebuffer::new(id, request, modifier, buffer)?);
        lock(&self.state).framebuffers.insert(id, framebuffer);
        Ok(id)
    }

    /// RMFB: removes a framebuffer. A CRTC that shows it is turned off.
    pub fn remove_framebuffer(&self, id: u32) -> Result<()> {
        let display = self.display()?;
        let removed = lock(&self.state).framebuffers.remove(&id);
        removed.ok_or(Errno::ENOENT)?;
        let mut state = lock(&display.state);
        if state.shown.as_ref().is_some_and(|shown| shown.id == id) {
            (state.shown, state.mode) = (None, None);
        }
        Ok(())
    }

    /// GETCRTC.
    pub fn crtc_state(&self) -> Result<CrtcState> {
        let state = lock(&self.display()?.state);
        Ok(CrtcState {
            mode: state.mode,
            framebuffer: state.shown.as_ref().map_or(0, |shown| shown.id),
        })
    }

    /// SETCRTC: shows a framebuffer with a mode of the monitor, or turns the CRTC off.
    pub fn set_crtc(&self, framebuffer: Option<u32>, mode: Option<ModeInfo>) -> Result<()> {
        let display = self.display()?;
        let (Some(id), Some(mode)) = (framebuffer, mode) else {
            let mut state = lock(&display.state);
            (state.shown, state.mode) = (None, None);
            return Ok(());
        };
        if !modes().contains(&mode) {
            return Err(Errno::EINVAL);
        }
        let framebuffer = self.framebuffer(id)?;
        let [width, height] = framebuffer.extent_px;
        if u32::from(mode.hdisplay) > width || u32::from(mode.vdisplay) > height {
            return Err(Errno::ENOSPC);
        }
        self.device
            .wait_idle(&framebuffer.buffer, false, i64::MAX)?;
        let mut state = lock(&display.state);
        if state.flipping {
            return Err(Errno::EBUSY);
        }
        state.mode = Some(mode);
        display.latch(&mut state, framebuffer);
        Ok(())
    }

    /// PAGE_FLIP: shows a framebuffer of the same layout at the next refresh after the batches that
    /// draw it. `EBUSY` while another flip is not complete.
    pub fn page_flip(&self, id: u32, user_data: u64, events: Option<EventSink>) -> Result<()> {
        let display = self.display()?.clone();
        let framebuffer = self.framebuffer(id)?;
        let mut state = lock(&display.state);
        let (Some(shown), Some(mode)) = (&state.shown, state.mode) else {
            return Err(Errno::EBUSY);
        };
        if state.flipping {
            return Err(Errno::EBUSY);
        }
        if !framebuffer.can_replace(shown) {
            return Err(Errno::EINVAL);
        }
        state.flipping = true;
        drop(state);
        let device = self.device.clone();
        let period_ns = period_ns(&mode);
        let flip = move || {
            // A batch that never ends is stopped as hung, which signals its fence.
            let waited = device.wait_idle(&framebuffer.buffer, false, i64::MAX);
            let now_ns = sys::monotonic_ns().unsigned_abs();
            let refresh = now_ns / period_ns + 1;
            let at_ns = refresh * period_ns;
            std::thread::sleep(Duration::from_nanos(at_ns.saturating_sub(now_ns)));
            let mut state = lock(&display.state);
            state.flipping = false;
            // The CRTC may have been turned off meanwhile.
            if waited.is_ok() && state.mode.is_some() {
                display.latch(&mut state, framebuffer);
            }
            drop(state);
            if let Some(events) = events {
                events(&EventVblank {
                    kind: mode::EVENT_FLIP_COMPLETE,
                    length: size_of::<EventVblank>() as u32,
                    user_data,
                    tv_sec: (at_ns / 1_000_000_000) as u32,
                    tv_usec: (at_ns % 1_000_000_000 / 1000) as u32,
                    sequence: refresh as u32,
                    crtc_id: CRTC,
                });
            }
        };
        let thread = std::thread::Builder::new().name("i915-flip".into());
        thread.spawn(flip).map(drop).map_err(|_| Errno::ENOMEM)
    }
}

#[cfg(test)]
mod tests;
