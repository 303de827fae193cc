//! A simulated i915: what the kernel does between a driver's ioctls and the GPU.
//!
//! In:  ioctls, as calls of [`uapi::Kernel`] on an open [`File`].
//! Out: buffers in memory files, contexts and address spaces, batches run by a thread of the [`Device`], fences signalled when
//!      they are done, and the errors that the real kernel gives.
//! Ref: include/drm.h, include/i915_drm.h.

mod buffer;
mod context;
mod device;
mod dump;
mod engine;
mod exec;
mod fence;
mod file;
mod gem;
mod options;
mod query;
mod record;
mod space;
mod sync;
mod syncobj;
mod table;
mod targets;
#[cfg(test)]
mod testing;
mod worker;

use std::sync::Arc;

pub use device::Device;
pub use file::File;
pub use options::{OPTION_NAMES, Options, Sink};
pub use record::{Recording, RecordingError, Submission};
pub use targets::write_picture;

/// What can go wrong before there is a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KmdError {
    /// No such GPU.
    #[error("no simulated GPU is called {name:?}")]
    UnknownGpu {
        /// What was asked for.
        name: String,
    },
}

/// A simulated GPU of its own, opened once: for programs that use it in process.
pub fn open(gpu: &str, options: Options) -> Result<Arc<dyn uapi::Kernel>, KmdError> {
    let file: Arc<dyn uapi::Kernel> = Device::new(gpu, options)?.open();
    Ok(file)
}
