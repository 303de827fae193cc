//! Fast clear state of images, as a recording knows it.
//!
//! Images with a record ([`Image::fast_clear_record`]) stay fast-cleared beyond the end of a
//! rendering; the GPU writes and reads the record. If the recording has seen the clear itself, it
//! needs not read the record.

use std::sync::Arc;

use cmd::draw::target::{RecordAddress, SurfaceStateWords};
use cmd::fast_clear_record::FastClearRecord;
use smallvec::SmallVec;

use crate::image::{Image, texel};

/// A target with blocks or pixels that may be fast-cleared.
#[derive(Clone, Debug)]
pub(super) struct FastClearTarget {
    /// Its surface state, with aux surface and clear colour.
    pub surface: SurfaceStateWords,
    /// The record to copy into the surface state first.
    pub record: Option<RecordAddress>,
    /// Size of the scaled rectangle that covers the level.
    pub size_px: [u32; 2],
    /// First layer and layer count of each range, relative to the rendering.
    pub layers: SmallVec<[(u32, u32); 1]>,
    /// Resolved blocks stay compressed.
    pub compressed: bool,
    /// The clear colour as a pixel in memory.
    pub pixel: texel::Texel,
    /// Set for multisampled targets.
    pub multisampled: Option<MultisampledTarget>,
}

/// A multisampled image with pixels that may be fast-cleared.
#[derive(Clone, Debug)]
pub(super) struct MultisampledTarget {
    pub image: Arc<Image>,
    /// The rendering's first layer in the image.
    pub first_layer: u32,
}

impl FastClearTarget {
    /// Sample count.
    pub fn samples(&self) -> u8 {
        let multisampled = self.multisampled.as_ref();
        multisampled.map_or(1, |multisampled| multisampled.image.samples() as u8)
    }

    /// The clear colour as dwords of a pixel.
    pub fn pixel_dw(&self) -> [u32; 4] {
        let mut pixel = [0; 4];
        for (at, byte) in self.pixel.iter().enumerate() {
            pixel[at / 4 % 4] |= u32::from(*byte) << (8 * (at % 4));
        }
        pixel
    }

    /// The contents of the image's record.
    pub fn to_record(&self) -> FastClearRecord {
        let pixel = self.multisampled.as_ref().map(|_| self.pixel_dw());
        FastClearRecord::from_surface(&self.surface, pixel)
    }
}

/// Fast clear state of an image.
#[derive(Clone, Copy, Debug)]
pub(super) enum ClearState {
    /// Not fast-cleared.
    NotCleared,
    /// Fast-cleared with this record.
    Cleared(FastClearRecord),
    /// Unknown at record time: the GPU-visible record tells.
    InRecord,
}

/// Clear states of images by record address, while the images are in attachment-only layouts.
#[derive(Clone, Debug, Default)]
pub(super) struct ClearStates(SmallVec<[(u64, Option<FastClearRecord>); 2]>);

impl ClearStates {
    fn position(&self, record: u64) -> Option<usize> {
        self.0.iter().rposition(|known| known.0 == record)
    }

    /// The state of an image.
    pub fn get(&self, record: u64) -> ClearState {
        let known = self
            .position(record)
            .and_then(|position| self.0.get(position));
        match known {
            None => ClearState::InRecord,
            Some((_, None)) => ClearState::NotCleared,
            Some((_, Some(to_record))) => ClearState::Cleared(*to_record),
        }
    }

    /// Sets the state of an image: fast-cleared, or not.
    pub fn set(&mut self, record: u64, to_record: Option<FastClearRecord>) {
        match self
            .position(record)
            .and_then(|position| self.0.get_mut(position))
        {
            Some(known) => known.1 = to_record,
            None => self.0.push((record, to_record)),
        }
    }

    /// Makes the state of an image unknown.
    pub fn remove(&mut self, record: u64) {
        if let Some(position) = self.position(record) {
            self.0.swap_remove(position);
        }
    }

    /// Makes all states unknown: other command buffers may have changed them.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_state_holds_until_it_is_removed() {
        let to_record = |colour| FastClearRecord::from_surface(&[colour; 16], None);
        let mut known = ClearStates::default();
        assert!(matches!(known.get(64), ClearState::InRecord));
        known.set(64, None);
        known.set(128, Some(to_record(7)));
        known.set(192, None);
        assert!(matches!(known.get(64), ClearState::NotCleared));
        assert!(matches!(known.get(128), ClearState::Cleared(is) if is == to_record(7)));
        known.set(64, Some(to_record(9)));
        known.remove(192);
        assert!(matches!(known.get(64), ClearState::Cleared(is) if is == to_record(9)));
        assert!(matches!(known.get(192), ClearState::InRecord));
        known.clear();
        assert!(matches!(known.get(128), ClearState::InRecord));
    }
}
