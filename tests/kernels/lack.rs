//! A kernel that lacks what older or broken ones do, around the simulated one.
//!
//! In:  a list of lacks. Out: the simulated kernel's results, or the lack's.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use uapi::i915;
use uapi::{ContextParam, DriverVersion, Errno, Exec, Kernel, Result};

/// One thing that the kernel lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// GETPARAM does not know this number.
    Param(i32),
    /// GETPARAM has this value for this number.
    Value(i32, i32),
    /// GET_CAP has 0 for this capability.
    Cap(u64),
    /// QUERY does not know this item.
    Query(u64),
    /// Contexts do not know this parameter, neither at creation nor later.
    ContextParam(u64),
    /// Contexts cannot be created.
    Contexts(Errno),
    /// Another driver is bound.
    Driver(&'static str),
    /// The address space has this size in bytes.
    GttBytes(u64),
    /// Buffers cannot be created, after this many.
    BuffersAfter(u32),
    /// Submissions fail with EIO, after this many: the kernel has banned the context, or has given
    /// the GPU up.
    SubmissionsAfter(u32),
}

/// The kernel.
pub struct LackingKernel {
    kernel: Arc<dyn Kernel>,
    lacks: Vec<Lack>,
    buffers: AtomicU32,
    submissions: AtomicU32,
}

impl LackingKernel {
    /// A kernel around another.
    pub fn new(kernel: Arc<dyn Kernel>, lacks: &[Lack]) -> Self {
        Self {
            kernel,
            lacks: lacks.to_vec(),
            buffers: AtomicU32::new(0),
            submissions: AtomicU32::new(0),
        }
    }

    fn lacks(&self, lack: Lack) -> bool {
        self.lacks.contains(&lack)
    }

    fn find<T>(&self, matches: impl FnMut(&Lack) -> Option<T>) -> Option<T> {
        self.lacks.iter().find_map(matches)
    }

    fn knows(&self, param: &ContextParam) -> Result<()> {
        let number = match param {
            ContextParam::Engines(_) => i915::CONTEXT_PARAM_ENGINES,
            ContextParam::Vm(_) => i915::CONTEXT_PARAM_VM,
            ContextParam::Sseu(_) => i915::CONTEXT_PARAM_SSEU,
            ContextParam::Value { param, .. } => *param,
        };
        match self.lacks(Lack::ContextParam(number)) {
            true => Err(Errno::EINVAL),
            false => Ok(()),
        }
    }

    /// Counts a call; fails after `limit` of them.
    fn count(calls: &AtomicU32, limit: Option<u32>, errno: Errno) -> Result<()> {
        match limit {
            Some(limit) if calls.fetch_add(1, Ordering::SeqCst) >= limit => Err(errno),
            _ => Ok(()),
        }
    }
}

impl Kernel for LackingKernel {
    fn version(&self) -> Result<DriverVersion> {
        let mut version = self.kernel.version()?;
        if let Some(name) = self.find(|lack| match lack {
            Lack::Driver(name) => Some(*name),
            _ => None,
        }) {
            version.name = name.into();
        }
        Ok(version)
    }

    fn get_cap(&self, capability: u64) -> Result<u64> {
        match self.lacks(Lack::Cap(capability)) {
            true => Ok(0),
            false => self.kernel.get_cap(capability),
        }
    }

    fn getparam(&self, param: i32) -> Result<i32> {
        let value = self.find(|lack| match lack {
            Lack::Param(number) if *number == param => Some(Err(Errno::EINVAL)),
            Lack::Value(number, value) if *number == param => Some(Ok(*value)),
            _ => None,
        });
        value.unwrap_or_else(|| self.kernel.getparam(param))
    }

    fn query(&self, id: u64, flags: u32) -> Result<Vec<u8>> {
        match self.lacks(Lack::Query(id)) {
            true => Err(Errno::EINVAL),
            false => self.kernel.query(id, flags),
        }
    }

    fn gem_create(&self, bytes: u64) -> Result<(u32, u64)> {
        let limit = self.find(|lack| match lack {
            Lack::BuffersAfter(limit) => Some(*limit),
            _ => None,
        });
        Self::count(&self.buffers, limit, Errno::ENOMEM)?;
        self.kernel.gem_create(bytes)
    }

    fn context_create(&self, flags: u32, params: &[ContextParam]) -> Result<u32> {
        if let Some(errno) = self.find(|lack| match lack {
            Lack::Contexts(errno) => Some(*errno),
            _ => None,
        }) {
            return Err(errno);
        }
        params.iter().try_for_each(|param| self.knows(param))?;
        self.kernel.context_create(flags, params)
    }

    fn context_getparam(&self, context: u32, param: u64) -> Result<u64> {
        let bytes = self.find(|lack| match lack {
            Lack::GttBytes(bytes) if param == i915::CONTEXT_PARAM_GTT_SIZE => Some(*bytes),
            _ => None,
        });
        bytes.map_or_else(|| self.kernel.context_getparam(context, param), Ok)
    }

    fn context_setparam(&self, context: u32, param: &ContextParam) -> Result<()> {
        self.knows(param)?;
        self.kernel.context_setparam(context, param)
    }

    fn execbuffer2(&self, exec: Exec<'_>) -> Result<Option<OwnedFd>> {
        let limit = self.find(|lack| match lack {
            Lack::SubmissionsAfter(limit) => Some(*limit),
            _ => None,
        });
        Self::count(&self.submissions, limit, Errno::EIO)?;
        self.kernel.execbuffer2(exec)
    }

    uapi::delegate_kernel! {
        kernel:
        reg_read, gem_get_aperture, gem_create_ext, gem_userptr, gem_close,
        gem_mmap_offset, mapping, gem_set_domain, gem_busy, gem_wait, gem_madvise,
        gem_set_tiling, gem_get_tiling, gem_set_caching, gem_get_caching,
        prime_handle_to_fd, prime_fd_to_handle, context_destroy, vm_create, vm_destroy,
        get_reset_stats, syncobj_create, syncobj_destroy, syncobj_wait,
        syncobj_timeline_wait, syncobj_reset, syncobj_signal, syncobj_timeline_signal,
        syncobj_query, syncobj_eventfd, syncobj_transfer, syncobj_handle_to_fd,
        syncobj_fd_to_handle,
    }
}
