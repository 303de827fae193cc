//! Walkers: the threads of workgroups and their payloads.
//!
//! Ref: SKL PRM vol. 7, "GPGPU Thread Payload", "GPGPU Thread Group Dispatch"; vol. 2a,
//!      GPGPU_WALKER.

use super::slm_bytes;
use crate::cs::streamer::BatchReport;
use crate::options::Options;
use crate::testing::{
    BYTES, CODE, CURBE, DATA, DESCRIPTOR, Rig, STATE, end, send, to, ud, walk_batch,
};
use eu::StopReason;
use hw::state::interface_descriptor_data as idd;
use hw::{Field, Packet, media, mi, register};
use isa::{ArfReg, CondMod, Dst, Inst, Opcode, Pred, PredCtrl, Region, Src, Type};

type Set<'s> = &'s [(&'s Packet, Field, u64)];

const WALKER: &Packet = &media::gpgpu_walker::PACKET;
const VFE: &Packet = &media::media_vfe_state::PACKET;

fn options() -> Options {
    Options {
        cpu_threads: 1,
        ..Options::default()
    }
}

/// A legal batch of one walker, with fields of its commands changed.
fn batch(set: Set<'_>) -> Vec<u32> {
    let batch = walk_batch(1, 1);
    let mut out = Vec::new();
    for command in hw::batch::commands(&batch, hw::Gen::Gen9) {
        let mut words = command.words.to_vec();
        for (packet, field, value) in set {
            if packet.matches(words[0]) {
                field.set(&mut words, *value);
            }
        }
        out.extend(words);
    }
    out
}

/// Threads, and workgroups from the first to behind the last.
fn shape(threads: [u64; 3], first: [u64; 3], end: [u64; 3]) -> Vec<(&'static Packet, Field, u64)> {
    use media::gpgpu_walker as f;
    let fields = [
        [
            f::THREAD_WIDTH_COUNTER_MAXIMUM,
            f::THREAD_HEIGHT_COUNTER_MAXIMUM,
            f::THREAD_DEPTH_COUNTER_MAXIMUM,
        ],
        [
            f::THREAD_GROUP_ID_STARTING_X,
            f::THREAD_GROUP_ID_STARTING_Y,
            f::THREAD_GROUP_ID_STARTING_RESUME_Z,
        ],
        [
            f::THREAD_GROUP_ID_X_DIMENSION,
            f::THREAD_GROUP_ID_Y_DIMENSION,
            f::THREAD_GROUP_ID_Z_DIMENSION,
        ],
    ];
    let values = [threads.map(|n| n - 1), first, end];
    let each = fields.as_flattened().iter().zip(values.as_flattened());
    each.map(|(field, value)| (WALKER, *field, *value))
        .collect()
}

fn scalar(nr: u8, dword: u8) -> Src {
    Src::grf(nr, 4 * dword, Type::Ud, Region::SCALAR)
}

fn dword_dst(nr: u8, dword: u8) -> Dst {
    Dst::grf(nr, 4 * dword, Type::Ud)
}

/// Dwords that a thread records.
const RECORD: usize = 32;

/// Each thread records four registers: its payload, masks and control register, and the first two
/// of its constants. A record's number is the thread's, plus 4 for each workgroup along x, 8 along
/// y and 16 along z.
fn record() -> Vec<Inst> {
    let mov = |dst, src| Inst::unary(Opcode::Mov, 1, dst, src).no_mask();
    let shl = |dst, src, by| Inst::binary(Opcode::Shl, 1, dst, src, Src::imm_ud(by)).no_mask();
    let add = |dst, src| Inst::binary(Opcode::Add, 1, dst, scalar(20, 2), src).no_mask();
    let arf = |reg, byte| Src::arf(reg, 0, byte, Type::Ud, Region::SCALAR);
    let all = |dst, src| Inst::unary(Opcode::Mov, 8, dst, src).no_mask();
    let mut kernel = vec![all(to(20), Src::imm_ud(0)), all(to(22), Src::imm_ud(0))];
    // OWords: eight of them a record.
    kernel.push(shl(dword_dst(20, 2), scalar(0, 0), 3));
    for (dword, by) in [(1, 5), (6, 6), (7, 7)] {
        kernel.push(shl(dword_dst(19, 0), scalar(0, dword), by));
        kernel.push(add(dword_dst(20, 2), scalar(19, 0)));
    }
    kernel.push(all(to(21), ud(0)));
    kernel.push(mov(dword_dst(22, 0), arf(ArfReg::State, 8)));
    kernel.push(mov(dword_dst(22, 1), arf(ArfReg::Control, 0)));
    kernel.push(all(to(23), ud(1)));
    kernel.push(all(to(24), ud(2)));
    // OWord block write of eight OWords, stateless, with a header.
    let desc = 5 << 25 | 1 << 19 | 8 << 14 | 4 << 8 | 255;
    kernel.push(send(10, desc, Dst::null(Type::Ud), 20).no_mask());
    kernel
}

/// The descriptor of one thread with one register of constants, with fields changed.
fn descriptor(set: &[(Field, u64)]) -> [u32; 8] {
    let mut words = [0; 8];
    let base = [
        (idd::CONSTANT_URB_ENTRY_READ_LENGTH, 1),
        (idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP, 1),
    ];
    for (field, value) in base.iter().chain(set) {
        field.set(&mut words, *value);
    }
    words
}

/// Runs the recording kernel; the records.
fn recorded(set: Set<'_>, of: &[(Field, u64)], records: usize) -> Vec<Vec<u32>> {
    let mut rig = Rig::new(options());
    rig.load_kernel(&record(), 1);
    rig.write(STATE + DESCRIPTOR, &descriptor(of));
    rig.write(STATE + CURBE, &(500..756).collect::<Vec<_>>());
    rig.execute(&batch(set)).expect("runs");
    let words = rig.read(DATA, records * RECORD);
    words.chunks(RECORD).map(|r| r.to_vec()).collect()
}

#[test]
fn every_workgroup_of_the_walk_has_its_threads() {
    // Two by two by two workgroups, of three threads side by side.
    let (first, end) = ([1, 2, 1], [3, 4, 3]);
    let set = shape([3, 1, 1], first, end);
    let found = recorded(&set, &[], 96);
    let mut expected = 0;
    for z in 1..3 {
        for y in 2..4 {
            for x in 1..3 {
                for i in 0..3 {
                    let record = &found[i + 4 * x + 8 * y + 16 * z];
                    // Thread, x, nothing, scratch, binding table, scratch, y, z.
                    let [i, x, y, z] = [i, x, y, z].map(|n| n as u32);
                    let payload = [i, x, 0, 0, 0, i, y, z];
                    assert_eq!(record[..8], payload, "{x} {y} {z}");
                    expected += 1;
                }
            }
        }
    }
    let ran = found.iter().filter(|r| r.iter().any(|d| *d != 0)).count();
    assert_eq!(ran, expected);
}

#[test]
fn indirect_workgroup_counts_come_from_registers() {
    use media::gpgpu_walker as f;
    let mut rig = Rig::new(options());
    rig.load_kernel(&record(), 1);
    let set = [
        shape([1; 3], [0; 3], [9; 3]),
        vec![(WALKER, f::INDIRECT_PARAMETER_ENABLE, 1)],
    ]
    .concat();
    let mut words = Vec::new();
    let registers = [
        register::GPGPU_DISPATCHDIMX,
        register::GPGPU_DISPATCHDIMY,
        register::GPGPU_DISPATCHDIMZ,
    ];
    for (register, value) in registers.into_iter().zip([3, 2, 1]) {
        words.extend([mi::mi_load_register_imm::PACKET.header, register, value]);
    }
    words.extend(batch(&set));
    let report = rig.execute(&words).expect("runs");
    assert_eq!((report.dispatches, report.threads), (1, 6));
    let ids = |x: usize, y: usize| {
        let at = (4 * x + 8 * y) * RECORD * 4;
        let found = rig.read(DATA + at as u64, 8);
        [found[1], found[6], found[7]]
    };
    assert_eq!([ids(1, 0), ids(2, 1)], [[1, 0, 0], [2, 1, 0]]);
}

#[test]
fn predicated_walkers_are_skipped() {
    use media::gpgpu_walker as f;
    for (asks, predicate) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let mut rig = Rig::new(options());
        rig.load_kernel(&record(), 1);
        let load = [
            mi::mi_load_register_imm::PACKET.header,
            register::MI_PREDICATE_RESULT,
            predicate,
        ];
        let words = [load.to_vec(), batch(&[(WALKER, f::PREDICATE_ENABLE, asks)])].concat();
        let report = rig.execute(&words).expect("runs");
        let expected = u64::from(asks == 0 || predicate == 1);
        assert_eq!((report.dispatches, report.threads), (expected, expected));
    }
}

#[test]
fn right_and_bottom_execution_masks() {
    use media::gpgpu_walker as f;
    for (code, all) in [(0, 0xff), (1, 0xffff), (2, u32::MAX)] {
        let (right, bottom) = (0x0f0f_1f3f, 0x7777_7773);
        let set = [
            shape([2, 2, 1], [0; 3], [1; 3]),
            vec![
                (WALKER, f::SIMD_SIZE, code),
                (WALKER, f::RIGHT_EXECUTION_MASK, right.into()),
                (WALKER, f::BOTTOM_EXECUTION_MASK, bottom.into()),
            ],
        ]
        .concat();
        let masks: Vec<_> = recorded(&set, &[], 4).iter().map(|r| r[8]).collect();
        assert_eq!(
            masks,
            [all, all & right, all & bottom, all & right & bottom],
            "{code}"
        );
    }
    // Threads behind each other are in the last column and row of their own plane.
    let masks = [
        (WALKER, f::RIGHT_EXECUTION_MASK, 0x0f),
        (WALKER, f::BOTTOM_EXECUTION_MASK, 0x3c),
    ];
    let set = [shape([1, 2, 2], [0; 3], [1; 3]), masks.to_vec()].concat();
    let masks: Vec<_> = recorded(&set, &[], 4).iter().map(|r| r[8]).collect();
    assert_eq!(masks, [0x0f, 0x0c, 0x0f, 0x0c]);
}

#[test]
fn cross_thread_and_per_thread_constants() {
    let two = shape([2, 1, 1], [0; 3], [1; 3]);
    let length = (
        &media::media_curbe_load::PACKET,
        media::media_curbe_load::CURBE_TOTAL_DATA_LENGTH,
        256,
    );
    let set = [two, vec![length]].concat();
    let fields = [
        idd::CONSTANT_URB_ENTRY_READ_OFFSET,
        idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH,
        idd::CONSTANT_URB_ENTRY_READ_LENGTH,
    ];
    // Registers that are left out, shared, and each thread's; the first dwords of two registers of
    // two threads.
    for (registers, first) in [
        ([0, 0, 2], [[500, 508], [516, 524]]),
        ([0, 1, 1], [[500, 508], [500, 516]]),
        ([0, 2, 1], [[500, 508], [500, 508]]),
        ([1, 1, 1], [[508, 516], [508, 524]]),
        ([2, 0, 2], [[516, 524], [532, 540]]),
        // Behind what was loaded is nothing.
        ([5, 0, 2], [[540, 548], [556, 0]]),
    ] {
        let of: Vec<_> = fields.into_iter().zip(registers).collect();
        for (record, first) in recorded(&set, &of, 2).iter().zip(first) {
            for (constants, from) in record[16..].chunks(8).zip(first) {
                let expected = if from == 0 {
                    vec![0; 8]
                } else {
                    (from..from + 8).collect()
                };
                assert_eq!(constants, expected, "{registers:?}");
            }
        }
    }
}

#[test]
fn indirect_data_supplies_constants() {
    use media::gpgpu_walker as f;
    let set = [
        shape([2, 1, 1], [0; 3], [1; 3]),
        vec![
            (WALKER, f::INDIRECT_DATA_LENGTH, 256),
            (WALKER, f::INDIRECT_DATA_START_ADDRESS, 0x140),
        ],
    ]
    .concat();
    for (shared, own, first) in [
        // In memory what is shared comes first, in registers it comes last.
        (1, 1, [[708, 700], [716, 700]]),
        (2, 1, [[716, 700], [724, 700]]),
        (2, 0, [[700, 708], [700, 708]]),
        (0, 2, [[700, 708], [716, 724]]),
    ] {
        let of = descriptor(&[
            (idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH, shared),
            (idd::CONSTANT_URB_ENTRY_READ_LENGTH, own),
            (idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP, 2),
        ]);
        let mut rig = Rig::new(options());
        rig.load_kernel(&record(), 1);
        rig.write(STATE + DESCRIPTOR, &of);
        rig.write(STATE + CURBE, &[1; 64]);
        rig.write(DATA + 0x1140, &(700..764).collect::<Vec<_>>());
        let words = indirect_base(&batch(&set), DATA + 0x1000);
        rig.execute(&words).expect("runs");
        for (i, first) in (0..).zip(first) {
            let record = rig.read(DATA + i * 4 * RECORD as u64, RECORD);
            for (constants, from) in record[16..].chunks(8).zip(first) {
                let expected: Vec<_> = (from..from + 8).collect();
                assert_eq!(constants, expected, "{shared} {own} thread {i}");
            }
        }
    }
}

/// The batch with a base address for indirect objects.
fn indirect_base(batch: &[u32], base: u64) -> Vec<u32> {
    use media::state_base_address as f;
    let mut out = Vec::new();
    for command in hw::batch::commands(batch, hw::Gen::Gen9) {
        let mut words = command.words.to_vec();
        if f::PACKET.matches(words[0]) {
            f::INDIRECT_OBJECT_BASE_ADDRESS.set(&mut words, base);
            f::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE.set(&mut words, 1);
        }
        out.extend(words);
    }
    out
}

/// Headers of messages to the sampler are made of this.
#[test]
fn payload_has_the_sampler_state_pointer() {
    use media::media_vfe_state as f;
    let of = [(idd::SAMPLER_STATE_POINTER, 0x12_3460)];
    assert_eq!(recorded(&[], &of, 1)[0][3], 0x12_3460);
    let scratch = [
        (VFE, f::SCRATCH_SPACE_BASE_POINTER, 0x5_0000),
        (VFE, f::PER_THREAD_SCRATCH_SPACE, 3),
    ];
    assert_eq!(recorded(&scratch, &of, 1)[0][3], 0x12_3463);
}

#[test]
fn payload_has_scratch_and_binding_table() {
    use media::media_vfe_state as f;
    let of = [(idd::BINDING_TABLE_POINTER, 0x160)];
    let shaped = shape([3, 1, 1], [0; 3], [1; 3]);
    for (code, bytes) in [(0u32, 1024), (3, 8192)] {
        let scratch = vec![
            (VFE, f::SCRATCH_SPACE_BASE_POINTER, 0x5_0000),
            (VFE, f::PER_THREAD_SCRATCH_SPACE, code.into()),
        ];
        let set = [shaped.clone(), scratch].concat();
        for (i, record) in (0..).zip(recorded(&set, &of, 3)) {
            // Each has scratch of its own; its size is a power of two of kilobytes.
            let place = 0x5_0000 + i * bytes + i;
            assert_eq!(record[3..6], [code, 0x160, place], "thread {i}");
        }
    }
    assert_eq!(recorded(&shaped, &of, 3)[2][3..6], [0, 0x160, 2]);
}

#[test]
fn descriptor_sets_the_float_mode() {
    for (alternate, rounding) in [(0, 0), (1, 0), (0, 3), (1, 2)] {
        let of = [
            (idd::FLOATING_POINT_MODE, alternate),
            (idd::ROUNDING_MODE, rounding),
        ];
        let control = recorded(&[], &of, 1)[0][9];
        // Bit 0 is the mode, bits 5:4 the rounding.
        let found = [control & 1, control >> 4 & 3].map(u64::from);
        assert_eq!(found, [alternate, rounding]);
    }
}

#[test]
fn walker_selects_a_loaded_interface_descriptor() {
    use media::gpgpu_walker as f;
    use media::media_interface_descriptor_load as load;
    let run = |index, bytes| {
        let mut rig = Rig::new(options());
        rig.load_kernel(&record(), 1);
        for i in 0..8 {
            let of = descriptor(&[(idd::BINDING_TABLE_POINTER, 0x20 * i)]);
            rig.write(STATE + 0x800 + 32 * i, &of);
        }
        let packet = &load::PACKET;
        let words = batch(&[
            (WALKER, f::INTERFACE_DESCRIPTOR_OFFSET, index),
            (packet, load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS, 0x800),
            (packet, load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH, bytes),
        ]);
        rig.execute(&words).map(|_| rig.read(DATA, 8)[4])
    };
    assert_eq!(
        [run(0, 96), run(1, 96), run(2, 96)],
        [Ok(0), Ok(0x20), Ok(0x40)]
    );
    assert_eq!([run(5, 192), run(7, 256)], [Ok(0xa0), Ok(0xe0)]);
    for (index, bytes) in [(2, 95), (2, 64), (1, 32)] {
        let found = run(index, bytes);
        let refused = matches!(
            found,
            Err(StopReason::Undefined {
                rule: "interface-descriptor-bounds",
                ..
            })
        );
        assert!(refused, "{index} of {bytes}: {found:?}");
    }
}

/// A walk of a kernel by one worker.
fn walk(kernel: &[Inst], set: Set<'_>, options: Options) -> Result<BatchReport, StopReason> {
    let mut rig = Rig::new(options);
    rig.load_kernel(kernel, 1);
    rig.execute(&batch(set))
}

fn nothing() -> Inst {
    Inst::unary(Opcode::Mov, 8, to(5), ud(1))
}

#[test]
fn workgroup_thread_count_limit() {
    for (threads, fits) in [
        ([64, 2, 1], true),
        ([8, 4, 4], true),
        ([43, 3, 1], false),
        ([64, 64, 64], false),
    ] {
        let found = walk(&[nothing()], &shape(threads, [0; 3], [1; 3]), options());
        match found {
            Ok(report) => assert!(fits && report.threads == threads.iter().product::<u64>()),
            Err(stop) => assert!(
                !fits && matches!(stop, StopReason::Fault { .. }),
                "{stop:?}"
            ),
        }
    }
    // None at all, and more than there can be.
    for (first, end, fits) in [
        ([0; 3], [0, 1, 1], true),
        ([0; 3], [1, 0, 1], true),
        ([0; 3], [1, 1, 0], true),
        ([2, 0, 0], [2, 1, 1], true),
        ([3, 0, 0], [2, 1, 1], true),
        ([0; 3], [0xffff_ffff; 3], false),
    ] {
        let found = walk(&[nothing()], &shape([1; 3], first, end), options());
        assert_eq!(
            found.as_ref().map(|r| r.threads).ok(),
            fits.then_some(0),
            "{found:?}"
        );
    }
}

#[test]
fn dispatch_over_the_instruction_budget_hangs() {
    // Three instructions with the end, of six threads.
    let set = shape([2, 1, 1], [0; 3], [3, 1, 1]);
    for (budget, runs) in [(18, true), (17, false)] {
        let options = Options {
            instruction_budget: budget,
            ..options()
        };
        let found = walk(&[nothing(), nothing()], &set, options);
        assert_eq!(
            found.as_ref().map(|r| (r.threads, r.instructions)).ok(),
            runs.then_some((6, 18))
        );
        let hang =
            matches!(&found, Err(StopReason::Fault { what, .. }) if what.starts_with("hang"));
        assert_eq!(hang, !runs, "{found:?}");
    }
}

#[test]
fn hang_errors_name_the_kernel_and_its_loop() {
    // A nothing, and then a loop of two instructions that nothing leaves: `while` jumps back by as
    // many bytes.
    let mut back = Inst::new(Opcode::While, 8);
    back.jip = -16;
    let set = shape([1; 3], [0; 3], [1; 3]);
    let limited = Options {
        instruction_budget: 100_000,
        ..options()
    };
    let found = walk(&[nothing(), nothing(), back], &set, limited);
    let Err(StopReason::Fault { what, .. }) = &found else {
        panic!("{found:?}");
    };
    let (first, last) = (CODE + 16, CODE + 32);
    let position =
        format!("CS that ran last, kernel {CODE:#x}, goes round from {first:#x} to {last:#x}");
    assert!(
        what.starts_with("hang") && what.contains(&position),
        "{what}"
    );
}

#[test]
fn dispatches_of_a_batch_share_its_budget() {
    // Two walkers of two threads of two instructions.
    for (budget, runs) in [(8, true), (7, false)] {
        let limited = Options {
            instruction_budget: budget,
            ..options()
        };
        let mut rig = Rig::new(limited);
        rig.load_kernel(&[nothing()], 1);
        let mut batch = walk_batch(2, 1);
        let commands = hw::batch::commands(&batch, hw::Gen::Gen9);
        let walkers = commands.filter(|c| WALKER.matches(c.words[0]));
        let again: Vec<u32> = walkers.flat_map(|c| c.words.to_vec()).collect();
        batch.pop();
        batch.extend(again);
        end(&mut batch);
        let found = rig.execute(&batch);
        assert_eq!(found.is_ok(), runs, "{found:?}");
    }
}

fn wait() -> Inst {
    let n0 = Src::arf(ArfReg::Notification, 0, 0, Type::Ud, Region::SCALAR);
    let to = Dst::arf(ArfReg::Notification, 0, 0, Type::Ud);
    Inst::unary(Opcode::Wait, 1, to, n0).no_mask()
}

fn arrive() -> Inst {
    send(3, 1 << 25 | 4, Dst::null(Type::Ud), 0).no_mask()
}

#[test]
fn incomplete_barriers_hang() {
    let two = shape([2, 1, 1], [0; 3], [1; 3]);
    let found = walk(&[wait()], &two, options());
    assert!(
        matches!(&found, Err(StopReason::Fault { what, .. }) if what.contains("hangs")),
        "{found:?}"
    );
    for barriers in 1..4 {
        let kernel = [arrive(), wait()].repeat(barriers);
        let found = walk(&kernel, &two, options()).expect("runs");
        assert_eq!(
            (found.threads, found.messages),
            (2, 2 * barriers as u64 + 2)
        );
    }
}

#[test]
fn slm_is_zeroed_for_every_workgroup() {
    // Each adds one to dword 0 and records what was there: for itself.
    let atomic = 2 << 25 | 1 << 20 | 0x02 << 14 | 1 << 13 | 1 << 12 | 7 << 8 | 254;
    let kernel = vec![
        Inst::unary(Opcode::Mov, 8, to(6), Src::imm_ud(0)).no_mask(),
        Inst::unary(Opcode::Mov, 8, to(7), Src::imm_ud(1)).no_mask(),
        Inst {
            exec_size: 8,
            ..send(12, atomic, to(8), 6)
        }
        .no_mask(),
        Inst::unary(Opcode::Mov, 8, to(10), Src::imm_ud(0)).no_mask(),
        Inst::binary(
            Opcode::Shl,
            1,
            dword_dst(10, 2),
            scalar(0, 1),
            Src::imm_ud(1),
        )
        .no_mask(),
        Inst::unary(Opcode::Mov, 8, to(11), ud(8)).no_mask(),
        send(
            10,
            2 << 25 | 1 << 19 | 8 << 14 | 2 << 8 | 255,
            Dst::null(Type::Ud),
            10,
        )
        .no_mask(),
    ];
    let mut rig = Rig::new(options());
    rig.load_kernel(&kernel, 1);
    rig.write(
        STATE + DESCRIPTOR,
        &descriptor(&[(idd::SHARED_LOCAL_MEMORY_SIZE, 1)]),
    );
    rig.execute(&batch(&shape([1; 3], [0; 3], [3, 1, 1])))
        .expect("runs");
    for group in 0..3 {
        assert_eq!(rig.read(DATA + 32 * group, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}

#[test]
fn slm_size_is_a_power_of_two() {
    // SKL: nothing, 1, 2, 4 to 64 KiB.
    let kilobytes = [0, 1, 2, 4, 8, 16, 32, 64];
    for (code, kilobytes) in (0..).zip(kilobytes) {
        assert_eq!(slm_bytes(code), kilobytes * 1024, "{code}");
    }
}

#[test]
fn cs_invocations_count_enabled_channels() {
    use media::gpgpu_walker as f;
    let count = register::CS_INVOCATION_COUNT;
    // All of them, and three of each group's last thread.
    for (code, simd, last) in [(0, 8, 8), (1, 16, 16), (2, 32, 32), (1, 16, 3), (2, 32, 3)] {
        let mut rig = Rig::new(Options {
            profile: true,
            ..options()
        });
        rig.load_kernel(&[nothing()], 1);
        let set = [
            shape([2, 1, 1], [0; 3], [3, 1, 1]),
            vec![
                (WALKER, f::SIMD_SIZE, code),
                (
                    WALKER,
                    f::RIGHT_EXECUTION_MASK,
                    u64::from(u32::MAX >> (32 - last)),
                ),
                (WALKER, f::BOTTOM_EXECUTION_MASK, u64::from(u32::MAX)),
            ],
        ]
        .concat();
        let mut words = batch(&set);
        words.pop();
        for (i, register) in (0..).zip([count, count + 4]) {
            let mut store = mi::mi_store_register_mem::PACKET.words::<4>().dwords;
            mi::mi_store_register_mem::REGISTER_ADDRESS.set(&mut store, register.into());
            mi::mi_store_register_mem::MEMORY_ADDRESS.set(&mut store, DATA + 4 * i);
            words.extend(store);
        }
        end(&mut words);
        rig.write(DATA, &[9; 2]);
        let report = rig.execute(&words).expect("runs");
        let invocations = 3 * (simd + last);
        assert_eq!(rig.read(DATA, 2), [invocations, 0], "{simd} {last}");
        // The profile has it, too.
        let [work] = &report.work[..] else {
            panic!("{:?}", report.work);
        };
        let stage = &work.stages[0];
        assert_eq!((stage.threads, stage.invocations), (6, invocations.into()));
        assert_eq!(stage.statistics.instructions, report.instructions);
        // Each thread is two cycles of a move, and the end's slot and reading of a register: see
        // `eu::clock::tests`.
        let s = stage.statistics;
        assert_eq!((s.busy, s.alone), (6 * 2, 6 * (2 + 2 + 8 + 2)));
        assert_eq!(
            (report.dispatches, report.messages),
            (1, stage.messages.total())
        );
    }
}

#[test]
fn binding_table_is_relative_to_the_surface_state_base() {
    let mut rig = Rig::new(options());
    // Writes ones through entry 1 of a table.
    let kernel = [
        Inst::unary(Opcode::Mov, 8, to(4), ud(1)),
        Inst::unary(Opcode::Mov, 8, to(5), Src::imm_ud(1)),
        send(
            12,
            2 << 25 | 9 << 14 | 2 << 12 | 0xe << 8 | 1,
            Dst::null(Type::Ud),
            4,
        ),
    ];
    rig.load_kernel(&kernel, 1);
    rig.write(
        STATE + DESCRIPTOR,
        &descriptor(&[(idd::BINDING_TABLE_POINTER, 0x160)]),
    );
    // The surface that the rig has put there.
    rig.write(STATE + 0x160, &[0x40 * 9, 0x40]);
    rig.execute(&batch(&[])).expect("runs");
    assert_eq!(rig.read(DATA, 9), [1, 1, 1, 1, 1, 1, 1, 0, 0]);
}

#[test]
fn scratch_is_sized_for_the_maximum_number_of_threads() {
    use media::media_vfe_state as f;
    use mi::mi_load_register_mem as load;
    // A kilobyte for each of three threads, from 0x400 on. Nobody but they looks at it, so it need
    // not be flushed.
    for (at, is_scratch) in [
        (0x3e0, false),
        (0x400, true),
        (0xfe0, true),
        (0x1000, false),
    ] {
        let mut rig = Rig::new(Options {
            strict: true,
            ..options()
        });
        // Room for all numbers of threads of the machine.
        rig.map(DATA + BYTES, 4 * 8 * 7 * 1024);
        let kernel = [
            Inst::unary(Opcode::Mov, 8, to(10), Src::imm_ud(0)).no_mask(),
            Inst::unary(Opcode::Mov, 1, dword_dst(10, 2), Src::imm_ud(at / 16)).no_mask(),
            Inst::unary(Opcode::Mov, 8, to(11), Src::imm_ud(7)).no_mask(),
            send(
                10,
                2 << 25 | 1 << 19 | 8 << 14 | 2 << 8 | 255,
                Dst::null(Type::Ud),
                10,
            )
            .no_mask(),
        ];
        rig.load_kernel(&kernel, 1);
        let mut words = batch(&[
            (VFE, f::SCRATCH_SPACE_BASE_POINTER, 0x400),
            (VFE, f::MAXIMUM_NUMBER_OF_THREADS, 2),
        ]);
        words.pop();
        let mut read = load::PACKET.words::<4>().dwords;
        load::REGISTER_ADDRESS.set(&mut read, register::CS_GPR0.into());
        load::MEMORY_ADDRESS.set(&mut read, DATA + u64::from(at));
        words.extend(read);
        end(&mut words);
        let found = rig.execute(&words);
        let refused = matches!(found, Err(StopReason::Undefined { .. }));
        assert_eq!(refused, !is_scratch, "{at:#x}: {found:?}");
        assert_eq!(rig.read(DATA + u64::from(at), 1), [7]);
    }
}

/// The second thread of a workgroup takes far longer than the first: longer than a thread runs
/// before others do.
fn slow() -> Vec<Inst> {
    let mut compare = Inst::binary(
        Opcode::Cmp,
        1,
        Dst::null(Type::Ud),
        scalar(30, 0),
        scalar(31, 0),
    );
    compare.cmod = CondMod::Ge;
    // Back to the addition.
    let mut jump = Inst::new(Opcode::Jmpi, 1).no_mask();
    jump.src[0] = Src::imm_d(0);
    jump.jip = -32;
    jump.pred = Some(Pred {
        ctrl: PredCtrl::Normal,
        inverse: true,
    });
    vec![
        Inst::binary(
            Opcode::Shl,
            1,
            dword_dst(31, 0),
            scalar(0, 0),
            Src::imm_ud(15),
        )
        .no_mask(),
        Inst::unary(Opcode::Mov, 1, dword_dst(30, 0), Src::imm_ud(0)).no_mask(),
        Inst::binary(
            Opcode::Add,
            1,
            dword_dst(30, 0),
            scalar(30, 0),
            Src::imm_ud(1),
        )
        .no_mask(),
        compare.no_mask(),
        jump,
    ]
}

/// A kernel's threads' results in g9, two threads of a workgroup and two workgroups.
fn results(kernel: Vec<Inst>, cpu_threads: usize) -> (Vec<u32>, BatchReport) {
    let mut kernel = kernel;
    kernel.extend([
        Inst::unary(Opcode::Mov, 8, to(10), Src::imm_ud(0)).no_mask(),
        // Two OWords for each thread, four for each workgroup.
        Inst::binary(
            Opcode::Shl,
            1,
            dword_dst(10, 2),
            scalar(0, 1),
            Src::imm_ud(2),
        )
        .no_mask(),
        Inst::binary(
            Opcode::Shl,
            1,
            dword_dst(12, 0),
            scalar(0, 0),
            Src::imm_ud(1),
        )
        .no_mask(),
        Inst::binary(
            Opcode::Add,
            1,
            dword_dst(10, 2),
            scalar(10, 2),
            scalar(12, 0),
        )
        .no_mask(),
        Inst::unary(Opcode::Mov, 8, to(11), ud(9)).no_mask(),
        send(
            10,
            2 << 25 | 1 << 19 | 8 << 14 | 2 << 8 | 255,
            Dst::null(Type::Ud),
            10,
        )
        .no_mask(),
    ]);
    let mut rig = Rig::new(Options {
        cpu_threads,
        instruction_budget: 1 << 20,
        ..Options::default()
    });
    rig.load_kernel(&kernel, 2);
    let length = media::media_curbe_load::CURBE_TOTAL_DATA_LENGTH;
    let load = (&media::media_curbe_load::PACKET, length, 64);
    let set = [shape([2, 1, 1], [0; 3], [2, 1, 1]), vec![load]].concat();
    let report = rig.execute(&batch(&set)).expect("runs");
    (rig.read(DATA, 32), report)
}

fn number() -> Inst {
    Inst::binary(Opcode::Add, 8, to(7), scalar(0, 0), Src::imm_ud(1)).no_mask()
}

#[test]
fn ended_threads_count_as_arrived_at_barriers() {
    let kernel = [
        slow(),
        vec![
            number(),
            Inst::unary(Opcode::Mov, 8, to(9), ud(7)).no_mask(),
        ],
    ]
    .concat();
    for cpu_threads in [1, 2] {
        let (found, report) = results(kernel.clone(), cpu_threads);
        assert_eq!(found, [[1; 8], [2; 8], [1; 8], [2; 8]].concat());
        assert_eq!((report.threads, report.messages), (4, 8));
    }
}

#[test]
fn no_thread_passes_a_barrier_before_all_arrive() {
    let slm = 254;
    let write = 2 << 25 | 9 << 14 | 2 << 12 | 0xe << 8 | slm;
    let read = 1 << 25 | 1 << 20 | 1 << 14 | 2 << 12 | 0xe << 8 | slm;
    let kernel = vec![
        number(),
        Inst::unary(Opcode::Mov, 8, to(6), ud(1)).no_mask(),
        send(12, write, Dst::null(Type::Ud), 6).no_mask(),
        arrive(),
        wait(),
        // What the other thread has left.
        Inst::binary(Opcode::Xor, 8, to(8), ud(1), Src::imm_ud(32)).no_mask(),
        send(12, read, to(9), 8).no_mask(),
    ];
    // An earlier barrier is forgotten.
    let (found, report) = results([vec![arrive(), wait()], slow(), kernel].concat(), 1);
    assert_eq!(found, [[2; 8], [1; 8], [2; 8], [1; 8]].concat());
    assert_eq!((report.threads, report.messages), (4, 24));
}

#[test]
fn resumed_threads_count_instructions_once() {
    let kernel = [arrive(), wait(), arrive(), wait(), nothing()];
    let two = shape([2, 1, 1], [0; 3], [1; 3]);
    let needed = walk(&kernel, &two, options()).expect("runs").instructions;
    for (budget, runs) in [(needed, true), (needed - 1, false)] {
        let options = Options {
            instruction_budget: budget,
            ..options()
        };
        assert_eq!(walk(&kernel, &two, options).is_ok(), runs, "{budget}");
    }
}

#[test]
fn kernel_start_pointer_of_the_interface_descriptor() {
    let mut rig = Rig::new(Options {
        profile: true,
        ..options()
    });
    rig.load_kernel(&record(), 1);
    // The same a kilobyte on, and nothing before it.
    let code = rig.read(CODE, 512);
    rig.write(CODE + 1024, &code);
    rig.write(CODE, &[0; 256]);
    rig.write(
        STATE + DESCRIPTOR,
        &descriptor(&[(idd::KERNEL_START_POINTER, 1024)]),
    );
    let report = rig.execute(&batch(&[])).expect("runs");
    assert_eq!(report.work[0].stages[0].kernel, CODE + 1024);
    assert_eq!(report.threads, 1);
}
