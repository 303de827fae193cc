//! Open descriptors of the device nodes.
//!
//! In:  descriptors. Out: the [`kmd::File`] behind each. A descriptor that another process opened
//!      and sent is recognised by the name of its pipe. It gets a new file in this process, since
//!      the sender's file is in the sender's memory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kmd::{Device, File};
use sys::{FileIdentity, Pipe};
use uapi::{Errno, Result};

struct Node {
    file: Arc<File>,
    minor: u32,
    writer: OwnedFd,
}

/// The open descriptors, by the identity of their pipe.
#[derive(Default)]
pub(crate) struct Nodes {
    open: Mutex<BTreeMap<FileIdentity, Node>>,
    any: AtomicBool,
    /// Number of pipes that have been named.
    name_count: AtomicU32,
}

/// Folder of the tree with the named pipes of descriptors.
pub(crate) const DESCRIPTOR_FOLDER: &str = "open";

/// Creates the pipe of a new descriptor. Its name contains the minor number and the root of the
/// device's tree.
fn create_pipe(root: &[u8], minor: u32, number: u32) -> Result<Pipe> {
    let name = format!(
        "/{DESCRIPTOR_FOLDER}/{minor}-{}-{number}",
        sys::process_id()
    );
    let name = [root, name.as_bytes()].concat();
    // If the folder is not writable, use an unnamed pipe, which other processes do not recognise.
    Pipe::named(Path::new(OsStr::from_bytes(&name))).or_else(|_| Pipe::new())
}

/// Parses the minor number from a pipe's name.
fn minor_of(root: &[u8], name: &[u8]) -> Option<u32> {
    let rest = name.strip_prefix(root)?.strip_prefix(b"/")?;
    let rest = rest
        .strip_prefix(DESCRIPTOR_FOLDER.as_bytes())?
        .strip_prefix(b"/")?;
    let number = rest.split(|&byte| byte == b'-').next()?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

impl Nodes {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<FileIdentity, Node>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the device and returns a new descriptor.
    pub(crate) fn open(
        &self,
        device: &Arc<Device>,
        root: &[u8],
        minor: u32,
        close_on_exec: bool,
    ) -> Result<RawFd> {
        self.reap();
        let pipe = create_pipe(root, minor, self.name_count.fetch_add(1, Ordering::Relaxed))?;
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

    /// Like `find`, but also recognises descriptors sent by other processes. Slower, so only for
    /// calls that expect a device.
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

    /// The other end of a descriptor, for events that its program reads.
    pub(crate) fn event_writer(&self, fd: RawFd) -> Result<OwnedFd> {
        let identity = sys::identity(fd)?;
        let open = self.lock();
        let node = open.get(&identity).ok_or(Errno::EBADF)?;
        sys::dup_high(node.writer.as_fd())
    }

    /// True if no descriptor is open.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Frees the files whose descriptors have all been closed.
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
        // Freeing a file can take time; do it without the lock.
        drop(open);
        drop(files);
    }
}
