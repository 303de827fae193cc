//! Kernels: what control flow reaches, where it goes, and what executes each instruction.

use crate::decode::num_srcs;
use crate::errata::KernelErrata;
use crate::kernel::Kernel;
use crate::message::StopReason;
use crate::state::Options;
use crate::testing::{
    Recorder, arf, arf_dst, branch, dst, eot, g, imm, null_dst, op, pred, reg, region, scalar,
    thread,
};
use crate::thread::{Thread, ThreadInit};
use crate::uop::UopKind;
use isa::{ArfReg, Desc, Inst, MathFn, Opcode, PredCtrl, Send, Src, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Registers instead of an immediate target.
fn to_register(mut i: Inst) -> Inst {
    i.src[0] = scalar(4, 0, Type::D);
    i
}

fn sending(o: Opcode, eot: bool) -> Inst {
    let mut i = op(o, 8, null_dst(Type::Ud), &[g(2, Type::Ud), g(3, Type::Ud)]);
    i.send = Some(Send {
        sfid: 7,
        desc: Desc::Imm(0),
        ex_desc: Desc::Imm(0),
        eot,
    });
    i
}

/// Offsets that are reachable from `first` at 64, if every other instruction ends the thread.
fn reached(first: Inst, len: u32) -> Kernel {
    Kernel::build(64, &mut |at| {
        Ok(if at == 64 { (first, len) } else { (eot(), 16) })
    })
    .unwrap_or_else(|e| panic!("{first:?}: {e}"))
}

#[test]
fn control_flow_reaches_the_next_instruction_and_its_targets() {
    // JIP is 48 and UIP 96 bytes on: 112 and 160.
    let jump = |o| branch(o, 8, 3, 6);
    let if_any = |i| pred(i, PredCtrl::Normal, false, 0);
    let mov = op(Opcode::Mov, 8, dst(4, Type::D), &[imm(Type::D, 0)]);
    let table: Vec<(Inst, &[u64])> = vec![
        (mov, &[80]),
        (jump(Opcode::If), &[80, 112, 160]),
        (jump(Opcode::Else), &[80, 112, 160]),
        (jump(Opcode::Break), &[80, 112, 160]),
        (jump(Opcode::Cont), &[80, 112, 160]),
        (jump(Opcode::Halt), &[80, 112, 160]),
        (jump(Opcode::Goto), &[80, 112, 160]),
        (jump(Opcode::Brc), &[80, 112, 160]),
        (to_register(jump(Opcode::Brc)), &[80]),
        (jump(Opcode::Endif), &[80, 112]),
        (jump(Opcode::While), &[80, 112]),
        (jump(Opcode::Join), &[80, 112]),
        (jump(Opcode::Brd), &[80, 112]),
        (to_register(jump(Opcode::Brd)), &[80]),
        // JMPI goes on behind itself only where it has a predicate, or a target that is not known.
        (jump(Opcode::Jmpi), &[112]),
        (if_any(jump(Opcode::Jmpi)), &[80, 112]),
        (to_register(jump(Opcode::Jmpi)), &[80]),
        (jump(Opcode::Call), &[80, 112]),
        (to_register(jump(Opcode::Call)), &[80]),
        // The target of CALLA is absolute.
        (jump(Opcode::Calla), &[48, 80]),
        (to_register(jump(Opcode::Calla)), &[80]),
        (to_register(jump(Opcode::Ret)), &[80]),
        (sending(Opcode::Send, true), &[]),
        (sending(Opcode::Sendc, true), &[]),
        (sending(Opcode::Sends, true), &[]),
        (sending(Opcode::Sendsc, true), &[]),
        (sending(Opcode::Send, false), &[80]),
        (sending(Opcode::Sends, false), &[80]),
        (op(Opcode::Send, 8, null_dst(Type::Ud), &[]), &[80]),
        (op(Opcode::Illegal, 1, null_dst(Type::Ud), &[]), &[]),
    ];
    for (first, others) in table {
        let k = reached(first, 16);
        let mut want = others.to_vec();
        want.push(64);
        want.sort_unstable();
        let got: Vec<u64> = k.index.keys().copied().collect();
        assert_eq!(got, want, "{first:?}");
        assert_eq!((k.len(), k.start(), k.is_empty()), (want.len(), 64, false));
        // Each offset has the index that its instruction has.
        for (at, index) in &k.index {
            assert_eq!(k.uops[*index as usize].ip, *at);
        }
        let target = |at: u64| match others.contains(&at) {
            true => k.index[&at],
            false => u32::MAX,
        };
        let u = &k.uops[k.index[&64] as usize];
        let jip = if first.op == Opcode::Calla { 48 } else { 112 };
        let want = (target(80), target(jip), target(160));
        assert_eq!((u.next, u.jip, u.uip), want, "{first:?}");
        // Channels can wait wherever flow control may send them.
        let flow = matches!(u.kind, UopKind::Flow(_));
        for (at, index) in k.index.iter().filter(|(at, _)| **at != 64) {
            assert_eq!(
                k.uops[*index as usize].is_join_point, flow,
                "{first:?}: {at}"
            );
        }
    }
    // A compacted instruction has eight bytes.
    let got: Vec<u64> = reached(mov, 8).index.keys().copied().collect();
    assert_eq!(got, [64, 72]);
    // A target before the first byte is none.
    let k = reached(branch(Opcode::If, 8, -5, 6), 16);
    assert_eq!((k.len(), k.uops[0].jip), (3, u32::MAX));
}

#[test]
fn unfetchable_instruction_stops_only_a_thread_that_reaches_it() {
    let lost = StopReason::Fault {
        what: "nothing there".into(),
        at: 80,
    };
    let mov = op(Opcode::Mov, 8, dst(4, Type::D), &[imm(Type::D, 7)]);
    let build = |start: u64| {
        Kernel::build(start, &mut |at| match at {
            64 => Ok((mov, 16)),
            _ => Err(lost.clone()),
        })
    };
    assert_eq!(build(80).err(), Some(lost.clone()));
    let k = Arc::new(build(64).expect("the first instruction is there"));
    let mut t = Thread::new(&k, &[], 0xff, &ThreadInit::default(), Options::default());
    assert_eq!(t.ip(), 64);
    assert_eq!(t.run(&mut Recorder::default(), 10), Err(lost.clone()));
    assert_eq!((reg(&t, 4), t.ip()), ([7; 8], 80));
    // Kernels in memory have sixteen bytes for each instruction, and nothing between them.
    assert!(Kernel::from_insts(&[]).is_err());
    let mut odd = branch(Opcode::Jmpi, 1, 0, 0);
    odd.jip = 8;
    let mut t = thread(&[odd], &[], 1);
    let e = t.run(&mut Recorder::default(), 10);
    assert!(matches!(e, Err(StopReason::Fault { at: 8, .. })), "{e:?}");
}

#[test]
fn kernel_can_be_checked_against_isa_rules() {
    let mov = op(Opcode::Mov, 8, dst(4, Type::D), &[g(2, Type::D)]);
    // A region whose rows of eight elements are one wide.
    let broken = op(
        Opcode::Mov,
        8,
        dst(4, Type::D),
        &[region(g(2, Type::D), 0, 0, 8, 1)],
    );
    let decode = |i: &Inst| {
        let code: Vec<u8> = [*i, eot()]
            .iter()
            .flat_map(|i| isa::encode(i, hw::Gen::Gen9).expect("an instruction of gen9"))
            .collect();
        let fetch = |at: u64| {
            let at = at as usize;
            let bytes = code.get(at..at + 16).and_then(|b| b.try_into().ok());
            Ok(bytes.unwrap_or([0; 16]))
        };
        let legal = |aligned_wide_regions| {
            let errata = KernelErrata {
                aligned_wide_regions,
                ..KernelErrata::default()
            };
            Kernel::decode_legal(&fetch, 0, hw::Gen::Gen9, errata).map(|k| k.len())
        };
        let lax = Kernel::decode(&fetch, 0, hw::Gen::Gen9).map(|k| k.len());
        (lax, legal(false), legal(true))
    };
    let undefined =
        |got: &Result<usize, StopReason>| matches!(got, Err(StopReason::Undefined { at: 0, .. }));
    assert_eq!(decode(&mov), (Ok(2), Ok(2), Ok(2)));
    let (lax, legal, _) = decode(&broken);
    assert_eq!(lax, Ok(2));
    assert!(undefined(&legal), "{legal:?}");
    // Packed doublewords become quadwords: not on a small core.
    let wide = op(Opcode::Mov, 8, dst(4, Type::Q), &[g(2, Type::D)]);
    let (_, legal, small) = decode(&wide);
    assert_eq!(legal, Ok(2));
    assert!(undefined(&small), "{small:?}");
}

#[test]
fn operations_decode_their_number_of_sources() {
    let one = [
        Opcode::Mov,
        Opcode::Movi,
        Opcode::Not,
        Opcode::Dim,
        Opcode::F32to16,
        Opcode::F16to32,
        Opcode::Bfrev,
        Opcode::Frc,
        Opcode::Rndu,
        Opcode::Rndd,
        Opcode::Rnde,
        Opcode::Rndz,
        Opcode::Lzd,
        Opcode::Fbh,
        Opcode::Fbl,
        Opcode::Cbit,
    ];
    let two = [
        Opcode::Sel,
        Opcode::And,
        Opcode::Or,
        Opcode::Xor,
        Opcode::Shr,
        Opcode::Shl,
        Opcode::Asr,
        Opcode::Cmp,
        Opcode::Cmpn,
        Opcode::Bfi1,
        Opcode::Add,
        Opcode::Mul,
        Opcode::Avg,
        Opcode::Mac,
        Opcode::Mach,
        Opcode::Addc,
        Opcode::Subb,
        Opcode::Sad2,
        Opcode::Sada2,
        Opcode::Dp2,
        Opcode::Dp3,
        Opcode::Dp4,
        Opcode::Dph,
        Opcode::Line,
        Opcode::Pln,
    ];
    let three = [
        Opcode::Csel,
        Opcode::Bfe,
        Opcode::Bfi2,
        Opcode::Mad,
        Opcode::Lrp,
        Opcode::Madm,
        Opcode::Dp4a,
    ];
    for (n, ops) in [(1, &one[..]), (2, &two[..]), (3, &three[..])] {
        for o in ops {
            assert_eq!(num_srcs(*o, None), n, "{o:?}");
        }
    }
    for (f, n) in [
        (MathFn::Inv, 1),
        (MathFn::Log, 1),
        (MathFn::Exp, 1),
        (MathFn::Sqrt, 1),
        (MathFn::Rsq, 1),
        (MathFn::Sin, 1),
        (MathFn::Cos, 1),
        (MathFn::Rsqrtm, 1),
        (MathFn::Fdiv, 2),
        (MathFn::Pow, 2),
        (MathFn::Invm, 2),
        (MathFn::IntDivBoth, 2),
        (MathFn::IntDivQuotient, 2),
        (MathFn::IntDivRemainder, 2),
    ] {
        assert_eq!(num_srcs(Opcode::Math, Some(f)), n, "{f:?}");
    }
}

#[test]
fn volatile_and_control_registers_are_special() {
    let table = [
        (ArfReg::Null, false),
        (ArfReg::Address, false),
        (ArfReg::Accumulator, false),
        (ArfReg::Flag, false),
        (ArfReg::ChannelEnable, true),
        (ArfReg::State, true),
        (ArfReg::Control, true),
        (ArfReg::Notification, true),
        (ArfReg::InstructionPointer, true),
        (ArfReg::ThreadDependency, true),
        (ArfReg::Timestamp, true),
        (ArfReg::FlowControl, true),
    ];
    let special = |i: Inst| {
        let k = Kernel::from_insts(&[i]).expect("there is an instruction");
        match k.uops[0].kind {
            UopKind::Special => true,
            UopKind::Alu(_) => false,
            _ => panic!("{i:?}"),
        }
    };
    for (r, want) in table {
        let one = |k: usize| {
            let mut s = [scalar(4, 0, Type::Ud); 3];
            s[k] = region(arf(r, 0, 0, Type::Ud), 0, 0, 1, 0);
            s
        };
        let reads = |o, s: &[Src]| special(op(o, 1, dst(4, Type::Ud), s));
        assert_eq!(reads(Opcode::Mov, &one(0)[..1]), want, "{r:?} source 0");
        assert_eq!(reads(Opcode::Add, &one(1)[..2]), want, "{r:?} source 1");
        assert_eq!(reads(Opcode::Bfe, &one(2)), want, "{r:?} source 2");
        // A source that the operation has not.
        assert!(!reads(Opcode::Mov, &one(1)), "{r:?}");
        let i = op(
            Opcode::Mov,
            1,
            arf_dst(r, 0, 0, Type::Ud),
            &[imm(Type::Ud, 1)],
        );
        assert_eq!(special(i), want, "{r:?} destination");
    }
}

#[test]
fn region_past_the_register_file_is_undefined_for_every_operand() {
    let far = g(127, Type::D);
    let near = g(4, Type::D);
    let wide = |o, d, s: &[Src]| op(o, 16, d, s);
    let d = dst(8, Type::D);
    let mut table: Vec<(Inst, bool)> = vec![
        (wide(Opcode::Mov, d, &[far]), true),
        (wide(Opcode::Mov, d, &[near, far]), false),
        (wide(Opcode::Add, d, &[near, far]), true),
        (wide(Opcode::Bfe, d, &[near, near, far]), true),
        (wide(Opcode::Mov, dst(127, Type::D), &[near]), true),
        (
            wide(Opcode::Call, dst(127, Type::D), &[imm(Type::D, 0)]),
            true,
        ),
        (
            wide(Opcode::Calla, dst(127, Type::D), &[imm(Type::D, 0)]),
            true,
        ),
        // Flow control but for the calls has no destination.
        (
            wide(Opcode::Brd, dst(127, Type::D), &[imm(Type::D, 0)]),
            false,
        ),
    ];
    for o in [
        Opcode::Jmpi,
        Opcode::Ret,
        Opcode::Call,
        Opcode::Calla,
        Opcode::Brd,
        Opcode::Brc,
    ] {
        table.push((wide(o, null_dst(Type::D), &[far]), true));
        table.push((wide(o, null_dst(Type::D), &[near]), false));
    }
    // An IF reads no register.
    table.push((wide(Opcode::If, null_dst(Type::D), &[far]), false));
    for (i, undefined) in table {
        let k = Kernel::from_insts(&[i]).expect("there is an instruction");
        let trapped = match &k.uops[0].kind {
            UopKind::Trap(s) => match &**s {
                StopReason::Undefined { rule, prm, at, .. } => {
                    assert_eq!((*rule, *at), ("grf-range", 0), "{i:?}");
                    assert!(prm.contains("Register Region"), "{prm}");
                    true
                }
                other => panic!("{i:?}: {other}"),
            },
            _ => false,
        };
        assert_eq!(trapped, undefined, "{i:?}");
    }
    // What has no operands does nothing.
    for o in [Opcode::Nop, Opcode::Sync] {
        let k = Kernel::from_insts(&[wide(o, dst(127, Type::D), &[far])]);
        assert!(
            k.is_ok_and(|k| matches!(k.uops[0].kind, UopKind::Nop)),
            "{o:?}"
        );
    }
}

#[test]
fn thread_rule_names_are_unique() {
    let names: BTreeMap<&str, &str> = crate::RULES.iter().map(|r| (r.name, r.prm)).collect();
    assert_eq!(names.len(), crate::RULES.len());
    for (name, prm) in names {
        assert!(prm.starts_with("SKL PRM vol. "), "{name}: {prm}");
    }
}
