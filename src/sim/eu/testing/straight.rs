//! Kernels that go straight to their end: what is told of all their threads.

use super::*;

/// `send` of `len` registers from `nr` on, without an answer.
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
fn messages_are_fixed_where_nothing_of_them_comes_from_what_varies() {
    let add = |to, from| {
        let both = [g(from, Type::Ud), imm(Type::Ud, 1)];
        op(Opcode::Add, 8, dst(to, Type::Ud), &both)
    };
    let end = sends(112, 1, true);
    let answered = {
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
            vec![mov(112, g(8, Type::Ud)), answered, end],
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
        // Nothing varies: it is the kernel's form alone that counts.
        let straight = !matches!(name, "a predicate" | "an answer");
        assert_eq!(kernel.has_fixed_messages(0..0), straight, "{name}");
    }
}

#[test]
fn a_thread_like_one_before_is_not_looked_at_again() {
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
    let init = Init::default();
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
