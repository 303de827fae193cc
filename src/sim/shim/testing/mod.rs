//! Fixtures: a simulation in the test process, whose libc functions, also those that the standard
//! library calls, are interposed.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Once;

use bytemuck::Pod;
use uapi::{Errno, Result};

/// Opens the render node.
pub(crate) fn open() -> OwnedFd {
    static START: Once = Once::new();
    START.call_once(|| crate::start::simulate("skl", "hang=1").unwrap());
    sys::open_node(Path::new("/dev/dri/renderD128")).unwrap()
}

/// Calls libc's ioctl with any request code and any address as its argument.
pub(crate) fn raw(fd: &OwnedFd, request: u32, address: u64) -> Result<()> {
    // SAFETY: the interposed function checks the address.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), request.into(), address) };
    match result {
        -1 => Err(Errno(
            std::io::Error::last_os_error().raw_os_error().unwrap(),
        )),
        _ => Ok(()),
    }
}

/// Calls an ioctl and returns its argument.
pub(crate) fn call<T: Pod>(fd: &OwnedFd, request: u32, mut argument: T) -> Result<T> {
    raw(fd, request, &raw mut argument as u64).map(|()| argument)
}
