//! Layout of constant, shared and scratch variables.

use super::modes::is_temp;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;

/// Assigns offsets to the constant, shared and scratch variables that are still used. Equal
/// constants share an offset.
pub(super) fn assign_offsets(
    s: &mut Shader,
    natural_sizes: &IdMap<Type, (u32, u32)>,
    order: &[Id<Block>],
) {
    let mut used = entity::IdSet::new();
    for b in order {
        for i in &s.blocks[*b].instrs {
            if let Instr::Deref(d) = &s.instrs[*i]
                && let DerefKind::Var(v) = d.kind
            {
                used.insert(v);
            }
        }
    }
    let mut inits = Vec::new();
    let mut constant_bytes = 0;
    let mut constants = FxHashMap::default();
    for (id, v) in s.vars.iter_mut() {
        if !used.contains(id) || v.offset_bytes.is_some() {
            continue;
        }
        let (size, align) = natural_sizes[v.ty];
        let end = match v.mode {
            VariableMode::Constant => {
                if let Some(&at) = constants.get(&(v.ty, v.init.clone())) {
                    v.offset_bytes = Some(at);
                    continue;
                }
                &mut constant_bytes
            }
            VariableMode::Shared => &mut s.info.shared_bytes,
            VariableMode::FunctionTemp | VariableMode::ShaderTemp => &mut s.info.scratch_bytes,
            _ => continue,
        };
        let at = end.next_multiple_of(align.max(4));
        v.offset_bytes = Some(at);
        *end = at.saturating_add(size).min(MAX_NATURAL_BYTES);
        if v.mode == VariableMode::Constant {
            constants.insert((v.ty, v.init.clone()), at);
        }
        if is_temp(v.mode) && v.init.is_some() {
            inits.push(id);
        }
    }
    let Some(&entry) = order.first() else { return };
    // Initial values of variables in scratch are stored at the start of the shader.
    let rest = std::mem::take(&mut s.blocks[entry].instrs);
    let mut b = Builder::at_end_of_block(s, entry);
    for id in inits {
        store_initial(&mut b, id);
    }
    s.blocks[entry].instrs.extend(rest);
}

pub(super) fn store_initial(b: &mut Builder<'_>, var: Id<Variable>) {
    let Some(init) = b.shader.vars[var].init.clone() else {
        return;
    };
    let root = b.deref_var(var);
    let mut work = vec![(root, &init)];
    while let Some((ptr, init)) = work.pop() {
        match init {
            ConstValue::Vector(v) => {
                let Some((_, bits)) = b
                    .shader
                    .deref_of(ptr)
                    .and_then(|d| b.shader.types.value_shape(d.ty))
                else {
                    continue;
                };
                let value = b.constant(bits, v);
                b.store_deref(ptr, value);
            }
            ConstValue::Composite(parts) => {
                for (i, part) in parts.iter().enumerate().rev() {
                    let index = b.imm_u32(i as u32);
                    let to = b
                        .deref_array(ptr, index)
                        .or_else(|| b.deref_struct(ptr, i as u32));
                    if let Some(to) = to {
                        work.push((to, part));
                    }
                }
            }
        }
    }
}
