//! Texels that have been decoded: the texture cache.
//!
//! In:  a surface, a texel. Out: its value before the swizzle. A port's cache lives as long as its draw or dispatch, so
//! like the machine's it does not see what the same draw writes.
//! Ref: SKL PRM vol. 7, "Sampling Engine", texture caches.

use crate::memory::View;
use crate::surface::Image;
use eu::Stop;

/// Blocks of texels kept.
const LINES: usize = 512;
/// Texels that a block is wide and high, as a power of two.
const LOG: u32 = 2;

/// 4 × 4 texels of a level's slice.
#[derive(Clone, Debug)]
struct Line {
    /// Surface state and level, slice and block.
    key: (u64, u64),
    /// Texels that are there.
    valid: u16,
    texels: [[u32; 4]; 16],
}

/// Blocks of texels by where they are from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texels {
    lines: Vec<Line>,
}

impl Texels {
    /// The texel of a level at x, y and slice z; zeros where there is none. `state` tells surfaces apart.
    pub fn texel(
        &mut self,
        view: &View<'_>,
        (state, image): (u64, &Image),
        level: u32,
        place: [u32; 3],
    ) -> Result<[u32; 4], Stop> {
        let [x, y, z] = place;
        let (column, row) = (x >> LOG, y >> LOG);
        let block = u64::from(column) | u64::from(row) << 20 | u64::from(z) << 40;
        let key = (state | u64::from(level & 63), block);
        if self.lines.is_empty() {
            let line = Line {
                key: (u64::MAX, u64::MAX),
                valid: 0,
                texels: [[0; 4]; 16],
            };
            self.lines = vec![line; LINES];
        }
        // Neighbours in both directions, of both levels, and of a few surfaces get places of their own.
        let slices = (z << 3) ^ (level << 7) ^ ((state >> 6) as u32).wrapping_mul(37);
        let spread = column ^ (row << 4) ^ slices;
        let Some(line) = self.lines.get_mut(spread as usize % LINES) else {
            return Ok([0; 4]);
        };
        if line.key != key {
            line.key = key;
            line.valid = 0;
        }
        let index = (x & 3 | (y & 3) << LOG) as usize & 15;
        if line.valid >> index & 1 == 0 {
            line.texels[index] = image.load(view, level, place, 0)?;
            line.valid |= 1 << index;
        }
        Ok(line.texels[index])
    }
}
