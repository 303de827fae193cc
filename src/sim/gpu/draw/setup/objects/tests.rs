//! Objects set up, with values worked out by hand.

mod primitives;

use super::*;
use crate::draw::setup::attributes::{Attribute, Source};
use crate::draw::setup::state::Viewport;
use std::sync::Arc;

pub(super) fn vue(position: [f32; 4], rest: [f32; 4]) -> Vue {
    let words = [0.0, 0.0, 0.0, 2.0].into_iter().chain(position).chain(rest);
    words.map(f32::to_bits).collect::<Arc<[u32]>>()
}

pub(super) fn object(kind: Kind, positions: &[[f32; 4]]) -> Object {
    let each = positions.iter().enumerate();
    Object {
        kind,
        vertices: each.map(|(i, p)| vue(*p, [i as f32; 4])).collect(),
        provoking: 1,
        primitive_id: 9,
        edges: [true, true, false],
        continues: false,
        cut: None,
    }
}

/// A viewport of 16 × 16 pixels, depth as it is.
pub(super) fn state() -> SetupState {
    SetupState {
        divide: true,
        transform: true,
        viewports: vec![Viewport {
            scale: [8.0, 8.0, 1.0],
            offset: [8.0, 8.0, 0.0],
        }],
        viewport_count: 1,
        force_zero_layer: false,
        origin: [0.0; 2],
        front_counter_clockwise: false,
        cull: Cull::None,
        front_fill: Fill::Solid,
        back_fill: Fill::Solid,
        bias_solid: false,
        bias_wireframe: false,
        bias_point: false,
        bias_constant: 0.0,
        bias_scale: 0.0,
        bias_clamp: 0.0,
        bias_unit: Some(2f64.powi(-16)),
        point_width: None,
        point_range: [0.125, 255.875],
        aliased_lines: true,
        sprite_lower_left: false,
        attributes: vec![Attribute {
            at: 8,
            back: 8,
            components: [Source::Vertex; 4],
            ..Attribute::default()
        }],
    }
}

pub(super) fn run(state: &SetupState, object: &Object) -> Vec<SetupObject> {
    let mut out = Vec::new();
    setup_object(state, object, &mut out);
    out
}

/// Pixels (0, 0), (16, 0), (0, 16); depths 0, 0.5, 0.25.
pub(super) const CLOCKWISE: [[f32; 4]; 3] = [
    [-1.0, -1.0, 0.0, 1.0],
    [2.0, -2.0, 1.0, 2.0],
    [-1.0, 1.0, 0.25, 1.0],
];

#[test]
fn perspective_divide_viewport_and_snapping() {
    let out = run(&state(), &object(Kind::Triangle, &CLOCKWISE));
    let at = |i: usize| {
        (
            out[0].vertices[i].x,
            out[0].vertices[i].y,
            out[0].vertices[i].z,
        )
    };
    assert_eq!(
        [at(0), at(1), at(2)],
        [(0.0, 0.0, 0.0), (16.0, 0.0, 0.5), (0.0, 16.0, 0.25)]
    );
    assert_eq!(out[0].vertices[1].inverse_w, 0.5);
    assert_eq!(out[0].depth.evaluate(8.0, 4.0), 0.25 + 0.0625);
    assert_eq!(out[0].linear(8.0, 4.0), [0.5, 0.25]);
    // 1/w is 1 - 0.25 there: vertex 1 has 0.5 * 0.5 of it.
    let [b, c] = out[0].perspective(8.0, 4.0);
    assert!((b - 0.25 / 0.75).abs() < 1e-12 && (c - 0.25 / 0.75).abs() < 1e-12);
    // What is at the far plane is there exactly, though 49 * (1 / 49) is not 1.
    let far = [[-49.0, -49.0, 49.0, 49.0]; 1];
    let point = Object {
        provoking: 0,
        ..object(Kind::Point, &far)
    };
    assert_eq!(run(&state(), &point)[0].vertices[0].z, 1.0);
    // A 512th of a pixel goes to the even 256th.
    let mut shifted = state();
    shifted.viewports[0].offset[0] = 8.0 + 1.0 / 512.0;
    let out = run(&shifted, &object(Kind::Triangle, &CLOCKWISE));
    assert_eq!(out[0].vertices[0].x, 0.0);
}

#[test]
fn cull_mode_by_winding() {
    let clockwise = object(Kind::Triangle, &CLOCKWISE);
    for (counter, cull, left) in [
        (false, Cull::PixelBackend, Some(true)),
        (false, Cull::Front, None),
        (true, Cull::PixelBackend, None),
        (true, Cull::Front, Some(false)),
        (true, Cull::Both, None),
    ] {
        let mut state = state();
        (state.front_counter_clockwise, state.cull) = (counter, cull);
        let out = run(&state, &clockwise);
        assert_eq!(out.first().map(|s| s.front_facing), left);
    }
}

#[test]
fn depth_bias_by_constant_and_slope() {
    let mut state = state();
    state.bias_solid = true;
    state.bias_constant = 4.0;
    state.bias_scale = 2.0;
    // The greater slope is 0.5 in 16 pixels.
    let depth = |state: &SetupState| run(state, &object(Kind::Triangle, &CLOCKWISE))[0].depth.c;
    assert_eq!(depth(&state), 4.0 / 65536.0 + 2.0 * 0.5 / 16.0);
    state.bias_clamp = 0.03125;
    assert_eq!(depth(&state), 0.03125);
    (state.bias_constant, state.bias_scale, state.bias_clamp) = (-4.0, -2.0, -0.03125);
    assert_eq!(depth(&state), -0.03125);
    (state.bias_constant, state.bias_scale) = (4.0, 2.0);
    (state.bias_clamp, state.bias_scale, state.bias_unit) = (0.0, 0.0, None);
    // The greatest depth is 2^-1, whose unit in the last place is 2^-24.
    assert_eq!(depth(&state), 4.0 * 2f64.powi(-24));
}

#[test]
fn wireframe_lines_have_the_facing_of_their_triangle() {
    let mut state = state();
    state.back_fill = Fill::Wireframe;
    state.front_counter_clockwise = true;
    let out = run(&state, &object(Kind::Triangle, &CLOCKWISE));
    assert_eq!(out.len(), 2);
    assert!(out.iter().all(|s| s.kind == Kind::Line && !s.front_facing));
    assert_eq!((out[1].vertices[0].x, out[1].vertices[1].y), (16.0, 16.0));
    // Half way from depth 0.5 to 0.25.
    assert_eq!(out[1].depth.evaluate(8.0, 8.0), 0.375);
    state.back_fill = Fill::Point;
    let out = run(&state, &object(Kind::Triangle, &CLOCKWISE));
    assert!(out.len() == 2 && out.iter().all(|s| s.kind == Kind::Point));
}

#[test]
fn points_are_squares_with_sprite_coordinates() {
    let mut state = state();
    state.attributes[0].sprite = true;
    let point = object(Kind::Point, &[[0.0, 0.0, 0.5, 1.0]]);
    let point = Object {
        provoking: 0,
        ..point
    };
    let out = run(&state, &point);
    let at = |i: usize| (out[0].vertices[i].x, out[0].vertices[i].y);
    assert_eq!([at(0), at(1), at(2)], [(7.0, 7.0), (9.0, 7.0), (7.0, 9.0)]);
    let st = |out: &[SetupObject], i: usize| out[0].attributes[0][i].map(f32::from_bits);
    assert_eq!(st(&out, 0), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(st(&out, 1), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(st(&out, 2), [0.0, 1.0, 0.0, 1.0]);
    (state.sprite_lower_left, state.point_width) = (true, Some(4.0));
    let out = run(&state, &point);
    assert_eq!((out[0].vertices[0].x, st(&out, 2)[1]), (6.0, 0.0));
}

#[test]
fn flat_and_overridden_attributes() {
    let mut state = state();
    let two = 2f32.to_bits();
    state.attributes[0].flat = true;
    state.attributes[0].components[1] = Source::PrimitiveId;
    state.attributes[0].components[2] = Source::Constant(two);
    let out = run(&state, &object(Kind::Triangle, &CLOCKWISE));
    let one = 1f32.to_bits();
    assert_eq!(out[0].attributes[0], [[one, 9, two, one]; 3]);
}

#[test]
fn swizzle_facing_w_replaces_x() {
    let vue: Vue = (0..16).collect::<Vec<u32>>().into();
    let attribute = Attribute {
        at: 8,
        back: 12,
        w_for_x: true,
        ..state().attributes[0]
    };
    let of = |front| attributes(&[attribute], [&vue; 3], &vue, front, 0, None);
    assert_eq!(of(true), [[[11, 9, 10, 11]; 3]]);
    assert_eq!(of(false), [[[15, 13, 14, 15]; 3]]);
}

#[test]
fn objects_with_non_finite_positions_are_dropped() {
    let mut positions = CLOCKWISE;
    positions[2][3] = 0.0;
    assert!(run(&state(), &object(Kind::Triangle, &positions)).is_empty());
    let mut flat = CLOCKWISE;
    flat[2] = flat[0];
    assert!(run(&state(), &object(Kind::Triangle, &flat)).is_empty());
}

/// State latched from commands, with the viewports that it points to in memory at 0x10000.
fn latched_state() -> (crate::space::AddressSpace, crate::draw_state::DrawState) {
    use crate::draw_state::DrawState;
    use hw::draw as packet;
    use hw::draw_state::sf_output_attribute_detail as detail;
    use packet::{
        state_clip, state_ds, state_multisample, state_raster, state_sbe as sbe, state_sbe_swiz,
        state_sf, state_viewport_state_pointers_sf_clip as pointers, state_vs,
    };
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    let memory: Box<[AtomicU32]> = (0..1024).map(|_| AtomicU32::new(0)).collect();
    // SF_CLIP_VIEWPORT 1 of those at 0x40: m00, m30, and the right side of the guard band.
    for (dword, value) in [(0, 3.0f32), (3, 5.0), (9, 7.5)] {
        memory[32 + dword].store(value.to_bits(), Relaxed);
    }
    let mut space = crate::space::AddressSpace::new();
    space
        .map(0x10000, 4096, Arc::new(memory), 0)
        .expect("a free page");
    let mut latched = DrawState::default();
    let mut latch = |p: &hw::Packet, words: &[u32]| latched.latch(p, words);
    let words = state_clip::PACKET
        .words::<4>()
        .flag(state_clip::CLIP_ENABLE, true)
        .flag(state_clip::GUARDBAND_CLIP_TEST_ENABLE, true)
        .with(state_clip::API_MODE, 1)
        .with(state_clip::MAXIMUM_VP_INDEX, 1)
        .with(state_clip::MAXIMUM_POINT_WIDTH, 2047)
        .with(state_clip::MINIMUM_POINT_WIDTH, 4);
    latch(&state_clip::PACKET, &words.dwords);
    let words = pointers::PACKET
        .words::<2>()
        .with(pointers::SF_CLIP_VIEWPORT_POINTER, 0x40);
    latch(&pointers::PACKET, &words.dwords);
    let words = state_sf::PACKET
        .words::<4>()
        .flag(state_sf::VIEWPORT_TRANSFORM_ENABLE, true);
    latch(&state_sf::PACKET, &words.dwords);
    let words = state_raster::PACKET
        .words::<5>()
        .with(state_raster::CULL_MODE, 2)
        .with(state_raster::BACK_FACE_FILL_MODE, 1)
        .flag(state_raster::VIEWPORT_Z_FAR_CLIP_TEST_ENABLE, true);
    latch(&state_raster::PACKET, &words.dwords);
    let words = state_multisample::PACKET
        .words::<2>()
        .with(state_multisample::PIXEL_LOCATION, 1);
    latch(&state_multisample::PACKET, &words.dwords);
    // The domain shader is the last stage; the state of the vertex shader is not used.
    let words = state_vs::PACKET
        .words::<9>()
        .with(state_vs::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET, 3)
        .with(state_vs::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK, 1);
    latch(&state_vs::PACKET, &words.dwords);
    let words = state_ds::PACKET
        .words::<11>()
        .flag(state_ds::ENABLE, true)
        .with(state_ds::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET, 1)
        .with(state_ds::USER_CLIP_DISTANCE_CLIP_TEST_ENABLE_BITMASK, 6);
    latch(&state_ds::PACKET, &words.dwords);
    let words = sbe::PACKET
        .words::<6>()
        .with(sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES, 3)
        .flag(sbe::ATTRIBUTE_SWIZZLE_ENABLE, true)
        .with(sbe::CONSTANT_INTERPOLATION_ENABLE, 0b010)
        .with(sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE, 0b100)
        .with(sbe::PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT, 1)
        .flag(sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_X, true)
        .with(sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT, 3)
        .with(sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_1, 3)
        .with(sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_2, 3);
    latch(&sbe::PACKET, &words.dwords);
    let details = [
        detail::PACKET
            .words::<1>()
            .with(detail::SOURCE_ATTRIBUTE, 2),
        detail::PACKET
            .words()
            .with(detail::SOURCE_ATTRIBUTE, 1)
            .with(detail::SWIZZLE_SELECT, 3)
            .with(detail::CONSTANT_SOURCE, 1)
            .flag(detail::COMPONENT_OVERRIDE_Z, true)
            .flag(detail::COMPONENT_OVERRIDE_W, true),
    ]
    .map(|w| u64::from(w.dwords[0]));
    let words = state_sbe_swiz::PACKET
        .words::<11>()
        .with(state_sbe_swiz::ATTRIBUTE, details[0])
        .with(state_sbe_swiz::ATTRIBUTE_1, details[1]);
    latch(&state_sbe_swiz::PACKET, &words.dwords);
    (space, latched)
}

#[test]
fn state_is_read_from_commands_and_memory() {
    use crate::draw::clip::ClipState;
    use crate::draw::exec::Draw;

    let (space, latched) = latched_state();
    let draw = Draw {
        watch: None,
        budget: &crate::budget::Budget::new(crate::InstructionLimits::of_all(u64::MAX)),
        at: 0x40,
        state: &latched,
        base: crate::base_addresses::BaseAddresses {
            dynamic: 0x10000,
            ..Default::default()
        },
        space: &space,
        options: &crate::options::Options::default(),
        kernels: &crate::kernel_cache::KernelCache::default(),
        wide: &crate::dataport::WideLock::default(),
    };
    let clip = ClipState::read(&draw).expect("simulated");
    assert_eq!((clip.near, clip.far, clip.open_gl), (false, true, false));
    assert_eq!((clip.user_clip, clip.bands[1].x.1), (6, 7.5));
    let state = SetupState::read(&draw).expect("simulated");
    assert_eq!(state.viewports.len(), 2);
    assert_eq!(state.viewports[1].scale[0], 3.0);
    assert_eq!(state.viewports[1].offset[0], 5.0);
    assert_eq!(state.origin, [0.5; 2]);
    assert_eq!(
        (state.cull, state.back_fill),
        (Cull::Front, Fill::Wireframe)
    );
    assert_eq!(
        (state.point_width, state.point_range),
        (None, [0.5, 255.875])
    );
    let [a, b, c] = state.attributes.as_slice() else {
        panic!("three attributes");
    };
    // Attributes start at dword 8; the back face of the second attribute reads
    // the attribute after it.
    assert_eq!((a.at, a.back, a.flat, a.sprite), (16, 16, false, false));
    assert_eq!((b.at, b.back, b.flat), (12, 16, true));
    assert_eq!([a.w_for_x, b.w_for_x, c.w_for_x], [false, true, false]);
    let one = 1f32.to_bits();
    let expected = [
        Source::PrimitiveId,
        Source::Vertex,
        Source::Constant(0),
        Source::Constant(one),
    ];
    assert_eq!(b.components, expected);
    // The swizzle of the third selects attribute 0.
    assert_eq!((c.at, c.sprite), (8, true));
}
