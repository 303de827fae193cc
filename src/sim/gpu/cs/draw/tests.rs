//! 3DPRIMITIVE: parameters, statistics, and images of the targets.
//!
//! Ref: SKL PRM vol. 2a, 3DPRIMITIVE; vol. 2c, statistics registers.

use super::{BatchRun, Totals};
use crate::context::HwContext;
use crate::cs::streamer::BatchReport;
use crate::cs::streamer::Gpu;
use crate::cs::testing::{load, store_register};
use crate::memory::AddressSpaceView;
use crate::options::Options;
use crate::space::AddressSpace;
use crate::strict::testing::{
    DEPTH, WRITE, command, draw_with, legal_draw, load_kernel, primitive, target_write,
};
use crate::target_images::{DrawnTargets, TargetSink};
use crate::testing::{DATA, Rig, end};
use eu::StopReason;
use hw::{Device, Field, Packet, draw, register};
use std::sync::{Arc, Mutex};

#[test]
fn draw_statistics_are_added_to_registers() {
    let gpu = Gpu::new(
        Device::by_name("skl").expect("a device"),
        Options::default(),
    );
    let (mut context, space) = (HwContext::new(), AddressSpace::new());
    let mut totals = Totals {
        hs_invocations: 1,
        ds_invocations: 2,
        ia_vertices: 3,
        ia_primitives: 4,
        vs_invocations: 5,
        gs_invocations: 6,
        gs_primitives: 7,
        cl_invocations: 8,
        cl_primitives: 9,
        so_written: [20, 21, 22, 23],
        so_needed: [30, 31, 32, 33],
        so_offsets: [40, 41, 42, 43],
        ..Totals::default()
    };
    totals.pixels.invocations = 10;
    totals.pixels.samples_passed = 11;
    // HS, DS, IA vertices and primitives, VS, GS, its primitives, the clipper, its primitives, PS,
    // and depth.
    let mut counters: Vec<(u32, u64)> = (0..11)
        .map(|i| (0x2300 + 8 * i, u64::from(i) + 1))
        .collect();
    for stream in 0..4 {
        counters.push((0x5200 + 8 * stream, 20 + u64::from(stream)));
        counters.push((0x5240 + 8 * stream, 30 + u64::from(stream)));
    }
    // They carry.
    for (register, _) in &counters {
        context.set_register64(*register, 0xffff_ffff);
    }
    let mut run = BatchRun {
        gpu: &gpu,
        context: &mut context,
        space: &space,
        view: AddressSpaceView::new(&space),
        report: BatchReport::default(),
        tracker: None,
        budget: crate::budget::Budget::new(crate::InstructionLimits::of_all(u64::MAX)),
        watch: None,
        drawn_targets: DrawnTargets::default(),
    };
    run.add_statistics(&totals);
    run.add_statistics(&totals);
    for (register, add_statistics) in counters {
        let found = run.context.register64(register);
        assert_eq!(found, 0xffff_ffff + 2 * add_statistics, "{register:#x}");
    }
    let offsets = [0, 1, 2, 3].map(|i| run.context.register(0x5280 + 4 * i));
    assert_eq!(offsets, [40, 41, 42, 43]);
}

#[test]
fn so_buffer_sets_the_write_offset_register() {
    use draw::state_so_buffer as f;
    let buffer = |index, offset, writes| {
        command(
            &f::PACKET,
            &[
                (f::SO_BUFFER_INDEX, index),
                (f::STREAM_OFFSET, offset),
                (f::STREAM_OFFSET_WRITE_ENABLE, writes),
                (f::STREAM_OUTPUT_BUFFER_OFFSET_ADDRESS, DATA + 0x40),
            ],
        )
    };
    let mut rig = Rig::new(Options::default());
    rig.write(DATA + 0x40, &[77]);
    let mut batch = Vec::new();
    // All ones are what is in memory.
    for (index, offset, writes) in [
        (0, 16, 1),
        (1, 32, 1),
        (2, u32::MAX.into(), 1),
        (3, 48, 1),
        (3, 64, 0),
    ] {
        batch.extend(buffer(index, offset, writes));
    }
    for i in 0..4 {
        store_register(&mut batch, 0x5280 + 4 * i, DATA + 4 * u64::from(i));
    }
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    assert_eq!(rig.read(DATA, 4), [16, 32, 77, 48]);
}

const STATISTICS: (&Packet, Field) = (
    &draw::state_vf_statistics::PACKET,
    draw::state_vf_statistics::STATISTICS_ENABLE,
);

/// IA_VERTICES_COUNT after a draw of points with these fields, vertex buffer 0 having a pitch of 16
/// bytes, and registers.
fn vertices(fields: &[(Field, u64)], registers: &[(u32, u32)]) -> u32 {
    use draw::state_vf_topology as topology;
    use hw::draw_state::vertex_buffer_state as vb;
    let mut batch = command(STATISTICS.0, &[(STATISTICS.1, 1)]);
    batch.extend(command(
        &topology::PACKET,
        &[(topology::PRIMITIVE_TOPOLOGY_TYPE, 1)],
    ));
    let mut buffer = [0; 4];
    vb::BUFFER_PITCH.set(&mut buffer, 16);
    vb::BUFFER_STARTING_ADDRESS.set(&mut buffer, DATA);
    batch.push(draw::state_vertex_buffers::PACKET.header | 3);
    batch.extend(buffer);
    for (register, value) in registers {
        load(&mut batch, *register, *value);
    }
    batch.extend(command(&draw::primitive::PACKET, fields));
    store_register(&mut batch, 0x2310, DATA);
    end(&mut batch);
    let mut rig = Rig::new(Options::default());
    rig.execute(&batch).expect("runs");
    rig.read(DATA, 1)[0]
}

#[test]
fn draw_parameters_from_the_command_or_registers() {
    use draw::primitive as f;
    let own = [
        (f::VERTEX_COUNT_PER_INSTANCE, 5),
        (f::INSTANCE_COUNT, 3),
        (f::START_VERTEX_LOCATION, 1),
    ];
    // 3DPRIM_START_VERTEX, _VERTEX_COUNT, _INSTANCE_COUNT, and 3DPRIM_END_OFFSET.
    let registers = [
        (0x2430, 2),
        (0x2434, 7),
        (0x2438, 2),
        (register::PRIMITIVE_END_OFFSET, 96),
    ];
    let with = |more: &[(Field, u64)]| vertices(&[own.as_slice(), more].concat(), &registers);
    let (indirect, ends) = ((f::INDIRECT_PARAMETER_ENABLE, 1), (f::END_OFFSET_ENABLE, 1));
    assert_eq!(with(&[]), 15);
    assert_eq!(with(&[indirect]), 14);
    // Six vertices begin before byte 96: without the first, or the first two, of three or two
    // instances.
    assert_eq!(with(&[ends]), 15);
    assert_eq!(with(&[ends, (f::START_VERTEX_LOCATION, 3)]), 9);
    assert_eq!(with(&[ends, indirect]), 8);
}

#[test]
fn end_offset_limits_vertices_by_buffer_pitch() {
    use draw::primitive as f;
    let mut batch = command(
        &f::PACKET,
        &[(f::END_OFFSET_ENABLE, 1), (f::INSTANCE_COUNT, 1)],
    );
    end(&mut batch);
    let found = Rig::new(Options::default()).execute(&batch);
    assert!(matches!(found, Err(StopReason::Fault { .. })), "{found:?}");
}

#[test]
fn predicated_draws() {
    use draw::primitive as f;
    for (asks, predicate) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let fields = [
            (f::VERTEX_COUNT_PER_INSTANCE, 5),
            (f::INSTANCE_COUNT, 1),
            (f::PREDICATE_ENABLE, asks),
        ];
        let found = vertices(&fields, &[(register::MI_PREDICATE_RESULT, predicate)]);
        let expected = if asks == 0 || predicate == 1 { 5 } else { 0 };
        assert_eq!(found, expected, "{asks} {predicate}");
    }
}

/// Runs draws of 8 × 8 pixels by threads of eight pixels and five instructions.
fn run(options: Options, commands: &[Vec<u32>]) -> (Rig, BatchReport) {
    let rig = Rig::new(Options {
        cpu_threads: 1,
        ..options
    });
    let mut rig = load_kernel(rig, &[target_write(WRITE)]);
    let mut batch = commands.concat();
    end(&mut batch);
    let report = rig.execute(&batch).expect("runs");
    (rig, report)
}

#[test]
fn draw_work_is_reported() {
    for profile in [false, true] {
        let options = Options {
            profile,
            ..Options::default()
        };
        let commands = [legal_draw(), vec![primitive(3), primitive(3)]].concat();
        let (_, report) = run(options, &commands);
        assert_eq!(report.dispatches, 2);
        let found = [report.threads, report.instructions, report.messages];
        assert_eq!(found, [16, 80, 16]);
        assert_eq!(report.work.len(), if profile { 2 } else { 0 });
        for work in report.work {
            let threads: u64 = work.stages.iter().map(|s| s.threads).sum();
            assert_eq!((work.command, threads), ("3DPRIMITIVE", 8));
        }
    }
}

#[test]
fn stream_offsets_are_unchanged_without_stream_output() {
    let mut offsets = Vec::new();
    for i in 0..4 {
        load(&mut offsets, 0x5280 + 4 * i, 16 + 16 * i);
    }
    let mut stores = Vec::new();
    for i in 0..4 {
        store_register(&mut stores, 0x5280 + 4 * i, DATA + 0x800 + 4 * u64::from(i));
    }
    let (rig, _) = run(
        Options::default(),
        &[legal_draw(), vec![offsets, primitive(3), stores]].concat(),
    );
    assert_eq!(rig.read(DATA + 0x800, 4), [16, 32, 48, 64]);
}

/// Names of the target images that commands produce, without alpha images.
fn shown(each_draw: bool, commands: &[Vec<u32>]) -> Vec<String> {
    let names = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&names);
    let sink = TargetSink::new(each_draw, move |picture| {
        let mut names = to.lock().expect("sound");
        if !picture.name.ends_with("alpha") {
            names.push(picture.name.clone());
        }
    });
    let options = Options {
        targets: Some(sink),
        ..Options::default()
    };
    run(options, commands);
    let names = names.lock().expect("sound");
    names.clone()
}

#[test]
fn target_images_show_what_draws_wrote() {
    use draw::{
        state_depth_buffer as buffer, state_wm_depth_stencil as test, state_wm_hz_op as op,
    };
    let colour = |n: u32| format!("draw{n:04}-colour0-R8G8B8A8_UNORM-8x8");
    let plain = [legal_draw(), vec![primitive(3), primitive(3)]].concat();
    assert_eq!(shown(true, &plain), [colour(1), colour(2)]);
    assert_eq!(shown(false, &plain), [colour(2)]);
    // With a depth buffer that is tested and written. D32_FLOAT in Y tiles.
    let depth = [
        (&buffer::PACKET, buffer::SURFACE_TYPE, 1),
        (&buffer::PACKET, buffer::SURFACE_FORMAT, 1),
        (&buffer::PACKET, buffer::SURFACE_PITCH, 127),
        (&buffer::PACKET, buffer::WIDTH, 7),
        (&buffer::PACKET, buffer::HEIGHT, 7),
        (&buffer::PACKET, buffer::DEPTH_WRITE_ENABLE, 1),
        (&buffer::PACKET, buffer::SURFACE_BASE_ADDRESS, DEPTH),
    ];
    let tested = [
        (&test::PACKET, test::DEPTH_TEST_ENABLE, 1),
        (&test::PACKET, test::DEPTH_BUFFER_WRITE_ENABLE, 1),
    ];
    let is_depth = |name: &String, n: u32| name.starts_with(&format!("draw{n:04}-depth"));
    let untested = [draw_with(&depth), vec![primitive(3)]].concat();
    assert_eq!(shown(true, &untested), [colour(1)]);
    let commands = [
        draw_with(&[depth.as_slice(), &tested].concat()),
        vec![primitive(3)],
    ]
    .concat();
    let found = shown(true, &commands);
    assert!(
        found.len() == 2 && found[0] == colour(1) && is_depth(&found[1], 1),
        "{found:?}"
    );
    // An operation on the depth buffer is a draw, too; one of nothing is not.
    let operation = |fields: &[(Field, u64)]| {
        let size = [
            (op::CLEAR_RECTANGLE_X_MAX, 8),
            (op::CLEAR_RECTANGLE_Y_MAX, 8),
            (op::SAMPLE_MASK, 1),
        ];
        command(&op::PACKET, &[size.as_slice(), fields].concat())
    };
    let clear = operation(&[(op::DEPTH_BUFFER_CLEAR_ENABLE, 1)]);
    let cleared = [draw_with(&depth), vec![clear, operation(&[]), primitive(3)]].concat();
    let found = shown(true, &cleared);
    assert!(
        found.len() == 2 && is_depth(&found[0], 1) && found[1] == colour(2),
        "{found:?}"
    );
}
