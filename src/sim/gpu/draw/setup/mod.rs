//! Strips-and-fans and its back end: objects to the screen.
//!
//! In:  objects from the clipper, 3DSTATE_SF, _RASTER, _SBE, the viewports. Out:
//!      [`super::object::SetupObject`]s: positions on the sub-pixel grid, planes over the screen,
//!      attributes in the order in which the pixel shader reads them. Culled and degenerate objects
//!      end here; wireframe and point fill turn a triangle into lines and points.
//!
//! Ref: SKL PRM vol. 7, "Strips and Fans (SF) Stage", "SF Backend"; Vulkan, "Rasterization", "Depth
//!      Bias".

mod attributes;
mod objects;
mod state;

pub(crate) use objects::setup_object;
pub(crate) use state::SetupState;
