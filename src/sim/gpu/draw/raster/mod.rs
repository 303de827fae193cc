//! The windower's rasteriser.
//!
//! In:  [`super::object::SetupObject`]s, 3DSTATE_MULTISAMPLE, _SAMPLE_PATTERN, scissors, the
//!      drawing rectangle. Out: an [`super::object::ObjectCoverage`]: the samples that an object
//!      covers. Every object but an aliased line is a convex polygon of three or four edges,
//!      evaluated exactly in 256ths of a pixel; blocks of 32 × 32 and of 8 × 8 pixels are skipped
//!      or accepted as a whole if the edges allow.
//!
//! Ref: SKL PRM vol. 7, "Windower (WM) Stage", "Rasterization"; Vulkan, "Basic Polygon
//!      Rasterization", "Line Segments".

mod grid;
mod line;
mod polygon;
mod rasterise;
mod state;

pub(crate) use rasterise::{bounding_box_pixels, rasterise};
pub(crate) use state::{Lines, RasterState, lines};
