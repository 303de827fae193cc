//! The descriptor of a primary node, and what its events report: completed flips, and refreshes.
//!
//! In:  events, which whoever waits for some reads, for all. Out: flips to presenters, signals to
//!      fences.
//! Ref: drm-kms(7); drm.h, "struct drm_event".

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use drm::control::{Device as _, Event, crtc};

use crate::error::{Error, Result};

/// A syncobj that an event signals, as long as a fence has it.
pub type Signal = Weak<i915::Syncobj>;

/// Signals a syncobj that is still in use.
pub(super) fn send(signal: &Signal) {
    if let Some(syncobj) = signal.upgrade() {
        // An error means that the device is lost, which waits report.
        _ = syncobj.set_signalled();
    }
}

/// How often an event is requested while the kernel has no room for it, a millisecond apart.
const REQUESTS: u32 = 100;
/// How long the thread that reads events waits for one.
const WAIT_MS: u16 = 1000;

/// An open descriptor of a primary node.
pub struct CardFile {
    descriptor: OwnedFd,
    state: Mutex<EventState>,
}

impl std::fmt::Debug for CardFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.descriptor.fmt(f)
    }
}

#[derive(Default)]
struct EventState {
    presenters: Vec<Weak<FlipQueue>>,
    /// Signals for refreshes that were requested, by the data of their events.
    refreshes: Vec<(u64, Signal)>,
    next_data: u64,
    /// A thread reads events as long as refreshes are awaited.
    has_reader: bool,
    /// Signals for the first refresh of displays that are off, by connector.
    awaiting_light: Vec<(u32, Signal)>,
    /// Connectors that the application has turned off.
    powered_off: Vec<u32>,
}

/// The completed flips of a CRTC, for its presenter.
pub struct FlipQueue {
    crtc: crtc::Handle,
    /// Their times in ns.
    times_ns: Mutex<VecDeque<i64>>,
    /// An eventfd that becomes readable with each flip: another thread may have read the event.
    event: OwnedFd,
}

impl FlipQueue {
    /// The next completed flip: its time in ns.
    pub fn next(&self) -> Option<i64> {
        let mut times = self.times_ns.lock().unwrap_or_else(PoisonError::into_inner);
        times.pop_front()
    }

    /// Becomes readable with each flip.
    pub fn event(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

impl AsFd for CardFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl drm::Device for CardFile {}
impl drm::control::Device for CardFile {}

impl CardFile {
    /// A descriptor whose events nobody else reads.
    pub fn new(descriptor: OwnedFd) -> Self {
        Self {
            descriptor,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, EventState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue of the flips of a CRTC that complete from now on.
    pub fn flips(&self, crtc: crtc::Handle) -> Result<Arc<FlipQueue>> {
        let queue = Arc::new(FlipQueue {
            crtc,
            times_ns: Mutex::default(),
            event: sys::event().map_err(Error::lost)?,
        });
        let mut state = self.state();
        state.presenters.retain(|known| known.strong_count() > 0);
        state.presenters.push(Arc::downgrade(&queue));
        Ok(queue)
    }

    /// Reads the events that have arrived, without waiting.
    pub fn read_events(&self) -> Result<()> {
        let mut signals = Vec::new();
        let mut state = self.state();
        while sys::poll_readable(self.as_fd()).map_err(Error::lost)? {
            for event in self.receive_events().map_err(Error::lost)? {
                match event {
                    Event::PageFlip(flip) => {
                        let time_ns = i64::try_from(flip.duration.as_nanos());
                        state.note_flip(flip.crtc, time_ns.unwrap_or(i64::MAX));
                    }
                    Event::Unknown(bytes) => {
                        let data = sys::refresh_event_data(&bytes);
                        let mut known = state.refreshes.iter();
                        let known = known.position(|row| Some(row.0) == data);
                        signals.extend(known.map(|row| state.refreshes.swap_remove(row).1));
                    }
                    Event::Vblank(_) => {}
                }
            }
        }
        drop(state);
        signals.iter().for_each(send);
        Ok(())
    }

    /// Signals at the next refresh of a display; at the first one if it is off.
    pub fn signal_refresh(
        self: &Arc<Self>,
        connector: u32,
        crtc: Option<crtc::Handle>,
        signal: Signal,
    ) -> Result<()> {
        let Some(crtc) = crtc else {
            self.state().awaiting_light.push((connector, signal));
            return Ok(());
        };
        let mut state = self.state();
        let data = state.next_data;
        state.next_data += 1;
        state.refreshes.push((data, signal));
        drop(state);
        let requested = self.request_event(crtc.into(), data);
        let mut state = self.state();
        if let Ok(true) = requested {
            return self.start_reader(&mut state);
        }
        let known = state.refreshes.iter().position(|row| row.0 == data);
        let signal = known.map(|row| state.refreshes.swap_remove(row).1);
        let off = signal.map(|signal| (connector, signal));
        requested?;
        state.awaiting_light.extend(off);
        Ok(())
    }

    /// Requests an event at the next refresh. Returns false if the CRTC is inactive.
    fn request_event(&self, crtc: u32, data: u64) -> Result<bool> {
        for _ in 0..REQUESTS {
            match sys::request_refresh_event(self.as_fd(), crtc, data) {
                // The kernel keeps some events until they are read.
                Err(sys::Errno::ENOMEM) => {
                    self.read_events()?;
                    std::thread::sleep(Duration::from_millis(1));
                }
                requested => return requested.map_err(Error::lost),
            }
        }
        Err(Error::lost("the kernel has no room for an event"))
    }

    /// Starts the thread that reads events, unless there is one.
    fn start_reader(self: &Arc<Self>, state: &mut EventState) -> Result<()> {
        if state.has_reader || state.refreshes.is_empty() {
            return Ok(());
        }
        let file = self.clone();
        let thread = std::thread::Builder::new().name("ingot-display".into());
        let started = thread.spawn(move || file.read_until_none_awaited());
        started.map_err(Error::lost)?;
        state.has_reader = true;
        Ok(())
    }

    /// The thread: reads events until no refresh is awaited.
    fn read_until_none_awaited(&self) {
        loop {
            let waited = sys::wait_readable(self.as_fd(), WAIT_MS).map_err(Error::lost);
            let read = waited.and_then(|readable| {
                if !readable {
                    // The descriptor may have an error, which ends waits at once.
                    std::thread::sleep(Duration::from_millis(1));
                }
                self.read_events()
            });
            let mut state = self.state();
            if read.is_err() {
                state.refreshes.clear();
            }
            state.refreshes.retain(|row| row.1.strong_count() > 0);
            if state.refreshes.is_empty() {
                state.has_reader = false;
                return;
            }
        }
    }

    /// Requests the refreshes that were awaited while a display was off.
    pub fn note_light(self: &Arc<Self>, connector: u32, crtc: crtc::Handle) -> Result<()> {
        let mut state = self.state();
        state.powered_off.retain(|&off| off != connector);
        let awaiting = std::mem::take(&mut state.awaiting_light);
        drop(state);
        for (waiting, signal) in awaiting {
            let crtc = (waiting == connector).then_some(crtc);
            self.signal_refresh(waiting, crtc, signal)?;
        }
        Ok(())
    }

    /// Notes that a display was turned off.
    pub fn note_power_off(&self, connector: u32) {
        let mut state = self.state();
        if !state.powered_off.contains(&connector) {
            state.powered_off.push(connector);
        }
    }

    /// Whether the application has turned a display off.
    pub fn is_powered_off(&self, connector: u32) -> bool {
        self.state().powered_off.contains(&connector)
    }
}

impl EventState {
    /// Passes a completed flip on to the presenters of its CRTC.
    fn note_flip(&self, crtc: crtc::Handle, time_ns: i64) {
        let presenters = self.presenters.iter().filter_map(Weak::upgrade);
        for queue in presenters.filter(|queue| queue.crtc == crtc) {
            let times = queue.times_ns.lock();
            let mut times = times.unwrap_or_else(PoisonError::into_inner);
            times.push_back(time_ns);
            sys::signal_event(queue.event.as_fd());
        }
    }
}
