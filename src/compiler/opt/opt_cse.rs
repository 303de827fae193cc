//! Computes equal things once.
//!
//! In:  any shader. Out: a pure instruction is not repeated where an equal one dominates it. Loads are merged
//! within a block while nothing can have been written between; operations of a subgroup as the effects table
//! allows: those that read the mask only from where the same invocations are active: in the same block, or in a dominating one with
//! nothing but uniform conditions between, and while no invocation is ended, demoted or jumps; those by index
//! also from a dominating block of the same loop, those defined only in uniform control from any dominating place. Tests: tests/opt/opt_cse/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Where an instruction may take the value of an equal one from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Nowhere.
    Never,
    /// Any dominating place.
    Dominator,
    /// The same block.
    Block,
    /// The same block, with no write between.
    Memory,
    /// A dominating place with the same invocations active.
    Mask,
    /// A dominating place in the same loop.
    Loop,
}

/// So many equal instructions are looked at.
const NEAR: usize = 64;

/// `e`: the instruction's effects.
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
                // Defined only if all the scope executes it: so it executed the dominating one too, with no fewer
                // helpers alive.
                Reach::Dominator
            } else if e.any(Effects::CROSS_THREAD) {
                Reach::Mask
            } else {
                Reach::Dominator
            }
        }
    }
}

/// Entry point.
pub fn opt_cse(s: &mut Shader, _: &Ctx) -> bool {
    let cfg = Cfg::new(s);
    let placed: usize = cfg.order.iter().map(|&b| s.blocks[b].instrs.len()).sum();
    // By the upper bits of hashes the one that was found last, each of which knows the one before.
    let bits = (2 * placed).max(2).ilog2();
    let mut last: Vec<u32> = vec![NONE; 1 << bits];
    let mut found: Vec<Found> = Vec::with_capacity(placed);
    let mut to: IdMap<Def, Option<Id<Def>>> = IdMap::for_arena(&s.defs, None);
    let mut changed = false;
    // Counts blocks and writes: loads of one epoch see the same memory.
    let mut epoch = 0u32;
    // Counts what ends or demotes invocations, and jumps.
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
            let hash = hash(s, instr);
            let entry = &mut last[(hash >> (u64::BITS - bits)) as usize];
            // What was made last first: what dominates is near. Where many are alike and none serves, the search must end.
            let mut next = *entry;
            let mut asked = 0;
            while let Some(f) = found.get(next as usize) {
                next = f.before;
                if f.hash != hash {
                    continue;
                }
                asked += 1;
                if asked > NEAR {
                    break;
                }
                let near = match reach {
                    Reach::Never => false,
                    Reach::Dominator => cfg.dominates(f.block, b),
                    Reach::Block => f.block == b,
                    Reach::Memory => f.block == b && f.epoch == epoch,
                    Reach::Mask => {
                        let same = f.block == b
                            || regions[f.block] == regions[b] && cfg.dominates(f.block, b);
                        same && f.mask == mask
                    }
                    Reach::Loop => {
                        cfg.dominates(f.block, b) && cfg[f.block].in_loop == cfg[b].in_loop
                    }
                };
                if near && equal(s, f.instr, id) {
                    let Some(old) = s.instrs[f.instr].def() else {
                        continue;
                    };
                    to[def] = Some(old);
                    // The one that stays must satisfy both.
                    if let Instr::Alu(a) = &s.instrs[id] {
                        let (exact, preserve) = (a.exact, a.preserve_nan_inf_sz);
                        if let Instr::Alu(kept) = &mut s.instrs[f.instr] {
                            kept.exact |= exact;
                            kept.preserve_nan_inf_sz |= preserve;
                        }
                    }
                    changed = true;
                    return false;
                }
            }
            let before = std::mem::replace(entry, found.len() as u32);
            found.push(Found {
                instr: id,
                block: b,
                epoch,
                mask,
                hash,
                before,
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

/// Numbers for blocks: those of one number are executed by the same invocations, unless some end or jump between. Where nothing asks,
/// each block has its own.
fn regions(s: &Shader) -> IdMap<Block, u32> {
    let mut out: IdMap<Block, u32> = IdMap::for_arena(&s.blocks, 0);
    let asks = |b: Id<Block>| {
        let instrs = s.blocks[b].instrs.iter().map(|&i| &s.instrs[i]);
        instrs
            .filter(|i| matches!(i, Instr::Intrinsic(_)) && reach(i, i.effects()) == Reach::Mask)
            .count()
    };
    let asking = || s.block_order().into_iter().map(asks).sum::<usize>();
    if s.ifs.is_empty() || asking() < 2 {
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
    // Of each open construct the region around it, and whether its sides are regions of their own.
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
                let apart = here.is_none_or(|b| divergence.used_outside(s, cond, b));
                open.push((region, apart));
                if apart {
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

struct Found {
    instr: Id<Instr>,
    block: Id<Block>,
    epoch: u32,
    mask: u32,
    hash: u64,
    /// The place of one whose hash begins with the same bits, found before it, or [`NONE`].
    before: u32,
}

/// No place in a list.
const NONE: u32 = u32::MAX;

pub(crate) fn hash(s: &Shader, i: &Instr) -> u64 {
    let mut h = FxHasher::default();
    std::mem::discriminant(i).hash(&mut h);
    if let Some(d) = i.def() {
        let d = s.defs[d];
        (d.num_components, d.bit_size).hash(&mut h);
    }
    match i {
        Instr::Alu(a) => {
            (a.op as u16).hash(&mut h);
            // Commuting operands hash alike in either order.
            let mut sum = 0usize;
            for (k, src) in a.srcs.iter().enumerate() {
                if k < 2 && a.op.info().props.has(Props::COMMUTES) {
                    sum = sum.wrapping_add(src.def.index() * 16 + usize::from(src.swizzle[0]));
                } else {
                    (src.def.index(), src.swizzle[0]).hash(&mut h);
                }
            }
            sum.hash(&mut h);
        }
        Instr::Const { values, .. } => values.hash(&mut h),
        Instr::Intrinsic(x) => {
            (x.op as u16).hash(&mut h);
            x.srcs.hash(&mut h);
            x.indices.hash(&mut h);
        }
        _ => i.for_each_src(|d| d.hash(&mut h)),
    }
    h.finish()
}

pub(crate) fn equal(s: &Shader, a: Id<Instr>, b: Id<Instr>) -> bool {
    let (x, y) = (&s.instrs[a], &s.instrs[b]);
    let shape = |i: &Instr| {
        i.def()
            .map(|d| (s.defs[d].num_components, s.defs[d].bit_size))
    };
    if shape(x) != shape(y) {
        return false;
    }
    match (x, y) {
        (Instr::Alu(p), Instr::Alu(q)) => p.op == q.op && equal_srcs(s, p, q),
        (Instr::Const { values: p, .. }, Instr::Const { values: q, .. }) => p == q,
        (Instr::Undef { .. }, Instr::Undef { .. }) => true,
        (Instr::Deref(p), Instr::Deref(q)) => {
            p.kind == q.kind && p.mode == q.mode && p.ty == q.ty && p.access == q.access
        }
        (Instr::Intrinsic(p), Instr::Intrinsic(q)) => {
            p.op == q.op && p.srcs == q.srcs && p.indices == q.indices
        }
        (Instr::Phi(p), Instr::Phi(q)) => p.srcs == q.srcs,
        (Instr::Tex(p), Instr::Tex(q)) => {
            let mut p = p.clone();
            p.def = q.def;
            p == *q
        }
        _ => false,
    }
}

fn equal_srcs(s: &Shader, p: &Alu, q: &Alu) -> bool {
    let n = s.defs[p.def].num_components;
    let same = |i: usize, j: usize| {
        let used = usize::from(p.src_components(i, n));
        let (x, y) = (&p.srcs[i], &q.srcs[j]);
        x.def == y.def && x.swizzle[..used] == y.swizzle[..used]
    };
    let rest = (2..p.srcs.len()).all(|i| same(i, i));
    let plain = (0..p.srcs.len().min(2)).all(|i| same(i, i));
    rest && (plain || (p.op.info().props.has(Props::COMMUTES) && same(0, 1) && same(1, 0)))
}
