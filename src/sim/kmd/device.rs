//! The machine: one GPU, which any number of files may have open.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use sys::{FileIdentity, Pipe};
use uapi::{Errno, Result, drm};

use crate::KmdError;
use crate::buffer::Buffer;
use crate::fence::{Events, Fence, SyncFile, all_signalled, lock};
use crate::options::Options;
use crate::syncobj::Syncobj;
use crate::worker::Worker;

/// First offset that is given out for mmap: no file is mapped at 0 by mistake.
const FIRST_MMAP_OFFSET: u64 = 1 << 32;

/// How often somebody who waits for another process's batches looks whether they are done.
pub(crate) const LOOK_EVERY: Duration = Duration::from_micros(200);

/// Descriptors that the device made for things of its own, by what they refer to.
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
    pub(crate) events: Arc<Events>,
    pub(crate) worker: Worker,
    pub(crate) memory_bytes: u64,
    /// Batches are not even looked at: nothing executes them, and nothing writes them to a file.
    pub(crate) null: bool,
    next_mmap_offset: AtomicU64,
    next_context: AtomicU64,
    pub(crate) reset_count: Arc<AtomicU32>,
    exports: Mutex<Exports>,
}

impl Device {
    /// A GPU by its short name (`hw::DEVICES`).
    pub fn new(gpu: &str, options: Options) -> Result<Arc<Self>, KmdError> {
        crate::find(gpu).map(|hw| Self::of(hw, options))
    }

    /// A GPU of this kind, which the simulator may not know how to feed with batches.
    pub(crate) fn of(hw: &'static hw::Device, options: Options) -> Arc<Self> {
        // Every buffer is a descriptor. If the limit cannot be raised, allocation fails later, with an error of its own.
        let _ = sys::raise_descriptor_limit();
        let events = Arc::new(Events::default());
        let reset_count = Arc::new(AtomicU32::new(0));
        Arc::new(Self {
            hw,
            worker: Worker::new(hw, &events, &reset_count, &options),
            events,
            null: options.ignores_batches(),
            memory_bytes: sys::memory_bytes().unwrap_or(2 << 30),
            next_mmap_offset: AtomicU64::new(FIRST_MMAP_OFFSET),
            next_context: AtomicU64::new(1),
            reset_count,
            exports: Mutex::default(),
        })
    }

    /// The facts of the part.
    pub fn hw(&self) -> &'static hw::Device {
        self.hw
    }

    /// Whether nobody looks at what is submitted: neither a GPU nor a file gets it.
    pub fn ignores_batches(&self) -> bool {
        self.null
    }

    /// Waits until the batches that can run have run, as they do on a machine whose process has ended: for who ends the process.
    /// Takes no lock that another thread of it, or the one that was interrupted, may hold.
    pub fn settle(&self) {
        self.worker.settle();
    }

    /// Bytes of each context's address space.
    pub(crate) fn gtt_bytes(&self) -> u64 {
        if self.hw.has(hw::Cap::Softpin48) {
            1 << 48
        } else {
            1 << 31
        }
    }

    /// A number for a context that no other has.
    pub(crate) fn context_id(&self) -> u64 {
        self.next_context.fetch_add(1, Ordering::Relaxed)
    }

    /// An offset for mmap that no other buffer has.
    pub(crate) fn mmap_offset(&self, bytes: u64) -> u64 {
        // A page between buffers: an access beyond the end must not find the next one.
        self.next_mmap_offset.fetch_add(
            bytes.saturating_add(4096).next_multiple_of(4096),
            Ordering::Relaxed,
        )
    }

    /// A dma-buf: its own file, of which duplicates share the identity.
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

    /// The buffer of a dma-buf; any file in memory will do for one of another device.
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
        // A file that cannot be mapped is no dma-buf.
        buffer.share().map_err(|_| Errno::EINVAL)?;
        exports.buffers.insert(identity, Arc::downgrade(&buffer));
        Ok(buffer)
    }

    /// DMA_BUF_IOCTL_SYNC at the start of an access by the CPU: waits for writers, or for everybody. `ENOTTY`: not a dma-buf of
    /// this device.
    pub fn begin_cpu_access(&self, dma_buf: BorrowedFd<'_>, write: bool) -> Result<()> {
        let identity = sys::identity(dma_buf.as_raw_fd())?;
        let known = lock(&self.exports)
            .buffers
            .get(&identity)
            .and_then(Weak::upgrade);
        let buffer = known.ok_or(Errno::ENOTTY)?;
        self.wait_idle(&buffer, write, i64::MAX)
    }

    /// Waits until a reader, or a writer, may have a buffer, or until a deadline in ns of the monotonic clock.
    pub(crate) fn wait_idle(&self, buffer: &Buffer, write: bool, deadline_ns: i64) -> Result<()> {
        let fences = buffer.fences(write);
        self.events
            .wait_until(deadline_ns, || Ok(all_signalled(&fences).then_some(())))?;
        // Nothing tells of the ends of other processes' batches.
        while !buffer.others_are_done(write)? {
            if sys::monotonic_ns() >= deadline_ns {
                return Err(Errno::ETIME);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// A sync file: readable when all fences are signalled.
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

    /// Fences of a sync file.
    pub(crate) fn import_sync_file(&self, fd: BorrowedFd<'_>) -> Result<Vec<Arc<Fence>>> {
        let identity = sys::identity(fd.as_raw_fd()).map_err(|_| Errno::EINVAL)?;
        lock(&self.exports)
            .sync_files
            .get(&identity)
            .map(|file| file.fences.clone())
            .ok_or(Errno::EINVAL)
    }

    /// A descriptor of a syncobj, which keeps it alive.
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
            // A device without displays answers the others with 0, as far as they exist.
            1..=drm::CAP_SYNCOBJ_TIMELINE => 0,
            _ => return Err(Errno::EINVAL),
        })
    }
}
