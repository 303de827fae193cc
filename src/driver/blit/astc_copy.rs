//! Copies of blocks to ASTC textures that the sampler of gen9 reads right.
//!
//! In:  source and destination of blocks of 16 bytes. Out: NIR; launches.
//!
//! A void-extent block has one colour of four channels of 16 bits, which the sampler converts to
//! 16-bit floats. Values of 1 to 3 are denormal there, and are read wrong; the copies write zero
//! instead, to which filtering rounds them.
//! Ref: `NoAstcVoidExtentDenormals` in the table of workarounds; Khronos Data Format Specification,
//!      "ASTC Compressed Texture Image Formats", Void-Extent Blocks.

use entity::Id;
use nir::Def;

use crate::launch::{AstcCopy, Launch, Shader};
use crate::shader_builder::{ShaderBuilder, box_shader, inside};
use crate::texel::{Extent, TexelMemory, byte_offset, copy_units};

/// Bytes of a block, as a power of two.
const BLOCK_LOG2: u32 = 4;
/// The low bits of a void-extent block of normalised numbers: its mode, and no float colours.
const VOID_EXTENT: u32 = 0x1fc;
const VOID_EXTENT_MASK: u32 = 0x3ff;
/// The first colour that is not denormal as a float.
const FIRST_NORMAL: u32 = 4;

/// Launches that copy a box of blocks; `None` if a side is not aligned to blocks.
pub fn copy_astc_blocks(
    source: TexelMemory,
    destination: TexelMemory,
    extent: Extent,
) -> Option<Vec<Launch>> {
    let shader = Shader::AstcCopy(AstcCopy {
        source: source.order,
        destination: destination.order,
    });
    copy_units([source, destination], extent, |unit_log2| {
        (unit_log2 == BLOCK_LOG2).then_some(shader)
    })
}

/// A dword of two colours without denormal ones.
fn without_denormals(k: &mut ShaderBuilder<'_>, colours: Id<Def>) -> Id<Def> {
    let (low_bits, sixteen) = (k.imm_u32(0xffff), k.imm_u32(16));
    let (normal, zero) = (k.imm_u32(FIRST_NORMAL), k.imm_u32(0));
    let low = k.iand(colours, low_bits);
    let high = k.ushr(colours, sixteen);
    let [low, high] = [low, high].map(|colour| {
        let is_denormal = k.ult(colour, normal);
        k.bcsel(is_denormal, zero, colour)
    });
    let high = k.ishl(high, sixteen);
    k.ior(low, high)
}

/// The shader. Push constants as those of copies of texels.
pub(crate) fn nir(copy: AstcCopy) -> nir::Shader {
    box_shader("copy_astc_blocks", 2, |k, [column, row, slice], push| {
        let push: [Id<Def>; 10] = push;
        let [.., columns, rows] = push;
        inside(k, [column, row], [columns, rows], |k| {
            let x = k.imul_imm(column, 1 << BLOCK_LOG2);
            let from = byte_offset(k, (copy.source, BLOCK_LOG2), [x, row, slice], &push[..4]);
            let block = k.read_unit(0, from, 1 << BLOCK_LOG2);
            let words = [0, 1, 2, 3].map(|word| k.channel(block, word));
            let (mask, mode) = (k.imm_u32(VOID_EXTENT_MASK), k.imm_u32(VOID_EXTENT));
            let low = k.iand(words[0], mask);
            let is_void_extent = k.ieq(low, mode);
            let colours = [words[2], words[3]].map(|word| {
                let normal = without_denormals(k, word);
                k.bcsel(is_void_extent, normal, word)
            });
            let patched = k.vec(&[words[0], words[1], colours[0], colours[1]]);
            let to = byte_offset(
                k,
                (copy.destination, BLOCK_LOG2),
                [x, row, slice],
                &push[4..8],
            );
            k.write_unit(1, to, 1 << BLOCK_LOG2, patched);
        });
    })
}
