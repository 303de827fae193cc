//! Graphics pipelines: linked shaders and fixed-function state.
//!
//! In:  plain structures of the API. Out: [`Pipeline`]: shaders packed for draws, and
//!      fixed-function state as `cmd` has it, which overrides the current state except for the
//!      pipeline's dynamic states.
//!
//! Files import in one direction: `convert`, `vertex`, `parts` and `dynamic` ← `state` ←
//! `library` ← `pipeline`.

pub mod convert;
mod dynamic;
mod dynamic_buffers;
mod library;
mod parts;
mod pipeline;
mod state;
mod vertex;

pub use library::{GraphicsPipelineInfo, Library, TestReads};
pub use parts::Parts;
pub use pipeline::Pipeline;
pub(crate) use pipeline::{Purpose, StageCode};
pub use state::{FixedInfo, StaticStateWords};
pub use vertex::Binding as VertexBinding;
pub(crate) use vertex::set_input as set_vertex_input;
