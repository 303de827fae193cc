//! The texture cache: decoded texels.
//!
//! In:  a surface, a texel. Out: its value before the swizzle. A port's cache lives as long as its
//!      draw or dispatch, so like the machine's it does not see what the same draw writes.
//! Ref: SKL PRM vol. 7, "Sampling Engine", texture caches.

use crate::memory::AddressSpaceView;
use crate::surface::{Block, Codec, Image, Level};
use eu::StopReason;

/// Cached blocks of texels.
const LINES: usize = 512;
/// Binary logarithm of a block's width and height in texels.
const LOG2_BLOCK: u32 = 2;

/// 4 × 4 texels of a level's slice.
#[derive(Clone, Debug)]
struct Line {
    /// Surface state and level, slice and block.
    key: (u64, u64),
    /// Mask of the valid texels.
    valid: u16,
    /// The CCS state of the whole line; `None` if its texels are in several CCS blocks.
    block_state: Option<Block>,
    texels: [[u32; 4]; 16],
}

/// A direct-mapped cache of 4 × 4 blocks of texels.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextureCache {
    lines: Vec<Line>,
    /// Levels of surfaces, by the key of their lines.
    levels: Vec<(u64, CachedLevel)>,
    next: usize,
    /// The last CCS block that was looked up: surface and level, block, and its state.
    block: Option<(u64, [u32; 3], Block)>,
}

/// A level of a surface, and the codec of its format.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedLevel {
    pub level: Level,
    pub codec: Option<Codec>,
}

/// Cached levels.
const LEVELS: usize = 16;

/// The key of a surface's level; `state` is the address of the surface state, a multiple of 64.
fn key(state: u64, level: u32) -> u64 {
    state | u64::from(level & 63)
}

impl TextureCache {
    /// A level of a surface.
    pub fn level(&mut self, surface: (u64, &Image), level: u32) -> Level {
        self.cached_level(surface, level).level
    }

    /// The same, with its format's codec.
    pub fn cached_level(&mut self, (state, image): (u64, &Image), level: u32) -> &CachedLevel {
        let key = key(state, level);
        let found = self.levels.iter().position(|l| l.0 == key);
        let at = found.unwrap_or_else(|| {
            let known = CachedLevel {
                level: image.at_level(level),
                codec: Codec::from_format(image.format),
            };
            if self.levels.len() < LEVELS {
                self.levels.push((key, known));
                return self.levels.len() - 1;
            }
            self.next = (self.next + 1) % LEVELS;
            self.levels[self.next] = (key, known);
            self.next
        });
        &self.levels[at].1
    }

    /// The texel of a level at x, y and slice z; zeros where there is none. `state` tells surfaces
    /// apart.
    pub fn texel(
        &mut self,
        view: &AddressSpaceView<'_>,
        (state, image): (u64, &Image),
        (level, known): (u32, &Level),
        place: [u32; 3],
    ) -> Result<[u32; 4], StopReason> {
        let [x, y, z] = place;
        let (column, row) = (x >> LOG2_BLOCK, y >> LOG2_BLOCK);
        let block = u64::from(column) | u64::from(row) << 20 | u64::from(z) << 40;
        let key = (key(state, level), block);
        if self.lines.is_empty() {
            let line = Line {
                key: (u64::MAX, u64::MAX),
                valid: 0,
                block_state: None,
                texels: [[0; 4]; 16],
            };
            self.lines = vec![line; LINES];
        }
        // Neighbours in both directions, of both levels, and of a few surfaces get different lines.
        let slices = (z << 3) ^ (level << 7) ^ ((state >> 6) as u32).wrapping_mul(37);
        let spread = column ^ (row << 4) ^ slices;
        let Some(line) = self.lines.get_mut(spread as usize % LINES) else {
            return Ok([0; 4]);
        };
        if line.key != key {
            line.key = key;
            line.valid = 0;
            // CCS blocks that are at least as wide as a line begin where a line begins.
            line.block_state = match image.ccs_block() {
                None => Some(Block::Plain),
                Some([width, _]) if width >= 1 << LOG2_BLOCK => {
                    let corner = [column << LOG2_BLOCK, row << LOG2_BLOCK, z];
                    Some(image.block(view, level, corner)?)
                }
                Some(_) => None,
            };
        }
        let index = (x & 3 | (y & 3) << LOG2_BLOCK) as usize & 15;
        if line.valid >> index & 1 == 0 {
            line.texels[index] = match (line.block_state, known.address(x, y, z, 0)) {
                (_, None) => image.outside(),
                (Some(block), Some(address)) => image.decode_at(view, address, [x, y], block)?,
                (None, _) => image.load_at(view, (level, known), place, 0)?,
            };
            line.valid |= 1 << index;
        }
        Ok(line.texels[index])
    }

    /// The same without keeping it: for messages that read a texel once.
    pub fn load_uncached(
        &mut self,
        view: &AddressSpaceView<'_>,
        (state, image): (u64, &Image),
        level: u32,
        [x, y, z]: [u32; 3],
    ) -> Result<[u32; 4], StopReason> {
        let known = self.level((state, image), level);
        let Some(address) = known.address(x, y, z, 0) else {
            return Ok(image.outside());
        };
        let block = self.block(view, (state, image), level, [x, y, z])?;
        image.decode_at(view, address, [x, y], block)
    }

    /// The CCS state of a texel's block.
    pub fn block(
        &mut self,
        view: &AddressSpaceView<'_>,
        (state, image): (u64, &Image),
        level: u32,
        [x, y, z]: [u32; 3],
    ) -> Result<Block, StopReason> {
        let Some([width, height]) = image.ccs_block() else {
            return Ok(Block::Plain);
        };
        let key = key(state, level);
        let block = [x / width, y / height, z];
        if let Some((of, at, block_state)) = self.block
            && of == key
            && at == block
        {
            return Ok(block_state);
        }
        let block_state = image.block(view, level, [x, y, z])?;
        self.block = Some((key, block, block_state));
        Ok(block_state)
    }
}

#[cfg(test)]
mod tests;
