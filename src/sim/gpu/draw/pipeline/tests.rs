//! Draws through the units between vertex fetch and setup: which vertices make which objects, and
//! which of them go on.

use crate::draw::testing::*;
use crate::strict::testing::{command, so_decl_list_with, vertex_elements};
use crate::testing::{CODE, STATE};
use hw::Field;
use hw::draw::*;
use hw::draw_state::vertex_element_state as element;
use hw::draw_state::{sf_clip_viewport as viewport, state_constant_body as body};
use isa::Src;

/// Fetched vertices are captured as they are: row, id, instance.
#[test]
fn primitive_vertex_and_instance_ids() {
    let captured = |topology: u64, indexed: bool, fields: &[(Field, u64)]| {
        let mut draw = Draw::new(topology);
        use {state_vf as vf, state_vf_sgvs as sgvs};
        // Component x of the last element, followed by the IDs.
        draw.commands.push(vertex_elements([1, 2, 2, 2]));
        let fields_of_ids = [
            (sgvs::VERTEXID_ENABLE, 1),
            (sgvs::VERTEXID_ELEMENT_OFFSET, 2),
            (sgvs::VERTEXID_COMPONENT_NUMBER, 1),
            (sgvs::INSTANCEID_ENABLE, 1),
            (sgvs::INSTANCEID_ELEMENT_OFFSET, 2),
            (sgvs::INSTANCEID_COMPONENT_NUMBER, 2),
        ];
        draw.add(&sgvs::PACKET, &fields_of_ids);
        // Indices 3, a cut, 5, 5, 2, 7.
        draw.rig.write(CONSTANTS, &[0x0505_ff03, 0x0702]);
        use state_index_buffer as ib;
        let fields_of_indices = [
            (ib::BUFFER_STARTING_ADDRESS, CONSTANTS),
            (ib::BUFFER_SIZE, 6),
        ];
        draw.add(&ib::PACKET, &fields_of_indices);
        let cut = [
            (vf::INDEXED_DRAW_CUT_INDEX_ENABLE, 1),
            (vf::CUT_INDEX, 0xff),
        ];
        draw.add(&vf::PACKET, &cut);
        draw.commands.push(so_decl_list_with(2, 0b111));
        let mut all = vec![(primitive::VERTEX_ACCESS_TYPE, indexed.into())];
        all.extend(fields);
        // IA_VERTICES_COUNT, IA_PRIMITIVES_COUNT, SO_NUM_PRIMS_WRITTEN0.
        let (rig, counts) = draw.run_with(&all, &[0x2310, 0x2318, 0x5200]);
        let vertices = rig.read(STREAM, 4 * 16);
        let (vertices, _) = vertices.as_chunks::<4>();
        let captured = vertices.iter().map(|v| [v[0] / PLACE, v[1], v[2]]);
        (captured.collect::<Vec<_>>(), counts)
    };
    use primitive as f;
    // Two instances of points 4, 5, 6: ids count from 0.
    let (vertices, counts) = captured(
        1,
        false,
        &[
            (f::VERTEX_COUNT_PER_INSTANCE, 3),
            (f::START_VERTEX_LOCATION, 4),
            (f::INSTANCE_COUNT, 2),
            (f::START_INSTANCE_LOCATION, 9),
        ],
    );
    let expected = [
        [4, 0, 0],
        [5, 1, 0],
        [6, 2, 0],
        [4, 0, 1],
        [5, 1, 1],
        [6, 2, 1],
        [0; 3],
    ];
    assert_eq!(vertices[..7], expected);
    assert_eq!(counts, [6, 6, 6]);
    // Indices from the first on, and a base vertex: ids are indices.
    let indexed = [
        (f::VERTEX_COUNT_PER_INSTANCE, 4),
        (f::START_VERTEX_LOCATION, 2),
        (f::INSTANCE_COUNT, 1),
        (f::BASE_VERTEX_LOCATION, 10),
    ];
    let (vertices, counts) = captured(1, true, &indexed);
    assert_eq!(
        vertices[..5],
        [[15, 5, 0], [15, 5, 0], [12, 2, 0], [17, 7, 0], [0; 3]]
    );
    assert_eq!(counts, [4, 4, 4]);
    // A negative base vertex, and a strip that is cut behind its first vertex.
    let strip = [
        (f::VERTEX_COUNT_PER_INSTANCE, 6),
        (f::INSTANCE_COUNT, 1),
        (f::BASE_VERTEX_LOCATION, 0xffff_fffe),
    ];
    let (vertices, counts) = captured(3, true, &strip);
    let edges = [
        [3, 5, 0],
        [3, 5, 0],
        [3, 5, 0],
        [0, 2, 0],
        [0, 2, 0],
        [5, 7, 0],
        [0; 3],
    ];
    assert_eq!(vertices[..7], edges);
    assert_eq!(counts, [5, 3, 3]);
    // Nothing to draw.
    let none = [(f::VERTEX_COUNT_PER_INSTANCE, 6), (f::INSTANCE_COUNT, 0)];
    assert_eq!(captured(1, false, &none).1, [0; 3]);
}

#[test]
fn clip_modes_update_statistics() {
    for (mode, expected) in [(0u64, [3, 2]), (3, [3, 0]), (4, [3, 3])] {
        let mut draw = Draw::new(1);
        // The elements: a point beyond the right side, with x = w + 1, then two inside.
        let mut words = Vec::new();
        for x in [2.0f32, 1.0, 0.5] {
            words.extend([x, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0].map(f32::to_bits));
        }
        draw.rig.write(VERTICES, &words);
        use state_clip as clip;
        let fields = [
            (clip::CLIP_ENABLE, 1),
            (clip::CLIP_MODE, mode),
            (clip::STATISTICS_ENABLE, 1),
            (clip::API_MODE, 1),
            (clip::VIEWPORT_XY_CLIP_TEST_ENABLE, 1),
        ];
        draw.add(&clip::PACKET, &fields);
        draw.add(&state_streamout::PACKET, &[]);
        // Nothing is drawn, but up to there all is done.
        draw.add(&state_ps_extra::PACKET, &[]);
        // CL_INVOCATION_COUNT, CL_PRIMITIVES_COUNT.
        let (_, counts) = draw.run(3, &[0x2338, 0x2340]);
        assert_eq!(counts, expected, "mode {mode}");
    }
}

#[test]
fn guard_band_follows_the_vertex_viewport() {
    use state_viewport_state_pointers_sf_clip as pointers;
    // Points at x = 1.0 of position (1, 2, 3, 4): 0.25 of w, and y = 0.5 of it. Viewport 0 reaches
    // to 0.125, 1 to 0.5 and 1.
    for (index_control, passes) in [(2, 0), (4, 1)] {
        let mut draw = Draw::new(1);
        let mut elements = vertex_elements([1; 4]);
        element::COMPONENT_2_CONTROL.set(&mut elements[1..], index_control);
        draw.commands.push(elements);
        for (i, (x, y)) in [(0.125f32, 1.0f32), (0.5, 1.0)].into_iter().enumerate() {
            let mut words = [0; 16];
            viewport::X_MIN_CLIP_GUARDBAND.set(&mut words, (-x).to_bits().into());
            viewport::X_MAX_CLIP_GUARDBAND.set(&mut words, x.to_bits().into());
            viewport::Y_MIN_CLIP_GUARDBAND.set(&mut words, (-y).to_bits().into());
            viewport::Y_MAX_CLIP_GUARDBAND.set(&mut words, y.to_bits().into());
            draw.rig.write(STATE + 0x800 + 64 * i as u64, &words);
        }
        draw.add(
            &pointers::PACKET,
            &[(pointers::SF_CLIP_VIEWPORT_POINTER, 0x800)],
        );
        use state_clip as clip;
        let fields = [
            (clip::CLIP_ENABLE, 1),
            (clip::STATISTICS_ENABLE, 1),
            (clip::API_MODE, 1),
            (clip::GUARDBAND_CLIP_TEST_ENABLE, 1),
            (clip::MAXIMUM_VP_INDEX, 1),
        ];
        draw.add(&clip::PACKET, &fields);
        draw.add(&state_streamout::PACKET, &[]);
        draw.add(&state_ps_extra::PACKET, &[]);
        // CL_PRIMITIVES_COUNT.
        let (_, counts) = draw.run(3, &[0x2340]);
        assert_eq!(counts, [3 * passes], "viewport by control {index_control}");
    }
}

/// The places of the vertices that a geometry shader gets of the last of `n` vertices' objects. Of
/// two instances, so that each object has a thread of its own.
fn seen_by_geometry(topology: u64, n: u64, count: u8, fields: &[(Field, u64)]) -> Vec<u32> {
    use state_gs as gs;
    let mut draw = Draw::new(topology);
    let mut all = vec![
        (gs::ENABLE, 1),
        (gs::DISPATCH_MODE, 3),
        (gs::KERNEL_START_POINTER, GEOMETRY),
        (gs::EXPECTED_VERTEX_COUNT, count.into()),
        (gs::INSTANCE_CONTROL, 1),
        (gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 2),
        (gs::VERTEX_URB_ENTRY_READ_OFFSET, 1),
        (gs::VERTEX_URB_ENTRY_READ_LENGTH, 1),
        (gs::OUTPUT_TOPOLOGY, 1),
    ];
    all.extend(fields);
    draw.add(&gs::PACKET, &all);
    let registers = (0..count).map(|vertex| 2 + 8 * vertex);
    let kernel = store(registers, &[mov(119, Src::imm_ud(0))]);
    draw.rig.code(CODE + GEOMETRY, &kernel);
    let (rig, _) = draw.run(n, &[]);
    let stored = rig.read(STORED, 8 * usize::from(count));
    stored
        .iter()
        .step_by(8)
        .map(|place| place / PLACE)
        .collect()
}

#[test]
fn gs_input_strips_and_adjacency() {
    use state_gs as gs;
    let leading = [(gs::REORDER_MODE, 0)];
    let trailing = [(gs::REORDER_MODE, 1)];
    // PRM, "Object Vertex Ordering": odd triangles keep their first vertex, or their last.
    assert_eq!(seen_by_geometry(5, 4, 3, &leading), [1, 3, 2]);
    assert_eq!(seen_by_geometry(5, 4, 3, &trailing), [2, 1, 3]);
    assert_eq!(seen_by_geometry(5, 5, 3, &leading), [2, 3, 4]);
    let discards = [(gs::DISCARD_ADJACENCY, 1)];
    assert_eq!(seen_by_geometry(9, 8, 4, &leading), [4, 5, 6, 7]);
    assert_eq!(seen_by_geometry(9, 8, 2, &discards), [5, 6]);
    assert_eq!(
        seen_by_geometry(0x0b, 12, 6, &leading),
        [6, 7, 8, 9, 10, 11]
    );
    assert_eq!(seen_by_geometry(0x0b, 12, 3, &discards), [6, 8, 10]);
    // Without neighbours there is nothing to leave out.
    assert_eq!(seen_by_geometry(2, 4, 2, &discards), [2, 3]);
    assert_eq!(seen_by_geometry(4, 3, 3, &discards), [0, 1, 2]);
}

#[test]
fn edge_flags_of_the_first_vertex_select_drawn_edges() {
    use state_raster as raster;
    for flags in 0..8u32 {
        let mut draw = Draw::on_screen(4);
        // A triangle whose edges go through pixels' centres, and flags: a dword behind the
        // position.
        let mut words = Vec::new();
        for (i, [x, y]) in [[0.5f32, 0.5], [6.5, 0.5], [0.5, 6.5]]
            .into_iter()
            .enumerate()
        {
            words.extend([x, y, 0.5, 1.0].map(f32::to_bits));
            words.extend([flags >> i & 1, 0, 0, 0]);
        }
        draw.rig.write(VERTICES, &words);
        // Four elements: the last one's x is the flag.
        let mut elements = vertex_elements([2; 4]);
        elements[0] += 2;
        let mut flag = [0; 2];
        for (field, value) in [
            (element::VALID, 1),
            // R32_UINT.
            (element::SOURCE_ELEMENT_FORMAT, 0x0d7),
            (element::SOURCE_ELEMENT_OFFSET, 16),
            (element::EDGE_FLAG_ENABLE, 1),
            (element::COMPONENT_0_CONTROL, 1),
        ] {
            field.set(&mut flag, value);
        }
        elements.extend(flag);
        draw.commands.push(elements);
        let fields = [
            (raster::FRONT_FACE_FILL_MODE, 1),
            (raster::BACK_FACE_FILL_MODE, 1),
            (raster::CULL_MODE, 1),
        ];
        draw.add(&raster::PACKET, &fields);
        let (rig, _) = draw.run(3, &[]);
        let drawn = |x, y| Draw::is_drawn(&rig, x, y);
        let found = [drawn(3, 0), drawn(4, 2), drawn(0, 3)];
        let expected = [0, 1, 2].map(|i| flags >> i & 1 == 1);
        assert_eq!(found, expected, "flags {flags:03b}");
        assert!(!drawn(2, 2), "the inside is empty");
    }
}

#[test]
fn push_constants_are_limited_to_64_registers() {
    use state_vs as vs;
    for (lengths, fits) in [([32, 32], true), ([31, 32], true), ([33, 32], false)] {
        let mut draw = Draw::new(1);
        let fields = [
            (vs::ENABLE, 1),
            (vs::SIMD8_DISPATCH_ENABLE, 1),
            (vs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 2),
            (vs::VERTEX_URB_ENTRY_READ_LENGTH, 1),
        ];
        draw.add(&vs::PACKET, &fields);
        draw.rig.code(CODE, &[]);
        let mut words = command(&state_constant_vs::PACKET, &[]);
        body::READ_LENGTH.set(&mut words[1..], lengths[0]);
        body::BUFFER.set(&mut words[1..], CONSTANTS);
        body::READ_LENGTH_1.set(&mut words[1..], lengths[1]);
        body::BUFFER_1.set(&mut words[1..], CONSTANTS);
        draw.commands.push(words);
        let count = (primitive::VERTEX_COUNT_PER_INSTANCE, 1);
        draw.add(&primitive::PACKET, &[count, (primitive::INSTANCE_COUNT, 1)]);
        assert_eq!(draw.execute().is_ok(), fits, "{lengths:?}");
    }
}
