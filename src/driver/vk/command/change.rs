//! Changes of layout, as barriers ask for them and render passes bring them about.

use std::sync::Arc;

use ash::vk as api;

use crate::image::Image;

/// A change of layout.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The image.
    pub image: &'a Arc<Image>,
    /// Levels and layers of it.
    pub range: api::ImageSubresourceRange,
    /// Layouts before and after.
    pub layouts: [api::ImageLayout; 2],
}
