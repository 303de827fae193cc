//! Removes outputs that the next stage does not read.
//!
//! In:  derefs of shader_out of any stage but the last, and the slots that the next stage reads
//!      ([`Ctx::next_stage_reads`]).
//! Out: outputs that are neither read by the next stage, nor captured, nor read by the shader
//!      itself (tessellation control) become temporaries; later passes remove the code that only
//!      computes them.
//! Ref: Vulkan, "Shader Interfaces": an output that nothing consumes has no effect.
//! Tests: tests/opt/opt_unread_outputs/.

use crate::pass::Ctx;
use crate::rewrite::instrs::redirect_to_temporaries;
use entity::{Id, IdMap};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_unread_outputs(s: &mut Shader, ctx: &Ctx) -> bool {
    let Some(reads) = ctx.next_stage_reads else {
        return false;
    };
    if matches!(s.stage, Stage::Fragment | Stage::Compute) {
        return false;
    }
    let self_read = match s.stage {
        Stage::TessControl => self_read_outputs(s),
        _ => IdMap::with_default(false),
    };
    let captured = s.info.capture.dwords.iter();
    let needed = captured.fold(reads.slots, |all, dword| all.with(dword.slot));
    let mut temporaries: IdMap<Variable, Option<Id<Variable>>> = IdMap::for_arena(&s.vars, None);
    let mut any = false;
    for id in s.vars.ids() {
        let v = &s.vars[id];
        let Some(io) = v.io.filter(|_| v.mode == VariableMode::ShaderOut) else {
            continue;
        };
        if io.slot.user_location().is_none() || self_read[id] || needed.any(variable_slots(s, v)) {
            continue;
        }
        let v = &mut s.vars[id];
        (v.mode, v.io, v.access) = (VariableMode::ShaderTemp, None, Access::default());
        temporaries[id] = Some(id);
        any = true;
    }
    if any {
        redirect_to_temporaries(s, &temporaries);
    }
    any
}

/// The slots of an I/O variable; for per-vertex variables, those of one vertex.
fn variable_slots(s: &Shader, v: &Variable) -> SlotSet {
    let Some(io) = v.io else { return SlotSet::NONE };
    let mut ty = v.ty;
    if s.is_per_vertex(v)
        && let Type::Array { elem, .. } = s.types[ty]
    {
        ty = elem;
    }
    SlotSet::run(io.slot, s.types.count_slots(ty))
}

/// Outputs that the shader reads.
fn self_read_outputs(s: &Shader) -> IdMap<Variable, bool> {
    let mut root: IdMap<Def, Option<Id<Variable>>> = IdMap::for_arena(&s.defs, None);
    let mut read = IdMap::for_arena(&s.vars, false);
    for block in s.block_order() {
        for &id in &s.blocks[block].instrs {
            match &s.instrs[id] {
                Instr::Deref(d) if d.mode == VariableMode::ShaderOut => {
                    root[d.def] = match d.kind {
                        DerefKind::Var(v) => Some(v),
                        DerefKind::Array { parent, .. }
                        | DerefKind::Struct { parent, .. }
                        | DerefKind::PtrAsArray { parent, .. }
                        | DerefKind::Cast { parent, .. } => root[parent],
                    }
                }
                Instr::Intrinsic(i)
                    if matches!(i.op, IntrinsicOp::StoreDeref | IntrinsicOp::CopyDeref) =>
                {
                    if let Some(v) = root[i.srcs[1]] {
                        read[v] = true;
                    }
                }
                other => other.for_each_src(|src| {
                    if let Some(v) = root[src] {
                        read[v] = true;
                    }
                }),
            }
        }
    }
    read
}
