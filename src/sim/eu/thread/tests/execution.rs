//! Messages, barriers, state registers, endings.

use crate::kernel::Kernel;
use crate::message::StopReason;
use crate::state::Options;
use crate::testing::{
    Recorder, arf, arf_dst, branch, dst, eot, g, imm, no_mask, null_dst, null_src, op, pred, reg,
    region, run, scalar, thread, thread_with,
};
use crate::thread::{Thread, ThreadExit, ThreadInit};
use isa::{ArfReg, Desc, Dst, Inst, Opcode, PredCtrl, Send, Src, Type};
use std::sync::Arc;

fn send(sfid: u8, desc: Desc, n: u8, d: Dst, s: Src) -> Inst {
    let mut i = op(Opcode::Send, n, d, &[s]);
    i.send = Some(Send {
        sfid,
        desc,
        ex_desc: Desc::Imm(0),
        eot: false,
    });
    i
}

#[test]
fn send_passes_payload_and_response() {
    let payload: Vec<u32> = (0..64).collect();
    let mut t = thread(
        &[send(
            12,
            Desc::Imm(2 << 25 | 1 << 20 | 0x1234),
            8,
            dst(10, Type::Ud),
            g(2, Type::Ud),
        )],
        &payload,
        0x5a,
    );
    let mut r = Recorder::default();
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Eot));
    let m = &r.sent[0];
    assert_eq!((m.sfid, m.desc & 0xffff, m.lanes), (12, 0x1234, 0x5a));
    assert_eq!(m.src0, (16..32).collect::<Vec<u32>>());
    assert!(m.src1.is_empty());
    assert_eq!(reg(&t, 10), [0x5a; 8]);
    assert_eq!(r.sent[1].sfid, 7);
}

#[test]
fn split_send_has_two_payloads_and_an_indirect_descriptor() {
    let payload: Vec<u32> = (0..80).collect();
    let mut s = op(
        Opcode::Sends,
        16,
        null_dst(Type::Ud),
        &[g(2, Type::Ud), g(5, Type::Ud)],
    );
    s.send = Some(Send {
        sfid: 10,
        desc: Desc::A0(2),
        ex_desc: Desc::Imm(2 << 6),
        eot: false,
    });
    let set = no_mask(op(
        Opcode::Mov,
        1,
        arf_dst(ArfReg::Address, 0, 4, Type::Ud),
        &[imm(Type::Ud, 1 << 25 | 0x77)],
    ));
    let mut t = thread(&[set, s], &payload, 0xffff);
    let mut r = Recorder::default();
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Eot));
    assert_eq!(r.sent[0].desc, 1 << 25 | 0x77);
    assert_eq!(r.sent[0].ex_desc, 2 << 6);
    assert_eq!(r.sent[0].src0, (16..24).collect::<Vec<u32>>());
    assert_eq!(r.sent[0].src1, (40..56).collect::<Vec<u32>>());
}

#[test]
fn send_with_no_enabled_channel_is_skipped() {
    let s = pred(
        send(
            12,
            Desc::Imm(1 << 25),
            8,
            null_dst(Type::Ud),
            g(2, Type::Ud),
        ),
        PredCtrl::Normal,
        false,
        0,
    );
    let mut t = thread(&[s], &[], 0xff);
    let mut r = Recorder::default();
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Eot));
    assert_eq!(r.sent.len(), 1);
}

#[test]
fn wait_sleeps_until_notified() {
    let wait = no_mask(op(
        Opcode::Wait,
        1,
        null_dst(Type::Ud),
        &[arf(ArfReg::Notification, 0, 0, Type::Ud)],
    ));
    let mark = op(Opcode::Mov, 8, dst(4, Type::D), &[imm(Type::D, 9)]);
    let mut t = thread(&[wait, mark], &[], 0xff);
    let mut r = Recorder::default();
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Barrier));
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Barrier));
    assert_eq!(reg(&t, 4), [0; 8]);
    t.notify();
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Eot));
    assert_eq!(reg(&t, 4), [9; 8]);
    assert_eq!(t.statistics().instructions, 3);
}

#[test]
fn budget_pauses_and_resumes() {
    let one = op(
        Opcode::Add,
        8,
        dst(4, Type::D),
        &[g(4, Type::D), imm(Type::D, 1)],
    );
    let mut t = thread(&[one; 5], &[], 0xff);
    let mut r = Recorder::default();
    assert_eq!(t.run(&mut r, 3), Ok(ThreadExit::Budget));
    assert_eq!(reg(&t, 4), [3; 8]);
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Eot));
    assert_eq!(reg(&t, 4), [5; 8]);
    // A finished thread stays finished.
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Eot));
}

#[test]
fn endless_loop_exhausts_its_budget() {
    let mut t = thread(&[no_mask(branch(Opcode::Jmpi, 1, 0, 0))], &[], 1);
    assert_eq!(
        t.run(&mut Recorder::default(), 1000),
        Ok(ThreadExit::Budget)
    );
}

#[test]
fn state_registers_reflect_the_thread() {
    let scalar_arf = |r: ArfReg, sub| region(arf(r, 0, sub, Type::Ud), sub, 0, 1, 0);
    let rd = |nr, s| no_mask(op(Opcode::Mov, 1, dst(nr, Type::Ud), &[s]));
    let code = [
        rd(4, scalar_arf(ArfReg::ChannelEnable, 0)),
        rd(5, scalar_arf(ArfReg::State, 8)),
        rd(6, scalar_arf(ArfReg::InstructionPointer, 0)),
        rd(7, scalar_arf(ArfReg::Timestamp, 0)),
        rd(8, scalar_arf(ArfReg::Timestamp, 4)),
        rd(9, null_src()),
    ];
    let t = run(&code, &[1; 1024], 0x0ff3);
    assert_eq!(reg(&t, 4)[0], 0x0ff3);
    assert_eq!(reg(&t, 5)[0], 0x0ff3);
    assert_eq!(reg(&t, 6)[0], 32);
    assert_eq!(reg(&t, 7)[0], 1);
    assert_eq!(reg(&t, 8)[0], 2);
    assert_eq!(reg(&t, 9)[0], 0);
}

#[test]
fn vector_mask_expands_to_groups_of_four() {
    let scalar_arf = |r: ArfReg, sub| region(arf(r, 0, sub, Type::Ud), sub, 0, 1, 0);
    let rd = |nr, s| no_mask(op(Opcode::Mov, 1, dst(nr, Type::Ud), &[s]));
    let code = [
        rd(4, scalar_arf(ArfReg::ChannelEnable, 0)),
        rd(5, scalar_arf(ArfReg::State, 8)),
        rd(6, scalar_arf(ArfReg::State, 12)),
        eot(),
    ];
    let kernel = Arc::new(Kernel::from_insts(&code).expect("there are instructions"));
    for (vector_mask, begins_with) in [(true, 0xf0ff), (false, 0x8012)] {
        let init = ThreadInit {
            vector_mask,
            ..ThreadInit::default()
        };
        let mut t = Thread::new(&kernel, &[1; 64], 0x8012, &init, Options::default());
        assert_eq!(t.run(&mut Recorder::default(), 100), Ok(ThreadExit::Eot));
        assert_eq!(
            [4, 5, 6].map(|nr| reg(&t, nr)[0]),
            [begins_with, 0x8012, 0xf0ff]
        );
    }
}

#[test]
fn cr0_sets_rounding_and_denormals() {
    let set = |v: u64| {
        no_mask(op(
            Opcode::Mov,
            1,
            arf_dst(ArfReg::Control, 0, 0, Type::Ud),
            &[imm(Type::Ud, v)],
        ))
    };
    let add = |nr| {
        op(
            Opcode::Add,
            8,
            dst(nr, Type::F),
            &[g(2, Type::F), g(3, Type::F)],
        )
    };
    let half = |nr| {
        op(
            Opcode::Mul,
            8,
            dst(nr, Type::F),
            &[g(2, Type::F), g(1, Type::F)],
        )
    };
    let mut p = vec![0u32; 1024];
    for i in 0..8 {
        p[8 + i] = 0x0080_0000; // 2^-126
        p[16 + i] = 0.5f32.to_bits();
        p[24 + i] = 2f32.powi(-30).to_bits();
    }
    let code = [
        set(0),
        add(10),
        half(11),
        set(1 << 4 | 1 << 7),
        add(12),
        half(13),
        set(2 << 4),
        add(14),
        set(3 << 4),
        add(15),
    ];
    let t = run(&code, &p, 0xff);
    let up = 0.5f32.next_up().to_bits();
    let x = 0.5f32.to_bits();
    assert_eq!(reg(&t, 10)[0], x);
    assert_eq!(reg(&t, 11)[0], 0);
    assert_eq!(reg(&t, 12)[0], up);
    assert_eq!(reg(&t, 13)[0], 0x0040_0000);
    assert_eq!(reg(&t, 14)[0], x);
    assert_eq!(reg(&t, 15)[0], x);
}

#[test]
fn uninitialised_reads_are_undefined_in_strict_mode() {
    let read = op(
        Opcode::Add,
        8,
        arf_dst(ArfReg::Accumulator, 0, 0, Type::D),
        &[g(30, Type::D), imm(Type::D, 1)],
    );
    let options = Options {
        uninit: true,
        ..Options::default()
    };
    let mut t = thread_with(&[read], &[0; 16], 0xff, 0, options);
    let e = t.run(&mut Recorder::default(), 10);
    assert!(
        matches!(
            e,
            Err(StopReason::Undefined {
                rule: "uninitialised",
                at: 0,
                ..
            })
        ),
        "{e:?}"
    );
    // Written by an earlier instruction: nothing to complain of.
    let write = op(Opcode::Mov, 8, dst(30, Type::D), &[imm(Type::D, 1)]);
    let mut t = thread_with(&[write, read], &[0; 16], 0xff, 0, options);
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
    // Disabled channels read nothing.
    let mut t = thread_with(&[write, read], &[0; 16], 0x0f, 0, options);
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
}

#[test]
fn moves_propagate_uninitialised_bytes() {
    let options = Options {
        uninit: true,
        ..Options::default()
    };
    let copy = op(Opcode::Mov, 8, dst(4, Type::D), &[g(30, Type::D)]);
    let mut t = thread_with(&[copy], &[0; 16], 0xff, 0, options);
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
    // Of a copy of nothing, nothing can be made.
    let add = op(
        Opcode::Add,
        8,
        arf_dst(ArfReg::Accumulator, 0, 0, Type::D),
        &[g(4, Type::D), imm(Type::D, 1)],
    );
    let mut t = thread_with(&[copy, add], &[0; 16], 0xff, 0, options);
    let e = t.run(&mut Recorder::default(), 10);
    assert!(
        matches!(
            e,
            Err(StopReason::Undefined {
                rule: "uninitialised",
                at: 16,
                ..
            })
        ),
        "{e:?}"
    );
}

#[test]
fn disabled_lanes_preserve_uninitialised_bytes() {
    let options = Options {
        uninit: true,
        ..Options::default()
    };
    let one = [imm(Type::D, 1)];
    let write = op(Opcode::Mov, 8, dst(30, Type::D), &one);
    let through = |to: u8, from: u8| {
        let sources = [g(from, Type::D), imm(Type::D, 1)];
        op(Opcode::Add, 8, dst(to, Type::D), &sources)
    };
    // Half of the channels are on; an instruction without mask goes through all of them.
    let unmasked = through(4, 30).no_mask();
    let mut t = thread_with(&[write, unmasked], &[0; 16], 0x0f, 0, options);
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
    let all = [write, unmasked, through(5, 4)];
    let mut t = thread_with(&all, &[0; 16], 0x0f, 0, options);
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
    // A channel that is on and takes what one that is off has made of nothing.
    let sources = [scalar(4, 28, Type::D), imm(Type::D, 1)];
    let accumulator = arf_dst(ArfReg::Accumulator, 0, 0, Type::D);
    let uniform = op(Opcode::Add, 8, accumulator, &sources);
    let mut t = thread_with(&[write, unmasked, uniform], &[0; 16], 0x0f, 0, options);
    let e = t.run(&mut Recorder::default(), 10);
    assert!(
        matches!(
            e,
            Err(StopReason::Undefined {
                rule: "uninitialised",
                at: 32,
                ..
            })
        ),
        "{e:?}"
    );
}

#[test]
fn thread_exits_are_distinguished() {
    let ill = op(Opcode::Illegal, 1, null_dst(Type::Ud), &[]);
    let mut t = thread(&[ill], &[], 1);
    assert!(matches!(
        t.run(&mut Recorder::default(), 10),
        Err(StopReason::Fault { at: 0, .. })
    ));
    let over = op(Opcode::Mov, 16, dst(127, Type::D), &[imm(Type::D, 0)]);
    let mut t = thread(&[over], &[], 1);
    assert!(matches!(
        t.run(&mut Recorder::default(), 10),
        Err(StopReason::Undefined {
            rule: "grf-range",
            at: 0,
            ..
        })
    ));
    let smov = op(
        Opcode::Smov,
        8,
        dst(4, Type::D),
        &[g(2, Type::D), g(3, Type::D)],
    );
    let mut t = thread(&[smov], &[], 1);
    assert!(matches!(
        t.run(&mut Recorder::default(), 10),
        Err(StopReason::Unimplemented { at: 0, .. })
    ));
    // No end of thread.
    let nop = op(Opcode::Nop, 1, null_dst(Type::Ud), &[]);
    let k = Arc::new(Kernel::from_insts(&[nop]).expect("there is an instruction"));
    let mut t = Thread::new(&k, &[], 1, &ThreadInit::default(), Options::default());
    assert!(matches!(
        t.run(&mut Recorder::default(), 10),
        Err(StopReason::Fault { at: 16, .. })
    ));
}

#[test]
fn statistics_count_lanes_and_classes() {
    let options = Options {
        statistics: true,
        ..Options::default()
    };
    let mov = op(Opcode::Mov, 8, dst(4, Type::D), &[imm(Type::D, 1)]);
    let mut t = thread_with(&[mov, mov], &[], 0x0f, 0, options);
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
    let s = t.statistics();
    assert_eq!(s.instructions, 3);
    assert_eq!(s.lanes, 4 + 4 + 8);
    assert_eq!(s.by_class, [2, 0, 0, 0, 0, 1]);
}

#[test]
fn kernels_decode_from_bytes_and_ignore_bytes_after_eot() {
    let code = [
        op(Opcode::Mov, 8, dst(4, Type::D), &[imm(Type::D, 42)]),
        no_mask(branch(Opcode::Jmpi, 1, 2, 0)),
        op(Opcode::Mov, 8, dst(4, Type::D), &[imm(Type::D, 1)]),
        eot(),
    ];
    let mut heap = vec![0xa5u8; 64];
    for i in &code {
        heap.extend(isa::encode(i, hw::Gen::Gen9).expect("an instruction of gen9"));
    }
    heap.extend([0xff; 40]);
    let fetch = |at: u64| {
        let mut b = [0; 16];
        let from = (at as usize).min(heap.len());
        let to = (from + 16).min(heap.len());
        b[..to - from].copy_from_slice(&heap[from..to]);
        Ok(b)
    };
    let k = Arc::new(Kernel::decode(&fetch, 64, hw::Gen::Gen9).expect("decodes"));
    assert_eq!((k.start(), k.len()), (64, 3));
    let mut t = Thread::new(&k, &[], 0xff, &ThreadInit::default(), Options::default());
    assert_eq!(t.run(&mut Recorder::default(), 10), Ok(ThreadExit::Eot));
    assert_eq!(reg(&t, 4), [42; 8]);
    // Garbage at the start is an error at once.
    assert!(matches!(
        Kernel::decode(&fetch, 128, hw::Gen::Gen9),
        Err(StopReason::Fault { .. })
    ));
}
