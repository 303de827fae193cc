//! Moves loop-invariant instructions in front of their loops.
//!
//! In:  any shader.
//! Out: an instruction of a loop whose operands are defined in front of the loop is in front of it
//!      too, if that removes an instruction from the loop, and the values live in the loop still
//!      fit in the registers; so is what needs neither, like a constant. Inner loops come first, so
//!      an instruction moves out of several.
//!
//! Effects decide what moves; only ALU operations also move out of an `if` of the loop:
//! - Loads, if nothing in the loop may write, synchronise or end invocations. One whose address
//!   might fault stays unless the loop always executes it.
//! - Derivatives and implicit-LOD samples, which are defined in uniform control flow only and may
//!   be executed earlier, if the loop ends no helper invocations.
//! - Operations that read lanes by index. The lanes active in front of the loop include those of
//!   every iteration.
//!
//! Operations that depend on the set of active invocations never move.
//!
//! Ref: Muchnick, "Advanced Compiler Design and Implementation", 13.2. Tests: tests/opt/opt_licm/.

use crate::analysis::pressure::{LoopPressure, MAX_LIVE, registers};
use crate::pass::Ctx;
use crate::rewrite::cf::lists_inside_out;
use entity::{Id, IdMap, IdSet};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_licm(s: &mut Shader, _: &Ctx) -> bool {
    let lists = lists_inside_out(s);
    if !lists.iter().any(|l| matches!(l, ListRef::Loop(_))) {
        return false;
    }
    let cfg = Cfg::new(s);
    let facts = Facts {
        divergence: Divergence::new(s),
        uses: Uses::new(s),
    };
    let mut pressure = LoopPressure::new(s, &facts.divergence);
    let mut home: IdMap<Def, Option<Id<Block>>> = IdMap::for_arena(&s.defs, None);
    for &b in &cfg.order {
        for &id in &s.blocks[b].instrs {
            if let Some(def) = s.instrs[id].def() {
                home[def] = Some(b);
            }
        }
    }
    let mut changed = false;
    for list in lists {
        for k in (1..s.list(list).len()).step_by(2) {
            if let CfNode::Loop(l) = s.list(list)[k]
                && let CfNode::Block(before) = s.list(list)[k - 1]
                && cfg[before].reachable
            {
                let region = LoopRegion::new(s, &cfg, l);
                let budget = MAX_LIVE.saturating_sub(pressure.max_live(l));
                let found = region.find_invariants(s, &facts, &home, budget);
                pressure.add(l, found.registers);
                changed |= !found.instrs.is_empty();
                region.move_to(s, &mut home, &found.instrs, before);
            }
        }
    }
    changed
}

/// Facts that motion does not change.
struct Facts {
    divergence: Divergence,
    uses: Uses,
}

/// The blocks of a loop, and what limits motion out of it.
struct LoopRegion {
    /// The blocks in layout order.
    blocks: Vec<LoopBlock>,
    inside: IdSet<Block>,
    /// Some instruction writes memory, synchronises, or ends invocations.
    writes: bool,
    /// Some instruction ends or demotes invocations.
    changes_mask: bool,
}

/// How often a block of a loop is executed.
struct LoopBlock {
    block: Id<Block>,
    /// It may be followed by another iteration.
    repeats: bool,
    /// Each complete iteration executes it.
    every_iteration: bool,
    /// The first iteration executes it, for all invocations that enter the loop.
    always: bool,
}

/// What moves out of a loop.
struct Invariants {
    /// The instructions, operands first.
    instrs: Vec<Id<Instr>>,
    /// The registers that their values need in the loop.
    registers: u32,
}

impl LoopRegion {
    fn new(s: &Shader, cfg: &Cfg, l: Id<Loop>) -> LoopRegion {
        let layout = s.layout_of(ListRef::Loop(l));
        let order = layout.iter().filter_map(|e| match e {
            CfEvent::Block(b) if cfg[*b].reachable => Some(*b),
            _ => None,
        });
        let order: Vec<Id<Block>> = order.collect();
        let mut inside: IdSet<Block> = IdSet::new();
        for &b in &order {
            inside.insert(b);
        }
        let head = s.first_block(ListRef::Loop(l));
        let latches: Vec<Id<Block>> = (order.iter().copied())
            .filter(|b| cfg[*b].succs.iter().any(|to| Some(*to) == head))
            .collect();
        let leaves = |b: Id<Block>| {
            let returns = s.jump_of(b) == Some(Jump::Return);
            returns || cfg[b].succs.iter().any(|to| !inside.contains(*to))
        };
        let exits: Vec<Id<Block>> = order.iter().copied().filter(|b| leaves(*b)).collect();
        let mut repeats: IdSet<Block> = IdSet::new();
        // Back edges of inner loops do not matter: their heads repeat if what follows them does.
        for &b in order.iter().rev() {
            if (cfg[b].succs.iter()).any(|to| Some(*to) == head || repeats.contains(*to)) {
                repeats.insert(b);
            }
        }
        let effects = |b: &Id<Block>| s.blocks[*b].instrs.iter().map(|i| &s.instrs[*i]);
        let instrs = || order.iter().flat_map(effects);
        let side_effects = Effects::WRITES.or(Effects::BARRIER);
        let jump = |i: &Instr| matches!(i, Instr::Jump(_));
        let writes = instrs().any(|i| !jump(i) && i.effects().any(side_effects));
        let changes_mask = instrs().any(|i| i.effects().any(Effects::CHANGES_MASK));
        let dominates_all =
            |b: Id<Block>, all: &[Id<Block>]| all.iter().all(|x| cfg.dominates(b, *x));
        let blocks = order.iter().map(|&block| LoopBlock {
            block,
            repeats: repeats.contains(block),
            every_iteration: dominates_all(block, &latches),
            always: dominates_all(block, &latches) && dominates_all(block, &exits),
        });
        LoopRegion {
            blocks: blocks.collect(),
            inside,
            writes,
            changes_mask,
        }
    }

    /// The instructions that are worth moving in front of the loop, whose values need at most
    /// `budget` registers more in it.
    fn find_invariants(
        &self,
        s: &Shader,
        facts: &Facts,
        home: &IdMap<Def, Option<Id<Block>>>,
        budget: u32,
    ) -> Invariants {
        let outside = |d: Id<Def>| home[d].is_some_and(|b| !self.inside.contains(b));
        let divergence = &facts.divergence;
        let mut rejected: IdSet<Def> = IdSet::new();
        loop {
            let invariant = self.collect_invariant(s, divergence, &rejected, outside);
            let remains = |u: &Use| match u {
                Use::Instr(id, _) => s.instrs[*id].def().is_none_or(|d| !invariant.contains(d)),
                // Conditions are flags, computed where they are used.
                Use::If(_) => true,
            };
            let used = |d: Id<Def>| facts.uses.get(d).iter().any(remains);
            let mut chosen: Vec<(u32, u32, Id<Def>)> = Vec::new();
            let mut stable = true;
            for d in self.invariant_defs(s, &invariant).filter(|d| used(*d)) {
                match motion_gain(s, d) {
                    Gain::Free => chosen.push((1, 0, d)),
                    Gain::None => stable &= !rejected.insert(d),
                    Gain::Cost(cost) => chosen.push((cost, registers(s, divergence, d), d)),
                }
            }
            // Without those that save least for their registers.
            chosen.sort_by_key(|&(cost, size, d)| (size.max(1) * 256 / cost.max(1), d));
            let mut total = 0;
            for &(_, size, d) in &chosen {
                if total + size <= budget {
                    total += size;
                } else {
                    rejected.insert(d);
                    stable = false;
                }
            }
            if stable {
                let roots = chosen.iter().map(|k| k.2);
                return Invariants {
                    instrs: self.with_operands(s, &invariant, roots),
                    registers: total,
                };
            }
        }
    }

    /// The values of the loop that could be computed in front of it.
    fn collect_invariant(
        &self,
        s: &Shader,
        divergence: &Divergence,
        rejected: &IdSet<Def>,
        outside: impl Fn(Id<Def>) -> bool,
    ) -> IdSet<Def> {
        let mut invariant: IdSet<Def> = IdSet::new();
        for block in &self.blocks {
            for &id in &s.blocks[block.block].instrs {
                let instr = &s.instrs[id];
                let Some(def) = instr.def().filter(|d| !rejected.contains(*d)) else {
                    continue;
                };
                let mut ready = true;
                instr.for_each_src(|d| ready &= outside(d) || invariant.contains(d));
                if ready && self.may_move(s, divergence, instr, block) {
                    invariant.insert(def);
                }
            }
        }
        invariant
    }

    /// True if an instruction of the block, whose operands are available in front of the loop, may
    /// be executed there instead.
    fn may_move(
        &self,
        s: &Shader,
        divergence: &Divergence,
        instr: &Instr,
        block: &LoopBlock,
    ) -> bool {
        let e = instr.effects();
        match instr {
            Instr::Const { .. } | Instr::Undef { .. } => return true,
            Instr::Alu(_) => return block.repeats,
            Instr::Phi(_) | Instr::Jump(_) | Instr::Deref(_) => return false,
            Instr::Intrinsic(_) | Instr::Tex(_) => {}
        }
        if !block.every_iteration || e.any(Effects::WRITES.or(Effects::BARRIER)) {
            return false;
        }
        // Those that depend on the set of active invocations are convergent; those that remain are
        // derivatives and reads of lanes by index.
        if e.any(Effects::CONVERGENT) || e.any(Effects::CROSS_THREAD) && self.changes_mask {
            return false;
        }
        if e.any(Effects::READS) && (self.writes || !reads_plainly(instr)) {
            return false;
        }
        // Operands that are uniform for the invocations of an iteration may not be uniform for all
        // that enter the loop.
        if !block.always && has_divergent_uniform_operand(s, divergence, instr) {
            return false;
        }
        block.always || !may_fault(s, instr)
    }

    fn invariant_defs<'a>(
        &'a self,
        s: &'a Shader,
        invariant: &'a IdSet<Def>,
    ) -> impl Iterator<Item = Id<Def>> + 'a {
        let instrs = self.blocks.iter().flat_map(|b| &s.blocks[b.block].instrs);
        let defs = instrs.filter_map(|i| s.instrs[*i].def());
        defs.filter(|d| invariant.contains(*d))
    }

    /// These values' instructions and those of their invariant operands, operands first.
    fn with_operands(
        &self,
        s: &Shader,
        invariant: &IdSet<Def>,
        roots: impl Iterator<Item = Id<Def>>,
    ) -> Vec<Id<Instr>> {
        let mut needed: IdSet<Def> = IdSet::new();
        for d in roots {
            needed.insert(d);
        }
        let mut out = Vec::new();
        for block in self.blocks.iter().rev() {
            for &id in s.blocks[block.block].instrs.iter().rev() {
                let Some(def) = s.instrs[id].def() else {
                    continue;
                };
                if needed.contains(def) {
                    out.push(id);
                    s.instrs[id].for_each_src(|d| {
                        if invariant.contains(d) {
                            needed.insert(d);
                        }
                    });
                }
            }
        }
        out.reverse();
        out
    }

    /// Moves instructions to the end of block `before`.
    fn move_to(
        &self,
        s: &mut Shader,
        home: &mut IdMap<Def, Option<Id<Block>>>,
        instrs: &[Id<Instr>],
        before: Id<Block>,
    ) {
        let mut moved: IdSet<Instr> = IdSet::new();
        for &id in instrs {
            moved.insert(id);
            if let Some(def) = s.instrs[id].def() {
                home[def] = Some(before);
            }
        }
        if moved.is_empty() {
            return;
        }
        for block in &self.blocks {
            s.blocks[block.block].instrs.retain(|i| !moved.contains(*i));
        }
        s.blocks[before].instrs.extend_from_slice(instrs);
    }
}

/// What moving an instruction out of a loop saves.
enum Gain {
    /// There is no instruction, and its value needs no register.
    Free,
    /// Nothing: the instruction is usually folded into its use (a condition, a source modifier), or
    /// only groups values.
    None,
    /// An instruction of about this cost.
    Cost(u32),
}

/// Cost of a message to a shared function, in ALU instructions.
const MESSAGE_COST: u32 = 16;

/// Operations with these effects are messages, or sequences of several instructions.
const MESSAGES: Effects = Effects::MESSAGE
    .or(Effects::READS)
    .or(Effects::CROSS_THREAD);

fn motion_gain(s: &Shader, d: Id<Def>) -> Gain {
    use AluOp::{FAbs, FNeg, IAbs, INeg, INot};
    match s.instr_of(d) {
        Instr::Const { .. } | Instr::Undef { .. } => Gain::Free,
        Instr::Alu(a) => {
            let folds = matches!(a.op, FAbs | FNeg | IAbs | INeg | INot);
            match a.op.info().cost {
                0 => Gain::None,
                _ if folds || s.defs[d].bit_size == 1 => Gain::None,
                cost => Gain::Cost(u32::from(cost)),
            }
        }
        Instr::Intrinsic(i) if !i.op.info().effects.any(MESSAGES) => {
            // Push constants, inputs and descriptors with constant indices are operands.
            match i.srcs.iter().all(|d| s.const_of(*d).is_some()) {
                true => Gain::Free,
                false => Gain::Cost(2),
            }
        }
        _ => Gain::Cost(MESSAGE_COST),
    }
}

/// True for loads of memory that only this loop's writes could change during the loop. Those of
/// coherent memory may wait for another invocation's store; those without qualifiers might.
fn reads_plainly(instr: &Instr) -> bool {
    match instr {
        Instr::Intrinsic(i) => {
            let access = Access::from_bits(i.index("access"));
            i.op.index_of("access").is_some() && !access.coherent && !access.volatile
        }
        _ => true,
    }
}

/// True if the instruction has an operand that must be uniform and is not known to be: a handle, or
/// an operand that its effects name.
fn has_divergent_uniform_operand(s: &Shader, divergence: &Divergence, instr: &Instr) -> bool {
    let divergent = |d: Id<Def>| divergence.is_divergent(d);
    match instr {
        Instr::Tex(t) => [TexSrc::TextureHandle, TexSrc::SamplerHandle]
            .iter()
            .any(|kind| t.src(*kind).is_some_and(divergent)),
        Instr::Intrinsic(i) if instr.effects().any(Effects::UNIFORM_OPERAND) => {
            i.srcs.iter().skip(i.srcs.len() - 1).any(|d| divergent(*d))
        }
        Instr::Intrinsic(i) => {
            // Accesses without a `base` take a handle first, or a 64-bit address.
            let accesses = Effects::READS.or(Effects::MESSAGE);
            let handle = instr.effects().any(accesses) && i.op.index_of("base").is_none();
            let first = i.srcs.first().filter(|d| s.defs[**d].bit_size == 32);
            handle && first.is_some_and(|d| divergent(*d))
        }
        _ => false,
    }
}

/// True if the access might fault where the loop would not have executed it: it takes an address.
/// Accesses to bound resources are checked against their sizes.
fn may_fault(s: &Shader, instr: &Instr) -> bool {
    let accesses = Effects::READS.or(Effects::MESSAGE);
    let mut address = false;
    instr.for_each_src(|d| address |= s.defs[d].bit_size == 64);
    address && instr.effects().any(accesses)
}
