//! Elements, and the tiles that memory is cut into.
//!
//! Ref: SKL PRM vol. 5, "Tiling".

/// The unit of a format: a pixel, or a compressed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Bits of an element.
    pub bits: u32,
    /// Width and height of an element in samples.
    pub extent_sa: [u32; 2],
}

impl Block {
    /// The element of a format; none for planar and raw formats, and for those whose elements are no whole bytes.
    pub fn of(format: &hw::Format) -> Option<Block> {
        let whole = format.block_bits > 0 && format.block_bits.is_multiple_of(8);
        // Three components of a power of two are the only other sizes that tiles can hold.
        let bytes = u32::from(format.block_bits / 8);
        let regular = whole
            && (bytes.is_power_of_two()
                || (bytes.is_multiple_of(3) && (bytes / 3).is_power_of_two()));
        let [width, height] = format.block_el;
        regular.then(|| Block {
            bits: format.block_bits.into(),
            extent_sa: [width.into(), height.into()],
        })
    }

    /// Bytes of an element; 0 where it is less than one.
    pub const fn bytes(&self) -> u32 {
        self.bits / 8
    }

    /// True for formats whose elements are more than one pixel.
    pub const fn is_compressed(&self) -> bool {
        self.extent_sa[0] > 1 || self.extent_sa[1] > 1
    }
}

/// How elements are laid out in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// Rows one after another.
    Linear,
    /// Tiles of eight rows of 512 bytes.
    X,
    /// Tiles of 128 bytes × 32 rows, in columns of 16 bytes.
    Y,
    /// The stencil buffer's: 64 × 64 bytes, in the memory of a Y tile.
    W,
    /// The hierarchical depth buffer's: two columns of its elements for each column of a Y tile.
    Hiz,
    /// The colour control surface's: a Y tile of elements of two bits.
    Ccs,
}

bitflags::bitflags! {
    /// Tilings that an image may have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Tilings: u8 {
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

/// A tile: 4096 bytes, seen as elements and as memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Width and height in elements. Of elements of three components three tiles side by side are meant, so that none lies across a
    /// border.
    pub extent_el: [u32; 2],
    /// Bytes of a row of a tile, as pitches count them.
    pub row_bytes: u32,
    /// Rows of a tile, as pitches count them.
    pub rows: u32,
    /// Tiles side by side that `extent_el` spans.
    pub across: u32,
}

impl Tiling {
    /// The tile that holds these elements; none for linear surfaces.
    pub fn tile(self, block: Block) -> Option<Tile> {
        let (across, bytes) = match block.bits.is_power_of_two() {
            true => (1, block.bytes()),
            false => (3, block.bytes() / 3),
        };
        // A power of two, and shifts are quicker than quotients.
        let bytes_log2 = bytes.max(1).trailing_zeros();
        let (extent_el, row_bytes, rows) = match self {
            Tiling::Linear => return None,
            Tiling::X => ([512 >> bytes_log2, 8], 512, 8),
            Tiling::Y => ([128 >> bytes_log2, 32], 128, 32),
            // Two rows are interleaved in one of memory: PRM vol. 2d, "Surface Pitch".
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

    /// The value of Tile Mode in surface states. Auxiliary surfaces have no such field; they are Y-tiled memory.
    pub const fn tile_mode(self) -> u32 {
        match self {
            Tiling::Linear => hw::surface::TILE_MODE_LINEAR,
            Tiling::W => hw::surface::TILE_MODE_WMAJOR,
            Tiling::X => hw::surface::TILE_MODE_XMAJOR,
            Tiling::Y | Tiling::Hiz | Tiling::Ccs => hw::surface::TILE_MODE_YMAJOR,
        }
    }
}
