//! Instruction-by-instruction rewriting with a builder, and smaller rewrites that passes share.

use entity::{Id, IdMap};
use nir::{
    Access, Alu, AluOp, AluSrc, Builder, Def, DerefKind, Instr, Shader, Variable, VariableMode,
};
use smallvec::SmallVec;

/// What [`lower_instrs`] does with an instruction.
pub(crate) enum Action {
    /// Keeps it.
    Keep,
    /// Keeps it; the callback has changed it in place.
    Changed,
    /// Replaces its value by this one, which has the same shape.
    Replace(Id<Def>),
    /// Replaces its value by a vector of these scalars.
    ReplaceVec(SmallVec<[Id<Def>; 4]>),
    /// Removes it. It has no result, or its result has no uses.
    Remove,
}

/// Calls `lower` for every instruction that `needs_lowering` accepts, with a builder that inserts
/// before it. Returns true if anything was changed.
pub(crate) fn lower_instrs(
    s: &mut Shader,
    needs_lowering: impl Fn(&Shader, &Instr) -> bool,
    mut lower: impl FnMut(&mut Builder<'_>, Id<Instr>) -> Action,
) -> bool {
    let mut changed = false;
    for block in s.block_order() {
        let Some(first) = s.blocks[block]
            .instrs
            .iter()
            .position(|i| needs_lowering(s, &s.instrs[*i]))
        else {
            continue;
        };
        let rest = s.blocks[block].instrs.split_off(first);
        let mut b = Builder::at_end_of_block(s, block);
        for id in rest {
            if !needs_lowering(b.shader, &b.shader.instrs[id]) {
                b.insert_instr(id);
                continue;
            }
            match lower(&mut b, id) {
                Action::Keep => b.insert_instr(id),
                Action::Changed => {
                    changed = true;
                    b.insert_instr(id);
                }
                Action::Replace(value) => {
                    changed = true;
                    replace_with_mov(b.shader, id, value);
                    b.insert_instr(id);
                }
                Action::ReplaceVec(parts) => {
                    changed = true;
                    replace_with_vec(&mut b, id, &parts);
                    b.insert_instr(id);
                }
                Action::Remove => changed = true,
            }
        }
    }
    changed
}

/// Turns the instruction into a `mov` of `value`. Its def stays, so that no use has to be
/// rewritten.
pub(crate) fn replace_with_mov(s: &mut Shader, id: Id<Instr>, value: Id<Def>) {
    if let Some(def) = s.instrs[id].def() {
        s.instrs[id] = Instr::Alu(Alu {
            op: AluOp::Mov,
            def,
            srcs: SmallVec::from_iter([AluSrc::identity(value)]),
            exact: false,
            preserve_nan_inf_sz: false,
        });
    }
}

fn replace_with_vec(b: &mut Builder<'_>, id: Id<Instr>, parts: &[Id<Def>]) {
    let Some(def) = b.shader.instrs[id].def() else {
        return;
    };
    match AluOp::vec(parts.len()) {
        Some(op) if parts.len() > 1 => {
            b.shader.instrs[id] = Instr::Alu(Alu {
                op,
                def,
                srcs: parts.iter().map(|p| AluSrc::splat(*p, 0)).collect(),
                exact: false,
                preserve_nan_inf_sz: false,
            });
        }
        _ => {
            let value = b.vec(parts);
            replace_with_mov(b.shader, id, value);
        }
    }
}

/// Redirects every deref chain that starts at one of these variables to the variable's temporary,
/// which may be the variable itself.
pub(crate) fn redirect_to_temporaries(
    s: &mut Shader,
    temp: &IdMap<Variable, Option<Id<Variable>>>,
) {
    let mut moved: IdMap<Def, bool> = IdMap::for_arena(&s.defs, false);
    for block in s.block_order() {
        for k in 0..s.blocks[block].instrs.len() {
            let id = s.blocks[block].instrs[k];
            let Instr::Deref(d) = &mut s.instrs[id] else {
                continue;
            };
            let redirected = match &mut d.kind {
                DerefKind::Var(v) => match temp[*v] {
                    Some(copy) => {
                        *v = copy;
                        true
                    }
                    None => false,
                },
                DerefKind::Array { parent, .. }
                | DerefKind::PtrAsArray { parent, .. }
                | DerefKind::Struct { parent, .. }
                | DerefKind::Cast { parent, .. } => moved[*parent],
            };
            if redirected {
                moved[d.def] = true;
                d.mode = VariableMode::ShaderTemp;
                d.access = Access::default();
            }
        }
    }
}
