//! Targets of which blocks or pixels have the clear colour, and what a recording knows of them.
//!
//! A clear is kept from one rendering to the next where the image has a record for it ([`Image::record`]), which the GPU writes and reads.
//! What a recording has seen of an image itself it need not ask the record for.

use std::sync::Arc;

use cmd::draw::target::{Record, Surface};
use cmd::fast_clear_record::FastClearRecord;
use smallvec::SmallVec;

use crate::image::{Image, texel};

/// A target of which blocks may have the clear colour.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    /// Its surface, with the control surface and the colour.
    pub surface: Surface,
    /// What the GPU has to put into it first.
    pub record: Option<Record>,
    /// The rectangle that stands for its level.
    pub size_px: [u32; 2],
    /// First layers and how many, as renderings count them.
    pub layers: SmallVec<[(u32, u32); 1]>,
    /// It stays compressed when its blocks get the colour.
    pub compressed: bool,
    /// The bytes of a pixel.
    pub pixel: texel::Texel,
    /// Of several samples.
    pub several: Option<Several>,
}

/// An image of several samples, of which pixels may have the clear colour.
#[derive(Clone, Debug)]
pub(super) struct Several {
    pub image: Arc<Image>,
    /// The layer that the rendering counts from.
    pub first_layer: u32,
}

impl Cleared {
    /// Samples of a pixel.
    pub fn samples(&self) -> u8 {
        let several = self.several.as_ref();
        several.map_or(1, |several| several.image.samples() as u8)
    }

    /// The bytes of a pixel in dwords.
    pub fn pixel_dw(&self) -> [u32; 4] {
        let mut pixel = [0; 4];
        for (at, byte) in self.pixel.iter().enumerate() {
            pixel[at / 4 % 4] |= u32::from(*byte) << (8 * (at % 4));
        }
        pixel
    }

    /// The clear as the record of one that is kept has it.
    pub fn kept(&self) -> FastClearRecord {
        let pixel = self.several.as_ref().map(|_| self.pixel_dw());
        FastClearRecord::from_surface(&self.surface, pixel)
    }
}

/// What is kept of the clear of an image.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// Nothing: all is where it lies.
    Nothing,
    /// This.
    Clear(FastClearRecord),
    /// What the record says.
    Recorded,
}

/// What a recording knows of images, by their records, while they are in layouts in which clears are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownClears(SmallVec<[(u64, Option<FastClearRecord>); 2]>);

impl KnownClears {
    fn place(&self, record: u64) -> Option<usize> {
        self.0.iter().rposition(|known| known.0 == record)
    }

    /// What is known of an image.
    pub fn of(&self, record: u64) -> Known {
        let known = self.place(record).and_then(|place| self.0.get(place));
        match known {
            None => Known::Recorded,
            Some((_, None)) => Known::Nothing,
            Some((_, Some(kept))) => Known::Clear(*kept),
        }
    }

    /// This is kept of it from here on, or nothing.
    pub fn learn(&mut self, record: u64, kept: Option<FastClearRecord>) {
        match self.place(record).and_then(|place| self.0.get_mut(place)) {
            Some(known) => known.1 = kept,
            None => self.0.push((record, kept)),
        }
    }

    /// Nothing more is known of it.
    pub fn forget(&mut self, record: u64) {
        if let Some(place) = self.place(record) {
            self.0.swap_remove(place);
        }
    }

    /// Nothing more is known: others may have changed it.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_last_is_known_until_it_is_forgotten() {
        let kept = |colour| FastClearRecord::from_surface(&[colour; 16], None);
        let mut known = KnownClears::default();
        assert!(matches!(known.of(64), Known::Recorded));
        known.learn(64, None);
        known.learn(128, Some(kept(7)));
        known.learn(192, None);
        assert!(matches!(known.of(64), Known::Nothing));
        assert!(matches!(known.of(128), Known::Clear(is) if is == kept(7)));
        known.learn(64, Some(kept(9)));
        known.forget(192);
        assert!(matches!(known.of(64), Known::Clear(is) if is == kept(9)));
        assert!(matches!(known.of(192), Known::Recorded));
        known.clear();
        assert!(matches!(known.of(128), Known::Recorded));
    }
}
