//! Syncobjs, binary or timeline, that submissions wait for and signal.
//!
//! In:  requests for syncobjs. Out: handles, recycled: applications create and destroy fences and
//!      semaphores every frame, so destroyed syncobjs are kept and reset, many in one ioctl, unless
//!      they were exported.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::file::File;

/// Maximum number of idle syncobjs.
const MAX_IDLE: usize = 64;

/// Number of syncobjs reset in one ioctl. With fewer to reset, new ones are created.
const RESET_BATCH: usize = 16;

/// The idle syncobjs of a device.
#[derive(Debug)]
pub(crate) struct SyncobjPool {
    file: Arc<File>,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    /// Without a fence.
    unsignalled: Vec<u32>,
    /// To be reset before they are reused.
    used: Vec<u32>,
}

impl SyncobjPool {
    pub(crate) fn new(file: &Arc<File>) -> Arc<Self> {
        Arc::new(Self {
            file: file.clone(),
            idle: Mutex::default(),
        })
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an idle syncobj without a fence, if there is one.
    fn allocate(&self) -> Option<u32> {
        let mut idle = self.idle();
        if idle.unsignalled.is_empty() && idle.used.len() >= RESET_BATCH {
            let used = std::mem::take(&mut idle.used);
            match self.file.syncobj_reset(&used) {
                Ok(()) => idle.unsignalled = used,
                // Syncobjs that may still have a fence cannot be reused.
                Err(_) => used
                    .iter()
                    .for_each(|&used| self.file.syncobj_destroy(used)),
            }
        }
        idle.unsignalled.pop()
    }

    /// Returns a syncobj that was never exported.
    fn release(&self, handle: u32) {
        {
            let mut idle = self.idle();
            if idle.unsignalled.len() + idle.used.len() < MAX_IDLE {
                idle.used.push(handle);
                return;
            }
        }
        self.file.syncobj_destroy(handle);
    }
}

impl Drop for SyncobjPool {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        for &handle in idle.unsignalled.iter().chain(&idle.used) {
            self.file.syncobj_destroy(handle);
        }
    }
}

/// A syncobj.
#[derive(Debug)]
pub struct Syncobj {
    pool: Arc<SyncobjPool>,
    handle: u32,
    /// The syncobj was exported or imported, so it must not be recycled.
    shared: AtomicBool,
}

impl Syncobj {
    pub(crate) fn new(pool: &Arc<SyncobjPool>, signalled: bool) -> Result<Self> {
        let wrap = |handle| Self {
            pool: pool.clone(),
            handle,
            shared: AtomicBool::new(false),
        };
        match pool.allocate() {
            Some(handle) => {
                let syncobj = wrap(handle);
                if signalled {
                    pool.file.syncobj_signal(handle)?;
                }
                Ok(syncobj)
            }
            None => Ok(wrap(pool.file.syncobj_create(signalled)?)),
        }
    }

    pub(crate) fn import(pool: &Arc<SyncobjPool>, descriptor: OwnedFd) -> Result<Self> {
        Ok(Self {
            handle: pool.file.syncobj_import(descriptor)?,
            pool: pool.clone(),
            shared: AtomicBool::new(true),
        })
    }

    fn file(&self) -> &File {
        &self.pool.file
    }

    /// The kernel's handle.
    pub fn handle(&self) -> u32 {
        self.handle
    }

    /// Whether others may have a descriptor of it.
    pub fn is_shared(&self) -> bool {
        self.shared.load(Relaxed)
    }

    /// Removes its fence.
    pub fn reset(&self) -> Result<()> {
        self.file().syncobj_reset(&[self.handle])
    }

    /// Signals a binary syncobj, and wakes those who wait for it.
    pub fn set_signalled(&self) -> Result<()> {
        self.file().syncobj_signal(self.handle)
    }

    /// Signals a value of a timeline.
    pub fn signal(&self, value: u64) -> Result<()> {
        self.file().syncobj_signal_point(self.handle, value)
    }

    /// Adds 1 to an eventfd once a value of a timeline is signalled.
    pub fn notify(&self, value: u64, event: BorrowedFd<'_>) -> Result<()> {
        self.file().syncobj_notify(self.handle, value, event)
    }

    /// The last signalled value of a timeline.
    pub fn query(&self) -> Result<u64> {
        self.file().syncobj_query(self.handle)
    }

    /// Waits for a binary syncobj until a deadline on the monotonic clock, in ns. Returns false if
    /// the deadline passed first.
    pub fn wait(&self, deadline_ns: i64) -> Result<bool> {
        self.file().syncobj_wait(&[self.handle], true, deadline_ns)
    }

    /// Replaces its fence by the current fence of a sync file.
    pub fn import_file(&self, descriptor: OwnedFd) -> Result<()> {
        self.file().syncobj_import_file(self.handle, descriptor)
    }

    /// Exports the current fence of a binary syncobj as a sync file; it must have one.
    pub fn export_file(&self) -> Result<OwnedFd> {
        self.file().syncobj_export_file(self.handle)
    }

    /// Exports the syncobj as a descriptor.
    pub fn export(&self) -> Result<OwnedFd> {
        self.shared.store(true, Relaxed);
        self.file().syncobj_export(self.handle)
    }
}

impl Drop for Syncobj {
    fn drop(&mut self) {
        if *self.shared.get_mut() {
            self.file().syncobj_destroy(self.handle);
        } else {
            self.pool.release(self.handle);
        }
    }
}
