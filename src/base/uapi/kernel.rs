//! The kernel as the driver sees it: one method per ioctl, on one open file.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::errno::Errno;
use crate::i915::{
    ContextParamSseu, EngineClassInstance, GemGetAperture, MemoryClassInstance, RelocationEntry,
    ResetStats,
};

/// What a kernel answers.
pub type Result<T, E = Errno> = std::result::Result<T, E>;

/// Who answers the ioctls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverVersion {
    /// Major, minor, patch level.
    pub number: [i32; 3],
    /// Name of the kernel driver: `i915`.
    pub name: String,
    /// Date, as the driver has it.
    pub date: String,
    /// Description.
    pub description: String,
}

/// A descriptor to give to mmap.
#[derive(Debug)]
pub enum MapFd<'a> {
    /// The open file's own.
    File(BorrowedFd<'a>),
    /// Made for this mapping.
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

/// A parameter of a context, to set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextParam {
    /// Engines that the low bits of the execbuf flags index from then on.
    Engines(Vec<EngineClassInstance>),
    /// Address space.
    Vm(u32),
    /// Slices, subslices and EUs in use.
    Sseu(ContextParamSseu),
    /// Any other, whose value is a number: `CONTEXT_PARAM_*`. Negative values are sign-extended.
    Value {
        /// Which.
        param: u64,
        /// Its value.
        value: u64,
    },
}

impl ContextParam {
    /// Whether the context goes on after a hang.
    pub fn recoverable(yes: bool) -> Self {
        Self::Value {
            param: crate::i915::CONTEXT_PARAM_RECOVERABLE,
            value: yes.into(),
        }
    }

    /// Priority, from -1023 to 1023.
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
    /// Its GPU address, in canonical form. In: where it must be (`EXEC_OBJECT_PINNED`) or was last; out: where it is.
    pub address: u64,
    /// Alignment of the address in bytes; 0: a page.
    pub alignment_bytes: u64,
    /// `EXEC_OBJECT_*`.
    pub flags: u64,
    /// With `EXEC_OBJECT_PAD_TO_SIZE`: bytes of address space to take.
    pub pad_to_bytes: u64,
    /// Places in this buffer that hold addresses of others. Out: presumed addresses are up to date.
    pub relocations: Vec<RelocationEntry>,
}

/// A syncobj that an execbuf waits for or signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecFence {
    /// The syncobj.
    pub handle: u32,
    /// `EXEC_FENCE_WAIT`, `EXEC_FENCE_SIGNAL`.
    pub flags: u32,
    /// Point of a timeline; 0: the binary fence.
    pub point: u64,
}

/// An execbuf.
#[derive(Debug)]
pub struct Exec<'a> {
    /// Buffers. The batch is the last, or the first with `EXEC_BATCH_FIRST`.
    pub objects: &'a mut [ExecObject],
    /// First byte of the batch in its buffer.
    pub batch_start_bytes: u32,
    /// Bytes of the batch; 0: to the end of the buffer.
    pub batch_bytes: u32,
    /// `EXEC_*`, without those for fences, which follow from the fields below.
    pub flags: u64,
    /// Context; 0: the file's own.
    pub context: u32,
    /// Syncobjs.
    pub fences: &'a [ExecFence],
    /// A sync file to wait for.
    pub in_fence: Option<BorrowedFd<'a>>,
    /// Whether to return a sync file.
    pub out_fence: bool,
}

/// How a buffer is tiled, for fence registers and importers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiling {
    /// `TILING_*`.
    pub mode: u32,
    /// Bytes from row to row.
    pub stride_bytes: u32,
    /// `BIT_6_SWIZZLE_*`.
    pub swizzle: u32,
}

/// Arguments of SYNCOBJ_TRANSFER.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// Syncobj whose fence is taken.
    pub source: u32,
    /// Its point; 0: the binary fence.
    pub source_point: u64,
    /// Syncobj that gets the fence.
    pub destination: u32,
    /// Its point; 0: the binary fence.
    pub destination_point: u64,
    /// `SYNCOBJ_WAIT_FOR_SUBMIT`.
    pub flags: u32,
}

/// Pages of the process that a buffer may be made on. They stay where they are as long as the value lives.
pub trait HostPages: Send + Sync + std::fmt::Debug {
    /// The words: whole pages.
    fn words(&self) -> &[AtomicU32];
}

/// One open file of a DRM device driven by i915. Dropping it closes the file and frees all that it holds.
///
/// Numbers mean what drm.h and i915_drm.h say; handles are local to the file.
pub trait Kernel: Send + Sync {
    /// VERSION.
    fn version(&self) -> Result<DriverVersion>;
    /// GET_CAP: one of `drm::CAP_*`.
    fn get_cap(&self, capability: u64) -> Result<u64>;
    /// I915_GETPARAM: one of `i915::PARAM_*`.
    fn getparam(&self, param: i32) -> Result<i32>;
    /// I915_QUERY of one item: the whole answer.
    fn query(&self, id: u64, flags: u32) -> Result<Vec<u8>>;
    /// I915_REG_READ.
    fn reg_read(&self, offset: u64) -> Result<u64>;

    /// I915_GEM_GET_APERTURE.
    fn gem_get_aperture(&self) -> Result<GemGetAperture>;
    /// I915_GEM_CREATE: handle and size, in bytes, of a buffer of zeros.
    fn gem_create(&self, bytes: u64) -> Result<(u32, u64)>;
    /// I915_GEM_CREATE_EXT: as [`Kernel::gem_create`], in one of these regions.
    fn gem_create_ext(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)>;
    /// I915_GEM_USERPTR: a buffer on pages of the process, which are looked at now.
    fn gem_userptr(&self, pages: Arc<dyn HostPages>) -> Result<u32>;
    /// GEM_CLOSE.
    fn gem_close(&self, handle: u32) -> Result<()>;
    /// I915_GEM_MMAP_OFFSET: one of `i915::MMAP_OFFSET_*`; returns the offset to map the file at.
    fn gem_mmap_offset(&self, handle: u32, flags: u64) -> Result<u64>;
    /// What to give to mmap for an offset of [`Kernel::gem_mmap_offset`]: a descriptor and an offset in it.
    fn mapping(&self, mmap_offset: u64) -> Result<(MapFd<'_>, u64)>;
    /// I915_GEM_SET_DOMAIN: waits until the CPU may read, or write, the buffer.
    fn gem_set_domain(&self, handle: u32, read_domains: u32, write_domain: u32) -> Result<()>;
    /// I915_GEM_BUSY: 0 if idle.
    fn gem_busy(&self, handle: u32) -> Result<u32>;
    /// I915_GEM_WAIT: waits that long (negative: for ever); returns the time left. `ETIME`: still busy.
    fn gem_wait(&self, handle: u32, timeout_ns: i64) -> Result<i64>;
    /// I915_GEM_MADVISE: whether the pages are still there.
    fn gem_madvise(&self, handle: u32, advice: u32) -> Result<bool>;
    /// I915_GEM_SET_TILING: the tiling that it has now.
    fn gem_set_tiling(&self, handle: u32, mode: u32, stride_bytes: u32) -> Result<Tiling>;
    /// I915_GEM_GET_TILING.
    fn gem_get_tiling(&self, handle: u32) -> Result<Tiling>;
    /// I915_GEM_SET_CACHING.
    fn gem_set_caching(&self, handle: u32, caching: u32) -> Result<()>;
    /// I915_GEM_GET_CACHING.
    fn gem_get_caching(&self, handle: u32) -> Result<u32>;
    /// PRIME_HANDLE_TO_FD: a dma-buf.
    fn prime_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd>;
    /// PRIME_FD_TO_HANDLE: the same handle again, if the file has the buffer already.
    fn prime_fd_to_handle(&self, dma_buf: BorrowedFd<'_>) -> Result<u32>;

    /// I915_GEM_CONTEXT_CREATE, with parameters set in this order.
    fn context_create(&self, flags: u32, params: &[ContextParam]) -> Result<u32>;
    /// I915_GEM_CONTEXT_DESTROY.
    fn context_destroy(&self, context: u32) -> Result<()>;
    /// I915_GEM_CONTEXT_GETPARAM of a parameter that is a number.
    fn context_getparam(&self, context: u32, param: u64) -> Result<u64>;
    /// I915_GEM_CONTEXT_SETPARAM.
    fn context_setparam(&self, context: u32, param: &ContextParam) -> Result<()>;
    /// I915_GEM_VM_CREATE.
    fn vm_create(&self) -> Result<u32>;
    /// I915_GEM_VM_DESTROY.
    fn vm_destroy(&self, vm: u32) -> Result<()>;
    /// I915_GET_RESET_STATS.
    fn get_reset_stats(&self, context: u32) -> Result<ResetStats>;
    /// I915_GEM_EXECBUFFER2: a sync file, if one was asked for.
    fn execbuffer2(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>>;

    /// SYNCOBJ_CREATE.
    fn syncobj_create(&self, flags: u32) -> Result<u32>;
    /// SYNCOBJ_DESTROY.
    fn syncobj_destroy(&self, handle: u32) -> Result<()>;
    /// SYNCOBJ_WAIT until a deadline in ns of the monotonic clock: index of the first that is signalled, unless for all.
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
    /// SYNCOBJ_QUERY: the last point signalled, or submitted.
    fn syncobj_query(&self, handles: &[u32], flags: u32) -> Result<Vec<u64>>;
    /// SYNCOBJ_TRANSFER.
    fn syncobj_transfer(&self, transfer: Transfer) -> Result<()>;
    /// SYNCOBJ_HANDLE_TO_FD: the syncobj, or a sync file of its fence.
    fn syncobj_handle_to_fd(&self, handle: u32, flags: u32) -> Result<OwnedFd>;
    /// SYNCOBJ_FD_TO_HANDLE: a new handle; with `SYNCOBJ_FD_SYNC_FILE` the sync file's fence goes into `handle`, which is returned.
    fn syncobj_fd_to_handle(&self, fd: BorrowedFd<'_>, handle: u32, flags: u32) -> Result<u32>;
}
