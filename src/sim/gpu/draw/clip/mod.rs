//! The clipper.
//!
//! In:  objects in clip space, 3DSTATE_CLIP, the viewports' guard bands. Out: the objects that the strips-and-fans unit
//! sets up: those that are wholly visible as they came, those that cross a plane cut.
//! New vertices get every dword interpolated as a float, linear in clip space. What must not be interpolated (flat
//! attributes, indices) is read from the provoking vertex, which is why a cut object carries the original one behind its
//! own vertices. Attributes of pixels are those of the object's own vertices, by what a piece knows of its place in it.
//!
//! Ref: SKL PRM vol. 7, "3D Clip StageFunctions"; Vulkan, "Primitive Clipping".

mod clipper;
mod state;

pub(crate) use clipper::clip;
pub(crate) use state::{ClipState, float, last_geometry_stage_field, viewport_index, viewports};
