//! Safe functions over `ash`: the only module of the crate with unsafe code.
//!
//! Every object belongs to a [`Context`] (instance and device) and is destroyed before or with it.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where it is called"
)]

mod commands;
mod context;
mod error;
mod graphics;
mod resources;

pub use commands::{ClearValues, DrawCall, Recorder};
pub use context::{Context, EntryPoint, LoadedDrivers};
pub use error::VulkanError;
pub use graphics::Graphics;
pub use resources::Resources;
