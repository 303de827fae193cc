//! This process: clocks, process id, signals, CPU affinity, its memory by address, its loaded
//! libraries.

use crate::syscall::from_nix;
use nix::sched::CpuSet;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal};
use nix::sys::time::TimeSpec;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::time::ClockId;
use nix::unistd::{Pid, SysconfVar, getegid, geteuid, getgid, getpid, getuid, sysconf};
use std::io::{IoSlice, IoSliceMut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use uapi::{Errno, Result};

/// The monotonic clock, in ns.
pub fn monotonic_ns() -> i64 {
    clock_ns(ClockId::CLOCK_MONOTONIC)
}

/// The raw monotonic clock, whose rate is never adjusted, in ns.
pub fn monotonic_raw_ns() -> i64 {
    clock_ns(ClockId::CLOCK_MONOTONIC_RAW)
}

/// A time of any clock of the system, by its number (`clockid_t`), on the monotonic clock: both in
/// ns. None: there is no such clock.
pub fn monotonic_time(clock: i32, time_ns: i64) -> Option<i64> {
    let now_ns = ClockId::from_raw(clock).now().ok().map(|time| {
        let seconds_ns = time.tv_sec().saturating_mul(1_000_000_000);
        seconds_ns.saturating_add(time.tv_nsec())
    })?;
    Some(monotonic_ns().saturating_add(time_ns.saturating_sub(now_ns)))
}

/// CPU time of this process, in ns.
pub fn process_cpu_ns() -> i64 {
    clock_ns(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock_ns(clock: ClockId) -> i64 {
    // Cannot fail: every Linux kernel has these clocks.
    let time = clock.now().unwrap_or(TimeSpec::new(0, 0));
    time.tv_sec()
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec())
}

/// The id of this process, cached until a fork. Must not be called in a child that shares its
/// parent's memory (`vfork`): it would cache its id for the parent. Use [`uncached_process_id`]
/// there.
pub fn process_id() -> i32 {
    cached_pid().as_raw()
}

/// The size beyond which this process cannot extend files, in bytes (`RLIMIT_FSIZE`): a write that
/// does raises SIGXFSZ, which terminates the process by default.
pub fn file_size_limit_bytes() -> u64 {
    // Cannot fail: the limit exists on every system. Without a value, no file is safe to write.
    getrlimit(Resource::RLIMIT_FSIZE).map_or(0, |(soft, _)| soft)
}

/// Whether the process has privileges that its user lacks, as setuid programs do: its environment
/// must not be trusted.
pub fn has_elevated_privileges() -> bool {
    getuid() != geteuid() || getgid() != getegid()
}

/// The id of this process without a cache: for code that may run in a forked child before it
/// executes a program or exits.
pub fn uncached_process_id() -> i32 {
    getpid().as_raw()
}

/// The process id, read from the kernel once in each process: the cache is in memory that fork
/// zeroes in the child.
fn cached_pid() -> Pid {
    static CACHE: OnceLock<Option<&AtomicI32>> = OnceLock::new();
    let Some(cached) = *CACHE.get_or_init(allocate_wiped_on_fork) else {
        return getpid();
    };
    match cached.load(Relaxed) {
        0 => {
            let id = getpid();
            cached.store(id.as_raw(), Relaxed);
            id
        }
        id => Pid::from_raw(id),
    }
}

/// Allocates a number that is 0 now and is reset to 0 in every forked child. `None` if the kernel
/// has no `MADV_WIPEONFORK` (before Linux 4.14).
fn allocate_wiped_on_fork() -> Option<&'static AtomicI32> {
    let bytes = 4096;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: the kernel picks a free range; it is page-aligned, zeroed, and never unmapped once it
    // is returned.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0);
        if page == libc::MAP_FAILED {
            return None;
        }
        if libc::madvise(page, bytes, libc::MADV_WIPEONFORK) != 0 {
            libc::munmap(page, bytes);
            return None;
        }
        Some(&*page.cast())
    }
}

/// Bytes of physical memory of this machine.
pub fn memory_bytes() -> Option<u64> {
    let number = |name| u64::try_from(sysconf(name).ok()??).ok();
    number(SysconfVar::_PHYS_PAGES)?.checked_mul(number(SysconfVar::PAGE_SIZE)?)
}

/// Frees memory that a C library has allocated for its caller to free.
///
/// Links to the `free` of the process, which a program may replace. A `free` looked up with dlsym
/// in libc would bypass it.
///
/// # Safety
/// `memory` was returned by `malloc`, or is null, and is not used afterwards.
pub unsafe fn free(memory: *mut std::ffi::c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe { libc::free(memory) }
}

/// Blocks all signals in this thread, so that other threads of the process handle them.
pub fn block_signals() {
    // Cannot fail: the arguments are constant and valid.
    let _ = SigSet::all().thread_set_mask();
}

/// Calls `work` with all signals blocked in this thread; threads that it starts keep them blocked.
pub fn with_signals_blocked<R>(work: impl FnOnce() -> R) -> R {
    // Cannot fail: the arguments are constant and valid.
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK);
    let result = work();
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
    result
}

/// Pins this thread, and the processes that it starts, to the CPU that it runs on.
pub fn pin_to_current_cpu() -> Result<()> {
    let mut cpu = CpuSet::new();
    cpu.set(nix::sched::sched_getcpu().map_err(from_nix)?)
        .map_err(from_nix)?;
    nix::sched::sched_setaffinity(Pid::from_raw(0), &cpu).map_err(from_nix)
}

/// `EFAULT` if fewer than `requested` bytes were copied.
fn check_complete(copied: nix::Result<usize>, requested: usize) -> Result<()> {
    match copied.map_err(from_nix)? {
        copied if copied == requested => Ok(()),
        _ => Err(Errno::EFAULT),
    }
}

/// Copies from any address of this process; `EFAULT` if part of the range cannot be read.
pub fn read_process(address: u64, out: &mut [u8]) -> Result<()> {
    let len = out.len();
    if len == 0 {
        return Ok(());
    }
    let base = address as usize;
    let copied = process_vm_readv(
        cached_pid(),
        &mut [IoSliceMut::new(out)],
        &[RemoteIoVec { base, len }],
    );
    check_complete(copied, len)
}

/// Restores the default action of SIGPIPE: a write to a pipe without a reader terminates the
/// process, as in C programs. Rust's runtime ignores the signal, so that the write fails and
/// `println!` panics. Call it before other threads are started.
pub fn reset_sigpipe() {
    // SAFETY: sets the default action, not a handler. Cannot fail: SIGPIPE is a valid signal.
    let _ = unsafe { nix::sys::signal::signal(Signal::SIGPIPE, SigHandler::SigDfl) };
}

/// Copies to an address of this process; `EFAULT` if part of the range cannot be written.
///
/// # Safety
/// No Rust code may rely on the bytes there: the address is one that C code passed to be written.
pub unsafe fn write_process(address: u64, data: &[u8]) -> Result<()> {
    let (base, len) = (address as usize, data.len());
    if len == 0 {
        return Ok(());
    }
    let copied = process_vm_writev(
        cached_pid(),
        &[IoSlice::new(data)],
        &[RemoteIoVec { base, len }],
    );
    check_complete(copied, len)
}

/// Keeps the library that contains this code loaded until the process ends, even if it is closed
/// with dlclose: unloading would discard state that is expensive to build, and threads may still
/// run thread-local destructors that are code of the library.
pub fn prevent_unload() {
    let mut object = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let inside = prevent_unload as fn() as *const libc::c_void;
    // SAFETY: the structure is filled if dladdr does not return 0; the path in it lives as long as
    // the library. The library is opened once more and never closed. dlopen fails for an
    // executable, which is never unloaded anyway.
    unsafe {
        if libc::dladdr(inside, object.as_mut_ptr()) != 0 {
            let flags = libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
            libc::dlopen(object.assume_init().dli_fname, flags);
        }
    }
}

/// The GNU build id of the library or program that contains this code, which differs between
/// builds. `None` if the linker wrote none.
pub fn build_id() -> Option<Vec<u8>> {
    struct Search {
        inside: u64,
        found: Option<Vec<u8>>,
    }
    unsafe extern "C" fn visit_object(
        object: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        search: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid object, and the pointer that `dl_iterate_phdr` was
        // given, whose target outlives the call.
        let (object, search) = unsafe { (&*object, &mut *search.cast::<Search>()) };
        // SAFETY: the program header table has `dlpi_phnum` entries.
        let headers =
            unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
        let loaded = |header: &libc::Elf64_Phdr| {
            let start = object.dlpi_addr.wrapping_add(header.p_vaddr);
            header.p_type == libc::PT_LOAD && search.inside.wrapping_sub(start) < header.p_memsz
        };
        if !headers.iter().any(loaded) {
            return 0;
        }
        for header in headers
            .iter()
            .filter(|header| header.p_type == libc::PT_NOTE)
        {
            let start = object.dlpi_addr.wrapping_add(header.p_vaddr) as *const u8;
            // SAFETY: the note segment of a loaded object is mapped, with the size in its header.
            let notes = unsafe { std::slice::from_raw_parts(start, header.p_memsz as usize) };
            search.found = search.found.take().or_else(|| gnu_build_id(notes));
        }
        1
    }
    let mut search = Search {
        inside: build_id as fn() -> Option<Vec<u8>> as usize as u64,
        found: None,
    };
    // SAFETY: `visit_object` casts the pointer back to `Search`, and nothing else accesses `search`
    // during the call.
    unsafe { libc::dl_iterate_phdr(Some(visit_object), (&raw mut search).cast()) };
    search.found
}

/// Finds the build id in a note segment. Ref: ELF, "Note Section": a header of name length,
/// contents length and type, then name and contents, each padded to 4 bytes.
fn gnu_build_id(mut notes: &[u8]) -> Option<Vec<u8>> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let (header, rest) = notes.split_at_checked(12)?;
        let word = |index: usize| {
            let bytes = header.get(4 * index..)?.first_chunk::<4>()?;
            Some(u32::from_ne_bytes(*bytes))
        };
        let (name_bytes, bytes, kind) = (word(0)? as usize, word(1)? as usize, word(2)?);
        let (name, rest) = rest.split_at_checked(name_bytes.next_multiple_of(4))?;
        let contents = rest.get(..bytes)?;
        if kind == NT_GNU_BUILD_ID && name.starts_with(b"GNU\0") {
            return Some(contents.to_vec());
        }
        notes = rest.get(bytes.next_multiple_of(4)..)?;
    }
}
