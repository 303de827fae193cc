//! Auxiliary surfaces: hierarchical depth, multisample control, colour control.
//!
//! In:  a main [`Surface`].
//! Out: the surface that goes with it, or why there is none. Whether a format can be rendered to or compressed is not asked
//!      here.
//! Ref: SKL PRM vol. 7, "MCS Buffer for Render Target(s)", "Hierarchical Depth Buffer"; vol. 12 on planes (CCS in tiles).

use hw::{Device, Field};

use crate::image::{SurfaceError, Usage};
use crate::layout::{Request, Role, SampleLayout, Surface, compute, minify};
use crate::rules::{Rules, rules};
use crate::tile::{Block, Tiling};

/// Why a surface has no auxiliary surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAux {
    /// It was laid out for none.
    #[error("the surface was laid out for none")]
    Unwished,
    /// Not for such a surface.
    #[error("{0}")]
    Kind(&'static str),
    /// The auxiliary surface itself cannot be laid out.
    #[error("it would not fit: {0}")]
    Refused(#[from] SurfaceError),
}

impl Surface {
    /// Hierarchical depth: 16 bytes for each 8 × 4 pixels, whatever the samples.
    ///
    /// # Errors
    /// If this is no depth buffer.
    pub fn hiz(&self, device: &Device) -> Result<Surface, NoAux> {
        let rules = self.aux_rules(device)?;
        if !self.usage.contains(Usage::DEPTH) {
            return Err(NoAux::Kind("hierarchical depth is for depth buffers"));
        }
        let block = Block {
            bits: 128,
            extent_sa: [8, 4],
        };
        self.aux(Shape {
            rules,
            role: Role::Hiz,
            block,
            tiling: Tiling::Hiz,
            align_el: rules.hiz_align_el,
            layer_align_rows_el: 1,
            pitch: ("3DSTATE_HIER_DEPTH_BUFFER", rules.hiz_pitch, 1),
        })
    }

    /// The multisample control surface: an element for each pixel.
    ///
    /// # Errors
    /// If samples have no layers of their own.
    pub fn mcs(&self, device: &Device) -> Result<Surface, NoAux> {
        let rules = self.aux_rules(device)?;
        if self.sample_layout != SampleLayout::Layers {
            return Err(NoAux::Kind("an MCS is for colours of several samples"));
        }
        let block = Block {
            bits: match self.samples {
                2 | 4 => 8,
                8 => 32,
                _ => 64,
            },
            extent_sa: [1, 1],
        };
        self.aux(Shape {
            rules,
            role: Role::Mcs,
            block,
            tiling: Tiling::Y,
            align_el: [4, 4],
            layer_align_rows_el: 1,
            pitch: aux_pitch(rules),
        })
    }

    /// The colour control surface: two bits for each pair of cache lines. The same for fast clears alone (CCS_D) and for lossless
    /// compression (CCS_E).
    ///
    /// # Errors
    /// If the surface is not Y-tiled, has samples, is depth or stencil, or has elements of other than 32, 64 and 128 bits.
    pub fn ccs(&self, device: &Device) -> Result<Surface, NoAux> {
        let rules = self.aux_rules(device)?;
        if self.tiling != Tiling::Y {
            return Err(NoAux::Kind("a CCS is for Y tiles"));
        }
        if self.samples > 1 || self.usage.intersects(Usage::DEPTH | Usage::STENCIL) {
            return Err(NoAux::Kind("a CCS is for colours of one sample"));
        }
        if self.block.is_compressed() || !matches!(self.block.bits, 32 | 64 | 128) {
            return Err(NoAux::Kind("a CCS is for pixels of 32, 64 and 128 bits"));
        }
        let block = Block {
            bits: 2,
            extent_sa: [256 / self.block.bits, 4],
        };
        let align_el = [0, 1].map(|axis: usize| rules.ccs_align_px[axis] / block.extent_sa[axis]);
        self.aux(Shape {
            rules,
            role: Role::Ccs,
            block,
            tiling: Tiling::Ccs,
            align_el,
            layer_align_rows_el: rules.ccs_layer_align_px / block.extent_sa[1],
            pitch: aux_pitch(rules),
        })
    }

    /// The rectangle that stands for the whole of a level in a fast clear or resolve by an auxiliary surface: columns and rows.
    ///
    /// Ref: SKL PRM vol. 7, "Render Target Fast Clear" and "Render Target Resolve", the tables of scale-down factors; sizes are
    /// rounded up to twice the factors.
    pub fn scaled_px(&self, aux: &Surface, level: u32) -> [u32; 2] {
        let factors = match (aux.role, self.samples) {
            (Role::Mcs, 2 | 4) => [8, 2],
            (Role::Mcs, 8) => [2, 2],
            (Role::Mcs, _) => [1, 2],
            _ => [aux.block.extent_sa[0] * 8, aux.block.extent_sa[1] * 8],
        };
        [0, 1].map(|axis: usize| {
            let extent = minify(self.extent_px[axis], level);
            extent.next_multiple_of(2 * factors[axis]) / factors[axis]
        })
    }

    fn aux_rules(&self, device: &Device) -> Result<&'static Rules, NoAux> {
        match self.usage.contains(Usage::NO_AUX) {
            true => Err(NoAux::Unwished),
            false => Ok(rules(device)?),
        }
    }

    fn aux(&self, shape: Shape<'_>) -> Result<Surface, NoAux> {
        let pitch_step_bytes = shape
            .tiling
            .tile(shape.block)
            .map_or(1, |tile| tile.row_bytes);
        Ok(compute(&Request {
            rules: shape.rules,
            role: shape.role,
            block: shape.block,
            dim: self.dim,
            extent_px: self.extent_px,
            levels: self.levels,
            layers: self.layers,
            samples: 1,
            sample_layout: SampleLayout::Single,
            usage: Usage::empty(),
            tiling: shape.tiling,
            align_el: shape.align_el,
            layer_align_rows_el: shape.layer_align_rows_el,
            pitch_step_bytes,
            row_pitch_bytes: None,
            pitch_fields: [Some(shape.pitch), None, None],
            least_alignment_bytes: 1,
        })?)
    }
}

/// In what an auxiliary surface differs from its main one.
struct Shape<'a> {
    rules: &'a Rules,
    role: Role,
    block: Block,
    tiling: Tiling,
    align_el: [u32; 2],
    layer_align_rows_el: u32,
    pitch: (&'static str, Field, u32),
}

/// Pitches of MCS and CCS count tiles of 128 bytes.
fn aux_pitch(rules: &Rules) -> (&'static str, Field, u32) {
    (
        "RENDER_SURFACE_STATE's Auxiliary Surface Pitch",
        rules.aux_pitch,
        128,
    )
}
