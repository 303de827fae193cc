//! This process: its clock, and its memory by address.

use crate::{Errno, Result, check};

/// The monotonic clock, in ns.
pub fn monotonic_ns() -> i64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// Time that CPUs have spent in this process, in ns.
pub fn process_cpu_ns() -> i64 {
    clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock_ns(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel fills the structure.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec
        .saturating_mul(1_000_000_000)
        .saturating_add(time.tv_nsec)
}

/// This process's number, as the kernel has it now: a fork changes it.
pub fn process_id() -> i32 {
    // SAFETY: no arguments.
    unsafe { system_call!(libc::SYS_getpid) as i32 }
}

/// Bytes of memory of this machine.
pub fn memory_bytes() -> Option<u64> {
    // SAFETY: plain numbers.
    let (pages, bytes) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    u64::try_from(pages)
        .ok()?
        .checked_mul(u64::try_from(bytes).ok()?)
}

/// Leaves all signals of the process to its other threads.
pub fn block_signals() {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the set is filled before it is used; only this thread's mask changes.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut());
    }
}

fn vector(base: *mut u8, len_bytes: usize) -> libc::iovec {
    libc::iovec {
        iov_base: base.cast(),
        iov_len: len_bytes,
    }
}

/// Copies from an address of this process, whatever is there: `EFAULT` if not all of it can be read.
pub fn read_process(address: u64, out: &mut [u8]) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let local = vector(out.as_mut_ptr(), out.len());
    let remote = vector(address as *mut u8, out.len());
    // SAFETY: the kernel copies, into `out` only, and checks the other address.
    let copied = check(unsafe {
        system_call!(
            libc::SYS_process_vm_readv,
            process_id(),
            &raw const local,
            1_usize,
            &raw const remote,
            1_usize,
            0_usize,
        )
    })?;
    if copied as usize == out.len() {
        Ok(())
    } else {
        Err(Errno::EFAULT)
    }
}

/// Lets a write to a pipe that nobody reads any more end the process quietly, as it ends C's: Rust's runtime makes it an error,
/// and `println!` makes that a panic. For programs whose output is their work.
pub fn end_with_the_pipe() {
    // SAFETY: the default action; called before other threads are started.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Copies to an address of this process: `EFAULT` if not all of it can be written.
///
/// # Safety
/// Nothing in this process may rely on the bytes there staying as they are: the address is one that C code passed to be written.
pub unsafe fn write_process(address: u64, data: &[u8]) -> Result<()> {
    if data.is_empty() {
        return Ok(());
    }
    let local = vector(data.as_ptr().cast_mut(), data.len());
    let remote = vector(address as *mut u8, data.len());
    // SAFETY: the kernel only reads `data`, and checks the other address; the caller vouches for what is there.
    let copied = check(unsafe {
        system_call!(
            libc::SYS_process_vm_writev,
            process_id(),
            &raw const local,
            1_usize,
            &raw const remote,
            1_usize,
            0_usize,
        )
    })?;
    if copied as usize == data.len() {
        Ok(())
    } else {
        Err(Errno::EFAULT)
    }
}
