//! The LD_PRELOAD face of the simulated i915: a process that loads this library sees a render node with a GPU behind it.
//!
//! In:  `INGOT_GPU` (a name of `hw::DEVICES`) and `INGOT_SIM` (options of `kmd`), read once, and the libc calls of a process.
//! Out: files under /dev/dri and in sysfs, as a small tree in a temporary folder to which paths are redirected; device
//!      descriptors, whose ioctls and mappings [`kmd`] answers. Everything else goes to the kernel as it came.
//!
//! A device descriptor is the reading end of a pipe: it has an identity that duplicates share, whoever made them and however,
//! and its writing end tells when the last of them is closed. So nothing that duplicates descriptors is interposed. Sent to another
//! process with such a GPU, as display servers do, it is a device descriptor there, too; and dma-bufs, which are files in memory,
//! are the same pages everywhere, with each process's batches waited for by the others' (`kmd::others`).
//!
//! Programs that know of the simulator ask for a device by the C interface instead: include/ingot_sim.h, [`embed`].
//!
//! A process that ends, by exit, _exit, quick_exit or from main, waits for the batches that it has submitted, which a machine runs
//! too: their recording, profile and findings are whole.
//!
//! Limits: calls that do not go through libc's functions are not seen; a process that a signal ends, or that executes another
//! program, does not wait. A forked child shares the buffers of its parent, but has
//! the rest of the device for itself, as of the fork.
#![allow(unsafe_code, reason = "one of the rooms for it: STYLE.md, section 9")]

/// A system call. Every argument takes a whole register: what C would pass as an `int` leaves the upper half to chance, and the
/// kernel looks at it.
macro_rules! system_call {
    ($number:expr $(, $argument:expr)* $(,)?) => {
        libc::syscall($number $(, ($argument) as libc::c_long)*)
    };
}

pub mod embed;
mod entry;
mod files;
mod ioctl;
mod map;
mod nodes;
mod start;
#[cfg(test)]
mod testing;
mod tree;
mod user;
