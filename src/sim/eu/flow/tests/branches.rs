//! Single control flow instructions: which channels continue, which wait and where, and what
//! computed targets are relative to.
//!
//! Ref: SKL PRM vol. 2a: if, else, while, break, goto, jmpi, brd, brc, call, calla, ret.

use crate::message::StopReason;
use crate::testing::{
    Recorder, arf_dst, branch, cmod, dst, eot, g, imm, no_mask, null_dst, op, pred, reg, scalar,
    thread,
};
use crate::thread::{Thread, ThreadExit};
use isa::{Addr, ArfReg, CondMod, Inst, Opcode, PredCtrl, Src, Type};

/// One more to `nr` in each of sixteen channels, each of which has a dword.
fn mark(nr: u8) -> Inst {
    op(
        Opcode::Add,
        16,
        dst(nr, Type::D),
        &[g(nr, Type::D), imm(Type::D, 1)],
    )
}

/// The channels that have been at a mark, once each.
fn marked_channels(t: &Thread, nr: usize) -> u32 {
    (0..16).fold(0, |m, c| match t.grf()[nr * 8 + c] {
        0 => m,
        1 => m | 1 << c,
        n => panic!("channel {c} has been at g{nr} {n} times"),
    })
}

/// A branch of sixteen channels by the flags.
fn predicated(i: Inst) -> Inst {
    pred(i, PredCtrl::Normal, false, 0)
}

fn taken_by(code: &[Inst], mask: u32, flags: u64) -> Thread {
    let mut t = thread(code, &[], mask);
    t.state.regs.set_flags(flags);
    assert_eq!(
        t.run(&mut Recorder::default(), 1000),
        Ok(ThreadExit::Eot),
        "{code:?}"
    );
    t
}

const MASK: u32 = 0x0fff;
const FLAGS: u64 = 0x7e5a;
const TAKE: u32 = MASK & FLAGS as u32;
const STAY: u32 = MASK & !(FLAGS as u32);

fn with_ctrl(mut i: Inst) -> Inst {
    i.branch_ctrl = true;
    i
}

#[test]
fn if_jumps_to_jip_or_with_branch_control_to_uip() {
    for (ctrl, at_jip) in [(false, STAY), (true, 0)] {
        let if_ = predicated(branch(Opcode::If, 16, 2, 3));
        let if_ = if ctrl { with_ctrl(if_) } else { if_ };
        let code = [
            if_,
            mark(4),
            mark(6),
            branch(Opcode::Endif, 16, 1, 0),
            mark(8),
        ];
        let t = taken_by(&code, MASK, FLAGS);
        let got = [
            marked_channels(&t, 4),
            marked_channels(&t, 6),
            marked_channels(&t, 8),
        ];
        assert_eq!(got, [TAKE, TAKE | at_jip, MASK], "{ctrl}");
    }
}

#[test]
fn else_jumps_to_jip_or_with_branch_control_to_uip() {
    for (ctrl, at_jip) in [(false, MASK), (true, STAY)] {
        let else_ = branch(Opcode::Else, 16, 2, 3);
        let else_ = if ctrl { with_ctrl(else_) } else { else_ };
        let code = [
            predicated(branch(Opcode::If, 16, 3, 5)),
            mark(4),
            else_,
            mark(6),
            mark(8),
            branch(Opcode::Endif, 16, 1, 0),
            mark(10),
        ];
        let t = taken_by(&code, MASK, FLAGS);
        let got = [
            marked_channels(&t, 4),
            marked_channels(&t, 6),
            marked_channels(&t, 8),
            marked_channels(&t, 10),
        ];
        assert_eq!(got, [TAKE, STAY, at_jip, MASK], "{ctrl}");
    }
}

#[test]
fn while_falls_through_without_enabled_channels_and_parks_the_exited_ones() {
    let scalar_mov = |d, s| no_mask(op(Opcode::Mov, 1, d, &[s]));
    let f0 = arf_dst(ArfReg::Flag, 0, 0, Type::Ud);
    // The first round has the flags, the second none.
    let code = [
        scalar_mov(dst(30, Type::Ud), imm(Type::Ud, FLAGS)),
        mark(4),
        scalar_mov(f0, scalar(30, 0, Type::Ud)),
        scalar_mov(dst(30, Type::Ud), imm(Type::Ud, 0)),
        predicated(branch(Opcode::While, 16, -3, 0)),
        mark(6),
    ];
    let t = taken_by(&code, MASK, 0);
    let rounds = |c: usize| (MASK >> c & 1) + (TAKE >> c & 1);
    assert_eq!(
        t.grf()[32..48].to_vec(),
        (0..16).map(rounds).collect::<Vec<_>>()
    );
    assert_eq!(marked_channels(&t, 6), MASK);
    // Without a predicate all channels take it, those of the instruction's quarter alone.
    let mut quarter = branch(Opcode::While, 8, 2, 0);
    quarter.chan_off = 8;
    let t = taken_by(&[quarter, mark(4), mark(6)], MASK, FLAGS);
    assert_eq!(
        [marked_channels(&t, 4), marked_channels(&t, 6)],
        [0, MASK & 0xff00]
    );
}

#[test]
fn break_parks_channels_after_the_while_at_uip() {
    let break_ = predicated(branch(Opcode::Break, 16, 2, 2));
    // The flags of those that break would take them round again.
    let while_ = predicated(branch(Opcode::While, 16, 2, 0));
    let t = taken_by(&[break_, mark(4), while_, mark(6), mark(8)], MASK, FLAGS);
    assert_eq!(
        [
            marked_channels(&t, 4),
            marked_channels(&t, 6),
            marked_channels(&t, 8)
        ],
        [STAY, MASK, MASK]
    );
    let t = taken_by(&[break_, mark(4), mark(6)], MASK, FLAGS);
    assert_eq!(
        [marked_channels(&t, 4), marked_channels(&t, 6)],
        [STAY, MASK]
    );
}

#[test]
fn continue_halt_and_brc_park_channels_at_uip() {
    for o in [Opcode::Cont, Opcode::Halt, Opcode::Brc] {
        let code = [predicated(branch(o, 16, 2, 3)), mark(4), mark(6), mark(8)];
        let t = taken_by(&code, MASK, FLAGS);
        assert_eq!(
            [
                marked_channels(&t, 4),
                marked_channels(&t, 6),
                marked_channels(&t, 8)
            ],
            [STAY, STAY, MASK],
            "{o:?}"
        );
        // With none left for the next instruction, the thread goes to JIP.
        let code = [
            branch(o, 16, 2, 3),
            no_mask(mark(4)),
            no_mask(mark(6)),
            mark(8),
        ];
        let t = taken_by(&code, MASK, 0);
        assert_eq!(
            [
                marked_channels(&t, 4),
                marked_channels(&t, 6),
                marked_channels(&t, 8)
            ],
            [0, 0xffff, MASK],
            "{o:?}"
        );
    }
}

#[test]
fn brd_parks_channels_at_jip() {
    let code = [predicated(branch(Opcode::Brd, 16, 2, 0)), mark(4), mark(6)];
    let t = taken_by(&code, MASK, FLAGS);
    assert_eq!(
        [marked_channels(&t, 4), marked_channels(&t, 6)],
        [STAY, MASK]
    );
}

#[test]
fn goto_parks_channels_at_uip_or_with_branch_control_jumps_there() {
    for (ctrl, first) in [(false, 4), (true, 8)] {
        let goto = predicated(branch(Opcode::Goto, 16, 2, 3));
        let goto = if ctrl { with_ctrl(goto) } else { goto };
        let code = [goto, mark(4), mark(6), mark(8), eot()];
        let t = taken_by(&code, MASK, FLAGS);
        let got = [
            marked_channels(&t, 4),
            marked_channels(&t, 6),
            marked_channels(&t, 8),
        ];
        // With branch control, the others wait behind the goto, which is not reached again; without
        // it, they continue.
        let want = if ctrl {
            [0, 0, TAKE]
        } else {
            [TAKE, TAKE, MASK]
        };
        assert_eq!(got, want, "first to g{first}");
        let t = taken_by(&code, MASK, if ctrl { 0 } else { u64::MAX });
        assert_eq!(
            [
                marked_channels(&t, 4),
                marked_channels(&t, 6),
                marked_channels(&t, 8)
            ],
            [MASK; 3],
            "nobody takes it"
        );
        // As Intel's compiler writes it for all channels: a flag of zeros, no branch control.
        let t = taken_by(&code, MASK, 0);
        let all = if ctrl { [MASK; 3] } else { [0, 0, MASK] };
        assert_eq!(
            [
                marked_channels(&t, 4),
                marked_channels(&t, 6),
                marked_channels(&t, 8)
            ],
            all,
            "all take it"
        );
    }
}

#[test]
fn flow_control_in_a_quarter_affects_only_its_channels() {
    for (n, chan_off, span) in [(8u8, 0u8, 0x00ff), (8, 8, 0xff00), (4, 4, 0x00f0)] {
        let mut halt = predicated(branch(Opcode::Halt, n, 1, 2));
        halt.chan_off = chan_off;
        let t = taken_by(&[halt, mark(4), mark(6)], MASK, FLAGS);
        let stay = MASK & !(span & FLAGS as u32);
        assert_eq!(
            [marked_channels(&t, 4), marked_channels(&t, 6)],
            [stay, MASK],
            "{n} from {chan_off}"
        );
    }
}

/// g2 = `v`, in all of it.
fn target(v: i32) -> Inst {
    no_mask(op(
        Opcode::Mov,
        8,
        dst(2, Type::D),
        &[imm(Type::D, v as u32 as u64)],
    ))
}

fn by_register(mut i: Inst) -> Inst {
    i.src[0] = scalar(2, 4, Type::D);
    i
}

/// A branch to the instruction `n` behind this one that is never taken, so that decoding reaches
/// it.
fn also(n: i32) -> Inst {
    predicated(no_mask(branch(Opcode::Jmpi, 1, n, 0)))
}

#[test]
fn computed_jumps_are_relative_to_the_next_instruction_and_calls_to_themselves() {
    let jmpi = by_register(no_mask(branch(Opcode::Jmpi, 1, 0, 0)));
    let mut call = by_register(branch(Opcode::Call, 16, 0, 0));
    call.dst = dst(20, Type::Ud);
    let calla = Inst {
        op: Opcode::Calla,
        ..call
    };
    // Over one mark, from instruction 2 at byte 32 to instruction 4 at byte 64.
    for (i, v) in [(jmpi, 16), (call, 32), (calla, 64)] {
        let code = [also(4), target(v), i, mark(4), mark(6)];
        let t = taken_by(&code, MASK, 0);
        assert_eq!(
            [marked_channels(&t, 4), marked_channels(&t, 6)],
            [0, MASK],
            "{:?}",
            i.op
        );
    }
    // Backwards, once.
    let back = predicated(Inst {
        src: jmpi.src,
        ..jmpi
    });
    let clear = no_mask(op(
        Opcode::Mov,
        1,
        arf_dst(ArfReg::Flag, 0, 0, Type::Ud),
        &[imm(Type::Ud, 0)],
    ));
    let count = op(
        Opcode::Add,
        16,
        dst(8, Type::D),
        &[g(8, Type::D), imm(Type::D, 1)],
    );
    let code = [
        target(-48),
        count,
        pred(back, PredCtrl::Normal, true, 0),
        mark(4),
    ];
    let mut t = thread(&code, &[], MASK);
    let e = t.run(&mut Recorder::default(), 20);
    assert_eq!(e, Ok(ThreadExit::Budget), "for ever");
    assert_eq!(marked_channels(&t, 4), 0);
    let code = [target(-48), clear, predicated(back), mark(4)];
    let t = taken_by(&code, MASK, 1);
    assert_eq!(marked_channels(&t, 4), MASK, "the flag is off");
    // To where no decoded instruction stands.
    for (i, v) in [(jmpi, 8), (call, 8), (calla, 8)] {
        let mut t = thread(&[target(v), i, mark(4)], &[], MASK);
        let e = t.run(&mut Recorder::default(), 20);
        assert!(
            matches!(e, Err(StopReason::Unimplemented { at: 16, .. })),
            "{:?}: {e:?}",
            i.op
        );
    }
    for o in [Opcode::Brd, Opcode::Brc] {
        let i = by_register(branch(o, 16, 0, 0));
        let mut t = thread(&[target(16), i, mark(4)], &[], MASK);
        let e = t.run(&mut Recorder::default(), 20);
        assert!(
            matches!(e, Err(StopReason::Unimplemented { at: 16, .. })),
            "{o:?}: {e:?}"
        );
    }
}

#[test]
fn computed_target_in_an_indirect_register() {
    let a0 = no_mask(op(
        Opcode::Mov,
        1,
        arf_dst(ArfReg::Address, 0, 0, Type::Uw),
        &[imm(Type::Uw, 60)],
    ));
    let mut jmpi = no_mask(branch(Opcode::Jmpi, 1, 0, 0));
    jmpi.src[0] = Src {
        addr: Addr::Indirect {
            a0_sub: 0,
            imm_bytes: 8,
        },
        ..scalar(0, 0, Type::D)
    };
    let t = taken_by(&[also(5), target(16), a0, jmpi, mark(4), mark(6)], MASK, 0);
    assert_eq!([marked_channels(&t, 4), marked_channels(&t, 6)], [0, MASK]);
}

#[test]
fn jmpi_predicate_reads_the_flag_of_its_channel_offset() {
    for (flags, channel, taken) in [
        (1u64, 0u8, true),
        (1, 8, false),
        (1 << 8, 8, true),
        (!1, 0, false),
    ] {
        let mut jmpi = predicated(no_mask(branch(Opcode::Jmpi, 1, 2, 0)));
        jmpi.chan_off = channel;
        let t = taken_by(&[jmpi, mark(4), mark(6)], MASK, flags);
        let skipped = if taken { 0 } else { MASK };
        assert_eq!(
            [marked_channels(&t, 4), marked_channels(&t, 6)],
            [skipped, MASK],
            "{flags:#x} {channel}"
        );
    }
}

#[test]
fn call_stores_return_address_and_mask_and_parks_the_other_channels() {
    let mut call = predicated(branch(Opcode::Call, 16, 3, 0));
    call.dst = dst(20, Type::Ud);
    let mut ret = branch(Opcode::Ret, 16, 0, 0);
    ret.src[0] = scalar(20, 0, Type::Ud);
    let absolute = Inst {
        op: Opcode::Calla,
        jip: 48,
        ..call
    };
    for call in [call, absolute] {
        // 0 call 3; 1 g4; 2 end; 3 g6; 4 ret
        let code = [call, mark(4), eot(), mark(6), ret];
        let mut t = thread(&code, &[u32::MAX; 192][..], MASK);
        t.state.regs.set_flags(FLAGS);
        t.state.regs.dwords_mut()[..160].fill(0);
        assert_eq!(t.run(&mut Recorder::default(), 100), Ok(ThreadExit::Eot));
        assert_eq!(
            [marked_channels(&t, 4), marked_channels(&t, 6)],
            [MASK, TAKE],
            "{:?}",
            call.op
        );
        assert_eq!(reg(&t, 20)[..3], [16, MASK, u32::MAX]);
        // Nobody calls: nothing is left.
        let t = taken_by(&code, MASK, 0);
        assert_eq!([marked_channels(&t, 4), marked_channels(&t, 6)], [MASK, 0]);
        assert_eq!(reg(&t, 20)[..2], [0, 0]);
    }
    // Nowhere to leave it.
    call.dst = null_dst(Type::Ud);
    let t = taken_by(&[call, mark(4), eot(), mark(6)], MASK, FLAGS);
    assert_eq!([marked_channels(&t, 4), marked_channels(&t, 6)], [0, TAKE]);
    assert_eq!(t.state.regs.read(crate::regs::NULL, 8), 0);
}

#[test]
fn partial_return_continues_with_the_remaining_channels() {
    let mut call = branch(Opcode::Call, 16, 3, 0);
    call.dst = dst(20, Type::Ud);
    let mut ret = branch(Opcode::Ret, 16, 0, 0);
    ret.src[0] = scalar(20, 0, Type::Ud);
    // 0 call 3; 1 g4; 2 end; 3 (f0) ret; 4 g6; 5 ret
    let code = [call, mark(4), eot(), predicated(ret), mark(6), ret];
    let t = taken_by(&code, MASK, FLAGS);
    assert_eq!(
        [marked_channels(&t, 4), marked_channels(&t, 6)],
        [MASK, STAY]
    );
    // All of the channels return at once, and none goes on; of a whole register, the first element
    // counts.
    ret.src[0] = g(20, Type::Ud);
    let code = [call, mark(4), eot(), ret, no_mask(mark(6))];
    let t = taken_by(&code, MASK, 0);
    assert_eq!([marked_channels(&t, 4), marked_channels(&t, 6)], [MASK, 0]);
    // To nowhere.
    ret.src[0] = scalar(21, 0, Type::Ud);
    let set = no_mask(op(Opcode::Mov, 8, dst(21, Type::Ud), &[imm(Type::Ud, 8)]));
    let mut t = thread(&[set, ret], &[], MASK);
    let e = t.run(&mut Recorder::default(), 20);
    assert!(
        matches!(e, Err(StopReason::Unimplemented { at: 16, .. })),
        "{e:?}"
    );
}

#[test]
fn undispatched_channels_stay_disabled() {
    let f0 = arf_dst(ArfReg::Flag, 0, 0, Type::Ud);
    let half = no_mask(op(Opcode::Mov, 1, f0, &[imm(Type::Ud, 0x5555)]));
    let once = cmod(
        op(
            Opcode::Cmp,
            16,
            null_dst(Type::D),
            &[g(4, Type::D), imm(Type::D, 2)],
        ),
        CondMod::L,
        0,
    );
    // Two rounds from the first instruction on, with an IF that half of the channels skip.
    let code = [
        mark(4),
        half,
        predicated(branch(Opcode::If, 16, 2, 2)),
        mark(6),
        branch(Opcode::Endif, 16, 1, 0),
        once,
        predicated(branch(Opcode::While, 16, -6, 0)),
        mark(8),
    ];
    let t = taken_by(&code, MASK, 0);
    let rounds = |m: u32| (0..16).map(|c| 2 * (m >> c & 1)).collect::<Vec<_>>();
    assert_eq!(t.grf()[32..48].to_vec(), rounds(MASK));
    assert_eq!(t.grf()[48..64].to_vec(), rounds(MASK & 0x5555));
    assert_eq!((marked_channels(&t, 8), t.active()), (MASK, MASK));
}
