//! Gen9's packets of the 3D pipeline.
//!
//! In:  draw state, shaders and targets ([`crate::draw`]). Out: packets and state structures.
//! Ref: SKL PRM vol. 2a (commands), vol. 2d (states), vol. 7 "3D Pipeline Stages".

mod emit;
mod emitted;
mod geometry;
mod hiz;
mod pipeline;
mod pixel;
mod raster;
mod stream_out;
mod target;
mod vertex;
