//! Sinks computations into the branch that uses them.
//!
//! In:  any shader.
//! Out: a pure instruction whose uses are all in one branch below it, at the same or a smaller loop
//!      depth, is at the start of that branch. If the other branch leaves the loop, it is behind
//!      the `if` instead, so that the branch stays empty except for the jump. Memory accesses and
//!      cross-lane operations are not moved. Nothing is moved into a loop, or past a branch after
//!      which it is used anyway, which would only extend the live ranges of its operands.
//! Tests: tests/opt/opt_sink/.

use crate::pass::Ctx;
use crate::rewrite::cf::lists_inside_out;
use entity::{Id, IdMap};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_sink(s: &mut Shader, _: &Ctx) -> bool {
    if s.ifs.is_empty() && s.loops.is_empty() {
        return false;
    }
    let cfg = Cfg::new(s);
    // The nearest common dominator of the uses found so far.
    let mut use_block: IdMap<Def, Option<Id<Block>>> = IdMap::for_arena(&s.defs, None);
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
                        add_use(&cfg, &mut use_block, *v, *from);
                    }
                }
            }
            CfEvent::If(i) => {
                depth += 1;
                if let Some(b) = last {
                    add_use(&cfg, &mut use_block, s.ifs[i].cond, b);
                }
            }
            _ => {}
        }
    }
    let shortcuts = DomShortcuts::new(&cfg, &branches);
    let behind_jumps = blocks_behind_jumps(s);
    let mut changed = false;
    // Backwards: the position of a value is final before its operands are considered.
    for &b in cfg.order.iter().rev() {
        for k in (0..s.blocks[b].instrs.len()).rev() {
            let id = s.blocks[b].instrs[k];
            if matches!(s.instrs[id], Instr::Phi(_)) {
                continue;
            }
            let to = sink_target(s, &cfg, &use_block, &branches, &shortcuts, id, b);
            let uses = s.instrs[id].def().and_then(|d| use_block[d]);
            let to = match behind_jumps[to].zip(uses) {
                Some((after, uses)) if to != b && cfg.dominates(after, uses) => after,
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
            s.instrs[id].for_each_src(|d| add_use(&cfg, &mut use_block, d, to));
        }
    }
    changed
}

/// For a branch without a jump whose other branch jumps: the block behind the `if`, to which it
/// alone leads.
fn blocks_behind_jumps(s: &Shader) -> IdMap<Block, Option<Id<Block>>> {
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

/// Adds a use of `d` in block `b`.
fn add_use(cfg: &Cfg, use_block: &mut IdMap<Def, Option<Id<Block>>>, d: Id<Def>, b: Id<Block>) {
    if cfg[b].reachable {
        use_block[d] = Some(match use_block[d] {
            None => b,
            Some(x) if cfg.dominates(x, b) => x,
            Some(x) => cfg.common_dominator(x, b),
        });
    }
}

/// Shortcuts along the dominator tree.
struct DomShortcuts {
    /// The nearest dominator with fewer loops around it.
    shallower: IdMap<Block, Option<Id<Block>>>,
    /// The farthest dominator in the same loop such that no block on the way to it has fewer
    /// branches around it than the next one.
    same_depth: IdMap<Block, Id<Block>>,
}

impl DomShortcuts {
    fn new(cfg: &Cfg, branches: &IdMap<Block, u32>) -> DomShortcuts {
        let mut shortcuts = DomShortcuts {
            shallower: IdMap::with_default(None),
            same_depth: IdMap::with_default(Id::new(0)),
        };
        // Dominators precede the blocks that they dominate.
        for &b in &cfg.order {
            let idom = cfg[b].idom;
            let mut out = idom;
            while let Some(up) = out.filter(|up| cfg[*up].loop_depth >= cfg[b].loop_depth) {
                out = shortcuts.shallower[up];
            }
            shortcuts.shallower[b] = out;
            let next = idom
                .filter(|up| branches[*up] >= branches[b] && cfg[*up].in_loop == cfg[b].in_loop);
            shortcuts.same_depth[b] = next.map_or(b, |up| shortcuts.same_depth[up]);
        }
        shortcuts
    }
}

/// The block to which an instruction of `b` should be moved.
fn sink_target(
    s: &Shader,
    cfg: &Cfg,
    use_block: &IdMap<Def, Option<Id<Block>>>,
    branches: &IdMap<Block, u32>,
    shortcuts: &DomShortcuts,
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
        .and_then(|d| use_block[d])
    else {
        return b;
    };
    // Not into a loop: move up until the loop depth is no greater.
    while to != b && cfg[to].loop_depth > cfg[b].loop_depth {
        match shortcuts.shallower[to] {
            Some(up) => to = up,
            None => return b,
        }
    }
    // As early as possible with the same number of branches around it, but not above its current
    // position.
    to = shortcuts.same_depth[to];
    if cfg.dominates(to, b) {
        return b;
    }
    if branches[to] <= branches[b] {
        return b;
    }
    // Outside of its loop, the value could be that of another iteration.
    if cfg.dominates(b, to) && cfg[to].in_loop == cfg[b].in_loop {
        to
    } else {
        b
    }
}
