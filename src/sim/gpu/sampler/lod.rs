//! Level-of-detail selection.
//!
//! In:  gradients, a sampler, a surface. Out: the levels to filter, and the filter.
//! Ref: SKL PRM vol. 7, "LOD Computation Pseudocode"; Vulkan, "Scale Factor Operation", "LOD
//!      Operation".

use super::state::{Filter, MipFilter, Sampler};
use crate::surface::{Image, Kind};

/// Derivatives of u, v, r by x and by y, in texels of level 0.
pub(super) type Gradients = [[f64; 3]; 2];

/// The source of a message's level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LodSource {
    /// The gradients, plus the message's bias.
    Computed { bias: f32 },
    /// The message.
    Explicit { lod: f32 },
    /// Level 0, without a bias.
    Zero,
}

/// The levels to filter, their weights and the filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelSelection {
    pub filter: Filter,
    pub magnified: bool,
    /// Levels of the view, and the weight of the second.
    pub levels: [u32; 2],
    pub beta: f32,
    /// Anisotropic samples, and the axis along which they lie, in texels of level 0.
    pub samples: u32,
    pub axis: [f64; 3],
    /// The level of detail before clamping, and after.
    pub unclamped: f32,
    pub clamped: f32,
    /// The least level lies beyond those that there are: texels are out of bounds.
    pub is_empty: bool,
}

fn length(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// The selection of a plain sample where it is the same for all gradients: those of the smallest
/// and of the largest gradient are compared, as the level grows monotonically between them.
pub(super) fn constant_selection(sampler: &Sampler, image: &Image) -> Option<LevelSelection> {
    let of = |change: f64| {
        let gradients = [[change, 0.0, 0.0]; 2];
        select(
            sampler,
            image,
            &gradients,
            LodSource::Computed { bias: 0.0 },
            0.0,
        )
    };
    let (near, far) = (of(0.0), of(1e30));
    let selection =
        |s: &LevelSelection| (s.filter, s.levels, s.beta.to_bits(), s.samples, s.is_empty);
    let alike = sampler.rounding.iter().all(|[min, mag]| min == mag);
    let one = selection(&near) == selection(&far) && near.filter != Filter::Anisotropic;
    (one && (alike || near.magnified == far.magnified)).then_some(far)
}

/// Selects levels and filter. `min_lod` is the minimum level of the message.
pub(super) fn select(
    sampler: &Sampler,
    image: &Image,
    gradients: &Gradients,
    source: LodSource,
    min_lod: f32,
) -> LevelSelection {
    let lengths = gradients.map(length);
    let (major, minor) = match lengths[0] >= lengths[1] {
        true => (0, 1),
        false => (1, 0),
    };
    let anisotropic = sampler.min == Filter::Anisotropic || sampler.mag == Filter::Anisotropic;
    let flat = !matches!(image.kind, Kind::D3);
    let mut samples = 1;
    let computed = matches!(source, LodSource::Computed { .. });
    if anisotropic && computed && flat && lengths[major] > 0.0 {
        let ratio = lengths[major] / lengths[minor].max(1e-12);
        samples = ratio.min(f64::from(sampler.anisotropy)).ceil().max(1.0) as u32;
    }
    let raw = match source {
        LodSource::Computed { bias } => {
            let scale = lengths[major] / f64::from(samples);
            scale.log2() as f32 + sampler.bias + bias
        }
        LodSource::Explicit { lod } => lod + sampler.bias,
        LodSource::Zero => 0.0,
    };
    // NaN counts as the lowest level.
    let raw = if raw.is_nan() { f32::MIN } else { raw };
    // Levels have eight bits of fraction.
    let lod = (raw.clamp(-1e4, 1e4) * 256.0).round_ties_even() / 256.0;
    let last = image.levels.saturating_sub(1) as f32;
    let min_lod = sampler.min_lod.max(min_lod);
    let top = sampler.max_lod.min(last);
    // Resource Min LOD counts levels of the resource; the others count from Surface Min LOD, the
    // view's first.
    let resource = image.resource_min_lod as f32 / 256.0 - image.min_lod as f32;
    let bottom = min_lod.min(last).max(resource);
    let lod = match sampler.preclamp {
        true => lod.min(sampler.max_lod).max(min_lod),
        false => lod,
    };
    let magnified = lod - image.base_level as f32 / 2.0 <= 0.0;
    let filter = if magnified { sampler.mag } else { sampler.min };
    let (mut levels, mut beta) = ([0; 2], 0.0);
    let clamped;
    if magnified || sampler.mip == MipFilter::None {
        let level = 0f32.min(top.ceil()).max(bottom.floor());
        clamped = level;
        levels[0] = level as u32;
    } else if sampler.mip == MipFilter::Nearest {
        let level = lod.min(top.ceil()).max(bottom.floor());
        let nearest = (level + 0.5).floor();
        clamped = nearest;
        levels[0] = nearest as u32;
    } else {
        let level = lod.min(top).max(bottom);
        clamped = level;
        levels[0] = level.floor() as u32;
        beta = level - level.floor();
    }
    levels[1] = levels[0] + 1;
    let axis = match samples > 1 {
        true => gradients[major],
        false => [0.0; 3],
    };
    LevelSelection {
        filter,
        magnified,
        levels,
        beta,
        samples,
        axis,
        unclamped: raw,
        clamped,
        is_empty: bottom > last,
    }
}

#[cfg(test)]
mod tests;
