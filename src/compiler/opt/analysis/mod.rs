//! Analyses that several passes use. They do not change the shader.

pub(crate) mod dynamic_index;
pub(crate) mod fast_math;
pub(crate) mod inputs_read;
pub(crate) mod instr_equality;
pub(crate) mod number;
pub(crate) mod offset;
pub(crate) mod pressure;
pub(crate) mod use_counts;
