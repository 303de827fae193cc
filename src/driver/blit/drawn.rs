//! Pictures that are drawn: a rectangle whose fragments read a texture.
//!
//! In:  what is read, and how. Out: NIR of a fragment shader; the vertex shader is [`crate::clear::rectangle`] without layers.
//! What can be a target is drawn to rather than written by a launch ([`crate::Picture`]): the fixed functions tell places, convert numbers
//! and encode sRGB, and no thread is started for what is beyond the edge.
//! Ref: Vulkan specification, "Image Copies With Scaling", "Resolving Multisample Images".

use nir::{Dim, TexOp, TexSrc};

use crate::kernel::fragment_shader;
use crate::launch::Numbers;
use crate::picture::{along, mean, read, scaled};

/// A fragment shader that reads a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Scales.
    Scaled {
        /// The texture has three dimensions; else it has layers.
        volume: bool,
        /// Its numbers are integers.
        integers: bool,
    },
    /// Joins samples.
    Joined {
        /// How many, as a power of two: 1 to 4.
        samples_log2: u32,
    },
    /// Takes the first sample, of integers.
    First,
}

/// Dwords of push constants that the vertex shader has, which come first.
const VERTEX_DW: u32 = 2;

impl Drawn {
    /// Shaders that there are.
    pub const COUNT: usize = 4 + 4 + 1;
    /// Dwords of push constants at most.
    pub const MAX_PUSH_DW: usize = VERTEX_DW as usize + 9;

    /// Its number, below [`Drawn::COUNT`].
    pub fn index(self) -> usize {
        match self {
            Drawn::Scaled { volume, integers } => 2 * usize::from(volume) + usize::from(integers),
            Drawn::Joined { samples_log2 } => 3 + samples_log2.clamp(1, 4) as usize,
            Drawn::First => 8,
        }
    }

    /// The shader. Push constants, behind those of the vertex shader: the texture's handle. Then of a scaled picture the first column and
    /// row of the destination, of columns and of rows the coordinate of the first place and what is added from one to the next, the
    /// coordinate of the slice, and the sampler; of samples what is added to a column and row of the destination to have the source's, and
    /// 1 where the source has no control surface.
    pub fn nir(self) -> nir::Shader {
        match self {
            Drawn::Scaled { volume, integers } => {
                fragment_shader("draw_scaled", VERTEX_DW, |k, [column, row], push| {
                    let [_, left, top, x, x_step, y, y_step, z, sampler] = push;
                    let (column, row) = (k.isub(column, left), k.isub(row, top));
                    let place = [along(k, column, x, x_step), along(k, row, y, y_step), z];
                    let numbers = match integers {
                        true => Numbers::Integers,
                        false => Numbers::Floats,
                    };
                    Some(scaled(k, volume, numbers, place, sampler))
                })
            }
            Drawn::Joined { samples_log2 } => {
                fragment_shader("draw_joined", VERTEX_DW, |k, [column, row], push| {
                    let [_, right, down, unsaid] = push;
                    let from = [k.iadd(column, right), k.iadd(row, down)];
                    let coord = k.vec(&from);
                    mean(k, samples_log2, Numbers::Floats, coord, unsaid)
                })
            }
            Drawn::First => fragment_shader("draw_first", VERTEX_DW, |k, [column, row], push| {
                let [_, right, down] = push;
                let from = [k.iadd(column, right), k.iadd(row, down)];
                let srcs = [
                    (TexSrc::Coord, k.vec(&from)),
                    (TexSrc::MsIndex, k.imm_u32(0)),
                ];
                let shape = (Dim::D2, false);
                Some(read(k, TexOp::TxfMs, shape, Numbers::Integers, &srcs))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shaders_are_valid_and_have_numbers_of_their_own() {
        let scaled = [false, true]
            .into_iter()
            .flat_map(|volume| [false, true].map(|integers| Drawn::Scaled { volume, integers }));
        let joined = (1..=4).map(|samples_log2| Drawn::Joined { samples_log2 });
        let all: Vec<_> = scaled.chain(joined).chain([Drawn::First]).collect();
        assert!(all.iter().map(|drawn| drawn.index()).eq(0..Drawn::COUNT));
        for drawn in all {
            let shader = drawn.nir();
            nir::validate(&shader).unwrap();
            assert!(shader.info.push_constant_bytes as usize <= 4 * Drawn::MAX_PUSH_DW);
        }
    }
}
