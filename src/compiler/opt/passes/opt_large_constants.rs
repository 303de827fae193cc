//! Converts local arrays that only hold constants to constant variables.
//!
//! In:  loads and stores of temporaries through derefs; copies are already split.
//! Out: a variable becomes a constant variable, with its stores as initial value, if it is larger
//!      than a few dwords and dynamically indexed, and only constants are stored to it, in a single
//!      block, before any load and dominating all loads. Later stores of the value that is already
//!      there are allowed. Otherwise every invocation would write the array to scratch; constant
//!      data is written once, by the driver. Loads of a variable that is never written become
//!      undefined values.
//!
//! A type may declare any number of elements, so that the value of a variable is only computed if
//! the number of its elements is proportional to that of the stores.
//! Tests: tests/opt/opt_large_constants/.

use crate::pass::Ctx;
use crate::passes::lower_vars_to_ssa::leaf_counts;
use entity::{Id, IdMap};
use nir::*;

/// Scalars and vectors of a variable without stores that becomes a constant.
const MIN_LEAVES: u32 = 4096;
/// Additional scalars and vectors for each store.
const LEAVES_PER_STORE: u32 = 16;
/// Up to this size, selections cost no more than a message.
const SMALL_BYTES: u32 = 32;

/// What is known about a variable.
#[derive(Clone, Default)]
struct Candidate {
    /// It is large enough, and no access has ruled it out so far.
    possible: bool,
    /// A load has a dynamic index.
    indexed: bool,
    /// It has been read.
    read: bool,
    /// The loads from it.
    loads: Vec<Id<Instr>>,
    /// The block with the stores.
    block: Option<Id<Block>>,
    stores: Vec<Id<Instr>>,
    /// Stores of constants in other blocks, after these.
    later_stores: Vec<Id<Instr>>,
}

/// What a deref points to.
#[derive(Clone, Copy)]
struct Pointee {
    var: Id<Variable>,
    dynamic: bool,
}

fn is_temp(mode: VariableMode) -> bool {
    matches!(mode, VariableMode::FunctionTemp | VariableMode::ShaderTemp)
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_large_constants(s: &mut Shader, _: &Ctx) -> bool {
    if !s.vars.iter().any(|(_, v)| is_temp(v.mode)) {
        return false;
    }
    let sizes = s.types.natural_sizes();
    let mut candidates: IdMap<Variable, Candidate> =
        IdMap::for_arena(&s.vars, Candidate::default());
    for (id, v) in s.vars.iter() {
        candidates[id].possible = is_temp(v.mode) && sizes[v.ty].0 > SMALL_BYTES;
    }
    if !s.vars.ids().any(|v| candidates[v].possible) {
        return false;
    }
    examine_accesses(s, &mut candidates);
    let leaves = leaf_counts(&s.types);
    let mut changed = false;
    for var in s.vars.ids() {
        let candidate = &candidates[var];
        if candidate.possible && candidate.block.is_none() && s.vars[var].init.is_none() {
            changed |= !candidate.loads.is_empty();
            for &load in &candidate.loads {
                if let Some(def) = s.instrs[load].def() {
                    s.instrs[load] = Instr::Undef { def };
                }
            }
            continue;
        }
        if !(candidate.possible && candidate.indexed) {
            continue;
        }
        let stores = u32::try_from(candidate.stores.len()).unwrap_or(u32::MAX);
        let max_leaves = MIN_LEAVES.saturating_add(stores.saturating_mul(LEAVES_PER_STORE));
        if s.vars[var].init.is_none() && leaves[s.vars[var].ty] > max_leaves {
            candidates[var].possible = false;
            continue;
        }
        let value = final_value(s, var, &candidate.stores);
        let Some(value) = value.filter(|v| are_redundant(s, v, &candidate.later_stores)) else {
            candidates[var].possible = false;
            continue;
        };
        s.vars[var].init = Some(value);
        s.vars[var].mode = VariableMode::Constant;
        changed = true;
    }
    if changed {
        apply(s);
    }
    changed
}

/// Examines all accesses. In layout order, blocks follow their dominators.
fn examine_accesses(s: &Shader, candidates: &mut IdMap<Variable, Candidate>) {
    let mut cfg: Option<Cfg> = None;
    let mut pointees: IdMap<Def, Option<Pointee>> = IdMap::for_arena(&s.defs, None);
    for b in s.block_order() {
        for &id in &s.blocks[b].instrs {
            let escapes = |candidates: &mut IdMap<Variable, Candidate>, d: Id<Def>| {
                if let Some(pointee) = pointees[d] {
                    candidates[pointee.var].possible = false;
                }
            };
            match &s.instrs[id] {
                Instr::Deref(d) if is_temp(d.mode) => {
                    let pointee = match d.kind {
                        DerefKind::Var(var) => candidates[var].possible.then_some(Pointee {
                            var,
                            dynamic: false,
                        }),
                        DerefKind::Array { parent, index } => pointees[parent].map(|p| Pointee {
                            dynamic: p.dynamic || s.const_of(index).is_none(),
                            ..p
                        }),
                        DerefKind::Struct { parent, .. } => pointees[parent],
                        DerefKind::PtrAsArray { parent, .. } | DerefKind::Cast { parent, .. } => {
                            escapes(candidates, parent);
                            None
                        }
                    };
                    pointees[d.def] = pointee;
                }
                Instr::Intrinsic(i) if i.op == IntrinsicOp::LoadDeref => {
                    let Some(pointee) = pointees[i.srcs[0]] else {
                        continue;
                    };
                    let c = &mut candidates[pointee.var];
                    c.read = true;
                    c.loads.push(id);
                    c.indexed |= pointee.dynamic;
                    if let Some(at) = c.block
                        && c.possible
                        && at != b
                    {
                        let cfg = cfg.get_or_insert_with(|| Cfg::new(s));
                        c.possible = cfg.dominates(at, b);
                    }
                }
                Instr::Intrinsic(i) if i.op == IntrinsicOp::StoreDeref => {
                    escapes(candidates, i.srcs[1]);
                    let Some(pointee) = pointees[i.srcs[0]] else {
                        continue;
                    };
                    let c = &mut candidates[pointee.var];
                    let first = *c.block.get_or_insert(b);
                    c.possible &= !pointee.dynamic && s.const_of(i.srcs[1]).is_some();
                    if first == b {
                        c.possible &= !c.read;
                        c.stores.push(id);
                    } else if c.possible {
                        let cfg = cfg.get_or_insert_with(|| Cfg::new(s));
                        c.possible = cfg.dominates(first, b);
                        c.later_stores.push(id);
                    }
                }
                other => other.for_each_src(|d| escapes(candidates, d)),
            }
        }
    }
}

/// The zero value of a type, which undefined contents become.
fn zero_value(types: &Types, ty: Id<Type>) -> Option<ConstValue> {
    let all = |ty: Id<Type>, n: usize| Some(ConstValue::Composite(vec![zero_value(types, ty)?; n]));
    match types.get(ty)? {
        Type::Array { elem, len, .. } => all(*elem, (*len)? as usize),
        Type::Matrix {
            column, columns, ..
        } => all(*column, (*columns).into()),
        Type::Struct { members, .. } => {
            let parts: Option<Vec<_>> = members.iter().map(|m| zero_value(types, m.ty)).collect();
            Some(ConstValue::Composite(parts?))
        }
        Type::Pointer { .. } => None,
        _ => {
            let (n, _) = types.value_shape(ty)?;
            Some(ConstValue::Vector(smallvec::smallvec![0; n.into()]))
        }
    }
}

/// The value of a variable after its stores.
fn final_value(s: &Shader, var: Id<Variable>, stores: &[Id<Instr>]) -> Option<ConstValue> {
    let v = &s.vars[var];
    let mut value = match &v.init {
        Some(init) => init.clone(),
        None => zero_value(&s.types, v.ty)?,
    };
    for &store in stores {
        execute_store(s, &mut value, store)?;
    }
    Some(value)
}

/// True if stores do not change a value.
fn are_redundant(s: &Shader, value: &ConstValue, stores: &[Id<Instr>]) -> bool {
    if stores.is_empty() {
        return true;
    }
    let mut value = value.clone();
    let mut holds = |store| execute_store(s, &mut value, store) == Some(false);
    stores.iter().all(|store| holds(*store))
}

/// Executes a store of constants. `Some(true)` if the value changed.
fn execute_store(s: &Shader, value: &mut ConstValue, store: Id<Instr>) -> Option<bool> {
    let Instr::Intrinsic(i) = &s.instrs[store] else {
        return None;
    };
    let mut path = Vec::new();
    let mut at = i.srcs[0];
    loop {
        match s.deref_of(at)?.kind {
            DerefKind::Array { parent, index } => {
                path.push(usize::try_from(s.const_component(index, 0)?).ok()?);
                at = parent;
            }
            DerefKind::Struct { parent, member } => {
                path.push(member as usize);
                at = parent;
            }
            _ => break,
        }
    }
    let values = s.const_of(i.srcs[1])?;
    store_component(value, &path, values, i.index("write_mask"))
}

/// Stores to the part of a constant that a path selects; its last step comes first. `Some(true)` if
/// the value changed.
fn store_component(
    value: &mut ConstValue,
    path: &[usize],
    values: &[u64],
    mask: u32,
) -> Option<bool> {
    let mut at = value;
    let mut steps = path.iter().rev();
    loop {
        match at {
            ConstValue::Composite(parts) => {
                let step = *steps.next()?;
                // Out-of-bounds stores are undefined behaviour and dropped.
                if step >= parts.len() {
                    return Some(false);
                }
                at = &mut parts[step];
            }
            ConstValue::Vector(to) => {
                let mut changed = false;
                let mut assign = |to: &mut u64, from: u64| {
                    changed |= *to != from;
                    *to = from;
                };
                match steps.next() {
                    Some(&component) => assign(to.get_mut(component)?, *values.first()?),
                    None => {
                        for (c, (to, from)) in to.iter_mut().zip(values).enumerate() {
                            if mask >> c & 1 != 0 {
                                assign(to, *from);
                            }
                        }
                    }
                }
                return Some(changed);
            }
        }
    }
}

/// Updates the storage mode of derefs, and removes the stores.
fn apply(s: &mut Shader) {
    for b in s.block_order() {
        let mut instrs = std::mem::take(&mut s.blocks[b].instrs);
        instrs.retain(|&id| {
            let constant = |s: &Shader, d: Id<Def>| match s.deref_of(d) {
                Some(d) => d.mode == VariableMode::Constant,
                None => false,
            };
            match &s.instrs[id] {
                Instr::Deref(d) if is_temp(d.mode) => {
                    let becomes = match d.kind {
                        DerefKind::Var(v) => s.vars[v].mode == VariableMode::Constant,
                        DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => {
                            constant(s, parent)
                        }
                        _ => false,
                    };
                    if becomes && let Instr::Deref(d) = &mut s.instrs[id] {
                        d.mode = VariableMode::Constant;
                    }
                    true
                }
                Instr::Intrinsic(i) if i.op == IntrinsicOp::StoreDeref => !constant(s, i.srcs[0]),
                _ => true,
            }
        });
        s.blocks[b].instrs = instrs;
    }
}
