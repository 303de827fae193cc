//! Fuses multiplications and additions.
//!
//! In:  scalar ALU operations. Runs after all passes that look for products and sums.
//! Out: the sum of a product that only sums use is an `ffma`, unless either is exact. The product's
//!      sign moves to its first operand.
//!
//! Not fused:
//! - Products with other uses: they have to be computed anyway.
//! - 16-bit operations with operands that have to be moved first, unless that pays ([`HalfMoves`]):
//!   the three operands must have the same stride, as computed values have, but loaded and
//!   converted ones may not.
//! - Operations in which both the product and the sum have a constant, if the pair occurs once:
//!   three-source instructions have no immediates. If it is used repeatedly (`2 x - 1` of a
//!   vector), the constants stay in registers for all uses.
//!
//! An addend of a sum of products is added to the last product first (`(a b + c d) + e` becomes `a
//! b + (c d + e)`) if the sum has no other uses, so that all products can be fused.
//! Tests: tests/opt/opt_ffma/.

use crate::analysis::use_counts::use_counts;
use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum number of sign modifications that are looked through.
const MAX_SIGNS: usize = 4;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_ffma(s: &mut Shader, _: &Ctx) -> bool {
    let mut summed_only = only_used_by_sums(s);
    let mut changed = add_to_products(s, &summed_only);
    if changed {
        summed_only = only_used_by_sums(s);
    }
    let order = s.block_order();
    let half_moves = HalfMoves::new(s, &order);
    // Sums of products, in program order. They are collected first, so that a fused one does not
    // affect the others.
    let mut sums: Vec<(Id<Instr>, Product, AluSrc)> = Vec::new();
    // The number of occurrences of each pair of 32-bit constants in a product and its sum.
    let mut pairs: FxHashMap<(u64, u64), u32> = FxHashMap::default();
    for &block in &order {
        for &id in &s.blocks[block].instrs {
            let Some((product, addend)) = fusible_product(s, &summed_only, half_moves.as_ref(), id)
            else {
                continue;
            };
            if let Some(pair) = constants(s, &product, &addend) {
                *pairs.entry(pair).or_default() += 1;
            }
            sums.push((id, product, addend));
        }
    }
    let mut sums = sums.into_iter().peekable();
    for block in order {
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            let worth = |product: &Product, addend: &AluSrc| {
                let wide = s.defs[addend.def].bit_size != 32;
                constants(s, product, addend).is_none_or(|pair| !wide && pairs[&pair] > 1)
            };
            if let Some((_, product, addend)) = sums.next_if(|(sum, ..)| *sum == id)
                && worth(&product, &addend)
            {
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

/// `(a b + c d) + e`.
struct Chain {
    /// The products, the last ones of the sum first.
    products: SmallVec<[AluSrc; 4]>,
    /// The other addend.
    addend: AluSrc,
}

/// Moves the addend of a sum of products to its last product.
fn add_to_products(s: &mut Shader, summed_only: &IdMap<Def, bool>) -> bool {
    let uses = use_counts(s);
    let mut changed = false;
    for block in s.block_order() {
        // Values of other blocks are excluded, because those may run less often.
        let mut once: IdMap<Def, bool> = IdMap::with_default(false);
        let mut at = 0;
        while let Some(&id) = s.blocks[block].instrs.get(at) {
            if let Some(def) = s.instrs[id].def() {
                once[def] = uses[def] == 1;
            }
            if let Some(chain) = find_chain(s, summed_only, &once, id) {
                at += emit_chain(s, block, at, id, &chain);
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// The operands of a sum that may be reassociated.
fn reassociable_sum(s: &Shader, id: Id<Instr>) -> Option<[AluSrc; 2]> {
    let Instr::Alu(sum) = &s.instrs[id] else {
        return None;
    };
    let d = s.defs[sum.def];
    let free = sum.op == AluOp::FAdd && !sum.exact && !sum.preserve_nan_inf_sz;
    let fused = d.num_components == 1 && d.bit_size != 16;
    (free && fused).then(|| [sum.srcs[0], sum.srcs[1]])
}

/// The chain of additions that ends at a sum, if it starts with two products, and the intermediate
/// sums are in this block and are used once.
fn find_chain(
    s: &Shader,
    summed_only: &IdMap<Def, bool>,
    once: &IdMap<Def, bool>,
    id: Id<Instr>,
) -> Option<Chain> {
    let is_product = |src: &AluSrc| {
        let found = match_product(s, summed_only, src.def);
        found.is_some_and(|product| !product.preserve)
    };
    let last = reassociable_sum(s, id)?;
    (0..2).find_map(|k| {
        let (mut sum, addend) = (last[k], last[1 - k]);
        if is_product(&addend) {
            return None;
        }
        let mut products: SmallVec<[AluSrc; 4]> = SmallVec::new();
        loop {
            if !once[sum.def] {
                return None;
            }
            let [a, b] = reassociable_sum(s, s.defs[sum.def].instr)?;
            match (is_product(&a), is_product(&b)) {
                (true, true) => {
                    products.extend([b, a]);
                    return Some(Chain { products, addend });
                }
                (true, false) => {
                    products.push(a);
                    sum = b;
                }
                (false, true) => {
                    products.push(b);
                    sum = a;
                }
                (false, false) => return None,
            }
        }
    })
}

/// Emits a reassociated chain before its last sum, which is kept. Returns the number of
/// instructions added. The old sums have no uses any more.
fn emit_chain(s: &mut Shader, block: Id<Block>, at: usize, id: Id<Instr>, chain: &Chain) -> usize {
    let Some((&last, others)) = chain.products.split_first() else {
        return 0;
    };
    let before = s.blocks[block].instrs.len();
    let mut sum = chain.addend;
    for &product in others.iter().rev() {
        let at = at + s.blocks[block].instrs.len() - before;
        let bits = s.defs[product.def].bit_size;
        let mut b = Builder::before(s, block, at);
        let def = b.alu_with(AluOp::FAdd, SmallVec::from_iter([product, sum]), 1, bits);
        sum = AluSrc::splat(def, 0);
    }
    if let Instr::Alu(end) = &mut s.instrs[id] {
        end.srcs = SmallVec::from_iter([last, sum]);
    }
    s.blocks[block].instrs.len() - before
}

/// A product with its sign.
struct Product {
    srcs: [AluSrc; 2],
    negated: bool,
    absolute: bool,
    preserve: bool,
}

/// Values that are only used by sums, directly or through sign modifications.
fn only_used_by_sums(s: &Shader) -> IdMap<Def, bool> {
    let mut summed_only: IdMap<Def, bool> = IdMap::for_arena(&s.defs, true);
    let mut reject = |d: Id<Def>| summed_only[d] = false;
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
                        other => other.for_each_src(&mut reject),
                    }
                }
            }
            CfEvent::If(i) => reject(s.ifs[i].cond),
            _ => {}
        }
    }
    // Sign modifications follow their operands.
    for (sign, of) in signs.into_iter().rev() {
        if !summed_only[sign] {
            summed_only[of] = false;
        }
    }
    summed_only
}

/// The product in a sum, and the other operand.
fn fusible_product(
    s: &Shader,
    summed_only: &IdMap<Def, bool>,
    half_moves: Option<&HalfMoves>,
    id: Id<Instr>,
) -> Option<(Product, AluSrc)> {
    let Instr::Alu(sum) = &s.instrs[id] else {
        return None;
    };
    let d = s.defs[sum.def];
    if sum.op != AluOp::FAdd || sum.exact || d.num_components != 1 {
        return None;
    }
    (0..2).find_map(|k| {
        let addend = sum.srcs[1 - k];
        let product = match_product(s, summed_only, sum.srcs[k].def)?;
        let profitable =
            d.bit_size != 16 || half_moves.is_some_and(|h| h.is_profitable(s, &product, &addend));
        profitable.then_some((product, addend))
    })
}

/// The cost of moving 16-bit operands to the stride that a three-source instruction needs.
struct HalfMoves {
    /// The number of sums and products that use a value: they share a move.
    users: IdMap<Def, u32>,
    divergence: Divergence,
}

/// The cost of a move that a single use needs.
const ONE_MOVE: u32 = 60;

impl HalfMoves {
    /// `None` if there are no 16-bit sums.
    fn new(s: &Shader, order: &[Id<Block>]) -> Option<HalfMoves> {
        let mut users: IdMap<Def, u32> = IdMap::default();
        let mut any = false;
        for &block in order {
            for &id in &s.blocks[block].instrs {
                let Some(alu) = half_op(s, id) else { continue };
                any |= alu.op == AluOp::FAdd;
                for src in &alu.srcs {
                    users[strip_sign_modifiers(s, src.def)] += 1;
                }
            }
        }
        any.then(|| HalfMoves {
            users,
            divergence: Divergence::new(s),
        })
    }

    /// True if saving one instruction is worth the moves.
    fn is_profitable(&self, s: &Shader, product: &Product, addend: &AluSrc) -> bool {
        let [a, b] = product.srcs;
        let moves = [a, b, *addend].map(|src| {
            let def = strip_sign_modifiers(s, src.def);
            match self.needs_move(s, def) {
                true => ONE_MOVE / self.users[def].max(1),
                false => 0,
            }
        });
        moves.iter().sum::<u32>() < ONE_MOVE
    }

    /// True for a divergent value that is not the result of arithmetic.
    fn needs_move(&self, s: &Shader, def: Id<Def>) -> bool {
        let made = match s.instr_of(def) {
            Instr::Alu(alu) => alu.op.is_float_arithmetic() || alu.op == AluOp::Bcsel,
            Instr::Phi(_) | Instr::Const { .. } => true,
            _ => false,
        };
        !made && self.divergence.is_divergent(def)
    }
}

/// A 16-bit sum or product.
fn half_op(s: &Shader, id: Id<Instr>) -> Option<&Alu> {
    match &s.instrs[id] {
        Instr::Alu(alu) if s.defs[alu.def].bit_size == 16 => {
            matches!(alu.op, AluOp::FAdd | AluOp::FMul).then_some(alu)
        }
        _ => None,
    }
}

/// Looks through negations and absolute values, which are source modifiers.
fn strip_sign_modifiers(s: &Shader, mut def: Id<Def>) -> Id<Def> {
    for _ in 0..MAX_SIGNS {
        match s.alu_of(def) {
            Some(alu) if matches!(alu.op, AluOp::FNeg | AluOp::FAbs) => def = alu.srcs[0].def,
            _ => break,
        }
    }
    def
}

/// The constants of a product and of its addend, if both have one.
fn constants(s: &Shader, product: &Product, addend: &AluSrc) -> Option<(u64, u64)> {
    let constant = |src: &AluSrc| s.const_component(src.def, src.swizzle[0]);
    let factor = product.srcs.iter().find_map(constant)?;
    Some((factor, constant(addend)?))
}

fn match_product(s: &Shader, summed_only: &IdMap<Def, bool>, mut def: Id<Def>) -> Option<Product> {
    let (mut negated, mut absolute) = (false, false);
    for _ in 0..MAX_SIGNS {
        let alu = s.alu_of(def)?;
        if alu.exact || s.defs[def].num_components != 1 || !summed_only[def] {
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
