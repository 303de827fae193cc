//! Hoists computations that both branches of an `if` have in common.
//!
//! In:  any shader.
//! Out: if the first instructions of both branches contain equal pure ones, a single one remains,
//!      before the `if`. That executes it for the same invocations. Constants are hoisted too, so
//!      that their uses can follow. Memory accesses and cross-lane operations are not hoisted.
//! Tests: tests/opt/opt_hoist/.

use crate::analysis::instr_equality::{equal_instrs, hash_instr};
use crate::pass::Ctx;
use crate::rewrite::cf::lists_inside_out;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum distance of an instruction from the start of its branch: hoisting extends live ranges.
const MAX_DISTANCE: usize = 24;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_hoist(s: &mut Shader, _: &Ctx) -> bool {
    if s.ifs.is_empty() {
        return false;
    }
    let cfg = Cfg::new(s);
    let mut hoister = Hoister {
        block_of: IdMap::for_arena(&s.defs, None),
        replacements: IdMap::for_arena(&s.defs, None),
        cfg: &cfg,
    };
    for &b in &cfg.order {
        for &id in &s.blocks[b].instrs {
            if let Some(def) = s.instrs[id].def() {
                hoister.block_of[def] = Some(b);
            }
        }
    }
    let mut changed = false;
    // Inner `if`s first: what is hoisted from one may be hoisted again.
    for list in lists_inside_out(s) {
        for at in (1..s.list(list).len()).step_by(2) {
            if let CfNode::If(i) = s.list(list)[at]
                && let CfNode::Block(before) = s.list(list)[at - 1]
            {
                changed |= hoister.hoist_common(s, before, i);
            }
        }
    }
    if changed {
        s.rewrite_uses(&mut hoister.replacements);
    }
    changed
}

/// Hoists computations out of branches.
struct Hoister<'a> {
    cfg: &'a Cfg,
    /// The block in which each value is defined.
    block_of: IdMap<Def, Option<Id<Block>>>,
    /// Maps removed values to their replacements.
    replacements: IdMap<Def, Option<Id<Def>>>,
}

impl Hoister<'_> {
    /// Moves computations common to both branches to the end of the block before. Returns true if
    /// there are any.
    fn hoist_common(&mut self, s: &mut Shader, before: Id<Block>, i: Id<If>) -> bool {
        let (Some(then), Some(other)) = (
            s.first_block(ListRef::Then(i)),
            s.first_block(ListRef::Else(i)),
        ) else {
            return false;
        };
        let mut made: FxHashMap<u64, SmallVec<[Id<Instr>; 1]>> = FxHashMap::default();
        for k in 0..s.blocks[then].instrs.len().min(MAX_DISTANCE) {
            let id = s.blocks[then].instrs[k];
            if is_hoistable(s, &s.instrs[id]) {
                self.resolve(s, id);
                let entry = made.entry(hash_instr(s, &s.instrs[id])).or_default();
                entry.push(id);
            }
        }
        if made.is_empty() {
            return false;
        }
        let (mut remaining, mut changed) = (0, false);
        let mut instrs = std::mem::take(&mut s.blocks[other].instrs);
        instrs.retain(|&id| {
            if remaining < MAX_DISTANCE && is_hoistable(s, &s.instrs[id]) {
                self.resolve(s, id);
                let same = made.get(&hash_instr(s, &s.instrs[id]));
                let same = same.and_then(|all| all.iter().find(|one| equal_instrs(s, **one, id)));
                if let Some(&one) = same.filter(|_| self.is_ready(s, before, id)) {
                    self.merge_before(s, one, id, before);
                    changed = true;
                    return false;
                }
            }
            remaining += 1;
            true
        });
        s.blocks[other].instrs = instrs;
        if changed {
            let mut instrs = std::mem::take(&mut s.blocks[then].instrs);
            let here = |d: Id<Def>| self.block_of[d].is_none_or(|at| at == then);
            instrs.retain(|id| s.instrs[*id].def().is_none_or(here));
            s.blocks[then].instrs = instrs;
        }
        changed
    }

    /// Moves `remaining` to the end of block `before`, where it replaces `removed` too. The caller
    /// removes it from its old block.
    fn merge_before(
        &mut self,
        s: &mut Shader,
        remaining: Id<Instr>,
        removed: Id<Instr>,
        before: Id<Block>,
    ) {
        let (Some(remaining_def), Some(removed_def)) =
            (s.instrs[remaining].def(), s.instrs[removed].def())
        else {
            return;
        };
        self.replacements[removed_def] = Some(remaining_def);
        if self.block_of[remaining_def] != Some(before) {
            s.blocks[before].instrs.push(remaining);
            self.block_of[remaining_def] = Some(before);
        }
        // The remaining instruction must satisfy the requirements of both.
        if let Instr::Alu(a) = &s.instrs[removed] {
            let (exact, preserve) = (a.exact, a.preserve_nan_inf_sz);
            if let Instr::Alu(remaining) = &mut s.instrs[remaining] {
                remaining.exact |= exact;
                remaining.preserve_nan_inf_sz |= preserve;
            }
        }
    }

    /// Replaces operands that have been removed.
    fn resolve(&self, s: &mut Shader, id: Id<Instr>) {
        s.instrs[id].for_each_src_mut(|d| {
            while let Some(other) = self.replacements[*d] {
                *d = other;
            }
        });
    }

    /// True if all operands of an instruction are available at the end of a block.
    fn is_ready(&self, s: &Shader, before: Id<Block>, id: Id<Instr>) -> bool {
        let mut ready = true;
        s.instrs[id].for_each_src(|d| {
            ready &= self.block_of[d].is_some_and(|b| self.cfg.dominates(b, before));
        });
        ready
    }
}

/// True for instructions that depend only on their operands, not on the execution mask, and become
/// instructions of their own. Those that are usually folded into their use (a condition, a source
/// modifier, the product of a multiply-add) cost nothing where they are.
fn is_hoistable(s: &Shader, i: &Instr) -> bool {
    use AluOp::{FAbs, FMul, FNeg, FSat, IAbs, INeg, INot};
    let folds = |op| matches!(op, FAbs | FMul | FNeg | FSat | IAbs | INeg | INot);
    match i {
        Instr::Alu(a) => s.defs[a.def].bit_size > 1 && !folds(a.op),
        Instr::Const { .. } => true,
        Instr::Intrinsic(x) => x.def.is_some() && i.effects() == Effects::PURE,
        _ => false,
    }
}
