//! The fast path: plain samples of 2D surfaces, by subspans. Most messages take it.
//!
//! In:  messages without bias, reference, offsets or least level, for a surface of two dimensions
//!      whose texels are unpacked as dwords. Out: the values that `filter.rs` makes of them, bit by
//!      bit; which channels have them.
//! Ref: as `filter.rs`.

use super::address::{self, STEPS};
use super::filter::FilterContext;
use super::lod::{self, LevelSelection, LodSource};
use super::request::{
    ParameterLayout, Request, SUBSPAN, array_element, message_type, respond_lane, respond_texels,
};
use super::state::{AddressMode, Filter, MipFilter, Reduction, Sampler};
use crate::surface::format::Packer;
use crate::surface::{Block, Kind, Level};
use eu::StopReason;
use std::sync::atomic::Ordering::Relaxed;

/// [`address::apply_address_mode`], with a shortcut for texels inside the surface.
#[inline]
fn texel(mode: AddressMode, i: i64, size: u32) -> Option<u32> {
    match u32::try_from(i) {
        Ok(inside) if inside < size => Some(inside),
        _ => address::apply_address_mode(mode, i, size),
    }
}

/// Addresses of the nearest texels of a subspan's points; `None` if one of them is outside.
#[inline(always)]
fn nearest(
    level: &Level,
    at: [[f64; SUBSPAN]; 2],
    normalized: bool,
    rounded: [bool; 2],
) -> Option<[u64; SUBSPAN]> {
    // Far outside of all surfaces.
    const FAR: f64 = 1e9;
    let size = level.extent();
    let mut texels = [[0; SUBSPAN]; 2];
    for (axis, texels) in texels.iter_mut().enumerate() {
        // Half of a step, as in `address::quantise`.
        let more = match rounded[axis] {
            true => 0.5 / STEPS as f64,
            false => 0.0,
        };
        let scale = match normalized {
            true => f64::from(size[axis]),
            false => 1.0,
        };
        for (texel, at) in texels.iter_mut().zip(at[axis]) {
            *texel = ((at * scale).clamp(-FAR, FAR) + more).floor() as i32 as u32;
        }
    }
    let [xs, ys] = texels;
    level.plain_addresses(xs, ys, 0)
}

/// Whether a message and its sampler ask for nothing that the fast path lacks.
#[inline(always)]
fn is_plain_request(
    filtering: &FilterContext<'_, '_>,
    request: &Request<'_>,
    order: &ParameterLayout,
) -> bool {
    let (image, sampler) = (filtering.image, filtering.sampler);
    let bordered = |mode: &AddressMode| matches!(mode, AddressMode::HalfBorder | AddressMode::Cube);
    request.message_type == message_type::SAMPLE
        && request.offset == [0; 3]
        && !request.has_parameter(order.min_lod)
        && image.kind == Kind::D2
        && sampler.reduction == Reduction::Average
        && !filtering.numbers.is_integer()
        && !sampler.modes[..2].iter().any(bordered)
}

/// A level of a 2D surface whose texels are dwords that the packer unpacks.
struct PlainLevel<'l> {
    number: u32,
    level: &'l Level,
    packer: Packer,
}

/// Reads a texel: the border colour outside the surface, the clear colour in fast-cleared blocks.
#[inline(always)]
fn read_texel(
    filtering: &mut FilterContext<'_, '_>,
    plain: &PlainLevel<'_>,
    [x, y]: [i64; 2],
    slice: u32,
) -> Result<[u32; 4], StopReason> {
    let (image, sampler) = (filtering.image, filtering.sampler);
    let [width, height, _] = plain.level.extent();
    let (x, y) = (
        texel(sampler.modes[0], x, width),
        texel(sampler.modes[1], y, height),
    );
    let (Some(x), Some(y)) = (x, y) else {
        return Ok(filtering.border);
    };
    let Some(address) = plain.level.plain_address(x, y, slice) else {
        return Ok(image.outside());
    };
    let surface = (filtering.state, image);
    let view = filtering.view;
    let found = || match view.span(address, 1) {
        Some([texel, ..]) => Ok(texel.load(Relaxed)),
        _ => view.read(address),
    };
    match filtering
        .texels
        .block(view, surface, plain.number, [x, y, slice])?
    {
        Block::Clear => Ok(image.clear_color),
        Block::Plain => Ok(plain.packer.unpack(found()?)),
        Block::Compressed => Ok(plain
            .packer
            .unpack(found()? ^ image.compression_mask(address))),
    }
}

/// The nearest texel to a point in fixed-point texels, or the weighted average of the four around
/// it.
#[inline(always)]
fn filter_point(
    filtering: &mut FilterContext<'_, '_>,
    plain: &PlainLevel<'_>,
    linear: bool,
    [x, y]: [i64; 2],
    slice: u32,
) -> Result<[u32; 4], StopReason> {
    if !linear {
        let nearest = [x.div_euclid(STEPS), y.div_euclid(STEPS)];
        return read_texel(filtering, plain, nearest, slice);
    }
    let (x, y) = (x - STEPS / 2, y - STEPS / 2);
    let (left, top) = (x.div_euclid(STEPS), y.div_euclid(STEPS));
    let weights = |at: i64| [STEPS - at, at];
    let (across, down) = (weights(x.rem_euclid(STEPS)), weights(y.rem_euclid(STEPS)));
    let mut sum = [0f32; 4];
    for (row, down) in (top..).zip(down) {
        for (column, across) in (left..).zip(across) {
            let weight = (across * down) as f32 / (STEPS * STEPS) as f32;
            if weight == 0.0 {
                continue;
            }
            let value = read_texel(filtering, plain, [column, row], slice)?.map(f32::from_bits);
            for (to, from) in sum.iter_mut().zip(value) {
                *to += from * weight;
            }
        }
    }
    Ok(sum.map(f32::to_bits))
}

/// Selects the level of a subspan: gradients are the differences between its pixels.
#[inline(always)]
fn select_level(
    filtering: &FilterContext<'_, '_>,
    [u, v]: [[f64; SUBSPAN]; 2],
    size: [f64; 3],
) -> LevelSelection {
    let (image, sampler) = (filtering.image, filtering.sampler);
    let scale = |by: f64, axis: usize| match sampler.normalized {
        true => by * size[axis],
        false => by,
    };
    let change = |to: usize| [scale(u[to] - u[0], 0), scale(v[to] - v[0], 1), 0.0];
    let gradients = [change(1), change(2)];
    let computed = LodSource::Computed { bias: 0.0 };
    lod::select(sampler, image, &gradients, computed, 0.0)
}

/// True if a lane's value comes from several levels or from several points of one.
#[inline(always)]
fn needs_general_path(sampler: &Sampler, selection: &LevelSelection) -> bool {
    let anisotropic = selection.samples > 1 && selection.filter == Filter::Anisotropic;
    let blends = sampler.mip == MipFilter::Linear && selection.beta != 0.0 && !selection.magnified;
    selection.is_empty || anisotropic || blends
}

/// A point of a level in texels, quantised.
#[inline(always)]
fn texel_point(at: [f64; 2], size: [u32; 2], normalized: bool, rounded: [bool; 2]) -> [i64; 2] {
    let along = |axis: usize| {
        let at = match normalized {
            true => at[axis] * f64::from(size[axis]),
            false => at[axis],
        };
        address::quantise(at, rounded[axis])
    };
    [along(0), along(1)]
}

/// Samples the lanes of `active` by subspans, with the `constant` selection where all levels are
/// the same.
///
/// Returns the mask of lanes whose response is written. The others need the general path: several
/// levels, anisotropic samples, no resident level.
#[inline(always)]
pub(super) fn sample_2d(
    filtering: &mut FilterContext<'_, '_>,
    request: &Request<'_>,
    order: &ParameterLayout,
    (active, constant): (u32, Option<LevelSelection>),
    response: &mut [u32],
) -> Result<u32, StopReason> {
    let (image, sampler) = (filtering.image, filtering.sampler);
    let (true, Some(packer)) = (
        is_plain_request(filtering, request, order),
        Packer::from_format(image.format),
    ) else {
        return Ok(0);
    };
    let parameter = |i: usize| {
        let first = request.first + i * request.lanes;
        request.payload.dword_range(first, request.lanes)
    };
    let (Some(us), Some(vs)) = (
        parameter(order.coordinates[0]),
        parameter(order.coordinates[1]),
    ) else {
        return Ok(0);
    };
    let float = |bits: u32| f64::from(f32::from_bits(bits));
    let size = image.level_extent(0).map(f64::from);
    // With one slice and no fast-cleared blocks, texels are read and unpacked together.
    let single = (!image.is_array || image.depth == 1) && image.ccs_block().is_none();
    let (mut texels, mut plain) = ([0; 16], 0);
    let mut known: Option<(u32, Level)> = None;
    let mut done = 0;
    for first in (0..request.lanes).step_by(SUBSPAN) {
        let lanes = active >> first & 15;
        let (Some(u), Some(v)) = (
            us.get(first..).and_then(|u| u.first_chunk::<SUBSPAN>()),
            vs.get(first..).and_then(|v| v.first_chunk::<SUBSPAN>()),
        ) else {
            break;
        };
        if lanes == 0 {
            continue;
        }
        let (u, v) = (u.map(float), v.map(float));
        let selection = match constant {
            Some(selection) => selection,
            None => select_level(filtering, [u, v], size),
        };
        let linear = selection.filter != Filter::Nearest;
        if needs_general_path(sampler, &selection) {
            continue;
        }
        let number = selection.levels[0];
        let level = match &known {
            Some((of, level)) if *of == number => *level,
            _ => {
                let surface = (filtering.state, image);
                let level = filtering.texels.level(surface, number);
                known = Some((number, level));
                level
            }
        };
        if !level.is_plain() {
            continue;
        }
        let [width, height, _] = level.extent();
        let rounded =
            [0, 1].map(|axis: usize| sampler.rounding[axis][usize::from(selection.magnified)]);
        if lanes == 15
            && single
            && !linear
            && let Some(addresses) = nearest(&level, [u, v], sampler.normalized, rounded)
        {
            let found = filtering.view.read_four(addresses)?;
            if let Some(texels) = texels.get_mut(first..first + SUBSPAN) {
                texels.copy_from_slice(&found);
            }
            plain |= 15 << first;
            continue;
        }
        let source = PlainLevel {
            number,
            level: &level,
            packer,
        };
        for i in (0..SUBSPAN).filter(|i| lanes >> i & 1 == 1) {
            let point = texel_point([u[i], v[i]], [width, height], sampler.normalized, rounded);
            let slice = match image.is_array {
                true => array_element(request.float(order.coordinates[2], first + i), image.depth),
                false => 0,
            };
            let values = filter_point(filtering, &source, linear, point, slice)?;
            respond_lane(request, first + i, image.swizzled(values), response);
            done |= 1 << (first + i);
        }
    }
    if plain != 0 {
        respond_texels(request, (image, packer), plain, &texels, response);
    }
    Ok(done | plain)
}

#[cfg(test)]
mod tests;
