//! Where a byte of a tiled surface lies.
//!
//! In:  a byte column and a row. Out: bytes from the surface's base.
//! Ref: SKL PRM vol. 5, "Tiling", the address diagrams of TileX, TileY and TileW, and "Tiling and
//!      Mip Tail for 2D Surfaces" of TileYf. Gen9 swizzles no address bits.

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
    /// TileYf of elements of a byte: 64 bytes × 64 rows.
    Yf8,
    /// TileYf of elements of two or four bytes: 128 bytes × 32 rows.
    Yf32,
    /// TileYf of elements of eight or sixteen bytes: 256 bytes × 16 rows.
    Yf128,
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

    /// TileYf of 2D elements of so many bytes; `None` if there is no such tiling.
    pub fn standard_4kb(element_bytes: u32) -> Option<Tiling> {
        match element_bytes {
            1 => Some(Tiling::Yf8),
            2 | 4 => Some(Tiling::Yf32),
            8 | 16 => Some(Tiling::Yf128),
            _ => None,
        }
    }

    /// Bytes of a row of a tile, and rows of a tile, of the standard tilings. Each level of a
    /// surface starts at a tile of them.
    pub fn standard_tile(self) -> Option<[u32; 2]> {
        match self {
            Tiling::Yf8 => Some([64, 64]),
            Tiling::Yf32 => Some([128, 32]),
            Tiling::Yf128 => Some([256, 16]),
            Tiling::Linear | Tiling::X | Tiling::Y | Tiling::W => None,
        }
    }

    /// What pitches are multiples of.
    pub fn pitch_unit(self) -> u32 {
        match self {
            Tiling::Linear => 1,
            Tiling::X => 512,
            Tiling::Y | Tiling::W | Tiling::Yf32 => 128,
            Tiling::Yf8 => 64,
            Tiling::Yf128 => 256,
        }
    }

    /// Bytes from a cache line, 16 bytes by four rows, to its right neighbour, if lines lie so and
    /// its byte column is a multiple of 32.
    pub fn next_line_bytes(self) -> Option<u64> {
        match self {
            Tiling::Linear | Tiling::X | Tiling::W => None,
            tiling => Some(column(tiling, 16)),
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
        // From bit 11 of a tile down: x5 y5 x4 y4 y3 y2 y1 y0 x3 x2 x1 x0.
        Tiling::Yf8 => x / 64 * 4096 + ((x & 0x20) << 6 | (x & 0x10) << 5 | x & 15),
        // From bit 11 of a tile down: x6 y4 x5 y3 x4 y2 y1 y0 x3 x2 x1 x0.
        Tiling::Yf32 => {
            x / 128 * 4096 + ((x & 0x40) << 5 | (x & 0x20) << 4 | (x & 0x10) << 3 | x & 15)
        }
        // From bit 11 of a tile down: x7 y3 x6 y2 x5 x4 y1 y0 x3 x2 x1 x0.
        Tiling::Yf128 => {
            x / 256 * 4096 + ((x & 0x80) << 4 | (x & 0x40) << 3 | (x & 0x30) << 2 | x & 15)
        }
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
        Tiling::Yf8 => y / 64 * (pitch * 64) + ((y & 0x20) << 5 | (y & 31) << 4),
        Tiling::Yf32 => y / 32 * (pitch * 32) + ((y & 16) << 6 | (y & 8) << 5 | (y & 7) << 4),
        Tiling::Yf128 => y / 16 * (pitch * 16) + ((y & 8) << 7 | (y & 4) << 6 | (y & 3) << 4),
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
    const YF8: [&str; 12] = [
        "x5", "y5", "x4", "y4", "y3", "y2", "y1", "y0", "x3", "x2", "x1", "x0",
    ];
    const YF32: [&str; 12] = [
        "x6", "y4", "x5", "y3", "x4", "y2", "y1", "y0", "x3", "x2", "x1", "x0",
    ];
    const YF128: [&str; 12] = [
        "x7", "y3", "x6", "y2", "x5", "x4", "y1", "y0", "x3", "x2", "x1", "x0",
    ];

    #[test]
    fn tiles_follow_the_address_diagrams() {
        // A pitch of three tiles each; the second tile of the second row of tiles.
        for (tiling, bits, [width, height], pitch) in [
            (Tiling::X, X, [512, 8], 1536),
            (Tiling::Y, Y, [128, 32], 384),
            (Tiling::W, W, [64, 64], 384),
            (Tiling::Yf8, YF8, [64, 64], 192),
            (Tiling::Yf32, YF32, [128, 32], 384),
            (Tiling::Yf128, YF128, [256, 16], 768),
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
