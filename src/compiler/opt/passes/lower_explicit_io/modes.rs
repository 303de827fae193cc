//! Storage modes: which ones the pass lowers, and the modes of pointer values.

use entity::{Id, IdMap};
use nir::*;
use smallvec::SmallVec;

/// True for the storage modes that this pass lowers.
pub(super) fn is_lowered(mode: VariableMode) -> bool {
    !matches!(
        mode,
        VariableMode::ShaderIn | VariableMode::ShaderOut | VariableMode::Uniform
    )
}

pub(super) fn is_temp(mode: VariableMode) -> bool {
    matches!(mode, VariableMode::FunctionTemp | VariableMode::ShaderTemp)
}

/// True for modes in which the compiler lays variables out, and not the shader.
pub(super) fn is_compiler_laid_out(s: &Shader, mode: VariableMode) -> bool {
    is_temp(mode)
        || mode == VariableMode::Constant
        || mode == VariableMode::Shared && !s.info.shared_explicit_layout
}

/// The storage mode of each value that is a pointer: derefs, operands of casts, and phis and
/// selections of pointers.
pub(super) fn pointer_modes(s: &Shader, order: &[Id<Block>]) -> IdMap<Def, Option<VariableMode>> {
    let mut modes = IdMap::for_arena(&s.defs, None);
    let mut joins: Vec<SmallVec<[Id<Def>; 4]>> = Vec::new();
    for id in order.iter().flat_map(|b| &s.blocks[*b].instrs) {
        match &s.instrs[*id] {
            Instr::Deref(d) if is_lowered(d.mode) && d.mode != VariableMode::Global => {
                modes[d.def] = Some(d.mode);
                if let DerefKind::Cast { parent, .. } = d.kind {
                    modes[parent] = Some(d.mode);
                }
            }
            Instr::Phi(p) => joins.push(p.srcs.iter().map(|x| x.1).chain([p.def]).collect()),
            Instr::Alu(a) => match a.op {
                AluOp::Bcsel => {
                    joins.push(SmallVec::from_slice(&[a.srcs[1].def, a.srcs[2].def, a.def]));
                }
                AluOp::Mov => joins.push(SmallVec::from_slice(&[a.srcs[0].def, a.def])),
                _ => {}
            },
            _ => {}
        }
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for join in &joins {
            let Some(mode) = join.iter().find_map(|d| modes[*d]) else {
                continue;
            };
            for &d in join {
                changed |= modes[d].is_none();
                modes[d] = Some(mode);
            }
        }
    }
    modes
}
