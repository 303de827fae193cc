//! Removes control flow that is never taken, always taken, or has no effect.
//!
//! In:  any shader.
//! Out: no unreachable instructions; no `if` with a constant condition, or with two empty branches
//!      and no phi; no loop that runs exactly once, or has neither side effects nor used results.
//!      Loops may be removed because SPIR-V requires them to make progress.
//! Tests: tests/opt/opt_dead_cf/.

use crate::analysis::use_counts::use_counts;
use crate::pass::Ctx;
use crate::passes::opt_dce::has_effect;
use crate::rewrite::cf::{CfEdit, is_empty_list, lists_inside_out};
use entity::{Id, IdMap};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_dead_cf(s: &mut Shader, _: &Ctx) -> bool {
    if s.ifs.is_empty() && s.loops.is_empty() {
        return false;
    }
    let mut edit = CfEdit::new();
    remove_unreachable(s, &mut edit);
    let cfg = Cfg::new(s);
    if remove_dead(s, &cfg, &mut edit) {
        edit.flush(s);
        remove_dead(s, &cfg, &mut edit);
    }
    edit.finish(s)
}

/// Removes dead `if`s and loops. Returns true if some loops could not be checked, because use
/// counts were out of date after phis had been resolved.
fn remove_dead(s: &mut Shader, cfg: &Cfg, edit: &mut CfEdit) -> bool {
    let mut uses = None;
    let mut unknown = false;
    for list in lists_inside_out(s) {
        let mut at = 1;
        while at < s.list(list).len() {
            let node = s.list(list)[at];
            let removed = match node {
                CfNode::If(i) => remove_dead_if(s, edit, list, at, i),
                CfNode::Loop(l) => {
                    let removed = remove_dead_loop(s, cfg, edit, &mut uses, list, at, l);
                    unknown |= !removed && edit.is_replacing();
                    removed
                }
                CfNode::Block(_) => false,
            };
            if !removed {
                at += 2;
            }
        }
    }
    unknown
}

fn remove_unreachable(s: &mut Shader, edit: &mut CfEdit) {
    let cfg = Cfg::new(s);
    if cfg.order.iter().all(|b| cfg[*b].reachable) {
        return;
    }
    for list in lists_inside_out(s) {
        let dead = s.list(list).iter().position(|n| match n {
            CfNode::Block(b) => !cfg[*b].reachable,
            _ => false,
        });
        let Some(at) = dead else { continue };
        if s.list(list).len() > at + 1 {
            s.list_mut(list).truncate(at + 1);
            edit.changed = true;
        }
        if let CfNode::Block(b) = s.list(list)[at] {
            if !s.blocks[b].instrs.is_empty() {
                s.blocks[b].instrs.clear();
                edit.changed = true;
            }
            // A block behind a jump is only needed behind an `if` or loop.
            if at >= 2
                && let CfNode::Block(prev) = s.list(list)[at - 2]
                && s.jump_of(prev).is_some()
            {
                s.list_mut(list).truncate(at - 1);
                edit.changed = true;
            }
        }
    }
}

fn remove_dead_if(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, i: Id<If>) -> bool {
    if let Some(v) = s.const_component(s.ifs[i].cond, 0) {
        let arm = if v != 0 {
            ListRef::Then(i)
        } else {
            ListRef::Else(i)
        };
        let nodes = std::mem::take(s.list_mut(arm));
        edit.splice(s, list, at, nodes);
        return true;
    }
    let phis = match s.list(list).get(at + 1) {
        Some(CfNode::Block(b)) => s.blocks[*b]
            .instrs
            .first()
            .is_some_and(|i| matches!(s.instrs[*i], Instr::Phi(_))),
        _ => true,
    };
    if !phis && is_empty_list(s, ListRef::Then(i)) && is_empty_list(s, ListRef::Else(i)) {
        let nodes = std::mem::take(s.list_mut(ListRef::Then(i)));
        edit.splice(s, list, at, nodes);
        return true;
    }
    false
}

fn remove_dead_loop(
    s: &mut Shader,
    cfg: &Cfg,
    edit: &mut CfEdit,
    uses: &mut Option<UseCounts>,
    list: ListRef,
    at: usize,
    l: Id<Loop>,
) -> bool {
    let body = ListRef::Loop(l);
    let (Some(head), Some(tail)) = (s.first_block(body), s.last_block(body)) else {
        return false;
    };
    let Some(&CfNode::Block(after)) = s.list(list).get(at + 1) else {
        return false;
    };
    // Changes to inner control flow in this run may have merged blocks: these three must still be
    // as in `cfg`.
    if edit.current_block(head) != head
        || edit.current_block(after) != after
        || !cfg[head].reachable
    {
        return false;
    }
    if cfg[head].preds.len() == 1
        && cfg[after].preds.len() == 1
        && cfg[after]
            .preds
            .iter()
            .all(|p| edit.current_block(*p) == tail)
        && s.jump_of(tail) == Some(Jump::Break)
    {
        // Runs once: remove the break, so that the body continues with the code after the loop.
        s.blocks[tail].instrs.pop();
        let nodes = std::mem::take(s.list_mut(body));
        edit.splice(s, list, at, nodes);
        return true;
    }
    // After phis have been resolved, use counts are wrong until the uses have been rewritten.
    if edit.is_replacing() {
        return false;
    }
    let uses = uses.get_or_insert_with(|| UseCounts::new(s));
    if uses.loop_is_useless(s, body) {
        let phis = s.blocks[after]
            .instrs
            .first()
            .is_some_and(|i| matches!(s.instrs[*i], Instr::Phi(_)));
        if !phis {
            let empty = s.blocks.push(Block::default());
            edit.splice(s, list, at, vec![CfNode::Block(empty)]);
            return true;
        }
    }
    false
}

/// Use counts.
struct UseCounts {
    /// Uses in the whole shader when this was computed. Uses in code that has been removed since
    /// are included.
    all: IdMap<Def, u32>,
    /// Uses in the loop being checked; zero otherwise.
    inside: IdMap<Def, u32>,
}

impl UseCounts {
    fn new(s: &Shader) -> UseCounts {
        UseCounts {
            all: use_counts(s),
            inside: IdMap::for_arena(&s.defs, 0),
        }
    }

    /// True if a loop has no side effects, no exits other than `break`, and no results that are
    /// used outside.
    fn loop_is_useless(&mut self, s: &Shader, body: ListRef) -> bool {
        let events = s.layout_of(body);
        let blocks = || {
            events.iter().filter_map(|event| match *event {
                CfEvent::Block(b) => Some(b),
                _ => None,
            })
        };
        let instrs = || blocks().flat_map(|b| &s.blocks[b].instrs);
        let must_stay = |i: &Instr| match i {
            Instr::Jump(jump) => *jump == Jump::Return,
            other => has_effect(other),
        };
        if instrs().any(|&id| must_stay(&s.instrs[id])) {
            return false;
        }
        let conditions = || {
            events.iter().filter_map(|event| match *event {
                CfEvent::If(i) => Some(s.ifs[i].cond),
                _ => None,
            })
        };
        for &id in instrs() {
            s.instrs[id].for_each_src(|d| self.inside[d] += 1);
        }
        conditions().for_each(|d| self.inside[d] += 1);
        let made = instrs().filter_map(|&id| s.instrs[id].def());
        let useless = made.into_iter().all(|d| self.all[d] == self.inside[d]);
        for &id in instrs() {
            s.instrs[id].for_each_src(|d| self.inside[d] = 0);
        }
        conditions().for_each(|d| self.inside[d] = 0);
        useless
    }
}
