//! Conditions of a result against zero, taken where the result is made.
//!
//! In:  LIR in which a comparison with zero, or a move, puts a condition into a flag and writes nothing else.
//! Out: the condition is the modifier of the operation that made what is compared, where that is in the same block, for the same lanes,
//! and the flag is nobody's between.
//! A comparison with a constant is one of the difference with zero, where that is made: no two numbers next to a constant of ordinary size
//! are so close that their difference would be taken for zero.
//! Integer sums wrap: only whether the result is zero may be asked of them. Ref: SKL PRM vol. 7, "Conditional Modifiers".
//! Tests: tests/fs/opt_cmod/.

use crate::lir::{Inst, Lir, Op, Reg, Src};
use isa::{ArfReg, CondMod, Opcode, Type};

/// How far back the operation may stand.
const WINDOW: usize = 64;

/// Least constant whose neighbours are further away than a number that may be flushed to zero.
const LEAST: f32 = 1e-30;

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
        let first = block_start.max(at.saturating_sub(WINDOW));
        let teller = match tested(&test) {
            Some(cmod) => maker(lir, &gone, &test, first, at)
                .filter(|def| may_tell(&lir.insts[*def], &test, cmod))
                .map(|def| (def, cmod)),
            None => difference(lir, &gone, &test, first, at).map(|def| (def, test.cmod)),
        };
        if let Some((def, cmod)) = teller {
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
    before(lir, gone, test, first, at, |_| false).filter(|k| writes(&lir.insts[*k], test))
}

/// The sum that has a test's constant subtracted from what it compares, by the same rule.
fn difference(lir: &Lir, gone: &[bool], test: &Inst, first: usize, at: usize) -> Option<usize> {
    let [x, c] = [&test.src[0], &test.src[1]];
    let constant = |s: &Src| match s.reg {
        Reg::Imm(bits) => Some(f32::from_bits(bits as u32)),
        _ => None,
    };
    let plain = test.op == Op::Eu(Opcode::Cmp)
        && test.pred.is_none()
        && test.dst.reg == Reg::Null
        && [x.ty, c.ty] == [Type::F; 2]
        && x.as_vgrf().is_some();
    let value = constant(c).filter(|c| plain && c.is_finite() && c.abs() >= LEAST)?;
    let subtracts = |inst: &Inst| {
        inst.op == Op::Eu(Opcode::Add)
            && inst.src[0] == *x
            && inst.src[1].ty == Type::F
            && constant(&inst.src[1]) == Some(-value)
            && inst.dst.ty == Type::F
            && !inst.sat
            && inst.pred.is_none()
            && inst.cmod == CondMod::None
            && !inst.acc_wr
            && !writes(inst, test)
            && (inst.exec, inst.group, inst.no_mask) == (test.exec, test.group, test.no_mask)
    };
    before(lir, gone, test, first, at, subtracts).filter(|k| subtracts(&lir.insts[*k]))
}

/// True if an instruction writes what a test compares.
fn writes(inst: &Inst, test: &Inst) -> bool {
    let (from, end) = (test.src[0].offset, test.src[0].offset + test.src_bytes(0));
    inst.dst.as_vgrf().is_some()
        && inst.dst.as_vgrf() == test.src[0].as_vgrf()
        && inst.dst.offset < end
        && from < inst.dst.offset + inst.dst_bytes()
}

/// The last instruction before a test that is looked for, or that writes what the test compares, if nothing in between needs the flag or
/// could.
fn before(
    lir: &Lir,
    gone: &[bool],
    test: &Inst,
    first: usize,
    at: usize,
    looked_for: impl Fn(&Inst) -> bool,
) -> Option<usize> {
    for k in (first..at).rev() {
        if gone[k] {
            continue;
        }
        let inst = &lir.insts[k];
        if looked_for(inst) || writes(inst, test) {
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
