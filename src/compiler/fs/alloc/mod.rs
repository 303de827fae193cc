//! Register allocation and spilling.

pub(crate) mod regalloc;
pub(crate) mod spill;
pub(crate) mod spill_gaps;
pub(crate) mod split_vgrfs;
