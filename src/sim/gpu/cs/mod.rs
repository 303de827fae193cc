//! The command streamer: fetches the commands of a batch and executes them.
//!
//! In:  a batch's address, a context. Out: memory and context changed, a [`streamer::BatchReport`].
//! Ref: SKL PRM vol. 2a (commands), vol. 3 "Command Streamer". Tests: cs/tests.rs.

mod draw;
mod media;
mod mi;
pub(crate) mod streamer;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
