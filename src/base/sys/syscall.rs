//! System calls that bypass libc's wrappers, and errors of system calls as [`Errno`].

use uapi::{Errno, Result};

/// Makes a system call. Every argument is widened to a register: of an argument that C would pass
/// as an `int` the upper half of the register would be undefined, and the kernel reads all of it.
macro_rules! system_call {
    ($number:expr $(, $argument:expr)* $(,)?) => {
        libc::syscall($number $(, ($argument) as libc::c_long)*)
    };
}
pub(crate) use system_call;

/// Converts an error of nix.
pub(crate) fn from_nix(error: nix::errno::Errno) -> Errno {
    Errno(error as i32)
}

/// The error of the last failed call in this thread.
pub(crate) fn last_error() -> Errno {
    Errno(
        std::io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(Errno::EIO.0),
    )
}

/// Turns a negative result of a system call into the error that it stands for.
pub(crate) fn check_result(value: libc::c_long) -> Result<libc::c_long> {
    if value < 0 {
        Err(last_error())
    } else {
        Ok(value)
    }
}
