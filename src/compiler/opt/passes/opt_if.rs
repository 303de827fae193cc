//! Simplifies `if`s by what their conditions imply.
//!
//! In:  any shader.
//! Out: if one branch ends in a jump, the code of the other follows the `if`. Conditions are not
//!      negations. Inside the branches, the condition and comparisons with the opposite result are
//!      constants.
//! Tests: tests/opt/opt_if/.

use crate::pass::Ctx;
use crate::rewrite::cf::{CfEdit, is_empty_list, lists_inside_out};
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_if(s: &mut Shader, _: &Ctx) -> bool {
    if s.ifs.is_empty() {
        return false;
    }
    let mut changed = propagate_conditions(s);
    let mut edit = CfEdit::new();
    for list in lists_inside_out(s) {
        let mut at = 1;
        while at < s.list(list).len() {
            if let CfNode::If(i) = s.list(list)[at] {
                changed |= invert(s, i);
                move_branch_behind(s, &mut edit, list, at, i);
            }
            at += 2;
        }
    }
    changed | edit.finish(s)
}

/// Inverts an `if` on a negation.
fn invert(s: &mut Shader, i: Id<If>) -> bool {
    let cond = s.ifs[i].cond;
    let inner = match s.alu_of(cond) {
        Some(a) if a.op == AluOp::INot && s.defs[a.srcs[0].def].num_components == 1 => {
            a.srcs[0].def
        }
        _ => return false,
    };
    let node = &mut s.ifs[i];
    node.cond = inner;
    std::mem::swap(&mut node.then_list, &mut node.else_list);
    true
}

/// Moves the code of one branch behind the `if` if the other branch ends in a jump.
fn move_branch_behind(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, i: Id<If>) {
    let jumps = |s: &Shader, l: ListRef| s.last_block(l).is_some_and(|b| s.jump_of(b).is_some());
    let (then, other) = (ListRef::Then(i), ListRef::Else(i));
    let side = if jumps(s, then) && !jumps(s, other) {
        other
    } else if jumps(s, other) && !jumps(s, then) {
        then
    } else {
        return;
    };
    if is_empty_list(s, side) {
        return;
    }
    let (Some(first), Some(last), Some(&CfNode::Block(after))) = (
        s.first_block(side),
        s.last_block(side),
        s.list(list).get(at + 1),
    ) else {
        return;
    };
    let phi_first = s.blocks[first]
        .instrs
        .first()
        .is_some_and(|x| matches!(s.instrs[*x], Instr::Phi(_)));
    if phi_first {
        return;
    }
    edit.changed = true;
    edit.resolve_phis(s, after, last);
    let empty = s.blocks.push(Block::default());
    let mut nodes = std::mem::replace(s.list_mut(side), vec![CfNode::Block(empty)]);
    edit.merge(s, last, after);
    s.list_mut(list).splice(at + 1..at + 2, nodes.drain(..));
}

/// Replaces conditions by constants in the blocks that a branch dominates, including those behind
/// the `if` if the other branch jumps.
fn propagate_conditions(s: &mut Shader) -> bool {
    let uses = Uses::new(s);
    let layout = s.layout();
    let opposites = negated_comparisons(s, &layout, &uses);
    let mut changed = false;
    let mut conditions = None;
    for event in &layout {
        let CfEvent::If(i) = *event else { continue };
        let cond = s.ifs[i].cond;
        if s.const_of(cond).is_some() {
            continue;
        }
        // In the then-branch both terms of a conjunction are true; in the else-branch both terms of
        // a disjunction are false.
        let terms = |s: &Shader, op: AluOp, value: bool| -> Vec<KnownBool> {
            let mut known = vec![(cond, value)];
            if let Some(a) = s.alu_of(cond)
                && a.op == op
            {
                known.extend(a.srcs.iter().map(|x| (x.def, value)));
            }
            let mut other: Vec<KnownBool> = Vec::new();
            for &(d, _) in &known {
                let opposite = normalise_comparison(s, d).and_then(|q| opposites.get(&!q));
                other.extend(opposite.into_iter().flatten().map(|d| (*d, !value)));
            }
            known.retain(|&(d, _)| uses.get(d).len() > 1 && s.defs[d].num_components == 1);
            known.extend(other);
            known
        };
        let then = terms(s, AluOp::IAnd, true);
        let other = terms(s, AluOp::IOr, false);
        if then.is_empty() && other.is_empty() {
            continue;
        }
        let conditions = conditions.get_or_insert_with(|| Conditions::new(s, &layout));
        changed |= replace_known(s, &uses, conditions, ListRef::Then(i), &then);
        changed |= replace_known(s, &uses, conditions, ListRef::Else(i), &other);
    }
    changed
}

/// A comparison and its operands, normalised such that a comparison and its negation differ only in
/// `opposite`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Comparison {
    kind: AluOp,
    srcs: [(Id<Def>, u8); 2],
    opposite: bool,
}

impl std::ops::Not for Comparison {
    type Output = Comparison;

    fn not(self) -> Comparison {
        Comparison {
            opposite: !self.opposite,
            ..self
        }
    }
}

/// The normalised form of a scalar comparison that has a negation. (`flt` has none: its negation is
/// true for NaN.)
fn normalise_comparison(s: &Shader, def: Id<Def>) -> Option<Comparison> {
    let a = s
        .alu_of(def)
        .filter(|a| s.defs[a.def].num_components == 1)?;
    let (kind, opposite) = match a.op {
        AluOp::IEq => (AluOp::IEq, false),
        AluOp::INe => (AluOp::IEq, true),
        AluOp::FEq => (AluOp::FEq, false),
        AluOp::FNeu => (AluOp::FEq, true),
        AluOp::ILt => (AluOp::ILt, false),
        AluOp::IGe => (AluOp::ILt, true),
        AluOp::ULt => (AluOp::ULt, false),
        AluOp::UGe => (AluOp::ULt, true),
        _ => return None,
    };
    let mut srcs = [0, 1].map(|k| (a.srcs[k].def, a.srcs[k].swizzle[0]));
    if a.op.info().props.has(AluProps::COMMUTES) {
        srcs.sort();
    }
    Some(Comparison {
        kind,
        srcs,
        opposite,
    })
}

/// The comparisons with uses whose negation has uses too, by their normalised form.
fn negated_comparisons(
    s: &Shader,
    layout: &[CfEvent],
    uses: &Uses,
) -> FxHashMap<Comparison, SmallVec<[Id<Def>; 1]>> {
    let mut all: FxHashMap<Comparison, SmallVec<[Id<Def>; 1]>> = FxHashMap::default();
    for event in layout {
        let &CfEvent::Block(b) = event else { continue };
        for def in s.blocks[b].instrs.iter().filter_map(|&i| s.instrs[i].def()) {
            if !uses.get(def).is_empty()
                && let Some(q) = normalise_comparison(s, def)
            {
                all.entry(q).or_default().push(def);
            }
        }
    }
    let present: FxHashSet<Comparison> = all.keys().copied().collect();
    all.retain(|q, _| present.contains(&!*q));
    all
}

/// A value that is known to be true or false.
type KnownBool = (Id<Def>, bool);

/// The positions of conditions.
struct Conditions {
    cfg: Cfg,
    /// The block before each `if`, at whose end its condition is read.
    before: IdMap<If, Option<Id<Block>>>,
}

impl Conditions {
    fn new(s: &Shader, layout: &[CfEvent]) -> Conditions {
        let mut before = IdMap::for_arena(&s.ifs, None);
        let mut last = None;
        for event in layout {
            match *event {
                CfEvent::Block(b) => last = Some(b),
                CfEvent::If(i) => before[i] = last,
                _ => {}
            }
        }
        Conditions {
            cfg: Cfg::new(s),
            before,
        }
    }
}

/// Replaces `known` values by constants where the first block of `list` dominates.
fn replace_known(
    s: &mut Shader,
    uses: &Uses,
    conditions: &Conditions,
    list: ListRef,
    known: &[KnownBool],
) -> bool {
    let Some(first) = s.first_block(list).filter(|_| !known.is_empty()) else {
        return false;
    };
    let mut constants: [Option<Id<Def>>; 2] = [None; 2];
    let mut constant_for = |s: &mut Shader, value: bool| {
        *constants[usize::from(value)].get_or_insert_with(|| {
            let at = s.blocks[first]
                .instrs
                .iter()
                .position(|x| !matches!(s.instrs[*x], Instr::Phi(_)))
                .unwrap_or(s.blocks[first].instrs.len());
            Builder::before(s, first, at).imm_bool(value)
        })
    };
    let inside = |b: Id<Block>| conditions.cfg.dominates(first, b);
    let mut changed = false;
    for &(def, value) in known {
        for use_site in uses.get(def) {
            match *use_site {
                // A phi reads its operands on the incoming edges, which may be elsewhere.
                Use::Instr(id, b) if inside(b) && !matches!(s.instrs[id], Instr::Phi(_)) => {
                    let mut reads = false;
                    s.instrs[id].for_each_src(|d| reads |= d == def);
                    if reads {
                        let constant = constant_for(s, value);
                        s.instrs[id].for_each_src_mut(|d| {
                            if *d == def {
                                *d = constant;
                            }
                        });
                        changed = true;
                    }
                }
                Use::If(i) if s.ifs[i].cond == def && conditions.before[i].is_some_and(inside) => {
                    s.ifs[i].cond = constant_for(s, value);
                    changed = true;
                }
                _ => {}
            }
        }
    }
    changed
}
