//! Fast clears and resolves of render targets, and 3DSTATE_WM_HZ_OP.
//!
//! In:  a pixel of a fast clear's scaled-down rectangle, or 3DSTATE_WM_HZ_OP. Out: blocks marked in
//!      the aux surface, or memory written.
//! Ref: SKL PRM vol. 7, "Render Target Fast Clear", "Render Target Resolve", "Depth Buffer Clear".

use super::depth::{depth_buffer, stencil_buffer, viewport_depth_ranges};
use super::state::AuxOperation;
use super::target::expand_mcs;
use crate::draw::exec::Draw;
use crate::memory::AddressSpaceView;
use crate::observer::{Depth, Via};
use crate::rules;
use crate::surface::{AuxMode, Image, format};
use eu::StopReason;
use hw::draw::{state_clear_params as params, state_wm_hz_op as op};

/// CCS blocks across and down that a pixel of the scaled-down rectangle stands for.
const BLOCKS: u32 = 8;

/// Pixels of the target that a pixel of the scaled-down rectangle stands for; `None` without an aux
/// surface.
fn fast_clear_scale(image: &Image) -> Option<[u32; 2]> {
    match (image.aux.mode, image.samples) {
        (AuxMode::Mcs, 2 | 4) => Some([8, 2]),
        (AuxMode::Mcs, 8) => Some([2, 2]),
        (AuxMode::Mcs, _) => Some([1, 2]),
        _ => image.ccs_block().map(|[w, h]| [w * BLOCKS, h * BLOCKS]),
    }
}

/// Clears or resolves the blocks that a pixel of the scaled-down rectangle stands for.
pub(super) fn clear_or_resolve_pixel(
    view: &AddressSpaceView<'_>,
    image: &Image,
    [x, y, layer]: [u32; 3],
    what: AuxOperation,
    at: u64,
) -> Result<(), StopReason> {
    let Some([w, h]) = fast_clear_scale(image) else {
        return Err(rules::FAST_CLEAR_SURFACE.stop(
            "a fast clear or resolve of a surface without a control surface",
            at,
        ));
    };
    let [width, height, _] = image.level_extent(image.lod);
    let [step_x, step_y] = image.ccs_block().unwrap_or([1, 1]);
    let (left, top) = (x.saturating_mul(w), y.saturating_mul(h));
    for y in (top..top.saturating_add(h).min(height)).step_by(step_y as usize) {
        for x in (left..left.saturating_add(w).min(width)).step_by(step_x as usize) {
            let pixel = [x, y, layer];
            match (what, image.aux.mode) {
                (AuxOperation::FastClear, AuxMode::Mcs) => {
                    if let Some((address, bytes)) = image.mcs_place(pixel) {
                        view.write_bytes(address, bytes, u64::MAX >> (64 - bytes * 8))?;
                    }
                }
                (AuxOperation::FastClear, _) => {
                    image.mark_clear(view, image.lod, pixel)?;
                }
                (AuxOperation::PartialResolve | AuxOperation::FullResolve, AuxMode::Mcs) => {
                    expand_mcs(image, view, pixel)?
                }
                (AuxOperation::PartialResolve | AuxOperation::FullResolve, _) => {
                    image.resolve(view, image.lod, pixel, what == AuxOperation::FullResolve)?;
                }
            }
        }
    }
    Ok(())
}

/// Executes 3DSTATE_WM_HZ_OP. Clears write the depth and stencil buffers at once, so resolves have
/// nothing to do.
pub(crate) fn hz_op(draw: &Draw<'_>, words: &[u32]) -> Result<(), StopReason> {
    let view = draw.view(Via::Hierarchical);
    let get = |field: hw::Field| field.get(words);
    let samples = get(op::NUMBER_OF_MULTISAMPLES);
    let rectangle = |image: &Image| {
        let [width, height, _] = image.level_extent(image.lod);
        let x = get(op::CLEAR_RECTANGLE_X_MIN) as u32
            ..(get(op::CLEAR_RECTANGLE_X_MAX) as u32).min(width);
        let y = get(op::CLEAR_RECTANGLE_Y_MIN) as u32
            ..(get(op::CLEAR_RECTANGLE_Y_MAX) as u32).min(height);
        (x, y)
    };
    let fill = |image: &Image, value: u32, is_depth: bool| -> Result<(), StopReason> {
        let (columns, rows) = rectangle(image);
        let level = image.at_level(image.lod);
        let element = format::encode(image.format, [value, 0, 0, 0]);
        for layer in 0..image.view_extent.min(image.depth) {
            if is_depth {
                let slice = [image.lod, image.min_array_element + layer];
                view.depth(image.address, Depth::Held(slice));
            }
            let part = [columns.clone(), rows.clone()];
            image.fill(&view, &level, part, layer, &element)?;
        }
        Ok(())
    };
    if get(op::DEPTH_BUFFER_CLEAR_ENABLE) == 1
        && let Some(image) = depth_buffer(draw, samples)?
    {
        let value = draw.state.get(&params::PACKET, params::DEPTH_CLEAR_VALUE) as u32;
        if view.is_strict() {
            check_depth_clear_value(draw, &image, f32::from_bits(value))?;
        }
        fill(&image, value, true)?;
    }
    observe_hz_op(draw, words, samples)?;
    if get(op::STENCIL_BUFFER_CLEAR_ENABLE) == 1
        && let Some(image) = stencil_buffer(draw, samples)?
    {
        view.through(Via::Depth);
        fill(&image, get(op::STENCIL_CLEAR_VALUE) as u32, false)?;
    }
    Ok(())
}

/// "The clear value must be between the min and max depth values (inclusive) defined in the
/// CC_VIEWPORT"; for D32_FLOAT it may also be a denormal.
fn check_depth_clear_value(draw: &Draw<'_>, image: &Image, value: f32) -> Result<(), StopReason> {
    let range = viewport_depth_ranges(draw)?
        .first()
        .copied()
        .unwrap_or_default();
    let denormal = image.format.name == "R32_FLOAT" && value.is_subnormal();
    let inside = (range[0]..=range[1]).contains(&value) || denormal;
    rules::DEPTH_CLEAR_RANGE.check(inside, draw.at, || {
        format!("{value} is cleared to, of {} to {}", range[0], range[1])
    })
}

/// Reports to strict mode how an operation changes the state of the hierarchical depth buffer.
fn observe_hz_op(draw: &Draw<'_>, words: &[u32], samples: u64) -> Result<(), StopReason> {
    let get = |field: hw::Field| field.get(words);
    let set = |field: hw::Field| get(field) == 1;
    let (clears, resolves, fills) = (
        set(op::DEPTH_BUFFER_CLEAR_ENABLE),
        set(op::DEPTH_BUFFER_RESOLVE_ENABLE),
        set(op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE),
    );
    if !clears && !resolves && !fills {
        return Ok(());
    }
    let view = draw.view(Via::Depth);
    if let Some(image) = depth_buffer(draw, samples)? {
        for layer in 0..image.view_extent.min(image.depth) {
            let slice = [image.lod, image.min_array_element + layer];
            let [width, height, _] = image.level_extent(image.lod);
            let to = [op::CLEAR_RECTANGLE_X_MAX, op::CLEAR_RECTANGLE_Y_MAX].map(get);
            let from = [op::CLEAR_RECTANGLE_X_MIN, op::CLEAR_RECTANGLE_Y_MIN].map(get);
            let whole = from == [0, 0] && to[0] >= width.into() && to[1] >= height.into();
            if (clears || fills) && whole {
                view.depth(image.address, Depth::HizValid(slice));
            }
            if clears {
                view.depth(image.address, Depth::Held(slice));
            } else if resolves {
                view.depth(image.address, Depth::Resolved(slice));
            }
        }
    }
    Ok(())
}
