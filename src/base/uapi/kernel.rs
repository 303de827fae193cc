//! The kernel as the driver sees it: one method per ioctl, on one open file.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::errno::Errno;
use crate::i915::{
    ContextParamSseu, EngineClassInstance, GemGetAperture, MemoryClassInstance, RelocationEntry,
    ResetStats,
};

/// Result of a call to the kernel.
pub type Result<T, E = Errno> = std::result::Result<T, E>;

/// Name and version of the kernel driver behind an open file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverVersion {
    /// Major, minor, patch level.
    pub number: [i32; 3],
    /// Name of the kernel driver: `i915`.
    pub name: String,
    /// Date, in the format of the driver.
    pub date: String,
    /// Description.
    pub description: String,
}

/// A file descriptor to pass to mmap.
#[derive(Debug)]
pub enum MapFd<'a> {
    /// The descriptor of the open DRM file.
    File(BorrowedFd<'a>),
    /// A descriptor created for this mapping.
    Made(OwnedFd),
}

impl AsFd for MapFd<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            MapFd::File(fd) => *fd,
            MapFd::Made(fd) => fd.as_fd(),
        }
    }
}

/// A context parameter to set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextParam {
    /// Engine map: the low bits of the execbuf flags index it from then on.
    Engines(Vec<EngineClassInstance>),
    /// Address space.
    Vm(u32),
    /// Enabled slices, subslices and EUs.
    Sseu(ContextParamSseu),
    /// Any other parameter, `CONTEXT_PARAM_*`, whose value is a number. Negative values are
    /// sign-extended.
    Value {
        /// `CONTEXT_PARAM_*`.
        param: u64,
        /// Value.
        value: u64,
    },
}

impl ContextParam {
    /// Sets whether the context stays usable after a hang.
    pub fn recoverable(yes: bool) -> Self {
        Self::Value {
            param: crate::i915::CONTEXT_PARAM_RECOVERABLE,
            value: yes.into(),
        }
    }

    /// Sets the priority, from -1023 to 1023.
    pub fn priority(priority: i32) -> Self {
        Self::Value {
            param: crate::i915::CONTEXT_PARAM_PRIORITY,
            value: i64::from(priority) as u64,
        }
    }
}

/// A buffer of an execbuf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecObject {
    /// The buffer.
    pub handle: u32,
    /// GPU address in canonical form. In: the required address (`EXEC_OBJECT_PINNED`) or the last
    /// known one; out: the actual one.
    pub address: u64,
    /// Alignment of the address in bytes; 0 means a page.
    pub alignment_bytes: u64,
    /// `EXEC_OBJECT_*`.
    pub flags: u64,
    /// With `EXEC_OBJECT_PAD_TO_SIZE`: bytes of address space to reserve.
    pub pad_to_bytes: u64,
    /// Relocations: addresses of other buffers in this one. Out: their presumed addresses are up to
    /// date.
    pub relocations: Vec<RelocationEntry>,
}

/// A syncobj that an execbuf waits for or signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecFence {
    /// The syncobj.
    pub handle: u32,
    /// `EXEC_FENCE_WAIT`, `EXEC_FENCE_SIGNAL`.
    pub flags: u32,
    /// Timeline point; 0 means the binary fence.
    pub point: u64,
}

/// Arguments of an execbuf.
#[derive(Debug)]
pub struct Exec<'a> {
    /// Buffers. The batch is the last, or the first with `EXEC_BATCH_FIRST`.
    pub objects: &'a mut [ExecObject],
    /// Offset of the batch in its buffer.
    pub batch_start_bytes: u32,
    /// Length of the batch; 0 means up to the end of the buffer.
    pub batch_bytes: u32,
    /// `EXEC_*` flags, except those for fences, which follow from the fields below.
    pub flags: u64,
    /// Context; 0 means the default context of the file.
    pub context: u32,
    /// Syncobjs to wait for or to signal.
    pub fences: &'a [ExecFence],
    /// A sync file to wait for.
    pub in_fence: Option<BorrowedFd<'a>>,
    /// Whether to return a sync file.
    pub out_fence: bool,
}

/// Tiling of a buffer, for fence registers and for importers of its dma-buf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiling {
    /// `TILING_*`.
    pub mode: u32,
    /// Distance between rows in bytes.
    pub stride_bytes: u32,
    /// `BIT_6_SWIZZLE_*`.
    pub swizzle: u32,
}

/// Arguments of SYNCOBJ_TRANSFER.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncobjTransfer {
    /// Syncobj that the fence is copied from.
    pub source: u32,
    /// Timeline point of the source; 0 means the binary fence.
    pub source_point: u64,
    /// Syncobj that receives the fence.
    pub destination: u32,
    /// Timeline point of the destination; 0 means the binary fence.
    pub destination_point: u64,
    /// `SYNCOBJ_WAIT_FOR_SUBMIT`.
    pub flags: u32,
}

/// Pages of the process for GEM_USERPTR. They stay mapped at the same address as long as the value
/// exists.
pub trait HostPages: Send + Sync + std::fmt::Debug {
    /// The contents, a whole number of pages.
    fn words(&self) -> &[AtomicU32];
}

/// One open file of a DRM device driven by i915. Dropping it closes the file and frees all its
/// objects.
///
/// Each method but [`Kernel::mapping`] is one ioctl. Constants are those of drm.h and i915_drm.h;
/// handles are local to the file; errors are those that the ioctl returns.
pub trait Kernel: Send + Sync {
    /// VERSION.
    fn version(&self) -> Result<DriverVersion>;
    /// GET_CAP: one of `drm::CAP_*`.
    fn get_cap(&self, capability: u64) -> Result<u64>;
    /// I915_GETPARAM: one of `i915::PARAM_*`.
    fn getparam(&self, param: i32) -> Result<i32>;
    /// I915_QUERY of one item; returns the whole result.
    fn query(&self, id: u64, flags: u32) -> Result<Vec<u8>>;
    /// I915_REG_READ.
    fn reg_read(&self, offset: u64) -> Result<u64>;

    /// I915_GEM_GET_APERTURE.
    fn gem_get_aperture(&self) -> Result<GemGetAperture>;
    /// I915_GEM_CREATE: creates a zeroed buffer; returns its handle and its size in bytes.
    fn gem_create(&self, bytes: u64) -> Result<(u32, u64)>;
    /// I915_GEM_CREATE_EXT: as [`Kernel::gem_create`], in one of the given memory regions.
    fn gem_create_ext(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)>;
    /// I915_GEM_USERPTR: creates a buffer from pages of the process, with `USERPTR_PROBE` where the
    /// kernel has it.
    fn gem_userptr(&self, pages: Arc<dyn HostPages>) -> Result<u32>;
    /// GEM_CLOSE.
    fn gem_close(&self, handle: u32) -> Result<()>;
    /// I915_GEM_MMAP_OFFSET with one of `i915::MMAP_OFFSET_*`; returns the offset at which to mmap
    /// the file.
    fn gem_mmap_offset(&self, handle: u32, flags: u64) -> Result<u64>;
    /// The descriptor and the offset to pass to mmap for an offset that [`Kernel::gem_mmap_offset`]
    /// returned.
    fn mapping(&self, mmap_offset: u64) -> Result<(MapFd<'_>, u64)>;
    /// I915_GEM_SET_DOMAIN: waits until the CPU may read or write the buffer.
    fn gem_set_domain(&self, handle: u32, read_domains: u32, write_domain: u32) -> Result<()>;
    /// I915_GEM_BUSY: returns 0 if the buffer is idle.
    fn gem_busy(&self, handle: u32) -> Result<u32>;
    /// I915_GEM_WAIT: waits up to `timeout_ns` (negative: for ever); returns the time left.
    /// `ETIME`: still busy.
    fn gem_wait(&self, handle: u32, timeout_ns: i64) -> Result<i64>;
    /// I915_GEM_MADVISE: returns whether the pages still exist.
    fn gem_madvise(&self, handle: u32, advice: u32) -> Result<bool>;
    /// I915_GEM_SET_TILING: returns the tiling that the buffer now has.
    fn gem_set_tiling(&self, handle: u32, mode: u32, stride_bytes: u32) -> Result<Tiling>;
    /// I915_GEM_GET_TILING.
    fn gem_get_tiling(&self, handle: u32) -> Result<Tiling>;
    /// I915_GEM_SET_CACHING.
    fn gem_set_caching(&self, handle: u32, caching: u32) -> Result<()>;
    /// I915_GEM_GET_CACHING.
    fn gem_get_caching(&self, handle: u32) -> Result<u32>;
    /// PRIME_HANDLE_TO_FD: exports the buffer as a dma-buf.
    fn prime_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd>;
    /// PRIME_FD_TO_HANDLE: imports a dma-buf; returns the existing handle if the file already has
    /// the buffer.
    fn prime_fd_to_handle(&self, dma_buf: BorrowedFd<'_>) -> Result<u32>;

    /// I915_GEM_CONTEXT_CREATE: creates a context and sets the parameters in order.
    fn context_create(&self, flags: u32, params: &[ContextParam]) -> Result<u32>;
    /// I915_GEM_CONTEXT_DESTROY.
    fn context_destroy(&self, context: u32) -> Result<()>;
    /// I915_GEM_CONTEXT_GETPARAM of a parameter whose value is a number.
    fn context_getparam(&self, context: u32, param: u64) -> Result<u64>;
    /// I915_GEM_CONTEXT_SETPARAM.
    fn context_setparam(&self, context: u32, param: &ContextParam) -> Result<()>;
    /// I915_GEM_VM_CREATE.
    fn vm_create(&self) -> Result<u32>;
    /// I915_GEM_VM_DESTROY.
    fn vm_destroy(&self, vm: u32) -> Result<()>;
    /// I915_GET_RESET_STATS.
    fn get_reset_stats(&self, context: u32) -> Result<ResetStats>;
    /// I915_GEM_EXECBUFFER2: submits a batch; returns a sync file if `exec.out_fence` is set.
    fn execbuffer2(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>>;

    /// SYNCOBJ_CREATE.
    fn syncobj_create(&self, flags: u32) -> Result<u32>;
    /// SYNCOBJ_DESTROY.
    fn syncobj_destroy(&self, handle: u32) -> Result<()>;
    /// SYNCOBJ_WAIT until a deadline in ns of the monotonic clock. Without `SYNCOBJ_WAIT_ALL`
    /// returns the index of the first signalled syncobj.
    fn syncobj_wait(&self, handles: &[u32], deadline_ns: i64, flags: u32) -> Result<u32>;
    /// SYNCOBJ_TIMELINE_WAIT; `points` is as long as `handles`.
    fn syncobj_timeline_wait(
        &self,
        handles: &[u32],
        points: &[u64],
        deadline_ns: i64,
        flags: u32,
    ) -> Result<u32>;
    /// SYNCOBJ_RESET.
    fn syncobj_reset(&self, handles: &[u32]) -> Result<()>;
    /// SYNCOBJ_SIGNAL.
    fn syncobj_signal(&self, handles: &[u32]) -> Result<()>;
    /// SYNCOBJ_TIMELINE_SIGNAL; `points` is as long as `handles`.
    fn syncobj_timeline_signal(&self, handles: &[u32], points: &[u64]) -> Result<()>;
    /// SYNCOBJ_QUERY: the last point of each syncobj that was signalled or, with
    /// `SYNCOBJ_QUERY_LAST_SUBMITTED`, submitted.
    fn syncobj_query(&self, handles: &[u32], flags: u32) -> Result<Vec<u64>>;
    /// SYNCOBJ_EVENTFD: adds 1 to an eventfd once a point of a timeline is signalled. `ENOTTY`: the
    /// kernel is older than 6.6.
    fn syncobj_eventfd(&self, handle: u32, point: u64, eventfd: BorrowedFd<'_>) -> Result<()> {
        let _ = (handle, point, eventfd);
        Err(Errno::ENOTTY)
    }
    /// SYNCOBJ_TRANSFER.
    fn syncobj_transfer(&self, transfer: SyncobjTransfer) -> Result<()>;
    /// SYNCOBJ_HANDLE_TO_FD: exports the syncobj or, with `SYNCOBJ_FD_SYNC_FILE`, its fence as a
    /// sync file.
    fn syncobj_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd>;
    /// SYNCOBJ_FD_TO_HANDLE: imports a syncobj and returns its new handle; with
    /// `SYNCOBJ_FD_SYNC_FILE` sets the fence of `handle` to that of the sync file and returns
    /// `handle`.
    fn syncobj_fd_to_handle(&self, fd: BorrowedFd<'_>, handle: u32, flags: u32) -> Result<u32>;
}
