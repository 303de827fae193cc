//! Checks the consistency of commands that carry the same information, or promise something about
//! another command.
//!
//! In:  3DSTATE_* as latched when a 3DPRIMITIVE or a 3DSTATE_WM_HZ_OP executes, STATE_BASE_ADDRESS.
//!      Out: the first broken rule.
//! Ref: SKL PRM vol. 2a, the commands.

use crate::draw_state::DrawState;
use crate::rules::{
    BASE_ADDRESS_MODIFY, BASE_ADDRESS_WRAP, CLEAR_PARAMS, CLIP_BARYCENTRIC, HIZ_PLACE, HZ_OP_CLEAR,
    LINE_STIPPLE, PROVOKING_VERTEX, PUSH_ALLOCATION, SMOOTH_LINES,
};
use crate::space::ADDRESS_MASK;
use eu::StopReason;
use hw::draw_state::state_constant_body as body;
use hw::value::draw::barycentric_interpolation_mode as modes;
use hw::value::state::surface_type::SURFTYPE_NULL;
use hw::{Field, Packet, draw, media};

/// Barycentric interpolation modes without perspective.
const NON_PERSPECTIVE: u64 =
    modes::BIM_LINEAR_PIXEL | modes::BIM_LINEAR_CENTROID | modes::BIM_LINEAR_SAMPLE;

/// Checks the state that a draw uses.
pub(super) fn check_draw(state: &DrawState, at: u64) -> Result<(), StopReason> {
    check_hiz(state, at)?;
    check_push_constants(state, at)?;
    check_provoking_vertex(state, at)?;
    check_lines(state, at)?;
    use draw::{state_clip as clip, state_ps_extra as extra, state_wm as wm};
    let modes = state.get(&wm::PACKET, wm::BARYCENTRIC_INTERPOLATION_MODE);
    let needs = modes & NON_PERSPECTIVE != 0
        && state.flag(&extra::PACKET, extra::PIXEL_SHADER_VALID)
        && state.flag(&clip::PACKET, clip::CLIP_ENABLE);
    let consistent = state.flag(&clip::PACKET, clip::NON_PERSPECTIVE_BARYCENTRIC_ENABLE);
    CLIP_BARYCENTRIC.check(!needs || consistent, at, || {
        format!("modes {modes:#b} of the pixel shader")
    })
}

/// Checks a clear or resolve by 3DSTATE_WM_HZ_OP.
pub(super) fn check_hz_op(state: &DrawState, words: &[u32], at: u64) -> Result<(), StopReason> {
    use draw::{state_depth_buffer as depth, state_wm_hz_op as op};
    check_hiz(state, at)?;
    let get = |field: Field| field.get(words);
    let samples = 1u64 << get(op::NUMBER_OF_MULTISAMPLES).min(4);
    let all = (1 << samples) - 1;
    let mask = get(op::SAMPLE_MASK);
    HZ_OP_CLEAR.check(mask & all == all, at, || {
        format!("samples {mask:#x} of {samples}")
    })?;
    let lod = state.get(&depth::PACKET, depth::LOD);
    let extent = |field| ((state.get(&depth::PACKET, field) + 1) >> lod).max(1);
    let whole = get(op::CLEAR_RECTANGLE_X_MIN) == 0
        && get(op::CLEAR_RECTANGLE_Y_MIN) == 0
        && get(op::CLEAR_RECTANGLE_X_MAX) >= extent(depth::WIDTH)
        && get(op::CLEAR_RECTANGLE_Y_MAX) >= extent(depth::HEIGHT);
    let full = get(op::FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR) == 1;
    HZ_OP_CLEAR.check(!full || whole, at, || {
        "a clear of the full surface that leaves pixels out".into()
    })
}

/// Checks the address and pitch of the HiZ buffer, and its clear value.
fn check_hiz(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{
        state_clear_params as params, state_depth_buffer as depth, state_hier_depth_buffer as hiz,
    };
    let of_depth = |field| state.get(&depth::PACKET, field);
    let used = of_depth(depth::HIERARCHICAL_DEPTH_BUFFER_ENABLE) == 1
        && of_depth(depth::SURFACE_TYPE) != SURFTYPE_NULL;
    if !used {
        return Ok(());
    }
    let valid = state.flag(&params::PACKET, params::DEPTH_CLEAR_VALUE_VALID);
    CLEAR_PARAMS.check(valid, at, || "the depth clear value is not valid".into())?;
    let get = |field| state.get(&hiz::PACKET, field);
    let (address, pitch) = (get(hiz::SURFACE_BASE_ADDRESS), get(hiz::SURFACE_PITCH) + 1);
    HIZ_PLACE.check(
        address != 0 && address.is_multiple_of(4096) && pitch.is_multiple_of(128),
        at,
        || format!("tiles from {address:#x} on, {pitch} bytes a row"),
    )?;
    // A tile of 128 bytes by 32 rows holds sixteen by sixteen blocks of sixteen bytes, and a block
    // covers eight by four pixels: a tile is as wide in pixels as in bytes.
    let (width, height) = (of_depth(depth::WIDTH) + 1, of_depth(depth::HEIGHT) + 1);
    let rows = get(hiz::SURFACE_QPITCH) * 4;
    HIZ_PLACE.check(pitch >= width && rows >= height, at, || {
        format!("{pitch} bytes by {rows} rows for {width} by {height} pixels")
    })?;
    let start = of_depth(depth::SURFACE_BASE_ADDRESS);
    let bytes = (of_depth(depth::SURFACE_PITCH) + 1) * height;
    let end = start + bytes.next_multiple_of(4096);
    HIZ_PLACE.check(!(start..end).contains(&address), at, || {
        format!("{address:#x} lies in the depth buffer from {start:#x} to {end:#x}")
    })
}

/// A stage's push constants: the allocation command and its size field, the constants command, the
/// enable bit of the stage.
type Constants = (
    &'static Packet,
    Field,
    &'static Packet,
    (&'static Packet, Field),
);

macro_rules! stage_constants {
    ($allocation:ident, $size:ident, $constants:ident, $enable:expr) => {
        (
            &draw::$allocation::PACKET,
            draw::$allocation::$size,
            &draw::$constants::PACKET,
            $enable,
        )
    };
}

#[rustfmt::skip]
static CONSTANTS: [Constants; 5] = [
    stage_constants!(state_push_constant_alloc_vs, CONSTANT_BUFFER_SIZE, state_constant_vs, (&draw::state_vs::PACKET, draw::state_vs::ENABLE)),
    stage_constants!(state_push_constant_alloc_hs, CONSTANT_BUFFER_SIZE, state_constant_hs, (&draw::state_hs::PACKET, draw::state_hs::ENABLE)),
    stage_constants!(state_push_constant_alloc_ds, CONSTANT_BUFFER_SIZE, state_constant_ds, (&draw::state_ds::PACKET, draw::state_ds::ENABLE)),
    stage_constants!(state_push_constant_alloc_gs, CONSTANT_BUFFER_SIZE, state_constant_gs, (&draw::state_gs::PACKET, draw::state_gs::ENABLE)),
    stage_constants!(state_push_constant_alloc_ps, CONSTANT_BUFFER_SIZE, state_constant_ps,
        (&draw::state_ps_extra::PACKET, draw::state_ps_extra::PIXEL_SHADER_VALID)),
];

fn check_push_constants(state: &DrawState, at: u64) -> Result<(), StopReason> {
    for (allocation, size, constants, (stage, enable)) in &CONSTANTS {
        if !state.flag(stage, *enable) {
            continue;
        }
        let words = state.words(constants).get(1..).unwrap_or_default();
        let lengths = [
            body::READ_LENGTH,
            body::READ_LENGTH_1,
            body::READ_LENGTH_2,
            body::READ_LENGTH_3,
        ];
        let bytes: u64 = lengths.iter().map(|length| length.get(words) * 32).sum();
        let room = state.get(allocation, *size) * 1024;
        PUSH_ALLOCATION.check(bytes <= room, at, || {
            format!(
                "{}: {bytes} bytes where {room} are allocated",
                constants.name
            )
        })?;
    }
    Ok(())
}

fn check_provoking_vertex(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_clip as clip, state_sf as sf};
    let selects = [
        (
            clip::TRIANGLE_FAN_PROVOKING_VERTEX_SELECT,
            sf::TRIANGLE_FAN_PROVOKING_VERTEX_SELECT,
            3,
        ),
        (
            clip::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT,
            sf::LINE_STRIP_LIST_PROVOKING_VERTEX_SELECT,
            2,
        ),
        (
            clip::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT,
            sf::TRIANGLE_STRIP_LIST_PROVOKING_VERTEX_SELECT,
            3,
        ),
    ];
    for (of_clip, of_sf, vertices) in selects {
        let clips = state.get(&clip::PACKET, of_clip);
        let sets_up = state.get(&sf::PACKET, of_sf);
        PROVOKING_VERTEX.check(clips == sets_up && clips < vertices, at, || {
            format!("{}: {clips} of the clipper, {sets_up} of setup", of_sf.name)
        })?;
    }
    Ok(())
}

fn check_lines(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{
        state_line_stipple as stipple, state_raster as raster, state_sf as sf, state_wm as wm,
    };
    let (repeat, inverse) = (
        state.get(&stipple::PACKET, stipple::LINE_STIPPLE_REPEAT_COUNT),
        state.get(&stipple::PACKET, stipple::LINE_STIPPLE_INVERSE_REPEAT_COUNT),
    );
    let stipples = state.flag(&wm::PACKET, wm::LINE_STIPPLE_ENABLE);
    // The fraction has sixteen bits; either rounding is accepted.
    let consistent = inverse.abs_diff(65536 / repeat.max(1)) <= 1;
    LINE_STIPPLE.check(!stipples || consistent, at, || {
        format!("{inverse:#x} of 0x10000 for {repeat}")
    })?;
    let smooth = state.flag(&raster::PACKET, raster::ANTIALIASING_ENABLE);
    let distance = state.get(&sf::PACKET, sf::AA_LINE_DISTANCE_MODE);
    SMOOTH_LINES.check(!smooth || distance == 1, at, || {
        "smooth lines, with AA Line Distance Mode 0".into()
    })
}

/// Checks that a STATE_BASE_ADDRESS sets the modify bit of every value it carries, and that heaps
/// do not wrap.
pub(super) fn check_base_addresses(words: &[u32], at: u64) -> Result<(), StopReason> {
    use media::state_base_address as f;
    let pairs = [
        (
            f::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::GENERAL_STATE_BASE_ADDRESS,
        ),
        (
            f::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::SURFACE_STATE_BASE_ADDRESS,
        ),
        (
            f::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::DYNAMIC_STATE_BASE_ADDRESS,
        ),
        (
            f::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE,
            f::INDIRECT_OBJECT_BASE_ADDRESS,
        ),
        (
            f::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE,
            f::INSTRUCTION_BASE_ADDRESS,
        ),
        (
            f::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            f::BINDLESS_SURFACE_STATE_BASE_ADDRESS,
        ),
        (
            f::GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE,
            f::GENERAL_STATE_BUFFER_SIZE,
        ),
        (
            f::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE,
            f::DYNAMIC_STATE_BUFFER_SIZE,
        ),
        (
            f::INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE,
            f::INDIRECT_OBJECT_BUFFER_SIZE,
        ),
        (
            f::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE,
            f::INSTRUCTION_BUFFER_SIZE,
        ),
    ];
    for (modify, value) in pairs {
        let (taken, given) = (modify.get(words) == 1, value.get(words));
        BASE_ADDRESS_MODIFY.check(taken || given == 0, at, || {
            format!("{} {given:#x} without its modify bit", value.name)
        })?;
    }
    let heaps = [
        (f::GENERAL_STATE_BASE_ADDRESS, f::GENERAL_STATE_BUFFER_SIZE),
        (f::DYNAMIC_STATE_BASE_ADDRESS, f::DYNAMIC_STATE_BUFFER_SIZE),
        (
            f::INDIRECT_OBJECT_BASE_ADDRESS,
            f::INDIRECT_OBJECT_BUFFER_SIZE,
        ),
        (f::INSTRUCTION_BASE_ADDRESS, f::INSTRUCTION_BUFFER_SIZE),
    ];
    for (base, pages) in heaps {
        let end = (base.get(words) & ADDRESS_MASK) + pages.get(words) * 4096;
        BASE_ADDRESS_WRAP.check(end <= ADDRESS_MASK + 1, at, || {
            format!("{}: up to {end:#x}", base.name)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
