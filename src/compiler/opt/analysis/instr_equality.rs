//! Compares instructions, for passes that merge equal ones.

use entity::Id;
use nir::*;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A hash of everything that [`equal_instrs`] compares.
pub(crate) fn hash_instr(s: &Shader, i: &Instr) -> u64 {
    let mut h = FxHasher::default();
    std::mem::discriminant(i).hash(&mut h);
    if let Some(d) = i.def() {
        let d = s.defs[d];
        (d.num_components, d.bit_size).hash(&mut h);
    }
    match i {
        Instr::Alu(a) => {
            (a.op as u16).hash(&mut h);
            // Commutative operands have the same hash in either order.
            let mut sum = 0usize;
            for (k, src) in a.srcs.iter().enumerate() {
                if k < 2 && a.op.info().props.has(AluProps::COMMUTES) {
                    sum = sum.wrapping_add(src.def.index() * 16 + usize::from(src.swizzle[0]));
                } else {
                    (src.def.index(), src.swizzle[0]).hash(&mut h);
                }
            }
            sum.hash(&mut h);
        }
        Instr::Const { values, .. } => values.hash(&mut h),
        Instr::Intrinsic(x) => {
            (x.op as u16).hash(&mut h);
            x.srcs.hash(&mut h);
            x.indices.hash(&mut h);
        }
        _ => i.for_each_src(|d| d.hash(&mut h)),
    }
    h.finish()
}

/// True if two instructions compute the same value from the same operands. Operands of commutative
/// operations may be swapped; `exact` and `preserve_nan_inf_sz` are not compared.
pub(crate) fn equal_instrs(s: &Shader, a: Id<Instr>, b: Id<Instr>) -> bool {
    let (x, y) = (&s.instrs[a], &s.instrs[b]);
    let shape = |i: &Instr| {
        i.def()
            .map(|d| (s.defs[d].num_components, s.defs[d].bit_size))
    };
    if shape(x) != shape(y) {
        return false;
    }
    match (x, y) {
        (Instr::Alu(p), Instr::Alu(q)) => p.op == q.op && equal_srcs(s, p, q),
        (Instr::Const { values: p, .. }, Instr::Const { values: q, .. }) => p == q,
        (Instr::Undef { .. }, Instr::Undef { .. }) => true,
        (Instr::Deref(p), Instr::Deref(q)) => {
            p.kind == q.kind && p.mode == q.mode && p.ty == q.ty && p.access == q.access
        }
        (Instr::Intrinsic(p), Instr::Intrinsic(q)) => {
            p.op == q.op && p.srcs == q.srcs && p.indices == q.indices
        }
        (Instr::Phi(p), Instr::Phi(q)) => p.srcs == q.srcs,
        (Instr::Tex(p), Instr::Tex(q)) => {
            let mut p = p.clone();
            p.def = q.def;
            p == *q
        }
        _ => false,
    }
}

fn equal_srcs(s: &Shader, p: &Alu, q: &Alu) -> bool {
    let n = s.defs[p.def].num_components;
    let same = |i: usize, j: usize| {
        let used = usize::from(p.src_components(i, n));
        let (x, y) = (&p.srcs[i], &q.srcs[j]);
        x.def == y.def && x.swizzle[..used] == y.swizzle[..used]
    };
    let rest = (2..p.srcs.len()).all(|i| same(i, i));
    let plain = (0..p.srcs.len().min(2)).all(|i| same(i, i));
    rest && (plain || (p.op.info().props.has(AluProps::COMMUTES) && same(0, 1) && same(1, 0)))
}
