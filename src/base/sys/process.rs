//! This process: its clock, and its memory by address.

use crate::{Errno, Result, said};
use nix::sched::CpuSet;
use nix::sys::signal::{SigHandler, SigSet, Signal};
use nix::sys::time::TimeSpec;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::time::ClockId;
use nix::unistd::{Pid, SysconfVar, getpid, sysconf};
use std::io::{IoSlice, IoSliceMut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// The monotonic clock, in ns.
pub fn monotonic_ns() -> i64 {
    clock_ns(ClockId::CLOCK_MONOTONIC)
}

/// The monotonic clock that nothing slews, in ns.
pub fn monotonic_raw_ns() -> i64 {
    clock_ns(ClockId::CLOCK_MONOTONIC_RAW)
}

/// Time that CPUs have spent in this process, in ns.
pub fn process_cpu_ns() -> i64 {
    clock_ns(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock_ns(clock: ClockId) -> i64 {
    // Every Linux has these clocks.
    let time = clock.now().unwrap_or(TimeSpec::new(0, 0));
    time.tv_sec()
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec())
}

/// This process's number: a fork changes it. Not for a child that shares its parent's memory (`vfork`), whose number would be
/// kept for the parent's: [`asked_process_id`].
pub fn process_id() -> i32 {
    own_id().as_raw()
}

/// The same, asked of the kernel now and kept nowhere: for what any child may run before it executes a program or ends.
pub fn asked_process_id() -> i32 {
    getpid().as_raw()
}

/// The same. The kernel is asked once in each process: where the answer is kept a child finds nothing.
fn own_id() -> Pid {
    static KEPT: OnceLock<Option<&AtomicI32>> = OnceLock::new();
    let Some(kept) = *KEPT.get_or_init(unknown_to_children) else {
        return getpid();
    };
    match kept.load(Relaxed) {
        0 => {
            let id = getpid();
            kept.store(id.as_raw(), Relaxed);
            id
        }
        id => Pid::from_raw(id),
    }
}

/// A number that is 0 now, and in each child that is forked. None where the kernel cannot do that (before Linux 4.14).
fn unknown_to_children() -> Option<&'static AtomicI32> {
    let bytes = 4096;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: memory wherever the kernel likes, aligned to a page, of zeros, and never unmapped once somebody knows of it.
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

/// Bytes of memory of this machine.
pub fn memory_bytes() -> Option<u64> {
    let number = |name| u64::try_from(sysconf(name).ok()??).ok();
    number(SysconfVar::_PHYS_PAGES)?.checked_mul(number(SysconfVar::PAGE_SIZE)?)
}

/// Frees memory that a C library has allocated for its caller to free.
///
/// The process has one `free`: that of its program, where that brings one. A library looked up by hand would give the C library's own.
///
/// # Safety
/// The memory was given by `malloc`, or it is null; nobody uses it any more.
pub unsafe fn free(memory: *mut std::ffi::c_void) {
    // SAFETY: said above.
    unsafe { libc::free(memory) }
}

/// Leaves all signals of the process to its other threads.
pub fn block_signals() {
    // It fails for no set of signals.
    let _ = SigSet::all().thread_set_mask();
}

/// Keeps this thread, and the processes that it starts, on the CPU that it runs on.
pub fn stay_on_this_cpu() -> Result<()> {
    let mut here = CpuSet::new();
    here.set(nix::sched::sched_getcpu().map_err(said)?)
        .map_err(said)?;
    nix::sched::sched_setaffinity(Pid::from_raw(0), &here).map_err(said)
}

/// What a copy of `wanted` bytes has come to.
fn whole(copied: nix::Result<usize>, wanted: usize) -> Result<()> {
    match copied.map_err(said)? {
        copied if copied == wanted => Ok(()),
        _ => Err(Errno::EFAULT),
    }
}

/// Copies from an address of this process, whatever is there: `EFAULT` if not all of it can be read.
pub fn read_process(address: u64, out: &mut [u8]) -> Result<()> {
    let len = out.len();
    if len == 0 {
        return Ok(());
    }
    let base = address as usize;
    let copied = process_vm_readv(
        own_id(),
        &mut [IoSliceMut::new(out)],
        &[RemoteIoVec { base, len }],
    );
    whole(copied, len)
}

/// Lets a write to a pipe that nobody reads any more end the process quietly, as it ends C's: Rust's runtime makes it an error,
/// and `println!` makes that a panic. For programs whose output is their work.
pub fn end_with_the_pipe() {
    // SAFETY: the default action; called before other threads are started. It fails for no signal that there is.
    let _ = unsafe { nix::sys::signal::signal(Signal::SIGPIPE, SigHandler::SigDfl) };
}

/// Copies to an address of this process: `EFAULT` if not all of it can be written.
///
/// # Safety
/// Nothing in this process may rely on the bytes there staying as they are: the address is one that C code passed to be written.
pub unsafe fn write_process(address: u64, data: &[u8]) -> Result<()> {
    let (base, len) = (address as usize, data.len());
    if len == 0 {
        return Ok(());
    }
    let copied = process_vm_writev(
        own_id(),
        &[IoSlice::new(data)],
        &[RemoteIoVec { base, len }],
    );
    whole(copied, len)
}

/// Keeps the library that this code is part of loaded until the process ends, whoever unloads it: what it has set up once would be
/// lost, and set up anew, each time; and threads still run destructors of their variables in it.
pub fn stay_loaded() {
    let mut object = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let inside = stay_loaded as fn() as *const libc::c_void;
    // SAFETY: the structure is filled where the answer is not 0; its path then lives as long as the library, which is opened by
    // it once more and never closed. A program that is no library is not found, and stays anyway.
    unsafe {
        if libc::dladdr(inside, object.as_mut_ptr()) != 0 {
            let flags = libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
            libc::dlopen(object.assume_init().dli_fname, flags);
        }
    }
}

/// The id that the linker gave to the library or program that this code is part of (its GNU build id): another for every build.
/// None where the linker was told to give none.
pub fn build_id() -> Option<Vec<u8>> {
    struct Search {
        inside: u64,
        found: Option<Vec<u8>>,
    }
    unsafe extern "C" fn look(
        object: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        search: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes an object, and what `dl_iterate_phdr` was given, which outlives the call.
        let (object, search) = unsafe { (&*object, &mut *search.cast::<Search>()) };
        // SAFETY: the object's table has that many entries.
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
            // SAFETY: notes of a loaded object are in memory, as long as its header says.
            let notes = unsafe { std::slice::from_raw_parts(start, header.p_memsz as usize) };
            search.found = search.found.take().or_else(|| gnu_build_id(notes));
        }
        1
    }
    let mut search = Search {
        inside: build_id as fn() -> Option<Vec<u8>> as usize as u64,
        found: None,
    };
    // SAFETY: `look` has the type that is asked for, and `search` is its alone during the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

/// The build id among notes. Ref: ELF, "Note Section": lengths of name and contents, type, both padded to 4 bytes.
fn gnu_build_id(mut notes: &[u8]) -> Option<Vec<u8>> {
    const BUILD_ID: u32 = 3;
    loop {
        let (header, rest) = notes.split_at_checked(12)?;
        let word = |index: usize| {
            let bytes = header.get(4 * index..)?.first_chunk::<4>()?;
            Some(u32::from_ne_bytes(*bytes))
        };
        let (name_bytes, bytes, kind) = (word(0)? as usize, word(1)? as usize, word(2)?);
        let (name, rest) = rest.split_at_checked(name_bytes.next_multiple_of(4))?;
        let contents = rest.get(..bytes)?;
        if kind == BUILD_ID && name.starts_with(b"GNU\0") {
            return Some(contents.to_vec());
        }
        notes = rest.get(bytes.next_multiple_of(4)..)?;
    }
}
