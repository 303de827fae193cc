//! Batch words and memory to memory: the simulated GPU.
//!
//! In:  a batch in an [`AddressSpace`], and a context's state. Out: memory changed as the batch says, and a [`Report`].
//! Files follow the PRM's units: the command streamer ([`cs`]), the GPGPU pipeline ([`gpgpu`]), the 3D pipeline
//! ([`draw`]), the data port ([`dataport`]), the sampling engine ([`sampler`]).
//! What strict mode demands of batches is in one table, [`RULES`]; what is not simulated in another, [`GAPS`].
//! Ref: SKL PRM vol. 2a (commands), vol. 7 (GPGPU, data port).

mod base;
mod bindings;
mod budget;
mod context;
mod controls;
mod cs;
mod dataport;
mod draw;
pub mod fate;
mod gaps;
mod gpgpu;
mod hiz;
mod kernels;
mod latched;
mod memory;
mod options;
mod pool;
pub mod profile;
mod rules;
mod sampler;
mod space;
mod strict;
mod surface;
mod targets;
mod trace;
mod watch;

pub use context::HwContext;
pub use controls::{Controlled, Purpose};
pub use cs::{Gpu, Report};
pub use eu::Stop;
pub use gaps::{GAPS, Gap};
pub use memory::View;
pub use options::Options;
pub use pool::Pool;
pub use rules::{RULES, Rule};
pub use space::{AddressSpace, Backing, MapError};
pub use targets::{Picture, TargetSink};
pub use trace::Trace;

#[cfg(test)]
mod strict_tests;
#[cfg(test)]
mod tests;
