//! Combines two reciprocals in a product.
//!
//! In:  scalar operations; divisions are lowered.
//! Out: if two factors of a product are reciprocals without other uses, `a (1/b) c (1/d)` becomes
//!      `a c (1/(b d))`: one math box instruction instead of two. At most two are combined, so that
//!      the product overflows or underflows only if `b` or `d` is beyond the square root of the
//!      range. Exact operations are left unchanged.
//! Tests: tests/opt/opt_reciprocals/.

use crate::analysis::fast_math;
use crate::analysis::use_counts::use_counts;
use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use smallvec::SmallVec;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_reciprocals(s: &mut Shader, _: &Ctx) -> bool {
    let order = s.block_order();
    let reciprocals = order.iter().flat_map(|&b| &s.blocks[b].instrs);
    if reciprocals
        .filter(|&&id| reciprocal(s, id).is_some())
        .count()
        < 2
    {
        return false;
    }
    let use_block = single_use_blocks(s, &order);
    let mut changed = false;
    for block in order {
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            if let Some(product) = match_product(s, &use_block, block, id) {
                let before = s.blocks[block].instrs.len();
                emit_product(s, block, at, id, &product);
                at += s.blocks[block].instrs.len() - before;
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// The ALU operation at `id`, if it has this opcode and may be evaluated in another way.
fn fast_math_op(s: &Shader, id: Id<Instr>, op: AluOp) -> Option<&Alu> {
    fast_math::fast_math_alu(s, id).filter(|alu| alu.op == op)
}

fn reciprocal(s: &Shader, id: Id<Instr>) -> Option<&AluSrc> {
    fast_math_op(s, id, AluOp::FRcp).map(|alu| &alu.srcs[0])
}

/// For each value with a single use in the block in which it is defined, that block.
fn single_use_blocks(s: &Shader, order: &[Id<Block>]) -> IdMap<Def, Option<Id<Block>>> {
    let uses = use_counts(s);
    let mut made: IdMap<Def, Option<Id<Block>>> = IdMap::for_arena(&s.defs, None);
    let mut use_block = IdMap::for_arena(&s.defs, None);
    for &b in order {
        for &id in &s.blocks[b].instrs {
            if let Some(def) = s.instrs[id].def() {
                made[def] = Some(b);
            }
            s.instrs[id].for_each_src(|def| {
                if made[def] == Some(b) && uses[def] == 1 {
                    use_block[def] = Some(b);
                }
            });
        }
    }
    use_block
}

/// A product of several factors.
#[derive(Default)]
struct Product {
    /// The other factors, in order.
    others: SmallVec<[AluSrc; 8]>,
    /// The operands of the reciprocals.
    denominators: SmallVec<[AluSrc; 4]>,
}

/// The product that ends at `id`, if at least two of its factors are reciprocals.
fn match_product(
    s: &Shader,
    use_block: &IdMap<Def, Option<Id<Block>>>,
    block: Id<Block>,
    id: Id<Instr>,
) -> Option<Product> {
    let root = fast_math_op(s, id, AluOp::FMul)?;
    let mut found = Product::default();
    let mut open: SmallVec<[AluSrc; 8]> = root.srcs.iter().rev().copied().collect();
    while let Some(src) = open.pop() {
        let of = s.defs[src.def].instr;
        let is_inner = use_block[src.def] == Some(block);
        if let Some(below) = fast_math_op(s, of, AluOp::FMul).filter(|_| is_inner) {
            open.extend(below.srcs.iter().rev().copied());
        } else if let Some(of) = reciprocal(s, of).filter(|_| is_inner) {
            found.denominators.push(*of);
        } else {
            found.others.push(src);
        }
    }
    (found.denominators.len() > 1).then_some(found)
}

/// Emits the product again before its last operation, which is kept.
fn emit_product(s: &mut Shader, block: Id<Block>, at: usize, id: Id<Instr>, product: &Product) {
    let mut b = Builder::before(s, block, at);
    let mut make = |op: AluOp, srcs: &[AluSrc]| {
        AluSrc::splat(b.alu_with(op, SmallVec::from_slice(srcs), 1, 32), 0)
    };
    let (op, srcs) = if let ([], &[of, more]) = (&product.others[..], &product.denominators[..]) {
        let both = make(AluOp::FMul, &[of, more]);
        (AluOp::FRcp, SmallVec::from_slice(&[both]))
    } else {
        let mut factors = product.others.clone();
        for pair in product.denominators.chunks(2) {
            let of = match *pair {
                [of, more] => make(AluOp::FMul, &[of, more]),
                _ => pair[0],
            };
            factors.push(make(AluOp::FRcp, &[of]));
        }
        while factors.len() > 2 {
            let first = make(AluOp::FMul, &[factors[0], factors[1]]);
            factors.remove(0);
            factors[0] = first;
        }
        (AluOp::FMul, SmallVec::from_slice(&factors))
    };
    if let Instr::Alu(root) = &mut s.instrs[id] {
        (root.op, root.srcs) = (op, srcs);
    }
}
