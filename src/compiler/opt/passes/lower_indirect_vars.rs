//! Lowers dynamic indexing of small local arrays, and of arrays of clip and cull distances, to
//! selections.
//!
//! In:  `load_deref` and `store_deref` of temporaries with dynamic array indices, or of other
//!      vertices' arrays whose scalars are packed into slots. (The stage's own are temporaries at
//!      this point.)
//! Out: none for variables whose dynamically indexed arrays are small. A load selects among all
//!      elements by the bits of the index; a store rewrites each element conditionally.
//!      `lower_vars_to_ssa` can then promote the whole variable. Larger variables go to scratch.
//! Tests: tests/opt/lower_indirect_vars/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::{Id, IdMap};
use nir::*;
use smallvec::SmallVec;

fn is_temp(mode: VariableMode) -> bool {
    matches!(mode, VariableMode::FunctionTemp | VariableMode::ShaderTemp)
}

/// True for variables whose arrays may be lowered: temporaries, and per-vertex arrays of scalars
/// packed into slots.
fn is_lowered(s: &Shader, v: &Variable) -> bool {
    is_temp(v.mode) || s.is_per_vertex(v) && v.io.is_some_and(|io| io.compact)
}

/// True if the index of an array selects a vertex.
fn selects_vertex(s: &Shader, array: Id<Def>) -> bool {
    match s.deref_of(array).map(|d| &d.kind) {
        Some(DerefKind::Var(v)) => s.is_per_vertex(&s.vars[*v]),
        _ => false,
    }
}

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_indirect_vars(s: &mut Shader, ctx: &Ctx) -> bool {
    if !s.vars.iter().any(|(_, v)| is_lowered(s, v)) {
        return false;
    }
    let ok = lowerable_variables(s, ctx.select_array_limit);
    let mut any = false;
    // Each iteration lowers one dynamic index of every access.
    while lower_instrs(
        s,
        |s, i| match i {
            Instr::Intrinsic(i)
                if matches!(i.op, IntrinsicOp::LoadDeref | IntrinsicOp::StoreDeref) =>
            {
                innermost_dynamic_index(s, i.srcs[0]).is_some_and(|(_, var)| ok[var])
            }
            _ => false,
        },
        lower,
    ) {
        any = true;
    }
    any
}

/// The innermost dynamic array index of a deref chain, vector indices excluded, and the variable.
fn innermost_dynamic_index(s: &Shader, ptr: Id<Def>) -> Option<(Id<Def>, Id<Variable>)> {
    let mut at = ptr;
    let mut found = None;
    loop {
        match s.deref_of(at)?.kind {
            DerefKind::Var(v) => {
                return found
                    .filter(|_| is_lowered(s, &s.vars[v]))
                    .map(|at| (at, v));
            }
            DerefKind::Array { parent, index } => {
                let of = s.deref_of(parent)?.ty;
                let other = matches!(s.types[of], Type::Vector { .. }) || selects_vertex(s, parent);
                if !other && s.const_of(index).is_none() {
                    found = Some(at);
                }
                at = parent;
            }
            DerefKind::Struct { parent, .. } => at = parent,
            DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => return None,
        }
    }
}

fn array_length(s: &Shader, array: Id<Def>) -> Option<u32> {
    match s.types[s.deref_of(array)?.ty] {
        Type::Array { len, .. } => len,
        Type::Matrix { columns, .. } => Some(u32::from(columns)),
        _ => None,
    }
}

/// Variables none of whose accesses selects dynamically among more than `limit` elements.
fn lowerable_variables(s: &Shader, limit: u32) -> IdMap<Variable, bool> {
    let mut ok: IdMap<Variable, bool> = IdMap::for_arena(&s.vars, true);
    for b in s.block_order() {
        for &id in &s.blocks[b].instrs {
            let Instr::Intrinsic(i) = &s.instrs[id] else {
                continue;
            };
            let Some(&ptr) = i.srcs.first() else { continue };
            let mut at = ptr;
            let mut elements = 1u32;
            while let Some(d) = s.deref_of(at) {
                match d.kind {
                    DerefKind::Var(v) => {
                        if elements > limit {
                            ok[v] = false;
                        }
                        break;
                    }
                    DerefKind::Array { parent, index } => {
                        if s.const_of(index).is_none()
                            && !selects_vertex(s, parent)
                            && let Some(n) = array_length(s, parent)
                        {
                            elements = elements.saturating_mul(n);
                        }
                        at = parent;
                    }
                    DerefKind::Struct { parent, .. }
                    | DerefKind::PtrAsArray { parent, .. }
                    | DerefKind::Cast { parent, .. } => at = parent,
                }
            }
        }
    }
    ok
}

fn lower(b: &mut Builder<'_>, id: Id<Instr>) -> Action {
    let Instr::Intrinsic(i) = b.shader.instrs[id].clone() else {
        return Action::Keep;
    };
    let ptr = i.srcs[0];
    let Some((step, _)) = innermost_dynamic_index(b.shader, ptr) else {
        return Action::Keep;
    };
    let Some(&Deref {
        kind: DerefKind::Array { parent, index },
        ..
    }) = b.shader.deref_of(step)
    else {
        return Action::Keep;
    };
    let Some(n) = array_length(b.shader, parent).filter(|n| *n > 0) else {
        return Action::Keep;
    };
    // The derefs after the dynamic one, innermost first.
    let mut tail: SmallVec<[Id<Def>; 4]> = SmallVec::new();
    let mut at = ptr;
    while at != step {
        tail.push(at);
        at = match b.shader.deref_of(at).map(|d| &d.kind) {
            Some(DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. }) => *parent,
            _ => return Action::Keep,
        };
    }
    let element = |b: &mut Builder<'_>, k: u32| -> Option<Id<Def>> {
        let k = b.imm_u32(k);
        let mut p = b.deref_array(parent, k)?;
        for t in tail.iter().rev() {
            p = match b.shader.deref_of(*t)?.kind {
                DerefKind::Array { index, .. } => b.deref_array(p, index)?,
                DerefKind::Struct { member, .. } => b.deref_struct(p, member)?,
                _ => return None,
            };
        }
        Some(p)
    };
    let ptrs: Option<SmallVec<[Id<Def>; 8]>> = (0..n).map(|k| element(b, k)).collect();
    let Some(ptrs) = ptrs else {
        return Action::Keep;
    };
    let access = i.index("access");
    if i.op == IntrinsicOp::StoreDeref {
        let (value, mask) = (i.srcs[1], i.index("write_mask"));
        let shape = b.shader.defs[value];
        for (k, p) in ptrs.into_iter().enumerate() {
            let number = b.imm_int(b.bits(index), k as i64);
            let hit = b.ieq(index, number);
            let old = b.load(
                IntrinsicOp::LoadDeref,
                shape.num_components,
                shape.bit_size,
                &[p],
                &[access],
            );
            let new = b.bcsel(hit, value, old);
            b.intrinsic(IntrinsicOp::StoreDeref, None, &[p, new], &[mask, access]);
        }
        return Action::Remove;
    }
    let Some(def) = i.def else {
        return Action::Keep;
    };
    let shape = b.shader.defs[def];
    let mut values: SmallVec<[Id<Def>; 8]> = SmallVec::new();
    for p in ptrs {
        values.push(b.load(
            IntrinsicOp::LoadDeref,
            shape.num_components,
            shape.bit_size,
            &[p],
            &[access],
        ));
    }
    // One bit of the index at a time, the lowest first: selects between neighbours, then between
    // pairs, and so on.
    let mut bit = 0;
    while values.len() > 1 {
        let mask = b.imm_int(b.bits(index), 1 << bit);
        let zero = b.imm_int(b.bits(index), 0);
        let set = b.iand(index, mask);
        let odd = b.ine(set, zero);
        values = values
            .chunks(2)
            .map(|pair| match pair {
                [even, next] => b.bcsel(odd, *next, *even),
                _ => pair[0],
            })
            .collect();
        bit += 1;
    }
    Action::Replace(values[0])
}
