//! Each field of the commands that the pixel pipeline looks at: what a draw is without it, and what
//! it is with it.
//!
//! Ref: SKL PRM vol. 2a, "3DSTATE_PS", "3DSTATE_PS_EXTRA", "3DSTATE_WM"; vol. 2d, "BLEND_STATE",
//!      "COLOR_CALC_STATE".

use crate::draw::pixel::blend::Blend;
use crate::draw::pixel::state::{AuxOperation, Coverage, State};
use crate::draw::pixel::testing::{DYNAMIC, Rig, SURFACES};
use eu::StopReason;
use hw::draw::{
    state_binding_table_pointers_ps as table, state_blend_state_pointers as blend_pointer,
    state_cc_state_pointers as cc_pointer, state_multisample as multisample, state_ps as ps,
    state_ps_blend as ps_blend, state_ps_extra as extra, state_raster as raster,
    state_sample_mask as mask, state_sample_pattern as pattern,
    state_sampler_state_pointers_ps as samplers, state_wm as wm,
};
use hw::draw_state::{blend_state, blend_state_entry as entry, color_calc_state as cc};
use hw::{Field, Packet};

type Change = (&'static Packet, Field, u64);

const VALID: Change = (&extra::PACKET, extra::PIXEL_SHADER_VALID, 1);
const WRITES: Change = (&ps_blend::PACKET, ps_blend::HAS_WRITEABLE_RT, 1);

/// The state of a draw with a pixel shader, with fields changed.
fn look<T>(rig: &mut Rig, changes: &[Change], of: impl Fn(&State<'_>) -> T) -> T {
    for (packet, field, value) in [VALID, WRITES].iter().chain(changes) {
        rig.set(packet, &[(*field, *value)]);
    }
    let draw = rig.draw();
    let state = State::read(&draw, &rig.view(), vec![5, 6]);
    of(&state.expect("simulated"))
}

fn read_state<T>(changes: &[Change], of: impl Fn(&State<'_>) -> T) -> T {
    look(&mut Rig::new(), changes, of)
}

#[test]
fn each_flag_is_read_from_its_field() {
    type Look = fn(&State<'_>) -> bool;
    let cases: [(&str, Change, Look); 12] = [
        (
            "vector mask",
            (&ps::PACKET, ps::VECTOR_MASK_ENABLE, 1),
            |s| s.vector_mask,
        ),
        ("statistics", (&wm::PACKET, wm::STATISTICS_ENABLE, 1), |s| {
            s.statistics
        }),
        (
            "depth",
            (&extra::PACKET, extra::PIXEL_SHADER_USES_SOURCE_DEPTH, 1),
            |s| s.uses_depth,
        ),
        (
            "W",
            (&extra::PACKET, extra::PIXEL_SHADER_USES_SOURCE_W, 1),
            |s| s.uses_w,
        ),
        (
            "attributes",
            (&extra::PACKET, extra::ATTRIBUTE_ENABLE, 1),
            |s| s.attributes,
        ),
        (
            "oMask",
            (&extra::PACKET, extra::OMASK_PRESENT_TO_RENDER_TARGET, 1),
            |s| s.omask,
        ),
        (
            "computed depth",
            (&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE, 1),
            |s| s.computes_depth,
        ),
        (
            "computed stencil",
            (&extra::PACKET, extra::PIXEL_SHADER_COMPUTES_STENCIL, 1),
            |s| s.computes_stencil,
        ),
        (
            "input coverage",
            (&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE, 1),
            |s| s.input_coverage,
        ),
        (
            "coverage after depth",
            (&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE, 3),
            |s| s.input_coverage,
        ),
        (
            "constants",
            (&ps::PACKET, ps::PUSH_CONSTANT_ENABLE, 1),
            |s| s.constants == [5, 6],
        ),
        (
            "smooth lines",
            (&raster::PACKET, raster::ANTIALIASING_ENABLE, 1),
            |s| s.smooth_lines,
        ),
    ];
    for (name, change, look) in cases {
        assert_eq!(
            [read_state(&[], look), read_state(&[change], look)],
            [false, true],
            "{name}"
        );
    }
    assert!(read_state(&[], |s| s.constants.is_empty()));
}

#[test]
fn each_number_is_read_from_its_field() {
    type Look = fn(&State<'_>) -> u64;
    let cases: [(&str, Change, Look, u64); 9] = [
        (
            "sample mask",
            (&mask::PACKET, mask::SAMPLE_MASK, 0xa5c3),
            |s| s.sample_mask.into(),
            0xa5c3,
        ),
        (
            "barycentrics",
            (&wm::PACKET, wm::BARYCENTRIC_INTERPOLATION_MODE, 0x2d),
            |s| s.barycentrics.into(),
            0x2d,
        ),
        (
            "offsets",
            (&ps::PACKET, ps::POSITION_XY_OFFSET_SELECT, 3),
            |s| s.offsets,
            3,
        ),
        (
            "ZW mode",
            (&wm::PACKET, wm::POSITION_ZW_INTERPOLATION_MODE, 2),
            |s| s.zw_mode,
            2,
        ),
        (
            "samples",
            (&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES, 3),
            |s| (s.samples - 1).into(),
            7,
        ),
        (
            "samplers",
            (
                &samplers::PACKET,
                samplers::POINTER_TO_PS_SAMPLER_STATE,
                0x340,
            ),
            |s| s.samplers.into(),
            0x340,
        ),
        (
            "binding table",
            (&table::PACKET, table::POINTER_TO_PS_BINDING_TABLE, 0x2e0),
            |s| s.table - SURFACES,
            0x2e0,
        ),
        (
            "surface base",
            (&table::PACKET, table::POINTER_TO_PS_BINDING_TABLE, 0x2e0),
            |s| s.surface_base - SURFACES,
            0,
        ),
        (
            "corner",
            (&multisample::PACKET, multisample::PIXEL_LOCATION, 1),
            |s| 5 - (s.centre * 10.0) as u64,
            5,
        ),
    ];
    for (name, change, look, expected) in cases {
        assert_eq!(
            [read_state(&[], look), read_state(&[change], look)],
            [0, expected],
            "{name}"
        );
    }
}

#[test]
fn sample_positions_are_fractions_of_a_pixel() {
    let samples = |log| {
        (
            &multisample::PACKET,
            multisample::NUMBER_OF_MULTISAMPLES,
            log,
        )
    };
    let place = [
        (&pattern::PACKET, pattern::N4X_SAMPLE2_X_OFFSET, 4),
        (&pattern::PACKET, pattern::N4X_SAMPLE2_Y_OFFSET, 13),
        (&pattern::PACKET, pattern::N1X_SAMPLE0_X_OFFSET, 3),
    ];
    let at =
        |more: &[Change]| read_state(&[&place, more].concat(), |s| (s.positions[2], s.samples));
    assert_eq!(at(&[samples(2)]), ([0.25, 0.8125], 4));
    // One sample is in the middle, or in the corner that pixels are located by.
    assert_eq!(at(&[]), ([0.5; 2], 1));
    let corner = (&multisample::PACKET, multisample::PIXEL_LOCATION, 1);
    assert_eq!(at(&[corner]), ([0.0; 2], 1));
}

#[test]
fn per_sample_dispatch_needs_multisampling() {
    let per_sample = (&extra::PACKET, extra::PIXEL_SHADER_IS_PER_SAMPLE, 1);
    let samples = (&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES, 1);
    let each = [&[][..], &[per_sample], &[samples], &[per_sample, samples]];
    assert_eq!(
        each.map(|changes| read_state(changes, |s| s.per_sample)),
        [false, false, false, true]
    );
}

#[test]
fn input_coverage_mask_modes() {
    let kind = |value| (&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE, value);
    let conservative = (
        &raster::PACKET,
        raster::CONSERVATIVE_RASTERIZATION_ENABLE,
        1,
    );
    for (changes, expected) in [
        (vec![], (Coverage::Covered, false)),
        (vec![kind(1)], (Coverage::Covered, true)),
        (vec![kind(2), conservative], (Coverage::Inner, true)),
        (vec![kind(3)], (Coverage::AfterDepth, true)),
        (vec![kind(3), conservative], (Coverage::AfterDepth, true)),
    ] {
        assert_eq!(
            read_state(&changes, |s| (s.coverage, s.input_coverage)),
            expected,
            "{expected:?}"
        );
    }
}

#[test]
fn unmodelled_state_is_reported() {
    let blend = DYNAMIC + 0x40;
    for (name, change) in [
        (
            "polygon stipple",
            (&wm::PACKET, wm::POLYGON_STIPPLE_ENABLE, 1),
        ),
        (
            "inner input coverage",
            (&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE, 2),
        ),
    ] {
        let mut rig = Rig::new();
        rig.set(
            &blend_pointer::PACKET,
            &[(blend_pointer::BLEND_STATE_POINTER, 0x40)],
        );
        let mut words = [0];
        blend_state::COLOR_DITHER_ENABLE.set(&mut words, 1);
        rig.write(blend, &words);
        let found = |rig: &Rig| State::read(&rig.draw(), &rig.view(), Vec::new()).err();
        assert_eq!(found(&rig), None, "{name}");
        rig.set(change.0, &[(change.1, change.2)]);
        match found(&rig) {
            Some(StopReason::Unimplemented { what, at: 0x40 }) => {
                assert!(what.contains(name), "{what}")
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn early_or_late_tests_follow_the_shader_state() {
    let control = |value| (&wm::PACKET, wm::EARLY_DEPTH_STENCIL_CONTROL, value);
    let invalid = (&extra::PACKET, extra::PIXEL_SHADER_VALID, 0);
    let off = (&wm::PACKET, wm::FORCE_THREAD_DISPATCH_ENABLE, 1);
    let kills = [
        (&extra::PACKET, extra::PIXEL_SHADER_KILLS_PIXEL, 1),
        (&extra::PACKET, extra::OMASK_PRESENT_TO_RENDER_TARGET, 1),
        (&extra::PACKET, extra::PIXEL_SHADER_COMPUTES_STENCIL, 1),
        (&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE, 2),
        (&ps_blend::PACKET, ps_blend::ALPHA_TO_COVERAGE_ENABLE, 1),
        (&ps_blend::PACKET, ps_blend::ALPHA_TEST_ENABLE, 1),
    ];
    let early = |changes: &[Change]| read_state(changes, |s| (s.valid, s.early));
    assert_eq!(early(&[]), (true, true));
    assert_eq!(early(&[control(1)]), (true, false));
    for kill in kills {
        let name = kill.1.name;
        assert_eq!(early(&[kill]), (true, false), "{name}");
        assert_eq!(early(&[kill, control(2)]), (true, true), "{name}");
        // Without a shader there is nothing to wait for.
        assert_eq!(early(&[kill, control(1), invalid]), (false, true), "{name}");
        assert_eq!(early(&[kill, off]), (false, true), "{name}");
    }
    assert!(!read_state(&[kills[3], invalid], |s| s.computes_depth));
    // The alpha fields of BLEND_STATE.
    for (field, expected) in [
        (blend_state::ALPHA_TEST_ENABLE, false),
        (blend_state::ALPHA_TO_COVERAGE_ENABLE, false),
        (blend_state::ALPHA_TO_ONE_ENABLE, true),
    ] {
        let mut rig = Rig::new();
        let mut words = [0];
        field.set(&mut words, 1);
        rig.write(DYNAMIC + 0x40, &words);
        let pointer = [
            (
                &blend_pointer::PACKET,
                blend_pointer::BLEND_STATE_POINTER,
                0x40,
            ),
            (
                &blend_pointer::PACKET,
                blend_pointer::BLEND_STATE_POINTER_VALID,
                1,
            ),
        ];
        assert_eq!(
            look(&mut rig, &pointer, |s| s.early),
            expected,
            "{}",
            field.name
        );
    }
}

#[test]
fn pixel_shader_dispatch_conditions() {
    use hw::draw::{
        state_depth_buffer as db, state_stencil_buffer as sb, state_wm_depth_stencil as ds,
    };
    let nothing = (&ps_blend::PACKET, ps_blend::HAS_WRITEABLE_RT, 0);
    let writes_not = (&extra::PACKET, extra::PIXEL_SHADER_DOES_NOT_WRITE_TO_RT, 1);
    let uav = (&extra::PACKET, extra::PIXEL_SHADER_HAS_UAV, 1);
    let kills = (&extra::PACKET, extra::PIXEL_SHADER_KILLS_PIXEL, 1);
    let computes = (&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE, 1);
    let depth = [
        (&ds::PACKET, ds::DEPTH_BUFFER_WRITE_ENABLE, 1),
        (&db::PACKET, db::SURFACE_FORMAT, 1),
        (&db::PACKET, db::DEPTH_WRITE_ENABLE, 1),
    ];
    let stencil = [
        (&ds::PACKET, ds::STENCIL_BUFFER_WRITE_ENABLE, 1),
        (&sb::PACKET, sb::STENCIL_BUFFER_ENABLE, 1),
    ];
    let tested = (&ds::PACKET, ds::DEPTH_TEST_ENABLE, 1);
    let force = |value| (&wm::PACKET, wm::FORCE_THREAD_DISPATCH_ENABLE, value);
    for (name, changes, expected) in [
        ("a target", vec![], true),
        ("no target", vec![nothing], false),
        ("written to by nobody", vec![writes_not], false),
        ("forced off", vec![force(1)], false),
        ("forced on", vec![nothing, force(2)], true),
        ("other memory", vec![nothing, uav], true),
        ("killed for nothing", vec![nothing, kills], false),
        (
            "half of depth writes",
            vec![nothing, kills, depth[0]],
            false,
        ),
        (
            "no depth",
            vec![nothing, depth[0], depth[1], depth[2]],
            false,
        ),
        (
            "depth of some",
            vec![nothing, kills, depth[0], depth[1], depth[2]],
            true,
        ),
        (
            "stencil of some",
            vec![nothing, kills, stencil[0], stencil[1]],
            true,
        ),
        ("depth for nothing", vec![nothing, computes], false),
        ("depth tested", vec![nothing, computes, tested], true),
    ] {
        assert_eq!(read_state(&changes, |s| s.valid), expected, "{name}");
    }
}

#[test]
fn writes_may_be_fast_clears_or_resolves() {
    let clear = (&ps::PACKET, ps::RENDER_TARGET_FAST_CLEAR_ENABLE, 1);
    let resolve = |kind| (&ps::PACKET, ps::RENDER_TARGET_RESOLVE_TYPE, kind);
    for (changes, expected) in [
        (vec![], None),
        (vec![clear], Some(AuxOperation::FastClear)),
        (vec![resolve(1)], Some(AuxOperation::PartialResolve)),
        (vec![resolve(3)], Some(AuxOperation::FullResolve)),
        (vec![clear, resolve(3)], Some(AuxOperation::FastClear)),
    ] {
        assert_eq!(read_state(&changes, |s| s.aux_operation), expected);
    }
}

/// Latches pointers to BLEND_STATE at 0x100 and COLOR_CALC_STATE at 0x80, and puts entries in their
/// place.
fn blending(head: &[(Field, u64)], entries: &[&[(Field, u64)]], colour: &[(Field, u64)]) -> Rig {
    let mut rig = Rig::new();
    let words = |fields: &[(Field, u64)], count: usize| {
        let mut words = vec![0; count];
        for (field, value) in fields {
            field.set(&mut words, *value);
        }
        words
    };
    rig.write(DYNAMIC + 0x100, &words(head, 1));
    for (i, fields) in (0..).zip(entries) {
        rig.write(DYNAMIC + 0x104 + i * 8, &words(fields, 2));
    }
    rig.write(DYNAMIC + 0x80, &words(colour, 6));
    rig.set(
        &blend_pointer::PACKET,
        &[
            (blend_pointer::BLEND_STATE_POINTER, 0x100),
            (blend_pointer::BLEND_STATE_POINTER_VALID, 1),
        ],
    );
    rig.set(
        &cc_pointer::PACKET,
        &[
            (cc_pointer::COLOR_CALC_STATE_POINTER, 0x80),
            (cc_pointer::COLOR_CALC_STATE_POINTER_VALID, 1),
        ],
    );
    rig
}

#[test]
fn color_calc_state_has_blend_constants_and_alpha_reference() {
    let fields = |format| {
        [
            (cc::ALPHA_TEST_FORMAT, format),
            (cc::BLEND_CONSTANT_COLOR_RED, 1.5f32.to_bits().into()),
            (cc::BLEND_CONSTANT_COLOR_GREEN, 2.5f32.to_bits().into()),
            (cc::BLEND_CONSTANT_COLOR_BLUE, 3.5f32.to_bits().into()),
            (cc::BLEND_CONSTANT_COLOR_ALPHA, 4.5f32.to_bits().into()),
        ]
    };
    let head = [
        (blend_state::ALPHA_TEST_ENABLE, 1),
        (blend_state::ALPHA_TEST_FUNCTION, 6),
    ];
    // Eight bits, of which only they count; or a float.
    for (format, raw, reference) in [
        (0, 0x3f33, 0x33 as f32 / 255.0),
        (0, 0xff, 1.0),
        (1, 0.75f32.to_bits(), 0.75),
    ] {
        let reference_field = (cc::ALPHA_REFERENCE_VALUE_AS_FLOAT32, u64::from(raw));
        let mut rig = blending(
            &head,
            &[],
            &[&fields(format)[..], &[reference_field]].concat(),
        );
        let found = look(&mut rig, &[], |s| (s.constant, s.alpha.test));
        assert_eq!(
            found,
            ([1.5, 2.5, 3.5, 4.5], Some((6, reference))),
            "format {format}"
        );
        // Pointers that are not valid point to nothing.
        rig.set(
            &cc_pointer::PACKET,
            &[(cc_pointer::COLOR_CALC_STATE_POINTER_VALID, 0)],
        );
        let found = look(&mut rig, &[], |s| (s.constant, s.alpha.test));
        assert_eq!(found, ([0.0; 4], Some((6, 0.0))));
        rig.set(
            &blend_pointer::PACKET,
            &[(blend_pointer::BLEND_STATE_POINTER_VALID, 0)],
        );
        assert_eq!(
            look(&mut rig, &[], |s| (s.alpha.test, s.blends.len())),
            (None, 0)
        );
    }
}

#[test]
fn shader_can_disable_alpha_to_coverage() {
    let head = [
        (blend_state::ALPHA_TO_COVERAGE_ENABLE, 1),
        (blend_state::ALPHA_TO_ONE_ENABLE, 1),
    ];
    let mut rig = blending(&head, &[], &[]);
    let alpha = |s: &State<'_>| (s.alpha.to_coverage, s.alpha.to_one, s.alpha.test);
    assert_eq!(look(&mut rig, &[], alpha), (true, true, None));
    let quiet = (
        &extra::PACKET,
        extra::PIXEL_SHADER_DISABLES_ALPHA_TO_COVERAGE,
        1,
    );
    assert_eq!(look(&mut rig, &[quiet], alpha), (false, true, None));
}

#[test]
fn blend_state_has_eight_entries_after_its_header() {
    // An entry writes nothing but its own channel; the fourth blends, the eighth has a logic
    // operation.
    let mut third = vec![
        (entry::COLOR_BUFFER_BLEND_ENABLE, 1),
        (entry::SOURCE_BLEND_FACTOR, 1),
        (entry::DESTINATION_BLEND_FACTOR, 0x11),
        (entry::COLOR_BLEND_FUNCTION, 0),
        (entry::SOURCE_ALPHA_BLEND_FACTOR, 0x11),
        (entry::DESTINATION_ALPHA_BLEND_FACTOR, 1),
        (entry::ALPHA_BLEND_FUNCTION, 1),
        (entry::PRE_BLEND_COLOR_CLAMP_ENABLE, 1),
    ];
    third.push((entry::WRITE_DISABLE_BLUE, 1));
    let last = [
        (entry::LOGIC_OP_ENABLE, 1),
        (entry::LOGIC_OP_FUNCTION, 6),
        (entry::WRITE_DISABLE_RED, 1),
    ];
    let none: &[(Field, u64)] = &[];
    let entries = [
        none,
        &[(entry::WRITE_DISABLE_GREEN, 1)],
        &[(entry::WRITE_DISABLE_ALPHA, 1)],
        &third,
        none,
        none,
        none,
        &last,
    ];
    for (independent, alpha) in [(1, -8.0), (0, 2.0)] {
        let head = [(blend_state::INDEPENDENT_ALPHA_BLEND_ENABLE, independent)];
        let mut rig = blending(&head, &entries, &[]);
        let blends: Vec<Blend> = look(&mut rig, &[], |s| s.blends.clone());
        let writes: Vec<[bool; 4]> = blends.iter().map(|b| b.writes).collect();
        let all = [true; 4];
        let without = |i: usize| std::array::from_fn(|c| c != i);
        assert_eq!(
            writes,
            [
                all,
                without(1),
                without(3),
                without(2),
                all,
                all,
                all,
                without(0)
            ]
        );
        let enabled: Vec<bool> = blends.iter().map(|b| b.enabled).collect();
        assert_eq!(
            enabled,
            [false, false, false, true, false, false, false, false]
        );
        let clamped: Vec<bool> = blends.iter().map(|b| b.pre_clamp).collect();
        assert_eq!(clamped, enabled);
        let logic: Vec<Option<u32>> = blends.iter().map(|b| b.logic_op).collect();
        assert_eq!(logic, [None, None, None, None, None, None, None, Some(6)]);
        // The source's colour; of alpha the source's by nought less the destination's, if alpha is
        // on its own.
        let found = blends[3].blend([2.0; 4], [0.0; 4], [8.0; 4], [0.0; 4]);
        assert_eq!(found, [2.0, 2.0, 2.0, alpha], "independent {independent}");
    }
    let plain = Blend::default();
    assert_eq!(
        (plain.enabled, plain.logic_op, plain.writes, plain.pre_clamp),
        (false, None, [true; 4], false)
    );
    // Both are read where memory ends behind the second.
    let mut rig = Rig::new();
    let end = 0x1_f000 - 4 - 2 * 8;
    rig.set(
        &blend_pointer::PACKET,
        &[
            (blend_pointer::BLEND_STATE_POINTER, end / 64 * 64),
            (blend_pointer::BLEND_STATE_POINTER_VALID, 1),
        ],
    );
    assert_eq!(look(&mut rig, &[], |s| s.blends.len()), (64 - 4) / 8);
}

/// Start registers of kernels 0 to 2, and kernels at a pitch of 64 bytes.
fn kernels() -> Vec<Change> {
    use ps::*;
    vec![
        (&PACKET, KERNEL_START_POINTER_0, 0x40),
        (&PACKET, KERNEL_START_POINTER_1, 0x80),
        (&PACKET, KERNEL_START_POINTER_2, 0xc0),
        (
            &PACKET,
            DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0,
            10,
        ),
        (
            &PACKET,
            DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_1,
            11,
        ),
        (
            &PACKET,
            DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2,
            12,
        ),
    ]
}

#[test]
fn kernel_start_pointers_follow_the_enabled_widths() {
    // SKL PRM vol. 7, "Pixel Shader Dispatch": a kernel that is alone has pointer 0; else 8 has 0,
    // 32 has 1, 16 has 2.
    let (zero, one, two) = (Some((0x40, 10)), Some((0x80, 11)), Some((0xc0, 12)));
    for (enabled, expected) in [
        ([0, 0, 0], [None, None, None]),
        ([1, 0, 0], [zero, None, None]),
        ([0, 1, 0], [None, zero, None]),
        ([0, 0, 1], [None, None, zero]),
        ([1, 1, 0], [zero, two, None]),
        ([1, 0, 1], [zero, None, one]),
        ([0, 1, 1], [None, two, one]),
        ([1, 1, 1], [zero, two, one]),
    ] {
        let mut changes = kernels();
        let fields = [
            ps::N8_PIXEL_DISPATCH_ENABLE,
            ps::N16_PIXEL_DISPATCH_ENABLE,
            ps::N32_PIXEL_DISPATCH_ENABLE,
        ];
        changes.extend(
            fields
                .into_iter()
                .zip(enabled)
                .map(|(f, on)| (&ps::PACKET, f, on)),
        );
        let found = read_state(&changes, |s| {
            s.variants.map(|v| v.map(|v| (v.shader.kernel, v.start)))
        });
        assert_eq!(found, expected, "{enabled:?}");
        changes.push((&extra::PACKET, extra::PIXEL_SHADER_VALID, 0));
        assert_eq!(
            read_state(&changes, |s| s.variants.map(|v| v.is_some())),
            [false; 3]
        );
    }
}

#[test]
fn kernel_dispatch_resources() {
    let on = (&ps::PACKET, ps::N8_PIXEL_DISPATCH_ENABLE, 1);
    let shader = |changes: &[Change]| {
        read_state(&[&[on], changes].concat(), |s| {
            let shader = s.variants[0].expect("a kernel").shader;
            (
                shader.binding_table,
                shader.samplers,
                shader.scratch,
                shader.scratch_bytes,
                shader.alternate_floats,
            )
        })
    };
    assert_eq!(shader(&[]), (0, 0, 0, 0, false));
    let place = (&ps::PACKET, ps::SCRATCH_SPACE_BASE_POINTER, 0x8400);
    let size = (&ps::PACKET, ps::PER_THREAD_SCRATCH_SPACE, 3);
    assert_eq!(shader(&[size]).3, 0);
    assert_eq!(shader(&[place]), (0, 0, 0x8400, 1024, false));
    let changes = [
        place,
        size,
        (&table::PACKET, table::POINTER_TO_PS_BINDING_TABLE, 0x60),
        (
            &samplers::PACKET,
            samplers::POINTER_TO_PS_SAMPLER_STATE,
            0xa0,
        ),
        (&ps::PACKET, ps::FLOATING_POINT_MODE, 1),
    ];
    assert_eq!(shader(&changes), (0x60, 0xa0, 0x8400, 8192, true));
}
