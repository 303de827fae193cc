//! The unit's state, field by field, and attributes by 3DSTATE_SBE and its swizzles.
//!
//! Ref: SKL PRM vol. 2a, "3DSTATE_SF", "3DSTATE_RASTER", "3DSTATE_CLIP", "3DSTATE_SBE",
//!      "3DSTATE_SBE_SWIZ"; vol. 2d, "SF_OUTPUT_ATTRIBUTE_DETAIL", "SF_CLIP_VIEWPORT".

use crate::draw::pixel::testing::{DYNAMIC, Rig};
use crate::draw::setup::attributes::{Attribute, Source};
use crate::draw::setup::state::{Cull, Fill, SetupState};
use eu::StopReason;
use hw::draw::{
    state_clip as clip, state_depth_buffer as depth, state_drawing_rectangle as rectangle,
    state_ds, state_gs, state_multisample as multisample, state_raster as raster, state_sbe as sbe,
    state_sbe_swiz as swiz, state_sf as sf, state_viewport_state_pointers_sf_clip as viewports,
    state_vs,
};
use hw::draw_state::{sf_clip_viewport as port, sf_output_attribute_detail as detail};
use hw::{Field, Packet};

type Change = (&'static Packet, Field, u64);

fn read(changes: &[Change]) -> Result<SetupState, StopReason> {
    let mut rig = Rig::new();
    for (packet, field, value) in changes {
        rig.set(packet, &[(*field, *value)]);
    }
    SetupState::read(&rig.draw())
}

fn read_state<T>(changes: &[Change], look: impl Fn(&SetupState) -> T) -> T {
    look(&read(changes).expect("simulated"))
}

#[test]
fn each_flag_is_read_from_its_field() {
    type Look = fn(&SetupState) -> bool;
    let cases: [(&str, Change, Look); 8] = [
        (
            "no divide",
            (&clip::PACKET, clip::PERSPECTIVE_DIVIDE_DISABLE, 1),
            |s| !s.divide,
        ),
        (
            "transform",
            (&sf::PACKET, sf::VIEWPORT_TRANSFORM_ENABLE, 1),
            |s| s.transform,
        ),
        (
            "layer",
            (&clip::PACKET, clip::FORCE_ZERO_RTA_INDEX_ENABLE, 1),
            |s| s.force_zero_layer,
        ),
        (
            "winding",
            (&raster::PACKET, raster::FRONT_WINDING, 1),
            |s| s.front_counter_clockwise,
        ),
        (
            "solid",
            (&raster::PACKET, raster::GLOBAL_DEPTH_OFFSET_ENABLE_SOLID, 1),
            |s| s.bias_solid,
        ),
        (
            "wireframe",
            (
                &raster::PACKET,
                raster::GLOBAL_DEPTH_OFFSET_ENABLE_WIREFRAME,
                1,
            ),
            |s| s.bias_wireframe,
        ),
        (
            "point",
            (&raster::PACKET, raster::GLOBAL_DEPTH_OFFSET_ENABLE_POINT, 1),
            |s| s.bias_point,
        ),
        (
            "sprite",
            (&sbe::PACKET, sbe::POINT_SPRITE_TEXTURE_COORDINATE_ORIGIN, 1),
            |s| s.sprite_lower_left,
        ),
    ];
    for (name, change, look) in cases {
        assert_eq!(
            [read_state(&[], look), read_state(&[change], look)],
            [false, true],
            "{name}"
        );
    }
}

#[test]
fn modes_are_decoded() {
    let cull = |code| read_state(&[(&raster::PACKET, raster::CULL_MODE, code)], |s| s.cull);
    assert_eq!(
        [0, 1, 2, 3].map(cull),
        [Cull::Both, Cull::None, Cull::Front, Cull::PixelBackend]
    );
    for (field, front) in [
        (raster::FRONT_FACE_FILL_MODE, true),
        (raster::BACK_FACE_FILL_MODE, false),
    ] {
        let fills = |code| {
            read_state(&[(&raster::PACKET, field, code)], |s| {
                (s.front_fill, s.back_fill)
            })
        };
        for (code, fill) in [(0, Fill::Solid), (1, Fill::Wireframe), (2, Fill::Point)] {
            let expected = if front {
                (fill, Fill::Solid)
            } else {
                (Fill::Solid, fill)
            };
            assert_eq!(fills(code), expected, "{}", field.name);
        }
        assert!(matches!(
            read(&[(&raster::PACKET, field, 3)]),
            Err(StopReason::Undefined { .. })
        ));
    }
}

#[test]
fn depth_bias_unit_follows_the_depth_format() {
    let format = |code| {
        read_state(&[(&depth::PACKET, depth::SURFACE_FORMAT, code)], |s| {
            s.bias_unit
        })
    };
    // D32_FLOAT, D24_UNORM_X8 and D16_UNORM.
    assert_eq!(
        [1, 3, 5].map(format),
        [None, Some(1.0 / 16_777_216.0), Some(1.0 / 65_536.0)]
    );
    let legacy = |code| {
        let on = (&sf::PACKET, sf::LEGACY_GLOBAL_DEPTH_BIAS_ENABLE, 1);
        read_state(&[(&depth::PACKET, depth::SURFACE_FORMAT, code), on], |s| {
            s.bias_unit
        })
    };
    assert_eq!([1, 3, 5].map(legacy), [Some(1.0); 3]);
    let values = [
        (
            &raster::PACKET,
            raster::GLOBAL_DEPTH_OFFSET_CONSTANT,
            1.5f32.to_bits().into(),
        ),
        (
            &raster::PACKET,
            raster::GLOBAL_DEPTH_OFFSET_SCALE,
            (-2.5f32).to_bits().into(),
        ),
        (
            &raster::PACKET,
            raster::GLOBAL_DEPTH_OFFSET_CLAMP,
            3.5f32.to_bits().into(),
        ),
    ];
    assert_eq!(
        read_state(&values, |s| [s.bias_constant, s.bias_scale, s.bias_clamp]),
        [1.5, -2.5, 3.5]
    );
}

#[test]
fn drawing_rectangle_origin() {
    let origin = [
        (&rectangle::PACKET, rectangle::DRAWING_RECTANGLE_ORIGIN_X, 3),
        (
            &rectangle::PACKET,
            rectangle::DRAWING_RECTANGLE_ORIGIN_Y,
            (-7i64) as u64,
        ),
    ];
    let corner = (&multisample::PACKET, multisample::PIXEL_LOCATION, 1);
    assert_eq!(read_state(&[], |s| s.origin), [0.0, 0.0]);
    assert_eq!(read_state(&origin, |s| s.origin), [3.0, -7.0]);
    assert_eq!(read_state(&[corner], |s| s.origin), [0.5, 0.5]);
    assert_eq!(
        read_state(&[&origin[..], &[corner]].concat(), |s| s.origin),
        [3.5, -6.5]
    );
}

#[test]
fn point_width_is_in_eighths() {
    let width = (&sf::PACKET, sf::POINT_WIDTH, 13);
    let source = (&sf::PACKET, sf::POINT_WIDTH_SOURCE, 1);
    let bounds = [
        (&clip::PACKET, clip::MINIMUM_POINT_WIDTH, 3),
        (&clip::PACKET, clip::MAXIMUM_POINT_WIDTH, 2047),
    ];
    assert_eq!(read_state(&[width], |s| s.point_width), None);
    assert_eq!(read_state(&[width, source], |s| s.point_width), Some(1.625));
    assert_eq!(read_state(&bounds, |s| s.point_range), [0.375, 255.875]);
}

#[test]
fn viewport_matrix_elements() {
    let mut rig = Rig::new();
    rig.set(&clip::PACKET, &[(clip::MAXIMUM_VP_INDEX, 2)]);
    rig.set(
        &viewports::PACKET,
        &[(viewports::SF_CLIP_VIEWPORT_POINTER, 0x40)],
    );
    for i in 0..3 {
        let mut words = [0; 16];
        for (field, value) in [
            (port::VIEWPORT_MATRIX_ELEMENT_M00, 1.0),
            (port::VIEWPORT_MATRIX_ELEMENT_M11, 2.0),
            (port::VIEWPORT_MATRIX_ELEMENT_M22, 3.0),
            (port::VIEWPORT_MATRIX_ELEMENT_M30, 4.0),
            (port::VIEWPORT_MATRIX_ELEMENT_M31, 5.0),
            (port::VIEWPORT_MATRIX_ELEMENT_M32, 6.0f32),
        ] {
            field.set(&mut words, (value + 10.0 * i as f32).to_bits().into());
        }
        rig.write(DYNAMIC + 0x40 + i * 64, &words);
    }
    let state = SetupState::read(&rig.draw()).expect("simulated");
    assert_eq!((state.viewports.len(), state.viewport_count), (0, 3));
    rig.set(&sf::PACKET, &[(sf::VIEWPORT_TRANSFORM_ENABLE, 1)]);
    let state = SetupState::read(&rig.draw()).expect("simulated");
    assert_eq!((state.viewports.len(), state.viewport_count), (3, 3));
    for (i, found) in state.viewports.iter().enumerate() {
        let by = 10.0 * i as f32;
        assert_eq!(found.scale, [1.0, 2.0, 3.0].map(|v| v + by));
        assert_eq!(found.offset, [4.0, 5.0, 6.0].map(|v| v + by));
    }
}

/// Attributes of a draw with 3DSTATE_SBE_SWIZ's details, as many as `count`.
fn attributes(count: u64, changes: &[Change], details: &[u32]) -> Vec<Attribute> {
    let mut rig = Rig::new();
    rig.set(
        &sbe::PACKET,
        &[
            (sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES, count),
            (sbe::PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT, 31),
        ],
    );
    let mut words = rig.latched.words(&sbe::PACKET).to_vec();
    words[4..].fill(u32::MAX);
    rig.latched.latch(&sbe::PACKET, &words);
    for (packet, field, value) in changes {
        rig.set(packet, &[(*field, *value)]);
    }
    // Details are sixteen bits each, from the second dword on.
    let mut words = vec![0; usize::from(swiz::PACKET.dwords)];
    words[0] = swiz::PACKET.header;
    for (i, word) in details.iter().enumerate() {
        words[1 + i / 2] |= word << (16 * (i % 2));
    }
    rig.latched.latch(&swiz::PACKET, &words);
    SetupState::read(&rig.draw()).expect("simulated").attributes
}

const SWIZZLED: Change = (&sbe::PACKET, sbe::ATTRIBUTE_SWIZZLE_ENABLE, 1);

fn detail_of(fields: &[(Field, u64)]) -> u32 {
    let mut words = [0];
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    words[0]
}

#[test]
fn inactive_components_are_zero() {
    use Source::{Constant, Vertex};
    let of = |format| {
        let change = (
            &sbe::PACKET,
            sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_1,
            format,
        );
        attributes(3, &[change], &[])
            .iter()
            .map(|a| a.components)
            .collect::<Vec<_>>()
    };
    let none = Constant(0);
    for (format, expected) in [
        (0, [none; 4]),
        (1, [Vertex, Vertex, none, none]),
        (2, [Vertex, Vertex, Vertex, none]),
        (3, [Vertex; 4]),
    ] {
        assert_eq!(of(format), [[Vertex; 4], expected, [Vertex; 4]], "{format}");
    }
}

#[test]
fn attributes_start_at_the_urb_read_offset() {
    // Offsets are in units of eight dwords; attributes have four.
    let forced = |offset| {
        vec![
            (&sbe::PACKET, sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET, 1),
            (&sbe::PACKET, sbe::VERTEX_URB_ENTRY_READ_OFFSET, offset),
        ]
    };
    let stages: [Change; 3] = [
        (
            &state_vs::PACKET,
            state_vs::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
            2,
        ),
        (
            &state_ds::PACKET,
            state_ds::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
            3,
        ),
        (
            &state_gs::PACKET,
            state_gs::VERTEX_URB_ENTRY_OUTPUT_READ_OFFSET,
            4,
        ),
    ];
    let on: [Change; 2] = [
        (&state_ds::PACKET, state_ds::ENABLE, 1),
        (&state_gs::PACKET, state_gs::ENABLE, 1),
    ];
    for (changes, first) in [
        (forced(1), 8),
        (forced(5), 40),
        ([&forced(1)[..], &stages].concat(), 8),
        (stages.to_vec(), 16),
        ([&stages[..], &on[..1]].concat(), 24),
        ([&stages[..], &on].concat(), 32),
        ([&stages[..], &on[1..]].concat(), 32),
    ] {
        // Details do not count where swizzling is off.
        let found = attributes(
            20,
            &changes,
            &[detail_of(&[
                (detail::SOURCE_ATTRIBUTE, 9),
                (detail::COMPONENT_OVERRIDE_X, 1),
            ]); 16],
        );
        assert_eq!(found.len(), 20);
        for (i, attribute) in found.iter().enumerate() {
            let at = first + 4 * i;
            assert_eq!(
                (attribute.at, attribute.back, attribute.w_for_x),
                (at, at, false),
                "attribute {i} from {first}"
            );
            assert_eq!(
                attribute.components,
                [Source::Vertex; 4],
                "attribute {i} from {first}"
            );
        }
    }
    assert_eq!(attributes(0, &[], &[]).len(), 0);
    // There are 32 at most.
    assert_eq!(
        [32, 33, 63].map(|count| attributes(count, &[], &[]).len()),
        [32; 3]
    );
}

#[test]
fn constant_interpolation_and_sprite_bits_per_attribute() {
    let changes = [
        (
            &sbe::PACKET,
            sbe::CONSTANT_INTERPOLATION_ENABLE,
            0x8000_0005,
        ),
        (
            &sbe::PACKET,
            sbe::POINT_SPRITE_TEXTURE_COORDINATE_ENABLE,
            0x4001_0002,
        ),
    ];
    for (i, attribute) in attributes(32, &changes, &[]).iter().enumerate() {
        let expected = ([0, 2, 31].contains(&i), [1, 16, 30].contains(&i));
        assert_eq!(
            (attribute.flat, attribute.sprite),
            expected,
            "attribute {i}"
        );
    }
}

#[test]
fn swizzle_control_selects_the_lower_or_upper_sixteen() {
    // Each detail takes another source.
    let source = |i: u32| (i * 5 + 3) % 32;
    for (mode, first) in [(0, 0), (1, 16)] {
        let details: Vec<u32> = (0..16)
            .map(|i| {
                let upper = if i == 0 { mode } else { 0 };
                detail_of(&[
                    (detail::SOURCE_ATTRIBUTE, source(i).into()),
                    (detail::SWIZZLE_CONTROL_MODE, upper),
                ])
            })
            .collect();
        for (i, attribute) in attributes(32, &[SWIZZLED], &details).iter().enumerate() {
            let from = match i.checked_sub(first).filter(|i| *i < 16) {
                Some(i) => source(i as u32) as usize,
                None => i,
            };
            assert_eq!(
                (attribute.at, attribute.back),
                (4 * from, 4 * from),
                "mode {mode}, attribute {i}"
            );
        }
    }
}

#[test]
fn swizzle_select_facing_and_w() {
    for (select, back, w_for_x) in [(0, 24, false), (1, 28, false), (2, 24, true), (3, 28, true)] {
        let word = detail_of(&[
            (detail::SOURCE_ATTRIBUTE, 6),
            (detail::SWIZZLE_SELECT, select),
        ]);
        let found = attributes(2, &[SWIZZLED], &[word]);
        assert_eq!(
            (found[0].at, found[0].back, found[0].w_for_x),
            (24, back, w_for_x),
            "select {select}"
        );
        assert!(!found[1].w_for_x);
    }
}

#[test]
fn component_override_by_constant_or_primitive_id() {
    let one = 1f32.to_bits();
    let constants = [
        (0, [Source::Constant(0); 4]),
        (
            1,
            [
                Source::Constant(0),
                Source::Constant(0),
                Source::Constant(0),
                Source::Constant(one),
            ],
        ),
        (2, [Source::Constant(one); 4]),
        (3, [Source::PrimitiveId; 4]),
    ];
    let fields = [
        detail::COMPONENT_OVERRIDE_X,
        detail::COMPONENT_OVERRIDE_Y,
        detail::COMPONENT_OVERRIDE_Z,
        detail::COMPONENT_OVERRIDE_W,
    ];
    for (code, values) in constants {
        for bits in 0..16u64 {
            let overridden: Vec<_> = (0..4).map(|i| (fields[i], bits >> i & 1)).collect();
            let word = detail_of(&[&overridden[..], &[(detail::CONSTANT_SOURCE, code)]].concat());
            let found = attributes(2, &[SWIZZLED], &[0, word]);
            let expected = std::array::from_fn(|i| {
                if bits >> i & 1 == 1 {
                    values[i]
                } else {
                    Source::Vertex
                }
            });
            assert_eq!(
                found[1].components, expected,
                "source {code}, components {bits:#b}"
            );
            assert_eq!(found[0].components, [Source::Vertex; 4]);
        }
    }
}

#[test]
fn primitive_id_overrides_components_of_one_attribute() {
    let fields = [
        sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_X,
        sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Y,
        sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_Z,
        sbe::PRIMITIVE_ID_OVERRIDE_COMPONENT_W,
    ];
    for (component, field) in fields.into_iter().enumerate() {
        for select in [0, 2, 19] {
            let changes = [
                (&sbe::PACKET, field, 1),
                (
                    &sbe::PACKET,
                    sbe::PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT,
                    select,
                ),
            ];
            for (i, attribute) in attributes(20, &changes, &[]).iter().enumerate() {
                let mut expected = [Source::Vertex; 4];
                if i as u64 == select {
                    expected[component] = Source::PrimitiveId;
                }
                assert_eq!(
                    attribute.components, expected,
                    "{}, {select}: attribute {i}",
                    field.name
                );
            }
        }
    }
}
