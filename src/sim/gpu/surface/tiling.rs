//! Where a byte of a tiled surface lies.
//!
//! In:  a byte column, a row and, of tiles that are several slices deep, a slice. Out: bytes from
//!      the surface's base.
//! Ref: SKL PRM vol. 5, "Tiling", the address diagrams of TileX, TileY and TileW; "Tiling and Mip
//!      Tail for 2D Surfaces" and "Calculating Texel Location", 2D and 3D surfaces, of TileYf
//!      and TileYs. Gen9 swizzles no address bits.

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
    /// TileYf of 3D elements of a byte or two: 16 bytes × 16 rows × 16 slices.
    Yf3d16,
    /// TileYf of 3D elements of four bytes: 32 bytes × 16 rows × 8 slices.
    Yf3d32,
    /// TileYf of 3D elements of eight or sixteen bytes: 64 bytes × 8 rows × 8 slices.
    Yf3d128,
    /// TileYs of elements of a byte: 256 bytes × 256 rows.
    Ys8,
    /// TileYs of elements of two or four bytes: 512 bytes × 128 rows.
    Ys32,
    /// TileYs of elements of eight or sixteen bytes: 1024 bytes × 64 rows.
    Ys128,
    /// TileYs of 3D elements of a byte or two: 64 bytes × 32 rows × 32 slices.
    Ys3d16,
    /// TileYs of 3D elements of four bytes: 128 bytes × 32 rows × 16 slices.
    Ys3d32,
    /// TileYs of 3D elements of eight or sixteen bytes: 256 bytes × 16 rows × 16 slices.
    Ys3d128,
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

    /// TileYf, with tiles of 4 KB, of elements of so many bytes, of 3D surfaces or of others;
    /// `None` if there is no such tiling.
    pub fn standard_4kb(element_bytes: u32, is_3d: bool) -> Option<Tiling> {
        match (element_bytes, is_3d) {
            (1, false) => Some(Tiling::Yf8),
            (2 | 4, false) => Some(Tiling::Yf32),
            (8 | 16, false) => Some(Tiling::Yf128),
            (1 | 2, true) => Some(Tiling::Yf3d16),
            (4, true) => Some(Tiling::Yf3d32),
            (8 | 16, true) => Some(Tiling::Yf3d128),
            _ => None,
        }
    }

    /// TileYs, with tiles of 64 KB, as [`Tiling::standard_4kb`].
    pub fn standard_64kb(element_bytes: u32, is_3d: bool) -> Option<Tiling> {
        match (element_bytes, is_3d) {
            (1, false) => Some(Tiling::Ys8),
            (2 | 4, false) => Some(Tiling::Ys32),
            (8 | 16, false) => Some(Tiling::Ys128),
            (1 | 2, true) => Some(Tiling::Ys3d16),
            (4, true) => Some(Tiling::Ys3d32),
            (8 | 16, true) => Some(Tiling::Ys3d128),
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
            Tiling::Yf3d16 => Some([16, 16]),
            Tiling::Yf3d32 => Some([32, 16]),
            Tiling::Yf3d128 => Some([64, 8]),
            Tiling::Ys8 => Some([256, 256]),
            Tiling::Ys32 => Some([512, 128]),
            Tiling::Ys128 => Some([1024, 64]),
            Tiling::Ys3d16 => Some([64, 32]),
            Tiling::Ys3d32 => Some([128, 32]),
            Tiling::Ys3d128 => Some([256, 16]),
            Tiling::Linear | Tiling::X | Tiling::Y | Tiling::W => None,
        }
    }

    /// Slices of a tile.
    pub fn tile_slices(self) -> u32 {
        match self {
            Tiling::Yf3d16 => 16,
            Tiling::Yf3d32 | Tiling::Yf3d128 => 8,
            Tiling::Ys3d16 => 32,
            Tiling::Ys3d32 | Tiling::Ys3d128 => 16,
            _ => 1,
        }
    }

    /// Bytes of a tile; 1 of linear surfaces.
    pub fn tile_bytes(self) -> u32 {
        match (self, self.standard_tile()) {
            (Tiling::Linear, _) => 1,
            (_, Some([width, height])) => width * height * self.tile_slices(),
            _ => 4096,
        }
    }

    /// What pitches are multiples of.
    pub fn pitch_unit(self) -> u32 {
        match (self, self.standard_tile()) {
            (Tiling::Linear, _) => 1,
            (Tiling::X, _) => 512,
            (_, Some([width, _])) => width,
            _ => 128,
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
        Tiling::Yf8 => x / 64 * 4096 + yf8_column(x),
        Tiling::Yf32 => x / 128 * 4096 + yf32_column(x),
        Tiling::Yf128 => x / 256 * 4096 + yf128_column(x),
        // From bit 11 of a tile down: y3 z3 y2 z2 z1 z0 y1 y0 x3 x2 x1 x0.
        Tiling::Yf3d16 => x / 16 * 4096 + (x & 15),
        // From bit 11 of a tile down: y3 z2 x4 y2 z1 z0 y1 y0 x3 x2 x1 x0.
        Tiling::Yf3d32 => x / 32 * 4096 + ((x & 0x10) << 5 | x & 15),
        // From bit 11 of a tile down: y2 z2 x5 x4 z1 z0 y1 y0 x3 x2 x1 x0.
        Tiling::Yf3d128 => x / 64 * 4096 + ((x & 0x30) << 4 | x & 15),
        // Bits 11 to 0 of a tile of 64 KB are those of TileYf; from bit 15 down: x7 y7 x6 y6.
        Tiling::Ys8 => x / 256 * 0x1_0000 + ((x & 0x80) << 8 | (x & 0x40) << 7) + yf8_column(x),
        // From bit 15 down: x8 y6 x7 y5.
        Tiling::Ys32 => x / 512 * 0x1_0000 + ((x & 0x100) << 7 | (x & 0x80) << 6) + yf32_column(x),
        // From bit 15 down: x9 y5 x8 y4.
        Tiling::Ys128 => {
            x / 1024 * 0x1_0000 + ((x & 0x200) << 6 | (x & 0x100) << 5) + yf128_column(x)
        }
        // From bit 15 down: x5 y4 z4 x4.
        Tiling::Ys3d16 => x / 64 * 0x1_0000 + ((x & 0x20) << 10 | (x & 0x10) << 8 | x & 15),
        // From bit 15 down: x6 y4 z3 x5.
        Tiling::Ys3d32 => {
            x / 128 * 0x1_0000 + ((x & 0x40) << 9 | (x & 0x20) << 7 | (x & 0x10) << 5 | x & 15)
        }
        // From bit 15 down: x7 y3 z3 x6.
        Tiling::Ys3d128 => {
            x / 256 * 0x1_0000 + ((x & 0x80) << 8 | (x & 0x40) << 6 | (x & 0x30) << 4 | x & 15)
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
        Tiling::Yf8 => y / 64 * (pitch * 64) + yf8_row(y),
        Tiling::Yf32 => y / 32 * (pitch * 32) + yf32_row(y),
        Tiling::Yf128 => y / 16 * (pitch * 16) + yf128_row(y),
        Tiling::Yf3d16 => y / 16 * (pitch * 256) + ((y & 8) << 8 | (y & 4) << 7 | (y & 3) << 4),
        Tiling::Yf3d32 => y / 16 * (pitch * 128) + ((y & 8) << 8 | (y & 4) << 6 | (y & 3) << 4),
        Tiling::Yf3d128 => y / 8 * (pitch * 64) + ((y & 4) << 9 | (y & 3) << 4),
        Tiling::Ys8 => y / 256 * (pitch * 256) + ((y & 0x80) << 7 | (y & 0x40) << 6) + yf8_row(y),
        Tiling::Ys32 => y / 128 * (pitch * 128) + ((y & 0x40) << 8 | (y & 0x20) << 7) + yf32_row(y),
        Tiling::Ys128 => y / 64 * (pitch * 64) + ((y & 0x20) << 9 | (y & 0x10) << 8) + yf128_row(y),
        Tiling::Ys3d16 => {
            y / 32 * (pitch * 1024) + ((y & 16) << 10 | (y & 8) << 8 | (y & 4) << 7 | (y & 3) << 4)
        }
        Tiling::Ys3d32 => {
            y / 32 * (pitch * 512) + ((y & 16) << 10 | (y & 8) << 8 | (y & 4) << 6 | (y & 3) << 4)
        }
        Tiling::Ys3d128 => y / 16 * (pitch * 256) + ((y & 8) << 11 | (y & 4) << 9 | (y & 3) << 4),
    }
}

/// From bit 11 of a tile down: x5 y5 x4 y4 y3 y2 y1 y0 x3 x2 x1 x0.
#[inline(always)]
fn yf8_column(x: u64) -> u64 {
    (x & 0x20) << 6 | (x & 0x10) << 5 | x & 15
}

/// The rows of [`yf8_column`].
#[inline(always)]
fn yf8_row(y: u64) -> u64 {
    (y & 0x20) << 5 | (y & 31) << 4
}

/// From bit 11 of a tile down: x6 y4 x5 y3 x4 y2 y1 y0 x3 x2 x1 x0.
#[inline(always)]
fn yf32_column(x: u64) -> u64 {
    (x & 0x40) << 5 | (x & 0x20) << 4 | (x & 0x10) << 3 | x & 15
}

/// The rows of [`yf32_column`].
#[inline(always)]
fn yf32_row(y: u64) -> u64 {
    (y & 16) << 6 | (y & 8) << 5 | (y & 7) << 4
}

/// From bit 11 of a tile down: x7 y3 x6 y2 x5 x4 y1 y0 x3 x2 x1 x0.
#[inline(always)]
fn yf128_column(x: u64) -> u64 {
    (x & 0x80) << 4 | (x & 0x40) << 3 | (x & 0x30) << 2 | x & 15
}

/// The rows of [`yf128_column`].
#[inline(always)]
fn yf128_row(y: u64) -> u64 {
    (y & 8) << 7 | (y & 4) << 6 | (y & 3) << 4
}

/// What a slice of a tile adds to an offset; where in depth the tile lies, the row says.
#[inline(always)]
pub(super) fn slice(tiling: Tiling, z: u32) -> u64 {
    let z = u64::from(z);
    match tiling {
        Tiling::Yf3d16 => (z & 8) << 7 | (z & 4) << 6 | (z & 3) << 6,
        Tiling::Yf3d32 | Tiling::Yf3d128 => (z & 4) << 8 | (z & 3) << 6,
        Tiling::Ys3d16 => (z & 16) << 9 | (z & 8) << 7 | (z & 4) << 6 | (z & 3) << 6,
        Tiling::Ys3d32 | Tiling::Ys3d128 => (z & 8) << 10 | (z & 4) << 8 | (z & 3) << 6,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address in a tile by the PRM's diagrams: which bit of x (bytes), y or z each bit is.
    fn by_diagram(bits: &[&str], [x, y, z]: [u32; 3]) -> u64 {
        bits.iter().fold(0, |address, bit| {
            let n: u32 = bit[1..].parse().unwrap();
            let from = match &bit[..1] {
                "x" => x,
                "y" => y,
                _ => z,
            };
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
                    let expected = by_diagram(&bits, [x, y, 0]);
                    seen[expected as usize] = true;
                    assert_eq!(offset(tiling, x, y, pitch), expected, "{tiling:?} {x} {y}");
                    let there = offset(tiling, width + x, height + y, pitch);
                    assert_eq!(there, 4 * 4096 + expected, "{tiling:?} {x} {y}");
                }
            }
            assert!(seen.iter().all(|s| *s));
        }
    }

    const YF_3D_16: [&str; 12] = [
        "y3", "z3", "y2", "z2", "z1", "z0", "y1", "y0", "x3", "x2", "x1", "x0",
    ];
    const YF_3D_32: [&str; 12] = [
        "y3", "z2", "x4", "y2", "z1", "z0", "y1", "y0", "x3", "x2", "x1", "x0",
    ];
    const YF_3D_128: [&str; 12] = [
        "y2", "z2", "x5", "x4", "z1", "z0", "y1", "y0", "x3", "x2", "x1", "x0",
    ];

    /// A standard tiling: bytes of an element, the tiling, its shape in elements, and the diagram.
    type StandardTile<'a> = (u32, Tiling, [u32; 3], &'a [&'a str]);

    /// SKL PRM vol. 5, "Calculating Texel Location": the tilings of 4 KB, then those of 64 KB.
    fn standard_tiles(is_3d: bool) -> [Vec<StandardTile<'static>>; 2] {
        // The four bits of TileYs that are above those of TileYf.
        const YS8: [&str; 4] = ["x7", "y7", "x6", "y6"];
        const YS32: [&str; 4] = ["x8", "y6", "x7", "y5"];
        const YS128: [&str; 4] = ["x9", "y5", "x8", "y4"];
        const YS_3D_16: [&str; 4] = ["x5", "y4", "z4", "x4"];
        const YS_3D_32: [&str; 4] = ["x6", "y4", "z3", "x5"];
        const YS_3D_128: [&str; 4] = ["x7", "y3", "z3", "x6"];
        let large = |high: [&'static str; 4], low: [&'static str; 12]| -> &'static [&'static str] {
            Vec::leak([&high[..], &low[..]].concat())
        };
        if is_3d {
            [
                vec![
                    (1, Tiling::Yf3d16, [16, 16, 16], &YF_3D_16),
                    (2, Tiling::Yf3d16, [8, 16, 16], &YF_3D_16),
                    (4, Tiling::Yf3d32, [8, 16, 8], &YF_3D_32),
                    (8, Tiling::Yf3d128, [8, 8, 8], &YF_3D_128),
                    (16, Tiling::Yf3d128, [4, 8, 8], &YF_3D_128),
                ],
                vec![
                    (1, Tiling::Ys3d16, [64, 32, 32], large(YS_3D_16, YF_3D_16)),
                    (2, Tiling::Ys3d16, [32, 32, 32], large(YS_3D_16, YF_3D_16)),
                    (4, Tiling::Ys3d32, [32, 32, 16], large(YS_3D_32, YF_3D_32)),
                    (
                        8,
                        Tiling::Ys3d128,
                        [32, 16, 16],
                        large(YS_3D_128, YF_3D_128),
                    ),
                    (
                        16,
                        Tiling::Ys3d128,
                        [16, 16, 16],
                        large(YS_3D_128, YF_3D_128),
                    ),
                ],
            ]
        } else {
            [
                vec![
                    (1, Tiling::Yf8, [64, 64, 1], &YF8),
                    (2, Tiling::Yf32, [64, 32, 1], &YF32),
                    (4, Tiling::Yf32, [32, 32, 1], &YF32),
                    (8, Tiling::Yf128, [32, 16, 1], &YF128),
                    (16, Tiling::Yf128, [16, 16, 1], &YF128),
                ],
                vec![
                    (1, Tiling::Ys8, [256, 256, 1], large(YS8, YF8)),
                    (2, Tiling::Ys32, [256, 128, 1], large(YS32, YF32)),
                    (4, Tiling::Ys32, [128, 128, 1], large(YS32, YF32)),
                    (8, Tiling::Ys128, [128, 64, 1], large(YS128, YF128)),
                    (16, Tiling::Ys128, [64, 64, 1], large(YS128, YF128)),
                ],
            ]
        }
    }

    #[test]
    fn standard_tiles_follow_the_address_diagrams() {
        for (is_3d, large) in [(false, 0), (false, 1), (true, 0), (true, 1)] {
            let by_bytes = match large {
                0 => Tiling::standard_4kb,
                _ => Tiling::standard_64kb,
            };
            for (bytes, tiling, [width, height, depth], bits) in &standard_tiles(is_3d)[large] {
                let (tiling, height) = (*tiling, *height);
                let row_bytes = width * bytes;
                assert_eq!(by_bytes(*bytes, is_3d), Some(tiling));
                assert_eq!(tiling.standard_tile(), Some([row_bytes, height]));
                assert_eq!(tiling.tile_slices(), *depth, "{tiling:?}");
                assert_eq!(tiling.pitch_unit(), row_bytes, "{tiling:?}");
                let tile = [4096, 0x1_0000][large];
                assert_eq!(u64::from(tiling.tile_bytes()), tile, "{tiling:?}");
                let pitch = 3 * row_bytes;
                let mut seen = vec![false; tile as usize];
                for (z, y) in (0..*depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
                    for x in 0..row_bytes {
                        let expected = by_diagram(bits, [x, y, z]);
                        seen[expected as usize] = true;
                        let found = offset(tiling, x, y, pitch) + slice(tiling, z);
                        assert_eq!(found, expected, "{tiling:?} {x} {y} {z}");
                        let there = offset(tiling, row_bytes + x, height + y, pitch);
                        let there = there + slice(tiling, z);
                        assert_eq!(there, 4 * tile + expected, "{tiling:?} {x} {y} {z}");
                    }
                }
                assert!(seen.iter().all(|s| *s));
            }
            for none in [3, 6, 12] {
                assert_eq!(by_bytes(none, is_3d), None);
            }
        }
    }

    #[test]
    fn linear_row_pitch() {
        assert_eq!(offset(Tiling::Linear, 5, 3, 100), 305);
        let far = offset(Tiling::Linear, u32::MAX, u32::MAX, u32::MAX);
        assert_eq!(far, u64::from(u32::MAX) * (u64::from(u32::MAX) + 1));
    }
}
