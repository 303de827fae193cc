//! Regions of images in copies.

use ash::vk as api;

/// A box within one aspect of an image.
#[derive(Clone, Copy, Debug)]
pub struct ImageBox {
    /// The aspect.
    pub aspect: api::ImageAspectFlags,
    /// Mip level.
    pub level: u32,
    /// First array layer; 0 for 3D images.
    pub first_layer: u32,
    /// Number of array layers.
    pub layers: u32,
    /// Offset in pixels; the third coordinate is the slice of a 3D image.
    pub offset_px: [u32; 3],
    /// Size in pixels.
    pub extent_px: [u32; 3],
}
