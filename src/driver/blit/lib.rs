//! Copies and fills through internal shaders.
//!
//! In:  addresses and sizes. Out: shaders as NIR (compiled by whoever owns pipelines), and launches of them: surfaces,
//!      push constants, workgroups.
//! Ref: Vulkan specification, "Copying Data Between Buffers", "Filling Buffers", "Query Operation", "Copying Data Between Buffers and
//! Images".
//!
//! Files import one way: `clear` ← `kernel` and `launch` ← `buffer` and `texel` ← `overlap`, `picture` and `samples` ← `drawn` and `shaders`.

mod buffer;
pub mod clear;
mod drawn;
mod kernel;
mod launch;
mod overlap;
mod picture;
mod samples;
mod shaders;
mod texel;

pub use buffer::{
    Queries, RESULT_64, RESULT_AVAILABILITY, RESULT_PARTIAL, copy_launches, fill_launches,
    query_launch,
};
pub use drawn::Drawn;
pub use kernel::WORKGROUP;
pub use launch::{
    Channel, Choice, Launch, MAX_BUFFERS, MAX_PUSH_DW, Measure, Numbers, Order, Picture, SHADERS,
    Samples, Settle, Shader, Span, Texels, Three,
};
/// A shader on its way to the compiler.
pub use nir::Shader as Nir;
pub use overlap::Place;
pub use samples::{Quads, copy_samples};
pub use texel::{
    Extent, Piece, Plane, chosen_samples, copy_texels, copy_three, fill_texels, pieces,
    settle_texels,
};
