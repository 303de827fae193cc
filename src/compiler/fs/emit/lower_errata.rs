//! Instructions that errata of the EU demand: reads of flag registers before the end of the thread
//! ([`Wa::ReadFlagsBeforeEot`]), writes of n0 before barriers
//! ([`Wa::ClearNotificationBeforeBarrier`]).
//!
//! In:  scheduled LIR, the device. Out: the same with MOVs that access these registers.
//! Ref: the rows of the table of workarounds.
//! Tests: tests/fs/lir/lower_errata/.

use crate::lir::{Dst, Inst, Lir, Op, Reg, Src};
use crate::opt::lane_cfg::{Block, build_blocks};
use hw::{Device, Wa};
use isa::message::gateway;
use isa::{ArfReg, Opcode, PredCtrl, Type};

/// Returns true if it changed the program.
pub(crate) fn lower_errata(lir: &mut Lir, device: &Device) -> bool {
    let mut inserted = Vec::new();
    if device.needs(Wa::ReadFlagsBeforeEot) {
        for (at, words) in unread_at_end(lir) {
            // One MOV reads both words of a register.
            for register in (0..2).filter(|register| words >> (2 * register) & 3 != 0) {
                inserted.push((at, read_flags(register)));
            }
        }
    }
    if device.needs(Wa::ClearNotificationBeforeBarrier) {
        let is_gateway = |inst: &Inst| inst.send.is_some_and(|send| send.sfid == gateway::SFID);
        let messages = lir.insts.iter().enumerate().filter(|(_, i)| is_gateway(i));
        inserted.extend(messages.map(|(at, _)| (at, clear_notification())));
    }
    let changed = !inserted.is_empty();
    inserted.sort_by_key(|(at, _)| *at);
    // From the end, so that indices stay valid; MOVs of one place in either order.
    for (at, inst) in inserted.into_iter().rev() {
        lir.insts.insert(at, inst);
    }
    changed
}

fn scalar_move(dst: Dst, src: Src) -> Inst {
    let mut inst = Inst::new(Op::Eu(Opcode::Mov), 1);
    inst.no_mask = true;
    inst.dst = dst;
    inst.src[0] = src;
    inst
}

fn read_flags(register: u8) -> Inst {
    let ty = Type::Ud;
    scalar_move(Dst::null(ty), Src::arf(ArfReg::Flag, register, 0, ty))
}

/// The gateway may notify a thread that waits for nothing. The thread's own notification cannot be
/// lost: it is sent only after the barrier message.
fn clear_notification() -> Inst {
    scalar_move(Dst::arf(ArfReg::Notification, 0, 0, Type::Ud), Src::ud(0))
}

/// A set of the words f0.0, f0.1, f1.0 and f1.1: one bit each.
type FlagWords = u8;

/// The words that hold these flag bits.
fn words_of(bits: u64) -> FlagWords {
    (0..4).fold(0, |words, word| {
        words | u8::from(bits >> (16 * word) & 0xffff != 0) << word
    })
}

/// The words that a predicate reads. A vote reads whole groups of channels.
fn words_read(inst: &Inst) -> FlagWords {
    let channels = |first: u32, count: u32| words_of(((1u64 << count) - 1) << first);
    let (group, exec) = (u32::from(inst.group), u32::from(inst.exec));
    let subregister = u32::from(inst.flag) * 16;
    let predicate = match inst.pred.map(|pred| pred.ctrl) {
        None => 0,
        Some(PredCtrl::AnyV | PredCtrl::AllV) => channels(group, exec) | channels(32 + group, exec),
        Some(PredCtrl::Any32h | PredCtrl::All32h) => channels(subregister, 32),
        // The votes of up to 16 channels stay within a word.
        Some(_) => channels(subregister + group, exec),
    };
    (0..inst.sources()).fold(predicate, |words, i| {
        words | register_words(inst.src[i].reg, inst.src[i].offset, inst.src_bytes(i))
    })
}

/// The words that a conditional modifier or a destination writes.
fn words_written(inst: &Inst) -> FlagWords {
    let first = u32::from(inst.flag) * 16 + u32::from(inst.group);
    let condition = match inst.writes_flag() {
        true => words_of(((1u64 << inst.exec) - 1) << first),
        false => 0,
    };
    condition | register_words(inst.dst.reg, inst.dst.offset, inst.dst_bytes())
}

/// The words that an operand covers.
fn register_words(reg: Reg, offset: u32, bytes: u32) -> FlagWords {
    match reg {
        Reg::Arf(ArfReg::Flag, register) => {
            let first = u32::from(register) * 32 + offset * 8;
            words_of(((1u64 << (bytes * 8).min(63)) - 1) << first)
        }
        _ => 0,
    }
}

/// The words that are unread behind an instruction.
fn behind(inst: &Inst, unread: FlagWords) -> FlagWords {
    unread & !words_read(inst) | words_written(inst)
}

/// The words that are unread behind a block and the control-flow instruction that ends it.
fn behind_block(lir: &Lir, block: &Block, unread: FlagWords) -> FlagWords {
    let insts = lir.insts.get(block.first..=block.end);
    // The last block ends with the program.
    let insts = insts.unwrap_or(&lir.insts[block.first..]);
    insts.iter().fold(unread, |unread, i| behind(i, unread))
}

/// The messages that end the thread, and the words of the flag registers that some path to them
/// writes and does not read.
fn unread_at_end(lir: &Lir) -> Vec<(usize, FlagWords)> {
    let blocks = build_blocks(lir);
    let mut before = vec![0; blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, block) in blocks.iter().enumerate() {
            let unread = behind_block(lir, block, before[at]);
            for next in block.next {
                if let Some(known) = before.get_mut(next)
                    && unread & !*known != 0
                {
                    *known |= unread;
                    changed = true;
                }
            }
        }
    }
    let mut found = Vec::new();
    for (block, unread) in blocks.iter().zip(before) {
        let mut unread = unread;
        for at in block.first..block.end {
            let inst = &lir.insts[at];
            if inst.send.is_some_and(|send| send.eot) {
                // The message's own predicate is a read.
                found.push((at, unread & !words_read(inst)));
            }
            unread = behind(inst, unread);
        }
    }
    found
}
