//! Synchronises batches of several processes on a shared dma-buf. The real kernel attaches fences
//! to the dma-buf; here, file locks on its memory file take their place.
//!
//! In:  batches of this process that use the buffer. Out: mutual exclusion with batches of other
//!      processes. A writing batch locks byte 0 exclusively, a reading one byte 1 shared; after
//!      locking its own byte, each checks the other one. The locks of a process are released when
//!      it ends, however it ends. Limit: poll on a dma-buf does not reflect them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

use sys::FileLock;
use uapi::Result;

use crate::fence::lock;

/// Offset of the byte that writers lock.
const WRITERS: i64 = 0;
/// Offset of the byte that readers lock.
const READERS: i64 = 1;

/// The file of a shared buffer, reopened for the locks of this process.
#[derive(Debug)]
pub(crate) struct DmaBufLocks {
    file: OwnedFd,
    local: Mutex<LocalBatches>,
}

/// Numbers of batches of this process that use the buffer.
#[derive(Debug, Default)]
struct LocalBatches {
    writers: usize,
    readers: usize,
}

impl LocalBatches {
    fn count(&mut self, write: bool) -> &mut usize {
        match write {
            true => &mut self.writers,
            false => &mut self.readers,
        }
    }
}

/// A batch's access to the buffer; releases the lock when dropped.
#[derive(Debug)]
pub(crate) struct BufferAccess {
    locks: Arc<DmaBufLocks>,
    write: bool,
}

impl DmaBufLocks {
    /// The locks of a dma-buf.
    pub(crate) fn new(file: BorrowedFd<'_>) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            file: sys::reopen(file)?,
            local: Mutex::default(),
        }))
    }

    /// True if no batch of another process conflicts with a reader or, with `write`, with a writer.
    pub(crate) fn is_idle(&self, write: bool) -> Result<bool> {
        match write {
            true => FileLock::Exclusive.is_free(self.file.as_fd(), WRITERS, READERS - WRITERS + 1),
            false => FileLock::Shared.is_free(self.file.as_fd(), WRITERS, 1),
        }
    }

    /// Locks the buffer for a batch. None if a batch of another process conflicts and `waits` is
    /// set. A batch that does not wait (EXEC_OBJECT_ASYNC) gets a lock if the lock itself is free.
    pub(crate) fn try_begin(
        self: &Arc<Self>,
        write: bool,
        waits: bool,
    ) -> Result<Option<BufferAccess>> {
        let mut local = lock(&self.local);
        let (kind, at) = match write {
            true => (FileLock::Exclusive, WRITERS),
            false => (FileLock::Shared, READERS),
        };
        if *local.count(write) == 0 && !kind.try_set(self.file.as_fd(), at)? {
            return Ok(None);
        }
        *local.count(write) += 1;
        drop(local);
        let begun = BufferAccess {
            locks: self.clone(),
            write,
        };
        Ok((!waits || self.is_idle(write)?).then_some(begun))
    }
}

impl Drop for BufferAccess {
    fn drop(&mut self) {
        let mut local = lock(&self.locks.local);
        let count = local.count(self.write);
        *count -= 1;
        if *count == 0 {
            let at = if self.write { WRITERS } else { READERS };
            // Releasing a lock fails only for an invalid file.
            let _ = FileLock::Free.try_set(self.locks.file.as_fd(), at);
        }
    }
}
