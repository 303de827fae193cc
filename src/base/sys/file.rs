//! Descriptors.

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

use crate::{Errno, Result, check, said};

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
    let raw = fcntl(fd, FcntlArg::F_DUPFD_CLOEXEC(from)).map_err(said)?;
    owned(raw.into())
}

/// A file in memory, of zeros, with a high number.
pub fn memfd(name: &CStr, len_bytes: u64) -> Result<OwnedFd> {
    let len = i64::try_from(len_bytes).map_err(|_| Errno::EFBIG)?;
    let fd = memfd_create(name, MFdFlags::MFD_CLOEXEC).map_err(said)?;
    ftruncate(&fd, len).map_err(said)?;
    dup_high(fd.as_fd())
}

/// Length in bytes of what a descriptor refers to, as lseek tells for files in memory and dma-bufs.
pub fn memfd_bytes(fd: BorrowedFd<'_>) -> Result<u64> {
    let end = lseek(fd, 0, Whence::SeekEnd).map_err(said)?;
    u64::try_from(end).map_err(|_| Errno::EINVAL)
}

/// Where a file in memory has pages, as ranges of bytes within its first `len_bytes`, in order. What lies between reads as
/// zeros, and to read it through a mapping would make pages of it. Files that cannot tell have one range.
pub fn data_ranges(fd: BorrowedFd<'_>, len_bytes: u64) -> Result<Vec<Range<u64>>> {
    let seek = |from: u64, whence: Whence| {
        let from = i64::try_from(from).map_err(|_| Errno::EFBIG)?;
        let found = lseek(fd, from, whence).map_err(said)?;
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

fn open(path: &CStr, flags: i32) -> Result<OwnedFd> {
    // SAFETY: a path that ends in a zero, and plain numbers.
    owned(unsafe { system_call!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0) })
}

/// Where the kernel tells what a descriptor is of.
fn link(fd: RawFd) -> Result<CString> {
    CString::new(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::EINVAL)
}

/// The path under which a descriptor's file was opened, for people: what has been removed since ends in ` (deleted)`.
pub fn name_of(fd: RawFd) -> Result<Vec<u8>> {
    let mut name = vec![0_u8; libc::PATH_MAX as usize];
    let link = link(fd)?;
    let (at, room) = (name.as_mut_ptr(), name.len());
    // SAFETY: a path that ends in a zero, and as many bytes as there are.
    let length = check(unsafe {
        system_call!(
            libc::SYS_readlinkat,
            libc::AT_FDCWD,
            link.as_ptr(),
            at,
            room
        )
    })?;
    name.truncate(length as usize);
    Ok(name)
}

/// The file of a descriptor, opened again: locks are of who has opened it.
pub fn reopen(fd: BorrowedFd<'_>) -> Result<OwnedFd> {
    let again = open(&link(fd.as_raw_fd())?, libc::O_RDWR | libc::O_CLOEXEC)?;
    dup_high(again.as_fd())
}

/// A lock on bytes of a file, against all who have opened it by another call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// None.
    Free,
    /// With others of this kind.
    Shared,
    /// Alone.
    Exclusive,
}

impl Lock {
    fn of(self, at: i64, count: i64) -> libc::flock {
        libc::flock {
            l_type: match self {
                Lock::Free => libc::F_UNLCK,
                Lock::Shared => libc::F_RDLCK,
                Lock::Exclusive => libc::F_WRLCK,
            } as libc::c_short,
            l_whence: libc::SEEK_SET as libc::c_short,
            l_start: at,
            l_len: count,
            l_pid: 0,
        }
    }

    /// Takes it on a byte, instead of the one that this opening has there. False: another's stands in the way.
    pub fn take(self, file: BorrowedFd<'_>, at: i64) -> Result<bool> {
        let lock = self.of(at, 1);
        match fcntl(file, FcntlArg::F_OFD_SETLK(&lock)).map_err(said) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether no lock of others stands in its way on some bytes.
    pub fn is_free(self, file: BorrowedFd<'_>, at: i64, count: i64) -> Result<bool> {
        let mut lock = self.of(at, count);
        fcntl(file, FcntlArg::F_OFD_GETLK(&mut lock)).map_err(said)?;
        Ok(lock.l_type == libc::F_UNLCK as libc::c_short)
    }
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
        let flags = OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let (reader, writer) = nix::unistd::pipe2(flags).map_err(said)?;
        let writer = dup_high(writer.as_fd())?;
        Ok(Self { reader, writer })
    }

    /// The same, under a name by which [`name_of`] knows the reader in every process that has it: a path where nothing is yet, nor is
    /// when this returns.
    pub fn named(path: &Path) -> Result<Self> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)?;
        nix::unistd::mkfifo(name.as_c_str(), Mode::S_IRUSR | Mode::S_IWUSR).map_err(said)?;
        let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
        let reader = open(&name, flags | libc::O_RDONLY);
        let writer = reader
            .as_ref()
            .ok()
            .map(|_| open(&name, flags | libc::O_WRONLY));
        // Whoever opens it after this does so by a descriptor. That it cannot be removed is its folder's business.
        let _ = nix::unistd::unlink(name.as_c_str());
        let writer = writer.unwrap_or(Err(Errno::EIO));
        let (reader, writer) = (reader?, writer?);
        let writer = dup_high(writer.as_fd())?;
        Ok(Self { reader, writer })
    }

    /// A writer of the pipe that a reader is of.
    pub fn writer_of(reader: RawFd) -> Result<OwnedFd> {
        let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_WRONLY;
        let writer = open(&link(reader)?, flags)?;
        dup_high(writer.as_fd())
    }

    /// Makes readers readable, for poll.
    pub fn write_byte(writer: BorrowedFd<'_>) {
        // A full pipe is readable already; without readers nobody cares, and Rust programs ignore SIGPIPE, but a C program that
        // loads us may not: so look first.
        if Self::has_reader(writer) {
            let _ = nix::unistd::write(writer, &[1]);
        }
    }

    /// Whether anybody still holds the reader.
    pub fn has_reader(writer: BorrowedFd<'_>) -> bool {
        match poll(writer, PollFlags::empty(), PollTimeout::ZERO) {
            Ok(events) => !events.contains(PollFlags::POLLERR),
            Err(_) => true,
        }
    }
}

fn poll(fd: BorrowedFd<'_>, events: PollFlags, timeout: PollTimeout) -> Result<PollFlags> {
    let mut entry = [PollFd::new(fd, events)];
    nix::poll::poll(&mut entry, timeout).map_err(said)?;
    Ok(entry[0].revents().unwrap_or(PollFlags::empty()))
}

/// Leaves a descriptor open over exec.
pub fn keep_over_exec(fd: BorrowedFd<'_>) -> Result<()> {
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))
        .map(drop)
        .map_err(said)
}

/// Whether a descriptor is readable now.
pub fn poll_readable(fd: BorrowedFd<'_>) -> Result<bool> {
    let events = poll(fd, PollFlags::POLLIN, PollTimeout::ZERO)?;
    Ok(events.contains(PollFlags::POLLIN))
}

/// Waits until a descriptor is readable, some milliseconds at most. False: it is not.
pub fn wait_readable(fd: BorrowedFd<'_>, timeout_ms: u16) -> Result<bool> {
    match poll(fd, PollFlags::POLLIN, timeout_ms.into()) {
        Ok(events) => Ok(events.contains(PollFlags::POLLIN)),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Waits until one of some descriptors is readable, or a signal comes.
pub fn wait_any_readable(fds: &[BorrowedFd<'_>]) -> Result<()> {
    let mut entries: Vec<PollFd<'_>> = fds
        .iter()
        .map(|&fd| PollFd::new(fd, PollFlags::POLLIN))
        .collect();
    match nix::poll::poll(&mut entries, PollTimeout::NONE).map_err(said) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Raises the number of descriptors that the process may have as far as it may.
pub fn raise_descriptor_limit() -> Result<()> {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).map_err(said)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most).map_err(said)
}
