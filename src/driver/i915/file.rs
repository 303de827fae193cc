//! An open device file: the ioctls as methods, and GEM handles that are closed with their last
//! user.
//!
//! In:  a [`Kernel`]. Out: its ioctls with this crate's errors.

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use uapi::i915::{
    self, CONTEXT_PARAM_GTT_SIZE, ENGINE_CLASS_RENDER, EXEC_BATCH_FIRST, EXEC_HANDLE_LUT,
    EXEC_NO_RELOC, EngineClassInstance, MMAP_OFFSET_WB, MMAP_OFFSET_WC,
};
use uapi::{ContextParam, Errno, Exec, ExecFence, ExecObject, HostPages, Kernel, drm};

use crate::error::{Error, Result};
use crate::mapping::BufferMapping;

/// An open device file. Physical and logical devices share it.
pub struct File {
    kernel: Arc<dyn Kernel>,
    /// Number of users of each shared buffer: the kernel returns the same handle for each import of
    /// the same pages.
    shared: Mutex<BTreeMap<u32, u32>>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File")
            .field("shared", &self.shared().len())
            .finish_non_exhaustive()
    }
}

/// A syncobj that a submission waits for or signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The syncobj's handle.
    pub(crate) handle: u32,
    /// The timeline point; 0 for a binary syncobj.
    pub(crate) value: u64,
    /// Whether the submission waits for it, or signals it.
    pub(crate) wait: bool,
}

/// A context's priority: values of I915_CONTEXT_PARAM_PRIORITY, of which users may set up to 1023.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the priorities' names")]
pub enum ContextPriority {
    Low = -512,
    #[default]
    Medium = 0,
    High = 512,
    Realtime = i915::CONTEXT_MAX_USER_PRIORITY as isize,
}

impl ContextPriority {
    /// All priorities, the lowest first.
    pub const ALL: [ContextPriority; 4] = [
        ContextPriority::Low,
        ContextPriority::Medium,
        ContextPriority::High,
        ContextPriority::Realtime,
    ];
}

/// Converts the error number of an ioctl.
fn ioctl_error(call: &'static str) -> impl FnOnce(Errno) -> Error {
    move |errno| Error::Ioctl {
        call,
        errno: errno.0,
    }
}

/// The result of a wait: `ETIME` is not an error, but false.
fn wait_result(call: &'static str, result: uapi::Result<u32>) -> Result<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(Errno::ETIME) => Ok(false),
        Err(errno) => Err(ioctl_error(call)(errno)),
    }
}

/// Whether the kernel does not know what it was asked for, rather than failed to do it.
fn is_rejection(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::EINVAL | Errno::ENODEV | Errno::ENOTTY | Errno::EOPNOTSUPP
    )
}

impl File {
    pub(crate) fn new(kernel: Arc<dyn Kernel>) -> Arc<Self> {
        Arc::new(Self {
            kernel,
            shared: Mutex::default(),
        })
    }

    pub(crate) fn kernel(&self) -> &dyn Kernel {
        &*self.kernel
    }

    fn shared(&self) -> MutexGuard<'_, BTreeMap<u32, u32>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a buffer of new pages; its handle.
    pub(crate) fn create(&self, bytes: u64) -> Result<u32> {
        let (handle, _) = self
            .kernel
            .gem_create(bytes)
            .map_err(ioctl_error("GEM_CREATE"))?;
        Ok(handle)
    }

    /// Creates a buffer on pages of the process; its handle.
    pub(crate) fn userptr(&self, pages: Arc<dyn HostPages>) -> Result<u32> {
        self.kernel
            .gem_userptr(pages)
            .map_err(ioctl_error("GEM_USERPTR"))
    }

    /// Closes the handle of a buffer that was never exported, so that it has only one user.
    pub(crate) fn close_private(&self, handle: u32) {
        // A failure cannot be handled.
        let _ = self.kernel.gem_close(handle);
    }

    /// Removes a user of a shared buffer, and closes the handle with the last one.
    pub(crate) fn close_shared(&self, handle: u32) {
        let mut shared = self.shared();
        let Some(users) = shared.get_mut(&handle) else {
            return;
        };
        *users -= 1;
        if *users == 0 {
            shared.remove(&handle);
            // The lock is held until the handle is closed: a concurrent import would otherwise
            // receive the handle just before it is closed.
            self.close_private(handle);
        }
    }

    /// Imports a dma-buf: its handle and size in bytes.
    pub(crate) fn import(&self, descriptor: OwnedFd) -> Result<(u32, u64)> {
        let mut file = std::fs::File::from(descriptor);
        let bytes = file
            .seek(SeekFrom::End(0))
            .map_err(|error| Error::Mapping {
                why: format!("size of a dma-buf: {error}"),
            })?;
        let mut shared = self.shared();
        let handle = self
            .kernel
            .prime_fd_to_handle(file.as_fd())
            .map_err(ioctl_error("PRIME_FD_TO_HANDLE"))?;
        *shared.entry(handle).or_insert(0) += 1;
        Ok((handle, bytes))
    }

    /// Marks a buffer with one user as shared, before it can be imported.
    pub(crate) fn mark_shared(&self, handle: u32) {
        self.shared().insert(handle, 1);
    }

    /// Exports a shared buffer as a dma-buf.
    pub(crate) fn export(&self, handle: u32) -> Result<OwnedFd> {
        let flags = drm::PRIME_CLOEXEC | drm::PRIME_RDWR;
        self.kernel
            .prime_handle_to_fd(handle, flags)
            .map_err(ioctl_error("PRIME_HANDLE_TO_FD"))
    }

    /// Waits until a buffer is idle, up to `timeout_ns`, without limit if that is negative. Returns
    /// false if it is still in use.
    pub(crate) fn wait(&self, handle: u32, timeout_ns: i64) -> Result<bool> {
        wait_result(
            "GEM_WAIT",
            self.kernel.gem_wait(handle, timeout_ns).map(|_| 0),
        )
    }

    /// Maps a buffer, cached or write-combined, at any address or at a place.
    pub(crate) fn map(
        &self,
        handle: u32,
        bytes: u64,
        cached: bool,
        place: Option<sys::Place>,
    ) -> Result<BufferMapping> {
        let flags = if cached {
            MMAP_OFFSET_WB
        } else {
            MMAP_OFFSET_WC
        };
        let offset = self
            .kernel
            .gem_mmap_offset(handle, flags)
            .map_err(ioctl_error("GEM_MMAP_OFFSET"))?;
        let (descriptor, offset) = self.kernel.mapping(offset).map_err(ioctl_error("mmap"))?;
        let length = usize::try_from(bytes).ok().and_then(NonZeroUsize::new);
        BufferMapping::new(
            descriptor.as_fd(),
            length.ok_or(Error::Range { what: "a mapping" })?,
            offset,
            place,
        )
    }

    /// Creates a context with one render engine, which is not recovered after a hang, as its state
    /// would be unknown. Kernels that reject either get a context without it: the render engine is
    /// the first of a context without an engine map, too, and hangs are still found by the reset
    /// statistics of the context.
    pub(crate) fn context_create(&self, priority: ContextPriority) -> Result<u32> {
        let engines = ContextParam::Engines(vec![EngineClassInstance {
            engine_class: ENGINE_CLASS_RENDER,
            engine_instance: 0,
        }]);
        let unrecoverable = ContextParam::recoverable(false);
        let mut created = self
            .kernel
            .context_create(0, &[engines.clone(), unrecoverable.clone()]);
        for params in [vec![unrecoverable], vec![engines], Vec::new()] {
            match created {
                Err(errno) if is_rejection(errno) => {
                    created = self.kernel.context_create(0, &params);
                }
                _ => break,
            }
        }
        let context = created.map_err(ioctl_error("GEM_CONTEXT_CREATE_EXT"))?;
        let set = self
            .kernel
            .context_setparam(context, &ContextParam::priority(priority as i32));
        match set {
            // Kernels without a scheduler do not support priorities, and behave like the medium
            // one.
            Err(errno) if priority > ContextPriority::Medium => {
                self.context_destroy(context);
                Err(ioctl_error("GEM_CONTEXT_SETPARAM")(errno))
            }
            _ => Ok(context),
        }
    }

    /// The priorities that this process may set, the lowest first.
    pub fn priorities(&self) -> Vec<ContextPriority> {
        let Ok(context) = self.context_create(ContextPriority::Medium) else {
            return vec![ContextPriority::Medium];
        };
        let settable = |priority: &ContextPriority| {
            let param = ContextParam::priority(*priority as i32);
            self.kernel.context_setparam(context, &param).is_ok()
        };
        let mut all: Vec<_> = ContextPriority::ALL.into_iter().filter(settable).collect();
        self.context_destroy(context);
        if all.is_empty() {
            all.push(ContextPriority::Medium);
        }
        all
    }

    /// The render engine's timestamp, in ticks.
    pub(crate) fn timestamp(&self) -> Result<u64> {
        self.kernel
            .reg_read(i915::TIMESTAMP_REGISTER | i915::REG_READ_8B_WA)
            .map_err(ioctl_error("REG_READ"))
    }

    pub(crate) fn context_destroy(&self, context: u32) {
        // A failure cannot be handled.
        let _ = self.kernel.context_destroy(context);
    }

    /// Size of a context's address space in bytes.
    pub(crate) fn gtt_bytes(&self) -> Result<u64> {
        self.kernel
            .context_getparam(0, CONTEXT_PARAM_GTT_SIZE)
            .map_err(ioctl_error("GEM_CONTEXT_GETPARAM"))
    }

    /// Whether the context hung, or lost queued work to a hang.
    pub(crate) fn context_hung(&self, context: u32) -> Result<bool> {
        let stats = self
            .kernel
            .get_reset_stats(context)
            .map_err(ioctl_error("GET_RESET_STATS"))?;
        Ok(stats.batch_active > 0 || stats.batch_pending > 0)
    }

    /// Submits the batch in the first of the objects.
    pub(crate) fn execute(
        &self,
        context: u32,
        objects: &mut [ExecObject],
        batch_start_bytes: u32,
        fences: &[Fence],
    ) -> Result<()> {
        let mut exec_fences: SmallVec<[ExecFence; 8]> = SmallVec::new();
        exec_fences.extend(fences.iter().map(|fence| ExecFence {
            handle: fence.handle,
            flags: if fence.wait {
                i915::EXEC_FENCE_WAIT
            } else {
                i915::EXEC_FENCE_SIGNAL
            },
            point: fence.value,
        }));
        let exec = Exec {
            objects,
            batch_start_bytes,
            batch_bytes: 0,
            // The low bits are 0: the first engine of the context's engine map or, without a map,
            // EXEC_DEFAULT, the render engine.
            flags: EXEC_NO_RELOC | EXEC_HANDLE_LUT | EXEC_BATCH_FIRST,
            context,
            fences: &exec_fences,
            in_fence: None,
            out_fence: false,
        };
        self.kernel
            .execbuffer2(exec)
            .map_err(ioctl_error("GEM_EXECBUFFER2"))?;
        Ok(())
    }

    pub(crate) fn syncobj_create(&self, signalled: bool) -> Result<u32> {
        let flags = if signalled {
            drm::SYNCOBJ_CREATE_SIGNALED
        } else {
            0
        };
        self.kernel
            .syncobj_create(flags)
            .map_err(ioctl_error("SYNCOBJ_CREATE"))
    }

    pub(crate) fn syncobj_destroy(&self, handle: u32) {
        // A failure cannot be handled.
        let _ = self.kernel.syncobj_destroy(handle);
    }

    pub(crate) fn syncobj_import(&self, descriptor: OwnedFd) -> Result<u32> {
        self.kernel
            .syncobj_fd_to_handle(descriptor.as_fd(), 0, 0)
            .map_err(ioctl_error("SYNCOBJ_FD_TO_HANDLE"))
    }

    /// Replaces a syncobj's fence by that of a sync file.
    pub(crate) fn syncobj_import_file(&self, handle: u32, descriptor: OwnedFd) -> Result<()> {
        self.kernel
            .syncobj_fd_to_handle(descriptor.as_fd(), handle, drm::SYNCOBJ_FD_SYNC_FILE)
            .map(|_| ())
            .map_err(ioctl_error("SYNCOBJ_FD_TO_HANDLE"))
    }

    /// Exports a syncobj's fence as a sync file.
    pub(crate) fn syncobj_export_file(&self, handle: u32) -> Result<OwnedFd> {
        self.kernel
            .syncobj_handle_to_fd(handle, drm::SYNCOBJ_FD_SYNC_FILE)
            .map_err(ioctl_error("SYNCOBJ_HANDLE_TO_FD"))
    }

    pub(crate) fn syncobj_export(&self, handle: u32) -> Result<OwnedFd> {
        self.kernel
            .syncobj_handle_to_fd(handle, 0)
            .map_err(ioctl_error("SYNCOBJ_HANDLE_TO_FD"))
    }

    pub(crate) fn syncobj_reset(&self, handles: &[u32]) -> Result<()> {
        self.kernel
            .syncobj_reset(handles)
            .map_err(ioctl_error("SYNCOBJ_RESET"))
    }

    /// Signals a binary syncobj.
    pub(crate) fn syncobj_signal(&self, handle: u32) -> Result<()> {
        self.kernel
            .syncobj_signal(&[handle])
            .map_err(ioctl_error("SYNCOBJ_SIGNAL"))
    }

    /// Signals a point of a timeline.
    pub(crate) fn syncobj_signal_point(&self, handle: u32, value: u64) -> Result<()> {
        self.kernel
            .syncobj_timeline_signal(&[handle], &[value])
            .map_err(ioctl_error("SYNCOBJ_TIMELINE_SIGNAL"))
    }

    /// Adds 1 to an eventfd once a point of a timeline is signalled.
    pub(crate) fn syncobj_notify(
        &self,
        handle: u32,
        value: u64,
        event: BorrowedFd<'_>,
    ) -> Result<()> {
        self.kernel
            .syncobj_eventfd(handle, value, event)
            .map_err(ioctl_error("SYNCOBJ_EVENTFD"))
    }

    /// The last signalled point of a timeline.
    pub(crate) fn syncobj_query(&self, handle: u32) -> Result<u64> {
        let values = self
            .kernel
            .syncobj_query(&[handle], 0)
            .map_err(ioctl_error("SYNCOBJ_QUERY"))?;
        Ok(values.first().copied().unwrap_or(0))
    }

    /// Waits for binary syncobjs. Returns false if the deadline passed.
    pub(crate) fn syncobj_wait(
        &self,
        handles: &[u32],
        all: bool,
        deadline_ns: i64,
    ) -> Result<bool> {
        let flags = drm::SYNCOBJ_WAIT_FOR_SUBMIT | if all { drm::SYNCOBJ_WAIT_ALL } else { 0 };
        wait_result(
            "SYNCOBJ_WAIT",
            self.kernel.syncobj_wait(handles, deadline_ns, flags),
        )
    }

    /// Waits for points of timelines to be signalled or, with `submitted`, only submitted. Returns
    /// false if the deadline passed.
    pub(crate) fn timeline_wait(
        &self,
        points: &[(u32, u64)],
        all: bool,
        submitted: bool,
        deadline_ns: i64,
    ) -> Result<bool> {
        let flags = drm::SYNCOBJ_WAIT_FOR_SUBMIT
            | if all { drm::SYNCOBJ_WAIT_ALL } else { 0 }
            | if submitted {
                drm::SYNCOBJ_WAIT_AVAILABLE
            } else {
                0
            };
        let handles: Vec<u32> = points.iter().map(|point| point.0).collect();
        let values: Vec<u64> = points.iter().map(|point| point.1).collect();
        let result = self
            .kernel
            .syncobj_timeline_wait(&handles, &values, deadline_ns, flags);
        wait_result("SYNCOBJ_TIMELINE_WAIT", result)
    }
}
