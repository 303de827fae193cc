//! Kernels that break an erratum's rule on some path are refused; legal neighbours are not.

use super::KernelErrata;
use crate::kernel::Kernel;
use crate::message::StopReason;
use crate::testing::{
    arf, arf_dst, branch, cmod, dst, eot, g, imm, no_mask, null_dst, op, pred, region,
};
use crate::uop::UopKind;
use hw::Device;
use isa::{ArfReg, CondMod, Desc, Inst, Opcode, PredCtrl, Send, Type, message};

const ALL: KernelErrata = KernelErrata {
    aligned_wide_regions: false,
    read_flags: true,
    clear_notification: true,
};

/// The rule of the first trap in the kernel of these instructions.
fn rule(insts: &[Inst], errata: KernelErrata) -> Option<&'static str> {
    let code: Vec<u8> = insts
        .iter()
        .flat_map(|i| isa::encode(i, hw::Gen::Gen9).expect("an instruction of gen9"))
        .collect();
    let fetch = |at: u64| {
        let bytes = code.get(at as usize..at as usize + 16);
        Ok(bytes.and_then(|b| b.try_into().ok()).unwrap_or([0; 16]))
    };
    let kernel = Kernel::decode_legal(&fetch, 0, hw::Gen::Gen9, errata).expect("decoded");
    kernel.uops.iter().find_map(|u| match &u.kind {
        UopKind::Trap(stop) => match &**stop {
            StopReason::Undefined { rule, .. } => Some(*rule),
            other => panic!("{other:?}"),
        },
        _ => None,
    })
}

/// A comparison of `lanes` lanes from `first` on that writes the flag subregister.
fn compare(lanes: u8, first: u8, flag: u8) -> Inst {
    let null = null_dst(Type::D);
    let sources = [g(2, Type::D), g(3, Type::D)];
    let mut i = cmod(op(Opcode::Cmp, lanes, null, &sources), CondMod::Z, flag);
    i.chan_off = first;
    i
}

fn predicated(ctrl: PredCtrl, lanes: u8, flag: u8) -> Inst {
    let mov = op(Opcode::Mov, lanes, dst(10, Type::D), &[g(2, Type::D)]);
    pred(mov, ctrl, false, flag)
}

/// `mov(1) null, f` of a type.
fn read_flags(register: u8, ty: Type) -> Inst {
    let source = region(arf(ArfReg::Flag, register, 0, ty), 0, 0, 1, 0);
    no_mask(op(Opcode::Mov, 1, null_dst(ty), &[source]))
}

#[test]
fn flags_that_are_written_are_read_before_the_end() {
    let broken = Some("flags-read");
    let of = |insts: &[Inst]| rule(&[insts, &[eot()]].concat(), ALL);
    assert_eq!(of(&[compare(16, 0, 0)]), broken);
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[compare(16, 0, 0), read_flags(0, Type::Ud)]), None);
    // The other register, or the other word.
    assert_eq!(of(&[compare(16, 0, 0), read_flags(1, Type::Ud)]), broken);
    assert_eq!(of(&[compare(16, 0, 1), read_flags(0, Type::Uw)]), broken);
    assert_eq!(of(&[compare(16, 0, 0), read_flags(0, Type::Uw)]), None);
    // A predicate reads what it covers; the read comes after the write.
    let normal = predicated(PredCtrl::Normal, 8, 2);
    assert_eq!(of(&[compare(8, 0, 2), normal]), None);
    assert_eq!(of(&[normal, compare(8, 0, 2)]), broken);
    // An instruction reads its flags before it writes them.
    let both = pred(compare(8, 0, 2), PredCtrl::Normal, false, 2);
    assert_eq!(of(&[both]), broken);
    assert_eq!(of(&[both, normal]), None);
    // The second half of 32 lanes is in the second word, which ANY32H reads too.
    let halves = [compare(16, 0, 0), compare(16, 16, 0)];
    let [one, all] = [PredCtrl::Any16h, PredCtrl::Any32h].map(|ctrl| predicated(ctrl, 8, 0));
    assert_eq!(of(&[&halves[..], &[one]].concat()), broken);
    assert_eq!(of(&[&halves[..], &[all]].concat()), None);
    // SEL's conditional modifier writes no flag; a move into the register writes it.
    let min = op(
        Opcode::Sel,
        8,
        dst(10, Type::D),
        &[g(2, Type::D), g(3, Type::D)],
    );
    assert_eq!(of(&[cmod(min, CondMod::L, 0)]), None);
    let to_flag = arf_dst(ArfReg::Flag, 0, 0, Type::Ud);
    let set = no_mask(op(Opcode::Mov, 1, to_flag, &[imm(Type::Ud, 0)]));
    assert_eq!(of(&[set]), broken);
    let last = pred(eot(), PredCtrl::Normal, false, 2);
    assert_eq!(rule(&[compare(8, 0, 2), last], ALL), None);
    assert_eq!(rule(&[compare(8, 0, 0), last], ALL), broken);
    let lax = KernelErrata::default();
    assert_eq!(rule(&[compare(16, 0, 0), eot()], lax), None);
}

#[test]
fn a_path_on_which_flags_stay_unread_is_found() {
    // The IF reads f0.0; the flag that one side writes is read on that side, or behind the other.
    let enter = pred(branch(Opcode::If, 8, 3, 3), PredCtrl::Normal, false, 0);
    let end = branch(Opcode::Endif, 8, 1, 1);
    let last = eot();
    let inside = |second: Inst| {
        let insts = [compare(8, 0, 0), enter, compare(8, 0, 2), second, end, last];
        rule(&insts, ALL)
    };
    assert_eq!(inside(predicated(PredCtrl::Normal, 8, 2)), None);
    assert_eq!(
        inside(predicated(PredCtrl::Normal, 8, 0)),
        Some("flags-read")
    );
    // The flag is written before the branch, and read on one side only.
    let skipped = [compare(8, 0, 2), compare(8, 0, 0), enter];
    let read = [predicated(PredCtrl::Normal, 8, 2), compare(8, 0, 0)];
    let insts = [&skipped[..], &read, &[end, read_flags(0, Type::Ud), last]].concat();
    assert_eq!(rule(&insts, ALL), Some("flags-read"));
}

#[test]
fn a_flag_may_be_read_on_both_sides_of_a_branch() {
    let enter = pred(branch(Opcode::If, 8, 3, 4), PredCtrl::Normal, false, 0);
    let other_side = branch(Opcode::Else, 8, 2, 2);
    let end = branch(Opcode::Endif, 8, 1, 1);
    let read = predicated(PredCtrl::Normal, 8, 2);
    let none = predicated(PredCtrl::Normal, 8, 0);
    let sides = |first: Inst, second: Inst| {
        let start = [compare(8, 0, 2), compare(8, 0, 0), enter];
        let insts = [&start[..], &[first, other_side, second, end, eot()]].concat();
        rule(&insts, ALL)
    };
    assert_eq!(sides(read, read), None);
    assert_eq!(sides(none, read), Some("flags-read"));
    assert_eq!(sides(read, none), Some("flags-read"));
}

#[test]
fn an_endif_does_not_skip_the_read_behind_it() {
    // Branches of one instruction or of three each, the inner one's flag read by the second inner
    // one. The ENDIF between them jumps to the outer ENDIF if no channel is enabled.
    let enter = |length: i32| {
        let branch = branch(Opcode::If, 8, length, length);
        pred(branch, PredCtrl::Normal, false, 0)
    };
    let jump = |length: i32| branch(Opcode::Endif, 8, length, length);
    let inner = [compare(8, 0, 0), enter(2), compare(8, 0, 2), jump(2)];
    let read = predicated(PredCtrl::Normal, 8, 2);
    let start = [compare(8, 0, 0), enter(6)];
    let all = [&start[..], &inner, &[read, jump(1), eot()]].concat();
    assert_eq!(rule(&all, ALL), None);
    let other = predicated(PredCtrl::Normal, 8, 0);
    let unread = [&start[..], &inner, &[other, jump(1), eot()]].concat();
    assert_eq!(rule(&unread, ALL), Some("flags-read"));
}

fn barrier() -> Inst {
    let mut i = no_mask(op(Opcode::Send, 8, null_dst(Type::Ud), &[g(2, Type::Ud)]));
    i.send = Some(Send {
        sfid: message::gateway::SFID,
        desc: Desc::Imm(1 << 25 | message::gateway::BARRIER),
        ex_desc: Desc::Imm(0),
        eot: false,
    });
    i
}

#[test]
fn the_notification_register_is_cleared_before_each_barrier_message() {
    let notification = arf_dst(ArfReg::Notification, 0, 0, Type::Ud);
    let clear = no_mask(op(Opcode::Mov, 1, notification, &[imm(Type::Ud, 0)]));
    let source = region(arf(ArfReg::Notification, 0, 0, Type::Ud), 0, 0, 1, 0);
    let wait = no_mask(op(Opcode::Wait, 1, notification, &[source]));
    let of = |insts: &[Inst], errata| rule(&[insts, &[eot()]].concat(), errata);
    let broken = Some("notification-cleared");
    assert_eq!(of(&[clear, barrier(), wait], ALL), None);
    assert_eq!(of(&[barrier(), wait], ALL), broken);
    // Once for two barriers is not enough, and WAIT clears nothing.
    assert_eq!(of(&[clear, barrier(), wait, barrier(), wait], ALL), broken);
    assert_eq!(of(&[wait, barrier()], ALL), broken);
    assert_eq!(of(&[barrier(), wait], KernelErrata::default()), None);
    // Other messages of the gateway need none.
    let mut other = barrier();
    if let Some(send) = &mut other.send {
        send.desc = Desc::Imm(1 << 25 | message::gateway::OPEN);
    }
    assert_eq!(of(&[other], ALL), None);
}

#[test]
fn errata_are_those_of_the_part() {
    let part = |name| Device::by_name(name).expect("a part");
    assert_eq!(KernelErrata::of_device(part("skl"), false), ALL);
    let glk = KernelErrata::of_device(part("glk"), false);
    assert!(glk.aligned_wide_regions && glk.read_flags && glk.clear_notification);
    assert_eq!(
        KernelErrata::of_device(part("skl"), true),
        KernelErrata::default()
    );
    assert!(KernelErrata::of_device(part("glk"), true).aligned_wide_regions);
}
