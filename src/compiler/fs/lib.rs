//! The FS backend: NIR to LIR to EU bytes.
//!
//! In:  a shader after the NIR pipeline (crate `opt` says what holds then), a device, the pipeline layout.
//! Out: machine code in one SIMD width or more ([`abi::ShaderBinary`]).
//!
//! For each width: select instructions ([`isel`]), optimise, schedule, allocate registers (spilling to scratch until it
//! fits), schedule again, encode. The widths to make, and the one to prefer, are chosen by an estimate of cycles per lane.
//! Ref: SKL PRM vol. 7. Tests: tests/fs/, tests/fs_exec/.

mod builder;
mod compile;
mod encode;
mod error;
mod isel;
mod keeps;
mod lir;
mod live;
mod lower_collect;
mod lower_wide_regions;
mod message;
mod message_registers;
mod opt_cmod;
mod opt_coalesce;
mod opt_coalesce_phis;
mod opt_constants;
mod opt_control;
mod opt_copy;
mod opt_cse;
mod opt_dce;
mod opt_else;
mod opt_flags;
mod opt_in_place;
mod opt_pack;
mod opt_predicate;
mod opt_select;
mod options;
mod payload_moves;
mod print;
#[cfg(test)]
mod pushed_tests;
mod regalloc;
mod schedule;
mod spill;
mod spill_gaps;
mod split_vgrfs;
#[cfg(test)]
mod text_tests;
mod uniform;
#[cfg(test)]
mod unit_tests;
mod validate;
#[cfg(test)]
mod value_tests;

pub use compile::{compile, supports};
pub use error::FsError;
pub use options::Options;
