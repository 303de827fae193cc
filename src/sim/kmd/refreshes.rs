//! The refreshes of the CRTC: their numbers and times, events at them, and the power of the
//! connector.
//!
//! In:  GET_SEQUENCE, QUEUE_SEQUENCE, the DPMS property. Out: numbers that count up while the CRTC
//!      is active and stay while it is not, events, or the errno that the real kernel returns.
//! Ref: drm.h, "struct drm_crtc_queue_sequence"; drm-kms(7), "Vertical Blanking", "DPMS".

use std::sync::Arc;
use std::time::Duration;

use uapi::mode::{self, CrtcGetSequence, EventCrtcSequence, ModeInfo};
use uapi::{Errno, Result};

use crate::display::Display;
use crate::fence::lock;
use crate::file::File;

/// Receives the event of a refresh.
pub type SequenceSink = Box<dyn FnOnce(&EventCrtcSequence) + Send>;

/// An event that has not been sent yet.
struct PendingEvent {
    /// A number that no other event of the display has.
    id: u64,
    /// The number of its refresh.
    sequence: u64,
    user_data: u64,
    sink: SequenceSink,
}

impl PendingEvent {
    fn send(self, sequence: u64, time_ns: u64) {
        (self.sink)(&EventCrtcSequence {
            kind: mode::EVENT_CRTC_SEQUENCE,
            length: size_of::<EventCrtcSequence>() as u32,
            user_data: self.user_data,
            time_ns: time_ns as i64,
            sequence,
        });
    }
}

/// The refreshes of an active CRTC. They take place at multiples of the period.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    period_ns: u64,
    /// The last refresh before the CRTC became active, as a multiple of the period.
    start: u64,
}

/// The counter of refreshes.
#[derive(Default)]
pub(crate) struct Refreshes {
    /// None while the CRTC is not active.
    cycle: Option<Cycle>,
    /// The number of refreshes when the CRTC last became active or inactive.
    counted: u64,
    /// The last refresh at that time, in ns.
    counted_ns: u64,
    pending: Vec<PendingEvent>,
    next_id: u64,
}

impl std::fmt::Debug for Refreshes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} after {}", self.cycle, self.counted)
    }
}

/// Period of a mode's refreshes in ns.
fn period_ns(mode: &ModeInfo) -> u64 {
    let pixels = u64::from(mode.htotal) * u64::from(mode.vtotal);
    (pixels * 1_000_000)
        .checked_div(mode.clock.into())
        .unwrap_or(0)
        .max(1)
}

fn now_ns() -> u64 {
    sys::monotonic_ns().unsigned_abs()
}

impl Refreshes {
    /// The number and the time of the last refresh.
    fn last(&self) -> (u64, u64) {
        match &self.cycle {
            Some(cycle) => {
                let last = now_ns() / cycle.period_ns;
                let since = last.saturating_sub(cycle.start);
                (self.counted + since, last * cycle.period_ns)
            }
            None => (self.counted, self.counted_ns),
        }
    }

    /// The number and the time of the next refresh. None: the CRTC is not active.
    pub(crate) fn next(&self) -> Option<(u64, u64)> {
        let period_ns = self.cycle?.period_ns;
        let (number, time_ns) = self.last();
        Some((number + 1, time_ns + period_ns))
    }

    /// Whether the CRTC is active.
    pub(crate) fn is_active(&self) -> bool {
        self.cycle.is_some()
    }

    /// Begins to count the refreshes of a mode, or ends with none. Events that would never be sent
    /// are sent at once.
    pub(crate) fn set_cycle(&mut self, mode: Option<&ModeInfo>) {
        let period_ns = mode.map(period_ns);
        if self.cycle.map(|cycle| cycle.period_ns) == period_ns {
            return;
        }
        (self.counted, self.counted_ns) = self.last();
        self.cycle = period_ns.map(|period_ns| Cycle {
            period_ns,
            start: now_ns() / period_ns,
        });
        for event in self.pending.drain(..) {
            event.send(self.counted, self.counted_ns);
        }
    }

    /// The time of a later refresh. None: the CRTC is not active.
    fn time_of(&self, sequence: u64) -> Option<u64> {
        let cycle = self.cycle?;
        let refresh = cycle.start + sequence.saturating_sub(self.counted);
        Some(refresh.saturating_mul(cycle.period_ns))
    }
}

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
            crtc_id: crate::display::CRTC,
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
    std::thread::sleep(Duration::from_nanos(time_ns.saturating_sub(now_ns())));
    let mut state = lock(&display.state);
    let pending = &mut state.refreshes.pending;
    if let Some(position) = pending.iter().position(|event| event.id == id) {
        let event = pending.swap_remove(position);
        let sequence = event.sequence;
        event.send(sequence, time_ns);
    }
}
