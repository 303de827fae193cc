//! Moves computations to the side of an `if` that needs them.
//!
//! In:  any shader. Out: a pure instruction whose readers all stand in one branch below, at the same or a smaller loop depth, stands
//! where that branch begins; where the other branch leaves the loop, behind the `if`, so that the jump stays all there is to it. Nothing that reads other lanes or memory moves; nothing moves into a loop, nor behind a branch that it is
//! needed after in any case: its operands would only live longer.
//! Tests: tests/opt/opt_sink/.

use crate::cf::lists_inside_out;
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
    let layout = s.layout();
    let mut last = None;
    let mut branches: IdMap<Block, u32> = IdMap::for_arena(&s.blocks, 0);
    let mut depth = 0;
    for event in &layout {
        match *event {
            CfEvent::EndIf(_) => depth -= 1,
            CfEvent::Block(b) => {
                branches[b] = depth;
                last = Some(b);
                for &id in &s.blocks[b].instrs {
                    let Instr::Phi(p) = &s.instrs[id] else { break };
                    for (from, v) in &p.srcs {
                        want(&cfg, &mut wanted, *v, *from);
                    }
                }
            }
            CfEvent::If(i) => {
                depth += 1;
                if let Some(b) = last {
                    want(&cfg, &mut wanted, s.ifs[i].cond, b);
                }
            }
            _ => {}
        }
    }
    let ways = Ways::new(&cfg, &branches);
    let behind = behind(s);
    let mut changed = false;
    // From the end: where a value will stand is known before its operands are looked at.
    for &b in cfg.order.iter().rev() {
        for k in (0..s.blocks[b].instrs.len()).rev() {
            let id = s.blocks[b].instrs[k];
            if matches!(s.instrs[id], Instr::Phi(_)) {
                continue;
            }
            let to = place(s, &cfg, &wanted, &branches, &ways, id, b);
            let readers = s.instrs[id].def().and_then(|d| wanted[d]);
            let to = match behind[to].zip(readers) {
                Some((after, readers)) if to != b && cfg.dominates(after, readers) => after,
                _ => to,
            };
            if to != b {
                s.blocks[b].instrs.remove(k);
                let at = s.blocks[to]
                    .instrs
                    .iter()
                    .position(|i| !matches!(s.instrs[*i], Instr::Phi(_)))
                    .unwrap_or(s.blocks[to].instrs.len());
                s.blocks[to].instrs.insert(at, id);
                changed = true;
            }
            s.instrs[id].for_each_src(|d| want(&cfg, &mut wanted, d, to));
        }
    }
    changed
}

/// Of a side of an `if` whose other side jumps: the block behind the `if`, to which it leads alone.
fn behind(s: &Shader) -> IdMap<Block, Option<Id<Block>>> {
    let mut out: IdMap<Block, Option<Id<Block>>> = IdMap::for_arena(&s.blocks, None);
    for list in lists_inside_out(s) {
        for nodes in s.list(list).windows(2) {
            let &[CfNode::If(i), CfNode::Block(after)] = nodes else {
                continue;
            };
            let sides = [ListRef::Then(i), ListRef::Else(i)];
            for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                if let &[CfNode::Block(stay)] = s.list(side).as_slice()
                    && s.jump_of(stay).is_none()
                    && s.last_block(other).is_some_and(|b| s.jump_of(b).is_some())
                {
                    out[stay] = Some(after);
                }
            }
        }
    }
    out
}

/// A reader of `d` stands in `b`.
fn want(cfg: &Cfg, wanted: &mut IdMap<Def, Option<Id<Block>>>, d: Id<Def>, b: Id<Block>) {
    if cfg[b].reachable {
        wanted[d] = Some(match wanted[d] {
            None => b,
            Some(x) if cfg.dominates(x, b) => x,
            Some(x) => cfg.common_dominator(x, b),
        });
    }
}

/// Where one gets from each block on the way to the entry.
struct Ways {
    /// The nearest dominator with fewer loops around.
    out: IdMap<Block, Option<Id<Block>>>,
    /// The farthest dominator in the same loop, where from one to the next there are no fewer branches around.
    up: IdMap<Block, Id<Block>>,
}

impl Ways {
    fn new(cfg: &Cfg, branches: &IdMap<Block, u32>) -> Ways {
        let mut ways = Ways {
            out: IdMap::with_default(None),
            up: IdMap::with_default(Id::new(0)),
        };
        // Dominators come first.
        for &b in &cfg.order {
            let idom = cfg[b].idom;
            let mut out = idom;
            while let Some(up) = out.filter(|up| cfg[*up].loop_depth >= cfg[b].loop_depth) {
                out = ways.out[up];
            }
            ways.out[b] = out;
            let next = idom
                .filter(|up| branches[*up] >= branches[b] && cfg[*up].in_loop == cfg[b].in_loop);
            ways.up[b] = next.map_or(b, |up| ways.up[up]);
        }
        ways
    }
}

/// The block where an instruction of `b` should stand.
fn place(
    s: &Shader,
    cfg: &Cfg,
    wanted: &IdMap<Def, Option<Id<Block>>>,
    branches: &IdMap<Block, u32>,
    ways: &Ways,
    id: Id<Instr>,
    b: Id<Block>,
) -> Id<Block> {
    let movable = matches!(
        s.instrs[id],
        Instr::Alu(_) | Instr::Const { .. } | Instr::Undef { .. }
    );
    let Some(mut to) = s.instrs[id]
        .def()
        .filter(|_| movable)
        .and_then(|d| wanted[d])
    else {
        return b;
    };
    // Not into a loop: up to where the depth is no greater.
    while to != b && cfg[to].loop_depth > cfg[b].loop_depth {
        match ways.out[to] {
            Some(up) => to = up,
            None => return b,
        }
    }
    // As early as there are as many branches around: not before where it stands.
    to = ways.up[to];
    if cfg.dominates(to, b) {
        return b;
    }
    if branches[to] <= branches[b] {
        return b;
    }
    // Out of a loop a value might be another round's.
    if cfg.dominates(b, to) && cfg[to].in_loop == cfg[b].in_loop {
        to
    } else {
        b
    }
}
