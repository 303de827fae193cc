//! Simplifies ifs by what is known on each side.
//!
//! In:  any shader. Out: where one side ends in a jump, what stood on the other follows the `if`; the condition
//! of an `if` is no negation; inside its sides, the condition is a constant. Tests: tests/opt/opt_if/.

use crate::cf::{CfEdit, is_empty_list, lists_inside_out};
use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;

/// Entry point.
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
                changed |= turn_round(s, i);
                hoist(s, &mut edit, list, at, i);
            }
            at += 2;
        }
    }
    changed | edit.finish(s)
}

/// `if !c` with its sides exchanged.
fn turn_round(s: &mut Shader, i: Id<If>) -> bool {
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

/// Moves one side behind the `if` where the other ends in a jump.
fn hoist(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, i: Id<If>) {
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

/// On its sides, a condition is known, and behind the `if` where the other side has jumped away.
fn propagate_conditions(s: &mut Shader) -> bool {
    let mut uses: IdMap<Def, u32> = IdMap::for_arena(&s.defs, 0);
    let layout = s.layout();
    for event in &layout {
        match *event {
            CfEvent::Block(b) => {
                for &id in &s.blocks[b].instrs {
                    s.instrs[id].for_each_src(|d| uses[d] += 1);
                }
            }
            CfEvent::If(i) => uses[s.ifs[i].cond] += 1,
            _ => {}
        }
    }
    let mut changed = false;
    let mut cfg = None;
    for event in &layout {
        let CfEvent::If(i) = *event else { continue };
        let cond = s.ifs[i].cond;
        if s.const_of(cond).is_some() {
            continue;
        }
        // On the then-side both terms of a conjunction hold; on the else-side neither of a disjunction.
        let terms = |s: &Shader, op: AluOp| -> Vec<Id<Def>> {
            let mut known = vec![cond];
            if let Some(a) = s.alu_of(cond)
                && a.op == op
            {
                known.extend(a.srcs.iter().map(|x| x.def));
            }
            known.retain(|d| uses[*d] > 1 && s.defs[*d].num_components == 1);
            known
        };
        let then = terms(s, AluOp::IAnd);
        let other = terms(s, AluOp::IOr);
        if then.is_empty() && other.is_empty() {
            continue;
        }
        let cfg = cfg.get_or_insert_with(|| Cfg::new(s));
        changed |= assume(s, cfg, &layout, ListRef::Then(i), &then, true);
        changed |= assume(s, cfg, &layout, ListRef::Else(i), &other, false);
    }
    changed
}

/// Where `list` has been entered, the values of `known` are `value`.
fn assume(
    s: &mut Shader,
    cfg: &Cfg,
    layout: &[CfEvent],
    list: ListRef,
    known: &[Id<Def>],
    value: bool,
) -> bool {
    let Some(first) = s.first_block(list).filter(|_| !known.is_empty()) else {
        return false;
    };
    let mut constant: Option<Id<Def>> = None;
    let mut get = |s: &mut Shader| {
        *constant.get_or_insert_with(|| {
            let at = s.blocks[first]
                .instrs
                .iter()
                .position(|x| !matches!(s.instrs[*x], Instr::Phi(_)))
                .unwrap_or(s.blocks[first].instrs.len());
            Builder::before(s, first, at).imm_bool(value)
        })
    };
    let mut changed = false;
    // Whether the place in the walk is dominated by the list's first block.
    let mut inside = false;
    for event in layout {
        match *event {
            CfEvent::Block(b) => {
                inside = cfg.dominates(first, b);
                if !inside {
                    continue;
                }
                for k in 0..s.blocks[b].instrs.len() {
                    let Some(&id) = s.blocks[b].instrs.get(k) else {
                        break;
                    };
                    let mut hit = false;
                    // A phi reads on its edges, which may begin elsewhere.
                    if !matches!(s.instrs[id], Instr::Phi(_)) {
                        s.instrs[id].for_each_src(|d| hit |= known.contains(&d));
                    }
                    if hit {
                        let c = get(s);
                        s.instrs[id].for_each_src_mut(|d| {
                            if known.contains(d) {
                                *d = c;
                            }
                        });
                        changed = true;
                    }
                }
            }
            CfEvent::If(i) if inside && known.contains(&s.ifs[i].cond) => {
                s.ifs[i].cond = get(s);
                changed = true;
            }
            _ => {}
        }
    }
    changed
}
