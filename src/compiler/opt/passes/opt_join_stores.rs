//! Merges stores of both branches of an `if` to the same element of a local array.
//!
//! In:  derefs of temporaries.
//! Out: if both branches end with a store through the same indices, at least one of which is
//!      dynamic, a single store of a phi follows the `if`. `lower_indirect_vars` expands each such
//!      store to a selection per element.
//! Tests: tests/opt/opt_join_stores/.

use crate::pass::Ctx;
use crate::rewrite::cf::lists_inside_out;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// A step of a deref chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Element(Id<Def>),
    Member(u32),
}

/// The destination of a store.
#[derive(PartialEq, Eq)]
struct Destination {
    var: Id<Variable>,
    /// The last step first.
    steps: SmallVec<[Step; 3]>,
    /// The store's own indices.
    write_mask: u32,
    access: u32,
}

/// A store at the end of a block.
struct FinalStore {
    /// Its index in the block.
    at: usize,
    pointer: Id<Def>,
    value: Id<Def>,
    destination: Destination,
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_join_stores(s: &mut Shader, _: &Ctx) -> bool {
    if !crate::analysis::dynamic_index::indexes_arrays(s) {
        return false;
    }
    let mut changed = false;
    for list in lists_inside_out(s) {
        for at in (1..s.list(list).len()).step_by(2) {
            if let (CfNode::If(i), Some(&CfNode::Block(after))) =
                (s.list(list)[at], s.list(list).get(at + 1))
            {
                while merge_stores(s, i, after) {
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Merges the last stores of both branches behind the `if`. Returns true if it did.
fn merge_stores(s: &mut Shader, i: Id<If>, after: Id<Block>) -> bool {
    let sides = [ListRef::Then(i), ListRef::Else(i)].map(|list| s.last_block(list));
    let [Some(then), Some(other)] = sides else {
        return false;
    };
    let (Some(a), Some(b)) = (last_store(s, then), last_store(s, other)) else {
        return false;
    };
    let dynamic =
        |step: &Step| matches!(step, Step::Element(index) if s.const_of(*index).is_none());
    if a.destination != b.destination || !a.destination.steps.iter().any(dynamic) {
        return false;
    }
    let of = s.defs[a.value];
    if (of.num_components, of.bit_size)
        != (s.defs[b.value].num_components, s.defs[b.value].bit_size)
    {
        return false;
    }
    let store = s.blocks[then].instrs.remove(a.at);
    s.blocks[other].instrs.remove(b.at);
    let (phi, value) = s.add_instr(of.num_components, of.bit_size, |def| {
        Instr::Phi(Phi {
            def,
            srcs: [(then, a.value), (other, b.value)].into_iter().collect(),
        })
    });
    let mut moved = SmallVec::<[Id<Instr>; 4]>::new();
    let pointer = copy_pointer(s, a.pointer, &mut moved);
    if let Instr::Intrinsic(i) = &mut s.instrs[store] {
        (i.srcs[0], i.srcs[1]) = (pointer, value);
    }
    moved.push(store);
    let is_phi = |id: &&Id<Instr>| matches!(s.instrs[**id], Instr::Phi(_));
    let phis = s.blocks[after].instrs.iter().take_while(is_phi).count();
    s.blocks[after].instrs.insert(phis, phi);
    s.blocks[after].instrs.splice(phis + 1..phis + 1, moved);
    true
}

/// The last memory access of a block, if it is a store to a local variable.
fn last_store(s: &Shader, block: Id<Block>) -> Option<FinalStore> {
    let instrs = &s.blocks[block].instrs;
    let at = instrs.iter().rposition(|id| {
        !matches!(
            s.instrs[*id],
            Instr::Alu(_) | Instr::Const { .. } | Instr::Deref(_) | Instr::Undef { .. }
        )
    })?;
    let Instr::Intrinsic(i) = &s.instrs[instrs[at]] else {
        return None;
    };
    if i.op != IntrinsicOp::StoreDeref {
        return None;
    }
    let (pointer, value) = (i.srcs[0], i.srcs[1]);
    let (var, steps) = deref_path(s, pointer)?;
    Some(FinalStore {
        at,
        pointer,
        value,
        destination: Destination {
            var,
            steps,
            write_mask: i.index("write_mask"),
            access: i.index("access"),
        },
    })
}

/// The variable and the steps of a deref chain, the last step first.
fn deref_path(s: &Shader, pointer: Id<Def>) -> Option<(Id<Variable>, SmallVec<[Step; 3]>)> {
    let mut steps = SmallVec::new();
    let mut at = pointer;
    loop {
        let deref = s.deref_of(at)?;
        if !matches!(
            deref.mode,
            VariableMode::FunctionTemp | VariableMode::ShaderTemp
        ) {
            return None;
        }
        at = match deref.kind {
            DerefKind::Var(var) => return Some((var, steps)),
            DerefKind::Array { parent, index } => {
                steps.push(Step::Element(index));
                parent
            }
            DerefKind::Struct { parent, member } => {
                steps.push(Step::Member(member));
                parent
            }
            _ => return None,
        };
    }
}

/// Copies a deref chain. The new instructions are appended to `made`.
fn copy_pointer(s: &mut Shader, pointer: Id<Def>, made: &mut SmallVec<[Id<Instr>; 4]>) -> Id<Def> {
    let Some(mut deref) = s.deref_of(pointer).cloned() else {
        return pointer;
    };
    match &mut deref.kind {
        DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => {
            *parent = copy_pointer(s, *parent, made);
        }
        _ => {}
    }
    let of = s.defs[pointer];
    let (instr, def) = s.add_instr(of.num_components, of.bit_size, |def| {
        Instr::Deref(Deref { def, ..deref })
    });
    made.push(instr);
    def
}
