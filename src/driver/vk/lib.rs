//! Vulkan objects, limits, recording and pipelines.
//!
//! In:  plain structures and slices, from `icd`. Out: calls of `i915`, `cmd`, `blit` and `compile`.
//!
//! Safe Rust throughout; only the plain types of `ash` are used. What is not supported is not
//! reported, and requesting it is an [`Error`].
//! Ref: Vulkan specification 1.3 and the extensions listed in [`extension`].

pub mod application_cache;
pub mod buffer;
pub mod buffer_view;
pub mod cache;
mod cache_entry;
mod cache_item;
mod cached;
pub mod clock;
mod code;
pub mod command;
mod compiler;
pub mod context;
pub mod descriptor;
pub mod device;
pub mod diagnosis;
pub mod disk_cache;
mod error;
pub mod executable;
pub mod extension;
pub mod feature;
pub mod format;
pub mod graphics;
mod heap_states;
pub mod image;
pub mod image_limits;
mod indirect_region;
pub mod instance;

pub mod limits;
pub mod memory;
mod meta_pipelines;
pub mod modifier;
mod newer_types;
pub mod physical;
pub mod pipeline;
pub mod pipeline_binary;
mod pipeline_key;
pub mod planar;
pub mod query;
pub mod queue;
pub mod sampler;
pub mod shader;
mod surface_state;
pub mod sync;
mod uploaded_code;

pub use context::Context;
pub use device::Device;
pub use diagnosis::Diagnosis;
pub use error::{Error, Result};
pub use instance::Instance;
pub use physical::PhysicalDevice;
