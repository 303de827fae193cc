//! The interposed libc functions.
//!
//! In:  calls of a program. Out: results of the simulated device for its files and descriptors,
//!      else those of libc or the kernel. Covers glibc 2.36 (Debian 12) and the names that programs
//!      linked with older versions use. Variadic functions declare their last argument as fixed:
//!      this ABI passes it in the same register, and it is used only if the call has it.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use libc::{mode_t, off_t, size_t, ssize_t};
use uapi::{Errno, Result, drm};

use crate::files::{
    SysResult, close_any, open as open_file, patch_stat, patch_statx, redirect, syscall_result,
    unredirect,
};
use crate::ioctl;
use crate::mmap::map_buffer_file;
use crate::start::{drain_batches, simulation};
use crate::uevents;

fn set_errno(error: Errno) {
    // SAFETY: the address of this thread's errno.
    unsafe { *libc::__errno_location() = error.0 };
}

/// Runs the body of an interposed function. Errors, and panics, which must not reach C, set errno
/// and return -1.
fn entry(body: impl FnOnce() -> SysResult) -> c_long {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => {
            set_errno(error);
            -1
        }
        Err(_) => {
            set_errno(Errno::EIO);
            -1
        }
    }
}

/// Borrows a C string of the program. `EFAULT` for null.
///
/// # Safety
/// `text` is null or a zero-terminated string that lives as long as the call.
unsafe fn c_str<'a>(text: *const c_char) -> Result<&'a CStr> {
    if text.is_null() {
        return Err(Errno::EFAULT);
    }
    // SAFETY: the caller's promise, which is the C function's own.
    Ok(unsafe { CStr::from_ptr(text) })
}

unsafe fn open_at(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: as the caller's.
    entry(|| {
        open_file(
            folder,
            unsafe { c_str(path) }?,
            flags,
            creation_mode(flags, mode),
        )
    }) as c_int
}

fn creation_mode(flags: c_int, mode: mode_t) -> mode_t {
    if flags & (libc::O_CREAT | libc::O_TMPFILE) != 0 {
        mode
    } else {
        0
    }
}

macro_rules! c_functions {
    ($( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block )*) => {
        $(
            /// libc's function of this name.
            ///
            /// # Safety
            /// As for libc's function.
            #[unsafe(no_mangle)]
            #[allow(unused_unsafe, reason = "some bodies need none")]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> $out {
                // SAFETY: the program keeps the C function's contract: strings end in zeros, places
                // can be written.
                unsafe { $body }
            }
        )*
    };
}

c_functions! {
    fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(libc::AT_FDCWD, path, flags, mode) }
    fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(libc::AT_FDCWD, path, flags, mode) }
    fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(folder, path, flags, mode) }
    fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int { open_at(folder, path, flags, mode) }
    fn __open_2(path: *const c_char, flags: c_int) -> c_int { open_at(libc::AT_FDCWD, path, flags, 0) }
    fn __open64_2(path: *const c_char, flags: c_int) -> c_int { open_at(libc::AT_FDCWD, path, flags, 0) }
    fn __openat_2(folder: c_int, path: *const c_char, flags: c_int) -> c_int { open_at(folder, path, flags, 0) }
    fn __openat64_2(folder: c_int, path: *const c_char, flags: c_int) -> c_int { open_at(folder, path, flags, 0) }

    fn close(fd: c_int) -> c_int { entry(|| close_any(fd)) as c_int }

    fn stat(path: *const c_char, out: *mut libc::stat) -> c_int { stat_at(libc::AT_FDCWD, path, out, 0) }
    fn stat64(path: *const c_char, out: *mut libc::stat) -> c_int { stat_at(libc::AT_FDCWD, path, out, 0) }
    fn lstat(path: *const c_char, out: *mut libc::stat) -> c_int {
        stat_at(libc::AT_FDCWD, path, out, libc::AT_SYMLINK_NOFOLLOW)
    }
    fn lstat64(path: *const c_char, out: *mut libc::stat) -> c_int {
        stat_at(libc::AT_FDCWD, path, out, libc::AT_SYMLINK_NOFOLLOW)
    }
    fn fstat(fd: c_int, out: *mut libc::stat) -> c_int { stat_fd(fd, out) }
    fn fstat64(fd: c_int, out: *mut libc::stat) -> c_int { stat_fd(fd, out) }
    fn fstatat(folder: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int) -> c_int {
        stat_at(folder, path, out, flags)
    }
    fn fstatat64(folder: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int) -> c_int {
        stat_at(folder, path, out, flags)
    }
    fn __xstat(_version: c_int, path: *const c_char, out: *mut libc::stat) -> c_int { stat_at(libc::AT_FDCWD, path, out, 0) }
    fn __xstat64(_version: c_int, path: *const c_char, out: *mut libc::stat) -> c_int { stat_at(libc::AT_FDCWD, path, out, 0) }
    fn __lxstat(_version: c_int, path: *const c_char, out: *mut libc::stat) -> c_int {
        stat_at(libc::AT_FDCWD, path, out, libc::AT_SYMLINK_NOFOLLOW)
    }
    fn __lxstat64(_version: c_int, path: *const c_char, out: *mut libc::stat) -> c_int {
        stat_at(libc::AT_FDCWD, path, out, libc::AT_SYMLINK_NOFOLLOW)
    }
    fn __fxstat(_version: c_int, fd: c_int, out: *mut libc::stat) -> c_int { stat_fd(fd, out) }
    fn __fxstat64(_version: c_int, fd: c_int, out: *mut libc::stat) -> c_int { stat_fd(fd, out) }
    fn __fxstatat(_version: c_int, folder: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int) -> c_int {
        stat_at(folder, path, out, flags)
    }
    fn __fxstatat64(_version: c_int, folder: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int) -> c_int {
        stat_at(folder, path, out, flags)
    }
    fn statx(folder: c_int, path: *const c_char, flags: c_int, mask: c_uint, out: *mut libc::statx) -> c_int {
        entry(|| {
            let path = if path.is_null() { c"" } else { c_str(path)? };
            let ours = redirect(path);
            let target = ours.as_deref().unwrap_or(path);
            // A wider mask than asked for is allowed, and the identity is needed here.
            let mask = mask | libc::STATX_INO;
            let done = syscall_result(system_call!(libc::SYS_statx, folder, target.as_ptr(), flags, mask, out))?;
            if let Some(out) = out.as_mut() {
                patch_statx(path.is_empty().then_some(folder), out);
            }
            Ok(done)
        }) as c_int
    }

    fn access(path: *const c_char, mode: c_int) -> c_int { access_at(libc::AT_FDCWD, path, mode, 0) }
    fn euidaccess(path: *const c_char, mode: c_int) -> c_int { access_at(libc::AT_FDCWD, path, mode, libc::AT_EACCESS) }
    fn eaccess(path: *const c_char, mode: c_int) -> c_int { access_at(libc::AT_FDCWD, path, mode, libc::AT_EACCESS) }
    fn faccessat(folder: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int {
        access_at(folder, path, mode, flags)
    }

    fn readlink(path: *const c_char, out: *mut c_char, capacity: size_t) -> ssize_t {
        read_link(libc::AT_FDCWD, path, out, capacity)
    }
    fn __readlink_chk(path: *const c_char, out: *mut c_char, capacity: size_t, _size: size_t) -> ssize_t {
        read_link(libc::AT_FDCWD, path, out, capacity)
    }
    fn readlinkat(folder: c_int, path: *const c_char, out: *mut c_char, capacity: size_t) -> ssize_t {
        read_link(folder, path, out, capacity)
    }

    fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void { call_with_redirected_path(c"fopen", path, mode) }
    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void { call_with_redirected_path(c"fopen64", path, mode) }
    fn opendir(path: *const c_char) -> *mut c_void { call_with_redirected_path(c"opendir", path, std::ptr::null()) }
    fn scandir(path: *const c_char, list: *mut c_void, filter: *const c_void, compare: *const c_void) -> c_int {
        scan(c"scandir", path, list, filter, compare)
    }
    fn scandir64(path: *const c_char, list: *mut c_void, filter: *const c_void, compare: *const c_void) -> c_int {
        scan(c"scandir64", path, list, filter, compare)
    }

    fn realpath(path: *const c_char, out: *mut c_char) -> *mut c_char { real_path(path, out) }
    fn __realpath_chk(path: *const c_char, out: *mut c_char, _size: size_t) -> *mut c_char { real_path(path, out) }
    fn canonicalize_file_name(path: *const c_char) -> *mut c_char { real_path(path, std::ptr::null_mut()) }

    fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
        entry(|| {
            let type_byte = request >> 8 & 0xff;
            let ours = simulation().filter(|_| type_byte == c_ulong::from(drm::IOCTL_BASE));
            let node = ours.and_then(|ours| ours.node(fd).map(|node| (ours, node)));
            if let Some((simulation, (file, minor))) = node {
                let events = || simulation.nodes.event_writer(fd);
                let result = ioctl::execute(&file, minor, request as u32, argument as u64, &events);
                if simulation.options.trace_ioctls {
                    let name = ioctl::name_of(request as u32);
                    let outcome = result.map_or_else(|error| error.to_string(), |()| "ok".into());
                    simulation.options.sink.line(&format!("{name} ({request:#x}): {outcome}"));
                }
                return result.map(|()| 0);
            }
            if type_byte == DMA_BUF_BASE
                && let Some(simulation) = simulation()
            {
                let (request, argument) = (request as u32, argument as u64);
                match ioctl::execute_dma_buf(&simulation.device, fd, request, argument) {
                    Err(Errno::ENOTTY) => (),
                    result => return result.map(|()| 0),
                }
            }
            syscall_result(system_call!(libc::SYS_ioctl, fd, request, argument))
        }) as c_int
    }

    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
        entry(|| match uevents::open(domain, kind, protocol) {
            Some(opened) => opened,
            None => syscall_result(system_call!(libc::SYS_socket, domain, kind, protocol)),
        }) as c_int
    }
    fn bind(fd: c_int, address: *const c_void, length: libc::socklen_t) -> c_int {
        entry(|| match uevents::is_listener(fd) {
            true => Ok(0),
            false => syscall_result(system_call!(libc::SYS_bind, fd, address, length)),
        }) as c_int
    }
    fn recvfrom(
        fd: c_int,
        out: *mut c_void,
        capacity: size_t,
        flags: c_int,
        sender: *mut c_void,
        sender_length: *mut libc::socklen_t,
    ) -> ssize_t {
        entry(|| {
            let is_listener = uevents::is_listener(fd);
            // The kernel would write the length of its own address.
            let (address, length) = match is_listener {
                true => (std::ptr::null_mut(), std::ptr::null_mut()),
                false => (sender, sender_length),
            };
            let count = syscall_result(system_call!(
                libc::SYS_recvfrom, fd, out, capacity, flags, address, length
            ))?;
            if is_listener {
                uevents::write_sender(sender, sender_length);
            }
            Ok(count)
        }) as ssize_t
    }

    fn _exit(status: c_int) -> ! { exit_now(status) }
    fn _Exit(status: c_int) -> ! { exit_now(status) }

    fn mmap(at: *mut c_void, len: size_t, protection: c_int, flags: c_int, fd: c_int, offset: off_t) -> *mut c_void {
        map(at, len, protection, flags, fd, offset)
    }
    fn mmap64(at: *mut c_void, len: size_t, protection: c_int, flags: c_int, fd: c_int, offset: off_t) -> *mut c_void {
        map(at, len, protection, flags, fd, offset)
    }
}

/// DMA_BUF_BASE: the type of ioctls on dma-bufs.
const DMA_BUF_BASE: c_ulong = b'b' as c_ulong;

/// `_exit`: waits for the process's batches, then ends it.
fn exit_now(status: c_int) -> ! {
    drain_batches();
    // SAFETY: plain numbers; the call does not return.
    unsafe { system_call!(libc::SYS_exit_group, status) };
    std::process::abort()
}

unsafe fn stat_at(folder: c_int, path: *const c_char, out: *mut libc::stat, flags: c_int) -> c_int {
    entry(|| {
        // SAFETY: as the caller's.
        let path = if path.is_null() {
            c""
        } else {
            unsafe { c_str(path) }?
        };
        let ours = redirect(path);
        let target = ours.as_deref().unwrap_or(path);
        // SAFETY: the kernel checks `out`.
        let done = syscall_result(unsafe {
            system_call!(libc::SYS_newfstatat, folder, target.as_ptr(), out, flags)
        })?;
        // SAFETY: the kernel has just filled it.
        if let Some(out) = unsafe { out.as_mut() } {
            patch_stat(path.is_empty().then_some(folder), out);
        }
        Ok(done)
    }) as c_int
}

unsafe fn stat_fd(fd: c_int, out: *mut libc::stat) -> c_int {
    entry(|| {
        // SAFETY: the kernel checks `out`.
        let done = syscall_result(unsafe { system_call!(libc::SYS_fstat, fd, out) })?;
        // SAFETY: the kernel has just filled it.
        if let Some(out) = unsafe { out.as_mut() } {
            patch_stat(Some(fd), out);
        }
        Ok(done)
    }) as c_int
}

unsafe fn access_at(folder: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int {
    entry(|| {
        // SAFETY: as the caller's.
        let path = unsafe { c_str(path) }?;
        let ours = redirect(path);
        let target = ours.as_deref().unwrap_or(path);
        // SAFETY: a path that ends in a zero, and plain numbers.
        syscall_result(unsafe {
            match flags {
                0 => system_call!(libc::SYS_faccessat, folder, target.as_ptr(), mode),
                flags => system_call!(libc::SYS_faccessat2, folder, target.as_ptr(), mode, flags),
            }
        })
    }) as c_int
}

unsafe fn read_link(
    folder: c_int,
    path: *const c_char,
    out: *mut c_char,
    capacity: size_t,
) -> ssize_t {
    entry(|| {
        // SAFETY: as the caller's.
        let path = unsafe { c_str(path) }?;
        let ours = redirect(path);
        let target = ours.as_deref().unwrap_or(path);
        // SAFETY: the kernel checks `out`.
        syscall_result(unsafe {
            system_call!(libc::SYS_readlinkat, folder, target.as_ptr(), out, capacity)
        })
    }) as ssize_t
}

/// The address of libc's own function of a name, cached.
fn next_symbol(name: &'static CStr) -> Option<usize> {
    static FOUND: OnceLock<std::sync::Mutex<std::collections::BTreeMap<&'static CStr, usize>>> =
        OnceLock::new();
    let found = FOUND.get_or_init(Default::default);
    let mut found = found
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(&address) = found.get(name) {
        return Some(address);
    }
    // SAFETY: a name that ends in a zero.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize;
    if address == 0 {
        return None;
    }
    found.insert(name, address);
    Some(address)
}

type PathFunction = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void;
type ScanFunction =
    unsafe extern "C" fn(*const c_char, *mut c_void, *const c_void, *const c_void) -> c_int;
type RealpathFunction = unsafe extern "C" fn(*const c_char, *mut c_char) -> *mut c_char;

/// Calls libc's function, with a path of the device redirected to the tree.
unsafe fn call_with_redirected_path(
    name: &'static CStr,
    path: *const c_char,
    second: *const c_char,
) -> *mut c_void {
    let call = catch_unwind(|| {
        // SAFETY: as the caller's.
        let ours = unsafe { c_str(path) }.ok().and_then(redirect);
        (ours, next_symbol(name))
    });
    let Ok((ours, Some(function))) = call else {
        set_errno(Errno(libc::ENOSYS));
        return std::ptr::null_mut();
    };
    // SAFETY: libc's function of that name takes a path, and fopen a mode too, which others do not
    // look at.
    unsafe {
        let function: PathFunction = std::mem::transmute(function);
        function(ours.as_ref().map_or(path, |ours| ours.as_ptr()), second)
    }
}

unsafe fn scan(
    name: &'static CStr,
    path: *const c_char,
    list: *mut c_void,
    filter: *const c_void,
    compare: *const c_void,
) -> c_int {
    let call = catch_unwind(|| {
        // SAFETY: as the caller's.
        let ours = unsafe { c_str(path) }.ok().and_then(redirect);
        (ours, next_symbol(name))
    });
    let Ok((ours, Some(function))) = call else {
        set_errno(Errno(libc::ENOSYS));
        return -1;
    };
    // SAFETY: libc's function of that name has this type.
    unsafe {
        let function: ScanFunction = std::mem::transmute(function);
        function(
            ours.as_ref().map_or(path, |ours| ours.as_ptr()),
            list,
            filter,
            compare,
        )
    }
}

unsafe fn real_path(path: *const c_char, out: *mut c_char) -> *mut c_char {
    let call = catch_unwind(|| {
        // SAFETY: as the caller's.
        let ours: Option<CString> = unsafe { c_str(path) }.ok().and_then(redirect);
        (ours, next_symbol(c"realpath"))
    });
    let Ok((ours, Some(function))) = call else {
        set_errno(Errno(libc::ENOSYS));
        return std::ptr::null_mut();
    };
    // SAFETY: libc's function of that name has this type.
    let real = unsafe {
        let function: RealpathFunction = std::mem::transmute(function);
        function(ours.as_ref().map_or(path, |ours| ours.as_ptr()), out)
    };
    if ours.is_none() || real.is_null() {
        return real;
    }
    // SAFETY: libc wrote a string that ends in a zero; what is left of it is shorter, and its zero
    // moves with it.
    unsafe {
        let bytes = CStr::from_ptr(real).to_bytes_with_nul();
        if let Some(rest) = unredirect(bytes) {
            let (from, len) = (rest.as_ptr(), rest.len());
            std::ptr::copy(from, real.cast(), len);
        }
    }
    real
}

unsafe fn map(
    at: *mut c_void,
    len: size_t,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: off_t,
) -> *mut c_void {
    entry(|| {
        let node = match simulation() {
            Some(simulation) if fd >= 0 && flags & libc::MAP_ANONYMOUS == 0 => {
                simulation.nodes.find(fd)
            }
            _ => None,
        };
        let Some((file, _)) = node else {
            // SAFETY: the program's own call.
            return syscall_result(unsafe {
                system_call!(libc::SYS_mmap, at, len, protection, flags, fd, offset)
            });
        };
        let (memory, bytes) = file.mapped_buffer(offset as u64)?;
        // SAFETY: the program's own call, on the file that holds the buffer.
        unsafe { map_buffer_file(at, len, protection, flags, memory.as_raw_fd(), bytes) }
    }) as *mut c_void
}
