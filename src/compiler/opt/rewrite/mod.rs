//! Tools with which passes change shaders: walks, edits of control flow, and builders of common
//! code.

pub(crate) mod cf;
pub(crate) mod guarded_atomic;
pub(crate) mod indirect_descriptors;
pub(crate) mod instrs;
pub(crate) mod outputs;
pub(crate) mod word;
