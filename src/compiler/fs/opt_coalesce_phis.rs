//! Gives values that are copied to one another one register, where none is written while the other is still wanted.
//!
//! In:  LIR in which phis are copies at the ends of blocks. Out: copies between registers that never hold different values at once
//! are gone, wherever source and destination are made and read.
//!
//! Registers are live as a lane sees it: along the ways that one lane can take, of which it knows one at a time. That is enough as
//! long as all writes are for active lanes alone, so registers that are written without the execution mask are left alone.
//! Ref: Chaitin et al., "Register Allocation via Coloring" (1981), coalescing; Boissinot et al., "Revisiting Out-of-SSA
//! Translation" (CGO 2009). Tests: tests/fs/opt_coalesce_phis/.

use crate::lir::*;
use entity::IdMap;
use isa::{CondMod, Opcode};

/// Registers that are looked at; a matrix of bits is made of them.
const MOST: usize = 2048;
/// No candidate.
const NONE: u32 = u32::MAX;

/// A set of candidates.
type Bits = Vec<u64>;

fn has(bits: &[u64], i: u32) -> bool {
    bits[i as usize / 64] >> (i % 64) & 1 == 1
}

fn insert(bits: &mut [u64], i: u32) {
    bits[i as usize / 64] |= 1 << (i % 64);
}

fn remove(bits: &mut [u64], i: u32) {
    bits[i as usize / 64] &= !(1 << (i % 64));
}

fn add(to: &mut [u64], from: &[u64]) -> bool {
    let mut grew = false;
    for (a, b) in to.iter_mut().zip(from) {
        grew |= *b & !*a != 0;
        *a |= b;
    }
    grew
}

/// A copy of a whole register by one instruction, or by several of which this is the first: source and destination.
fn whole_copy(lir: &Lir, inst: &Inst) -> Option<(VgrfId, VgrfId)> {
    let s = &inst.src[0];
    let plain = inst.op == Op::Eu(Opcode::Mov)
        && inst.pred.is_none()
        && inst.cmod == CondMod::None
        && !inst.no_mask
        && !inst.sat
        && !s.neg
        && !s.abs
        && s.rows.is_none()
        && s.stride == 1
        && inst.dst.stride == 1
        && inst.dst.ty.size_bytes() == s.ty.size_bytes()
        && inst.dst.ty.is_float() == s.ty.is_float()
        && inst.dst.offset == s.offset;
    let (from, to) = (s.as_vgrf()?, inst.dst.as_vgrf()?);
    let (a, b) = (&lir.vgrfs[from], &lir.vgrfs[to]);
    let alike = a.regs == b.regs && a.fixed.is_none() && b.fixed.is_none() && from != to;
    // Each lane has one element of the register.
    let bytes = u32::from(lir.width) * s.ty.size_bytes();
    (plain && alike && bytes == u32::from(a.regs) * GRF_BYTES).then_some((from, to))
}

/// A part of the program that is left at its end alone.
struct Block {
    first: usize,
    end: usize,
    next: [usize; 2],
    live_in: Bits,
    live_out: Bits,
}

/// The ways of a lane. Index `blocks.len()` is the end.
fn blocks(lir: &Lir, words: usize) -> Vec<Block> {
    /// What is open: the block that ends with IF, that which ends with ELSE, jumps to the end.
    struct Open {
        head: usize,
        is_loop: bool,
        to_end: Vec<(usize, usize)>,
        to_while: Vec<(usize, usize)>,
    }
    let is_while = |i: &Inst| i.op == Op::Eu(Opcode::While);
    // WHILE is a block of its own: who continues comes there.
    let n = lir.insts.iter().filter(|i| i.is_control()).count()
        + lir.insts.iter().filter(|i| is_while(i)).count()
        + 1;
    let mut out: Vec<Block> = Vec::with_capacity(n);
    let mut open: Vec<Open> = Vec::new();
    let mut halts: Vec<(usize, usize)> = Vec::new();
    let mut first = 0;
    for at in 0..=lir.insts.len() {
        let inst = lir.insts.get(at);
        if inst.is_some_and(|i| !i.is_control()) {
            continue;
        }
        // Falls through, and nowhere else.
        let mut push = |first: usize, end: usize| {
            let here = out.len();
            out.push(Block {
                first,
                end,
                next: [here + 1, n],
                live_in: vec![0; words],
                live_out: vec![0; words],
            });
            here
        };
        let mut here = push(first, at);
        if inst.is_some_and(is_while) {
            here = push(at, at);
        }
        first = at + 1;
        let Some(inst) = inst else { break };
        let conditional = inst.pred.is_some();
        match inst.op {
            Op::Do => open.push(Open {
                head: here + 1,
                is_loop: true,
                to_end: Vec::new(),
                to_while: Vec::new(),
            }),
            Op::Eu(Opcode::If) => {
                // Until an ELSE is seen it goes to the end.
                open.push(Open {
                    head: here,
                    is_loop: false,
                    to_end: vec![(here, 1)],
                    to_while: Vec::new(),
                });
            }
            Op::Eu(Opcode::Else) => {
                if let Some(o) = open.last_mut() {
                    out[o.head].next[1] = here + 1;
                    o.to_end = vec![(here, 0)];
                }
            }
            Op::Eu(Opcode::Endif) => {
                if let Some(o) = open.pop() {
                    for (block, k) in o.to_end {
                        out[block].next[k] = here + 1;
                    }
                }
            }
            Op::Eu(Opcode::While) => {
                if let Some(o) = open.pop() {
                    let end = if conditional { here + 1 } else { n };
                    out[here].next = [o.head, end];
                    for (block, k) in o.to_end {
                        out[block].next[k] = here + 1;
                    }
                    for (block, k) in o.to_while {
                        out[block].next[k] = here;
                    }
                }
            }
            Op::Eu(Opcode::Break | Opcode::Cont) => {
                let k = usize::from(conditional);
                if !conditional {
                    out[here].next[0] = n;
                }
                if let Some(o) = open.iter_mut().rev().find(|o| o.is_loop) {
                    if inst.op == Op::Eu(Opcode::Break) {
                        o.to_end.push((here, k));
                    } else {
                        o.to_while.push((here, k));
                    }
                }
            }
            Op::Eu(Opcode::Halt) => {
                let k = usize::from(conditional);
                if !conditional {
                    out[here].next[0] = n;
                }
                halts.push((here, k));
            }
            Op::HaltTarget => {
                for (block, k) in halts.drain(..) {
                    out[block].next[k] = here + 1;
                }
            }
            _ => {}
        }
    }
    out
}

/// Goes back over a block. `at_write` is told of each candidate that is written, with what is live behind the instruction.
fn back(
    lir: &Lir,
    block: &Block,
    number: &IdMap<Vgrf, u32>,
    live: &mut Bits,
    mut at_write: impl FnMut(&Inst, u32, &[u64]),
) {
    for inst in lir.insts[block.first..block.end].iter().rev() {
        if let Some(v) = inst.dst.as_vgrf()
            && number[v] != NONE
        {
            at_write(inst, number[v], live);
            let all = u32::from(lir.vgrfs[v].regs) * GRF_BYTES;
            let packed = inst.send.is_some() || inst.dst.stride == 1;
            if inst.pred.is_none()
                && packed
                && inst.dst.offset == 0
                && inst.dst_bytes() >= all
                && inst.exec == lir.width
            {
                remove(live, number[v]);
            }
        }
        inst.each_read(&lir.payloads, |v| {
            if number[v] != NONE {
                insert(live, number[v]);
            }
        });
    }
}

/// True if anything changed.
pub(crate) fn opt_coalesce_phis(lir: &mut Lir) -> bool {
    let mut number: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, NONE);
    let mut candidates: Vec<VgrfId> = Vec::new();
    let mut copies: Vec<(VgrfId, VgrfId)> = Vec::new();
    for inst in &lir.insts {
        let Some(pair) = whole_copy(lir, inst) else {
            continue;
        };
        if candidates.len() + 2 > MOST {
            break;
        }
        for v in [pair.0, pair.1] {
            if number[v] == NONE {
                number[v] = candidates.len() as u32;
                candidates.push(v);
            }
        }
        copies.push(pair);
    }
    // Lanes that are not active must keep what they have: all writes are for active ones.
    let mut left: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
    for inst in &lir.insts {
        if let Some(v) = inst.dst.as_vgrf() {
            left[v] |= inst.no_mask;
        }
    }
    copies.retain(|c| !left[c.0] && !left[c.1]);
    if copies.is_empty() {
        return false;
    }
    let words = candidates.len().div_ceil(64);
    let mut blocks = blocks(lir, words);
    let mut live = vec![0; words];
    loop {
        let mut grew = false;
        for b in (0..blocks.len()).rev() {
            let mut out = std::mem::take(&mut blocks[b].live_out);
            for next in blocks[b].next {
                if let Some(next) = blocks.get(next) {
                    add(&mut out, &next.live_in);
                }
            }
            live.clone_from(&out);
            back(lir, &blocks[b], &number, &mut live, |_, _, _| {});
            blocks[b].live_out = out;
            grew |= add(&mut blocks[b].live_in, &live);
        }
        if !grew {
            break;
        }
    }
    // Which of them hold different values at once.
    let n = candidates.len();
    let mut apart = vec![0u64; n * words];
    for block in &blocks {
        live.clone_from(&block.live_out);
        back(lir, block, &number, &mut live, |inst, v, live| {
            let row = &mut apart[v as usize * words..][..words];
            let own = row.to_vec();
            add(row, live);
            // The source of a copy has the same value.
            if let Some((from, _)) = whole_copy(lir, inst)
                && number[from] != NONE
                && !has(&own, number[from])
            {
                remove(row, number[from]);
            }
            if !has(&own, v) {
                remove(row, v);
            }
        });
    }
    // The two payloads of a message do not overlap, though they be equal.
    for inst in lir.insts.iter().filter(|i| i.op == Op::Send) {
        let payloads = [0, 1].map(|i| inst.src[i].as_vgrf().map_or(NONE, |v| number[v]));
        if !payloads.contains(&NONE) && payloads[0] != payloads[1] {
            insert(
                &mut apart[payloads[0] as usize * words..][..words],
                payloads[1],
            );
        }
    }
    for a in 0..n {
        for b in 0..n as u32 {
            if has(&apart[a * words..][..words], b) {
                insert(&mut apart[b as usize * words..][..words], a as u32);
            }
        }
    }
    // Merged, the most frequent copies first: those in loops were not counted, but stand behind.
    let mut root: Vec<u32> = (0..n as u32).collect();
    let mut members: Vec<Vec<u32>> = (0..n as u32).map(|i| vec![i]).collect();
    let mut changed = false;
    for &(from, to) in copies.iter().rev() {
        let (a, b) = (root[number[from] as usize], root[number[to] as usize]);
        if a == b {
            continue;
        }
        let row = |i: u32| &apart[i as usize * words..][..words];
        if members[b as usize].iter().any(|m| has(row(a), *m)) {
            continue;
        }
        let moved = std::mem::take(&mut members[b as usize]);
        for &m in &moved {
            root[m as usize] = a;
        }
        members[a as usize].extend(moved);
        let other = row(b).to_vec();
        add(&mut apart[a as usize * words..][..words], &other);
        for i in 0..n as u32 {
            if has(&other, i) {
                insert(&mut apart[i as usize * words..][..words], a);
            }
        }
        changed = true;
    }
    if !changed {
        return false;
    }
    let name = |v: VgrfId| match number[v] {
        NONE => v,
        i => candidates[root[i as usize] as usize],
    };
    for inst in &mut lir.insts {
        if let Reg::Vgrf(v) = &mut inst.dst.reg {
            *v = name(*v);
        }
        for s in &mut inst.src {
            if let Reg::Vgrf(v) = &mut s.reg {
                *v = name(*v);
            }
        }
    }
    lir.insts.retain(|inst| {
        let same = inst.op == Op::Eu(Opcode::Mov)
            && inst.pred.is_none()
            && inst.cmod == CondMod::None
            && !inst.sat
            && inst.src[0].reg == inst.dst.reg
            && matches!(inst.dst.reg, Reg::Vgrf(_));
        let as_it_is = inst.src[0].offset == inst.dst.offset
            && inst.src[0].stride == inst.dst.stride
            && !inst.src[0].neg
            && !inst.src[0].abs
            && inst.src[0].rows.is_none()
            && inst.dst.ty == inst.src[0].ty;
        !(same && as_it_is)
    });
    true
}
