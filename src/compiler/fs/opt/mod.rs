//! Optimisation passes over LIR, before register allocation.
//!
//! In:  LIR. Out: LIR; a pass returns true if it changed the program. The pipeline in `compile` has
//!      their order.
//! Tests: tests/fs/lir/opt_*/, tests/fs/opt_*/.

pub(crate) mod cmod;
pub(crate) mod coalesce;
pub(crate) mod coalesce_phis;
pub(crate) mod constants;
pub(crate) mod control;
pub(crate) mod copy;
pub(crate) mod cse;
pub(crate) mod dce;
pub(crate) mod else_removal;
pub(crate) mod flags;
pub(crate) mod halves;
pub(crate) mod in_place;
pub(crate) mod invert;
pub(crate) mod lane_cfg;
pub(crate) mod pack;
pub(crate) mod predicate;
mod pressure;
mod register_sets;
mod register_writes;
pub(crate) mod select;
