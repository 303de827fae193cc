//! Promotes local variables to SSA values.
//!
//! In:  `load_deref` and `store_deref` of function and shader temporaries; copies are already
//!      split.
//! Out: every scalar or vector in such a variable that is only accessed with constant indices is a
//!      value. Variables with dynamic array indices, or whose pointers escape, remain for
//!      `lower_explicit_io`, which puts them into scratch.
//!
//! Phis are placed on the iterated dominance frontiers of the stores.
//! Tests: tests/opt/lower_vars_to_ssa/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Variables with more leaves than this stay in memory.
const MAX_LEAVES: u32 = 1024;

/// The number of leaves (scalars and vectors) in each type.
pub(crate) fn leaf_counts(types: &Types) -> IdMap<Type, u32> {
    let mut out: IdMap<Type, u32> = IdMap::with_default(0);
    for (id, ty) in types.iter() {
        out[id] = match ty {
            Type::Bool | Type::Int(_) | Type::Float(_) | Type::Vector { .. } => 1,
            Type::Pointer { .. } => 1,
            Type::Image { .. } | Type::Sampler | Type::SampledImage(_) => 1,
            Type::Matrix { columns, .. } => u32::from(*columns),
            Type::Array { elem, len, .. } => out[*elem].saturating_mul(len.unwrap_or(0)),
            Type::Struct { members, .. } => members
                .iter()
                .fold(0u32, |n, m| n.saturating_add(out[m.ty])),
        };
    }
    out
}

/// What a deref of a temporary points to.
#[derive(Clone, Copy, Debug)]
struct LeafRange {
    /// The first leaf that it may point to.
    start: u32,
    /// The number of leaves that it may point to.
    len: u32,
    /// It points to exactly these leaves, not to some of them.
    direct: bool,
    /// It points to one component of the leaf.
    component: Option<Id<Def>>,
}

/// A scalar or vector in a variable.
struct Leaf {
    components: u8,
    bits: u8,
    /// It cannot be promoted.
    blocked: bool,
    init: Option<SmallVec<[u64; 4]>>,
    /// Dense number among the promoted leaves.
    number: u32,
}

/// The leaves of all temporaries, and the derefs of them.
struct Promoter {
    leaves: Vec<Leaf>,
    ranges: IdMap<Def, Option<LeafRange>>,
}

fn is_temp(mode: VariableMode) -> bool {
    matches!(mode, VariableMode::FunctionTemp | VariableMode::ShaderTemp)
}

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_vars_to_ssa(s: &mut Shader, _: &Ctx) -> bool {
    if !s.vars.iter().any(|(_, v)| is_temp(v.mode)) {
        return false;
    }
    let Some((p, promoted)) = Promoter::find(s) else {
        return false;
    };
    Renamer::run(s, &p, &promoted)
}

impl Promoter {
    /// Numbers the leaves, resolves derefs, and determines which leaves can be promoted.
    fn find(s: &Shader) -> Option<(Promoter, Vec<u32>)> {
        let counts = leaf_counts(&s.types);
        let mut p = Promoter {
            leaves: Vec::new(),
            ranges: IdMap::for_arena(&s.defs, None),
        };
        let mut first_leaf: IdMap<Variable, Option<u32>> = IdMap::with_default(None);
        for (id, v) in s.vars.iter() {
            let n = counts[v.ty];
            if is_temp(v.mode) && n > 0 && n <= MAX_LEAVES {
                first_leaf[id] = Some(p.leaves.len() as u32);
                p.push_leaves(s, v);
            }
        }
        let order = s.block_order();
        for &b in &order {
            for &id in &s.blocks[b].instrs {
                let instr = &s.instrs[id];
                match instr {
                    Instr::Deref(d) if is_temp(d.mode) => {
                        let range = p.resolve_deref(s, d, &counts, &first_leaf);
                        p.ranges[d.def] = range;
                        if let DerefKind::Cast { parent, .. }
                        | DerefKind::PtrAsArray { parent, .. } = d.kind
                        {
                            p.block_promotion(parent);
                        }
                    }
                    Instr::Intrinsic(i)
                        if matches!(i.op, IntrinsicOp::LoadDeref | IntrinsicOp::StoreDeref) =>
                    {
                        if p.ranges[i.srcs[0]].is_some_and(|x| !x.direct || x.len != 1) {
                            p.block_promotion(i.srcs[0]);
                        }
                        if let Some(&value) = i.srcs.get(1) {
                            p.block_promotion(value);
                        }
                    }
                    Instr::Deref(_) => {}
                    _ => instr.for_each_src(|d| p.block_promotion(d)),
                }
            }
        }
        let mut promoted = Vec::new();
        for (k, leaf) in p.leaves.iter_mut().enumerate() {
            if !leaf.blocked {
                leaf.number = promoted.len() as u32;
                promoted.push(k as u32);
            }
        }
        (!promoted.is_empty()).then_some((p, promoted))
    }

    /// Appends the leaves of a variable, in order.
    fn push_leaves(&mut self, s: &Shader, v: &Variable) {
        let mut work = vec![(v.ty, v.init.as_ref())];
        while let Some((ty, init)) = work.pop() {
            let part = |i: usize| match init {
                Some(ConstValue::Composite(parts)) => parts.get(i),
                _ => None,
            };
            match &s.types[ty] {
                Type::Matrix {
                    column, columns, ..
                } => work.extend((0..usize::from(*columns)).rev().map(|i| (*column, part(i)))),
                Type::Array { elem, len, .. } => {
                    let n = len.unwrap_or(0) as usize;
                    work.extend((0..n).rev().map(|i| (*elem, part(i))));
                }
                Type::Struct { members, .. } => work.extend(
                    members
                        .iter()
                        .enumerate()
                        .rev()
                        .map(|(i, m)| (m.ty, part(i))),
                ),
                _ => {
                    let (components, bits) = s.types.value_shape(ty).unwrap_or((1, 32));
                    let init = match init {
                        Some(ConstValue::Vector(v)) => Some(v.clone()),
                        _ => None,
                    };
                    self.leaves.push(Leaf {
                        components,
                        bits,
                        blocked: false,
                        init,
                        number: u32::MAX,
                    });
                }
            }
        }
    }

    fn resolve_deref(
        &self,
        s: &Shader,
        d: &Deref,
        counts: &IdMap<Type, u32>,
        first_leaf: &IdMap<Variable, Option<u32>>,
    ) -> Option<LeafRange> {
        match d.kind {
            DerefKind::Var(v) => Some(LeafRange {
                start: first_leaf[v]?,
                len: counts[d.ty],
                direct: true,
                component: None,
            }),
            DerefKind::Array { parent, index } => {
                let range = self.ranges[parent]?;
                let of = s.deref_of(parent)?.ty;
                let elems = match &s.types[of] {
                    Type::Vector { .. } => {
                        return Some(LeafRange {
                            component: Some(index),
                            ..range
                        });
                    }
                    Type::Array { len, .. } => (*len)?,
                    Type::Matrix { columns, .. } => u32::from(*columns),
                    _ => return None,
                };
                let Some(i) = s.const_component(index, 0).filter(|_| range.direct) else {
                    return Some(LeafRange {
                        direct: false,
                        ..range
                    });
                };
                // An out-of-bounds index is undefined behaviour; it is clamped so that the pass
                // need not handle it.
                let i = (i.min(u64::from(u32::MAX)) as u32).min(elems.saturating_sub(1));
                Some(LeafRange {
                    start: range.start + i * counts[d.ty],
                    len: counts[d.ty],
                    ..range
                })
            }
            DerefKind::Struct { parent, member } => {
                let range = self.ranges[parent]?;
                if !range.direct {
                    return Some(range);
                }
                let Type::Struct { members, .. } = &s.types[s.deref_of(parent)?.ty] else {
                    return None;
                };
                let before: u32 = members
                    .iter()
                    .take(member as usize)
                    .map(|m| counts[m.ty])
                    .sum();
                Some(LeafRange {
                    start: range.start + before,
                    len: counts[d.ty],
                    ..range
                })
            }
            DerefKind::PtrAsArray { parent, .. } | DerefKind::Cast { parent, .. } => {
                let range = self.ranges[parent]?;
                Some(LeafRange {
                    direct: false,
                    ..range
                })
            }
        }
    }

    /// Marks all leaves that `d` points to as not promotable.
    fn block_promotion(&mut self, d: Id<Def>) {
        if let Some(p) = self.ranges[d] {
            for leaf in &mut self.leaves[p.start as usize..(p.start + p.len) as usize] {
                leaf.blocked = true;
            }
        }
    }

    /// The promoted leaf that a pointer points to.
    fn promoted_leaf(&self, ptr: Id<Def>) -> Option<(usize, LeafRange)> {
        let p = self.ranges[ptr]?;
        let leaf = self.leaves.get(p.start as usize)?;
        (p.direct && p.len == 1 && !leaf.blocked).then_some((p.start as usize, p))
    }
}

/// Replaces loads and stores of promoted leaves by values.
struct Renamer<'p> {
    p: &'p Promoter,
    cfg: Cfg,
    /// Known values of leaves at the end of blocks.
    values_at_end: FxHashMap<(Id<Block>, u32), Id<Def>>,
    /// Maps the results of loads to the values read.
    load_values: IdMap<Def, Option<Id<Def>>>,
    /// The initial value of each promoted leaf.
    initial: Vec<Option<Id<Def>>>,
    /// Instructions that define initial values, inserted at the start of the shader.
    initial_instrs: Vec<Id<Instr>>,
}

impl Renamer<'_> {
    fn run(s: &mut Shader, p: &Promoter, promoted: &[u32]) -> bool {
        let cfg = Cfg::new(s);
        let mut r = Renamer {
            p,
            values_at_end: FxHashMap::default(),
            load_values: IdMap::for_arena(&s.defs, None),
            initial: vec![None; promoted.len()],
            initial_instrs: Vec::new(),
            cfg,
        };
        let phis = r.place_phis(s, promoted.len());
        let mut changed = false;
        let order = std::mem::take(&mut r.cfg.order);
        for &b in &order {
            changed |= r.rename_block(s, b);
        }
        for (b, leaf, id) in &phis {
            let mut srcs: SmallVec<[(Id<Block>, Id<Def>); 2]> = SmallVec::new();
            for k in 0..r.cfg[*b].preds.len() {
                let pred = r.cfg[*b].preds[k];
                if r.cfg[pred].reachable {
                    srcs.push((pred, r.value_at_end(s, pred, *leaf)));
                }
            }
            if let Instr::Phi(phi) = &mut s.instrs[*id] {
                phi.srcs = srcs;
            }
        }
        if let Some(&entry) = order.first() {
            s.blocks[entry]
                .instrs
                .splice(0..0, r.initial_instrs.drain(..));
        }
        if changed {
            s.rewrite_uses(&mut r.load_values);
        }
        changed
    }

    /// Inserts phis on the iterated dominance frontier of the stores of each leaf that is read in
    /// another block.
    fn place_phis(&mut self, s: &mut Shader, n: usize) -> Vec<(Id<Block>, u32, Id<Instr>)> {
        let mut stores: Vec<Vec<Id<Block>>> = vec![Vec::new(); n];
        let mut crosses = vec![false; n];
        let mut stored_here = vec![u32::MAX; n];
        for &b in &self.cfg.order {
            let here = self.cfg[b].number;
            for &id in &s.blocks[b].instrs {
                let Instr::Intrinsic(i) = &s.instrs[id] else {
                    continue;
                };
                let store = match i.op {
                    IntrinsicOp::LoadDeref => false,
                    IntrinsicOp::StoreDeref => true,
                    _ => continue,
                };
                let Some((leaf, _)) = self.p.promoted_leaf(i.srcs[0]) else {
                    continue;
                };
                let k = self.p.leaves[leaf].number as usize;
                // A partial store also reads; only a full one kills the old value.
                let full = store && self.is_full_store(s, i, leaf);
                if !full && stored_here[k] != here {
                    crosses[k] = true;
                }
                if store {
                    stored_here[k] = here;
                    if stores[k].last() != Some(&b) {
                        stores[k].push(b);
                    }
                }
            }
        }
        // Dominance frontiers.
        let mut frontier: IdMap<Block, SmallVec<[Id<Block>; 2]>> =
            IdMap::with_default(SmallVec::new());
        for &b in &self.cfg.order {
            let info = &self.cfg[b];
            if info.preds.len() < 2 || !info.reachable {
                continue;
            }
            for &pred in &info.preds {
                let mut at = Some(pred).filter(|p| self.cfg[*p].reachable);
                while let Some(x) = at {
                    if Some(x) == info.idom {
                        break;
                    }
                    if !frontier[x].contains(&b) {
                        frontier[x].push(b);
                    }
                    at = self.cfg[x].idom;
                }
            }
        }
        let mut made = Vec::new();
        let mut has_phi: IdMap<Block, u32> = IdMap::with_default(u32::MAX);
        for (k, blocks) in stores.iter().enumerate() {
            if !crosses[k] {
                continue;
            }
            let mut work = blocks.clone();
            while let Some(x) = work.pop() {
                for y in frontier[x].clone() {
                    if has_phi[y] == k as u32 {
                        continue;
                    }
                    has_phi[y] = k as u32;
                    work.push(y);
                    made.push((y, k as u32));
                }
            }
        }
        let numbers: Vec<usize> = (0..self.p.leaves.len())
            .filter(|l| !self.p.leaves[*l].blocked)
            .collect();
        let mut phis = Vec::with_capacity(made.len());
        for (b, k) in made {
            let leaf = &self.p.leaves[numbers[k as usize]];
            let (id, def) = s.add_instr(leaf.components, leaf.bits, |def| {
                Instr::Phi(Phi {
                    def,
                    srcs: SmallVec::new(),
                })
            });
            self.values_at_end.insert((b, k), def);
            phis.push((b, k, id));
        }
        // In the order of the leaves, before everything else in the block.
        for (b, _, id) in phis.iter().rev() {
            s.blocks[*b].instrs.insert(0, *id);
        }
        phis
    }

    fn is_full_store(&self, s: &Shader, i: &Intrinsic, leaf: usize) -> bool {
        let n = self.p.leaves[leaf].components;
        self.p.ranges[i.srcs[0]].is_some_and(|p| p.component.is_none())
            && s.defs[i.srcs[1]].num_components == n
            && i.index("write_mask") == (1 << n) - 1
    }

    fn resolve(&self, d: Id<Def>) -> Id<Def> {
        self.load_values[d].unwrap_or(d)
    }

    fn value_at_end(&mut self, s: &mut Shader, b: Id<Block>, k: u32) -> Id<Def> {
        let mut at = b;
        let value = loop {
            if let Some(&v) = self.values_at_end.get(&(at, k)) {
                break v;
            }
            match self.cfg[at].idom {
                Some(up) => at = up,
                None => break self.initial_value(s, k),
            }
        };
        if at != b {
            self.values_at_end.insert((b, k), value);
            // Cached for the dominator too, because its other children often ask next: `b` is often
            // a side of an `if`.
            if let Some(up) = self.cfg[b].idom.filter(|up| *up != at) {
                self.values_at_end.insert((up, k), value);
            }
        }
        value
    }

    fn initial_value(&mut self, s: &mut Shader, k: u32) -> Id<Def> {
        if let Some(v) = self.initial[k as usize] {
            return v;
        }
        let leaf = self.p.leaves.iter().find(|l| l.number == k);
        let (components, bits, init) =
            leaf.map_or((1, 32, None), |l| (l.components, l.bits, l.init.clone()));
        let init = init.filter(|v| v.len() == usize::from(components));
        let (id, def) = s.add_instr(components, bits, |def| match init {
            Some(values) => Instr::Const { def, values },
            None => Instr::Undef { def },
        });
        self.initial_instrs.push(id);
        self.initial[k as usize] = Some(def);
        def
    }

    /// Replaces the loads and stores of promoted leaves in a block.
    fn rename_block(&mut self, s: &mut Shader, b: Id<Block>) -> bool {
        let touches = |s: &Shader, id: &Id<Instr>| match &s.instrs[*id] {
            Instr::Intrinsic(i) => {
                matches!(i.op, IntrinsicOp::LoadDeref | IntrinsicOp::StoreDeref)
                    && self.p.promoted_leaf(i.srcs[0]).is_some()
            }
            _ => false,
        };
        let Some(first) = s.blocks[b].instrs.iter().position(|id| touches(s, id)) else {
            return false;
        };
        let rest = s.blocks[b].instrs.split_off(first);
        for id in rest {
            let Instr::Intrinsic(i) = &s.instrs[id] else {
                s.blocks[b].instrs.push(id);
                continue;
            };
            let is_load = i.op == IntrinsicOp::LoadDeref;
            if !is_load && i.op != IntrinsicOp::StoreDeref {
                s.blocks[b].instrs.push(id);
                continue;
            }
            let Some((leaf, range)) = self.p.promoted_leaf(i.srcs[0]) else {
                s.blocks[b].instrs.push(id);
                continue;
            };
            let k = self.p.leaves[leaf].number;
            if is_load {
                let Some(def) = i.def else { continue };
                let whole = self.value_at_end(s, b, k);
                let value = match range.component {
                    None => whole,
                    Some(index) => self.extract_component(s, b, whole, index),
                };
                self.load_values[def] = Some(value);
            } else {
                let (stored, mask) = (i.srcs[1], i.index("write_mask"));
                let full = self.is_full_store(s, i, leaf);
                let stored = self.resolve(stored);
                let value = if full {
                    stored
                } else {
                    let old = self.value_at_end(s, b, k);
                    self.insert_components(s, b, old, stored, range.component, mask)
                };
                self.values_at_end.insert((b, k), value);
            }
        }
        true
    }

    /// Extracts component `index` of a vector.
    fn extract_component(
        &mut self,
        s: &mut Shader,
        b: Id<Block>,
        v: Id<Def>,
        index: Id<Def>,
    ) -> Id<Def> {
        let n = s.defs[v].num_components;
        let known = s.const_component(index, 0);
        let index = self.resolve(index);
        let mut b = Builder::at_end_of_block(s, b);
        if let Some(i) = known {
            return b.channel(v, i.min(u64::from(n) - 1) as u8);
        }
        let mut value = b.channel(v, 0);
        for c in 1..n {
            let number = b.imm_int(b.bits(index), i64::from(c));
            let hit = b.ieq(index, number);
            let part = b.channel(v, c);
            value = b.bcsel(hit, part, value);
        }
        value
    }

    /// `old` with `stored` inserted into it.
    fn insert_components(
        &mut self,
        s: &mut Shader,
        b: Id<Block>,
        old: Id<Def>,
        stored: Id<Def>,
        component: Option<Id<Def>>,
        mask: u32,
    ) -> Id<Def> {
        let n = s.defs[old].num_components;
        let known = component.and_then(|i| s.const_component(i, 0));
        let component = component.map(|c| self.resolve(c));
        let mut b = Builder::at_end_of_block(s, b);
        let parts: SmallVec<[(Id<Def>, u8); 4]> = match (component, known) {
            (None, _) => (0..n)
                .map(|c| {
                    if mask >> c & 1 == 1 {
                        (stored, c)
                    } else {
                        (old, c)
                    }
                })
                .collect(),
            (Some(_), Some(i)) => (0..n)
                .map(|c| {
                    if u64::from(c) == i {
                        (stored, 0)
                    } else {
                        (old, c)
                    }
                })
                .collect(),
            (Some(index), None) => (0..n)
                .map(|c| {
                    let number = b.imm_int(b.bits(index), i64::from(c));
                    let hit = b.ieq(index, number);
                    let part = b.channel(old, c);
                    (b.bcsel(hit, stored, part), 0)
                })
                .collect(),
        };
        b.vec_of(&parts)
    }
}
