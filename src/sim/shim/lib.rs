//! The LD_PRELOAD library of the simulated i915: a process that loads it sees a render node with a
//! GPU behind it.
//!
//! In:  `INGOT_GPU` (a name of `hw::DEVICES`) and `INGOT_SIM` (options of `kmd`), read once, and
//!      the libc calls of a process.
//! Out: files under /dev/dri and in sysfs, in a private folder to which paths are redirected;
//!      device descriptors, whose ioctls and mappings [`kmd`] implements. All other calls go to the
//!      kernel unchanged.
//!
//! A device descriptor is the read end of a pipe: its duplicates share its identity, however they
//! were made, and the write end tells when the last one is closed, so that no function that
//! duplicates descriptors has to be interposed. In another process with a simulated GPU, to which
//! display servers send it, it is a device descriptor, too. Dma-bufs are memory files and so the
//! same pages in every process; batches of different processes on them are synchronised
//! (`kmd::dma_buf_locks`).
//!
//! Programs that know of the simulator use the C interface instead: include/ingot_sim.h, [`embed`].
//!
//! A process that ends by exit, _exit, quick_exit or a return from main first waits for its
//! submitted batches, which a real GPU would complete, too: so recordings, profiles and reports are
//! complete.
//!
//! Limits: system calls that bypass libc's functions are not intercepted. A process that a signal
//! ends, or that executes another program, does not wait for its batches. A forked child shares its
//! parent's buffers, but has a copy of the rest of the device.
#![allow(unsafe_code, reason = "one of the rooms for it: STYLE.md, section 9")]

/// A system call. Every argument is widened to a whole register: with a C `int`, the upper half
/// would be undefined, and the kernel reads it.
macro_rules! system_call {
    ($number:expr $(, $argument:expr)* $(,)?) => {
        libc::syscall($number $(, ($argument) as libc::c_long)*)
    };
}

mod call;
pub mod embed;
mod entry;
mod files;
mod ioctl;
mod mmap;
mod mode_ioctl;
mod nodes;
mod permissions;
mod start;
mod sysfs_tree;
#[cfg(test)]
mod testing;
mod uevents;
mod user_memory;
