//! The FS backend: compiles NIR of all stages to EU machine code.
//!
//! In:  a shader after the NIR pipeline (crate `opt` documents its invariants), a device, options
//!      with the pipeline layout.
//! Out: machine code for one or more SIMD widths ([`abi::ShaderBinary`]).
//!
//! For each width: instruction selection ([`isel`]), optimisation ([`opt`]), scheduling, register
//! allocation with spilling ([`alloc`]), scheduling again, and encoding ([`emit`]). The widths, and
//! the preferred one, are chosen by estimated cycles.
//! Ref: SKL PRM vol. 7. Tests: tests/fs/, tests/fs_exec/.

mod alloc;
mod compile;
mod divergence;
mod emit;
mod error;
mod isel;
mod lir;
mod opt;
mod options;

pub use compile::{compile, supports};
pub use error::FsError;
pub use options::Options;
