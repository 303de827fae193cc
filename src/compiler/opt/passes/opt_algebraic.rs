//! Simplifies arithmetic with rewrite rules.
//!
//! In:  scalar ALU operations; vectors are left unchanged.
//! Out: no rule matches any more. Copies are propagated and constants folded on the way, so
//!      `opt_copy_prop` and `opt_constant_folding` need not run too.
//!
//! A rule that does not preserve something is only applied if none of the operations that it
//! matches requires that.
//! Tests: `opt_algebraic/tests.rs`, tests/opt/opt_algebraic/.

use crate::algebra::matching::{Match, UseCounts, match_rule};
use crate::algebra::pattern::{Inexact, Node, constant_bits, infer_bits};
use crate::algebra::rule_set::{CompiledRule, OperandKinds, PresentOps, RuleSet};
use crate::algebra::rules::RULES;
use crate::pass::Ctx;
use crate::passes::opt_constant_folding::{fold_instr, fold_load};
use crate::passes::opt_copy_prop;
use entity::Id;
use nir::*;
use smallvec::SmallVec;
use std::sync::LazyLock;

static SET: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(RULES));

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_algebraic(s: &mut Shader, _: &Ctx) -> bool {
    run(s, &SET)
}

pub(crate) fn run(s: &mut Shader, set: &RuleSet) -> bool {
    let mut changed = false;
    let mut uses = UseCounts::default();
    let mut present_ops = PresentOps::new(s);
    let mut data = None;
    for event in s.layout() {
        let block = match event {
            CfEvent::Block(block) => block,
            CfEvent::If(branch) => {
                changed |= opt_copy_prop::propagate_to_condition(s, branch);
                continue;
            }
            _ => continue,
        };
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            // Operands that have just become copies or constants are seen at once, so that long
            // chains need only one walk.
            changed |= opt_copy_prop::propagate_to_instr(s, id);
            if let Some(new) = fold_instr(s, id).or_else(|| fold_load(s, id, &mut data)) {
                s.instrs[id] = new;
                changed = true;
            }
            // A rewritten instruction may match another rule, or be constant now.
            for _ in 0..8 {
                let before = s.blocks[block].instrs.len();
                if !rewrite_once(s, set, &mut uses, &mut present_ops, block, at, id) {
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

/// Tries all rules at the instruction, which is at index `at` of `block`. Returns true if one was
/// applied.
fn rewrite_once(
    s: &mut Shader,
    set: &RuleSet,
    uses: &mut UseCounts,
    present_ops: &mut PresentOps,
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
    let Some(rules) = set.rules_for(alu.op) else {
        return false;
    };
    let kinds = OperandKinds::new(s, alu);
    let mut from = 0;
    while let Instr::Alu(alu) = &s.instrs[id] {
        let found = rules.may_match(&kinds, from).find_map(|(k, rule)| {
            if !present_ops.has(&rule.search)
                || !kinds.may_match_operands(s, alu, rule)
                || !applies_at_bit_size(s, rule, alu)
                || would_unflush(s, rule, alu)
            {
                return None;
            }
            let m = match_rule(s, rule, alu, uses)?;
            is_allowed(rule, &m).then_some((k, rule, m))
        });
        let Some((k, rule, m)) = found else {
            return false;
        };
        if apply(s, rule, &m, block, at, id) {
            present_ops.add(&rule.replace);
            if let Some(new) = fold_instr(s, id) {
                s.instrs[id] = new;
            }
            return true;
        }
        from = k + 1;
    }
    false
}

fn is_allowed(rule: &CompiledRule, m: &Match) -> bool {
    let lost = rule.rule.inexact;
    // If no flushing is asked for, subnormals are preserved with and without the operation.
    if m.exact && lost.0 & !Inexact::DENORM.0 != 0 {
        return false;
    }
    let special = Inexact::NAN.or(Inexact::INF).or(Inexact::SIGN);
    !(m.preserve && lost.0 & special.0 != 0)
}

/// The bit size that a rule's `bits` refer to: that of the root's `Same` operands and result.
pub(crate) fn root_bits(op: AluOp, def_bits: u8, src_bits: impl Fn(usize) -> u8) -> u8 {
    let info = op.info();
    if info.out.size == SizeRule::Same {
        return def_bits;
    }
    for (k, src) in info.srcs.iter().enumerate() {
        if src.ty.size == SizeRule::Same {
            return src_bits(k);
        }
    }
    def_bits
}

/// True if a rule would remove an operation that flushes subnormals, and the shader requires
/// flushing.
fn would_unflush(s: &Shader, rule: &CompiledRule, alu: &Alu) -> bool {
    rule.rule.inexact.0 & Inexact::DENORM.0 != 0
        && s.info.float_controls.flushes(s.defs[alu.def].bit_size)
}

fn applies_at_bit_size(s: &Shader, rule: &CompiledRule, alu: &Alu) -> bool {
    let bits = root_bits(alu.op, s.defs[alu.def].bit_size, |k| {
        s.defs[alu.srcs[k].def].bit_size
    });
    rule.rule.bits.contains(&bits)
}

fn apply(
    s: &mut Shader,
    rule: &CompiledRule,
    m: &Match,
    block: Id<Block>,
    at: usize,
    id: Id<Instr>,
) -> bool {
    let Some(def) = s.instrs[id].def() else {
        return false;
    };
    let var = |n: usize| m.vars[n].map(|(d, _)| s.defs[d].bit_size);
    let Some(bits) = infer_bits(&rule.replace, s.defs[def].bit_size, var) else {
        return false;
    };
    let mut b = Builder::before(s, block, at);
    b.exact = m.exact;
    b.preserve_nan_inf_sz = m.preserve;
    let mut values: SmallVec<[AluSrc; 8]> = SmallVec::new();
    for (n, node) in rule.replace.nodes.iter().enumerate() {
        let last = n == rule.replace.root();
        let value = match node {
            Node::Var { number, .. } => match m.vars[*number] {
                Some((d, c)) => AluSrc::splat(d, c),
                None => return false,
            },
            // Only allowed in patterns.
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
                // Constants are folded at once, so that outer rules see the result.
                let instr = b.shader.defs[made].instr;
                if let Some(new) = fold_instr(b.shader, instr) {
                    b.shader.instrs[instr] = new;
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

#[cfg(test)]
mod tests;
