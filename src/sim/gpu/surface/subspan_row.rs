//! The 8 × 2 texels of four subspans in a row, which SIMD16 threads fetch and write together.
//!
//! In:  a level, the upper left texel. Out: sixteen texels of up to a dword, loaded or stored,
//!      reported as rows.
//! Ref: as `layout.rs`.

use super::image::Image;
use super::level::Level;
use crate::memory::AddressSpaceView;
use eu::StopReason;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Texels of a row, and rows.
const SIZE: [u32; 2] = [8, 2];

/// The lane of each texel, by column: of the upper row, of the lower.
const LANES: [[usize; 8]; 2] = [[0, 1, 4, 5, 8, 9, 12, 13], [2, 3, 6, 7, 10, 11, 14, 15]];

/// The addresses of the texels of four subspans in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    /// Bytes of a texel: 1, 2 or 4.
    bytes: u32,
    /// Addresses of the left and right four texels: of the upper row, of the lower.
    halves: [[u64; 2]; 2],
}

impl Band {
    /// The 8 × 2 texels from a place on. None where one of them is out of bounds, rows of them are
    /// not together, or texels are longer than a dword.
    #[inline(always)]
    pub fn locate(level: &Level, place: [u32; 3]) -> Option<Band> {
        let [upper, lower] = level.rows(place, SIZE)?;
        Some(Band {
            bytes: level.bytes(),
            halves: [upper, lower],
        })
    }

    /// Whether all texels are in one block of the image's CCS.
    pub fn is_of_one_block(image: &Image, [x, y, _]: [u32; 3]) -> bool {
        let one = |[w, h]: [u32; 2]| x % w + SIZE[0] <= w && y % h + SIZE[1] <= h;
        image.ccs_block().is_none_or(one)
    }

    /// Loads the texels by lane. `None` if a cache may hold other contents, or memory is not mapped
    /// contiguously.
    #[inline(always)]
    pub fn load(&self, view: &AddressSpaceView<'_>) -> Result<Option<[u32; 16]>, StopReason> {
        let [upper, lower] = self.halves;
        let mut all = [0; 16];
        match self.bytes {
            4 => {
                let addresses = [upper[0], upper[1], lower[0], lower[1]];
                let Some(runs) = view.readable::<4, 4>(addresses)? else {
                    return Ok(None);
                };
                for (halves, lanes) in runs.as_chunks::<2>().0.iter().zip(LANES) {
                    for (word, lane) in halves.iter().copied().flatten().zip(lanes) {
                        all[lane] = word.load(Relaxed);
                    }
                }
            }
            2 => {
                let Some([upper, lower]) = view.readable::<2, 4>([upper[0], lower[0]])? else {
                    return Ok(None);
                };
                // A dword is two pixels of a subspan.
                for (i, (upper, lower)) in upper.iter().zip(lower).enumerate() {
                    let (upper, lower) = (upper.load(Relaxed), lower.load(Relaxed));
                    all[4 * i] = upper & 0xffff;
                    all[4 * i + 1] = upper >> 16;
                    all[4 * i + 2] = lower & 0xffff;
                    all[4 * i + 3] = lower >> 16;
                }
            }
            _ => {
                let Some([upper, lower]) = view.readable::<2, 2>([upper[0], lower[0]])? else {
                    return Ok(None);
                };
                // A word is two pixels of a subspan.
                let spread = |word: &AtomicU32| {
                    let word = u64::from(word.load(Relaxed));
                    word & 0xffff | (word & 0xffff_0000) << 16
                };
                let first = spread(&upper[0]) | spread(&lower[0]) << 16;
                let second = spread(&upper[1]) | spread(&lower[1]) << 16;
                let bytes = (u128::from(first) | u128::from(second) << 64).to_le_bytes();
                for (texel, byte) in all.iter_mut().zip(bytes) {
                    *texel = byte.into();
                }
            }
        }
        Ok(Some(all))
    }

    /// Stores the texels of the lanes in `mask`. False if they have to be written one by one.
    #[inline(always)]
    pub fn store(
        &self,
        view: &AddressSpaceView<'_>,
        mask: u32,
        texels: &[u32; 16],
    ) -> Result<bool, StopReason> {
        // What is written is reported by rows.
        if view.is_strict() && mask & 0xffff != 0xffff {
            return Ok(false);
        }
        let [upper, lower] = self.halves;
        match self.bytes {
            4 => {
                let addresses = [upper[0], upper[1], lower[0], lower[1]];
                let Some(runs) = view.writable::<4, 4>(addresses)? else {
                    return Ok(false);
                };
                for (halves, lanes) in runs.as_chunks::<2>().0.iter().zip(LANES) {
                    for (word, lane) in halves.iter().copied().flatten().zip(lanes) {
                        if mask >> lane & 1 == 1 {
                            word.store(texels[lane], Relaxed);
                        }
                    }
                }
            }
            2 => {
                let Some(rows) = view.writable::<2, 4>([upper[0], lower[0]])? else {
                    return Ok(false);
                };
                store::<4, 2>(rows, mask, texels);
            }
            _ => {
                let Some(rows) = view.writable::<2, 2>([upper[0], lower[0]])? else {
                    return Ok(false);
                };
                store::<2, 4>(rows, mask, texels);
            }
        }
        Ok(true)
    }
}

/// Writes texels of which `EACH` are in a dword: their neighbours stay.
#[inline(always)]
fn store<const N: usize, const EACH: usize>(
    rows: [&[AtomicU32; N]; 2],
    mask: u32,
    texels: &[u32; 16],
) {
    let bits = 32 / EACH;
    for (row, lanes) in rows.into_iter().zip(LANES) {
        for (word, lanes) in row.iter().zip(lanes.as_chunks::<EACH>().0) {
            let (mut value, mut preserved) = (0, 0);
            for (i, lane) in lanes.iter().enumerate() {
                let own = u32::MAX >> (32 - bits) << (i * bits);
                value |= texels[*lane] << (i * bits) & own;
                let stays = mask >> lane & 1 == 0;
                preserved |= if stays { own } else { 0 };
            }
            match preserved {
                0 => word.store(value, Relaxed),
                u32::MAX => {}
                _ => {
                    // The closure always answers, so the update cannot fail.
                    let _ = word.fetch_update(Relaxed, Relaxed, |old| {
                        Some(old & preserved | value & !preserved)
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
