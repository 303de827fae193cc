//! Each rule for draws: a batch that breaks it is caught by name, and the nearest one that does not passes.

use crate::tests::{CODE, DATA, Rig, STATE, invalidate, send, to, ud};
use crate::{Options, RULES, Stop};
use hw::draw_state::{
    sf_output_attribute_detail as detail, so_decl, state_constant_body as body,
    vertex_buffer_state as vb, vertex_element_state as element,
};
use hw::state::render_surface_state as rss;
use hw::{Field, Packet, draw, media, mi};
use isa::{Dst, Inst, Opcode, Src, Type};

/// A command with fields.
fn command(packet: &Packet, fields: &[(Field, u64)]) -> Vec<u32> {
    let mut words = vec![0; usize::from(packet.dwords)];
    words[0] = packet.header;
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    words
}

/// Vertex elements: none of a source, then a position, then whatever `last` stores.
fn vertex_elements(last: [u64; 4]) -> Vec<u32> {
    let mut words = vec![draw::state_vertex_elements::PACKET.header | 5];
    for (offset, controls) in [(0, [2; 4]), (0, [1; 4]), (16, last)] {
        let mut element_words = [0; 2];
        let fields = [
            (element::VALID, 1),
            // R32G32B32A32_FLOAT.
            (element::SOURCE_ELEMENT_FORMAT, 0),
            (element::SOURCE_ELEMENT_OFFSET, offset),
            (element::COMPONENT_0_CONTROL, controls[0]),
            (element::COMPONENT_1_CONTROL, controls[1]),
            (element::COMPONENT_2_CONTROL, controls[2]),
            (element::COMPONENT_3_CONTROL, controls[3]),
        ];
        for (field, value) in fields {
            field.set(&mut element_words, value);
        }
        words.extend(element_words);
    }
    words
}

fn vertex_buffer(address: u64) -> Vec<u32> {
    let mut buffer = [0; 4];
    let fields = [
        (vb::BUFFER_PITCH, 32),
        (vb::ADDRESS_MODIFY_ENABLE, 1),
        (vb::BUFFER_STARTING_ADDRESS, address),
        (vb::BUFFER_SIZE, 96),
    ];
    for (field, value) in fields {
        field.set(&mut buffer, value);
    }
    let header = draw::state_vertex_buffers::PACKET.header | 3;
    [vec![header], buffer.to_vec()].concat()
}

/// One attribute of stream 0 to buffer 0.
fn so_decls() -> Vec<u32> {
    use draw::state_so_decl_list as f;
    let mut words = vec![f::PACKET.header | 3, 0, 0, 0, 0];
    f::STREAM_TO_BUFFER_SELECTS_0.set(&mut words, 1);
    f::NUM_ENTRIES_0.set(&mut words, 1);
    so_decl::COMPONENT_MASK.set(&mut words[3..], 0xf);
    so_decl::REGISTER_INDEX.set(&mut words[3..], 1);
    words
}

fn primitive(vertices: u64) -> Vec<u32> {
    use draw::primitive as f;
    let fields = [
        (f::VERTEX_COUNT_PER_INSTANCE, vertices),
        (f::INSTANCE_COUNT, 1),
    ];
    command(&f::PACKET, &fields)
}

const TABLE: u64 = 0x200;
const TARGET: u64 = 0x240;
const VIEWPORTS: u64 = 0x400;
const BLEND: u64 = 0x440;
const VERTICES: u64 = DATA + 0x3000;
const DEPTH: u64 = DATA + 0x1000;
const STREAM: u64 = DATA + 0x2000;

/// The commands of a sound draw of rectangles, without vertex shader, and with a pixel shader of eight pixels that takes
/// one attribute; without 3DPRIMITIVE.
fn sound() -> Vec<Vec<u32>> {
    use media::state_base_address as sba;
    let mut commands = vec![
        command(
            &sba::PACKET,
            &[
                (sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, 1),
                (sba::SURFACE_STATE_BASE_ADDRESS, STATE),
                (sba::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE, 1),
                (sba::DYNAMIC_STATE_BASE_ADDRESS, STATE),
                (sba::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE, 1),
                (sba::DYNAMIC_STATE_BUFFER_SIZE, 4),
                (sba::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE, 1),
                (sba::INSTRUCTION_BASE_ADDRESS, CODE),
                (sba::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE, 1),
                (sba::INSTRUCTION_BUFFER_SIZE, 4),
            ],
        ),
        invalidate().dwords.to_vec(),
        vertex_elements([1; 4]),
        vertex_buffer(VERTICES),
    ];
    let mut add = |packet: &Packet, fields: &[(Field, u64)]| commands.push(command(packet, fields));
    use draw::*;
    add(
        &state_vf_topology::PACKET,
        &[(state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE, 0x0f)],
    );
    add(&state_vf_sgvs::PACKET, &[]);
    add(
        &state_urb_vs::PACKET,
        &[
            (state_urb_vs::VS_NUMBER_OF_URB_ENTRIES, 64),
            (state_urb_vs::VS_URB_STARTING_ADDRESS, 4),
        ],
    );
    add(&state_urb_hs::PACKET, &[]);
    add(&state_urb_ds::PACKET, &[]);
    add(&state_urb_gs::PACKET, &[]);
    for packet in [
        &state_vs::PACKET,
        &state_hs::PACKET,
        &state_te::PACKET,
        &state_ds::PACKET,
        &state_gs::PACKET,
        &state_streamout::PACKET,
        &state_sf::PACKET,
        &state_raster::PACKET,
        &state_multisample::PACKET,
        &state_sample_pattern::PACKET,
        &state_stencil_buffer::PACKET,
        &state_hier_depth_buffer::PACKET,
        &state_clear_params::PACKET,
        &state_cc_state_pointers::PACKET,
        &state_wm::PACKET,
        &state_ps_blend::PACKET,
        &state_wm_depth_stencil::PACKET,
    ] {
        add(packet, &[]);
    }
    add(
        &state_clip::PACKET,
        &[(state_clip::PERSPECTIVE_DIVIDE_DISABLE, 1)],
    );
    add(
        &state_sbe::PACKET,
        &[
            (state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES, 1),
            (state_sbe::VERTEX_URB_ENTRY_READ_OFFSET, 1),
            (state_sbe::VERTEX_URB_ENTRY_READ_LENGTH, 1),
            (state_sbe::FORCE_VERTEX_URB_ENTRY_READ_OFFSET, 1),
            (state_sbe::FORCE_VERTEX_URB_ENTRY_READ_LENGTH, 1),
            (state_sbe::PRIMITIVE_ID_OVERRIDE_ATTRIBUTE_SELECT, 31),
        ],
    );
    add(&state_sbe_swiz::PACKET, &[]);
    add(
        &state_ps::PACKET,
        &[
            (state_ps::N8_PIXEL_DISPATCH_ENABLE, 1),
            (
                state_ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0,
                2,
            ),
        ],
    );
    add(
        &state_ps_extra::PACKET,
        &[
            (state_ps_extra::PIXEL_SHADER_VALID, 1),
            (state_ps_extra::ATTRIBUTE_ENABLE, 1),
        ],
    );
    add(
        &state_sample_mask::PACKET,
        &[(state_sample_mask::SAMPLE_MASK, 1)],
    );
    use state_drawing_rectangle as rectangle;
    add(
        &rectangle::PACKET,
        &[
            (rectangle::CLIPPED_DRAWING_RECTANGLE_X_MAX, 7),
            (rectangle::CLIPPED_DRAWING_RECTANGLE_Y_MAX, 7),
        ],
    );
    add(
        &state_depth_buffer::PACKET,
        &[(state_depth_buffer::SURFACE_TYPE, 7)],
    );
    add(
        &state_viewport_state_pointers_cc::PACKET,
        &[(
            state_viewport_state_pointers_cc::CC_VIEWPORT_POINTER,
            VIEWPORTS,
        )],
    );
    add(
        &state_blend_state_pointers::PACKET,
        &[
            (state_blend_state_pointers::BLEND_STATE_POINTER, BLEND),
            (state_blend_state_pointers::BLEND_STATE_POINTER_VALID, 1),
        ],
    );
    add(&state_constant_ps::PACKET, &[]);
    add(
        &state_binding_table_pointers_ps::PACKET,
        &[(
            state_binding_table_pointers_ps::POINTER_TO_PS_BINDING_TABLE,
            TABLE,
        )],
    );
    commands
}

/// The sound draw with fields changed.
fn changed(changes: &[(&Packet, Field, u64)]) -> Vec<Vec<u32>> {
    let mut commands = sound();
    for (packet, field, value) in changes {
        let found = commands.iter_mut().find(|c| packet.matches(c[0]));
        field.set(found.expect("in the batch"), *value);
    }
    commands
}

/// Which rule stops commands.
fn rule_of(rig: &mut Rig, commands: &[Vec<u32>]) -> Option<&'static str> {
    let mut batch = commands.concat();
    batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
    match rig.execute(&batch) {
        Ok(_) => None,
        Err(Stop::Undefined { rule, .. }) => {
            let known = RULES.iter().any(|known| known.name == rule);
            assert!(known || rule == "uninitialised", "{rule}");
            Some(rule)
        }
        Err(other) => panic!("{other}"),
    }
}

fn rig() -> Rig {
    Rig::new(Options {
        strict: true,
        ..Options::default()
    })
}

/// Which rule stops the sound draw with these changes, drawn without a vertex.
#[track_caller]
fn found(expected: Option<&str>, changes: &[(&Packet, Field, u64)]) {
    let commands = [changed(changes), vec![primitive(0)]].concat();
    assert_eq!(rule_of(&mut rig(), &commands), expected);
}

/// Which rule stops the sound draw, more commands, and another draw.
#[track_caller]
fn found_after(expected: Option<&str>, more: &[Vec<u32>]) {
    let commands = [
        sound(),
        vec![primitive(0)],
        more.to_vec(),
        vec![primitive(0)],
    ];
    assert_eq!(rule_of(&mut rig(), &commands.concat()), expected);
}

fn pipe_control(fields: &[(Field, u64)]) -> Vec<u32> {
    command(&media::pipe_control::PACKET, fields)
}

/// An immediate write.
fn post_sync() -> [(Field, u64); 2] {
    use media::pipe_control as f;
    [(f::POST_SYNC_OPERATION, 1), (f::ADDRESS, DATA + 0x3f00)]
}

/// Waits, and flushes these caches.
fn flush(caches: &[Field]) -> Vec<u32> {
    use media::pipe_control as f;
    let mut fields = vec![
        (f::COMMAND_STREAMER_STALL_ENABLE, 1),
        (f::STALL_AT_PIXEL_SCOREBOARD, 1),
    ];
    fields.extend(caches.iter().map(|cache| (*cache, 1)));
    pipe_control(&fields)
}

#[test]
fn state_is_there() {
    found(None, &[]);
    let all = sound();
    for packet in super::draw::NEEDED {
        let mut commands = all.clone();
        commands.retain(|c| !packet.matches(c[0]));
        assert!(commands.len() + 1 == all.len(), "{}", packet.name);
        commands.push(primitive(0));
        let rule = rule_of(&mut rig(), &commands);
        assert_eq!(rule, Some("draw-state"), "{}", packet.name);
    }
    use media::pipeline_select as select;
    let gpgpu = |pipeline| {
        let fields = [
            (select::MASK_BITS, 3),
            (select::PIPELINE_SELECTION, pipeline),
        ];
        let commands = [vec![command(&select::PACKET, &fields)], sound()];
        let commands = [commands.concat(), vec![primitive(0)]].concat();
        rule_of(&mut rig(), &commands)
    };
    assert_eq!(gpgpu(0), None);
    assert_eq!(gpgpu(2), Some("draw-pipeline"));
    // Base addresses change, and nothing is invalidated.
    let mut stale = sound();
    stale.remove(1);
    stale.push(primitive(0));
    let rule = rule_of(&mut rig(), &stale);
    assert_eq!(rule, Some("base-address-invalidate"));
}

#[test]
fn vertices_are_as_they_should_be() {
    for (last, rule) in [
        ([1, 1, 2, 2], None),
        ([1, 2, 1, 2], Some("vertex-components")),
        ([2, 1, 1, 1], Some("vertex-components")),
    ] {
        let mut commands = sound();
        commands[2] = vertex_elements(last);
        commands.push(primitive(0));
        assert_eq!(rule_of(&mut rig(), &commands), rule);
    }
    use draw::state_index_buffer as ib;
    for (address, format, rule) in [
        (DATA + 2, 1, None),
        (DATA + 2, 2, Some("index-alignment")),
        (DATA + 1, 1, Some("index-alignment")),
        (DATA + 1, 0, None),
    ] {
        let fields = [
            (ib::BUFFER_STARTING_ADDRESS, address),
            (ib::INDEX_FORMAT, format),
        ];
        let mut draw = primitive(0);
        draw::primitive::VERTEX_ACCESS_TYPE.set(&mut draw, 1);
        let commands = [sound(), vec![command(&ib::PACKET, &fields), draw]];
        assert_eq!(rule_of(&mut rig(), &commands.concat()), rule);
    }
}

#[test]
fn entries_are_read_as_far_as_they_go() {
    // Three elements are 48 bytes of an entry of 64; five are 80.
    let mut commands = sound();
    let (header, more) = (commands[2][0], commands[2][3..].to_vec());
    commands[2].extend(&more);
    commands[2][0] = header + 4;
    commands.push(primitive(0));
    assert_eq!(rule_of(&mut rig(), &commands), Some("vertex-entry"));
    use draw::{state_gs as gs, state_sbe as sbe, state_urb_vs as urb};
    let sbe = &sbe::PACKET;
    let length = draw::state_sbe::VERTEX_URB_ENTRY_READ_LENGTH;
    let offset = draw::state_sbe::VERTEX_URB_ENTRY_READ_OFFSET;
    found(Some("urb-read"), &[(sbe, length, 2)]);
    found(None, &[(sbe, length, 2), (sbe, offset, 0)]);
    let larger = (&urb::PACKET, urb::VS_URB_ENTRY_ALLOCATION_SIZE, 1);
    found(None, &[(sbe, length, 2), larger]);
    // A geometry shader reads what the vertices are, and has entries of its own.
    let read = |length| {
        [
            (&gs::PACKET, gs::ENABLE, 1),
            (&gs::PACKET, gs::VERTEX_URB_ENTRY_READ_LENGTH, length),
        ]
    };
    found(None, &read(2));
    found(Some("urb-read"), &read(3));
    // Attributes beyond what is read, by number and by swizzle.
    let count = draw::state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES;
    found(None, &[(sbe, count, 2)]);
    found(Some("sbe-attributes"), &[(sbe, count, 3)]);
    let swizzles = (sbe, draw::state_sbe::ATTRIBUTE_SWIZZLE_ENABLE, 1);
    let swiz = &draw::state_sbe_swiz::PACKET;
    let from = |slot: u32| {
        let mut half = [0];
        detail::SOURCE_ATTRIBUTE.set(&mut half, slot.into());
        (swiz, draw::state_sbe_swiz::ATTRIBUTE, half[0].into())
    };
    found(None, &[swizzles, from(1)]);
    found(Some("sbe-attributes"), &[swizzles, from(2)]);
    // An attribute that is all constant comes from nowhere.
    found(
        None,
        &[
            swizzles,
            (swiz, draw::state_sbe_swiz::ATTRIBUTE, 0xf000 | 2),
        ],
    );
}

#[test]
fn rectangles_pixels_and_depth() {
    use draw::{state_depth_buffer as depth, state_multisample as multisample};
    use draw::{state_ps as ps, state_ps_extra as extra, state_raster as raster, state_sf as sf};
    let transform = (&sf::PACKET, sf::VIEWPORT_TRANSFORM_ENABLE, 1);
    found(Some("rectlist-state"), &[transform]);
    let topology = (
        &draw::state_vf_topology::PACKET,
        draw::state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE,
        4,
    );
    found(None, &[transform, topology]);
    let hollow = (&raster::PACKET, raster::FRONT_FACE_FILL_MODE, 1);
    found(Some("rectlist-state"), &[hollow]);

    let eight = (&ps::PACKET, ps::N8_PIXEL_DISPATCH_ENABLE, 0);
    found(Some("ps-dispatch"), &[eight]);
    found(
        None,
        &[eight, (&extra::PACKET, extra::PIXEL_SHADER_VALID, 0)],
    );
    let wide = (&ps::PACKET, ps::N32_PIXEL_DISPATCH_ENABLE, 1);
    let samples = |log| {
        let field = multisample::NUMBER_OF_MULTISAMPLES;
        (&multisample::PACKET, field, log)
    };
    found(Some("ps-samples"), &[wide, samples(4)]);
    found(None, &[wide, samples(3)]);
    found(None, &[samples(4)]);
    let each = (&extra::PACKET, extra::PIXEL_SHADER_IS_PER_SAMPLE, 1);
    found(None, &[wide, samples(4), each]);

    let attributes = |on| (&extra::PACKET, extra::ATTRIBUTE_ENABLE, on);
    found(Some("ps-attributes"), &[attributes(0)]);
    let none = (
        &draw::state_sbe::PACKET,
        draw::state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES,
        0,
    );
    found(Some("ps-attributes"), &[none]);
    found(None, &[none, attributes(0)]);
    // Push constants: one register from the first buffer, in dword 1.
    let length = Field {
        lo: body::READ_LENGTH.lo + 32,
        hi: body::READ_LENGTH.hi + 32,
        ..body::READ_LENGTH
    };
    let constants = (&draw::state_constant_ps::PACKET, length, 1);
    found(Some("ps-push-constants"), &[constants]);
    found(
        None,
        &[constants, (&ps::PACKET, ps::PUSH_CONSTANT_ENABLE, 1)],
    );

    let buffer = |address, pitch| {
        [
            (&depth::PACKET, depth::SURFACE_TYPE, 1),
            (&depth::PACKET, depth::SURFACE_BASE_ADDRESS, address),
            (&depth::PACKET, depth::SURFACE_PITCH, pitch),
        ]
    };
    found(None, &buffer(DEPTH, 127));
    found(Some("depth-buffer-place"), &buffer(DEPTH + 64, 127));
    found(Some("depth-buffer-place"), &buffer(DEPTH, 63));
    let hierarchical = (&depth::PACKET, depth::HIERARCHICAL_DEPTH_BUFFER_ENABLE, 1);
    found(Some("depth-buffer-place"), &[hierarchical]);
}

#[test]
fn stream_output_blending_and_heaps() {
    use draw::state_streamout as so;
    let on = (&so::PACKET, so::SO_FUNCTION_ENABLE, 1);
    let pitch = |bytes| (&so::PACKET, so::BUFFER_0_SURFACE_PITCH, bytes);
    found(None, &[on, pitch(16)]);
    found(Some("so-pitch"), &[on, pitch(18)]);
    found(Some("so-pitch"), &[on, pitch(2052)]);
    found(None, &[pitch(18)]);
    let read = |length| {
        let field = so::STREAM_0_VERTEX_READ_LENGTH;
        let mut commands = changed(&[on, pitch(16), (&so::PACKET, field, length)]);
        commands.push(so_decls());
        commands.push(primitive(0));
        rule_of(&mut rig(), &commands)
    };
    assert_eq!(read(1), None);
    assert_eq!(read(2), Some("so-read"));

    use hw::draw_state::blend_state_entry as entry;
    for (fields, rule) in [
        (&[entry::LOGIC_OP_ENABLE][..], None),
        (&[entry::COLOR_BUFFER_BLEND_ENABLE], None),
        (
            &[entry::LOGIC_OP_ENABLE, entry::COLOR_BUFFER_BLEND_ENABLE],
            Some("blend-logic-op"),
        ),
    ] {
        let mut words = [0; 2];
        for field in fields {
            field.set(&mut words, 1);
        }
        let mut rig = rig();
        rig.write(STATE + BLEND + 4, &words);
        let commands = [sound(), vec![primitive(0)]].concat();
        assert_eq!(rule_of(&mut rig, &commands), rule);
    }

    use draw::state_viewport_state_pointers_cc as cc;
    let pointer = |at| (&cc::PACKET, cc::CC_VIEWPORT_POINTER, at);
    found(None, &[pointer(0x3fe0)]);
    found(Some("heap-bounds"), &[pointer(0x4000)]);
    use draw::state_ps as ps;
    let kernel = |at| (&ps::PACKET, ps::KERNEL_START_POINTER_0, at);
    found(None, &[kernel(0x3fc0)]);
    found(Some("heap-bounds"), &[kernel(0x4000)]);
}

#[test]
fn constants_are_named_and_committed() {
    use draw::{
        state_binding_table_pointers_ps as table, state_constant_ps as ps,
        state_push_constant_alloc_gs as alloc_gs, state_push_constant_alloc_ps as alloc,
    };
    let table = command(
        &table::PACKET,
        &[(table::POINTER_TO_PS_BINDING_TABLE, TABLE)],
    );
    let constants = command(&ps::PACKET, &[]);
    let allocate = command(&alloc::PACKET, &[]);
    let after = |commands: &[&Vec<u32>]| -> Vec<Vec<u32>> {
        commands.iter().map(|c| (*c).clone()).collect()
    };
    found_after(Some("constant-reload"), &after(&[&allocate]));
    found_after(None, &after(&[&allocate, &constants, &table]));
    // A stage that runs no threads has no constants.
    found_after(None, &[command(&alloc_gs::PACKET, &[])]);
    found_after(Some("constant-commit"), &after(&[&constants]));
    found_after(Some("constant-commit"), &after(&[&table, &constants]));
    found_after(None, &after(&[&constants, &table]));
    // The first buffer is used, where the constants before, which are committed, have no fourth.
    let mut first = constants.clone();
    body::READ_LENGTH.set(&mut first[1..], 1);
    body::READ_LENGTH_3.set(&mut first[1..], 1);
    body::BUFFER.set(&mut first[1..], DATA);
    body::BUFFER_3.set(&mut first[1..], DATA);
    let takes = command(
        &draw::state_ps::PACKET,
        &[
            (draw::state_ps::N8_PIXEL_DISPATCH_ENABLE, 1),
            (draw::state_ps::PUSH_CONSTANT_ENABLE, 1),
        ],
    );
    let wait = flush(&[]);
    found_after(Some("constant-order"), &after(&[&takes, &first, &table]));
    found_after(None, &after(&[&takes, &wait, &first, &table]));
}

#[test]
fn clears_are_kept_apart() {
    use draw::{state_ps as ps, state_wm_hz_op as op};
    use media::pipe_control as f;
    let acts = command(&op::PACKET, &[(op::DEPTH_BUFFER_CLEAR_ENABLE, 1)]);
    let ends = command(&op::PACKET, &[]);
    let writes = pipe_control(&post_sync());
    let rule = Some("hz-op-sequence");
    found_after(None, &[acts.clone(), writes.clone(), ends.clone()]);
    found_after(rule, std::slice::from_ref(&acts));
    found_after(rule, &[acts.clone(), ends.clone()]);
    found_after(rule, &[acts.clone(), writes.clone()]);
    found_after(rule, &[acts.clone(), flush(&[]), ends]);
    found_after(rule, &[acts.clone(), writes, acts]);

    let mode = |field, value| {
        let fields = [(ps::N8_PIXEL_DISPATCH_ENABLE, 1), (field, value)];
        command(&ps::PACKET, &fields)
    };
    let clear = mode(ps::RENDER_TARGET_FAST_CLEAR_ENABLE, 1);
    let resolve = mode(ps::RENDER_TARGET_RESOLVE_TYPE, 3);
    let same = mode(ps::RENDER_TARGET_RESOLVE_TYPE, 0);
    let targets = flush(&[f::RENDER_TARGET_CACHE_FLUSH_ENABLE]);
    found_after(None, &[same]);
    for mode in [clear, resolve] {
        let rule = Some("fast-clear-sync");
        found_after(rule, std::slice::from_ref(&mode));
        found_after(rule, &[flush(&[f::DC_FLUSH_ENABLE]), mode.clone()]);
        found_after(None, &[targets.clone(), mode]);
    }
}

#[test]
fn depth_buffers_are_changed_when_nobody_tests() {
    use draw::{state_depth_buffer as depth, state_wm_depth_stencil as test};
    use media::pipe_control as f;
    let buffer = |address| {
        let fields = [
            (depth::SURFACE_TYPE, 1),
            (depth::SURFACE_BASE_ADDRESS, address),
            (depth::SURFACE_PITCH, 127),
        ];
        command(&depth::PACKET, &fields)
    };
    let after = |tests: u64, more: &[Vec<u32>]| {
        let changes = [(&test::PACKET, test::DEPTH_TEST_ENABLE, tests)];
        let commands = [
            changed(&changes),
            vec![buffer(DEPTH), primitive(0)],
            more.to_vec(),
            vec![primitive(0)],
        ];
        rule_of(&mut rig(), &commands.concat())
    };
    let other = buffer(DEPTH + 0x1000);
    let rule = Some("depth-stall");
    assert_eq!(after(1, std::slice::from_ref(&other)), rule);
    assert_eq!(after(0, std::slice::from_ref(&other)), None);
    assert_eq!(after(1, &[buffer(DEPTH)]), None);
    let none = command(&depth::PACKET, &[(depth::SURFACE_TYPE, 7)]);
    assert_eq!(after(1, &[none]), None);
    let stall = pipe_control(&[(f::DEPTH_STALL_ENABLE, 1)]);
    assert_eq!(after(1, &[stall, other.clone()]), None);
    assert_eq!(after(1, &[flush(&[]), other.clone()]), None);
    assert_eq!(after(1, &[pipe_control(&post_sync()), other]), rule);
}

#[test]
fn pipe_controls() {
    use media::pipe_control as f;
    let alone = |fields: &[(Field, u64)]| {
        let commands = [sound(), vec![pipe_control(fields)]].concat();
        rule_of(&mut rig(), &commands)
    };
    let [operation, place] = post_sync();
    let stall = (f::COMMAND_STREAMER_STALL_ENABLE, 1);
    let scoreboard = (f::STALL_AT_PIXEL_SCOREBOARD, 1);
    let targets = (f::RENDER_TARGET_CACHE_FLUSH_ENABLE, 1);
    for written in [2, 3] {
        let count = (f::POST_SYNC_OPERATION, written);
        let depth = (f::DEPTH_STALL_ENABLE, 1);
        assert_eq!(alone(&[count, place, depth]), None);
        let rule = Some("pipe-control-count");
        assert_eq!(alone(&[count, place, targets]), rule);
        assert_eq!(alone(&[count, place, scoreboard]), rule);
    }
    assert_eq!(alone(&[operation, place, targets]), None);
    let snapshot = (f::GLOBAL_SNAPSHOT_COUNT_RESET, 1);
    let rule = Some("pipe-control-snapshot");
    assert_eq!(alone(&[snapshot, stall, scoreboard]), rule);
    for field in [
        f::INDIRECT_STATE_POINTERS_DISABLE,
        f::GENERIC_MEDIA_STATE_CLEAR,
    ] {
        let rule = Some("pipe-control-pointers");
        assert_eq!(alone(&[(field, 1)]), rule);
        assert_eq!(alone(&[(field, 1), stall, scoreboard]), None);
    }
    let tlb = (f::TLB_INVALIDATE, 1);
    assert_eq!(alone(&[tlb]), Some("pipe-control-tlb"));
    assert_eq!(alone(&[tlb, operation, place]), None);
    assert_eq!(alone(&[tlb, stall, scoreboard]), None);
    let llc = (f::FLUSH_LLC, 1);
    assert_eq!(alone(&[llc]), Some("pipe-control-llc"));
    assert_eq!(alone(&[llc, operation, place]), None);
    // Right before: another command between does not count.
    let vertices = pipe_control(&[(f::VF_CACHE_INVALIDATION_ENABLE, 1), operation, place]);
    let null = pipe_control(&[]);
    let rule = Some("pipe-control-vf-null");
    found_after(rule, std::slice::from_ref(&vertices));
    found_after(None, &[null.clone(), vertices.clone()]);
    found_after(rule, &[null, flush(&[]), vertices]);
}

#[test]
fn the_colour_calculator_before_gpgpu() {
    use draw::state_cc_state_pointers as cc;
    use media::pipe_control as f;
    use media::pipeline_select as select;
    let writers = [
        f::DC_FLUSH_ENABLE,
        f::RENDER_TARGET_CACHE_FLUSH_ENABLE,
        f::DEPTH_CACHE_FLUSH_ENABLE,
    ];
    let fields = [(select::MASK_BITS, 3), (select::PIPELINE_SELECTION, 2)];
    let gpgpu = command(&select::PACKET, &fields);
    let with = |valid, flushed: &[Field]| {
        let changes = [(&cc::PACKET, cc::COLOR_CALC_STATE_POINTER_VALID, valid)];
        let more = [
            primitive(0),
            flush(flushed),
            invalidate().dwords.to_vec(),
            gpgpu.clone(),
        ];
        let commands = [changed(&changes), more.to_vec()].concat();
        rule_of(&mut rig(), &commands)
    };
    assert_eq!(with(0, &writers), None);
    assert_eq!(with(1, &writers), Some("pipeline-select-colour"));
    for left_out in 0..3 {
        let mut some = writers.to_vec();
        some.remove(left_out);
        assert_eq!(with(0, &some), Some("pipeline-select-flush"));
    }
}

#[test]
fn offsets_of_stream_output() {
    use draw::state_streamout as so;
    let load = |register: u64| {
        use mi::mi_load_register_imm as f;
        command(
            &f::PACKET,
            &[(f::REGISTER_OFFSET, register), (f::DATA_DWORD, 0)],
        )
    };
    let store = {
        use mi::mi_store_register_mem as f;
        let fields = [(f::REGISTER_ADDRESS, 0x5284), (f::MEMORY_ADDRESS, DATA)];
        command(&f::PACKET, &fields)
    };
    let after = |streams: u64, more: &[Vec<u32>]| {
        let changes = [(&so::PACKET, so::SO_FUNCTION_ENABLE, streams)];
        let commands = [changed(&changes), vec![primitive(0)], more.to_vec()];
        rule_of(&mut rig(), &commands.concat())
    };
    let rule = Some("so-offset-idle");
    assert_eq!(after(1, &[load(0x5280)]), rule);
    assert_eq!(after(1, &[store.clone()]), rule);
    assert_eq!(after(1, &[load(0x5290)]), None);
    assert_eq!(after(1, &[flush(&[]), load(0x5280), store.clone()]), None);
    assert_eq!(after(0, &[load(0x5280), store]), None);
}

/// A pixel shader that writes a colour of registers 112 and on, and ends.
fn target_write(desc: u32) -> Inst {
    let mut write = send(5, desc, Dst::null(Type::Ud), 112);
    if let Some(send) = &mut write.send {
        send.eot = true;
    }
    write
}

/// Four registers, the last render target, eight pixels.
const WRITE: u32 = 4 << 25 | 12 << 14 | 1 << 12 | 4 << 8;

fn drawing(kernel: &[Inst]) -> Rig {
    let mut rig = rig();
    let colour = (112..116).map(|nr| Inst::unary(Opcode::Mov, 8, to(nr), Src::imm_ud(0)));
    let kernel: Vec<Inst> = colour.chain(kernel.iter().cloned()).collect();
    rig.place(&kernel, 1);
    rig.write(STATE + TABLE, &[TARGET as u32]);
    let target = command(
        &rss::PACKET,
        &[
            (rss::SURFACE_TYPE, 1),
            (rss::SURFACE_FORMAT, 0x0c7),
            (rss::WIDTH, 7),
            (rss::HEIGHT, 7),
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
            (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
            (rss::SURFACE_PITCH, 63),
            (rss::SURFACE_BASE_ADDRESS, DATA),
        ],
    );
    rig.write(STATE + TARGET, &target);
    rig.write(STATE + VIEWPORTS, &[0, 1f32.to_bits()]);
    // Lower right, lower left, upper left of 8 × 8 pixels; an attribute of zeros.
    let mut vertices = Vec::new();
    for [x, y] in [[8f32, 8f32], [0.0, 8.0], [0.0, 0.0]] {
        vertices.extend([x, y, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0].map(f32::to_bits));
    }
    rig.write(VERTICES, &vertices);
    rig
}

/// Which rule stops two draws with these commands before the first and between them.
fn drawn(before: &[Vec<u32>], between: &[Vec<u32>]) -> Option<&'static str> {
    let commands = [
        sound(),
        before.to_vec(),
        vec![primitive(3)],
        between.to_vec(),
        vec![primitive(3)],
    ];
    rule_of(&mut drawing(&[target_write(WRITE)]), &commands.concat())
}

#[test]
fn what_draws_write_is_read_when_it_may_be() {
    use media::pipe_control as f;
    let targets = f::RENDER_TARGET_CACHE_FLUSH_ENABLE;
    let [operation, place] = post_sync();
    let null = pipe_control(&[]);
    let fresh = |cache| pipe_control(&[(cache, 1), operation, place]);
    // The same target again, in order.
    assert_eq!(drawn(&[], &[]), None);
    // As vertices.
    let read = vertex_buffer(DATA);
    let vertices = fresh(f::VF_CACHE_INVALIDATION_ENABLE);
    let after = |more: &[Vec<u32>]| drawn(&[], &[more, std::slice::from_ref(&read)].concat());
    assert_eq!(after(&[]), Some("render-flush"));
    assert_eq!(after(&[flush(&[])]), Some("render-flush"));
    let stale = Some("vertex-stale");
    assert_eq!(after(&[flush(&[targets])]), stale);
    let early = [null.clone(), vertices.clone(), flush(&[targets])];
    assert_eq!(after(&early), stale);
    let enough = [flush(&[targets]), null, vertices];
    assert_eq!(after(&enough), None);
    // As constants.
    let mut constants = command(&draw::state_constant_ps::PACKET, &[]);
    body::READ_LENGTH_3.set(&mut constants[1..], 1);
    body::BUFFER_3.set(&mut constants[1..], DATA);
    let table = command(
        &draw::state_binding_table_pointers_ps::PACKET,
        &[(
            draw::state_binding_table_pointers_ps::POINTER_TO_PS_BINDING_TABLE,
            TABLE,
        )],
    );
    let takes = (
        draw::state_ps::PUSH_CONSTANT_ENABLE,
        [(draw::state_ps::N8_PIXEL_DISPATCH_ENABLE, 1)],
    );
    let ps = command(
        &draw::state_ps::PACKET,
        &[
            takes.1[0],
            (takes.0, 1),
            (
                draw::state_ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0,
                2,
            ),
        ],
    );
    let read = [constants, table, ps];
    let after = |more: &[Vec<u32>]| drawn(&[], &[more, &read].concat());
    assert_eq!(after(&[]), Some("render-flush"));
    assert_eq!(after(&[flush(&[targets])]), Some("constant-stale"));
    let constants = fresh(f::CONSTANT_CACHE_INVALIDATION_ENABLE);
    assert_eq!(after(&[flush(&[targets]), constants]), None);
    // By commands.
    let load = {
        use mi::mi_load_register_mem as f;
        let fields = [(f::REGISTER_ADDRESS, 0x2600), (f::MEMORY_ADDRESS, DATA)];
        command(&f::PACKET, &fields)
    };
    let after = |more: &[Vec<u32>]| drawn(&[], &[more, std::slice::from_ref(&load)].concat());
    assert_eq!(after(&[flush(&[])]), Some("commands-stale"));
    assert_eq!(after(&[flush(&[targets])]), None);
}

#[test]
fn depth_and_streams_are_read_when_they_may_be() {
    use draw::{state_depth_buffer as depth, state_wm_depth_stencil as test};
    use draw::{state_so_buffer as buffer, state_streamout as so};
    use media::pipe_control as f;
    let [operation, place] = post_sync();
    let fresh = [
        pipe_control(&[]),
        pipe_control(&[(f::VF_CACHE_INVALIDATION_ENABLE, 1), operation, place]),
    ];
    let writes = [
        command(
            &depth::PACKET,
            &[
                (depth::SURFACE_TYPE, 1),
                (depth::SURFACE_FORMAT, 1),
                (depth::DEPTH_WRITE_ENABLE, 1),
                (depth::SURFACE_BASE_ADDRESS, DEPTH),
                (depth::SURFACE_PITCH, 127),
                (depth::WIDTH, 7),
                (depth::HEIGHT, 7),
            ],
        ),
        command(
            &test::PACKET,
            &[
                (test::DEPTH_TEST_ENABLE, 1),
                (test::DEPTH_BUFFER_WRITE_ENABLE, 1),
            ],
        ),
    ];
    let read = vertex_buffer(DEPTH);
    let after = |more: &[Vec<u32>]| drawn(&writes, &[more, std::slice::from_ref(&read)].concat());
    assert_eq!(drawn(&writes, &[]), None);
    assert_eq!(after(&[]), Some("depth-flush"));
    let targets = flush(&[f::RENDER_TARGET_CACHE_FLUSH_ENABLE]);
    assert_eq!(after(&[targets]), Some("depth-flush"));
    let depths = flush(&[f::DEPTH_CACHE_FLUSH_ENABLE]);
    assert_eq!(after(std::slice::from_ref(&depths)), Some("vertex-stale"));
    assert_eq!(after(&[&[depths], &fresh[..]].concat()), None);

    let writes = [
        command(
            &so::PACKET,
            &[
                (so::SO_FUNCTION_ENABLE, 1),
                (so::BUFFER_0_SURFACE_PITCH, 16),
                (so::STREAM_0_VERTEX_READ_LENGTH, 1),
            ],
        ),
        command(
            &buffer::PACKET,
            &[
                (buffer::SO_BUFFER_ENABLE, 1),
                (buffer::SURFACE_BASE_ADDRESS, STREAM),
                (buffer::SURFACE_SIZE, 63),
            ],
        ),
        so_decls(),
    ];
    let read = vertex_buffer(STREAM);
    let after = |more: &[Vec<u32>]| drawn(&writes, &[more, std::slice::from_ref(&read)].concat());
    assert_eq!(drawn(&writes, &[]), None);
    assert_eq!(after(&[]), Some("work-order"));
    let wait = flush(&[]);
    assert_eq!(after(std::slice::from_ref(&wait)), Some("vertex-stale"));
    assert_eq!(after(&[&[wait], &fresh[..]].concat()), None);
}

#[test]
fn registers_are_written_before_they_are_read() {
    let read = |register: u8| {
        let kernel = [
            Inst::binary(Opcode::Add, 8, to(20), ud(register), Src::imm_ud(1)),
            target_write(WRITE),
        ];
        let commands = [sound(), vec![primitive(3)]].concat();
        rule_of(&mut drawing(&kernel), &commands)
    };
    assert_eq!(read(1), None);
    assert_eq!(read(100), Some("uninitialised"));
}
