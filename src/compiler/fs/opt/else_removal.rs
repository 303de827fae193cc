//! Removes an ELSE by executing the copies of one side before the branch.
//!
//! In:  LIR with IF, ELSE and ENDIF.
//! Out: if one side consists of a few copies of values that exist before the branch, and the other
//!      side overwrites all their destinations before it reads them or jumps away, the copies are
//!      executed before the IF for all lanes, and the ELSE is removed. An equal copy at the
//!      beginning of the other side is removed too.
//! Ref: SKL PRM vol. 7, "IF", "ELSE". Tests: tests/fs/opt_else/.

use crate::lir::{Inst, Lir, Op, Reg};
use isa::{CondMod, Opcode};

/// Maximum number of copies that are executed for all lanes.
const MAX_COPIES: usize = 2;

/// Maximum length of the other side.
const WINDOW: usize = 256;

/// An IF whose ENDIF has not been reached, and its ELSE.
struct OpenIf {
    if_at: usize,
    else_at: Option<usize>,
}

/// Returns true if it changed the program.
pub(crate) fn opt_else(lir: &mut Lir) -> bool {
    let mut changed = false;
    let mut out: Vec<Inst> = Vec::with_capacity(lir.insts.len());
    let mut open: Vec<OpenIf> = Vec::new();
    for inst in std::mem::take(&mut lir.insts) {
        match inst.op {
            Op::Eu(Opcode::If) => open.push(OpenIf {
                if_at: out.len(),
                else_at: None,
            }),
            Op::Eu(Opcode::Else) => {
                if let Some(open) = open.last_mut() {
                    open.else_at = Some(out.len());
                }
            }
            Op::Eu(Opcode::Endif) => {
                if let Some(OpenIf {
                    if_at,
                    else_at: Some(else_at),
                }) = open.pop()
                {
                    changed |= hoist_copies(&mut out, if_at, else_at);
                }
            }
            _ => {}
        }
        out.push(inst);
    }
    lir.insts = out;
    changed
}

/// Moves the copies of one side of the branch at the end of `out` before its IF, if that is legal.
fn hoist_copies(out: &mut Vec<Inst>, if_at: usize, else_at: usize) -> bool {
    let end = out.len();
    let (then, other) = ((if_at + 1, else_at), (else_at + 1, end));
    let fits = |side: (usize, usize), opposite: (usize, usize)| {
        let copies = &out[side.0..side.1];
        let count = copies.len();
        (1..=MAX_COPIES).contains(&count)
            && opposite.1 - opposite.0 <= WINDOW
            && copies.iter().all(is_copy)
            && are_independent(copies)
            && copies
                .iter()
                .all(|copy| can_precede(copy, &out[opposite.0..opposite.1]))
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
        if let Some(k) = find_equal_copy(copy, &rest) {
            rest.remove(k);
        }
    }
    let mut branch = out[if_at];
    if side == then
        && let Some(pred) = &mut branch.pred
    {
        pred.inverse = !pred.inverse;
    }
    out.truncate(if_at);
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

/// True if no copy reads or writes the destination of another one.
fn are_independent(copies: &[Inst]) -> bool {
    copies.iter().enumerate().all(|(k, copy)| {
        let mut others = copies.iter().enumerate().filter(|o| o.0 != k);
        others.all(|(_, o)| !reads(o, copy) && !writes(o, copy))
            && copy.src[0].as_vgrf() != copy.dst.as_vgrf()
    })
}

/// True if the instruction reads a byte of the copy's destination.
fn reads(inst: &Inst, copy: &Inst) -> bool {
    let (first, end) = (copy.dst.offset, copy.dst.offset + copy.dst_bytes());
    (0..inst.sources()).any(|i| {
        let s = &inst.src[i];
        s.reg == copy.dst.reg
            && (inst.op == Op::MovIndirect
                || s.offset < end && s.offset + inst.src_bytes(i) > first)
    })
}

/// True if the instruction writes a byte of the copy's destination.
fn writes(inst: &Inst, copy: &Inst) -> bool {
    let (first, end) = (copy.dst.offset, copy.dst.offset + copy.dst_bytes());
    inst.dst.reg == copy.dst.reg
        && inst.dst.offset < end
        && inst.dst.offset + inst.dst_bytes() > first
}

/// True if the instruction writes the whole destination of the copy, for the same lanes.
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

/// True if the copy can be executed before `side` for the lanes of `side` too: they do not read the
/// old value of its destination, and do not write its source.
fn can_precede(copy: &Inst, side: &[Inst]) -> bool {
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
            // The old value may be read behind the jump.
            Op::Eu(Opcode::Break | Opcode::Cont | Opcode::Halt) if !covered => return false,
            _ => {}
        }
        covered |= depth == 0 && covers(inst, copy);
    }
    covered
}

/// The first write to the copy's destination in `side`, if it is an equal copy outside nested
/// control flow.
fn find_equal_copy(copy: &Inst, side: &[Inst]) -> Option<usize> {
    let k = side
        .iter()
        .position(|i| writes(i, copy) || i.is_control())?;
    (side[k] == *copy).then_some(k)
}
