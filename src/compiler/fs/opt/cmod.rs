//! Conditional modifier propagation: a comparison with zero becomes the cmod of the instruction
//! that computes the compared value.
//!
//! In:  LIR in which a CMP with zero, or a MOV with a cmod, writes a flag and no register.
//! Out: the cmod is on the defining instruction and the comparison is removed. Both instructions
//!      are in one block and execute the same lanes, and no instruction between them accesses the
//!      flag.
//!
//! A comparison with a constant c is also replaced if the block computes `x - c`: for constants of
//! ordinary magnitude the difference of two distinct floats is never so small that it is flushed to
//! zero. Integer additions wrap, so only Z and NZ can be taken from them.
//! Ref: SKL PRM vol. 7, "Conditional Modifiers". Tests: tests/fs/opt_cmod/.

use crate::lir::{Inst, Lir, Op, Reg, Src};
use isa::{ArfReg, CondMod, Opcode, Type};

/// Number of instructions before the comparison that are searched for the defining instruction.
const WINDOW: usize = 64;

/// Smallest constant whose distance to the neighbouring floats is larger than any denormal.
const MIN_CONSTANT: f32 = 1e-30;

/// Returns true if it changed the program.
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
        let replacement = match compared_with_zero(&test) {
            Some(cmod) => find_def(lir, &gone, &test, first, at)
                .filter(|def| can_take_cmod(&lir.insts[*def], &test, cmod))
                .map(|def| (def, cmod)),
            None => find_difference(lir, &gone, &test, first, at).map(|def| (def, test.cmod)),
        };
        if let Some((def, cmod)) = replacement {
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

/// The condition of an instruction that only compares its first source with zero.
fn compared_with_zero(inst: &Inst) -> Option<CondMod> {
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

/// The instruction that defines the source of `test`, if no instruction between the two accesses
/// the flag.
fn find_def(lir: &Lir, gone: &[bool], test: &Inst, first: usize, at: usize) -> Option<usize> {
    search_back(lir, gone, test, first, at, |_| false).filter(|k| writes(&lir.insts[*k], test))
}

/// The ADD that subtracts the constant of `test` from the compared value, under the same conditions
/// as [`find_def`].
fn find_difference(
    lir: &Lir,
    gone: &[bool],
    test: &Inst,
    first: usize,
    at: usize,
) -> Option<usize> {
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
    let value = constant(c).filter(|c| plain && c.is_finite() && c.abs() >= MIN_CONSTANT)?;
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
    search_back(lir, gone, test, first, at, subtracts).filter(|k| subtracts(&lir.insts[*k]))
}

/// True if an instruction writes any byte of the value that `test` compares.
fn writes(inst: &Inst, test: &Inst) -> bool {
    let (from, end) = (test.src[0].offset, test.src[0].offset + test.src_bytes(0));
    inst.dst.as_vgrf().is_some()
        && inst.dst.as_vgrf() == test.src[0].as_vgrf()
        && inst.dst.offset < end
        && from < inst.dst.offset + inst.dst_bytes()
}

/// The last instruction in `first..at` that `looked_for` accepts or that writes the value compared
/// by `test`; none if an instruction behind it accesses the flag.
fn search_back(
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

/// True if `def` can write the condition of its own result to the flag instead of `test`.
fn can_take_cmod(def: &Inst, test: &Inst, cmod: CondMod) -> bool {
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
        // The condition is that of the stored result only if no operand has another type.
        let one_type = def.src[..def.sources()].iter().all(|s| s.ty == wrote);
        let known = wrote == read && matches!(wrote, Type::F | Type::Df);
        return known && makes && one_type && !def.sat;
    }
    // Z and NZ do not depend on the type, only on its size.
    let same = wrote == read || is_zero && wrote.size_bytes() == read.size_bytes();
    let bytes = wrote.size_bytes();
    if !same || !matches!(bytes, 2 | 4) || def.sat {
        return false;
    }
    let integers = |s: &Src| s.ty.size_bytes() == bytes && !s.ty.is_float();
    if !def.src[..def.sources()].iter().all(integers) {
        return false;
    }
    match op {
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => is_zero,
        // Masks of words, from logic operations, are the only words that are tested.
        _ if bytes == 2 => false,
        Opcode::Add | Opcode::Shr | Opcode::Asr => is_zero,
        Opcode::Mov => is_zero && !def.src[0].abs,
        _ => false,
    }
}
