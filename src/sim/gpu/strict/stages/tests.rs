//! Rules for the interfaces of stages: state that breaks one is rejected, and its legal neighbour
//! passes.

use super::check;
use crate::draw_state::DrawState;
use crate::strict::testing::{
    DEPTH, STREAM, assert_breaks, broken_rule, command, draw_with, legal_draw, primitive, rig,
    so_decl_list_with,
};
use eu::StopReason;
use hw::draw_state::state_constant_body as body;
use hw::{Field, Packet, draw};

/// The rule that state breaks which consists of these commands alone.
fn broken(commands: &[Vec<u32>]) -> Option<&'static str> {
    let mut state = DrawState::default();
    for words in commands {
        let packet = draw::ALL.iter().find(|packet| packet.matches(words[0]));
        state.latch(packet.expect("a command of the 3D pipeline"), words);
    }
    match check(&state, 0) {
        Err(StopReason::Undefined { rule, .. }) => Some(rule),
        Err(other) => panic!("{other:?}"),
        Ok(()) => None,
    }
}

/// A stage's constants: one register.
fn constants(packet: &Packet) -> Vec<u32> {
    let mut words = command(packet, &[]);
    body::READ_LENGTH.set(&mut words[1..], 1);
    words
}

#[test]
fn urb_data_starts_after_the_payload_header() {
    use draw::{state_ds as ds, state_gs as gs, state_hs as hs, state_vs as vs};
    type Row = (
        &'static Packet,
        &'static Packet,
        &'static [(Field, u64)],
        Field,
        u64,
    );
    let stages: [Row; 6] = [
        (
            &vs::PACKET,
            &draw::state_constant_vs::PACKET,
            &[(vs::ENABLE, 1)],
            vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            2,
        ),
        (
            &hs::PACKET,
            &draw::state_constant_hs::PACKET,
            &[(hs::ENABLE, 1)],
            hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            1,
        ),
        (
            &hs::PACKET,
            &draw::state_constant_hs::PACKET,
            &[(hs::ENABLE, 1), (hs::INCLUDE_VERTEX_HANDLES, 1)],
            hs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            5,
        ),
        (
            &ds::PACKET,
            &draw::state_constant_ds::PACKET,
            &[(ds::ENABLE, 1)],
            ds::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            5,
        ),
        (
            &gs::PACKET,
            &draw::state_constant_gs::PACKET,
            &[
                (gs::ENABLE, 1),
                (gs::INCLUDE_PRIMITIVE_ID, 1),
                (gs::INCLUDE_VERTEX_HANDLES, 1),
                (gs::EXPECTED_VERTEX_COUNT, 3),
            ],
            gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            6,
        ),
        (
            &gs::PACKET,
            &draw::state_constant_gs::PACKET,
            &[
                (gs::ENABLE, 1),
                (gs::INSTANCE_CONTROL, 1),
                (gs::INCLUDE_VERTEX_HANDLES, 1),
                (gs::EXPECTED_VERTEX_COUNT, 3),
            ],
            gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA,
            3,
        ),
    ];
    // Three vertices for the geometry shader.
    let triangles = command(
        &draw::state_vf_topology::PACKET,
        &[(draw::state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE, 4)],
    );
    for (stage, constant, fields, start, rest) in stages {
        let of = |begin: u64, data: Vec<u32>| {
            let fields = [fields, &[(start, begin)]].concat();
            broken(&[triangles.clone(), command(stage, &fields), data])
        };
        assert_eq!(of(rest, constants(constant)), None, "{}", stage.name);
        let early = of(rest - 1, constants(constant));
        assert_eq!(early, Some("stage-payload"), "{}", stage.name);
        // Without data it does not matter where data would begin.
        assert_eq!(of(0, command(constant, &[])), None, "{}", stage.name);
    }
}

#[test]
fn gs_expected_vertex_count_matches_the_topology() {
    use draw::{state_gs as gs, state_te as te, state_vf_topology as topology};
    let of = |kind: u64, expected: u64, more: &[Vec<u32>]| {
        let fields = [(gs::ENABLE, 1), (gs::EXPECTED_VERTEX_COUNT, expected)];
        let drawn = command(
            &topology::PACKET,
            &[(topology::PRIMITIVE_TOPOLOGY_TYPE, kind)],
        );
        broken(&[&[drawn, command(&gs::PACKET, &fields)], more].concat())
    };
    for (kind, vertices) in [
        (1, 1),
        (3, 2),
        (5, 3),
        (0x0a, 4),
        (0x0c, 6),
        // POINTLIST_BF, LINESTRIP_CONT, LINESTRIP_BF and LINESTRIP_CONT_BF.
        (0x11, 1),
        (0x12, 2),
        (0x13, 2),
        (0x14, 2),
        (0x24, 5),
    ] {
        assert_eq!(of(kind, vertices, &[]), None, "{kind:#x}");
        for other in [vertices - 1, vertices + 1] {
            assert_eq!(of(kind, other, &[]), Some("gs-vertices"), "{kind:#x}");
        }
    }
    let discards = [
        (gs::ENABLE, 1),
        (gs::DISCARD_ADJACENCY, 1),
        (gs::EXPECTED_VERTEX_COUNT, 3),
    ];
    assert_eq!(of(0x0c, 3, &[command(&gs::PACKET, &discards)]), None);
    let tessellated = [(te::TE_ENABLE, 1), (te::OUTPUT_TOPOLOGY, 2)];
    assert_eq!(of(0x24, 3, &[command(&te::PACKET, &tessellated)]), None);
    let rule = of(0x24, 5, &[command(&te::PACKET, &tessellated)]);
    assert_eq!(rule, Some("gs-vertices"));
}

#[test]
fn stream_declarations_match_buffer_selects() {
    use draw::{state_so_buffer as buffer, state_so_decl_list as list, state_streamout as so};
    let with = |decls: Vec<u32>| {
        let mut commands = draw_with(&[
            (&so::PACKET, so::SO_FUNCTION_ENABLE, 1),
            (&so::PACKET, so::BUFFER_0_SURFACE_PITCH, 16),
        ]);
        let place = [
            (buffer::SO_BUFFER_ENABLE, 1),
            (buffer::SURFACE_BASE_ADDRESS, STREAM),
            (buffer::SURFACE_SIZE, 63),
        ];
        commands.extend([command(&buffer::PACKET, &place), decls, primitive(0)]);
        broken_rule(&mut rig(), &commands)
    };
    let decls = |field: Field, value: u64| {
        let mut words = so_decl_list_with(1, 0xf);
        field.set(&mut words, value);
        words
    };
    assert_eq!(with(so_decl_list_with(1, 0xf)), None);
    let rule = Some("so-decls");
    assert_eq!(with(decls(list::NUM_ENTRIES_0, 2)), rule);
    assert_eq!(with(decls(list::NUM_ENTRIES_3, 2)), rule);
    assert_eq!(with(decls(list::STREAM_TO_BUFFER_SELECTS_0, 2)), rule);
    for bit in [10, 14, 15] {
        let mut words = so_decl_list_with(1, 0xf);
        words[3] |= 1 << bit;
        assert_eq!(with(words), Some("reserved-bits"), "bit {bit}");
    }
}

#[test]
fn reserved_attribute_bits_are_zero() {
    use draw::{state_sbe as sbe, state_sbe_swiz as swiz};
    let with = |enable: u64, detail: u32| {
        let mut commands = draw_with(&[(&sbe::PACKET, sbe::ATTRIBUTE_SWIZZLE_ENABLE, enable)]);
        let mut words = command(&swiz::PACKET, &[]);
        words[1] |= detail;
        commands.extend([words, primitive(0)]);
        broken_rule(&mut rig(), &commands)
    };
    assert_eq!(with(1, 0), None);
    for bit in [5, 8] {
        assert_eq!(with(1, 1 << bit), Some("reserved-bits"));
        assert_eq!(with(0, 1 << bit), None);
    }
}

#[test]
fn component_packing_needs_its_command() {
    use draw::{state_vf as vf, state_vf_component_packing as packing};
    let packs = command(&vf::PACKET, &[(vf::COMPONENT_PACKING_ENABLE, 1)]);
    let all = vec![packing::PACKET.header, !0, !0, !0, !0];
    assert_eq!(broken(std::slice::from_ref(&packs)), Some("draw-state"));
    assert_eq!(broken(&[packs, all]), None);
}

#[test]
fn depth_view_extent_is_within_the_depth_buffer() {
    use draw::state_depth_buffer as depth;
    let with = |kind: u64, layers: u64, extent: u64| {
        found_of(&[
            (&depth::PACKET, depth::SURFACE_TYPE, kind),
            (&depth::PACKET, depth::SURFACE_FORMAT, 1),
            (&depth::PACKET, depth::SURFACE_BASE_ADDRESS, DEPTH),
            (&depth::PACKET, depth::SURFACE_PITCH, 127),
            (&depth::PACKET, depth::DEPTH, layers),
            (&depth::PACKET, depth::RENDER_TARGET_VIEW_EXTENT, extent),
        ])
    };
    let rule = Some("view-extent");
    assert_eq!(with(1, 0, 0), None);
    assert_eq!(with(1, 1, 1), None);
    assert_eq!(with(1, 1, 0), rule);
    assert_eq!(with(0, 0, 1), rule);
    // Of three dimensions, a level may have fewer slices than the first.
    assert_eq!(with(2, 3, 1), None);
    assert_breaks(None, &[]);
}

fn found_of(changes: &[(&Packet, Field, u64)]) -> Option<&'static str> {
    let mut commands = draw_with(changes);
    commands.push(primitive(0));
    broken_rule(&mut rig(), &commands)
}

#[test]
fn legal_draw_breaks_no_rule() {
    let mut commands = legal_draw();
    commands.push(primitive(0));
    assert_eq!(broken_rule(&mut rig(), &commands), None);
}
