//! Where things are: levels and layers in a surface, one of them bound alone, and surfaces in an allocation.
//!
//! Ref: SKL PRM vol. 5, "2D Surfaces" (mip layout); vol. 2d, RENDER_SURFACE_STATE's X Offset and Y Offset.

use crate::image::{Dim, Usage};
use crate::layout::{SampleLayout, Surface, minify};
use crate::tile::Tiling;

/// Where a level of a layer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the surface's start to the tile that holds the first element; of linear surfaces, to the element itself.
    pub offset_bytes: u64,
    /// Elements from the tile's corner: column and row. Zero in linear surfaces.
    pub within_el: [u32; 2],
}

/// Why a level or layer cannot be bound as a surface of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAlone {
    /// The offsets in the tile cannot be said.
    #[error(
        "it begins {x} × {y} elements into a tile, where X and Y Offset go by {x_step} × {y_step}"
    )]
    Offset {
        /// Columns.
        x: u32,
        /// Rows.
        y: u32,
        /// What columns must be a multiple of.
        x_step: u32,
        /// What rows must be a multiple of.
        y_step: u32,
    },
    /// Offsets in tiles are for elements of a power of two, of one sample, in X and Y tiles.
    #[error("X and Y Offset are not for such a surface")]
    Kind,
}

impl Surface {
    /// Where a level of a layer, or of a volume's slice, begins; of several samples, the first.
    pub fn place(&self, level: u32, layer: u32) -> Place {
        let [x_el, y_el] = self.corner_el(level, layer);
        let Some(tile) = self.tiling.tile(self.block) else {
            return Place {
                offset_bytes: y_el * u64::from(self.row_pitch_bytes)
                    + x_el * u64::from(self.block.bytes()),
                within_el: [0, 0],
            };
        };
        let [width_el, height_el] = tile.extent_el.map(u64::from);
        let tile_bytes = u64::from(tile.row_bytes) * u64::from(tile.rows);
        let tile_row = y_el / height_el * u64::from(tile.rows) * u64::from(self.row_pitch_bytes);
        Place {
            offset_bytes: tile_row + x_el / width_el * u64::from(tile.across) * tile_bytes,
            within_el: [(x_el % width_el) as u32, (y_el % height_el) as u32],
        }
    }

    /// The first element of a level of a layer, counted from the surface's corner.
    fn corner_el(&self, level: u32, layer: u32) -> [u64; 2] {
        let slice = match self.sample_layout {
            SampleLayout::Layers => u64::from(layer) * u64::from(self.samples),
            _ => layer.into(),
        };
        let slice_row = slice * u64::from(self.layer_pitch_rows_el);
        if self.is_linear_line() {
            let before = (0..level).map(|l| {
                u64::from(minify(self.extent_px[0], l).next_multiple_of(self.align_el[0]))
            });
            return [before.sum(), slice_row];
        }
        let [x_sa, y_sa] = self.level_sa(level);
        [
            (x_sa / self.block.extent_sa[0]).into(),
            u64::from(y_sa / self.block.extent_sa[1]) + slice_row,
        ]
    }

    /// A volume's slices as layers of planes: they lie in the same way.
    pub fn planes(&self) -> Surface {
        let [width, height, _] = self.extent_px;
        Surface {
            dim: Dim::D2,
            extent_px: [width, height, 1],
            ..*self
        }
    }

    /// The surface that binds one level of one layer (or of a volume's slice) alone, and where it begins.
    ///
    /// # Errors
    /// If it begins in the midst of a tile, where X and Y Offset cannot say it.
    pub fn single(&self, level: u32, layer: u32) -> Result<(Surface, Place), NotAlone> {
        let place = self.place(level, layer);
        let [x, y] = place.within_el;
        if [x, y] != [0, 0] {
            if !self.block.bits.is_power_of_two()
                || self.samples > 1
                || !matches!(self.tiling, Tiling::X | Tiling::Y)
            {
                return Err(NotAlone::Kind);
            }
            // Columns in fours of elements, and in whole 16 bytes of smaller ones.
            let (x_step, y_step) = ((16 / self.block.bytes()).max(4), 4);
            if !x.is_multiple_of(x_step) || !y.is_multiple_of(y_step) {
                return Err(NotAlone::Offset {
                    x,
                    y,
                    x_step,
                    y_step,
                });
            }
        }
        let [width, height, _] = self.extent_px.map(|extent| minify(extent, level));
        let single = Surface {
            dim: if self.dim == Dim::D1 {
                Dim::D1
            } else {
                Dim::D2
            },
            extent_px: [width, height, 1],
            levels: 1,
            layers: 1,
            usage: self.usage - Usage::CUBE,
            size_bytes: self.size_bytes - place.offset_bytes,
            ..*self
        };
        Ok((single, place))
    }
}

/// Surfaces put one after another in one allocation: planes, stencil after depth, auxiliary surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Bytes in all.
    pub size_bytes: u64,
    /// What the allocation's address must be a multiple of.
    pub alignment_bytes: u32,
}

impl Default for Allocation {
    fn default() -> Self {
        Allocation {
            size_bytes: 0,
            alignment_bytes: 1,
        }
    }
}

impl Allocation {
    /// Puts a surface at a place of the caller's, which comes back; none: it cannot begin there.
    pub fn put(&mut self, surface: &Surface, offset_bytes: u64) -> Option<u64> {
        let end = offset_bytes.checked_add(surface.size_bytes)?;
        if !offset_bytes.is_multiple_of(surface.alignment_bytes.into()) {
            return None;
        }
        self.size_bytes = self.size_bytes.max(end);
        self.alignment_bytes = self.alignment_bytes.max(surface.alignment_bytes);
        Some(offset_bytes)
    }

    /// Puts a surface behind what is there; returns where.
    pub fn push(&mut self, surface: &Surface) -> u64 {
        self.push_bytes(surface.size_bytes, surface.alignment_bytes)
    }

    /// Puts some bytes behind what is there, at a multiple of a power of two; returns where.
    pub fn push_bytes(&mut self, bytes: u64, alignment_bytes: u32) -> u64 {
        let below = u64::from(alignment_bytes.max(1)) - 1;
        let offset_bytes = (self.size_bytes + below) & !below;
        self.size_bytes = offset_bytes + bytes;
        self.alignment_bytes = self.alignment_bytes.max(alignment_bytes);
        offset_bytes
    }
}
