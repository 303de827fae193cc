//! Edits of structured control flow.
//!
//! A pass makes any number of changes through a [`CfEdit`] and then calls [`CfEdit::finish`], which
//! renames merged blocks in all phis at once and drops the operands of removed edges.

use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;

/// A batch of changes to control flow.
pub(crate) struct CfEdit {
    renamed: IdMap<Block, Option<Id<Block>>>,
    /// Values replaced by others.
    pub(crate) replacements: IdMap<Def, Option<Id<Def>>>,
    /// True if anything has been changed.
    pub(crate) changed: bool,
    replaced: bool,
}

impl CfEdit {
    pub(crate) fn new() -> CfEdit {
        CfEdit {
            renamed: IdMap::with_default(None),
            replacements: IdMap::with_default(None),
            changed: false,
            replaced: false,
        }
    }

    /// Replaces all uses of `from` by `to`, at the next [`CfEdit::flush`] or [`CfEdit::finish`].
    pub(crate) fn replace(&mut self, from: Id<Def>, to: Id<Def>) {
        if from != to {
            self.replacements[from] = Some(to);
            self.replaced = true;
        }
    }

    /// Makes phi operands that come from block `from` come from `to`.
    pub(crate) fn rename_block(&mut self, from: Id<Block>, to: Id<Block>) {
        if from != to {
            self.renamed[from] = Some(to);
        }
    }

    /// The block that now holds the contents of `b`.
    pub(crate) fn current_block(&self, mut b: Id<Block>) -> Id<Block> {
        while let Some(next) = self.renamed[b] {
            b = next;
        }
        b
    }

    /// Appends the instructions of block `b`, which must have no phis, to block `a`.
    pub(crate) fn merge(&mut self, s: &mut Shader, a: Id<Block>, b: Id<Block>) {
        let tail = std::mem::take(&mut s.blocks[b].instrs);
        s.blocks[a].instrs.extend(tail);
        self.renamed[b] = Some(a);
    }

    /// Replaces the `if` or loop at index `at` of list `parent` by the nodes of `list`, which it
    /// always executes exactly once. The phis of the block that follows keep only the operand from
    /// the end of `list`.
    pub(crate) fn splice(&mut self, s: &mut Shader, parent: ListRef, at: usize, list: CfList) {
        self.changed = true;
        let (Some(&CfNode::Block(before)), Some(&CfNode::Block(after))) = (
            s.list(parent).get(at.wrapping_sub(1)),
            s.list(parent).get(at + 1),
        ) else {
            return;
        };
        let (Some(&CfNode::Block(first)), Some(&CfNode::Block(last))) = (list.first(), list.last())
        else {
            return;
        };
        self.resolve_phis(s, after, last);
        self.resolve_phis(s, first, before);
        let jumps = s.jump_of(last).is_some();
        self.merge(s, before, first);
        let last = if list.len() == 1 { before } else { last };
        let mut nodes: CfList = list[1..].to_vec();
        let mut end = at + 2;
        if jumps {
            // The rest of the parent has become unreachable.
            s.blocks[after].instrs.clear();
            end = s.list(parent).len();
        } else {
            self.merge(s, last, after);
        }
        s.list_mut(parent).splice(at..end, nodes.drain(..));
    }

    /// Replaces the phis of `block` by their operands from `pred`.
    pub(crate) fn resolve_phis(&mut self, s: &mut Shader, block: Id<Block>, pred: Id<Block>) {
        let n = s.blocks[block]
            .instrs
            .iter()
            .take_while(|i| matches!(s.instrs[**i], Instr::Phi(_)))
            .count();
        let phis: Vec<Id<Instr>> = s.blocks[block].instrs.drain(..n).collect();
        for id in phis {
            let Instr::Phi(p) = &s.instrs[id] else {
                continue;
            };
            let def = p.def;
            let value = p
                .srcs
                .iter()
                .find(|(b, _)| self.current_block(*b) == self.current_block(pred))
                .map(|x| x.1);
            match value {
                Some(v) if v != def => self.replace(def, v),
                _ => {
                    // Not reachable from `pred`: any value will do.
                    s.instrs[id] = Instr::Undef { def };
                    s.blocks[block].instrs.insert(0, id);
                }
            }
        }
    }

    /// Applies the pending replacements of uses in the middle of a pass.
    pub(crate) fn flush(&mut self, s: &mut Shader) {
        if self.replaced {
            s.rewrite_uses(&mut self.replacements);
            self.replaced = false;
            self.changed = true;
        }
    }

    /// True if replacements of uses are pending.
    pub(crate) fn is_replacing(&self) -> bool {
        self.replaced
    }

    /// Updates phis and uses. Returns true if anything was changed.
    pub(crate) fn finish(mut self, s: &mut Shader) -> bool {
        if self.replaced {
            s.rewrite_uses(&mut self.replacements);
        }
        if self.changed {
            let cfg = Cfg::new(s);
            for &b in &cfg.order {
                for k in 0..s.blocks[b].instrs.len() {
                    let id = s.blocks[b].instrs[k];
                    let Instr::Phi(p) = &mut s.instrs[id] else {
                        break;
                    };
                    for src in &mut p.srcs {
                        while let Some(next) = self.renamed[src.0] {
                            src.0 = next;
                        }
                    }
                    let preds = &cfg[b].preds;
                    p.srcs.retain(|(from, _)| preds.contains(from));
                }
            }
        }
        self.changed || self.replaced
    }
}

/// Calls `replace` on every `if`, inner ones first, with the list that contains it and its index
/// there. `Some` means that `replace` has removed the `if`, so that another node is at that index.
/// Returns true if anything was changed.
pub(crate) fn replace_ifs(
    s: &mut Shader,
    replace: impl Fn(&mut Shader, &mut CfEdit, ListRef, usize, Id<If>) -> Option<()>,
) -> bool {
    if s.ifs.is_empty() {
        return false;
    }
    let mut edit = CfEdit::new();
    for list in lists_inside_out(s) {
        let mut at = 1;
        while at < s.list(list).len() {
            if let CfNode::If(i) = s.list(list)[at]
                && replace(s, &mut edit, list, at, i).is_some()
            {
                continue;
            }
            at += 2;
        }
    }
    edit.finish(s)
}

/// All lists of the shader, inner ones before those that contain them.
pub(crate) fn lists_inside_out(s: &Shader) -> Vec<ListRef> {
    let mut out = vec![ListRef::Body];
    let mut k = 0;
    while let Some(&list) = out.get(k) {
        k += 1;
        for node in s.list(list) {
            match *node {
                CfNode::If(i) => out.extend([ListRef::Then(i), ListRef::Else(i)]),
                CfNode::Loop(l) => out.push(ListRef::Loop(l)),
                CfNode::Block(_) => {}
            }
        }
    }
    out.reverse();
    out
}

/// Splits a block at its instruction `k`. Returns that instruction, which is in neither part, and a
/// new block with those after it.
pub(crate) fn split_block(
    s: &mut Shader,
    edit: &mut CfEdit,
    block: Id<Block>,
    k: usize,
) -> (Id<Instr>, Id<Block>) {
    let mut tail = s.blocks[block].instrs.split_off(k);
    let taken = tail.remove(0);
    let after = s.blocks.push(Block { instrs: tail });
    edit.rename_block(block, after);
    edit.changed = true;
    (taken, after)
}

/// A point at which a block is split: before its instruction `k`. `at` is the index in `list`
/// behind the block.
#[derive(Clone, Copy)]
pub(crate) struct SplitPoint {
    pub(crate) list: ListRef,
    pub(crate) at: usize,
    pub(crate) block: Id<Block>,
    pub(crate) k: usize,
}

/// Splits each block at the first instruction that `find` accepts. `replace` performs the split and
/// returns the number of nodes between the block and the rest of its instructions, which is
/// searched next. Returns true if anything was changed.
pub(crate) fn split_blocks<T>(
    s: &mut Shader,
    find: impl Fn(&Shader, Id<Instr>) -> Option<T>,
    mut replace: impl FnMut(&mut Shader, &mut CfEdit, SplitPoint, T) -> usize,
) -> bool {
    let mut edit = CfEdit::new();
    for list in lists_inside_out(s) {
        let mut at = 0;
        while let Some(&node) = s.list(list).get(at) {
            at += 1;
            let CfNode::Block(block) = node else { continue };
            let instrs = s.blocks[block].instrs.iter().enumerate();
            let mut found = instrs.filter_map(|(k, i)| Some((k, find(s, *i)?)));
            if let Some((k, found_value)) = found.next() {
                let point = SplitPoint { list, at, block, k };
                at += replace(s, &mut edit, point, found_value);
            }
        }
    }
    edit.finish(s)
}

/// True if a list consists of one block without instructions.
pub(crate) fn is_empty_list(s: &Shader, list: ListRef) -> bool {
    match s.list(list).as_slice() {
        [CfNode::Block(b)] => s.blocks[*b].instrs.is_empty(),
        _ => false,
    }
}

/// The result of [`copy_nodes`].
pub(crate) struct CopiedNodes {
    /// The copies.
    pub(crate) nodes: CfList,
    /// Maps old values to new ones, including those that the caller gave.
    pub(crate) defs: FxHashMap<Id<Def>, Id<Def>>,
}

/// Copies nodes with everything in them. Operands that `defs` maps, or that the copied nodes
/// define, are replaced in the copies.
pub(crate) fn copy_nodes(
    s: &mut Shader,
    nodes: &CfList,
    mut defs: FxHashMap<Id<Def>, Id<Def>>,
) -> CopiedNodes {
    let events = s.layout_of_nodes(nodes);
    let mut blocks: FxHashMap<Id<Block>, Id<Block>> = FxHashMap::default();
    let mut made: Vec<Id<Instr>> = Vec::new();
    let mut new_ifs: Vec<Id<If>> = Vec::new();
    let mut open: Vec<CfList> = vec![Vec::new()];
    let mut thens: Vec<CfList> = Vec::new();
    for event in events {
        match event {
            CfEvent::Block(b) => {
                let mut instrs = Vec::with_capacity(s.blocks[b].instrs.len());
                for k in 0..s.blocks[b].instrs.len() {
                    let old = s.blocks[b].instrs[k];
                    let instr = s.instrs[old].clone();
                    let id = match instr.def() {
                        None => s.instrs.push(instr),
                        Some(def) => {
                            let d = s.defs[def];
                            let (id, new) = s.add_instr(d.num_components, d.bit_size, |new| {
                                let mut instr = instr;
                                set_def(&mut instr, new);
                                instr
                            });
                            defs.insert(def, new);
                            id
                        }
                    };
                    made.push(id);
                    instrs.push(id);
                }
                let new = s.blocks.push(Block { instrs });
                blocks.insert(b, new);
                if let Some(list) = open.last_mut() {
                    list.push(CfNode::Block(new));
                }
            }
            CfEvent::If(_) | CfEvent::Loop(_) => open.push(Vec::new()),
            CfEvent::Else(_) => {
                thens.push(open.pop().unwrap_or_default());
                open.push(Vec::new());
            }
            CfEvent::EndIf(i) => {
                let new = s.ifs.push(If {
                    cond: s.ifs[i].cond,
                    then_list: thens.pop().unwrap_or_default(),
                    else_list: open.pop().unwrap_or_default(),
                });
                new_ifs.push(new);
                if let Some(list) = open.last_mut() {
                    list.push(CfNode::If(new));
                }
            }
            CfEvent::EndLoop(_) => {
                let body = open.pop().unwrap_or_default();
                let new = s.loops.push(Loop { body });
                if let Some(list) = open.last_mut() {
                    list.push(CfNode::Loop(new));
                }
            }
        }
    }
    for id in made {
        s.instrs[id].for_each_src_mut(|d| {
            if let Some(new) = defs.get(d) {
                *d = *new;
            }
        });
        if let Instr::Phi(p) = &mut s.instrs[id] {
            for src in &mut p.srcs {
                if let Some(new) = blocks.get(&src.0) {
                    src.0 = *new;
                }
            }
        }
    }
    for i in new_ifs {
        if let Some(new) = defs.get(&s.ifs[i].cond) {
            s.ifs[i].cond = *new;
        }
    }
    CopiedNodes {
        nodes: open.pop().unwrap_or_default(),
        defs,
    }
}

fn set_def(instr: &mut Instr, new: Id<Def>) {
    match instr {
        Instr::Alu(a) => a.def = new,
        Instr::Const { def, .. } | Instr::Undef { def } => *def = new,
        Instr::Deref(d) => d.def = new,
        Instr::Intrinsic(i) => i.def = Some(new),
        Instr::Tex(t) => t.def = new,
        Instr::Phi(p) => p.def = new,
        Instr::Jump(_) => {}
    }
}
