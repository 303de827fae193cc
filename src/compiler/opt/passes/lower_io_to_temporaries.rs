//! Replaces outputs, and dynamically indexed inputs, by temporaries.
//!
//! In:  derefs of shader_in and shader_out.
//! Out: outputs are written once, as a whole and with constant indices: at each end of the shader,
//!      or before each `emit_vertex`. Tessellation control is excluded, because its invocations
//!      share outputs. Dynamically indexed inputs of vertex and fragment shaders are read as a
//!      whole at the start; those with an `interp_deref_at_*` keep their derefs.
//! Tests: tests/opt/lower_io_to_temporaries/.

use crate::pass::Ctx;
use crate::rewrite::instrs::redirect_to_temporaries;
use entity::{Id, IdMap};
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_io_to_temporaries(s: &mut Shader, _: &Ctx) -> bool {
    let copied_out = !matches!(s.stage, Stage::TessControl | Stage::Compute);
    let dynamic = match s.stage {
        Stage::Vertex | Stage::Fragment => dynamic_inputs(s),
        _ => IdMap::with_default(false),
    };
    let mut temp: IdMap<Variable, Option<Id<Variable>>> = IdMap::for_arena(&s.vars, None);
    let (mut outs, mut ins) = (Vec::new(), Vec::new());
    for id in s.vars.ids() {
        let v = &s.vars[id];
        let list = match v.mode {
            VariableMode::ShaderOut if copied_out => &mut outs,
            VariableMode::ShaderIn if dynamic[id] => &mut ins,
            _ => continue,
        };
        let copy = Variable {
            mode: VariableMode::ShaderTemp,
            io: None,
            access: Access::default(),
            init: None,
            ..v.clone()
        };
        let copy = s.vars.push(copy);
        temp[id] = Some(copy);
        list.push((id, copy));
    }
    if outs.is_empty() && ins.is_empty() {
        return false;
    }
    redirect_to_temporaries(s, &temp);
    for block in s.block_order() {
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            let writes = match &s.instrs[id] {
                Instr::Intrinsic(i) => i.op == IntrinsicOp::EmitVertex,
                Instr::Jump(j) => *j == Jump::Return && s.stage != Stage::Geometry,
                _ => false,
            };
            if writes {
                at = copy_variables(s, block, at, &outs);
            }
            at += 1;
        }
    }
    if let Some(last) = s.last_block(ListRef::Body)
        && s.stage != Stage::Geometry
        && s.jump_of(last).is_none()
    {
        let end = s.blocks[last].instrs.len();
        copy_variables(s, last, end, &outs);
    }
    if let Some(first) = s.first_block(ListRef::Body) {
        let reads: Vec<_> = ins.iter().map(|(real, copy)| (*copy, *real)).collect();
        copy_variables(s, first, 0, &reads);
    }
    true
}

/// Copies whole variables before instruction `at` of a block. Returns the position after the
/// copies.
fn copy_variables(
    s: &mut Shader,
    block: Id<Block>,
    at: usize,
    pairs: &[(Id<Variable>, Id<Variable>)],
) -> usize {
    let mut b = Builder::before(s, block, at);
    for (to, from) in pairs {
        let (dst, src) = (b.deref_var(*to), b.deref_var(*from));
        b.intrinsic(IntrinsicOp::CopyDeref, None, &[dst, src], &[0, 0]);
    }
    b.position()
}

/// Inputs with a dynamic index, other than of a vector's component, that are never read by
/// `interp_deref_at_*`.
fn dynamic_inputs(s: &Shader) -> IdMap<Variable, bool> {
    let mut root: IdMap<Def, Option<Id<Variable>>> = IdMap::for_arena(&s.defs, None);
    let mut dynamic: IdMap<Variable, bool> = IdMap::for_arena(&s.vars, false);
    let mut interpolated: IdMap<Variable, bool> = IdMap::for_arena(&s.vars, false);
    for block in s.block_order() {
        for &id in &s.blocks[block].instrs {
            match &s.instrs[id] {
                Instr::Deref(d) if d.mode == VariableMode::ShaderIn => match d.kind {
                    DerefKind::Var(v) => root[d.def] = Some(v),
                    DerefKind::Array { parent, index } => {
                        root[d.def] = root[parent];
                        let vector = s
                            .deref_of(parent)
                            .is_some_and(|p| matches!(s.types[p.ty], Type::Vector { .. }));
                        if let Some(v) = root[parent]
                            && !vector
                            && s.const_of(index).is_none()
                        {
                            dynamic[v] = true;
                        }
                    }
                    DerefKind::Struct { parent, .. }
                    | DerefKind::PtrAsArray { parent, .. }
                    | DerefKind::Cast { parent, .. } => root[d.def] = root[parent],
                },
                Instr::Intrinsic(i)
                    if matches!(
                        i.op,
                        IntrinsicOp::InterpDerefAtCentroid
                            | IntrinsicOp::InterpDerefAtSample
                            | IntrinsicOp::InterpDerefAtOffset
                    ) =>
                {
                    if let Some(v) = root[i.srcs[0]] {
                        interpolated[v] = true;
                    }
                }
                _ => {}
            }
        }
    }
    for id in s.vars.ids() {
        dynamic[id] &= !interpolated[id];
    }
    dynamic
}
