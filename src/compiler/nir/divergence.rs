//! Divergence analysis: which values may differ between the invocations of a subgroup that execute
//! together.
//!
//! In:  a valid shader. Out: the set of divergent values, and of loops with divergent exits.
//!
//! A value is divergent if an operand is divergent, if it depends on the lane or on memory at
//! divergent addresses, or if it is a phi at a divergent join. A value that is uniform inside a
//! loop with a divergent exit is divergent outside of it; for uses there
//! [`Divergence::is_divergent_at`] tells.
//! Ref: NIR's divergence analysis; Sampaio et al., "Divergence Analysis" (TOPLAS 2013).

use crate::intrinsic::{Effects, IntrinsicOp};
use crate::ir::*;
use crate::shader::CfEvent;
use crate::types::VariableMode;
use entity::{Id, IdMap, IdSet};

/// The result of the analysis.
#[derive(Clone, Debug, Default)]
pub struct Divergence {
    divergent: IdSet<Def>,
    /// Loops that invocations may leave in different iterations.
    divergent_exit: IdSet<Loop>,
    /// Innermost loop of each block, and of each loop.
    loop_of: IdMap<Block, Option<Id<Loop>>>,
    parent: IdMap<Loop, Option<Id<Loop>>>,
    block_of: IdMap<Instr, Option<Id<Block>>>,
}

/// A construct that the walk is inside of.
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
        // The sets only grow; iterate to the fixed point.
        while d.propagate(s, &layout) {}
        d
    }

    /// True if `def` may differ between the invocations that execute its definition together.
    pub fn is_divergent(&self, def: Id<Def>) -> bool {
        self.divergent.contains(def)
    }

    /// True if invocations may leave the loop in different iterations.
    pub fn has_divergent_exit(&self, l: Id<Loop>) -> bool {
        self.divergent_exit.contains(l)
    }

    /// True if `def`, used in block `at`, may differ there: it is divergent at its definition, or
    /// it is defined in a loop with a divergent exit that does not contain `at`.
    pub fn is_divergent_at(&self, s: &Shader, def: Id<Def>, at: Id<Block>) -> bool {
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
            if self.divergent_exit.contains(inner) {
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

    fn propagate(&mut self, s: &Shader, layout: &[CfEvent]) -> bool {
        let mut grew = false;
        let mut open: Vec<Open> = Vec::new();
        // True if the next block is a divergent join, so that its phis are divergent.
        let mut at_divergent_join = false;
        let mut divergent_continue: IdSet<Loop> = IdSet::new();
        // Jumps under divergent conditions make the header and the exit of their loop divergent
        // joins.
        for pass in 0..2 {
            open.clear();
            // The most recent block, which is the one before an `if`.
            let mut here = None;
            for event in layout {
                match *event {
                    CfEvent::If(i) => {
                        let cond = s.ifs[i].cond;
                        let divergent = match here {
                            Some(b) => self.is_divergent_at(s, cond, b),
                            None => self.divergent.contains(cond),
                        };
                        open.push(Open::If(divergent));
                        at_divergent_join = false;
                    }
                    CfEvent::Else(_) => at_divergent_join = false,
                    CfEvent::EndIf(_) => {
                        at_divergent_join = matches!(open.pop(), Some(Open::If(true)));
                    }
                    CfEvent::Loop(l) => {
                        open.push(Open::Loop(l));
                        at_divergent_join = divergent_continue.contains(l);
                    }
                    CfEvent::EndLoop(l) => {
                        open.pop();
                        at_divergent_join = self.divergent_exit.contains(l);
                    }
                    CfEvent::Block(b) => {
                        here = Some(b);
                        if pass == 1 {
                            grew |= self.visit_block(s, b, at_divergent_join);
                        }
                        let inner = open.iter().rev().find_map(|o| match o {
                            Open::Loop(l) => Some(*l),
                            Open::If(_) => None,
                        });
                        let divergent = open
                            .iter()
                            .rev()
                            .take_while(|o| matches!(o, Open::If(_)))
                            .any(|o| matches!(o, Open::If(true)));
                        match (s.jump_of(b), inner) {
                            (Some(Jump::Break), Some(l)) if divergent => {
                                grew |= self.divergent_exit.insert(l);
                            }
                            (Some(Jump::Continue), Some(l)) if divergent => {
                                divergent_continue.insert(l);
                            }
                            (Some(Jump::Return), _) => {
                                // An invocation that returns leaves all enclosing loops.
                                let divergent_return =
                                    open.iter().any(|o| matches!(o, Open::If(true)));
                                for o in &open {
                                    if let (Open::Loop(l), true) = (o, divergent_return) {
                                        grew |= self.divergent_exit.insert(*l);
                                    }
                                }
                            }
                            _ => {}
                        }
                        at_divergent_join = false;
                    }
                }
            }
        }
        grew
    }

    fn visit_block(&mut self, s: &Shader, b: Id<Block>, at_divergent_join: bool) -> bool {
        let mut grew = false;
        for &id in &s.blocks[b].instrs {
            let instr = &s.instrs[id];
            let Some(def) = instr.def() else { continue };
            if self.divergent.contains(def) {
                continue;
            }
            let divergent = match instr {
                Instr::Phi(p) => {
                    let choice = at_divergent_join && p.srcs.iter().any(|x| x.1 != p.srcs[0].1);
                    choice
                        || p.srcs.iter().any(|(from, v)| {
                            self.is_divergent_at(s, *v, *from) || self.is_divergent_at(s, *v, b)
                        })
                }
                Instr::Intrinsic(i) => self.is_intrinsic_divergent(s, i, b),
                // Undefined bits are uniform: the same in all lanes.
                Instr::Undef { .. } | Instr::Const { .. } => false,
                _ => self.has_divergent_operand(s, instr, b),
            };
            if divergent {
                grew |= self.divergent.insert(def);
            }
        }
        grew
    }

    fn has_divergent_operand(&self, s: &Shader, instr: &Instr, b: Id<Block>) -> bool {
        let mut divergent = false;
        instr.for_each_src(|d| divergent |= self.is_divergent_at(s, d, b));
        divergent
    }

    fn is_intrinsic_divergent(&self, s: &Shader, i: &Intrinsic, b: Id<Block>) -> bool {
        use IntrinsicOp as Op;
        let operands = || i.srcs.iter().any(|d| self.is_divergent_at(s, *d, b));
        match i.op {
            // All pixels of a thread belong to one primitive.
            Op::LoadFrontFace | Op::LoadLayerId => false,
            Op::LoadInput if s.stage == Stage::Fragment => operands(),
            _ if i.op.info().effects.any(Effects::LANE) => true,
            // The result is the same for the whole tangle.
            Op::Ballot
            | Op::VoteAny
            | Op::VoteAll
            | Op::VoteIeq
            | Op::VoteFeq
            | Op::ReadFirstInvocation
            | Op::FirstInvocation => false,
            Op::Reduce => i.index("cluster_size") != 0,
            Op::ReadInvocation => self.is_divergent_at(s, i.srcs[1], b),
            Op::QuadBroadcast => self.is_divergent_at(s, i.srcs[0], b),
            // Local variables, inputs and outputs are private to an invocation.
            Op::LoadDeref => {
                let own = s.deref_of(i.srcs[0]).is_some_and(|d| {
                    matches!(
                        d.mode,
                        VariableMode::FunctionTemp
                            | VariableMode::ShaderTemp
                            | VariableMode::ShaderIn
                            | VariableMode::ShaderOut
                    )
                });
                own || operands()
            }
            // Atomics give each invocation a different result. Loads of a uniform address are
            // uniform: one message serves all lanes.
            _ if i.op.info().effects.any(Effects::WRITES) => true,
            _ => operands(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    #[test]
    fn values_of_a_loop_with_a_divergent_exit_differ_outside() {
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
        crate::validate::validate(&s).unwrap();
        let d = Divergence::new(&s);
        assert!(d.has_divergent_exit(l) && d.is_divergent(done));
        // Invocations still in the loop have the same count; after the loop, counts differ.
        assert!(!d.is_divergent(i) && !d.is_divergent(next));
        assert!(d.is_divergent_at(&s, next, at) && d.is_divergent(after));
        assert!(!d.is_divergent(uniform));
    }

    #[test]
    fn phis_after_divergent_ifs_are_divergent() {
        let mut s = Shader::new(Stage::Compute, "t");
        let mut b = Builder::at_end(&mut s);
        let lane = b.system_value(IntrinsicOp::LoadSubgroupInvocation);
        let group = b.system_value(IntrinsicOp::LoadWorkgroupId);
        let (x, y) = (b.channel(group, 0), b.channel(group, 1));
        let (divergent, together) = (b.ult(lane, x), b.ult(x, y));
        b.push_if(divergent);
        b.pop_if();
        let p = b.if_phi(x, y);
        b.push_if(together);
        b.pop_if();
        let q = b.if_phi(x, y);
        let vote = b.load(IntrinsicOp::VoteAny, 1, 1, &[divergent], &[]);
        let d = Divergence::new(&s);
        assert!(d.is_divergent(p) && !d.is_divergent(q) && !d.is_divergent(vote));
    }
}
