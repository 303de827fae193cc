//! Parameters of images.
//!
//! In:  a description. Out: the uses of its surfaces.

use ash::vk as api;
use surface::ImageUsage;

use crate::image_limits::ImageQuery;
use crate::modifier::{Modifier, PlaneLayout, PlaneLayouts};

/// Parameters of an image.
#[derive(Clone, Copy, Debug)]
pub struct ImageCreateInfo {
    /// Format, dimension, tiling, usage, flags.
    pub question: ImageQuery,
    /// Width, height, depth.
    pub extent_px: [u32; 3],
    /// Mip levels.
    pub levels: u32,
    /// Array layers.
    pub layers: u32,
    /// Sample count.
    pub samples: api::SampleCountFlags,
    /// All formats that views may have agree on the meaning of compressed blocks: the image is not
    /// mutable, or all formats of its list do ([`super::have_compatible_compression`]).
    pub alike: bool,
    /// The memory may be shared with other processes.
    pub shared: bool,
    /// Explicit plane layouts, of images that others have laid out.
    pub layouts: PlaneLayouts,
    /// Textures have no aux data
    /// ([`Context::has_textures_without_aux`](crate::context::Context::has_textures_without_aux)).
    pub textures_without_aux: bool,
}

impl ImageCreateInfo {
    /// Whether the image has a modifier with a CCS.
    pub(super) fn has_ccs_modifier(&self) -> bool {
        let modifier = self.question.modifier.and_then(Modifier::find);
        modifier.is_some_and(|modifier| modifier.has_ccs)
    }

    /// The explicit layout of the CCS: the second memory plane of an image with such a modifier.
    pub(super) fn ccs_layout(&self) -> Option<PlaneLayout> {
        self.layouts[1].filter(|_| self.has_ccs_modifier())
    }

    /// Uses that determine the layout of a surface.
    pub(super) fn usage(&self, aspect: api::ImageAspectFlags) -> ImageUsage {
        use api::ImageUsageFlags as U;
        let mut all = ImageUsage::NO_AUX;
        // Images to be exported need rows that a display can scan out.
        if self.question.modifier.is_some() && self.layouts == PlaneLayouts::default() {
            all |= ImageUsage::DISPLAY;
        }
        all |= match aspect {
            api::ImageAspectFlags::DEPTH => ImageUsage::DEPTH,
            api::ImageAspectFlags::STENCIL => ImageUsage::STENCIL,
            _ => ImageUsage::empty(),
        };
        let asked = self.question.usage;
        // Blits use the sampler and render targets.
        for (uses, means) in [
            (
                U::SAMPLED | U::INPUT_ATTACHMENT | U::TRANSFER_SRC,
                ImageUsage::TEXTURE,
            ),
            (U::STORAGE, ImageUsage::STORAGE),
        ] {
            if asked.intersects(uses) {
                all |= means;
            }
        }
        let targets = U::COLOR_ATTACHMENT | U::TRANSFER_DST;
        let depth_stencil = api::ImageAspectFlags::DEPTH | api::ImageAspectFlags::STENCIL;
        if !depth_stencil.contains(aspect) && asked.intersects(targets) {
            all |= ImageUsage::RENDER_TARGET;
        }
        let [width, height, _] = self.extent_px;
        let cube = api::ImageCreateFlags::CUBE_COMPATIBLE;
        if self.question.flags.contains(cube) && width == height && self.layers >= 6 {
            all |= ImageUsage::CUBE;
        }
        all
    }
}
