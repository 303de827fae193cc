//! Barriers and shared local memory.

use super::{arrive, batch, descriptor, dword_dst, options, scalar, shape, wait, walk};
use crate::budget::InstructionLimits;
use crate::cs::streamer::BatchReport;
use crate::gpgpu::slm_bytes;
use crate::options::Options;
use crate::testing::{DATA, DESCRIPTOR, Rig, STATE, send, to, ud, write_block};
use eu::StopReason;
use hw::media;
use hw::state::interface_descriptor_data as idd;
use isa::{CondMod, Dst, Inst, Opcode, Pred, PredCtrl, Src, Type};

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
        write_block(10),
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
        write_block(10),
    ]);
    let mut rig = Rig::new(Options {
        cpu_threads,
        instruction_limits: InstructionLimits::of_all(1 << 20),
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
