//! The cache on disk, which all processes of a user share: what was compiled once is not compiled
//! again.
//!
//! In:  keys and bytes. Out: the bytes of a key, if the folder has them undamaged.
//!
//! Each entry is a file. A write creates a temporary file and renames it, so that readers see
//! whole entries only; two writers of one entry replace it by itself. No lock is held while entries
//! are read or written. Nothing here fails a caller: an entry that cannot be read is missing, one
//! that cannot be written is dropped. A thread writes entries (`writer`), as creating a file may
//! take milliseconds, and deletes the least recently used ones; it is joined on drop. Entries that
//! wait for it are found as if they were written; a process that ends without destroying its device
//! loses them.
//! After `fork()`, the child must not use the parent's devices, as Vulkan has it.
//! Ref: XDG Base Directory Specification. Files import one way: `entry_file` ← `folder_size` ←
//! `writer` ← `mod`.

mod entry_file;
mod folder_size;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cache_item::ItemName;
use crate::diagnosis::Diagnosis;
use writer::Writer;

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
    writer: Writer,
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
            writer: Writer::new(&settings, diagnosis),
            settings,
        }
    }

    /// The contents of an entry. A damaged entry is deleted.
    pub fn load(&self, name: &ItemName) -> Option<Vec<u8>> {
        let name = self.entry_name(name);
        if let Some(bytes) = self.writer.find(&name) {
            return entry_file::contents(&name, &bytes).map(<[u8]>::to_vec);
        }
        let path = entry_file::path(&self.settings.folder, &name);
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

    /// Writes an entry, later. An error is logged once, if `INGOT_DEBUG=perf` is set.
    pub fn store(&self, name: &ItemName, contents: &[u8]) {
        let name = self.entry_name(name);
        let bytes = entry_file::entry(&name, contents);
        let limit = self.settings.max_bytes.min(entry_file::MAX_BYTES);
        if bytes.len() as u64 > limit {
            return;
        }
        self.writer.add(name, bytes);
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
}

/// Sets the modification time of a file to now. An error leaves the entry older than it is.
fn mark_as_used(path: &Path) {
    if let Ok(file) = std::fs::File::open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}
