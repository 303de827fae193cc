//! Surface formats: their numbers in RENDER_SURFACE_STATE and the layout of their blocks.
//!
//! Ref: SKL PRM vol. 2d, "SURFACE_FORMAT". Tests: below, against the format layouts of Mesa's ISL.

use ChannelKind::{Raw, Sfixed, Sfloat, Sint, Snorm, Sscaled, Ufloat, Uint, Unorm, Uscaled, Void};

/// How the bits of a channel are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the usual names")]
pub enum ChannelKind {
    Void,
    Raw,
    Unorm,
    Snorm,
    Ufloat,
    Sfloat,
    Ufixed,
    Sfixed,
    Uint,
    Sint,
    Uscaled,
    Sscaled,
}

/// A surface format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Name in the PRM.
    pub name: &'static str,
    /// Value of Surface Format in RENDER_SURFACE_STATE.
    pub number: u16,
    /// Bits per block.
    pub block_bits: u16,
    /// Width and height of a block in pixels: 1 × 1 except for compressed formats.
    pub block_el: [u8; 2],
    /// Red, green, blue and alpha: kind, and bits (0 where the format lacks the channel).
    pub channels: [(ChannelKind, u8); 4],
}

impl Format {
    /// True for YUV formats.
    pub const fn is_yuv(&self) -> bool {
        matches!(
            self.number,
            0x150 | 0x182 | 0x183 | 0x18f | 0x190 | 0x1a5..=0x1a6
        )
    }

    /// True for integer formats.
    pub fn is_integer(&self) -> bool {
        self.channels.iter().any(|c| matches!(c.0, Uint | Sint))
    }

    /// True for floating-point formats.
    pub fn is_float(&self) -> bool {
        self.channels.iter().any(|c| matches!(c.0, Sfloat | Ufloat))
    }

    /// True for sRGB formats.
    pub fn is_srgb(&self) -> bool {
        self.name.ends_with("_SRGB")
    }

    /// The format with this number.
    pub fn by_number(number: u32) -> Option<&'static Format> {
        let found = FORMATS.binary_search_by_key(&number, |f| u32::from(f.number));
        found.ok().and_then(|at| FORMATS.get(at))
    }
}

const fn format(
    name: &'static str,
    number: u16,
    block_bits: u16,
    block_el: [u8; 2],
    channels: [(ChannelKind, u8); 4],
) -> Format {
    Format {
        name,
        number,
        block_bits,
        block_el,
        channels,
    }
}

/// All formats, ordered by number.
#[rustfmt::skip]
pub static FORMATS: &[Format] = &[
    format("R32G32B32A32_FLOAT", 0x000, 128, [1, 1], [(Sfloat, 32), (Sfloat, 32), (Sfloat, 32), (Sfloat, 32)]),
    format("R32G32B32A32_SINT", 0x001, 128, [1, 1], [(Sint, 32), (Sint, 32), (Sint, 32), (Sint, 32)]),
    format("R32G32B32A32_UINT", 0x002, 128, [1, 1], [(Uint, 32), (Uint, 32), (Uint, 32), (Uint, 32)]),
    format("R32G32B32A32_UNORM", 0x003, 128, [1, 1], [(Unorm, 32), (Unorm, 32), (Unorm, 32), (Unorm, 32)]),
    format("R32G32B32A32_SNORM", 0x004, 128, [1, 1], [(Snorm, 32), (Snorm, 32), (Snorm, 32), (Snorm, 32)]),
    format("R64G64_FLOAT", 0x005, 128, [1, 1], [(Sfloat, 64), (Sfloat, 64), (Void, 0), (Void, 0)]),
    format("R32G32B32X32_FLOAT", 0x006, 128, [1, 1], [(Sfloat, 32), (Sfloat, 32), (Sfloat, 32), (Void, 32)]),
    format("R32G32B32A32_SSCALED", 0x007, 128, [1, 1], [(Sscaled, 32), (Sscaled, 32), (Sscaled, 32), (Sscaled, 32)]),
    format("R32G32B32A32_USCALED", 0x008, 128, [1, 1], [(Uscaled, 32), (Uscaled, 32), (Uscaled, 32), (Uscaled, 32)]),
    format("R32G32B32A32_SFIXED", 0x020, 128, [1, 1], [(Sfixed, 32), (Sfixed, 32), (Sfixed, 32), (Sfixed, 32)]),
    format("R64G64_PASSTHRU", 0x021, 128, [1, 1], [(Raw, 64), (Raw, 64), (Void, 0), (Void, 0)]),
    format("R32G32B32_FLOAT", 0x040, 96, [1, 1], [(Sfloat, 32), (Sfloat, 32), (Sfloat, 32), (Void, 0)]),
    format("R32G32B32_SINT", 0x041, 96, [1, 1], [(Sint, 32), (Sint, 32), (Sint, 32), (Void, 0)]),
    format("R32G32B32_UINT", 0x042, 96, [1, 1], [(Uint, 32), (Uint, 32), (Uint, 32), (Void, 0)]),
    format("R32G32B32_UNORM", 0x043, 96, [1, 1], [(Unorm, 32), (Unorm, 32), (Unorm, 32), (Void, 0)]),
    format("R32G32B32_SNORM", 0x044, 96, [1, 1], [(Snorm, 32), (Snorm, 32), (Snorm, 32), (Void, 0)]),
    format("R32G32B32_SSCALED", 0x045, 96, [1, 1], [(Sscaled, 32), (Sscaled, 32), (Sscaled, 32), (Void, 0)]),
    format("R32G32B32_USCALED", 0x046, 96, [1, 1], [(Uscaled, 32), (Uscaled, 32), (Uscaled, 32), (Void, 0)]),
    format("R32G32B32_SFIXED", 0x050, 96, [1, 1], [(Sfixed, 32), (Sfixed, 32), (Sfixed, 32), (Void, 0)]),
    format("R16G16B16A16_UNORM", 0x080, 64, [1, 1], [(Unorm, 16), (Unorm, 16), (Unorm, 16), (Unorm, 16)]),
    format("R16G16B16A16_SNORM", 0x081, 64, [1, 1], [(Snorm, 16), (Snorm, 16), (Snorm, 16), (Snorm, 16)]),
    format("R16G16B16A16_SINT", 0x082, 64, [1, 1], [(Sint, 16), (Sint, 16), (Sint, 16), (Sint, 16)]),
    format("R16G16B16A16_UINT", 0x083, 64, [1, 1], [(Uint, 16), (Uint, 16), (Uint, 16), (Uint, 16)]),
    format("R16G16B16A16_FLOAT", 0x084, 64, [1, 1], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("R32G32_FLOAT", 0x085, 64, [1, 1], [(Sfloat, 32), (Sfloat, 32), (Void, 0), (Void, 0)]),
    format("R32G32_SINT", 0x086, 64, [1, 1], [(Sint, 32), (Sint, 32), (Void, 0), (Void, 0)]),
    format("R32G32_UINT", 0x087, 64, [1, 1], [(Uint, 32), (Uint, 32), (Void, 0), (Void, 0)]),
    format("R32_FLOAT_X8X24_TYPELESS", 0x088, 64, [1, 1], [(Sfloat, 32), (Void, 8), (Void, 24), (Void, 0)]),
    format("X32_TYPELESS_G8X24_UINT", 0x089, 64, [1, 1], [(Void, 32), (Uint, 8), (Void, 24), (Void, 0)]),
    format("L32A32_FLOAT", 0x08a, 64, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Sfloat, 32)]),
    format("R32G32_UNORM", 0x08b, 64, [1, 1], [(Unorm, 32), (Unorm, 32), (Void, 0), (Void, 0)]),
    format("R32G32_SNORM", 0x08c, 64, [1, 1], [(Snorm, 32), (Snorm, 32), (Void, 0), (Void, 0)]),
    format("R64_FLOAT", 0x08d, 64, [1, 1], [(Sfloat, 64), (Void, 0), (Void, 0), (Void, 0)]),
    format("R16G16B16X16_UNORM", 0x08e, 64, [1, 1], [(Unorm, 16), (Unorm, 16), (Unorm, 16), (Void, 16)]),
    format("R16G16B16X16_FLOAT", 0x08f, 64, [1, 1], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Void, 16)]),
    format("A32X32_FLOAT", 0x090, 64, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Sfloat, 32)]),
    format("L32X32_FLOAT", 0x091, 64, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 32)]),
    format("I32X32_FLOAT", 0x092, 64, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 32)]),
    format("R16G16B16A16_SSCALED", 0x093, 64, [1, 1], [(Sscaled, 16), (Sscaled, 16), (Sscaled, 16), (Sscaled, 16)]),
    format("R16G16B16A16_USCALED", 0x094, 64, [1, 1], [(Uscaled, 16), (Uscaled, 16), (Uscaled, 16), (Uscaled, 16)]),
    format("R32G32_SSCALED", 0x095, 64, [1, 1], [(Sscaled, 32), (Sscaled, 32), (Void, 0), (Void, 0)]),
    format("R32G32_USCALED", 0x096, 64, [1, 1], [(Uscaled, 32), (Uscaled, 32), (Void, 0), (Void, 0)]),
    format("R32G32_FLOAT_LD", 0x097, 64, [1, 1], [(Sfloat, 32), (Sfloat, 32), (Void, 0), (Void, 0)]),
    format("R32G32_SFIXED", 0x0a0, 64, [1, 1], [(Sfixed, 32), (Sfixed, 32), (Void, 0), (Void, 0)]),
    format("R64_PASSTHRU", 0x0a1, 64, [1, 1], [(Raw, 64), (Void, 0), (Void, 0), (Void, 0)]),
    format("B8G8R8A8_UNORM", 0x0c0, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("B8G8R8A8_UNORM_SRGB", 0x0c1, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("R10G10B10A2_UNORM", 0x0c2, 32, [1, 1], [(Unorm, 10), (Unorm, 10), (Unorm, 10), (Unorm, 2)]),
    format("R10G10B10A2_UNORM_SRGB", 0x0c3, 32, [1, 1], [(Unorm, 10), (Unorm, 10), (Unorm, 10), (Unorm, 2)]),
    format("R10G10B10A2_UINT", 0x0c4, 32, [1, 1], [(Uint, 10), (Uint, 10), (Uint, 10), (Uint, 2)]),
    format("R10G10B10_SNORM_A2_UNORM", 0x0c5, 32, [1, 1], [(Snorm, 10), (Snorm, 10), (Snorm, 10), (Unorm, 2)]),
    format("R8G8B8A8_UNORM", 0x0c7, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("R8G8B8A8_UNORM_SRGB", 0x0c8, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("R8G8B8A8_SNORM", 0x0c9, 32, [1, 1], [(Snorm, 8), (Snorm, 8), (Snorm, 8), (Snorm, 8)]),
    format("R8G8B8A8_SINT", 0x0ca, 32, [1, 1], [(Sint, 8), (Sint, 8), (Sint, 8), (Sint, 8)]),
    format("R8G8B8A8_UINT", 0x0cb, 32, [1, 1], [(Uint, 8), (Uint, 8), (Uint, 8), (Uint, 8)]),
    format("R16G16_UNORM", 0x0cc, 32, [1, 1], [(Unorm, 16), (Unorm, 16), (Void, 0), (Void, 0)]),
    format("R16G16_SNORM", 0x0cd, 32, [1, 1], [(Snorm, 16), (Snorm, 16), (Void, 0), (Void, 0)]),
    format("R16G16_SINT", 0x0ce, 32, [1, 1], [(Sint, 16), (Sint, 16), (Void, 0), (Void, 0)]),
    format("R16G16_UINT", 0x0cf, 32, [1, 1], [(Uint, 16), (Uint, 16), (Void, 0), (Void, 0)]),
    format("R16G16_FLOAT", 0x0d0, 32, [1, 1], [(Sfloat, 16), (Sfloat, 16), (Void, 0), (Void, 0)]),
    format("B10G10R10A2_UNORM", 0x0d1, 32, [1, 1], [(Unorm, 10), (Unorm, 10), (Unorm, 10), (Unorm, 2)]),
    format("B10G10R10A2_UNORM_SRGB", 0x0d2, 32, [1, 1], [(Unorm, 10), (Unorm, 10), (Unorm, 10), (Unorm, 2)]),
    format("R11G11B10_FLOAT", 0x0d3, 32, [1, 1], [(Ufloat, 11), (Ufloat, 11), (Ufloat, 10), (Void, 0)]),
    format("R10G10B10_FLOAT_A2_UNORM", 0x0d5, 32, [1, 1], [(Ufloat, 10), (Ufloat, 10), (Ufloat, 10), (Unorm, 2)]),
    format("R32_SINT", 0x0d6, 32, [1, 1], [(Sint, 32), (Void, 0), (Void, 0), (Void, 0)]),
    format("R32_UINT", 0x0d7, 32, [1, 1], [(Uint, 32), (Void, 0), (Void, 0), (Void, 0)]),
    format("R32_FLOAT", 0x0d8, 32, [1, 1], [(Sfloat, 32), (Void, 0), (Void, 0), (Void, 0)]),
    format("R24_UNORM_X8_TYPELESS", 0x0d9, 32, [1, 1], [(Unorm, 24), (Void, 8), (Void, 0), (Void, 0)]),
    format("X24_TYPELESS_G8_UINT", 0x0da, 32, [1, 1], [(Void, 24), (Uint, 8), (Void, 0), (Void, 0)]),
    format("L32_UNORM", 0x0dd, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("A32_UNORM", 0x0de, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 32)]),
    format("L16A16_UNORM", 0x0df, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 16)]),
    format("I24X8_UNORM", 0x0e0, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 8)]),
    format("L24X8_UNORM", 0x0e1, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 8)]),
    format("A24X8_UNORM", 0x0e2, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 24)]),
    format("I32_FLOAT", 0x0e3, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("L32_FLOAT", 0x0e4, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("A32_FLOAT", 0x0e5, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Sfloat, 32)]),
    format("X8B8_UNORM_G8R8_SNORM", 0x0e6, 32, [1, 1], [(Snorm, 8), (Snorm, 8), (Unorm, 8), (Void, 8)]),
    format("A8X8_UNORM_G8R8_SNORM", 0x0e7, 32, [1, 1], [(Snorm, 8), (Snorm, 8), (Void, 8), (Unorm, 8)]),
    format("B8X8_UNORM_G8R8_SNORM", 0x0e8, 32, [1, 1], [(Snorm, 8), (Snorm, 8), (Unorm, 8), (Void, 8)]),
    format("B8G8R8X8_UNORM", 0x0e9, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 8)]),
    format("B8G8R8X8_UNORM_SRGB", 0x0ea, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 8)]),
    format("R8G8B8X8_UNORM", 0x0eb, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 8)]),
    format("R8G8B8X8_UNORM_SRGB", 0x0ec, 32, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 8)]),
    format("R9G9B9E5_SHAREDEXP", 0x0ed, 32, [1, 1], [(Ufloat, 9), (Ufloat, 9), (Ufloat, 9), (Void, 0)]),
    format("B10G10R10X2_UNORM", 0x0ee, 32, [1, 1], [(Unorm, 10), (Unorm, 10), (Unorm, 10), (Void, 2)]),
    format("L16A16_FLOAT", 0x0f0, 32, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Sfloat, 16)]),
    format("R32_UNORM", 0x0f1, 32, [1, 1], [(Unorm, 32), (Void, 0), (Void, 0), (Void, 0)]),
    format("R32_SNORM", 0x0f2, 32, [1, 1], [(Snorm, 32), (Void, 0), (Void, 0), (Void, 0)]),
    format("R10G10B10X2_USCALED", 0x0f3, 32, [1, 1], [(Uscaled, 10), (Uscaled, 10), (Uscaled, 10), (Void, 2)]),
    format("R8G8B8A8_SSCALED", 0x0f4, 32, [1, 1], [(Sscaled, 8), (Sscaled, 8), (Sscaled, 8), (Sscaled, 8)]),
    format("R8G8B8A8_USCALED", 0x0f5, 32, [1, 1], [(Uscaled, 8), (Uscaled, 8), (Uscaled, 8), (Uscaled, 8)]),
    format("R16G16_SSCALED", 0x0f6, 32, [1, 1], [(Sscaled, 16), (Sscaled, 6), (Void, 0), (Void, 0)]),
    format("R16G16_USCALED", 0x0f7, 32, [1, 1], [(Uscaled, 16), (Uscaled, 16), (Void, 0), (Void, 0)]),
    format("R32_SSCALED", 0x0f8, 32, [1, 1], [(Sscaled, 32), (Void, 0), (Void, 0), (Void, 0)]),
    format("R32_USCALED", 0x0f9, 32, [1, 1], [(Uscaled, 32), (Void, 0), (Void, 0), (Void, 0)]),
    format("B5G6R5_UNORM", 0x100, 16, [1, 1], [(Unorm, 5), (Unorm, 6), (Unorm, 5), (Void, 0)]),
    format("B5G6R5_UNORM_SRGB", 0x101, 16, [1, 1], [(Unorm, 5), (Unorm, 6), (Unorm, 5), (Void, 0)]),
    format("B5G5R5A1_UNORM", 0x102, 16, [1, 1], [(Unorm, 5), (Unorm, 5), (Unorm, 5), (Unorm, 1)]),
    format("B5G5R5A1_UNORM_SRGB", 0x103, 16, [1, 1], [(Unorm, 5), (Unorm, 5), (Unorm, 5), (Unorm, 1)]),
    format("B4G4R4A4_UNORM", 0x104, 16, [1, 1], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("B4G4R4A4_UNORM_SRGB", 0x105, 16, [1, 1], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("R8G8_UNORM", 0x106, 16, [1, 1], [(Unorm, 8), (Unorm, 8), (Void, 0), (Void, 0)]),
    format("R8G8_SNORM", 0x107, 16, [1, 1], [(Snorm, 8), (Snorm, 8), (Void, 0), (Void, 0)]),
    format("R8G8_SINT", 0x108, 16, [1, 1], [(Sint, 8), (Sint, 8), (Void, 0), (Void, 0)]),
    format("R8G8_UINT", 0x109, 16, [1, 1], [(Uint, 8), (Uint, 8), (Void, 0), (Void, 0)]),
    format("R16_UNORM", 0x10a, 16, [1, 1], [(Unorm, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("R16_SNORM", 0x10b, 16, [1, 1], [(Snorm, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("R16_SINT", 0x10c, 16, [1, 1], [(Sint, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("R16_UINT", 0x10d, 16, [1, 1], [(Uint, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("R16_FLOAT", 0x10e, 16, [1, 1], [(Sfloat, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("A8P8_UNORM_PALETTE0", 0x10f, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 8)]),
    format("A8P8_UNORM_PALETTE1", 0x110, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 8)]),
    format("I16_UNORM", 0x111, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("L16_UNORM", 0x112, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("A16_UNORM", 0x113, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 16)]),
    format("L8A8_UNORM", 0x114, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 8)]),
    format("I16_FLOAT", 0x115, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("L16_FLOAT", 0x116, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("A16_FLOAT", 0x117, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Sfloat, 16)]),
    format("L8A8_UNORM_SRGB", 0x118, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 8)]),
    format("R5G5_SNORM_B6_UNORM", 0x119, 16, [1, 1], [(Snorm, 5), (Snorm, 5), (Unorm, 6), (Void, 0)]),
    format("B5G5R5X1_UNORM", 0x11a, 16, [1, 1], [(Unorm, 5), (Unorm, 5), (Unorm, 5), (Void, 1)]),
    format("B5G5R5X1_UNORM_SRGB", 0x11b, 16, [1, 1], [(Unorm, 5), (Unorm, 5), (Unorm, 5), (Void, 1)]),
    format("R8G8_SSCALED", 0x11c, 16, [1, 1], [(Sscaled, 8), (Sscaled, 8), (Void, 0), (Void, 0)]),
    format("R8G8_USCALED", 0x11d, 16, [1, 1], [(Uscaled, 8), (Uscaled, 8), (Void, 0), (Void, 0)]),
    format("R16_SSCALED", 0x11e, 16, [1, 1], [(Sscaled, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("R16_USCALED", 0x11f, 16, [1, 1], [(Uscaled, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("P8A8_UNORM_PALETTE0", 0x122, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 8)]),
    format("P8A8_UNORM_PALETTE1", 0x123, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 8)]),
    format("A1B5G5R5_UNORM", 0x124, 16, [1, 1], [(Unorm, 5), (Unorm, 5), (Unorm, 5), (Unorm, 1)]),
    format("A4B4G4R4_UNORM", 0x125, 16, [1, 1], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("L8A8_UINT", 0x126, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Uint, 8)]),
    format("L8A8_SINT", 0x127, 16, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Sint, 8)]),
    format("R8_UNORM", 0x140, 8, [1, 1], [(Unorm, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("R8_SNORM", 0x141, 8, [1, 1], [(Snorm, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("R8_SINT", 0x142, 8, [1, 1], [(Sint, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("R8_UINT", 0x143, 8, [1, 1], [(Uint, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("A8_UNORM", 0x144, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 8)]),
    format("I8_UNORM", 0x145, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("L8_UNORM", 0x146, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("P4A4_UNORM_PALETTE0", 0x147, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 4)]),
    format("A4P4_UNORM_PALETTE0", 0x148, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 4)]),
    format("R8_SSCALED", 0x149, 8, [1, 1], [(Sscaled, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("R8_USCALED", 0x14a, 8, [1, 1], [(Uscaled, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("P8_UNORM_PALETTE0", 0x14b, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("L8_UNORM_SRGB", 0x14c, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("P8_UNORM_PALETTE1", 0x14d, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("P4A4_UNORM_PALETTE1", 0x14e, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 4)]),
    format("A4P4_UNORM_PALETTE1", 0x14f, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Unorm, 4)]),
    format("Y8_UNORM", 0x150, 8, [1, 1], [(Void, 0), (Unorm, 8), (Void, 0), (Void, 0)]),
    format("L8_UINT", 0x152, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("L8_SINT", 0x153, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("I8_UINT", 0x154, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("I8_SINT", 0x155, 8, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("DXT1_RGB_SRGB", 0x180, 64, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Void, 0)]),
    format("R1_UNORM", 0x181, 1, [1, 1], [(Unorm, 1), (Void, 0), (Void, 0), (Void, 0)]),
    format("YCRCB_NORMAL", 0x182, 16, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("YCRCB_SWAPUVY", 0x183, 16, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("P2_UNORM_PALETTE0", 0x184, 2, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("P2_UNORM_PALETTE1", 0x185, 2, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("BC1_UNORM", 0x186, 64, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("BC2_UNORM", 0x187, 128, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("BC3_UNORM", 0x188, 128, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("BC4_UNORM", 0x189, 64, [4, 4], [(Unorm, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("BC5_UNORM", 0x18a, 128, [4, 4], [(Unorm, 8), (Unorm, 8), (Void, 0), (Void, 0)]),
    format("BC1_UNORM_SRGB", 0x18b, 64, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("BC2_UNORM_SRGB", 0x18c, 128, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("BC3_UNORM_SRGB", 0x18d, 128, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Unorm, 4)]),
    format("MONO8", 0x18e, 1, [1, 1], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("YCRCB_SWAPUV", 0x18f, 16, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("YCRCB_SWAPY", 0x190, 16, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("DXT1_RGB", 0x191, 64, [4, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Void, 0)]),
    format("FXT1", 0x192, 128, [8, 4], [(Unorm, 4), (Unorm, 4), (Unorm, 4), (Void, 0)]),
    format("R8G8B8_UNORM", 0x193, 24, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("R8G8B8_SNORM", 0x194, 24, [1, 1], [(Snorm, 8), (Snorm, 8), (Snorm, 8), (Void, 0)]),
    format("R8G8B8_SSCALED", 0x195, 24, [1, 1], [(Sscaled, 8), (Sscaled, 8), (Sscaled, 8), (Void, 0)]),
    format("R8G8B8_USCALED", 0x196, 24, [1, 1], [(Uscaled, 8), (Uscaled, 8), (Uscaled, 8), (Void, 0)]),
    format("R64G64B64A64_FLOAT", 0x197, 256, [1, 1], [(Sfloat, 64), (Sfloat, 64), (Sfloat, 64), (Sfloat, 64)]),
    format("R64G64B64_FLOAT", 0x198, 196, [1, 1], [(Sfloat, 64), (Sfloat, 64), (Sfloat, 64), (Void, 0)]),
    format("BC4_SNORM", 0x199, 64, [4, 4], [(Snorm, 8), (Void, 0), (Void, 0), (Void, 0)]),
    format("BC5_SNORM", 0x19a, 128, [4, 4], [(Snorm, 8), (Snorm, 8), (Void, 0), (Void, 0)]),
    format("R16G16B16_FLOAT", 0x19b, 48, [1, 1], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Void, 0)]),
    format("R16G16B16_UNORM", 0x19c, 48, [1, 1], [(Unorm, 16), (Unorm, 16), (Unorm, 16), (Void, 0)]),
    format("R16G16B16_SNORM", 0x19d, 48, [1, 1], [(Snorm, 16), (Snorm, 16), (Snorm, 16), (Void, 0)]),
    format("R16G16B16_SSCALED", 0x19e, 48, [1, 1], [(Sscaled, 16), (Sscaled, 16), (Sscaled, 16), (Void, 0)]),
    format("R16G16B16_USCALED", 0x19f, 48, [1, 1], [(Uscaled, 16), (Uscaled, 16), (Uscaled, 16), (Void, 0)]),
    format("BC6H_SF16", 0x1a1, 128, [4, 4], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Void, 0)]),
    format("BC7_UNORM", 0x1a2, 128, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("BC7_UNORM_SRGB", 0x1a3, 128, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("BC6H_UF16", 0x1a4, 128, [4, 4], [(Ufloat, 16), (Ufloat, 16), (Ufloat, 16), (Void, 0)]),
    format("PLANAR_420_8", 0x1a5, 0, [0, 0], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("PLANAR_420_16", 0x1a6, 0, [0, 0], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("R8G8B8_UNORM_SRGB", 0x1a8, 24, [1, 1], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("ETC1_RGB8", 0x1a9, 64, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("ETC2_RGB8", 0x1aa, 64, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("EAC_R11", 0x1ab, 64, [4, 4], [(Unorm, 11), (Void, 0), (Void, 0), (Void, 0)]),
    format("EAC_RG11", 0x1ac, 128, [4, 4], [(Unorm, 11), (Unorm, 11), (Void, 0), (Void, 0)]),
    format("EAC_SIGNED_R11", 0x1ad, 64, [4, 4], [(Snorm, 11), (Void, 0), (Void, 0), (Void, 0)]),
    format("EAC_SIGNED_RG11", 0x1ae, 128, [4, 4], [(Snorm, 11), (Snorm, 11), (Void, 0), (Void, 0)]),
    format("ETC2_SRGB8", 0x1af, 64, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Void, 0)]),
    format("R16G16B16_UINT", 0x1b0, 48, [1, 1], [(Uint, 16), (Uint, 16), (Uint, 16), (Void, 0)]),
    format("R16G16B16_SINT", 0x1b1, 48, [1, 1], [(Sint, 16), (Sint, 16), (Sint, 16), (Void, 0)]),
    format("R32_SFIXED", 0x1b2, 32, [1, 1], [(Sfixed, 16), (Void, 0), (Void, 0), (Void, 0)]),
    format("R10G10B10A2_SNORM", 0x1b3, 32, [1, 1], [(Snorm, 10), (Snorm, 10), (Snorm, 10), (Snorm, 2)]),
    format("R10G10B10A2_USCALED", 0x1b4, 32, [1, 1], [(Uscaled, 10), (Uscaled, 10), (Uscaled, 10), (Uscaled, 2)]),
    format("R10G10B10A2_SSCALED", 0x1b5, 32, [1, 1], [(Sscaled, 10), (Sscaled, 10), (Sscaled, 10), (Sscaled, 2)]),
    format("R10G10B10A2_SINT", 0x1b6, 32, [1, 1], [(Sint, 10), (Sint, 10), (Sint, 10), (Sint, 2)]),
    format("B10G10R10A2_SNORM", 0x1b7, 32, [1, 1], [(Snorm, 10), (Snorm, 10), (Snorm, 10), (Snorm, 2)]),
    format("B10G10R10A2_USCALED", 0x1b8, 32, [1, 1], [(Uscaled, 10), (Uscaled, 10), (Uscaled, 10), (Uscaled, 2)]),
    format("B10G10R10A2_SSCALED", 0x1b9, 32, [1, 1], [(Sscaled, 10), (Sscaled, 10), (Sscaled, 10), (Sscaled, 2)]),
    format("B10G10R10A2_UINT", 0x1ba, 32, [1, 1], [(Uint, 10), (Uint, 10), (Uint, 10), (Uint, 2)]),
    format("B10G10R10A2_SINT", 0x1bb, 32, [1, 1], [(Sint, 10), (Sint, 10), (Sint, 10), (Sint, 2)]),
    format("R64G64B64A64_PASSTHRU", 0x1bc, 256, [1, 1], [(Raw, 64), (Raw, 64), (Raw, 64), (Raw, 64)]),
    format("R64G64B64_PASSTHRU", 0x1bd, 192, [1, 1], [(Raw, 64), (Raw, 64), (Raw, 64), (Void, 0)]),
    format("ETC2_RGB8_PTA", 0x1c0, 64, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 1)]),
    format("ETC2_SRGB8_PTA", 0x1c1, 64, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 1)]),
    format("ETC2_EAC_RGBA8", 0x1c2, 128, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ETC2_EAC_SRGB8_A8", 0x1c3, 128, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("R8G8B8_UINT", 0x1c8, 24, [1, 1], [(Uint, 8), (Uint, 8), (Uint, 8), (Void, 0)]),
    format("R8G8B8_SINT", 0x1c9, 24, [1, 1], [(Sint, 8), (Sint, 8), (Sint, 8), (Void, 0)]),
    format("RAW", 0x1ff, 0, [0, 0], [(Void, 0), (Void, 0), (Void, 0), (Void, 0)]),
    format("ASTC_LDR_2D_4X4_U8SRGB", 0x200, 128, [4, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_5X4_U8SRGB", 0x208, 128, [5, 4], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_5X5_U8SRGB", 0x209, 128, [5, 5], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_6X5_U8SRGB", 0x211, 128, [6, 5], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_6X6_U8SRGB", 0x212, 128, [6, 6], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_8X5_U8SRGB", 0x221, 128, [8, 5], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_8X6_U8SRGB", 0x222, 128, [8, 6], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_8X8_U8SRGB", 0x224, 128, [8, 8], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_10X5_U8SRGB", 0x231, 128, [10, 5], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_10X6_U8SRGB", 0x232, 128, [10, 6], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_10X8_U8SRGB", 0x234, 128, [10, 8], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_10X10_U8SRGB", 0x236, 128, [10, 10], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_12X10_U8SRGB", 0x23e, 128, [12, 10], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_12X12_U8SRGB", 0x23f, 128, [12, 12], [(Unorm, 8), (Unorm, 8), (Unorm, 8), (Unorm, 8)]),
    format("ASTC_LDR_2D_4X4_FLT16", 0x240, 128, [4, 4], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_5X4_FLT16", 0x248, 128, [5, 4], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_5X5_FLT16", 0x249, 128, [5, 5], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_6X5_FLT16", 0x251, 128, [6, 5], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_6X6_FLT16", 0x252, 128, [6, 6], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_8X5_FLT16", 0x261, 128, [8, 5], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_8X6_FLT16", 0x262, 128, [8, 6], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_8X8_FLT16", 0x264, 128, [8, 8], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_10X5_FLT16", 0x271, 128, [10, 5], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_10X6_FLT16", 0x272, 128, [10, 6], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_10X8_FLT16", 0x274, 128, [10, 8], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_10X10_FLT16", 0x276, 128, [10, 10], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_12X10_FLT16", 0x27e, 128, [12, 10], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
    format("ASTC_LDR_2D_12X12_FLT16", 0x27f, 128, [12, 12], [(Sfloat, 16), (Sfloat, 16), (Sfloat, 16), (Sfloat, 16)]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::genxml;
    use ChannelKind::Ufixed;

    #[test]
    fn formats_are_ordered_and_found_by_number() {
        assert!(FORMATS.windows(2).all(|w| w[0].number < w[1].number));
        for format in FORMATS {
            assert_eq!(Format::by_number(format.number.into()), Some(format));
        }
        assert_eq!(Format::by_number(0x1ff).map(|f| f.name), Some("RAW"));
    }

    /// Compares the formats with ISL's table, which is expected beside the folder of genxml files.
    #[test]
    fn isl_agrees() {
        let Some(folder) = genxml::folder() else {
            return;
        };
        let path = folder.join("../isl_format_layout.csv");
        let Ok(text) = std::fs::read_to_string(&path) else {
            genxml::skip(&format!("cannot read {}", path.display()));
            return;
        };
        let mut compared = 0;
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let Some(ours) = FORMATS.iter().find(|f| f.name == cells[0]) else {
                continue;
            };
            let number = |i: usize| cells[i].parse::<u16>().expect("a number");
            assert_eq!(ours.block_bits, number(1), "{}", ours.name);
            assert_eq!(
                ours.block_el.map(u16::from),
                [number(2), number(3)],
                "{}",
                ours.name
            );
            for (channel, cell) in ours.channels.iter().zip(&cells[5..9]) {
                let bits = cell.trim_start_matches(|c: char| c.is_ascii_lowercase());
                assert_eq!(channel.1, bits.parse().unwrap_or(0), "{}", ours.name);
                let kind = match cell.trim_end_matches(|c: char| c.is_ascii_digit()) {
                    "r" => Raw,
                    "un" => Unorm,
                    "sn" => Snorm,
                    "uf" => Ufloat,
                    "sf" => Sfloat,
                    "ux" => Ufixed,
                    "sx" => Sfixed,
                    "ui" => Uint,
                    "si" => Sint,
                    "us" => Uscaled,
                    "ss" => Sscaled,
                    _ => Void,
                };
                assert_eq!(channel.0, kind, "{}", ours.name);
            }
            assert_eq!(ours.is_yuv(), cells[13] == "yuv", "{}", ours.name);
            compared += 1;
        }
        assert_eq!(compared, FORMATS.len());
    }
}
