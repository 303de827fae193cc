//! How fine a number is seen: of values that a unit rounds, the low bits of their fields make no
//! difference.
//!
//! In:  a command or structure, and the draw's state. Out: bits of a field that move its value by
//!      as much as rounding leaves, half a step of what is written or snapped to; all bits of a
//!      field that is no such number.
//! Ref: SKL PRM vol. 7, "Viewport Transformation", "Depth Offset", "Color Blending"; vol. 2a, each
//!      field's description.

use crate::look::{Place, Work};
use hw::{ChannelKind, Field, Format, draw, draw_state as ds, state};

/// Half of 1/256 of a pixel, to which positions in the window are snapped.
const SNAPPED: f64 = 1.0 / 512.0;

/// Bits whose change moves the float in a field by `step` or more.
fn floats(words: &[u32], field: &Field, step: f64) -> u64 {
    let own = field.get(words) as u32;
    let value = |bits: u32| f64::from(f32::from_bits(bits));
    let moves = |bit: &u32| {
        let by = (value(own ^ 1 << bit) - value(own)).abs();
        by.is_nan() || by >= step
    };
    (0..32).filter(moves).fold(0, |all, bit| all | 1 << bit)
}

/// Half a step of what a channel holds about 1.
fn channel((kind, bits): (ChannelKind, u8)) -> f64 {
    // Floats of 16 and 32 bits have 11 and 24 of them, those of 11 and 10 bits 7 and 6.
    let digits = match (kind, bits) {
        (ChannelKind::Unorm | ChannelKind::Snorm, bits) => i32::from(bits),
        (_, 32) => 24,
        (_, 16) => 11,
        _ => 7,
    };
    0.5f64.powi(digits + 1)
}

/// The same of the finest of the surfaces that a draw or dispatch is given: its targets are among
/// them.
fn surfaces(work: &Work<'_>) -> f64 {
    use state::render_surface_state as f;
    let all = work.all(&f::PACKET);
    // Buffers count where kernels write to memory: what they read of them is no colour.
    let writes = work.pixel_sends().writes;
    let all = all.filter(|place| writes || f::SURFACE_TYPE.get(&place.words) != BUFFER);
    let formats =
        all.filter_map(|place| Format::by_number(f::SURFACE_FORMAT.get(&place.words) as u32));
    let steps = formats.flat_map(|format| format.channels.iter().copied().map(channel));
    steps.fold(1.0, f64::min)
}

/// SURFTYPE_BUFFER.
const BUFFER: u64 = 4;

/// Half a step of the depth buffer.
fn depth(work: &Work<'_>) -> f64 {
    use draw::state_depth_buffer as f;
    // D32_FLOAT, D24_UNORM_X8_UINT, D16_UNORM.
    match work.get(&f::PACKET, f::SURFACE_FORMAT) {
        1 => 0.5f64.powi(25),
        3 => 0.5f64.powi(25),
        _ => 0.5f64.powi(17),
    }
}

/// Bits of a field that can be seen.
pub fn bits(work: &Work<'_>, place: &Place, field: &Field) -> u64 {
    let of = |packet: &'static hw::Packet, fields: &[Field]| {
        std::ptr::eq(place.packet, packet) && fields.contains(field)
    };
    use ds::{
        color_calc_state as cc, sampler_border_color_state as border, sf_clip_viewport as vp,
    };
    let across = [
        vp::VIEWPORT_MATRIX_ELEMENT_M00,
        vp::VIEWPORT_MATRIX_ELEMENT_M11,
        vp::VIEWPORT_MATRIX_ELEMENT_M30,
        vp::VIEWPORT_MATRIX_ELEMENT_M31,
    ];
    let into = [
        vp::VIEWPORT_MATRIX_ELEMENT_M22,
        vp::VIEWPORT_MATRIX_ELEMENT_M32,
    ];
    let constants = [
        cc::BLEND_CONSTANT_COLOR_RED,
        cc::BLEND_CONSTANT_COLOR_GREEN,
        cc::BLEND_CONSTANT_COLOR_BLUE,
        cc::BLEND_CONSTANT_COLOR_ALPHA,
    ];
    use state::render_surface_state as surface;
    let clears = [
        surface::RED_CLEAR_COLOR,
        surface::GREEN_CLEAR_COLOR,
        surface::BLUE_CLEAR_COLOR,
        surface::ALPHA_CLEAR_COLOR,
        surface::HIERARCHICAL_DEPTH_CLEAR_VALUE,
    ];
    let words = &place.words;
    match () {
        _ if of(&vp::PACKET, &across) => floats(words, field, SNAPPED),
        _ if of(&vp::PACKET, &into) => floats(words, field, depth(work)),
        // Where a surface of integers is cleared, its own step is none.
        _ if of(&surface::PACKET, &clears) => {
            let format = Format::by_number(surface::SURFACE_FORMAT.get(words) as u32);
            let kinds = format.into_iter().flat_map(|format| format.channels);
            let integer = |kind| matches!(kind, ChannelKind::Uint | ChannelKind::Sint);
            match kinds.into_iter().any(|(kind, _)| integer(kind)) {
                true => u64::MAX,
                // A target's clear colour goes to its own texels; a texture's goes where kernels
                // write it.
                false => {
                    let own = format.into_iter().flat_map(|format| format.channels);
                    let own = own.map(channel).fold(1.0, f64::min);
                    let target = &draw::state_binding_table_pointers_ps::PACKET;
                    let drawn = std::ptr::eq(place.command, target) && !work.pixel_sends().sampler;
                    floats(words, field, if drawn { own } else { surfaces(work) })
                }
            }
        }
        _ if of(&cc::PACKET, &constants) => floats(words, field, surfaces(work)),
        _ if std::ptr::eq(place.packet, &border::PACKET) && field.bits() == 32 => {
            // Formats of integers read it as it is; a float's step says as much about those.
            match surfaces(work) {
                step if step < 0.5f64.powi(20) => u64::MAX,
                step => floats(words, field, step),
            }
        }
        // It counts the least steps that there are.
        _ if of(
            &draw::state_raster::PACKET,
            &[draw::state_raster::GLOBAL_DEPTH_OFFSET_CONSTANT],
        ) =>
        {
            floats(words, field, 0.5)
        }
        _ => u64::MAX,
    }
}
