//! Syncobjs: what a submission signals and waits for, binary or counting.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::error::Result;
use crate::file::File;

/// A syncobj.
#[derive(Debug)]
pub struct Syncobj {
    file: Arc<File>,
    handle: u32,
}

impl Syncobj {
    pub(crate) fn new(file: &Arc<File>, signalled: bool) -> Result<Self> {
        Ok(Self {
            handle: file.syncobj_create(signalled)?,
            file: file.clone(),
        })
    }

    pub(crate) fn import(file: &Arc<File>, descriptor: OwnedFd) -> Result<Self> {
        Ok(Self {
            handle: file.syncobj_import(descriptor)?,
            file: file.clone(),
        })
    }

    /// The kernel's name for it.
    pub fn handle(&self) -> u32 {
        self.handle
    }

    /// Unsignals it.
    pub fn reset(&self) -> Result<()> {
        self.file.syncobj_reset(self.handle)
    }

    /// Signals a value of a timeline.
    pub fn signal(&self, value: u64) -> Result<()> {
        self.file.syncobj_signal(self.handle, value)
    }

    /// Value of a timeline.
    pub fn query(&self) -> Result<u64> {
        self.file.syncobj_query(self.handle)
    }

    /// Waits for a binary one until a deadline of the monotonic clock, in ns. False: the deadline passed first.
    pub fn wait(&self, deadline_ns: i64) -> Result<bool> {
        self.file.syncobj_wait(&[self.handle], true, deadline_ns)
    }

    /// Takes over the fence of a sync file, as it is now.
    pub fn import_file(&self, descriptor: OwnedFd) -> Result<()> {
        self.file.syncobj_import_file(self.handle, descriptor)
    }

    /// A sync file of a binary one's fence, as it is now; there must be one.
    pub fn export_file(&self) -> Result<OwnedFd> {
        self.file.syncobj_export_file(self.handle)
    }

    /// A descriptor.
    pub fn export(&self) -> Result<OwnedFd> {
        self.file.syncobj_export(self.handle)
    }
}

impl Drop for Syncobj {
    fn drop(&mut self) {
        self.file.syncobj_destroy(self.handle);
    }
}
