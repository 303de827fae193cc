//! What a thread starts with: constants, scratch, tables, the float mode, its kernel.

use super::{RECORD, VFE, WALKER, batch, descriptor, dword_dst, options, record, recorded, shape};
use crate::options::Options;
use crate::testing::{
    BYTES, CODE, CURBE, DATA, DESCRIPTOR, Rig, STATE, end, send, to, ud, write_block,
};
use eu::StopReason;
use hw::state::interface_descriptor_data as idd;
use hw::{media, mi, register};
use isa::{Dst, Inst, Opcode, Src, Type};

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
            write_block(10),
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
