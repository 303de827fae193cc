//! Surgery on control flow.
//!
//! A pass makes any number of changes through a [`CfEdit`] and then calls [`CfEdit::finish`], which renames
//! merged blocks in all phis at once and drops the operands of edges that are gone.

use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;

/// Changes to control flow in progress.
pub(crate) struct CfEdit {
    rename: IdMap<Block, Option<Id<Block>>>,
    /// Values that another one replaces.
    pub(crate) to: IdMap<Def, Option<Id<Def>>>,
    /// Anything was changed.
    pub(crate) changed: bool,
    replaced: bool,
}

impl CfEdit {
    pub(crate) fn new() -> CfEdit {
        CfEdit {
            rename: IdMap::with_default(None),
            to: IdMap::with_default(None),
            changed: false,
            replaced: false,
        }
    }

    /// All uses of `from` will read `to`.
    pub(crate) fn replace(&mut self, from: Id<Def>, to: Id<Def>) {
        if from != to {
            self.to[from] = Some(to);
            self.replaced = true;
        }
    }

    /// Phis that name `from` will name `to`.
    pub(crate) fn rename_block(&mut self, from: Id<Block>, to: Id<Block>) {
        if from != to {
            self.rename[from] = Some(to);
        }
    }

    /// The block that now holds what `b` held.
    pub(crate) fn block(&self, mut b: Id<Block>) -> Id<Block> {
        while let Some(next) = self.rename[b] {
            b = next;
        }
        b
    }

    /// Appends block `b` to block `a`: `b` must have no phis any more.
    pub(crate) fn merge(&mut self, s: &mut Shader, a: Id<Block>, b: Id<Block>) {
        let tail = std::mem::take(&mut s.blocks[b].instrs);
        s.blocks[a].instrs.extend(tail);
        self.rename[b] = Some(a);
    }

    /// Replaces the node at `at` of list `parent` (an `if` or loop) by the nodes of `list`, which is what it
    /// executes, always and once. The phis of the block behind it keep only the operand of the new way.
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
            // What follows in the parent cannot be reached any more.
            s.blocks[after].instrs.clear();
            end = s.list(parent).len();
        } else {
            self.merge(s, last, after);
        }
        s.list_mut(parent).splice(at..end, nodes.drain(..));
    }

    /// The phis of `block` are replaced by their operands from `pred`.
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
                .find(|(b, _)| self.block(*b) == self.block(pred))
                .map(|x| x.1);
            match value {
                Some(v) if v != def => self.replace(def, v),
                _ => {
                    // Never reached that way: any value will do.
                    s.instrs[id] = Instr::Undef { def };
                    s.blocks[block].instrs.insert(0, id);
                }
            }
        }
    }

    /// Brings uses up to date in the middle of a pass.
    pub(crate) fn flush(&mut self, s: &mut Shader) {
        if self.replaced {
            s.rewrite_uses(&mut self.to);
            self.replaced = false;
            self.changed = true;
        }
    }

    /// Whether some uses are not what they will be.
    pub(crate) fn is_replacing(&self) -> bool {
        self.replaced
    }

    /// Brings phis and uses up to date. True if anything was changed.
    pub(crate) fn finish(mut self, s: &mut Shader) -> bool {
        if self.replaced {
            s.rewrite_uses(&mut self.to);
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
                        while let Some(next) = self.rename[src.0] {
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

/// Takes away what `replace` can, ifs inside others first. It is given the list with the if, and its place there; where it answers with
/// something, another node stands in that place. True: something has changed.
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

/// Cuts a block before its instruction `k`: that instruction, taken out, and a new block with what follows it.
pub(crate) fn cut_block(
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

/// Where a block is to be cut: before its instruction `k`; its list goes on at `at`.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) list: ListRef,
    pub(crate) at: usize,
    pub(crate) block: Id<Block>,
    pub(crate) k: usize,
}

/// Cuts blocks where `find` says so, the first place of each. `put` does it, and returns how many nodes
/// come before what followed: that is looked at in its turn.
pub(crate) fn cut_blocks<T>(
    s: &mut Shader,
    find: impl Fn(&Shader, Id<Instr>) -> Option<T>,
    mut put: impl FnMut(&mut Shader, &mut CfEdit, Cut, T) -> usize,
) -> bool {
    let mut edit = CfEdit::new();
    for list in lists_inside_out(s) {
        let mut at = 0;
        while let Some(&node) = s.list(list).get(at) {
            at += 1;
            let CfNode::Block(block) = node else { continue };
            let instrs = s.blocks[block].instrs.iter().enumerate();
            let mut found = instrs.filter_map(|(k, i)| Some((k, find(s, *i)?)));
            if let Some((k, what)) = found.next() {
                let cut = Cut { list, at, block, k };
                at += put(s, &mut edit, cut, what);
            }
        }
    }
    edit.finish(s)
}

/// True if a list is one block without instructions.
pub(crate) fn is_empty_list(s: &Shader, list: ListRef) -> bool {
    match s.list(list).as_slice() {
        [CfNode::Block(b)] => s.blocks[*b].instrs.is_empty(),
        _ => false,
    }
}

/// Copies of nodes, with what stands in them.
pub(crate) struct Copy {
    /// The new nodes.
    pub(crate) nodes: CfList,
    /// New values for old ones; holds what it was given, too.
    pub(crate) defs: FxHashMap<Id<Def>, Id<Def>>,
}

/// Copies nodes. Operands that `defs` names become what it says; so do those made inside.
pub(crate) fn copy_nodes(
    s: &mut Shader,
    nodes: &CfList,
    mut defs: FxHashMap<Id<Def>, Id<Def>>,
) -> Copy {
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
    Copy {
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
