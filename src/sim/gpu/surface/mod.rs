//! RENDER_SURFACE_STATE as the data port and the sampler see it.
//!
//! Buffers that messages address by bytes are a [`Surface`]; what has texels is an [`Image`].
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE"; vol. 7, "Surface State Model", buffer surfaces.

mod aux;
mod buffer;
mod ccs_compression;
pub(crate) mod compressed;
pub(crate) mod format;
mod image;
mod layout;
mod level;
pub(crate) mod scanout;
mod subspan_row;
mod texel;
mod texel_codec;
pub(crate) mod tiling;

pub(crate) use aux::{Block, Opened};
pub(crate) use buffer::Surface;
pub(crate) use image::{AuxMode, Image, Kind, Select};
pub(crate) use level::Level;
pub(crate) use subspan_row::Band;
pub(crate) use texel_codec::Codec;

#[cfg(test)]
mod rig;
#[cfg(test)]
mod tests;
