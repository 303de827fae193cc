//! From LIR to machine code: lowering of payloads and regions, scheduling, encoding.
//!
//! In:  LIR. Out: EU instructions.

pub(crate) mod encode;
pub(crate) mod lower_collect;
pub(crate) mod lower_errata;
pub(crate) mod lower_mrf_payloads;
pub(crate) mod lower_wide_regions;
pub(crate) mod payload_moves;
pub(crate) mod schedule;
