//! The thread payload of each graphics stage, and the outputs that a thread collects.
//!
//! In:  a shader. Out: VGRFs for the parts of its payload, and what the driver must know. Nothing
//! here emits code.

mod fragment;
mod geometry;
mod layout;
mod outputs;
mod scan;
mod tess;
mod thread;
mod vertex;

pub(super) use fragment::{FragmentThread, PayloadValue};
pub(super) use geometry::GeometryThread;
pub(super) use layout::PayloadLayout;
pub(super) use outputs::Outputs;
pub(super) use scan::{intrinsics, vue_map_read};
pub(super) use tess::{
    ControlThread, EvaluationThread, MAX_PUSHED, is_tess_level, tess_level_dword,
};
pub(super) use thread::Thread;
pub(super) use vertex::{draw_parameter, element_locations};
