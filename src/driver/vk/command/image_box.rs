//! A piece of an image, as copies name it.

use ash::vk as api;

/// A box of a part of an image.
#[derive(Clone, Copy, Debug)]
pub struct ImageBox {
    /// Which part.
    pub aspect: api::ImageAspectFlags,
    /// Level.
    pub level: u32,
    /// First layer; of volumes 0.
    pub first_layer: u32,
    /// Layers.
    pub layers: u32,
    /// Where it begins, in pixels; of volumes with the slice.
    pub offset_px: [u32; 3],
    /// Its size in pixels.
    pub extent_px: [u32; 3],
}
