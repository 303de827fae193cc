//! What threads of the stages that draw start with, and what they gather.
//!
//! In:  a shader. Out: VGRFs for the parts of its payload, facts for its launcher. Nothing here makes code.

mod fragment;
mod outputs;
mod scan;
mod vertex;

pub(super) use fragment::FragmentThread;
pub(super) use scan::intrinsics;
pub(super) use vertex::{VertexThread, draw_value, locations};
