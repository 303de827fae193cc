//! Commands of the command streamer, tested by batches.

use crate::cs::testing::{after, atomic, load, rig, set_predicate, store, store_register};
use crate::testing::{BATCH, DATA, end, push};
use eu::StopReason;
use hw::draw_state::vertex_buffer_state as vb;
use hw::{draw, mi, register};

#[test]
fn dword_atomics_update_memory_and_return_the_old_value() {
    let before = 0xffff_fff6;
    // -10 or 4294967286, with 3 or with 12.
    let cases: [(u64, [u32; 2], u32, u32); 15] = [
        (0x01, [12, 0], 4, before),
        (0x02, [9, 0], 0xffff_ffff, before),
        (0x03, [3, 0], 0xffff_fff5, before),
        (0x04, [3, 0], 3, before),
        (0x05, [0, 0], 0xffff_fff7, before),
        (0x06, [0, 0], 0xffff_fff5, before),
        (0x07, [12, 0], 2, before),
        (0x08, [3, 0], 0xffff_fff3, before),
        (0x09, [3, 0], 13, before),
        (0x0a, [3, 0], 3, before),
        (0x0b, [3, 0], before, before),
        (0x0c, [3, 0], before, before),
        (0x0d, [3, 0], 3, before),
        (0x0e, [before, 8], 8, before),
        (0x0f, [0, 0], 0xffff_fff5, 0xffff_fff5),
    ];
    for (opcode, operands, left, returned) in cases {
        let (memory, register) = after([before, 1, 2, 3], opcode, 0, &operands);
        assert_eq!(memory, [left, 1, 2, 3], "{opcode:#x}");
        assert_eq!(register[0], returned, "{opcode:#x}");
    }
    assert_eq!(after([7, 1, 2, 3], 0x0e, 0, &[6, 9]).0, [7, 1, 2, 3]);
}

#[test]
fn qword_atomics_carry_into_the_high_dword() {
    let all = u32::MAX;
    // MOVE8B, as Mesa writes clear colours with it; INC8B, SUB8B, RSUB8B, IMAX8B, UMIN8B, PREDEC8B.
    type Case = (u64, [u32; 4], [u32; 2], [u32; 2]);
    let cases: [Case; 7] = [
        (0x24, [5, 0, 6, 0], [1, 2], [5, 6]),
        (0x25, [0; 4], [all, 2], [0, 3]),
        (0x28, [1, 0, 0, 0], [0, 2], [all, 1]),
        (0x29, [1, 0, 0, 0], [2, 0], [all, all]),
        (0x2a, [4, 0, 0, 0], [3, 0x8000_0000], [4, 0]),
        (0x2d, [4, 0, 1, 0], [3, 2], [4, 1]),
        (0x2f, [0; 4], [0, 1], [all, 0]),
    ];
    for (opcode, operands, before, left) in cases {
        let (memory, register) = after([before[0], before[1], 8, 9], opcode, 1, &operands);
        assert_eq!(memory, [left[0], left[1], 8, 9], "{opcode:#x}");
        let returned = if opcode == 0x2f { left } else { before };
        assert_eq!(register[..2], returned, "{opcode:#x}");
    }
}

#[test]
fn compare_and_write_of_16_bytes() {
    // CMP_WR16B: operands' dwords in turns.
    let same = [1, 10, 2, 20, 3, 30, 4, 40];
    let (memory, register) = after([1, 2, 3, 4], 0x4e, 2, &same);
    assert_eq!((memory, register), (vec![10, 20, 30, 40], vec![1, 2, 3, 4]));
    assert_eq!(after([1, 2, 3, 5], 0x4e, 2, &same).0, [1, 2, 3, 5]);
}

#[test]
fn atomics_without_inline_data_use_registers() {
    let mut rig = rig();
    rig.write(DATA, &[1, 2, 3, 4]);
    let mut batch = Vec::new();
    for (i, value) in [1, 2, 3, 4, 10, 20, 30, 40].into_iter().enumerate() {
        load(&mut batch, register::CS_GPR0 + 4 * i as u32, value);
    }
    atomic(&mut batch, 0x4e, 2, &[]);
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    assert_eq!(rig.read(DATA, 4), [10, 20, 30, 40]);
}

#[test]
fn reserved_atomic_operations_are_rejected() {
    // 16 bytes are only compared; an operation's size is the data's; there is no operation 0.
    for (opcode, size) in [
        (0x47, 2),
        (0x07, 1),
        (0x27, 0),
        (0x00, 0),
        (0x20, 1),
        (0x07, 3),
        (0x87, 1),
    ] {
        let mut batch = Vec::new();
        atomic(&mut batch, opcode, size, &[0; 8]);
        end(&mut batch);
        let stopped = rig().execute(&batch);
        assert!(
            matches!(
                stopped,
                Err(StopReason::Undefined {
                    rule: "mi-atomic-operation",
                    ..
                })
            ),
            "{opcode:#x}"
        );
    }
}

#[test]
fn set_predicate_skips_commands() {
    // The mode, MI_PREDICATE_RESULT and _RESULT_2; whether the command is executed. The machine has
    // one slice.
    let cases = [
        (0, 0, 0, true),
        (1, 1, 0, false),
        (1, 0, 1, true),
        (2, 0, 1, false),
        (2, 1, 0, true),
        (3, 0, 1, false),
        (3, 1, 0, true),
        (4, 1, 0, false),
        (4, 0, 1, true),
        (5, 0, 0, true),
        (6, 0, 0, false),
        (7, 0, 0, false),
        (15, 1, 1, false),
    ];
    for (mode, first, second, executed) in cases {
        let mut rig = rig();
        let mut batch = Vec::new();
        load(&mut batch, register::MI_PREDICATE_RESULT, first);
        load(&mut batch, register::MI_PREDICATE_RESULT_2, second);
        set_predicate(&mut batch, mode);
        store(&mut batch, DATA, 1);
        // A skipped load does not change what was decided.
        load(&mut batch, register::MI_PREDICATE_RESULT, 1 - first);
        store(&mut batch, DATA + 4, 1);
        set_predicate(&mut batch, 0);
        store(&mut batch, DATA + 8, 1);
        end(&mut batch);
        rig.execute(&batch).expect("runs");
        let expected = [u32::from(executed), u32::from(executed), 1];
        assert_eq!(rig.read(DATA, 3), expected, "mode {mode}");
    }
}

#[test]
fn batch_ends_and_unpredicated_jumps_are_never_skipped() {
    use mi::mi_batch_buffer_start as start;
    for (predicated, stored) in [(false, [0, 1]), (true, [0, 2])] {
        let mut rig = rig();
        let mut batch = Vec::new();
        set_predicate(&mut batch, 15);
        let words = start::PACKET.words::<3>();
        let words = words.flag(start::PREDICATION_ENABLE, predicated);
        push(
            &mut batch,
            words.with(start::BATCH_BUFFER_START_ADDRESS, BATCH + 0x400),
        );
        store(&mut batch, DATA, 1);
        set_predicate(&mut batch, 0);
        store(&mut batch, DATA + 4, 2);
        end(&mut batch);
        batch.resize(0x100, 0);
        set_predicate(&mut batch, 0);
        store(&mut batch, DATA + 4, 1);
        set_predicate(&mut batch, 15);
        end(&mut batch);
        rig.execute(&batch).expect("runs");
        assert_eq!(rig.read(DATA, 2), stored);
    }
}

#[test]
fn predicates_are_compared_combined_and_loaded() {
    use mi::mi_predicate as f;
    let predicate = |batch: &mut Vec<u32>, load: u64, combine: u64, compare: u64| {
        let words = f::PACKET.words::<1>().with(f::LOAD_OPERATION, load);
        let words = words.with(f::COMBINE_OPERATION, combine);
        push(batch, words.with(f::COMPARE_OPERATION, compare));
    };
    // TRUE, FALSE, SRCS_EQUAL of 5 and 7, DELTAS_EQUAL of 2.
    for (compare, compared) in [(0, true), (1, false), (2, false), (3, true)] {
        for before in [false, true] {
            // SET, AND, OR, XOR.
            let combined = [
                compared,
                compared && before,
                compared || before,
                compared != before,
            ];
            for (combine, combined) in (0..).zip(combined) {
                // KEEP, LOAD, LOADINV.
                for (load, left) in [(0, before), (2, combined), (3, !combined)] {
                    let mut rig = rig();
                    let mut batch = Vec::new();
                    predicate(&mut batch, 2, 0, u64::from(!before));
                    load_sources(&mut batch, [5, 7, 2]);
                    predicate(&mut batch, load, combine, compare);
                    store_register(&mut batch, register::MI_PREDICATE_RESULT, DATA);
                    end(&mut batch);
                    rig.execute(&batch).expect("runs");
                    let found = rig.read(DATA, 1)[0] & 1 == 1;
                    assert_eq!(found, left, "{load} {combine} {compare} {before}");
                }
            }
        }
    }
}

fn load_sources(batch: &mut Vec<u32>, values: [u32; 3]) {
    let registers = [
        register::MI_PREDICATE_SRC0,
        register::MI_PREDICATE_SRC1,
        register::MI_PREDICATE_DATA,
    ];
    for (register, value) in registers.into_iter().zip(values) {
        load(batch, register, value);
        load(batch, register + 4, 0);
    }
}

#[test]
fn mi_math_sets_result_and_flags() {
    const ALL: u64 = u64::MAX;
    let alu = |opcode: u32, x: u32, y: u32| opcode << 20 | x << 10 | y;
    let (plain, inverted, zero, one) = (0x080, 0x480, 0x081, 0x481);
    // How sources are loaded, the operation; the accumulator, ZF and CF as they are stored.
    let cases: [(u32, u32, u32, u64, u64, u64); 11] = [
        (plain, plain, 0x100, 12, 0, 0),
        (one, plain, 0x100, 6, 0, ALL),
        (zero, zero, 0x100, 0, ALL, 0),
        (plain, plain, 0x101, ALL - 1, 0, ALL),
        (plain, zero, 0x101, 5, 0, 0),
        (zero, zero, 0x101, 0, ALL, 0),
        (plain, plain, 0x102, 5, 0, 0),
        (plain, inverted, 0x102, 0, ALL, 0),
        (plain, plain, 0x103, 7, 0, 0),
        (plain, plain, 0x104, 2, 0, 0),
        (inverted, one, 0x104, 5, 0, 0),
    ];
    for (first, second, operation, accumulator, zf, cf) in cases {
        let program = [
            alu(first, 0x20, 0),
            alu(second, 0x21, 1),
            alu(operation, 0, 0),
            // STORE and STOREINV.
            alu(0x180, 2, 0x31),
            alu(0x180, 3, 0x32),
            alu(0x180, 4, 0x33),
            alu(0x580, 5, 0x31),
        ];
        let mut rig = rig();
        let mut batch = Vec::new();
        for (i, value) in [5, 0, 7, 0].into_iter().enumerate() {
            load(&mut batch, register::CS_GPR0 + 4 * i as u32, value);
        }
        batch.push(mi::mi_math::PACKET.header | (program.len() as u32 - 1));
        batch.extend(program);
        for i in 0..8 {
            let from = register::CS_GPR0 + 16 + 4 * i;
            store_register(&mut batch, from, DATA + 4 * u64::from(i));
        }
        end(&mut batch);
        rig.execute(&batch).expect("runs");
        let words = rig.read(DATA, 8);
        let found = [0, 2, 4, 6].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32);
        let expected = [accumulator, zf, cf, !accumulator];
        assert_eq!(found, expected, "{first:#x} {second:#x} {operation:#x}");
    }
}

#[test]
fn reserved_predicate_modes_are_rejected() {
    let mut batch = Vec::new();
    set_predicate(&mut batch, 9);
    end(&mut batch);
    let stopped = rig().execute(&batch);
    assert!(matches!(
        stopped,
        Err(StopReason::Undefined {
            rule: "mi-set-predicate",
            ..
        })
    ));
}

/// IA_VERTICES_COUNT after a draw of points up to an end offset.
fn drawn(pitch: u64, first: u64, end_offset: u32) -> Result<u32, StopReason> {
    use draw::{primitive, state_vf_statistics as statistics, state_vf_topology as topology};
    let mut rig = rig();
    let mut batch = Vec::new();
    let words = statistics::PACKET.words::<1>();
    push(&mut batch, words.flag(statistics::STATISTICS_ENABLE, true));
    let words = topology::PACKET.words::<2>();
    push(&mut batch, words.with(topology::PRIMITIVE_TOPOLOGY_TYPE, 1));
    let mut buffer = [0; 4];
    vb::BUFFER_PITCH.set(&mut buffer, pitch);
    vb::BUFFER_STARTING_ADDRESS.set(&mut buffer, DATA);
    batch.push(draw::state_vertex_buffers::PACKET.header | 3);
    batch.extend(buffer);
    load(&mut batch, register::PRIMITIVE_END_OFFSET, end_offset);
    let words = primitive::PACKET
        .words::<7>()
        .flag(primitive::END_OFFSET_ENABLE, true)
        .with(primitive::VERTEX_COUNT_PER_INSTANCE, 100)
        .with(primitive::START_VERTEX_LOCATION, first)
        .with(primitive::INSTANCE_COUNT, 1);
    push(&mut batch, words);
    store_register(&mut batch, 0x2310, DATA);
    end(&mut batch);
    rig.execute(&batch)?;
    Ok(rig.read(DATA, 1)[0])
}

#[test]
fn draws_with_an_end_offset_stop_at_stream_output() {
    assert_eq!(drawn(16, 0, 64), Ok(4));
    // Vertices 1 to 4 begin before byte 72.
    assert_eq!(drawn(16, 1, 72), Ok(4));
    assert_eq!(drawn(16, 9, 72), Ok(0));
    assert_eq!(drawn(16, 0, 0), Ok(0));
    assert!(matches!(drawn(0, 0, 8), Err(StopReason::Fault { .. })));
}
