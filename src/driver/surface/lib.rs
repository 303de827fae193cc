//! Image description to size, pitch, tiling and auxiliary surfaces.
//!
//! In:  an [`ImageInfo`] (format, dimension, extent, levels, layers, samples, usage, wishes) and a [`hw::Device`].
//! Out: a [`Surface`]: plain figures from which the fields of surface states and depth packets are read, where each level
//!      and layer stands ([`Surface::place`]), the surface that binds one of them alone ([`Surface::single`]), the
//!      auxiliary surfaces ([`Surface::hiz`], [`Surface::mcs`], [`Surface::ccs`]), and where planes and auxiliary
//!      surfaces go in one allocation ([`Allocation`]).
//! Ref: SKL PRM vol. 5 "Memory Views", vol. 2d RENDER_SURFACE_STATE, vol. 7 "MCS Buffer for Render Target(s)" and
//!      "Hierarchical Depth Buffer". Compared with the figures of Mesa's ISL for 10,000 images by `isl_tests`.
//!
//! Files import one way: `image`, `tile` and `rules` ← `layout` ← `aux`, `place` and `binding`.

mod aux;
mod binding;
mod image;
mod layout;
mod place;
mod rules;
mod tile;

pub use aux::NoAux;
pub use binding::Binding;
pub use image::{Dim, ImageInfo, SurfaceError, Usage};
pub use layout::{Role, SampleLayout, Surface};
pub use place::{Allocation, NotAlone, Place};
pub use tile::{Block, Tile, Tiling, Tilings};

#[cfg(test)]
mod isl_tests;
#[cfg(test)]
mod layout_tests;
