//! Breaks each consistency rule, next to a minimally different legal case.

use crate::strict::testing::{
    BLEND, DEPTH, HIZ, WRITE, assert_breaks, assert_breaks_after, broken_rule, command, draw_with,
    legal_draw, pipe_control, post_sync, primitive, rig, rig_with_kernel, rig_with_target,
    rule_broken_by_draw_with, target_write,
};
use crate::testing::{STATE, send, to};
use hw::draw_state::{blend_state_entry as entry, state_constant_body as body};
use hw::{Field, draw, media};

#[test]
fn sf_and_clip_provoking_vertices_must_match() {
    use draw::{state_clip as clip, state_sf as sf};
    let rule = Some("provoking-vertex");
    let pairs = [
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
    for (of_clip, of_sf, reserved) in pairs {
        let both = |value| [(&clip::PACKET, of_clip, value), (&sf::PACKET, of_sf, value)];
        assert_breaks(None, &both(1));
        assert_breaks(rule, &both(reserved));
        assert_breaks(rule, &both(1)[..1]);
        assert_breaks(rule, &both(1)[1..]);
    }
}

#[test]
fn non_perspective_barycentrics_must_be_enabled_in_clip() {
    use draw::{state_clip as clip, state_wm as wm};
    let modes = (&wm::PACKET, wm::BARYCENTRIC_INTERPOLATION_MODE, 8);
    let clips = (&clip::PACKET, clip::CLIP_ENABLE, 1);
    let enabled = (&clip::PACKET, clip::NON_PERSPECTIVE_BARYCENTRIC_ENABLE, 1);
    assert_breaks(Some("clip-barycentric"), &[modes, clips]);
    assert_breaks(None, &[modes, clips, enabled]);
    assert_breaks(None, &[modes]);
    assert_breaks(None, &[clips]);
}

#[test]
fn push_constants_must_fit_their_allocation() {
    use draw::{
        state_constant_ps as constants, state_ps as ps, state_push_constant_alloc_ps as alloc,
    };
    let length = Field {
        lo: body::READ_LENGTH.lo + 32,
        hi: body::READ_LENGTH.hi + 32,
        ..body::READ_LENGTH
    };
    let of = |registers, kilobytes| {
        [
            (&ps::PACKET, ps::PUSH_CONSTANT_ENABLE, 1),
            (&constants::PACKET, length, registers),
            (&alloc::PACKET, alloc::CONSTANT_BUFFER_SIZE, kilobytes),
        ]
    };
    assert_breaks(None, &of(32, 1));
    assert_breaks(Some("push-allocation"), &of(33, 1));
    assert_breaks(Some("push-allocation"), &of(1, 0));
    assert_breaks(None, &of(0, 0));
    // A command that never came allocates nothing.
    let mut commands = draw_with(&of(1, 16));
    commands.retain(|c| !alloc::PACKET.matches(c[0]));
    commands.push(primitive(0));
    assert_eq!(broken_rule(&mut rig(), &commands), Some("push-allocation"));
}

#[test]
fn line_rasterisation_state_is_consistent() {
    use draw::{
        state_line_stipple as stipple, state_raster as raster, state_sf as sf, state_wm as wm,
    };
    let smooth = (&raster::PACKET, raster::ANTIALIASING_ENABLE, 1);
    assert_breaks(Some("smooth-lines"), &[smooth]);
    assert_breaks(None, &[smooth, (&sf::PACKET, sf::AA_LINE_DISTANCE_MODE, 1)]);
    let stippled = |repeat, inverse| {
        let fields = [
            (stipple::LINE_STIPPLE_REPEAT_COUNT, repeat),
            (stipple::LINE_STIPPLE_INVERSE_REPEAT_COUNT, inverse),
        ];
        let mut commands = draw_with(&[(&wm::PACKET, wm::LINE_STIPPLE_ENABLE, 1)]);
        commands.extend([command(&stipple::PACKET, &fields), primitive(0)]);
        broken_rule(&mut rig(), &commands)
    };
    assert_eq!(stippled(1, 0x1_0000), None);
    assert_eq!(stippled(3, 0x5555), None);
    assert_eq!(stippled(3, 0x1_0000), Some("line-stipple"));
    assert_eq!(stippled(1, 0), Some("line-stipple"));
}

#[test]
fn hiz_needs_a_buffer_and_a_valid_clear_value() {
    use draw::{
        state_clear_params as params, state_depth_buffer as depth, state_hier_depth_buffer as hiz,
        state_wm_hz_op as op,
    };
    let used = [
        (&depth::PACKET, depth::SURFACE_TYPE, 1),
        (&depth::PACKET, depth::SURFACE_FORMAT, 1),
        (&depth::PACKET, depth::SURFACE_BASE_ADDRESS, DEPTH),
        (&depth::PACKET, depth::SURFACE_PITCH, 127),
        (&depth::PACKET, depth::WIDTH, 7),
        (&depth::PACKET, depth::HEIGHT, 7),
        (&depth::PACKET, depth::HIERARCHICAL_DEPTH_BUFFER_ENABLE, 1),
    ];
    let with = |packet, field, value| [&used[..], &[(packet, field, value)]].concat();
    assert_breaks(None, &used);
    let valid = params::DEPTH_CLEAR_VALUE_VALID;
    assert_breaks(Some("clear-params"), &with(&params::PACKET, valid, 0));
    for (field, value) in [
        (hiz::SURFACE_BASE_ADDRESS, 0),
        (hiz::SURFACE_BASE_ADDRESS, HIZ + 64),
        (hiz::SURFACE_BASE_ADDRESS, DEPTH),
        (hiz::SURFACE_PITCH, 126),
        (hiz::SURFACE_QPITCH, 1),
    ] {
        assert_breaks(Some("hiz-place"), &with(&hiz::PACKET, field, value));
    }
    // A tile's row of blocks is enough for 128 pixels.
    assert_breaks(None, &with(&depth::PACKET, depth::WIDTH, 127));
    assert_breaks(Some("hiz-place"), &with(&depth::PACKET, depth::WIDTH, 128));
    let cleared = |fields: &[(Field, u64)]| {
        let all = [
            (op::DEPTH_BUFFER_CLEAR_ENABLE, 1),
            (op::CLEAR_RECTANGLE_X_MAX, 8),
            (op::CLEAR_RECTANGLE_Y_MAX, 8),
            (op::SAMPLE_MASK, 0xffff),
        ];
        let mut commands = draw_with(&used);
        let acts = command(&op::PACKET, &[&all[..], fields].concat());
        commands.extend([acts, pipe_control(&post_sync()), command(&op::PACKET, &[])]);
        broken_rule(&mut rig(), &commands)
    };
    let full = (op::FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR, 1);
    let rule = Some("hz-op-clear");
    assert_eq!(cleared(&[full]), None);
    assert_eq!(cleared(&[full, (op::CLEAR_RECTANGLE_X_MAX, 7)]), rule);
    assert_eq!(cleared(&[(op::CLEAR_RECTANGLE_X_MAX, 7)]), None);
    assert_eq!(cleared(&[(op::SAMPLE_MASK, 0)]), rule);
}

#[test]
fn base_addresses_need_their_modify_enable() {
    use media::state_base_address as f;
    let given = |modify, field, value| {
        let mut commands = legal_draw();
        let words = commands.first_mut().expect("a command");
        field_of(words, f::GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE, modify);
        field_of(words, field, value);
        commands.push(primitive(0));
        broken_rule(&mut rig(), &commands)
    };
    let rule = Some("base-address-modify");
    assert_eq!(given(1, f::GENERAL_STATE_BUFFER_SIZE, 4), None);
    assert_eq!(given(0, f::GENERAL_STATE_BUFFER_SIZE, 4), rule);
    assert_eq!(given(0, f::INDIRECT_OBJECT_BUFFER_SIZE, 4), rule);
    assert_eq!(given(0, f::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE, 0), rule);
}

fn field_of(words: &mut [u32], field: Field, value: u64) {
    field.set(words, value);
}

#[test]
fn render_target_writes_need_has_writeable_rt() {
    use draw::{state_ps_blend as blend, state_ps_extra as extra};
    let write = |changes: &[_]| rule_broken_by_draw_with(&mut rig_with_target(&[]), changes);
    assert_eq!(write(&[]), None);
    // Threads that are forced; else there are none that could write.
    let forced = (
        &draw::state_wm::PACKET,
        draw::state_wm::FORCE_THREAD_DISPATCH_ENABLE,
        2,
    );
    let none = (&blend::PACKET, blend::HAS_WRITEABLE_RT, 0);
    assert_eq!(write(&[none, forced]), Some("ps-writes"));
    let not = (&extra::PACKET, extra::PIXEL_SHADER_DOES_NOT_WRITE_TO_RT, 1);
    assert_eq!(write(&[not, forced]), Some("ps-writes"));
    assert_eq!([write(&[none]), write(&[not])], [None, None]);
    // Offsets of the message itself, linear: two registers for eight pixels.
    let ask = send(11, 2 << 20 | 1 << 25, to(40), 0);
    let kernel = [ask, target_write(WRITE)];
    let pulls = (&extra::PACKET, extra::PIXEL_SHADER_PULLS_BARY, 1);
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_kernel(&kernel), &[]),
        Some("ps-pulls")
    );
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_kernel(&kernel), &[pulls]),
        None
    );
}

#[test]
fn ps_blend_must_match_blend_state() {
    use draw::state_ps_blend as ps;
    let blended = |entries: &[(Field, u64)], changes: &[(Field, u64)]| {
        let mut words = [0; 2];
        for (field, value) in entries {
            field.set(&mut words, *value);
        }
        let mut rig = rig_with_target(&[]);
        rig.write(STATE + BLEND + 4, &words);
        let changes: Vec<_> = changes.iter().map(|(f, v)| (&ps::PACKET, *f, *v)).collect();
        rule_broken_by_draw_with(&mut rig, &changes)
    };
    let on = (entry::COLOR_BUFFER_BLEND_ENABLE, 1);
    let ps_blend = (ps::COLOR_BUFFER_BLEND_ENABLE, 1);
    let rule = Some("ps-blend");
    assert_eq!(blended(&[on], &[ps_blend]), None);
    assert_eq!(blended(&[on], &[]), rule);
    assert_eq!(blended(&[], &[ps_blend]), rule);
    for (of_entry, of_ps) in [
        (entry::SOURCE_BLEND_FACTOR, ps::SOURCE_BLEND_FACTOR),
        (
            entry::DESTINATION_BLEND_FACTOR,
            ps::DESTINATION_BLEND_FACTOR,
        ),
    ] {
        assert_eq!(blended(&[on, (of_entry, 3)], &[ps_blend, (of_ps, 3)]), None);
        assert_eq!(blended(&[on, (of_entry, 3)], &[ps_blend, (of_ps, 1)]), rule);
        // Ignored without blending.
        assert_eq!(blended(&[(of_entry, 3)], &[]), None);
    }
    assert_eq!(blended(&[], &[(ps::ALPHA_TO_COVERAGE_ENABLE, 1)]), rule);
    let (before, after) = (
        entry::PRE_BLEND_COLOR_CLAMP_ENABLE,
        entry::POST_BLEND_COLOR_CLAMP_ENABLE,
    );
    let range = |code| (entry::COLOR_CLAMP_RANGE, code);
    let rule = Some("blend-clamp");
    assert_eq!(blended(&[(before, 1), (after, 1), range(2)], &[]), None);
    assert_eq!(blended(&[(before, 1), (after, 1), range(1)], &[]), rule);
    assert_eq!(blended(&[(before, 1), range(2)], &[]), rule);
}

/// Fields that are refused or must have a value are so where commands come.
#[test]
fn field_fates_are_checked_per_command() {
    use draw::{
        state_clip as clip, state_multisample as multisample, state_raster as raster,
        state_sf as sf, state_wm as wm,
    };
    for (packet, field) in [
        (&sf::PACKET, sf::VERTEX_SUB_PIXEL_PRECISION_SELECT),
        (&clip::PACKET, clip::VERTEX_SUB_PIXEL_PRECISION_SELECT),
        (&raster::PACKET, raster::FORCE_MULTISAMPLING),
        (
            &multisample::PACKET,
            multisample::PIXEL_POSITION_OFFSET_ENABLE,
        ),
        (&wm::PACKET, wm::LEGACY_DEPTH_BUFFER_RESOLVE_ENABLE),
    ] {
        let mut commands = draw_with(&[(packet, field, 1)]);
        commands.push(primitive(0));
        let mut batch = commands.concat();
        batch.extend(hw::mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
        let found = rig().execute(&batch);
        let named = matches!(&found, Err(eu::StopReason::Unimplemented { what, .. }) if what.contains(field.name));
        assert!(named, "{found:?}");
    }
    assert_breaks_after(None, &[pipe_control(&[])]);
    use media::pipe_control as f;
    let global = pipe_control(&[(f::DESTINATION_ADDRESS_TYPE, 1)]);
    assert_breaks_after(Some("field-value"), &[global]);
}
