//! Layout changes, as barriers and render passes request them.

use std::sync::Arc;

use ash::vk as api;

use crate::image::Image;

/// A layout change of a range of an image.
#[derive(Clone, Copy, Debug)]
pub struct LayoutChange<'a> {
    /// The image.
    pub image: &'a Arc<Image>,
    /// Mip levels and array layers.
    pub range: api::ImageSubresourceRange,
    /// Old and new layout.
    pub layouts: [api::ImageLayout; 2],
    /// Whether it is acquired from, and released to, another device or API.
    pub foreign: [bool; 2],
}
