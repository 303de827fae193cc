//! What passes share: the walk, instruction by instruction, with a builder before each; variables that become temporaries; how often
//! values are read.

use entity::{Id, IdMap};
use nir::{
    Access, Alu, AluOp, AluSrc, Builder, CfEvent, Def, DerefKind, Instr, Mode, Shader, Variable,
};
use smallvec::SmallVec;

/// How often values are read.
pub(crate) fn reads(s: &Shader) -> IdMap<Def, u32> {
    let mut reads: IdMap<Def, u32> = IdMap::for_arena(&s.defs, 0);
    for event in s.layout() {
        match event {
            CfEvent::Block(b) => {
                for &id in &s.blocks[b].instrs {
                    s.instrs[id].for_each_src(|def| reads[def] += 1);
                }
            }
            CfEvent::If(i) => reads[s.ifs[i].cond] += 1,
            _ => {}
        }
    }
    reads
}

/// What becomes of an instruction.
pub(crate) enum Action {
    /// It stays.
    Keep,
    /// It stays, but has been changed in place.
    Changed,
    /// Its value is now this one (of the same shape).
    Replace(Id<Def>),
    /// Its value is now a vector of these scalars.
    ReplaceVec(SmallVec<[Id<Def>; 4]>),
    /// It goes; it makes no value, or nobody reads it.
    Remove,
}

/// Calls `lower` for every instruction that `wants` names; new instructions go before it.
pub(crate) fn lower_instrs(
    s: &mut Shader,
    wants: impl Fn(&Shader, &Instr) -> bool,
    mut lower: impl FnMut(&mut Builder<'_>, Id<Instr>) -> Action,
) -> bool {
    let mut changed = false;
    for block in s.block_order() {
        let Some(first) = s.blocks[block]
            .instrs
            .iter()
            .position(|i| wants(s, &s.instrs[*i]))
        else {
            continue;
        };
        let rest = s.blocks[block].instrs.split_off(first);
        let mut b = Builder::at_end_of_block(s, block);
        for id in rest {
            if !wants(b.shader, &b.shader.instrs[id]) {
                b.place(id);
                continue;
            }
            match lower(&mut b, id) {
                Action::Keep => b.place(id),
                Action::Changed => {
                    changed = true;
                    b.place(id);
                }
                Action::Replace(value) => {
                    changed = true;
                    become_mov(b.shader, id, value);
                    b.place(id);
                }
                Action::ReplaceVec(parts) => {
                    changed = true;
                    become_vec(&mut b, id, &parts);
                    b.place(id);
                }
                Action::Remove => changed = true,
            }
        }
    }
    changed
}

/// Turns the instruction into a copy of `value`: its own def stays, so no use has to be rewritten.
pub(crate) fn become_mov(s: &mut Shader, id: Id<Instr>, value: Id<Def>) {
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

fn become_vec(b: &mut Builder<'_>, id: Id<Instr>, parts: &[Id<Def>]) {
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
            become_mov(b.shader, id, value);
        }
    }
}

/// Makes every chain of pointers that begins at one of these variables begin at its temporary, which may be the variable itself.
pub(crate) fn to_temporaries(s: &mut Shader, temp: &IdMap<Variable, Option<Id<Variable>>>) {
    let mut moved: IdMap<Def, bool> = IdMap::for_arena(&s.defs, false);
    for block in s.block_order() {
        for k in 0..s.blocks[block].instrs.len() {
            let id = s.blocks[block].instrs[k];
            let Instr::Deref(d) = &mut s.instrs[id] else {
                continue;
            };
            let mine = match &mut d.kind {
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
            if mine {
                moved[d.def] = true;
                d.mode = Mode::ShaderTemp;
                d.access = Access::default();
            }
        }
    }
}
