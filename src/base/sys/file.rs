//! File descriptors: ioctls, files in memory, identity, locks, pipes, polling.

use std::ffi::{CStr, CString};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bytemuck::Pod;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::Mode;
use nix::unistd::{Whence, ftruncate, lseek};
use uapi::{Errno, Result};

use crate::syscall::{check_result, from_nix, system_call};

/// Our own descriptors are moved to this number or above, because programs make assumptions about
/// small ones.
const FIRST_HIGH_DESCRIPTOR: i32 = 512;

/// Calls an ioctl whose argument is plain data, again while it is interrupted.
///
/// A request code contains the size of its argument (drm.h); a mismatch with `T` is `EINVAL`.
/// Addresses within the argument are the caller's responsibility: Rust sees numbers, and only the
/// kernel checks them (`EFAULT`).
pub fn ioctl<T: Pod>(fd: BorrowedFd<'_>, request: u32, argument: &mut T) -> Result<()> {
    if (request >> 16 & 0x3fff) as usize != size_of::<T>() {
        return Err(Errno::EINVAL);
    }
    loop {
        // SAFETY: `argument` has the size that the request code announces to the kernel, and every
        // bit pattern of it is valid.
        let result = unsafe {
            let argument: *mut T = argument;
            libc::ioctl(fd.as_raw_fd(), request.into(), argument)
        };
        match check_result(result.into()) {
            Ok(_) => return Ok(()),
            Err(Errno::EINTR | Errno::EAGAIN) => (),
            Err(error) => return Err(error),
        }
    }
}

/// Calls an ioctl that creates a descriptor; `returned` reads the descriptor from the argument that
/// the kernel has written.
pub fn ioctl_fd<T: Pod>(
    fd: BorrowedFd<'_>,
    request: u32,
    argument: &mut T,
    returned: impl FnOnce(&T) -> i32,
) -> Result<OwnedFd> {
    ioctl(fd, request, argument)?;
    owned_fd(returned(argument).into())
}

fn owned_fd(raw: libc::c_long) -> Result<OwnedFd> {
    let raw = RawFd::try_from(check_result(raw)?).map_err(|_| Errno::EBADF)?;
    // SAFETY: the kernel has just created the descriptor, and nothing else has its number.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// Duplicates a descriptor to a high number (any free number if no high one is free), with
/// close-on-exec.
pub fn dup_high(fd: BorrowedFd<'_>) -> Result<OwnedFd> {
    dup_from(fd, FIRST_HIGH_DESCRIPTOR).or_else(|_| dup_from(fd, 0))
}

fn dup_from(fd: BorrowedFd<'_>, from: i32) -> Result<OwnedFd> {
    let raw = fcntl(fd, FcntlArg::F_DUPFD_CLOEXEC(from)).map_err(from_nix)?;
    owned_fd(raw.into())
}

/// Creates a zero-filled file in memory; its descriptor has a high number.
pub fn memfd(name: &CStr, len_bytes: u64) -> Result<OwnedFd> {
    let len = i64::try_from(len_bytes).map_err(|_| Errno::EFBIG)?;
    let fd = memfd_create(name, MFdFlags::MFD_CLOEXEC).map_err(from_nix)?;
    ftruncate(&fd, len).map_err(from_nix)?;
    dup_high(fd.as_fd())
}

/// Length in bytes of the file behind a descriptor, by lseek, which files in memory and dma-bufs
/// support.
pub fn file_len_bytes(fd: BorrowedFd<'_>) -> Result<u64> {
    let end = lseek(fd, 0, Whence::SeekEnd).map_err(from_nix)?;
    u64::try_from(end).map_err(|_| Errno::EINVAL)
}

/// The byte ranges within the first `len_bytes` of a file in memory that have pages, in order. The
/// holes between them read as zeros; reading them through a mapping would allocate pages. A file
/// system without this information gives one range.
pub fn data_ranges(fd: BorrowedFd<'_>, len_bytes: u64) -> Result<Vec<Range<u64>>> {
    let seek = |from: u64, whence: Whence| {
        let from = i64::try_from(from).map_err(|_| Errno::EFBIG)?;
        let found = lseek(fd, from, whence).map_err(from_nix)?;
        u64::try_from(found).map_err(|_| Errno::EINVAL)
    };
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < len_bytes {
        let start = match seek(at, Whence::SeekData) {
            Ok(start) if start < len_bytes => start,
            // No data up to the end.
            Ok(_) | Err(Errno::ENXIO) => break,
            Err(Errno::EINVAL) => at,
            Err(error) => return Err(error),
        };
        let end = match seek(start, Whence::SeekHole) {
            Ok(end) if end > start => end.min(len_bytes),
            Ok(_) | Err(Errno::EINVAL | Errno::ENXIO) => len_bytes,
            Err(error) => return Err(error),
        };
        ranges.push(start..end);
        at = end;
    }
    Ok(ranges)
}

/// Identifies the open file behind a descriptor by device and inode: equal for duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The identity with these numbers of a `stat` structure.
    pub fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }
}

/// Identity of the file behind a descriptor. Anonymous inodes (eventfds and the like) may share
/// one; pipes and files do not.
pub fn identity(fd: RawFd) -> Result<FileIdentity> {
    let mut stat = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the kernel fills the whole structure if the call succeeds, and fails for a number
    // that is not a descriptor.
    let stat = unsafe {
        check_result(system_call!(libc::SYS_fstat, fd, stat.as_mut_ptr()))?;
        stat.assume_init()
    };
    Ok(FileIdentity {
        device: stat.st_dev,
        inode: stat.st_ino,
    })
}

fn open(path: &CStr, flags: i32) -> Result<OwnedFd> {
    // SAFETY: the path is zero-terminated, and the other arguments are numbers.
    owned_fd(unsafe { system_call!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0) })
}

/// Path of the link in /proc to the file behind a descriptor.
fn proc_link(fd: RawFd) -> Result<CString> {
    CString::new(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::EINVAL)
}

/// The path under which the file behind a descriptor was opened; followed by ` (deleted)` if the
/// file has been removed since.
pub fn name_of(fd: RawFd) -> Result<Vec<u8>> {
    let mut path = vec![0_u8; libc::PATH_MAX as usize];
    let link = proc_link(fd)?;
    let (buffer, size) = (path.as_mut_ptr(), path.len());
    // SAFETY: the path is zero-terminated, and the buffer has `size` bytes.
    let length = check_result(unsafe {
        system_call!(
            libc::SYS_readlinkat,
            libc::AT_FDCWD,
            link.as_ptr(),
            buffer,
            size
        )
    })?;
    path.truncate(length as usize);
    Ok(path)
}

/// Opens the file behind a descriptor once more: [`FileLock`]s belong to an open file description,
/// not to a descriptor.
pub fn reopen(fd: BorrowedFd<'_>) -> Result<OwnedFd> {
    let reopened = open(&proc_link(fd.as_raw_fd())?, libc::O_RDWR | libc::O_CLOEXEC)?;
    dup_high(reopened.as_fd())
}

/// A lock on bytes of a file, against other open file descriptions of the same file (fcntl's
/// `F_OFD_SETLK`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLock {
    /// No lock.
    Free,
    /// Compatible with other shared locks.
    Shared,
    /// Compatible with no other lock.
    Exclusive,
}

impl FileLock {
    fn to_flock(self, at: i64, count: i64) -> libc::flock {
        libc::flock {
            l_type: match self {
                FileLock::Free => libc::F_UNLCK,
                FileLock::Shared => libc::F_RDLCK,
                FileLock::Exclusive => libc::F_WRLCK,
            } as libc::c_short,
            l_whence: libc::SEEK_SET as libc::c_short,
            l_start: at,
            l_len: count,
            l_pid: 0,
        }
    }

    /// Tries to set the lock on the byte at offset `at`, replacing the one that this open file
    /// description holds there. Returns false if a lock of another one conflicts.
    pub fn try_set(self, file: BorrowedFd<'_>, at: i64) -> Result<bool> {
        let lock = self.to_flock(at, 1);
        match fcntl(file, FcntlArg::F_OFD_SETLK(&lock)).map_err(from_nix) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// True if no lock of another open file description on the `count` bytes at offset `at`
    /// conflicts with this one.
    pub fn is_free(self, file: BorrowedFd<'_>, at: i64, count: i64) -> Result<bool> {
        let mut lock = self.to_flock(at, count);
        fcntl(file, FcntlArg::F_OFD_GETLK(&mut lock)).map_err(from_nix)?;
        Ok(lock.l_type == libc::F_UNLCK as libc::c_short)
    }
}

/// A pipe. Each end can detect that the last descriptor of the other end was closed.
#[derive(Debug)]
pub struct Pipe {
    /// The end that is given away.
    pub reader: OwnedFd,
    /// The end that is kept.
    pub writer: OwnedFd,
}

impl Pipe {
    /// Creates a pipe with close-on-exec at both ends; the writer has a high number.
    pub fn new() -> Result<Self> {
        let flags = OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let (reader, writer) = nix::unistd::pipe2(flags).map_err(from_nix)?;
        let writer = dup_high(writer.as_fd())?;
        Ok(Self { reader, writer })
    }

    /// Creates a named pipe, so that [`name_of`] identifies its reader in every process that has
    /// it. `path` must not exist; it is removed again before this returns.
    pub fn named(path: &Path) -> Result<Self> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
        nix::unistd::mkfifo(name.as_c_str(), Mode::S_IRUSR | Mode::S_IWUSR).map_err(from_nix)?;
        let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
        let reader = open(&name, flags | libc::O_RDONLY);
        let writer = reader
            .as_ref()
            .ok()
            .map(|_| open(&name, flags | libc::O_WRONLY));
        // From here on the pipe is opened through a descriptor only. A failure to remove the path
        // leaves the pipe usable.
        let _ = nix::unistd::unlink(name.as_c_str());
        let writer = writer.unwrap_or(Err(Errno::EIO));
        let (reader, writer) = (reader?, writer?);
        let writer = dup_high(writer.as_fd())?;
        Ok(Self { reader, writer })
    }

    /// Opens a writer of the pipe that `reader` belongs to.
    pub fn open_writer(reader: RawFd) -> Result<OwnedFd> {
        let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_WRONLY;
        let writer = open(&proc_link(reader)?, flags)?;
        dup_high(writer.as_fd())
    }

    /// Writes a byte, so that poll reports the reader as readable. Errors are ignored: a full pipe
    /// is readable already.
    pub fn write_byte(writer: BorrowedFd<'_>) {
        Self::write(writer, &[1]);
    }

    /// Writes bytes, as one unit if they are fewer than a page, unless there is no reader.
    pub fn write(writer: BorrowedFd<'_>, bytes: &[u8]) {
        // A write without a reader raises SIGPIPE, which Rust programs ignore but a C program that
        // loads this library may not.
        if Self::has_reader(writer) {
            let _ = nix::unistd::write(writer, bytes);
        }
    }

    /// True if a descriptor of the reader is still open.
    pub fn has_reader(writer: BorrowedFd<'_>) -> bool {
        match poll(writer, PollFlags::empty(), PollTimeout::ZERO) {
            Ok(events) => !events.contains(PollFlags::POLLERR),
            Err(_) => true,
        }
    }
}

fn poll(fd: BorrowedFd<'_>, events: PollFlags, timeout: PollTimeout) -> Result<PollFlags> {
    let mut entry = [PollFd::new(fd, events)];
    nix::poll::poll(&mut entry, timeout).map_err(from_nix)?;
    Ok(entry[0].revents().unwrap_or(PollFlags::empty()))
}

/// Clears close-on-exec of a descriptor.
pub fn clear_cloexec(fd: BorrowedFd<'_>) -> Result<()> {
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))
        .map(drop)
        .map_err(from_nix)
}

/// True if a descriptor is readable now.
pub fn poll_readable(fd: BorrowedFd<'_>) -> Result<bool> {
    let events = poll(fd, PollFlags::POLLIN, PollTimeout::ZERO)?;
    Ok(events.contains(PollFlags::POLLIN))
}

/// Waits at most `timeout_ms` until a descriptor is readable; returns false if it is not, or if a
/// signal interrupted the wait.
pub fn wait_readable(fd: BorrowedFd<'_>, timeout_ms: u16) -> Result<bool> {
    match poll(fd, PollFlags::POLLIN, timeout_ms.into()) {
        Ok(events) => Ok(events.contains(PollFlags::POLLIN)),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Waits until one of the descriptors is readable, a signal arrives, or a deadline of the monotonic
/// clock (in ns) has passed; the end of the wait is rounded up to milliseconds.
pub fn wait_any_readable(fds: &[BorrowedFd<'_>], deadline_ns: Option<i64>) -> Result<()> {
    let timeout = match deadline_ns {
        None => PollTimeout::NONE,
        Some(deadline_ns) => {
            let left_ns = deadline_ns
                .saturating_sub(crate::process::monotonic_ns())
                .max(0);
            let left_ms = left_ns.unsigned_abs().div_ceil(1_000_000);
            // A wait that is too long for the kernel ends early, as signals end it too.
            PollTimeout::try_from(left_ms).unwrap_or(PollTimeout::MAX)
        }
    };
    let mut entries: Vec<PollFd<'_>> = fds
        .iter()
        .map(|&fd| PollFd::new(fd, PollFlags::POLLIN))
        .collect();
    match nix::poll::poll(&mut entries, timeout).map_err(from_nix) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Raises the soft limit on open descriptors to the hard limit.
pub fn raise_descriptor_limit() -> Result<()> {
    let (_, max) = getrlimit(Resource::RLIMIT_NOFILE).map_err(from_nix)?;
    setrlimit(Resource::RLIMIT_NOFILE, max, max).map_err(from_nix)
}

/// An eventfd that is not readable.
pub fn event() -> Result<OwnedFd> {
    // SAFETY: plain numbers.
    let raw = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    if raw < 0 {
        let error = std::io::Error::last_os_error();
        return Err(Errno(error.raw_os_error().unwrap_or(Errno::EMFILE.0)));
    }
    // SAFETY: the call has just opened it.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// Makes an eventfd readable.
pub fn signal_event(event: BorrowedFd<'_>) {
    // An eventfd that cannot count further is readable already.
    let _ = nix::unistd::write(event, &1_u64.to_ne_bytes());
}

/// Makes an eventfd unreadable.
pub fn clear_event(event: BorrowedFd<'_>) {
    // An error means that it is unreadable already.
    let _ = nix::unistd::read(event, &mut [0; 8]);
}
