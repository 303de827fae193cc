//! Loop inversion: the condition of a loop becomes the predicate of its WHILE.
//!
//! In:  LIR.
//! Out: a loop whose last instruction before WHILE is a predicated BREAK has a predicated WHILE
//!      instead. A loop that begins with a few instructions and a predicated BREAK evaluates them
//!      in front of it, where they guard the loop with an IF, and again at its end. So an iteration
//!      executes one branch instead of two. There is no guard if constants show that the first
//!      iteration is executed.
//!
//! A loop with CONT stays as it is: CONT leads to WHILE, past the condition at the end.
//!
//! Ref: SKL PRM vol. 2a, "while"; Muchnick, "Advanced Compiler Design and Implementation", 18.5.
//! Tests: tests/fs/lir/opt_invert/, random programs in tests/fs_exec.

use crate::lir::{Inst, Lir, Op, Pred, Reg};
use isa::{CondMod, EncodingClass, Opcode, PredCtrl, Type};
use rustc_hash::FxHashMap;

/// Maximum number of instructions of a condition that is copied.
const MAX_CONDITION: usize = 3;

/// How to change a loop.
#[derive(Clone, Copy)]
enum Plan {
    /// The BREAK at the end becomes the predicate of WHILE.
    Bottom,
    /// The `condition` instructions at the top and the BREAK behind them move to the end, and a
    /// copy to the front if `guarded`.
    Top { condition: usize, guarded: bool },
}

/// A loop: indices of DO and WHILE.
struct Extent {
    start: usize,
    end: usize,
    continues: bool,
}

/// Returns true if it changed the program.
pub(crate) fn opt_invert(lir: &mut Lir) -> bool {
    let planned: Vec<(Extent, Plan)> = find_loops(lir)
        .into_iter()
        .filter_map(|l| plan(lir, &l).map(|p| (l, p)))
        .collect();
    if planned.is_empty() {
        return false;
    }
    let numbered = |bound: fn(&Extent) -> usize| {
        let bounds = planned.iter().enumerate();
        bounds.map(|(number, (l, _))| (bound(l), number)).collect()
    };
    let starts: FxHashMap<usize, usize> = numbered(|l| l.start);
    let ends: FxHashMap<usize, usize> = numbered(|l| l.end);
    let insts = std::mem::take(&mut lir.insts);
    let mut out: Vec<Inst> = Vec::with_capacity(insts.len() + 8 * planned.len());
    let mut k = 0;
    while let Some(inst) = insts.get(k) {
        let at = |bounds: &FxHashMap<usize, usize>| bounds.get(&k).map(|&number| &planned[number]);
        let (begins, ends) = match inst.op {
            Op::Do => (at(&starts), None),
            Op::Eu(Opcode::While) => (None, at(&ends)),
            _ => (None, None),
        };
        k += 1;
        match (begins, ends) {
            (Some(&(_, Plan::Top { condition, guarded })), _) => {
                if guarded {
                    out.extend_from_slice(&insts[k..k + condition]);
                    let jump = &insts[k + condition];
                    out.push(with_inverse_predicate(Op::Eu(Opcode::If), jump));
                }
                out.push(*inst);
                k += condition + 1;
            }
            (_, Some((l, Plan::Top { condition, guarded }))) => {
                let top = l.start + 1;
                let jump = &insts[top + condition];
                out.extend_from_slice(&insts[top..top + condition]);
                out.push(with_inverse_predicate(Op::Eu(Opcode::While), jump));
                if *guarded {
                    out.push(Inst::new(Op::Eu(Opcode::Endif), inst.exec));
                }
            }
            (_, Some((_, Plan::Bottom))) => {
                let jump = out.pop().unwrap_or(*inst);
                out.push(with_inverse_predicate(Op::Eu(Opcode::While), &jump));
            }
            _ => out.push(*inst),
        }
    }
    lir.insts = out;
    true
}

/// The control instruction `op`, executed where the predicated jump is not.
fn with_inverse_predicate(op: Op, jump: &Inst) -> Inst {
    let pred = jump.pred.map(|p| Pred {
        inverse: !p.inverse,
        ..p
    });
    Inst { op, pred, ..*jump }
}

/// The loops of the program, inner ones before those that contain them.
fn find_loops(lir: &Lir) -> Vec<Extent> {
    let mut out = Vec::new();
    let mut open: Vec<Extent> = Vec::new();
    for (k, inst) in lir.insts.iter().enumerate() {
        match inst.op {
            Op::Do => open.push(Extent {
                start: k,
                end: k,
                continues: false,
            }),
            Op::Eu(Opcode::Cont) => {
                if let Some(l) = open.last_mut() {
                    l.continues = true;
                }
            }
            Op::Eu(Opcode::While) => {
                let closed = open.pop().map(|l| Extent { end: k, ..l });
                out.extend(closed);
            }
            _ => {}
        }
    }
    out
}

fn plan(lir: &Lir, l: &Extent) -> Option<Plan> {
    let body = lir.insts.get(l.start + 1..l.end)?;
    if l.continues || lir.insts[l.end].pred.is_some() {
        return None;
    }
    if body.last().is_some_and(is_predicated_break) {
        return Some(Plan::Bottom);
    }
    let condition = body.iter().position(|i| !is_copyable(i))?;
    if condition > MAX_CONDITION || !is_predicated_break(&body[condition]) {
        return None;
    }
    let guarded = !is_first_iteration_executed(lir, l, condition);
    Some(Plan::Top { condition, guarded })
}

fn is_predicated_break(inst: &Inst) -> bool {
    let plain = inst.pred.is_some_and(|p| p.ctrl == PredCtrl::Normal);
    inst.op == Op::Eu(Opcode::Break) && plain
}

/// True for instructions that may be executed in front of a loop and at its end instead of at its
/// top: they only compute VGRFs and flags.
fn is_copyable(inst: &Inst) -> bool {
    let computes = match inst.op {
        Op::Eu(op) => matches!(
            op.info().class,
            EncodingClass::Basic | EncodingClass::ThreeSource
        ),
        Op::Math(_) => true,
        _ => false,
    };
    computes
        && !inst.is_control()
        && !inst.acc_wr
        && matches!(inst.dst.reg, Reg::Vgrf(_) | Reg::Null)
}

/// True if constants show that the jump at the top of a loop is not taken in the first iteration,
/// and nothing in that iteration needs what the condition computes.
fn is_first_iteration_executed(lir: &Lir, l: &Extent, condition: usize) -> bool {
    let (before, rest) = lir.insts.split_at(l.start);
    let Some([comparison]) = rest.get(1..1 + condition) else {
        return false;
    };
    let (jump, body) = (&rest[1 + condition], &rest[2 + condition..l.end - l.start]);
    let writes = |i: &Inst| i.flag_bits() & comparison.flag_bits() != 0;
    let reads_flag = body.iter().any(|i| {
        let selects = matches!(i.op, Op::Eu(Opcode::Sel | Opcode::Csel));
        (i.pred.is_some() || selects) && writes(i)
    });
    let same_flag = jump.flag_bits() & !comparison.flag_bits() == 0;
    let plain = comparison.op == Op::Eu(Opcode::Cmp)
        && comparison.pred.is_none()
        && comparison.dst.reg == Reg::Null;
    if !plain || reads_flag || !same_flag {
        return false;
    }
    let value = |k: usize| known_scalar(before, comparison, k);
    let holds = match (value(0), value(1)) {
        (Some(a), Some(b)) => compare(comparison.cmod, comparison.src[0].ty, a, b),
        _ => None,
    };
    // The jump is taken where its predicate holds.
    jump.pred
        .is_some_and(|p| holds.is_some_and(|h| h == p.inverse))
}

/// The 32-bit integer that operand `k` of an instruction behind `before` has in all its active
/// lanes, if the last straight-line instructions load it as a constant.
fn known_scalar(before: &[Inst], reader: &Inst, k: usize) -> Option<u32> {
    let src = &reader.src[k];
    let is_dword = |ty: Type| matches!(ty, Type::D | Type::Ud);
    if src.neg || src.abs || !is_dword(src.ty) {
        return None;
    }
    if let Reg::Imm(bits) = src.reg {
        return Some(bits as u32);
    }
    let v = src.as_vgrf()?;
    let mut straight = before.iter().rev().take_while(|i| !i.is_control());
    let last = straight.find(|i| i.dst.as_vgrf() == Some(v))?;
    // The lanes that are active at the load are those at the loop.
    let same_lanes = || last.exec == reader.exec && last.group == reader.group;
    let covers = match src.stride {
        0 => last.no_mask,
        1 => last.dst.stride == 1 && same_lanes(),
        _ => false,
    };
    let whole = covers && src.rows.is_none() && last.dst.offset == src.offset;
    let loads = last.op == Op::Eu(Opcode::Mov) && last.pred.is_none() && is_dword(last.dst.ty);
    let constant = &last.src[0];
    match constant.reg {
        Reg::Imm(bits) if whole && loads && is_dword(constant.ty) => Some(bits as u32),
        _ => None,
    }
}

/// The result of a comparison of 32-bit integers; `None` for other types and conditions.
fn compare(condition: CondMod, ty: Type, a: u32, b: u32) -> Option<bool> {
    let order = match ty {
        Type::D => (a as i32).cmp(&(b as i32)),
        Type::Ud => a.cmp(&b),
        _ => return None,
    };
    Some(match condition {
        CondMod::Z => order.is_eq(),
        CondMod::Nz => order.is_ne(),
        CondMod::L => order.is_lt(),
        CondMod::Le => order.is_le(),
        CondMod::G => order.is_gt(),
        CondMod::Ge => order.is_ge(),
        _ => return None,
    })
}
