//! Open descriptors of the device.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kmd::{Device, File};
use sys::{Identity, Pipe};
use uapi::Result;

struct Node {
    file: Arc<File>,
    minor: u32,
    writer: OwnedFd,
}

/// Open descriptors of the device, by what they refer to.
#[derive(Default)]
pub(crate) struct Nodes {
    open: Mutex<BTreeMap<Identity, Node>>,
    any: AtomicBool,
}

impl Nodes {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Identity, Node>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the device: a new descriptor, which exec closes unless told otherwise.
    pub(crate) fn open(
        &self,
        device: &Arc<Device>,
        minor: u32,
        close_on_exec: bool,
    ) -> Result<RawFd> {
        self.reap();
        let pipe = Pipe::new()?;
        let identity = sys::identity(pipe.reader.as_raw_fd())?;
        if !close_on_exec {
            sys::keep_over_exec(pipe.reader.as_fd())?;
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

    /// Frees the files of which no descriptor is open any more.
    pub(crate) fn reap(&self) {
        if !self.any.load(Ordering::Acquire) {
            return;
        }
        let mut open = self.lock();
        let closed: Vec<Identity> = open
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
