//! Factors out the reciprocal length by which a vector is normalised.
//!
//! In:  scalar operations; multiply-adds are fused (`opt_ffma`).
//! Out: if the components of a vector are all multiplied by one `frsq`, and the products are used
//!      in sums of products (dot products, reflections, changes of basis), the sums use the
//!      original vector, and their results are multiplied instead: `dot(n s, l)` becomes `s dot(n,
//!      l)`, and `(n s) k + c` with three components becomes `n (s k) + c`.
//!
//! This is done within a block, if it saves multiplications and no operation is exact. A sum of
//! vectors of similar lengths does not overflow if their squares do not, and those are computed for
//! the length anyway. The operand of `frsq` is not checked, so other factors of that form are taken
//! out too. Other factors are not: they may be there to prevent the sum from overflowing.
//! Tests: tests/opt/opt_factor/.

use crate::analysis::fast_math::fast_math_alu;
use crate::analysis::use_counts::use_counts;
use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_factor(s: &mut Shader, _: &Ctx) -> bool {
    let mut changed = false;
    let mut uses = None;
    for block in s.block_order() {
        for factor in factors(s, block) {
            let uses = uses.get_or_insert_with(|| use_counts(s));
            let factoring = Factoring::new(s, block, factor, uses);
            if let Some(plan) = factoring.and_then(Factoring::plan) {
                plan.apply(s);
                *uses = use_counts(s);
                changed = true;
            }
        }
    }
    changed
}

/// One component of a def.
type Operand = (Id<Def>, u8);

fn operand(src: &AluSrc) -> Operand {
    (src.def, src.swizzle[0])
}

/// The other operand of a multiplication by the factor.
fn multiplied(s: &Shader, id: Id<Instr>, factor: Operand) -> Option<&AluSrc> {
    let alu = fast_math_alu(s, id).filter(|alu| alu.op == AluOp::FMul)?;
    match [0, 1].map(|k| operand(&alu.srcs[k]) == factor) {
        [true, false] => Some(&alu.srcs[1]),
        [false, true] => Some(&alu.srcs[0]),
        _ => None,
    }
}

/// The factors of a block that multiply more than one value.
fn factors(s: &Shader, block: Id<Block>) -> SmallVec<[Operand; 4]> {
    let mut found: SmallVec<[(Operand, u32); 4]> = SmallVec::new();
    for &id in &s.blocks[block].instrs {
        let Some(alu) = fast_math_alu(s, id).filter(|alu| alu.op == AluOp::FMul) else {
            continue;
        };
        for src in &alu.srcs {
            let made_by = s.alu_of(src.def);
            if made_by.is_none_or(|by| by.op != AluOp::FRsq || by.preserve_nan_inf_sz) {
                continue;
            }
            match found.iter_mut().find(|(of, _)| *of == operand(src)) {
                Some((_, count)) => *count += 1,
                None => found.push((operand(src), 1)),
            }
        }
    }
    let repeated = found.into_iter().filter(|(_, count)| *count > 1);
    repeated.map(|(of, _)| of).collect()
}

/// How an instruction uses products by the factor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A product by the factor.
    Product,
    /// Linear in factorable values: computed without the factor.
    Linear,
    /// A product or multiply-add of a factorable value (operand `k`): the other factor is
    /// multiplied by the common factor instead.
    Scaled(usize),
    /// A sum with a factorable value (operand `k`): becomes a multiply-add of the value without the
    /// factor, and the factor.
    Added(usize),
}

/// The instructions of a block from which a factor can be taken out.
struct Factoring<'s> {
    s: &'s Shader,
    block: Id<Block>,
    factor: Operand,
    uses: &'s IdMap<Def, u32>,
    /// In program order.
    found: Vec<FactoredInstr>,
    /// The index in `found` of each value that is computed without the factor: products, and values
    /// linear in them.
    lifted: FxHashMap<Id<Def>, usize>,
}

/// An instruction that uses the factor.
struct FactoredInstr {
    id: Id<Instr>,
    role: Role,
    /// Its original value, with the factor, is still used.
    original_used: bool,
    /// The number of uses by instructions in `found`.
    factored_uses: u32,
}

impl<'s> Factoring<'s> {
    /// Finds all instructions that use the factor. `None` if it has fewer than two products.
    fn new(
        s: &'s Shader,
        block: Id<Block>,
        factor: Operand,
        uses: &'s IdMap<Def, u32>,
    ) -> Option<Factoring<'s>> {
        let mut factoring = Factoring {
            s,
            block,
            factor,
            uses,
            found: Vec::new(),
            lifted: FxHashMap::default(),
        };
        for &id in &s.blocks[block].instrs {
            let Some(role) = factoring.role(id) else {
                continue;
            };
            if let (Role::Product | Role::Linear, Some(def)) = (role, s.instrs[id].def()) {
                factoring.lifted.insert(def, factoring.found.len());
            }
            factoring.found.push(FactoredInstr {
                id,
                role,
                original_used: false,
                factored_uses: 0,
            });
        }
        let products = factoring.found.iter().filter(|f| f.role == Role::Product);
        (products.count() > 1).then_some(factoring)
    }

    fn is_lifted(&self, src: &AluSrc) -> bool {
        self.lifted.contains_key(&src.def)
    }

    fn role(&self, id: Id<Instr>) -> Option<Role> {
        if multiplied(self.s, id, self.factor).is_some() {
            return Some(Role::Product);
        }
        let alu = fast_math_alu(self.s, id)?;
        let of: SmallVec<[bool; 3]> = alu.srcs.iter().map(|src| self.is_lifted(src)).collect();
        match (alu.op, &of[..]) {
            (AluOp::FNeg, [true])
            | (AluOp::FMul, [true, false] | [false, true])
            | (AluOp::FAdd, [true, true])
            | (AluOp::FFma, [true, false, true] | [false, true, true]) => Some(Role::Linear),
            (AluOp::FFma, [true, false, false]) => Some(Role::Scaled(0)),
            (AluOp::FFma, [false, true, false]) => Some(Role::Scaled(1)),
            // The one that has fewer other uses is taken to be multiplied by the factor.
            (AluOp::FFma, [true, true, false]) => {
                let use_count = [0, 1].map(|k| self.uses[alu.srcs[k].def]);
                Some(Role::Scaled(usize::from(use_count[0] > use_count[1])))
            }
            (AluOp::FAdd, [true, false]) => Some(Role::Added(0)),
            (AluOp::FAdd, [false, true]) => Some(Role::Added(1)),
            _ => None,
        }
    }

    fn alu(&self, k: usize) -> Option<&'s Alu> {
        match &self.s.instrs[self.found[k].id] {
            Instr::Alu(alu) => Some(alu),
            _ => None,
        }
    }

    /// The operand by which a scaled instruction is multiplied, and with it the factor.
    fn scale(&self, k: usize) -> Option<Operand> {
        match self.found[k].role {
            Role::Scaled(of) => Some(operand(&self.alu(k)?.srcs[1 - of])),
            _ => None,
        }
    }

    /// Updates `original_used` and the use counts. A negation whose original value is used is
    /// dropped: nothing would be saved.
    fn update_uses(&mut self) {
        for f in &mut self.found {
            (f.original_used, f.factored_uses) = (false, 0);
        }
        for k in (0..self.found.len()).rev() {
            let Some(alu) = self.alu(k) else { continue };
            let own = self.lifted.get(&alu.def) == Some(&k);
            if own {
                let f = &mut self.found[k];
                f.original_used |= f.factored_uses < self.uses[alu.def];
            }
            let linear = self.found[k].role == Role::Linear;
            // Negations are free as source modifiers.
            if linear && alu.op == AluOp::FNeg && self.found[k].original_used {
                self.lifted.remove(&alu.def);
            }
            let counted = match self.found[k].role {
                Role::Product => continue,
                Role::Linear if !self.lifted.contains_key(&alu.def) => continue,
                Role::Linear => None,
                Role::Scaled(of) | Role::Added(of) => Some(of),
            };
            for (i, src) in alu.srcs.iter().enumerate() {
                let selected = counted.is_none_or(|of| of == i);
                if let Some(&of) = self.lifted.get(&src.def).filter(|_| selected) {
                    self.found[of].factored_uses += 1;
                }
            }
        }
    }

    /// Decides how products of factorable values that are still used with the factor are computed:
    /// not at all by this pass, if their operand is kept anyway, or with the factor multiplied into
    /// their other operand, if several share it. Returns true if anything was changed.
    fn resolve_unfactored_products(&mut self) -> bool {
        let mut uses: FxHashMap<Operand, u32> = FxHashMap::default();
        let mut open: SmallVec<[(usize, usize, Operand); 8]> = SmallVec::new();
        for k in 0..self.found.len() {
            if let Some(scale) = self.scale(k) {
                *uses.entry(scale).or_default() += 1;
            }
            let Some(alu) = self.alu(k) else { continue };
            let f = &self.found[k];
            let original_used =
                f.role == Role::Linear && f.original_used && self.lifted.contains_key(&alu.def);
            if original_used && alu.op == AluOp::FMul {
                let of = usize::from(!self.is_lifted(&alu.srcs[0]));
                let by = operand(&alu.srcs[1 - of]);
                *uses.entry(by).or_default() += 1;
                open.push((k, of, by));
            }
        }
        let mut changed = false;
        for (k, of, by) in open {
            let Some(alu) = self.alu(k) else { continue };
            let source = self.lifted.get(&alu.srcs[of].def);
            if source.is_some_and(|&of| self.found[of].original_used) {
                self.lifted.remove(&alu.def);
                changed = true;
            } else if uses[&by] > 1 {
                self.lifted.remove(&alu.def);
                self.found[k].role = Role::Scaled(of);
                changed = true;
            }
        }
        changed
    }

    /// Determines the rewrites that save instructions.
    fn plan(mut self) -> Option<Plan> {
        loop {
            self.update_uses();
            if !self.update_roles() && !self.resolve_unfactored_products() {
                break;
            }
        }
        // Rewriting uses of a value that is kept anyway saves nothing.
        let useful = |k: usize| match self.found[k].role {
            Role::Product => true,
            Role::Linear => self
                .alu(k)
                .is_some_and(|alu| self.lifted.contains_key(&alu.def)),
            Role::Scaled(of) | Role::Added(of) => {
                let source = self
                    .alu(k)
                    .and_then(|alu| self.lifted.get(&alu.srcs[of].def));
                source.is_some_and(|&of| !self.found[of].original_used)
            }
        };
        // Groups of instructions that depend on each other: found ones first, then scales.
        let mut scales: FxHashMap<Operand, usize> = FxHashMap::default();
        let mut groups = DisjointSets::new(self.found.len());
        for k in (0..self.found.len()).filter(|&k| useful(k)) {
            let Some(alu) = self.alu(k) else { continue };
            if self.found[k].role != Role::Product {
                for src in &alu.srcs {
                    if let Some(&of) = self.lifted.get(&src.def) {
                        groups.union(k, of);
                    }
                }
            }
            if let Some(scale) = self.scale(k) {
                let at = *scales.entry(scale).or_insert_with(|| groups.add());
                groups.union(k, at);
            }
        }
        let mut saved: FxHashMap<usize, i32> = FxHashMap::default();
        for k in (0..self.found.len()).filter(|&k| useful(k)) {
            let f = &self.found[k];
            let made = match f.role {
                Role::Product => i32::from(f.original_used) - 1,
                Role::Linear => i32::from(f.original_used),
                Role::Scaled(_) | Role::Added(_) => 0,
            };
            *saved.entry(groups.find(k)).or_default() -= made;
        }
        for &at in scales.values() {
            *saved.entry(groups.find(at)).or_default() -= 1;
        }
        let selected: Vec<bool> = (0..self.found.len())
            .map(|k| useful(k) && saved[&groups.find(k)] > 0)
            .collect();
        if !selected.contains(&true) {
            return None;
        }
        let steps = self
            .found
            .iter()
            .zip(&selected)
            .filter(|(_, selected)| **selected);
        Some(Plan {
            block: self.block,
            factor: self.factor,
            steps: steps
                .map(|(f, _)| (f.id, (f.role, f.original_used)))
                .collect(),
        })
    }

    /// Updates the roles of instructions whose operands are no longer factorable. Returns true if
    /// anything was changed.
    fn update_roles(&mut self) -> bool {
        let mut changed = false;
        for k in 0..self.found.len() {
            let Some(alu) = self.alu(k) else { continue };
            let old = self.found[k].role;
            let own = self.lifted.contains_key(&alu.def);
            let (role, stays) = match self.role(self.found[k].id) {
                // As decided by `resolve_unfactored_products`.
                Some(Role::Linear) if old != Role::Linear => (old, false),
                Some(role) => (role, own && matches!(role, Role::Product | Role::Linear)),
                None => (Role::Linear, false),
            };
            changed |= role != old || own != stays;
            self.found[k].role = role;
            if !stays {
                self.lifted.remove(&alu.def);
            }
        }
        changed
    }
}

/// Disjoint sets (union-find).
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> DisjointSets {
        DisjointSets {
            parent: (0..count).collect(),
        }
    }

    fn add(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    fn find(&self, mut k: usize) -> usize {
        while self.parent[k] != k {
            k = self.parent[k];
        }
        k
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

/// The rewrites for one factor.
struct Plan {
    block: Id<Block>,
    factor: Operand,
    /// The role of each instruction to rewrite, and whether its original value is still used.
    steps: FxHashMap<Id<Instr>, (Role, bool)>,
}

impl Plan {
    fn apply(&self, s: &mut Shader) {
        let factor = AluSrc::splat(self.factor.0, self.factor.1);
        let old = std::mem::take(&mut s.blocks[self.block].instrs);
        let mut instrs = Vec::with_capacity(old.len() + self.steps.len());
        // Values without the factor, and products of the factor and other values.
        let mut unfactored: FxHashMap<Id<Def>, AluSrc> = FxHashMap::default();
        let mut scales: FxHashMap<Operand, AluSrc> = FxHashMap::default();
        for id in old {
            let (step, alu) = match (self.steps.get(&id), &s.instrs[id]) {
                (Some(step), Instr::Alu(alu)) => (*step, alu.clone()),
                _ => {
                    instrs.push(id);
                    continue;
                }
            };
            let mut make = |s: &mut Shader, op: AluOp, srcs: SmallVec<[AluSrc; 3]>| {
                let (instr, def) = s.add_alu(op, srcs, 1, 32, false, false);
                instrs.push(instr);
                AluSrc::splat(def, 0)
            };
            let mut new = alu.clone();
            match step {
                (Role::Product, _) => {
                    if let Some(of) = multiplied(s, id, self.factor) {
                        unfactored.insert(alu.def, *of);
                    }
                }
                (Role::Linear, original_used) => {
                    let srcs = alu.srcs.iter();
                    let srcs = srcs
                        .map(|src| *unfactored.get(&src.def).unwrap_or(src))
                        .collect();
                    let without = make(s, alu.op, srcs);
                    unfactored.insert(alu.def, without);
                    if original_used {
                        new.op = AluOp::FMul;
                        new.srcs = SmallVec::from_iter([without, factor]);
                    }
                }
                (Role::Scaled(of), _) => {
                    let by = alu.srcs[1 - of];
                    let scale = match scales.get(&operand(&by)) {
                        Some(scale) => *scale,
                        None => make(s, AluOp::FMul, SmallVec::from_iter([factor, by])),
                    };
                    scales.insert(operand(&by), scale);
                    if let Some(without) = unfactored.get(&alu.srcs[of].def) {
                        (new.srcs[of], new.srcs[1 - of]) = (*without, scale);
                    }
                }
                (Role::Added(of), _) => {
                    if let Some(without) = unfactored.get(&alu.srcs[of].def) {
                        new.op = AluOp::FFma;
                        new.srcs = SmallVec::from_iter([*without, factor, alu.srcs[1 - of]]);
                    }
                }
            }
            s.instrs[id] = Instr::Alu(new);
            instrs.push(id);
        }
        s.blocks[self.block].instrs = instrs;
    }
}
