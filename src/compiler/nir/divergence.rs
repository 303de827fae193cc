//! Which values may differ between the invocations of a subgroup that execute together.
//!
//! In:  a valid shader. Out: the set of divergent values, and of loops that invocations leave, or continue, apart.
//!
//! A value is divergent if an operand is, if it reads the lane's own number or memory at divergent addresses, or if it is
//! a phi behind divergent control. A value of a loop that is left divergently is divergent outside of it, though
//! uniform inside: its users out there must ask [`Divergence::used_outside`].
//! Ref: NIR's divergence analysis; Sampaio et al., "Divergence Analysis" (TOPLAS 2013).

use crate::intrinsic::{Effects, IntrinsicOp};
use crate::ir::*;
use crate::shader::CfEvent;
use crate::types::Mode;
use entity::{Id, IdMap, IdSet};

/// The analysis.
#[derive(Clone, Debug, Default)]
pub struct Divergence {
    divergent: IdSet<Def>,
    /// Loops that some invocations leave earlier than others.
    left_apart: IdSet<Loop>,
    /// Innermost loop of each block, and of each loop.
    loop_of: IdMap<Block, Option<Id<Loop>>>,
    parent: IdMap<Loop, Option<Id<Loop>>>,
    block_of: IdMap<Instr, Option<Id<Block>>>,
}

/// What the walk is inside of.
#[derive(Clone, Copy)]
enum Open {
    If(bool),
    Loop(Id<Loop>),
}

impl Divergence {
    /// Analyses a shader.
    pub fn new(s: &Shader) -> Divergence {
        let layout = s.layout();
        let mut d = Divergence::default();
        let mut open: Vec<Id<Loop>> = Vec::new();
        for event in &layout {
            match *event {
                CfEvent::Loop(l) => {
                    d.parent[l] = open.last().copied();
                    open.push(l);
                }
                CfEvent::EndLoop(_) => {
                    open.pop();
                }
                CfEvent::Block(b) => {
                    d.loop_of[b] = open.last().copied();
                    for &i in &s.blocks[b].instrs {
                        d.block_of[i] = Some(b);
                    }
                }
                _ => {}
            }
        }
        // Sets only grow: the walk is repeated until none does.
        while d.walk(s, &layout) {}
        d
    }

    /// True if `def` may differ between invocations that execute together where it is made.
    pub fn is_divergent(&self, def: Id<Def>) -> bool {
        self.divergent.contains(def)
    }

    /// True if invocations may leave the loop in different rounds.
    pub fn is_left_apart(&self, l: Id<Loop>) -> bool {
        self.left_apart.contains(l)
    }

    /// True if `def`, read in block `at`, may differ there: it does where it is made, or it was made in a loop
    /// that has been left apart since.
    pub fn used_outside(&self, s: &Shader, def: Id<Def>, at: Id<Block>) -> bool {
        if self.divergent.contains(def) {
            return true;
        }
        let Some(home) = self.block_of[s.defs[def].instr] else {
            return true;
        };
        let mut l = self.loop_of[home];
        while let Some(inner) = l {
            if self.contains(inner, at) {
                return false;
            }
            if self.left_apart.contains(inner) {
                return true;
            }
            l = self.parent[inner];
        }
        false
    }

    fn contains(&self, l: Id<Loop>, b: Id<Block>) -> bool {
        let mut at = self.loop_of[b];
        while let Some(x) = at {
            if x == l {
                return true;
            }
            at = self.parent[x];
        }
        false
    }

    fn walk(&mut self, s: &Shader, layout: &[CfEvent]) -> bool {
        let mut grew = false;
        let mut open: Vec<Open> = Vec::new();
        // What the phis of the next block are behind of.
        let mut behind = false;
        let mut continued_apart: IdSet<Loop> = IdSet::new();
        // Jumps under divergent conditions make the head and the end of their loop divergent joins.
        for pass in 0..2 {
            open.clear();
            // The block last passed: that before an `if`.
            let mut here = None;
            for event in layout {
                match *event {
                    CfEvent::If(i) => {
                        let cond = s.ifs[i].cond;
                        let apart = match here {
                            Some(b) => self.used_outside(s, cond, b),
                            None => self.divergent.contains(cond),
                        };
                        open.push(Open::If(apart));
                        behind = false;
                    }
                    CfEvent::Else(_) => behind = false,
                    CfEvent::EndIf(_) => {
                        behind = matches!(open.pop(), Some(Open::If(true)));
                    }
                    CfEvent::Loop(l) => {
                        open.push(Open::Loop(l));
                        behind = continued_apart.contains(l);
                    }
                    CfEvent::EndLoop(l) => {
                        open.pop();
                        behind = self.left_apart.contains(l);
                    }
                    CfEvent::Block(b) => {
                        here = Some(b);
                        if pass == 1 {
                            grew |= self.block(s, b, behind);
                        }
                        let inner = open.iter().rev().find_map(|o| match o {
                            Open::Loop(l) => Some(*l),
                            Open::If(_) => None,
                        });
                        let apart = open
                            .iter()
                            .rev()
                            .take_while(|o| matches!(o, Open::If(_)))
                            .any(|o| matches!(o, Open::If(true)));
                        match (s.jump_of(b), inner) {
                            (Some(Jump::Break), Some(l)) if apart => {
                                grew |= self.left_apart.insert(l);
                            }
                            (Some(Jump::Continue), Some(l)) if apart => {
                                continued_apart.insert(l);
                            }
                            (Some(Jump::Return), _) => {
                                // Whoever has returned is missing from every loop around.
                                let gone = open.iter().any(|o| matches!(o, Open::If(true)));
                                for o in &open {
                                    if let (Open::Loop(l), true) = (o, gone) {
                                        grew |= self.left_apart.insert(*l);
                                    }
                                }
                            }
                            _ => {}
                        }
                        behind = false;
                    }
                }
            }
        }
        grew
    }

    fn block(&mut self, s: &Shader, b: Id<Block>, behind: bool) -> bool {
        let mut grew = false;
        for &id in &s.blocks[b].instrs {
            let instr = &s.instrs[id];
            let Some(def) = instr.def() else { continue };
            if self.divergent.contains(def) {
                continue;
            }
            let apart = match instr {
                Instr::Phi(p) => {
                    let choice = behind && p.srcs.iter().any(|x| x.1 != p.srcs[0].1);
                    choice
                        || p.srcs.iter().any(|(from, v)| {
                            self.used_outside(s, *v, *from) || self.used_outside(s, *v, b)
                        })
                }
                Instr::Intrinsic(i) => self.intrinsic(s, i, b),
                // Any bits, but the same for all.
                Instr::Undef { .. } | Instr::Const { .. } => false,
                _ => self.any_operand(s, instr, b),
            };
            if apart {
                grew |= self.divergent.insert(def);
            }
        }
        grew
    }

    fn any_operand(&self, s: &Shader, instr: &Instr, b: Id<Block>) -> bool {
        let mut apart = false;
        instr.for_each_src(|d| apart |= self.used_outside(s, d, b));
        apart
    }

    fn intrinsic(&self, s: &Shader, i: &Intrinsic, b: Id<Block>) -> bool {
        use IntrinsicOp as Op;
        let operands = || i.srcs.iter().any(|d| self.used_outside(s, *d, b));
        match i.op {
            // A thread's pixels are of one primitive.
            Op::LoadFrontFace | Op::LoadLayerId => false,
            Op::LoadInput if s.stage == Stage::Fragment => operands(),
            _ if i.op.info().effects.any(Effects::LANE) => true,
            // The same for the whole tangle.
            Op::Ballot
            | Op::VoteAny
            | Op::VoteAll
            | Op::VoteIeq
            | Op::VoteFeq
            | Op::ReadFirstInvocation
            | Op::FirstInvocation => false,
            Op::Reduce => i.index("cluster_size") != 0,
            Op::ReadInvocation => self.used_outside(s, i.srcs[1], b),
            Op::QuadBroadcast => self.used_outside(s, i.srcs[0], b),
            // Locals of an invocation are its own, inputs and outputs too.
            Op::LoadDeref => {
                let own = s.deref_of(i.srcs[0]).is_some_and(|d| {
                    matches!(
                        d.mode,
                        Mode::FunctionTemp | Mode::ShaderTemp | Mode::ShaderIn | Mode::ShaderOut
                    )
                });
                own || operands()
            }
            // Between two invocations' reads, a third may write; still one message serves all.
            _ if i.op.info().effects.any(Effects::WRITES) => true,
            _ => operands(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn what_leaves_a_loop_apart_differs_outside() {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        let lane = b.system_value(IntrinsicOp::LoadSubgroupInvocation);
        let group = b.system_value(IntrinsicOp::LoadWorkgroupId);
        let zero = b.imm_u32(0);
        let entry = b.block();
        let l = b.push_loop();
        let i = b.phi(1, 32, &[(entry, zero)]);
        let next = b.iadd_imm(i, 1);
        let done = b.uge(next, lane);
        b.push_if(done);
        b.jump(Jump::Break);
        b.pop_if();
        let tail = b.block();
        b.pop_loop();
        let after = b.iadd_imm(next, 5);
        let uniform = b.channel(group, 0);
        let at = b.block();
        let phi = s.defs[i].instr;
        if let Instr::Phi(p) = &mut s.instrs[phi] {
            p.srcs.push((tail, next));
        }
        crate::validate(&s).unwrap();
        let d = Divergence::new(&s);
        assert!(d.is_left_apart(l) && d.is_divergent(done));
        // Whoever is still in the loop has the same count; outside, each has its own.
        assert!(!d.is_divergent(i) && !d.is_divergent(next));
        assert!(d.used_outside(&s, next, at) && d.is_divergent(after));
        assert!(!d.is_divergent(uniform));
    }

    #[test]
    fn phis_behind_divergent_ifs_differ() {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        let lane = b.system_value(IntrinsicOp::LoadSubgroupInvocation);
        let group = b.system_value(IntrinsicOp::LoadWorkgroupId);
        let (x, y) = (b.channel(group, 0), b.channel(group, 1));
        let (apart, together) = (b.ult(lane, x), b.ult(x, y));
        b.push_if(apart);
        b.pop_if();
        let p = b.if_phi(x, y);
        b.push_if(together);
        b.pop_if();
        let q = b.if_phi(x, y);
        let vote = b.load(IntrinsicOp::VoteAny, 1, 1, &[apart], &[]);
        let d = Divergence::new(&s);
        assert!(d.is_divergent(p) && !d.is_divergent(q) && !d.is_divergent(vote));
    }
}
