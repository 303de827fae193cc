//! The figures that surface states and depth packets take from a surface. Packing them is `cmd`'s.
//!
//! Ref: SKL PRM vol. 2d, RENDER_SURFACE_STATE; vol. 2a, 3DSTATE_DEPTH_BUFFER, 3DSTATE_STENCIL_BUFFER,
//! 3DSTATE_HIER_DEPTH_BUFFER.

use crate::image::Dim;
use crate::layout::{Role, SampleLayout, Surface};
use crate::tile::Tiling;

/// Values of geometry fields, as they go into the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Tile Mode.
    pub tile_mode: u32,
    /// Surface Horizontal Alignment; that of 4 where the field is not looked at, since 0 is reserved.
    pub horizontal_alignment: u32,
    /// Surface Vertical Alignment; as the horizontal one.
    pub vertical_alignment: u32,
    /// Surface Pitch: bytes less one; of MCS and CCS tiles less one.
    pub pitch: u32,
    /// Surface QPitch, in fours.
    pub qpitch: u32,
    /// Number of Multisamples.
    pub samples: u32,
    /// Multisampled Surface Storage Format.
    pub sample_format: u32,
}

impl Surface {
    /// Values of the fields that describe this surface. Of an auxiliary surface `pitch` and `qpitch` are Auxiliary Surface Pitch and
    /// QPitch, or 3DSTATE_HIER_DEPTH_BUFFER's.
    pub fn binding(&self) -> Binding {
        let in_tiles = matches!(self.role, Role::Mcs | Role::Ccs);
        let tile = self.tiling.tile(self.block).filter(|_| in_tiles);
        // Slices of a volume in W tiles lie twice as far apart as is said (ERRATA.md, "QPitch of volumes of stencil").
        let unit = match (self.dim, self.tiling) {
            (Dim::D3, Tiling::W) => 8,
            _ => 4,
        };
        Binding {
            tile_mode: self.tiling.tile_mode(),
            horizontal_alignment: alignment(self.align_el[0]),
            vertical_alignment: alignment(self.align_el[1]),
            pitch: tile.map_or(self.row_pitch_bytes, |tile| {
                self.row_pitch_bytes / tile.row_bytes
            }) - 1,
            qpitch: self.qpitch() / unit,
            samples: self.samples.ilog2(),
            sample_format: match self.sample_layout {
                SampleLayout::Interleaved => hw::surface::MSFMT_DEPTH_STENCIL,
                SampleLayout::Single | SampleLayout::Layers => hw::surface::MSFMT_MSS,
            },
        }
    }
}

/// The value of an alignment field. Lines are aligned to more than it can say, and the hardware does not look.
fn alignment(elements: u32) -> u32 {
    const ALIGN_4: u32 = 1;
    hw::surface::alignment_value(elements).unwrap_or(ALIGN_4)
}
