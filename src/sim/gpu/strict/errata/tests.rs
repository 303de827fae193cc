//! Rules for errata: state that a part cannot take is refused there, its legal neighbour and other
//! parts pass.

use super::{check_draw, check_walker};
use crate::context::HwContext;
use crate::draw_state::DrawState;
use eu::StopReason;
use hw::draw_state::state_constant_body as body;
use hw::state::interface_descriptor_data as idd;
use hw::{Device, Field, Packet, draw, register};

type Change = (&'static Packet, Field, u64);

/// The rule that a draw of a context breaks on a part.
fn broken(part: &str, context: &HwContext) -> Option<&'static str> {
    match check_draw(context, Device::by_name(part).expect("a part"), false, 0) {
        Err(StopReason::Undefined { rule, .. }) => Some(rule),
        Err(other) => panic!("{other:?}"),
        Ok(()) => None,
    }
}

fn context(changes: &[Change]) -> HwContext {
    let mut state = DrawState::default();
    for (packet, field, value) in changes {
        let mut words = state.words(packet).to_vec();
        if words.is_empty() {
            words = vec![0; packet.dwords.into()];
            words[0] = packet.header;
        }
        field.set(&mut words, *value);
        state.latch(packet, &words);
    }
    HwContext {
        draw: state,
        ..HwContext::default()
    }
}

#[test]
fn pixel_shader_payloads_have_more_than_a_header() {
    use draw::{
        state_constant_ps as constants, state_ps as ps, state_ps_extra as extra, state_sbe as sbe,
        state_wm as wm,
    };
    let valid: Change = (&extra::PACKET, extra::PIXEL_SHADER_VALID, 1);
    let with = |more: &[Change]| broken("skl", &context(&[&[valid], more].concat()));
    assert_eq!(with(&[]), Some("ps-header-only"));
    assert_eq!(broken("skl", &context(&[])), None);
    let takes_attributes: Change = (&extra::PACKET, extra::ATTRIBUTE_ENABLE, 1);
    let attribute: Change = (&sbe::PACKET, sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES, 1);
    assert_eq!(with(&[takes_attributes, attribute]), None);
    assert_eq!(with(&[takes_attributes]), Some("ps-header-only"));
    let takes_constants: Change = (&ps::PACKET, ps::PUSH_CONSTANT_ENABLE, 1);
    // The body follows the header.
    let mut length = body::READ_LENGTH;
    (length.lo, length.hi) = (length.lo + 32, length.hi + 32);
    let constant: Change = (&constants::PACKET, length, 1);
    assert_eq!(with(&[takes_constants, constant]), None);
    assert_eq!(with(&[constant]), Some("ps-header-only"));
    for other in [
        (&wm::PACKET, wm::BARYCENTRIC_INTERPOLATION_MODE, 1),
        (&extra::PACKET, extra::PIXEL_SHADER_USES_SOURCE_DEPTH, 1),
        (&extra::PACKET, extra::PIXEL_SHADER_USES_SOURCE_W, 1),
        (&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE, 1),
        (&ps::PACKET, ps::POSITION_XY_OFFSET_SELECT, 3),
    ] {
        assert_eq!(with(&[other]), None, "{}", other.1.name);
    }
}

#[test]
fn stages_have_no_more_threads_than_the_part_allows() {
    use draw::{state_ds as ds, state_gs as gs, state_hs as hs, state_vs as vs};
    let stages: [(&'static Packet, Field, Field); 4] = [
        (&vs::PACKET, vs::ENABLE, vs::MAXIMUM_NUMBER_OF_THREADS),
        (&hs::PACKET, hs::ENABLE, hs::MAXIMUM_NUMBER_OF_THREADS),
        (&ds::PACKET, ds::ENABLE, ds::MAXIMUM_NUMBER_OF_THREADS),
        (&gs::PACKET, gs::ENABLE, gs::MAXIMUM_NUMBER_OF_THREADS),
    ];
    for (part, max) in [("skl", 336), ("bxt", 112), ("bxt-5a85", 56), ("glk", 56)] {
        for (packet, enable, field) in stages {
            let threads = |count: u64, enabled| {
                let state = context(&[(packet, field, count - 1), (packet, enable, enabled)]);
                broken(part, &state)
            };
            let expected = |rule: Option<&str>| match (part, rule) {
                // A hull shader needs the barrier mode on Gemini Lake, which another test checks.
                ("glk", None) if packet.name == hs::PACKET.name => Some("barrier-mode"),
                ("skl", None) | (_, None) => None,
                (_, Some(_)) => Some("stage-threads"),
            };
            assert_eq!(threads(max, 1), expected(None), "{part} {}", packet.name);
            assert_eq!(
                threads(max + 1, 1),
                expected(Some("")),
                "{part} {}",
                packet.name
            );
            assert_eq!(threads(max + 1, 0), None, "{part} {}", packet.name);
        }
    }
}

#[test]
fn parts_that_lose_work_have_fewer_urb_entries() {
    use draw::{state_urb_gs as gs, state_urb_vs as vs};
    let vertices = |entries| context(&[(&vs::PACKET, vs::VS_NUMBER_OF_URB_ENTRIES, entries)]);
    let geometry = |entries| context(&[(&gs::PACKET, gs::GS_NUMBER_OF_URB_ENTRIES, entries)]);
    let limit = Some("urb-entries-limit");
    assert_eq!(broken("skl-1902", &vertices(928)), None);
    assert_eq!(broken("skl-1902", &vertices(936)), limit);
    assert_eq!(broken("skl", &vertices(1856)), None);
    assert_eq!(broken("kbl-5906", &geometry(256)), None);
    assert_eq!(broken("kbl-5906", &geometry(264)), limit);
    assert_eq!(broken("skl-1902", &geometry(640)), None);
}

#[test]
fn gt4_has_no_vertex_cache_with_tessellation() {
    use draw::{state_ds as ds, state_vs as vs};
    let tessellates: Change = (&ds::PACKET, ds::ENABLE, 1);
    let disabled: Change = (&vs::PACKET, vs::VERTEX_CACHE_DISABLE, 1);
    let rule = Some("vertex-cache-tessellation");
    assert_eq!(broken("skl-1932", &context(&[tessellates])), rule);
    assert_eq!(broken("skl-1932", &context(&[tessellates, disabled])), None);
    assert_eq!(broken("skl-1932", &context(&[])), None);
    assert_eq!(broken("skl", &context(&[tessellates])), None);
}

#[test]
fn the_barrier_mode_is_that_of_the_pipeline() {
    use draw::state_hs as hs;
    let hull: Change = (&hs::PACKET, hs::ENABLE, 1);
    let in_mode = |mut context: HwContext, mode| {
        context.set_register(register::SLICE_COMMON_ECO_CHICKEN1, mode);
        context
    };
    let for_hull = register::GLK_BARRIER_MODE_3D_HULL;
    let rule = Some("barrier-mode");
    assert_eq!(broken("glk", &in_mode(context(&[hull]), 0)), rule);
    assert_eq!(broken("glk", &in_mode(context(&[hull]), for_hull)), None);
    assert_eq!(broken("glk", &in_mode(context(&[]), 0)), None);
    assert_eq!(broken("bxt", &in_mode(context(&[hull]), 0)), None);
    let mut descriptor = [0; 8];
    let walker = |descriptor: &[u32; 8], mode| {
        let device = Device::by_name("glk").expect("a part");
        check_walker(&in_mode(context(&[]), mode), descriptor, device, 0).is_ok()
    };
    assert!(walker(&descriptor, for_hull));
    idd::BARRIER_ENABLE.set(&mut descriptor, 1);
    assert!(!walker(&descriptor, for_hull) && walker(&descriptor, 0));
}

#[test]
fn depth_buffers_with_eight_samples_have_an_even_number_of_tiles() {
    use draw::{state_depth_buffer as depth, state_multisample as multisample};
    let eight: Change = (&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES, 3);
    let buffer = |address, pitch: u64, log_samples, kind| {
        context(&[
            (&depth::PACKET, depth::SURFACE_PITCH, pitch - 1),
            (&depth::PACKET, depth::SURFACE_BASE_ADDRESS, address),
            (&depth::PACKET, depth::SURFACE_TYPE, kind),
            (eight.0, eight.1, log_samples),
        ])
    };
    let rule = Some("depth-pitch");
    let at = |address, pitch, log_samples, kind| {
        broken("skl", &buffer(address, pitch, log_samples, kind))
    };
    assert_eq!(at(0x1000, 384, 3, 1), rule);
    assert_eq!(at(0x1000, 512, 3, 1), None);
    // Stencil alone.
    assert_eq!(at(0, 1, 3, 1), None);
    assert_eq!(at(0x1000, 384, 2, 1), None);
    assert_eq!(at(0x1000, 384, 4, 1), None);
    // No depth buffer.
    assert_eq!(at(0x1000, 384, 3, 7), None);
    assert_eq!(broken("skl", &context(&[eight])), None);
    // ANV breaks the rule.
    let device = Device::by_name("skl").expect("a part");
    assert!(check_draw(&buffer(0x1000, 384, 3, 1), device, true, 0).is_ok());
}

#[test]
fn skylake_draws_without_conservative_rasterisation() {
    use draw::state_raster as raster;
    let enabled: Change = (
        &raster::PACKET,
        raster::CONSERVATIVE_RASTERIZATION_ENABLE,
        1,
    );
    let rule = Some("conservative-raster");
    assert_eq!(broken("skl", &context(&[enabled])), rule);
    assert_eq!(broken("skl", &context(&[])), None);
    for part in ["bxt", "kbl", "glk"] {
        assert_eq!(broken(part, &context(&[enabled])), None, "{part}");
    }
    // ANV broke the rule until 26.2.
    let device = Device::by_name("skl").expect("a part");
    assert!(check_draw(&context(&[enabled]), device, true, 0).is_ok());
}

#[test]
fn vertex_buffers_without_bytes_are_null() {
    use hw::draw_state::vertex_buffer_state as vb;
    let with = |bytes, null| {
        let mut words = [0; 5];
        words[0] = draw::state_vertex_buffers::PACKET.header | 3;
        vb::BUFFER_SIZE.set(&mut words[1..], bytes);
        vb::NULL_VERTEX_BUFFER.set(&mut words[1..], null);
        vb::ADDRESS_MODIFY_ENABLE.set(&mut words[1..], 1);
        let mut context = context(&[]);
        context
            .draw
            .latch(&draw::state_vertex_buffers::PACKET, &words);
        broken("skl", &context)
    };
    assert_eq!(with(0, 0), Some("vertex-buffer-empty"));
    assert_eq!(with(0, 1), None);
    assert_eq!(with(4, 0), None);
}
