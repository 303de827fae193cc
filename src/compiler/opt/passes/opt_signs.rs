//! Moves negations to where they are free.
//!
//! In:  scalar operations; `opt_algebraic` has moved signs out of products and sums, so that equal
//!      ones are merged.
//! Out: a negation of a product or sum without other uses becomes that product or sum with negated
//!      operands, if any use of the negation (a store, a message, a phi) has no source modifiers:
//!      operands of arithmetic have them, other operands do not. A sum keeps its negation if it may
//!      not change the sign of zero.
//! Tests: tests/opt/opt_signs/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_signs(s: &mut Shader, _: &Ctx) -> bool {
    let order = s.block_order();
    // The number of uses of each value, and whether any of them has no source modifiers.
    let mut uses: IdMap<Def, (u32, bool)> = IdMap::for_arena(&s.defs, (0, false));
    for &b in &order {
        for &id in &s.blocks[b].instrs {
            let instr = &s.instrs[id];
            let bits = match instr {
                Instr::Alu(a) => !has_source_modifiers(a.op),
                _ => true,
            };
            instr.for_each_src(|d| {
                uses[d].0 += 1;
                uses[d].1 |= bits;
            });
        }
    }
    let mut changed = false;
    for block in order {
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            if let Some(new) = foldable_negation(s, &uses, id) {
                let before = s.blocks[block].instrs.len();
                negate_operands(s, block, at, id, new);
                at += s.blocks[block].instrs.len() - before;
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// True if an operation's operands are floats with source modifiers.
fn has_source_modifiers(op: AluOp) -> bool {
    matches!(
        op,
        AluOp::FAdd
            | AluOp::FMul
            | AluOp::FFma
            | AluOp::FLrp
            | AluOp::FNeg
            | AluOp::FAbs
            | AluOp::FSat
            | AluOp::FMin
            | AluOp::FMax
            | AluOp::FLt
            | AluOp::FGe
            | AluOp::FEq
            | AluOp::FNeu
            | AluOp::FFloor
            | AluOp::FCeil
            | AluOp::FTrunc
            | AluOp::FFract
            | AluOp::FRoundEven
            | AluOp::FRcp
            | AluOp::FSqrt
            | AluOp::FRsq
            | AluOp::FExp2
            | AluOp::FLog2
            | AluOp::FSin
            | AluOp::FCos
            | AluOp::FPow
    )
}

/// The product or sum below a negation, if its operands can be negated instead.
fn foldable_negation(s: &Shader, uses: &IdMap<Def, (u32, bool)>, id: Id<Instr>) -> Option<Alu> {
    let Instr::Alu(sign) = &s.instrs[id] else {
        return None;
    };
    let d = s.defs[sign.def];
    let fits = sign.op == AluOp::FNeg && d.num_components == 1;
    if !fits || !uses[sign.def].1 {
        return None;
    }
    let of = sign.srcs[0].def;
    let single_use = uses[of].0 == 1;
    let inner = s.alu_of(of).filter(|_| single_use)?;
    // The sign of a zero sum would change.
    let free = !inner.exact && !inner.preserve_nan_inf_sz;
    let takes = match inner.op {
        AluOp::FMul => true,
        AluOp::FAdd | AluOp::FFma => free,
        _ => false,
    };
    (takes && s.defs[of].num_components == 1).then(|| inner.clone())
}

/// Turns the negation into the operation itself, with negated operands.
fn negate_operands(s: &mut Shader, block: Id<Block>, at: usize, id: Id<Instr>, inner: Alu) {
    let Some(def) = s.instrs[id].def() else {
        return;
    };
    let bits = s.defs[def].bit_size;
    let mut b = Builder::before(s, block, at);
    let mut srcs = inner.srcs;
    let signs: &[usize] = match inner.op {
        AluOp::FMul => &[0],
        AluOp::FAdd => &[0, 1],
        _ => &[0, 2],
    };
    for &k in signs {
        let plain = SmallVec::from_iter([srcs[k]]);
        srcs[k] = AluSrc::splat(b.alu_with(AluOp::FNeg, plain, 1, bits), 0);
    }
    s.instrs[id] = Instr::Alu(Alu { def, srcs, ..inner });
}
