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
use rustc_hash::FxHashMap;

/// Registers that are looked at; a matrix of bits is made of them.
const MOST: usize = 2048;
/// Registers in a row that may come of it.
const MOST_REGISTERS: u32 = 16;
/// Pairs that are compared for one copy.
const MOST_PAIRS: usize = 1 << 14;
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

/// A copy of one element for each lane: source, destination, and bytes from where the one begins to where the other would, if each lane's
/// elements were to lie in one place.
fn lane_copy(inst: &Inst) -> Option<(VgrfId, VgrfId, i32)> {
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
        && inst.dst.ty.is_float() == s.ty.is_float();
    let (from, to) = (s.as_vgrf()?, inst.dst.as_vgrf()?);
    (plain && from != to).then_some((from, to, s.offset as i32 - inst.dst.offset as i32))
}

/// How the lanes lie in a VGRF.
#[derive(Clone, Copy, PartialEq)]
enum Lanes {
    Unknown,
    /// Component after component, each lane in a slot of so many bytes.
    Slots(u32),
    /// In some other way.
    Other,
}

/// Finds how the lanes lie in each VGRF. Those that are written without the execution mask are looked at by nobody: lanes that are not
/// active must keep what they have.
fn lanes(lir: &Lir) -> IdMap<Vgrf, Lanes> {
    let mut out: IdMap<Vgrf, Lanes> = IdMap::for_arena(&lir.vgrfs, Lanes::Unknown);
    let width = u32::from(lir.width);
    for inst in &lir.insts {
        let mut see = |v: VgrfId, slot: u32, offset: u32, group: u8| {
            let here = slot >= 4 && offset % (width * slot) / slot == u32::from(group);
            out[v] = match out[v] {
                Lanes::Unknown if here => Lanes::Slots(slot),
                Lanes::Slots(known) if here && known == slot => Lanes::Slots(slot),
                _ => Lanes::Other,
            };
        };
        let whole = inst.exec == lir.width && inst.group == 0;
        for (i, s) in inst.src[..inst.sources()].iter().enumerate() {
            let Some(v) = s.as_vgrf() else { continue };
            match inst.op {
                Op::Send if i < 2 && whole => see(v, 4, s.offset, 0),
                Op::Send | Op::MovIndirect => see(v, 0, 0, 0),
                // One element for all is read wherever it lies.
                _ if s.stride == 0 => {}
                Op::Eu(Opcode::Pln) => see(v, 0, 0, 0),
                _ if s.rows.is_some() => see(v, 0, 0, 0),
                _ => see(
                    v,
                    u32::from(s.stride) * s.ty.size_bytes(),
                    s.offset,
                    inst.group,
                ),
            }
        }
        let Some(v) = inst.dst.as_vgrf() else {
            continue;
        };
        let d = &inst.dst;
        match inst.op {
            _ if inst.no_mask => see(v, 0, 0, 0),
            Op::Send if whole => see(v, 4, d.offset, 0),
            Op::Send => see(v, 0, 0, 0),
            _ => see(
                v,
                u32::from(d.stride) * d.ty.size_bytes(),
                d.offset,
                inst.group,
            ),
        }
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        if vgrf.fixed.is_some() || u32::from(vgrf.regs) > MOST_REGISTERS {
            out[v] = Lanes::Other;
        }
    }
    out
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

/// Registers that share a place, or lie in a row: each with the byte where it begins.
type Members = Vec<(u32, i32)>;

/// Which candidates hold different values at once.
struct Apart {
    words: usize,
    rows: Vec<u64>,
    /// Pairs of which one is copied to the other while that lives on: they hold the same where they lie that far apart.
    copied: FxHashMap<(u32, u32), Option<i32>>,
}

impl Apart {
    /// True if the two may share registers where `b` begins so many bytes behind `a`.
    fn may_share(&self, a: u32, b: u32, behind: i32) -> bool {
        let key = (a.min(b), a.max(b));
        let behind = if a < b { behind } else { -behind };
        !has(&self.rows[a as usize * self.words..][..self.words], b)
            && self.copied.get(&key).is_none_or(|at| *at == Some(behind))
    }

    /// Says that `to` is written with what `from` holds, which begins `delta` bytes before it.
    fn note_copy(&mut self, from: u32, to: u32, delta: i32) {
        let key = (from.min(to), from.max(to));
        let behind = if from < to { delta } else { -delta };
        let known = self.copied.entry(key).or_insert(Some(behind));
        if *known != Some(behind) {
            *known = None;
        }
    }
}

/// True if anything changed.
pub(crate) fn opt_coalesce_phis(lir: &mut Lir) -> bool {
    let lanes = lanes(lir);
    let mut number: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, NONE);
    let mut candidates: Vec<VgrfId> = Vec::new();
    let mut copies: Vec<(VgrfId, VgrfId, i32)> = Vec::new();
    for inst in &lir.insts {
        let Some((from, to, delta)) = lane_copy(inst) else {
            continue;
        };
        let (Lanes::Slots(slot), true) = (lanes[from], lanes[from] == lanes[to]) else {
            continue;
        };
        if delta % (slot as i32 * i32::from(lir.width)) != 0 {
            continue;
        }
        if candidates.len() + 2 > MOST {
            break;
        }
        for v in [from, to] {
            if number[v] == NONE {
                number[v] = candidates.len() as u32;
                candidates.push(v);
            }
        }
        copies.push((from, to, delta));
    }
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
    let apart = interference(lir, &blocks, &number, candidates.len(), words);
    let (members, changed) = merge(lir, &copies, &number, &candidates, &apart);
    if changed {
        rename(lir, &members, &number, &candidates);
    }
    changed
}

/// Which of the candidates hold different values at once.
fn interference(
    lir: &Lir,
    blocks: &[Block],
    number: &IdMap<Vgrf, u32>,
    n: usize,
    words: usize,
) -> Apart {
    let mut apart = Apart {
        words,
        rows: vec![0u64; n * words],
        copied: FxHashMap::default(),
    };
    let mut live = vec![0; words];
    for block in blocks {
        live.clone_from(&block.live_out);
        back(lir, block, number, &mut live, |inst, v, live| {
            let copied = lane_copy(inst).filter(|c| number[c.0] != NONE);
            let row = &mut apart.rows[v as usize * words..][..words];
            let own = row.to_vec();
            add(row, live);
            if !has(&own, v) {
                remove(row, v);
            }
            // The source of a copy has the same value.
            if let Some((from, _, delta)) = copied
                && has(live, number[from])
            {
                if !has(&own, number[from]) {
                    remove(row, number[from]);
                }
                apart.note_copy(number[from], v, delta);
            }
        });
    }
    // The two payloads of a message do not overlap, though they be equal.
    for inst in lir.insts.iter().filter(|i| i.op == Op::Send) {
        let payloads = [0, 1].map(|i| inst.src[i].as_vgrf().map_or(NONE, |v| number[v]));
        if !payloads.contains(&NONE) && payloads[0] != payloads[1] {
            insert(
                &mut apart.rows[payloads[0] as usize * words..][..words],
                payloads[1],
            );
        }
    }
    for a in 0..n {
        for b in 0..n as u32 {
            if has(&apart.rows[a * words..][..words], b) {
                insert(&mut apart.rows[b as usize * words..][..words], a as u32);
            }
        }
    }
    apart
}

/// Puts what is copied to one another into one place, the most frequent copies first: those in loops were not counted, but stand behind.
fn merge(
    lir: &Lir,
    copies: &[(VgrfId, VgrfId, i32)],
    number: &IdMap<Vgrf, u32>,
    candidates: &[VgrfId],
    apart: &Apart,
) -> (Vec<Members>, bool) {
    let n = candidates.len() as u32;
    let bytes = |i: u32| i32::from(lir.vgrfs[candidates[i as usize]].regs) * GRF_BYTES as i32;
    let mut root: Vec<u32> = (0..n).collect();
    let mut place: Vec<i32> = vec![0; n as usize];
    let mut members: Vec<Members> = (0..n).map(|i| vec![(i, 0)]).collect();
    let mut changed = false;
    for &(from, to, delta) in copies.iter().rev() {
        let (from, to) = (number[from], number[to]);
        let (a, b) = (root[from as usize], root[to as usize]);
        if a == b || members[a as usize].len() * members[b as usize].len() > MOST_PAIRS {
            continue;
        }
        let shift = place[from as usize] + delta - place[to as usize];
        let (mut first, mut end) = (i32::MAX, i32::MIN);
        for &(i, at) in &members[a as usize] {
            (first, end) = (first.min(at), end.max(at + bytes(i)));
        }
        for &(i, at) in &members[b as usize] {
            (first, end) = (first.min(at + shift), end.max(at + shift + bytes(i)));
        }
        let fits = members[a as usize].iter().all(|&(i, at)| {
            members[b as usize].iter().all(|&(j, other)| {
                let other = other + shift;
                let overlap = at < other + bytes(j) && other < at + bytes(i);
                !overlap || apart.may_share(i, j, other - at)
            })
        });
        if !fits || end - first > (MOST_REGISTERS * GRF_BYTES) as i32 {
            continue;
        }
        let moved = std::mem::take(&mut members[b as usize]);
        for &(m, _) in &moved {
            root[m as usize] = a;
            place[m as usize] += shift;
        }
        members[a as usize].extend(moved.into_iter().map(|(m, at)| (m, at + shift)));
        changed = true;
    }
    (members, changed)
}

/// Gives the registers their new names, and drops the copies that copy nothing any more.
fn rename(lir: &mut Lir, members: &[Members], number: &IdMap<Vgrf, u32>, candidates: &[VgrfId]) {
    let mut place: Vec<(VgrfId, u32)> = candidates.iter().map(|v| (*v, 0)).collect();
    for class in members.iter().filter(|m| m.len() > 1) {
        let first = class.iter().map(|m| m.1).min().unwrap_or(0);
        let name = candidates[class[0].0 as usize];
        let mut end = 0;
        for &(m, at) in class {
            let at = (at - first) as u32;
            place[m as usize] = (name, at);
            let regs = u32::from(lir.vgrfs[candidates[m as usize]].regs);
            end = end.max(at + regs * GRF_BYTES);
        }
        lir.vgrfs[name].regs = (end / GRF_BYTES) as u16;
    }
    let renamed = |reg: &mut Reg, offset: &mut u32| {
        if let Reg::Vgrf(v) = *reg
            && number[v] != NONE
        {
            let (to, at) = place[number[v] as usize];
            *reg = Reg::Vgrf(to);
            *offset += at;
        }
    };
    for inst in &mut lir.insts {
        renamed(&mut inst.dst.reg, &mut inst.dst.offset);
        for s in &mut inst.src {
            renamed(&mut s.reg, &mut s.offset);
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
}
