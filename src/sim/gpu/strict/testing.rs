//! Fixtures of strict mode's tests: a legal draw, which tests modify, and a simulated GPU to run
//! it.

use crate::options::Options;
use crate::rules::RULES;
use crate::testing::{CODE, DATA, Rig, STATE, invalidate, send, to};
use eu::StopReason;
use hw::draw_state::{so_decl, vertex_buffer_state as vb, vertex_element_state as element};
use hw::state::render_surface_state as rss;
use hw::{Field, Packet, draw, media, mi};
use isa::{Dst, Inst, Opcode, Src, Type};

/// A command with these fields set.
pub(crate) fn command(packet: &Packet, fields: &[(Field, u64)]) -> Vec<u32> {
    let mut words = vec![0; usize::from(packet.dwords)];
    words[0] = packet.header;
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    words
}

/// Three vertex elements: a header of zeros, a position, and one with the component controls
/// `last`.
pub(crate) fn vertex_elements(last: [u64; 4]) -> Vec<u32> {
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

pub(crate) fn vertex_buffer(address: u64) -> Vec<u32> {
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

/// Writes one attribute of stream 0 to buffer 0.
pub(crate) fn so_decl_list() -> Vec<u32> {
    so_decl_list_with(1, 0xf)
}

/// These components of a register of stream 0 to buffer 0.
pub(crate) fn so_decl_list_with(register: u64, components: u64) -> Vec<u32> {
    use draw::state_so_decl_list as f;
    let mut words = vec![f::PACKET.header | 3, 0, 0, 0, 0];
    f::STREAM_TO_BUFFER_SELECTS_0.set(&mut words, 1);
    f::NUM_ENTRIES_0.set(&mut words, 1);
    so_decl::COMPONENT_MASK.set(&mut words[3..], components);
    so_decl::REGISTER_INDEX.set(&mut words[3..], register);
    words
}

pub(crate) fn primitive(vertices: u64) -> Vec<u32> {
    use draw::primitive as f;
    let fields = [
        (f::VERTEX_COUNT_PER_INSTANCE, vertices),
        (f::INSTANCE_COUNT, 1),
    ];
    command(&f::PACKET, &fields)
}

pub(crate) const TABLE: u64 = 0x200;

pub(crate) const TARGET: u64 = 0x240;

pub(crate) const VIEWPORTS: u64 = 0x400;

pub(crate) const BLEND: u64 = 0x440;

pub(crate) const VERTICES: u64 = DATA + 0x3000;

pub(crate) const DEPTH: u64 = DATA + 0x1000;

pub(crate) const STREAM: u64 = DATA + 0x2000;

pub(crate) const HIZ: u64 = DATA + 0x2000;

/// The commands of a legal draw of rectangles without vertex shader, with a SIMD8 pixel shader
/// that reads one attribute; without 3DPRIMITIVE.
pub(crate) fn legal_draw() -> Vec<Vec<u32>> {
    use media::state_base_address as sba;
    let mut commands = vec![
        command(
            &sba::PACKET,
            &[
                (sba::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE, 1),
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
    add_geometry_state(&mut commands);
    add_setup_state(&mut commands);
    add_pixel_state(&mut commands);
    commands
}

/// Topology, URB, and the stages up to stream output, all disabled.
fn add_geometry_state(commands: &mut Vec<Vec<u32>>) {
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
        &state_cc_state_pointers::PACKET,
        &state_wm::PACKET,
        &state_wm_depth_stencil::PACKET,
    ] {
        add(packet, &[]);
    }
}

/// Clipper, setup and HiZ.
fn add_setup_state(commands: &mut Vec<Vec<u32>>) {
    let mut add = |packet: &Packet, fields: &[(Field, u64)]| commands.push(command(packet, fields));
    use draw::*;
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
            (state_sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT, 3),
            (state_sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_1, 3),
            (state_sbe::ATTRIBUTE_ACTIVE_COMPONENT_FORMAT_2, 3),
        ],
    );
    add(
        &state_ps_blend::PACKET,
        &[(state_ps_blend::HAS_WRITEABLE_RT, 1)],
    );
    add(
        &state_clear_params::PACKET,
        &[(state_clear_params::DEPTH_CLEAR_VALUE_VALID, 1)],
    );
    use state_hier_depth_buffer as hiz;
    add(
        &hiz::PACKET,
        &[
            (hiz::SURFACE_BASE_ADDRESS, HIZ),
            (hiz::SURFACE_PITCH, 127),
            (hiz::SURFACE_QPITCH, 2),
        ],
    );
}

/// Push constants, pixel shader, depth buffer, viewports, blending and binding table.
fn add_pixel_state(commands: &mut Vec<Vec<u32>>) {
    let mut add = |packet: &Packet, fields: &[(Field, u64)]| commands.push(command(packet, fields));
    use draw::*;
    use state_push_constant_alloc_ps as pixels;
    add(
        &state_push_constant_alloc_vs::PACKET,
        &[(state_push_constant_alloc_vs::CONSTANT_BUFFER_SIZE, 16)],
    );
    add(
        &pixels::PACKET,
        &[
            (pixels::CONSTANT_BUFFER_OFFSET, 16),
            (pixels::CONSTANT_BUFFER_SIZE, 16),
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
}

/// The legal draw with fields changed.
pub(crate) fn draw_with(changes: &[(&Packet, Field, u64)]) -> Vec<Vec<u32>> {
    let mut commands = legal_draw();
    for (packet, field, value) in changes {
        let found = commands.iter_mut().find(|c| packet.matches(c[0]));
        field.set(found.expect("in the batch"), *value);
    }
    commands
}

/// The rule that the commands break.
pub(crate) fn broken_rule(rig: &mut Rig, commands: &[Vec<u32>]) -> Option<&'static str> {
    let mut batch = commands.concat();
    batch.extend(mi::mi_batch_buffer_end::PACKET.words::<1>().dwords);
    match rig.execute(&batch) {
        Ok(_) => None,
        Err(StopReason::Undefined { rule, .. }) => {
            let known = RULES.iter().any(|known| known.name == rule);
            assert!(known || rule == "uninitialised", "{rule}");
            Some(rule)
        }
        Err(other) => panic!("{other}"),
    }
}

pub(crate) fn rig() -> Rig {
    Rig::new(Options {
        strict: true,
        ..Options::default()
    })
}

/// Checks which rule the legal draw breaks with these changes; it draws no vertices.
#[track_caller]
pub(crate) fn assert_breaks(expected: Option<&str>, changes: &[(&Packet, Field, u64)]) {
    let commands = [draw_with(changes), vec![primitive(0)]].concat();
    assert_eq!(broken_rule(&mut rig(), &commands), expected);
}

/// Checks which rule is broken by the legal draw, more commands, and another draw.
#[track_caller]
pub(crate) fn assert_breaks_after(expected: Option<&str>, more: &[Vec<u32>]) {
    let commands = [
        legal_draw(),
        vec![primitive(0)],
        more.to_vec(),
        vec![primitive(0)],
    ];
    assert_eq!(broken_rule(&mut rig(), &commands.concat()), expected);
}

pub(crate) fn pipe_control(fields: &[(Field, u64)]) -> Vec<u32> {
    command(&media::pipe_control::PACKET, fields)
}

/// Fields of an immediate post-sync write.
pub(crate) fn post_sync() -> [(Field, u64); 2] {
    use media::pipe_control as f;
    [(f::POST_SYNC_OPERATION, 1), (f::ADDRESS, DATA + 0x3f00)]
}

/// A PIPE_CONTROL that stalls and flushes these caches.
pub(crate) fn flush(caches: &[Field]) -> Vec<u32> {
    use media::pipe_control as f;
    let mut fields = vec![
        (f::COMMAND_STREAMER_STALL_ENABLE, 1),
        (f::STALL_AT_PIXEL_SCOREBOARD, 1),
    ];
    fields.extend(caches.iter().map(|cache| (*cache, 1)));
    pipe_control(&fields)
}

/// The instruction that writes the colour in r112 to r115 and ends a pixel shader.
pub(crate) fn target_write(desc: u32) -> Inst {
    let mut write = send(5, desc, Dst::null(Type::Ud), 112);
    write.op = Opcode::Sendc;
    if let Some(send) = &mut write.send {
        send.eot = true;
    }
    write
}

/// Descriptor of a SIMD8 render target write: four registers, last render target.
pub(crate) const WRITE: u32 = 4 << 25 | 12 << 14 | 1 << 12 | 4 << 8;

/// 8 × 8 pixels of R8G8B8A8_UNORM in linear memory.
pub(crate) const TARGET_STATE: [(Field, u64); 13] = [
    (rss::MIP_TAIL_START_LOD, 15),
    (rss::SURFACE_TYPE, 1),
    (rss::SURFACE_FORMAT, 0x0c7),
    (rss::WIDTH, 7),
    (rss::HEIGHT, 7),
    (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
    (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
    (rss::SURFACE_PITCH, 63),
    (rss::SURFACE_BASE_ADDRESS, DATA),
    (rss::SHADER_CHANNEL_SELECT_RED, 4),
    (rss::SHADER_CHANNEL_SELECT_GREEN, 5),
    (rss::SHADER_CHANNEL_SELECT_BLUE, 6),
    (rss::SHADER_CHANNEL_SELECT_ALPHA, 7),
];

pub(crate) fn rig_with_kernel(kernel: &[Inst]) -> Rig {
    load_kernel(rig(), kernel)
}

/// Writes the kernel, the surface states and the vertices of the legal draw to memory.
pub(crate) fn load_kernel(mut rig: Rig, kernel: &[Inst]) -> Rig {
    let colour = (112..116).map(|nr| Inst::unary(Opcode::Mov, 8, to(nr), Src::imm_ud(0)));
    let kernel: Vec<Inst> = colour.chain(kernel.iter().cloned()).collect();
    rig.load_kernel(&kernel, 1);
    rig.write(STATE + TABLE, &[TARGET as u32]);
    let target = command(&rss::PACKET, &TARGET_STATE);
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

/// The rule that two draws break, with these commands before the first and between them.
pub(crate) fn rule_broken_by_draws(
    before: &[Vec<u32>],
    between: &[Vec<u32>],
) -> Option<&'static str> {
    let commands = [
        legal_draw(),
        before.to_vec(),
        vec![primitive(3)],
        between.to_vec(),
        vec![primitive(3)],
    ];
    broken_rule(
        &mut rig_with_kernel(&[target_write(WRITE)]),
        &commands.concat(),
    )
}

/// The rule that a draw on this rig breaks, with fields of its commands changed.
pub(crate) fn rule_broken_by_draw_with(
    rig: &mut Rig,
    changes: &[(&Packet, Field, u64)],
) -> Option<&'static str> {
    let commands = [draw_with(changes), vec![primitive(3)]].concat();
    broken_rule(rig, &commands)
}

/// The legal draw's rig with its render target's surface state changed.
pub(crate) fn rig_with_target(fields: &[(Field, u64)]) -> Rig {
    let rig = rig_with_kernel(&[target_write(WRITE)]);
    let words = [&TARGET_STATE[..], fields].concat();
    rig.write(STATE + TARGET, &command(&rss::PACKET, &words));
    rig
}
