//! Evaluates operations on constants.
//!
//! In:  any shader.
//! Out: no ALU operation has only constant operands; a selection with a constant condition is a
//!      copy; a load of constant data at a constant offset is a constant.
//! Tests: tests/opt/opt_constant_folding/.

use crate::pass::Ctx;
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_constant_folding(s: &mut Shader, _: &Ctx) -> bool {
    let mut changed = false;
    let mut data = None;
    for b in s.block_order() {
        for k in 0..s.blocks[b].instrs.len() {
            let id = s.blocks[b].instrs[k];
            if let Some(new) = fold_instr(s, id).or_else(|| fold_load(s, id, &mut data)) {
                s.instrs[id] = new;
                changed = true;
            }
        }
    }
    changed
}

/// The instruction that replaces `id` if its operands are constants.
#[inline]
pub(crate) fn fold_instr(s: &Shader, id: Id<Instr>) -> Option<Instr> {
    let Instr::Alu(a) = &s.instrs[id] else {
        return None;
    };
    // For selections, the condition. For other operations all operands, the last one first: if any
    // is constant, it is.
    let tested = match a.op {
        AluOp::Bcsel => &a.srcs[..1],
        _ => &a.srcs[..],
    };
    match tested.iter().rev().all(|x| s.const_of(x.def).is_some()) {
        true => fold_alu(s, a),
        false => None,
    }
}

fn fold_alu(s: &Shader, a: &Alu) -> Option<Instr> {
    let def = s.defs[a.def];
    if a.op == AluOp::Bcsel {
        return fold_select(s, a, def);
    }
    let n = def.num_components;
    let mut values: SmallVec<[SmallVec<[u64; 4]>; 3]> = SmallVec::new();
    let mut bits: SmallVec<[u8; 4]> = SmallVec::new();
    for (i, src) in a.srcs.iter().enumerate() {
        let of = s.const_of(src.def)?;
        let used = usize::from(a.src_components(i, n));
        let mut v = SmallVec::new();
        for c in &src.swizzle[..used] {
            v.push(*of.get(usize::from(*c))?);
        }
        values.push(v);
        bits.push(s.defs[src.def].bit_size);
    }
    let parts: SmallVec<[&[u64]; 3]> = values.iter().map(|v| v.as_slice()).collect();
    let mut out: SmallVec<[u64; 4]> = SmallVec::from_elem(0, usize::from(n));
    fold::fold(
        a.op,
        def.bit_size,
        &bits,
        &parts,
        s.info.float_controls,
        &mut out,
    )
    .then_some(Instr::Const {
        def: a.def,
        values: out,
    })
}

/// The constant that replaces a load of constant data at a constant offset. `data` caches the
/// constant data, once it is needed.
#[inline]
pub(crate) fn fold_load(s: &Shader, id: Id<Instr>, data: &mut Option<Vec<u8>>) -> Option<Instr> {
    let Instr::Intrinsic(i) = &s.instrs[id] else {
        return None;
    };
    if i.op != IntrinsicOp::LoadConstant {
        return None;
    }
    let (def, offset) = (i.def?, s.const_component(i.srcs[0], 0)?);
    let data = data.get_or_insert_with(|| s.constant_data());
    let Def {
        num_components: n,
        bit_size,
        ..
    } = s.defs[def];
    let bytes = usize::from(bit_size) / 8;
    let at = (offset as u32).wrapping_add(i.index("base")) as usize;
    let component = |c: usize| {
        // Out-of-bounds bytes read as zero, as the surface returns them.
        let from = data.get(at + c * bytes..at + (c + 1) * bytes);
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(from.unwrap_or(&[0; 8][..bytes]));
        u64::from_le_bytes(value)
    };
    let values = (0..usize::from(n)).map(component).collect();
    Some(Instr::Const { def, values })
}

fn fold_select(s: &Shader, a: &Alu, def: Def) -> Option<Instr> {
    let cond = s.const_of(a.srcs[0].def)?;
    let n = usize::from(def.num_components);
    let mut picks = a.srcs[0].swizzle[..n]
        .iter()
        .map(|c| cond.get(usize::from(*c)).copied());
    let first = picks.next()??;
    if picks.any(|p| p != Some(first)) {
        return None;
    }
    let src = if first != 0 { a.srcs[1] } else { a.srcs[2] };
    Some(Instr::Alu(Alu {
        op: AluOp::Mov,
        def: a.def,
        srcs: SmallVec::from_iter([src]),
        exact: false,
        preserve_nan_inf_sz: false,
    }))
}
