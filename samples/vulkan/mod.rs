//! The only room of the samples that calls Vulkan: safe functions over `ash`.
//!
//! Everything that is made belongs to a [`Gpu`] and lives as long as it does, so handles are plain values that can be copied.
//! [`Gpu::run`] records, submits and waits, so nothing is in flight while the host reads or makes things. What Vulkan calls
//! valid usage beyond lifetimes (formats that fit, counts that match) is the caller's: the validation layer tells.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where it is called"
)]

mod captured;
mod counted;
mod descriptor;
mod format;
mod gpu;
mod memory;
mod part;
mod pipeline;
mod query;
mod recorder;
mod transfer;

pub use ash::vk;
pub use descriptor::{Bound, Set};
pub use format::texel_bytes;
pub use gpu::{Extension, Feature, Gpu, Wants, extension, feature};
pub use memory::{Buffer, Image, ImageInfo, Use, ViewInfo};
pub use part::PartOf;
pub use pipeline::{
    Blend, GraphicsInfo, More, Pipeline, Rate, RenderPassInfo, Stream, SubpassInfo,
};
pub use query::{Asks, Queries};
pub use recorder::{Depth, Load, Recorder, State, Target, Targets};

use std::path::PathBuf;

/// Where Vulkan's functions come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The Vulkan loader, which finds drivers as it does for every application.
    Loader,
    /// A driver's library, with no loader between.
    Driver(PathBuf),
    /// A driver inside this process.
    Function(vk::PFN_vkGetInstanceProcAddr),
}

/// Why there is no picture; one line.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A call returned an error.
    #[error("{call} failed: {result:?}")]
    Call {
        /// Name of the function.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// No Vulkan library, or no driver.
    #[error("cannot load Vulkan: {0}")]
    Load(String),
    /// The device lacks what is wanted.
    #[error("{0}")]
    Unsupported(String),
    /// A shader does not compile.
    #[error("{0}")]
    Shader(String),
}

/// Names the call in an error.
fn check<T>(call: &'static str, result: Result<T, vk::Result>) -> Result<T, Error> {
    result.map_err(|result| Error::Call { call, result })
}

/// The driver's functions. Its library stays loaded until the process ends: drivers start threads that outlive instances.
fn load(source: &Source) -> Result<ash::Entry, Error> {
    let get = match source {
        // SAFETY: a Vulkan loader's initialisers are trusted as those of any library linked in.
        Source::Loader => {
            return unsafe { ash::Entry::load() }.map_err(|e| Error::Load(e.to_string()));
        }
        Source::Driver(path) => {
            let named = |e: libloading::Error| Error::Load(format!("{}: {e}", path.display()));
            // SAFETY: as above; the caller names a Vulkan driver.
            let library = unsafe { libloading::Library::new(path) }.map_err(named)?;
            // SAFETY: the driver interface gives this symbol this type.
            let get = unsafe {
                library.get::<vk::PFN_vkGetInstanceProcAddr>(b"vk_icdGetInstanceProcAddr\0")
            };
            let get = *get.map_err(named)?;
            std::mem::forget(library);
            get
        }
        Source::Function(get) => *get,
    };
    // SAFETY: the function is a driver's vk_icdGetInstanceProcAddr, valid for the rest of the process.
    Ok(unsafe {
        ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: get,
        })
    })
}
