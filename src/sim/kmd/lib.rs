//! A simulated i915: what the kernel does between a driver's ioctls and the GPU.
//!
//! In:  ioctls, as calls of [`uapi::Kernel`] on an open [`File`].
//! Out: buffers in memory files, contexts and address spaces, batches run by a thread of the [`Device`], fences signalled when
//!      they are done, and the errors that the real kernel gives.
//! Ref: drm.h, i915_drm.h (libdrm).

mod buffer;
mod context;
mod contexts;
mod device;
mod dump;
mod engine;
mod exec;
mod fence;
mod file;
mod gem;
mod job;
mod kernel;
mod options;
mod others;
mod profile;
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
pub use gpu::Stop;
pub use options::{OPTION_NAMES, OptionError, Options, Sink, StopSink, Stopped};
pub use profile::Profile;
pub use record::{Recording, RecordingError, Submission};

/// What can go wrong before there is a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KmdError {
    /// No such GPU.
    #[error("no simulated GPU is called {name:?}; there are {}", modelled())]
    UnknownGpu {
        /// What was asked for.
        name: String,
    },
    /// Of a generation whose commands nobody has told the simulator: it would misread them.
    #[error(
        "{name} ({code_name}) is known, but the commands of its generation are not simulated yet; there are {}",
        modelled()
    )]
    NotModelled {
        /// What was asked for.
        name: &'static str,
        /// What it is.
        code_name: &'static str,
    },
}

/// Names of the GPUs that are simulated, for people.
fn modelled() -> String {
    let names = hw::DEVICES.iter().filter(|device| device.is_modelled());
    names
        .map(|device| device.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The GPU of this name, if it is simulated.
pub fn find(gpu: &str) -> Result<&'static hw::Device, KmdError> {
    let hw = hw::Device::by_name(gpu).ok_or_else(|| KmdError::UnknownGpu {
        name: gpu.to_owned(),
    })?;
    match hw.is_modelled() {
        true => Ok(hw),
        false => Err(KmdError::NotModelled {
            name: hw.name,
            code_name: hw.code_name,
        }),
    }
}

/// A simulated GPU of its own, opened once: for programs that use it in process.
pub fn open(gpu: &str, options: Options) -> Result<Arc<dyn uapi::Kernel>, KmdError> {
    let file: Arc<dyn uapi::Kernel> = Device::new(gpu, options)?.open();
    Ok(file)
}
