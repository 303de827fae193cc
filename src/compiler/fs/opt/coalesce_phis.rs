//! Gives values that are copied to one another one register, where none is written while the other is still wanted.
//!
//! In:  LIR in which phis are copies at the ends of blocks. Out: copies between registers that never hold different values at once
//! are gone, wherever source and destination are made and read; parts of answers and payloads are copied from and to, too.
//!
//! Registers are live as a lane sees it: along the ways that one lane can take, of which it knows one at a time. That is enough as
//! long as all writes are for active lanes alone, so registers that are written without the execution mask are left alone, and as long as
//! lanes read what is theirs: what is read across lanes is live wherever any lane is, from its first instruction to its last.
//! Where many registers are live, a copy stays if without it more would be: a part of a payload that is made long before the rest keeps
//! the whole payload's registers all the while.
//! Ref: Chaitin et al., "Register Allocation via Coloring" (1981), coalescing; Boissinot et al., "Revisiting Out-of-SSA
//! Translation" (CGO 2009). Tests: tests/fs/opt_coalesce_phis/.

use crate::lir::live::{self, Interval};
use crate::lir::{GRF_BYTES, Inst, Lir, Op, Reg, Vgrf, VgrfId};
use entity::IdMap;
use isa::{CondMod, Opcode};
use smallvec::SmallVec;

/// Registers that are looked at; a matrix of bits is made of them.
const MOST: u32 = 4096;
/// Instructions before the end within which what the last message sends may be made in its place.
const NEAR_END: usize = 256;
/// Registers in a row that may come of it.
const MOST_REGISTERS: u32 = 16;
/// Registers in use at once that sharing a place may lead to, unless it takes none.
const MOST_LIVE: i32 = 100;
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
    /// Component after component, each lane in a slot of so many bytes; behind a whole number of components and so many bytes.
    Slots {
        bytes: u32,
        behind: u32,
        of: Group,
    },
    /// In some other way.
    Other,
}

/// The lanes that a VGRF has: the first, and how many.
#[derive(Clone, Copy, PartialEq)]
struct Group {
    first: u32,
    count: u32,
}

/// Which lanes each VGRF has: all, or, of 32, those of one half, if it is written and read for no others.
fn groups(lir: &Lir) -> IdMap<Vgrf, Group> {
    let all = Group {
        first: 0,
        count: lir.width.into(),
    };
    if lir.width <= HALF {
        return IdMap::for_arena(&lir.vgrfs, all);
    }
    let mut out: IdMap<Vgrf, Option<Group>> = IdMap::for_arena(&lir.vgrfs, None);
    for inst in lir.insts.iter().filter(|inst| !inst.no_mask) {
        let here = match inst.exec {
            ..=HALF => Group {
                first: u32::from(inst.group / HALF * HALF),
                count: HALF.into(),
            },
            _ => all,
        };
        let used = inst.src[..inst.sources()].iter().map(|s| s.reg);
        for reg in used.chain([inst.dst.reg]) {
            if let Reg::Vgrf(v) = reg {
                out[v] = match out[v] {
                    Some(known) if known != here => Some(all),
                    _ => Some(here),
                };
            }
        }
    }
    let mut groups = IdMap::for_arena(&lir.vgrfs, all);
    for v in lir.vgrfs.ids() {
        groups[v] = out[v].unwrap_or(all);
    }
    groups
}

/// Lanes of half a shader of 32.
const HALF: u8 = 16;

/// Finds how the lanes lie in each VGRF.
fn lanes(lir: &Lir) -> IdMap<Vgrf, Lanes> {
    let mut out: IdMap<Vgrf, Lanes> = IdMap::for_arena(&lir.vgrfs, Lanes::Unknown);
    let groups = groups(lir);
    for inst in &lir.insts {
        let mut see = |v: VgrfId, slot: u32, offset: u32| {
            let of = groups[v];
            let first = u32::from(inst.group).saturating_sub(of.first) * slot;
            let component = of.count * slot;
            let here = match slot {
                2 | 4 | 8 => Lanes::Slots {
                    bytes: slot,
                    behind: (offset + component - first) % component,
                    of,
                },
                _ => Lanes::Other,
            };
            out[v] = match out[v] {
                Lanes::Unknown => here,
                known if known == here => here,
                _ => Lanes::Other,
            };
        };
        for s in &inst.src[..inst.sources()] {
            let Some(v) = s.as_vgrf() else { continue };
            match inst.op {
                // What a message reads lies as it was written.
                Op::Send => {}
                Op::MovIndirect => see(v, 0, 0),
                // One element for all is read wherever it lies.
                _ if s.stride == 0 => {}
                Op::Eu(Opcode::Pln) => see(v, 0, 0),
                _ if s.rows.is_some() => see(v, 0, 0),
                _ => see(v, u32::from(s.stride) * s.ty.size_bytes(), s.offset),
            }
        }
        let Some(v) = inst.dst.as_vgrf() else {
            continue;
        };
        let d = &inst.dst;
        match inst.op {
            // Registers that are written without the execution mask are nobody else's.
            _ if inst.no_mask => {}
            Op::Send if u32::from(inst.exec) == groups[v].count => see(v, 4, d.offset),
            Op::Send => see(v, 0, 0),
            _ => see(v, u32::from(d.stride) * d.ty.size_bytes(), d.offset),
        }
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        let payload = vgrf.is_thread_payload();
        if payload || u32::from(vgrf.regs) > MOST_REGISTERS {
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

/// The registers of candidates: the number of each one's first, or [`NONE`].
type Units = IdMap<Vgrf, u32>;

/// The numbers of the registers that these bytes of a VGRF lie in.
fn units(units: &Units, v: VgrfId, offset: u32, bytes: u32) -> std::ops::Range<u32> {
    match units[v] {
        NONE => 0..0,
        first => {
            let end = first + (offset + bytes.max(1)).div_ceil(GRF_BYTES);
            first + offset / GRF_BYTES..end
        }
    }
}

/// Goes back over a block. `at_write` is told of each register that is written, with what is live behind the instruction.
fn back(
    lir: &Lir,
    block: &Block,
    number: &Units,
    live: &mut Bits,
    mut at_write: impl FnMut(&Inst, u32, &[u64]),
) {
    for inst in lir.insts[block.first..block.end].iter().rev() {
        if let Some(v) = inst.dst.as_vgrf() {
            let written = units(number, v, inst.dst.offset, inst.dst_bytes());
            for unit in written.clone() {
                at_write(inst, unit, live);
            }
            let packed = inst.send.is_some() || inst.dst.stride == 1;
            for (n, unit) in (0..).zip(written) {
                let first = inst.dst.offset / GRF_BYTES * GRF_BYTES + n * GRF_BYTES;
                let whole = inst.dst.offset <= first
                    && first + GRF_BYTES <= inst.dst.offset + inst.dst_bytes();
                if inst.pred.is_none() && packed && whole {
                    remove(live, unit);
                }
            }
        }
        for (i, s) in inst.src[..inst.sources()].iter().enumerate() {
            if let Some(v) = s.as_vgrf()
                && inst.src_bytes(i) > 0
            {
                units(number, v, s.offset, inst.src_bytes(i)).for_each(|u| insert(live, u));
            }
        }
    }
}

/// VGRFs that share a place, or lie in a row: each with the byte where it begins.
type Members = Vec<(VgrfId, i32)>;

/// A copy: source, destination, and how many bytes behind the source's beginning the destination's would be.
type Copy = (VgrfId, VgrfId, i32);

/// True if anything changed.
pub(crate) fn opt_coalesce_phis(lir: &mut Lir) -> bool {
    let lanes = lanes(lir);
    let mut number: Units = IdMap::for_arena(&lir.vgrfs, NONE);
    let mut candidates: Vec<VgrfId> = Vec::new();
    let mut total = 0;
    let mut copies: Vec<Copy> = Vec::new();
    for inst in &lir.insts {
        let Some((from, to, delta)) = lane_copy(inst) else {
            continue;
        };
        let (
            Lanes::Slots { bytes, behind, of },
            Lanes::Slots {
                bytes: same,
                behind: other,
                of: group,
            },
        ) = (lanes[from], lanes[to])
        else {
            continue;
        };
        let component = (bytes * of.count) as i32;
        let apart = delta + other as i32 - behind as i32;
        if (bytes, of) != (same, group) || apart % component != 0 || delta % 32 != 0 {
            continue;
        }
        let more: u32 = [from, to]
            .iter()
            .map(|v| u32::from(lir.vgrfs[*v].regs))
            .sum();
        if total + more > MOST {
            break;
        }
        for v in [from, to] {
            if number[v] == NONE {
                number[v] = total;
                total += u32::from(lir.vgrfs[v].regs);
                candidates.push(v);
            }
        }
        copies.push((from, to, delta));
    }
    if copies.is_empty() {
        return false;
    }
    let words = (total as usize).div_ceil(64);
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
    let apart = interference(lir, &blocks, &number, total as usize, words);
    let (members, changed) = merge(lir, &copies, &number, &candidates, &apart, words);
    if changed {
        rename(lir, &members);
    }
    changed
}

/// Which registers of the candidates hold different values at once: a row of bits for each.
fn interference(lir: &Lir, blocks: &[Block], number: &Units, n: usize, words: usize) -> Bits {
    let mut apart = vec![0u64; n * words];
    let mut live = vec![0; words];
    for block in blocks {
        live.clone_from(&block.live_out);
        back(lir, block, number, &mut live, |inst, unit, live| {
            let row = &mut apart[unit as usize * words..][..words];
            if inst.no_mask {
                // Lanes that are not active must keep what they have.
                row.fill(u64::MAX);
                return;
            }
            // The source of a copy has the same value.
            let same = lane_copy(inst).and_then(|(from, to, delta)| {
                let at = number[to] as i32 - number[from] as i32;
                let source = unit as i32 - at + delta / GRF_BYTES as i32;
                (number[from] != NONE).then_some(source as u32)
            });
            let own = (has(row, unit), same.is_some_and(|s| has(row, s)));
            add(row, live);
            if !own.0 {
                remove(row, unit);
            }
            if let (Some(same), false) = (same, own.1) {
                remove(row, same);
            }
        });
    }
    read_across(lir, number, &mut apart, words);
    // The two payloads of a message do not overlap, though they be equal.
    for inst in lir.insts.iter().filter(|i| i.op == Op::Send) {
        let payload = |i: usize| {
            let s = &inst.src[i];
            let bytes = inst.src_bytes(i);
            let v = s.as_vgrf().filter(|_| bytes > 0);
            v.map_or(0..0, |v| units(number, v, s.offset, bytes))
        };
        for a in payload(0) {
            for b in payload(1).filter(|b| *b != a) {
                insert(&mut apart[a as usize * words..][..words], b);
            }
        }
    }
    for a in 0..n {
        for b in 0..n as u32 {
            if has(&apart[a * words..][..words], b) {
                insert(&mut apart[b as usize * words..][..words], a as u32);
            }
        }
    }
    apart
}

/// Sets apart what is read across lanes from what is written meanwhile: on another way than the reader's, perhaps, but to lanes it reads.
fn read_across(lir: &Lir, number: &Units, apart: &mut [u64], words: usize) {
    let mut across: Vec<VgrfId> = Vec::new();
    for inst in &lir.insts {
        for s in &inst.src[..inst.sources()] {
            let others = inst.no_mask || inst.op != Op::Send && s.stride == 0 && inst.exec > 1;
            if let Some(v) = s.as_vgrf().filter(|v| others && number[*v] != NONE)
                && !across.contains(&v)
            {
                across.push(v);
            }
        }
    }
    if across.is_empty() {
        return;
    }
    let intervals = live::intervals(lir, &live::loops(lir));
    for (at, inst) in (0..).zip(&lir.insts) {
        let Some(to) = inst.dst.as_vgrf().filter(|v| number[*v] != NONE) else {
            continue;
        };
        let copied = lane_copy(inst).map(|(from, ..)| from);
        for &v in across.iter().filter(|v| **v != to && copied != Some(**v)) {
            let Interval { start, end, .. } = intervals[v];
            if !(start / 2 < at && at <= end / 2) {
                continue;
            }
            let read = units(number, v, 0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES);
            for unit in units(number, to, inst.dst.offset, inst.dst_bytes()) {
                let row = &mut apart[unit as usize * words..][..words];
                read.clone().for_each(|read| insert(row, read));
            }
        }
    }
}

/// Puts what is copied to one another into one place, the most frequent copies first: those in loops were not counted, but stand behind.
fn merge(
    lir: &Lir,
    copies: &[Copy],
    number: &Units,
    candidates: &[VgrfId],
    apart: &[u64],
    words: usize,
) -> (Vec<Members>, bool) {
    let bytes = |v: VgrfId| i32::from(lir.vgrfs[v].regs) * GRF_BYTES as i32;
    // What the last message sends cannot be spilled: it is made shortly before.
    let mut early: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
    let late = lir.insts.len().saturating_sub(NEAR_END);
    for inst in &lir.insts[..late] {
        if let Some(v) = inst.dst.as_vgrf() {
            early[v] = true;
        }
    }
    // The class of each, and where it lies in it.
    let mut place: IdMap<Vgrf, (u32, i32)> = IdMap::for_arena(&lir.vgrfs, (NONE, 0));
    let mut members: Vec<Members> = Vec::with_capacity(candidates.len());
    for &v in candidates {
        place[v] = (members.len() as u32, 0);
        members.push(vec![(v, 0)]);
    }
    let mut pressure = Pressure::new(lir);
    let mut changed = false;
    for &(from, to, delta) in copies.iter().rev() {
        let ((a, from_at), (b, to_at)) = (place[from], place[to]);
        let (left, right) = (&members[a as usize], &members[b as usize]);
        if a == b || left.len() * right.len() > MOST_PAIRS {
            continue;
        }
        let shift = from_at + delta - to_at;
        let all = || {
            left.iter()
                .copied()
                .chain(right.iter().map(|m| (m.0, m.1 + shift)))
        };
        let first = all().map(|m| m.1).min().unwrap_or(0);
        let end = all().map(|(v, at)| at + bytes(v)).max().unwrap_or(0);
        let fixed: SmallVec<[(VgrfId, i32); 2]> =
            all().filter(|m| lir.vgrfs[m.0].fixed.is_some()).collect();
        let in_place = match fixed[..] {
            [] => true,
            [(v, at)] => at == first && end - first == bytes(v) && all().all(|m| !early[m.0]),
            _ => false,
        };
        let fits = in_place
            && end - first <= (MOST_REGISTERS * GRF_BYTES) as i32
            && left.iter().all(|&(i, at)| {
                right.iter().all(|&(j, other)| {
                    let other = other + shift;
                    let (from, to) = (at.max(other), (at + bytes(i)).min(other + bytes(j)));
                    (from..to).step_by(GRF_BYTES as usize).all(|byte| {
                        let x = number[i] + (byte - at) as u32 / GRF_BYTES;
                        let y = number[j] + (byte - other) as u32 / GRF_BYTES;
                        !has(&apart[x as usize * words..][..words], y)
                    })
                })
            });
        let regs = (end - first) / GRF_BYTES as i32;
        if !fits || !pressure.join(left[0].0, right[0].0, regs) {
            continue;
        }
        let moved = std::mem::take(&mut members[b as usize]);
        for &(m, at) in &moved {
            place[m] = (a, at + shift);
            members[a as usize].push((m, at + shift));
        }
        changed = true;
    }
    (members, changed)
}

/// How many registers are in use at each instruction, and from where to where each class is.
struct Pressure {
    live: Vec<i32>,
    /// Of a class's first member: first and last instruction, and registers.
    span: IdMap<Vgrf, (u32, u32, i32)>,
}

impl Pressure {
    fn new(lir: &Lir) -> Pressure {
        let intervals = live::intervals(lir, &live::loops(lir));
        let mut out = Pressure {
            live: vec![0; lir.insts.len() + 1],
            span: IdMap::for_arena(&lir.vgrfs, (0, 0, 0)),
        };
        for (v, vgrf) in lir.vgrfs.iter() {
            let Interval { start, end, .. } = intervals[v];
            if intervals[v].is_used() {
                out.span[v] = (start / 2, end / 2, vgrf.regs.into());
                out.add(out.span[v], 1);
            }
        }
        // From what begins and ends at each instruction to what is there.
        let mut sum = 0;
        for n in &mut out.live {
            sum += *n;
            *n = sum;
        }
        out
    }

    fn add(&mut self, (start, end, regs): (u32, u32, i32), sign: i32) {
        self.live[start as usize] += sign * regs;
        self.live[end as usize + 1] -= sign * regs;
    }

    /// Lets two classes share a place of so many registers, if not too many are in use then where there were fewer before.
    fn join(&mut self, a: VgrfId, b: VgrfId, regs: i32) -> bool {
        let (left, right) = (self.span[a], self.span[b]);
        let both = (left.0.min(right.0), left.1.max(right.1), regs);
        let within = |at: u32, of: (u32, u32, i32)| {
            if (of.0..=of.1).contains(&at) { of.2 } else { 0 }
        };
        let more = |at: u32| regs - within(at, left) - within(at, right);
        let too_many = |at: u32| more(at) > 0 && self.live[at as usize] + more(at) > MOST_LIVE;
        if (both.0..=both.1).any(too_many) {
            return false;
        }
        for at in both.0..=both.1 {
            self.live[at as usize] += more(at);
        }
        self.span[a] = both;
        true
    }
}

/// Gives the registers their new names, and drops the copies that copy nothing any more.
fn rename(lir: &mut Lir, members: &[Members]) {
    let mut place: IdMap<Vgrf, Option<(VgrfId, u32)>> = IdMap::for_arena(&lir.vgrfs, None);
    for class in members.iter().filter(|m| m.len() > 1) {
        let first = class.iter().map(|m| m.1).min().unwrap_or(0);
        let fixed = class.iter().find(|m| lir.vgrfs[m.0].fixed.is_some());
        let name = fixed.unwrap_or(&class[0]).0;
        let mut end = 0;
        for &(v, at) in class {
            let at = (at - first) as u32;
            place[v] = Some((name, at));
            end = end.max(at + u32::from(lir.vgrfs[v].regs) * GRF_BYTES);
        }
        lir.vgrfs[name].regs = (end / GRF_BYTES) as u16;
    }
    let renamed = |reg: &mut Reg, offset: &mut u32| {
        if let Reg::Vgrf(v) = *reg
            && let Some((to, at)) = place[v]
        {
            *reg = Reg::Vgrf(to);
            *offset += at;
        }
    };
    for inst in &mut lir.insts {
        renamed(&mut inst.dst.reg, &mut inst.dst.offset);
        let n = inst.sources();
        for s in &mut inst.src[..n] {
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
