//! Straight-line kernels: fixed messages, and the reuse of a thread for another one.

use crate::kernel::Kernel;
use crate::state::Options;
use crate::testing::{Recorder, cmod, dst, g, imm, null_dst, op};
use crate::thread::{Thread, ThreadExit, ThreadInit};
use isa::{CondMod, Desc, Dst, Inst, Opcode, Pred, PredCtrl, Send, Src, Type};
use std::sync::Arc;

/// `send` of `len` registers from `nr` on, without a response.
fn sends(nr: u8, len: u32, eot: bool) -> Inst {
    let mut i = op(Opcode::Send, 8, null_dst(Type::Ud), &[g(nr, Type::Ud)]);
    i.send = Some(Send {
        sfid: 5,
        desc: Desc::Imm(len << 25),
        ex_desc: Desc::Imm(5),
        eot,
    });
    i
}

fn mov(to: u8, from: Src) -> Inst {
    op(Opcode::Mov, 8, dst(to, Type::Ud), &[from])
}

#[test]
fn messages_are_fixed_unless_they_depend_on_varying_registers() {
    let add = |to, from| {
        let both = [g(from, Type::Ud), imm(Type::Ud, 1)];
        op(Opcode::Add, 8, dst(to, Type::Ud), &both)
    };
    let end = sends(112, 1, true);
    let with_response = {
        let mut i = sends(112, 1, false);
        i.dst = dst(20, Type::Ud);
        if let Some(send) = &mut i.send {
            send.desc = Desc::Imm(1 << 25 | 1 << 20);
        }
        i
    };
    let predicated = Inst {
        pred: Some(Pred {
            ctrl: PredCtrl::Normal,
            inverse: false,
        }),
        ..mov(112, g(8, Type::Ud))
    };
    let masked = Inst {
        align16: true,
        dst: Dst {
            writemask: 7,
            ..dst(112, Type::Ud)
        },
        ..mov(112, imm(Type::Ud, 1))
    };
    // g1 to g7 vary.
    let cases: [(&str, Vec<Inst>, bool); 13] = [
        ("a constant", vec![mov(112, imm(Type::Ud, 3)), end], true),
        ("what does not vary", vec![add(112, 8), end], true),
        ("g0", vec![mov(112, g(0, Type::Ud)), end], true),
        (
            "the first that varies",
            vec![mov(112, g(1, Type::Ud)), end],
            false,
        ),
        ("the last that varies", vec![add(112, 7), end], false),
        (
            "by way of another",
            vec![add(30, 7), add(112, 30), end],
            false,
        ),
        ("replaced", vec![add(112, 7), add(112, 8), end], true),
        (
            "beside the message",
            vec![add(113, 7), mov(112, g(8, Type::Ud)), end],
            true,
        ),
        (
            "in its second register",
            vec![add(113, 7), mov(112, g(8, Type::Ud)), sends(112, 2, true)],
            false,
        ),
        (
            "an answer",
            vec![mov(112, g(8, Type::Ud)), with_response, end],
            false,
        ),
        ("a predicate", vec![predicated, end], false),
        ("what a mask keeps", vec![add(112, 7), masked, end], false),
        (
            "an earlier message",
            vec![sends(5, 1, false), mov(112, g(8, Type::Ud)), end],
            false,
        ),
    ];
    for (name, code, expected) in cases {
        let kernel = Kernel::from_insts(&code).expect("decodes");
        assert_eq!(kernel.has_fixed_messages(1..8), expected, "{name}");
        // With nothing varying, only the form of the kernel counts.
        let straight = !matches!(name, "a predicate" | "an answer");
        assert_eq!(kernel.has_fixed_messages(0..0), straight, "{name}");
    }
}

#[test]
fn equivalent_threads_are_checked_once() {
    let read = op(
        Opcode::Add,
        8,
        dst(112, Type::Ud),
        &[g(2, Type::Ud), imm(Type::Ud, 1)],
    );
    let kernel = Arc::new(Kernel::from_insts(&[read, sends(112, 1, true)]).expect("decodes"));
    let options = Options {
        uninit: true,
        ..Options::default()
    };
    let init = ThreadInit::default();
    let mut t = Thread::new(&kernel, &[1; 24], 0xff, &init, options);
    let mut run = |payload: &[u32], mask: u32| {
        t.reset(&kernel, payload, mask, &init);
        t.run(&mut Recorder::default(), 10).is_ok()
    };
    assert!(run(&[1; 24], 0xff));
    assert!(run(&[2; 24], 0xff));
    // A shorter payload leaves g2 unwritten, and fewer channels read less of it.
    assert!(!run(&[1; 16], 0xff));
    assert!(!run(&[1; 20], 0xff));
    assert!(run(&[1; 20], 0x0f));
    assert!(!run(&[1; 20], 0xff));
}

#[test]
fn a_thread_does_not_see_registers_of_the_previous_one() {
    let plus = |to, from| {
        let both = [g(from, Type::Ud), imm(Type::Ud, 1)];
        op(Opcode::Add, 8, dst(to, Type::Ud), &both)
    };
    let with_response = {
        let mut i = sends(110, 1, false);
        i.dst = dst(30, Type::Ud);
        if let Some(send) = &mut i.send {
            send.desc = Desc::Imm(1 << 25 | 1 << 20);
        }
        i
    };
    let flagged = cmod(plus(115, 3), CondMod::Nz, 0);
    let half = Inst {
        exec_size: 4,
        ..mov(21, g(2, Type::Ud))
    };
    // g20 and g22 are read before they are written, g21 is written in part, g30 is a response.
    let kernels = [
        vec![plus(112, 20), mov(20, g(2, Type::Ud))],
        vec![half, plus(113, 21)],
        vec![with_response, mov(113, g(30, Type::Ud))],
        vec![
            mov(23, g(2, Type::Ud)),
            plus(112, 23),
            sends(22, 1, false),
            mov(22, g(3, Type::Ud)),
        ],
        vec![flagged, mov(114, g(2, Type::Ud))],
    ];
    let init = ThreadInit::default();
    for (number, mut code) in kernels.into_iter().enumerate() {
        code.push(sends(112, 1, true));
        let kernel = Arc::new(Kernel::from_insts(&code).expect("decodes"));
        assert!(kernel.straight_line, "{number}");
        for first in [0xff, 0x0f] {
            for (second, length) in [(0xff, 32), (0x3c, 32), (0xff, 24)] {
                let run = |t: &mut Thread| {
                    let mut seen = Recorder::default();
                    assert_eq!(t.run(&mut seen, 10), Ok(ThreadExit::Eot), "{number}");
                    let sent = seen.sent.iter().map(|sent| sent.src0.clone());
                    (sent.collect::<Vec<_>>(), t.grf().to_vec(), t.flags())
                };
                let (before, payload) = (vec![7; 32], vec![5; length]);
                let mut fresh = Thread::new(&kernel, &payload, second, &init, Options::default());
                let mut used = Thread::new(&kernel, &before, first, &init, Options::default());
                run(&mut used);
                used.reset(&kernel, &payload, second, &init);
                assert_eq!(
                    run(&mut used),
                    run(&mut fresh),
                    "{number} {first:#x} {second:#x}"
                );
            }
        }
    }
}
