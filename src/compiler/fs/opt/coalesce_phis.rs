//! Coalescing of VGRFs that are copied to one another and do not interfere, across the whole
//! program.
//!
//! In:  LIR in which phis are copies at the ends of blocks.
//! Out: the source and the destination of a copy share a VGRF, and the copy is removed, if they
//!      never hold different values at the same time. Copies from parts of responses and to parts
//!      of payloads are coalesced too.
//!
//! Liveness is computed on the paths of a single lane ([`crate::opt::lane_cfg`]). This is correct
//! if all writes are for active lanes and every lane reads only its own elements. So VGRFs that are
//! written without the execution mask interfere with everything, and those that are read across
//! lanes are live from their first to their last instruction.
//!
//! A copy stays if coalescing would raise a high register pressure: a payload part that is computed
//! early would keep the registers of the whole payload allocated.
//! Ref: Chaitin et al., "Register Allocation via Coloring" (1981), coalescing; Boissinot et al.,
//!      "Revisiting Out-of-SSA Translation" (CGO 2009). Tests: tests/fs/opt_coalesce_phis/.

use crate::lir::live::{self, Interval};
use crate::lir::{GRF_BYTES, Inst, Lir, Op, Reg, Vgrf, VgrfId};
use crate::opt::lane_cfg::{Block, build_blocks};
use entity::IdMap;
use isa::{CondMod, Opcode};
use smallvec::SmallVec;

/// Maximum number of candidate registers; the interference matrix has as many rows and columns.
const MAX_CANDIDATES: u32 = 4096;
/// The payload of the EOT message is coalesced only with values written within this number of
/// instructions of the end.
const NEAR_END: usize = 256;
/// Maximum size of a coalesced VGRF in registers.
const MAX_VGRF_REGISTERS: u32 = 16;
/// Maximum number of live registers to which coalescing may raise the pressure.
const MAX_LIVE: i32 = 100;
/// Maximum number of VGRF pairs that are tested for interference for one copy.
const MAX_PAIRS: usize = 1 << 14;
/// Lanes of a half of a SIMD32 thread.
const HALF: u8 = 16;
/// Not a candidate.
const NONE: u32 = u32::MAX;

/// A set of candidate registers.
type BitSet = Vec<u64>;

fn has(bits: &[u64], i: u32) -> bool {
    bits[i as usize / 64] >> (i % 64) & 1 == 1
}

fn insert(bits: &mut [u64], i: u32) {
    bits[i as usize / 64] |= 1 << (i % 64);
}

fn remove(bits: &mut [u64], i: u32) {
    bits[i as usize / 64] &= !(1 << (i % 64));
}

/// Adds the elements of `from`; returns true if any of them is new.
fn insert_all(to: &mut [u64], from: &[u64]) -> bool {
    let mut grew = false;
    for (a, b) in to.iter_mut().zip(from) {
        grew |= *b & !*a != 0;
        *a |= b;
    }
    grew
}

/// The operands of a plain copy of one element per lane.
fn lane_copy(inst: &Inst) -> Option<LaneCopy> {
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

/// The arrangement of lanes in a VGRF.
#[derive(Clone, Copy, PartialEq)]
enum LaneLayout {
    Unknown,
    /// One component after another; a component has one slot of `bytes` bytes per lane. The first
    /// component begins `offset` bytes into the VGRF, modulo the size of a component.
    Slots {
        bytes: u32,
        offset: u32,
        lanes: LaneRange,
    },
    /// Any other arrangement.
    Other,
}

/// The lanes whose values a VGRF holds.
#[derive(Clone, Copy, PartialEq)]
struct LaneRange {
    first: u32,
    count: u32,
}

/// The lanes of each VGRF: all, or in SIMD32 those of one half if no other lanes access it.
fn lane_ranges(lir: &Lir) -> IdMap<Vgrf, LaneRange> {
    let all = LaneRange {
        first: 0,
        count: lir.width.into(),
    };
    if lir.width <= HALF {
        return IdMap::for_arena(&lir.vgrfs, all);
    }
    let mut out: IdMap<Vgrf, Option<LaneRange>> = IdMap::for_arena(&lir.vgrfs, None);
    for inst in lir.insts.iter().filter(|inst| !inst.no_mask) {
        let here = match inst.exec {
            ..=HALF => LaneRange {
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
    let mut ranges = IdMap::for_arena(&lir.vgrfs, all);
    for v in lir.vgrfs.ids() {
        ranges[v] = out[v].unwrap_or(all);
    }
    ranges
}

/// Finds the arrangement of lanes in each VGRF.
fn lane_layouts(lir: &Lir) -> IdMap<Vgrf, LaneLayout> {
    let mut out: IdMap<Vgrf, LaneLayout> = IdMap::for_arena(&lir.vgrfs, LaneLayout::Unknown);
    let ranges = lane_ranges(lir);
    for inst in &lir.insts {
        let mut observe = |v: VgrfId, slot: u32, offset: u32| {
            let lanes = ranges[v];
            let first = u32::from(inst.group).saturating_sub(lanes.first) * slot;
            let component = lanes.count * slot;
            let here = match slot {
                2 | 4 | 8 => LaneLayout::Slots {
                    bytes: slot,
                    offset: (offset + component - first) % component,
                    lanes,
                },
                _ => LaneLayout::Other,
            };
            out[v] = match out[v] {
                LaneLayout::Unknown => here,
                known if known == here => here,
                _ => LaneLayout::Other,
            };
        };
        for s in &inst.src[..inst.sources()] {
            let Some(v) = s.as_vgrf() else { continue };
            match inst.op {
                // The writes determine the layout of a payload.
                Op::Send => {}
                Op::MovIndirect => observe(v, 0, 0),
                // A scalar region fits every layout.
                _ if s.stride == 0 => {}
                Op::Eu(Opcode::Pln) => observe(v, 0, 0),
                _ if s.rows.is_some() => observe(v, 0, 0),
                _ => observe(v, u32::from(s.stride) * s.ty.size_bytes(), s.offset),
            }
        }
        let Some(v) = inst.dst.as_vgrf() else {
            continue;
        };
        let d = &inst.dst;
        match inst.op {
            // VGRFs that are written without the execution mask interfere with everything.
            _ if inst.no_mask => {}
            Op::Send if u32::from(inst.exec) == ranges[v].count => observe(v, 4, d.offset),
            Op::Send => observe(v, 0, 0),
            _ => observe(v, u32::from(d.stride) * d.ty.size_bytes(), d.offset),
        }
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        let payload = vgrf.is_thread_payload();
        if payload || u32::from(vgrf.regs) > MAX_VGRF_REGISTERS {
            out[v] = LaneLayout::Other;
        }
    }
    out
}

/// The number of the first register of each candidate, or [`NONE`]. All registers of candidates are
/// numbered.
type Numbering = IdMap<Vgrf, u32>;

/// The numbers of the registers that contain these bytes of a VGRF.
fn registers(number: &Numbering, v: VgrfId, offset: u32, bytes: u32) -> std::ops::Range<u32> {
    match number[v] {
        NONE => 0..0,
        first => {
            let end = first + (offset + bytes.max(1)).div_ceil(GRF_BYTES);
            first + offset / GRF_BYTES..end
        }
    }
}

/// Updates `live` from the end of a block to its beginning. `at_write` is called for each register
/// written, with the registers that are live behind the instruction.
fn walk_backward(
    lir: &Lir,
    block: &Block,
    number: &Numbering,
    live: &mut BitSet,
    mut at_write: impl FnMut(&Inst, u32, &[u64]),
) {
    for inst in lir.insts[block.first..block.end].iter().rev() {
        if let Some(v) = inst.dst.as_vgrf() {
            let written = registers(number, v, inst.dst.offset, inst.dst_bytes());
            for register in written.clone() {
                at_write(inst, register, live);
            }
            let packed = inst.send.is_some() || inst.dst.stride == 1;
            for (n, register) in (0..).zip(written) {
                let first = inst.dst.offset / GRF_BYTES * GRF_BYTES + n * GRF_BYTES;
                let whole = inst.dst.offset <= first
                    && first + GRF_BYTES <= inst.dst.offset + inst.dst_bytes();
                if inst.pred.is_none() && packed && whole {
                    remove(live, register);
                }
            }
        }
        for (i, s) in inst.src[..inst.sources()].iter().enumerate() {
            if let Some(v) = s.as_vgrf()
                && inst.src_bytes(i) > 0
            {
                registers(number, v, s.offset, inst.src_bytes(i)).for_each(|r| insert(live, r));
            }
        }
    }
}

/// VGRFs that are merged into one: each with its byte offset in that one, before the offsets are
/// normalised to begin at 0.
type Members = Vec<(VgrfId, i32)>;

/// A copy: source, destination, and the offset in bytes from the beginning of the source VGRF to
/// that of the destination VGRF at which the copied elements coincide.
type LaneCopy = (VgrfId, VgrfId, i32);

/// The copies that may be coalesced, and their VGRFs.
struct Candidates {
    copies: Vec<LaneCopy>,
    vgrfs: Vec<VgrfId>,
    number: Numbering,
    /// Number of registers of all candidates.
    registers: usize,
}

/// Returns true if it changed the program.
pub(crate) fn opt_coalesce_phis(lir: &mut Lir) -> bool {
    let candidates = find_candidates(lir);
    if candidates.copies.is_empty() {
        return false;
    }
    let words = candidates.registers.div_ceil(64);
    let blocks = build_blocks(lir);
    let live_out = compute_live_out(lir, &blocks, &candidates.number, words);
    let interference = compute_interference(lir, &blocks, &live_out, &candidates, words);
    let (members, changed) = merge(lir, &candidates, &interference, words);
    if changed {
        rename(lir, &members);
    }
    changed
}

/// Finds the copies whose source and destination have the same layout of lanes.
fn find_candidates(lir: &Lir) -> Candidates {
    let layouts = lane_layouts(lir);
    let mut number: Numbering = IdMap::for_arena(&lir.vgrfs, NONE);
    let mut vgrfs: Vec<VgrfId> = Vec::new();
    let mut total = 0;
    let mut copies: Vec<LaneCopy> = Vec::new();
    for inst in &lir.insts {
        let Some((from, to, delta)) = lane_copy(inst) else {
            continue;
        };
        let (
            LaneLayout::Slots {
                bytes,
                offset,
                lanes,
            },
            LaneLayout::Slots {
                bytes: to_bytes,
                offset: to_offset,
                lanes: to_lanes,
            },
        ) = (layouts[from], layouts[to])
        else {
            continue;
        };
        let component = (bytes * lanes.count) as i32;
        let distance = delta + to_offset as i32 - offset as i32;
        if (bytes, lanes) != (to_bytes, to_lanes) || distance % component != 0 || delta % 32 != 0 {
            continue;
        }
        let more: u32 = [from, to]
            .iter()
            .map(|v| u32::from(lir.vgrfs[*v].regs))
            .sum();
        if total + more > MAX_CANDIDATES {
            break;
        }
        for v in [from, to] {
            if number[v] == NONE {
                number[v] = total;
                total += u32::from(lir.vgrfs[v].regs);
                vgrfs.push(v);
            }
        }
        copies.push((from, to, delta));
    }
    Candidates {
        copies,
        vgrfs,
        number,
        registers: total as usize,
    }
}

/// Liveness analysis: the registers that are live at the end of each block.
fn compute_live_out(lir: &Lir, blocks: &[Block], number: &Numbering, words: usize) -> Vec<BitSet> {
    let mut live_in: Vec<BitSet> = vec![vec![0; words]; blocks.len()];
    let mut live_out = live_in.clone();
    let mut live = vec![0; words];
    loop {
        let mut grew = false;
        for b in (0..blocks.len()).rev() {
            for next in blocks[b].next {
                if let Some(next) = live_in.get(next) {
                    insert_all(&mut live_out[b], next);
                }
            }
            live.clone_from(&live_out[b]);
            walk_backward(lir, &blocks[b], number, &mut live, |_, _, _| {});
            grew |= insert_all(&mut live_in[b], &live);
        }
        if !grew {
            break;
        }
    }
    live_out
}

/// The interference matrix: a row of bits for each register, with the registers that hold a
/// different value at the same time.
fn compute_interference(
    lir: &Lir,
    blocks: &[Block],
    live_out: &[BitSet],
    candidates: &Candidates,
    words: usize,
) -> BitSet {
    let (n, number) = (candidates.registers, &candidates.number);
    let mut matrix = vec![0u64; n * words];
    let mut live = vec![0; words];
    for (block, live_out) in blocks.iter().zip(live_out) {
        live.clone_from(live_out);
        walk_backward(lir, block, number, &mut live, |inst, register, live| {
            let row = &mut matrix[register as usize * words..][..words];
            if inst.no_mask {
                // The write would destroy the elements of inactive lanes.
                row.fill(u64::MAX);
                return;
            }
            // The source of a copy has the same value.
            let same = lane_copy(inst).and_then(|(from, to, delta)| {
                let at = number[to] as i32 - number[from] as i32;
                let source = register as i32 - at + delta / GRF_BYTES as i32;
                (number[from] != NONE).then_some(source as u32)
            });
            let own = (has(row, register), same.is_some_and(|s| has(row, s)));
            insert_all(row, live);
            if !own.0 {
                remove(row, register);
            }
            if let (Some(same), false) = (same, own.1) {
                remove(row, same);
            }
        });
    }
    add_cross_lane_interference(lir, number, &mut matrix, words);
    // The two payloads of a message must not overlap, even if they are equal.
    for inst in lir.insts.iter().filter(|i| i.op == Op::Send) {
        let payload = |i: usize| {
            let s = &inst.src[i];
            let bytes = inst.src_bytes(i);
            let v = s.as_vgrf().filter(|_| bytes > 0);
            v.map_or(0..0, |v| registers(number, v, s.offset, bytes))
        };
        for a in payload(0) {
            for b in payload(1).filter(|b| *b != a) {
                insert(&mut matrix[a as usize * words..][..words], b);
            }
        }
    }
    for a in 0..n {
        for b in 0..n as u32 {
            if has(&matrix[a * words..][..words], b) {
                insert(&mut matrix[b as usize * words..][..words], a as u32);
            }
        }
    }
    matrix
}

/// Adds interference between VGRFs that are read across lanes and everything that is written during
/// their live range: the write may be on a path that the reading lane does not take, but change the
/// element of another lane.
fn add_cross_lane_interference(lir: &Lir, number: &Numbering, matrix: &mut [u64], words: usize) {
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
            let read = registers(number, v, 0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES);
            for register in registers(number, to, inst.dst.offset, inst.dst_bytes()) {
                let row = &mut matrix[register as usize * words..][..words];
                read.clone().for_each(|read| insert(row, read));
            }
        }
    }
}

/// Merges the VGRFs of copies that do not interfere, from the last copy to the first: copies at the
/// ends of loop bodies, which are executed most often, follow those before the loop. Returns the
/// merged classes, and true if anything was merged.
fn merge(
    lir: &Lir,
    candidates: &Candidates,
    interference: &[u64],
    words: usize,
) -> (Vec<Members>, bool) {
    let number = &candidates.number;
    let bytes = |v: VgrfId| i32::from(lir.vgrfs[v].regs) * GRF_BYTES as i32;
    // The payload of the EOT message cannot be spilled, so its live range must stay short.
    let mut early: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
    let late = lir.insts.len().saturating_sub(NEAR_END);
    for inst in &lir.insts[..late] {
        if let Some(v) = inst.dst.as_vgrf() {
            early[v] = true;
        }
    }
    // The class of each VGRF, and its offset in it.
    let mut class_of: IdMap<Vgrf, (u32, i32)> = IdMap::for_arena(&lir.vgrfs, (NONE, 0));
    let mut members: Vec<Members> = Vec::with_capacity(candidates.vgrfs.len());
    for &v in &candidates.vgrfs {
        class_of[v] = (members.len() as u32, 0);
        members.push(vec![(v, 0)]);
    }
    let mut pressure = Pressure::new(lir);
    let mut changed = false;
    for &(from, to, delta) in candidates.copies.iter().rev() {
        let ((a, from_at), (b, to_at)) = (class_of[from], class_of[to]);
        let (left, right) = (&members[a as usize], &members[b as usize]);
        if a == b || left.len() * right.len() > MAX_PAIRS {
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
        let fixed_fits = match fixed[..] {
            [] => true,
            [(v, at)] => at == first && end - first == bytes(v) && all().all(|m| !early[m.0]),
            _ => false,
        };
        let fits = fixed_fits
            && end - first <= (MAX_VGRF_REGISTERS * GRF_BYTES) as i32
            && left.iter().all(|&(i, at)| {
                right.iter().all(|&(j, other)| {
                    let other = other + shift;
                    let (from, to) = (at.max(other), (at + bytes(i)).min(other + bytes(j)));
                    (from..to).step_by(GRF_BYTES as usize).all(|byte| {
                        let x = number[i] + (byte - at) as u32 / GRF_BYTES;
                        let y = number[j] + (byte - other) as u32 / GRF_BYTES;
                        !has(&interference[x as usize * words..][..words], y)
                    })
                })
            });
        let regs = (end - first) / GRF_BYTES as i32;
        if !fits || !pressure.merge(left[0].0, right[0].0, regs) {
            continue;
        }
        let moved = std::mem::take(&mut members[b as usize]);
        for &(m, at) in &moved {
            class_of[m] = (a, at + shift);
            members[a as usize].push((m, at + shift));
        }
        changed = true;
    }
    (members, changed)
}

/// The register pressure at each instruction.
struct Pressure {
    /// Number of live registers at each instruction.
    live: Vec<i32>,
    /// Of a class's first member: first and last instruction of the class, and its registers.
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
        // Prefix sum: from the changes at each instruction to the totals.
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

    /// Merges two classes into one of `regs` registers, unless that raises the pressure beyond
    /// [`MAX_LIVE`] anywhere. Returns true if it merged them.
    fn merge(&mut self, a: VgrfId, b: VgrfId, regs: i32) -> bool {
        let (left, right) = (self.span[a], self.span[b]);
        let both = (left.0.min(right.0), left.1.max(right.1), regs);
        let live_in = |at: u32, span: (u32, u32, i32)| {
            if (span.0..=span.1).contains(&at) {
                span.2
            } else {
                0
            }
        };
        let more = |at: u32| regs - live_in(at, left) - live_in(at, right);
        let too_many = |at: u32| more(at) > 0 && self.live[at as usize] + more(at) > MAX_LIVE;
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

/// Replaces the members of each class by one VGRF, and removes copies from a register to itself.
fn rename(lir: &mut Lir, members: &[Members]) {
    let mut new_location: IdMap<Vgrf, Option<(VgrfId, u32)>> = IdMap::for_arena(&lir.vgrfs, None);
    for class in members.iter().filter(|m| m.len() > 1) {
        let first = class.iter().map(|m| m.1).min().unwrap_or(0);
        let fixed = class.iter().find(|m| lir.vgrfs[m.0].fixed.is_some());
        let name = fixed.unwrap_or(&class[0]).0;
        let mut end = 0;
        for &(v, at) in class {
            let at = (at - first) as u32;
            new_location[v] = Some((name, at));
            end = end.max(at + u32::from(lir.vgrfs[v].regs) * GRF_BYTES);
        }
        lir.vgrfs[name].regs = (end / GRF_BYTES) as u16;
    }
    let renamed = |reg: &mut Reg, offset: &mut u32| {
        if let Reg::Vgrf(v) = *reg
            && let Some((to, at)) = new_location[v]
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

#[cfg(test)]
mod tests;
