//! The formats of windows: a Vulkan format, and the DRM formats of the same pixels.
//!
//! In:  a Vulkan format and an alpha mode. Out: a DRM format code, bytes per pixel.
//! Ref: drm_fourcc.h. Its names list channels from the most significant bit of a little-endian
//! pixel, so ABGR8888 has the bytes of R8G8B8A8.

use ash::vk as api;

use crate::present::AlphaMode;

/// A format of windows.
#[derive(Clone, Copy, Debug)]
pub struct WindowFormat {
    /// The format of the images.
    pub format: api::Format,
    /// Bytes of a pixel.
    pub pixel_bytes: u32,
    /// The DRM format whose alpha bits are ignored.
    opaque: [u8; 4],
    /// The DRM format with alpha.
    alpha: [u8; 4],
}

const fn row(
    format: api::Format,
    pixel_bytes: u32,
    opaque: &[u8; 4],
    alpha: &[u8; 4],
) -> WindowFormat {
    WindowFormat {
        format,
        pixel_bytes,
        opaque: *opaque,
        alpha: *alpha,
    }
}

/// All formats of windows, the preferred one first.
pub static FORMATS: &[WindowFormat] = &[
    row(api::Format::B8G8R8A8_SRGB, 4, b"XR24", b"AR24"),
    row(api::Format::B8G8R8A8_UNORM, 4, b"XR24", b"AR24"),
    row(api::Format::R8G8B8A8_SRGB, 4, b"XB24", b"AB24"),
    row(api::Format::R8G8B8A8_UNORM, 4, b"XB24", b"AB24"),
    row(api::Format::A2R10G10B10_UNORM_PACK32, 4, b"XR30", b"AR30"),
    row(api::Format::A2B10G10R10_UNORM_PACK32, 4, b"XB30", b"AB30"),
    row(api::Format::R16G16B16A16_SFLOAT, 8, b"XB4H", b"AB4H"),
];

impl WindowFormat {
    /// Finds a format.
    pub fn find(format: api::Format) -> Option<&'static WindowFormat> {
        FORMATS.iter().find(|row| row.format == format)
    }

    /// The DRM format code (FourCC) for an alpha mode.
    pub fn fourcc(&self, alpha: AlphaMode) -> u32 {
        u32::from_le_bytes(match alpha {
            AlphaMode::Opaque => self.opaque,
            AlphaMode::Premultiplied | AlphaMode::Inherit => self.alpha,
        })
    }
}
