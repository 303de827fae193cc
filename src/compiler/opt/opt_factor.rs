//! Multiplies once by what makes a vector's length one, not each component.
//!
//! In:  scalar operations, products and sums made one (`opt_ffma`). Out: where the components of a vector are multiplied by one
//! `frsq` and go into sums of products (scalar products, reflections, changes of basis), the sums are of the vector as it was, and what
//! comes of them is multiplied: `dot(n s, l)` is `s dot(n, l)`, `(n s) k + c` of three components is `n (s k) + c`. It is done where
//! products are saved, in one block, and nothing exact takes part. A sum of vectors of like lengths stays within the range of their
//! squares, which whoever asks for the length computes anyway. What the root is of is not looked at, so another one is taken out, too;
//! factors that are no such roots, which may be there to keep a sum within its range, stay.
//! Tests: tests/opt/opt_factor/.

use crate::floats::free;
use crate::pass::Ctx;
use crate::rewrite;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Entry point.
pub fn opt_factor(s: &mut Shader, _: &Ctx) -> bool {
    let mut changed = false;
    let mut reads = None;
    for block in s.block_order() {
        for factor in factors(s, block) {
            let reads = reads.get_or_insert_with(|| rewrite::reads(s));
            let taken = Taken::new(s, block, factor, reads);
            if let Some(plan) = taken.and_then(Taken::plan) {
                plan.apply(s);
                *reads = rewrite::reads(s);
                changed = true;
            }
        }
    }
    changed
}

/// One component of a value.
type Operand = (Id<Def>, u8);

fn operand(src: &AluSrc) -> Operand {
    (src.def, src.swizzle[0])
}

/// What a product by a factor is of.
fn multiplied(s: &Shader, id: Id<Instr>, factor: Operand) -> Option<&AluSrc> {
    let alu = free(s, id).filter(|alu| alu.op == AluOp::FMul)?;
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
        let Some(alu) = free(s, id).filter(|alu| alu.op == AluOp::FMul) else {
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
    let several = found.into_iter().filter(|(_, count)| *count > 1);
    several.map(|(of, _)| of).collect()
}

/// What an instruction is made of the factor's products.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A product by the factor.
    Product,
    /// Linear in others: made without the factor.
    Linear,
    /// A product or a multiply-add of another (operand `k`): by the factor times its other operand.
    Scaled(usize),
    /// A sum with another (operand `k`): a multiply-add of that without the factor, and the factor.
    Added(usize),
}

/// Instructions of a block that a factor can be taken out of.
struct Taken<'s> {
    s: &'s Shader,
    block: Id<Block>,
    factor: Operand,
    reads: &'s IdMap<Def, u32>,
    /// In order.
    found: Vec<Found>,
    /// Where a value stands among these: products, and what is linear in them.
    lifted: FxHashMap<Id<Def>, usize>,
}

struct Found {
    id: Id<Instr>,
    role: Role,
    /// Somebody reads it as it was.
    kept: bool,
    /// Reads of it by those that are found.
    seen: u32,
}

impl<'s> Taken<'s> {
    /// Everything that may be found, or none.
    fn new(
        s: &'s Shader,
        block: Id<Block>,
        factor: Operand,
        reads: &'s IdMap<Def, u32>,
    ) -> Option<Taken<'s>> {
        let mut taken = Taken {
            s,
            block,
            factor,
            reads,
            found: Vec::new(),
            lifted: FxHashMap::default(),
        };
        for &id in &s.blocks[block].instrs {
            let Some(role) = taken.role(id) else { continue };
            if let (Role::Product | Role::Linear, Some(def)) = (role, s.instrs[id].def()) {
                taken.lifted.insert(def, taken.found.len());
            }
            taken.found.push(Found {
                id,
                role,
                kept: false,
                seen: 0,
            });
        }
        let products = taken.found.iter().filter(|f| f.role == Role::Product);
        (products.count() > 1).then_some(taken)
    }

    fn is_lifted(&self, src: &AluSrc) -> bool {
        self.lifted.contains_key(&src.def)
    }

    fn role(&self, id: Id<Instr>) -> Option<Role> {
        if multiplied(self.s, id, self.factor).is_some() {
            return Some(Role::Product);
        }
        let alu = free(self.s, id)?;
        let of: SmallVec<[bool; 3]> = alu.srcs.iter().map(|src| self.is_lifted(src)).collect();
        match (alu.op, &of[..]) {
            (AluOp::FNeg, [true])
            | (AluOp::FMul, [true, false] | [false, true])
            | (AluOp::FAdd, [true, true])
            | (AluOp::FFma, [true, false, true] | [false, true, true]) => Some(Role::Linear),
            (AluOp::FFma, [true, false, false]) => Some(Role::Scaled(0)),
            (AluOp::FFma, [false, true, false]) => Some(Role::Scaled(1)),
            // Of the two the one that others are not multiplied by.
            (AluOp::FFma, [true, true, false]) => {
                let often = [0, 1].map(|k| self.reads[alu.srcs[k].def]);
                Some(Role::Scaled(usize::from(often[0] > often[1])))
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

    /// What the factor is multiplied by for what is scaled.
    fn scale(&self, k: usize) -> Option<Operand> {
        match self.found[k].role {
            Role::Scaled(of) => Some(operand(&self.alu(k)?.srcs[1 - of])),
            _ => None,
        }
    }

    /// Finds who is read as it was. What is linear and is read so where that saves nothing is nothing of ours.
    fn find_kept(&mut self) {
        for f in &mut self.found {
            (f.kept, f.seen) = (false, 0);
        }
        for k in (0..self.found.len()).rev() {
            let Some(alu) = self.alu(k) else { continue };
            let own = self.lifted.get(&alu.def) == Some(&k);
            if own {
                let f = &mut self.found[k];
                f.kept |= f.seen < self.reads[alu.def];
            }
            let linear = self.found[k].role == Role::Linear;
            // A sign is free wherever it stands.
            if linear && alu.op == AluOp::FNeg && self.found[k].kept {
                self.lifted.remove(&alu.def);
            }
            let counted = match self.found[k].role {
                Role::Product => continue,
                Role::Linear if !self.lifted.contains_key(&alu.def) => continue,
                Role::Linear => None,
                Role::Scaled(of) | Role::Added(of) => Some(of),
            };
            for (i, src) in alu.srcs.iter().enumerate() {
                let wanted = counted.is_none_or(|of| of == i);
                if let Some(&of) = self.lifted.get(&src.def).filter(|_| wanted) {
                    self.found[of].seen += 1;
                }
            }
        }
    }

    /// Products that somebody reads as they are, of which the factor need not be taken out: what is kept anyway is multiplied, or the
    /// factor is multiplied by what several of them have in common. True: there were some.
    fn settle(&mut self) -> bool {
        let mut uses: FxHashMap<Operand, u32> = FxHashMap::default();
        let mut open: SmallVec<[(usize, usize, Operand); 8]> = SmallVec::new();
        for k in 0..self.found.len() {
            if let Some(scale) = self.scale(k) {
                *uses.entry(scale).or_default() += 1;
            }
            let Some(alu) = self.alu(k) else { continue };
            let f = &self.found[k];
            let kept = f.role == Role::Linear && f.kept && self.lifted.contains_key(&alu.def);
            if kept && alu.op == AluOp::FMul {
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
            if source.is_some_and(|&of| self.found[of].kept) {
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

    /// What is worth doing.
    fn plan(mut self) -> Option<Plan> {
        loop {
            self.find_kept();
            if !self.follow() && !self.settle() {
                break;
            }
        }
        // Scaling what is kept, or adding it, saves nothing.
        let useful = |k: usize| match self.found[k].role {
            Role::Product => true,
            Role::Linear => self
                .alu(k)
                .is_some_and(|alu| self.lifted.contains_key(&alu.def)),
            Role::Scaled(of) | Role::Added(of) => {
                let source = self
                    .alu(k)
                    .and_then(|alu| self.lifted.get(&alu.srcs[of].def));
                source.is_some_and(|&of| !self.found[of].kept)
            }
        };
        // Groups of what depends on each other: found ones, then scales.
        let mut scales: FxHashMap<Operand, usize> = FxHashMap::default();
        let mut groups = Groups::new(self.found.len());
        for k in (0..self.found.len()).filter(|&k| useful(k)) {
            let Some(alu) = self.alu(k) else { continue };
            if self.found[k].role != Role::Product {
                for src in &alu.srcs {
                    if let Some(&of) = self.lifted.get(&src.def) {
                        groups.join(k, of);
                    }
                }
            }
            if let Some(scale) = self.scale(k) {
                let at = *scales.entry(scale).or_insert_with(|| groups.add());
                groups.join(k, at);
            }
        }
        let mut saved: FxHashMap<usize, i32> = FxHashMap::default();
        for k in (0..self.found.len()).filter(|&k| useful(k)) {
            let f = &self.found[k];
            let made = match f.role {
                Role::Product => i32::from(f.kept) - 1,
                Role::Linear => i32::from(f.kept),
                Role::Scaled(_) | Role::Added(_) => 0,
            };
            *saved.entry(groups.of(k)).or_default() -= made;
        }
        for &at in scales.values() {
            *saved.entry(groups.of(at)).or_default() -= 1;
        }
        let wanted: Vec<bool> = (0..self.found.len())
            .map(|k| useful(k) && saved[&groups.of(k)] > 0)
            .collect();
        if !wanted.contains(&true) {
            return None;
        }
        let steps = self
            .found
            .iter()
            .zip(&wanted)
            .filter(|(_, wanted)| **wanted);
        Some(Plan {
            block: self.block,
            factor: self.factor,
            steps: steps.map(|(f, _)| (f.id, (f.role, f.kept))).collect(),
        })
    }

    /// What has lost an operand is something else now, or nothing. True: there was something.
    fn follow(&mut self) -> bool {
        let mut changed = false;
        for k in 0..self.found.len() {
            let Some(alu) = self.alu(k) else { continue };
            let old = self.found[k].role;
            let own = self.lifted.contains_key(&alu.def);
            let (role, stays) = match self.role(self.found[k].id) {
                // As `settle` has decided.
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

/// Sets that are joined.
struct Groups {
    parent: Vec<usize>,
}

impl Groups {
    fn new(count: usize) -> Groups {
        Groups {
            parent: (0..count).collect(),
        }
    }

    fn add(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    fn of(&self, mut k: usize) -> usize {
        while self.parent[k] != k {
            k = self.parent[k];
        }
        k
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

/// What is done about one factor.
struct Plan {
    block: Id<Block>,
    factor: Operand,
    /// What becomes of instructions, and whether they are read as they were.
    steps: FxHashMap<Id<Instr>, (Role, bool)>,
}

impl Plan {
    fn apply(&self, s: &mut Shader) {
        let factor = AluSrc::splat(self.factor.0, self.factor.1);
        let old = std::mem::take(&mut s.blocks[self.block].instrs);
        let mut instrs = Vec::with_capacity(old.len() + self.steps.len());
        // Values without the factor, and the factor times others.
        let mut bare: FxHashMap<Id<Def>, AluSrc> = FxHashMap::default();
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
                        bare.insert(alu.def, *of);
                    }
                }
                (Role::Linear, kept) => {
                    let srcs = alu.srcs.iter();
                    let srcs = srcs.map(|src| *bare.get(&src.def).unwrap_or(src)).collect();
                    let without = make(s, alu.op, srcs);
                    bare.insert(alu.def, without);
                    if kept {
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
                    if let Some(without) = bare.get(&alu.srcs[of].def) {
                        (new.srcs[of], new.srcs[1 - of]) = (*without, scale);
                    }
                }
                (Role::Added(of), _) => {
                    if let Some(without) = bare.get(&alu.srcs[of].def) {
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
