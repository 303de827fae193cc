//! Rules for the state that a draw uses: a draw that breaks one is rejected, and a minimally
//! different legal one passes.

use crate::strict::testing::{
    DEPTH, assert_breaks, broken_rule, command, draw_with, flush, legal_draw, primitive, rig,
    so_decl_list, vertex_elements,
};
use crate::testing::DATA;
use hw::draw_state::vertex_element_state as element;
use hw::draw_state::{sf_output_attribute_detail as detail, state_constant_body as body};
use hw::{Field, draw, media};

#[test]
fn draws_need_complete_state() {
    assert_breaks(None, &[]);
    let all = legal_draw();
    for packet in crate::strict::draw::REQUIRED {
        let mut commands = all.clone();
        commands.retain(|c| !packet.matches(c[0]));
        assert!(commands.len() + 1 == all.len(), "{}", packet.name);
        commands.push(primitive(0));
        let rule = broken_rule(&mut rig(), &commands);
        assert_eq!(rule, Some("draw-state"), "{}", packet.name);
    }
    use media::pipeline_select as select;
    let gpgpu = |pipeline| {
        let fields = [
            (select::MASK_BITS, 3),
            (select::PIPELINE_SELECTION, pipeline),
        ];
        let commands = [vec![command(&select::PACKET, &fields)], legal_draw()];
        let commands = [commands.concat(), vec![primitive(0)]].concat();
        broken_rule(&mut rig(), &commands)
    };
    assert_eq!(gpgpu(0), None);
    assert_eq!(gpgpu(2), Some("draw-pipeline"));
    // Base addresses change after a draw, and nothing is invalidated.
    use media::state_base_address as base;
    let mut other = legal_draw()[0].clone();
    assert!(base::PACKET.matches(other[0]));
    let address = base::DYNAMIC_STATE_BASE_ADDRESS;
    address.set(&mut other, address.get(&legal_draw()[0]) + 0x1000);
    use media::pipe_control as f;
    let written = [f::RENDER_TARGET_CACHE_FLUSH_ENABLE, f::DC_FLUSH_ENABLE];
    let first = [legal_draw(), vec![primitive(0), flush(&written)]].concat();
    let stale = [first.clone(), vec![other, primitive(0)]].concat();
    let rule = broken_rule(&mut rig(), &stale);
    assert_eq!(rule, Some("base-address-invalidate"));
    let same = [first, vec![legal_draw()[0].clone(), primitive(0)]].concat();
    assert_eq!(broken_rule(&mut rig(), &same), None);
}

#[test]
fn vertex_element_and_index_buffer_rules() {
    for (last, rule) in [
        ([1, 1, 2, 2], None),
        ([1, 2, 1, 2], Some("vertex-components")),
        ([2, 1, 1, 1], Some("vertex-components")),
        ([1, 1, 0, 0], None),
        ([1, 0, 2, 2], Some("vertex-components")),
        ([0, 0, 0, 0], Some("vertex-components")),
    ] {
        let mut commands = legal_draw();
        commands[2] = vertex_elements(last);
        commands.push(primitive(0));
        assert_eq!(broken_rule(&mut rig(), &commands), rule);
    }
    // The first element is the header, where no shader makes vertices of their elements.
    for (control, shaded, rule) in [
        (2, false, None),
        (3, false, Some("vertex-header")),
        (4, false, Some("vertex-header")),
        (3, true, None),
    ] {
        let mut commands = legal_draw();
        element::COMPONENT_0_CONTROL.set(&mut commands[2][1..3], control);
        for words in &mut commands {
            if draw::state_vs::PACKET.matches(words[0]) {
                draw::state_vs::ENABLE.set(words, shaded.into());
            }
        }
        commands.push(primitive(0));
        let found = broken_rule(&mut rig(), &commands);
        assert_eq!(found.filter(|rule| *rule == "vertex-header"), rule);
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
        let commands = [legal_draw(), vec![command(&ib::PACKET, &fields), draw]];
        assert_eq!(broken_rule(&mut rig(), &commands.concat()), rule);
    }
}

#[test]
fn urb_reads_stay_inside_entries() {
    // Three elements are 48 bytes of an entry of 64; five are 80.
    let mut commands = legal_draw();
    let (header, more) = (commands[2][0], commands[2][3..].to_vec());
    commands[2].extend(&more);
    commands[2][0] = header + 4;
    commands.push(primitive(0));
    assert_eq!(broken_rule(&mut rig(), &commands), Some("vertex-entry"));
    use draw::{state_gs as gs, state_sbe as sbe, state_urb_vs as urb};
    let sbe = &sbe::PACKET;
    let length = draw::state_sbe::VERTEX_URB_ENTRY_READ_LENGTH;
    let offset = draw::state_sbe::VERTEX_URB_ENTRY_READ_OFFSET;
    assert_breaks(Some("urb-read"), &[(sbe, length, 2)]);
    assert_breaks(None, &[(sbe, length, 2), (sbe, offset, 0)]);
    let larger = (&urb::PACKET, urb::VS_URB_ENTRY_ALLOCATION_SIZE, 1);
    assert_breaks(None, &[(sbe, length, 2), larger]);
    // Quadwords that pass as they are fill 32 bytes where more than two are stored: 64 with two
    // more elements, or 80.
    let quads = |controls: [u64; 4]| {
        let mut commands = legal_draw();
        let words = &mut commands[2][1..3];
        element::SOURCE_ELEMENT_FORMAT.set(words, 0x0a1);
        for (field, control) in [
            element::COMPONENT_0_CONTROL,
            element::COMPONENT_1_CONTROL,
            element::COMPONENT_2_CONTROL,
            element::COMPONENT_3_CONTROL,
        ]
        .into_iter()
        .zip(controls)
        {
            field.set(words, control);
        }
        let (header, more) = (commands[2][0], commands[2][3..5].to_vec());
        commands[2].extend(&more);
        commands[2][0] = header + 2;
        commands.push(primitive(0));
        broken_rule(&mut rig(), &commands)
    };
    assert_eq!(quads([1, 2, 0, 0]), None);
    assert_eq!(quads([1, 2, 2, 0]), Some("vertex-entry"));
    assert_eq!(quads([1, 2, 2, 2]), Some("vertex-entry"));
    // A geometry shader reads what the vertices are, and has entries of its own.
    use draw::state_urb_gs as urb_gs;
    let read = |length| {
        [
            (&gs::PACKET, gs::ENABLE, 1),
            (&gs::PACKET, gs::VERTEX_URB_ENTRY_READ_LENGTH, length),
            (&gs::PACKET, gs::DISPATCH_GRF_START_REGISTER_FOR_URB_DATA, 2),
            (&urb_gs::PACKET, urb_gs::GS_NUMBER_OF_URB_ENTRIES, 8),
            (&urb_gs::PACKET, urb_gs::GS_URB_STARTING_ADDRESS, 8),
        ]
    };
    assert_breaks(None, &read(2));
    assert_breaks(Some("urb-read"), &read(3));
    // Attributes beyond what is read, by number and by swizzle.
    let count = draw::state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES;
    assert_breaks(None, &[(sbe, count, 2)]);
    assert_breaks(Some("sbe-attributes"), &[(sbe, count, 3)]);
    let swizzles = (sbe, draw::state_sbe::ATTRIBUTE_SWIZZLE_ENABLE, 1);
    let swiz = &draw::state_sbe_swiz::PACKET;
    let from = |slot: u32| {
        let mut half = [0];
        detail::SOURCE_ATTRIBUTE.set(&mut half, slot.into());
        (swiz, draw::state_sbe_swiz::ATTRIBUTE, half[0].into())
    };
    assert_breaks(None, &[swizzles, from(1)]);
    assert_breaks(Some("sbe-attributes"), &[swizzles, from(2)]);
    // The second one stands in the upper half of its dword, the third in the next.
    let upper = |slot: u64| (swiz, upper_half(draw::state_sbe_swiz::ATTRIBUTE), slot);
    assert_breaks(None, &[(sbe, count, 2), swizzles, upper(1)]);
    assert_breaks(
        Some("sbe-attributes"),
        &[(sbe, count, 2), swizzles, upper(2)],
    );
    assert_breaks(None, &[swizzles, upper(2)]);
    // An attribute that is all constant comes from nowhere.
    assert_breaks(
        None,
        &[
            swizzles,
            (swiz, draw::state_sbe_swiz::ATTRIBUTE, 0xf000 | 2),
        ],
    );
}

/// A field of the 16 bits behind those of this one.
fn upper_half(field: Field) -> Field {
    Field {
        lo: field.lo + 16,
        hi: field.hi + 16,
        ..field
    }
}

#[test]
fn rectlist_pixel_shader_and_depth_buffer_rules() {
    use draw::{state_depth_buffer as depth, state_multisample as multisample};
    use draw::{state_ps as ps, state_ps_extra as extra, state_raster as raster, state_sf as sf};
    let transform = (&sf::PACKET, sf::VIEWPORT_TRANSFORM_ENABLE, 1);
    assert_breaks(Some("rectlist-state"), &[transform]);
    let topology = (
        &draw::state_vf_topology::PACKET,
        draw::state_vf_topology::PRIMITIVE_TOPOLOGY_TYPE,
        4,
    );
    assert_breaks(None, &[transform, topology]);
    let hollow = (&raster::PACKET, raster::FRONT_FACE_FILL_MODE, 1);
    assert_breaks(Some("rectlist-state"), &[hollow]);

    let wide = (&ps::PACKET, ps::N32_PIXEL_DISPATCH_ENABLE, 1);
    let samples = |log| {
        let field = multisample::NUMBER_OF_MULTISAMPLES;
        (&multisample::PACKET, field, log)
    };
    assert_breaks(Some("ps-samples"), &[wide, samples(4)]);
    assert_breaks(None, &[wide, samples(3)]);
    assert_breaks(None, &[samples(4)]);
    // As many samples where there is no target: 1, 2, 4, 8, 16 are 1 to 5.
    let forced = |count| (&raster::PACKET, raster::FORCED_SAMPLE_COUNT, count);
    assert_breaks(Some("ps-samples"), &[wide, forced(5)]);
    assert_breaks(None, &[wide, forced(4)]);
    assert_breaks(None, &[forced(5)]);
    let each = (&extra::PACKET, extra::PIXEL_SHADER_IS_PER_SAMPLE, 1);
    let of_eight = |on| (&ps::PACKET, ps::N8_PIXEL_DISPATCH_ENABLE, on);
    let of_sixteen = |on| (&ps::PACKET, ps::N16_PIXEL_DISPATCH_ENABLE, on);
    let alone = [of_eight(0), of_sixteen(0), wide, samples(4), each];
    assert_breaks(None, &alone);
    // Threads for single samples have one width.
    assert_breaks(None, &[of_eight(1), of_sixteen(0), each]);
    assert_breaks(Some("ps-sample-width"), &[of_eight(1), of_sixteen(1), each]);
    assert_breaks(None, &[of_eight(1), of_sixteen(1)]);

    let attributes = |on| (&extra::PACKET, extra::ATTRIBUTE_ENABLE, on);
    assert_breaks(Some("ps-attributes"), &[attributes(0)]);
    let none = (
        &draw::state_sbe::PACKET,
        draw::state_sbe::NUMBER_OF_SF_OUTPUT_ATTRIBUTES,
        0,
    );
    assert_breaks(Some("ps-attributes"), &[none]);
    let depth = (&extra::PACKET, extra::PIXEL_SHADER_USES_SOURCE_DEPTH, 1);
    assert_breaks(None, &[none, attributes(0), depth]);
    // Push constants: one register from the first buffer, in dword 1.
    let length = Field {
        lo: body::READ_LENGTH.lo + 32,
        hi: body::READ_LENGTH.hi + 32,
        ..body::READ_LENGTH
    };
    let constants = (&draw::state_constant_ps::PACKET, length, 1);
    assert_breaks(Some("ps-push-constants"), &[constants]);
    let off = draw::state_streamout::RENDERING_DISABLE;
    assert_breaks(None, &[constants, (&draw::state_streamout::PACKET, off, 1)]);
    assert_breaks(
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
    assert_breaks(None, &buffer(DEPTH, 127));
    assert_breaks(Some("depth-buffer-place"), &buffer(DEPTH + 64, 127));
    assert_breaks(Some("depth-buffer-place"), &buffer(DEPTH, 63));
    let hierarchical = (&depth::PACKET, depth::HIERARCHICAL_DEPTH_BUFFER_ENABLE, 1);
    assert_breaks(Some("depth-buffer-place"), &[hierarchical]);
}

#[test]
fn stream_output_and_heap_rules() {
    use draw::state_streamout as so;
    let on = (&so::PACKET, so::SO_FUNCTION_ENABLE, 1);
    let pitch = |bytes| (&so::PACKET, so::BUFFER_0_SURFACE_PITCH, bytes);
    assert_breaks(None, &[on, pitch(16)]);
    assert_breaks(Some("so-pitch"), &[on, pitch(18)]);
    assert_breaks(Some("so-pitch"), &[on, pitch(2052)]);
    assert_breaks(None, &[pitch(18)]);
    let read = |length| {
        let field = so::STREAM_0_VERTEX_READ_LENGTH;
        let mut commands = draw_with(&[on, pitch(16), (&so::PACKET, field, length)]);
        commands.push(so_decl_list());
        commands.push(primitive(0));
        broken_rule(&mut rig(), &commands)
    };
    assert_eq!(read(1), None);
    assert_eq!(read(2), Some("so-read"));

    use draw::state_viewport_state_pointers_cc as cc;
    let pointer = |at| (&cc::PACKET, cc::CC_VIEWPORT_POINTER, at);
    assert_breaks(None, &[pointer(0x3fe0)]);
    assert_breaks(Some("heap-bounds"), &[pointer(0x4000)]);
    // A heap whose size was never set has no end.
    let sba = &media::state_base_address::PACKET;
    let sized = media::state_base_address::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE;
    let size = media::state_base_address::DYNAMIC_STATE_BUFFER_SIZE;
    assert_breaks(None, &[pointer(0x4000), (sba, sized, 0), (sba, size, 0)]);
    // 64 bytes that end with the heap, or lie behind it.
    use draw::state_viewport_state_pointers_sf_clip as sf_clip;
    for (at, rule) in [(0x3fc0, None), (0x4000, Some("heap-bounds"))] {
        let field = (sf_clip::SF_CLIP_VIEWPORT_POINTER, at);
        let pointer = command(&sf_clip::PACKET, &[field]);
        let commands = [legal_draw(), vec![pointer, primitive(0)]].concat();
        assert_eq!(broken_rule(&mut rig(), &commands), rule, "{at:#x}");
    }
    use draw::state_ps as ps;
    let kernel = |at| (&ps::PACKET, ps::KERNEL_START_POINTER_0, at);
    assert_breaks(None, &[kernel(0x3fc0)]);
    assert_breaks(Some("heap-bounds"), &[kernel(0x4000)]);
}
