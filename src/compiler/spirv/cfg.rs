//! The control-flow graph of a function: reachable blocks in reverse postorder, dominators, loops.
//!
//! In:  a function whose branches go to its own blocks.
//! Out: [`Cfg`]. Node `blocks.len()` is the function's exit, the successor of every return.
//! Ref: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".

use crate::error::{Loc, Result};
use crate::module::{self, Function, Merge};
use crate::reader::{Inst, Stream};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::Op;

/// The node or loop number for "none".
pub(crate) const NONE: u32 = u32::MAX;
/// Maximum number of blocks in a function.
const MAX_BLOCKS: usize = 1 << 15;
/// Maximum total size, in blocks, of the loops without a merge instruction.
const MAX_LOOP_BLOCKS: usize = 1 << 20;

/// The terminator of a block.
#[derive(Clone, Debug)]
pub(crate) enum Terminator {
    Goto(u32),
    /// Condition's id, nodes for true and false.
    If(u32, u32, u32),
    /// Selector's id; an arm for each distinct target.
    Switch(u32, Vec<SwitchArm>),
    /// Return, with the value's id or 0. Its successor is the exit node.
    Return(u32),
    /// `OpKill`, `OpTerminateInvocation`.
    Kill,
    Unreachable,
}

#[derive(Clone, Debug)]
pub(crate) struct SwitchArm {
    pub target: u32,
    pub literals: Vec<u64>,
    pub default: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Cfg {
    pub terminators: Vec<Terminator>,
    /// Distinct successors.
    pub succs: Vec<SmallVec<[u32; 2]>>,
    /// Reachable nodes in reverse postorder.
    pub rpo: Vec<u32>,
    /// Position in `rpo`, `NONE` if unreachable.
    pub order: Vec<u32>,
    pub idom: Vec<u32>,
    /// Reachable forward predecessors (without back edges).
    pub forward_preds: Vec<SmallVec<[u32; 2]>>,
    /// True for targets of back edges.
    pub is_header: Vec<bool>,
    /// Header of the innermost loop around each node. For a header, this is the loop around its
    /// own.
    pub parent_loop: Vec<u32>,
}

fn get_or<T: Copy>(v: &[T], i: u32, default: T) -> T {
    v.get(i as usize).copied().unwrap_or(default)
}
fn set_at<T>(v: &mut [T], i: u32, value: T) {
    if let Some(slot) = v.get_mut(i as usize) {
        *slot = value;
    }
}

impl Cfg {
    pub fn exit(&self) -> u32 {
        self.terminators.len() as u32
    }

    /// Header of the innermost loop that contains node `n`. For a header, this is its own loop.
    pub fn loop_of(&self, n: u32) -> u32 {
        if get_or(&self.is_header, n, false) {
            n
        } else {
            get_or(&self.parent_loop, n, NONE)
        }
    }

    pub fn is_reachable(&self, n: u32) -> bool {
        get_or(&self.order, n, NONE) != NONE
    }

    /// True if the edge `u -> v` goes back to a loop header.
    pub fn is_back_edge(&self, u: u32, v: u32) -> bool {
        get_or(&self.is_header, v, false)
            && get_or(&self.order, v, NONE) <= get_or(&self.order, u, 0)
    }

    pub fn new(stream: &Stream, f: &Function) -> Result<Cfg> {
        if f.blocks.len() > MAX_BLOCKS {
            return f.loc.limit("blocks in a function", MAX_BLOCKS);
        }
        let n = f.blocks.len();
        let index: FxHashMap<u32, u32> = f
            .blocks
            .iter()
            .enumerate()
            .map(|(i, b)| (b.label, i as u32))
            .collect();
        let mut cfg = Cfg {
            terminators: Vec::with_capacity(n),
            succs: Vec::with_capacity(n + 1),
            rpo: Vec::new(),
            order: vec![NONE; n + 1],
            idom: vec![NONE; n + 1],
            forward_preds: vec![SmallVec::new(); n + 1],
            is_header: vec![false; n + 1],
            parent_loop: vec![NONE; n + 1],
        };
        for b in &f.blocks {
            let term = parse_terminator(stream, b, &index)?;
            let mut succs: SmallVec<[u32; 2]> = SmallVec::new();
            match &term {
                Terminator::Goto(t) => succs.push(*t),
                Terminator::If(_, a, b) => succs.extend([*a, *b]),
                Terminator::Switch(_, arms) => succs.extend(arms.iter().map(|a| a.target)),
                Terminator::Return(_) => succs.push(n as u32),
                Terminator::Kill | Terminator::Unreachable => {}
            }
            cfg.terminators.push(term);
            cfg.succs.push(succs);
        }
        cfg.succs.push(SmallVec::new());
        cfg.reverse_postorder();
        cfg.find_dominators();
        cfg.find_back_edges(f)?;
        cfg.find_loops(f, &index)?;
        Ok(cfg)
    }

    fn reverse_postorder(&mut self) {
        let mut seen = vec![false; self.succs.len()];
        let mut post = Vec::with_capacity(self.succs.len());
        let mut stack = vec![(0u32, 0usize)];
        set_at(&mut seen, 0, true);
        while let Some((node, next)) = stack.pop() {
            let succ = self
                .succs
                .get(node as usize)
                .and_then(|s| s.get(next))
                .copied();
            match succ {
                Some(s) => {
                    stack.push((node, next + 1));
                    if !get_or(&seen, s, true) {
                        set_at(&mut seen, s, true);
                        stack.push((s, 0));
                    }
                }
                None => post.push(node),
            }
        }
        post.reverse();
        for (i, &node) in post.iter().enumerate() {
            set_at(&mut self.order, node, i as u32);
        }
        self.rpo = post;
    }

    fn find_dominators(&mut self) {
        let mut preds: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); self.succs.len()];
        for &u in &self.rpo {
            for &v in self.succs.get(u as usize).into_iter().flatten() {
                if let Some(p) = preds.get_mut(v as usize) {
                    p.push(u);
                }
            }
        }
        set_at(&mut self.idom, 0, 0);
        loop {
            let mut changed = false;
            for &node in self.rpo.iter().skip(1) {
                let mut new = NONE;
                for &p in preds.get(node as usize).into_iter().flatten() {
                    if get_or(&self.idom, p, NONE) == NONE {
                        continue;
                    }
                    new = if new == NONE {
                        p
                    } else {
                        self.common_dominator(new, p)
                    };
                }
                if get_or(&self.idom, node, NONE) != new {
                    set_at(&mut self.idom, node, new);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        self.forward_preds = preds;
    }

    fn common_dominator(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            while get_or(&self.order, a, 0) > get_or(&self.order, b, 0) {
                a = get_or(&self.idom, a, 0);
            }
            while get_or(&self.order, b, 0) > get_or(&self.order, a, 0) {
                b = get_or(&self.idom, b, 0);
            }
        }
        a
    }

    /// Finds back edges and loop headers; rejects loops with several entries (irreducible control
    /// flow).
    fn find_back_edges(&mut self, f: &Function) -> Result<()> {
        // Preorder intervals of the dominator tree, to decide whether `a` dominates `b`.
        let n = self.succs.len();
        let mut children: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); n];
        for &node in self.rpo.iter().skip(1) {
            if let Some(c) = children.get_mut(get_or(&self.idom, node, 0) as usize) {
                c.push(node);
            }
        }
        let (mut pre, mut last) = (vec![0u32; n], vec![0u32; n]);
        let mut clock = 0;
        let mut stack = vec![(0u32, 0usize)];
        while let Some((node, next)) = stack.pop() {
            if next == 0 {
                set_at(&mut pre, node, clock);
                clock += 1;
            }
            match children.get(node as usize).and_then(|c| c.get(next)) {
                Some(&c) => {
                    stack.push((node, next + 1));
                    stack.push((c, 0));
                }
                None => set_at(&mut last, node, clock),
            }
        }
        let dominates = |a: u32, b: u32| {
            get_or(&pre, a, 0) <= get_or(&pre, b, 0) && get_or(&pre, b, 0) < get_or(&last, a, 0)
        };
        for &u in &self.rpo {
            for &v in self.succs.get(u as usize).into_iter().flatten() {
                if get_or(&self.order, v, 0) <= get_or(&self.order, u, 0) {
                    if !dominates(v, u) {
                        let loc = f.blocks.get(u as usize).map_or(f.loc, |b| b.loc);
                        return loc.invalid("jumps into the middle of a loop");
                    }
                    set_at(&mut self.is_header, v, true);
                }
            }
        }
        for v in 0..n as u32 {
            let order = get_or(&self.order, v, NONE);
            let orders = &self.order;
            if let Some(p) = self.forward_preds.get_mut(v as usize) {
                p.retain(|u| get_or(orders, *u, NONE) < order);
            }
        }
        Ok(())
    }

    /// Finds the innermost loop around each node. Blocks that the loop's merge block dominates are
    /// outside of the loop, and so are merge blocks of constructs around the loop.
    fn find_loops(&mut self, f: &Function, index: &FxHashMap<u32, u32>) -> Result<()> {
        let n = self.succs.len() as u32;
        let node = |label: u32| index.get(&label).copied().unwrap_or(NONE);
        let mut owners: FxHashMap<u32, SmallVec<[u32; 2]>> = FxHashMap::default();
        for (i, b) in f.blocks.iter().enumerate() {
            match b.merge {
                Merge::None => {}
                Merge::Selection(m) => owners.entry(node(m)).or_default().push(i as u32),
                Merge::Loop(m, c) => {
                    owners.entry(node(m)).or_default().push(i as u32);
                    owners.entry(node(c)).or_default().push(i as u32);
                }
            }
        }
        let mut depth = vec![0u32; n as usize];
        let natural = self.natural_loops(f)?;
        for i in 0..self.rpo.len() {
            let y = get_or(&self.rpo, i as u32, 0);
            let preds = self
                .forward_preds
                .get(y as usize)
                .cloned()
                .unwrap_or_default();
            let mut loop_ = NONE;
            for (k, &p) in preds.iter().enumerate() {
                let c = self.loop_of(p);
                loop_ = if k == 0 {
                    c
                } else {
                    self.common_loop(&depth, loop_, c)
                };
            }
            while loop_ != NONE {
                // Construct headers precede their merge blocks in `rpo`, so their loops are already
                // known.
                let known = |s: u32| get_or(&self.order, s, NONE) < i as u32;
                let outside = y == n - 1
                    || match f.blocks.get(loop_ as usize).map(|b| b.merge) {
                        Some(Merge::Loop(m, _)) => node(m) == y,
                        _ => !natural.contains(&(loop_, y)),
                    }
                    || owners.get(&y).is_some_and(|o| {
                        o.iter()
                            .any(|&s| s != loop_ && known(s) && !self.is_in_loop(s, loop_))
                    });
                if !outside {
                    break;
                }
                loop_ = get_or(&self.parent_loop, loop_, NONE);
            }
            set_at(&mut self.parent_loop, y, loop_);
            let d = if loop_ == NONE {
                0
            } else {
                get_or(&depth, loop_, 0) + 1
            };
            set_at(&mut depth, y, d);
        }
        Ok(())
    }

    /// (header, node) pairs for loops without a merge instruction: the nodes that reach a back edge
    /// to the header without passing through it.
    fn natural_loops(&self, f: &Function) -> Result<FxHashSet<(u32, u32)>> {
        let mut body = FxHashSet::default();
        let mut preds: Vec<SmallVec<[u32; 2]>> = Vec::new();
        for (header, b) in f.blocks.iter().enumerate() {
            let header = header as u32;
            if !get_or(&self.is_header, header, false) || matches!(b.merge, Merge::Loop(..)) {
                continue;
            }
            if preds.is_empty() {
                preds = vec![SmallVec::new(); self.succs.len()];
                for &u in &self.rpo {
                    for &v in self.succs.get(u as usize).into_iter().flatten() {
                        if let Some(p) = preds.get_mut(v as usize) {
                            p.push(u);
                        }
                    }
                }
            }
            body.insert((header, header));
            let mut work: Vec<u32> = preds
                .get(header as usize)
                .into_iter()
                .flatten()
                .copied()
                .collect();
            work.retain(|&u| self.is_back_edge(u, header));
            while let Some(u) = work.pop() {
                if body.insert((header, u)) {
                    work.extend(preds.get(u as usize).into_iter().flatten());
                }
                if body.len() > MAX_LOOP_BLOCKS {
                    return f.loc.limit("blocks in nested loops", MAX_LOOP_BLOCKS);
                }
            }
        }
        Ok(body)
    }

    /// True if `node` is in the loop of `header`.
    fn is_in_loop(&self, node: u32, header: u32) -> bool {
        let mut l = self.loop_of(node);
        while l != NONE {
            if l == header {
                return true;
            }
            l = get_or(&self.parent_loop, l, NONE);
        }
        false
    }

    fn common_loop(&self, depth: &[u32], mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if a == NONE || b == NONE {
                return NONE;
            }
            if get_or(depth, a, 0) >= get_or(depth, b, 0) {
                a = get_or(&self.parent_loop, a, NONE);
            } else {
                b = get_or(&self.parent_loop, b, NONE);
            }
        }
        a
    }
}

fn parse_terminator(
    stream: &Stream,
    b: &module::Block,
    index: &FxHashMap<u32, u32>,
) -> Result<Terminator> {
    let Some(r) = module::terminator(stream, b) else {
        return b.loc.invalid("has no terminator");
    };
    let inst = stream.inst(r);
    let node = |label: u32| index.get(&label).copied().unwrap_or(NONE);
    Ok(match inst.op {
        Op::Branch => Terminator::Goto(node(inst.arg(0)?)),
        Op::BranchConditional => {
            let (a, b) = (node(inst.arg(1)?), node(inst.arg(2)?));
            if a == b {
                Terminator::Goto(a)
            } else {
                Terminator::If(inst.arg(0)?, a, b)
            }
        }
        Op::Switch => switch_terminator(stream, &inst, index)?,
        Op::Return => Terminator::Return(0),
        Op::ReturnValue => Terminator::Return(inst.arg(0)?),
        Op::Kill | Op::TerminateInvocation => Terminator::Kill,
        Op::Unreachable => Terminator::Unreachable,
        _ => return unsupported(inst.loc),
    })
}

fn unsupported(loc: Loc) -> Result<Terminator> {
    loc.unsupported("this terminator")
}

fn switch_terminator(
    stream: &Stream,
    inst: &Inst,
    index: &FxHashMap<u32, u32>,
) -> Result<Terminator> {
    let words = module::switch_literal_words(stream, inst);
    let targets = module::branch_targets(stream, inst)?;
    let mut arms: Vec<SwitchArm> = Vec::new();
    let mut position: FxHashMap<u32, usize> = FxHashMap::default();
    let cases = inst.args.get(2..).unwrap_or(&[]).chunks_exact(words + 1);
    let literals = std::iter::once(None).chain(cases.map(|c| {
        let low = u64::from(c.first().copied().unwrap_or(0));
        let high = if words == 2 {
            u64::from(c.get(1).copied().unwrap_or(0))
        } else {
            0
        };
        Some(low | high << 32)
    }));
    for (target, literal) in targets.iter().zip(literals) {
        let target = index.get(target).copied().unwrap_or(NONE);
        let at = *position.entry(target).or_insert_with(|| {
            arms.push(SwitchArm {
                target,
                literals: Vec::new(),
                default: false,
            });
            arms.len() - 1
        });
        if let Some(arm) = arms.get_mut(at) {
            match literal {
                Some(l) => arm.literals.push(l),
                None => arm.default = true,
            }
        }
    }
    // The default comes last, because its condition is computed from the conditions of all others.
    arms.sort_by_key(|a| a.default);
    match arms.as_slice() {
        [only] => Ok(Terminator::Goto(only.target)),
        _ => Ok(Terminator::Switch(inst.arg(0)?, arms)),
    }
}
