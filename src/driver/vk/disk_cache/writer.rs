//! The thread that writes entries.
//!
//! In:  entries. Out: files, the size of the folder, evictions.
//!
//! The thread starts with the first entry, and ends when there was none for a while.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use rustc_hash::FxHashMap;

use super::folder_size::FolderSize;
use super::{EntryName, Settings, entry_file};
use crate::diagnosis::Diagnosis;

/// The thread waits so long for another entry.
const IDLE: Duration = Duration::from_secs(1);

/// Bytes of waiting entries beyond which the caller of [`Writer::add`] writes one itself.
const MAX_WAITING_BYTES: usize = 64 << 20;

/// See the module.
pub(super) struct Writer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread works with.
struct Shared {
    settings: Settings,
    size: FolderSize,
    diagnosis: Diagnosis,
    /// A failed write was logged.
    has_reported: AtomicBool,
    queue: Mutex<Queue>,
    is_changed: Condvar,
}

/// Entries that wait, and the one that is being written.
#[derive(Default)]
struct Queue {
    order: VecDeque<EntryName>,
    entries: FxHashMap<EntryName, Arc<Vec<u8>>>,
    bytes: usize,
    has_thread: bool,
    is_closed: bool,
}

impl Queue {
    /// Removes an entry that was written.
    fn remove(&mut self, name: &EntryName) {
        if let Some(bytes) = self.entries.remove(name) {
            self.bytes -= bytes.len();
        }
    }
}

impl Writer {
    /// A writer without entries.
    pub(super) fn new(settings: &Settings, diagnosis: &Diagnosis) -> Self {
        let shared = Shared {
            settings: settings.clone(),
            size: FolderSize::new(settings),
            diagnosis: diagnosis.clone(),
            has_reported: AtomicBool::new(false),
            queue: Mutex::default(),
            is_changed: Condvar::new(),
        };
        Self {
            shared: Arc::new(shared),
            thread: Mutex::default(),
        }
    }

    /// The bytes of an entry that is not written yet.
    pub(super) fn find(&self, name: &EntryName) -> Option<Arc<Vec<u8>>> {
        self.shared.queue().entries.get(name).cloned()
    }

    /// Writes an entry, later.
    pub(super) fn add(&self, name: EntryName, bytes: Vec<u8>) {
        let mut queue = self.shared.queue();
        if queue.bytes > MAX_WAITING_BYTES {
            drop(queue);
            self.shared.write(&name, &bytes);
            return;
        }
        queue.bytes += bytes.len();
        if let Some(same) = queue.entries.insert(name, Arc::new(bytes)) {
            queue.bytes -= same.len();
            return;
        }
        queue.order.push_back(name);
        self.shared.is_changed.notify_one();
        if queue.has_thread {
            return;
        }
        queue.has_thread = true;
        drop(queue);
        self.start();
    }

    /// Starts the thread. Without one, this thread writes what waits.
    fn start(&self) {
        // The library may be unloaded while a leaked device's thread runs.
        sys::prevent_unload();
        let shared = self.shared.clone();
        let builder = std::thread::Builder::new().name("ingot-cache".into());
        // Locked before the thread starts: it may end, and another one start, before this caller
        // goes on.
        let mut slot = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        // The new thread inherits that signals are blocked, so the application's threads get them.
        let spawned = sys::with_signals_blocked(|| builder.spawn(move || shared.run(IDLE)));
        match spawned {
            // An earlier thread has ended.
            Ok(thread) => *slot = Some(thread),
            Err(_) => self.shared.run(Duration::ZERO),
        }
    }

    /// Waits until all entries are written.
    #[cfg(test)]
    pub(super) fn flush(&self) {
        while !self.shared.queue().entries.is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.queue().is_closed = true;
        self.shared.is_changed.notify_all();
        let slot = self.thread.get_mut();
        if let Some(thread) = slot.unwrap_or_else(PoisonError::into_inner).take() {
            // A panic of the thread was printed and concerns the cache only.
            let _ = thread.join();
        }
        self.shared.size.finish();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes entries until there was none for `idle`, or the queue is closed and empty.
    fn run(&self, idle: Duration) {
        let mut queue = self.queue();
        loop {
            if let Some(name) = queue.order.pop_front() {
                let bytes = queue.entries.get(&name).cloned();
                drop(queue);
                if let Some(bytes) = bytes {
                    self.write(&name, &bytes);
                }
                queue = self.queue();
                queue.remove(&name);
                continue;
            }
            if !queue.is_closed && !idle.is_zero() {
                let wait = self.is_changed.wait_timeout(queue, idle);
                let (after, timeout) = wait.unwrap_or_else(PoisonError::into_inner);
                queue = after;
                if !timeout.timed_out() || !queue.order.is_empty() {
                    continue;
                }
            }
            queue.has_thread = false;
            return;
        }
    }

    /// Writes an entry and counts it, or reports why it cannot be written.
    fn write(&self, name: &EntryName, bytes: &[u8]) {
        match self.write_file(name, bytes) {
            Ok(()) => {
                if self.size.add(bytes.len() as u64) {
                    self.size.evict();
                }
            }
            Err(error) => self.report(&error),
        }
    }

    /// Writes a file of an entry, under a temporary name at first.
    fn write_file(&self, name: &EntryName, bytes: &[u8]) -> io::Result<()> {
        // Beyond the process's limit, a write would terminate the application.
        if bytes.len() as u64 > sys::file_size_limit_bytes() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let path = entry_file::path(&self.settings.folder, name);
        let temporary = path.with_extension(unique_extension());
        let written = match write_new(&temporary, bytes) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_folder(path.parent().unwrap_or(&self.settings.folder))?;
                write_new(&temporary, bytes)
            }
            other => other,
        };
        let written = written.and_then(|()| std::fs::rename(&temporary, &path));
        if written.is_err() {
            // An error leaves a file that eviction deletes.
            let _ = std::fs::remove_file(&temporary);
        }
        written
    }

    fn report(&self, error: &io::Error) {
        if !self.has_reported.swap(true, Ordering::Relaxed) {
            self.diagnosis.log(debug::Flag::Perf, || {
                let folder = self.settings.folder.display();
                format!("ingot: the shader cache {folder} cannot be written: {error}\n")
            });
        }
    }
}

/// Creates a folder and those above it, private to the user.
fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path)
}

/// Writes a file that does not exist.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use io::Write as _;
    std::fs::File::create_new(path)?.write_all(bytes)
}

/// An extension that no other temporary file has, not even one of another machine or container that
/// shares the folder.
fn unique_extension() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |time| time.as_nanos());
    let process = sys::process_id();
    format!("{process}-{number}-{nanoseconds}.{}", entry_file::TEMPORARY)
}
