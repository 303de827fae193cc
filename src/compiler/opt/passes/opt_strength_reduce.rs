//! Replaces address arithmetic in loops by additions.
//!
//! In:  any shader.
//! Out: a value that is linear in an induction variable, as `base + i * stride` is, becomes an
//!      induction variable itself: it starts at its first value, and each iteration adds its
//!      stride. That happens where the addition replaces at least two instructions, or a
//!      multiplication, of every iteration. The old instructions lose their uses.
//!
//! An induction variable is a phi at the head of a loop to which each iteration adds a value from
//! outside of the loop. Linear are sums, differences, shifts by and products with values from
//! outside, all modulo 2^n. An extension to 64 bits is linear if the loop's condition shows that
//! the narrow variable does not wrap.
//!
//! Ref: Cooper, Simpson, Vick, "Operator Strength Reduction" (TOPLAS 2001).
//! Tests: tests/opt/opt_strength_reduce/.

use crate::analysis::pressure::{LoopPressure, MAX_LIVE, registers};
use crate::pass::Ctx;
use crate::rewrite::cf::lists_inside_out;
use entity::Id;
use nir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_strength_reduce(s: &mut Shader, _: &Ctx) -> bool {
    let lists = lists_inside_out(s);
    if !lists.iter().any(|l| matches!(l, ListRef::Loop(_))) {
        return false;
    }
    let cfg = Cfg::new(s);
    let mut changed = false;
    let mut analyses: Option<(Divergence, LoopPressure)> = None;
    let mut uses = Uses::new(s);
    let mut analysed = s.defs.len();
    for list in lists {
        for k in (1..s.list(list).len()).step_by(2) {
            let (CfNode::Loop(l), CfNode::Block(before)) = (s.list(list)[k], s.list(list)[k - 1])
            else {
                continue;
            };
            let Some(mut reducer) = Reducer::new(s, &cfg, l, before) else {
                continue;
            };
            // Inner loops that were changed have new values, whose uses are not known.
            if reducer.has_values_from(analysed) {
                (uses, analysed) = (Uses::new(s), s.defs.len());
            }
            for candidate in reducer.find_candidates(s, &cfg, &uses) {
                let (divergence, pressure) = analyses.get_or_insert_with(|| {
                    let divergence = Divergence::new(s);
                    let pressure = LoopPressure::new(s, &divergence);
                    (divergence, pressure)
                });
                let size = registers(s, divergence, candidate);
                if pressure.max_live(l) + size <= MAX_LIVE && reducer.reduce(s, candidate) {
                    pressure.add(l, size);
                    changed = true;
                }
            }
            reducer.finish(s, &uses);
        }
    }
    changed
}

/// An induction variable.
#[derive(Clone, Copy)]
struct Induction {
    phi: Id<Def>,
    /// Its value in the first iteration.
    first: Id<Def>,
    /// Its value in the next iteration: the sum of `phi` and `step`.
    next: Id<Def>,
    step: Id<Def>,
}

/// The state of the pass in one loop.
struct Reducer {
    before: Id<Block>,
    head: Id<Block>,
    tail: Id<Block>,
    inductions: Vec<Induction>,
    /// The blocks of the loop, in layout order.
    blocks: Vec<Id<Block>>,
    /// Values that are linear in an induction variable, those variables included.
    linear: FxHashSet<Id<Def>>,
    /// The others of them in layout order.
    order: Vec<Id<Def>>,
    /// The block of each instruction of the loop that defines a value.
    home: FxHashMap<Id<Def>, Id<Block>>,
    /// The loop's condition shows that these induction variables do not wrap when extended.
    no_wrap: Vec<NoWrap>,
    /// Values, and the induction variables that replace them.
    replacements: Vec<(Id<Def>, Id<Def>)>,
}

/// An induction variable that grows by 1 and is below a bound where control passes the loop's
/// condition into block `stay`, so that adding 1 does not wrap there.
struct NoWrap {
    phi: Id<Def>,
    signed: bool,
    stay: Id<Block>,
}

impl Reducer {
    /// Analyses a loop with one back edge. Returns `None` if it has others, or no induction
    /// variable.
    fn new(s: &Shader, cfg: &Cfg, l: Id<Loop>, before: Id<Block>) -> Option<Reducer> {
        let body = ListRef::Loop(l);
        let (head, tail) = (s.first_block(body)?, s.last_block(body)?);
        let preds = &cfg[head].preds;
        let simple = preds.len() == 2 && preds.contains(&before) && preds.contains(&tail);
        if !simple || head == tail || !cfg[before].reachable {
            return None;
        }
        let mut reducer = Reducer {
            before,
            head,
            tail,
            inductions: Vec::new(),
            blocks: Vec::new(),
            linear: FxHashSet::default(),
            order: Vec::new(),
            home: FxHashMap::default(),
            no_wrap: Vec::new(),
            replacements: Vec::new(),
        };
        for event in &s.layout_of(body) {
            if let CfEvent::Block(b) = event {
                reducer.blocks.push(*b);
                let defs = s.blocks[*b]
                    .instrs
                    .iter()
                    .filter_map(|id| s.instrs[*id].def());
                reducer.home.extend(defs.map(|def| (def, *b)));
            }
        }
        for &id in &s.blocks[head].instrs {
            let Instr::Phi(phi) = &s.instrs[id] else {
                break;
            };
            reducer.inductions.extend(reducer.induction(s, phi));
        }
        for i in &reducer.inductions {
            reducer.linear.insert(i.phi);
        }
        reducer.no_wrap = reducer.find_no_wrap(s, body);
        (!reducer.inductions.is_empty()).then_some(reducer)
    }

    fn is_outside(&self, d: Id<Def>) -> bool {
        !self.home.contains_key(&d)
    }

    /// Whether the loop defines a value that is newer than the first `count` ones.
    fn has_values_from(&self, count: usize) -> bool {
        self.home.keys().any(|d| d.index() >= count)
    }

    /// The phi as an induction variable.
    fn induction(&self, s: &Shader, phi: &Phi) -> Option<Induction> {
        let value_from = |b: Id<Block>| phi.srcs.iter().find(|x| x.0 == b).map(|x| x.1);
        let (first, next) = (value_from(self.before)?, value_from(self.tail)?);
        let sum = s.alu_of(next).filter(|a| a.op == AluOp::IAdd)?;
        let scalar = |d: Id<Def>| s.defs[d].num_components == 1;
        let step = match [0, 1].map(|k| sum.srcs[k].def == phi.def) {
            [true, false] => sum.srcs[1].def,
            [false, true] => sum.srcs[0].def,
            _ => return None,
        };
        let fits = scalar(phi.def) && scalar(step) && self.is_outside(step);
        fits.then_some(Induction {
            phi: phi.def,
            first,
            next,
            step,
        })
    }

    /// The induction variables that the condition at the top of the loop bounds.
    fn find_no_wrap(&self, s: &Shader, body: ListRef) -> Vec<NoWrap> {
        let Some(&CfNode::If(i)) = s.list(body).get(1) else {
            return Vec::new();
        };
        let ends = [ListRef::Then(i), ListRef::Else(i)].map(|list| s.last_block(list));
        let jumps = ends.map(|b| b.and_then(|b| s.jump_of(b)));
        let (Some(stay), Some(condition)) =
            (s.first_block(ListRef::Then(i)), s.alu_of(s.ifs[i].cond))
        else {
            return Vec::new();
        };
        let signed = match condition.op {
            AluOp::ILt => true,
            AluOp::ULt => false,
            _ => return Vec::new(),
        };
        if jumps[0].is_some() || jumps[1] != Some(Jump::Break) {
            return Vec::new();
        }
        let bounded = |i: &&Induction| {
            condition.srcs[0].def == i.phi && s.const_component(i.step, 0) == Some(1)
        };
        let bounded = self.inductions.iter().filter(bounded);
        let no_wrap = bounded.map(|i| NoWrap {
            phi: i.phi,
            signed,
            stay,
        });
        no_wrap.collect()
    }

    /// The values to replace, each before those that it is computed from.
    fn find_candidates(&mut self, s: &Shader, cfg: &Cfg, uses: &Uses) -> Vec<Id<Def>> {
        for k in 0..self.blocks.len() {
            let b = self.blocks[k];
            for def in s.blocks[b]
                .instrs
                .iter()
                .filter_map(|id| s.instrs[*id].def())
            {
                if self.is_linear(s, cfg, def, b) {
                    self.linear.insert(def);
                    self.order.push(def);
                }
            }
        }
        let next = |d: Id<Def>| self.inductions.iter().any(|i| i.next == d);
        let mut removed: FxHashSet<Id<Def>> = FxHashSet::default();
        let mut candidates = Vec::new();
        for &d in self.order.iter().rev() {
            let home = self.home.get(&d);
            let every_iteration = home.is_some_and(|b| cfg.dominates(*b, self.tail));
            if removed.contains(&d) || next(d) || !every_iteration {
                continue;
            }
            let used = |u: &Use| match u {
                Use::Instr(id, _) => s.instrs[*id].def().is_none_or(|d| !removed.contains(&d)),
                Use::If(_) => true,
            };
            if !uses.get(d).iter().any(used) {
                continue;
            }
            let chain = self.removed_with(s, uses, &removed, d, next);
            let multiplies = s.alu_of(d).is_some_and(|a| a.op == AluOp::IMul);
            if chain.len() >= 2 || multiplies {
                chain.into_iter().for_each(|d| {
                    removed.insert(d);
                });
                candidates.push(d);
            }
        }
        candidates
    }

    /// True if a value of the loop is linear in an induction variable. Its operands have been
    /// examined.
    fn is_linear(&self, s: &Shader, cfg: &Cfg, d: Id<Def>, b: Id<Block>) -> bool {
        let Some(a) = s.alu_of(d) else { return false };
        if s.defs[d].num_components != 1 {
            return false;
        }
        let linear = |k: usize| self.linear.contains(&a.srcs[k].def);
        let outside = |k: usize| self.is_outside(a.srcs[k].def);
        let known = |k: usize| linear(k) || outside(k);
        match a.op {
            AluOp::IAdd | AluOp::ISub => known(0) && known(1) && (linear(0) || linear(1)),
            AluOp::IMul => linear(0) && outside(1) || outside(0) && linear(1),
            AluOp::IShl => linear(0) && outside(1),
            AluOp::INeg => linear(0),
            AluOp::I2I | AluOp::U2U => {
                let extends = s.defs[d].bit_size > s.defs[a.srcs[0].def].bit_size;
                let bounded = |n: &NoWrap| {
                    let signed = a.op == AluOp::I2I;
                    n.phi == a.srcs[0].def && n.signed == signed && cfg.dominates(n.stay, b)
                };
                extends && self.no_wrap.iter().any(bounded)
            }
            _ => false,
        }
    }

    /// The linear values that only serve to compute `d`, and `d`.
    fn removed_with(
        &self,
        s: &Shader,
        uses: &Uses,
        removed: &FxHashSet<Id<Def>>,
        d: Id<Def>,
        next: impl Fn(Id<Def>) -> bool,
    ) -> Vec<Id<Def>> {
        let mut chain = vec![d];
        let mut k = 0;
        while let Some(&x) = chain.get(k) {
            k += 1;
            s.instr_of(x).for_each_src(|operand| {
                let is_phi = self.inductions.iter().any(|i| i.phi == operand);
                let skip = is_phi || next(operand) || !self.linear.contains(&operand);
                let only_here = |u: &Use| match u {
                    Use::Instr(id, _) => (s.instrs[*id].def())
                        .is_some_and(|d| chain.contains(&d) || removed.contains(&d)),
                    Use::If(_) => false,
                };
                if !skip && !chain.contains(&operand) && uses.get(operand).iter().all(only_here) {
                    chain.push(operand);
                }
            });
        }
        chain
    }

    /// Makes a linear value an induction variable. Returns false if that is not possible.
    fn reduce(&mut self, s: &mut Shader, d: Id<Def>) -> bool {
        let Some((first, stride)) = self.first_and_stride(s, d) else {
            return false;
        };
        let bits = s.defs[d].bit_size;
        let (phi_instr, phi) = s.add_instr(1, bits, |def| {
            Instr::Phi(Phi {
                def,
                srcs: SmallVec::new(),
            })
        });
        let srcs = SmallVec::from_iter([AluSrc::identity(phi), AluSrc::identity(stride)]);
        let (sum, next) = s.add_alu(AluOp::IAdd, srcs, 1, bits, false, false);
        if let Instr::Phi(p) = &mut s.instrs[phi_instr] {
            p.srcs = SmallVec::from_iter([(self.before, first), (self.tail, next)]);
        }
        s.blocks[self.head].instrs.insert(0, phi_instr);
        let jump = usize::from(s.jump_of(self.tail).is_some());
        let end = s.blocks[self.tail].instrs.len() - jump;
        s.blocks[self.tail].instrs.insert(end, sum);
        self.home.extend([(phi, self.head), (next, self.tail)]);
        self.replacements.push((d, phi));
        true
    }

    /// Replaces the known uses of the values.
    fn finish(self, s: &mut Shader, uses: &Uses) {
        for (old, new) in self.replacements {
            for user in uses.get(old) {
                match *user {
                    Use::Instr(id, _) => s.instrs[id].for_each_src_mut(|d| {
                        if *d == old {
                            *d = new;
                        }
                    }),
                    Use::If(i) if s.ifs[i].cond == old => s.ifs[i].cond = new,
                    Use::If(_) => {}
                }
            }
        }
    }

    /// The first value of `d` and what each iteration adds to it, computed in front of the loop.
    fn first_and_stride(&self, s: &mut Shader, d: Id<Def>) -> Option<(Id<Def>, Id<Def>)> {
        let mut needed: FxHashSet<Id<Def>> = FxHashSet::default();
        needed.insert(d);
        let mut chain: Vec<Id<Def>> = Vec::new();
        for &x in self.order.iter().rev() {
            if needed.contains(&x) {
                chain.push(x);
                s.instr_of(x).for_each_src(|operand| {
                    needed.insert(operand);
                });
            }
        }
        let mut known: FxHashMap<Id<Def>, (Id<Def>, Id<Def>)> = FxHashMap::default();
        for i in &self.inductions {
            known.insert(i.phi, (i.first, i.step));
        }
        for &x in chain.iter().rev() {
            let a = s.alu_of(x).cloned()?;
            let bits = s.defs[x].bit_size;
            let first = |x: &AluSrc| match known.get(&x.def) {
                Some(k) => AluSrc::identity(k.0),
                None => AluSrc::splat(x.def, x.swizzle[0]),
            };
            let firsts: SmallVec<[AluSrc; 3]> = a.srcs.iter().map(first).collect();
            let strides: SmallVec<[Option<Id<Def>>; 3]> = a
                .srcs
                .iter()
                .map(|x| known.get(&x.def).map(|k| k.1))
                .collect();
            let stride = self.combine_strides(s, &a, &strides, bits)?;
            let first = self.build(s, a.op, &firsts, bits);
            known.insert(x, (first, stride));
        }
        known.get(&d).copied()
    }

    /// The stride of a linear operation from those of its operands; `None` for operands from
    /// outside of the loop.
    fn combine_strides(
        &self,
        s: &mut Shader,
        a: &Alu,
        strides: &[Option<Id<Def>>],
        bits: u8,
    ) -> Option<Id<Def>> {
        let mut build = |op, srcs: &[AluSrc]| Some(self.build(s, op, srcs, bits));
        let outside = |k: usize| AluSrc::splat(a.srcs[k].def, a.srcs[k].swizzle[0]);
        let identity = AluSrc::identity;
        match (a.op, strides) {
            (AluOp::IAdd | AluOp::ISub, &[Some(x), Some(y)]) => {
                build(a.op, &[identity(x), identity(y)])
            }
            (AluOp::ISub, &[None, Some(y)]) => build(AluOp::INeg, &[identity(y)]),
            (AluOp::IAdd | AluOp::ISub, &[x, y]) => x.or(y),
            (AluOp::IMul | AluOp::IShl, &[Some(x), None]) => {
                build(a.op, &[identity(x), outside(1)])
            }
            (AluOp::IMul, &[None, Some(y)]) => build(AluOp::IMul, &[outside(0), identity(y)]),
            (AluOp::INeg, &[Some(x)]) => build(AluOp::INeg, &[identity(x)]),
            // The step of an extended variable is 1.
            (AluOp::I2I | AluOp::U2U, _) => Some(self.constant(s, 1, bits)),
            _ => None,
        }
    }

    fn constant(&self, s: &mut Shader, value: u64, bits: u8) -> Id<Def> {
        let (id, def) = s.add_instr(1, bits, |def| Instr::Const {
            def,
            values: SmallVec::from_elem(value, 1),
        });
        s.blocks[self.before].instrs.push(id);
        def
    }

    /// Computes a scalar in front of the loop, at once if its operands are constants. Sums with 0
    /// and products with 1 are an operand.
    fn build(&self, s: &mut Shader, op: AluOp, srcs: &[AluSrc], bits: u8) -> Id<Def> {
        let constants = srcs.iter().map(|x| s.const_component(x.def, x.swizzle[0]));
        let constants: SmallVec<[Option<u64>; 2]> = constants.collect();
        match (op, &constants[..]) {
            (AluOp::IAdd, &[Some(0), _]) | (AluOp::IMul, &[Some(1), _]) => {
                return self.scalar(s, srcs[1]);
            }
            (AluOp::IAdd | AluOp::ISub | AluOp::IShl, &[_, Some(0)])
            | (AluOp::IMul, &[_, Some(1)])
            | (AluOp::IShl, &[Some(0), _]) => return self.scalar(s, srcs[0]),
            (AluOp::IMul, &[Some(0), _] | &[_, Some(0)]) => return self.constant(s, 0, bits),
            _ => {}
        }
        let known: Option<SmallVec<[u64; 2]>> = constants.into_iter().collect();
        if let Some(values) = known {
            let parts: SmallVec<[&[u64]; 2]> = values.iter().map(std::slice::from_ref).collect();
            let sizes: SmallVec<[u8; 2]> = srcs.iter().map(|x| s.defs[x.def].bit_size).collect();
            let mut out: SmallVec<[u64; 4]> = SmallVec::from_elem(0, 1);
            if fold::fold(op, bits, &sizes, &parts, s.info.float_controls, &mut out) {
                return self.constant(s, out[0], bits);
            }
        }
        self.add_alu(s, op, srcs, bits)
    }

    /// The operand as a value of its own.
    fn scalar(&self, s: &mut Shader, src: AluSrc) -> Id<Def> {
        let def = s.defs[src.def];
        match def.num_components {
            1 => src.def,
            _ => self.add_alu(s, AluOp::Mov, &[src], def.bit_size),
        }
    }

    fn add_alu(&self, s: &mut Shader, op: AluOp, srcs: &[AluSrc], bits: u8) -> Id<Def> {
        let (id, def) = s.add_alu(op, SmallVec::from_slice(srcs), 1, bits, false, false);
        s.blocks[self.before].instrs.push(id);
        def
    }
}
