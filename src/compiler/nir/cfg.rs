//! Control-flow graph, dominance and loops of a shader.
//!
//! In:  a shader whose lists are well-formed (`validate` checks that first).
//! Out: predecessors, successors, immediate dominators and loop nesting of each block.
//!
//! Structured control flow is reducible, and in layout order every edge except back edges goes
//! forward, so one walk in layout order finds all dominators.

use crate::ir::*;
use crate::shader::{CfEvent, ListRef};
use entity::{Id, IdMap};
use smallvec::SmallVec;

/// Control-flow facts about one block.
#[derive(Clone, Debug, Default)]
pub struct CfgBlock {
    /// Predecessors in layout order.
    pub preds: SmallVec<[Id<Block>; 2]>,
    /// Successors.
    pub succs: SmallVec<[Id<Block>; 2]>,
    /// Immediate dominator; `None` for the entry and for unreachable blocks.
    pub idom: Option<Id<Block>>,
    /// Innermost loop that contains the block.
    pub in_loop: Option<Id<Loop>>,
    /// Number of loops that contain the block.
    pub loop_depth: u32,
    /// The block can be reached from the entry.
    pub reachable: bool,
    /// Number in layout order.
    pub number: u32,
    /// Preorder number and subtree size in the dominator tree: `a` dominates `b` if `b.pre` is in
    /// `a.pre..a.pre + a.subtree`.
    pre: u32,
    subtree: u32,
}

/// The control-flow graph.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Blocks in layout order.
    pub order: Vec<Id<Block>>,
    blocks: IdMap<Block, CfgBlock>,
}

impl std::ops::Index<Id<Block>> for Cfg {
    type Output = CfgBlock;
    fn index(&self, b: Id<Block>) -> &CfgBlock {
        &self.blocks[b]
    }
}

impl Cfg {
    /// Analyses a shader.
    pub fn new(s: &Shader) -> Cfg {
        let layout = s.layout();
        let mut after_loop: IdMap<Loop, Option<Id<Block>>> = IdMap::with_default(None);
        let mut after_if: IdMap<If, Option<Id<Block>>> = IdMap::with_default(None);
        for pair in layout.windows(2) {
            if let [end, CfEvent::Block(b)] = *pair {
                match end {
                    CfEvent::EndIf(i) => after_if[i] = Some(b),
                    CfEvent::EndLoop(l) => after_loop[l] = Some(b),
                    _ => {}
                }
            }
        }
        let mut order = Vec::with_capacity(s.blocks.len());
        let mut blocks: IdMap<Block, CfgBlock> = IdMap::for_arena(&s.blocks, CfgBlock::default());
        let mut loops: Vec<Id<Loop>> = Vec::new();
        for (k, event) in layout.iter().enumerate() {
            let b = match *event {
                CfEvent::Loop(l) => {
                    loops.push(l);
                    continue;
                }
                CfEvent::EndLoop(_) => {
                    loops.pop();
                    continue;
                }
                CfEvent::Block(b) => b,
                _ => continue,
            };
            let top = loops.last().copied();
            let header = |l: Id<Loop>| s.first_block(ListRef::Loop(l));
            let (a, c) = match s.jump_of(b) {
                Some(Jump::Return) => (None, None),
                Some(Jump::Break) => (top.and_then(|l| after_loop[l]), None),
                Some(Jump::Continue) => (top.and_then(header), None),
                None => match layout.get(k + 1) {
                    Some(&CfEvent::If(i)) => (
                        s.first_block(ListRef::Then(i)),
                        s.first_block(ListRef::Else(i)),
                    ),
                    Some(&CfEvent::Loop(l) | &CfEvent::EndLoop(l)) => (header(l), None),
                    Some(&CfEvent::Else(i) | &CfEvent::EndIf(i)) => (after_if[i], None),
                    Some(CfEvent::Block(_)) | None => (None, None),
                },
            };
            let info = &mut blocks[b];
            info.succs = a.into_iter().chain(c).collect();
            info.in_loop = top;
            info.loop_depth = loops.len() as u32;
            info.number = order.len() as u32;
            order.push(b);
        }
        let mut cfg = Cfg { order, blocks };
        cfg.find_preds();
        cfg.find_dominators();
        cfg
    }

    fn find_preds(&mut self) {
        for i in 0..self.order.len() {
            let b = self.order[i];
            for k in 0..self.blocks[b].succs.len() {
                let to = self.blocks[b].succs[k];
                self.blocks[to].preds.push(b);
            }
        }
    }

    fn find_dominators(&mut self) {
        for i in 0..self.order.len() {
            let b = self.order[i];
            let mut idom: Option<Id<Block>> = None;
            for k in 0..self.blocks[b].preds.len() {
                let p = self.blocks[b].preds[k];
                let pred = &self.blocks[p];
                // Back edges never change the dominator of a loop's first block.
                if !pred.reachable || pred.number as usize >= i {
                    continue;
                }
                idom = Some(match idom {
                    None => p,
                    Some(d) => self.common_dominator(d, p),
                });
            }
            let info = &mut self.blocks[b];
            info.reachable = i == 0 || idom.is_some();
            info.idom = idom;
        }
        for i in (0..self.order.len()).rev() {
            let b = self.order[i];
            self.blocks[b].subtree += 1;
            if let Some(d) = self.blocks[b].idom {
                let n = self.blocks[b].subtree;
                self.blocks[d].subtree += n;
            }
        }
        // Each child gets the next free range of its parent's preorder numbers.
        let mut next: IdMap<Block, u32> = IdMap::with_default(0);
        let mut roots = 0;
        for i in 0..self.order.len() {
            let b = self.order[i];
            let n = self.blocks[b].subtree;
            let pre = match self.blocks[b].idom {
                Some(d) => {
                    let pre = next[d];
                    next[d] += n;
                    pre
                }
                None => {
                    let pre = roots;
                    roots += n;
                    pre
                }
            };
            self.blocks[b].pre = pre;
            next[b] = pre + 1;
        }
    }

    /// The nearest block that dominates both; both are reachable.
    pub fn common_dominator(&self, mut a: Id<Block>, mut b: Id<Block>) -> Id<Block> {
        while a != b {
            let (na, nb) = (self.blocks[a].number, self.blocks[b].number);
            let later = if na > nb { &mut a } else { &mut b };
            match self.blocks[*later].idom {
                Some(d) => *later = d,
                None => return *later,
            }
        }
        a
    }

    /// True if every path to `b` goes through `a` (a block dominates itself).
    pub fn dominates(&self, a: Id<Block>, b: Id<Block>) -> bool {
        let (a, b) = (&self.blocks[a], &self.blocks[b]);
        a.reachable && b.reachable && b.pre >= a.pre && b.pre < a.pre + a.subtree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    #[test]
    fn dominators_of_a_loop_with_a_break() {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        let entry = b.block();
        let c = b.imm_bool(true);
        b.push_loop();
        let head = b.block();
        b.push_if(c);
        let exit = b.block();
        b.jump(Jump::Break);
        b.push_else();
        let other = b.block();
        b.pop_if();
        let tail = b.block();
        b.pop_loop();
        let after = b.block();
        let cfg = Cfg::new(&s);
        assert_eq!(cfg[head].preds.as_slice(), [entry, tail]);
        assert_eq!(cfg[after].preds.as_slice(), [exit]);
        assert_eq!(cfg[after].idom, Some(exit));
        assert_eq!(cfg[tail].idom, Some(other));
        assert!(cfg.dominates(head, after) && cfg.dominates(head, tail));
        assert!(!cfg.dominates(tail, head) && !cfg.dominates(other, after));
        assert_eq!((cfg[tail].loop_depth, cfg[after].loop_depth), (1, 0));
    }

    #[test]
    fn block_after_two_jumps_is_unreachable() {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        let c = b.imm_bool(true);
        b.push_if(c);
        b.jump(Jump::Return);
        b.push_else();
        b.jump(Jump::Return);
        b.pop_if();
        let after = b.block();
        let cfg = Cfg::new(&s);
        assert!(!cfg[after].reachable && cfg[after].idom.is_none());
        assert!(!cfg.dominates(cfg.order[0], after));
    }
}
