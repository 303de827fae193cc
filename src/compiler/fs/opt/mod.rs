//! Optimisations of LIR before register allocation.
//!
//! One pass a file; `compile` has their order. Tests: tests/fs/opt_*/.

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
pub(crate) mod in_place;
pub(crate) mod keeps;
pub(crate) mod pack;
pub(crate) mod predicate;
pub(crate) mod select;
