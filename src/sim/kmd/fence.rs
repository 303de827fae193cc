//! Fences, which batches signal when they complete; the wait queue; sync files.
//!
//! In:  the completion of batches. Out: woken waiters and readable sync files.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use uapi::{Errno, Result};

/// Locks a mutex, ignoring poisoning: the data are counters and tables that are consistent even
/// after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The wait queue of a device. Every change of a fence or syncobj wakes all waiters, which then
/// check their condition again.
#[derive(Debug, Default)]
pub(crate) struct WaitQueue {
    gate: Mutex<()>,
    changed: Condvar,
    watches: Mutex<Vec<Watch>>,
}

/// An eventfd to make readable once a condition is true.
struct Watch {
    is_ready: Box<dyn Fn() -> bool + Send>,
    event: OwnedFd,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Watch({:?})", self.event)
    }
}

impl WaitQueue {
    /// Makes a change and wakes all waiters.
    pub(crate) fn notify_with<T>(&self, change: impl FnOnce() -> T) -> T {
        let gate = lock(&self.gate);
        let result = change();
        drop(gate);
        self.changed.notify_all();
        self.signal_watches();
        result
    }

    /// Makes an eventfd readable once a condition is true: now, or after a change.
    pub(crate) fn watch(&self, is_ready: Box<dyn Fn() -> bool + Send>, event: OwnedFd) {
        lock(&self.watches).push(Watch { is_ready, event });
        self.signal_watches();
    }

    fn signal_watches(&self) {
        lock(&self.watches).retain(|watch| {
            let is_ready = (watch.is_ready)();
            if is_ready {
                sys::signal_event(watch.event.as_fd());
            }
            !is_ready
        });
    }

    /// Waits until `ready` returns a result. `ETIME` after the deadline, in ns of the monotonic
    /// clock.
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
            // Bounded, since not every platform's condition variable supports very long timeouts.
            let left = Duration::from_nanos(left_ns).min(Duration::from_secs(3600));
            gate = self
                .changed
                .wait_timeout(gate, left)
                .map_or_else(|e| e.into_inner().0, |(gate, _)| gate);
        }
    }
}

/// A fence: signalled once, when its batch completes.
#[derive(Debug, Default)]
pub(crate) struct Fence {
    signalled: AtomicBool,
    sync_files: Mutex<Vec<Arc<SyncFile>>>,
    /// What is dropped when the fence is signalled.
    retained: Mutex<Vec<Arc<dyn Retained>>>,
}

/// What a fence may retain until it is signalled.
pub(crate) trait Retained: std::fmt::Debug + Send + Sync {}

impl<T: std::fmt::Debug + Send + Sync> Retained for T {}

impl Fence {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn signalled() -> Arc<Self> {
        Arc::new(Self {
            signalled: AtomicBool::new(true),
            ..Self::default()
        })
    }

    pub(crate) fn is_signalled(&self) -> bool {
        self.signalled.load(Ordering::Acquire)
    }

    /// Signals the fence and wakes all waiters.
    pub(crate) fn signal(&self, wait_queue: &WaitQueue) {
        wait_queue.notify_with(|| self.signalled.store(true, Ordering::Release));
        for sync_file in std::mem::take(&mut *lock(&self.sync_files)) {
            sync_file.signal_if_ready();
        }
        lock(&self.retained).clear();
    }

    /// Drops `retained` when the fence is signalled, at once if it is.
    pub(crate) fn retain_until_signalled(&self, retained: Arc<dyn Retained>) {
        lock(&self.retained).push(retained);
        // It may have been signalled before it was there.
        if self.is_signalled() {
            lock(&self.retained).clear();
        }
    }

    fn attach(&self, sync_file: &Arc<SyncFile>) {
        lock(&self.sync_files).push(sync_file.clone());
        // It may have been signalled before the sync_file was there.
        if self.is_signalled() {
            sync_file.signal_if_ready();
        }
    }
}

/// True if all fences are signalled.
pub(crate) fn all_signalled(fences: &[Arc<Fence>]) -> bool {
    fences.iter().all(|fence| fence.is_signalled())
}

/// The kernel's side of a sync file: its fences, and the write end of a pipe. Programs poll the
/// read end.
#[derive(Debug)]
pub(crate) struct SyncFile {
    pub(crate) fences: Vec<Arc<Fence>>,
    writer: OwnedFd,
    is_readable: AtomicBool,
}

impl SyncFile {
    pub(crate) fn new(fences: Vec<Arc<Fence>>, writer: OwnedFd) -> Arc<Self> {
        let file = Arc::new(Self {
            fences,
            writer,
            is_readable: AtomicBool::new(false),
        });
        for fence in &file.fences {
            fence.attach(&file);
        }
        file.signal_if_ready();
        file
    }

    /// True if the program has a descriptor of it open.
    pub(crate) fn is_open(&self) -> bool {
        sys::Pipe::has_reader(self.writer.as_fd())
    }

    /// Makes the pipe readable once all fences are signalled.
    fn signal_if_ready(&self) {
        if all_signalled(&self.fences) && !self.is_readable.swap(true, Ordering::AcqRel) {
            sys::Pipe::write_byte(self.writer.as_fd());
        }
    }
}
