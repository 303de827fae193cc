//! Short branches become predicates.
//!
//! In:  LIR in which an IF stands around a few operations, or has an ELSE with as few. It may end with a jump in its loop.
//! Out: each of them is executed where the branch's condition holds (of the ELSE: where it does not), and the branch is gone: three
//! instructions of control flow cost more than what they would skip.
//! What ignores the execution mask, has a predicate or writes a flag stays under its branch, and so do messages.
//! Ref: SKL PRM vol. 7, "Predication". Tests: tests/fs/opt_predicate/.

use crate::lir::{Inst, Lir, Op};
use isa::{Class, Opcode, PredCtrl};

/// Operations that are predicated at most, without an ELSE and with one.
const MOST: usize = 4;
const MOST_OF_BOTH: usize = 6;

/// True if anything changed.
pub(crate) fn opt_predicate(lir: &mut Lir) -> bool {
    let before = lir.insts.len();
    let mut out: Vec<Inst> = Vec::with_capacity(before);
    for inst in std::mem::take(&mut lir.insts) {
        if inst.op == Op::Eu(Opcode::Endif)
            && let Some((start, middle)) = branch(&out)
        {
            let condition = out[start];
            for (k, inst) in out.iter_mut().enumerate().skip(start + 1) {
                let Some(mut pred) = condition.pred else {
                    continue;
                };
                pred.inverse ^= middle.is_some_and(|m| k > m);
                inst.pred = Some(pred);
                inst.flag = condition.flag;
            }
            if let Some(middle) = middle {
                out.remove(middle);
            }
            out.remove(start);
            continue;
        }
        out.push(inst);
    }
    lir.insts = out;
    lir.insts.len() != before
}

/// The IF, and the ELSE if there is one, of a branch that ends here and may go.
fn branch(out: &[Inst]) -> Option<(usize, Option<usize>)> {
    let mut middle = None;
    let mut count = 0;
    let mut jumps = false;
    for (k, inst) in out.iter().enumerate().rev() {
        match inst.op {
            Op::Eu(Opcode::If) => {
                let plain = inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Normal);
                let most = if middle.is_some() { MOST_OF_BOTH } else { MOST };
                let reads_flag = out[k + 1..].iter().any(|i| touches_flag(i, inst.flag));
                return (plain && count <= most && !reads_flag).then_some((k, middle));
            }
            Op::Eu(Opcode::Else) if middle.is_none() && !jumps => middle = Some(k),
            // Lanes that jump do nothing that comes behind.
            Op::Eu(Opcode::Break | Opcode::Cont) if k + 1 == out.len() && inst.pred.is_none() => {
                (jumps, count) = (true, 1);
            }
            _ if !may_be_predicated(inst) || count == MOST_OF_BOTH => return None,
            _ => count += 1,
        }
    }
    None
}

fn may_be_predicated(inst: &Inst) -> bool {
    let computes = match inst.op {
        Op::Eu(op) => matches!(op.info().class, Class::Basic | Class::ThreeSource),
        Op::Math(_) => true,
        _ => false,
    };
    // SEL reads its predicate for something else, with a condition or without.
    let selects = matches!(inst.op, Op::Eu(Opcode::Sel | Opcode::Csel));
    computes
        && !selects
        && !inst.no_mask
        && inst.pred.is_none()
        && !inst.writes_flag()
        && !inst.acc_wr
        && inst.dst.as_vgrf().is_some()
}

/// True if the instruction is one that names the flag.
fn touches_flag(inst: &Inst, flag: u8) -> bool {
    (inst.pred.is_some() || inst.writes_flag()) && inst.flag == flag
}
