//! Keeps from the stage behind what it does not read.
//!
//! In:  derefs of shader_out of a vertex, tessellation evaluation or geometry shader, and which slots the stage behind reads
//! ([`Ctx::read_behind`]). Out: outputs that it reads nothing of, and that are not captured, are variables of the shader's own; what was
//! computed for them alone goes with them. Tests: tests/opt/opt_unread_outputs/.
//! Ref: Vulkan, "Shader Interfaces": an output that nothing consumes has no effect.

use crate::pass::Ctx;
use crate::rewrite::to_temporaries;
use entity::{Id, IdMap};
use nir::*;

/// Entry point.
pub fn opt_unread_outputs(s: &mut Shader, ctx: &Ctx) -> bool {
    let Some(read) = ctx.read_behind else {
        return false;
    };
    if !matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry) {
        return false;
    }
    let captured = s.info.capture.dwords.iter();
    let needed = captured.fold(read, |all, dword| all.with(dword.slot));
    let mut own: IdMap<Variable, Option<Id<Variable>>> = IdMap::for_arena(&s.vars, None);
    let mut any = false;
    for id in s.vars.ids() {
        let v = &s.vars[id];
        let Some(io) = v.io.filter(|_| v.mode == Mode::ShaderOut) else {
            continue;
        };
        if io.slot.user_location().is_none() || needed.any(slots_of(s, v)) {
            continue;
        }
        let v = &mut s.vars[id];
        (v.mode, v.io, v.access) = (Mode::ShaderTemp, None, Access::default());
        own[id] = Some(id);
        any = true;
    }
    if any {
        to_temporaries(s, &own);
    }
    any
}

/// Slots that a variable of a stage's interface fills, those of one vertex where it has several.
fn slots_of(s: &Shader, v: &Variable) -> Slots {
    let Some(io) = v.io else { return Slots::NONE };
    let mut ty = v.ty;
    if s.is_per_vertex(v)
        && let Type::Array { elem, .. } = s.types[ty]
    {
        ty = elem;
    }
    Slots::run(io.slot, s.types.count_slots(ty))
}

/// Slots of inputs that a shader points to: no others are read. Those of the API's own are not told.
pub fn inputs_read(s: &Shader) -> Slots {
    let mut read = Slots::NONE;
    for block in s.block_order() {
        for &id in &s.blocks[block].instrs {
            if let Instr::Deref(d) = &s.instrs[id]
                && let DerefKind::Var(v) = d.kind
                && s.vars[v].mode == Mode::ShaderIn
            {
                read = read.or(slots_of(s, &s.vars[v]));
            }
        }
    }
    read
}
