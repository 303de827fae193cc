//! How long a thread takes alone: figures of the table in `sim/README.md`, written by hand.

use crate::kernel::Kernel;
use crate::state::Options;
use crate::testing::{
    Recorder, arf, arf_dst, branch, cmod, dst, eot, g, imm, null_dst, op, pred, region, scalar,
    thread_with,
};
use crate::thread::{Thread, ThreadExit, ThreadInit, ThreadStatistics};
use isa::{Addr, ArfReg, CondMod, Desc, Inst, MathFn, Opcode, PredCtrl, Region, Send, Type};
use std::sync::Arc;

/// Cycles of the end of a thread: its slot, and the reading of its one register.
const END: u64 = 2 + 8 + 2;

fn counted() -> Options {
    Options {
        statistics: true,
        ..Options::default()
    }
}

/// The statistics of a thread of these instructions.
fn statistics(code: &[Inst]) -> ThreadStatistics {
    let mut t = thread_with(code, &[0; 1024], 0xffff, 0, counted());
    assert_eq!(t.run(&mut Recorder::default(), 1000), Ok(ThreadExit::Eot));
    *t.statistics()
}

/// Cycles until the end of these instructions.
fn alone(code: &[Inst]) -> u64 {
    statistics(code).alone - END
}

/// A sum of two registers, of a type.
fn add(n: u8, ty: Type, to: u8, from: [u8; 2]) -> Inst {
    op(Opcode::Add, n, dst(to, ty), &from.map(|nr| g(nr, ty)))
}

fn mov(to: u8, from: u8) -> Inst {
    op(Opcode::Mov, 8, dst(to, Type::F), &[g(from, Type::F)])
}

fn math(n: u8, function: MathFn, to: u8, ty: Type) -> Inst {
    let mut i = op(Opcode::Math, n, dst(to, ty), &[g(8, ty), g(12, ty)]);
    i.math = Some(function);
    i
}

/// A message of `from` registers at g20, whose response of `to` registers goes to g60.
fn message(n: u8, sfid: u8, desc: u32, from: u32, to: u32) -> Inst {
    let mut i = op(Opcode::Send, n, dst(60, Type::Ud), &[g(20, Type::Ud)]);
    i.send = Some(Send {
        sfid,
        desc: Desc::Imm(desc | from << 25 | to << 20),
        ex_desc: Desc::Imm(0),
        eot: false,
    });
    i
}

#[test]
fn instruction_waits_for_its_sources() {
    let f = Type::F;
    let independent = [10, 13, 14].map(|to| add(8, f, to, [8, 9]));
    assert_eq!(alone(&independent), 3 * 2);
    // Each result is ready 8 cycles after its instruction has left the slot.
    let chain = [10, 11, 12].map(|to| add(8, f, to, [to - 1, 8]));
    assert_eq!(alone(&chain), 2 + 8 + 2 + 8 + 2);
    // What is between them is hidden.
    let there = [chain[0], independent[1], independent[2], chain[1]];
    assert_eq!(alone(&there), 2 + 8 + 2);
    // It is written again as late as it is read.
    assert_eq!(
        alone(&[add(8, f, 10, [8, 9]), add(8, f, 10, [8, 9])]),
        2 + 8 + 2
    );
    // NoDDChk: the program has checked the dependency itself.
    let mut again = add(8, f, 10, [8, 9]);
    again.no_dd_chk = true;
    assert_eq!(alone(&[add(8, f, 10, [8, 9]), again]), 2 + 2);
    // Nothing waits for the last result.
    assert_eq!(alone(&[]), 0);
}

#[test]
fn issue_slot_is_busy_per_register() {
    let two = |n, ty, far: u8| [add(n, ty, 20, [8, 12]), add(n, ty, 24, [far, 12])];
    let f = Type::F;
    assert_eq!(alone(&two(16, f, 8)), 4 + 4);
    assert_eq!(alone(&two(16, f, 20)), 4 + 8 + 4);
    // Also for the second half of what the first has written.
    assert_eq!(
        alone(&[add(16, f, 20, [8, 12]), add(8, f, 24, [21, 8])]),
        4 + 8 + 2
    );
    // Sixteen halves are a register; doubles take twice as long for each channel.
    assert_eq!(alone(&two(16, Type::Hf, 20)), 2 + 8 + 2);
    assert_eq!(alone(&two(8, Type::Df, 20)), 4 + 12 + 4);
    // Products of dwords go through the FPU twice; those of words do not.
    let mul = |ty| {
        let of = |to, from| {
            op(
                Opcode::Mul,
                8,
                dst(to, Type::D),
                &[g(from, Type::D), g(8, ty)],
            )
        };
        [of(20, 12), of(24, 20)]
    };
    assert_eq!(alone(&mul(Type::D)), 4 + 12 + 4);
    assert_eq!(alone(&mul(Type::W)), 2 + 8 + 2);
}

#[test]
fn math_functions_run_on_one_fpu() {
    let f = Type::F;
    let sin = |n| math(n, MathFn::Sin, 20, f);
    let use_it = add(8, f, 30, [20, 8]);
    let other = add(8, f, 30, [8, 9]);
    assert_eq!(alone(&[sin(8), use_it]), 2 + 16 + 2);
    assert_eq!(alone(&[sin(16), use_it]), 6 + 16 + 2);
    // The slot is free for others while the FPU is not free for another function.
    assert_eq!(alone(&[sin(8), other]), 2 + 2);
    assert_eq!(alone(&[sin(8), math(8, MathFn::Cos, 24, f)]), 4 + 2);
    assert_eq!(alone(&[sin(16), math(16, MathFn::Cos, 24, f)]), 8 + 6);
    let pow = |to| math(8, MathFn::Pow, to, f);
    assert_eq!(alone(&[pow(20), use_it]), 2 + 24 + 2);
    assert_eq!(alone(&[pow(20), pow(24)]), 8 + 2);
    let div = |to| math(8, MathFn::IntDivQuotient, to, Type::D);
    assert_eq!(alone(&[div(20), use_it]), 2 + 28 + 2);
    assert_eq!(alone(&[div(20), div(24)]), 26 + 2);
    // Doubles are done there, too.
    assert_eq!(alone(&[div(20), add(8, Type::Df, 24, [8, 10])]), 26 + 4);
    // Quotient and remainder are in neighbouring registers.
    let both = math(8, MathFn::IntDivBoth, 20, Type::D);
    assert_eq!(alone(&[both, add(8, f, 30, [21, 8])]), 2 + 28 + 2);
}

#[test]
fn multi_pass_operations_have_longer_latency() {
    let f = Type::F;
    let three = |o, third| {
        let sources = [g(8, f), g(12, f), g(third, f)];
        op(o, 8, dst(20, f), &sources)
    };
    let use_it = add(8, f, 30, [20, 8]);
    // The second and third source in one bank take one read more; registers that are the same do
    // not.
    assert_eq!(alone(&[three(Opcode::Mad, 13), use_it]), 2 + 8 + 2);
    assert_eq!(alone(&[three(Opcode::Mad, 14), use_it]), 3 + 8 + 2);
    assert_eq!(alone(&[three(Opcode::Mad, 78), use_it]), 2 + 8 + 2);
    assert_eq!(alone(&[three(Opcode::Mad, 12), use_it]), 2 + 8 + 2);
    assert_eq!(alone(&[three(Opcode::Mad, 8), use_it]), 2 + 8 + 2);
    assert_eq!(alone(&[three(Opcode::Lrp, 13), use_it]), 4 + 12 + 2);
    // A plane's coordinates are two registers, of which the operand names the first.
    let pln = op(Opcode::Pln, 8, dst(20, f), &[scalar(4, 0, f), g(12, f)]);
    assert_eq!(alone(&[pln, use_it]), 4 + 12 + 2);
    assert_eq!(alone(&[mov(13, 8), pln]), 2 + 8 + 4);
    assert_eq!(alone(&[mov(14, 8), pln]), 2 + 4);
    let dp4 = op(Opcode::Dp4, 8, dst(20, f), &[g(8, f), g(12, f)]);
    assert_eq!(alone(&[dp4, use_it]), 2 + 12 + 2);
}

#[test]
fn flags_have_longer_latency_than_registers() {
    let compare = |flag| {
        let of = op(
            Opcode::Cmp,
            8,
            null_dst(Type::F),
            &[g(8, Type::F), g(9, Type::F)],
        );
        cmod(of, CondMod::L, flag)
    };
    let on = |flag| pred(mov(20, 8), PredCtrl::Normal, false, flag);
    assert_eq!(alone(&[compare(0), on(0)]), 2 + 8 + 4 + 2);
    for other in 1..4 {
        assert_eq!(alone(&[compare(0), on(other)]), 2 + 2);
    }
    // By name.
    let read = |sub| {
        let flag = arf(ArfReg::Flag, 0, sub, Type::Uw);
        op(
            Opcode::Mov,
            1,
            dst(20, Type::Uw),
            &[region(flag, sub, 0, 1, 0)],
        )
    };
    assert_eq!(alone(&[compare(1), read(2)]), 2 + 8 + 4 + 2);
    assert_eq!(alone(&[compare(1), read(0)]), 2 + 2);
    // Sixteen channels from the eighth on are in two words; a minimum has a condition and sets
    // none.
    let mut half = compare(0);
    (half.exec_size, half.chan_off) = (16, 8);
    assert_eq!(alone(&[half, on(1)]), 4 + 8 + 4 + 2);
    let minimum = op(
        Opcode::Sel,
        8,
        dst(20, Type::F),
        &[g(8, Type::F), g(9, Type::F)],
    );
    assert_eq!(alone(&[cmod(minimum, CondMod::L, 0), on(0)]), 2 + 8 + 2);
    assert_eq!(
        alone(&[
            cmod(minimum, CondMod::L, 0),
            pred(mov(30, 8), PredCtrl::Normal, false, 0)
        ]),
        2 + 2
    );
    // A branch has its own time, and waits for its predicate.
    let branches = |first: &[Inst]| {
        let block = [
            pred(branch(Opcode::If, 8, 1, 1), PredCtrl::Normal, false, 0),
            branch(Opcode::Endif, 8, 1, 0),
        ];
        alone(&[first, &block].concat())
    };
    assert_eq!(branches(&[]), 8 + 8);
    assert_eq!(branches(&[compare(0)]), 2 + 8 + 4 + 8 + 8);
}

#[test]
fn accumulator_and_address_latencies() {
    let d = Type::D;
    let mut first = add(8, Type::F, 20, [8, 9]);
    first.acc_wr = true;
    let mac = op(
        Opcode::Mac,
        8,
        dst(30, Type::F),
        &[g(8, Type::F), g(9, Type::F)],
    );
    assert_eq!(alone(&[first, mac]), 2 + 4 + 2);
    first.acc_wr = false;
    assert_eq!(alone(&[first, mac]), 2 + 2);
    let to_acc = op(
        Opcode::Mov,
        8,
        arf_dst(ArfReg::Accumulator, 0, 0, d),
        &[g(8, d)],
    );
    let from_acc = |nr| {
        op(
            Opcode::Mov,
            8,
            dst(30, d),
            &[arf(ArfReg::Accumulator, nr, 0, d)],
        )
    };
    assert_eq!(alone(&[to_acc, from_acc(0)]), 2 + 4 + 2);
    assert_eq!(alone(&[to_acc, from_acc(1)]), 2 + 2);
    // The high half of a product takes the low one from there, and leaves it.
    let mach = op(Opcode::Mach, 8, dst(30, d), &[g(8, d), g(9, d)]);
    assert_eq!(alone(&[to_acc, mach, from_acc(0)]), 6 + 2 + 8 + 2);

    let address = op(
        Opcode::Mov,
        1,
        arf_dst(ArfReg::Address, 0, 0, Type::Uw),
        &[imm(Type::Uw, 12 * 32)],
    );
    let mut far = region(g(0, Type::F), 0, 8, 8, 1);
    far.addr = Addr::Indirect {
        a0_sub: 0,
        imm_bytes: 0,
    };
    let load = op(Opcode::Mov, 8, dst(30, Type::F), &[far]);
    assert_eq!(alone(&[address, load]), 2 + 8 + 4 + 2);
    // It waits for the registers that it finds, too.
    let div = math(8, MathFn::IntDivQuotient, 12, d);
    assert_eq!(alone(&[address, div, load]), 2 + 2 + 28 + 2);
    // With an address for each channel, these are read one by one.
    let mut each = load;
    each.src[0].region = Region::new(Region::VX1, 1, 0);
    assert_eq!(alone(&[address, each]), 2 + 8 + 4 + 2 + 8);
    let mut store = mov(0, 8);
    store.dst.addr = far.addr;
    assert_eq!(alone(&[address, store, mov(30, 12)]), 14 + 2 + 8 + 2);
    let mut send = message(8, 2, 0, 1, 1);
    if let Some(send) = &mut send.send {
        send.desc = Desc::A0(0);
    }
    assert_eq!(alone(&[address, send]), 2 + 8 + 4 + 2);
    // The control register is slow to write.
    let control = op(
        Opcode::Or,
        1,
        arf_dst(ArfReg::Control, 0, 0, Type::Ud),
        &[arf(ArfReg::Control, 0, 0, Type::Ud), imm(Type::Ud, 0)],
    );
    assert_eq!(alone(&[control]), 20);
}

#[test]
fn instructions_wait_for_the_send_responses_they_read() {
    let sample = message(8, 2, 0, 2, 4);
    let there = 2 + 214 + 2 * 2;
    let use_it = |nr| mov(80, nr);
    for nr in 60..64 {
        assert_eq!(alone(&[sample, use_it(nr)]), there + 2);
    }
    assert_eq!(alone(&[sample, use_it(64)]), 2 + 2);
    // What is between is hidden.
    let between = vec![mov(90, 8); 20];
    let chain = 19 * (2 + 8) + 2;
    let code = [&[sample][..], &between, &[use_it(60)]].concat();
    assert!(2 + chain < there);
    assert_eq!(alone(&code), there + 2);
    // A response that is not read delays a write to its registers, but not the end of the thread.
    assert_eq!(alone(&[sample, mov(61, 8)]), there + 2);
    assert_eq!(alone(&[sample]), 2);
    // Without channels nothing is sent.
    let none = pred(sample, PredCtrl::Normal, false, 0);
    assert_eq!(alone(&[none, use_it(60)]), 2 + 2);
}

#[test]
fn payload_registers_are_released_once_sent() {
    let sample = message(8, 2, 0, 3, 1);
    for nr in 20..23 {
        assert_eq!(alone(&[sample, mov(nr, 8)]), 2 + 8 + 3 * 2 + 2);
        // It may be read at any time.
        assert_eq!(alone(&[sample, mov(30, nr)]), 2 + 2);
        assert_eq!(alone(&[mov(nr, 8), sample]), 2 + 8 + 2);
    }
    assert_eq!(alone(&[sample, mov(23, 8)]), 2 + 2);
    assert_eq!(alone(&[mov(23, 8), sample]), 2 + 2);
    // Both parts of a split one.
    let mut split = op(
        Opcode::Sends,
        8,
        dst(60, Type::Ud),
        &[g(20, Type::Ud), g(40, Type::Ud)],
    );
    split.send = sample.send.map(|send| Send {
        ex_desc: Desc::Imm(2 << 6),
        ..send
    });
    for nr in [22, 40, 41] {
        assert_eq!(alone(&[split, mov(nr, 8)]), 2 + 8 + 5 * 2 + 2);
    }
    assert_eq!(alone(&[split, mov(42, 8)]), 2 + 2);
    assert_eq!(alone(&[mov(41, 8), split]), 2 + 8 + 2);
    // The thread ends with its last message's registers.
    let end = statistics(&[]);
    assert_eq!((end.alone, end.busy), (END, 0));
    assert_eq!(statistics(&[mov(127, 8)]).alone, 2 + 8 + END);
}

#[test]
fn shared_functions_have_latencies_and_intervals() {
    const SCRATCH: u32 = 1 << 18;
    const UNTYPED_READ: u32 = 1 << 14;
    const UNTYPED_ATOMIC: u32 = 2 << 14;
    // Shared function, descriptor, latency, and interval of messages of eight channels.
    let table = [
        (2, 0, 214, 16),
        (3, 0, 30, 0),
        (4, 0, 100, 16),
        (9, 0, 100, 16),
        (5, 0, 300, 0),
        (6, 0, 200, 6),
        (10, 0, 146, 20),
        (10, SCRATCH, 146, 8),
        // Scratch messages have their offset where others have a surface.
        (10, SCRATCH | 254, 146, 8),
        (10, 254, 100, 20),
        (12, UNTYPED_READ, 146, 20),
        (12, UNTYPED_READ | 254, 100, 20),
        (12, UNTYPED_ATOMIC, 176, 50),
        (12, UNTYPED_ATOMIC | 254, 130, 50),
        (11, 0, 90, 14),
        (7, 0, 50, 0),
    ];
    for (sfid, desc, answer, pace) in table {
        let one = message(8, sfid, desc, 1, 1);
        let use_it = |nr| mov(80, nr);
        assert_eq!(
            alone(&[one, use_it(60)]),
            2 + answer + 2 + 2,
            "{sfid} {desc:#x}"
        );
        // The next waits until the function takes it; the thread does not.
        for n in [8, 16] {
            let mut first = message(n, sfid, desc, 1, 1);
            first.dst = dst(70, Type::Ud);
            let starts = 4.max(2 + pace * u64::from(n) / 8);
            let code = [first, one, use_it(60)];
            assert_eq!(alone(&code), starts + answer + 2 + 2, "{sfid} {desc:#x}");
            assert_eq!(alone(&code[..2]), 4);
        }
    }
}

#[test]
fn barrier_waits_are_not_counted_and_threads_start_at_zero() {
    let wait = op(
        Opcode::Wait,
        1,
        arf_dst(ArfReg::Notification, 0, 0, Type::Ud),
        &[arf(ArfReg::Notification, 0, 0, Type::Ud)],
    );
    let code = [mov(10, 8), wait, mov(11, 10), eot()];
    let kernel = Arc::new(Kernel::from_insts(&code).expect("there is an instruction"));
    let init = ThreadInit::default();
    let mut t = Thread::new(&kernel, &[], 0xff, &init, counted());
    for _ in 0..3 {
        let sf = &mut Recorder::default();
        for _ in 0..3 {
            assert_eq!(t.run(sf, 100), Ok(ThreadExit::Barrier));
            // The move alone: the WAIT has not been taken.
            let s = t.statistics();
            assert_eq!((s.alone, s.by_class), (2, [1, 0, 0, 0, 0, 0]));
        }
        t.notify();
        assert_eq!(t.run(sf, 100), Ok(ThreadExit::Eot));
        let s = t.statistics();
        assert_eq!((s.alone, s.busy), (2 + 8 + 2 + END, 2 + 2));
        assert_eq!((s.instructions, s.by_class), (4, [2, 0, 0, 0, 1, 1]));
        t.reset(&kernel, &[], 0xff, &init);
    }
}
