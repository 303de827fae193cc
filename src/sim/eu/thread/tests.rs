//! A thread's beginning, its state registers, what is counted and traced of it, and how it waits.
//!
//! Ref: SKL PRM vol. 7, "State Register", "Notification Registers", "Thread Payload"; "The Compute
//!      Architecture of Intel Processor Graphics Gen9": an FPU does four 32-bit operations a cycle.

mod execution;
mod text_cases;

use crate::kernel::Kernel;
use crate::message::StopReason;
use crate::regs;
use crate::state::Options;
use crate::testing::{
    Recorder, arf, arf_dst, branch, cmod, dst, eot, g, imm, no_mask, null_dst, op, pred, reg,
    region, run, scalar, thread, thread_with,
};
use crate::thread::{Thread, ThreadExit, ThreadInit, ThreadStatistics, TraceSink};
use isa::{ArfReg, CondMod, Desc, Inst, MathFn, Opcode, PredCtrl, Send, Type};
use std::sync::Arc;
use std::sync::Mutex;

fn kernel(code: &[Inst]) -> Arc<Kernel> {
    let mut code = code.to_vec();
    code.push(eot());
    Arc::new(Kernel::from_insts(&code).expect("there is an instruction"))
}

fn ends(t: &mut Thread) {
    assert_eq!(t.run(&mut Recorder::default(), 1000), Ok(ThreadExit::Eot));
}

fn mov(nr: u8, v: u64) -> Inst {
    op(Opcode::Mov, 8, dst(nr, Type::D), &[imm(Type::D, v)])
}

#[test]
fn thread_starts_with_payload_masks_and_state() {
    let init = ThreadInit {
        sr0: [10, 11, 12, 13, 14, 15, 16, 17],
        tdr0: [20, 21, 22, 23],
        cr0: 1 << 4 | 1 << 7,
        ..ThreadInit::default()
    };
    // More than the register file holds.
    let payload: Vec<u32> = (1..=1100).collect();
    let t = Thread::new(&kernel(&[]), &payload, 0x31, &init, Options::default());
    assert_eq!(t.grf(), &payload[..1024]);
    assert_eq!(t.state.regs.read(regs::NULL, 8), 0);
    let words = |at: usize, n: usize| {
        (0..n)
            .map(|i| t.state.regs.dword(at + 4 * i))
            .collect::<Vec<_>>()
    };
    assert_eq!(words(regs::SR, 8), [10, 11, 0x31, 0xff, 14, 15, 16, 17]);
    assert_eq!(words(regs::TDR, 4), [20, 21, 22, 23]);
    assert_eq!(words(regs::CR, 1), [1 << 4 | 1 << 7]);
    assert_eq!((t.active(), t.flags(), t.ip()), (0x31, 0, 0));
}

#[test]
fn vector_mask_covers_whole_subspans() {
    for mask in (0..16).chain([0x8421_0842, 0xf000_0001, 0x0100_0010]) {
        let want = (0..8).fold(0u32, |m, k| match mask >> (4 * k) & 15 {
            0 => m,
            _ => m | 15 << (4 * k),
        });
        for vector_mask in [false, true] {
            let init = ThreadInit {
                vector_mask,
                ..ThreadInit::default()
            };
            let t = Thread::new(&kernel(&[]), &[], mask, &init, Options::default());
            assert_eq!(
                t.active(),
                if vector_mask { want } else { mask },
                "{mask:#x}"
            );
            let sr0 = [2, 3].map(|i| t.state.regs.dword(regs::SR + 4 * i));
            assert_eq!(sr0, [mask, want]);
        }
    }
}

#[test]
fn restarted_thread_has_no_old_state() {
    let options = Options {
        statistics: true,
        uninit: true,
        ..Options::default()
    };
    // Leaves flags, registers, an accumulator, and channels that wait.
    let mut mul = op(
        Opcode::Mul,
        8,
        arf_dst(ArfReg::Accumulator, 0, 0, Type::D),
        &[imm(Type::D, 5), imm(Type::D, 7)],
    );
    mul.no_mask = true;
    let below_4 = cmod(
        op(
            Opcode::Cmp,
            8,
            null_dst(Type::D),
            &[imm(Type::V, 0x7654_3210), imm(Type::D, 4)],
        ),
        CondMod::L,
        0,
    );
    let first = kernel(&[
        mul,
        mov(30, 9),
        below_4,
        pred(branch(Opcode::If, 8, 2, 2), PredCtrl::Normal, false, 0),
        eot(),
        branch(Opcode::Endif, 8, 1, 0),
    ]);
    let init = ThreadInit {
        cr0: 3 << 4,
        ..ThreadInit::default()
    };
    let mut t = Thread::new(&first, &[1; 1024], 0xff, &init, options);
    ends(&mut t);
    assert_ne!((t.state.waiting, t.flags()), (0, 0));
    let mac = op(
        Opcode::Mac,
        8,
        dst(4, Type::D),
        &[imm(Type::D, 1), imm(Type::D, 2)],
    );
    let second = kernel(&[mac, mov(5, 6), mov(6, 7)]);
    t.reset(&second, &[], 0x0f, &ThreadInit::default());
    assert_eq!((t.grf(), t.flags(), t.active()), (&[0; 1024][..], 0, 0x0f));
    assert_eq!((t.state.waiting, t.statistics().instructions), (0, 0));
    ends(&mut t);
    assert_eq!(reg(&t, 4), [2, 2, 2, 2, 0, 0, 0, 0]);
    assert_eq!(reg(&t, 6), [7, 7, 7, 7, 0, 0, 0, 0]);
    assert_eq!(t.statistics().instructions, 4);
    // Also of the same kernel; nothing is written then.
    let read = op(
        Opcode::Add,
        8,
        arf_dst(ArfReg::Accumulator, 0, 0, Type::D),
        &[g(5, Type::D), imm(Type::D, 0)],
    );
    let k = kernel(&[read]);
    let mut t = Thread::new(&k, &[0; 48], 0xff, &ThreadInit::default(), options);
    ends(&mut t);
    t.reset(&k, &[0; 8], 0xff, &ThreadInit::default());
    let e = t.run(&mut Recorder::default(), 10);
    assert!(
        matches!(
            e,
            Err(StopReason::Undefined {
                rule: "uninitialised",
                ..
            })
        ),
        "{e:?}"
    );
}

#[test]
fn statistics_count_each_operation_class() {
    let table: [(&str, &[Opcode]); 6] = [
        (
            "move",
            &[
                Opcode::Mov,
                Opcode::Sel,
                Opcode::Movi,
                Opcode::Dim,
                Opcode::Csel,
            ],
        ),
        (
            "logic",
            &[
                Opcode::Not,
                Opcode::And,
                Opcode::Or,
                Opcode::Xor,
                Opcode::Shr,
                Opcode::Shl,
                Opcode::Asr,
                Opcode::Rol,
                Opcode::Ror,
                Opcode::Cmp,
                Opcode::Cmpn,
            ],
        ),
        (
            "arithmetic",
            &[
                Opcode::Add,
                Opcode::Mul,
                Opcode::Avg,
                Opcode::Mad,
                Opcode::Bfrev,
                Opcode::Addc,
                Opcode::Lzd,
            ],
        ),
        ("math", &[Opcode::Math]),
        (
            "flow",
            &[
                Opcode::If,
                Opcode::Else,
                Opcode::Endif,
                Opcode::While,
                Opcode::Break,
                Opcode::Cont,
                Opcode::Halt,
                Opcode::Goto,
                Opcode::Join,
                Opcode::Jmpi,
                Opcode::Brd,
                Opcode::Brc,
                Opcode::Call,
                Opcode::Ret,
                Opcode::Nop,
                Opcode::Sync,
            ],
        ),
        (
            "send",
            &[Opcode::Send, Opcode::Sendc, Opcode::Sends, Opcode::Sendsc],
        ),
    ];
    let options = Options {
        statistics: true,
        ..Options::default()
    };
    for (class, ops) in table {
        for o in ops {
            let mut i = op(*o, 8, dst(4, Type::D), &[imm(Type::D, 0); 3]);
            (i.jip, i.uip) = (16, 16);
            i.math = Some(MathFn::IntDivQuotient);
            i.send = Some(Send {
                sfid: 12,
                desc: Desc::Imm(0),
                ex_desc: Desc::Imm(0),
                eot: false,
            });
            if *o == Opcode::Ret {
                // To the instruction behind it, which a register names.
                i.src[0] = scalar(2, 0, Type::D);
            }
            let mut t = thread_with(&[i], &[16; 64], 0xff, 0, options);
            ends(&mut t);
            let mut want = [0; 6];
            want[ThreadStatistics::CLASSES
                .iter()
                .position(|c| *c == class)
                .expect("a class")] += 1;
            want[5] += 1;
            assert_eq!(t.statistics().by_class, want, "{o:?} is {class}");
        }
    }
}

#[test]
fn fpu_busy_cycles_scale_with_registers_and_math() {
    let two = |o, n, d, s| op(o, n, dst(40, d), &[g(8, s), g(16, s)]);
    let math = |n, function| {
        let mut i = two(Opcode::Math, n, Type::F, Type::F);
        i.math = Some(function);
        i
    };
    let table = [
        (two(Opcode::Add, 8, Type::D, Type::D), 2),
        (two(Opcode::Add, 16, Type::F, Type::F), 4),
        (two(Opcode::Add, 32, Type::F, Type::F), 8),
        // Part of a register is no faster.
        (two(Opcode::Add, 1, Type::F, Type::F), 2),
        // Of narrower elements there are more in a register, unless they go to dwords.
        (two(Opcode::Add, 16, Type::W, Type::W), 2),
        (two(Opcode::Add, 16, Type::Hf, Type::Hf), 2),
        (two(Opcode::Add, 16, Type::D, Type::W), 4),
        (two(Opcode::Add, 8, Type::Q, Type::Q), 4),
        (two(Opcode::Add, 8, Type::D, Type::Q), 4),
        (op(Opcode::Mov, 8, dst(40, Type::D), &[g(8, Type::Q)]), 4),
        // Products of dwords, not of singles.
        (two(Opcode::Mul, 8, Type::D, Type::D), 4),
        (two(Opcode::Mul, 8, Type::F, Type::F), 2),
        (math(8, MathFn::Inv), 4),
        (math(16, MathFn::Sin), 8),
        (math(8, MathFn::Fdiv), 8),
        (math(16, MathFn::Pow), 16),
        (two(Opcode::Add, 8, Type::Df, Type::Df), 4),
        (branch(Opcode::Join, 16, 1, 0), 0),
    ];
    let options = Options {
        statistics: true,
        ..Options::default()
    };
    for (i, cycles) in table {
        let mut t = thread_with(&[i, i], &[0; 1024], 0x3, 0, options);
        ends(&mut t);
        let s = t.statistics();
        assert_eq!(s.busy, 2 * cycles, "{i:?}");
        // Math functions and doubles are for one of the FPUs.
        let one = i.op == Opcode::Math || i.dst.ty == Type::Df;
        assert_eq!(s.extended, if one { 2 * cycles } else { 0 }, "{i:?}");
        let lanes = u64::from(i.exec_size.min(2));
        assert_eq!(t.statistics().lanes, 2 * lanes + 8, "{i:?}");
    }
    // Without statistics, only instructions are counted.
    let mut t = thread(&[mov(4, 1)], &[], 0xff);
    ends(&mut t);
    let want = ThreadStatistics {
        instructions: 2,
        ..ThreadStatistics::default()
    };
    assert_eq!(*t.statistics(), want);
    let mut sum = ThreadStatistics {
        instructions: 1,
        lanes: 2,
        by_class: [1, 2, 3, 4, 5, 6],
        busy: 3,
        extended: 4,
        alone: 5,
    };
    let more = ThreadStatistics {
        instructions: 10,
        lanes: 20,
        by_class: [10, 20, 30, 40, 50, 60],
        busy: 30,
        extended: 40,
        alone: 50,
    };
    sum += &more;
    let want = ThreadStatistics {
        instructions: 11,
        lanes: 22,
        by_class: [11, 22, 33, 44, 55, 66],
        busy: 33,
        extended: 44,
        alone: 55,
    };
    assert_eq!(sum, want);
}

#[test]
fn eu_cycles_are_the_maximum_of_fpu_and_issue_slots() {
    let cycles = |busy, extended, alone| ThreadStatistics {
        busy,
        extended,
        alone,
        ..ThreadStatistics::default()
    };
    // Two FPUs share the work.
    assert_eq!(cycles(101, 20, 300).estimate(7), 51);
    // One of them has to do most of it.
    assert_eq!(cycles(101, 90, 300).estimate(7), 90);
    // Waits are hidden behind the work of seven threads, not of six.
    assert_eq!(cycles(101, 20, 357).estimate(7), 51);
    assert_eq!(cycles(101, 20, 357).estimate(6), 60);
    assert_eq!(cycles(101, 20, 358).estimate(7), 52);
    assert_eq!(cycles(1, 0, 5).estimate(0), 5);
}

/// Keeps what it sees.
struct Tracer(Arc<Mutex<Vec<(u64, Opcode, u32)>>>);

impl TraceSink for Tracer {
    fn instruction(&mut self, ip: u64, inst: &Inst, lanes: u32) {
        self.0
            .lock()
            .expect("nobody panics")
            .push((ip, inst.op, lanes));
    }
}

#[test]
fn trace_lists_instructions_with_their_enabled_lanes() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut upper = mov(5, 2);
    upper.chan_off = 8;
    let some = pred(mov(6, 3), PredCtrl::Normal, true, 0);
    let all = no_mask(mov(7, 4));
    let mut t = thread(&[mov(4, 1), upper, some, all], &[], 0x3c5a);
    t.state.regs.set_flags(0x18);
    t.set_trace(Box::new(Tracer(Arc::clone(&seen))));
    ends(&mut t);
    let want = [
        (0, Opcode::Mov, 0x5a),
        (16, Opcode::Mov, 0x3c),
        (32, Opcode::Mov, 0x42),
        (48, Opcode::Mov, 0xff),
        (64, Opcode::Send, 0xff),
    ];
    assert_eq!(seen.lock().expect("nobody panics")[..], want);
}

#[test]
fn each_notification_wakes_one_wait() {
    let wait = |sub| {
        no_mask(op(
            Opcode::Wait,
            1,
            null_dst(Type::Ud),
            &[arf(ArfReg::Notification, 0, sub, Type::Ud)],
        ))
    };
    let mut t = thread(&[wait(0), mov(4, 1), wait(0), mov(5, 2)], &[], 0xff);
    let mut r = Recorder::default();
    t.notify();
    assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Barrier));
    assert_eq!((reg(&t, 4)[0], reg(&t, 5)[0], t.ip()), (1, 0, 32));
    t.notify();
    t.notify();
    ends(&mut t);
    assert_eq!(
        (reg(&t, 5)[0], t.state.regs.dword(regs::N0)),
        (2, 1),
        "one is left"
    );
    // n0.1 and n0.2 count by themselves.
    for sub in [4u8, 8] {
        let mut t = thread(&[wait(sub)], &[], 0xff);
        t.notify();
        assert_eq!(t.run(&mut r, 100), Ok(ThreadExit::Barrier), "n0 byte {sub}");
        t.state.regs.set_dword(regs::N0 + usize::from(sub), 2);
        ends(&mut t);
        let left = [0, usize::from(sub)].map(|at| t.state.regs.dword(regs::N0 + at));
        assert_eq!(left, [1, 1], "n0 byte {sub}");
    }
}

#[test]
fn budget_counts_instructions_but_not_waiting() {
    let wait = no_mask(op(
        Opcode::Wait,
        1,
        null_dst(Type::Ud),
        &[arf(ArfReg::Notification, 0, 0, Type::Ud)],
    ));
    let mut t = thread(&[mov(4, 1), wait, mov(5, 2)], &[], 0xff);
    let mut r = Recorder::default();
    assert_eq!(t.run(&mut r, 0), Ok(ThreadExit::Budget));
    assert_eq!(t.run(&mut r, 2), Ok(ThreadExit::Barrier));
    assert_eq!(t.statistics().instructions, 1);
    t.notify();
    // The end is the fourth instruction.
    assert_eq!(t.run(&mut r, 2), Ok(ThreadExit::Budget));
    assert_eq!((t.statistics().instructions, t.ip()), (3, 48));
    assert_eq!(t.run(&mut r, 1), Ok(ThreadExit::Eot));
    assert_eq!(t.statistics().instructions, 4);
}

#[test]
fn stopped_thread_stays_stopped() {
    let ill = op(Opcode::Illegal, 1, null_dst(Type::Ud), &[]);
    let mut t = thread(&[mov(4, 1), ill], &[], 0xff);
    let mut r = Recorder::default();
    assert!(matches!(
        t.run(&mut r, 10),
        Err(StopReason::Fault { at: 16, .. })
    ));
    assert_eq!(t.run(&mut r, 10), Ok(ThreadExit::Eot));
    assert!(r.sent.is_empty());
}

#[test]
fn writing_the_instruction_pointer_jumps() {
    let to = |at| {
        no_mask(op(
            Opcode::Mov,
            1,
            arf_dst(ArfReg::InstructionPointer, 0, 0, Type::Ud),
            &[imm(Type::Ud, at)],
        ))
    };
    let t = run(&[to(32), mov(4, 1), mov(5, 2)], &[], 0xff);
    assert_eq!((reg(&t, 4)[0], reg(&t, 5)[0]), (0, 2));
    let mut t = thread(&[to(8)], &[], 0xff);
    let e = t.run(&mut Recorder::default(), 10);
    assert!(
        matches!(e, Err(StopReason::Unimplemented { at: 0, .. })),
        "{e:?}"
    );
}

#[test]
fn state_registers_are_current_in_every_source() {
    let at = |r, sub| region(arf(r, 0, sub, Type::Ud), sub, 0, 1, 0);
    let add = |nr, s| {
        no_mask(op(
            Opcode::Add,
            1,
            dst(nr, Type::Ud),
            &[imm(Type::Ud, 100), s],
        ))
    };
    let below_3 = cmod(
        op(
            Opcode::Cmp,
            8,
            null_dst(Type::D),
            &[imm(Type::V, 0x7654_3210), imm(Type::D, 3)],
        ),
        CondMod::L,
        0,
    );
    let code = [
        add(4, at(ArfReg::InstructionPointer, 0)),
        add(5, at(ArfReg::Timestamp, 0)),
        add(6, at(ArfReg::Timestamp, 4)),
        below_3,
        pred(branch(Opcode::If, 8, 2, 2), PredCtrl::Normal, false, 0),
        add(7, at(ArfReg::ChannelEnable, 0)),
        branch(Opcode::Endif, 8, 1, 0),
        add(8, at(ArfReg::ChannelEnable, 0)),
        add(9, at(ArfReg::InstructionPointer, 0)),
    ];
    let t = run(&code, &[], 0xff);
    // The clock of these tests goes on by 2³² + 1 each time it is read.
    let got = [4, 5, 6, 7, 8, 9].map(|nr| reg(&t, nr)[0]);
    assert_eq!(got, [100, 101, 102, 107, 0xff + 100, 128 + 100]);
}

#[test]
fn only_cr0_changes_the_float_mode() {
    let set = |r, v| {
        no_mask(op(
            Opcode::Mov,
            1,
            arf_dst(r, 0, 0, Type::Ud),
            &[imm(Type::Ud, v)],
        ))
    };
    let add = |nr| {
        let tiny = imm(Type::F, u64::from(2f32.powi(-30).to_bits()));
        let one = imm(Type::F, u64::from(1f32.to_bits()));
        op(Opcode::Add, 8, dst(nr, Type::F), &[one, tiny])
    };
    let code = [
        set(ArfReg::Control, 1 << 4),
        add(4),
        set(ArfReg::State, 0),
        set(ArfReg::Notification, 0),
        add(5),
        set(ArfReg::Control, 0),
        add(6),
    ];
    let t = run(&code, &[], 0xff);
    let (one, more) = (1f32, 1f32.next_up());
    assert_eq!(
        [4, 5, 6].map(|nr| f32::from_bits(reg(&t, nr)[3])),
        [more, more, one]
    );
}
