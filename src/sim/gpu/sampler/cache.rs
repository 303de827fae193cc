//! Texels that have been decoded: the texture cache.
//!
//! In:  a surface, a texel. Out: its value before the swizzle. A port's cache lives as long as its draw or dispatch, so
//! like the machine's it does not see what the same draw writes.
//! Ref: SKL PRM vol. 7, "Sampling Engine", texture caches.

use crate::memory::View;
use crate::surface::{Block, Codec, Image, Level};
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
    /// What the control surface says of all of them, where it says one thing of them.
    said: Option<Block>,
    texels: [[u32; 4]; 16],
}

/// Blocks of texels by where they are from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texels {
    lines: Vec<Line>,
    /// Levels of surfaces, by the key of their lines.
    levels: Vec<(u64, Known)>,
    next: usize,
    /// The block of a control surface that was last asked for: surface and level, block, and what is said of it.
    block: Option<(u64, [u32; 3], Block)>,
}

/// A level of a surface, and how texels of its format become values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub level: Level,
    pub codec: Option<Codec>,
}

/// Levels kept.
const LEVELS: usize = 16;

/// What tells a level of a surface from others; `state` is the address of the surface's state.
fn key(state: u64, level: u32) -> u64 {
    state | u64::from(level & 63)
}

impl Texels {
    /// A level of a surface.
    pub fn level(&mut self, surface: (u64, &Image), level: u32) -> Level {
        self.known(surface, level).level
    }

    /// The same, with its format's codec.
    pub fn known(&mut self, (state, image): (u64, &Image), level: u32) -> &Known {
        let key = key(state, level);
        let found = self.levels.iter().position(|l| l.0 == key);
        let at = found.unwrap_or_else(|| {
            let known = Known {
                level: image.at_level(level),
                codec: Codec::of(image.format),
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

    /// The texel of a level at x, y and slice z; zeros where there is none. `state` tells surfaces apart.
    pub fn texel(
        &mut self,
        view: &View<'_>,
        (state, image): (u64, &Image),
        (level, known): (u32, &Level),
        place: [u32; 3],
    ) -> Result<[u32; 4], Stop> {
        let [x, y, z] = place;
        let (column, row) = (x >> LOG, y >> LOG);
        let block = u64::from(column) | u64::from(row) << 20 | u64::from(z) << 40;
        let key = (key(state, level), block);
        if self.lines.is_empty() {
            let line = Line {
                key: (u64::MAX, u64::MAX),
                valid: 0,
                said: None,
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
            // Blocks of the control surface as wide as a line, or wider, begin where lines do.
            line.said = match image.ccs_block() {
                None => Some(Block::Plain),
                Some([width, _]) if width >= 1 << LOG => {
                    let corner = [column << LOG, row << LOG, z];
                    Some(image.block(view, level, corner)?)
                }
                Some(_) => None,
            };
        }
        let index = (x & 3 | (y & 3) << LOG) as usize & 15;
        if line.valid >> index & 1 == 0 {
            line.texels[index] = match (line.said, known.address(x, y, z, 0)) {
                (_, None) => image.outside(),
                (Some(block), Some(address)) => image.value_at(view, address, [x, y], block)?,
                (None, _) => image.load_at(view, (level, known), place, 0)?,
            };
            line.valid |= 1 << index;
        }
        Ok(line.texels[index])
    }

    /// The same without keeping it: for messages that read a texel once.
    pub fn once(
        &mut self,
        view: &View<'_>,
        (state, image): (u64, &Image),
        level: u32,
        [x, y, z]: [u32; 3],
    ) -> Result<[u32; 4], Stop> {
        let known = self.level((state, image), level);
        let Some(address) = known.address(x, y, z, 0) else {
            return Ok(image.outside());
        };
        let block = self.block(view, (state, image), level, [x, y, z])?;
        image.value_at(view, address, [x, y], block)
    }

    /// What the control surface says of a texel's block.
    pub fn block(
        &mut self,
        view: &View<'_>,
        (state, image): (u64, &Image),
        level: u32,
        [x, y, z]: [u32; 3],
    ) -> Result<Block, Stop> {
        let Some([width, height]) = image.ccs_block() else {
            return Ok(Block::Plain);
        };
        let key = key(state, level);
        let block = [x / width, y / height, z];
        if let Some((of, at, said)) = self.block
            && of == key
            && at == block
        {
            return Ok(said);
        }
        let said = image.block(view, level, [x, y, z])?;
        self.block = Some((key, block, said));
        Ok(said)
    }
}
