//! Strips-and-fans and its back end: objects to the screen.
//!
//! In:  objects out of the clipper, 3DSTATE_SF, _RASTER, _SBE, the viewports. Out: [`SetupObject`]s: positions on the
//! sub-pixel grid, planes over the screen, attributes in the order that the pixel shader reads them.
//! Culled and degenerate objects end here; wireframe and point fill make lines and points of a triangle.
//!
//! Ref: SKL PRM vol. 7, "Strips and Fans (SF) StageFunctions", "SF Backend"; Vulkan, "Rasterization", "Depth Bias".

mod attributes;
mod objects;
mod state;

pub(crate) use objects::setup_object;
pub(crate) use state::SetupState;
