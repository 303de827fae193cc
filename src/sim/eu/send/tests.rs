//! SEND and its kin: descriptors, lengths, registers, responses, and what stops them.
//!
//! Ref: SKL PRM vol. 2a, send, sends; vol. 2d, message descriptor: message length in bits 28:25,
//!      response length in bits 24:20; the extended descriptor has the shared function in bits 3:0
//!      and the second length in bits 9:6.

use crate::message::{Message, MessageReply, SharedFunctions, StopReason};
use crate::regs;
use crate::testing::{Recorder, Sent, dst, g, null_dst, null_src, op, pred, reg, thread};
use crate::thread::{Thread, ThreadExit};
use isa::{Addr, Desc, Dst, Inst, Opcode, PredCtrl, Send, Src, Type};

/// Records the message fields that [`Recorder`] does not, and responds in the first dword only.
#[derive(Default)]
struct Witness {
    seen: Vec<(u8, bool, u64, usize)>,
    first: Vec<Sent>,
    refuse: bool,
}

impl SharedFunctions for Witness {
    fn message(
        &mut self,
        m: &Message<'_>,
        response: &mut [u32],
    ) -> Result<MessageReply, StopReason> {
        if self.refuse {
            return Err(StopReason::Fault {
                what: "refused".into(),
                at: 77,
            });
        }
        self.seen.push((m.exec_size, m.eot, m.ip, response.len()));
        self.first.push(Sent {
            sfid: m.sfid,
            desc: m.desc,
            ex_desc: m.ex_desc,
            lanes: m.lanes,
            src0: m.src0.to_vec(),
            src1: m.src1.to_vec(),
        });
        if let Some(r) = response.first_mut() {
            *r = 0xabcd;
        }
        Ok(MessageReply::Done)
    }
    fn timestamp(&mut self) -> u64 {
        0
    }
}

fn send(o: Opcode, desc: Desc, ex_desc: Desc) -> Inst {
    let sources = [g(2, Type::Ud), g(6, Type::Ud)];
    let mut i = op(o, 8, null_dst(Type::Ud), &sources);
    i.send = Some(Send {
        sfid: 9,
        desc,
        ex_desc,
        eot: false,
    });
    i
}

fn lengths(mlen: u32, rlen: u32) -> Desc {
    Desc::Imm(mlen << 25 | rlen << 20)
}

const ONE: Desc = Desc::Imm(1 << 25);
const NONE: Desc = Desc::Imm(0);

/// Runs `i` alone on registers that count, with a0 set: what was sent, and the thread.
fn sent(i: Inst, a0: &[(usize, u32)]) -> (Witness, Thread) {
    let (w, t, end) = tried(i, a0);
    assert_eq!(end, Ok(ThreadExit::Eot), "{i:?}");
    (w, t)
}

fn tried(i: Inst, a0: &[(usize, u32)]) -> (Witness, Thread, Result<ThreadExit, StopReason>) {
    let p: Vec<u32> = (0..1024).collect();
    let mut t = thread(&[i], &p, 0x5a);
    for (k, v) in a0 {
        t.state.regs.set_dword(regs::A0 + 4 * k, *v);
    }
    let mut w = Witness::default();
    let end = t.run(&mut w, 10);
    (w, t, end)
}

fn range(first: u32, registers: u32) -> Vec<u32> {
    (first * 8..(first + registers) * 8).collect()
}

#[test]
fn payload_length_follows_mlen_and_ex_mlen() {
    for (o, split) in [
        (Opcode::Send, false),
        (Opcode::Sendc, false),
        (Opcode::Sends, true),
        (Opcode::Sendsc, true),
    ] {
        for (mlen, second) in [(1u32, 0u32), (2, 1), (4, 3), (15, 15)] {
            let i = send(
                o,
                lengths(mlen, 0),
                Desc::Imm(second << 6 | 1 << 10 | 1 << 5),
            );
            let (w, _) = sent(i, &[]);
            let m = &w.first[0];
            assert_eq!(m.src0, range(2, mlen), "{o:?}");
            assert_eq!(m.src1, range(6, if split { second } else { 0 }), "{o:?}");
            assert_eq!((m.sfid, m.lanes), (9, 0x5a));
            assert_eq!(w.seen, [(8, false, 0, 0), (8, true, 16, 0)], "{o:?}");
        }
    }
    // The null register has none.
    let mut i = send(Opcode::Sends, lengths(3, 0), Desc::Imm(2 << 6));
    i.src[0] = null_src();
    let (w, _) = sent(i, &[]);
    assert_eq!(
        (&w.first[0].src0, &w.first[0].src1),
        (&vec![], &range(6, 2))
    );
    i.src = [g(2, Type::Ud), null_src(), null_src()];
    let (w, _) = sent(i, &[]);
    assert_eq!(
        (&w.first[0].src0, &w.first[0].src1),
        (&range(2, 3), &vec![])
    );
}

#[test]
fn descriptors_in_address_registers() {
    // a0.2k as a dword is the k-th.
    for k in 0..8u8 {
        let i = send(Opcode::Send, Desc::A0(2 * k), NONE);
        let (w, _) = sent(i, &[(usize::from(k), 3 << 25 | 0x1234)]);
        let m = &w.first[0];
        assert_eq!(
            (m.desc, m.sfid, m.src0.len()),
            (3 << 25 | 0x1234, 9, 24),
            "a0.{}",
            2 * k
        );
    }
    // The source's region, in a SEND, is no part of the extended descriptor; of one with its
    // descriptor in it, it is.
    let region = 0x04d0_0000;
    for (desc, kept) in [(Desc::A0(0), 0), (ONE, region)] {
        let i = send(Opcode::Send, desc, Desc::Imm(region | 0xc));
        let (w, _) = sent(i, &[(0, 1 << 25)]);
        assert_eq!(w.first[0].ex_desc, kept | 0xc);
    }
    let i = send(Opcode::Sends, Desc::A0(0), Desc::Imm(region | 2 << 6));
    let (w, _) = sent(i, &[(0, 1 << 25)]);
    assert_eq!(w.first[0].ex_desc, region | 2 << 6);
    let i = send(Opcode::Sends, ONE, Desc::A0(4));
    let (w, _) = sent(i, &[(2, 2 << 6 | 0xc)]);
    let m = &w.first[0];
    // The shared function is the extended descriptor's then.
    assert_eq!((m.ex_desc, m.sfid), (2 << 6 | 0xc, 0xc));
    assert_eq!(m.src1, range(6, 2));
    let (w, _) = sent(send(Opcode::Sends, ONE, Desc::Imm(2 << 6 | 0xc)), &[]);
    assert_eq!(w.first[0].sfid, 9);
}

#[test]
fn response_preserves_registers_the_function_does_not_write() {
    let mut i = send(Opcode::Send, lengths(1, 2), NONE);
    i.dst = dst(20, Type::Ud);
    let (w, t) = sent(i, &[]);
    assert_eq!(w.seen[0].3, 16);
    let mut want = range(20, 3);
    want[0] = 0xabcd;
    assert_eq!(t.grf()[160..184], want);
    // To the null register: nowhere.
    let (_, t) = sent(send(Opcode::Send, lengths(1, 2), NONE), &[]);
    assert_eq!(t.grf(), (0..1024).collect::<Vec<u32>>());
    assert_eq!(t.state.regs.read(regs::NULL, 4), 0);
}

#[test]
fn response_may_overlap_the_payload() {
    // Two registers from g2 on, and two from g6 on; a response of three.
    for first in [0, 1, 2, 3, 4, 5, 6, 7, 8, 50, 125] {
        let mut i = send(Opcode::Sends, lengths(2, 3), Desc::Imm(2 << 6));
        i.dst = dst(first, Type::Ud);
        let (w, t) = sent(i, &[]);
        let parts = (&w.first[0].src0, &w.first[0].src1);
        assert_eq!(parts, (&range(2, 2), &range(6, 2)), "g{first}");
        let mut want: Vec<u32> = (0..1024).collect();
        want[usize::from(first) * 8] = 0xabcd;
        assert_eq!(t.grf(), want, "g{first}");
    }
}

#[test]
fn payload_or_response_outside_the_register_file_is_undefined() {
    let out = |i: Inst| match tried(i, &[]).2 {
        Ok(_) => false,
        Err(StopReason::Undefined {
            rule: "send-range",
            at: 0,
            ..
        }) => true,
        e => panic!("{i:?}: {e:?}"),
    };
    for (first, mlen, undefined) in [
        (127, 1, false),
        (127, 2, true),
        (113, 15, false),
        (114, 15, true),
        (127, 0, false),
    ] {
        let mut i = send(Opcode::Sends, lengths(mlen, 0), Desc::Imm(1 << 6));
        i.src[0] = g(first, Type::Ud);
        assert_eq!(out(i), undefined, "{mlen} at g{first}");
        let mut i = send(Opcode::Sends, ONE, Desc::Imm(mlen << 6));
        i.src[1] = g(first, Type::Ud);
        assert_eq!(out(i), undefined, "second part: {mlen} at g{first}");
    }
    for (first, rlen, undefined) in [
        (127, 1, false),
        (127, 2, true),
        (97, 31, false),
        (98, 31, true),
    ] {
        let mut i = send(Opcode::Send, lengths(1, rlen), NONE);
        i.dst = dst(first, Type::Ud);
        assert_eq!(out(i), undefined, "response: {rlen} at g{first}");
    }
}

#[test]
fn send_operands_may_be_indirect() {
    let through = |s: Src, a0_sub, imm_bytes| Src {
        addr: Addr::Indirect { a0_sub, imm_bytes },
        ..s
    };
    let mut i = send(Opcode::Sends, lengths(2, 1), Desc::Imm(1 << 6));
    i.src[0] = through(i.src[0], 0, 32);
    i.src[1] = through(i.src[1], 1, -32);
    i.dst = Dst {
        addr: Addr::Indirect {
            a0_sub: 0,
            imm_bytes: -64,
        },
        ..dst(0, Type::Ud)
    };
    // a0.0 names g40, a0.1 g50.
    let (w, t) = sent(i, &[(0, ((50 * 32) << 16) | (40 * 32))]);
    assert_eq!(
        (&w.first[0].src0, &w.first[0].src1),
        (&range(41, 2), &range(49, 1))
    );
    assert_eq!(reg(&t, 38)[0], 0xabcd);
}

#[test]
fn send_with_no_enabled_channel_is_skipped_unless_eot() {
    let off = |i| pred(i, PredCtrl::Normal, false, 0);
    let (w, t) = sent(off(send(Opcode::Send, ONE, NONE)), &[]);
    assert_eq!((w.first.len(), w.first[0].sfid), (1, 7));
    assert_eq!(t.statistics().instructions, 2);
    let mut last = off(send(Opcode::Send, ONE, NONE));
    last.send = last.send.map(|m| Send { eot: true, ..m });
    let (w, t) = sent(last, &[]);
    assert_eq!(
        (w.first.len(), w.first[0].sfid, w.first[0].lanes),
        (1, 9, 0)
    );
    // It is the last, also where the thread is run once more.
    let (mut w, mut t2) = sent(send(Opcode::Send, ONE, NONE), &[]);
    assert_eq!(t2.run(&mut w, 10), Ok(ThreadExit::Eot));
    assert_eq!(w.first.len(), 2);
    assert_eq!(t.statistics().instructions, 1);
}

#[test]
fn refused_message_stops_the_thread() {
    let mut t = thread(&[send(Opcode::Send, ONE, NONE)], &[], 0xff);
    let mut w = Witness {
        refuse: true,
        ..Witness::default()
    };
    let e = t.run(&mut w, 10);
    assert!(matches!(e, Err(StopReason::Fault { at: 77, .. })), "{e:?}");
    assert_eq!(t.run(&mut w, 10), Ok(ThreadExit::Eot), "nothing more");
    // A SEND without a message.
    let mut t = thread(
        &[op(Opcode::Send, 8, null_dst(Type::Ud), &[g(2, Type::Ud)])],
        &[],
        0xff,
    );
    let e = t.run(&mut Recorder::default(), 10);
    assert!(
        matches!(e, Err(StopReason::Unimplemented { at: 0, .. })),
        "{e:?}"
    );
}
