//! The only module of the samples that calls Vulkan: safe functions over `ash`.
//!
//! Every object belongs to a [`Gpu`] and lives as long as it does, so handles are plain values that
//! can be copied. [`Gpu::run`] records, submits and waits, so nothing is in flight while the host
//! reads memory or creates objects. The caller is responsible for valid usage beyond lifetimes
//! (compatible formats, matching counts): the validation layer reports errors.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where it is called"
)]

mod descriptor;
mod entry;
mod error;
mod extension_functions;
mod features;
mod format;
mod gpu;
mod memory;
mod multi_draw;
mod pipeline;
mod query;
mod recorder;
mod sample_locations;
mod secondary;
mod transfer;
mod transform_feedback;

pub use ash::vk;
pub use descriptor::{Bound, Set};
pub use entry::Source;
pub use error::Error;
pub use features::{Extension, Feature, Wants, extension, feature};
pub use format::texel_bytes;
pub use gpu::Gpu;
pub use memory::{Buffer, Image, ImageInfo, Use, ViewInfo};
pub use pipeline::{
    Blend, GraphicsInfo, More, Pipeline, Rate, RenderPassInfo, Stream, SubpassInfo,
};
pub use query::{Asks, Queries};
pub use recorder::{Depth, Load, Recorder, State, Target, Targets};
pub use secondary::PartOf;
