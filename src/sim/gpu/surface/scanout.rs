//! Compressed surfaces as the display engine reads them.
//!
//! In:  the words of a buffer with a Y-tiled surface of four bytes per pixel and its CCS. Out: the
//!      word of a pixel, decompressed.
//! Ref: drm_fourcc.h, I915_FORMAT_MOD_Y_TILED_CCS: a tile of the CCS for 1024 by 512 pixels.

use super::aux::{self, CcsPlane};
use super::ccs_compression::CompressionCode;
use super::tiling::{self, Tiling};
use hw::Format;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Pixels of a block with one state: two cache lines side by side.
const BLOCK_PX: [u32; 2] = [8, 4];

/// Where a compressed surface and its CCS lie in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct CompressedPlane {
    /// Format of the pixels: four bytes each.
    pub format: &'static Format,
    /// Start of the surface in bytes.
    pub offset_bytes: u64,
    /// Pitch of the surface in bytes.
    pub pitch_bytes: u32,
    /// Start of the CCS in bytes.
    pub ccs_offset_bytes: u64,
    /// Pitch of the CCS in bytes.
    pub ccs_pitch_bytes: u32,
}

impl CompressedPlane {
    /// The word of a pixel. `None` beyond the words, or in a block that was fast-cleared: the
    /// display engine does not know the clear colour.
    pub fn pixel(&self, words: &[AtomicU32], [x, y]: [u32; 2]) -> Option<u32> {
        let read = |byte: u64| {
            let word = words.get(usize::try_from(byte / 4).ok()?)?;
            Some(word.load(Relaxed))
        };
        let ccs = CcsPlane {
            address: self.ccs_offset_bytes,
            pitch_bytes: self.ccs_pitch_bytes,
        };
        let (column, row) = (x / BLOCK_PX[0], y / BLOCK_PX[1]);
        let (dword, shift) = ccs.location(column, row);
        let state = read(dword)? >> shift & 3;
        let at = self.offset_bytes + tiling::offset(Tiling::Y, x * 4, y, self.pitch_bytes);
        let word = read(at)?;
        match aux::block_of_state(state) {
            super::Block::Clear => None,
            super::Block::Compressed => {
                Some(word ^ CompressionCode::from_format(self.format).xor_mask(at))
            }
            super::Block::Plain => Some(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pixel beyond the first block of the CCS's second line, in every state of its block.
    #[test]
    fn states_of_blocks_decide_on_pixels() {
        let format = hw::FORMATS
            .iter()
            .find(|format| format.name == "B8G8R8A8_UNORM")
            .expect("a format");
        let plane = CompressedPlane {
            format,
            offset_bytes: 4096,
            pitch_bytes: 1024,
            ccs_offset_bytes: 1 << 17,
            ccs_pitch_bytes: 128,
        };
        let words: Vec<_> = (0..40 << 10).map(|_| AtomicU32::new(0)).collect();
        // Pixel (136, 70): block (17, 17), in the second column and row of lines of 16 by 16. The
        // tile is the second of four in its row, and the third row of eight tiles.
        let pixel = 4096 + (2 * 8 + 4) * 4096 + 2 * 512 + 6 * 16;
        let state = (1 << 17) + 512 + 4 * 16 + 4;
        words[pixel / 4].store(0x1234_5678, Relaxed);
        assert_eq!(plane.pixel(&words, [136, 70]), Some(0x1234_5678));
        words[state / 4].store(1 << 2, Relaxed);
        let compressed = plane.pixel(&words, [136, 70]).expect("a pixel");
        let mask = CompressionCode::from_format(format).xor_mask(pixel as u64);
        assert_eq!(compressed, 0x1234_5678 ^ mask);
        words[state / 4].store(3 << 2, Relaxed);
        assert_eq!(plane.pixel(&words, [136, 70]), None);
        assert_eq!(plane.pixel(&words, [144, 70]), Some(0));
        assert_eq!(plane.pixel(&words, [136, 1 << 20]), None);
    }
}
