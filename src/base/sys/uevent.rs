//! Messages of the kernel about changes of devices.
//!
//! In:  nothing. Out: messages: an action and a path, then assignments, each ended by a zero.
//! Ref: Linux, lib/kobject_uevent.c; netlink(7).

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use uapi::{Errno, Result};

/// The multicast group of the kernel's own messages.
const KERNEL_GROUP: u32 = 1;
/// Maximum size of a message (UEVENT_BUFFER_SIZE), and its first line.
const MAX_BYTES: usize = 4096;

/// A socket that receives the kernel's messages.
#[derive(Debug)]
pub struct UeventSocket(OwnedFd);

fn last_error() -> Errno {
    let error = std::io::Error::last_os_error();
    Errno(error.raw_os_error().unwrap_or(Errno::EIO.0))
}

impl UeventSocket {
    /// A socket that receives the messages sent from now on.
    pub fn open() -> Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: plain numbers.
        let raw = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_KOBJECT_UEVENT) };
        if raw < 0 {
            return Err(last_error());
        }
        // SAFETY: the call has just opened it.
        let socket = Self(unsafe { OwnedFd::from_raw_fd(raw) });
        let mut address = netlink_address();
        address.nl_groups = KERNEL_GROUP;
        // SAFETY: the address is a structure of the length that is passed.
        let bound = unsafe {
            libc::bind(
                raw,
                (&raw const address).cast(),
                size_of::<libc::sockaddr_nl>() as u32,
            )
        };
        match bound {
            0 => Ok(socket),
            _ => Err(last_error()),
        }
    }

    /// The next message of the kernel. None: there is none now. Messages of other senders are
    /// skipped.
    pub fn receive(&self) -> Result<Option<Vec<u8>>> {
        loop {
            let mut bytes = vec![0; MAX_BYTES];
            let mut sender = netlink_address();
            let mut sender_bytes = size_of::<libc::sockaddr_nl>() as u32;
            // SAFETY: both places have the lengths that are passed.
            let count = unsafe {
                libc::recvfrom(
                    self.0.as_raw_fd(),
                    bytes.as_mut_ptr().cast(),
                    bytes.len(),
                    0,
                    (&raw mut sender).cast(),
                    &raw mut sender_bytes,
                )
            };
            let Ok(count) = usize::try_from(count) else {
                match last_error() {
                    Errno::EAGAIN => return Ok(None),
                    // Messages were lost as the socket was full; newer ones follow.
                    Errno(libc::ENOBUFS) | Errno::EINTR => continue,
                    error => return Err(error),
                }
            };
            let is_netlink = i32::from(sender.nl_family) == libc::AF_NETLINK;
            if is_netlink && sender.nl_pid == 0 {
                bytes.truncate(count);
                return Ok(Some(bytes));
            }
        }
    }
}

impl AsFd for UeventSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// An address of netlink sockets: of the kernel, in no group.
fn netlink_address() -> libc::sockaddr_nl {
    // SAFETY: a structure of numbers.
    let mut address: libc::sockaddr_nl = unsafe { std::mem::zeroed() };
    address.nl_family = libc::AF_NETLINK as u16;
    address
}

/// Whether a message reports that a display was plugged in or unplugged at a primary node, by its
/// device numbers.
pub fn is_hotplug(message: &[u8], [major, minor]: [u32; 2]) -> bool {
    let has = |assignment: String| {
        let mut lines = message.split(|&byte| byte == 0);
        lines.any(|line| line == assignment.as_bytes())
    };
    has("HOTPLUG=1".into()) && has(format!("MAJOR={major}")) && has(format!("MINOR={minor}"))
}
