//! Undefined values: which results they make undefined, and which uses of those are stopped.

use super::tests::{UNINIT, stopped, write_one};
use crate::kernel::Kernel;
use crate::testing::{
    Recorder, arf, arf_dst, branch, cmod, dst, eot, g, imm, neg, no_mask, null_dst, op, pred,
    region,
};
use crate::thread::{Thread, ThreadExit, ThreadInit};
use isa::{ArfReg, CondMod, Desc, Inst, Opcode, PredCtrl, Send, Type};
use std::sync::Arc;

/// A write of the registers from g20 on to an untyped surface, whose addresses are the payload's g1
/// and g2.
fn store(n: u8, bti: u32) -> Inst {
    let registers = u32::from(n / 8);
    let mut send = op(
        Opcode::Sends,
        n,
        null_dst(Type::Ud),
        &[g(1, Type::Ud), g(20, Type::Ud)],
    );
    send.send = Some(Send {
        sfid: 12,
        desc: Desc::Imm(registers << 25 | 9 << 14 | bti),
        ex_desc: Desc::Imm(registers << 6 | 12),
        eot: false,
    });
    send
}

/// The sum of 1 and the stale register g40 in `n` lanes, in `nr`.
fn stale_sum(n: u8, nr: u8) -> Inst {
    let sources = [g(40, Type::D), imm(Type::D, 1)];
    op(Opcode::Add, n, dst(nr, Type::D), &sources)
}

fn copy(n: u8, to: u8, from: u8) -> Inst {
    op(Opcode::Mov, n, dst(to, Type::D), &[g(from, Type::D)])
}

/// The instruction that is stopped, with the channels of `mask`; g0 to g2 are the payload.
fn stop(code: &[Inst], mask: u32) -> Option<u64> {
    stopped(code, &[5; 24], mask).map(|(at, _)| at)
}

#[test]
fn computed_undefined_values_are_stopped_where_they_are_sent() {
    let send = store(8, 1);
    // Nothing has been computed: a compiler may send a component that it does not know.
    assert_eq!(stop(&[send], 0xff), None);
    assert_eq!(stop(&[copy(8, 20, 40), send], 0xff), None);
    // A stale value that is read and moved, but not sent.
    let read = [stale_sum(8, 30), copy(8, 31, 30)];
    assert_eq!(stop(&read, 0xff), None);
    assert_eq!(stop(&[stale_sum(8, 20), send], 0xff), Some(1));
    let moved = [stale_sum(8, 30), copy(8, 20, 30), send];
    assert_eq!(stop(&moved, 0xff), Some(2));
    let again = op(Opcode::Add, 8, dst(20, Type::D), &[g(30, Type::D); 2]);
    assert_eq!(stop(&[stale_sum(8, 30), again, send], 0xff), Some(2));
    // Overwritten, by a value, by a message, by a register that nothing has written.
    for over in [write_one(8, dst(20, Type::D)), copy(8, 20, 50)] {
        assert_eq!(stop(&[stale_sum(8, 20), over, send], 0xff), None);
        let half = Inst {
            exec_size: 4,
            ..over
        };
        assert_eq!(stop(&[stale_sum(8, 20), half, send], 0xff), Some(2));
    }
    let mut response = store(8, 1);
    response.op = Opcode::Send;
    response.dst = dst(20, Type::Ud);
    if let Some(send) = &mut response.send {
        send.desc = Desc::Imm(1 << 25 | 1 << 20 | 0xe01 | 1 << 14);
        send.ex_desc = Desc::Imm(12);
    }
    assert_eq!(stop(&[stale_sum(8, 20), response, send], 0xff), None);
    // Spilled: not used yet.
    for bti in [253, 255] {
        assert_eq!(stop(&[stale_sum(8, 20), store(8, bti)], 0xff), None);
    }
}

/// Vectors may have undefined components, whose registers hold anything.
#[test]
fn the_first_register_of_a_vector_is_checked() {
    let vector = |sfid: u8, desc: u32| {
        let mut send = store(8, 0);
        if let Some(send) = &mut send.send {
            send.sfid = sfid;
            send.desc = Desc::Imm(1 << 25 | desc);
            send.ex_desc = Desc::Imm(2 << 6 | u32::from(sfid));
        }
        send
    };
    // A SIMD8 write to the URB, without and with a channel mask, whose register is g20.
    let (plain, masked) = (vector(6, 1 << 19 | 7), vector(6, 1 << 19 | 1 << 15 | 7));
    assert_eq!(stop(&[stale_sum(8, 20), plain], 0xff), Some(1));
    assert_eq!(stop(&[stale_sum(8, 21), plain], 0xff), None);
    let mask = write_one(8, dst(20, Type::D));
    assert_eq!(stop(&[mask, stale_sum(8, 21), masked], 0xff), None);
    // The coordinates of a sampler's message.
    let mut sample = vector(2, 0x2000);
    sample.src[0] = g(20, Type::Ud);
    sample.src[1] = g(21, Type::Ud);
    assert_eq!(stop(&[stale_sum(8, 20), sample], 0xff), Some(1));
    assert_eq!(stop(&[stale_sum(8, 21), sample], 0xff), None);
    // Each register of raw memory.
    let pair = vector(12, 9 << 14 | 1);
    assert_eq!(stop(&[stale_sum(8, 21), pair], 0xff), Some(1));
}

#[test]
fn only_enabled_lanes_of_a_message_count() {
    let all = write_one(8, dst(20, Type::D));
    let upper = Inst {
        exec_size: 4,
        chan_off: 4,
        dst: isa::Dst {
            addr: isa::Addr::Direct {
                nr: 20,
                sub_bytes: 16,
            },
            ..dst(20, Type::D)
        },
        ..stale_sum(4, 20)
    };
    // Below channel 4 only.
    let below = cmod(
        op(
            Opcode::Cmp,
            8,
            null_dst(Type::D),
            &[imm(Type::V, 0x7654_3210), imm(Type::D, 4)],
        ),
        CondMod::L,
        0,
    );
    let lower = pred(store(8, 1), PredCtrl::Normal, false, 0);
    let others = pred(store(8, 1), PredCtrl::Normal, true, 0);
    assert_eq!(stop(&[all, upper, below, lower], 0xff), None);
    assert_eq!(stop(&[all, upper, below, others], 0xff), Some(3));
    // The second register of a message of 16 lanes.
    let pair = [write_one(8, dst(20, Type::D)), stale_sum(8, 21)];
    assert_eq!(stop(&[pair[0], pair[1], store(16, 1)], 0xffff), Some(2));
    let high = Inst {
        chan_off: 8,
        ..pair[1]
    };
    assert_eq!(stop(&[pair[0], high, store(16, 1)], 0xff), None);
    assert_eq!(stop(&[pair[0], high, store(16, 1)], 0xff00), Some(2));
    // Channels that are off compute with anything.
    assert_eq!(stop(&[no_mask(stale_sum(8, 20)), store(8, 1)], 0), None);
}

#[test]
fn operands_that_decide_a_result_define_it() {
    let send = store(8, 1);
    for (o, bits, defined) in [
        (Opcode::And, 0, true),
        (Opcode::And, 1, false),
        (Opcode::Or, 0xffff_ffff, true),
        (Opcode::Or, 0x7fff_ffff, false),
        (Opcode::Xor, 0, false),
    ] {
        let mask = op(Opcode::Mov, 8, dst(31, Type::D), &[imm(Type::D, bits)]);
        for sources in [
            [g(30, Type::D), g(31, Type::D)],
            [g(31, Type::D), g(30, Type::D)],
            [g(30, Type::D), imm(Type::D, bits)],
        ] {
            let masked = op(o, 8, dst(20, Type::D), &sources);
            let got = stop(&[stale_sum(8, 30), mask, masked, send], 0xff);
            assert_eq!(got, (!defined).then_some(3), "{o:?} {bits:#x}");
        }
    }
    // With a NOT of the operand.
    let ones = neg(g(31, Type::D));
    let mask = op(Opcode::Mov, 8, dst(31, Type::D), &[imm(Type::D, u64::MAX)]);
    let masked = op(Opcode::And, 8, dst(20, Type::D), &[g(30, Type::D), ones]);
    assert_eq!(stop(&[stale_sum(8, 30), mask, masked, send], 0xff), None);
}

#[test]
fn undefined_flags_are_stopped_where_they_decide() {
    let compare = cmod(
        op(
            Opcode::Cmp,
            8,
            null_dst(Type::D),
            &[g(40, Type::D), imm(Type::D, 4)],
        ),
        CondMod::L,
        0,
    );
    let normal = |i| pred(i, PredCtrl::Normal, false, 0);
    let block = |i| [compare, normal(i), branch(Opcode::Endif, 8, 1, 0)];
    assert_eq!(stop(&[compare], 0xff), None);
    assert_eq!(stop(&block(branch(Opcode::If, 8, 1, 1)), 0xff), Some(1));
    assert_eq!(stop(&[compare, normal(store(8, 1))], 0xff), Some(1));
    // Another flag, or a flag that is written again.
    let other = pred(store(8, 1), PredCtrl::Normal, false, 2);
    assert_eq!(stop(&[compare, other], 0xff), None);
    let known = Inst {
        src: {
            let mut src = compare.src;
            src[0] = g(1, Type::D);
            src
        },
        ..compare
    };
    assert_eq!(stop(&[compare, known, normal(store(8, 1))], 0xff), None);
    let zero = no_mask(op(
        Opcode::Mov,
        1,
        arf_dst(ArfReg::Flag, 0, 0, Type::Ud),
        &[imm(Type::Ud, 0)],
    ));
    assert_eq!(stop(&[compare, zero, normal(store(8, 1))], 0xff), None);
    // Lanes that are off have no part in it.
    let lower = Inst {
        exec_size: 4,
        ..compare
    };
    assert_eq!(stop(&[lower, normal(store(8, 1))], 0xf0), None);
    // A selection, and a predicated move, by an undefined flag are undefined.
    let data = [g(1, Type::D), imm(Type::D, 3)];
    let sel = normal(op(Opcode::Sel, 8, dst(20, Type::D), &data));
    assert_eq!(stop(&[compare, sel, store(8, 1)], 0xff), Some(2));
    let moved = normal(write_one(8, dst(20, Type::D)));
    let first = write_one(8, dst(20, Type::D));
    assert_eq!(stop(&[first, compare, moved, store(8, 1)], 0xff), Some(3));
    // So are flags in a register.
    let flags = isa::Src {
        region: isa::Region::SCALAR,
        ..arf(ArfReg::Flag, 0, 0, Type::Ud)
    };
    let read = op(Opcode::Mov, 8, dst(20, Type::Ud), &[flags]);
    assert_eq!(stop(&[compare, read, store(8, 1)], 0xff), Some(2));
    // A vote that other channels decide is not.
    let some = no_mask(op(
        Opcode::Mov,
        1,
        arf_dst(ArfReg::Flag, 0, 0, Type::Ud),
        &[imm(Type::Ud, 0x10)],
    ));
    let any = pred(store(8, 1), PredCtrl::Any8h, false, 0);
    assert_eq!(stop(&[some, lower, any], 0xff), None);
    assert_eq!(stop(&[zero, lower, any], 0xff), Some(2));
}

/// A comparison predicated by the flag that it writes is a conjunction or a disjunction.
#[test]
fn operands_of_predicated_comparisons_decide_their_flags() {
    let compare = |s, value| {
        let sources = [s, imm(Type::D, value)];
        let i = op(Opcode::Cmp, 8, null_dst(Type::D), &sources);
        cmod(i, CondMod::Nz, 0)
    };
    let unknown = compare(g(40, Type::D), 0);
    let send = pred(store(8, 1), PredCtrl::Normal, false, 0);
    // The payload's registers are 5.
    for (inverse, value, decided) in [
        (false, 5, true),
        (false, 6, false),
        (true, 6, true),
        (true, 5, false),
    ] {
        let second = compare(g(1, Type::D), value);
        let second = pred(second, PredCtrl::Normal, inverse, 0);
        let got = stop(&[unknown, second, send], 0xff);
        assert_eq!(got, (!decided).then_some(2), "{inverse} {value}");
    }
    let stale = pred(compare(g(41, Type::D), 5), PredCtrl::Normal, false, 0);
    assert_eq!(stop(&[unknown, stale, send], 0xff), Some(2));
}

/// A quad's value from the stale register of a disabled channel, which a mask removes.
#[test]
fn stale_value_of_a_disabled_neighbour_may_be_masked_off() {
    let own = write_one(8, dst(30, Type::D));
    // Channel 3 of each quad; channels 4 to 7 are off, so that those of the second are stale.
    let third = |nr| region(g(nr, Type::D), 12, 4, 4, 0);
    let neighbour = op(Opcode::Mov, 8, dst(31, Type::D), &[third(30)]);
    let equal = cmod(
        op(
            Opcode::Cmp,
            8,
            dst(32, Type::D),
            &[third(30), imm(Type::D, 1)],
        ),
        CondMod::Z,
        0,
    );
    let mask = |bits| {
        let sources = [g(32, Type::D), imm(Type::D, bits)];
        op(Opcode::And, 8, dst(20, Type::D), &sources)
    };
    // The third channel of the first quad is off.
    let code = |bits| [own, neighbour, equal, mask(bits), store(8, 1)];
    assert_eq!(stop(&code(0), 0x07), None);
    assert_eq!(stop(&code(1), 0x07), Some(4));
    assert_eq!(stop(&code(1), 0x0f), None);
}

/// Threads of one kernel without branches are checked once, unless the result depends on values.
#[test]
fn each_thread_that_computes_undefined_values_is_checked() {
    let masked = op(
        Opcode::And,
        8,
        dst(20, Type::D),
        &[g(30, Type::D), g(0, Type::D)],
    );
    let code = [stale_sum(8, 30), masked, store(8, 1), eot()];
    let kernel = Arc::new(Kernel::from_insts(&code).expect("there is an instruction"));
    let init = ThreadInit::default();
    let mut t = Thread::new(&kernel, &[0; 24], 0xff, &init, UNINIT);
    assert_eq!(t.run(&mut Recorder::default(), 100), Ok(ThreadExit::Eot));
    t.reset(&kernel, &[0; 24], 0xff, &init);
    assert_eq!(t.run(&mut Recorder::default(), 100), Ok(ThreadExit::Eot));
    t.reset(&kernel, &[1; 24], 0xff, &init);
    assert!(t.run(&mut Recorder::default(), 100).is_err());
}
