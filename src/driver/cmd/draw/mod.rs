//! Draws: state, shaders and targets, and the emission of dirty state.
//!
//! In:  [`state`] as it is set, [`shader`]s as they are bound, [`target`]s at the start of a
//!      rendering, draws.
//! Out: packets for the state that changed since the last draw ([`recorder`]), through a
//!      [`DrawGeneration`].

mod generation;
pub mod link;
mod pipeline;
mod push_constants;
pub mod recorder;
pub mod shader;
pub mod state;
pub mod target;
pub mod urb;
mod vertex_cache;

pub use generation::{
    ByteCount, CONSTANT_BUFFERS, ConstantBuffer, ConstantStage, DrawGeneration, DrawParams,
    DrawState, StaticState,
};
