//! Fragment shaders of blits and resolves that are drawn: a rectangle whose fragments read a
//! texture.
//!
//! In:  the operation and the type of its data. Out: NIR of a fragment shader; the vertex shader
//!      is [`crate::clear::rectangle`] without layers.
//!
//! Where the destination can be a render target, a blit is drawn rather than dispatched
//! ([`crate::SampledCopy`]): the fixed functions compute coordinates, convert numbers and encode
//! sRGB, and no thread runs outside of the destination.
//! Ref: Vulkan specification, "Image Copies With Scaling", "Resolving Multisample Images".

use nir::{Dim, TexOp, TexSrc};

use crate::launch::TexelConversion;
use crate::sampled_copy::{average_samples, read, sample_level_0, scale_coord};
use crate::shader_builder::fragment_shader;

/// A fragment shader that reads a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawShader {
    /// Scales.
    Scaled {
        /// The texture is 3D; else it is 2D with layers.
        volume: bool,
        /// Its format is an integer format.
        integers: bool,
    },
    /// Averages samples.
    Joined {
        /// Number of samples, as a power of two: 1 to 4.
        samples_log2: u32,
    },
    /// Takes the first sample, of integer formats.
    First,
}

/// Dwords of the vertex shader's push constants, which come first.
const VERTEX_DW: u32 = 2;

impl DrawShader {
    /// Number of shaders.
    pub const COUNT: usize = 4 + 4 + 1;
    /// Maximum number of push constant dwords.
    pub const MAX_PUSH_DW: usize = VERTEX_DW as usize + 9;

    /// Its index, below [`DrawShader::COUNT`].
    pub fn index(self) -> usize {
        match self {
            DrawShader::Scaled { volume, integers } => {
                2 * usize::from(volume) + usize::from(integers)
            }
            DrawShader::Joined { samples_log2 } => 3 + samples_log2.clamp(1, 4) as usize,
            DrawShader::First => 8,
        }
    }

    /// The shader's NIR. Push constants, after those of the vertex shader: the texture's handle;
    /// then, to scale, the first column and row of the destination, for columns and for rows the
    /// source coordinate of the first one and the step to the next, the coordinate of the slice,
    /// and the sampler; for samples, the offset from destination to source columns and rows, and 1
    /// if the source has no MCS.
    pub fn nir(self) -> nir::Shader {
        match self {
            DrawShader::Scaled { volume, integers } => {
                fragment_shader("draw_scaled", VERTEX_DW, |k, [column, row], push| {
                    let [_, left, top, x, x_step, y, y_step, z, sampler] = push;
                    let (column, row) = (k.isub(column, left), k.isub(row, top));
                    let place = [
                        scale_coord(k, column, x, x_step),
                        scale_coord(k, row, y, y_step),
                        z,
                    ];
                    let numbers = match integers {
                        true => TexelConversion::Integers,
                        false => TexelConversion::Floats,
                    };
                    Some(sample_level_0(k, volume, numbers, place, sampler))
                })
            }
            DrawShader::Joined { samples_log2 } => {
                fragment_shader("draw_joined", VERTEX_DW, |k, [column, row], push| {
                    let [_, right, down, no_mcs] = push;
                    let from = [k.iadd(column, right), k.iadd(row, down)];
                    let coord = k.vec(&from);
                    average_samples(k, samples_log2, TexelConversion::Floats, coord, no_mcs)
                })
            }
            DrawShader::First => {
                fragment_shader("draw_first", VERTEX_DW, |k, [column, row], push| {
                    let [_, right, down] = push;
                    let from = [k.iadd(column, right), k.iadd(row, down)];
                    let srcs = [
                        (TexSrc::Coord, k.vec(&from)),
                        (TexSrc::MsIndex, k.imm_u32(0)),
                    ];
                    let shape = (Dim::D2, false);
                    Some(read(
                        k,
                        TexOp::TxfMs,
                        shape,
                        TexelConversion::Integers,
                        &srcs,
                    ))
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shaders_are_valid_and_have_distinct_indices() {
        let sample_level_0 = [false, true].into_iter().flat_map(|volume| {
            [false, true].map(|integers| DrawShader::Scaled { volume, integers })
        });
        let joined = (1..=4).map(|samples_log2| DrawShader::Joined { samples_log2 });
        let all: Vec<_> = sample_level_0
            .chain(joined)
            .chain([DrawShader::First])
            .collect();
        assert!(
            all.iter()
                .map(|drawn| drawn.index())
                .eq(0..DrawShader::COUNT)
        );
        for drawn in all {
            let shader = drawn.nir();
            nir::validate(&shader).unwrap();
            assert!(shader.info.push_constant_bytes as usize <= 4 * DrawShader::MAX_PUSH_DW);
        }
    }
}
