//! Mappings of the files that hold buffers.
//!
//! In:  a buffer's file, and what of it is asked for. Out: an address of the process.

use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use libc::size_t;
use uapi::{Errno, Result};

use crate::files::{SysResult, result};

/// `mmap` of a buffer of so many bytes, by the file that holds it.
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
    result(unsafe { system_call!(libc::SYS_mmap, at, len, protection, flags, memory, 0) })
}

/// Maps a range of a file where there is room, for GEM_MMAP: the program unmaps it.
pub(crate) fn map_anywhere(file: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> Result<u64> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let nowhere = std::ptr::null_mut::<c_void>();
    let fd = file.as_raw_fd();
    // SAFETY: the kernel picks free pages.
    let address = result(unsafe {
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
