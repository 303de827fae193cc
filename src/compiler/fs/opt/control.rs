//! Removes empty branches, and the IF around a single jump.
//!
//! In:  LIR.
//! Out: an IF without instructions is removed; an IF with an empty THEN side loses its ELSE and has
//!      its predicate inverted; an IF around one BREAK, CONT or HALT becomes the predicate of that
//!      jump.
//! Tests: tests/fs/opt_control/.

use crate::lir::{Inst, Lir, Op};
use isa::Opcode;

/// Returns true if it changed the program.
pub(crate) fn opt_control(lir: &mut Lir) -> bool {
    let before = lir.insts.len();
    let mut out: Vec<Inst> = Vec::with_capacity(before);
    for inst in std::mem::take(&mut lir.insts) {
        if inst.op == Op::Eu(Opcode::Endif) {
            if out.last().is_some_and(|i| i.op == Op::Eu(Opcode::Else)) {
                out.pop();
            }
            if out.last().is_some_and(|i| i.op == Op::Eu(Opcode::If)) {
                out.pop();
                continue;
            }
            if let [.., condition, jump] = &mut out[..]
                && condition.op == Op::Eu(Opcode::If)
                && matches!(jump.op, Op::Eu(Opcode::Break | Opcode::Cont | Opcode::Halt))
                && jump.pred.is_none()
            {
                jump.pred = condition.pred;
                jump.flag = condition.flag;
                let jump = *jump;
                out.truncate(out.len() - 2);
                out.push(jump);
                continue;
            }
        }
        if inst.op == Op::Eu(Opcode::Else)
            && let Some(condition) = out.last_mut()
            && condition.op == Op::Eu(Opcode::If)
            && let Some(pred) = &mut condition.pred
        {
            // The THEN side is empty.
            pred.inverse = !pred.inverse;
            continue;
        }
        out.push(inst);
    }
    lir.insts = out;
    lir.insts.len() != before
}
