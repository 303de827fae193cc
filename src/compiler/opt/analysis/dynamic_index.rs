//! Finds dynamic indices of local arrays and of outputs.

use entity::Id;
use nir::*;

/// Maximum number of vectors of an array that can be promoted. Larger arrays stay in memory however
/// they are indexed.
const MAX_PROMOTED_VECTORS: u32 = 128;

/// True if the shader indexes local arrays, or scalars of output slots, dynamically.
pub(crate) fn indexes_arrays(s: &Shader) -> bool {
    let indexes = |b: Id<Block>| s.blocks[b].instrs.iter().any(|i| indexes_array(s, *i));
    s.block_order().into_iter().any(indexes)
}

/// True for a dynamic index of a local array that can be promoted, or of scalars of an output's
/// slots.
pub(crate) fn indexes_array(s: &Shader, i: Id<Instr>) -> bool {
    let Instr::Deref(d) = &s.instrs[i] else {
        return false;
    };
    if dynamic_component(s, d).is_some() {
        return true;
    }
    let DerefKind::Array { parent, index } = d.kind else {
        return false;
    };
    matches!(
        d.mode,
        VariableMode::FunctionTemp | VariableMode::ShaderTemp
    ) && s.const_of(index).is_none()
        && s.deref_of(parent).is_some_and(|p| {
            !matches!(s.types[p.ty], Type::Vector { .. })
                && s.types.count_slots(p.ty) <= MAX_PROMOTED_VECTORS
        })
}

/// A dynamic index into the components of an output.
pub(crate) struct DynamicComponent {
    /// The deref that is indexed.
    pub(crate) parent: Id<Def>,
    pub(crate) index: Id<Def>,
    /// The number of components.
    pub(crate) count: u32,
}

/// The dynamic index of a deref, if it selects one of several scalars of an output's slots.
pub(crate) fn dynamic_component(s: &Shader, d: &Deref) -> Option<DynamicComponent> {
    let DerefKind::Array { parent, index } = d.kind else {
        return None;
    };
    if d.mode != VariableMode::ShaderOut || s.const_of(index).is_some() {
        return None;
    }
    let of = s.deref_of(parent)?;
    let count = match (&s.types[of.ty], &of.kind) {
        (Type::Vector { len, .. }, _) => u32::from(*len),
        (Type::Array { len, .. }, DerefKind::Var(v))
            if s.vars[*v].io.is_some_and(|io| io.compact) && !s.is_per_vertex(&s.vars[*v]) =>
        {
            (*len)?
        }
        _ => return None,
    };
    Some(DynamicComponent {
        parent,
        index,
        count,
    })
}
