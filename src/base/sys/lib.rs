//! The edge to the operating system: system calls and shared memory as safe functions.
//!
//! In:  descriptors, addresses, lengths.
//! Out: [`Mapping`] (shared memory), [`ioctl`], [`memfd`], pipes, device nodes, refreshes of
//!      displays, clocks, memory of this process by address.
//! Tests: `tests.rs`.
//!
//! The simulator's preload library interposes functions of libc (mmap, stat and others) and is
//! built on this crate. Functions here that need one of those make the system call themselves, so
//! that they never reach the interposed function. Exceptions are [`ioctl`],
//! [`Mapping::map_device`], mappings at a chosen address, [`UeventSocket`], and the functions on
//! device nodes, which must see the device that the preload library presents. Everything else goes
//! through nix.
#![allow(
    unsafe_code,
    reason = "one of the crates that may: STYLE.md, section 9"
)]

mod file;
mod folder;
mod forced_unwinding;
mod mapping;
mod node;
mod process;
mod refresh;
mod syscall;
mod uevent;

pub use file::{
    FileIdentity, FileLock, Pipe, clear_cloexec, clear_event, data_ranges, dup_high, event,
    file_len_bytes, identity, ioctl, ioctl_fd, memfd, name_of, poll_readable,
    raise_descriptor_limit, reopen, signal_event, wait_any_readable, wait_readable,
};
pub use folder::private_folder;
pub use mapping::{Mapping, MappingSlice, PAGE_BYTES, Place, PrefetchBase};
pub use node::{
    HiddenNode, Node, PciId, device_numbers, device_of, group_name, open_node, render_nodes,
};
pub use process::{
    block_signals, build_id, file_size_limit_bytes, free, has_elevated_privileges, memory_bytes,
    monotonic_ns, monotonic_raw_ns, monotonic_time, pin_to_current_cpu, prevent_unload,
    process_cpu_ns, process_id, read_process, reset_sigpipe, uncached_process_id,
    with_signals_blocked, write_process,
};
pub use refresh::{last_refresh, refresh_event_data, request_refresh_event};
pub use uapi::{Errno, Result};
pub use uevent::{UeventSocket, is_hotplug};

#[cfg(test)]
mod tests;
