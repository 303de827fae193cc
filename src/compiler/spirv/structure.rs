//! The structurizer: turns a control-flow graph into a tree of lists whose only jumps are `break`
//! and `continue`.
//!
//! In:  [`Cfg`].
//! Out: [`Tree`]. Every block appears once.
//!
//! Blocks are placed by dominance. A block with one predecessor is placed at the branch to it. A
//! block with several (a join) is placed after the whole construct of its dominator, which becomes
//! the body of an [`Item::Scope`]. A branch to a join leads outwards through the tree: without
//! anything in between it falls through; it breaks out of the loops that it leaves; and if it skips
//! the continuations of other scopes, those are guarded by flags, which tell which label the branch
//! goes to.
//! Ref: Ramsey, "Beyond Relooper: Recursive Translation of Unstructured Control Flow to Structured
//!      Control Flow", for the placement by dominators; the merge instructions of SPIR-V determine
//!      which blocks come after a loop.

use crate::cfg::{Cfg, NONE, Terminator};
use crate::error::Result;
use crate::module::Function;
use rustc_hash::FxHashMap;

/// Maximum number of steps for one function, to bound the time for malicious modules.
const MAX_STEPS: usize = 1 << 24;

/// An item of a list.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A block's instructions and the phi stores of its successors.
    Block(u32),
    /// The [`Terminator`] of the preceding block; one list for each arm.
    Branch(u32, Vec<u32>),
    /// A loop. After it, for each flag of `after` that is set, a jump of the enclosing loop.
    Loop {
        header: u32,
        body: u32,
        /// (label whose flag is tested, true for "continue")
        after: Vec<(u32, bool)>,
    },
    /// `body`, then `continuation`, the block `label`; if `guarded`, only when the flag of `label`
    /// is set.
    Scope {
        label: u32,
        body: u32,
        continuation: u32,
        guarded: bool,
    },
    Jump(PlannedJump),
}

/// A branch to a join or loop header, and the jump that implements it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedJump {
    pub label: u32,
    pub action: JumpAction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JumpAction {
    Fall,
    Break,
    Continue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListKind {
    Root,
    ScopeBody(u32),
    ScopeContinuation,
    Arm,
    LoopBody(u32),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub lists: Vec<Vec<Item>>,
    /// Labels that need a flag.
    pub flagged: Vec<bool>,
}

struct Structurizer<'a> {
    cfg: &'a Cfg,
    tree: Tree,
    /// By list: (parent list, index of the item in it, the list's role in the item).
    parents: Vec<(u32, u32, ListKind)>,
    /// By node: joins that are placed after the node's construct.
    joins: Vec<Vec<u32>>,
    /// By loop header: blocks that are placed after the loop.
    exits: Vec<Vec<u32>>,
    placed: Vec<bool>,
}

/// The structured form of `f`.
pub(crate) fn structurize(f: &Function, cfg: &Cfg) -> Result<Tree> {
    let n = cfg.exit() as usize + 1;
    let mut b = Structurizer {
        cfg,
        tree: Tree {
            lists: Vec::new(),
            flagged: vec![false; n],
        },
        parents: Vec::new(),
        joins: vec![Vec::new(); n],
        exits: vec![Vec::new(); n],
        placed: vec![false; n],
    };
    b.place_joins();
    b.build_lists();
    b.plan_jumps(f)?;
    Ok(b.tree)
}

fn get_or<T: Copy>(v: &[T], i: u32, default: T) -> T {
    v.get(i as usize).copied().unwrap_or(default)
}

impl Structurizer<'_> {
    /// Decides after which construct each join is placed.
    fn place_joins(&mut self) {
        for &y in self.cfg.rpo.iter().skip(1) {
            if y == self.cfg.exit() {
                continue;
            }
            let idom = get_or(&self.cfg.idom, y, 0);
            let parent_loop = get_or(&self.cfg.parent_loop, y, NONE);
            // Climb out of the loops that contain the dominator but not `y`.
            let mut parent = idom;
            let mut exit_of = NONE;
            let mut l = self.cfg.loop_of(idom);
            while l != parent_loop && l != NONE {
                exit_of = l;
                parent = l;
                l = get_or(&self.cfg.parent_loop, l, NONE);
            }
            let preds = self
                .cfg
                .forward_preds
                .get(y as usize)
                .map_or(0, |p| p.len());
            let list = if exit_of != NONE {
                self.exits.get_mut(parent as usize)
            } else if preds >= 2 {
                self.joins.get_mut(parent as usize)
            } else {
                continue;
            };
            if let (Some(list), Some(p)) = (list, self.placed.get_mut(y as usize)) {
                list.push(y);
                *p = true;
            }
        }
    }

    fn new_list(&mut self, parent: u32, kind: ListKind) -> u32 {
        let id = self.tree.lists.len() as u32;
        let index = self.tree.lists.get(parent as usize).map_or(0, |l| l.len());
        self.tree.lists.push(Vec::new());
        self.parents.push((parent, index as u32, kind));
        id
    }

    fn push(&mut self, list: u32, item: Item) {
        if let Some(l) = self.tree.lists.get_mut(list as usize) {
            l.push(item);
        }
    }

    /// Opens a scope in `list` for each of `labels`, the last one outermost; returns the innermost
    /// body.
    fn open_scopes(&mut self, mut list: u32, labels: &[u32], work: &mut Vec<(u32, u32)>) -> u32 {
        for &label in labels.iter().rev() {
            let body = self.new_list(list, ListKind::ScopeBody(label));
            let continuation = self.new_list(list, ListKind::ScopeContinuation);
            self.push(
                list,
                Item::Scope {
                    label,
                    body,
                    continuation,
                    guarded: false,
                },
            );
            work.push((continuation, label));
            list = body;
        }
        list
    }

    fn build_lists(&mut self) {
        let root = self.new_list(NONE, ListKind::Root);
        let exit = self.cfg.exit();
        let body = self.new_list(root, ListKind::ScopeBody(exit));
        let continuation = self.new_list(root, ListKind::ScopeContinuation);
        self.push(
            root,
            Item::Scope {
                label: exit,
                body,
                continuation,
                guarded: false,
            },
        );
        let mut work = vec![(body, 0u32)];
        while let Some((list, node)) = work.pop() {
            let mut list = list;
            let mut next = Some(node);
            while let Some(x) = next {
                let exits = self
                    .exits
                    .get_mut(x as usize)
                    .map(std::mem::take)
                    .unwrap_or_default();
                list = self.open_scopes(list, &exits, &mut work);
                if get_or(&self.cfg.is_header, x, false) {
                    let body = self.new_list(list, ListKind::LoopBody(x));
                    self.push(
                        list,
                        Item::Loop {
                            header: x,
                            body,
                            after: Vec::new(),
                        },
                    );
                    list = body;
                }
                let joins = self
                    .joins
                    .get_mut(x as usize)
                    .map(std::mem::take)
                    .unwrap_or_default();
                list = self.open_scopes(list, &joins, &mut work);
                self.push(list, Item::Block(x));
                next = self.add_terminator(list, x, &mut work);
            }
        }
    }

    /// Adds the terminator of block `x`; returns the block that continues the same list, if any.
    fn add_terminator(&mut self, list: u32, x: u32, work: &mut Vec<(u32, u32)>) -> Option<u32> {
        let cfg = self.cfg;
        let targets: Vec<u32> = match cfg.terminators.get(x as usize)? {
            Terminator::Goto(t) => {
                if self.is_jump(x, *t) {
                    self.add_jump(list, *t);
                    return None;
                }
                return Some(*t);
            }
            Terminator::Return(_) => {
                self.add_jump(list, cfg.exit());
                return None;
            }
            Terminator::Kill | Terminator::Unreachable => return None,
            Terminator::If(_, a, b) => vec![*a, *b],
            Terminator::Switch(_, arms) => arms.iter().map(|a| a.target).collect(),
        };
        let mut arms = Vec::with_capacity(targets.len());
        for &t in &targets {
            let arm = self.new_list(list, ListKind::Arm);
            arms.push(arm);
            if self.is_jump(x, t) {
                self.add_jump(arm, t);
            } else {
                work.push((arm, t));
            }
        }
        self.push(list, Item::Branch(x, arms));
        None
    }

    fn is_jump(&self, from: u32, to: u32) -> bool {
        self.cfg.is_back_edge(from, to) || get_or(&self.placed, to, true)
    }

    fn add_jump(&mut self, list: u32, label: u32) {
        self.push(
            list,
            Item::Jump(PlannedJump {
                label,
                action: JumpAction::Fall,
            }),
        );
    }

    /// Determines the action, guards and flags of each jump from the loops and scopes that it
    /// leaves.
    fn plan_jumps(&mut self, f: &Function) -> Result<()> {
        let mut steps = 0;
        let mut guarded: Vec<(u32, u32)> = Vec::new();
        let mut after: FxHashMap<(u32, u32), Vec<(u32, bool)>> = FxHashMap::default();
        for list in 0..self.tree.lists.len() as u32 {
            let Some(Item::Jump(plan)) = self.tree.lists.get(list as usize).and_then(|l| l.last())
            else {
                continue;
            };
            let label = plan.label;
            let mut scopes: Vec<(u32, u32, u32)> = Vec::new();
            let mut loops: Vec<(u32, u32)> = Vec::new();
            let mut cur = list;
            let to_header = loop {
                steps += 1;
                let Some(&(parent, index, kind)) = self.parents.get(cur as usize) else {
                    return f.loc.invalid("a branch leaves its construct");
                };
                match kind {
                    ListKind::Root => {
                        let loc = f.blocks.get(label as usize).map_or(f.loc, |b| b.loc);
                        return loc.invalid("is reached by a branch that leaves its construct");
                    }
                    ListKind::ScopeBody(l) if l == label => break false,
                    ListKind::LoopBody(h) if h == label => break true,
                    ListKind::ScopeBody(l) => scopes.push((parent, index, l)),
                    ListKind::LoopBody(_) => {
                        // Scopes inside the loop are left by the break, so they need no guard.
                        scopes.clear();
                        loops.push((parent, index));
                    }
                    ListKind::Arm | ListKind::ScopeContinuation => {}
                }
                cur = parent;
            };
            if steps > MAX_STEPS {
                return f
                    .loc
                    .limit("steps to structure the control flow", MAX_STEPS);
            }
            let action = match (loops.is_empty(), to_header) {
                (true, true) if scopes.is_empty() => JumpAction::Fall,
                (true, true) => JumpAction::Continue,
                (true, false) => JumpAction::Fall,
                (false, _) => JumpAction::Break,
            };
            // After each loop that is left, the next outer one is left too, or continued if it is
            // the target.
            let hops = if to_header {
                loops.len()
            } else {
                loops.len().saturating_sub(1)
            };
            for (i, &key) in loops.iter().take(hops).enumerate() {
                let list = after.entry(key).or_default();
                let entry = (label, to_header && i + 1 == loops.len());
                if !list.contains(&entry) {
                    list.push(entry);
                }
                if let Some(flag) = self.tree.flagged.get_mut(label as usize) {
                    *flag = true;
                }
            }
            if !to_header {
                for (parent, index, l) in scopes {
                    guarded.push((parent, index));
                    if let Some(flag) = self.tree.flagged.get_mut(l as usize) {
                        *flag = true;
                    }
                }
            }
            if let Some(Item::Jump(plan)) = self
                .tree
                .lists
                .get_mut(list as usize)
                .and_then(|l| l.last_mut())
            {
                plan.action = action;
            }
        }
        self.set_guards_and_exits(guarded, after);
        Ok(())
    }

    /// Marks the scopes at (list, index) in `guarded`, and sets the jumps after each loop in
    /// `after`.
    fn set_guards_and_exits(
        &mut self,
        guarded: Vec<(u32, u32)>,
        after: FxHashMap<(u32, u32), Vec<(u32, bool)>>,
    ) {
        for (list, index) in guarded {
            if let Some(Item::Scope { guarded, .. }) = self
                .tree
                .lists
                .get_mut(list as usize)
                .and_then(|l| l.get_mut(index as usize))
            {
                *guarded = true;
            }
        }
        for ((list, index), flags) in after {
            if let Some(Item::Loop { after, .. }) = self
                .tree
                .lists
                .get_mut(list as usize)
                .and_then(|l| l.get_mut(index as usize))
            {
                *after = flags;
            }
        }
    }
}

#[cfg(test)]
mod tests;
