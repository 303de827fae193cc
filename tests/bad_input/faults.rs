//! A kernel whose n-th allocation fails, and which records the handles left open.

use std::collections::BTreeSet;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use uapi::i915::{MemoryClassInstance, ResetStats};
use uapi::{ContextParam, Errno, Exec, Kernel, MapFd, Result, SyncobjTransfer};

/// What fails, and what is open: kind and number of each.
#[derive(Debug, Default)]
pub struct Faults {
    /// Call that fails, from 1; 0: none.
    pub fail_at: u32,
    /// Calls so far that could have failed.
    calls: AtomicU32,
    failed: Mutex<Option<&'static str>>,
    open: Mutex<BTreeSet<(&'static str, u32)>>,
}

impl Faults {
    /// The `n`-th call fails.
    pub fn at(n: u32) -> Arc<Self> {
        Arc::new(Self {
            fail_at: n,
            ..Self::default()
        })
    }

    /// The call that failed.
    pub fn failed(&self) -> Option<&'static str> {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is open.
    pub fn open(&self) -> Vec<(&'static str, u32)> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().copied().collect()
    }

    fn call(&self, name: &'static str) -> Result<()> {
        if self.calls.fetch_add(1, Ordering::SeqCst) + 1 != self.fail_at {
            return Ok(());
        }
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
        Err(Errno::ENOMEM)
    }

    fn opened(&self, kind: &'static str, handle: u32) -> u32 {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert((kind, handle));
        handle
    }

    fn closed(&self, kind: &'static str, handle: u32) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(open.remove(&(kind, handle)), "{kind} {handle} is not open");
    }
}

/// The kernel.
pub struct Faulty {
    kernel: Arc<dyn Kernel>,
    faults: Arc<Faults>,
}

impl Faulty {
    /// Around another.
    pub fn new(kernel: Arc<dyn Kernel>, faults: Arc<Faults>) -> Self {
        Self { kernel, faults }
    }
}

/// Calls that are handed on unless it is their turn to fail.
macro_rules! hand_on {
    (failing { $($fname:ident($($farg:ident: $fty:ty),*) -> $fret:ty;)* }
     opening { $($oname:ident($($oarg:ident: $oty:ty),*) as $okind:literal;)* }
     closing { $($cname:ident as $ckind:literal;)* }
    ) => {
        $(fn $fname(&self, $($farg: $fty),*) -> Result<$fret> {
            self.faults.call(stringify!($fname))?;
            self.kernel.$fname($($farg),*)
        })*
        $(fn $oname(&self, $($oarg: $oty),*) -> Result<u32> {
            self.faults.call(stringify!($oname))?;
            Ok(self.faults.opened($okind, self.kernel.$oname($($oarg),*)?))
        })*
        $(fn $cname(&self, handle: u32) -> Result<()> {
            self.kernel.$cname(handle)?;
            self.faults.closed($ckind, handle);
            Ok(())
        })*
    };
}

impl Kernel for Faulty {
    fn gem_create(&self, bytes: u64) -> Result<(u32, u64)> {
        self.faults.call("gem_create")?;
        let (handle, bytes) = self.kernel.gem_create(bytes)?;
        Ok((self.faults.opened("buffer", handle), bytes))
    }

    fn gem_create_ext(
        &self,
        bytes: u64,
        flags: u32,
        regions: &[MemoryClassInstance],
    ) -> Result<(u32, u64)> {
        self.faults.call("gem_create_ext")?;
        let (handle, bytes) = self.kernel.gem_create_ext(bytes, flags, regions)?;
        Ok((self.faults.opened("buffer", handle), bytes))
    }

    fn gem_userptr(&self, pages: Arc<dyn uapi::HostPages>) -> Result<u32> {
        self.faults.call("gem_userptr")?;
        let handle = self.kernel.gem_userptr(pages)?;
        Ok(self.faults.opened("buffer", handle))
    }

    uapi::delegate_kernel! {
        kernel:
        version, get_cap, getparam, query, reg_read, gem_get_aperture, gem_set_domain,
        gem_busy, gem_madvise, gem_set_tiling, gem_get_tiling, gem_set_caching,
        gem_get_caching, context_getparam, context_setparam,
    }

    hand_on! {
        failing {
            gem_mmap_offset(handle: u32, flags: u64) -> u64;
            mapping(offset: u64) -> (MapFd<'_>, u64);
            gem_wait(handle: u32, timeout_ns: i64) -> i64;
            prime_handle_to_fd(handle: u32, flags: u32) -> OwnedFd;
            get_reset_stats(context: u32) -> ResetStats;
            execbuffer2(exec: Exec<'_>) -> Option<OwnedFd>;
            syncobj_wait(handles: &[u32], deadline_ns: i64, flags: u32) -> u32;
            syncobj_timeline_wait(handles: &[u32], points: &[u64], deadline_ns: i64, flags: u32) -> u32;
            syncobj_reset(handles: &[u32]) -> ();
            syncobj_signal(handles: &[u32]) -> ();
            syncobj_timeline_signal(handles: &[u32], points: &[u64]) -> ();
            syncobj_query(handles: &[u32], flags: u32) -> Vec<u64>;
            syncobj_transfer(transfer: SyncobjTransfer) -> ();
            syncobj_handle_to_fd(handle: u32, flags: u32) -> OwnedFd;
        }
        opening {
            prime_fd_to_handle(descriptor: BorrowedFd<'_>) as "buffer";
            context_create(flags: u32, params: &[ContextParam]) as "context";
            vm_create() as "address space";
            syncobj_create(flags: u32) as "syncobj";
            syncobj_fd_to_handle(descriptor: BorrowedFd<'_>, handle: u32, flags: u32) as "syncobj";
        }
        closing {
            gem_close as "buffer";
            context_destroy as "context";
            vm_destroy as "address space";
            syncobj_destroy as "syncobj";
        }
    }
}
