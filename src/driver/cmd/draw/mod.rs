//! Draws: state and shaders of a draw, and when which of it is said.
//!
//! In:  [`state`] as it is set, [`shader`]s when they are bound, [`target`]s when a rendering begins, draws.
//! Out: through a [`DrawGeneration`], words for what has changed since the last draw ([`recorder`]).

mod fetched;
mod generation;
pub mod link;
mod pushed;
pub mod recorder;
pub mod shader;
pub mod state;
pub mod target;
pub mod urb;

pub use generation::{
    ByteCount, CONSTANT_BUFFERS, ConstantBuffer, ConstantStage, Draw, DrawGeneration, Own, Said,
};
