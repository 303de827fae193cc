//! The size of the folder, and eviction.
//!
//! In:  the sizes of new entries. Out: whether there are too many; deletion of the least recently
//!      used ones.
//!
//! The file `size` has the sum of all sizes, which processes update under a lock of the file. No
//! process waits for the lock: if it is taken, the update is made with the next one. The sum is
//! thus an estimate, which each eviction replaces by what it finds.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::Settings;
use super::entry_file::{self, TEMPORARY};

/// Name of the file with the sum.
const SIZE_FILE: &str = "size";

/// Name of the file that is locked during an eviction.
const EVICTION_LOCK: &str = "eviction.lock";

/// A temporary file of this age was left by a process that ended.
const ABANDONED_AFTER: Duration = Duration::from_secs(600);

/// See the module.
#[derive(Debug)]
pub(super) struct FolderSize {
    settings: Settings,
    /// Bytes that are not yet added to the file.
    pending: AtomicU64,
    /// An eviction left the folder too large: its files cannot be deleted.
    is_stuck: AtomicBool,
}

/// A file of the folder.
struct Listed {
    modified: SystemTime,
    path: PathBuf,
    bytes: u64,
}

impl FolderSize {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            pending: AtomicU64::new(0),
            is_stuck: AtomicBool::new(false),
        }
    }

    /// Adds the size of a new entry. Returns whether an eviction is due: the folder is too large,
    /// or its size unknown.
    pub(super) fn add(&self, bytes: u64) -> bool {
        self.pending.fetch_add(bytes, Ordering::Relaxed);
        match self.update(|sum| sum) {
            Ok(Some(sum)) => {
                let is_due = sum.is_none_or(|sum| sum > self.settings.max_bytes);
                is_due && !self.is_stuck.load(Ordering::Relaxed)
            }
            // Another process has the lock, or the file cannot be written.
            Ok(None) | Err(_) => false,
        }
    }

    /// Adds what is pending. If it is not possible, the sum is too small until the next eviction.
    pub(super) fn finish(&self) {
        if self.pending.load(Ordering::Relaxed) > 0 {
            let _ = self.update(|sum| sum);
        }
    }

    /// Replaces the sum, with the pending bytes added, by `change` of it. The sum is `None` if it
    /// is not known. Returns the new sum, or `None` if another process has the lock.
    fn update(
        &self,
        change: impl FnOnce(Option<u64>) -> Option<u64>,
    ) -> io::Result<Option<Option<u64>>> {
        let path = self.settings.folder.join(SIZE_FILE);
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // File systems without locks lose updates now and then.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::with_capacity(16);
        (&file).take(17).read_to_end(&mut bytes)?;
        let pending = self.pending.swap(0, Ordering::Relaxed);
        let sum = change(parse(&bytes).map(|sum| sum.saturating_add(pending)));
        file.rewind()?;
        match sum {
            Some(sum) => file.write_all(&format(sum))?,
            None => file.set_len(0)?,
        }
        Ok(Some(sum))
    }

    /// Deletes the least recently used entries, until an eighth of the maximum is free, and
    /// abandoned temporary files; stores the size of what is left. Does nothing if another process
    /// does so.
    pub(super) fn evict(&self) {
        // An error of one step makes the folder larger than it should be until the next eviction.
        let _ = self.try_evict();
    }

    fn try_evict(&self) -> io::Result<()> {
        let lock = File::create(self.settings.folder.join(EVICTION_LOCK))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Ok(());
        }
        let Some(before) = self.update(|sum| Some(sum.unwrap_or(0)))? else {
            return Ok(());
        };
        let (mut files, mut sum) = (self.list()?, 0u64);
        files.retain(|file| {
            if file.path.extension().is_none_or(|end| end != TEMPORARY) {
                sum = sum.saturating_add(file.bytes);
                return true;
            }
            if file
                .modified
                .elapsed()
                .is_ok_and(|age| age > ABANDONED_AFTER)
            {
                let _ = std::fs::remove_file(&file.path);
            }
            false
        });
        files.sort_by_key(|file| file.modified);
        let max_bytes = self.settings.max_bytes;
        if sum > max_bytes {
            for file in files {
                if sum <= max_bytes - max_bytes / 8 {
                    break;
                }
                if std::fs::remove_file(&file.path).is_ok() {
                    sum = sum.saturating_sub(file.bytes);
                }
            }
        }
        self.is_stuck.store(sum > max_bytes, Ordering::Relaxed);
        // Entries that were added during the eviction are counted twice if it has seen them.
        let before = before.unwrap_or(0);
        self.update(|now| Some(sum.saturating_add(now.unwrap_or(before).saturating_sub(before))))?;
        Ok(())
    }

    /// The entries and temporary files. Other files are not ours.
    fn list(&self) -> io::Result<Vec<Listed>> {
        let mut files = Vec::new();
        for folder in std::fs::read_dir(&self.settings.folder)?.flatten() {
            let is_ours = |name: &str| entry_file::is_hexadecimal(name, 2);
            if !folder.file_name().to_str().is_some_and(is_ours) {
                continue;
            }
            // A folder that cannot be read has nothing that could be deleted.
            let Ok(entries) = std::fs::read_dir(folder.path()) else {
                continue;
            };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let (Some(name), Ok(metadata)) = (name.to_str(), entry.metadata()) else {
                    continue;
                };
                let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
                let is_known = extension.is_empty() || extension.ends_with(TEMPORARY);
                if metadata.is_file() && is_known && entry_file::is_hexadecimal(stem, 62) {
                    files.push(Listed {
                        modified: metadata.modified()?,
                        path: entry.path(),
                        bytes: metadata.len(),
                    });
                }
            }
        }
        Ok(files)
    }
}

/// The contents of the file: the sum and its complement, in little endian.
fn format(sum: u64) -> [u8; 16] {
    (u128::from(sum) | u128::from(!sum) << 64).to_le_bytes()
}

/// The sum in the contents of the file. `None` if they are damaged.
fn parse(bytes: &[u8]) -> Option<u64> {
    let both = u128::from_le_bytes(bytes.try_into().ok()?);
    let (sum, complement) = (both as u64, (both >> 64) as u64);
    (sum == !complement).then_some(sum)
}
