//! Fast paths: common instructions executed as loops over whole registers, which the host's
//! compiler vectorises.
//!
//! In:  a micro-op. Out: a routine that executes it, or none, and the interpreter executes it. A
//!      routine is chosen only if it gives the interpreter's bits. In float modes that a routine
//!      does not implement (rounding other than to nearest even, alternate mode) it calls the
//!      interpreter. Tests: fast/tests.rs, which executes random instructions both ways.

mod exec_size;
mod float32;
mod float64;
mod int32;
mod int64;
mod integer;
mod lane_op;
mod operand;
mod select;

pub(crate) use select::select;

#[cfg(test)]
mod tests;
