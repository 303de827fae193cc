//! Makes one operation of a product and a sum.
//!
//! In:  scalar ALU operations, after everything that wants to see products and sums. Out: a sum of a product that only sums read, none
//! of both exact, is an `ffma`; signs of the product go to its first operand. A product that others read, too, is made once and added
//! as it is: nothing would be won. Halves stay two operations: the backend keeps them apart, where three operands have to be packed, and
//! would convert each. Neither is where both have a constant, once: operations of three operands have no immediates. Where it is the
//! same two constants again (`2 x - 1` of a vector), they are in registers for all.
//! Tests: tests/opt/opt_ffma/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How many signs are looked through.
const MAX_SIGNS: usize = 4;

/// Entry point.
pub fn opt_ffma(s: &mut Shader, _: &Ctx) -> bool {
    let plain = only_summed(s);
    let order = s.block_order();
    // How often two constants of 32 bits are in a product and its sum.
    let mut pairs: FxHashMap<(u64, u64), u32> = FxHashMap::default();
    for &block in &order {
        for &id in &s.blocks[block].instrs {
            let found = fusible(s, &plain, id);
            if let Some(pair) = found.and_then(|(product, addend)| constants(s, &product, &addend))
            {
                *pairs.entry(pair).or_default() += 1;
            }
        }
    }
    let mut changed = false;
    for block in order {
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            let worth = |(product, addend): &(Product, AluSrc)| {
                let wide = s.defs[addend.def].bit_size != 32;
                constants(s, product, addend).is_none_or(|pair| !wide && pairs[&pair] > 1)
            };
            if let Some((product, addend)) = fusible(s, &plain, id).filter(worth) {
                let before = s.blocks[block].instrs.len();
                fuse(s, block, at, id, product, addend);
                at += s.blocks[block].instrs.len() - before;
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// A product with its sign.
struct Product {
    srcs: [AluSrc; 2],
    negated: bool,
    absolute: bool,
    preserve: bool,
}

/// Values that sums alone read, or signs that sums alone read.
fn only_summed(s: &Shader) -> IdMap<Def, bool> {
    let mut plain: IdMap<Def, bool> = IdMap::for_arena(&s.defs, true);
    let mut refuse = |d: Id<Def>| plain[d] = false;
    let mut signs: Vec<(Id<Def>, Id<Def>)> = Vec::new();
    for event in s.layout() {
        match event {
            CfEvent::Block(b) => {
                for &id in &s.blocks[b].instrs {
                    match &s.instrs[id] {
                        Instr::Alu(a) if a.op == AluOp::FAdd && !a.exact => {}
                        Instr::Alu(a) if matches!(a.op, AluOp::FNeg | AluOp::FAbs) => {
                            signs.push((a.def, a.srcs[0].def));
                        }
                        other => other.for_each_src(&mut refuse),
                    }
                }
            }
            CfEvent::If(i) => refuse(s.ifs[i].cond),
            _ => {}
        }
    }
    // Signs stand behind what they are of.
    for (sign, of) in signs.into_iter().rev() {
        if !plain[sign] {
            plain[of] = false;
        }
    }
    plain
}

/// The product in a sum, and the other operand.
fn fusible(s: &Shader, plain: &IdMap<Def, bool>, id: Id<Instr>) -> Option<(Product, AluSrc)> {
    let Instr::Alu(sum) = &s.instrs[id] else {
        return None;
    };
    let d = s.defs[sum.def];
    if sum.op != AluOp::FAdd || sum.exact || d.num_components != 1 || d.bit_size == 16 {
        return None;
    }
    (0..2).find_map(|k| {
        let addend = sum.srcs[1 - k];
        Some((product(s, plain, sum.srcs[k].def)?, addend))
    })
}

/// The constants of a product and of what is added, if both have one.
fn constants(s: &Shader, product: &Product, addend: &AluSrc) -> Option<(u64, u64)> {
    let constant = |src: &AluSrc| s.const_component(src.def, src.swizzle[0]);
    let factor = product.srcs.iter().find_map(constant)?;
    Some((factor, constant(addend)?))
}

fn product(s: &Shader, plain: &IdMap<Def, bool>, mut def: Id<Def>) -> Option<Product> {
    let (mut negated, mut absolute) = (false, false);
    for _ in 0..MAX_SIGNS {
        let alu = s.alu_of(def)?;
        if alu.exact || s.defs[def].num_components != 1 || !plain[def] {
            return None;
        }
        match alu.op {
            AluOp::FMul => {
                return Some(Product {
                    srcs: [alu.srcs[0], alu.srcs[1]],
                    negated,
                    absolute,
                    preserve: alu.preserve_nan_inf_sz,
                });
            }
            AluOp::FNeg => negated ^= !absolute,
            AluOp::FAbs => absolute = true,
            _ => return None,
        }
        def = alu.srcs[0].def;
    }
    None
}

fn fuse(
    s: &mut Shader,
    block: Id<Block>,
    at: usize,
    id: Id<Instr>,
    product: Product,
    addend: AluSrc,
) {
    let Instr::Alu(sum) = &s.instrs[id] else {
        return;
    };
    let (def, preserve) = (sum.def, sum.preserve_nan_inf_sz || product.preserve);
    let bits = s.defs[def].bit_size;
    let mut b = Builder::before(s, block, at);
    b.preserve_nan_inf_sz = preserve;
    let mut signed = |op: AluOp, src: AluSrc| {
        AluSrc::splat(b.alu_with(op, SmallVec::from_iter([src]), 1, bits), 0)
    };
    let [mut x, mut y] = product.srcs;
    if product.absolute {
        (x, y) = (signed(AluOp::FAbs, x), signed(AluOp::FAbs, y));
    }
    if product.negated {
        x = signed(AluOp::FNeg, x);
    }
    s.instrs[id] = Instr::Alu(Alu {
        op: AluOp::FFma,
        def,
        srcs: SmallVec::from_iter([x, y, addend]),
        exact: false,
        preserve_nan_inf_sz: preserve,
    });
}
