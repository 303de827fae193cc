//! Graphics pipelines: shaders put together, and the state that a draw finds in them.
//!
//! In:  plain structures of the API. Out: a [`Pipeline`]: shaders packed for draws, and the fixed functions' state as `cmd` has it, which
//! overrides what is set dynamically but for what the pipeline leaves dynamic.
//! Files import one way: `convert`, `vertex` and `dynamic` ← `state` ← `pipeline`.

pub mod convert;
mod dynamic;
mod pipeline;
mod state;
mod vertex;

pub(crate) use pipeline::Purpose;
pub use pipeline::{Info, Pipeline};
pub use state::{Fixed, FixedInfo};
