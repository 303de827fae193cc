//! The kernel's messages about the simulated display: sockets of NETLINK_KOBJECT_UEVENT.
//!
//! In:  a program's sockets; whether the monitor is plugged in. Out: a message at each change, as
//!      the kernel sends it. A program with a simulated display receives no other messages.
//! Ref: Linux, lib/kobject_uevent.c, drivers/gpu/drm/drm_sysfs.c.

use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixDatagram;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kmd::{Device, display};
use sys::FileIdentity;
use uapi::{Errno, drm};

use crate::files::SysResult;
use crate::start::simulation;

/// How often the monitor is looked at.
const INTERVAL: Duration = Duration::from_millis(2);

/// A socket of the program.
struct Listener {
    identity: FileIdentity,
    /// The other end.
    sender: UnixDatagram,
}

static LISTENERS: Mutex<Vec<Listener>> = Mutex::new(Vec::new());
/// Whether there has been a socket, so that other sockets are not looked up.
static ANY: AtomicBool = AtomicBool::new(false);

fn listeners() -> MutexGuard<'static, Vec<Listener>> {
    LISTENERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `socket`. None: it is not one of the simulated kernel's messages.
pub(crate) fn open(domain: c_int, kind: c_int, protocol: c_int) -> Option<SysResult> {
    let is_ours = domain == libc::AF_NETLINK && protocol == libc::NETLINK_KOBJECT_UEVENT;
    let simulation = simulation().filter(|_| is_ours)?;
    simulation.device.has_display().then(|| {
        let errno = |error: std::io::Error| Errno(error.raw_os_error().unwrap_or(libc::EIO));
        let (sender, receiver) = UnixDatagram::pair().map_err(errno)?;
        let blocks = kind & libc::SOCK_NONBLOCK == 0;
        receiver.set_nonblocking(!blocks).map_err(errno)?;
        sender.set_nonblocking(true).map_err(errno)?;
        let identity = sys::identity(receiver.as_raw_fd())?;
        let receiver = OwnedFd::from(receiver);
        if kind & libc::SOCK_CLOEXEC == 0 {
            sys::clear_cloexec(std::os::fd::AsFd::as_fd(&receiver))?;
        }
        listeners().push(Listener { identity, sender });
        if !ANY.swap(true, Ordering::AcqRel) {
            let plugged = simulation.device.display_is_plugged();
            let thread = std::thread::Builder::new().name("i915-hotplug".into());
            let started = thread.spawn(move || watch(&simulation.device, plugged));
            started.map_err(errno)?;
        }
        Ok(receiver.into_raw_fd().into())
    })
}

/// Whether a descriptor is such a socket.
pub(crate) fn is_listener(fd: RawFd) -> bool {
    ANY.load(Ordering::Acquire)
        && sys::identity(fd).is_ok_and(|identity| {
            let listeners = listeners();
            listeners.iter().any(|known| known.identity == identity)
        })
}

/// Writes the address of the kernel as that of a message's sender.
///
/// # Safety
/// Both are null, or may be written: the length of the first, in bytes, is in the second.
pub(crate) unsafe fn write_sender(address: *mut c_void, length: *mut libc::socklen_t) {
    // SAFETY: as the caller says; the structure is plain numbers.
    unsafe {
        let mut sender: libc::sockaddr_nl = std::mem::zeroed();
        sender.nl_family = libc::AF_NETLINK as u16;
        sender.nl_groups = 1;
        if !address.is_null() && !length.is_null() {
            let room = (*length as usize).min(size_of::<libc::sockaddr_nl>());
            address
                .cast::<u8>()
                .copy_from_nonoverlapping((&raw const sender).cast(), room);
            *length = size_of::<libc::sockaddr_nl>() as libc::socklen_t;
        }
    }
}

/// The thread: sends a message whenever the monitor is plugged in or unplugged.
fn watch(device: &Device, mut plugged: bool) {
    for number in 1_u64.. {
        while device.display_is_plugged() == plugged {
            std::thread::sleep(INTERVAL);
        }
        plugged = !plugged;
        let path = "/devices/pci0000:00/0000:00:02.0/drm/card0";
        let message = format!(
            "change@{path}\0ACTION=change\0DEVPATH={path}\0SUBSYSTEM=drm\0HOTPLUG=1\0\
             CONNECTOR={}\0DEVNAME=dri/card0\0DEVTYPE=drm_minor\0SEQNUM={number}\0\
             MAJOR={}\0MINOR=0\0",
            display::CONNECTOR,
            drm::MAJOR
        );
        // A socket that is full loses the message, one that is closed is forgotten.
        listeners().retain(|listener| {
            let sent = listener.sender.send(message.as_bytes());
            sent.map_or_else(
                |error| error.kind() == std::io::ErrorKind::WouldBlock,
                |_| true,
            )
        });
    }
}
