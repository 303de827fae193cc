//! Auxiliary surfaces: HiZ, MCS, CCS.
//!
//! In:  a main [`Surface`].
//! Out: its auxiliary surface, or why it has none. Whether a format can be rendered to or
//!      compressed is not checked here.
//! Ref: SKL PRM vol. 7, "MCS Buffer for Render Target(s)", "Hierarchical Depth Buffer"; vol. 12 on
//!      planes (CCS in tiles).

use hw::{Device, Field};

use crate::image::{ImageUsage, SurfaceError};
use crate::layout::{Request, SampleLayout, Surface, SurfaceRole, compute, minify};
use crate::limits::{Limits, limits};
use crate::tiling::{FormatBlock, Tiling};

/// Why a surface has no auxiliary surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAux {
    /// The image was laid out without an auxiliary surface (`ImageUsage::NO_AUX`).
    #[error("the image was laid out without an auxiliary surface")]
    NotRequested,
    /// Surfaces of this kind have none.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The auxiliary surface itself cannot be laid out.
    #[error("the auxiliary surface cannot be laid out: {0}")]
    Layout(#[from] SurfaceError),
}

impl Surface {
    /// The HiZ surface: 16 bytes for each 8 × 4 pixels, whatever the sample count.
    ///
    /// # Errors
    /// If the surface is not a depth buffer.
    pub fn hiz(&self, device: &Device) -> Result<Surface, NoAux> {
        let limits = self.aux_limits(device)?;
        if !self.usage.contains(ImageUsage::DEPTH) {
            return Err(NoAux::Unsupported("HiZ requires a depth buffer"));
        }
        let block = FormatBlock {
            bits: 128,
            extent_sa: [8, 4],
        };
        self.aux(AuxLayout {
            limits,
            role: SurfaceRole::Hiz,
            block,
            tiling: Tiling::Hiz,
            align_el: limits.hiz_align_el,
            layer_align_rows_el: 1,
            row_pitch_bytes: None,
            pitch: ("3DSTATE_HIER_DEPTH_BUFFER", limits.hiz_pitch, 1),
        })
    }

    /// The MCS: an element for each pixel.
    ///
    /// # Errors
    /// If the samples are not stored as layers.
    pub fn mcs(&self, device: &Device) -> Result<Surface, NoAux> {
        let limits = self.aux_limits(device)?;
        if self.sample_layout != SampleLayout::Layers {
            return Err(NoAux::Unsupported(
                "an MCS requires a multisampled colour image",
            ));
        }
        let block = FormatBlock {
            bits: match self.samples {
                2 | 4 => 8,
                8 => 32,
                _ => 64,
            },
            extent_sa: [1, 1],
        };
        self.aux(AuxLayout {
            limits,
            role: SurfaceRole::Mcs,
            block,
            tiling: Tiling::Y,
            align_el: [4, 4],
            layer_align_rows_el: 1,
            row_pitch_bytes: None,
            pitch: aux_pitch(limits),
        })
    }

    /// The CCS: two bits for each pair of cache lines. It is the same for fast clears only (CCS_D)
    /// and for lossless compression (CCS_E).
    ///
    /// # Errors
    /// If the surface is not Y-tiled, is multisampled, is depth or stencil, or has
    /// elements of other than 32, 64 and 128 bits.
    pub fn ccs(&self, device: &Device) -> Result<Surface, NoAux> {
        self.ccs_with_pitch(device, None)
    }

    /// The CCS with a row pitch in bytes, of an image that another driver has laid out.
    ///
    /// # Errors
    /// As [`Surface::ccs`], or if the rows do not fit the pitch.
    pub fn ccs_with_pitch(
        &self,
        device: &Device,
        row_pitch_bytes: Option<u32>,
    ) -> Result<Surface, NoAux> {
        let limits = self.aux_limits(device)?;
        if self.tiling != Tiling::Y {
            return Err(NoAux::Unsupported("a CCS requires Y tiling"));
        }
        if self.samples > 1
            || self
                .usage
                .intersects(ImageUsage::DEPTH | ImageUsage::STENCIL)
        {
            return Err(NoAux::Unsupported(
                "a CCS requires a colour image with one sample",
            ));
        }
        if self.block.is_compressed() || !matches!(self.block.bits, 32 | 64 | 128) {
            return Err(NoAux::Unsupported(
                "a CCS requires pixels of 32, 64 or 128 bits",
            ));
        }
        let block = FormatBlock {
            bits: 2,
            extent_sa: [256 / self.block.bits, 4],
        };
        let align_el = [0, 1].map(|axis: usize| limits.ccs_align_px[axis] / block.extent_sa[axis]);
        self.aux(AuxLayout {
            limits,
            role: SurfaceRole::Ccs,
            block,
            tiling: Tiling::Ccs,
            align_el,
            layer_align_rows_el: limits.ccs_layer_align_px / block.extent_sa[1],
            row_pitch_bytes,
            pitch: aux_pitch(limits),
        })
    }

    /// The rectangle (columns and rows) to draw for a fast clear or resolve of a whole level.
    ///
    /// Ref: SKL PRM vol. 7, "Render Target Fast Clear" and "Render Target Resolve", the tables of
    ///      scale-down factors; sizes are rounded up to twice the factors.
    pub fn aux_op_extent(&self, aux: &Surface, level: u32) -> [u32; 2] {
        let factors = match (aux.role, self.samples) {
            (SurfaceRole::Mcs, 2 | 4) => [8, 2],
            (SurfaceRole::Mcs, 8) => [2, 2],
            (SurfaceRole::Mcs, _) => [1, 2],
            _ => [aux.block.extent_sa[0] * 8, aux.block.extent_sa[1] * 8],
        };
        [0, 1].map(|axis: usize| {
            let extent = minify(self.extent_px[axis], level);
            extent.next_multiple_of(2 * factors[axis]) / factors[axis]
        })
    }

    /// The limits of the device, unless the image was laid out without an auxiliary surface.
    fn aux_limits(&self, device: &Device) -> Result<&'static Limits, NoAux> {
        match self.usage.contains(ImageUsage::NO_AUX) {
            true => Err(NoAux::NotRequested),
            false => Ok(limits(device)?),
        }
    }

    /// Lays out an auxiliary surface.
    fn aux(&self, shape: AuxLayout<'_>) -> Result<Surface, NoAux> {
        let pitch_step_bytes = shape
            .tiling
            .tile(shape.block)
            .map_or(1, |tile| tile.row_bytes);
        Ok(compute(&Request {
            limits: shape.limits,
            role: shape.role,
            block: shape.block,
            dim: self.dim,
            extent_px: self.extent_px,
            levels: self.levels,
            layers: self.layers,
            samples: 1,
            sample_layout: SampleLayout::Single,
            usage: ImageUsage::empty(),
            tiling: shape.tiling,
            align_el: shape.align_el,
            layer_align_rows_el: shape.layer_align_rows_el,
            pitch_step_bytes,
            row_pitch_bytes: shape.row_pitch_bytes,
            pitch_fields: [Some(shape.pitch), None, None],
            min_alignment_bytes: 1,
        })?)
    }
}

/// The parameters in which an auxiliary surface differs from its main surface.
struct AuxLayout<'a> {
    limits: &'a Limits,
    role: SurfaceRole,
    block: FormatBlock,
    tiling: Tiling,
    align_el: [u32; 2],
    layer_align_rows_el: u32,
    row_pitch_bytes: Option<u32>,
    pitch: (&'static str, Field, u32),
}

/// The pitch field of MCS and CCS, which counts tiles of 128 bytes.
fn aux_pitch(limits: &Limits) -> (&'static str, Field, u32) {
    (
        "RENDER_SURFACE_STATE's Auxiliary Surface Pitch",
        limits.aux_pitch,
        128,
    )
}
