//! Each rule for what comes between draws: a batch that breaks it is caught by name, and the
//! nearest one that does not passes.

use crate::strict::testing::{
    DEPTH, TABLE, assert_breaks_after, broken_rule, command, draw_with, flush, legal_draw,
    pipe_control, post_sync, primitive, rig,
};
use crate::testing::{DATA, invalidate};
use hw::draw_state::state_constant_body as body;
use hw::{Field, draw, media, mi, register};

#[test]
fn push_constants_are_committed_by_binding_table_pointers() {
    use draw::{
        state_binding_table_pointers_ps as table, state_constant_ps as ps,
        state_push_constant_alloc_gs as alloc_gs, state_push_constant_alloc_ps as alloc,
    };
    let table = command(
        &table::PACKET,
        &[(table::POINTER_TO_PS_BINDING_TABLE, TABLE)],
    );
    let constants = command(&ps::PACKET, &[]);
    let room = [
        (alloc::CONSTANT_BUFFER_OFFSET, 16),
        (alloc::CONSTANT_BUFFER_SIZE, 16),
    ];
    let allocate = command(&alloc::PACKET, &room);
    let after = |commands: &[&Vec<u32>]| -> Vec<Vec<u32>> {
        commands.iter().map(|c| (*c).clone()).collect()
    };
    assert_breaks_after(Some("constant-reload"), &after(&[&allocate]));
    assert_breaks_after(None, &after(&[&allocate, &constants, &table]));
    // A stage that runs no threads has no constants.
    assert_breaks_after(None, &[command(&alloc_gs::PACKET, &[])]);
    assert_breaks_after(Some("constant-commit"), &after(&[&constants]));
    assert_breaks_after(Some("constant-commit"), &after(&[&table, &constants]));
    assert_breaks_after(None, &after(&[&constants, &table]));
    // With Disable Gather at Set Shader, in both registers, the draw commits them.
    let set = |register: u32, bit: u32| {
        let header = mi::mi_load_register_imm::PACKET.header;
        vec![header, register, bit | bit << 16]
    };
    let streamer = set(register::CS_DEBUG_MODE2, register::CS_DEBUG_MODE2_NO_GATHER);
    let slice = set(
        register::COMMON_SLICE_CHICKEN2,
        register::COMMON_SLICE_CHICKEN2_NO_GATHER,
    );
    assert_breaks_after(None, &after(&[&streamer, &slice, &constants]));
    for half in [&streamer, &slice] {
        let all = after(&[half, &constants]);
        assert_breaks_after(Some("constant-commit"), &all);
    }
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
    let mut short = constants.clone();
    body::READ_LENGTH_1.set(&mut short[1..], 1);
    let before = [&takes, &short, &table];
    let all = [&before[..], &[&first, &table]].concat();
    assert_breaks_after(Some("constant-order"), &after(&all));
    let all = [&before[..], &[&wait, &first, &table]].concat();
    assert_breaks_after(None, &after(&all));
    // After none at all it may come at once (ERRATA.md).
    assert_breaks_after(None, &after(&[&takes, &first, &table]));
}

#[test]
fn reenabled_push_constants_must_be_set_again() {
    use media::pipe_control as f;
    let disable = flush(&[f::INDIRECT_STATE_POINTERS_DISABLE]);
    let named = |packet: &hw::Packet| command(packet, &[]);
    let ps = named(&draw::state_constant_ps::PACKET);
    let table = command(&draw::state_binding_table_pointers_ps::PACKET, &[]);
    assert_breaks_after(Some("constant-disabled"), std::slice::from_ref(&disable));
    let other = named(&draw::state_constant_gs::PACKET);
    let others = command(&draw::state_binding_table_pointers_gs::PACKET, &[]);
    assert_breaks_after(Some("constant-disabled"), &[disable.clone(), other, others]);
    let vs = named(&draw::state_constant_vs::PACKET);
    let vertices = command(&draw::state_binding_table_pointers_vs::PACKET, &[]);
    assert_breaks_after(None, &[disable.clone(), ps, table, vs, vertices]);

    // Stream output that renders nothing runs no pixel shader; the next draw that renders does.
    use draw::state_streamout as so;
    let only = |force| {
        let fields = [(so::RENDERING_DISABLE, 1), (so::FORCE_RENDERING, force)];
        command(&so::PACKET, &fields)
    };
    let renders = command(&so::PACKET, &[]);
    assert_breaks_after(None, &[disable.clone(), only(0)]);
    let rule = Some("constant-disabled");
    assert_breaks_after(rule, &[disable.clone(), only(3)]);
    let forced_off = command(&so::PACKET, &[(so::FORCE_RENDERING, 2)]);
    assert_breaks_after(None, &[disable.clone(), forced_off]);
    assert_breaks_after(rule, &[disable, only(0), primitive(0), renders]);
}

#[test]
fn fast_clears_are_separated_by_flushes() {
    use draw::{state_ps as ps, state_wm_hz_op as op};
    use media::pipe_control as f;
    let fields = [
        (op::DEPTH_BUFFER_RESOLVE_ENABLE, 1),
        (op::SAMPLE_MASK, 0xffff),
    ];
    let acts = command(&op::PACKET, &fields);
    let ends = command(&op::PACKET, &[]);
    let writes = pipe_control(&post_sync());
    let rule = Some("hz-op-sequence");
    assert_breaks_after(None, &[acts.clone(), writes.clone(), ends.clone()]);
    assert_breaks_after(rule, std::slice::from_ref(&acts));
    assert_breaks_after(rule, &[acts.clone(), ends.clone()]);
    assert_breaks_after(rule, &[acts.clone(), writes.clone()]);
    assert_breaks_after(rule, &[acts.clone(), flush(&[]), ends]);
    assert_breaks_after(rule, &[acts.clone(), writes, acts]);

    let mode = |field, value| {
        let fields = [(ps::N8_PIXEL_DISPATCH_ENABLE, 1), (field, value)];
        command(&ps::PACKET, &fields)
    };
    let clear = mode(ps::RENDER_TARGET_FAST_CLEAR_ENABLE, 1);
    let resolve = mode(ps::RENDER_TARGET_RESOLVE_TYPE, 3);
    let same = mode(ps::RENDER_TARGET_RESOLVE_TYPE, 0);
    let targets = flush(&[f::RENDER_TARGET_CACHE_FLUSH_ENABLE]);
    assert_breaks_after(None, &[same]);
    for mode in [clear, resolve] {
        let rule = Some("fast-clear-sync");
        assert_breaks_after(rule, std::slice::from_ref(&mode));
        assert_breaks_after(rule, &[flush(&[f::DC_FLUSH_ENABLE]), mode.clone()]);
        assert_breaks_after(None, &[targets.clone(), mode]);
    }
}

#[test]
fn depth_stalls_are_needed_around_hz_ops() {
    use draw::state_wm_hz_op as op;
    use media::pipe_control as f;
    let clear = |full: u64| {
        let fields = [
            (op::DEPTH_BUFFER_CLEAR_ENABLE, 1),
            (op::FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR, full),
            (op::CLEAR_RECTANGLE_X_MAX, 8),
            (op::CLEAR_RECTANGLE_Y_MAX, 8),
            (op::SAMPLE_MASK, 0xffff),
        ];
        let acts = command(&op::PACKET, &fields);
        vec![acts, pipe_control(&post_sync()), command(&op::PACKET, &[])]
    };
    let flushed = (f::DEPTH_CACHE_FLUSH_ENABLE, 1);
    let both = vec![pipe_control(&[flushed, (f::DEPTH_STALL_ENABLE, 1)])];
    let stalled = vec![flush(&[f::DEPTH_CACHE_FLUSH_ENABLE, f::DEPTH_STALL_ENABLE])];
    let (before, after) = (Some("depth-clear-before"), Some("depth-clear-after"));
    for wait in [both, stalled] {
        let join = |parts: &[&Vec<Vec<u32>>]| {
            let parts: Vec<&[Vec<u32>]> = parts.iter().map(|part| &part[..]).collect();
            parts.concat()
        };
        assert_breaks_after(before, &clear(0));
        assert_breaks_after(after, &join(&[&wait, &clear(0)]));
        assert_breaks_after(None, &join(&[&wait, &clear(0), &wait]));
        // Clears may follow each other, and one of the full surface leaves nothing behind.
        assert_breaks_after(None, &join(&[&wait, &clear(0), &clear(0), &wait]));
        assert_breaks_after(None, &join(&[&wait, &clear(1)]));
    }
    // Stencil is cleared by the same operation.
    let stencil = [
        command(
            &op::PACKET,
            &[
                (op::STENCIL_BUFFER_CLEAR_ENABLE, 1),
                (op::CLEAR_RECTANGLE_X_MAX, 8),
                (op::CLEAR_RECTANGLE_Y_MAX, 8),
                (op::SAMPLE_MASK, 0xffff),
            ],
        ),
        pipe_control(&post_sync()),
        command(&op::PACKET, &[]),
    ];
    let wait = pipe_control(&[flushed, (f::DEPTH_STALL_ENABLE, 1)]);
    assert_breaks_after(before, &stencil);
    assert_breaks_after(None, &[vec![wait], stencil.to_vec()].concat());
    // Half of it does not do, and neither does a stall of the command streamer in place of depth's.
    for half in [
        pipe_control(&[flushed]),
        flush(&[f::DEPTH_CACHE_FLUSH_ENABLE]),
        pipe_control(&[(f::DEPTH_STALL_ENABLE, 1)]),
        flush(&[f::RENDER_TARGET_CACHE_FLUSH_ENABLE]),
    ] {
        assert_breaks_after(before, &[vec![half], clear(1)].concat());
    }
}

#[test]
fn depth_clears_are_separated_from_draws() {
    use draw::{state_depth_buffer as depth, state_wm_depth_stencil as test};
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
            draw_with(&changes),
            vec![buffer(DEPTH), primitive(0)],
            more.to_vec(),
            vec![primitive(0)],
        ];
        broken_rule(&mut rig(), &commands.concat())
    };
    let other = buffer(DEPTH + 0x1000);
    // The hardware waits by itself: the stalls and flushes before 3DSTATE_DEPTH_BUFFER are required
    // on gen6 and gen7 only.
    for tests in [0, 1] {
        assert_eq!(after(tests, std::slice::from_ref(&other)), None);
        assert_eq!(after(tests, &[flush(&[]), other.clone()]), None);
    }
}

#[test]
fn pipe_control_sequence_rules() {
    use media::pipe_control as f;
    let alone = |fields: &[(Field, u64)]| {
        let commands = [legal_draw(), vec![pipe_control(fields)]].concat();
        broken_rule(&mut rig(), &commands)
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
        assert_eq!(alone(&[count, place, depth, targets]), rule);
        assert_eq!(alone(&[count, place, depth, scoreboard]), rule);
    }
    // Samples are counted with a stall of depth, whatever else stalls; times need none.
    let [samples, time] = [2, 3].map(|written| (f::POST_SYNC_OPERATION, written));
    let rule = Some("pipe-control-count-stall");
    assert_eq!(alone(&[samples, place]), rule);
    assert_eq!(alone(&[samples, place, stall]), rule);
    assert_eq!(alone(&[time, place]), None);
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
    assert_breaks_after(rule, std::slice::from_ref(&vertices));
    assert_breaks_after(None, &[null.clone(), vertices.clone()]);
    let noop = vec![mi::mi_noop::PACKET.header];
    assert_breaks_after(None, &[null.clone(), noop, vertices.clone()]);
    assert_breaks_after(rule, &[null, flush(&[]), vertices]);
}

#[test]
fn colour_calculator_pointer_is_invalid_before_gpgpu() {
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
        let commands = [draw_with(&changes), more.to_vec()].concat();
        broken_rule(&mut rig(), &commands)
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
fn stream_output_offset_rules() {
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
        let commands = [draw_with(&changes), vec![primitive(0)], more.to_vec()];
        broken_rule(&mut rig(), &commands.concat())
    };
    let rule = Some("so-offset-idle");
    assert_eq!(after(1, &[load(0x5280)]), rule);
    assert_eq!(after(1, std::slice::from_ref(&store)), rule);
    assert_eq!(after(1, &[load(0x525c)]), None);
    assert_eq!(after(1, &[flush(&[]), load(0x5280), store.clone()]), None);
    assert_eq!(after(0, &[load(0x5280), store]), None);
}
