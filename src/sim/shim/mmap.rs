//! Maps buffers into the process.
//!
//! In:  a buffer's memory file and a range. Out: an address in the process.

use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use libc::size_t;
use uapi::{Errno, Result};

use crate::files::{SysResult, syscall_result};

/// `mmap` of a buffer of `bytes` bytes by its memory file. `EINVAL` if it is shorter than `len`.
///
/// # Safety
/// As for mmap.
pub(crate) unsafe fn map_buffer_file(
    at: *mut c_void,
    len: size_t,
    protection: c_int,
    flags: c_int,
    memory: RawFd,
    bytes: u64,
) -> SysResult {
    if len as u64 > bytes {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the caller's promise.
    syscall_result(unsafe { system_call!(libc::SYS_mmap, at, len, protection, flags, memory, 0) })
}

/// Maps a range of a memory file at an address that the kernel chooses, for GEM_MMAP. The program
/// unmaps it.
pub(crate) fn map_anywhere(file: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> Result<u64> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let nowhere = std::ptr::null_mut::<c_void>();
    let fd = file.as_raw_fd();
    // SAFETY: the kernel picks free pages.
    let address = syscall_result(unsafe {
        system_call!(
            libc::SYS_mmap,
            nowhere,
            len_bytes,
            protection,
            libc::MAP_SHARED,
            fd,
            offset_bytes,
        )
    })?;
    Ok(address as u64)
}
