//! This process as one with a GPU: the libc functions that tests call, and that the standard library calls, are ours.

mod files;
mod fuzz;
mod ioctls;

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Once;

use bytemuck::Pod;
use uapi::{Errno, Result};

/// The render node, opened.
fn open() -> OwnedFd {
    static START: Once = Once::new();
    START.call_once(|| crate::start::simulate("skl", "hang=1").unwrap());
    sys::open_node(Path::new("/dev/dri/renderD128")).unwrap()
}

/// libc's ioctl, with any code, and any address for an argument.
fn raw(fd: &OwnedFd, request: u32, address: u64) -> Result<()> {
    // SAFETY: ours, which checks the address.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), request.into(), address) };
    match result {
        -1 => Err(Errno(
            std::io::Error::last_os_error().raw_os_error().unwrap(),
        )),
        _ => Ok(()),
    }
}

/// An ioctl with its argument.
fn call<T: Pod>(fd: &OwnedFd, request: u32, mut argument: T) -> Result<T> {
    raw(fd, request, &raw mut argument as u64).map(|()| argument)
}
