//! The ioctls of displays (KMS) of a file.
//!
//! In:  framebuffers, modes, page flips. Out: what the monitor shows, events at its refreshes, or
//!      the errno that the real kernel returns.

use std::sync::Arc;
use std::time::Duration;

use uapi::mode::{self, EventVblank, FbCmd2, ModeInfo};
use uapi::{Errno, Result};

use crate::buffer::Buffer;
use crate::display::{CRTC, CrtcState, Display, EventSink, modes};
use crate::fence::lock;
use crate::file::File;
use crate::scanout::Framebuffer;

impl File {
    pub(crate) fn display(&self) -> Result<&Arc<Display>> {
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

    /// Whether a monitor is plugged into the display's connector.
    pub fn display_is_plugged(&self) -> bool {
        self.device.display_is_plugged()
    }

    /// The framebuffers of the file.
    pub fn framebuffers(&self) -> Vec<u32> {
        lock(&self.state).framebuffers.keys().copied().collect()
    }

    /// ADDFB2: a framebuffer for a buffer with the memory planes of its modifier. `EINVAL` if the
    /// plane cannot show it.
    pub fn add_framebuffer(&self, request: &FbCmd2) -> Result<u32> {
        let display = self.display()?;
        if request.flags & !mode::FB_MODIFIERS != 0 {
            return Err(Errno::EINVAL);
        }
        let buffer: Arc<Buffer> = self.buffer(request.handles[0])?;
        let modifier = match request.flags & mode::FB_MODIFIERS {
            0 => None,
            _ => Some(request.modifier[0]),
        };
        let id = display.next_framebuffer();
        let framebuffer = Arc::new(Framebuffer::new(
            id,
            request,
            modifier,
            buffer,
            self.device.hw,
        )?);
        // The planes of a buffer have its handle and modifier, and there are no more of them.
        let used = framebuffer.memory_planes();
        let alike = (1..request.handles.len()).all(|plane| {
            let own = (request.handles[plane], request.modifier[plane]);
            let first = (request.handles[0], modifier.unwrap_or(0));
            own == if plane < used { first } else { (0, 0) }
        });
        if !alike {
            return Err(Errno::EINVAL);
        }
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
            state.set_mode(None);
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
            state.set_mode(None);
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
        state.set_mode(Some(mode));
        display.latch(&mut state, framebuffer);
        Ok(())
    }

    /// PAGE_FLIP: shows a framebuffer of the same layout at the next refresh after the batches that
    /// draw it. `EBUSY` while another flip is not complete, `EINVAL` while the power is off.
    pub fn page_flip(&self, id: u32, user_data: u64, events: Option<EventSink>) -> Result<()> {
        let display = self.display()?.clone();
        let framebuffer = self.framebuffer(id)?;
        let mut state = lock(&display.state);
        let (Some(shown), Some(_)) = (&state.shown, state.mode) else {
            return Err(Errno::EBUSY);
        };
        if state.flipping {
            return Err(Errno::EBUSY);
        }
        if !framebuffer.can_replace(shown) || !state.refreshes.is_active() {
            return Err(Errno::EINVAL);
        }
        state.flipping = true;
        drop(state);
        let (device, owner) = (self.device.clone(), display.clone());
        let flip = move || {
            // A batch that never ends is stopped as hung, which signals its fence.
            let waited = device.wait_idle(&framebuffer.buffer, false, i64::MAX);
            let now_ns = sys::monotonic_ns().unsigned_abs();
            // The CRTC may have been turned off meanwhile.
            let next = lock(&display.state).refreshes.next();
            let (refresh, at_ns) = next.unwrap_or((0, now_ns));
            std::thread::sleep(Duration::from_nanos(at_ns.saturating_sub(now_ns)));
            let mut state = lock(&display.state);
            state.flipping = false;
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
        thread.spawn(flip).map(drop).map_err(|_| {
            lock(&owner.state).flipping = false;
            Errno::ENOMEM
        })
    }
}

#[cfg(test)]
mod tests;
