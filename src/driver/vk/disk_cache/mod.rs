//! The cache on disk, which all processes of a user share: what was compiled once is not compiled
//! again.
//!
//! In:  keys and bytes. Out: the bytes of a key, if the folder has them undamaged.
//!
//! Each entry is a file. A write creates a temporary file and renames it, so that readers see whole
//! entries only; two writers of one entry replace it by itself. No lock is held while entries are
//! read or written. Nothing here fails a caller: an entry that cannot be read is missing, one that
//! cannot be written is dropped. Entries are written by the thread that compiled them, which costs
//! about a hundredth of the compilation, so none is lost if the process ends without destroying its
//! device. The least recently used ones are deleted by a thread of their own, joined on drop.
//! Ref: XDG Base Directory Specification. Files import one way: `entry_file` ← `folder_size` ←
//! `mod`.

mod entry_file;
mod folder_size;
#[cfg(test)]
mod tests;

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use crate::cache_item::ItemName;
use crate::diagnosis::Diagnosis;
use folder_size::FolderSize;

/// Where entries are, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder; created when the first entry is written.
    pub folder: PathBuf,
    /// The sum of the sizes of entries, in bytes, above which old ones are deleted.
    pub max_bytes: u64,
}

/// The name of an entry: a hash of the driver's build, the device, the kind of entry and its key.
type EntryName = [u8; 32];

/// An entry is marked as used, by its modification time, if it was not for this long: reading
/// entries should not write to the disk.
const MARK_AFTER: Duration = Duration::from_secs(3600);

/// See the module.
pub struct DiskCache {
    settings: Settings,
    /// Hash of the driver's build and the device.
    owner: [u8; 32],
    size: Arc<FolderSize>,
    diagnosis: Diagnosis,
    /// A failed write was logged.
    has_reported: AtomicBool,
    /// The thread that deletes entries.
    eviction: Mutex<Option<JoinHandle<()>>>,
}

impl std::fmt::Debug for DiskCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiskCache")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl DiskCache {
    /// The cache in a folder. `owner` is everything that an entry depends on besides its key: it
    /// identifies the driver's build and the device. Accesses no file.
    pub fn new(settings: Settings, owner: &[u8], diagnosis: &Diagnosis) -> Self {
        Self {
            owner: compile::hash_bytes(owner),
            size: Arc::new(FolderSize::new(&settings)),
            settings,
            diagnosis: diagnosis.clone(),
            has_reported: AtomicBool::new(false),
            eviction: Mutex::default(),
        }
    }

    /// The contents of an entry. A damaged entry is deleted.
    pub fn load(&self, name: &ItemName) -> Option<Vec<u8>> {
        let name = self.entry_name(name);
        let path = self.entry_path(&name);
        // Opening something else than a file could wait for ever.
        let metadata = std::fs::symlink_metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > entry_file::MAX_BYTES {
            return None;
        }
        let bytes = std::fs::read(&path).ok()?;
        let Some(contents) = entry_file::contents(&name, &bytes) else {
            // An error leaves the damaged file, which the next write replaces.
            let _ = std::fs::remove_file(&path);
            return None;
        };
        let age = metadata
            .modified()
            .ok()
            .and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > MARK_AFTER) {
            mark_as_used(&path);
        }
        Some(contents.to_vec())
    }

    /// Writes an entry. An error is logged once, if `INGOT_DEBUG=perf` is set.
    pub fn store(&self, name: &ItemName, contents: &[u8]) {
        let name = self.entry_name(name);
        let bytes = entry_file::entry(&name, contents);
        let limit = self.settings.max_bytes.min(entry_file::MAX_BYTES);
        if bytes.len() as u64 > limit {
            return;
        }
        match self.write(&name, &bytes) {
            Ok(()) => self.count(bytes.len() as u64),
            Err(error) => self.report(&error),
        }
    }

    fn entry_name(&self, item: &ItemName) -> EntryName {
        let mut text = [0; 65];
        let (owner, rest) = text.split_at_mut(32);
        owner.copy_from_slice(&self.owner);
        let (key_bytes, kind_byte) = rest.split_at_mut(32);
        key_bytes.copy_from_slice(&item.key);
        kind_byte.fill(item.kind as u8);
        compile::hash_bytes(&text)
    }

    fn entry_path(&self, name: &EntryName) -> PathBuf {
        entry_file::path(&self.settings.folder, name)
    }

    /// Writes a file of an entry, under a temporary name at first.
    fn write(&self, name: &EntryName, bytes: &[u8]) -> io::Result<()> {
        // Beyond the process's limit, a write would terminate the application.
        if bytes.len() as u64 > sys::file_size_limit_bytes() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let path = self.entry_path(name);
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

    /// Adds to the size of the folder, and starts to delete entries if it is too large.
    fn count(&self, bytes: u64) {
        if !self.size.add(bytes) {
            return;
        }
        let mut eviction = self.eviction.lock().unwrap_or_else(PoisonError::into_inner);
        if eviction
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
        {
            return;
        }
        let size = self.size.clone();
        let thread = std::thread::Builder::new().name("ingot-evict".into());
        // Without a thread, the next write tries again.
        *eviction = thread
            .spawn(move || {
                sys::block_signals();
                size.evict();
            })
            .ok();
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

impl Drop for DiskCache {
    fn drop(&mut self) {
        self.size.finish();
        let eviction = self.eviction.get_mut();
        let eviction = eviction.unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = eviction.take() {
            // A panic of the thread was printed and concerns the cache only.
            let _ = thread.join();
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

/// Sets the modification time of a file to now. An error leaves the entry older than it is.
fn mark_as_used(path: &Path) {
    if let Ok(file) = std::fs::File::open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
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
