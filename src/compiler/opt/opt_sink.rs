//! Moves computations to the side of an `if` that needs them.
//!
//! In:  any shader. Out: a pure instruction whose readers all stand in blocks below a later one, at the same or a
//! smaller loop depth, stands there. Nothing that reads other lanes or memory moves; nothing moves into a loop.
//! Tests: tests/opt/opt_sink/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;

/// Entry point.
pub fn opt_sink(s: &mut Shader, _: &Ctx) -> bool {
    if s.ifs.is_empty() && s.loops.is_empty() {
        return false;
    }
    let cfg = Cfg::new(s);
    // Where the readers found so far have their nearest common dominator.
    let mut wanted: IdMap<Def, Option<Id<Block>>> = IdMap::for_arena(&s.defs, None);
    let mut want = |cfg: &Cfg, d: Id<Def>, b: Id<Block>| {
        if cfg[b].reachable {
            wanted[d] = Some(match wanted[d] {
                None => b,
                Some(x) => cfg.common_dominator(x, b),
            });
        }
    };
    let layout = s.layout();
    let mut last = None;
    for event in &layout {
        match *event {
            CfEvent::Block(b) => {
                last = Some(b);
                for &id in &s.blocks[b].instrs {
                    match &s.instrs[id] {
                        Instr::Phi(p) => p.srcs.iter().for_each(|(from, v)| want(&cfg, *v, *from)),
                        i => i.for_each_src(|d| want(&cfg, d, b)),
                    }
                }
            }
            CfEvent::If(i) => {
                if let Some(b) = last {
                    want(&cfg, s.ifs[i].cond, b);
                }
            }
            _ => {}
        }
    }
    let mut changed = false;
    // From the end, so that order within a block is kept. Operands of what has moved are found by the next run.
    for &b in cfg.order.iter().rev() {
        for k in (0..s.blocks[b].instrs.len()).rev() {
            let id = s.blocks[b].instrs[k];
            let movable = matches!(
                s.instrs[id],
                Instr::Alu(_) | Instr::Const { .. } | Instr::Undef { .. }
            );
            let Some(def) = s.instrs[id].def().filter(|_| movable) else {
                continue;
            };
            let Some(mut to) = wanted[def] else { continue };
            // Not into a loop: up to where the depth is no greater.
            while to != b && cfg[to].loop_depth > cfg[b].loop_depth {
                match cfg[to].idom {
                    Some(up) => to = up,
                    None => break,
                }
            }
            // Out of a loop a value might be another round's.
            if to == b || !cfg.dominates(b, to) || cfg[to].in_loop != cfg[b].in_loop {
                continue;
            }
            s.blocks[b].instrs.remove(k);
            let at = s.blocks[to]
                .instrs
                .iter()
                .position(|i| !matches!(s.instrs[*i], Instr::Phi(_)))
                .unwrap_or(s.blocks[to].instrs.len());
            s.blocks[to].instrs.insert(at, id);
            changed = true;
        }
    }
    changed
}
