//! Stores once behind an `if` what both of its sides store to the same element of a local array.
//!
//! In:  derefs of temporaries. Out: where both sides end with a store through the same indices, one of which is not constant, one store of
//! the value of either side. `lower_indirect_vars` makes a selection of such a store for each element.
//! Tests: tests/opt/opt_join_stores/.

use crate::cf::lists_inside_out;
use crate::pass::Ctx;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// A step from a variable to a part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Element(Id<Def>),
    Member(u32),
}

/// Where a store goes to.
#[derive(PartialEq, Eq)]
struct Place {
    var: Id<Variable>,
    /// The last first.
    steps: SmallVec<[Step; 3]>,
    /// What the store says of itself.
    write_mask: u32,
    access: u32,
}

/// A store that a block ends with.
struct Last {
    /// Its position.
    at: usize,
    pointer: Id<Def>,
    value: Id<Def>,
    place: Place,
}

/// Entry point.
pub fn opt_join_stores(s: &mut Shader, _: &Ctx) -> bool {
    if !crate::opt_loop_unroll::indexes_arrays(s) {
        return false;
    }
    let mut changed = false;
    for list in lists_inside_out(s) {
        for at in (1..s.list(list).len()).step_by(2) {
            if let (CfNode::If(i), Some(&CfNode::Block(after))) =
                (s.list(list)[at], s.list(list).get(at + 1))
            {
                while join(s, i, after) {
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Moves the last store of both sides behind the `if`.
fn join(s: &mut Shader, i: Id<If>, after: Id<Block>) -> bool {
    let sides = [ListRef::Then(i), ListRef::Else(i)].map(|list| s.last_block(list));
    let [Some(then), Some(other)] = sides else {
        return false;
    };
    let (Some(a), Some(b)) = (last_store(s, then), last_store(s, other)) else {
        return false;
    };
    let dynamic =
        |step: &Step| matches!(step, Step::Element(index) if s.const_of(*index).is_none());
    if a.place != b.place || !a.place.steps.iter().any(dynamic) {
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

/// The store that is the last of a block's accesses, and of a part of a local variable.
fn last_store(s: &Shader, block: Id<Block>) -> Option<Last> {
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
    let (var, steps) = path(s, pointer)?;
    Some(Last {
        at,
        pointer,
        value,
        place: Place {
            var,
            steps,
            write_mask: i.index("write_mask"),
            access: i.index("access"),
        },
    })
}

/// The steps to a part of a local variable, the last first.
fn path(s: &Shader, pointer: Id<Def>) -> Option<(Id<Variable>, SmallVec<[Step; 3]>)> {
    let mut steps = SmallVec::new();
    let mut at = pointer;
    loop {
        let deref = s.deref_of(at)?;
        if !matches!(deref.mode, Mode::FunctionTemp | Mode::ShaderTemp) {
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

/// The same pointer once more, made of instructions of its own.
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
