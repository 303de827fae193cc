//! A kernel interface that writes each submission to the journal before it is made.
//!
//! In:  another kernel interface. Out: the same ioctls; a journal line and the batch's words on
//!      disk before each submission; the reset statistics and the pipeline's counters of every
//!      context, even after it is destroyed; and, for tests, the faults of a [`Misbehaviour`].

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use uapi::i915::{self, MemoryClassInstance};
use uapi::{ContextParam, DriverVersion, Errno, Exec, Kernel, Result};

use super::counters::Counters;
use super::journal::Journal;
use super::misbehaviour::{FaultKind, Misbehaviour};

/// Maximum number of bytes of a batch that are hashed and saved.
const MAX_BATCH_BYTES: usize = 64 << 10;

/// The record of the calls so far.
#[derive(Debug, Default)]
struct CallRecord {
    submissions: u32,
    /// The sizes of buffers in bytes, by handle.
    buffers: BTreeMap<u32, u64>,
    /// The contexts, with the statistics counters at their creation, if they could be read.
    contexts: BTreeMap<u32, Option<Counters>>,
    /// Batches that hung, and batches that were lost to a hang, of destroyed contexts.
    active: u32,
    pending: u32,
    /// The sums of the statistics counters of destroyed contexts; `None`: none could be read.
    counters: Option<Counters>,
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
    /// Whether the counters of contexts are read, by a batch at their creation and one at the end.
    counts: bool,
    hw_gen: hw::Gen,
    fault: Option<Misbehaviour>,
    record: Mutex<CallRecord>,
}

impl WatchedKernel {
    /// Watches `inner` during a rung. `folder` receives the last batch. With `counts` the
    /// pipeline's counters of each context are read.
    pub fn new(
        inner: Arc<dyn Kernel>,
        journal: Journal,
        rung: &str,
        folder: &std::path::Path,
        counts: bool,
        fault: Option<Misbehaviour>,
    ) -> Arc<Self> {
        Arc::new(Self {
            inner,
            journal: Some(journal),
            rung: rung.into(),
            batch_file: folder.join("batch.bin"),
            counts,
            hw_gen: hw::Gen::Gen9,
            fault,
            record: Mutex::default(),
        })
    }

    /// A machine with a fault that is only looked at: nothing is recorded.
    pub fn unrecorded(inner: Arc<dyn Kernel>, fault: Misbehaviour) -> Arc<Self> {
        Arc::new(Self {
            inner,
            journal: None,
            rung: String::new(),
            batch_file: PathBuf::new(),
            counts: false,
            hw_gen: hw::Gen::Gen9,
            fault: Some(fault),
            record: Mutex::default(),
        })
    }

    fn record(&self) -> MutexGuard<'_, CallRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of submissions.
    pub fn submissions(&self) -> u32 {
        self.record().submissions
    }

    /// The last submission that the kernel refused, and why.
    pub fn refused(&self) -> Option<String> {
        self.record().refused.clone()
    }

    /// Batches that hung, and batches that were lost to a hang, of all contexts so far.
    pub fn hung_batches(&self) -> (u32, u32) {
        let (mut sum, contexts) = {
            let record = self.record();
            let contexts: Vec<u32> = record.contexts.keys().copied().collect();
            ((record.active, record.pending), contexts)
        };
        for context in contexts {
            if let Ok(stats) = self.inner.get_reset_stats(context) {
                sum.0 += stats.batch_active;
                sum.1 += stats.batch_pending;
            }
        }
        sum
    }

    /// What the pipeline counted in the contexts that were destroyed. `None`: nothing was read.
    pub fn counters(&self) -> Option<Counters> {
        self.record().counters
    }

    /// Reads the counters of a context, if the rung wants them. A machine that cannot run this
    /// batch fails at the rung's own, with a better reason: the error is dropped.
    fn read_counters(&self, context: u32) -> Option<Counters> {
        if !self.counts {
            return None;
        }
        self.write_journal(&format!("rung {} reads the counters", self.rung));
        Counters::read(self.inner.as_ref(), context).ok()
    }

    fn write_journal(&self, line: &str) {
        let written = self.journal.as_ref().map(|journal| journal.line(line));
        if let Some(Err(why)) = written {
            eprintln!("ingot doctor: {why}");
        }
    }

    /// Maps the buffer of a batch. `None`: its size is unknown, as it was imported.
    fn map(&self, handle: u32) -> Option<sys::Mapping> {
        let bytes = *self.record().buffers.get(&handle)?;
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
            let mut record = self.record();
            record.submissions += 1;
            record.submissions
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
        self.write_journal(&line);
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
        self.record().buffers.insert(handle, bytes);
        Ok((handle, bytes))
    }

    fn gem_create_ext(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)> {
        let (handle, bytes) = self.inner.gem_create_ext(bytes, flags, regions)?;
        self.record().buffers.insert(handle, bytes);
        Ok((handle, bytes))
    }

    fn gem_close(&self, handle: u32) -> Result<()> {
        self.record().buffers.remove(&handle);
        self.inner.gem_close(handle)
    }

    fn context_create(&self, flags: u32, params: &[ContextParam]) -> Result<u32> {
        let context = self.inner.context_create(flags, params)?;
        let counters = self.read_counters(context);
        self.record().contexts.insert(context, counters);
        Ok(context)
    }

    fn context_destroy(&self, context: u32) -> Result<()> {
        let stats = self.inner.get_reset_stats(context).unwrap_or_default();
        let before = self.record().contexts.remove(&context).flatten();
        // A context that hung accepts no further batch, and its counters say nothing.
        let hung = stats.batch_active + stats.batch_pending > 0;
        let before = before.filter(|_| !hung);
        let now = before.and_then(|before| Some((before, self.read_counters(context)?)));
        let mut record = self.record();
        record.active += stats.batch_active;
        record.pending += stats.batch_pending;
        if let Some((before, now)) = now {
            let sum = record.counters.get_or_insert_default();
            sum.add_since(&now, &before);
        }
        drop(record);
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
            self.record().refused = Some(refused);
        }
        result
    }

    uapi::delegate_kernel! {
        inner:
        get_cap, getparam, query, reg_read, gem_get_aperture, gem_userptr,
        gem_mmap_offset, mapping, gem_set_domain, gem_busy, gem_wait, gem_madvise,
        gem_set_tiling, gem_get_tiling, gem_set_caching, gem_get_caching,
        prime_handle_to_fd, prime_fd_to_handle, context_getparam, context_setparam,
        vm_create, vm_destroy, get_reset_stats, syncobj_create, syncobj_destroy,
        syncobj_wait, syncobj_timeline_wait, syncobj_reset, syncobj_signal,
        syncobj_timeline_signal, syncobj_query, syncobj_eventfd, syncobj_transfer,
        syncobj_handle_to_fd, syncobj_fd_to_handle,
    }
}
