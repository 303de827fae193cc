//! Buffer objects: their pages, and the batches that use them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use sys::Mapping;
use uapi::{Errno, Result, Tiling, i915};

use crate::dma_buf_locks::DmaBufLocks;
use crate::fence::{Fence, all_signalled, lock};

/// Bytes of a GPU page.
pub(crate) const PAGE_BYTES: u64 = 4096;

/// A buffer's bytes, as the GPU sees them.
#[derive(Debug)]
pub(crate) struct Pages {
    mapping: Mapping,
    /// The buffer is shared with other processes as a dma-buf.
    shared: AtomicBool,
}

impl Pages {
    fn new(mapping: Mapping) -> Arc<Self> {
        Arc::new(Self {
            mapping,
            shared: AtomicBool::new(false),
        })
    }

    /// Marks the pages as shared with other processes.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }
}

impl gpu::Backing for Pages {
    fn words(&self) -> &[AtomicU32] {
        self.mapping.words()
    }

    fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }
}

impl std::ops::Deref for Pages {
    type Target = Mapping;

    fn deref(&self) -> &Mapping {
        &self.mapping
    }
}

/// Where the contents of a buffer are stored.
#[derive(Debug)]
enum Storage {
    /// In a memory file, which is also the dma-buf, and what mmap maps.
    File(OwnedFd),
    /// In memory of the process.
    Userptr,
}

/// Fences of the batches that use a buffer.
#[derive(Debug, Default)]
struct Activity {
    write: Option<Arc<Fence>>,
    all: Vec<Arc<Fence>>,
}

/// A buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    storage: Storage,
    bytes: u64,
    /// The offset that mmap maps it by; unique in a device.
    pub(crate) mmap_offset: u64,
    pages: OnceLock<Arc<Pages>>,
    /// Locks against other processes, once the buffer is a dma-buf.
    dma_buf_locks: OnceLock<Arc<DmaBufLocks>>,
    activity: Mutex<Activity>,
    pub(crate) tiling: Mutex<Tiling>,
    pub(crate) caching: AtomicU32,
}

impl Buffer {
    /// A zeroed buffer.
    pub(crate) fn new(bytes: u64, mmap_offset: u64, cached: bool) -> Result<Arc<Self>> {
        // A real device never returns EMFILE.
        let file = sys::memfd(c"i915", bytes).map_err(|_| Errno::ENOMEM)?;
        Ok(Self::with_storage(
            Storage::File(file),
            bytes,
            mmap_offset,
            cached,
        ))
    }

    /// A buffer on the file of another process or device.
    pub(crate) fn import(file: OwnedFd, bytes: u64, mmap_offset: u64, cached: bool) -> Arc<Self> {
        Self::with_storage(Storage::File(file), bytes, mmap_offset, cached)
    }

    /// A buffer on pages of the process.
    pub(crate) fn user(mapping: Mapping, mmap_offset: u64) -> Arc<Self> {
        let buffer = Self::with_storage(
            Storage::Userptr,
            mapping.len_bytes() as u64,
            mmap_offset,
            true,
        );
        // A new buffer has no pages yet.
        let _ = buffer.pages.set(Pages::new(mapping));
        buffer
    }

    fn with_storage(storage: Storage, bytes: u64, mmap_offset: u64, cached: bool) -> Arc<Self> {
        let caching = if cached {
            i915::CACHING_CACHED
        } else {
            i915::CACHING_NONE
        };
        Arc::new(Self {
            storage,
            bytes,
            mmap_offset,
            pages: OnceLock::new(),
            dma_buf_locks: OnceLock::new(),
            activity: Mutex::default(),
            tiling: Mutex::default(),
            caching: AtomicU32::new(caching),
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The memory file. `EINVAL` for userptr buffers, as the kernel returns for exporting them.
    pub(crate) fn file(&self) -> Result<BorrowedFd<'_>> {
        match &self.storage {
            Storage::File(file) => Ok(file.as_fd()),
            Storage::Userptr => Err(Errno::EINVAL),
        }
    }

    /// The pages as the GPU sees them; mapped by the first call.
    pub(crate) fn pages(&self) -> Result<&Arc<Pages>> {
        if let Some(pages) = self.pages.get() {
            return Ok(pages);
        }
        let len = usize::try_from(self.bytes).map_err(|_| Errno::ENOMEM)?;
        let pages = Pages::new(Mapping::new(self.file()?, 0, len)?);
        // If another thread was faster, this mapping is dropped.
        Ok(self.pages.get_or_init(|| pages))
    }

    /// Makes the buffer a dma-buf that other processes may use.
    pub(crate) fn share(&self) -> Result<()> {
        self.pages()?.share();
        if self.dma_buf_locks.get().is_none() {
            // Ignores the result: another thread may have been faster.
            let _ = self.dma_buf_locks.set(DmaBufLocks::new(self.file()?)?);
        }
        Ok(())
    }

    /// The locks against other processes; None if the buffer is not shared.
    pub(crate) fn dma_buf_locks(&self) -> Option<&Arc<DmaBufLocks>> {
        self.dma_buf_locks.get()
    }

    /// True if no batch of another process conflicts with a reader or, with `write`, with a writer.
    pub(crate) fn other_processes_idle(&self, write: bool) -> Result<bool> {
        self.dma_buf_locks()
            .map_or(Ok(true), |locks| locks.is_idle(write))
    }

    /// Sets the caching mode: whether the GPU snoops CPU caches.
    pub(crate) fn set_caching(&self, caching: u32) {
        self.caching.store(caching, Ordering::Relaxed);
    }

    /// Adds the fence of a batch that uses the buffer.
    pub(crate) fn add_batch(&self, fence: &Arc<Fence>, write: bool) {
        let mut activity = lock(&self.activity);
        activity.all.retain(|fence| !fence.is_signalled());
        activity.all.push(fence.clone());
        if write {
            activity.write = Some(fence.clone());
        }
    }

    /// The fences that a new batch has to wait for: a reader for the last writer, a writer for all
    /// batches.
    pub(crate) fn conflicting_fences(&self, write: bool) -> Vec<Arc<Fence>> {
        let mut activity = lock(&self.activity);
        activity.all.retain(|fence| !fence.is_signalled());
        if write {
            activity.all.clone()
        } else {
            activity
                .write
                .iter()
                .filter(|f| !f.is_signalled())
                .cloned()
                .collect()
        }
    }

    /// Whether a batch uses the buffer, and whether one writes it.
    pub(crate) fn busy(&self) -> Result<(bool, bool)> {
        let is_busy = |write| {
            Ok(!all_signalled(&self.conflicting_fences(write))
                || !self.other_processes_idle(write)?)
        };
        Ok((is_busy(true)?, is_busy(false)?))
    }
}
