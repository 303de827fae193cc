//! Replaces reads of a local copy of an array by reads of the original.
//!
//! In:  derefs.
//! Out: a dynamic index of a local array, all elements of which were copied at the start of the
//!      shader from an array of per-vertex inputs or of a uniform buffer, indexes that array
//!      instead. HLSL compilers copy function parameters; otherwise the whole copy would be loaded,
//!      and one element selected. The original does not change while the shader runs.
//! Tests: tests/opt/opt_array_copies/.

use crate::analysis::dynamic_index::indexes_arrays;
use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::{Id, IdMap};
use nir::*;
use smallvec::SmallVec;

/// One step of a deref chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Member(u32),
    Index(u64),
    Dynamic(Id<Def>),
}

/// A deref chain: a variable and the steps from it.
#[derive(Clone, PartialEq, Eq)]
struct Path {
    var: Id<Variable>,
    steps: SmallVec<[Step; 4]>,
}

/// Stores to a variable: destination and source of each.
type Copies = Vec<(Path, Path)>;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_array_copies(s: &mut Shader, _: &Ctx) -> bool {
    if !indexes_arrays(s) {
        return false;
    }
    let copies = find_copies(s);
    lower_instrs(
        s,
        |s, i| load_pointer(i).is_some_and(|ptr| find_original(s, &copies, ptr).is_some()),
        |b, id| {
            let Instr::Intrinsic(i) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            let (Some(path), Some(def)) = (find_original(b.shader, &copies, i.srcs[0]), i.def)
            else {
                return Action::Keep;
            };
            let shape = b.shader.defs[def];
            match emit_derefs(b, &path) {
                Some(at) => {
                    let access = b.shader.vars[path.var].access.bits();
                    let (n, bits) = (shape.num_components, shape.bit_size);
                    Action::Replace(b.load(IntrinsicOp::LoadDeref, n, bits, &[at], &[access]))
                }
                None => Action::Keep,
            }
        },
    )
}

fn load_pointer(i: &Instr) -> Option<Id<Def>> {
    match i {
        Instr::Intrinsic(i) if i.op == IntrinsicOp::LoadDeref => i.srcs.first().copied(),
        _ => None,
    }
}

fn deref_path(s: &Shader, ptr: Id<Def>) -> Option<Path> {
    let mut steps = SmallVec::new();
    let mut at = ptr;
    loop {
        match s.deref_of(at)?.kind {
            DerefKind::Var(var) => {
                steps.reverse();
                return Some(Path { var, steps });
            }
            DerefKind::Array { parent, index } => {
                let constant = s.const_component(index, 0);
                steps.push(constant.map_or(Step::Dynamic(index), Step::Index));
                at = parent;
            }
            DerefKind::Struct { parent, member } => {
                steps.push(Step::Member(member));
                at = parent;
            }
            DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => return None,
        }
    }
}

/// True for variables that never change: per-vertex inputs and uniform buffers.
fn is_invariant(s: &Shader, var: Id<Variable>) -> bool {
    let v = &s.vars[var];
    v.mode == VariableMode::Ubo || v.mode == VariableMode::ShaderIn && s.is_per_vertex(v)
}

/// For each local variable, the copies made to it in the shader's first block before anything was
/// read from it. Empty for variables that are written in any other way.
fn find_copies(s: &Shader) -> IdMap<Variable, Copies> {
    let mut out: IdMap<Variable, Copies> = IdMap::for_arena(&s.vars, Vec::new());
    let mut read: IdMap<Variable, bool> = IdMap::for_arena(&s.vars, false);
    let mut excluded = read.clone();
    let first = s.first_block(ListRef::Body);
    for block in s.block_order() {
        for &id in &s.blocks[block].instrs {
            let i = match &s.instrs[id] {
                Instr::Intrinsic(i) => i,
                // Struct and array derefs are not uses. Anything else that takes the pointer may
                // write through it.
                Instr::Deref(d) => {
                    if let DerefKind::PtrAsArray { parent, .. } | DerefKind::Cast { parent, .. } =
                        d.kind
                        && let Some(path) = deref_path(s, parent)
                    {
                        excluded[path.var] = true;
                    }
                    continue;
                }
                Instr::Phi(p) => {
                    for path in p.srcs.iter().filter_map(|(_, def)| deref_path(s, *def)) {
                        excluded[path.var] = true;
                    }
                    continue;
                }
                _ => continue,
            };
            if let Some(ptr) = load_pointer(&s.instrs[id]) {
                if let Some(path) = deref_path(s, ptr) {
                    read[path.var] = true;
                }
                continue;
            }
            let mut pointers = i.srcs.iter().filter_map(|src| deref_path(s, *src));
            let Some(to) = pointers.next() else { continue };
            let from = copy_source(s, i).filter(|_| Some(block) == first && !read[to.var]);
            match from {
                Some(from) if !out[to.var].iter().any(|c| c.0 == to) => {
                    out[to.var].push((to, from));
                }
                _ => excluded[to.var] = true,
            }
            for other in pointers {
                excluded[other.var] = true;
            }
        }
    }
    for var in s.vars.ids() {
        if excluded[var] {
            out[var].clear();
        }
    }
    out
}

/// The source of a store, if it stores a whole value that was loaded from a variable that never
/// changes.
fn copy_source(s: &Shader, i: &Intrinsic) -> Option<Path> {
    if i.op != IntrinsicOp::StoreDeref {
        return None;
    }
    let value = s.defs[i.srcs[1]];
    let all = i.index("write_mask") == (1 << value.num_components) - 1;
    let from = deref_path(s, load_pointer(s.instr_of(i.srcs[1]))?)?;
    let constant = !from.steps.iter().any(|s| matches!(s, Step::Dynamic(_)));
    (all && constant && is_invariant(s, from.var)).then_some(from)
}

/// The original that a load with one dynamic index from a copied array can read instead.
fn find_original(s: &Shader, copies: &IdMap<Variable, Copies>, ptr: Id<Def>) -> Option<Path> {
    let path = deref_path(s, ptr)?;
    let copies = &copies[path.var];
    if copies.is_empty() {
        return None;
    }
    let mut dynamic = path.steps.iter().enumerate();
    let mut dynamic = dynamic.by_ref().filter_map(|(k, step)| match step {
        Step::Dynamic(index) => Some((k, *index)),
        _ => None,
    });
    let (at, index) = dynamic.next().filter(|_| dynamic.next().is_none())?;
    // The array that is indexed.
    let mut of = ptr;
    for _ in at..path.steps.len() {
        of = match s.deref_of(of)?.kind {
            DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => parent,
            _ => return None,
        };
    }
    let Type::Array { len: Some(len), .. } = s.types[s.deref_of(of)?.ty] else {
        return None;
    };
    let source_of = |k: u64| {
        let mut element = path.clone();
        element.steps[at] = Step::Index(k);
        copies.iter().find(|c| c.0 == element).map(|c| &c.1)
    };
    let first = source_of(0)?;
    // The step of the original's path that holds the element's number is the one in which the first
    // two elements differ.
    let second = source_of(1)?;
    let mut differing = first.steps.iter().zip(&second.steps).enumerate();
    let number_step = differing.find(|(_, (a, b))| a != b)?.0;
    let is_member = |step: &Step| matches!(step, Step::Member(_));
    if s.vars[first.var].mode == VariableMode::Ubo
        && !first.steps[..number_step].iter().any(is_member)
    {
        // A dynamic index must not select the buffer itself.
        return None;
    }
    let element = |k: u64| {
        let mut element = first.clone();
        element.steps[number_step] = Step::Index(k);
        element
    };
    if !(0..u64::from(len)).all(|k| source_of(k) == Some(&element(k))) {
        return None;
    }
    let mut found = first.clone();
    found.steps[number_step] = Step::Dynamic(index);
    Some(found)
}

fn emit_derefs(b: &mut Builder<'_>, path: &Path) -> Option<Id<Def>> {
    let mut at = b.deref_var(path.var);
    for step in &path.steps {
        at = match *step {
            Step::Member(member) => b.deref_struct(at, member)?,
            Step::Index(k) => {
                let k = b.imm_u32(k as u32);
                b.deref_array(at, k)?
            }
            Step::Dynamic(index) => b.deref_array(at, index)?,
        };
    }
    Some(at)
}
