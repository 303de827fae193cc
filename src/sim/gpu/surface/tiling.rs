//! Where a byte of a tiled surface lies.
//!
//! In:  a byte column and a row. Out: bytes from the surface's base.
//! Ref: SKL PRM vol. 5, "Tiling", the address diagrams of TileX, TileY and TileW. Gen9 swizzles no
//!      address bits.

use hw::value::state::tile_mode;

/// Tile modes of RENDER_SURFACE_STATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tiling {
    Linear,
    /// 512 bytes × 8 rows.
    X,
    /// 128 bytes × 32 rows, in columns of 16 bytes.
    Y,
    /// 64 × 64 bytes of stencil; counts as 128 bytes × 32 rows where pitches are stated.
    W,
}

impl Tiling {
    /// By the value of Tile Mode.
    pub fn from_mode(mode: u64) -> Tiling {
        match mode {
            tile_mode::LINEAR => Tiling::Linear,
            tile_mode::WMAJOR => Tiling::W,
            tile_mode::XMAJOR => Tiling::X,
            _ => Tiling::Y,
        }
    }

    /// What pitches are multiples of.
    pub fn pitch_unit(self) -> u32 {
        match self {
            Tiling::Linear => 1,
            Tiling::X => 512,
            Tiling::Y | Tiling::W => 128,
        }
    }
}

/// Bytes from the base of byte `x_bytes` of row `y`. The pitch of W tiles is as state has it: twice
/// the bytes of a row.
pub(crate) fn offset(tiling: Tiling, x_bytes: u32, y: u32, pitch_bytes: u32) -> u64 {
    column(tiling, x_bytes) + row(tiling, y, pitch_bytes)
}

/// [`offset`] of four bytes.
#[inline(always)]
pub(super) fn four(tiling: Tiling, columns: [u32; 4], rows: [u32; 4], pitch: u32) -> [u64; 4] {
    let mut places = [0; 4];
    for (i, place) in places.iter_mut().enumerate() {
        *place = column(tiling, columns[i]) + row(tiling, rows[i], pitch);
    }
    places
}

/// What a byte column adds to an offset, whatever the row.
#[inline(always)]
pub(super) fn column(tiling: Tiling, x_bytes: u32) -> u64 {
    let x = u64::from(x_bytes);
    match tiling {
        Tiling::Linear => x,
        Tiling::X => x / 512 * 4096 + x % 512,
        Tiling::Y => x / 128 * 4096 + x % 128 / 16 * 512 + x % 16,
        // From bit 11 of a W tile down: x5 x4 x3 y5 y4 y3 y2 x2 y1 x1 y0 x0.
        Tiling::W => x / 64 * 4096 + ((x >> 3 & 7) << 9 | (x & 4) << 2 | (x & 2) << 1 | x & 1),
    }
}

/// What a row adds to an offset, whatever the column.
#[inline(always)]
pub(super) fn row(tiling: Tiling, y: u32, pitch_bytes: u32) -> u64 {
    let (y, pitch) = (u64::from(y), u64::from(pitch_bytes));
    match tiling {
        Tiling::Linear => y * pitch,
        Tiling::X => y / 8 * (pitch * 8) + y % 8 * 512,
        Tiling::Y => y / 32 * (pitch * 32) + y % 32 * 16,
        Tiling::W => y / 64 * (pitch * 32) + ((y >> 2 & 15) << 5 | (y & 2) << 2 | (y & 1) << 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Address bits 11..0 of a tile by the PRM's diagrams: which bit of x (bytes) or of y each is.
    fn by_diagram(bits: [&str; 12], x: u32, y: u32) -> u64 {
        bits.iter().fold(0, |address, bit| {
            let n: u32 = bit[1..].parse().unwrap();
            let from = if bit.starts_with('x') { x } else { y };
            address << 1 | u64::from(from >> n & 1)
        })
    }

    const X: [&str; 12] = [
        "y2", "y1", "y0", "x8", "x7", "x6", "x5", "x4", "x3", "x2", "x1", "x0",
    ];
    const Y: [&str; 12] = [
        "x6", "x5", "x4", "y4", "y3", "y2", "y1", "y0", "x3", "x2", "x1", "x0",
    ];
    const W: [&str; 12] = [
        "x5", "x4", "x3", "y5", "y4", "y3", "y2", "x2", "y1", "x1", "y0", "x0",
    ];

    #[test]
    fn tiles_follow_the_address_diagrams() {
        // A pitch of three tiles each; the second tile of the second row of tiles.
        for (tiling, bits, [width, height], pitch) in [
            (Tiling::X, X, [512, 8], 1536),
            (Tiling::Y, Y, [128, 32], 384),
            (Tiling::W, W, [64, 64], 384),
        ] {
            let mut seen = vec![false; 4096];
            for y in 0..height {
                for x in 0..width {
                    let expected = by_diagram(bits, x, y);
                    seen[expected as usize] = true;
                    assert_eq!(offset(tiling, x, y, pitch), expected, "{tiling:?} {x} {y}");
                    let there = offset(tiling, width + x, height + y, pitch);
                    assert_eq!(there, 4 * 4096 + expected, "{tiling:?} {x} {y}");
                }
            }
            assert!(seen.iter().all(|s| *s));
        }
    }

    #[test]
    fn linear_row_pitch() {
        assert_eq!(offset(Tiling::Linear, 5, 3, 100), 305);
        let far = offset(Tiling::Linear, u32::MAX, u32::MAX, u32::MAX);
        assert_eq!(far, u64::from(u32::MAX) * (u64::from(u32::MAX) + 1));
    }
}
