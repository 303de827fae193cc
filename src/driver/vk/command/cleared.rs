//! Targets of a rendering of which blocks have the clear colour until it ends.

use std::sync::Arc;

use cmd::draw::target::Surface;
use smallvec::SmallVec;

use crate::image::{Image, texel};

/// A target of which blocks may have the clear colour.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    /// Its surface, with the control surface and the colour.
    pub surface: Surface,
    /// The rectangle that stands for its level.
    pub size_px: [u32; 2],
    /// First layers and how many, as renderings count them.
    pub layers: SmallVec<[(u32, u32); 1]>,
    /// Of several samples: what is cleared, and the bytes of a pixel.
    pub several: Option<Several>,
}

/// An image of several samples, of which pixels may have the clear colour.
#[derive(Clone, Debug)]
pub(super) struct Several {
    pub image: Arc<Image>,
    /// The layer that the rendering counts from.
    pub first_layer: u32,
    pub pixel: texel::Texel,
}

impl Cleared {
    /// Samples of a pixel.
    pub fn samples(&self) -> u8 {
        let several = self.several.as_ref();
        several.map_or(1, |several| several.image.samples() as u8)
    }
}
