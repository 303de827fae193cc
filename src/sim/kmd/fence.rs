//! Fences: what a batch signals when it is done, and the one place where everybody waits.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use uapi::{Errno, Result};

/// Locks, also after a thread panicked while it held the lock: the data are counters and tables that stay consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a device's waiters sleep: woken by every change of any fence or syncobj, they look again at what they wait for.
#[derive(Debug, Default)]
pub(crate) struct Events {
    gate: Mutex<()>,
    changed: Condvar,
}

impl Events {
    /// Makes a change that waiters may be waiting for.
    pub(crate) fn change<T>(&self, change: impl FnOnce() -> T) -> T {
        let gate = lock(&self.gate);
        let result = change();
        drop(gate);
        self.changed.notify_all();
        result
    }

    /// Waits until `ready` gives a result or the deadline, in ns of the monotonic clock, has passed: then `ETIME`.
    pub(crate) fn wait_until<T>(
        &self,
        deadline_ns: i64,
        mut ready: impl FnMut() -> Result<Option<T>>,
    ) -> Result<T> {
        let mut gate = lock(&self.gate);
        loop {
            if let Some(result) = ready()? {
                return Ok(result);
            }
            let left_ns = deadline_ns.saturating_sub(sys::monotonic_ns());
            let Ok(left_ns) = u64::try_from(left_ns) else {
                return Err(Errno::ETIME);
            };
            if left_ns == 0 {
                return Err(Errno::ETIME);
            }
            // Condition variables cannot wait for ever in one go on every clock.
            let left = Duration::from_nanos(left_ns).min(Duration::from_secs(3600));
            gate = self
                .changed
                .wait_timeout(gate, left)
                .map_or_else(|e| e.into_inner().0, |(gate, _)| gate);
        }
    }
}

/// Signalled once, by the end of a batch.
#[derive(Debug, Default)]
pub(crate) struct Fence {
    signalled: AtomicBool,
    watchers: Mutex<Vec<Arc<SyncFile>>>,
}

impl Fence {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn signalled() -> Arc<Self> {
        Arc::new(Self {
            signalled: AtomicBool::new(true),
            watchers: Mutex::default(),
        })
    }

    pub(crate) fn is_signalled(&self) -> bool {
        self.signalled.load(Ordering::Acquire)
    }

    /// Signals, and wakes all waiters.
    pub(crate) fn signal(&self, events: &Events) {
        events.change(|| self.signalled.store(true, Ordering::Release));
        for watcher in std::mem::take(&mut *lock(&self.watchers)) {
            watcher.look();
        }
    }

    fn watch(&self, watcher: &Arc<SyncFile>) {
        lock(&self.watchers).push(watcher.clone());
        // It may have been signalled before the watcher was there.
        if self.is_signalled() {
            watcher.look();
        }
    }
}

/// Whether all fences are signalled.
pub(crate) fn all_signalled(fences: &[Arc<Fence>]) -> bool {
    fences.iter().all(|fence| fence.is_signalled())
}

/// The kernel's half of a sync file: the fences, and the writing end of the pipe whose reading end programs poll.
#[derive(Debug)]
pub(crate) struct SyncFile {
    pub(crate) fences: Vec<Arc<Fence>>,
    writer: OwnedFd,
    told: AtomicBool,
}

impl SyncFile {
    pub(crate) fn new(fences: Vec<Arc<Fence>>, writer: OwnedFd) -> Arc<Self> {
        let file = Arc::new(Self {
            fences,
            writer,
            told: AtomicBool::new(false),
        });
        for fence in &file.fences {
            fence.watch(&file);
        }
        file.look();
        file
    }

    /// Whether any descriptor of it is open.
    pub(crate) fn is_open(&self) -> bool {
        sys::Pipe::has_reader(self.writer.as_fd())
    }

    /// Makes it readable once all its fences are signalled.
    fn look(&self) {
        if all_signalled(&self.fences) && !self.told.swap(true, Ordering::AcqRel) {
            sys::Pipe::write_byte(self.writer.as_fd());
        }
    }
}
