//! The values of the fields that describe a surface in surface states and depth packets, which
//! `cmd` packs.
//!
//! In:  a [`Surface`]. Out: a [`GeometryFields`].
//! Ref: SKL PRM vol. 2d, RENDER_SURFACE_STATE; vol. 2a, 3DSTATE_DEPTH_BUFFER,
//!      3DSTATE_STENCIL_BUFFER, 3DSTATE_HIER_DEPTH_BUFFER.

use crate::image::ImageDim;
use crate::layout::{SampleLayout, Surface, SurfaceRole};
use crate::tiling::Tiling;
use hw::value::state::multisampled_surface_storage_format as msfmt;

/// Values of geometry fields as they are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometryFields {
    /// Tile Mode.
    pub tile_mode: u32,
    /// Surface Horizontal Alignment; that of 4 where the hardware ignores the field, as 0 is
    /// reserved.
    pub horizontal_alignment: u32,
    /// Surface Vertical Alignment; as the horizontal one.
    pub vertical_alignment: u32,
    /// Surface Pitch: bytes minus one; for MCS and CCS, tiles minus one.
    pub pitch: u32,
    /// Surface QPitch, in units of 4 rows.
    pub qpitch: u32,
    /// Number of Multisamples.
    pub samples: u32,
    /// Multisampled Surface Storage Format.
    pub sample_format: u32,
}

impl Surface {
    /// The values of the fields that describe this surface. For an auxiliary surface, `pitch` and
    /// `qpitch` are Auxiliary Surface Pitch and QPitch, or those of 3DSTATE_HIER_DEPTH_BUFFER.
    pub fn binding(&self) -> GeometryFields {
        let in_tiles = matches!(self.role, SurfaceRole::Mcs | SurfaceRole::Ccs);
        let tile = self.tiling.tile(self.block).filter(|_| in_tiles);
        // The slices of a W-tiled volume are twice as far apart as QPitch specifies (ERRATA.md,
        // "QPitch of volumes of stencil").
        let unit = match (self.dim, self.tiling) {
            (ImageDim::D3, Tiling::W) => 8,
            _ => 4,
        };
        GeometryFields {
            tile_mode: self.tiling.tile_mode(),
            horizontal_alignment: alignment(self.align_el[0]),
            vertical_alignment: alignment(self.align_el[1]),
            pitch: tile.map_or(self.row_pitch_bytes, |tile| {
                self.row_pitch_bytes / tile.row_bytes
            }) - 1,
            qpitch: self.qpitch() / unit,
            samples: self.samples.ilog2(),
            sample_format: match self.sample_layout {
                SampleLayout::Interleaved => msfmt::MSFMT_DEPTH_STENCIL as u32,
                SampleLayout::Single | SampleLayout::Layers => msfmt::MSFMT_MSS as u32,
            },
        }
    }
}

/// The value of an alignment field. The alignment of 1D images exceeds what the field can hold, and
/// the hardware ignores it.
fn alignment(elements: u32) -> u32 {
    const ALIGN_4: u32 = hw::value::state::surface_horizontal_alignment::HALIGN_4 as u32;
    hw::surface::alignment_value(elements).unwrap_or(ALIGN_4)
}
