//! The edge to the operating system: what is unsafe to ask of it, as safe functions.
//!
//! In:  descriptors, addresses, lengths.
//! Out: [`Mapping`] (shared memory), [`ioctl`], [`memfd`], pipes, device nodes, the clock, memory of this process by address.
//!
//! What the simulator's preload library interposes (mmap, stat and the like) reaches the kernel itself, never a libc function of the same
//! name: that library is built on this crate. [`ioctl`] alone goes where the process's ioctls go. The rest is nix's.
#![allow(unsafe_code, reason = "one of the rooms for it: STYLE.md, section 9")]

/// A system call. Every argument takes a whole register: what C would pass as an `int` leaves the upper half to chance, and the
/// kernel looks at it.
macro_rules! system_call {
    ($number:expr $(, $argument:expr)* $(,)?) => {
        libc::syscall($number $(, ($argument) as libc::c_long)*)
    };
}

mod file;
mod folder;
mod mapping;
mod node;
mod process;

pub use file::{
    Identity, Lock, Pipe, data_ranges, dup_high, identity, ioctl, ioctl_fd, keep_over_exec, memfd,
    memfd_bytes, name_of, poll_readable, raise_descriptor_limit, reopen, wait_any_readable,
    wait_readable,
};
pub use folder::private_folder;
pub use mapping::{Ahead, Mapping, PAGE_BYTES, Window};
pub use node::{Node, device_numbers, open_node, render_nodes};
pub use process::{
    asked_process_id, block_signals, build_id, end_with_the_pipe, free, memory_bytes, monotonic_ns,
    monotonic_raw_ns, process_cpu_ns, process_id, read_process, stay_loaded, stay_on_this_cpu,
    write_process,
};
pub use uapi::{Errno, Result};

/// A reason as our interfaces have it.
fn said(error: nix::errno::Errno) -> Errno {
    Errno(error as i32)
}

/// The reason of the last failure in this thread.
fn last_error() -> Errno {
    Errno(
        std::io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(Errno::EIO.0),
    )
}

fn check(value: libc::c_long) -> Result<libc::c_long> {
    if value < 0 {
        Err(last_error())
    } else {
        Ok(value)
    }
}

#[cfg(test)]
mod tests;
