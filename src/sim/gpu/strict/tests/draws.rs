//! Rules that draws break while they run: a draw that breaks one is rejected, and a minimally
//! different legal one passes.

use crate::strict::testing::{
    BLEND, DEPTH, STREAM, TABLE, TARGET, TARGET_STATE, VERTICES, WRITE, broken_rule, command,
    flush, legal_draw, pipe_control, post_sync, primitive, rig, rig_with_kernel, rig_with_target,
    rule_broken_by_draw_with, rule_broken_by_draws, so_decl_list, target_write, vertex_buffer,
};
use crate::testing::{BYTES, DATA, SCRATCH_BYTES, STATE, send, to, ud};
use hw::draw_state::state_constant_body as body;
use hw::state::render_surface_state as rss;
use hw::{Field, Packet, draw, media, mi};
use isa::{Inst, Opcode, Src};
use std::sync::atomic::Ordering::{Acquire, Release};

/// A draw with a vertex buffer at an address, and the rig's own buffer again.
fn held(address: u64) -> Vec<Vec<u32>> {
    vec![
        vertex_buffer(address),
        primitive(3),
        vertex_buffer(VERTICES),
    ]
}

/// Commands that give the pixel shader a register of push constants at `DATA`.
fn pixel_constants() -> [Vec<u32>; 3] {
    use draw::state_binding_table_pointers_ps as table;
    use draw::state_ps as f;
    let mut constants = command(&draw::state_constant_ps::PACKET, &[]);
    body::READ_LENGTH_3.set(&mut constants[1..], 1);
    body::BUFFER_3.set(&mut constants[1..], DATA);
    let table = command(
        &table::PACKET,
        &[(table::POINTER_TO_PS_BINDING_TABLE, TABLE)],
    );
    let start = f::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0;
    let ps = command(
        &f::PACKET,
        &[
            (f::N8_PIXEL_DISPATCH_ENABLE, 1),
            (f::PUSH_CONSTANT_ENABLE, 1),
            (start, 2),
        ],
    );
    [constants, table, ps]
}

/// The CPU rewrites push constants, which a draw has read, before the next draw of the batch reads
/// them. Only the batch's own writes count.
#[test]
fn constants_may_be_rewritten_by_the_cpu_but_not_by_the_batch() {
    use mi::mi_semaphore_wait as wait;
    use mi::mi_store_data_imm as store;
    const READY: u64 = DATA + 0x100;
    const GO: u64 = DATA + 0x140;
    let [constants, table, ps] = pixel_constants();
    let stored = |address: u64, value: u64| {
        let words = store::PACKET
            .words::<4>()
            .with(store::ADDRESS, address)
            .with(store::IMMEDIATE_DATA, value);
        words.dwords.to_vec()
    };
    let waits = command(
        &wait::PACKET,
        &[
            (wait::WAIT_MODE, 1),
            (wait::COMPARE_OPERATION, 4),
            (wait::SEMAPHORE_DATA_DWORD, 1),
            (wait::SEMAPHORE_ADDRESS, GO),
        ],
    );
    let run = |by_cpu: bool| {
        let mut rig = rig_with_kernel(&[target_write(WRITE)]);
        rig.write(DATA, &[7; 8]);
        let memory = rig.memory(DATA).expect("mapped");
        let between = match by_cpu {
            true => vec![stored(READY, 1), waits.clone()],
            false => {
                let operation = post_sync();
                let invalid = (media::pipe_control::CONSTANT_CACHE_INVALIDATION_ENABLE, 1);
                let fresh = pipe_control(&[invalid, operation[0], operation[1]]);
                vec![stored(DATA + 12, 9), fresh]
            }
        };
        let commands = [
            legal_draw(),
            vec![constants.clone(), table.clone(), ps.clone(), primitive(0)],
            between,
            vec![primitive(3)],
        ];
        let word = move |address: u64| (address - DATA) as usize / 4;
        let cpu = std::thread::spawn(move || {
            while by_cpu && memory.words()[word(READY)].load(Acquire) == 0 {
                std::thread::yield_now();
            }
            if by_cpu {
                memory.words()[3].store(9, Release);
                memory.words()[word(GO)].store(1, Release);
            }
        });
        let found = broken_rule(&mut rig, &commands.concat());
        cpu.join().expect("the CPU ends");
        found
    };
    assert_eq!(run(false), Some("constant-early"));
    assert_eq!(run(true), None);
}

#[test]
fn draw_output_needs_flushes_before_reads() {
    use media::pipe_control as f;
    let targets = f::RENDER_TARGET_CACHE_FLUSH_ENABLE;
    let [operation, place] = post_sync();
    let null = pipe_control(&[]);
    let fresh = |cache| pipe_control(&[(cache, 1), operation, place]);
    // The same target again, in order.
    assert_eq!(rule_broken_by_draws(&[], &[]), None);
    // As vertices.
    let read = vertex_buffer(DATA);
    let vertices = fresh(f::VF_CACHE_INVALIDATION_ENABLE);
    let read = std::slice::from_ref(&read);
    let first = |more: &[Vec<u32>]| rule_broken_by_draws(&[], &[more, read].concat());
    let after = |more: &[Vec<u32>]| rule_broken_by_draws(&held(DATA), &[more, read].concat());
    for rule_broken_by_draws in [&first, &after as &dyn Fn(&[Vec<u32>]) -> _] {
        assert_eq!(rule_broken_by_draws(&[]), Some("render-flush"));
        assert_eq!(rule_broken_by_draws(&[flush(&[])]), Some("render-flush"));
    }
    // Its cache holds nothing of a buffer that was not bound before.
    assert_eq!(first(&[flush(&[targets])]), None);
    let stale = Some("vertex-stale");
    assert_eq!(after(&[flush(&[targets])]), stale);
    let early = [null.clone(), vertices.clone(), flush(&[targets])];
    assert_eq!(after(&early), stale);
    let enough = [flush(&[targets]), null, vertices];
    assert_eq!(after(&enough), None);
    // As constants.
    let read = pixel_constants();
    let after = |more: &[Vec<u32>]| rule_broken_by_draws(&[], &[more, &read].concat());
    assert_eq!(after(&[]), Some("render-flush"));
    assert_eq!(after(&[flush(&[targets])]), Some("constant-stale"));
    let constants = fresh(f::CONSTANT_CACHE_INVALIDATION_ENABLE);
    assert_eq!(after(&[flush(&[targets]), constants]), None);
    // Those that were committed before the first draw were read then, whatever has been invalidated
    // since.
    let late = |between: &[Vec<u32>]| {
        let mut rig = rig_with_kernel(&[target_write(WRITE)]);
        rig.write(DATA, &[0x0102_0304; 8]);
        let commands = [
            legal_draw(),
            read.to_vec(),
            vec![primitive(3)],
            between.to_vec(),
            vec![primitive(3)],
        ];
        broken_rule(&mut rig, &commands.concat())
    };
    let flushed = flush(&[targets]);
    let invalid = fresh(f::CONSTANT_CACHE_INVALIDATION_ENABLE);
    let [named, table, _] = read.clone();
    let known = [flushed.clone(), invalid.clone()];
    assert_eq!(late(&known), Some("constant-early"));
    assert_eq!(late(&[flushed, invalid, named, table]), None);
    // By commands.
    let load = {
        use mi::mi_load_register_mem as f;
        let fields = [(f::REGISTER_ADDRESS, 0x2600), (f::MEMORY_ADDRESS, DATA)];
        command(&f::PACKET, &fields)
    };
    let after = |more: &[Vec<u32>]| {
        rule_broken_by_draws(&[], &[more, std::slice::from_ref(&load)].concat())
    };
    assert_eq!(after(&[flush(&[])]), Some("commands-stale"));
    assert_eq!(after(&[flush(&[targets])]), None);
}

#[test]
fn depth_and_stream_output_reads_need_their_flushes() {
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
    let read = std::slice::from_ref(&read);
    let after = |more: &[Vec<u32>]| {
        rule_broken_by_draws(
            &[held(DEPTH), writes.to_vec()].concat(),
            &[more, read].concat(),
        )
    };
    assert_eq!(rule_broken_by_draws(&writes, &[]), None);
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
        so_decl_list(),
    ];
    let read = vertex_buffer(STREAM);
    let read = std::slice::from_ref(&read);
    let after = |more: &[Vec<u32>]| {
        rule_broken_by_draws(
            &[held(STREAM), writes.to_vec()].concat(),
            &[more, read].concat(),
        )
    };
    assert_eq!(rule_broken_by_draws(&writes, &[]), None);
    assert_eq!(after(&[]), Some("work-order"));
    let wait = flush(&[]);
    assert_eq!(after(std::slice::from_ref(&wait)), Some("vertex-stale"));
    assert_eq!(after(&[&[wait], &fresh[..]].concat()), None);
}

#[test]
fn registers_must_be_written_before_they_are_read() {
    let read = |register: u8| {
        let kernel = [
            Inst::binary(Opcode::Add, 8, to(112), ud(register), Src::imm_ud(1)),
            target_write(WRITE),
        ];
        let commands = [legal_draw(), vec![primitive(3)]].concat();
        broken_rule(&mut rig_with_kernel(&kernel), &commands)
    };
    assert_eq!(read(1), None);
    assert_eq!(read(100), Some("uninitialised"));
}

#[test]
fn render_target_rules() {
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_target(&[]), &[]),
        None
    );
    // The surface rules apply to draws, too.
    let pitch = [(rss::TILE_MODE, 3), (rss::SURFACE_PITCH, 191)];
    let rule = Some("surface-pitch");
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_target(&pitch), &[]),
        rule
    );
    // Channels may change places, but for alpha, and none may be missing.
    let select = [
        rss::SHADER_CHANNEL_SELECT_RED,
        rss::SHADER_CHANNEL_SELECT_GREEN,
        rss::SHADER_CHANNEL_SELECT_BLUE,
        rss::SHADER_CHANNEL_SELECT_ALPHA,
    ];
    let rule = Some("target-selects");
    for (codes, found) in [
        ([6, 5, 4, 7], None),
        ([5, 6, 4, 7], None),
        ([4, 5, 7, 6], rule),
        ([4, 4, 6, 7], rule),
        ([4, 5, 6, 1], rule),
        ([0, 5, 6, 7], rule),
    ] {
        let fields: Vec<_> = select.into_iter().zip(codes).collect();
        assert_eq!(
            rule_broken_by_draw_with(&mut rig_with_target(&fields), &[]),
            found,
            "{codes:?}"
        );
    }
    // Skylake needs linear targets from 16383 pixels on.
    for (last, tiling, found) in [
        (16382, 3, Some("target-width")),
        (16381, 3, None),
        (16382, 0, None),
    ] {
        let fields = [
            (rss::WIDTH, last),
            (rss::TILE_MODE, tiling),
            (rss::SURFACE_PITCH, 65535),
        ];
        let mut rig = rig_with_target(&fields);
        // Eight rows of a linear target.
        rig.map(DATA + BYTES, 8 << 16);
        let rule = rule_broken_by_draw_with(&mut rig, &[]);
        assert_eq!(rule, found, "{last} {tiling}");
    }
    use draw::state_multisample as multisample;
    let four = |log| {
        let field = multisample::NUMBER_OF_MULTISAMPLES;
        (&multisample::PACKET, field, log)
    };
    let samples = [
        (rss::NUMBER_OF_MULTISAMPLES, 2),
        (rss::TILE_MODE, 3),
        (rss::SURFACE_PITCH, 127),
        (rss::SURFACE_QPITCH, 8),
    ];
    let rule = Some("target-samples");
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_target(&[]), &[four(2)]),
        rule
    );
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_target(&samples), &[]),
        rule
    );
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_target(&samples), &[four(2)]),
        None
    );
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_target(&[]), &[four(5)]),
        Some("multisamples")
    );
    // A surface that cannot be cleared by its blocks.
    use draw::state_ps as ps;
    let clear = (&ps::PACKET, ps::RENDER_TARGET_FAST_CLEAR_ENABLE, 1);
    let rule = Some("fast-clear-surface");
    assert_eq!(
        rule_broken_by_draw_with(&mut rig_with_target(&[]), &[clear]),
        rule
    );

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
        let mut rig = rig_with_target(&[]);
        rig.write(STATE + BLEND + 4, &words);
        use draw::state_ps_blend as ps_blend;
        let blends = entry::COLOR_BUFFER_BLEND_ENABLE.get(&words);
        let same = (
            &ps_blend::PACKET,
            ps_blend::COLOR_BUFFER_BLEND_ENABLE,
            blends,
        );
        assert_eq!(rule_broken_by_draw_with(&mut rig, &[same]), rule);
    }
}

#[test]
fn pixel_shader_messages_match_their_state() {
    use draw::{state_ps as ps, state_ps_extra as extra};
    let rule_broken_by_draws = |kernel: &[Inst], changes: &[(&Packet, Field, u64)]| {
        let mut rig = rig_with_kernel(kernel);
        rig.map(DATA + BYTES, SCRATCH_BYTES);
        rule_broken_by_draw_with(&mut rig, changes)
    };
    let write = [target_write(WRITE)];
    let eight = (&ps::PACKET, ps::N8_PIXEL_DISPATCH_ENABLE, 0);
    assert_eq!(rule_broken_by_draws(&write, &[eight]), Some("ps-dispatch"));
    let invalid = (&extra::PACKET, extra::PIXEL_SHADER_VALID, 0);
    assert_eq!(rule_broken_by_draws(&write, &[eight, invalid]), None);
    let start = ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0;
    let start = |register| (&ps::PACKET, start, register);
    // Barycentrics are two registers after the first two.
    use draw::state_wm as wm;
    let weights = (&wm::PACKET, wm::BARYCENTRIC_INTERPOLATION_MODE, 1);
    assert_eq!(rule_broken_by_draws(&write, &[weights, start(4)]), None);
    assert_eq!(
        rule_broken_by_draws(&write, &[weights, start(3)]),
        Some("ps-payload")
    );
    // The thread spawner ends no pixel shader: the rig appends that message.
    assert_eq!(rule_broken_by_draws(&[], &[]), Some("ps-end"));
    // SEND does not wait for the threads of older objects; after a SENDC there are none.
    let mut early = target_write(WRITE);
    early.op = Opcode::Send;
    assert_eq!(
        rule_broken_by_draws(std::slice::from_ref(&early), &[]),
        Some("target-order")
    );
    let mut first = target_write(WRITE & !(1 << 12));
    first.send = first.send.map(|send| isa::Send { eot: false, ..send });
    assert_eq!(rule_broken_by_draws(&[first, early], &[]), None);
    let not_last = [target_write(WRITE & !(1 << 12))];
    assert_eq!(rule_broken_by_draws(&not_last, &[]), Some("ps-end"));
    // Three registers where there are four channels; a depth that is not announced, or announced
    // and not sent.
    let rule = Some("target-length");
    let short = [target_write(WRITE - (1 << 25))];
    assert_eq!(rule_broken_by_draws(&short, &[]), rule);
    let depth = (&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE, 1);
    assert_eq!(rule_broken_by_draws(&write, &[depth]), rule);
    let with_depth = [
        Inst::unary(Opcode::Mov, 8, to(116), Src::imm_ud(0)),
        target_write(WRITE + (1 << 25)),
    ];
    assert_eq!(rule_broken_by_draws(&with_depth, &[]), rule);
    assert_eq!(rule_broken_by_draws(&with_depth, &[depth]), None);
    // Scratch memory that the draw has not got: a block read of a register.
    let scratch = 1 << 25 | 1 << 20 | 1 << 19 | 1 << 18;
    let header = Inst::unary(Opcode::Mov, 8, to(30), ud(0)).no_mask();
    let read = |block: u32| {
        let read = send(10, scratch | block, to(31), 30).no_mask();
        [header, read, target_write(WRITE)]
    };
    let has = [
        (&ps::PACKET, ps::SCRATCH_SPACE_BASE_POINTER, DATA),
        (&ps::PACKET, ps::PER_THREAD_SCRATCH_SPACE, 0),
    ];
    let rule = Some("scratch-bounds");
    assert_eq!(rule_broken_by_draws(&read(31), &has), None);
    assert_eq!(rule_broken_by_draws(&read(32), &has), rule);
    assert_eq!(rule_broken_by_draws(&read(31), &[]), rule);
}

#[test]
fn sampler_states_must_be_in_the_heap() {
    use draw::state_sampler_state_pointers_ps as samplers;
    // sample, SIMD8, with u and v in two registers; the surface is the render target, which is not
    // written before.
    let sample = |sampler: u32| {
        let desc = 2 << 25 | 4 << 20 | 1 << 17 | sampler << 8 | 1;
        [
            Inst::unary(Opcode::Mov, 8, to(40), Src::imm_ud(0)),
            Inst::unary(Opcode::Mov, 8, to(41), Src::imm_ud(0)),
            send(2, desc, to(20), 40),
            target_write(WRITE),
        ]
    };
    let at = |sampler: u32| {
        let mut rig = rig_with_kernel(&sample(sampler));
        rig.write(STATE + TABLE, &[TARGET as u32, TARGET as u32 + 0x40]);
        let mut texture = TARGET_STATE.to_vec();
        texture.push((rss::SURFACE_BASE_ADDRESS, DATA + 0x3800));
        rig.write(STATE + TARGET + 0x40, &command(&rss::PACKET, &texture));
        let pointer = command(
            &samplers::PACKET,
            &[(samplers::POINTER_TO_PS_SAMPLER_STATE, 0x3fe0)],
        );
        let commands = [legal_draw(), vec![pointer, primitive(3)]].concat();
        broken_rule(&mut rig, &commands)
    };
    assert_eq!(at(1), None);
    assert_eq!(at(2), Some("sampler-bounds"));
}

#[test]
fn reserved_modes_are_rejected() {
    use draw::{state_clip as clip, state_raster as raster, state_vf_topology as topology};
    let rule_broken_by_draws = |changes: &[(&Packet, Field, u64)]| {
        rule_broken_by_draw_with(&mut rig_with_target(&[]), changes)
    };
    let mode = |code| (&clip::PACKET, clip::CLIP_MODE, code);
    assert_eq!(rule_broken_by_draws(&[mode(4)]), None);
    assert_eq!(rule_broken_by_draws(&[mode(1)]), Some("clip-mode"));
    let fill = |code| {
        [
            (&raster::PACKET, raster::FRONT_FACE_FILL_MODE, code),
            (&topology::PACKET, topology::PRIMITIVE_TOPOLOGY_TYPE, 4),
        ]
    };
    assert_eq!(rule_broken_by_draws(&fill(1)), None);
    assert_eq!(rule_broken_by_draws(&fill(3)), Some("fill-mode"));
    let math = |instruction| {
        let words = vec![mi::mi_math::PACKET.header, instruction];
        broken_rule(&mut rig(), &[words])
    };
    assert_eq!(math(0x100 << 20), None);
    assert_eq!(math(0x7ff << 20), Some("mi-math-opcode"));
}

/// A depth buffer of 8 × 8 pixels, with HiZ or without.
fn depth_buffer(hierarchical: u64) -> Vec<u32> {
    use draw::state_depth_buffer as depth;
    let fields = [
        (depth::SURFACE_TYPE, 1),
        (depth::SURFACE_FORMAT, 1),
        (depth::SURFACE_BASE_ADDRESS, DEPTH),
        (depth::SURFACE_PITCH, 127),
        (depth::WIDTH, 7),
        (depth::HEIGHT, 7),
        (depth::DEPTH_WRITE_ENABLE, 1),
        (depth::HIERARCHICAL_DEPTH_BUFFER_ENABLE, hierarchical),
    ];
    command(&depth::PACKET, &fields)
}

/// Depth test and depth writes with this comparison function.
fn depth_test(function: u64) -> Vec<u32> {
    use draw::state_wm_depth_stencil as test;
    let fields = [
        (test::DEPTH_TEST_ENABLE, 1),
        (test::DEPTH_BUFFER_WRITE_ENABLE, 1),
        (test::DEPTH_TEST_FUNCTION, function),
    ];
    command(&test::PACKET, &fields)
}

/// A clear or resolve of the whole depth buffer, followed by a stall.
fn depth_operation(field: Field) -> [Vec<u32>; 4] {
    use draw::state_wm_hz_op as op;
    let fields = [
        (field, 1),
        (op::SAMPLE_MASK, 0xffff),
        (op::CLEAR_RECTANGLE_X_MAX, 8),
        (op::CLEAR_RECTANGLE_Y_MAX, 8),
    ];
    let acts = command(&op::PACKET, &fields);
    let ends = command(&op::PACKET, &[]);
    [acts, pipe_control(&post_sync()), ends, flush_depth()]
}

fn flush_depth() -> Vec<u32> {
    use media::pipe_control as f;
    flush(&[f::DEPTH_CACHE_FLUSH_ENABLE, f::DEPTH_STALL_ENABLE])
}

#[test]
fn unresolved_depth_is_not_read_without_hiz() {
    use draw::state_wm_hz_op as op;
    let wait = flush_depth();
    let (always, less) = (depth_test(0), depth_test(2));
    let rule = Some("hiz-resolve");
    // A draw with HiZ, these commands, and a draw without HiZ.
    let after = |first: &[Vec<u32>], more: &[Vec<u32>], last: &Vec<u32>| {
        let between = [
            std::slice::from_ref(&wait),
            more,
            &[depth_buffer(0), last.clone()],
        ]
        .concat();
        rule_broken_by_draws(first, &between)
    };
    let refill = depth_operation(op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE);
    let through = [
        &[depth_buffer(1)],
        &refill[..],
        std::slice::from_ref(&always),
    ]
    .concat();
    assert_eq!(after(&through, &[], &less), rule);
    assert_eq!(after(&through, &[], &always), None);
    let resolve = depth_operation(op::DEPTH_BUFFER_RESOLVE_ENABLE);
    assert_eq!(after(&through, &resolve, &less), None);
    assert_eq!(after(&through, &refill, &less), rule);
    let clear = depth_operation(op::DEPTH_BUFFER_CLEAR_ENABLE);
    let cleared = [&resolve[..], &clear].concat();
    assert_eq!(after(&through, &cleared, &less), rule);
    let directly = [depth_buffer(0), always.clone()];
    assert_eq!(after(&directly, &[], &less), None);
}

#[test]
fn draws_need_a_valid_hiz() {
    use draw::state_wm_hz_op as op;
    let wait = flush_depth();
    let (always, less) = (depth_test(0), depth_test(2));
    let refill = depth_operation(op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE);
    let resolve = depth_operation(op::DEPTH_BUFFER_RESOLVE_ENABLE);
    let clear = depth_operation(op::DEPTH_BUFFER_CLEAR_ENABLE);
    let directly = [depth_buffer(0), always.clone()];
    // HiZ that is not valid: never filled, filled in part, or bypassed by a later write.
    let rule = Some("hiz-filled");
    let filled_by = |fill: &[Vec<u32>]| {
        let commands = [&[depth_buffer(1)], fill, std::slice::from_ref(&less)].concat();
        rule_broken_by_draws(&commands, &[])
    };
    assert_eq!(filled_by(&[]), rule);
    assert_eq!(filled_by(&refill), None);
    assert_eq!(filled_by(&clear), None);
    assert_eq!(filled_by(&resolve), rule);
    let mut half = clear.clone();
    op::CLEAR_RECTANGLE_X_MAX.set(&mut half[0], 4);
    assert_eq!(filled_by(&half), rule);
    let past = [&[depth_buffer(1)], &refill[..], &directly[..]].concat();
    let again = [&[depth_buffer(1)], &[less.clone()][..]].concat();
    let then = |more: &[Vec<u32>]| {
        let second = [
            std::slice::from_ref(&wait),
            &[depth_buffer(1)],
            more,
            &again[1..],
        ]
        .concat();
        rule_broken_by_draws(&past, &second)
    };
    assert_eq!(then(&[]), rule);
    assert_eq!(then(&refill), None);
}

#[test]
fn unresolved_depth_is_not_sampled_without_hiz() {
    use draw::{state_depth_buffer as depth, state_wm_hz_op as op};
    let rule = Some("hiz-resolve");
    let resolve = depth_operation(op::DEPTH_BUFFER_RESOLVE_ENABLE);
    let clear = depth_operation(op::DEPTH_BUFFER_CLEAR_ENABLE);
    // Reads a texel through entry 1 of the binding table: as R32_FLOAT, and with HiZ as the aux
    // surface.
    let reads = |mode: u64, between: &[Vec<u32>]| {
        let zeros = (30..34).map(|nr| Inst::unary(Opcode::Mov, 8, to(nr), ud(0)).no_mask());
        let ld = 4 << 25 | 4 << 20 | 1 << 17 | 7 << 12 | 1;
        let read = send(2, ld, to(40), 30);
        let kernel: Vec<Inst> = zeros.chain([read, target_write(WRITE)]).collect();
        let mut rig = rig_with_kernel(&kernel);
        let fields = [
            (rss::SURFACE_TYPE, 1),
            (rss::SURFACE_FORMAT, 0x0d8),
            (rss::TILE_MODE, 3),
            (rss::MIP_TAIL_START_LOD, 15),
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
            (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
            (rss::WIDTH, 7),
            (rss::HEIGHT, 7),
            (rss::SURFACE_PITCH, 127),
            (rss::SURFACE_BASE_ADDRESS, DEPTH),
            (rss::AUXILIARY_SURFACE_MODE, mode),
        ];
        rig.write(STATE + TABLE + 4, &[0x280]);
        rig.write(STATE + 0x280, &command(&rss::PACKET, &fields));
        let operations = [depth_buffer(1)].into_iter().chain(clear.clone());
        let commands: Vec<Vec<u32>> = operations.chain(between.to_vec()).collect();
        let null = command(&depth::PACKET, &[(depth::SURFACE_TYPE, 7)]);
        let fresh = [flush_depth(), flush_texture(), null];
        broken_rule(
            &mut rig,
            &[legal_draw(), commands, fresh.to_vec(), vec![primitive(3)]].concat(),
        )
    };
    assert_eq!(reads(0, &[]), rule);
    assert_eq!(reads(0, &resolve), None);
    assert_eq!(reads(3, &[]), None);
}

/// Invalidates the texture cache.
fn flush_texture() -> Vec<u32> {
    use media::pipe_control as f;
    let [operation, place] = post_sync();
    pipe_control(&[(f::TEXTURE_CACHE_INVALIDATION_ENABLE, 1), operation, place])
}
