//! Places cull distances behind clip distances, as the hardware expects them.
//!
//! In:  variables at slots CLIP_DIST0 and CULL_DIST0.
//! Out: all distances start at CLIP_DIST0, one component each; `info.distances` holds the masks of
//!      those written, and `info.capture` is updated. An array of one element that is neither read
//!      nor written was declared by the shader compiler on its own and takes no components. Inputs
//!      use the previous stage's layout if it is known (`info.input_clip_distances`).
//! Tests: tests/opt/lower_clip_cull_distance_arrays/.

use crate::pass::Ctx;
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_clip_cull_distance_arrays(s: &mut Shader, _: &Ctx) -> bool {
    let (read, written) = accessed_variables(s);
    let mut changed = false;
    for mode in [VariableMode::ShaderIn, VariableMode::ShaderOut] {
        let find = |s: &Shader, slot| {
            s.vars.ids().find(|&v| {
                let v = &s.vars[v];
                v.mode == mode && v.io.is_some_and(|io| io.slot == slot && io.compact)
            })
        };
        let [clip, cull] = [Slot::CLIP_DIST0, Slot::CULL_DIST0].map(|slot| find(s, slot));
        let is_accessed = |v: &Id<Variable>| read.contains(v) || written.contains(v);
        let count = |s: &Shader, v: Option<Id<Variable>>| {
            let v = v?;
            let n = element_count(s, &s.vars[v]);
            (is_accessed(&v) || n > 1).then_some(n)
        };
        let own = count(s, clip).unwrap_or(0);
        // A stage may read cull distances without declaring the clip distances.
        let before = s
            .info
            .input_clip_distances
            .filter(|_| mode == VariableMode::ShaderIn);
        let clips = before.unwrap_or(own).min(8);
        let culls = count(s, cull).unwrap_or(0);
        if let Some(v) = cull
            && let Some(io) = &mut s.vars[v].io
        {
            io.slot = Slot(Slot::CLIP_DIST0.0 + clips / 4);
            io.component = clips % 4;
            changed = true;
            if mode == VariableMode::ShaderOut {
                move_captured(s, clips);
            }
        }
        let is_written = |v: Option<Id<Variable>>| v.is_some_and(|v| written.contains(&v));
        if mode == VariableMode::ShaderOut && s.stage != Stage::TessControl {
            let bits = |n: u8| ((1u32 << n.min(8)) - 1) as u8;
            let distances = &mut s.info.distances;
            if is_written(clip) {
                distances.clip = bits(clips);
            }
            if is_written(cull) {
                distances.cull = bits(culls) << clips.min(7);
            }
            changed |= *distances != ClipCullDistances::default();
        }
    }
    changed
}

/// Updates captured cull distances (transform feedback) to their new slots.
fn move_captured(s: &mut Shader, clips: u8) {
    let (first, last) = (Slot::CULL_DIST0.0, Slot::CULL_DIST1.0);
    for c in &mut s.info.capture.dwords {
        if (first..=last).contains(&c.slot.0) {
            let at = clips + (c.slot.0 - first) * 4 + c.component;
            (c.slot, c.component) = (Slot(Slot::CLIP_DIST0.0 + at / 4), at % 4);
        }
    }
}

/// The number of elements of an array of scalars, of one vertex.
fn element_count(s: &Shader, v: &Variable) -> u8 {
    let mut ty = v.ty;
    if s.is_per_vertex(v)
        && let Type::Array { elem, .. } = &s.types[ty]
    {
        ty = *elem;
    }
    match &s.types[ty] {
        Type::Array { len: Some(len), .. } => (*len).min(8) as u8,
        _ => 1,
    }
}

/// Variables that are read, and variables that are written.
fn accessed_variables(s: &Shader) -> (Vec<Id<Variable>>, Vec<Id<Variable>>) {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for block in s.block_order() {
        for &i in &s.blocks[block].instrs {
            let Instr::Intrinsic(i) = &s.instrs[i] else {
                continue;
            };
            let list = match i.op {
                IntrinsicOp::LoadDeref => &mut read,
                // `lower_io_to_temporaries` copies variables that the shader never writes, too.
                IntrinsicOp::StoreDeref if is_undef(s, i.srcs[1]) => continue,
                IntrinsicOp::StoreDeref => &mut written,
                _ => continue,
            };
            if let Some(var) = root_variable(s, i.srcs[0])
                && !list.contains(&var)
            {
                list.push(var);
            }
        }
    }
    (read, written)
}

fn is_undef(s: &Shader, def: Id<Def>) -> bool {
    matches!(s.instr_of(def), Instr::Undef { .. })
}

fn root_variable(s: &Shader, ptr: Id<Def>) -> Option<Id<Variable>> {
    let mut at = ptr;
    loop {
        match s.deref_of(at)?.kind {
            DerefKind::Var(v) => return Some(v),
            DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => at = parent,
            DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => return None,
        }
    }
}
