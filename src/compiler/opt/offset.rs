//! Offsets of memory accesses, taken apart.

use entity::Id;
use nir::{AluOp, Def, Shader, fold};

/// Offset as (dynamic part, constant).
pub(crate) fn split(s: &Shader, offset: Id<Def>) -> (Option<Id<Def>>, i64) {
    let bits = s.defs[offset].bit_size;
    if let Some(v) = s.const_component(offset, 0) {
        return (None, fold::sext(bits, v));
    }
    if let Some(a) = s.alu_of(offset)
        && a.op == AluOp::IAdd
    {
        for (c, other) in [(1, 0), (0, 1)] {
            let src = a.srcs[other];
            if let Some(v) = s.const_component(a.srcs[c].def, a.srcs[c].swizzle[0])
                && s.defs[src.def].num_components == 1
            {
                return (Some(src.def), fold::sext(bits, v));
            }
        }
    }
    (Some(offset), 0)
}
