//! FilterContext: the texels of a footprint, compared, weighted, reduced.
//!
//! In:  a point on a level, a sampler. Out: four values as bits.
//! Ref: SKL PRM vol. 7, "Texture Filter"; Vulkan, "Texel FilterContext", "Texel Anisotropic
//!      FilterContext".

use super::address::{self, STEPS};
use super::cache::TextureCache;
use super::lod::LevelSelection;
use super::state::{AddressMode, Filter, MipFilter, Reduction, Sampler};
use crate::memory::AddressSpaceView;
use crate::surface::{Image, Kind, Level, format};
use eu::StopReason;
use hw::{ChannelKind, Format};

/// The point of a surface that a lane samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SamplePoint {
    /// Coordinates on the surface or face: 0 to 1, or texels if the sampler is not normalised.
    pub coordinates: [f64; 3],
    /// Array element; for cubes, six times the element plus the face.
    pub slice: u32,
    pub face: u32,
    /// Texel offset of each axis.
    pub offset: [i64; 3],
    pub reference: Option<f32>,
}

/// One texel of a filter's footprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tap {
    Texel([u32; 3]),
    Border,
    /// Where three faces of a cube meet, no texel exists: the average of the three around it.
    Corner,
}

/// How the values of a format are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Floats,
    Unsigned,
    Signed,
}

impl ValueKind {
    pub fn from_format(format: &Format) -> ValueKind {
        match (format::is_integer(format), format.channels[0].0) {
            (false, _) => ValueKind::Floats,
            (true, ChannelKind::Sint) => ValueKind::Signed,
            (true, _) => ValueKind::Unsigned,
        }
    }

    pub fn is_integer(self) -> bool {
        self != ValueKind::Floats
    }

    /// The minimum or maximum of two values.
    fn reduce(self, reduction: Reduction, a: u32, b: u32) -> u32 {
        let [x, y] = [a, b].map(f32::from_bits);
        match (self, reduction) {
            (ValueKind::Floats, Reduction::Minimum) => x.min(y).to_bits(),
            (ValueKind::Floats, _) => x.max(y).to_bits(),
            (ValueKind::Unsigned, Reduction::Minimum) => a.min(b),
            (ValueKind::Unsigned, _) => a.max(b),
            (ValueKind::Signed, Reduction::Minimum) => (a as i32).min(b as i32) as u32,
            (ValueKind::Signed, _) => (a as i32).max(b as i32) as u32,
        }
    }
}

/// A surface, its sampler, and the caches that filtering uses.
pub(super) struct FilterContext<'f, 'a> {
    pub view: &'f AddressSpaceView<'a>,
    pub texels: &'f mut TextureCache,
    /// Address of the surface state.
    pub state: u64,
    pub image: &'f Image,
    pub sampler: &'f Sampler,
    /// How values are compared.
    pub numbers: ValueKind,
    /// The border colour, with the channels that the format lacks replaced by defaults.
    pub border: [u32; 4],
}

/// Taps of an axis: two texel indices, and the weight of the second in steps.
type AxisTaps = ([i64; 2], i64);

impl FilterContext<'_, '_> {
    fn dimensions(&self) -> usize {
        match self.image.kind {
            Kind::D1 => 1,
            Kind::D3 => 3,
            _ => 2,
        }
    }

    /// Whether filtering crosses the edges of cube faces.
    fn has_seamless_faces(&self) -> bool {
        let cube = self.image.kind == Kind::Cube;
        cube && (self.sampler.seamless || self.sampler.modes[0] == AddressMode::Cube)
    }

    /// Whether a footprint counts whole: the extremes of integers are integers, their average need
    /// not be one (ERRATA.md, "Extremes of integers").
    fn uses_footprint(&self) -> bool {
        !self.numbers.is_integer() || self.sampler.reduction != Reduction::Average
    }

    fn reduce(&self, old: Option<[u32; 4]>, value: [u32; 4]) -> [u32; 4] {
        let Some(old) = old else { return value };
        let reduction = self.sampler.reduction;
        std::array::from_fn(|c| self.numbers.reduce(reduction, old[c], value[c]))
    }

    fn tap_value(
        &mut self,
        level: (u32, &Level),
        tap: Tap,
        reference: Option<f32>,
    ) -> Result<[u32; 4], StopReason> {
        let texel = match tap {
            Tap::Texel(place) => {
                let surface = (self.state, self.image);
                self.texels.texel(self.view, surface, level, place)?
            }
            Tap::Border | Tap::Corner => self.border,
        };
        let Some(reference) = reference else {
            return Ok(texel);
        };
        let compared = self
            .sampler
            .compare
            .apply(f32::from_bits(texel[0]), reference);
        Ok([compared.to_bits(), 0, 0, 1f32.to_bits()])
    }

    /// The taps of each axis at a point.
    fn taps(
        &self,
        extent: [u32; 3],
        target: &SamplePoint,
        linear: bool,
        magnified: bool,
    ) -> [AxisTaps; 3] {
        let mut axes: [AxisTaps; 3] = [([0; 2], 0); 3];
        for (axis, out) in axes.iter_mut().enumerate().take(self.dimensions()) {
            let size = f64::from(extent[axis]);
            let mut at = target.coordinates[axis];
            if self.sampler.normalized {
                at *= size;
            }
            if self.sampler.modes[axis] == AddressMode::HalfBorder {
                at = at.clamp(0.0, size);
            }
            let rounded = self.sampler.rounding[axis][usize::from(magnified)];
            let mut steps = address::quantise(at, rounded);
            if linear {
                steps -= STEPS / 2;
            }
            let first = steps.div_euclid(STEPS) + target.offset[axis];
            *out = ([first, first + 1], steps.rem_euclid(STEPS));
        }
        axes
    }

    /// The tap at an index of each axis, by the address modes.
    fn tap(&self, extent: [u32; 3], target: &SamplePoint, at: [i64; 3], linear: bool) -> Tap {
        // Half of a border is what lines up with an edge gets by weights: the nearest texel is one
        // of the surface's.
        let modes = self.sampler.modes.map(|mode| match mode {
            AddressMode::HalfBorder if !linear => AddressMode::Clamp,
            mode => mode,
        });
        let along = |axis: usize| match self.has_seamless_faces() {
            true => address::apply_address_mode(AddressMode::Clamp, at[axis], extent[axis]),
            false => address::apply_address_mode(modes[axis], at[axis], extent[axis]),
        };
        if self.has_seamless_faces() && linear {
            return match address::texel_across_edge(target.face, [at[0], at[1]], extent[0]) {
                Some((face, [x, y])) => {
                    let first = target.slice - target.slice % 6;
                    Tap::Texel([x, y, first + face])
                }
                None => Tap::Corner,
            };
        }
        let place = match self.dimensions() {
            1 => [along(0), Some(0), Some(target.slice)],
            2 => [along(0), along(1), Some(target.slice)],
            _ => [along(0), along(1), along(2)],
        };
        match place {
            [Some(x), Some(y), Some(z)] => Tap::Texel([x, y, z]),
            _ => Tap::Border,
        }
    }

    /// Filters one footprint of one level.
    fn filter_isotropic(
        &mut self,
        level: u32,
        target: &SamplePoint,
        linear: bool,
        magnified: bool,
    ) -> Result<[u32; 4], StopReason> {
        let linear = linear && self.uses_footprint();
        let known = self.texels.level((self.state, self.image), level);
        let level = (level, &known);
        let extent = known.extent();
        let axes = self.taps(extent, target, linear, magnified);
        if !linear {
            let tap = self.tap(extent, target, axes.map(|a| a.0[0]), false);
            return self.tap_value(level, tap, target.reference);
        }
        let flat =
            self.dimensions() == 2 && !self.has_seamless_faces() && target.reference.is_none();
        if flat && self.sampler.reduction == Reduction::Average {
            return self.bilinear(level, target.slice, &axes);
        }
        let count = 1usize << self.dimensions();
        let mut taps = [(Tap::Border, 0f32); 8];
        for (i, out) in taps.iter_mut().enumerate().take(count) {
            let (mut at, mut weight) = ([0; 3], 1i64);
            for (axis, (texels, second)) in axes.iter().enumerate().take(self.dimensions()) {
                let far = i >> axis & 1;
                at[axis] = texels[far];
                weight *= if far == 1 { *second } else { STEPS - second };
            }
            let whole = (1i64 << (8 * self.dimensions())) as f32;
            *out = (self.tap(extent, target, at, true), weight as f32 / whole);
        }
        let taps = &mut taps[..count];
        // A corner's weight is shared equally by the three taps around it.
        if let Some(corner) = taps.iter().position(|t| t.0 == Tap::Corner) {
            let share = taps[corner].1 / 3.0;
            for (i, tap) in taps.iter_mut().enumerate() {
                tap.1 = if i == corner { 0.0 } else { tap.1 + share };
            }
        }
        let mut sum = [0f32; 4];
        let mut extreme: Option<[u32; 4]> = None;
        for (tap, weight) in taps.iter() {
            if *weight == 0.0 {
                continue;
            }
            let value = self.tap_value(level, *tap, target.reference)?;
            match self.sampler.reduction {
                Reduction::Average => {
                    for (to, from) in sum.iter_mut().zip(value.map(f32::from_bits)) {
                        *to += from * weight;
                    }
                }
                _ => extreme = Some(self.reduce(extreme, value)),
            }
        }
        Ok(extreme.unwrap_or(sum.map(f32::to_bits)))
    }

    /// The weighted average of four texels of a slice; texels of weight zero are not read.
    fn bilinear(
        &mut self,
        level: (u32, &Level),
        slice: u32,
        axes: &[AxisTaps; 3],
    ) -> Result<[u32; 4], StopReason> {
        let extent = level.1.extent();
        let modes = self.sampler.modes;
        let [columns, rows] = [0, 1].map(|axis: usize| {
            axes[axis]
                .0
                .map(|i| address::apply_address_mode(modes[axis], i, extent[axis]))
        });
        let parts = |axis: usize| [STEPS - axes[axis].1, axes[axis].1];
        let (texel_across_edge, down) = (parts(0), parts(1));
        let mut sum = [0f32; 4];
        for (row, down) in rows.into_iter().zip(down) {
            for (column, texel_across_edge) in columns.into_iter().zip(texel_across_edge) {
                let weight = (texel_across_edge * down) as f32 / (STEPS * STEPS) as f32;
                if weight == 0.0 {
                    continue;
                }
                let tap = match (column, row) {
                    (Some(x), Some(y)) => Tap::Texel([x, y, slice]),
                    _ => Tap::Border,
                };
                let value = self.tap_value(level, tap, None)?.map(f32::from_bits);
                for (to, from) in sum.iter_mut().zip(value) {
                    *to += from * weight;
                }
            }
        }
        Ok(sum.map(f32::to_bits))
    }

    /// Samples a point: filters one level, or blends two.
    pub fn sample(
        &mut self,
        target: &SamplePoint,
        selection: &LevelSelection,
    ) -> Result<[u32; 4], StopReason> {
        if selection.is_empty {
            return Ok(self.image.outside());
        }
        let first = self.filter_level(selection.levels[0], target, selection)?;
        let blends = self.sampler.mip == MipFilter::Linear && self.uses_footprint();
        if selection.beta == 0.0 || selection.magnified || !blends {
            return Ok(first);
        }
        let second = self.filter_level(selection.levels[1], target, selection)?;
        if self.sampler.reduction != Reduction::Average {
            return Ok(self.reduce(Some(first), second));
        }
        let beta = selection.beta;
        Ok(std::array::from_fn(|c| {
            let (a, b) = (f32::from_bits(first[c]), f32::from_bits(second[c]));
            (a * (1.0 - beta) + b * beta).to_bits()
        }))
    }

    /// Filters one level: one footprint, or several along the axis of anisotropy.
    fn filter_level(
        &mut self,
        level: u32,
        target: &SamplePoint,
        selection: &LevelSelection,
    ) -> Result<[u32; 4], StopReason> {
        let linear = selection.filter != Filter::Nearest;
        if selection.samples <= 1 || selection.filter != Filter::Anisotropic {
            return self.filter_isotropic(level, target, linear, selection.magnified);
        }
        let extent = self.image.level_extent(0);
        let count = selection.samples;
        let mut sum = [0f32; 4];
        let mut extreme: Option<[u32; 4]> = None;
        for i in 1..=count {
            let along = f64::from(i) / f64::from(count + 1) - 0.5;
            let mut place = *target;
            for (axis, at) in place.coordinates.iter_mut().enumerate().take(2) {
                let size = match self.sampler.normalized {
                    true => f64::from(extent[axis]),
                    false => 1.0,
                };
                *at += selection.axis[axis] * along / size;
            }
            let value = self.filter_isotropic(level, &place, linear, selection.magnified)?;
            match self.sampler.reduction {
                Reduction::Average => {
                    for (to, from) in sum.iter_mut().zip(value.map(f32::from_bits)) {
                        *to += from / count as f32;
                    }
                }
                _ => extreme = Some(self.reduce(extreme, value)),
            }
        }
        Ok(extreme.unwrap_or(sum.map(f32::to_bits)))
    }

    /// One channel of the four texels that a linear filter would take: lower left, lower right,
    /// upper right, upper left.
    pub fn gather(
        &mut self,
        target: &SamplePoint,
        selection: &LevelSelection,
        channel: usize,
    ) -> Result<[u32; 4], StopReason> {
        // It is of the view's first level, wherever levels are clamped to (ERRATA.md).
        if selection.is_empty || !self.image.is_resident(0) {
            let nothing = self.image.swizzled(self.image.outside());
            return Ok([nothing[channel & 3]; 4]);
        }
        let known = self
            .texels
            .level((self.state, self.image), selection.levels[0]);
        let level = (selection.levels[0], &known);
        let extent = known.extent();
        let axes = self.taps(extent, target, true, selection.magnified);
        let mut taps = [Tap::Border; 4];
        for (out, [far_x, far_y]) in taps.iter_mut().zip([[0, 1], [1, 1], [1, 0], [0, 0]]) {
            let at = [axes[0].0[far_x], axes[1].0[far_y], 0];
            *out = self.tap(extent, target, at, true);
        }
        let mut out = [0; 4];
        let mut around = 0f32;
        for (to, tap) in out.iter_mut().zip(taps) {
            if tap == Tap::Corner {
                continue;
            }
            let value = self.tap_value(level, tap, target.reference)?;
            let value = self.image.swizzled(value)[channel & 3];
            around += f32::from_bits(value) / 3.0;
            *to = value;
            if self.numbers.is_integer() {
                around = f32::from_bits(value);
            }
        }
        for (to, tap) in out.iter_mut().zip(taps) {
            if tap == Tap::Corner {
                *to = around.to_bits();
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests;
