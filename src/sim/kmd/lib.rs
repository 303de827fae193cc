//! A simulated i915: the kernel driver between the ioctls of a process and the GPU.
//!
//! In:  ioctls, as calls of [`uapi::Kernel`] on an open [`File`].
//! Out: buffers in memory files, contexts and address spaces, batches executed by a thread of the
//!      [`Device`], fences signalled when they complete, and the errors that the real kernel
//!      returns.
//! Ref: drm.h, i915_drm.h (libdrm).

mod buffer;
mod context;
mod context_ioctls;
mod device;
pub mod display;
mod display_ioctls;
mod dma_buf;
mod dma_buf_locks;
mod dump;
mod engine;
mod exec;
mod fence;
mod file;
mod gem;
mod gpu_model;
mod handle_table;
mod job;
mod kernel;
mod options;
mod profile;
mod query;
mod record;
mod refresh_ioctls;
pub mod refreshes;
mod scanout;
mod syncobj;
mod syncobj_ioctls;
mod targets;
#[cfg(test)]
mod testing;
mod vm;
mod worker;

pub use device::Device;
pub use file::{File, open};
pub use gpu::StopReason;
pub use gpu_model::{KmdError, find};
pub use options::{LogSink, OPTION_NAMES, OptionError, Options, StopSink, StoppedBatch};
pub use profile::Profile;
pub use query::DESCRIPTION;
pub use record::{Recording, RecordingError, Submission};
