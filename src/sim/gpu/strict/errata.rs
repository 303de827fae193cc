//! Checks the workarounds that the device's errata demand of draws and dispatches.
//!
//! In:  the state that a draw or walker uses, the device. Out: the first rule that is broken where
//!      the device needs the workaround of [`hw::Wa`].
//! Ref: [`hw::WORKAROUNDS`].

use crate::context::HwContext;
use crate::draw_state::DrawState;
use crate::rules::{
    BARRIER_MODE, CONSERVATIVE_RASTER, DEPTH_PITCH, PS_HEADER_ONLY, STAGE_THREADS,
    URB_ENTRIES_LIMIT, VERTEX_BUFFER_EMPTY, VERTEX_CACHE_TESSELLATION,
};
use crate::strict::draw::has_pixel_constants;
use eu::StopReason;
use hw::draw_state::vertex_buffer_state as vb;
use hw::state::interface_descriptor_data as idd;
use hw::value::draw::depth_surface_type;
use hw::{Device, Field, Packet, Wa, draw, register};

/// Maximum Number of Threads of each geometry stage: name, command, enable bit, field.
static STAGES: [(&str, &Packet, Field, Field); 4] = [
    (
        "VS",
        &draw::state_vs::PACKET,
        draw::state_vs::ENABLE,
        draw::state_vs::MAXIMUM_NUMBER_OF_THREADS,
    ),
    (
        "HS",
        &draw::state_hs::PACKET,
        draw::state_hs::ENABLE,
        draw::state_hs::MAXIMUM_NUMBER_OF_THREADS,
    ),
    (
        "DS",
        &draw::state_ds::PACKET,
        draw::state_ds::ENABLE,
        draw::state_ds::MAXIMUM_NUMBER_OF_THREADS,
    ),
    (
        "GS",
        &draw::state_gs::PACKET,
        draw::state_gs::ENABLE,
        draw::state_gs::MAXIMUM_NUMBER_OF_THREADS,
    ),
];

/// Checks the state that a draw uses. `lenient`: without the rules that drivers in use break.
pub(super) fn check_draw(
    context: &HwContext,
    device: &Device,
    lenient: bool,
    at: u64,
) -> Result<(), StopReason> {
    let state = &context.draw;
    for (stage, packet, enable, field) in STAGES {
        let threads = state.get(packet, field) + 1;
        let max = u64::from(device.max_stage_threads);
        let legal = !state.flag(packet, enable) || threads <= max;
        STAGE_THREADS.check(legal, at, || format!("{stage}: {threads} threads of {max}"))?;
    }
    if CONSERVATIVE_RASTER.applies(device, lenient) {
        use draw::state_raster as raster;
        let enabled = state.flag(&raster::PACKET, raster::CONSERVATIVE_RASTERIZATION_ENABLE);
        CONSERVATIVE_RASTER.check(!enabled, at, || "it is enabled in 3DSTATE_RASTER".into())?;
    }
    if PS_HEADER_ONLY.applies(device, lenient) {
        check_payload(state, at)?;
    }
    check_urb_entries(state, device, at)?;
    if VERTEX_BUFFER_EMPTY.applies(device, lenient) {
        check_vertex_buffers(state, at)?;
    }
    if DEPTH_PITCH.applies(device, lenient) {
        check_depth_pitch(state, at)?;
    }
    let tessellates = state.flag(&draw::state_ds::PACKET, draw::state_ds::ENABLE);
    let cached = !state.flag(
        &draw::state_vs::PACKET,
        draw::state_vs::VERTEX_CACHE_DISABLE,
    );
    let needed = VERTEX_CACHE_TESSELLATION.applies(device, lenient);
    VERTEX_CACHE_TESSELLATION.check(!(needed && tessellates && cached), at, || {
        "the vertex cache is enabled beside a domain shader".into()
    })?;
    let hull = state.flag(&draw::state_hs::PACKET, draw::state_hs::ENABLE);
    check_barrier_mode(context, hull.then_some(true), device, at)
}

/// Checks the pitch of a depth buffer with eight samples.
fn check_depth_pitch(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_depth_buffer as depth, state_multisample as multisample};
    const EIGHT_SAMPLES: u64 = 3;
    let samples = state.get(&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES);
    // Draws with stencil alone give the type of the stencil buffer, and no address.
    let null = state.get(&depth::PACKET, depth::SURFACE_TYPE) == depth_surface_type::SURFTYPE_NULL
        || state.get(&depth::PACKET, depth::SURFACE_BASE_ADDRESS) == 0;
    let pitch = state.get(&depth::PACKET, depth::SURFACE_PITCH) + 1;
    let concerned = samples == EIGHT_SAMPLES && !state.words(&depth::PACKET).is_empty() && !null;
    DEPTH_PITCH.check(!concerned || pitch.is_multiple_of(256), at, || {
        format!("eight samples, {pitch} bytes")
    })
}

/// Checks that vertex buffers without bytes are null.
fn check_vertex_buffers(state: &DrawState, at: u64) -> Result<(), StopReason> {
    for (index, words) in &state.vertex_buffers {
        let null = vb::NULL_VERTEX_BUFFER.get(words) == 1;
        let legal = null || vb::BUFFER_SIZE.get(words) != 0;
        VERTEX_BUFFER_EMPTY.check(legal, at, || format!("buffer {index}"))?;
    }
    Ok(())
}

/// Checks a walker with this interface descriptor.
pub(super) fn check_walker(
    context: &HwContext,
    descriptor: &[u32; 8],
    device: &Device,
    at: u64,
) -> Result<(), StopReason> {
    let barriers = idd::BARRIER_ENABLE.get(descriptor) != 0;
    check_barrier_mode(context, barriers.then_some(false), device, at)
}

/// Checks that the barrier mode is that of work with barriers: of hull shaders if `Some(true)`, of
/// compute shaders if `Some(false)`.
fn check_barrier_mode(
    context: &HwContext,
    hull: Option<bool>,
    device: &Device,
    at: u64,
) -> Result<(), StopReason> {
    if !BARRIER_MODE.applies(device, false) {
        return Ok(());
    }
    let mode = context.register(register::SLICE_COMMON_ECO_CHICKEN1);
    let for_hull = mode & register::GLK_BARRIER_MODE_3D_HULL != 0;
    BARRIER_MODE.check(
        hull.is_none_or(|hull| hull == for_hull),
        at,
        || match for_hull {
            true => "a compute shader with barriers, in the mode of hull shaders".into(),
            false => "a hull shader, in the barrier mode of compute shaders".into(),
        },
    )
}

/// Checks that the payload of pixel shader threads has more than its header.
fn check_payload(state: &DrawState, at: u64) -> Result<(), StopReason> {
    use draw::{state_ps as ps, state_ps_extra as extra, state_sbe as sbe, state_wm as wm};
    let extra_flag = |field| state.flag(&extra::PACKET, field);
    let dispatched = extra_flag(extra::PIXEL_SHADER_VALID) && state.renders();
    if !dispatched {
        return Ok(());
    }
    let pushes = state.flag(&ps::PACKET, ps::PUSH_CONSTANT_ENABLE) && has_pixel_constants(state);
    let attributes = extra_flag(extra::ATTRIBUTE_ENABLE)
        && state.get(&sbe::PACKET, sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES) > 0;
    let others = [
        state.get(&wm::PACKET, wm::BARYCENTRIC_INTERPOLATION_MODE) != 0,
        state.get(&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE) != 0,
        state.get(&ps::PACKET, ps::POSITION_XY_OFFSET_SELECT) != 0,
        extra_flag(extra::PIXEL_SHADER_USES_SOURCE_DEPTH),
        extra_flag(extra::PIXEL_SHADER_USES_SOURCE_W),
    ];
    let legal = pushes || attributes || others.contains(&true);
    PS_HEADER_ONLY.check(legal, at, || {
        "no attributes, no constants, and nothing else behind the header".into()
    })
}

fn check_urb_entries(state: &DrawState, device: &Device, at: u64) -> Result<(), StopReason> {
    use draw::{state_urb_gs as gs, state_urb_vs as vs};
    let limits = [
        (
            Wa::FewVertexUrbEntries,
            "VS",
            state.get(&vs::PACKET, vs::VS_NUMBER_OF_URB_ENTRIES),
            928,
        ),
        (
            Wa::FewGeometryUrbEntries,
            "GS",
            state.get(&gs::PACKET, gs::GS_NUMBER_OF_URB_ENTRIES),
            256,
        ),
    ];
    for (wa, stage, entries, max) in limits {
        let legal = !device.needs(wa) || entries <= max;
        URB_ENTRIES_LIMIT.check(legal, at, || format!("{entries} of {stage}, at most {max}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
