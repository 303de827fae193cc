//! Removes writes to local variables that are never read.
//!
//! In:  derefs of temporaries.
//! Out: no store or copy to a variable unless some part of it is loaded, copied from, or its
//!      pointer is used otherwise.
//! Tests: tests/opt/opt_dead_write_vars/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_dead_write_vars(s: &mut Shader, _: &Ctx) -> bool {
    let temp = |m: VariableMode| matches!(m, VariableMode::FunctionTemp | VariableMode::ShaderTemp);
    if !s.vars.iter().any(|(_, v)| temp(v.mode)) {
        return false;
    }
    let order = s.block_order();
    let mut root: IdMap<Def, Option<Id<Variable>>> = IdMap::for_arena(&s.defs, None);
    let mut read: IdMap<Variable, bool> = IdMap::for_arena(&s.vars, false);
    let mut stores = false;
    for &b in &order {
        for &id in &s.blocks[b].instrs {
            match &s.instrs[id] {
                Instr::Deref(d) => match d.kind {
                    DerefKind::Var(v) if temp(d.mode) => root[d.def] = Some(v),
                    DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => {
                        let of = root[parent];
                        root[d.def] = of;
                    }
                    DerefKind::PtrAsArray { parent, .. } | DerefKind::Cast { parent, .. } => {
                        if let Some(v) = root[parent] {
                            read[v] = true;
                        }
                    }
                    DerefKind::Var(_) => {}
                },
                Instr::Intrinsic(i)
                    if matches!(i.op, IntrinsicOp::StoreDeref | IntrinsicOp::CopyDeref) =>
                {
                    stores |= root[i.srcs[0]].is_some();
                    if let Some(v) = root[i.srcs[1]] {
                        read[v] = true;
                    }
                }
                i => i.for_each_src(|d| {
                    if let Some(v) = root[d] {
                        read[v] = true;
                    }
                }),
            }
        }
    }
    if !stores {
        return false;
    }
    let mut changed = false;
    for b in order {
        let Shader { blocks, instrs, .. } = s;
        blocks[b].instrs.retain(|id| match &instrs[*id] {
            Instr::Intrinsic(i)
                if matches!(i.op, IntrinsicOp::StoreDeref | IntrinsicOp::CopyDeref) =>
            {
                let keep = root[i.srcs[0]].is_none_or(|v| read[v]);
                changed |= !keep;
                keep
            }
            _ => true,
        });
    }
    changed
}
