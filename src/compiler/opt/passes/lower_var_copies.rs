//! Splits copies of composite variables into loads and stores of their scalars and vectors.
//!
//! In:  `copy_deref`.
//! Out: one `load_deref` and `store_deref` per leaf, in order.
//! Tests: tests/opt/lower_io_to_temporaries/.

use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::Id;
use nir::*;

/// Runs the pass. Returns true if it changed the shader.
pub fn lower_var_copies(s: &mut Shader, _: &Ctx) -> bool {
    lower_instrs(
        s,
        |_, i| matches!(i, Instr::Intrinsic(i) if i.op == IntrinsicOp::CopyDeref),
        |b, id| {
            let Instr::Intrinsic(i) = &b.shader.instrs[id] else {
                return Action::Keep;
            };
            let (dst, src) = (i.srcs[0], i.srcs[1]);
            let (to, from) = (i.indices[0], i.indices[1]);
            match copy_leaves(b, dst, src, to, from) {
                Some(()) => Action::Remove,
                None => Action::Keep,
            }
        },
    )
}

/// Returns `None` if the two are not derefs of corresponding types.
fn copy_leaves(b: &mut Builder<'_>, dst: Id<Def>, src: Id<Def>, to: u32, from: u32) -> Option<()> {
    let mut work = vec![(dst, src)];
    while let Some((dst, src)) = work.pop() {
        let ty = b.shader.deref_of(dst)?.ty;
        let src_ty = b.shader.deref_of(src)?.ty;
        let parts = match &b.shader.types[ty] {
            Type::Matrix { columns, .. } => u32::from(*columns),
            Type::Array { len, .. } => (*len)?,
            Type::Struct { members, .. } => members.len() as u32,
            _ => {
                let (components, bits) = b.shader.types.value_shape(ty)?;
                if b.shader.types.value_shape(src_ty)? != (components, bits) {
                    return None;
                }
                let value = b.load(IntrinsicOp::LoadDeref, components, bits, &[src], &[from]);
                let mask = (1 << components) - 1;
                b.intrinsic(IntrinsicOp::StoreDeref, None, &[dst, value], &[mask, to]);
                continue;
            }
        };
        let is_struct = matches!(b.shader.types[ty], Type::Struct { .. });
        let mut pairs = Vec::with_capacity(parts as usize);
        for i in 0..parts {
            pairs.push(if is_struct {
                (b.deref_struct(dst, i)?, b.deref_struct(src, i)?)
            } else {
                let index = b.imm_u32(i);
                (b.deref_array(dst, index)?, b.deref_array(src, index)?)
            });
        }
        work.extend(pairs.into_iter().rev());
    }
    Some(())
}
