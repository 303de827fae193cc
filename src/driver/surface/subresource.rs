//! Offsets: of levels and layers in a surface, of surfaces in an allocation; and surfaces of single
//! subresources.
//!
//! In:  a [`Surface`]. Out: a [`SubresourceOffset`], a surface of one level and layer, an
//!      [`SurfaceAllocation`].
//! Ref: SKL PRM vol. 5, "2D Surfaces" (mip layout); vol. 2d, RENDER_SURFACE_STATE's X Offset and Y
//!      Offset.

use crate::image::{ImageDim, ImageUsage};
use crate::layout::{SampleLayout, Surface, minify};
use crate::tiling::Tiling;

/// The position of a level of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubresourceOffset {
    /// Offset in the surface of the tile that contains the first element; for linear surfaces, of
    /// the element itself.
    pub offset_bytes: u64,
    /// Column and row of the first element in that tile, in elements; zero for linear surfaces.
    pub within_el: [u32; 2],
}

/// Why a level or layer cannot be bound as a separate surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotBindable {
    /// X Offset or Y Offset cannot hold the position in the tile.
    #[error(
        "it starts {x} × {y} elements into a tile; X and Y Offset must be multiples of {x_step} × {y_step}"
    )]
    Offset {
        /// Column.
        x: u32,
        /// Row.
        y: u32,
        /// The column must be a multiple of this.
        x_step: u32,
        /// The row must be a multiple of this.
        y_step: u32,
    },
    /// Offsets are supported only for X and Y tiling, one sample, and element sizes that are powers
    /// of two.
    #[error("such a surface does not support X and Y Offset")]
    Unsupported,
}

impl Surface {
    /// The position of a level of a layer, or of a volume's slice; of a multisampled surface, that
    /// of the first sample.
    pub fn offset_of(&self, level: u32, layer: u32) -> SubresourceOffset {
        let [x_el, y_el] = self.corner_el(level, layer);
        let Some(tile) = self.tiling.tile(self.block) else {
            return SubresourceOffset {
                offset_bytes: y_el * u64::from(self.row_pitch_bytes)
                    + x_el * u64::from(self.block.bytes()),
                within_el: [0, 0],
            };
        };
        let [width_el, height_el] = tile.extent_el.map(u64::from);
        let tile_bytes = u64::from(tile.row_bytes) * u64::from(tile.rows);
        let tile_row = y_el / height_el * u64::from(tile.rows) * u64::from(self.row_pitch_bytes);
        SubresourceOffset {
            offset_bytes: tile_row + x_el / width_el * u64::from(tile.across) * tile_bytes,
            within_el: [(x_el % width_el) as u32, (y_el % height_el) as u32],
        }
    }

    /// The first element of a level of a layer, from the surface's origin.
    fn corner_el(&self, level: u32, layer: u32) -> [u64; 2] {
        let slice = match self.sample_layout {
            SampleLayout::Layers => u64::from(layer) * u64::from(self.samples),
            _ => layer.into(),
        };
        let slice_row = slice * u64::from(self.layer_pitch_rows_el);
        if self.is_linear_1d() {
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

    /// A volume's slices as array layers of a 2D surface, which has the same layout.
    pub fn planes(&self) -> Surface {
        let [width, height, _] = self.extent_px;
        Surface {
            dim: ImageDim::D2,
            extent_px: [width, height, 1],
            ..*self
        }
    }

    /// The surface of one level of one layer (or of a volume's slice), and its position.
    ///
    /// # Errors
    /// If it starts inside a tile at a position that X and Y Offset cannot hold.
    pub fn single(
        &self,
        level: u32,
        layer: u32,
    ) -> Result<(Surface, SubresourceOffset), NotBindable> {
        let place = self.offset_of(level, layer);
        let [x, y] = place.within_el;
        if [x, y] != [0, 0] {
            if !self.block.bits.is_power_of_two()
                || self.samples > 1
                || !matches!(self.tiling, Tiling::X | Tiling::Y)
            {
                return Err(NotBindable::Unsupported);
            }
            // X Offset counts 4 elements, and whole 16 bytes of smaller ones.
            let (x_step, y_step) = ((16 / self.block.bytes()).max(4), 4);
            if !x.is_multiple_of(x_step) || !y.is_multiple_of(y_step) {
                return Err(NotBindable::Offset {
                    x,
                    y,
                    x_step,
                    y_step,
                });
            }
        }
        let [width, height, _] = self.extent_px.map(|extent| minify(extent, level));
        let single = Surface {
            dim: if self.dim == ImageDim::D1 {
                ImageDim::D1
            } else {
                ImageDim::D2
            },
            extent_px: [width, height, 1],
            levels: 1,
            layers: 1,
            usage: self.usage - ImageUsage::CUBE,
            size_bytes: self.size_bytes - place.offset_bytes,
            ..*self
        };
        Ok((single, place))
    }
}

/// Surfaces one after another in one allocation: planes, stencil after depth, auxiliary surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceAllocation {
    /// Total size.
    pub size_bytes: u64,
    /// Required alignment of the allocation's address.
    pub alignment_bytes: u32,
}

impl Default for SurfaceAllocation {
    fn default() -> Self {
        SurfaceAllocation {
            size_bytes: 0,
            alignment_bytes: 1,
        }
    }
}

impl SurfaceAllocation {
    /// Adds a surface at an offset of the caller's choice, and returns it; none if the offset is
    /// not aligned for the surface.
    pub fn add_surface(&mut self, surface: &Surface, offset_bytes: u64) -> Option<u64> {
        let end = offset_bytes.checked_add(surface.size_bytes)?;
        if !offset_bytes.is_multiple_of(surface.alignment_bytes.into()) {
            return None;
        }
        self.size_bytes = self.size_bytes.max(end);
        self.alignment_bytes = self.alignment_bytes.max(surface.alignment_bytes);
        Some(offset_bytes)
    }

    /// Appends a surface, and returns its offset.
    pub fn push(&mut self, surface: &Surface) -> u64 {
        self.push_bytes(surface.size_bytes, surface.alignment_bytes)
    }

    /// Appends some bytes, aligned to a power of two, and returns their offset.
    pub fn push_bytes(&mut self, bytes: u64, alignment_bytes: u32) -> u64 {
        let below = u64::from(alignment_bytes.max(1)) - 1;
        let offset_bytes = (self.size_bytes + below) & !below;
        self.size_bytes = offset_bytes + bytes;
        self.alignment_bytes = self.alignment_bytes.max(alignment_bytes);
        offset_bytes
    }
}
