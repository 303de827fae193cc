//! Separates the low bits of a sum from the high ones.
//!
//! In:  scalar ALU operations.
//! Out: where `c` is below the lowest bit that `x` may have, `x + c` has the bits of both. Then
//!      `(x + c) >> n` is `x >> n` if the shift drops `c`, and `(x + c) & m` is `(x & m) + (c & m)`
//!      if other masks share `x & m` or nothing else needs the sum: elements 4i and 4i + 1 of an
//!      array in rows then differ only in a constant, by which `opt_load_store_vectorize` merges
//!      accesses.
//! Tests: tests/opt/opt_low_bits/.

use crate::analysis::offset::low_zero_bits;
use crate::pass::Ctx;
use crate::rewrite::instrs::{Action, lower_instrs};
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;

/// How many operations deep known zeros are looked for.
const DEPTH: u8 = 4;

/// A sum of disjoint bits, as the operand of a shift or of a mask.
#[derive(Clone, Copy)]
struct Split {
    /// The operand with low bits of zero.
    high: (Id<Def>, u8),
    /// The sum of both.
    sum: Id<Def>,
    /// The constant below.
    low: u64,
    /// The number of bits of the shift, or the mask.
    by: u64,
}

/// True if there is a shift or mask of a sum of disjoint bits.
pub(crate) fn splits_sums(s: &Shader) -> bool {
    s.block_order().into_iter().any(|b| {
        let mut instrs = s.blocks[b].instrs.iter();
        instrs.any(|id| matches!(&s.instrs[*id], Instr::Alu(alu) if split(s, alu).is_some()))
    })
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_low_bits(s: &mut Shader, _: &Ctx) -> bool {
    // Masks of the same value, and uses of each sum.
    let mut masks: FxHashMap<((Id<Def>, u8), u64), u32> = FxHashMap::default();
    let mut uses: IdMap<Def, u32> = IdMap::for_arena(&s.defs, 0);
    let mut any = false;
    for b in s.block_order() {
        for &id in &s.blocks[b].instrs {
            s.instrs[id].for_each_src(|d| uses[d] += 1);
            let Instr::Alu(alu) = &s.instrs[id] else {
                continue;
            };
            if let Some(split) = split(s, alu) {
                any = true;
                if alu.op == AluOp::IAnd {
                    *masks.entry((split.high, split.by)).or_default() += 1;
                }
            }
        }
    }
    if !any {
        return false;
    }
    let is_cheaper = |s: &Shader, alu: &Alu| {
        split(s, alu).is_some_and(|split| {
            let shared = masks.get(&(split.high, split.by)).is_some_and(|n| *n > 1);
            alu.op != AluOp::IAnd || shared || uses[split.sum] == 1
        })
    };
    lower_instrs(
        s,
        |s, i| matches!(i, Instr::Alu(alu) if is_cheaper(s, alu)),
        |b, id| {
            let Instr::Alu(alu) = b.shader.instrs[id].clone() else {
                return Action::Keep;
            };
            let Some(split) = split(b.shader, &alu) else {
                return Action::Keep;
            };
            let bits = b.bits(alu.def);
            let high = b.channel(split.high.0, split.high.1);
            let by = match alu.op {
                AluOp::IAnd => b.constant(bits, &[split.by]),
                _ => b.imm_u32(split.by as u32),
            };
            let part = b.alu(alu.op, &[high, by]);
            match alu.op {
                AluOp::IAnd => {
                    let low = split.low & split.by;
                    Action::Replace(b.iadd_imm(part, low as i64))
                }
                _ => Action::Replace(part),
            }
        },
    )
}

/// The operand of a shift or mask, if it is a sum of disjoint bits, and a shift drops the low ones.
fn split(s: &Shader, alu: &Alu) -> Option<Split> {
    if !matches!(alu.op, AluOp::IAnd | AluOp::UShr | AluOp::IShr)
        || s.defs[alu.def].num_components != 1
    {
        return None;
    }
    let by = s.const_component(alu.srcs[1].def, alu.srcs[1].swizzle[0])?;
    let sum = s.alu_of(alu.srcs[0].def)?;
    if sum.op != AluOp::IAdd || s.defs[sum.def].num_components != 1 {
        return None;
    }
    let low = s.const_component(sum.srcs[1].def, sum.srcs[1].swizzle[0])?;
    let high = (sum.srcs[0].def, sum.srcs[0].swizzle[0]);
    let zeros = low_zero_bits(s, high, DEPTH);
    let by = match alu.op {
        AluOp::IAnd => by,
        _ => by % u64::from(s.defs[alu.def].bit_size),
    };
    let disjoint = low != 0 && low.checked_shr(zeros).unwrap_or(0) == 0;
    let fits = alu.op == AluOp::IAnd || by >= u64::from(u64::BITS - low.leading_zeros());
    (disjoint && fits).then_some(Split {
        high,
        sum: sum.def,
        low,
        by,
    })
}
