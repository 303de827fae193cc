//! The FS backend: NIR to LIR to EU bytes.
//!
//! In:  a shader after the NIR pipeline (crate `opt` says what holds then), a device, the pipeline layout.
//! Out: machine code in one SIMD width or more ([`abi::ShaderBinary`]).
//!
//! For each width: select instructions ([`isel`]), optimise, schedule, allocate registers (spilling to scratch until it
//! fits), schedule again, encode. The widths to make, and the one to prefer, are chosen by an estimate of cycles per lane.
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
#[cfg(test)]
mod pushed_tests;
#[cfg(test)]
mod text_tests;
#[cfg(test)]
mod unit_tests;
#[cfg(test)]
mod value_tests;

pub use compile::{compile, supports};
pub use error::FsError;
pub use options::Options;
