//! Strict mode: the checks that stop a batch where a real machine would misbehave.
//!
//! In:  commands in order, the state that a draw or walker uses, accesses and events reported to
//!      [`crate::observer`].
//! Out: [`StopReason::Undefined`](eu::StopReason::Undefined) at the first broken rule of
//!      [`crate::rules`].
//! Tests: strict/tests.rs, strict/tests/.

mod addresses;
mod cache_lines;
pub(crate) mod caches;
mod consistency;
mod constants;
mod context_workarounds;
mod draw;
mod errata;
mod privileged_registers;
mod reserved_bits;
mod sampler;
pub(crate) mod scratch;
mod sequence;
mod stages;
mod surface;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod tracker;
mod urb;
