//! ASTC, two-dimensional, of low dynamic range.
//!
//! In:  a block and its size. Out: its texels; where it is no legal block of low dynamic range,
//!      opaque magenta.
//! Ref: Khronos Data Format Specification, "ASTC Compressed Texture Image Formats". The files
//!      follow its sections: block modes and the layout of a block here, integer sequences in
//!      `sequence`, end points in `colour`, weights in `weight`, partitions in `partition`.

mod block;
mod colour;
mod mode;
mod partition;
mod sequence;
mod weight;

pub(super) use block::{decode_block, has_denormal_colour};

#[cfg(test)]
mod tests;
