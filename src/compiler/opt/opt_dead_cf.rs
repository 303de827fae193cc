//! Removes control flow that is never taken, always taken, or does nothing.
//!
//! In:  any shader. Out: no unreachable instructions; no `if` on a constant or with two empty sides and no phi;
//! no loop that runs exactly once, or without effect and use. As SPIR-V's loops make progress, a loop that only
//! computes unused values may go. Tests: tests/opt/opt_dead_cf/.

use crate::cf::{CfEdit, is_empty_list, lists_inside_out};
use crate::opt_dce::has_effect;
use crate::pass::Ctx;
use crate::rewrite;
use entity::{Id, IdMap};
use nir::*;

/// Entry point.
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

/// Removes what does nothing. True: of some loops it is not known, as phis have been resolved on the way.
fn remove_dead(s: &mut Shader, cfg: &Cfg, edit: &mut CfEdit) -> bool {
    let mut reads = None;
    let mut unknown = false;
    for list in lists_inside_out(s) {
        let mut at = 1;
        while at < s.list(list).len() {
            let node = s.list(list)[at];
            let gone = match node {
                CfNode::If(i) => dead_if(s, edit, list, at, i),
                CfNode::Loop(l) => {
                    let gone = dead_loop(s, cfg, edit, &mut reads, list, at, l);
                    unknown |= !gone && edit.is_replacing();
                    gone
                }
                CfNode::Block(_) => false,
            };
            if !gone {
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
            // Behind a jump no block is needed at all; before it stands an `if` or loop otherwise.
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

fn dead_if(s: &mut Shader, edit: &mut CfEdit, list: ListRef, at: usize, i: Id<If>) -> bool {
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

fn dead_loop(
    s: &mut Shader,
    cfg: &Cfg,
    edit: &mut CfEdit,
    reads: &mut Option<Reads>,
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
    // Inner changes of this run may have moved blocks: what the graph says of these three must still hold.
    if edit.block(head) != head || edit.block(after) != after || !cfg[head].reachable {
        return false;
    }
    if cfg[head].preds.len() == 1
        && cfg[after].preds.len() == 1
        && cfg[after].preds.iter().all(|p| edit.block(*p) == tail)
        && s.jump_of(tail) == Some(Jump::Break)
    {
        // Runs once. The break goes; what follows is then what follows the body.
        s.blocks[tail].instrs.pop();
        let nodes = std::mem::take(s.list_mut(body));
        edit.splice(s, list, at, nodes);
        return true;
    }
    // Where phis have been resolved, who reads what is not known before their readers have been changed.
    if edit.is_replacing() {
        return false;
    }
    let reads = reads.get_or_insert_with(|| Reads::new(s));
    if reads.loop_is_useless(s, body) {
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

/// How often values are read.
struct Reads {
    /// Everywhere, when this was made: code that has gone since still counts.
    all: IdMap<Def, u32>,
    /// In the loop that is looked at; zero between loops.
    inside: IdMap<Def, u32>,
}

impl Reads {
    fn new(s: &Shader) -> Reads {
        Reads {
            all: rewrite::reads(s),
            inside: IdMap::for_arena(&s.defs, 0),
        }
    }

    /// No effect, no way out but breaking, and nothing outside reads what it computes.
    fn loop_is_useless(&mut self, s: &Shader, body: ListRef) -> bool {
        let events = s.layout_of(body);
        let blocks = || {
            events.iter().filter_map(|event| match *event {
                CfEvent::Block(b) => Some(b),
                _ => None,
            })
        };
        let instrs = || blocks().flat_map(|b| &s.blocks[b].instrs);
        let stays = |i: &Instr| match i {
            Instr::Jump(jump) => *jump == Jump::Return,
            other => has_effect(other),
        };
        if instrs().any(|&id| stays(&s.instrs[id])) {
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
