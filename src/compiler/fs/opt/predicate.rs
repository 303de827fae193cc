//! If-conversion: replaces short branches by predication.
//!
//! In:  LIR in which an IF, or an IF with an ELSE, encloses a few instructions; the last one may be
//!      a BREAK or CONT.
//! Out: the instructions have the predicate of the IF (those of the ELSE its inverse), and IF, ELSE
//!      and ENDIF are removed: they cost more than the instructions that they skip.
//!
//! A branch stays if it contains a message, or an instruction that ignores the execution mask, is
//! predicated or writes a flag.
//! Ref: SKL PRM vol. 7, "Predication". Tests: tests/fs/opt_predicate/.

use crate::lir::{Inst, Lir, Op};
use isa::{EncodingClass, Opcode, PredCtrl};

/// Maximum number of predicated instructions of an IF without an ELSE.
const MAX_WITHOUT_ELSE: usize = 4;

/// Maximum number of predicated instructions of both sides.
const MAX_WITH_ELSE: usize = 6;

/// Returns true if it changed the program.
pub(crate) fn opt_predicate(lir: &mut Lir) -> bool {
    let before = lir.insts.len();
    let mut out: Vec<Inst> = Vec::with_capacity(before);
    for inst in std::mem::take(&mut lir.insts) {
        if inst.op == Op::Eu(Opcode::Endif)
            && let Some((if_at, else_at)) = convertible_branch(&out)
        {
            let condition = out[if_at];
            for (k, inst) in out.iter_mut().enumerate().skip(if_at + 1) {
                let Some(mut pred) = condition.pred else {
                    continue;
                };
                pred.inverse ^= else_at.is_some_and(|else_at| k > else_at);
                inst.pred = Some(pred);
                inst.flag = condition.flag;
            }
            if let Some(else_at) = else_at {
                out.remove(else_at);
            }
            out.remove(if_at);
            continue;
        }
        out.push(inst);
    }
    lir.insts = out;
    lir.insts.len() != before
}

/// The IF and ELSE of the branch at the end of `out`, if it can be converted.
fn convertible_branch(out: &[Inst]) -> Option<(usize, Option<usize>)> {
    let mut else_at = None;
    let mut count = 0;
    let mut jumps = false;
    for (k, inst) in out.iter().enumerate().rev() {
        match inst.op {
            Op::Eu(Opcode::If) => {
                let plain = inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Normal);
                let max = match else_at {
                    Some(_) => MAX_WITH_ELSE,
                    None => MAX_WITHOUT_ELSE,
                };
                let uses_flag = out[k + 1..].iter().any(|i| uses_flag(i, inst.flag));
                return (plain && count <= max && !uses_flag).then_some((k, else_at));
            }
            Op::Eu(Opcode::Else) if else_at.is_none() && !jumps => else_at = Some(k),
            // The jump must be the last instruction.
            Op::Eu(Opcode::Break | Opcode::Cont) if k + 1 == out.len() && inst.pred.is_none() => {
                (jumps, count) = (true, 1);
            }
            _ if !can_be_predicated(inst) || count == MAX_WITH_ELSE => return None,
            _ => count += 1,
        }
    }
    None
}

fn can_be_predicated(inst: &Inst) -> bool {
    let computes = match inst.op {
        Op::Eu(op) => matches!(
            op.info().class,
            EncodingClass::Basic | EncodingClass::ThreeSource
        ),
        Op::Math(_) => true,
        _ => false,
    };
    // The predicate of SEL selects an operand.
    let selects = matches!(inst.op, Op::Eu(Opcode::Sel | Opcode::Csel));
    computes
        && !selects
        && !inst.no_mask
        && inst.pred.is_none()
        && !inst.writes_flag()
        && !inst.acc_wr
        && inst.dst.as_vgrf().is_some()
}

/// True if the instruction reads the flag as its predicate or writes it with its cmod.
fn uses_flag(inst: &Inst, flag: u8) -> bool {
    (inst.pred.is_some() || inst.writes_flag()) && inst.flag == flag
}
