//! Divergent control flow: what each channel has done when the thread ends.

mod branches;

use crate::testing::{
    Rng, branch, cmod, dst, g, imm, no_mask, null_dst, op, pred, reg, run, scalar,
};
use crate::thread::Thread;
use isa::{CondMod, Inst, Opcode, PredCtrl, Type};

/// g2 = the channel number, in dwords; g4.. are cleared.
fn lane_ids() -> Vec<u32> {
    let mut p = vec![0; 1024];
    for i in 0..16 {
        p[16 + i as usize] = i;
    }
    p
}

fn add(n: u8, nr: u8, v: u64) -> Inst {
    op(
        Opcode::Add,
        n,
        dst(nr, Type::D),
        &[g(nr, Type::D), imm(Type::D, v)],
    )
}

/// f0 = lane id `c` v
fn lane_cmp(n: u8, c: CondMod, v: u64) -> Inst {
    cmod(
        op(
            Opcode::Cmp,
            n,
            null_dst(Type::D),
            &[g(2, Type::D), imm(Type::D, v)],
        ),
        c,
        0,
    )
}

fn if_(n: u8, jip: i32, uip: i32) -> Inst {
    pred(branch(Opcode::If, n, jip, uip), PredCtrl::Normal, false, 0)
}

fn predicated(i: Inst) -> Inst {
    pred(i, PredCtrl::Normal, false, 0)
}

fn lanes16(t: &Thread, nr: usize) -> Vec<u32> {
    t.grf()[nr * 8..nr * 8 + 16].to_vec()
}

#[test]
fn if_else_endif_split_and_rejoin_the_exec_mask() {
    let code = [
        lane_cmp(16, CondMod::L, 5),
        if_(16, 3, 4),
        add(16, 4, 1),
        branch(Opcode::Else, 16, 2, 2),
        add(16, 4, 100),
        branch(Opcode::Endif, 16, 1, 0),
        add(16, 4, 1000),
    ];
    let t = run(&code, &lane_ids(), 0x7fff);
    let want: Vec<u32> = (0..16)
        .map(|i| match i {
            0..5 => 1001,
            5..15 => 1100,
            _ => 0,
        })
        .collect();
    assert_eq!(lanes16(&t, 4), want);
}

#[test]
fn if_with_no_enabled_channel_jumps_over_the_block() {
    // The block would be visible through NoMask.
    let code = [
        lane_cmp(16, CondMod::L, 0),
        if_(16, 2, 2),
        no_mask(add(16, 4, 1)),
        branch(Opcode::Endif, 16, 1, 0),
        add(16, 4, 10),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    assert_eq!(lanes16(&t, 4), vec![10; 16]);
}

#[test]
fn loop_iterates_until_every_channel_exits() {
    // do { g4 += 1; f0 = g4 < id } while (f0)
    let code = [
        add(16, 4, 1),
        cmod(
            op(
                Opcode::Cmp,
                16,
                null_dst(Type::D),
                &[g(4, Type::D), g(2, Type::D)],
            ),
            CondMod::L,
            0,
        ),
        predicated(branch(Opcode::While, 16, -2, 0)),
        add(16, 6, 1),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    let want: Vec<u32> = (0..16).map(|i| i.max(1)).collect();
    assert_eq!(lanes16(&t, 4), want);
    assert_eq!(lanes16(&t, 6), vec![1; 16]);
}

/// The loop is checked against a scalar model of each channel.
#[test]
fn break_and_continue_inside_an_if() {
    // 0 do: g4 += 1
    // 1   f0 = g4 > id
    // 2   (f0) if
    // 3     (f0) break            (jip endif, uip while)
    // 4   endif
    // 5   f0 = (g4 & 1) != 0 ; odd
    // 6   (f0) cont
    // 7   g6 += 1
    // 8 while
    // 9 g8 += 1
    let code = [
        add(16, 4, 1),
        cmod(
            op(
                Opcode::Cmp,
                16,
                null_dst(Type::D),
                &[g(4, Type::D), g(2, Type::D)],
            ),
            CondMod::G,
            0,
        ),
        if_(16, 2, 2),
        predicated(branch(Opcode::Break, 16, 1, 5)),
        branch(Opcode::Endif, 16, 4, 0),
        cmod(
            op(
                Opcode::And,
                16,
                null_dst(Type::Ud),
                &[g(4, Type::Ud), imm(Type::Ud, 1)],
            ),
            CondMod::Nz,
            0,
        ),
        predicated(branch(Opcode::Cont, 16, 2, 2)),
        add(16, 6, 1),
        branch(Opcode::While, 16, -8, 0),
        add(16, 8, 1),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    for id in 0..16u32 {
        let (mut count, mut even) = (0, 0);
        loop {
            count += 1;
            if count > id {
                break;
            }
            if count & 1 == 0 {
                even += 1;
            }
        }
        assert_eq!(lanes16(&t, 4)[id as usize], count, "channel {id}");
        assert_eq!(lanes16(&t, 6)[id as usize], even, "channel {id}");
    }
    assert_eq!(lanes16(&t, 8), vec![1; 16]);
}

#[test]
fn nested_loops_with_different_trip_counts() {
    // 0 outer: g6 = 0
    // 1 inner: g6 += 1; 2 g8 += 1; 3 f0 = g6 < id; 4 (f0) while -> 1
    // 5 g4 += 1; 6 f0 = g4 < 3; 7 (f0) while -> 0
    let code = [
        op(Opcode::Mov, 16, dst(6, Type::D), &[imm(Type::D, 0)]),
        add(16, 6, 1),
        add(16, 8, 1),
        cmod(
            op(
                Opcode::Cmp,
                16,
                null_dst(Type::D),
                &[g(6, Type::D), g(2, Type::D)],
            ),
            CondMod::L,
            0,
        ),
        predicated(branch(Opcode::While, 16, -3, 0)),
        add(16, 4, 1),
        cmod(
            op(
                Opcode::Cmp,
                16,
                null_dst(Type::D),
                &[g(4, Type::D), imm(Type::D, 3)],
            ),
            CondMod::L,
            0,
        ),
        predicated(branch(Opcode::While, 16, -7, 0)),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    let want: Vec<u32> = (0..16).map(|i: u32| 3 * i.max(1)).collect();
    assert_eq!(lanes16(&t, 8), want);
}

#[test]
fn halt_waits_at_its_target() {
    // 0 f0 = id < 3; 1 (f0) if; 2 halt (jip endif, uip 6); 3 endif; 4 g4 += 1; 5 (all) -> 6 halt
    // target
    let code = [
        lane_cmp(16, CondMod::L, 3),
        if_(16, 2, 2),
        branch(Opcode::Halt, 16, 1, 3),
        branch(Opcode::Endif, 16, 2, 0),
        add(16, 4, 1),
        branch(Opcode::Halt, 16, 1, 1),
        add(16, 6, 1),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    let want: Vec<u32> = (0..16).map(|i| u32::from(i >= 3)).collect();
    assert_eq!(lanes16(&t, 4), want);
    assert_eq!(lanes16(&t, 6), vec![1; 16]);
}

#[test]
fn goto_and_join() {
    // 0 f0 = id < 4; 1 (f0) goto jip 3 uip 4, which the others take; 2 g4 += 1 ; 3 join ; 4 join ;
    // 5 g6 += 1
    let code = [
        lane_cmp(16, CondMod::L, 4),
        predicated(branch(Opcode::Goto, 16, 3, 3)),
        add(16, 4, 1),
        add(16, 8, 1),
        branch(Opcode::Join, 16, 1, 0),
        add(16, 6, 1),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    let want: Vec<u32> = (0..16).map(|i| u32::from(i < 4)).collect();
    assert_eq!(lanes16(&t, 4), want);
    assert_eq!(lanes16(&t, 6), vec![1; 16]);
}

#[test]
fn backward_goto_loops_until_no_channel_jumps() {
    // 0 join; 1 g4 += 1; 2 f0 = g4 < id; 3 (f0) goto.b -> 0; 4 g6 += 1
    let mut back = predicated(branch(Opcode::Goto, 16, 1, -3));
    back.branch_ctrl = true;
    let code = [
        branch(Opcode::Join, 16, 1, 0),
        add(16, 4, 1),
        cmod(
            op(
                Opcode::Cmp,
                16,
                null_dst(Type::D),
                &[g(4, Type::D), g(2, Type::D)],
            ),
            CondMod::L,
            0,
        ),
        back,
        branch(Opcode::Join, 16, 1, 0),
        add(16, 6, 1),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    let want: Vec<u32> = (0..16).map(|i| i.max(1)).collect();
    assert_eq!(lanes16(&t, 4), want);
    assert_eq!(lanes16(&t, 6), vec![1; 16]);
}

#[test]
fn jmpi_follows_its_scalar_predicate() {
    let jump = |inverse| {
        let mut j = no_mask(branch(Opcode::Jmpi, 1, 2, 0));
        j = pred(j, PredCtrl::Normal, inverse, 0);
        [
            lane_cmp(16, CondMod::Z, 0),
            j,
            add(16, 4, 1),
            add(16, 4, 10),
        ]
    };
    assert_eq!(
        lanes16(&run(&jump(false), &lane_ids(), 0xffff), 4),
        vec![10; 16]
    );
    assert_eq!(
        lanes16(&run(&jump(true), &lane_ids(), 0xffff), 4),
        vec![11; 16]
    );
}

#[test]
fn call_returns_to_the_next_instruction_with_all_channels() {
    // 0 f0 = id < 6; 1 (f0) call 4; 2 g6 += 1; 3 jmpi 6; 4 g4 += 1; 5 ret; 6 end
    let mut call = predicated(branch(Opcode::Call, 16, 3, 0));
    call.dst = dst(20, Type::Ud);
    let mut ret = branch(Opcode::Ret, 16, 0, 0);
    ret.src[0] = scalar(20, 0, Type::Ud);
    let code = [
        lane_cmp(16, CondMod::L, 6),
        call,
        add(16, 6, 1),
        no_mask(branch(Opcode::Jmpi, 1, 3, 0)),
        add(16, 4, 1),
        ret,
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    let want: Vec<u32> = (0..16).map(|i| u32::from(i < 6)).collect();
    assert_eq!(lanes16(&t, 4), want);
    assert_eq!(lanes16(&t, 6), vec![1; 16]);
    assert_eq!(reg(&t, 20)[0], 32);
}

#[test]
fn quarter_control_selects_mask_channels() {
    // SIMD8 on channels 8..16 (M8), under an IF that keeps odd channels.
    let mut upper = add(8, 5, 1);
    upper.chan_off = 8;
    let code = [
        cmod(
            op(
                Opcode::And,
                16,
                null_dst(Type::Ud),
                &[g(2, Type::Ud), imm(Type::Ud, 1)],
            ),
            CondMod::Nz,
            0,
        ),
        if_(16, 2, 2),
        upper,
        branch(Opcode::Endif, 16, 1, 0),
    ];
    let t = run(&code, &lane_ids(), 0xffff);
    assert_eq!(reg(&t, 5), [0, 1, 0, 1, 0, 1, 0, 1]);
}

/// Random nests of ifs, checked against each channel on its own.
#[test]
fn random_nested_ifs_match_a_scalar_model() {
    let mut r = Rng(77);
    for _ in 0..200 {
        let mut code: Vec<Inst> = Vec::new();
        // Steps of the scalar model: compare with k and open, else, close, or add.
        #[derive(Clone, Copy)]
        enum Step {
            Open(u32),
            Else,
            Close,
            Add(u32),
        }
        let mut steps = Vec::new();
        let mut open: Vec<bool> = Vec::new();
        for _ in 0..20 {
            match r.below(5) {
                0 if open.len() < 4 => {
                    steps.push(Step::Open(r.below(17) as u32));
                    open.push(false);
                }
                1 if open.last() == Some(&false) => {
                    steps.push(Step::Else);
                    *open.last_mut().expect("one is open") = true;
                }
                2 if !open.is_empty() => {
                    steps.push(Step::Close);
                    open.pop();
                }
                _ => steps.push(Step::Add(1 << r.below(20))),
            }
        }
        steps.extend(open.iter().map(|_| Step::Close));
        let mut stack: Vec<(usize, Option<usize>)> = Vec::new();
        let mut ends: Vec<usize> = Vec::new();
        for s in &steps {
            match s {
                Step::Open(k) => {
                    code.push(lane_cmp(16, CondMod::L, u64::from(*k)));
                    stack.push((code.len(), None));
                    code.push(if_(16, 0, 0));
                }
                Step::Else => {
                    stack.last_mut().expect("one is open").1 = Some(code.len());
                    code.push(branch(Opcode::Else, 16, 0, 0));
                }
                Step::Close => {
                    let (i, e) = stack.pop().expect("one is open");
                    let end = code.len();
                    let jip = e.map_or(end, |e| e + 1);
                    code[i].jip = (jip - i) as i32 * 16;
                    code[i].uip = (end - i) as i32 * 16;
                    if let Some(e) = e {
                        code[e].jip = (end - e) as i32 * 16;
                        code[e].uip = code[e].jip;
                    }
                    ends.push(end);
                    code.push(branch(Opcode::Endif, 16, 1, 0));
                }
                Step::Add(v) => code.push(add(16, 4, u64::from(*v))),
            }
        }
        let t = run(&code, &lane_ids(), 0xffff);
        for id in 0..16u32 {
            let mut live: Vec<(bool, bool)> = Vec::new();
            let mut sum = 0u32;
            for s in &steps {
                match s {
                    Step::Open(k) => live.push((id < *k, true)),
                    Step::Else => {
                        let l = live.last_mut().expect("one is open");
                        l.0 = !l.0;
                    }
                    Step::Close => {
                        live.pop();
                    }
                    Step::Add(v) => {
                        if live.iter().all(|l| l.0) {
                            sum = sum.wrapping_add(*v);
                        }
                    }
                }
            }
            assert_eq!(lanes16(&t, 4)[id as usize], sum, "channel {id}");
        }
    }
}
