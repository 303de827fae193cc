//! How the levels, slices and samples of a surface are laid out.
//!
//! In:  sizes and alignments. Out: offsets of levels, places of samples.
//! Ref: SKL PRM vol. 5, "Surface Layout and Tiling": 1D, 2D and 3D surfaces; "Multisampled
//!      Surfaces".

use super::tiling::Tiling;

/// Levels a surface can have.
pub(super) const LEVELS: u32 = 15;
/// Elements that levels of 1D surfaces are aligned to.
pub(super) const ALIGNMENT_1D: u32 = 64;

pub(super) fn minify(size: u32, level: u32) -> u32 {
    size.checked_shr(level).unwrap_or(0).max(1)
}

/// Offset of a level in a slice: level 1 is below level 0, level 2 and all after it are to the
/// right of level 1. Sizes are those of level 0 and the offset is in the same units; `align` is
/// what each level is rounded up to.
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

/// Rows of the tables of mip tails that lie in a tile of 64 KB only.
const SLOTS_BEYOND_4KB: u32 = 4;

/// Offset of a level in the mip tail of a standard tiling: columns and rows of elements of so many
/// bytes, and slices. `level` counts from the first level of the tail.
pub(super) fn mip_tail_offset(tiling: Tiling, level: u32, bytes: u32) -> [u32; 3] {
    let first = match tiling.tile_bytes() {
        0..=4096 => SLOTS_BEYOND_4KB,
        _ => 0,
    };
    let (slot, column) = (
        first.saturating_add(level) as usize,
        bytes.clamp(1, 16).ilog2(),
    );
    if tiling.tile_slices() > 1 {
        let slots = MIP_TAIL_3D.get(slot).copied().unwrap_or_default();
        return slots[column as usize];
    }
    let slots = MIP_TAIL_2D.get(slot).copied().unwrap_or_default();
    let [x, y] = slots[column as usize];
    [x, y, 0]
}

/// Where the levels of a mip tail start: columns and rows of elements of 1, 2, 4, 8 and 16 bytes.
/// SKL PRM vol. 5, "Tiling and Mip Tail for 2D Surfaces".
static MIP_TAIL_2D: [[[u32; 2]; 5]; 15] = [
    [[128, 0], [128, 0], [64, 0], [64, 0], [32, 0]],
    [[0, 128], [0, 64], [0, 64], [0, 32], [0, 32]],
    [[64, 0], [64, 0], [32, 0], [32, 0], [16, 0]],
    [[0, 64], [0, 32], [0, 32], [0, 16], [0, 16]],
    [[32, 0], [32, 0], [16, 0], [16, 0], [8, 0]],
    [[16, 32], [16, 16], [8, 16], [8, 8], [4, 8]],
    [[0, 48], [0, 24], [0, 24], [0, 12], [0, 12]],
    [[0, 32], [0, 16], [0, 16], [0, 8], [0, 8]],
    [[16, 16], [16, 8], [8, 8], [8, 4], [4, 4]],
    [[16, 0], [16, 0], [8, 0], [8, 0], [4, 0]],
    [[0, 16], [0, 8], [0, 8], [0, 4], [0, 4]],
    [[0, 12], [8, 4], [4, 4], [6, 0], [3, 0]],
    [[0, 8], [8, 0], [4, 0], [4, 0], [2, 0]],
    [[0, 4], [0, 4], [0, 4], [2, 0], [1, 0]],
    [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]],
];

/// The same of 3D surfaces, with slices. SKL PRM vol. 5, "Tiling and Mip Tail for 3D Surfaces".
static MIP_TAIL_3D: [[[u32; 3]; 5]; 16] = [
    [[32, 0, 0], [16, 0, 0], [16, 0, 0], [16, 0, 0], [8, 0, 0]],
    [[0, 16, 0], [0, 16, 0], [0, 16, 0], [0, 8, 0], [0, 8, 0]],
    [[0, 0, 16], [0, 0, 16], [0, 0, 8], [0, 0, 8], [0, 0, 8]],
    [[16, 0, 0], [8, 0, 0], [8, 0, 0], [8, 0, 0], [4, 0, 0]],
    [[0, 8, 0], [0, 8, 0], [0, 8, 0], [0, 4, 0], [0, 4, 0]],
    [[0, 0, 8], [0, 0, 8], [0, 0, 4], [0, 0, 4], [0, 0, 4]],
    [[0, 4, 4], [0, 4, 4], [4, 4, 0], [6, 0, 0], [3, 0, 0]],
    [[0, 4, 0], [0, 4, 0], [0, 4, 0], [4, 0, 0], [2, 0, 0]],
    [[0, 0, 7], [0, 0, 7], [4, 0, 3], [2, 0, 3], [1, 0, 3]],
    [[0, 0, 6], [0, 0, 6], [4, 0, 2], [2, 0, 2], [1, 0, 2]],
    [[0, 0, 5], [0, 0, 5], [4, 0, 1], [2, 0, 1], [1, 0, 1]],
    [[0, 0, 4], [0, 0, 4], [4, 0, 0], [2, 0, 0], [1, 0, 0]],
    [[0, 0, 3], [0, 0, 3], [0, 0, 3], [0, 0, 3], [0, 0, 3]],
    [[0, 0, 2], [0, 0, 2], [0, 0, 2], [0, 0, 2], [0, 0, 2]],
    [[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]],
    [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
];

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
