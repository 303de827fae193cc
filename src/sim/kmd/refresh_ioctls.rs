//! The ioctls of refreshes and of the connector's power.
//!
//! In:  GET_SEQUENCE, QUEUE_SEQUENCE, the DPMS property. Out: numbers of refreshes, events, or the
//!      errno that the real kernel returns.
//! Ref: drm.h, "struct drm_crtc_queue_sequence"; drm-kms(7), "Vertical Blanking", "DPMS".

use std::sync::Arc;
use std::time::Duration;

use uapi::mode::{self, CrtcGetSequence};
use uapi::{Errno, Result};

use crate::display::{CRTC, Display};
use crate::fence::lock;
use crate::file::File;
use crate::refreshes::{PendingEvent, SequenceSink};

impl File {
    /// The DPMS property: `DPMS_*`.
    pub fn power(&self) -> Result<u64> {
        Ok(lock(&self.display()?.state).power)
    }

    /// Sets the DPMS property. In every state but `DPMS_ON` the CRTC is inactive. `EINVAL` for
    /// unknown values.
    pub fn set_power(&self, power: u64) -> Result<()> {
        if power > mode::DPMS_OFF {
            return Err(Errno::EINVAL);
        }
        let mut state = lock(&self.display()?.state);
        state.power = power;
        state.update_cycle();
        Ok(())
    }

    /// GET_SEQUENCE. `EINVAL` while the CRTC is inactive.
    pub fn crtc_sequence(&self) -> Result<CrtcGetSequence> {
        let state = lock(&self.display()?.state);
        if !state.refreshes.is_active() {
            return Err(Errno::EINVAL);
        }
        let (sequence, time_ns) = state.refreshes.last();
        Ok(CrtcGetSequence {
            crtc_id: CRTC,
            active: 1,
            sequence,
            sequence_ns: time_ns as i64,
        })
    }

    /// QUEUE_SEQUENCE: sends an event at a refresh, and returns its number. `EINVAL` while the CRTC
    /// is inactive.
    pub fn queue_sequence(
        &self,
        flags: u32,
        sequence: u64,
        user_data: u64,
        sink: SequenceSink,
    ) -> Result<u64> {
        if flags & !(mode::CRTC_SEQUENCE_RELATIVE | mode::CRTC_SEQUENCE_NEXT_ON_MISS) != 0 {
            return Err(Errno::EINVAL);
        }
        let display = self.display()?.clone();
        let mut state = lock(&display.state);
        let refreshes = &mut state.refreshes;
        if !refreshes.is_active() {
            return Err(Errno::EINVAL);
        }
        let (last, last_ns) = refreshes.last();
        let mut target = match flags & mode::CRTC_SEQUENCE_RELATIVE {
            0 => sequence,
            _ => last.wrapping_add(sequence),
        };
        // The numbers are modular.
        let mut has_passed = last.wrapping_sub(target) as i64 >= 0;
        if has_passed && flags & mode::CRTC_SEQUENCE_NEXT_ON_MISS != 0 {
            (target, has_passed) = (last + 1, false);
        }
        let id = refreshes.next_id;
        refreshes.next_id += 1;
        let event = PendingEvent {
            id,
            sequence: target,
            user_data,
            sink,
        };
        if has_passed {
            event.send(last, last_ns);
            return Ok(last);
        }
        let time_ns = refreshes.time_of(target).unwrap_or(last_ns);
        refreshes.pending.push(event);
        drop(state);
        let waits = move || send_at(&display, id, time_ns);
        let thread = std::thread::Builder::new().name("i915-vblank".into());
        thread.spawn(waits).map_err(|_| Errno::ENOMEM)?;
        Ok(target)
    }
}

/// Sends an event at its time, if it was not sent before.
fn send_at(display: &Arc<Display>, id: u64, time_ns: u64) {
    let now_ns = sys::monotonic_ns().unsigned_abs();
    std::thread::sleep(Duration::from_nanos(time_ns.saturating_sub(now_ns)));
    let mut state = lock(&display.state);
    let pending = &mut state.refreshes.pending;
    if let Some(position) = pending.iter().position(|event| event.id == id) {
        let event = pending.swap_remove(position);
        let sequence = event.sequence;
        event.send(sequence, time_ns);
    }
}
