//! Texel sizes and aspects of formats.

use crate::vulkan::error::Error;
use ash::vk;

/// Aspects that images of this format have.
pub(super) fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    use vk::ImageAspectFlags as A;
    match format {
        vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT => {
            A::DEPTH
        }
        vk::Format::S8_UINT => A::STENCIL,
        vk::Format::D16_UNORM_S8_UINT
        | vk::Format::D24_UNORM_S8_UINT
        | vk::Format::D32_SFLOAT_S8_UINT => A::DEPTH | A::STENCIL,
        _ => A::COLOR,
    }
}

/// Size in bytes of one texel (or 4 × 4 block) of an aspect in a buffer, and the side of a block in
/// texels.
pub fn texel_bytes(format: vk::Format, aspect: vk::ImageAspectFlags) -> Result<(u64, u32), Error> {
    use vk::Format as F;
    if aspect == vk::ImageAspectFlags::STENCIL {
        return Ok((1, 1));
    }
    let texel = |bytes| Ok((bytes, 1));
    match format {
        F::R8_UNORM | F::R8_SNORM | F::R8_UINT | F::R8_SINT | F::S8_UINT | F::A8_UNORM_KHR => {
            texel(1)
        }
        F::R8G8_UNORM | F::R8G8_SNORM | F::R8G8_UINT | F::R8G8_SINT => texel(2),
        F::R16_UNORM | F::R16_SNORM | F::R16_UINT | F::R16_SINT | F::R16_SFLOAT => texel(2),
        F::R5G6B5_UNORM_PACK16
        | F::A1R5G5B5_UNORM_PACK16
        | F::A1B5G5R5_UNORM_PACK16_KHR
        | F::B4G4R4A4_UNORM_PACK16
        | F::D16_UNORM
        | F::D16_UNORM_S8_UINT => texel(2),
        F::R8G8B8A8_UNORM
        | F::R8G8B8A8_SNORM
        | F::R8G8B8A8_UINT
        | F::R8G8B8A8_SINT
        | F::R8G8B8A8_SRGB
        | F::B8G8R8A8_UNORM
        | F::B8G8R8A8_SRGB
        | F::A2B10G10R10_UNORM_PACK32
        | F::A2B10G10R10_UINT_PACK32
        | F::B10G11R11_UFLOAT_PACK32
        | F::E5B9G9R9_UFLOAT_PACK32
        | F::R16G16_UNORM
        | F::R16G16_SFLOAT
        | F::R16G16_UINT
        | F::R16G16_SINT
        | F::R32_SFLOAT
        | F::R32_UINT
        | F::R32_SINT
        | F::D32_SFLOAT
        | F::D24_UNORM_S8_UINT
        | F::X8_D24_UNORM_PACK32
        | F::D32_SFLOAT_S8_UINT => texel(4),
        F::R16G16B16_SFLOAT => texel(6),
        F::R16G16B16A16_UNORM
        | F::R16G16B16A16_SNORM
        | F::R16G16B16A16_SFLOAT
        | F::R16G16B16A16_UINT
        | F::R16G16B16A16_SINT
        | F::R32G32_SFLOAT
        | F::R32G32_UINT
        | F::R32G32_SINT => texel(8),
        F::R32G32B32A32_SFLOAT | F::R32G32B32A32_UINT | F::R32G32B32A32_SINT => texel(16),
        F::BC1_RGB_UNORM_BLOCK | F::BC1_RGBA_UNORM_BLOCK | F::BC4_UNORM_BLOCK => Ok((8, 4)),
        F::BC2_UNORM_BLOCK | F::BC3_UNORM_BLOCK | F::BC5_UNORM_BLOCK | F::BC7_UNORM_BLOCK => {
            Ok((16, 4))
        }
        _ => Err(Error::Unsupported(format!(
            "the samples' table of formats lacks {format:?}"
        ))),
    }
}
