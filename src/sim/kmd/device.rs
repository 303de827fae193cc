//! The device: one GPU, which any number of files may have open.
//!
//! In:  a GPU's name and options. Out: files, and exported and imported descriptors (dma-bufs, sync
//!      files, syncobjs).

use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use sys::{FileIdentity, Pipe};
use uapi::{Errno, Result, drm};

use crate::buffer::Buffer;
use crate::display::Display;
use crate::fence::{Fence, SyncFile, WaitQueue, all_signalled, lock};
use crate::gpu_model::{KmdError, find};
use crate::options::Options;
use crate::syncobj::Syncobj;
use crate::worker::Worker;

/// The first mmap offset; not 0, which programs may pass by mistake.
const FIRST_MMAP_OFFSET: u64 = 1 << 32;

/// How often a waiter checks whether batches of other processes are done.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// Objects that have been exported as descriptors, by the identity of the descriptor's file.
#[derive(Debug, Default)]
struct Exports {
    buffers: BTreeMap<FileIdentity, Weak<Buffer>>,
    sync_files: BTreeMap<FileIdentity, Arc<SyncFile>>,
    syncobjs: BTreeMap<FileIdentity, (Arc<Syncobj>, OwnedFd)>,
}

/// A simulated GPU.
#[derive(Debug)]
pub struct Device {
    pub(crate) hw: &'static hw::Device,
    pub(crate) wait_queue: Arc<WaitQueue>,
    pub(crate) worker: Worker,
    pub(crate) memory_bytes: u64,
    /// Batches are neither executed nor written to a file.
    pub(crate) null: bool,
    next_mmap_offset: AtomicU64,
    next_context: AtomicU64,
    pub(crate) reset_count: Arc<AtomicU32>,
    exports: Mutex<Exports>,
    /// The display, if the options ask for one.
    pub(crate) display: Option<Arc<Display>>,
}

impl Device {
    /// Creates a GPU by its short name (`hw::DEVICES`).
    ///
    /// # Errors
    /// The GPU is unknown or not simulated.
    pub fn new(gpu: &str, options: Options) -> Result<Arc<Self>, KmdError> {
        find(gpu).map(|hw| Self::with_hw(hw, options))
    }

    /// Creates a GPU of this model, even if batches for it are not simulated.
    pub(crate) fn with_hw(hw: &'static hw::Device, options: Options) -> Arc<Self> {
        // Every buffer has a descriptor. If the limit cannot be raised, allocations fail later with
        // their own error.
        let _ = sys::raise_descriptor_limit();
        let wait_queue = Arc::new(WaitQueue::default());
        let reset_count = Arc::new(AtomicU32::new(0));
        Arc::new(Self {
            hw,
            worker: Worker::new(hw, &wait_queue, &reset_count, &options),
            wait_queue,
            null: options.ignores_batches(),
            memory_bytes: sys::memory_bytes().unwrap_or(2 << 30),
            next_mmap_offset: AtomicU64::new(FIRST_MMAP_OFFSET),
            next_context: AtomicU64::new(1),
            reset_count,
            exports: Mutex::default(),
            display: options
                .display
                .then(|| Arc::new(Display::new(options.screen.clone(), options.sink.clone()))),
        })
    }

    /// Whether it has a display.
    pub fn has_display(&self) -> bool {
        self.display.is_some()
    }

    /// Whether a monitor is plugged into its display connector.
    pub fn display_is_plugged(&self) -> bool {
        self.display
            .as_ref()
            .is_some_and(|display| display.is_plugged())
    }

    /// The hardware description.
    pub fn hw(&self) -> &'static hw::Device {
        self.hw
    }

    /// True if batches are neither executed nor written to a file.
    pub fn ignores_batches(&self) -> bool {
        self.null
    }

    /// Waits until all batches that can run have run. To be called when the process ends, since a
    /// real GPU completes them, too. Does not block on locks, so it may be called from a signal
    /// handler.
    pub fn drain(&self) {
        self.worker.drain();
    }

    /// Size of each context's address space in bytes.
    pub(crate) fn gtt_bytes(&self) -> u64 {
        if self.hw.has(hw::Cap::Softpin48) {
            1 << 48
        } else {
            1 << 31
        }
    }

    /// Allocates a context id.
    pub(crate) fn context_id(&self) -> u64 {
        self.next_context.fetch_add(1, Ordering::Relaxed)
    }

    /// Allocates an mmap offset for a buffer.
    pub(crate) fn mmap_offset(&self, bytes: u64) -> u64 {
        // A gap of a page between buffers, so that an access past the end does not hit the next
        // one.
        self.next_mmap_offset.fetch_add(
            bytes.saturating_add(4096).next_multiple_of(4096),
            Ordering::Relaxed,
        )
    }

    /// Exports a buffer as a dma-buf: a duplicate of its memory file, which has the same identity.
    pub(crate) fn export_buffer(&self, buffer: &Arc<Buffer>) -> Result<OwnedFd> {
        let fd = buffer
            .file()?
            .try_clone_to_owned()
            .map_err(|_| Errno::EMFILE)?;
        buffer.share()?;
        let mut exports = lock(&self.exports);
        exports
            .buffers
            .retain(|_, buffer| buffer.strong_count() > 0);
        exports
            .buffers
            .insert(sys::identity(fd.as_raw_fd())?, Arc::downgrade(buffer));
        Ok(fd)
    }

    /// Imports a dma-buf. Any memory file is accepted as a dma-buf of another device.
    pub(crate) fn import_buffer(&self, fd: BorrowedFd<'_>) -> Result<Arc<Buffer>> {
        let identity = sys::identity(fd.as_raw_fd())?;
        let mut exports = lock(&self.exports);
        if let Some(buffer) = exports.buffers.get(&identity).and_then(Weak::upgrade) {
            return Ok(buffer);
        }
        let bytes = sys::file_len_bytes(fd).map_err(|_| Errno::EINVAL)?;
        if bytes == 0 || !bytes.is_multiple_of(4096) {
            return Err(Errno::EINVAL);
        }
        let buffer = Buffer::import(
            sys::dup_high(fd)?,
            bytes,
            self.mmap_offset(bytes),
            self.hw.has(hw::Cap::Llc),
        );
        // A file that cannot be mapped is not a dma-buf.
        buffer.share().map_err(|_| Errno::EINVAL)?;
        exports.buffers.insert(identity, Arc::downgrade(&buffer));
        Ok(buffer)
    }

    /// The buffer of a dma-buf. `ENOTTY` if the descriptor is not a dma-buf of this device.
    pub(crate) fn dma_buf_buffer(&self, dma_buf: BorrowedFd<'_>) -> Result<Arc<Buffer>> {
        let identity = sys::identity(dma_buf.as_raw_fd())?;
        let known = lock(&self.exports)
            .buffers
            .get(&identity)
            .and_then(Weak::upgrade);
        known.ok_or(Errno::ENOTTY)
    }

    /// Waits until a reader or, with `write`, a writer may access a buffer. `ETIME` after the
    /// deadline, in ns of the monotonic clock.
    pub(crate) fn wait_idle(&self, buffer: &Buffer, write: bool, deadline_ns: i64) -> Result<()> {
        let fences = buffer.conflicting_fences(write);
        self.wait_queue
            .wait_until(deadline_ns, || Ok(all_signalled(&fences).then_some(())))?;
        // There is no notification when batches of other processes end.
        while !buffer.other_processes_idle(write)? {
            if sys::monotonic_ns() >= deadline_ns {
                return Err(Errno::ETIME);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Exports fences as a sync file, which becomes readable when all of them are signalled.
    pub(crate) fn export_sync_file(&self, fences: Vec<Arc<Fence>>) -> Result<OwnedFd> {
        let pipe = Pipe::new()?;
        let identity = sys::identity(pipe.reader.as_raw_fd())?;
        let mut exports = lock(&self.exports);
        exports.sync_files.retain(|_, file| file.is_open());
        exports
            .sync_files
            .insert(identity, SyncFile::new(fences, pipe.writer));
        Ok(pipe.reader)
    }

    /// The fences of a sync file.
    pub(crate) fn import_sync_file(&self, fd: BorrowedFd<'_>) -> Result<Vec<Arc<Fence>>> {
        let identity = sys::identity(fd.as_raw_fd()).map_err(|_| Errno::EINVAL)?;
        lock(&self.exports)
            .sync_files
            .get(&identity)
            .map(|file| file.fences.clone())
            .ok_or(Errno::EINVAL)
    }

    /// Exports a syncobj as a descriptor, which keeps it alive.
    pub(crate) fn export_syncobj(&self, syncobj: &Arc<Syncobj>) -> Result<OwnedFd> {
        let pipe = Pipe::new()?;
        let identity = sys::identity(pipe.reader.as_raw_fd())?;
        let mut exports = lock(&self.exports);
        exports
            .syncobjs
            .retain(|_, (_, writer)| Pipe::has_reader(writer.as_fd()));
        exports
            .syncobjs
            .insert(identity, (syncobj.clone(), pipe.writer));
        Ok(pipe.reader)
    }

    /// The syncobj of a descriptor.
    pub(crate) fn import_syncobj(&self, fd: BorrowedFd<'_>) -> Result<Arc<Syncobj>> {
        let identity = sys::identity(fd.as_raw_fd()).map_err(|_| Errno::EINVAL)?;
        lock(&self.exports)
            .syncobjs
            .get(&identity)
            .map(|(syncobj, _)| syncobj.clone())
            .ok_or(Errno::EINVAL)
    }

    /// A capability of the DRM core.
    pub(crate) fn cap(&self, capability: u64) -> Result<u64> {
        Ok(match capability {
            drm::CAP_PRIME => drm::PRIME_CAP_IMPORT | drm::PRIME_CAP_EXPORT,
            drm::CAP_TIMESTAMP_MONOTONIC
            | drm::CAP_SYNCOBJ
            | drm::CAP_SYNCOBJ_TIMELINE
            | drm::CAP_ADDFB2_MODIFIERS => 1,
            drm::CAP_CRTC_IN_VBLANK_EVENT if self.display.is_some() => 1,
            // A device without displays reports 0 for the other existing capabilities.
            1..=drm::CAP_SYNCOBJ_TIMELINE => 0,
            _ => return Err(Errno::EINVAL),
        })
    }
}
