//! Open descriptors of the device.
//!
//! A descriptor that another process opened and sent is known by the name of its pipe, and becomes one of this process then: it has
//! a file of its own here, since what the sender has behind it is in the sender.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kmd::{Device, File};
use sys::{FileIdentity, Pipe};
use uapi::Result;

struct Node {
    file: Arc<File>,
    minor: u32,
    writer: OwnedFd,
}

/// Open descriptors of the device, by what they refer to.
#[derive(Default)]
pub(crate) struct Nodes {
    open: Mutex<BTreeMap<FileIdentity, Node>>,
    any: AtomicBool,
    /// How many names have been given.
    named: AtomicU32,
}

/// Folder of the tree in which descriptors get names.
pub(crate) const FOLDER: &str = "open";

/// The pipe of a new descriptor: its name tells the minor number, and in which tree the device is.
fn pipe(root: &[u8], minor: u32, number: u32) -> Result<Pipe> {
    let name = format!("/{FOLDER}/{minor}-{}-{number}", sys::process_id());
    let name = [root, name.as_bytes()].concat();
    // Where nothing can be written, nobody else will know the descriptor.
    Pipe::named(Path::new(OsStr::from_bytes(&name))).or_else(|_| Pipe::new())
}

/// The minor number that a pipe's name tells.
fn minor_of(root: &[u8], name: &[u8]) -> Option<u32> {
    let rest = name.strip_prefix(root)?.strip_prefix(b"/")?;
    let rest = rest.strip_prefix(FOLDER.as_bytes())?.strip_prefix(b"/")?;
    let number = rest.split(|&byte| byte == b'-').next()?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

impl Nodes {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<FileIdentity, Node>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the device: a new descriptor, which exec closes unless told otherwise.
    pub(crate) fn open(
        &self,
        device: &Arc<Device>,
        root: &[u8],
        minor: u32,
        close_on_exec: bool,
    ) -> Result<RawFd> {
        self.reap();
        let pipe = pipe(root, minor, self.named.fetch_add(1, Ordering::Relaxed))?;
        let identity = sys::identity(pipe.reader.as_raw_fd())?;
        if !close_on_exec {
            sys::clear_cloexec(pipe.reader.as_fd())?;
        }
        self.lock().insert(
            identity,
            Node {
                file: device.open(),
                minor,
                writer: pipe.writer,
            },
        );
        self.any.store(true, Ordering::Release);
        Ok(pipe.reader.into_raw_fd())
    }

    /// The file and the minor number of a descriptor, if it is one of the device.
    pub(crate) fn find(&self, fd: RawFd) -> Option<(Arc<File>, u32)> {
        if fd < 0 || !self.any.load(Ordering::Acquire) {
            return None;
        }
        let identity = sys::identity(fd).ok()?;
        self.lock()
            .get(&identity)
            .map(|node| (node.file.clone(), node.minor))
    }

    /// The same, of a descriptor that another process may have sent; to be asked of what may well be one.
    pub(crate) fn find_or_adopt(
        &self,
        device: &Arc<Device>,
        root: &[u8],
        fd: RawFd,
    ) -> Option<(Arc<File>, u32)> {
        if let Some(known) = self.find(fd) {
            return Some(known);
        }
        let minor = minor_of(root, &sys::name_of(fd).ok()?)?;
        let writer = Pipe::open_writer(fd).ok()?;
        let identity = sys::identity(fd).ok()?;
        let mut open = self.lock();
        let node = open.entry(identity).or_insert_with(|| Node {
            file: device.open(),
            minor,
            writer,
        });
        self.any.store(true, Ordering::Release);
        Some((node.file.clone(), node.minor))
    }

    /// Whether there is none.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Frees the files of which no descriptor is open any more.
    pub(crate) fn reap(&self) {
        if !self.any.load(Ordering::Acquire) {
            return;
        }
        let mut open = self.lock();
        let closed: Vec<FileIdentity> = open
            .iter()
            .filter(|(_, node)| !Pipe::has_reader(node.writer.as_fd()))
            .map(|(identity, _)| *identity)
            .collect();
        let files: Vec<Option<Node>> = closed
            .iter()
            .map(|identity| open.remove(identity))
            .collect();
        // To free a file can take time, and needs no lock.
        drop(open);
        drop(files);
    }
}
