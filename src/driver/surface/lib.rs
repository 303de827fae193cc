//! Surface layout: image description to size, pitch, tiling and auxiliary surfaces.
//!
//! In:  an [`ImageInfo`] (format, dimension, extent, levels, layers, samples, usage, allowed
//!      tilings) and a [`hw::Device`].
//! Out: a [`Surface`]: the values for surface states and depth packets ([`Surface::binding`]), the
//!      offset of each level and layer ([`Surface::offset_of`]), a surface of a single subresource
//!      ([`Surface::single`]), the auxiliary surfaces ([`Surface::hiz`], [`Surface::mcs`],
//!      [`Surface::ccs`]), and the offsets of planes and auxiliary surfaces in one allocation
//!      ([`SurfaceAllocation`]).
//! Ref: SKL PRM vol. 5 "Memory Views", vol. 2d RENDER_SURFACE_STATE, vol. 7 "MCS Buffer for Render
//!      Target(s)" and "Hierarchical Depth Buffer".
//! Tests: layout/tests.rs; layout/tests/isl.rs compares 10,000 images with Mesa's ISL.
//!
//! Files import one way: `tiling` ← `image` ← `limits` ← `layout` ← `aux`, `subresource` and
//! `binding`.

mod aux;
mod binding;
mod image;
mod layout;
mod limits;
mod subresource;
mod tiling;

pub use aux::NoAux;
pub use binding::GeometryFields;
pub use image::{ImageDim, ImageInfo, ImageUsage, SurfaceError};
pub use layout::{SampleLayout, Surface, SurfaceRole};
pub use subresource::{NotBindable, SubresourceOffset, SurfaceAllocation};
pub use tiling::{FormatBlock, Tile, Tiling, TilingSet};
