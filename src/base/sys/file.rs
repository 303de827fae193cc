//! Descriptors.

use std::ffi::CStr;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use bytemuck::Pod;

use crate::{Errno, Result, check};

/// Descriptors of our own are moved above this number, away from the small ones that programs count on.
const OWN_DESCRIPTORS_FROM: i32 = 512;

/// Calls an ioctl whose argument is plain data; again if it was interrupted.
///
/// Request codes hold the size of the argument (drm.h), and a mismatch is refused; addresses within the argument are the
/// caller's business: they are numbers to Rust, so only the kernel's own checks (`EFAULT`) guard what lies there.
pub fn ioctl<T: Pod>(fd: BorrowedFd<'_>, request: u32, argument: &mut T) -> Result<()> {
    if (request >> 16 & 0x3fff) as usize != size_of::<T>() {
        return Err(Errno::EINVAL);
    }
    loop {
        // SAFETY: `argument` has the size that the request code tells the kernel, and any bits are valid in it.
        let result = unsafe {
            let argument: *mut T = argument;
            libc::ioctl(fd.as_raw_fd(), request.into(), argument)
        };
        match check(result.into()) {
            Ok(_) => return Ok(()),
            Err(Errno::EINTR | Errno::EAGAIN) => (),
            Err(error) => return Err(error),
        }
    }
}

/// Calls an ioctl that makes a descriptor, and takes the descriptor that it wrote into its argument.
pub fn ioctl_fd<T: Pod>(
    fd: BorrowedFd<'_>,
    request: u32,
    argument: &mut T,
    made: impl FnOnce(&T) -> i32,
) -> Result<OwnedFd> {
    ioctl(fd, request, argument)?;
    owned(made(argument).into())
}

fn owned(raw: libc::c_long) -> Result<OwnedFd> {
    let raw = RawFd::try_from(check(raw)?).map_err(|_| Errno::EBADF)?;
    // SAFETY: the kernel has just made it, for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// A duplicate with a high number, which exec closes; at any free number if there are no high ones.
pub fn dup_high(fd: BorrowedFd<'_>) -> Result<OwnedFd> {
    dup_from(fd, OWN_DESCRIPTORS_FROM).or_else(|_| dup_from(fd, 0))
}

fn dup_from(fd: BorrowedFd<'_>, from: i32) -> Result<OwnedFd> {
    // SAFETY: plain numbers.
    owned(unsafe { system_call!(libc::SYS_fcntl, fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, from) })
}

/// A file in memory, of zeros, with a high number.
pub fn memfd(name: &CStr, len_bytes: u64) -> Result<OwnedFd> {
    let len = i64::try_from(len_bytes).map_err(|_| Errno::EFBIG)?;
    // SAFETY: the name ends in a zero.
    let fd =
        owned(unsafe { system_call!(libc::SYS_memfd_create, name.as_ptr(), libc::MFD_CLOEXEC) })?;
    // SAFETY: plain numbers.
    check(unsafe { system_call!(libc::SYS_ftruncate, fd.as_raw_fd(), len) })?;
    use std::os::fd::AsFd;
    dup_high(fd.as_fd())
}

/// Length in bytes of what a descriptor refers to, as lseek tells for files in memory and dma-bufs.
pub fn memfd_bytes(fd: BorrowedFd<'_>) -> Result<u64> {
    // SAFETY: plain numbers.
    let end =
        check(unsafe { system_call!(libc::SYS_lseek, fd.as_raw_fd(), 0_i64, libc::SEEK_END) })?;
    u64::try_from(end).map_err(|_| Errno::EINVAL)
}

/// Where a file in memory has pages, as ranges of bytes within its first `len_bytes`, in order. What lies between reads as
/// zeros, and to read it through a mapping would make pages of it. Files that cannot tell have one range.
pub fn data_ranges(fd: BorrowedFd<'_>, len_bytes: u64) -> Result<Vec<Range<u64>>> {
    let seek = |from: u64, whence: i32| {
        let from = i64::try_from(from).map_err(|_| Errno::EFBIG)?;
        // SAFETY: plain numbers.
        let found = check(unsafe { system_call!(libc::SYS_lseek, fd.as_raw_fd(), from, whence) })?;
        u64::try_from(found).map_err(|_| Errno::EINVAL)
    };
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < len_bytes {
        let start = match seek(at, libc::SEEK_DATA) {
            Ok(start) if start < len_bytes => start,
            // No data up to the end.
            Ok(_) | Err(Errno::ENXIO) => break,
            Err(Errno::EINVAL) => at,
            Err(error) => return Err(error),
        };
        let end = match seek(start, libc::SEEK_HOLE) {
            Ok(end) if end > start => end.min(len_bytes),
            Ok(_) | Err(Errno::EINVAL | Errno::ENXIO) => len_bytes,
            Err(error) => return Err(error),
        };
        ranges.push(start..end);
        at = end;
    }
    Ok(ranges)
}

/// What a descriptor refers to, whatever its number: duplicates have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// From what stat says.
    pub fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }
}

/// Identity of what a descriptor refers to. Sockets, eventfds and the like may share one; pipes and files do not.
pub fn identity(fd: RawFd) -> Result<Identity> {
    let mut stat = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the kernel fills the whole structure if it succeeds; a number that is no descriptor is an error.
    let stat = unsafe {
        check(system_call!(libc::SYS_fstat, fd, stat.as_mut_ptr()))?;
        stat.assume_init()
    };
    Ok(Identity {
        device: stat.st_dev,
        inode: stat.st_ino,
    })
}

/// A pipe, whose ends tell each other when the last descriptor of one is closed.
#[derive(Debug)]
pub struct Pipe {
    /// What the other side gets.
    pub reader: OwnedFd,
    /// What we keep.
    pub writer: OwnedFd,
}

impl Pipe {
    /// A pipe; exec closes both ends, and we keep the writer at a high number.
    pub fn new() -> Result<Self> {
        let mut ends = [-1_i32; 2];
        // SAFETY: room for two descriptors.
        check(unsafe {
            system_call!(
                libc::SYS_pipe2,
                ends.as_mut_ptr(),
                libc::O_CLOEXEC | libc::O_NONBLOCK,
            )
        })?;
        let (reader, writer) = (owned(ends[0].into())?, owned(ends[1].into())?);
        use std::os::fd::AsFd;
        let writer = dup_high(writer.as_fd())?;
        Ok(Self { reader, writer })
    }

    /// Makes readers readable, for poll.
    pub fn write_byte(writer: BorrowedFd<'_>) {
        // A full pipe is readable already; without readers nobody cares, and Rust programs ignore SIGPIPE, but a C program that
        // loads us may not: so look first.
        if Self::has_reader(writer) {
            // SAFETY: one byte.
            unsafe {
                system_call!(
                    libc::SYS_write,
                    writer.as_raw_fd(),
                    [1_u8].as_ptr(),
                    1_usize,
                )
            };
        }
    }

    /// Whether anybody still holds the reader.
    pub fn has_reader(writer: BorrowedFd<'_>) -> bool {
        match poll(writer.as_raw_fd(), 0, 0) {
            Ok(events) => events & libc::POLLERR == 0,
            Err(_) => true,
        }
    }
}

fn poll(fd: RawFd, events: i16, timeout_ms: i32) -> Result<i16> {
    let mut entry = libc::pollfd {
        fd,
        events,
        revents: 0,
    };
    // SAFETY: one entry.
    check(unsafe {
        system_call!(
            libc::SYS_poll,
            &mut entry as *mut libc::pollfd,
            1_usize,
            timeout_ms,
        )
    })?;
    Ok(entry.revents)
}

/// Leaves a descriptor open over exec.
pub fn keep_over_exec(fd: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { system_call!(libc::SYS_fcntl, fd.as_raw_fd(), libc::F_SETFD, 0) }).map(drop)
}

/// Whether a descriptor is readable now.
pub fn poll_readable(fd: BorrowedFd<'_>) -> Result<bool> {
    Ok(poll(fd.as_raw_fd(), libc::POLLIN, 0)? & libc::POLLIN != 0)
}

/// Waits until a descriptor is readable, some milliseconds at most. False: it is not.
pub fn wait_readable(fd: BorrowedFd<'_>, timeout_ms: i32) -> Result<bool> {
    match poll(fd.as_raw_fd(), libc::POLLIN, timeout_ms) {
        Ok(events) => Ok(events & libc::POLLIN != 0),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Raises the number of descriptors that the process may have as far as it may.
pub fn raise_descriptor_limit() -> Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is the kernel's.
    unsafe {
        check(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit).into())?;
        limit.rlim_cur = limit.rlim_max;
        check(libc::setrlimit(libc::RLIMIT_NOFILE, &limit).into())?;
    }
    Ok(())
}
