//! Elements, tilings, and the tiles that elements are stored in.
//!
//! In:  a format, a tiling. Out: the size of an element, the dimensions of a tile.
//! Ref: SKL PRM vol. 5, "Tiling".

/// An element of a format: a pixel, or a compressed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatBlock {
    /// Bits of an element.
    pub bits: u32,
    /// Width and height of an element in samples.
    pub extent_sa: [u32; 2],
}

impl FormatBlock {
    /// The element of a format; none for planar and raw formats, and for those whose elements are
    /// not whole bytes.
    pub fn from_format(format: &hw::Format) -> Option<FormatBlock> {
        let whole = format.block_bits > 0 && format.block_bits.is_multiple_of(8);
        // Tiles can also hold elements of three components whose size is a power of two.
        let bytes = u32::from(format.block_bits / 8);
        let regular = whole
            && (bytes.is_power_of_two()
                || (bytes.is_multiple_of(3) && (bytes / 3).is_power_of_two()));
        let [width, height] = format.block_el;
        regular.then(|| FormatBlock {
            bits: format.block_bits.into(),
            extent_sa: [width.into(), height.into()],
        })
    }

    /// Bytes of an element; 0 if it is smaller than a byte.
    pub const fn bytes(&self) -> u32 {
        self.bits / 8
    }

    /// Whether an element covers more than one pixel.
    pub const fn is_compressed(&self) -> bool {
        self.extent_sa[0] > 1 || self.extent_sa[1] > 1
    }
}

/// The order of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// Row after row.
    Linear,
    /// Tiles of eight rows of 512 bytes.
    X,
    /// Tiles of 128 bytes × 32 rows, in columns of 16 bytes.
    Y,
    /// 64 × 64 bytes, in the memory of a Y tile; for stencil buffers.
    W,
    /// For HiZ surfaces: two columns of elements for each column of a Y tile.
    Hiz,
    /// For CCS: a Y tile of 2-bit elements.
    Ccs,
}

bitflags::bitflags! {
    /// A set of tilings.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TilingSet: u8 {
        /// [`Tiling::Linear`].
        const LINEAR = 1;
        /// [`Tiling::X`].
        const X = 2;
        /// [`Tiling::Y`].
        const Y = 4;
        /// [`Tiling::W`].
        const W = 8;
    }
}

/// The dimensions of a tile of 4096 bytes, in elements and in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Width and height in elements. For elements of three components, the extent of three tiles
    /// side by side, so that no element crosses a border.
    pub extent_el: [u32; 2],
    /// Bytes of a row, as pitches count them.
    pub row_bytes: u32,
    /// Rows, as pitches count them.
    pub rows: u32,
    /// Number of tiles side by side that `extent_el` covers.
    pub across: u32,
}

impl Tiling {
    /// The tile for these elements; none for linear surfaces.
    pub fn tile(self, block: FormatBlock) -> Option<Tile> {
        let (across, bytes) = match block.bits.is_power_of_two() {
            true => (1, block.bytes()),
            false => (3, block.bytes() / 3),
        };
        // A power of two, so that shifts replace divisions.
        let bytes_log2 = bytes.max(1).trailing_zeros();
        let (extent_el, row_bytes, rows) = match self {
            Tiling::Linear => return None,
            Tiling::X => ([512 >> bytes_log2, 8], 512, 8),
            Tiling::Y => ([128 >> bytes_log2, 32], 128, 32),
            // A row of memory holds two interleaved rows: PRM vol. 2d, "Surface Pitch".
            Tiling::W => ([64, 64], 128, 32),
            Tiling::Hiz => ([16, 16], 128, 32),
            Tiling::Ccs => ([128, 256 / block.bits], 128, 32),
        };
        Some(Tile {
            extent_el,
            row_bytes,
            rows,
            across,
        })
    }

    /// The value of Tile Mode in surface states. Auxiliary surfaces have no such field; their
    /// memory is Y-tiled.
    pub const fn tile_mode(self) -> u32 {
        use hw::value::state::tile_mode;
        let value = match self {
            Tiling::Linear => tile_mode::LINEAR,
            Tiling::W => tile_mode::WMAJOR,
            Tiling::X => tile_mode::XMAJOR,
            Tiling::Y | Tiling::Hiz | Tiling::Ccs => tile_mode::YMAJOR,
        };
        value as u32
    }
}
