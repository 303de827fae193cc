//! Block-compressed texture formats: blocks to texels, as the sampler sees them.
//!
//! In:  a format and the bytes of one block. Out: texels as red, green, blue and alpha, each the bits of an `f32`; those of
//!      sRGB formats are linear. Channels that a format lacks are 0, and alpha 1.
//! Ref: Khronos Data Format Specification, "S3TC", "RGTC", "BPTC", "ETC1", "ETC2" and "ASTC" compressed texture image
//!      formats; SKL PRM vol. 2d, "SURFACE_FORMAT"; vol. 5, "Compressed surface formats".
//!
//! Where the specification interpolates in real numbers (S3TC, RGTC), the quotient is exact but for one rounding; elsewhere its
//! integer arithmetic is followed to the bit. FXT1 is not decoded.

mod astc;
mod bc;
mod bc6h;
mod bc7;
mod etc2;
mod partition;
mod srgb;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod rule_tests;

#[cfg(test)]
mod witness_tests;

use hw::Format;

/// Red, green, blue and alpha as bits of `f32`.
pub(crate) type Texel = [u32; 4];

/// Texels of the largest block, 12 × 12.
pub(crate) const MOST_TEXELS: usize = 144;

const ONE: u32 = 0x3f80_0000;
const BLACK: Texel = [0, 0, 0, ONE];

/// How the blocks of a format are coded: looked up once per surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Codec {
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

impl Codec {
    /// The code of a format; `None` where it is not block-compressed, or its blocks are not decoded.
    pub fn of(format: &Format) -> Option<Codec> {
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
        Some(Codec {
            family,
            srgb,
            bytes: usize::from(format.block_bits) / 8,
            texels: format.block_el.map(usize::from),
        })
    }

    /// Decodes a block into texels, rows first, as many as it has. `None` where the block or the room for texels is short.
    pub fn block(&self, block: &[u8], out: &mut [Texel]) -> Option<()> {
        let [width, height] = self.texels;
        let block = block.get(..self.bytes)?;
        let out = out.get_mut(..width * height)?;
        if self.family == Family::Astc {
            let bytes: [u8; 16] = block.try_into().ok()?;
            astc::block(u128::from_le_bytes(bytes), self.texels, self.srgb, out);
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
                etc2::eleven(first.swap_bytes(), signed, 0, texels);
                if channels == 2 {
                    etc2::eleven(half(block, 8)?.swap_bytes(), signed, 1, texels);
                }
            }
            Family::Astc => return None,
        }
        Some(())
    }
}

/// Decodes a block into texels, rows first. `None` where the format is not block-compressed, or the block or the room is short.
#[cfg(test)]
fn decode_block(format: &Format, block: &[u8], out: &mut [Texel]) -> Option<()> {
    Codec::of(format)?.block(block, out)
}

/// One texel of a block. `None` where the format is not block-compressed, the block is short, or has no such texel.
pub(crate) fn decode_texel(format: &Format, block: &[u8], x: usize, y: usize) -> Option<Texel> {
    let codec = Codec::of(format)?;
    let [width, height] = codec.texels;
    if x >= width || y >= height {
        return None;
    }
    let mut texels = [[0; 4]; MOST_TEXELS];
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

/// Fields of a block, from its lowest bit on.
struct Bits(u128);

impl Bits {
    /// The next field, of fewer than 32 bits.
    fn take(&mut self, bits: u32) -> u32 {
        let value = self.0 as u32 & ((1 << bits) - 1);
        self.0 >>= bits;
        value
    }
}

/// A quotient as `f32` bits.
fn quotient(value: i32, of: i32) -> u32 {
    ((f64::from(value) / f64::from(of)) as f32).to_bits()
}

/// A colour of 8 bits a channel.
fn unorm8(colour: [u8; 4], srgb: bool) -> Texel {
    let unorm = srgb::unorm8();
    let colours = if srgb { srgb::linear8() } else { unorm };
    let [r, g, b, a] = colour.map(usize::from);
    [colours[r], colours[g], colours[b], unorm[a]]
}

/// A half float as `f32` bits. No format here makes NaN, and BC6H but for an end point of −32768 no infinity.
fn half_bits(half: u16) -> u32 {
    let (exponent, fraction) = (i32::from(half >> 10 & 31), i32::from(half & 0x3ff));
    let (exponent, fraction) = match exponent {
        0 => (1, fraction),
        _ => (exponent, fraction | 0x400),
    };
    // Both factors and the product are exact.
    let size = match exponent {
        31 => f32::INFINITY,
        _ => fraction as f32 * f32::from_bits(((exponent - 25 + 127) as u32) << 23),
    };
    size.to_bits() | u32::from(half >> 15) << 31
}
