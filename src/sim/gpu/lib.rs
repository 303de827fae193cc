//! The simulated GPU: executes batches on memory.
//!
//! In:  a batch in an [`AddressSpace`], and a context's state. Out: memory changed as the batch
//!      says, and a [`BatchReport`]. Files follow the PRM's units: the command streamer ([`cs`]),
//!      the GPGPU pipeline ([`gpgpu`]), the 3D pipeline ([`draw`]), the data port ([`dataport`]),
//!      the sampling engine ([`sampler`]). What strict mode demands of batches is in one table,
//!      [`RULES`]; what is not simulated in another, [`GAPS`].
//! Ref: SKL PRM vol. 2a (commands), vol. 7 (GPGPU, data port).

mod base_addresses;
mod bindings;
mod budget;
mod context;
mod cs;
mod dataport;
mod draw;
mod draw_state;
pub mod fate;
mod gaps;
mod gpgpu;
mod kernel_cache;
mod memory;
mod observer;
mod options;
mod pipe_control_stats;
pub mod profile;
mod resolve_tracking;
mod rules;
mod sampler;
mod space;
mod strict;
mod surface;
mod target_images;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod thread_pool;
mod trace;

pub use budget::InstructionLimits;
pub use context::HwContext;
pub use cs::streamer::{BatchReport, Gpu};
pub use eu::StopReason;
pub use gaps::{GAPS, Gap};
pub use memory::AddressSpaceView;
pub use options::Options;
pub use pipe_control_stats::{ExecutedPipeControl, Purpose};
pub use rules::{BatchRule, RULES};
pub use space::{AddressSpace, Backing, MapError};
pub use surface::scanout::CompressedPlane;
pub use target_images::{TargetImage, TargetSink};
pub use thread_pool::Pool;
pub use trace::Trace;
