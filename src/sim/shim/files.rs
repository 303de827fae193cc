//! Paths and file descriptors of the simulated device: redirection to the tree, and patched results
//! of stat.
//!
//! In:  paths and descriptors of the program. Out: results of system calls. System calls are made
//!      directly, since the libc functions of these names are interposed and call this module.

use std::ffi::{CStr, CString, c_int, c_long};
use std::os::fd::RawFd;

use sys::FileIdentity;
use uapi::{Errno, drm};

use crate::start::{Simulation, simulation};
use crate::sysfs_tree;

/// Result of a system call: a number or an errno.
pub(crate) type SysResult = Result<c_long, Errno>;

/// Converts the result of `libc::syscall`.
pub(crate) fn syscall_result(value: c_long) -> SysResult {
    if value < 0 {
        Err(Errno(
            std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO),
        ))
    } else {
        Ok(value)
    }
}

/// Redirects a path of the device to the tree; None for other paths.
pub(crate) fn redirect(path: &CStr) -> Option<CString> {
    let simulation = simulation()?;
    let bytes = path.to_bytes();
    if bytes.first() != Some(&b'/') {
        return None;
    }
    let below = |prefix: &&str| {
        bytes
            .strip_prefix(prefix.as_bytes())
            .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    };
    sysfs_tree::PREFIXES.iter().find(|prefix| below(prefix))?;
    CString::new([&simulation.root, bytes].concat()).ok()
}

/// Converts a path in the tree back to the path that the program uses; None for other paths.
pub(crate) fn unredirect(path: &[u8]) -> Option<&[u8]> {
    path.strip_prefix(simulation()?.root.as_slice())
        .filter(|rest| rest.first() == Some(&b'/'))
}

/// Minor number of the device node that a file of the tree stands in for.
fn stand_in(simulation: &Simulation, identity: FileIdentity) -> Option<u32> {
    simulation
        .stand_ins
        .iter()
        .find(|(known, _)| *known == identity)
        .map(|(_, minor)| *minor)
}

/// True if a relative path could name a device node. Other paths are not checked further, since
/// programs open many files.
fn names_node(path: &CStr) -> bool {
    let last = path
        .to_bytes()
        .rsplit(|&byte| byte == b'/')
        .next()
        .unwrap_or_default();
    sysfs_tree::NODES
        .iter()
        .any(|(name, _)| name.as_bytes() == last)
        || last.starts_with(b"pci-")
}

/// `openat`; opens a device for a path of a device node.
pub(crate) fn open(folder: c_int, path: &CStr, flags: c_int, mode: libc::mode_t) -> SysResult {
    let ours = redirect(path);
    let target = ours.as_deref().unwrap_or(path);
    // SAFETY: a path that ends in a zero, and plain numbers.
    let fd = syscall_result(unsafe {
        system_call!(libc::SYS_openat, folder, target.as_ptr(), flags, mode)
    })?;
    let Some(simulation) = simulation() else {
        return Ok(fd);
    };
    if (ours.is_none() && (path.to_bytes().first() == Some(&b'/') || !names_node(path)))
        || flags & libc::O_PATH != 0
    {
        return Ok(fd);
    }
    let minor = sys::identity(fd as RawFd)
        .ok()
        .and_then(|identity| stand_in(simulation, identity));
    let Some(minor) = minor else {
        return Ok(fd);
    };
    close_own(fd as RawFd);
    let node = simulation.nodes.open(
        &simulation.device,
        &simulation.root,
        minor,
        flags & libc::O_CLOEXEC != 0,
    )?;
    Ok(node.into())
}

fn close_own(fd: RawFd) {
    // SAFETY: the number is of a descriptor that this crate has just opened.
    unsafe { system_call!(libc::SYS_close, fd) };
}

/// `close` of any descriptor of the program.
pub(crate) fn close_any(fd: c_int) -> SysResult {
    let simulation = simulation();
    let is_node = simulation.is_some_and(|simulation| simulation.nodes.find(fd).is_some());
    // SAFETY: the program's own call.
    let closed = syscall_result(unsafe { system_call!(libc::SYS_close, fd) });
    if let Some(simulation) = simulation.filter(|_| is_node) {
        simulation.nodes.reap();
    }
    closed
}

/// The minor number if the file that `stat` has described is a device node or descriptor of the
/// device.
fn device_of(fd: Option<RawFd>, mode: libc::mode_t, device: u64, inode: u64) -> Option<u32> {
    let simulation = simulation()?;
    if let Some(minor) = stand_in(simulation, FileIdentity::new(device, inode)) {
        return Some(minor);
    }
    if mode & libc::S_IFMT != libc::S_IFIFO {
        return None;
    }
    simulation.node(fd?).map(|(_, minor)| minor)
}

/// Changes the result of `stat` for a stand-in file or a descriptor to that for a device node.
pub(crate) fn patch_stat(fd: Option<RawFd>, stat: &mut libc::stat) {
    if let Some(minor) = device_of(fd, stat.st_mode, stat.st_dev, stat.st_ino) {
        stat.st_mode = libc::S_IFCHR | 0o666;
        stat.st_rdev = libc::makedev(drm::MAJOR, minor);
        stat.st_size = 0;
    }
}

/// [`patch_stat`] for `statx`.
pub(crate) fn patch_statx(fd: Option<RawFd>, stat: &mut libc::statx) {
    let device = libc::makedev(stat.stx_dev_major, stat.stx_dev_minor);
    if let Some(minor) = device_of(fd, stat.stx_mode.into(), device, stat.stx_ino) {
        stat.stx_mode = (libc::S_IFCHR | 0o666) as u16;
        stat.stx_rdev_major = drm::MAJOR;
        stat.stx_rdev_minor = minor;
        stat.stx_size = 0;
    }
}

#[cfg(test)]
mod tests;
