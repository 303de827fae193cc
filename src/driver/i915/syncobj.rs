//! Syncobjs: what a submission signals and waits for, binary or counting.
//!
//! Applications make and destroy fences and semaphores by the frame. What was destroyed is kept and made anew by a reset, many of them
//! in one call, unless others have a descriptor of it.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::file::File;

/// Most syncobjs that are kept for later.
const KEPT: usize = 64;

/// How many are reset in one call: as long as there are fewer, new ones are made.
const BATCH: usize = 16;

/// The syncobjs of a device that nobody uses at the moment.
#[derive(Debug)]
pub(crate) struct Syncobjs {
    file: Arc<File>,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    /// As the kernel makes them.
    new: Vec<u32>,
    /// To be reset before anybody has them.
    used: Vec<u32>,
}

impl Syncobjs {
    pub(crate) fn new(file: &Arc<File>) -> Arc<Self> {
        Arc::new(Self {
            file: file.clone(),
            idle: Mutex::default(),
        })
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One without a fence, if there is one to have.
    fn take(&self) -> Option<u32> {
        let mut idle = self.idle();
        if idle.new.is_empty() && idle.used.len() >= BATCH {
            let used = std::mem::take(&mut idle.used);
            match self.file.syncobj_reset(&used) {
                Ok(()) => idle.new = used,
                // What may still have a fence is of no use.
                Err(_) => used
                    .iter()
                    .for_each(|&used| self.file.syncobj_destroy(used)),
            }
        }
        idle.new.pop()
    }

    /// Takes one back that nobody else can name.
    fn give(&self, handle: u32) {
        {
            let mut idle = self.idle();
            if idle.new.len() + idle.used.len() < KEPT {
                idle.used.push(handle);
                return;
            }
        }
        self.file.syncobj_destroy(handle);
    }
}

impl Drop for Syncobjs {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        for &handle in idle.new.iter().chain(&idle.used) {
            self.file.syncobj_destroy(handle);
        }
    }
}

/// A syncobj.
#[derive(Debug)]
pub struct Syncobj {
    home: Arc<Syncobjs>,
    handle: u32,
    /// Others have, or had, a descriptor of it: it is not to be used again for something else.
    shared: AtomicBool,
}

impl Syncobj {
    pub(crate) fn new(home: &Arc<Syncobjs>, signalled: bool) -> Result<Self> {
        let of = |handle| Self {
            home: home.clone(),
            handle,
            shared: AtomicBool::new(false),
        };
        match home.take() {
            Some(handle) => {
                let syncobj = of(handle);
                if signalled {
                    home.file.syncobj_signal(handle)?;
                }
                Ok(syncobj)
            }
            None => Ok(of(home.file.syncobj_create(signalled)?)),
        }
    }

    pub(crate) fn import(home: &Arc<Syncobjs>, descriptor: OwnedFd) -> Result<Self> {
        Ok(Self {
            handle: home.file.syncobj_import(descriptor)?,
            home: home.clone(),
            shared: AtomicBool::new(true),
        })
    }

    fn file(&self) -> &File {
        &self.home.file
    }

    /// The kernel's name for it.
    pub fn handle(&self) -> u32 {
        self.handle
    }

    /// Whether others may have a descriptor of it.
    pub fn is_shared(&self) -> bool {
        self.shared.load(Relaxed)
    }

    /// Unsignals it.
    pub fn reset(&self) -> Result<()> {
        self.file().syncobj_reset(&[self.handle])
    }

    /// Signals a value of a timeline.
    pub fn signal(&self, value: u64) -> Result<()> {
        self.file().syncobj_signal_point(self.handle, value)
    }

    /// Value of a timeline.
    pub fn query(&self) -> Result<u64> {
        self.file().syncobj_query(self.handle)
    }

    /// Waits for a binary one until a deadline of the monotonic clock, in ns. False: the deadline passed first.
    pub fn wait(&self, deadline_ns: i64) -> Result<bool> {
        self.file().syncobj_wait(&[self.handle], true, deadline_ns)
    }

    /// Takes over the fence of a sync file, as it is now.
    pub fn import_file(&self, descriptor: OwnedFd) -> Result<()> {
        self.file().syncobj_import_file(self.handle, descriptor)
    }

    /// A sync file of a binary one's fence, as it is now; there must be one.
    pub fn export_file(&self) -> Result<OwnedFd> {
        self.file().syncobj_export_file(self.handle)
    }

    /// A descriptor.
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
            self.home.give(self.handle);
        }
    }
}
