//! Register allocation and spilling.
//!
//! In:  LIR over VGRFs. Out: the GRFs of each VGRF.

pub(crate) mod regalloc;
pub(crate) mod spill;
pub(crate) mod spill_gaps;
pub(crate) mod split_vgrfs;
