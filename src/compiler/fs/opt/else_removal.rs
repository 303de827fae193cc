//! What an ELSE would only set is set before the branch.
//!
//! In:  LIR with IF, ELSE and ENDIF. Out: where one side does nothing but copy what is there before the branch, and the other side writes
//! all of that too before it reads it or leaves, the copies stand in front of the branch, for all lanes, and there is no ELSE. What the
//! other side copies to the same place itself, it need not copy again.
//! Ref: SKL PRM vol. 7, "IF", "ELSE". Tests: tests/fs/opt_else/.

use crate::lir::{Inst, Lir, Op, Reg};
use isa::{CondMod, Opcode};

/// Copies that are executed for all lanes at most.
const MOST: usize = 2;

/// Instructions of the other side that are looked at.
const WINDOW: usize = 256;

/// An IF whose ENDIF has not come yet.
struct Open {
    start: usize,
    middle: Option<usize>,
}

/// True if anything changed.
pub(crate) fn opt_else(lir: &mut Lir) -> bool {
    let mut changed = false;
    let mut out: Vec<Inst> = Vec::with_capacity(lir.insts.len());
    let mut open: Vec<Open> = Vec::new();
    for inst in std::mem::take(&mut lir.insts) {
        match inst.op {
            Op::Eu(Opcode::If) => open.push(Open {
                start: out.len(),
                middle: None,
            }),
            Op::Eu(Opcode::Else) => {
                if let Some(open) = open.last_mut() {
                    open.middle = Some(out.len());
                }
            }
            Op::Eu(Opcode::Endif) => {
                if let Some(Open {
                    start,
                    middle: Some(middle),
                }) = open.pop()
                {
                    changed |= set_before(&mut out, start, middle);
                }
            }
            _ => {}
        }
        out.push(inst);
    }
    lir.insts = out;
    changed
}

/// Moves the copies of one side of a branch, which ends the list, to its front.
fn set_before(out: &mut Vec<Inst>, start: usize, middle: usize) -> bool {
    let end = out.len();
    let (then, other) = ((start + 1, middle), (middle + 1, end));
    let fits = |side: (usize, usize), opposite: (usize, usize)| {
        let copies = &out[side.0..side.1];
        let count = copies.len();
        (1..=MOST).contains(&count)
            && opposite.1 - opposite.0 <= WINDOW
            && copies.iter().all(is_copy)
            && are_apart(copies)
            && copies
                .iter()
                .all(|copy| may_go_first(copy, &out[opposite.0..opposite.1]))
    };
    let side = if fits(other, then) {
        other
    } else if fits(then, other) {
        then
    } else {
        return false;
    };
    let copies: Vec<Inst> = out[side.0..side.1].to_vec();
    let mut rest: Vec<Inst> = if side == other {
        out[then.0..then.1].to_vec()
    } else {
        out[other.0..other.1].to_vec()
    };
    for copy in &copies {
        if let Some(k) = made_again(copy, &rest) {
            rest.remove(k);
        }
    }
    let mut branch = out[start];
    if side == then
        && let Some(pred) = &mut branch.pred
    {
        pred.inverse = !pred.inverse;
    }
    out.truncate(start);
    out.extend(copies);
    out.push(branch);
    out.extend(rest);
    true
}

/// True for a plain copy under the execution mask.
fn is_copy(inst: &Inst) -> bool {
    inst.op == Op::Eu(Opcode::Mov)
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.no_mask
        && !inst.acc_wr
        && inst.dst.as_vgrf().is_some()
        && matches!(inst.src[0].reg, Reg::Imm(_) | Reg::Vgrf(_))
}

/// True if none of the copies has to do with what another one writes.
fn are_apart(copies: &[Inst]) -> bool {
    copies.iter().enumerate().all(|(k, copy)| {
        let mut others = copies.iter().enumerate().filter(|o| o.0 != k);
        others.all(|(_, o)| !reads(o, copy) && !writes(o, copy))
            && copy.src[0].as_vgrf() != copy.dst.as_vgrf()
    })
}

/// True if the instruction reads what the copy writes.
fn reads(inst: &Inst, copy: &Inst) -> bool {
    let (first, end) = (copy.dst.offset, copy.dst.offset + copy.dst_bytes());
    (0..inst.sources()).any(|i| {
        let s = &inst.src[i];
        s.reg == copy.dst.reg
            && (inst.op == Op::MovIndirect
                || s.offset < end && s.offset + inst.src_bytes(i) > first)
    })
}

/// True if the instruction writes some of what the copy writes.
fn writes(inst: &Inst, copy: &Inst) -> bool {
    let (first, end) = (copy.dst.offset, copy.dst.offset + copy.dst_bytes());
    inst.dst.reg == copy.dst.reg
        && inst.dst.offset < end
        && inst.dst.offset + inst.dst_bytes() > first
}

/// True if the instruction writes all of what the copy writes, for the same lanes.
fn covers(inst: &Inst, copy: &Inst) -> bool {
    let (first, end) = (copy.dst.offset, copy.dst.offset + copy.dst_bytes());
    let selects = matches!(inst.op, Op::Eu(Opcode::Sel));
    let pitch = |i: &Inst| u32::from(i.dst.stride) * i.dst.ty.size_bytes();
    (inst.pred.is_none() || selects)
        && (inst.exec, inst.group) == (copy.exec, copy.group)
        && inst.dst.reg == copy.dst.reg
        && inst.dst.offset <= first
        && inst.dst.offset + inst.dst_bytes() >= end
        && (inst.send.is_some()
            || pitch(inst) == pitch(copy) && inst.dst.ty.size_bytes() == copy.dst.ty.size_bytes())
}

/// True if the copy may be executed for the lanes of `side`, too, before it: it loses nothing that those read later, and reads nothing
/// that they have written.
fn may_go_first(copy: &Inst, side: &[Inst]) -> bool {
    let mut depth = 0u32;
    let mut covered = false;
    for inst in side {
        let from = copy.src[0].as_vgrf();
        if !covered && reads(inst, copy) || from.is_some() && inst.dst.as_vgrf() == from {
            return false;
        }
        match inst.op {
            Op::Eu(Opcode::If) | Op::Do => depth += 1,
            Op::Eu(Opcode::Endif | Opcode::While) => depth = depth.saturating_sub(1),
            // Lanes that leave keep what they had.
            Op::Eu(Opcode::Break | Opcode::Cont | Opcode::Halt) if !covered => return false,
            _ => {}
        }
        covered |= depth == 0 && covers(inst, copy);
    }
    covered
}

/// Where one side begins with the same copy: nothing has written there before it.
fn made_again(copy: &Inst, side: &[Inst]) -> Option<usize> {
    let k = side
        .iter()
        .position(|i| writes(i, copy) || i.is_control())?;
    (side[k] == *copy).then_some(k)
}
