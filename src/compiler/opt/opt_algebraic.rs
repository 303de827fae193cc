//! Simplifies arithmetic by the rules of `rules.rs`.
//!
//! In:  scalar ALU operations (vectors are left alone). Out: no rule matches any more. What `opt_copy_prop` and `opt_constant_folding`
//! look for is done on the way.
//! A rule that loses something fires only if none of the operations it matches forbids that.
//! Tests: the rules' own, in `rules_tests.rs`, and tests/opt/opt_algebraic/.

use crate::algebra::{Inexact, Node, constant_bits, node_bits};
use crate::matching::{Match, Reads, matches};
use crate::opt_constant_folding::{fold_instr, fold_load};
use crate::opt_copy_prop;
use crate::pass::Ctx;
use crate::rule_set::{Compiled, Makers, Present, RuleSet};
use crate::rules::RULES;
use entity::Id;
use nir::*;
use smallvec::SmallVec;
use std::sync::LazyLock;

static SET: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(RULES));

/// Entry point.
pub fn opt_algebraic(s: &mut Shader, _: &Ctx) -> bool {
    run(s, &SET)
}

pub(crate) fn run(s: &mut Shader, set: &RuleSet) -> bool {
    let mut changed = false;
    let mut reads = Reads::default();
    let mut present = Present::of(s);
    let mut data = None;
    for event in s.layout() {
        let block = match event {
            CfEvent::Block(block) => block,
            CfEvent::If(branch) => {
                changed |= opt_copy_prop::condition(s, branch);
                continue;
            }
            _ => continue,
        };
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            // What an operand has just become, a copy or a constant, shows at once: long chains need one walk.
            changed |= opt_copy_prop::instr(s, id);
            if let Some(new) = fold_instr(s, id).or_else(|| fold_load(s, id, &mut data)) {
                s.instrs[id] = new;
                changed = true;
            }
            // A rewritten instruction may match again: another rule, or a constant now.
            for _ in 0..8 {
                let before = s.blocks[block].instrs.len();
                if !once(s, set, &mut reads, &mut present, block, at, id) {
                    break;
                }
                at += s.blocks[block].instrs.len() - before;
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// Tries all rules at the instruction, which stands at `at` of `block`.
fn once(
    s: &mut Shader,
    set: &RuleSet,
    reads: &mut Reads,
    present: &mut Present,
    block: Id<Block>,
    at: usize,
    id: Id<Instr>,
) -> bool {
    let Instr::Alu(alu) = &s.instrs[id] else {
        return false;
    };
    if s.defs[alu.def].num_components != 1 {
        return false;
    }
    let Some(rules) = set.of(alu.op) else {
        return false;
    };
    let makers = Makers::of(s, alu);
    let mut from = 0;
    while let Instr::Alu(alu) = &s.instrs[id] {
        let found = rules.may_match(&makers, from).find_map(|(k, rule)| {
            if !present.has(&rule.find)
                || !makers.may_fit(s, alu, rule)
                || !holds_at(s, rule, alu)
                || keeps_subnormals(s, rule, alu)
            {
                return None;
            }
            let m = matches(s, rule, alu, reads)?;
            allowed(rule, &m).then_some((k, rule, m))
        });
        let Some((k, rule, m)) = found else {
            return false;
        };
        if apply(s, rule, &m, block, at, id) {
            present.add(&rule.put);
            if let Some(new) = fold_instr(s, id) {
                s.instrs[id] = new;
            }
            return true;
        }
        from = k + 1;
    }
    false
}

fn allowed(rule: &Compiled, m: &Match) -> bool {
    let lost = rule.rule.inexact;
    // What is flushed where nobody asks for it may stay.
    if m.exact && lost.0 & !Inexact::DENORM.0 != 0 {
        return false;
    }
    let special = Inexact::NAN.or(Inexact::INF).or(Inexact::SIGN);
    !(m.preserve && lost.0 & special.0 != 0)
}

/// The size at which a rule is meant: of the `Same` operands and result of its root.
pub(crate) fn root_bits(op: AluOp, def_bits: u8, src_bits: impl Fn(usize) -> u8) -> u8 {
    let info = op.info();
    if info.out.size == Size::Same {
        return def_bits;
    }
    for (k, src) in info.srcs.iter().enumerate() {
        if src.ty.size == Size::Same {
            return src_bits(k);
        }
    }
    def_bits
}

/// True if a rule would leave subnormals that the shader wants flushed.
fn keeps_subnormals(s: &Shader, rule: &Compiled, alu: &Alu) -> bool {
    rule.rule.inexact.0 & Inexact::DENORM.0 != 0
        && s.info.float_controls.flushes(s.defs[alu.def].bit_size)
}

fn holds_at(s: &Shader, rule: &Compiled, alu: &Alu) -> bool {
    let bits = root_bits(alu.op, s.defs[alu.def].bit_size, |k| {
        s.defs[alu.srcs[k].def].bit_size
    });
    rule.rule.bits.contains(&bits)
}

fn apply(
    s: &mut Shader,
    rule: &Compiled,
    m: &Match,
    block: Id<Block>,
    at: usize,
    id: Id<Instr>,
) -> bool {
    let Some(def) = s.instrs[id].def() else {
        return false;
    };
    let var = |n: usize| m.vars[n].map(|(d, _)| s.defs[d].bit_size);
    let Some(bits) = node_bits(&rule.put, s.defs[def].bit_size, var) else {
        return false;
    };
    let mut b = Builder::before(s, block, at);
    b.exact = m.exact;
    b.preserve_nan_inf_sz = m.preserve;
    let mut values: SmallVec<[AluSrc; 8]> = SmallVec::new();
    for (n, node) in rule.put.nodes.iter().enumerate() {
        let last = n == rule.put.root();
        let value = match node {
            Node::Var { number, .. } => match m.vars[*number] {
                Some((d, c)) => AluSrc::splat(d, c),
                None => return false,
            },
            // Only looked for.
            Node::Negative(_) => return false,
            Node::Int(_) | Node::Float(_) => {
                let v = constant_bits(node, bits[n]).unwrap_or(0);
                if last {
                    b.shader.instrs[id] = Instr::Const {
                        def,
                        values: SmallVec::from_iter([v]),
                    };
                    return true;
                }
                AluSrc::splat(b.constant(bits[n], &[v]), 0)
            }
            Node::Op { op, srcs, .. } => {
                let srcs: SmallVec<[AluSrc; 3]> = srcs.iter().map(|k| values[*k]).collect();
                if last {
                    b.shader.instrs[id] = Instr::Alu(Alu {
                        op: *op,
                        def,
                        srcs,
                        exact: m.exact,
                        preserve_nan_inf_sz: m.preserve,
                    });
                    return true;
                }
                let made = b.alu_with(*op, srcs, 1, bits[n]);
                // Constants meet at once, so that outer rules see their sum.
                let maker = b.shader.defs[made].instr;
                if let Some(new) = fold_instr(b.shader, maker) {
                    b.shader.instrs[maker] = new;
                }
                AluSrc::splat(made, 0)
            }
        };
        if last {
            b.shader.instrs[id] = Instr::Alu(Alu {
                op: AluOp::Mov,
                def,
                srcs: SmallVec::from_iter([value]),
                exact: false,
                preserve_nan_inf_sz: false,
            });
        }
        values.push(value);
    }
    true
}
