//! Eliminates common subexpressions.
//!
//! In:  any shader.
//! Out: a pure instruction is not repeated where an equal one dominates it. Loads are merged within
//!      a block if nothing in between may write. Subgroup operations are merged as the effects
//!      table allows:
//! - Those that depend on the execution mask, if the same invocations are active: in the same
//!   block, or with a dominating one that only uniform conditions separate from it, and without
//!   `terminate`, `demote` or jumps in between.
//! - Those that read lanes by index, also with a dominating block in the same loop.
//! - Those that are only defined in uniform control flow, with any dominating one.
//!
//! Tests: tests/opt/opt_cse/.

use crate::analysis::instr_equality::{equal_instrs, hash_instr};
use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;

/// How far away an equal instruction may be for its value to be reused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The instruction is never merged.
    Never,
    /// Anywhere that dominates.
    Dominator,
    /// In the same block.
    Block,
    /// In the same block, without a write in between.
    Memory,
    /// Anywhere that dominates, with the same invocations active.
    Mask,
    /// Anywhere that dominates in the same loop.
    Loop,
}

/// Maximum number of instructions with the same hash that are compared.
const MAX_COMPARED: usize = 64;

/// The reach of an instruction with effects `e`.
fn reach(i: &Instr, e: Effects) -> Reach {
    match i {
        Instr::Phi(_) => Reach::Block,
        Instr::Jump(_) => Reach::Never,
        _ => {
            let ordered = e.any(Effects::WRITES) || e.any(Effects::BARRIER);
            if i.def().is_none() || ordered {
                Reach::Never
            } else if e.any(Effects::READS) {
                Reach::Memory
            } else if e.any(Effects::BY_INDEX) {
                Reach::Loop
            } else if e.any(Effects::UNIFORM_CONTROL) {
                // Only defined if the whole scope executes it. Then it also executed the dominating
                // one, with at least as many helper invocations.
                Reach::Dominator
            } else if e.any(Effects::CROSS_THREAD) {
                Reach::Mask
            } else {
                Reach::Dominator
            }
        }
    }
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_cse(s: &mut Shader, _: &Ctx) -> bool {
    let cfg = Cfg::new(s);
    let placed: usize = cfg.order.iter().map(|&b| s.blocks[b].instrs.len()).sum();
    // A hash table, indexed by the upper bits of hashes. It holds the last instruction found; each
    // links to the one before.
    let bits = (2 * placed).max(2).ilog2();
    let mut last: Vec<u32> = vec![NONE; 1 << bits];
    let mut candidates: Vec<Candidate> = Vec::with_capacity(placed);
    let mut to: IdMap<Def, Option<Id<Def>>> = IdMap::for_arena(&s.defs, None);
    let mut changed = false;
    // Counts blocks and writes: loads with the same epoch read the same memory.
    let mut epoch = 0u32;
    // Counts demotes, terminates and jumps.
    let mut mask = 0u32;
    let regions = regions(s);
    for &b in &cfg.order {
        let mut instrs = std::mem::take(&mut s.blocks[b].instrs);
        instrs.retain(|&id| {
            if changed {
                s.instrs[id].for_each_src_mut(|d| {
                    if let Some(new) = to[*d] {
                        *d = new;
                    }
                });
            }
            let instr = &s.instrs[id];
            let effects = instr.effects();
            if effects.any(Effects::WRITES) || effects.any(Effects::BARRIER) {
                epoch += 1;
            }
            if effects.any(Effects::CHANGES_MASK) || matches!(instr, Instr::Jump(_)) {
                mask += 1;
            }
            let reach = reach(instr, effects);
            let Some(def) = instr.def().filter(|_| reach != Reach::Never) else {
                return true;
            };
            let hash = hash_instr(s, instr);
            let entry = &mut last[(hash >> (u64::BITS - bits)) as usize];
            // The last one first: dominating instructions are usually near. The number is limited
            // in case many are equal but none dominates.
            let mut next = *entry;
            let mut compared = 0;
            while let Some(f) = candidates.get(next as usize) {
                next = f.previous;
                if f.hash != hash {
                    continue;
                }
                compared += 1;
                if compared > MAX_COMPARED {
                    break;
                }
                let in_reach = match reach {
                    Reach::Never => false,
                    Reach::Dominator => cfg.dominates(f.block, b),
                    Reach::Block => f.block == b,
                    Reach::Memory => f.block == b && f.epoch == epoch,
                    Reach::Mask => f.mask == mask && f.is_in_region(b, &regions, &cfg),
                    Reach::Loop => {
                        cfg.dominates(f.block, b) && cfg[f.block].in_loop == cfg[b].in_loop
                    }
                };
                if in_reach && equal_instrs(s, f.instr, id) {
                    let Some(old) = s.instrs[f.instr].def() else {
                        continue;
                    };
                    to[def] = Some(old);
                    combine_requirements(s, f.instr, id);
                    changed = true;
                    return false;
                }
            }
            let previous = std::mem::replace(entry, candidates.len() as u32);
            candidates.push(Candidate {
                instr: id,
                block: b,
                epoch,
                mask,
                hash,
                previous,
            });
            true
        });
        s.blocks[b].instrs = instrs;
        epoch = epoch.wrapping_add(1);
    }
    if changed {
        s.rewrite_uses(&mut to);
    }
    changed
}

/// Makes instruction `remaining` satisfy the requirements of `removed` too.
fn combine_requirements(s: &mut Shader, remaining: Id<Instr>, removed: Id<Instr>) {
    if let Instr::Alu(a) = &s.instrs[removed] {
        let (exact, preserve) = (a.exact, a.preserve_nan_inf_sz);
        if let Instr::Alu(remaining) = &mut s.instrs[remaining] {
            remaining.exact |= exact;
            remaining.preserve_nan_inf_sz |= preserve;
        }
    }
}

/// Numbers blocks such that those with the same number are executed by the same invocations, unless
/// some terminate, demote or jump in between. If no instruction depends on the execution mask, each
/// block gets its own number.
fn regions(s: &Shader) -> IdMap<Block, u32> {
    let mut out: IdMap<Block, u32> = IdMap::for_arena(&s.blocks, 0);
    let mask_dependent = |b: Id<Block>| {
        let instrs = s.blocks[b].instrs.iter().map(|&i| &s.instrs[i]);
        instrs
            .filter(|i| matches!(i, Instr::Intrinsic(_)) && reach(i, i.effects()) == Reach::Mask)
            .count()
    };
    let count_mask_dependent = || {
        s.block_order()
            .into_iter()
            .map(mask_dependent)
            .sum::<usize>()
    };
    if s.ifs.is_empty() || count_mask_dependent() < 2 {
        for (number, (b, _)) in s.blocks.iter().enumerate() {
            out[b] = number as u32;
        }
        return out;
    }
    let divergence = Divergence::new(s);
    let layout = s.layout();
    let (mut region, mut next) = (0u32, 0u32);
    let mut fresh = || {
        next += 1;
        next
    };
    // For each open construct, the region around it, and whether its branches are regions of their
    // own.
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut here = None;
    for event in &layout {
        match *event {
            CfEvent::Block(b) => {
                out[b] = region;
                here = Some(b);
            }
            CfEvent::If(i) => {
                let cond = s.ifs[i].cond;
                let divergent = here.is_none_or(|b| divergence.is_divergent_at(s, cond, b));
                open.push((region, divergent));
                if divergent {
                    region = fresh();
                }
            }
            CfEvent::Else(_) => {
                if let Some(&(_, true)) = open.last() {
                    region = fresh();
                }
            }
            CfEvent::Loop(_) => {
                open.push((region, true));
                region = fresh();
            }
            CfEvent::EndIf(_) | CfEvent::EndLoop(_) => {
                region = open.pop().map_or(region, |o| o.0);
            }
        }
    }
    out
}

/// An instruction whose value may be reused.
struct Candidate {
    instr: Id<Instr>,
    block: Id<Block>,
    epoch: u32,
    mask: u32,
    hash: u64,
    /// The index of the previous entry whose hash begins with the same bits, or [`NONE`].
    previous: u32,
}

impl Candidate {
    /// True if the candidate dominates block `b`, and the same invocations execute both.
    fn is_in_region(&self, b: Id<Block>, regions: &IdMap<Block, u32>, cfg: &Cfg) -> bool {
        self.block == b || regions[self.block] == regions[b] && cfg.dominates(self.block, b)
    }
}

/// No index.
const NONE: u32 = u32::MAX;
