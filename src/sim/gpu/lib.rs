//! Batch words and memory to memory: the simulated GPU.
//!
//! In:  a batch in an [`AddressSpace`], and a context's state. Out: memory changed as the batch says, and a [`Report`].
//! Files follow the PRM's units: the command streamer ([`cs`]), the GPGPU pipeline ([`gpgpu`]), the data port ([`dataport`]).
//! Ref: SKL PRM vol. 2a (commands), vol. 7 (GPGPU, data port).

mod context;
mod cs;
mod dataport;
mod gpgpu;
mod memory;
mod surface;

pub use context::HwContext;
pub use cs::{Gpu, Options, Report};
pub use eu::Stop;
pub use memory::{AddressSpace, Backing, MapError, View};

#[cfg(test)]
mod tests;
