//! Reassociates products, and sums of integers, to expose common subexpressions.
//!
//! In:  scalar ALU operations.
//! Out: if two chains `a * b * c` of a block have two non-adjacent operands in common, both
//!      multiply (add) these first: a colour times two numbers is one product of the numbers and
//!      three of the colour. The intermediate results of a chain have no other uses, and none of
//!      its operations is exact. The number of operations of a chain never grows; `opt_cse` merges
//!      the common ones.
//! Tests: tests/opt/opt_reassociate/.

use crate::pass::Ctx;
use entity::{Id, IdMap};
use nir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum length of a chain. The number of pairs is quadratic.
const MAX_OPERANDS: usize = 12;

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_reassociate(s: &mut Shader, _: &Ctx) -> bool {
    let order = s.block_order();
    let uses = collect_uses(s, &order);
    let mut changed = false;
    for block in order {
        let chains = find_chains(s, block, &uses);
        if chains.iter().any(|c| c.operands.len() > 2) {
            changed |= reorder(s, block, chains);
        }
    }
    changed
}

/// The uses of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uses {
    None,
    /// One use, by this instruction in this block.
    Single(Id<Instr>, Id<Block>),
    Multiple,
}

fn collect_uses(s: &Shader, order: &[Id<Block>]) -> IdMap<Def, Uses> {
    let mut out: IdMap<Def, Uses> = IdMap::for_arena(&s.defs, Uses::None);
    for &b in order {
        for &id in &s.blocks[b].instrs {
            s.instrs[id].for_each_src(|d| {
                out[d] = match out[d] {
                    Uses::None => Uses::Single(id, b),
                    _ => Uses::Multiple,
                };
            });
        }
    }
    for (_, i) in s.ifs.iter() {
        out[i.cond] = Uses::Multiple;
    }
    out
}

/// An operand: one component of a value, the bits of a constant, or a pair of two other operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Operand {
    Value(Id<Def>, u8),
    Constant(u64),
    Pair(usize),
}

/// Operations of one kind and size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Kind {
    op: u16,
    bits: u8,
}

/// A chain `a * b * c`.
struct Chain {
    /// The last operation.
    root: Id<Instr>,
    op: AluOp,
    kind: Kind,
    operands: SmallVec<[Operand; 4]>,
    /// It contains pairs.
    changed: bool,
}

fn chain_kind(s: &Shader, id: Id<Instr>) -> Option<(AluOp, Kind)> {
    let Instr::Alu(a) = &s.instrs[id] else {
        return None;
    };
    let d = s.defs[a.def];
    let supported = matches!(a.op, AluOp::FMul | AluOp::IMul | AluOp::IAdd);
    (supported && d.num_components == 1 && !a.exact && !a.preserve_nan_inf_sz).then_some((
        a.op,
        Kind {
            op: a.op as u16,
            bits: d.bit_size,
        },
    ))
}

/// The chains of a block, in the order of their last operations.
fn find_chains(s: &Shader, block: Id<Block>, uses: &IdMap<Def, Uses>) -> Vec<Chain> {
    // True if the only use of an instruction is an operation of the same kind.
    let feeds_chain = |id: Id<Instr>, kind: Kind| match s.instrs[id].def().map(|d| uses[d]) {
        Some(Uses::Single(by, b)) => {
            b == block && chain_kind(s, by).is_some_and(|(_, other)| other == kind)
        }
        _ => false,
    };
    let mut out = Vec::new();
    for &root in &s.blocks[block].instrs {
        let Some((op, kind)) = chain_kind(s, root).filter(|&(_, kind)| !feeds_chain(root, kind))
        else {
            continue;
        };
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        let mut work: SmallVec<[Id<Instr>; 8]> = SmallVec::from_iter([root]);
        let mut sources: SmallVec<[AluSrc; 8]> = SmallVec::new();
        // Operands in order: the walk visits first operands first.
        while let Some(id) = work.pop() {
            let Instr::Alu(a) = &s.instrs[id] else { break };
            sources.extend(a.srcs.iter().rev().copied());
            while let Some(src) = sources.pop() {
                let made = s.defs[src.def].instr;
                let inner =
                    chain_kind(s, made).is_some_and(|(_, k)| k == kind) && feeds_chain(made, kind);
                if inner {
                    work.push(made);
                    break;
                }
                operands.push(match s.const_component(src.def, src.swizzle[0]) {
                    Some(bits) => Operand::Constant(bits),
                    None => Operand::Value(src.def, src.swizzle[0]),
                });
                if operands.len() > MAX_OPERANDS {
                    break;
                }
            }
            if operands.len() > MAX_OPERANDS {
                break;
            }
        }
        if operands.len() <= MAX_OPERANDS {
            out.push(Chain {
                root,
                op,
                kind,
                operands,
                changed: false,
            });
        }
    }
    out
}

type Pair = (Kind, Operand, Operand);

fn pair(kind: Kind, a: Operand, b: Operand) -> Pair {
    (kind, a.min(b), a.max(b))
}

/// The distinct pairs of operands of a chain, with their indices.
fn pairs(c: &Chain) -> SmallVec<[(Pair, usize, usize); 8]> {
    let mut out: SmallVec<[(Pair, usize, usize); 8]> = SmallVec::new();
    for (i, &a) in c.operands.iter().enumerate() {
        for (j, &b) in c.operands.iter().enumerate().skip(i + 1) {
            let p = pair(c.kind, a, b);
            if out.iter().all(|o| o.0 != p) {
                out.push((p, i, j));
            }
        }
    }
    out
}

/// Extracts the pairs that chains have in common, and rewrites the chains. Returns true if there
/// are any.
fn reorder(s: &mut Shader, block: Id<Block>, mut chains: Vec<Chain>) -> bool {
    let mut made: Vec<Pair> = Vec::new();
    let mut names: FxHashMap<Pair, usize> = FxHashMap::default();
    // Each iteration makes chains shorter.
    loop {
        let mut count: FxHashMap<Pair, u32> = FxHashMap::default();
        for c in &chains {
            for (p, _, _) in pairs(c) {
                *count.entry(p).or_default() += 1;
            }
        }
        let mut progress = false;
        for c in chains.iter_mut().filter(|c| c.operands.len() > 2) {
            let mut best: Option<(u32, Pair, usize, usize)> = None;
            for (p, i, j) in pairs(c) {
                let n = count[&p];
                if n > 1 && best.is_none_or(|b| b.0 < n) {
                    best = Some((n, p, i, j));
                }
            }
            let Some((_, p, i, j)) = best else { continue };
            let name = *names.entry(p).or_insert_with(|| {
                made.push(p);
                made.len() - 1
            });
            c.operands[i] = Operand::Pair(name);
            c.operands.remove(j);
            c.changed = true;
            progress = true;
        }
        if !progress {
            break;
        }
    }
    chains.retain(|c| c.changed);
    if chains.is_empty() {
        return false;
    }
    let mut values: Vec<Option<Id<Def>>> = vec![None; made.len()];
    let mut remaining = chains.iter().peekable();
    let instrs = std::mem::take(&mut s.blocks[block].instrs);
    let mut b = Builder::at_end_of_block(s, block);
    for id in instrs {
        if let Some(c) = remaining.next_if(|c| c.root == id) {
            emit_chain(&mut b, c, &made, &mut values);
        }
        b.insert_instr(id);
    }
    true
}

/// Emits a chain before its last operation, which is kept.
fn emit_chain(b: &mut Builder<'_>, c: &Chain, made: &[Pair], values: &mut [Option<Id<Def>>]) {
    let bits = c.kind.bits;
    // Nested pairs are emitted first.
    let mut needed: SmallVec<[usize; 4]> = SmallVec::new();
    let mut work: SmallVec<[Operand; 4]> = c.operands.clone();
    while let Some(o) = work.pop() {
        if let Operand::Pair(n) = o
            && values[n].is_none()
            && !needed.contains(&n)
        {
            needed.push(n);
            work.extend([made[n].1, made[n].2]);
        }
    }
    needed.sort_unstable();
    let source = |b: &mut Builder<'_>, values: &[Option<Id<Def>>], o: Operand| match o {
        Operand::Value(d, k) => AluSrc::splat(d, k),
        Operand::Constant(v) => AluSrc::splat(b.constant(bits, &[v]), 0),
        Operand::Pair(n) => AluSrc::splat(values[n].unwrap_or(Id::new(0)), 0),
    };
    for n in needed {
        let (_, x, y) = made[n];
        let srcs = [x, y].map(|o| source(b, values, o));
        values[n] = Some(b.alu_with(c.op, SmallVec::from_iter(srcs), 1, bits));
    }
    let mut last = source(b, values, c.operands[0]);
    for (k, &o) in c.operands.iter().enumerate().skip(1) {
        let srcs = SmallVec::from_iter([last, source(b, values, o)]);
        if k + 1 < c.operands.len() {
            last = AluSrc::splat(b.alu_with(c.op, srcs, 1, bits), 0);
        } else if let Instr::Alu(root) = &mut b.shader.instrs[c.root] {
            root.srcs = srcs;
        }
    }
}
