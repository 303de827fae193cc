//! Errata of the EU that whole kernels have to respect.
//!
//! In:  the reachable instructions of a kernel, the errata of the device. Out: the instructions at
//!      which a thread breaks a rule on some path.
//! Ref: Intel's graphics compiler, WaClearArfDependenciesBeforeEot and
//!      WaResetN0BeforeGatewayMessage; Mesa's compiler, which has the former.

use crate::message::StopReason;
use crate::rules::{FLAGS_READ, NOTIFICATION_CLEARED, ThreadRule};
use crate::successors::Successors;
use hw::{Device, Wa};
use isa::{Addr, ArfReg, CondMod, Desc, Inst, Opcode, PredCtrl, RegFile, descriptor, message};
use std::collections::BTreeMap;

/// What a device's errata demand of kernels; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelErrata {
    /// The low-power EU's rules for 64-bit operands apply.
    pub aligned_wide_regions: bool,
    /// Flag registers that are written are read before the thread ends.
    pub read_flags: bool,
    /// The notification register is cleared before a barrier message.
    pub clear_notification: bool,
}

impl KernelErrata {
    /// The errata of a device; if `lenient`, without those that drivers in use do not respect.
    pub fn of_device(device: &Device, lenient: bool) -> KernelErrata {
        KernelErrata {
            aligned_wide_regions: device.needs(Wa::Align64BitRegions),
            read_flags: !lenient && device.needs(Wa::ReadFlagsBeforeEot),
            clear_notification: !lenient && device.needs(Wa::ClearNotificationBeforeBarrier),
        }
    }
}

/// What may be true before an instruction, on some path to it: in bits 0 to 3, that a word of the
/// flag registers was written and not read since; in bit 4, that n0 was not cleared since the start
/// of the thread or the last barrier message.
type Pending = u8;

const FLAG_WORDS: Pending = 0xf;
const NOTIFICATION: Pending = 1 << 4;

/// The words of the flag registers among `bits` bits from bit `first` on.
fn words(first: u32, bits: u32) -> Pending {
    let last = (first + bits.max(1) - 1).min(63);
    (first / 16..=last / 16).fold(0, |words, word| words | 1 << word)
}

/// The words of the flag registers that a register operand covers: `bytes` bytes from its address.
fn operand_words(file: RegFile, addr: Addr, bytes: u32) -> Pending {
    match addr {
        Addr::Direct { nr, sub_bytes } if file == RegFile::Arf && nr >> 4 == ArfReg::Flag as u8 => {
            words(u32::from(nr & 1) * 32 + u32::from(sub_bytes) * 8, bytes * 8)
        }
        _ => 0,
    }
}

/// The words of the flag registers that an instruction's predicate reads.
fn predicate_words(inst: &Inst) -> Pending {
    let Some(pred) = inst.pred else { return 0 };
    let first = u32::from(inst.flag & 3) * 16;
    let (lane, lanes) = (u32::from(inst.chan_off), u32::from(inst.exec_size));
    let group = match pred.ctrl {
        PredCtrl::AnyV | PredCtrl::AllV => return words(lane, lanes) | words(32 + lane, lanes),
        PredCtrl::Any8h | PredCtrl::All8h => 8,
        PredCtrl::Any16h | PredCtrl::All16h => 16,
        PredCtrl::Any32h | PredCtrl::All32h => 32,
        // Smaller groups do not cross a word.
        _ => 1,
    };
    let start = lane & !(group - 1);
    words(
        first + start,
        (lane + lanes - start).next_multiple_of(group),
    )
}

/// The words of the flag registers that an instruction's conditional modifier writes.
fn condition_words(inst: &Inst) -> Pending {
    if inst.cmod == CondMod::None || matches!(inst.op, Opcode::Sel | Opcode::Csel) {
        return 0;
    }
    let first = u32::from(inst.flag & 3) * 16 + u32::from(inst.chan_off);
    words(first, inst.exec_size.into())
}

fn is_barrier_message(inst: &Inst) -> bool {
    inst.send.is_some_and(|send| match send.desc {
        Desc::Imm(desc) => {
            send.sfid == message::gateway::SFID
                && descriptor::gateway::SUBFUNCTION.get(desc) == message::gateway::BARRIER
        }
        Desc::A0(_) => false,
    })
}

/// What is pending behind an instruction.
fn behind(inst: &Inst, before: Pending) -> Pending {
    let lanes = u32::from(inst.exec_size);
    let mut read = predicate_words(inst);
    for s in &inst.src[..usize::from(inst.op.info().sources).min(3)] {
        // A region of flags is contiguous or a scalar.
        let elements = if s.region.vstride == 0 { 1 } else { lanes };
        read |= operand_words(s.file, s.addr, elements * s.ty.size_bytes());
    }
    let dst = &inst.dst;
    let mut written = condition_words(inst);
    if inst.send.is_none() {
        written |= operand_words(dst.file, dst.addr, lanes * dst.ty.size_bytes());
    }
    let clears = matches!(dst.addr, Addr::Direct { nr, .. } if nr >> 4 == ArfReg::Notification as u8)
        && dst.file == RegFile::Arf
        && inst.op != Opcode::Wait;
    let mut pending = before & !read | written;
    if clears {
        pending &= !NOTIFICATION;
    }
    if is_barrier_message(inst) {
        pending |= NOTIFICATION;
    }
    pending
}

/// The rule that an instruction breaks with this pending before it, and how.
fn violation(
    inst: &Inst,
    before: Pending,
    errata: KernelErrata,
) -> Option<(&'static ThreadRule, String)> {
    let ends = inst.send.is_some_and(|send| send.eot);
    // The last message's own predicate is a read.
    let unread = before & FLAG_WORDS & !predicate_words(inst);
    if errata.read_flags && ends && unread != 0 {
        let what = format!("the thread ends with words {unread:#06b} of the flag registers unread");
        return Some((&FLAGS_READ, what));
    }
    let unclear = before & NOTIFICATION != 0;
    (errata.clear_notification && unclear && is_barrier_message(inst)).then(|| {
        let what = "a barrier message without a write of n0 before it".into();
        (&NOTIFICATION_CLEARED, what)
    })
}

/// The first error of each instruction that breaks a rule on some path from `start`, by byte
/// offset.
pub(crate) fn errors(
    start: u64,
    insts: &BTreeMap<u64, Result<(Inst, u32), StopReason>>,
    errata: KernelErrata,
) -> Vec<(u64, StopReason)> {
    if !errata.read_flags && !errata.clear_notification {
        return Vec::new();
    }
    let mut before: BTreeMap<u64, Pending> = BTreeMap::from([(start, NOTIFICATION)]);
    let mut work = vec![start];
    while let Some(at) = work.pop() {
        let Some(Ok((inst, len))) = insts.get(&at) else {
            continue;
        };
        let pending = behind(inst, before.get(&at).copied().unwrap_or(0));
        let next = Successors::from_inst(inst, at, u64::from(*len));
        for to in next.on_paths(inst) {
            let known = before.get(&to).copied();
            if known.is_none_or(|known| known | pending != known) {
                before.insert(to, known.unwrap_or(0) | pending);
                work.push(to);
            }
        }
    }
    let found = before.iter().filter_map(|(at, pending)| {
        let (inst, _) = insts.get(at)?.as_ref().ok()?;
        let (rule, what) = violation(inst, *pending, errata)?;
        let stop = StopReason::Undefined {
            rule: rule.name,
            prm: rule.prm,
            what,
            at: *at,
        };
        Some((*at, stop))
    });
    found.collect()
}

#[cfg(test)]
mod tests;
