//! What threads of the stages that draw start with, and what they gather.
//!
//! In:  a shader. Out: VGRFs for the parts of its payload, facts for its launcher. Nothing here makes code.

mod fragment;
mod geometry;
mod outputs;
mod scan;
mod tess;
mod vertex;

pub(super) use fragment::{FragmentThread, Value};
pub(super) use geometry::GeometryThread;
pub(super) use outputs::Outputs;
pub(super) use scan::{intrinsics, vertices_read};
pub(super) use tess::{ControlThread, EvaluationThread, MOST_PUSHED, is_level, level_dword};
pub(super) use vertex::{VertexThread, draw_value, locations};
