//! Where the levels, slices and samples of a surface lie.
//!
//! In:  an [`Image`], coordinates. Out: the address of a texel, or none where it is out of bounds.
//! Ref: SKL PRM vol. 5, "Surface Layout and Tiling": 1D, 2D and 3D surfaces; "Multisampled Surfaces".

use super::image::{Image, Kind};
use super::level::Level;

/// Levels a surface can have.
pub(super) const LEVELS: u32 = 15;
/// Elements that levels of 1D surfaces are aligned to.
pub(super) const ALIGNMENT_1D: u32 = 64;

pub(super) fn minify(size: u32, level: u32) -> u32 {
    size.checked_shr(level).unwrap_or(0).max(1)
}

/// Offset of a level in a slice: level 1 is below level 0, level 2 and all after it are to the right of level 1. Sizes
/// are those of level 0 and the offset is in the same units; `align` is what each level is rounded up to.
pub(super) fn level_offset(level: u32, [w, h]: [u32; 2], align: [u32; 2]) -> [u32; 2] {
    let (mut x, mut y) = (0, 0);
    for l in 0..level.min(LEVELS) {
        if l == 1 {
            x += minify(w, l).next_multiple_of(align[0]);
        } else {
            y += minify(h, l).next_multiple_of(align[1]);
        }
    }
    [x, y]
}

/// Samples that a pixel of an interleaved surface is wide and high.
pub(super) fn interleaved_size(samples: u32) -> [u32; 2] {
    match samples {
        2 => [2, 1],
        4 => [2, 2],
        8 => [4, 2],
        16 => [4, 4],
        _ => [1, 1],
    }
}

/// Place of a pixel's sample in an interleaved surface: samples of 2 × 2 pixels lie together.
pub(super) fn interleave(samples: u32, [x, y]: [u32; 2], s: u32) -> [u32; 2] {
    let [w, h] = interleaved_size(samples);
    let (pair_x, pair_y) = ((x & !1) * w, (y & !1) * h);
    let (low_x, low_y) = (x & 1, y & 1);
    let column = (s & 1) << 1 | s & 4;
    let row = match samples {
        16 => s & 2 | (s & 8) >> 1,
        _ => s & 2,
    };
    [pair_x | column | low_x, pair_y | row | low_y]
}

impl Image {
    /// Size of a level, counted as accesses count: Surface Min LOD is added. The third is the depth of 3D surfaces, else
    /// the array elements (of cubes, faces).
    pub fn level_extent(&self, lod: u32) -> [u32; 3] {
        let level = self.level(lod);
        let depth = match self.kind {
            Kind::D3 => minify(self.depth, level),
            _ => self.depth,
        };
        match self.kind {
            Kind::Buffer | Kind::Null => [self.width, self.height, self.depth],
            _ => [minify(self.width, level), minify(self.height, level), depth],
        }
    }

    /// The level of the surface that an access's level means.
    pub(super) fn level(&self, lod: u32) -> u32 {
        lod.saturating_add(self.min_lod)
    }

    /// Address of a texel, or of the compressed block that holds it; none out of bounds. `z` is the slice, array element
    /// or face.
    pub fn texel_address(&self, lod: u32, x: u32, y: u32, z: u32, sample: u32) -> Option<u64> {
        self.at_level(lod).address(x, y, z, sample)
    }

    /// A level, for many addresses.
    pub fn at_level(&self, lod: u32) -> Level {
        Level::new(self, lod)
    }
}
