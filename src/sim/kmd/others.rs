//! Who uses a shared buffer in other processes: what the kernel keeps as fences of a dma-buf is here a lock on its file.
//!
//! In:  batches of this process, as they come. Out: those of others are waited for, and wait.
//! A batch that writes holds the first byte alone, one that reads shares the second; each looks, once it has its own, at the other.
//! The locks of a process go with it, however it ends.
//! Limit: poll on a dma-buf tells nothing of them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

use sys::Lock;
use uapi::Result;

use crate::fence::lock;

/// The byte that writers lock.
const WRITERS: i64 = 0;
/// The byte that readers lock.
const READERS: i64 = 1;

/// A shared buffer's file, opened for the locks of this process.
#[derive(Debug)]
pub(crate) struct Others {
    file: OwnedFd,
    own: Mutex<Own>,
}

/// Batches of this process that use the buffer.
#[derive(Debug, Default)]
struct Own {
    writers: usize,
    readers: usize,
}

impl Own {
    fn count(&mut self, write: bool) -> &mut usize {
        match write {
            true => &mut self.writers,
            false => &mut self.readers,
        }
    }
}

/// A batch that uses the buffer, as others see it.
#[derive(Debug)]
pub(crate) struct Use {
    of: Arc<Others>,
    write: bool,
}

impl Others {
    /// Of a dma-buf.
    pub(crate) fn new(file: BorrowedFd<'_>) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            file: sys::reopen(file)?,
            own: Mutex::default(),
        }))
    }

    /// Whether no batch of others is in the way of a reader, or of a writer.
    pub(crate) fn are_done(&self, write: bool) -> Result<bool> {
        match write {
            true => Lock::Exclusive.is_free(self.file.as_fd(), WRITERS, READERS - WRITERS + 1),
            false => Lock::Shared.is_free(self.file.as_fd(), WRITERS, 1),
        }
    }

    /// A batch begins to use it. None: batches of others are in its way; one that waits for nobody is in theirs nonetheless, if it reads.
    pub(crate) fn begin(self: &Arc<Self>, write: bool, waits: bool) -> Result<Option<Use>> {
        let mut own = lock(&self.own);
        let (kind, at) = match write {
            true => (Lock::Exclusive, WRITERS),
            false => (Lock::Shared, READERS),
        };
        if *own.count(write) == 0 && !kind.take(self.file.as_fd(), at)? {
            return Ok(None);
        }
        *own.count(write) += 1;
        drop(own);
        let begun = Use {
            of: self.clone(),
            write,
        };
        Ok((!waits || self.are_done(write)?).then_some(begun))
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        let mut own = lock(&self.of.own);
        let count = own.count(self.write);
        *count -= 1;
        if *count == 0 {
            let at = if self.write { WRITERS } else { READERS };
            // To give a lock back fails only where there is no such file.
            let _ = Lock::Free.take(self.of.file.as_fd(), at);
        }
    }
}
