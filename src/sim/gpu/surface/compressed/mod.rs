//! Block-compressed texture formats: blocks to texels, as the sampler sees them.
//!
//! In:  a format and the bytes of one block. Out: texels as red, green, blue and alpha, each the
//!      bits of an `f32`; those of sRGB formats are linear. Channels that a format lacks are 0, and
//!      alpha 1.
//! Ref: Khronos Data Format Specification, "S3TC", "RGTC", "BPTC", "ETC1", "ETC2" and "ASTC"
//!      compressed texture image formats; SKL PRM vol. 2d, "SURFACE_FORMAT"; vol. 5, "Compressed
//!      surface formats".
//!
//! Where the specification interpolates in real numbers (S3TC, RGTC), the quotient is exact but for
//! one rounding; elsewhere its integer arithmetic is followed to the bit. FXT1 is not decoded.

mod astc;
mod bc;
mod bc6h;
mod bc7;
mod bits;
mod codec;
mod etc2;
mod partition;
mod srgb;
mod texel;

pub(crate) use codec::{check_block, decode_texel};

#[cfg(test)]
mod tests;
