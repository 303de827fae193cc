//! A kernel interface that writes each submission to the journal before it is made.
//!
//! In:  another kernel interface. Out: the same ioctls; a journal line and the batch's words on
//!      disk before each submission; the reset statistics of every context, even after it is
//!      destroyed; and, for tests, the faults of a [`Misbehaviour`].

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use uapi::i915::{self, GemGetAperture, MemoryClassInstance, ResetStats};
use uapi::{
    ContextParam, DriverVersion, Errno, Exec, HostPages, Kernel, MapFd, Result, SyncobjTransfer,
    Tiling,
};

use super::journal::Journal;
use super::misbehaviour::{FaultKind, Misbehaviour};

/// Maximum number of bytes of a batch that are hashed and saved.
const MAX_BATCH_BYTES: usize = 64 << 10;

/// What is known about the submissions so far.
#[derive(Debug, Default)]
struct Seen {
    submissions: u32,
    buffers: BTreeMap<u32, u64>,
    contexts: Vec<u32>,
    /// Batches that hung, and batches that were lost to a hang, of destroyed contexts.
    active: u32,
    pending: u32,
    /// The last submission that the kernel refused.
    refused: Option<String>,
}

/// The wrapper.
pub struct WatchedKernel {
    inner: Arc<dyn Kernel>,
    /// `None`: nothing is recorded.
    journal: Option<Journal>,
    rung: String,
    /// The file for the words of the last batch.
    batch_file: PathBuf,
    hw_gen: hw::Gen,
    fault: Option<Misbehaviour>,
    seen: Mutex<Seen>,
}

impl WatchedKernel {
    /// Watches `inner` during a rung. `folder` receives the last batch.
    pub fn new(
        inner: Arc<dyn Kernel>,
        journal: Journal,
        rung: &str,
        folder: &std::path::Path,
        fault: Option<Misbehaviour>,
    ) -> Arc<Self> {
        Arc::new(Self {
            inner,
            journal: Some(journal),
            rung: rung.into(),
            batch_file: folder.join("batch.bin"),
            hw_gen: hw::Gen::Gen9,
            fault,
            seen: Mutex::default(),
        })
    }

    /// A machine with a fault that is only looked at: nothing is recorded.
    pub fn unrecorded(inner: Arc<dyn Kernel>, fault: Misbehaviour) -> Arc<Self> {
        Arc::new(Self {
            inner,
            journal: None,
            rung: String::new(),
            batch_file: PathBuf::new(),
            hw_gen: hw::Gen::Gen9,
            fault: Some(fault),
            seen: Mutex::default(),
        })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of submissions.
    pub fn submissions(&self) -> u32 {
        self.seen().submissions
    }

    /// The last submission that the kernel refused, and why.
    pub fn refused(&self) -> Option<String> {
        self.seen().refused.clone()
    }

    /// Batches that hung, and batches that were lost to a hang, of all contexts so far.
    pub fn hung_batches(&self) -> (u32, u32) {
        let (mut sum, contexts) = {
            let seen = self.seen();
            ((seen.active, seen.pending), seen.contexts.clone())
        };
        for context in contexts {
            if let Ok(stats) = self.inner.get_reset_stats(context) {
                sum.0 += stats.batch_active;
                sum.1 += stats.batch_pending;
            }
        }
        sum
    }

    /// Maps the buffer of a batch. `None`: its size is unknown, as it was imported.
    fn map(&self, handle: u32) -> Option<sys::Mapping> {
        let bytes = *self.seen().buffers.get(&handle)?;
        let cached = self.inner.getparam(i915::PARAM_HAS_LLC).unwrap_or(0) > 0;
        let flags = match cached {
            true => i915::MMAP_OFFSET_WB,
            false => i915::MMAP_OFFSET_WC,
        };
        let offset = self.inner.gem_mmap_offset(handle, flags).ok()?;
        let (file, offset) = self.inner.mapping(offset).ok()?;
        sys::Mapping::map_device(file.as_fd(), offset, usize::try_from(bytes).ok()?).ok()
    }

    /// The words of a batch up to its end, or to [`MAX_BATCH_BYTES`].
    fn batch_words(&self, mapping: &sys::Mapping, start_bytes: u32) -> Vec<u32> {
        let words = mapping.words();
        let from = (start_bytes as usize / 4).min(words.len());
        let to = words.len().min(from + MAX_BATCH_BYTES / 4);
        let mut words: Vec<u32> = words[from..to].iter().map(|w| w.load(Relaxed)).collect();
        let last = hw::batch::commands(&words, self.hw_gen).last();
        let end = last.map_or(0, |command| command.at_dw + command.words.len());
        words.truncate(end);
        words
    }

    /// Writes the journal line and the batch of the submission. Returns the batch's mapping.
    fn announce(&self, exec: &Exec<'_>) -> Option<sys::Mapping> {
        let number = {
            let mut seen = self.seen();
            seen.submissions += 1;
            seen.submissions
        };
        let object = match exec.flags & i915::EXEC_BATCH_FIRST != 0 {
            true => exec.objects.first(),
            false => exec.objects.last(),
        };
        let mapping = object.and_then(|object| self.map(object.handle));
        let words = mapping
            .as_ref()
            .map(|mapping| self.batch_words(mapping, exec.batch_start_bytes));
        let bytes: Vec<u8> = words
            .iter()
            .flatten()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        let digest = Sha256::digest(&bytes);
        let hash: String = digest
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let address = object.map_or(0, |object| object.address);
        let start = address.wrapping_add(exec.batch_start_bytes.into());
        // Neither failure stops a submission: the rung's result matters more than its record.
        if std::fs::write(&self.batch_file, &bytes).is_ok() {
            let _ = std::fs::File::open(&self.batch_file).and_then(|file| file.sync_data());
        }
        let line = format!(
            "rung {} submit {number} batch {hash} bytes {} at {start:#x}",
            self.rung,
            bytes.len()
        );
        let recorded = self.journal.as_ref().map(|journal| journal.line(&line));
        if let Some(Err(why)) = recorded {
            eprintln!("ingot doctor: {why}");
        }
        mapping
    }

    /// Applies the fault to a submission. Err: the submission is refused.
    fn misbehave(&self, exec: &Exec<'_>, mapping: Option<&sys::Mapping>) -> Result<()> {
        let flags = std::env::var("INGOT_DEBUG").unwrap_or_default();
        let Some(fault) = &self.fault else {
            return Ok(());
        };
        if !fault.strikes(&self.rung, &flags) {
            return Ok(());
        }
        let start = exec.batch_start_bytes as usize;
        let write = |words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            mapping.map_or(Ok(()), |mapping| mapping.write(start, &bytes))
        };
        match fault.kind {
            FaultKind::Eio => Err(Errno::EIO),
            FaultKind::Stall => loop {
                std::thread::park();
            },
            FaultKind::Wrong => write(&hw::mi::mi_batch_buffer_end::PACKET.words::<1>().dwords),
            FaultKind::Hang => {
                use hw::mi::mi_batch_buffer_start as start_packet;
                let batch = match exec.flags & i915::EXEC_BATCH_FIRST != 0 {
                    true => exec.objects.first(),
                    false => exec.objects.last(),
                };
                let address = batch.map_or(0, |object| object.address);
                let at = address.wrapping_add(start as u64) & 0xffff_ffff_ffff;
                let jump = start_packet::PACKET
                    .words::<3>()
                    .with(start_packet::ADDRESS_SPACE_INDICATOR, 1)
                    .with(start_packet::BATCH_BUFFER_START_ADDRESS, at);
                write(&jump.dwords)
            }
            FaultKind::NoPermission | FaultKind::Xe => Ok(()),
        }
    }
}

impl Kernel for WatchedKernel {
    fn version(&self) -> Result<DriverVersion> {
        let mut version = self.inner.version()?;
        if self.fault.as_ref().is_some_and(|f| f.kind == FaultKind::Xe) {
            version.name = "xe".into();
        }
        Ok(version)
    }

    fn gem_create(&self, bytes: u64) -> Result<(u32, u64)> {
        let (handle, bytes) = self.inner.gem_create(bytes)?;
        self.seen().buffers.insert(handle, bytes);
        Ok((handle, bytes))
    }

    fn gem_create_ext(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)> {
        let (handle, bytes) = self.inner.gem_create_ext(bytes, flags, regions)?;
        self.seen().buffers.insert(handle, bytes);
        Ok((handle, bytes))
    }

    fn gem_close(&self, handle: u32) -> Result<()> {
        self.seen().buffers.remove(&handle);
        self.inner.gem_close(handle)
    }

    fn context_create(&self, flags: u32, params: &[ContextParam]) -> Result<u32> {
        let context = self.inner.context_create(flags, params)?;
        self.seen().contexts.push(context);
        Ok(context)
    }

    fn context_destroy(&self, context: u32) -> Result<()> {
        if let Ok(stats) = self.inner.get_reset_stats(context) {
            let mut seen = self.seen();
            seen.active += stats.batch_active;
            seen.pending += stats.batch_pending;
            seen.contexts.retain(|other| *other != context);
        }
        self.inner.context_destroy(context)
    }

    fn execbuffer2(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>> {
        let mapping = self.announce(&exec);
        let result = self
            .misbehave(&exec, mapping.as_ref())
            .and_then(|()| self.inner.execbuffer2(exec));
        if let Err(errno) = &result {
            let number = self.submissions();
            let refused = format!("the kernel refused submission {number}: {errno}");
            self.seen().refused = Some(refused);
        }
        result
    }

    fn prime_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        self.inner.prime_handle_to_fd(handle, flags)
    }

    fn get_cap(&self, capability: u64) -> Result<u64> {
        self.inner.get_cap(capability)
    }

    fn getparam(&self, param: i32) -> Result<i32> {
        self.inner.getparam(param)
    }

    fn query(&self, id: u64, flags: u32) -> Result<Vec<u8>> {
        self.inner.query(id, flags)
    }

    fn reg_read(&self, offset: u64) -> Result<u64> {
        self.inner.reg_read(offset)
    }

    fn gem_get_aperture(&self) -> Result<GemGetAperture> {
        self.inner.gem_get_aperture()
    }

    fn gem_userptr(&self, pages: Arc<dyn HostPages>) -> Result<u32> {
        self.inner.gem_userptr(pages)
    }

    fn gem_mmap_offset(&self, handle: u32, flags: u64) -> Result<u64> {
        self.inner.gem_mmap_offset(handle, flags)
    }

    fn mapping(&self, mmap_offset: u64) -> Result<(MapFd<'_>, u64)> {
        self.inner.mapping(mmap_offset)
    }

    fn gem_set_domain(&self, handle: u32, read_domains: u32, write_domain: u32) -> Result<()> {
        self.inner
            .gem_set_domain(handle, read_domains, write_domain)
    }

    fn gem_busy(&self, handle: u32) -> Result<u32> {
        self.inner.gem_busy(handle)
    }

    fn gem_wait(&self, handle: u32, timeout_ns: i64) -> Result<i64> {
        self.inner.gem_wait(handle, timeout_ns)
    }

    fn gem_madvise(&self, handle: u32, advice: u32) -> Result<bool> {
        self.inner.gem_madvise(handle, advice)
    }

    fn gem_set_tiling(&self, handle: u32, mode: u32, stride_bytes: u32) -> Result<Tiling> {
        self.inner.gem_set_tiling(handle, mode, stride_bytes)
    }

    fn gem_get_tiling(&self, handle: u32) -> Result<Tiling> {
        self.inner.gem_get_tiling(handle)
    }

    fn gem_set_caching(&self, handle: u32, caching: u32) -> Result<()> {
        self.inner.gem_set_caching(handle, caching)
    }

    fn gem_get_caching(&self, handle: u32) -> Result<u32> {
        self.inner.gem_get_caching(handle)
    }

    fn prime_fd_to_handle(&self, dma_buf: BorrowedFd<'_>) -> Result<u32> {
        self.inner.prime_fd_to_handle(dma_buf)
    }

    fn context_getparam(&self, context: u32, param: u64) -> Result<u64> {
        self.inner.context_getparam(context, param)
    }

    fn context_setparam(&self, context: u32, param: &ContextParam) -> Result<()> {
        self.inner.context_setparam(context, param)
    }

    fn vm_create(&self) -> Result<u32> {
        self.inner.vm_create()
    }

    fn vm_destroy(&self, vm: u32) -> Result<()> {
        self.inner.vm_destroy(vm)
    }

    fn get_reset_stats(&self, context: u32) -> Result<ResetStats> {
        self.inner.get_reset_stats(context)
    }

    fn syncobj_create(&self, flags: u32) -> Result<u32> {
        self.inner.syncobj_create(flags)
    }

    fn syncobj_destroy(&self, handle: u32) -> Result<()> {
        self.inner.syncobj_destroy(handle)
    }

    fn syncobj_wait(&self, handles: &[u32], deadline_ns: i64, flags: u32) -> Result<u32> {
        self.inner.syncobj_wait(handles, deadline_ns, flags)
    }

    fn syncobj_timeline_wait(
        &self,
        handles: &[u32],
        points: &[u64],
        deadline_ns: i64,
        flags: u32,
    ) -> Result<u32> {
        self.inner
            .syncobj_timeline_wait(handles, points, deadline_ns, flags)
    }

    fn syncobj_reset(&self, handles: &[u32]) -> Result<()> {
        self.inner.syncobj_reset(handles)
    }

    fn syncobj_signal(&self, handles: &[u32]) -> Result<()> {
        self.inner.syncobj_signal(handles)
    }

    fn syncobj_timeline_signal(&self, handles: &[u32], points: &[u64]) -> Result<()> {
        self.inner.syncobj_timeline_signal(handles, points)
    }

    fn syncobj_query(&self, handles: &[u32], flags: u32) -> Result<Vec<u64>> {
        self.inner.syncobj_query(handles, flags)
    }

    fn syncobj_transfer(&self, transfer: SyncobjTransfer) -> Result<()> {
        self.inner.syncobj_transfer(transfer)
    }

    fn syncobj_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd> {
        self.inner.syncobj_handle_to_fd(handle, flags)
    }

    fn syncobj_fd_to_handle(&self, fd: BorrowedFd<'_>, handle: u32, flags: u32) -> Result<u32> {
        self.inner.syncobj_fd_to_handle(fd, handle, flags)
    }
}
