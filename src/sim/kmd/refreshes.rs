//! The refreshes of the CRTC: their numbers and times, and events at them.
//!
//! In:  the mode, while the CRTC is active. Out: numbers that count up while it is and stay while
//!      it is not, and events.
//! Ref: drm.h, "struct drm_crtc_queue_sequence"; drm-kms(7), "Vertical Blanking".

use uapi::mode::{self, EventCrtcSequence, ModeInfo};

/// Receives the event of a refresh.
pub type SequenceSink = Box<dyn FnOnce(&EventCrtcSequence) + Send>;

/// An event that has not been sent yet.
pub(crate) struct PendingEvent {
    /// A number that no other event of the display has.
    pub(crate) id: u64,
    /// The number of its refresh.
    pub(crate) sequence: u64,
    /// From the request.
    pub(crate) user_data: u64,
    /// Receives it.
    pub(crate) sink: SequenceSink,
}

impl PendingEvent {
    /// Sends the event of a refresh.
    pub(crate) fn send(self, sequence: u64, time_ns: u64) {
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
    pub(crate) pending: Vec<PendingEvent>,
    pub(crate) next_id: u64,
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
    pub(crate) fn last(&self) -> (u64, u64) {
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
    pub(crate) fn time_of(&self, sequence: u64) -> Option<u64> {
        let cycle = self.cycle?;
        let refresh = cycle.start + sequence.saturating_sub(self.counted);
        Some(refresh.saturating_mul(cycle.period_ns))
    }
}
