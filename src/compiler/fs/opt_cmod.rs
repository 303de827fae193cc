//! Conditions of a result against zero, taken where the result is made.
//!
//! In:  LIR in which a comparison with zero, or a move, puts a condition into a flag and writes nothing else.
//! Out: the condition is the modifier of the operation that made what is compared, where that is in the same block, for the same lanes,
//! and the flag is nobody's between.
//! Integer sums wrap: only whether the result is zero may be asked of them. Ref: SKL PRM vol. 7, "Conditional Modifiers".
//! Tests: tests/fs/opt_cmod/.

use crate::lir::*;
use isa::{ArfReg, CondMod, Opcode, Type};

/// How far back the operation may stand.
const WINDOW: usize = 64;

/// True if anything changed.
pub(crate) fn opt_cmod(lir: &mut Lir) -> bool {
    let mut gone = vec![false; lir.insts.len()];
    let mut block_start = 0;
    let mut changed = false;
    for at in 0..lir.insts.len() {
        let test = lir.insts[at];
        if test.is_control() {
            block_start = at + 1;
            continue;
        }
        let Some(cmod) = tested(&test) else { continue };
        let first = block_start.max(at.saturating_sub(WINDOW));
        let Some(def) = maker(lir, &gone, &test, first, at) else {
            continue;
        };
        if may_tell(&lir.insts[def], &test, cmod) {
            let def = &mut lir.insts[def];
            (def.cmod, def.flag) = (cmod, test.flag);
            gone[at] = true;
            changed = true;
        }
    }
    if changed {
        let mut gone = gone.iter();
        lir.insts.retain(|_| !gone.next().unwrap_or(&false));
    }
    changed
}

/// The condition that a test puts into a flag, of its first source against zero.
fn tested(inst: &Inst) -> Option<CondMod> {
    let s = &inst.src[0];
    let plain = inst.pred.is_none()
        && inst.dst.reg == Reg::Null
        && inst.cmod != CondMod::None
        && s.as_vgrf().is_some()
        && !s.neg
        && !s.abs
        && s.rows.is_none();
    let zero = match inst.op {
        Op::Eu(Opcode::Mov) => inst.dst.ty == s.ty && (inst.cmod == CondMod::Nz || s.ty.is_float()),
        Op::Eu(Opcode::Cmp) => matches!(inst.src[1].reg, Reg::Imm(0)),
        _ => false,
    };
    (plain && zero).then_some(inst.cmod)
}

/// The instruction that makes what a test reads, if nothing in between needs the flag or could.
fn maker(lir: &Lir, gone: &[bool], test: &Inst, first: usize, at: usize) -> Option<usize> {
    let v = test.src[0].as_vgrf()?;
    let (from, end) = (test.src[0].offset, test.src[0].offset + test.src_bytes(0));
    for k in (first..at).rev() {
        if gone[k] {
            continue;
        }
        let inst = &lir.insts[k];
        let writes = inst.dst.as_vgrf() == Some(v)
            && inst.dst.offset < end
            && from < inst.dst.offset + inst.dst_bytes();
        if writes {
            return Some(k);
        }
        let flag = |r: Reg| matches!(r, Reg::Arf(ArfReg::Flag, _));
        let explicit = flag(inst.dst.reg) || inst.src[..inst.sources()].iter().any(|s| flag(s.reg));
        let uses = inst.pred.is_some() || inst.writes_flag();
        if explicit || uses && inst.flag_bits() & test.flag_bits() != 0 {
            return None;
        }
    }
    None
}

/// True if the operation may put the condition of its own result into the flag.
fn may_tell(def: &Inst, test: &Inst, cmod: CondMod) -> bool {
    let s = &test.src[0];
    let lanes = (def.exec, def.group, def.no_mask) == (test.exec, test.group, test.no_mask);
    let stride = if def.exec == 1 {
        def.dst.stride
    } else {
        s.stride
    };
    let place = (def.dst.offset, def.dst.stride) == (s.offset, stride);
    let free = def.pred.is_none() && def.cmod == CondMod::None && !def.acc_wr && def.send.is_none();
    let Op::Eu(op) = def.op else { return false };
    if !lanes || !place || !free {
        return false;
    }
    let is_zero = matches!(cmod, CondMod::Z | CondMod::Nz);
    let (wrote, read) = (def.dst.ty, s.ty);
    if wrote.is_float() || read.is_float() {
        let makes = matches!(
            op,
            Opcode::Add
                | Opcode::Mul
                | Opcode::Mad
                | Opcode::Mov
                | Opcode::Frc
                | Opcode::Rndd
                | Opcode::Rnde
                | Opcode::Rndu
                | Opcode::Rndz
        );
        // A result is as it is written where no operand is of another type.
        let one_type = def.src[..def.sources()].iter().all(|s| s.ty == wrote);
        let known = wrote == read && matches!(wrote, Type::F | Type::Df);
        return known && makes && one_type && !def.sat;
    }
    // Whether all bits are zero is the same for every type of the size.
    let same = wrote == read || is_zero && wrote.size_bytes() == read.size_bytes();
    if !same || wrote.size_bytes() != 4 || def.sat {
        return false;
    }
    let words = |s: &Src| s.ty.size_bytes() == 4 && !s.ty.is_float();
    if !def.src[..def.sources()].iter().all(words) {
        return false;
    }
    match op {
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => is_zero,
        Opcode::Add | Opcode::Shr | Opcode::Asr => is_zero,
        Opcode::Mov => is_zero && !def.src[0].abs,
        _ => false,
    }
}
