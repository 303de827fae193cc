//! The formats and their features.
//!
//! In:  a format and a tiling. Out: hardware formats, and format features.
//! Ref: Vulkan specification, "Formats"; SKL PRM vol. 2d, "SURFACE_FORMAT" (names list channels
//!      from bit 0 up; Vulkan's packed formats list them from the top down).

use std::sync::LazyLock;

use ash::vk as api;
use ash::vk::Format as F;
use cmd::image::{ChannelSelect, IDENTITY_SWIZZLE};
use hw::{FormatUse, Gen};
use smallvec::SmallVec;
use surface::TilingSet;

use crate::modifier::{MODIFIERS, Modifier};
use crate::planar::{ASPECTS, PLANAR, YcbcrFormat};

/// Aspects of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aspects {
    Colour,
    Depth,
    Stencil,
    DepthStencil,
}

/// A Vulkan format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Vulkan's format.
    pub api: F,
    aspect_kind: Aspects,
    /// Hardware format of the colour or depth aspect; of the stencil aspect if it is the only one.
    pub hw: &'static hw::Format,
    /// Swizzle from the hardware format's channels.
    pub swizzle: [ChannelSelect; 4],
    /// Planes of a Y'CbCr format; `hw` is the format of the first one.
    pub planar: Option<&'static YcbcrFormat>,
    /// `hw` has a fourth channel that the Vulkan format lacks ([`WIDENED`]).
    pub widened: bool,
}

/// A row of the format table.
struct Row(F, Aspects, &'static str, [ChannelSelect; 4]);

const fn colour(format: F, hw: &'static str) -> Row {
    Row(format, Aspects::Colour, hw, IDENTITY_SWIZZLE)
}

const fn swizzled_row(format: F, hw: &'static str, swizzle: [ChannelSelect; 4]) -> Row {
    Row(format, Aspects::Colour, hw, swizzle)
}

const fn depth(format: F, hw: &'static str) -> Row {
    Row(format, Aspects::Depth, hw, IDENTITY_SWIZZLE)
}

const fn stencil(format: F) -> Row {
    Row(format, Aspects::Stencil, STENCIL, IDENTITY_SWIZZLE)
}

const fn depth_stencil(format: F, hw: &'static str) -> Row {
    Row(format, Aspects::DepthStencil, hw, IDENTITY_SWIZZLE)
}

/// Stencil format for the sampler.
const STENCIL: &str = "R8_UINT";
const BGRA: [ChannelSelect; 4] = [
    ChannelSelect::Blue,
    ChannelSelect::Green,
    ChannelSelect::Red,
    ChannelSelect::Alpha,
];
const RGB1: [ChannelSelect; 4] = [
    ChannelSelect::Red,
    ChannelSelect::Green,
    ChannelSelect::Blue,
    ChannelSelect::One,
];
const R001: [ChannelSelect; 4] = [
    ChannelSelect::Red,
    ChannelSelect::Zero,
    ChannelSelect::Zero,
    ChannelSelect::One,
];

#[rustfmt::skip]
static ROWS: &[Row] = &[
    colour(F::R4G4B4A4_UNORM_PACK16, "A4B4G4R4_UNORM"),
    swizzled_row(F::B4G4R4A4_UNORM_PACK16, "A4B4G4R4_UNORM", BGRA),
    colour(F::R5G6B5_UNORM_PACK16, "B5G6R5_UNORM"),
    swizzled_row(F::B5G6R5_UNORM_PACK16, "B5G6R5_UNORM", BGRA),
    colour(F::A1R5G5B5_UNORM_PACK16, "B5G5R5A1_UNORM"),
    colour(F::R8_UNORM, "R8_UNORM"),
    colour(F::R8_SNORM, "R8_SNORM"),
    colour(F::R8_USCALED, "R8_USCALED"),
    colour(F::R8_SSCALED, "R8_SSCALED"),
    colour(F::R8_UINT, "R8_UINT"),
    colour(F::R8_SINT, "R8_SINT"),
    swizzled_row(F::R8_SRGB, "L8_UNORM_SRGB", R001),
    colour(F::R8G8_UNORM, "R8G8_UNORM"),
    colour(F::R8G8_SNORM, "R8G8_SNORM"),
    colour(F::R8G8_USCALED, "R8G8_USCALED"),
    colour(F::R8G8_SSCALED, "R8G8_SSCALED"),
    colour(F::R8G8_UINT, "R8G8_UINT"),
    colour(F::R8G8_SINT, "R8G8_SINT"),
    colour(F::R8G8B8_UNORM, "R8G8B8_UNORM"),
    colour(F::R8G8B8_SNORM, "R8G8B8_SNORM"),
    colour(F::R8G8B8_USCALED, "R8G8B8_USCALED"),
    colour(F::R8G8B8_SSCALED, "R8G8B8_SSCALED"),
    colour(F::R8G8B8_UINT, "R8G8B8_UINT"),
    colour(F::R8G8B8_SINT, "R8G8B8_SINT"),
    colour(F::R8G8B8_SRGB, "R8G8B8_UNORM_SRGB"),
    colour(F::R8G8B8A8_UNORM, "R8G8B8A8_UNORM"),
    colour(F::R8G8B8A8_SNORM, "R8G8B8A8_SNORM"),
    colour(F::R8G8B8A8_USCALED, "R8G8B8A8_USCALED"),
    colour(F::R8G8B8A8_SSCALED, "R8G8B8A8_SSCALED"),
    colour(F::R8G8B8A8_UINT, "R8G8B8A8_UINT"),
    colour(F::R8G8B8A8_SINT, "R8G8B8A8_SINT"),
    colour(F::R8G8B8A8_SRGB, "R8G8B8A8_UNORM_SRGB"),
    colour(F::A8B8G8R8_UNORM_PACK32, "R8G8B8A8_UNORM"),
    colour(F::A8B8G8R8_SNORM_PACK32, "R8G8B8A8_SNORM"),
    colour(F::A8B8G8R8_USCALED_PACK32, "R8G8B8A8_USCALED"),
    colour(F::A8B8G8R8_SSCALED_PACK32, "R8G8B8A8_SSCALED"),
    colour(F::A8B8G8R8_UINT_PACK32, "R8G8B8A8_UINT"),
    colour(F::A8B8G8R8_SINT_PACK32, "R8G8B8A8_SINT"),
    colour(F::A8B8G8R8_SRGB_PACK32, "R8G8B8A8_UNORM_SRGB"),
    colour(F::A2R10G10B10_UNORM_PACK32, "B10G10R10A2_UNORM"),
    colour(F::A2R10G10B10_SNORM_PACK32, "B10G10R10A2_SNORM"),
    colour(F::A2R10G10B10_USCALED_PACK32, "B10G10R10A2_USCALED"),
    colour(F::A2R10G10B10_SSCALED_PACK32, "B10G10R10A2_SSCALED"),
    colour(F::A2R10G10B10_UINT_PACK32, "B10G10R10A2_UINT"),
    colour(F::A2R10G10B10_SINT_PACK32, "B10G10R10A2_SINT"),
    colour(F::A2B10G10R10_UNORM_PACK32, "R10G10B10A2_UNORM"),
    colour(F::A2B10G10R10_SNORM_PACK32, "R10G10B10A2_SNORM"),
    colour(F::A2B10G10R10_USCALED_PACK32, "R10G10B10A2_USCALED"),
    colour(F::A2B10G10R10_SSCALED_PACK32, "R10G10B10A2_SSCALED"),
    colour(F::A2B10G10R10_UINT_PACK32, "R10G10B10A2_UINT"),
    colour(F::A2B10G10R10_SINT_PACK32, "R10G10B10A2_SINT"),
    colour(F::R16_UNORM, "R16_UNORM"),
    colour(F::R16_SNORM, "R16_SNORM"),
    colour(F::R16_USCALED, "R16_USCALED"),
    colour(F::R16_SSCALED, "R16_SSCALED"),
    colour(F::R16_UINT, "R16_UINT"),
    colour(F::R16_SINT, "R16_SINT"),
    colour(F::R16_SFLOAT, "R16_FLOAT"),
    colour(F::R16G16_UNORM, "R16G16_UNORM"),
    colour(F::R16G16_SNORM, "R16G16_SNORM"),
    colour(F::R16G16_USCALED, "R16G16_USCALED"),
    colour(F::R16G16_SSCALED, "R16G16_SSCALED"),
    colour(F::R16G16_UINT, "R16G16_UINT"),
    colour(F::R16G16_SINT, "R16G16_SINT"),
    colour(F::R16G16_SFLOAT, "R16G16_FLOAT"),
    colour(F::R16G16B16_UNORM, "R16G16B16_UNORM"),
    colour(F::R16G16B16_SNORM, "R16G16B16_SNORM"),
    colour(F::R16G16B16_USCALED, "R16G16B16_USCALED"),
    colour(F::R16G16B16_SSCALED, "R16G16B16_SSCALED"),
    colour(F::R16G16B16_UINT, "R16G16B16_UINT"),
    colour(F::R16G16B16_SINT, "R16G16B16_SINT"),
    colour(F::R16G16B16_SFLOAT, "R16G16B16_FLOAT"),
    colour(F::R16G16B16A16_UNORM, "R16G16B16A16_UNORM"),
    colour(F::R16G16B16A16_SNORM, "R16G16B16A16_SNORM"),
    colour(F::R16G16B16A16_USCALED, "R16G16B16A16_USCALED"),
    colour(F::R16G16B16A16_SSCALED, "R16G16B16A16_SSCALED"),
    colour(F::R16G16B16A16_UINT, "R16G16B16A16_UINT"),
    colour(F::R16G16B16A16_SINT, "R16G16B16A16_SINT"),
    colour(F::R16G16B16A16_SFLOAT, "R16G16B16A16_FLOAT"),
    colour(F::R32_UINT, "R32_UINT"),
    colour(F::R32_SINT, "R32_SINT"),
    colour(F::R32_SFLOAT, "R32_FLOAT"),
    colour(F::R32G32_UINT, "R32G32_UINT"),
    colour(F::R32G32_SINT, "R32G32_SINT"),
    colour(F::R32G32_SFLOAT, "R32G32_FLOAT"),
    colour(F::R32G32B32_UINT, "R32G32B32_UINT"),
    colour(F::R32G32B32_SINT, "R32G32B32_SINT"),
    colour(F::R32G32B32_SFLOAT, "R32G32B32_FLOAT"),
    colour(F::R32G32B32A32_UINT, "R32G32B32A32_UINT"),
    colour(F::R32G32B32A32_SINT, "R32G32B32A32_SINT"),
    colour(F::R32G32B32A32_SFLOAT, "R32G32B32A32_FLOAT"),
    colour(F::R64_UINT, "R64_PASSTHRU"),
    colour(F::R64_SINT, "R64_PASSTHRU"),
    colour(F::R64_SFLOAT, "R64_PASSTHRU"),
    colour(F::R64G64_UINT, "R64G64_PASSTHRU"),
    colour(F::R64G64_SINT, "R64G64_PASSTHRU"),
    colour(F::R64G64_SFLOAT, "R64G64_PASSTHRU"),
    colour(F::R64G64B64_UINT, "R64G64B64_PASSTHRU"),
    colour(F::R64G64B64_SINT, "R64G64B64_PASSTHRU"),
    colour(F::R64G64B64_SFLOAT, "R64G64B64_PASSTHRU"),
    colour(F::R64G64B64A64_UINT, "R64G64B64A64_PASSTHRU"),
    colour(F::R64G64B64A64_SINT, "R64G64B64A64_PASSTHRU"),
    colour(F::R64G64B64A64_SFLOAT, "R64G64B64A64_PASSTHRU"),
    colour(F::B10G11R11_UFLOAT_PACK32, "R11G11B10_FLOAT"),
    colour(F::E5B9G9R9_UFLOAT_PACK32, "R9G9B9E5_SHAREDEXP"),
    depth(F::D16_UNORM, "R16_UNORM"),
    depth(F::X8_D24_UNORM_PACK32, "R24_UNORM_X8_TYPELESS"),
    depth(F::D32_SFLOAT, "R32_FLOAT"),
    stencil(F::S8_UINT),
    depth_stencil(F::D24_UNORM_S8_UINT, "R24_UNORM_X8_TYPELESS"),
    depth_stencil(F::D32_SFLOAT_S8_UINT, "R32_FLOAT"),
    swizzled_row(F::BC1_RGB_UNORM_BLOCK, "BC1_UNORM", RGB1),
    swizzled_row(F::BC1_RGB_SRGB_BLOCK, "BC1_UNORM_SRGB", RGB1),
    colour(F::BC1_RGBA_UNORM_BLOCK, "BC1_UNORM"),
    colour(F::BC1_RGBA_SRGB_BLOCK, "BC1_UNORM_SRGB"),
    colour(F::BC2_UNORM_BLOCK, "BC2_UNORM"),
    colour(F::BC2_SRGB_BLOCK, "BC2_UNORM_SRGB"),
    colour(F::BC3_UNORM_BLOCK, "BC3_UNORM"),
    colour(F::BC3_SRGB_BLOCK, "BC3_UNORM_SRGB"),
    colour(F::BC4_UNORM_BLOCK, "BC4_UNORM"),
    colour(F::BC4_SNORM_BLOCK, "BC4_SNORM"),
    colour(F::BC5_UNORM_BLOCK, "BC5_UNORM"),
    colour(F::BC5_SNORM_BLOCK, "BC5_SNORM"),
    colour(F::BC6H_UFLOAT_BLOCK, "BC6H_UF16"),
    colour(F::BC6H_SFLOAT_BLOCK, "BC6H_SF16"),
    colour(F::BC7_UNORM_BLOCK, "BC7_UNORM"),
    colour(F::BC7_SRGB_BLOCK, "BC7_UNORM_SRGB"),
    colour(F::ETC2_R8G8B8_UNORM_BLOCK, "ETC2_RGB8"),
    colour(F::ETC2_R8G8B8_SRGB_BLOCK, "ETC2_SRGB8"),
    colour(F::ETC2_R8G8B8A1_UNORM_BLOCK, "ETC2_RGB8_PTA"),
    colour(F::ETC2_R8G8B8A1_SRGB_BLOCK, "ETC2_SRGB8_PTA"),
    colour(F::ETC2_R8G8B8A8_UNORM_BLOCK, "ETC2_EAC_RGBA8"),
    colour(F::ETC2_R8G8B8A8_SRGB_BLOCK, "ETC2_EAC_SRGB8_A8"),
    colour(F::EAC_R11_UNORM_BLOCK, "EAC_R11"),
    colour(F::EAC_R11_SNORM_BLOCK, "EAC_SIGNED_R11"),
    colour(F::EAC_R11G11_UNORM_BLOCK, "EAC_RG11"),
    colour(F::EAC_R11G11_SNORM_BLOCK, "EAC_SIGNED_RG11"),
    colour(F::ASTC_4X4_SRGB_BLOCK, "ASTC_LDR_2D_4X4_U8SRGB"),
    colour(F::ASTC_5X4_SRGB_BLOCK, "ASTC_LDR_2D_5X4_U8SRGB"),
    colour(F::ASTC_5X5_SRGB_BLOCK, "ASTC_LDR_2D_5X5_U8SRGB"),
    colour(F::ASTC_6X5_SRGB_BLOCK, "ASTC_LDR_2D_6X5_U8SRGB"),
    colour(F::ASTC_6X6_SRGB_BLOCK, "ASTC_LDR_2D_6X6_U8SRGB"),
    colour(F::ASTC_8X5_SRGB_BLOCK, "ASTC_LDR_2D_8X5_U8SRGB"),
    colour(F::ASTC_8X6_SRGB_BLOCK, "ASTC_LDR_2D_8X6_U8SRGB"),
    colour(F::ASTC_8X8_SRGB_BLOCK, "ASTC_LDR_2D_8X8_U8SRGB"),
    colour(F::ASTC_10X5_SRGB_BLOCK, "ASTC_LDR_2D_10X5_U8SRGB"),
    colour(F::ASTC_10X6_SRGB_BLOCK, "ASTC_LDR_2D_10X6_U8SRGB"),
    colour(F::ASTC_10X8_SRGB_BLOCK, "ASTC_LDR_2D_10X8_U8SRGB"),
    colour(F::ASTC_10X10_SRGB_BLOCK, "ASTC_LDR_2D_10X10_U8SRGB"),
    colour(F::ASTC_12X10_SRGB_BLOCK, "ASTC_LDR_2D_12X10_U8SRGB"),
    colour(F::ASTC_12X12_SRGB_BLOCK, "ASTC_LDR_2D_12X12_U8SRGB"),
    colour(F::ASTC_4X4_UNORM_BLOCK, "ASTC_LDR_2D_4X4_FLT16"),
    colour(F::ASTC_5X4_UNORM_BLOCK, "ASTC_LDR_2D_5X4_FLT16"),
    colour(F::ASTC_5X5_UNORM_BLOCK, "ASTC_LDR_2D_5X5_FLT16"),
    colour(F::ASTC_6X5_UNORM_BLOCK, "ASTC_LDR_2D_6X5_FLT16"),
    colour(F::ASTC_6X6_UNORM_BLOCK, "ASTC_LDR_2D_6X6_FLT16"),
    colour(F::ASTC_8X5_UNORM_BLOCK, "ASTC_LDR_2D_8X5_FLT16"),
    colour(F::ASTC_8X6_UNORM_BLOCK, "ASTC_LDR_2D_8X6_FLT16"),
    colour(F::ASTC_8X8_UNORM_BLOCK, "ASTC_LDR_2D_8X8_FLT16"),
    colour(F::ASTC_10X5_UNORM_BLOCK, "ASTC_LDR_2D_10X5_FLT16"),
    colour(F::ASTC_10X6_UNORM_BLOCK, "ASTC_LDR_2D_10X6_FLT16"),
    colour(F::ASTC_10X8_UNORM_BLOCK, "ASTC_LDR_2D_10X8_FLT16"),
    colour(F::ASTC_10X10_UNORM_BLOCK, "ASTC_LDR_2D_10X10_FLT16"),
    colour(F::ASTC_12X10_UNORM_BLOCK, "ASTC_LDR_2D_12X10_FLT16"),
    colour(F::ASTC_12X12_UNORM_BLOCK, "ASTC_LDR_2D_12X12_FLT16"),
    colour(F::B8G8R8A8_UNORM, "B8G8R8A8_UNORM"),
    colour(F::B8G8R8A8_SRGB, "B8G8R8A8_UNORM_SRGB"),
    colour(F::A4R4G4B4_UNORM_PACK16, "B4G4R4A4_UNORM"),
    swizzled_row(F::A1B5G5R5_UNORM_PACK16_KHR, "B5G5R5A1_UNORM", BGRA),
    colour(F::A8_UNORM_KHR, "A8_UNORM"),
    colour(F::R10X6_UNORM_PACK16, "R16_UNORM"),
    colour(F::R10X6G10X6_UNORM_2PACK16, "R16G16_UNORM"),
    colour(F::R12X4_UNORM_PACK16, "R16_UNORM"),
    colour(F::R12X4G12X4_UNORM_2PACK16, "R16G16_UNORM"),
];

/// Formats of planes whose lower bits are unused: the sampler would take them for a part of the
/// number, which conversions of whole images correct.
const PADDED: &[F] = &[
    F::R10X6_UNORM_PACK16,
    F::R10X6G10X6_UNORM_2PACK16,
    F::R12X4_UNORM_PACK16,
    F::R12X4G12X4_UNORM_2PACK16,
];

fn by_name(name: &str) -> Option<&'static hw::Format> {
    hw::FORMATS.iter().find(|format| format.name == name)
}

impl Row {
    fn format(&self, widened: bool) -> Option<Format> {
        let &Row(api, aspect_kind, name, swizzle) = self;
        Some(Format {
            api,
            aspect_kind,
            hw: by_name(name)?,
            swizzle,
            planar: None,
            widened,
        })
    }
}

/// The format table, sorted by `VkFormat`.
static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let found = ROWS.iter().filter_map(|row| row.format(false));
    let planar = PLANAR.iter().filter_map(|row| {
        Some(Format {
            api: row.api,
            aspect_kind: Aspects::Colour,
            hw: by_name(row.planes.first()?.format)?,
            swizzle: IDENTITY_SWIZZLE,
            planar: Some(row),
            widened: false,
        })
    });
    let mut formats: Vec<_> = found.chain(planar).collect();
    formats.sort_by_key(|format| format.api);
    formats
});

/// Replacements for formats with three channels of 8 or 16 bits in images with optimal tiling:
/// their elements can be neither rendered to nor tiled. The list is complete, as views may use any
/// of the formats.
static WIDENED: &[Row] = &[
    swizzled_row(F::R8G8B8_UNORM, "R8G8B8A8_UNORM", RGB1),
    swizzled_row(F::R8G8B8_SNORM, "R8G8B8A8_SNORM", RGB1),
    swizzled_row(F::R8G8B8_UINT, "R8G8B8A8_UINT", RGB1),
    swizzled_row(F::R8G8B8_SINT, "R8G8B8A8_SINT", RGB1),
    swizzled_row(F::R8G8B8_SRGB, "R8G8B8A8_UNORM_SRGB", RGB1),
    colour(F::R16G16B16_SFLOAT, "R16G16B16X16_FLOAT"),
    swizzled_row(F::R16G16B16_UNORM, "R16G16B16A16_UNORM", RGB1),
    swizzled_row(F::R16G16B16_SNORM, "R16G16B16A16_SNORM", RGB1),
    swizzled_row(F::R16G16B16_UINT, "R16G16B16A16_UINT", RGB1),
    swizzled_row(F::R16G16B16_SINT, "R16G16B16A16_SINT", RGB1),
];

/// The replacements, sorted by `VkFormat`.
static WIDENED_FORMATS: LazyLock<Vec<Format>> =
    LazyLock::new(|| WIDENED.iter().filter_map(|row| row.format(true)).collect());

/// Replacements for 64-bit integers in images and texel buffers: shaders access two dwords, and
/// compute addresses for atomics (`abi::TexelAddressing`).
static PAIRS: &[Row] = &[
    colour(F::R64_UINT, "R32G32_UINT"),
    colour(F::R64_SINT, "R32G32_UINT"),
];

/// The replacements, sorted by `VkFormat`.
static PAIR_FORMATS: LazyLock<Vec<Format>> =
    LazyLock::new(|| PAIRS.iter().filter_map(|row| row.format(false)).collect());

/// Formats of Vulkan 1.0, which have the first numbers.
const CORE: usize = 185;

/// Table index of each format of Vulkan 1.0; [`u16::MAX`] if unsupported.
static TABLE_INDEX: LazyLock<[u16; CORE]> = LazyLock::new(|| {
    let mut indices = [u16::MAX; CORE];
    for (at, row) in (0..).zip(FORMATS.iter()) {
        if let Some(place) = indices.get_mut(row.api.as_raw() as usize) {
            *place = at;
        }
    }
    indices
});

/// Finds a format.
pub fn find(format: F) -> Option<&'static Format> {
    match TABLE_INDEX.get(format.as_raw() as usize) {
        Some(&at) => FORMATS.get(usize::from(at)),
        None => {
            let at = FORMATS.binary_search_by_key(&format, |row| row.api);
            FORMATS.get(at.ok()?)
        }
    }
}

/// Finds a format as images with a tiling have it.
pub fn for_tiling(format: F, tiling: api::ImageTiling) -> Option<&'static Format> {
    let row = find(format)?;
    Some(row.for_tiling(tiling))
}

/// The linear format with the same bits as an sRGB format, if the data port can write it.
pub fn without_srgb(format: &hw::Format) -> Option<&'static hw::Format> {
    by_name(match format.name {
        "R8G8B8A8_UNORM_SRGB" => "R8G8B8A8_UNORM",
        "B8G8R8A8_UNORM_SRGB" => "B8G8R8A8_UNORM",
        _ => return None,
    })
}

/// The format with the same channels for typed writes; what is written to an unused fourth channel
/// does not matter.
pub fn typed_write_format(format: &'static hw::Format) -> &'static hw::Format {
    let other = match format.name {
        "R16G16B16X16_FLOAT" => by_name("R16G16B16A16_FLOAT"),
        _ => without_srgb(format),
    };
    other.unwrap_or(format)
}

/// Channels of a hardware format from bit 0 up: letter and bits.
pub(crate) fn channels(name: &str) -> SmallVec<[(u8, u32); 4]> {
    let mut channels: SmallVec<[(u8, u32); 4]> = SmallVec::new();
    for byte in name.bytes().take_while(|&byte| byte != b'_') {
        match (byte, channels.last_mut()) {
            (b'0'..=b'9', Some((_, bits))) => *bits = *bits * 10 + u32::from(byte - b'0'),
            _ => channels.push((byte, 0)),
        }
    }
    channels
}

impl Format {
    /// Aspects of images with the format.
    pub fn aspects(&self) -> api::ImageAspectFlags {
        match self.aspect_kind {
            Aspects::Colour if self.is_multi_planar() => {
                let planes = self.planar.map_or(&[][..], |planar| planar.planes);
                let each = ASPECTS.iter().take(planes.len());
                each.fold(api::ImageAspectFlags::empty(), |all, &one| all | one)
            }
            Aspects::Colour => api::ImageAspectFlags::COLOR,
            Aspects::Depth => api::ImageAspectFlags::DEPTH,
            Aspects::Stencil => api::ImageAspectFlags::STENCIL,
            Aspects::DepthStencil => api::ImageAspectFlags::DEPTH | api::ImageAspectFlags::STENCIL,
        }
    }

    /// Whether texels of images and buffers are 64-bit integers.
    pub fn has_64_bit_texels(&self) -> bool {
        matches!(self.api, F::R64_UINT | F::R64_SINT)
    }

    /// The format as texel buffers have it.
    pub fn for_texel_buffers(&self) -> &Format {
        let mut pairs = PAIR_FORMATS.iter();
        pairs.find(|row| row.api == self.api).unwrap_or(self)
    }

    /// The format as images with a tiling have it.
    pub fn for_tiling(&self, tiling: api::ImageTiling) -> &Format {
        if self.has_64_bit_texels() {
            return self.for_texel_buffers();
        }
        // The common case, checked first.
        if tiling != api::ImageTiling::OPTIMAL || !matches!(self.hw.block_bits, 24 | 48) {
            return self;
        }
        let mut widened = WIDENED_FORMATS.iter();
        widened.find(|row| row.api == self.api).unwrap_or(self)
    }

    /// Whether it is an integer format.
    pub fn is_integer(&self) -> bool {
        self.hw.is_integer()
    }

    /// Hardware format of an aspect.
    pub fn aspect_format(&self, aspect: api::ImageAspectFlags) -> Option<&'static hw::Format> {
        if !self.aspects().contains(aspect) {
            return None;
        }
        match self.aspect_kind {
            Aspects::DepthStencil if aspect == api::ImageAspectFlags::STENCIL => by_name(STENCIL),
            _ if self.is_multi_planar() => by_name(self.planar?.plane(aspect)?.format),
            _ => Some(self.hw),
        }
    }

    /// Whether it has several planes.
    pub fn is_multi_planar(&self) -> bool {
        self.planar.is_some_and(YcbcrFormat::is_multi_planar)
    }

    /// Number of planes, and of descriptor slots that they take.
    pub fn plane_count(&self) -> u32 {
        self.planar.map_or(1, |planar| planar.planes.len() as u32)
    }

    /// Extent of an aspect in texels; smaller than the image for subsampled planes.
    pub fn aspect_extent_px(&self, aspect: api::ImageAspectFlags, extent_px: [u32; 3]) -> [u32; 3] {
        let Some(plane) = self.planar.and_then(|planar| planar.plane(aspect)) else {
            return extent_px;
        };
        let [width, height, depth] = extent_px;
        let [x, y] = plane.shift;
        [width.div_ceil(1 << x), height.div_ceil(1 << y), depth]
    }

    /// Whether it is a colour format.
    pub fn is_colour(&self) -> bool {
        self.aspect_kind == Aspects::Colour
    }

    /// Whether it is ASTC.
    pub fn is_astc(&self) -> bool {
        self.hw.name.starts_with("ASTC")
    }

    /// Whether the swizzle only exchanges channels, so that writes can apply it.
    fn is_permuted(&self) -> bool {
        let mut channels = IDENTITY_SWIZZLE.iter();
        channels.all(|channel| self.swizzle.contains(channel))
    }

    /// Whether it is block-compressed.
    pub fn is_compressed(&self) -> bool {
        self.hw.block_el != [1, 1]
    }

    /// Whether its element size is not a power of two: such elements cannot be tiled.
    pub fn is_untileable(&self) -> bool {
        !self.hw.block_bits.is_power_of_two()
    }

    /// Bit layout of a 16-bit format that typed writes do not support: one byte per channel, first
    /// bit in the low nibble and bit count in the high one.
    pub fn layout_16(&self, hw_gen: Gen) -> Option<u32> {
        let name = self.hw.name;
        let typed = self.hw.uses(hw_gen).contains(FormatUse::TYPED_WRITE)
            && self.swizzle == IDENTITY_SWIZZLE;
        if self.hw.block_bits != 16 || !name.ends_with("_UNORM") || typed {
            return None;
        }
        let (mut packing, mut at) = (0, 0);
        for (name_char, bits) in channels(name) {
            let select = match name_char {
                b'R' => ChannelSelect::Red,
                b'G' => ChannelSelect::Green,
                b'B' => ChannelSelect::Blue,
                b'A' => ChannelSelect::Alpha,
                _ => return None,
            };
            let channel = self.swizzle.iter().position(|&from| from == select)?;
            packing |= (at | bits << 4) << (8 * channel);
            at += bits;
        }
        (at == 16).then_some(packing)
    }

    /// Channel type of a three-channel format that can be written channel by channel.
    pub fn three_channel_type(&self) -> Option<blit::ChannelFormat> {
        Some(match self.hw.name {
            "R8G8B8_UNORM" => blit::ChannelFormat::Unorm8,
            "R8G8B8_UNORM_SRGB" => blit::ChannelFormat::Srgb8,
            "R16G16B16_UNORM" => blit::ChannelFormat::Unorm16,
            "R16G16B16_FLOAT" => blit::ChannelFormat::Float16,
            "R32G32B32_FLOAT" => blit::ChannelFormat::Float32,
            _ => return None,
        })
    }

    /// Format features of images with a tiling.
    pub fn image_features(
        &self,
        hw_gen: Gen,
        tiling: api::ImageTiling,
    ) -> api::FormatFeatureFlags2 {
        self.for_tiling(tiling).table_features(hw_gen, tiling)
    }

    fn table_features(&self, hw_gen: Gen, tiling: api::ImageTiling) -> api::FormatFeatureFlags2 {
        use api::FormatFeatureFlags2 as A;
        let linear = tiling == api::ImageTiling::LINEAR;
        // The host does not convert elements.
        let host = match self.widened {
            true => A::empty(),
            false => A::HOST_IMAGE_TRANSFER_EXT,
        };
        let transfers = A::TRANSFER_SRC | A::TRANSFER_DST | host;
        if !self.is_colour() {
            let depth = A::SAMPLED_IMAGE_FILTER_LINEAR
                | A::SAMPLED_IMAGE_FILTER_MINMAX
                | A::SAMPLED_IMAGE_DEPTH_COMPARISON;
            let all = A::DEPTH_STENCIL_ATTACHMENT | transfers | A::SAMPLED_IMAGE;
            let all = all | A::BLIT_SRC | A::BLIT_DST;
            return match (linear, self.aspect_kind) {
                (true, _) => A::empty(),
                (_, Aspects::Stencil) => all,
                _ => all | depth,
            };
        }
        if let Some(planar) = self.planar {
            return ycbcr_features(planar);
        }
        if PADDED.contains(&self.api) {
            return transfers;
        }
        if self.has_64_bit_texels() {
            return transfers
                | A::STORAGE_IMAGE
                | A::STORAGE_IMAGE_ATOMIC
                | A::STORAGE_READ_WITHOUT_FORMAT
                | A::STORAGE_WRITE_WITHOUT_FORMAT;
        }
        let uses = self.hw.uses(hw_gen);
        // Formats for neither sampling nor rendering are vertex formats.
        let mut features = match uses.intersects(FormatUse::SAMPLE | FormatUse::TARGET) {
            true => transfers,
            false => return A::empty(),
        };
        // The sampler reads ASTC from tiled memory only.
        if linear && self.is_astc() {
            return features;
        }
        if uses.contains(FormatUse::SAMPLE) {
            features |= A::SAMPLED_IMAGE | A::SAMPLED_IMAGE_FILTER_MINMAX | A::BLIT_SRC;
        }
        let plain = typed_write_format(self.hw).uses(hw_gen);
        // What is written in place of alpha does not matter.
        let typed =
            plain.contains(FormatUse::TYPED_WRITE) && self.swizzle[..3] == IDENTITY_SWIZZLE[..3];
        if typed || self.layout_16(hw_gen).is_some() || self.three_channel_type().is_some() {
            features |= A::BLIT_DST;
        }
        if uses.contains(FormatUse::FILTER) {
            features |= A::SAMPLED_IMAGE_FILTER_LINEAR;
        }
        // If alpha is absent or channels are swizzled, blending would use the wrong channels.
        if uses.contains(FormatUse::TARGET)
            && self.swizzle[3] == ChannelSelect::Alpha
            && !self.is_untileable()
        {
            features |= A::COLOR_ATTACHMENT;
            if uses.contains(FormatUse::BLEND) && self.swizzle == IDENTITY_SWIZZLE {
                features |= A::COLOR_ATTACHMENT_BLEND;
            }
        }
        if uses.contains(FormatUse::TYPED_WRITE) && self.is_permuted() {
            features |= A::STORAGE_IMAGE | self.typed_features(uses);
            if self.hw.block_bits == 32 && self.supports_typed_atomics() {
                features |= A::STORAGE_IMAGE_ATOMIC;
            }
        }
        features
    }

    /// Format features of images with a DRM modifier; empty if there are none. Formats without a
    /// `DRM_FORMAT_*` are included: two users of Vulkan share such images by its own format.
    pub fn modifier_features(&self, modifier: &Modifier, hw_gen: Gen) -> api::FormatFeatureFlags2 {
        use api::FormatFeatureFlags2 as A;
        let whole = self.hw.block_bits.is_power_of_two() && !self.is_compressed();
        let planes = [
            F::G8_B8R8_2PLANE_420_UNORM,
            F::G8_B8_R8_3PLANE_420_UNORM,
            F::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
        ];
        let known = self.planar.is_none() || planes.contains(&self.api);
        if !(self.is_colour() && whole && known) {
            return A::empty();
        }
        // Scanout and other drivers know compressed pixels of 32 bits only; the data port, which
        // storage images use, knows none.
        let compressed = self.hw.block_bits == 32
            && self.planar.is_none()
            && self.hw.uses(hw_gen).contains(FormatUse::COMPRESS);
        if modifier.has_ccs {
            let without_ccs = A::STORAGE_IMAGE
                | A::STORAGE_IMAGE_ATOMIC
                | A::STORAGE_READ_WITHOUT_FORMAT
                | A::STORAGE_WRITE_WITHOUT_FORMAT
                | A::HOST_IMAGE_TRANSFER_EXT;
            return match compressed {
                true => self.image_features(hw_gen, api::ImageTiling::OPTIMAL) & !without_ccs,
                false => A::empty(),
            };
        }
        let tiling = match modifier.tilings {
            TilingSet::LINEAR => api::ImageTiling::LINEAR,
            _ => api::ImageTiling::OPTIMAL,
        };
        self.image_features(hw_gen, tiling) & !A::DISJOINT
    }

    /// Features of typed access without a format in the shader.
    fn typed_features(&self, uses: FormatUse) -> api::FormatFeatureFlags2 {
        use api::FormatFeatureFlags2 as A;
        let mut features = A::STORAGE_WRITE_WITHOUT_FORMAT;
        if uses.contains(FormatUse::TYPED_READ) {
            features |= A::STORAGE_READ_WITHOUT_FORMAT;
        }
        features
    }

    /// Whether typed atomics support it.
    fn supports_typed_atomics(&self) -> bool {
        ["R32_UINT", "R32_SINT", "R32_FLOAT"].contains(&self.hw.name)
    }

    /// Format features of buffers.
    pub fn buffer_features(&self, hw_gen: Gen) -> api::FormatFeatureFlags2 {
        use api::FormatFeatureFlags2 as A;
        let uses = self.hw.uses(hw_gen);
        let mut features = A::empty();
        let is_padded = PADDED.contains(&self.api);
        if !self.is_colour() || self.is_compressed() || self.planar.is_some() || is_padded {
            return features;
        }
        if uses.contains(FormatUse::VERTEX) {
            features |= A::VERTEX_BUFFER;
        }
        if self.has_64_bit_texels() {
            features |= A::STORAGE_TEXEL_BUFFER
                | A::STORAGE_TEXEL_BUFFER_ATOMIC
                | A::STORAGE_READ_WITHOUT_FORMAT
                | A::STORAGE_WRITE_WITHOUT_FORMAT;
        }
        if uses.contains(FormatUse::SAMPLE) {
            features |= A::UNIFORM_TEXEL_BUFFER;
        }
        // Formats that shaders cannot name are only written: reads need the format in the shader,
        // or a typed read without it.
        if uses.contains(FormatUse::TYPED_WRITE) && self.is_permuted() {
            features |= A::STORAGE_TEXEL_BUFFER | self.typed_features(uses);
            if self.supports_typed_atomics() {
                features |= A::STORAGE_TEXEL_BUFFER_ATOMIC;
            }
        }
        features
    }
}

/// Features of Y'CbCr formats, for all tilings.
fn ycbcr_features(planar: &YcbcrFormat) -> api::FormatFeatureFlags2 {
    use api::FormatFeatureFlags2 as A;
    let mut features = A::TRANSFER_SRC
        | A::TRANSFER_DST
        | A::HOST_IMAGE_TRANSFER_EXT
        | A::SAMPLED_IMAGE
        | A::SAMPLED_IMAGE_FILTER_LINEAR
        | A::SAMPLED_IMAGE_FILTER_MINMAX
        | A::MIDPOINT_CHROMA_SAMPLES;
    if planar.is_multi_planar() {
        features |= A::DISJOINT
            | A::SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER
            | A::SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER;
    }
    if planar.is_smaller(0) || planar.is_smaller(1) {
        features |= A::COSITED_CHROMA_SAMPLES;
    }
    features
}

/// The modifiers of a format, with features and number of memory planes.
pub fn modifiers(
    hw_gen: Gen,
    format: F,
) -> impl Iterator<Item = (&'static Modifier, api::FormatFeatureFlags2, u32)> {
    let row = find(format);
    // The most general first, as Mesa lists them: applications that take the first that has a
    // feature may want layers, too.
    let all = MODIFIERS.iter().rev().filter_map(move |modifier| {
        let row = row?;
        Some((
            modifier,
            row.modifier_features(modifier, hw_gen),
            row.plane_count() + u32::from(modifier.has_ccs),
        ))
    });
    all.filter(|(_, features, _)| !features.is_empty())
}

/// Format features for all uses.
pub fn properties(hw_gen: Gen, format: F) -> api::FormatProperties3<'static> {
    let all = api::FormatProperties3::default();
    let Some(row) = find(format) else {
        return all;
    };
    all.linear_tiling_features(row.image_features(hw_gen, api::ImageTiling::LINEAR))
        .optimal_tiling_features(row.image_features(hw_gen, api::ImageTiling::OPTIMAL))
        .buffer_features(row.buffer_features(hw_gen))
}

/// The features that fit into `VkFormatFeatureFlags`.
pub fn older(features: api::FormatFeatureFlags2) -> api::FormatFeatureFlags {
    api::FormatFeatureFlags::from_raw(features.as_raw() as u32 & 0x7fff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_refer_to_hardware_formats_once() {
        assert_eq!(FORMATS.len(), ROWS.len() + PLANAR.len());
        assert_eq!(WIDENED_FORMATS.len(), WIDENED.len());
        assert!(FORMATS.windows(2).all(|pair| pair[0].api < pair[1].api));
        let row = find(F::D24_UNORM_S8_UINT).unwrap();
        let hw_name = |aspect| row.aspect_format(aspect).map(|format| format.name);
        assert_eq!(
            hw_name(api::ImageAspectFlags::DEPTH),
            Some("R24_UNORM_X8_TYPELESS")
        );
        assert_eq!(hw_name(api::ImageAspectFlags::STENCIL), Some("R8_UINT"));
        assert_eq!(hw_name(api::ImageAspectFlags::COLOR), None);
        assert!(find(F::B8G8R8_UNORM).is_none());
    }
}
