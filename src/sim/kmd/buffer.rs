//! Buffers: pages, and who uses them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use sys::Mapping;
use uapi::{Errno, Result, Tiling, i915};

use crate::fence::{Fence, all_signalled, lock};
use crate::others::Others;

/// Bytes of a GPU page.
pub(crate) const PAGE_BYTES: u64 = 4096;

/// A buffer's bytes, as the GPU sees them.
#[derive(Debug)]
pub(crate) struct Pages {
    mapping: Mapping,
    /// Others have them as a dma-buf.
    shared: AtomicBool,
}

impl Pages {
    fn new(mapping: Mapping) -> Arc<Self> {
        Arc::new(Self {
            mapping,
            shared: AtomicBool::new(false),
        })
    }

    /// From now on others have them as a dma-buf.
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

/// Where a buffer's bytes are.
#[derive(Debug)]
enum Source {
    /// In a file of their own, which is also the dma-buf, and what mmap maps.
    File(OwnedFd),
    /// In the process (userptr).
    User,
}

/// Batches that use a buffer.
#[derive(Debug, Default)]
struct Activity {
    write: Option<Arc<Fence>>,
    all: Vec<Arc<Fence>>,
}

/// A buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    source: Source,
    bytes: u64,
    /// What mmap is given to map it: unique in a device.
    pub(crate) mmap_offset: u64,
    pages: OnceLock<Arc<Pages>>,
    /// Who else may use it, since it is a dma-buf.
    others: OnceLock<Arc<Others>>,
    activity: Mutex<Activity>,
    pub(crate) tiling: Mutex<Tiling>,
    pub(crate) caching: AtomicU32,
}

impl Buffer {
    /// A buffer of zeros.
    pub(crate) fn new(bytes: u64, mmap_offset: u64, cached: bool) -> Result<Arc<Self>> {
        // EMFILE is what a real device never says.
        let file = sys::memfd(c"i915", bytes).map_err(|_| Errno::ENOMEM)?;
        Ok(Self::make(Source::File(file), bytes, mmap_offset, cached))
    }

    /// A buffer on somebody else's file.
    pub(crate) fn import(file: OwnedFd, bytes: u64, mmap_offset: u64, cached: bool) -> Arc<Self> {
        Self::make(Source::File(file), bytes, mmap_offset, cached)
    }

    /// A buffer on pages of the process.
    pub(crate) fn user(mapping: Mapping, mmap_offset: u64) -> Arc<Self> {
        let buffer = Self::make(Source::User, mapping.len_bytes() as u64, mmap_offset, true);
        // A new buffer has no pages yet.
        let _ = buffer.pages.set(Pages::new(mapping));
        buffer
    }

    fn make(source: Source, bytes: u64, mmap_offset: u64, cached: bool) -> Arc<Self> {
        let caching = if cached {
            i915::CACHING_CACHED
        } else {
            i915::CACHING_NONE
        };
        Arc::new(Self {
            source,
            bytes,
            mmap_offset,
            pages: OnceLock::new(),
            others: OnceLock::new(),
            activity: Mutex::default(),
            tiling: Mutex::default(),
            caching: AtomicU32::new(caching),
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file behind it. Pages of the process have none: `EINVAL`, as the kernel says for exports of them.
    pub(crate) fn file(&self) -> Result<BorrowedFd<'_>> {
        match &self.source {
            Source::File(file) => Ok(file.as_fd()),
            Source::User => Err(Errno::EINVAL),
        }
    }

    /// The pages as the GPU sees them, mapped at the first call.
    pub(crate) fn pages(&self) -> Result<&Arc<Pages>> {
        if let Some(pages) = self.pages.get() {
            return Ok(pages);
        }
        let len = usize::try_from(self.bytes).map_err(|_| Errno::ENOMEM)?;
        let pages = Pages::new(Mapping::new(self.file()?, 0, len)?);
        // Another thread may have been quicker; then these are unmapped again.
        Ok(self.pages.get_or_init(|| pages))
    }

    /// From now on others have it as a dma-buf.
    pub(crate) fn share(&self) -> Result<()> {
        self.pages()?.share();
        if self.others.get().is_none() {
            // Another thread may have been quicker.
            let _ = self.others.set(Others::new(self.file()?)?);
        }
        Ok(())
    }

    /// Its users in other processes, if there may be any.
    pub(crate) fn others(&self) -> Option<&Arc<Others>> {
        self.others.get()
    }

    /// Whether no other process's batch is in the way of a reader, or of a writer.
    pub(crate) fn others_are_done(&self, write: bool) -> Result<bool> {
        self.others()
            .map_or(Ok(true), |others| others.are_done(write))
    }

    /// Whether caches of the CPU are snooped.
    pub(crate) fn set_caching(&self, caching: u32) {
        self.caching.store(caching, Ordering::Relaxed);
    }

    /// Notes a batch that uses it.
    pub(crate) fn use_by(&self, fence: &Arc<Fence>, write: bool) {
        let mut activity = lock(&self.activity);
        activity.all.retain(|fence| !fence.is_signalled());
        activity.all.push(fence.clone());
        if write {
            activity.write = Some(fence.clone());
        }
    }

    /// What a new user has to wait for: a reader for the last writer, a writer for everybody.
    pub(crate) fn fences(&self, write: bool) -> Vec<Arc<Fence>> {
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

    /// Whether a batch uses it, and whether one writes it.
    pub(crate) fn busy(&self) -> Result<(bool, bool)> {
        let is_busy =
            |write| Ok(!all_signalled(&self.fences(write)) || !self.others_are_done(write)?);
        Ok((is_busy(true)?, is_busy(false)?))
    }
}
