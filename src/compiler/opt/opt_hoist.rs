//! What both sides of an `if` compute is computed before it.
//!
//! In:  any shader. Out: of equal pure instructions, one at the beginning of each side of an `if`, one is left, before the `if`: the
//! invocations that execute it are the same, whichever way they go. Constants come along, so that what needs them can.
//! Nothing that reads memory or other lanes moves. Tests: tests/opt/opt_hoist/.

use crate::cf::lists_inside_out;
use crate::opt_cse::{equal, hash};
use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How far from the beginning of its side an instruction may stand: what is made earlier lives longer.
const NEAR: usize = 24;

/// Entry point.
pub fn opt_hoist(s: &mut Shader, _: &Ctx) -> bool {
    if s.ifs.is_empty() {
        return false;
    }
    let cfg = Cfg::new(s);
    let mut hoister = Hoister {
        block_of: IdMap::for_arena(&s.defs, None),
        to: IdMap::for_arena(&s.defs, None),
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
    // What leaves an inner `if` may leave the one around it, too.
    for list in lists_inside_out(s) {
        for at in (1..s.list(list).len()).step_by(2) {
            if let CfNode::If(i) = s.list(list)[at]
                && let CfNode::Block(before) = s.list(list)[at - 1]
            {
                changed |= hoister.both_sides(s, before, i);
            }
        }
    }
    if changed {
        s.rewrite_uses(&mut hoister.to);
    }
    changed
}

struct Hoister<'a> {
    cfg: &'a Cfg,
    /// Where each value is made.
    block_of: IdMap<Def, Option<Id<Block>>>,
    /// What takes a value's place.
    to: IdMap<Def, Option<Id<Def>>>,
}

impl Hoister<'_> {
    /// Moves what both sides compute to the end of the block before.
    fn both_sides(&mut self, s: &mut Shader, before: Id<Block>, i: Id<If>) -> bool {
        let (Some(then), Some(other)) = (
            s.first_block(ListRef::Then(i)),
            s.first_block(ListRef::Else(i)),
        ) else {
            return false;
        };
        let mut made: FxHashMap<u64, SmallVec<[Id<Instr>; 1]>> = FxHashMap::default();
        for k in 0..s.blocks[then].instrs.len().min(NEAR) {
            let id = s.blocks[then].instrs[k];
            if is_worth_it(s, &s.instrs[id]) {
                self.resolve(s, id);
                let entry = made.entry(hash(s, &s.instrs[id])).or_default();
                entry.push(id);
            }
        }
        if made.is_empty() {
            return false;
        }
        let (mut kept, mut changed) = (0, false);
        let mut instrs = std::mem::take(&mut s.blocks[other].instrs);
        instrs.retain(|&id| {
            if kept < NEAR && is_worth_it(s, &s.instrs[id]) {
                self.resolve(s, id);
                let same = made.get(&hash(s, &s.instrs[id]));
                let same = same.and_then(|all| all.iter().find(|one| equal(s, **one, id)));
                if let Some(&one) = same.filter(|_| self.is_ready(s, before, id)) {
                    self.join(s, one, id, before);
                    changed = true;
                    return false;
                }
            }
            kept += 1;
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

    /// Puts `one` at the end of a block, where it stands for `gone`, too; it is still to be taken out of its own.
    fn join(&mut self, s: &mut Shader, one: Id<Instr>, gone: Id<Instr>, before: Id<Block>) {
        let (Some(kept), Some(lost)) = (s.instrs[one].def(), s.instrs[gone].def()) else {
            return;
        };
        self.to[lost] = Some(kept);
        if self.block_of[kept] != Some(before) {
            s.blocks[before].instrs.push(one);
            self.block_of[kept] = Some(before);
        }
        // The one that stays must satisfy both.
        if let Instr::Alu(a) = &s.instrs[gone] {
            let (exact, preserve) = (a.exact, a.preserve_nan_inf_sz);
            if let Instr::Alu(kept) = &mut s.instrs[one] {
                kept.exact |= exact;
                kept.preserve_nan_inf_sz |= preserve;
            }
        }
    }

    /// Replaces sources that others stand for.
    fn resolve(&self, s: &mut Shader, id: Id<Instr>) {
        s.instrs[id].for_each_src_mut(|d| {
            while let Some(other) = self.to[*d] {
                *d = other;
            }
        });
    }

    /// True if all that an instruction reads is there at the end of a block.
    fn is_ready(&self, s: &Shader, before: Id<Block>, id: Id<Instr>) -> bool {
        let mut ready = true;
        s.instrs[id].for_each_src(|d| {
            ready &= self.block_of[d].is_some_and(|b| self.cfg.dominates(b, before));
        });
        ready
    }
}

/// True for what depends on its operands alone, whichever invocations are active, and is an instruction of its own: what becomes a part
/// of its reader (a condition, a modifier, the product of a sum) costs nothing where that is.
fn is_worth_it(s: &Shader, i: &Instr) -> bool {
    use AluOp::{FAbs, FMul, FNeg, FSat, IAbs, INeg, INot};
    let folds = |op| matches!(op, FAbs | FMul | FNeg | FSat | IAbs | INeg | INot);
    match i {
        Instr::Alu(a) => s.defs[a.def].bit_size > 1 && !folds(a.op),
        Instr::Const { .. } => true,
        Instr::Intrinsic(x) => x.def.is_some() && i.effects() == Effects::PURE,
        _ => false,
    }
}
