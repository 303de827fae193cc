//! Graphics pipelines: linked shaders and fixed-function state.
//!
//! In:  plain structures of the API. Out: [`Pipeline`]: shaders packed for draws, and
//!      fixed-function state as `cmd` has it, which overrides the current state except for the
//!      pipeline's dynamic states.
//!
//! Files import in one direction: `convert`, `vertex`, `parts` and `dynamic` ← `state` ←
//! `library` ← `pipeline`, and `library` ← `shader_object`; both ← `shader_programs`.

pub mod convert;
mod dynamic;
mod dynamic_buffers;
mod key;
mod library;
mod parts;
mod pipeline;
mod shader_object;
mod shader_programs;
mod state;
mod vertex;

pub(crate) use key::key;
pub use library::{GraphicsPipelineInfo, Library, TestReads};
pub use parts::Parts;
pub use pipeline::Pipeline;
pub(crate) use pipeline::{Purpose, StageCode};
pub use shader_object::{BINARY_VERSION, ShaderObject, ShaderSource, binary_layout, binary_module};
pub(crate) use shader_programs::BoundShaders;
pub use shader_programs::ShaderPrograms;
pub use state::{FixedInfo, StaticStateWords};
pub use vertex::Binding as VertexBinding;
pub(crate) use vertex::set_input as set_vertex_input;
