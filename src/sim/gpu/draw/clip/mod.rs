//! The clipper.
//!
//! In:  objects in clip space, 3DSTATE_CLIP, the viewports' guard bands. Out: the objects that the
//!      strips-and-fans unit sets up: entirely visible ones unchanged, those that cross a plane
//!      cut. New vertices get every dword interpolated as a float, linear in clip space. Values
//!      that must not be interpolated (flat attributes, indices) are read from the provoking
//!      vertex, so a cut object carries the original provoking vertex after its own vertices.
//!      Attributes of pixels are interpolated from the uncut object's vertices
//!      ([`super::object::ClippedPiece`]).
//!
//! Ref: SKL PRM vol. 7, "3D Clip Stage"; Vulkan, "Primitive Clipping".

mod clipper;
mod state;

pub(crate) use clipper::clip;
pub(crate) use state::{ClipState, float, last_geometry_stage_field, viewport_index, viewports};
