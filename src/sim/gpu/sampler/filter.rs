//! Filtering: the texels of a footprint, compared, weighted, reduced.
//!
//! In:  a place on a level, a sampler. Out: four values as bits.
//! Ref: SKL PRM vol. 7, "Texture Filter"; Vulkan, "Texel Filtering", "Texel Anisotropic Filtering".

use super::address::{self, STEPS};
use super::cache::Texels;
use super::lod::Selection;
use super::state::{AddressMode, Filter, MipFilter, Reduction, Sampler};
use crate::memory::View;
use crate::surface::{Image, Kind, Level, format};
use eu::Stop;
use hw::{ChannelKind, Format};

/// Where a message looks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Target {
    /// Of the surface, or of the face: 0 to 1, or texels where the sampler says so.
    pub coordinates: [f64; 3],
    /// Array element; of cubes the element's first face plus the face.
    pub slice: u32,
    pub face: u32,
    /// Texels added on each axis.
    pub offset: [i64; 3],
    pub reference: Option<f32>,
}

/// What a footprint has at a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tap {
    At([u32; 3]),
    Border,
    /// Where three faces of a cube meet there is no texel: the average of the three around.
    Corner,
}

/// What a format's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    Floats,
    Unsigned,
    Signed,
}

impl Numbers {
    pub fn of(format: &Format) -> Numbers {
        match (format::is_integer(format), format.channels[0].0) {
            (false, _) => Numbers::Floats,
            (true, ChannelKind::Sint) => Numbers::Signed,
            (true, _) => Numbers::Unsigned,
        }
    }

    pub fn are_integers(self) -> bool {
        self != Numbers::Floats
    }

    /// The lesser or the greater of two.
    fn reduced(self, reduction: Reduction, a: u32, b: u32) -> u32 {
        let [x, y] = [a, b].map(f32::from_bits);
        match (self, reduction) {
            (Numbers::Floats, Reduction::Minimum) => x.min(y).to_bits(),
            (Numbers::Floats, _) => x.max(y).to_bits(),
            (Numbers::Unsigned, Reduction::Minimum) => a.min(b),
            (Numbers::Unsigned, _) => a.max(b),
            (Numbers::Signed, Reduction::Minimum) => (a as i32).min(b as i32) as u32,
            (Numbers::Signed, _) => (a as i32).max(b as i32) as u32,
        }
    }
}

/// The surface that is looked at, and the means.
pub(super) struct Filtering<'f, 'a> {
    pub view: &'f View<'a>,
    pub texels: &'f mut Texels,
    /// Address of the surface state.
    pub state: u64,
    pub image: &'f Image,
    pub sampler: &'f Sampler,
    /// What values are.
    pub numbers: Numbers,
    /// The border's values as the format has them.
    pub border: [u32; 4],
}

/// Taps of an axis: two texels, and steps of the second.
type Axis = ([i64; 2], i64);

impl Filtering<'_, '_> {
    fn axes(&self) -> usize {
        match self.image.kind {
            Kind::D1 => 1,
            Kind::D3 => 3,
            _ => 2,
        }
    }

    /// Cubes whose faces adjoin.
    fn adjoins(&self) -> bool {
        let cube = self.image.kind == Kind::Cube;
        cube && (self.sampler.seamless || self.sampler.modes[0] == AddressMode::Cube)
    }

    /// Whether a footprint counts whole: the extremes of integers are integers, their average need not be one (ERRATA.md, "Extremes of
    /// integers").
    fn filters(&self) -> bool {
        !self.numbers.are_integers() || self.sampler.reduction != Reduction::Average
    }

    fn reduced(&self, old: Option<[u32; 4]>, value: [u32; 4]) -> [u32; 4] {
        let Some(old) = old else { return value };
        let reduction = self.sampler.reduction;
        std::array::from_fn(|c| self.numbers.reduced(reduction, old[c], value[c]))
    }

    fn value(
        &mut self,
        level: (u32, &Level),
        tap: Tap,
        reference: Option<f32>,
    ) -> Result<[u32; 4], Stop> {
        let texel = match tap {
            Tap::At(place) => {
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

    /// Texels of each axis at a place.
    fn taps(&self, extent: [u32; 3], target: &Target, linear: bool, magnified: bool) -> [Axis; 3] {
        let mut axes: [Axis; 3] = [([0; 2], 0); 3];
        for (axis, out) in axes.iter_mut().enumerate().take(self.axes()) {
            let size = f64::from(extent[axis]);
            let mut at = target.coordinates[axis];
            if self.sampler.normalized {
                at *= size;
            }
            if self.sampler.modes[axis] == AddressMode::HalfBorder {
                at = at.clamp(0.0, size);
            }
            let rounded = self.sampler.rounding[axis][usize::from(magnified)];
            let mut steps = address::steps(at, rounded);
            if linear {
                steps -= STEPS / 2;
            }
            let first = steps.div_euclid(STEPS) + target.offset[axis];
            *out = ([first, first + 1], steps.rem_euclid(STEPS));
        }
        axes
    }

    /// The texel at numbers of each axis.
    fn tap(&self, extent: [u32; 3], target: &Target, at: [i64; 3], linear: bool) -> Tap {
        // Half of a border is what lines up with an edge gets by weights: the nearest texel is one of the surface's.
        let modes = self.sampler.modes.map(|mode| match mode {
            AddressMode::HalfBorder if !linear => AddressMode::Clamp,
            mode => mode,
        });
        let along = |axis: usize| match self.adjoins() {
            true => address::texel(AddressMode::Clamp, at[axis], extent[axis]),
            false => address::texel(modes[axis], at[axis], extent[axis]),
        };
        if self.adjoins() && linear {
            return match address::across(target.face, [at[0], at[1]], extent[0]) {
                Some((face, [x, y])) => {
                    let first = target.slice - target.slice % 6;
                    Tap::At([x, y, first + face])
                }
                None => Tap::Corner,
            };
        }
        let place = match self.axes() {
            1 => [along(0), Some(0), Some(target.slice)],
            2 => [along(0), along(1), Some(target.slice)],
            _ => [along(0), along(1), along(2)],
        };
        match place {
            [Some(x), Some(y), Some(z)] => Tap::At([x, y, z]),
            _ => Tap::Border,
        }
    }

    /// One look at one level.
    fn look(
        &mut self,
        level: u32,
        target: &Target,
        linear: bool,
        magnified: bool,
    ) -> Result<[u32; 4], Stop> {
        let linear = linear && self.filters();
        let known = self.texels.level((self.state, self.image), level);
        let level = (level, &known);
        let extent = known.extent();
        let axes = self.taps(extent, target, linear, magnified);
        if !linear {
            let tap = self.tap(extent, target, axes.map(|a| a.0[0]), false);
            return self.value(level, tap, target.reference);
        }
        let flat = self.axes() == 2 && !self.adjoins() && target.reference.is_none();
        if flat && self.sampler.reduction == Reduction::Average {
            return self.bilinear(level, target.slice, &axes);
        }
        let count = 1usize << self.axes();
        let mut taps = [(Tap::Border, 0f32); 8];
        for (i, out) in taps.iter_mut().enumerate().take(count) {
            let (mut at, mut weight) = ([0; 3], 1i64);
            for (axis, (texels, second)) in axes.iter().enumerate().take(self.axes()) {
                let far = i >> axis & 1;
                at[axis] = texels[far];
                weight *= if far == 1 { *second } else { STEPS - second };
            }
            let whole = (1i64 << (8 * self.axes())) as f32;
            *out = (self.tap(extent, target, at, true), weight as f32 / whole);
        }
        let taps = &mut taps[..count];
        // A corner's part goes to the three around it in equal shares.
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
            let value = self.value(level, *tap, target.reference)?;
            match self.sampler.reduction {
                Reduction::Average => {
                    for (to, from) in sum.iter_mut().zip(value.map(f32::from_bits)) {
                        *to += from * weight;
                    }
                }
                _ => extreme = Some(self.reduced(extreme, value)),
            }
        }
        Ok(extreme.unwrap_or(sum.map(f32::to_bits)))
    }

    /// The average of the four texels of a plane, those that count nothing left out.
    fn bilinear(
        &mut self,
        level: (u32, &Level),
        slice: u32,
        axes: &[Axis; 3],
    ) -> Result<[u32; 4], Stop> {
        let extent = level.1.extent();
        let modes = self.sampler.modes;
        let [columns, rows] = [0, 1].map(|axis: usize| {
            axes[axis]
                .0
                .map(|i| address::texel(modes[axis], i, extent[axis]))
        });
        let parts = |axis: usize| [STEPS - axes[axis].1, axes[axis].1];
        let (across, down) = (parts(0), parts(1));
        let mut sum = [0f32; 4];
        for (row, down) in rows.into_iter().zip(down) {
            for (column, across) in columns.into_iter().zip(across) {
                let weight = (across * down) as f32 / (STEPS * STEPS) as f32;
                if weight == 0.0 {
                    continue;
                }
                let tap = match (column, row) {
                    (Some(x), Some(y)) => Tap::At([x, y, slice]),
                    _ => Tap::Border,
                };
                let value = self.value(level, tap, None)?.map(f32::from_bits);
                for (to, from) in sum.iter_mut().zip(value) {
                    *to += from * weight;
                }
            }
        }
        Ok(sum.map(f32::to_bits))
    }

    /// What filters and levels make of a place.
    pub fn sample(&mut self, target: &Target, selection: &Selection) -> Result<[u32; 4], Stop> {
        if selection.beyond {
            return Ok(self.image.outside());
        }
        let first = self.level(selection.levels[0], target, selection)?;
        let blends = self.sampler.mip == MipFilter::Linear && self.filters();
        if selection.beta == 0.0 || selection.magnified || !blends {
            return Ok(first);
        }
        let second = self.level(selection.levels[1], target, selection)?;
        if self.sampler.reduction != Reduction::Average {
            return Ok(self.reduced(Some(first), second));
        }
        let beta = selection.beta;
        Ok(std::array::from_fn(|c| {
            let (a, b) = (f32::from_bits(first[c]), f32::from_bits(second[c]));
            (a * (1.0 - beta) + b * beta).to_bits()
        }))
    }

    /// One level: a look, or as many as anisotropy asks for.
    fn level(
        &mut self,
        level: u32,
        target: &Target,
        selection: &Selection,
    ) -> Result<[u32; 4], Stop> {
        let linear = selection.filter != Filter::Nearest;
        if selection.samples <= 1 || selection.filter != Filter::Anisotropic {
            return self.look(level, target, linear, selection.magnified);
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
            let value = self.look(level, &place, linear, selection.magnified)?;
            match self.sampler.reduction {
                Reduction::Average => {
                    for (to, from) in sum.iter_mut().zip(value.map(f32::from_bits)) {
                        *to += from / count as f32;
                    }
                }
                _ => extreme = Some(self.reduced(extreme, value)),
            }
        }
        Ok(extreme.unwrap_or(sum.map(f32::to_bits)))
    }

    /// One channel of the four texels that a linear filter would take: lower left, lower right, upper right, upper left.
    pub fn gather(
        &mut self,
        target: &Target,
        selection: &Selection,
        channel: usize,
    ) -> Result<[u32; 4], Stop> {
        // It is of the view's first level, wherever levels are clamped to (ERRATA.md).
        if selection.beyond || !self.image.is_resident(0) {
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
            let value = self.value(level, tap, target.reference)?;
            let value = self.image.swizzled(value)[channel & 3];
            around += f32::from_bits(value) / 3.0;
            *to = value;
            if self.numbers.are_integers() {
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
