//! This process: its clock, and its memory by address.

use crate::{Errno, Result, check};

/// The monotonic clock, in ns.
pub fn monotonic_ns() -> i64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// The monotonic clock that nothing slews, in ns.
pub fn monotonic_raw_ns() -> i64 {
    clock_ns(libc::CLOCK_MONOTONIC_RAW)
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
