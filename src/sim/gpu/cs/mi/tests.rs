//! MI_* commands, and the control flow of batches.
//!
//! Ref: SKL PRM vol. 2a, "Memory Interface Commands".

use crate::cs::testing::{after, load, rig, set_predicate, store, store_register};
use crate::options::Options;
use crate::testing::{BATCH, DATA, Rig, end, push};
use eu::StopReason;
use hw::value::command::wait_mode;
use hw::{Field, Packet, mi, register};
use std::time::Duration;

const GPR: u32 = register::CS_GPR0;

/// A command with these fields set.
fn command(packet: &Packet, fields: &[(Field, u64)]) -> Vec<u32> {
    let mut words = vec![0; packet.length(packet.header)];
    words[0] = packet.header;
    for (field, value) in fields {
        field.set(&mut words, *value);
    }
    words
}

/// Runs commands and reads what they leave of memory whose dwords hold 100 and their number.
fn left(commands: &[Vec<u32>], dwords: usize) -> Vec<u32> {
    let mut rig = rig();
    rig.write(DATA, &(100..164).collect::<Vec<_>>());
    let mut batch = commands.concat();
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    rig.read(DATA, dwords)
}

/// Registers that are loaded.
fn loads(registers: &[(u32, u32)]) -> Vec<u32> {
    let mut batch = Vec::new();
    for (register, value) in registers {
        load(&mut batch, *register, *value);
    }
    batch
}

/// Registers that are stored side by side.
fn stores(registers: &[u32], address: u64) -> Vec<u32> {
    let mut batch = Vec::new();
    for (i, register) in (0..).zip(registers) {
        store_register(&mut batch, *register, address + 4 * i);
    }
    batch
}

fn is_hang<T>(found: &Result<T, StopReason>) -> bool {
    matches!(found, Err(StopReason::Fault { what, .. }) if what.starts_with("hang"))
}

#[test]
fn registers_are_loaded_copied_and_stored() {
    use mi::mi_load_register_mem as mem;
    use mi::mi_load_register_reg as reg;
    // Several at once. Bits of an offset below a dword and above the registers do not count.
    let header = mi::mi_load_register_imm::PACKET.header & !0xff;
    let load_three = vec![
        header | 5,
        GPR,
        1,
        (GPR + 8) | 3,
        2,
        (GPR + 16) | 0xff80_0000,
        3,
    ];
    let found = left(
        &[load_three, stores(&[GPR, GPR + 8, GPR + 16, GPR + 4], DATA)],
        5,
    );
    assert_eq!(found, [1, 2, 3, 0, 104]);
    let from = |address, register: u32| {
        command(
            &mem::PACKET,
            &[
                (mem::MEMORY_ADDRESS, address),
                (mem::REGISTER_ADDRESS, register.into()),
            ],
        )
    };
    let copy = command(
        &reg::PACKET,
        &[
            (reg::SOURCE_REGISTER_ADDRESS, GPR.into()),
            (reg::DESTINATION_REGISTER_ADDRESS, (GPR + 12).into()),
        ],
    );
    let commands = [
        from(DATA + 20, GPR),
        from(DATA + 24, GPR + 4),
        copy,
        stores(&[GPR, GPR + 4, GPR + 8, GPR + 12], DATA),
    ];
    assert_eq!(left(&commands, 5), [105, 106, 0, 105, 104]);
}

#[test]
fn memory_is_stored_and_copied() {
    use mi::mi_copy_mem_mem as copy;
    use mi::mi_store_data_imm as imm;
    let data = 0x1234_5678_9abc_def0u64;
    let [low, high] = [data as u32, (data >> 32) as u32];
    let fields = |qword| [(imm::ADDRESS, DATA + 8), (imm::STORE_QWORD, qword)];
    let dword = [command(&imm::PACKET, &fields(0))[..3].to_vec(), vec![low]].concat();
    let mut five = [
        command(&imm::PACKET, &fields(0))[..3].to_vec(),
        vec![low, high],
    ]
    .concat();
    five[0] += 1;
    let mut qword = five.clone();
    imm::STORE_QWORD.set(&mut qword, 1);
    // The length decides, or the switch.
    for (command, stored) in [
        (dword, [low, 103]),
        (five, [low, high]),
        (qword, [low, high]),
    ] {
        assert_eq!(left(&[command], 5), [100, 101, stored[0], stored[1], 104]);
    }
    // Four quadwords, three dwords: all are stored, and no more.
    for (qword, count) in [(1, 8), (0, 3)] {
        let mut multiple = command(&imm::PACKET, &fields(qword))[..3].to_vec();
        multiple.extend(1..=count);
        multiple[0] += count - 1;
        let mut expected: Vec<u32> = (100..112).collect();
        expected.splice(2..2 + count as usize, 1..=count);
        assert_eq!(left(&[multiple], 12), expected);
    }
    // The longest command: 1022 dwords.
    let mut longest = command(&imm::PACKET, &[(imm::ADDRESS, DATA)])[..3].to_vec();
    longest[0] |= 0x3ff;
    longest.extend(1..=1022);
    let found = left(&[longest], 1024);
    assert_eq!(found[..1022], (1..=1022).collect::<Vec<u32>>());
    assert_eq!(found[1022..], [0, 0]);
    let copied = command(
        &copy::PACKET,
        &[
            (copy::DESTINATION_MEMORY_ADDRESS, DATA + 4),
            (copy::SOURCE_MEMORY_ADDRESS, DATA + 36),
        ],
    );
    assert_eq!(left(&[copied], 3), [100, 109, 102]);
}

#[test]
fn mi_flush_dw_stores_immediates_and_timestamps() {
    use mi::mi_flush_dw as f;
    let flush = |operation| {
        command(
            &f::PACKET,
            &[
                (f::POST_SYNC_OPERATION, operation),
                (f::ADDRESS, DATA + 8),
                (f::IMMEDIATE_DATA, 0x5_0000_0006),
            ],
        )
    };
    assert_eq!(left(&[flush(0)], 5), [100, 101, 102, 103, 104]);
    assert_eq!(left(&[flush(1)], 5), [100, 101, 6, 5, 104]);
    // The timestamp; its upper bits count minutes.
    let found = left(&[flush(3)], 5);
    assert!(found[2] > 0 && found[2] != 102, "{found:?}");
    assert_eq!([found[0], found[1], found[3], found[4]], [100, 101, 0, 104]);
}

#[test]
fn timestamp_register() {
    let time = register::TIMESTAMP;
    let found = left(&[stores(&[time, time + 4, time], DATA)], 4);
    assert!(
        found[0] > 0 && found[0] != 100 && found[2] >= found[0],
        "{found:?}"
    );
    assert_eq!([found[1], found[3]], [0, 103]);
}

#[test]
fn cs_invocation_count_register_has_64_bits() {
    let mut rig = rig();
    rig.context_mut().invocations = 0x5_0000_0007;
    let count = register::CS_INVOCATION_COUNT;
    let mut batch = stores(&[count, count + 4, count + 8, count - 4], DATA);
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    assert_eq!(rig.read(DATA, 4), [7, 5, 0, 0]);
}

#[test]
fn predicated_register_stores_are_skipped() {
    use mi::mi_store_register_mem as f;
    // Bit 0 of the result counts.
    for (result, predicate) in [(0, false), (1, true), (2, false), (3, true)] {
        for asks in [false, true] {
            let mut stored = command(
                &f::PACKET,
                &[(f::REGISTER_ADDRESS, GPR.into()), (f::MEMORY_ADDRESS, DATA)],
            );
            f::PREDICATE_ENABLE.set(&mut stored, asks.into());
            let registers = loads(&[(register::MI_PREDICATE_RESULT, result), (GPR, 7)]);
            let expected = if predicate || !asks { 7 } else { 100 };
            assert_eq!(left(&[registers, stored], 1), [expected], "{result} {asks}");
        }
    }
}

#[test]
fn predicate_sources_have_64_bits() {
    use mi::mi_predicate as f;
    let (first, second, data) = (
        register::MI_PREDICATE_SRC0,
        register::MI_PREDICATE_SRC1,
        register::MI_PREDICATE_DATA,
    );
    // Whether they are equal; whether the second less the first is the data. Nobody asks for either
    // by TRUE and FALSE.
    for (sources, equal, delta) in [
        ([[5, 1], [5, 1], [0, 0]], true, true),
        ([[5, 1], [5, 2], [0, 1]], false, true),
        ([[5, 1], [6, 1], [0, 1]], false, false),
        ([[6, 1], [5, 2], [u32::MAX, 0]], false, true),
        ([[5, 2], [6, 1], [1, u32::MAX]], false, true),
        ([[5, 2], [5, 2], [0, 1]], true, false),
    ] {
        for (compare, expected) in [(0, true), (1, false), (2, equal), (3, delta)] {
            let mut registers = Vec::new();
            for (register, [low, high]) in [first, second, data].into_iter().zip(sources) {
                registers.extend([(register, low), (register + 4, high)]);
            }
            let predicate = command(
                &f::PACKET,
                &[(f::LOAD_OPERATION, 2), (f::COMPARE_OPERATION, compare)],
            );
            let result = stores(&[register::MI_PREDICATE_RESULT], DATA);
            let found = left(&[loads(&registers), predicate, result], 1);
            assert_eq!(found, [u32::from(expected)], "{sources:?} {compare}");
        }
    }
}

#[test]
fn conditional_batch_end_compares_memory() {
    use mi::mi_conditional_batch_buffer_end as f;
    // It goes on where memory is greater than the operand.
    for (operand, goes_on) in [(101, true), (102, false), (103, false)] {
        let ends = command(
            &f::PACKET,
            &[
                (f::COMPARE_DATA_DWORD, operand),
                (f::COMPARE_ADDRESS, DATA + 8),
            ],
        );
        let mut more = Vec::new();
        store(&mut more, DATA, 1);
        let expected = if goes_on { 1 } else { 100 };
        assert_eq!(
            left(&[ends.clone(), more.clone()], 1),
            [expected],
            "{operand}"
        );
        // It does so while commands are skipped.
        let (mut skips, mut acts) = (Vec::new(), Vec::new());
        set_predicate(&mut skips, 15);
        set_predicate(&mut acts, 0);
        assert_eq!(left(&[skips, ends, acts, more], 1), [expected], "{operand}");
    }
}

#[test]
fn semaphore_wait_compares_with_memory() {
    use mi::mi_semaphore_wait as f;
    // GREATER, GREATER or EQUAL, LESS, LESS or EQUAL, EQUAL, NOT EQUAL.
    type Met = fn(u32, u32) -> bool;
    let operations: [Met; 6] = [
        |memory, data| memory > data,
        |memory, data| memory >= data,
        |memory, data| memory < data,
        |memory, data| memory <= data,
        |memory, data| memory == data,
        |memory, data| memory != data,
    ];
    for (operation, met) in (0..).zip(operations) {
        for (memory, data) in [(4, 5), (5, 5), (6, 5), (u32::MAX, 5), (5, u32::MAX)] {
            let mut rig = Rig::new(Options {
                semaphore_wait: Duration::ZERO,
                ..Options::default()
            });
            rig.write(DATA, &[memory]);
            let mut batch = command(
                &f::PACKET,
                &[
                    (f::COMPARE_OPERATION, operation),
                    (f::SEMAPHORE_DATA_DWORD, data.into()),
                    (f::SEMAPHORE_ADDRESS, DATA),
                    (f::WAIT_MODE, wait_mode::POLLING_MODE),
                ],
            );
            store(&mut batch, DATA + 4, 1);
            end(&mut batch);
            let found = rig.execute(&batch);
            assert_eq!(
                found.is_ok(),
                met(memory, data),
                "{operation}: {memory} {data}"
            );
            assert_eq!(is_hang(&found), !met(memory, data), "{found:?}");
            assert_eq!(rig.read(DATA + 4, 1), [u32::from(met(memory, data))]);
        }
    }
}

#[test]
fn semaphore_waits_poll() {
    use mi::mi_semaphore_wait as f;
    for (mode, legal) in [
        (wait_mode::POLLING_MODE, true),
        (wait_mode::SIGNAL_MODE, false),
    ] {
        let mut rig = Rig::new(Options {
            strict: true,
            ..Options::default()
        });
        // LESS, as the memory is zero.
        let fields = [
            (f::COMPARE_OPERATION, 2),
            (f::SEMAPHORE_DATA_DWORD, 1),
            (f::SEMAPHORE_ADDRESS, DATA),
            (f::WAIT_MODE, mode),
        ];
        let mut batch = command(&f::PACKET, &fields);
        end(&mut batch);
        rig.write(DATA, &[0]);
        assert_eq!(rig.execute(&batch).is_ok(), legal, "mode {mode}");
    }
}

#[test]
fn mi_commands_without_visible_effect_are_skipped() {
    let clflush = [mi::mi_clflush::PACKET.header | 2, DATA as u32, 0, 0];
    let mut nothing = vec![clflush.to_vec()];
    let packets = [
        &mi::mi_noop::PACKET,
        &mi::mi_arb_check::PACKET,
        &mi::mi_arb_on_off::PACKET,
        &mi::mi_user_interrupt::PACKET,
        &mi::mi_suspend_flush::PACKET,
        &mi::mi_rs_control::PACKET,
        &mi::mi_topology_filter::PACKET,
    ];
    nothing.extend(packets.map(|packet| command(packet, &[])));
    for passed in nothing {
        let mut more = Vec::new();
        store(&mut more, DATA, 1);
        assert_eq!(left(&[passed.clone(), more], 2), [1, 101], "{passed:x?}");
    }
    // What could be seen and is not simulated is named.
    for packet in [
        &mi::mi_load_urb_mem::PACKET,
        &mi::mi_report_head::PACKET,
        &mi::mi_semaphore_signal::PACKET,
        &mi::mi_report_perf_count::PACKET,
        &mi::mi_wait_for_event::PACKET,
    ] {
        let mut batch = command(packet, &[]);
        end(&mut batch);
        let found = rig().execute(&batch);
        let named =
            matches!(&found, Err(StopReason::Unimplemented { what, .. }) if what == packet.name);
        assert!(named, "{found:?}");
    }
}

#[test]
fn mi_math_accesses_every_general_register() {
    let alu = |opcode: u32, x: u32, y: u32| opcode << 20 | x << 10 | y;
    // R(i) gets R(i) and R(15 - i); the lower halves carry.
    let value = |i: u32| u64::from(0x8000_0000 + i) | u64::from(0x100 * i) << 32;
    let registers: Vec<_> = (0..16)
        .flat_map(|i| {
            [
                (GPR + 8 * i, value(i) as u32),
                (GPR + 8 * i + 4, (value(i) >> 32) as u32),
            ]
        })
        .collect();
    let mut math = vec![0];
    for i in 0..8 {
        math.extend([
            alu(0x080, 0x20, i),
            alu(0x080, 0x21, 15 - i),
            alu(0, 0, 0),
            alu(0x100, 0, 0),
            alu(0x180, i, 0x31),
        ]);
    }
    math[0] = mi::mi_math::PACKET.header | (math.len() as u32 - 2);
    let all: Vec<_> = (0..32).map(|i| GPR + 4 * i).collect();
    let found = left(&[loads(&registers), math, stores(&all, DATA)], 32);
    for i in 0..16u32 {
        let expected = if i < 8 {
            value(i) + value(15 - i)
        } else {
            value(i)
        };
        let at = 2 * i as usize;
        assert_eq!(
            u64::from(found[at]) | u64::from(found[at + 1]) << 32,
            expected,
            "R{i}"
        );
    }
    // There is no such operation.
    let batch = [mi::mi_math::PACKET.header, alu(0x7ff, 0, 0)];
    assert!(matches!(
        rig().execute(&batch),
        Err(StopReason::Undefined {
            rule: "mi-math-opcode",
            ..
        })
    ));
}

/// What MI_ATOMIC's operations leave of `old`: 64 bits in two's complement.
fn updated(operation: u64, old: u64, a: u64) -> u64 {
    let signed = |v: u64| v as i64;
    match operation {
        0x1 => old & a,
        0x2 => old | a,
        0x3 => old ^ a,
        0x4 => a,
        0x5 => old.wrapping_add(1),
        0x6 | 0xf => old.wrapping_sub(1),
        0x7 => old.wrapping_add(a),
        0x8 => old.wrapping_sub(a),
        0x9 => a.wrapping_sub(old),
        0xa => signed(old).max(signed(a)) as u64,
        0xb => signed(old).min(signed(a)) as u64,
        0xc => old.max(a),
        _ => old.min(a),
    }
}

#[test]
fn atomics_of_dwords_and_quadwords_follow_the_table() {
    let halves = |v: u64| [v as u32, (v >> 32) as u32];
    let numbers = [
        0,
        1,
        7,
        1 << 31,
        u64::from(u32::MAX),
        1 << 32,
        1 << 63,
        u64::MAX,
        u64::MAX << 32,
    ];
    for operation in (0x1..=0xf).filter(|o| *o != 0xe) {
        for (i, old) in numbers.into_iter().enumerate() {
            let a = numbers[(i + 1 + operation as usize) % numbers.len()];
            let ([low, high], [a_low, a_high]) = (halves(old), halves(a));
            let before = [low, high, 8, 9];
            let what = format!("{operation:#x}: {old:#x} {a:#x}");
            let left = updated(operation, old, a);
            let returns = if operation == 0xf { left } else { old };
            let (memory, register) = after(before, 0x20 | operation, 1, &[a_low, 0, a_high, 0]);
            assert_eq!(
                memory,
                [halves(left).as_slice(), &[8, 9]].concat(),
                "{what}"
            );
            assert_eq!(
                register,
                [halves(returns).as_slice(), &[0, 0]].concat(),
                "{what}"
            );
            // Of a dword the numbers are extended by its sign, or by zeros to compare them without.
            let extended = |v: u32| match operation {
                0xc | 0xd => u64::from(v),
                _ => v as i32 as u64,
            };
            let left = updated(operation, extended(low), extended(a_low)) as u32;
            let returns = if operation == 0xf { left } else { low };
            let (memory, register) = after(before, operation, 0, &[a_low, 0]);
            assert_eq!(memory, [left, high, 8, 9], "{what}");
            assert_eq!(register, [returns, 0, 0, 0], "{what}");
        }
    }
}

#[test]
fn compare_and_write_compares_all_dwords() {
    for (opcode, size, dwords) in [(0x0e, 0, 1), (0x2e, 1, 2), (0x4e, 2, 4)] {
        let compared = [1, 10, 2, 20, 3, 30, 4, 40];
        for other in 0..5 {
            let mut before = [1, 2, 3, 4];
            if other < 4 {
                before[other] = 77;
            }
            let mut expected = before;
            if other >= dwords {
                for (i, to) in expected.iter_mut().enumerate().take(dwords) {
                    *to = 10 * (i as u32 + 1);
                }
            }
            let mut returned = [0; 4];
            returned[..dwords].copy_from_slice(&before[..dwords]);
            let found = after(before, opcode, size, &compared[..2 * dwords]);
            assert_eq!(
                found,
                (expected.to_vec(), returned.to_vec()),
                "{opcode:#x} {other}"
            );
        }
    }
}

#[test]
fn atomics_use_register_operands_and_return_data() {
    use mi::mi_atomic as f;
    // CMP_WR: the first operand begins in R0, the second in R2.
    for (opcode, size, dwords) in [(0x0e, 0, 1), (0x2e, 1, 2), (0x4e, 2, 4)] {
        for returns in [0, 1] {
            let registers: Vec<_> = (0..12)
                .map(|i| {
                    (
                        GPR + 4 * i,
                        [100, 101, 102, 103, 50, 51, 52, 53, 60, 61, 62, 63][i as usize],
                    )
                })
                .collect();
            let atomic = command(
                &f::PACKET,
                &[
                    (f::ATOMIC_OPCODE, opcode),
                    (f::DATA_SIZE, size),
                    (f::MEMORY_ADDRESS, DATA),
                    (f::RETURN_DATA_CONTROL, returns),
                ],
            );
            let return_registers: Vec<_> = (0..4).map(|i| GPR + 32 + 4 * i).collect();
            let found = left(
                &[
                    loads(&registers),
                    atomic,
                    stores(&return_registers, DATA + 32),
                ],
                12,
            );
            let changed = |i: u32| if i < dwords { 50 + i } else { 100 + i };
            let memory: Vec<_> = (0..4).map(changed).collect();
            let returned = |i: u32| {
                if returns == 1 && i < dwords {
                    100 + i
                } else {
                    60 + i
                }
            };
            let returned: Vec<_> = (0..4).map(returned).collect();
            assert_eq!(
                [&found[..4], &found[8..]],
                [memory, returned],
                "{opcode:#x} {returns}"
            );
        }
    }
}

/// A jump to a byte of the batch.
fn jump(to: u64, fields: &[(Field, u64)]) -> Vec<u32> {
    use mi::mi_batch_buffer_start as f;
    let address = [(f::BATCH_BUFFER_START_ADDRESS, BATCH + to)];
    command(&f::PACKET, &[address.as_slice(), fields].concat())
}

const CALL: (Field, u64) = (mi::mi_batch_buffer_start::SECOND_LEVEL_BATCH_BUFFER, 1);

/// Puts commands at bytes of a batch.
fn batch_of(places: &[(u64, Vec<u32>)]) -> Vec<u32> {
    let mut batch = vec![0; 0x800];
    for (byte, words) in places {
        let first = *byte as usize / 4;
        batch[first..first + words.len()].copy_from_slice(words);
    }
    batch
}

/// A store of a number, and the end.
fn mark(dword: u64) -> Vec<u32> {
    let mut words = marks(&[dword]);
    end(&mut words);
    words
}

fn marks(dwords: &[u64]) -> Vec<u32> {
    let mut words = Vec::new();
    for dword in dwords {
        store(&mut words, DATA + 4 * dword, 1);
    }
    words
}

#[test]
fn predicated_batch_starts_are_skipped() {
    use mi::mi_batch_buffer_start::PREDICATION_ENABLE;
    for (asks, predicate, skips) in (0..8u32).map(|i| (i & 1, i >> 1 & 1, i >> 2 & 1)) {
        let mut batch = loads(&[(register::MI_PREDICATE_RESULT, predicate)]);
        set_predicate(&mut batch, if skips == 1 { 15 } else { 0 });
        batch.extend(jump(0x400, &[(PREDICATION_ENABLE, asks.into())]));
        set_predicate(&mut batch, 0);
        batch.extend(mark(0));
        let mut there = Vec::new();
        set_predicate(&mut there, 0);
        there.extend(mark(1));
        let mut rig = rig();
        rig.execute(&batch_of(&[(0, batch), (0x400, there)]))
            .expect("runs");
        let jumps = asks == 0 || predicate == 1 && skips == 0;
        let expected = [u32::from(!jumps), u32::from(jumps)];
        assert_eq!(rig.read(DATA, 2), expected, "{asks} {predicate} {skips}");
    }
}

#[test]
fn second_level_batches_return() {
    // The first calls the second, which chains to the third: from there it is back to the first.
    let places = [
        (0, [jump(0x400, &[CALL]), jump(0xc00, &[])].concat()),
        (0x400, [marks(&[1]), jump(0x800, &[CALL]), mark(2)].concat()),
        (0x800, mark(3)),
        (0xc00, mark(4)),
    ];
    let mut rig = rig();
    let report = rig.execute(&batch_of(&places)).expect("runs");
    assert_eq!(rig.read(DATA, 5), [0, 1, 0, 1, 1]);
    assert_eq!(report.commands, 8);
    // A jump to a first-level batch from the second level is undefined.
    let mut places = places;
    places[2].1 = [jump(0xc00, &[]), mark(3)].concat();
    let found = self::rig().execute(&batch_of(&places));
    let at_third = BATCH + 0x800;
    assert!(
        matches!(found, Err(StopReason::Undefined { at, .. }) if at == at_third),
        "{found:?}"
    );
}

#[test]
fn batch_start_address_has_48_bits() {
    let mut words = jump(0x400, &[]);
    words[2] |= 0xffff_0000;
    let mut rig = rig();
    rig.execute(&batch_of(&[(0, words), (0x400, mark(0))]))
        .expect("runs");
    assert_eq!(rig.read(DATA, 1), [1]);
}

#[test]
fn batches_without_an_end_command_fault() {
    let noops = vec![0; 3];
    let outside = |found: Result<_, StopReason>| matches!(found, Err(StopReason::Fault { at, .. }) if at == BATCH + 12);
    let ended = [noops, mark(0)].concat();
    assert!(outside(rig().execute_part(&ended, 12)));
    assert!(rig().execute_part(&ended, 4 * ended.len() as u64).is_ok());
    // Without a length it goes on to its end.
    assert!(rig().execute_part(&ended, 0).is_ok());
    // What it calls may lie anywhere, but its own length holds again then.
    let places = [(0, jump(0x400, &[CALL])), (12, mark(1)), (0x400, mark(0))];
    assert!(outside(rig().execute_part(&batch_of(&places), 12)));
    assert!(rig().execute_part(&batch_of(&places), 32).is_ok());
}

#[test]
fn batch_over_the_command_limit_hangs() {
    for (budget, runs) in [(5, false), (6, true)] {
        let mut rig = Rig::new(Options {
            command_budget: budget,
            ..Options::default()
        });
        let mut batch = vec![0; 5];
        end(&mut batch);
        let found = rig.execute(&batch);
        assert_eq!(found.as_ref().map(|r| r.commands).ok(), runs.then_some(6));
        assert_eq!(is_hang(&found), !runs, "{found:?}");
    }
}

#[test]
fn unknown_commands_fault_at_their_address() {
    let found = rig().execute(&[0, 0x1f80_0000, 0]);
    assert!(
        matches!(found, Err(StopReason::Fault { at, .. }) if at == BATCH + 4),
        "{found:?}"
    );
    // One that is too short is refused where strict mode looks.
    for strict in [false, true] {
        let mut rig = Rig::new(Options {
            strict,
            ..Options::default()
        });
        let mut batch = Vec::new();
        store(&mut batch, DATA, 9);
        batch[0] -= 1;
        batch.pop();
        push(&mut batch, mi::mi_batch_buffer_end::PACKET.words::<1>());
        let found = rig.execute(&batch);
        let refused = matches!(
            found,
            Err(StopReason::Undefined {
                rule: "command-length",
                ..
            })
        );
        assert_eq!([refused, found.is_err()], [strict; 2], "{found:?}");
    }
}

#[test]
fn options_determine_the_number_of_workers() {
    let base = Options {
        cpu_threads: 3,
        ..Options::default()
    };
    let strict = Options {
        strict: true,
        ..base.clone()
    };
    let mut traced = base.clone();
    traced.trace.instructions = true;
    assert_eq!([&base, &strict, &traced].map(Options::workers), [3, 1, 1]);
    // By default all of the host's, and nothing is recorded.
    let host = std::thread::available_parallelism().map_or(1, usize::from);
    let default = Options::default();
    assert_eq!((default.workers(), default.profile), (host, false));
    for strict in [false, true] {
        for profile in [false, true] {
            let options = Options {
                strict,
                profile,
                ..base.clone()
            }
            .thread_options();
            let found = [options.strict, options.uninit, options.statistics];
            assert_eq!(found, [strict, strict, profile]);
        }
    }
}
