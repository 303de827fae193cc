//! End-to-end tests: batches with kernels encoded by `isa`, commands and state packed by `hw`.

use crate::budget::InstructionLimits;
use crate::options::Options;
use crate::testing::{
    BATCH, CODE, DATA, Rig, STATE, clear_notification, end, push, send, to, ud, walk_batch,
    write_block,
};
use eu::StopReason;
use hw::{media, mi, register};
use isa::{ArfReg, Dst, Inst, Opcode, Region, Src, Type};

/// g4 = byte offset of this lane in the whole dispatch, for workgroups of `1 << log` bytes; g3 =
/// workgroup.
fn offsets(log: u32) -> Vec<Inst> {
    vec![
        Inst::unary(
            Opcode::Mov,
            8,
            to(3),
            Src::grf(0, 4, Type::Ud, Region::SCALAR),
        ),
        Inst::binary(Opcode::Shl, 8, to(4), ud(3), Src::imm_ud(log)),
        Inst::binary(Opcode::Add, 8, to(4), ud(4), ud(1)),
    ]
}

/// Untyped SIMD8 messages of one channel.
const WRITE: u32 = 2 << 25 | 9 << 14 | 2 << 12 | 0xe << 8;
const READ: u32 = 1 << 25 | 1 << 20 | 1 << 14 | 2 << 12 | 0xe << 8;
const SLM: u32 = 254;

#[test]
fn walker_writes_workgroup_ids_to_a_surface() {
    let mut rig = Rig::new(Options::default());
    let mut kernel = offsets(5);
    kernel.push(Inst::binary(Opcode::Add, 8, to(5), ud(3), Src::imm_ud(100)));
    kernel.push(send(12, WRITE, Dst::null(Type::Ud), 4));
    // 40 workgroups of 32 bytes are more than the surface has room for: the rest is dropped.
    let report = rig.walk(&kernel, 40, 1).expect("runs");
    assert_eq!((report.threads, report.instructions), (40, 40 * 6));
    let data = rig.read(DATA, 320);
    for (i, value) in data.iter().enumerate() {
        // The right mask leaves the last lane out.
        let expected = if i % 8 == 7 || i >= 256 {
            0
        } else {
            100 + i as u32 / 8
        };
        assert_eq!(*value, expected, "dword {i}");
    }
}

#[test]
fn barriers_synchronise_threads_sharing_slm() {
    for strict in [false, true] {
        let mut rig = Rig::new(Options {
            strict,
            ..Options::default()
        });
        let n0 = Src::arf(ArfReg::Notification, 0, 0, Type::Ud, Region::SCALAR);
        let mut kernel = vec![
            // SLM[own] = own + 1, for both threads; then each reads what the other wrote.
            Inst::unary(Opcode::Mov, 8, to(6), ud(1)),
            Inst::binary(Opcode::Add, 8, to(7), ud(1), Src::imm_ud(1)),
            send(12, WRITE | SLM, Dst::null(Type::Ud), 6),
            clear_notification(),
            send(3, 1 << 25 | 4, Dst::null(Type::Ud), 0).no_mask(),
            Inst::unary(
                Opcode::Wait,
                1,
                Dst::arf(ArfReg::Notification, 0, 0, Type::Ud),
                n0,
            )
            .no_mask(),
            Inst::binary(Opcode::Xor, 8, to(8), ud(1), Src::imm_ud(32)),
            send(12, READ | SLM, to(9), 8),
        ];
        kernel.extend(offsets(6));
        kernel.push(Inst::unary(Opcode::Mov, 8, to(5), ud(9)));
        kernel.push(send(12, WRITE, Dst::null(Type::Ud), 4));
        rig.walk(&kernel, 3, 2).expect("runs");
        let data = rig.read(DATA, 48);
        for (i, value) in data.iter().enumerate() {
            let other = (i as u32 % 16) ^ 8;
            // The masked lane of the second thread neither writes nor is there to be read.
            let expected = if i % 16 >= 15 || other == 15 {
                0
            } else {
                other * 4 + 1
            };
            assert_eq!(*value, expected, "dword {i}");
        }
    }
}

#[test]
fn stateless_block_messages_use_the_header_base() {
    let mut rig = Rig::new(Options::default());
    let kernel = [
        Inst::unary(Opcode::Mov, 8, to(10), Src::imm_ud(0)).no_mask(),
        Inst::unary(
            Opcode::Mov,
            1,
            Dst::grf(10, 20, Type::Ud),
            Src::imm_ud(0x800),
        )
        .no_mask(),
        Inst::unary(Opcode::Mov, 1, Dst::grf(10, 8, Type::Ud), Src::imm_ud(3)).no_mask(),
        Inst::unary(Opcode::Mov, 8, to(11), Src::imm_ud(77)).no_mask(),
        write_block(10),
    ];
    rig.walk(&kernel, 1, 1).expect("runs");
    assert_eq!(
        rig.read(DATA + 0x800 + 44, 10),
        [0, 77, 77, 77, 77, 77, 77, 77, 77, 0]
    );
}

#[test]
fn modified_code_is_decoded_again() {
    let mut rig = Rig::new(Options::default());
    for value in [5, 6] {
        let mut kernel = offsets(5);
        kernel.push(Inst::unary(Opcode::Mov, 8, to(5), Src::imm_ud(value)));
        kernel.push(send(12, WRITE, Dst::null(Type::Ud), 4));
        rig.walk(&kernel, 1, 1).expect("runs");
        assert_eq!(rig.read(DATA, 1), [value]);
    }
}

#[test]
fn endless_batches_hang() {
    let options = Options {
        instruction_limits: InstructionLimits::of_all(1 << 20),
        command_budget: 1000,
        ..Options::default()
    };
    let mut rig = Rig::new(options);
    use mi::mi_batch_buffer_start as start;
    let jump = start::PACKET
        .words::<3>()
        .with(start::BATCH_BUFFER_START_ADDRESS, BATCH);
    let looped = rig.execute(&jump.dwords);
    assert!(
        matches!(looped, Err(StopReason::Fault { .. })),
        "{looped:?}"
    );
    // A JMPI to itself.
    let mut jump = Inst::new(Opcode::Jmpi, 1).no_mask();
    (jump.src[0], jump.jip) = (Src::imm_d(0), 0);
    let looped = rig.walk(&[jump], 1, 1);
    assert!(
        matches!(looped, Err(StopReason::Fault { .. })),
        "{looped:?}"
    );
}

#[test]
fn mi_math_results_are_stored() {
    let mut rig = Rig::new(Options::default());
    let mut batch = Vec::new();
    use mi::mi_store_register_mem as store;
    let registers = [(0, 7), (4, 0), (8, 5), (12, 0)];
    batch.push(mi::mi_load_register_imm::PACKET.header & !0xff | 7);
    for (offset, value) in registers {
        batch.extend([register::CS_GPR0 + offset, value]);
    }
    // R2 = R0 - R1.
    batch.extend([
        mi::mi_math::PACKET.header | 3,
        0x080 << 20 | 0x20 << 10,
        0x080 << 20 | 0x21 << 10 | 1,
        0x101 << 20,
        0x180 << 20 | 2 << 10 | 0x31,
    ]);
    push(
        &mut batch,
        store::PACKET
            .words::<4>()
            .with(store::REGISTER_ADDRESS, (register::CS_GPR0 + 16).into())
            .with(store::MEMORY_ADDRESS, DATA),
    );
    use media::pipe_control as pipe;
    push(
        &mut batch,
        pipe::PACKET
            .words::<6>()
            .with(pipe::POST_SYNC_OPERATION, 1)
            .with(pipe::ADDRESS, DATA + 8)
            .with(pipe::IMMEDIATE_DATA, 0x1_0000_0002),
    );
    end(&mut batch);
    rig.execute(&batch).expect("runs");
    assert_eq!(rig.read(DATA, 4), [2, 0, 2, 1]);
    // A stray address is a fault that names it.
    let mut batch = Vec::new();
    push(
        &mut batch,
        store::PACKET
            .words::<4>()
            .with(store::MEMORY_ADDRESS, 0x9000),
    );
    assert!(matches!(
        rig.execute(&batch),
        Err(StopReason::Fault { at: 0x9000, .. })
    ));
}

/// Any words: an end of some kind, soon, and no panic.
#[test]
fn random_batches_terminate() {
    let mut seed = 7u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 32) as u32
    };
    let waits = [&raw const mi::mi_semaphore_wait::PACKET];
    let packets: Vec<_> = [mi::ALL, media::ALL, hw::draw::ALL]
        .into_iter()
        .flatten()
        .filter(|p| !waits.contains(&&raw const ***p))
        .collect();
    let mut endings = [0; 4];
    for round in 0..1500 {
        let mut rig = Rig::new(Options {
            strict: round % 2 == 0,
            instruction_limits: InstructionLimits::of_all(10_000),
            command_budget: 300,
            cpu_threads: 1,
            ..Options::default()
        });
        let mut batch = walk_batch(1, 1);
        // Damage the sound batch, or add commands with random contents, or both.
        for _ in 0..next() % 6 {
            let at = next() as usize % batch.len();
            batch[at] = next();
        }
        batch.pop();
        for _ in 0..next() % 12 {
            let packet = packets[next() as usize % packets.len()];
            let random = next() & !packet.header_mask & !packet.length_mask;
            batch.push(packet.header | random);
            for _ in 1..packet.length(packet.header).min(64) {
                let word = match next() % 4 {
                    0 => 0,
                    1 => [BATCH, CODE, STATE, DATA][next() as usize % 4] as u32,
                    2 => next() % 64,
                    _ => next(),
                };
                batch.push(word);
            }
        }
        end(&mut batch);
        let state: Vec<u32> = (0..128).map(|_| next() >> (next() % 32)).collect();
        rig.write(STATE, &state);
        let code: Vec<u32> = (0..64).map(|_| next()).collect();
        rig.write(CODE, &code);
        match rig.execute(&batch) {
            Ok(_) => endings[0] += 1,
            Err(StopReason::Undefined { .. }) => endings[1] += 1,
            Err(StopReason::Unimplemented { .. }) => endings[2] += 1,
            Err(StopReason::Fault { .. }) => endings[3] += 1,
        }
    }
    // Any ending will do, as long as none is all there is.
    assert!(endings.iter().all(|n| *n > 0), "{endings:?}");
    eprintln!("ended, undefined, unimplemented, fault: {endings:?}");
}
