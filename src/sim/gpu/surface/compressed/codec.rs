//! Which coding a format uses, and the texels of its blocks.
//!
//! In:  a format and the bytes of one block. Out: its texels.
//! Ref: SKL PRM vol. 2d, "SURFACE_FORMAT"; vol. 5, "Compressed surface formats".

use super::texel::{BLACK, Texel};
use super::{astc, bc, bc6h, bc7, etc2};
use crate::rules::ASTC_VOID_EXTENT;
use eu::StopReason;
use hw::{Format, Gen, Wa};

/// Texels of the largest block, 12 × 12.
pub(crate) const MAX_TEXELS: usize = 144;

/// How the blocks of a format are coded: looked up once per surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockCodec {
    family: Family,
    /// Red, green and blue are sRGB.
    srgb: bool,
    /// Bytes of a block.
    bytes: usize,
    /// Width and height of a block.
    texels: [usize; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Bc1 { alpha: bool },
    Bc2,
    Bc3,
    Bc4 { signed: bool },
    Bc5 { signed: bool },
    Bc6h { signed: bool },
    Bc7,
    Etc2,
    Etc2Punchthrough,
    Etc2Alpha,
    Eac { channels: usize, signed: bool },
    Astc,
}

impl BlockCodec {
    /// The code of a format; `None` where it is not block-compressed, or its blocks are not
    /// decoded.
    pub fn from_format(format: &Format) -> Option<BlockCodec> {
        let srgb = format.name.contains("SRGB");
        let family = match format.name {
            "BC1_UNORM" | "BC1_UNORM_SRGB" => Family::Bc1 { alpha: true },
            "DXT1_RGB" | "DXT1_RGB_SRGB" => Family::Bc1 { alpha: false },
            "BC2_UNORM" | "BC2_UNORM_SRGB" => Family::Bc2,
            "BC3_UNORM" | "BC3_UNORM_SRGB" => Family::Bc3,
            "BC4_UNORM" => Family::Bc4 { signed: false },
            "BC4_SNORM" => Family::Bc4 { signed: true },
            "BC5_UNORM" => Family::Bc5 { signed: false },
            "BC5_SNORM" => Family::Bc5 { signed: true },
            "BC6H_UF16" => Family::Bc6h { signed: false },
            "BC6H_SF16" => Family::Bc6h { signed: true },
            "BC7_UNORM" | "BC7_UNORM_SRGB" => Family::Bc7,
            // What ETC1 leaves undefined is where ETC2's further modes are.
            "ETC1_RGB8" | "ETC2_RGB8" | "ETC2_SRGB8" => Family::Etc2,
            "ETC2_RGB8_PTA" | "ETC2_SRGB8_PTA" => Family::Etc2Punchthrough,
            "ETC2_EAC_RGBA8" | "ETC2_EAC_SRGB8_A8" => Family::Etc2Alpha,
            "EAC_R11" => Family::Eac {
                channels: 1,
                signed: false,
            },
            "EAC_SIGNED_R11" => Family::Eac {
                channels: 1,
                signed: true,
            },
            "EAC_RG11" => Family::Eac {
                channels: 2,
                signed: false,
            },
            "EAC_SIGNED_RG11" => Family::Eac {
                channels: 2,
                signed: true,
            },
            name if name.starts_with("ASTC_LDR_2D_") => Family::Astc,
            _ => return None,
        };
        Some(BlockCodec {
            family,
            srgb,
            bytes: usize::from(format.block_bits) / 8,
            texels: format.block_el.map(usize::from),
        })
    }

    /// Decodes a block into texels, rows first, as many as it has. `None` where the block or the
    /// room for texels is short.
    pub fn block(&self, block: &[u8], out: &mut [Texel]) -> Option<()> {
        let [width, height] = self.texels;
        let block = block.get(..self.bytes)?;
        let out = out.get_mut(..width * height)?;
        if self.family == Family::Astc {
            let bytes: [u8; 16] = block.try_into().ok()?;
            astc::decode_block(u128::from_le_bytes(bytes), self.texels, self.srgb, out);
            return Some(());
        }
        let texels: &mut [Texel; 16] = out.try_into().ok()?;
        let first = half(block, 0)?;
        let srgb = self.srgb;
        match self.family {
            Family::Bc1 { alpha } => bc::bc1(first, alpha, srgb, texels),
            Family::Bc2 => bc::bc2(first, half(block, 8)?, srgb, texels),
            Family::Bc3 => bc::bc3(first, half(block, 8)?, srgb, texels),
            Family::Bc4 { signed } => {
                *texels = [BLACK; 16];
                bc::channel(first, signed, 0, texels);
            }
            Family::Bc5 { signed } => {
                *texels = [BLACK; 16];
                bc::channel(first, signed, 0, texels);
                bc::channel(half(block, 8)?, signed, 1, texels);
            }
            Family::Bc6h { signed } => bc6h::block(whole(first, half(block, 8)?), signed, texels),
            Family::Bc7 => bc7::block(whole(first, half(block, 8)?), srgb, texels),
            Family::Etc2 => etc2::rgb(first.swap_bytes(), false, srgb, texels),
            Family::Etc2Punchthrough => etc2::rgb(first.swap_bytes(), true, srgb, texels),
            Family::Etc2Alpha => {
                etc2::rgb(half(block, 8)?.swap_bytes(), false, srgb, texels);
                etc2::alpha(first.swap_bytes(), texels);
            }
            Family::Eac { channels, signed } => {
                *texels = [BLACK; 16];
                etc2::channel11(first.swap_bytes(), signed, 0, texels);
                if channels == 2 {
                    etc2::channel11(half(block, 8)?.swap_bytes(), signed, 1, texels);
                }
            }
            Family::Astc => return None,
        }
        Some(())
    }
}

/// Decodes a block into texels, rows first. `None` where the format is not block-compressed, or the
/// block or the room is short.
#[cfg(test)]
pub(super) fn decode_block(format: &Format, block: &[u8], out: &mut [Texel]) -> Option<()> {
    BlockCodec::from_format(format)?.block(block, out)
}

/// Checks that the device decodes a block as documented; `at` is its address.
pub(crate) fn check_block(format: &Format, block: &[u8], at: u64) -> Result<(), StopReason> {
    let needed = const { Wa::NoAstcVoidExtentDenormals.required_on(Gen::Gen9) };
    let astc = format.name.starts_with("ASTC_LDR_2D_");
    let bytes = block.first_chunk::<16>().filter(|_| needed && astc);
    let denormal = bytes.is_some_and(|b| astc::has_denormal_colour(u128::from_le_bytes(*b)));
    ASTC_VOID_EXTENT.check(!denormal, at, || {
        "a channel of a void-extent block is below 2⁻¹⁴".into()
    })
}

/// One texel of a block. `None` where the format is not block-compressed, the block is short, or
/// has no such texel.
pub(crate) fn decode_texel(format: &Format, block: &[u8], x: usize, y: usize) -> Option<Texel> {
    let codec = BlockCodec::from_format(format)?;
    let [width, height] = codec.texels;
    if x >= width || y >= height {
        return None;
    }
    let mut texels = [[0; 4]; MAX_TEXELS];
    codec.block(block, &mut texels)?;
    texels.get(y * width + x).copied()
}

/// Eight bytes of a block, little-endian.
fn half(block: &[u8], at: usize) -> Option<u64> {
    let bytes = block.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(bytes))
}

fn whole(low: u64, high: u64) -> u128 {
    u128::from(low) | u128::from(high) << 64
}
