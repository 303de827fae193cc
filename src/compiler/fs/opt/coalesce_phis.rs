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
use crate::opt::pressure::Pressure;
use crate::opt::register_sets::{DisjointSets, LiveSet, SparseSet};
use entity::IdMap;
use isa::{CondMod, Opcode};

/// Maximum number of candidate registers; an interference matrix has at most as many rows and
/// columns.
const MAX_CANDIDATES: u32 = 4096;
/// The payload of the EOT message is coalesced only with values written within this number of
/// instructions of the end.
const NEAR_END: usize = 256;
/// Maximum size of a coalesced VGRF in registers.
const MAX_VGRF_REGISTERS: u32 = 16;
/// Lanes of a half of a SIMD32 thread.
const HALF: u8 = 16;
/// Not a candidate.
const NONE: u32 = u32::MAX;

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

/// The bytes of a VGRF that instructions access: the first, and behind the last.
type AccessedBytes = IdMap<Vgrf, (u32, u32)>;

/// The bytes of each VGRF that instructions access. Words packed at SIMD8 fill half a register.
fn accessed_bytes(lir: &Lir) -> AccessedBytes {
    let mut out = IdMap::for_arena(&lir.vgrfs, (u32::MAX, 0));
    for inst in &lir.insts {
        let mut access = |v: VgrfId, offset: u32, bytes: u32| {
            let (first, end) = out[v];
            out[v] = (offset.min(first), end.max(offset + bytes));
        };
        for (i, s) in inst.src[..inst.sources()].iter().enumerate() {
            match s.as_vgrf() {
                Some(v) if inst.op == Op::MovIndirect && i == 0 => access(v, 0, u32::MAX),
                Some(v) => access(v, s.offset, inst.src_bytes(i)),
                None => {}
            }
        }
        if let Some(v) = inst.dst.as_vgrf() {
            access(v, inst.dst.offset, inst.dst_bytes());
        }
    }
    out
}

/// Updates `live` from the end of a block to its beginning. `at_write` is called for each register
/// written, with the registers that are live behind the instruction.
fn walk_backward(
    lir: &Lir,
    block: &Block,
    candidates: &Candidates,
    live: &mut LiveSet,
    mut at_write: impl FnMut(&Inst, u32, &LiveSet),
) {
    let (number, accessed) = (&candidates.number, &candidates.accessed);
    for inst in lir.insts[block.first..block.end].iter().rev() {
        if let Some(v) = inst.dst.as_vgrf() {
            let written = registers(number, v, inst.dst.offset, inst.dst_bytes());
            for register in written.clone() {
                at_write(inst, register, live);
            }
            let packed = inst.send.is_some() || inst.dst.stride == 1;
            for (n, register) in (0..).zip(written) {
                let first = inst.dst.offset / GRF_BYTES * GRF_BYTES + n * GRF_BYTES;
                let (used, used_end) = accessed[v];
                let whole = inst.dst.offset <= first.max(used)
                    && used_end.min(first + GRF_BYTES) <= inst.dst.offset + inst.dst_bytes();
                if inst.pred.is_none() && packed && whole {
                    live.remove(register);
                }
            }
        }
        for (i, s) in inst.src[..inst.sources()].iter().enumerate() {
            if let Some(v) = s.as_vgrf()
                && inst.src_bytes(i) > 0
            {
                registers(number, v, s.offset, inst.src_bytes(i)).for_each(|r| live.insert(r));
            }
        }
    }
}

/// VGRFs that are merged into one.
#[derive(Default)]
struct Class {
    /// Each VGRF with its byte offset, before the offsets are normalised to begin at 0.
    members: Vec<(VgrfId, i32)>,
    /// The VGRF that the others become.
    name: Option<VgrfId>,
    /// The offsets of the first byte and behind the last one.
    bytes: (i32, i32),
    /// The member in fixed registers, and its offset.
    fixed: Option<(VgrfId, i32)>,
    /// A member is written far from the end of the program.
    early: bool,
}

/// A copy: source, destination, and the offset in bytes from the beginning of the source VGRF to
/// that of the destination VGRF at which the copied elements coincide.
type LaneCopy = (VgrfId, VgrfId, i32);

/// The copies that may be coalesced, and their VGRFs.
struct Candidates {
    copies: Vec<LaneCopy>,
    vgrfs: Vec<VgrfId>,
    number: Numbering,
    accessed: AccessedBytes,
    /// The registers of each group of VGRFs that copies connect: only these may be merged.
    groups: Vec<std::ops::Range<u32>>,
    /// The group of each register.
    group_of: Vec<u32>,
}

/// Returns true if it changed the program.
pub(crate) fn opt_coalesce_phis(lir: &mut Lir) -> bool {
    let candidates = find_candidates(lir);
    if candidates.copies.is_empty() {
        return false;
    }
    let blocks = build_blocks(lir);
    let live_in = compute_live_in(lir, &blocks, &candidates);
    let interference = compute_interference(lir, &blocks, &live_in, &candidates);
    let (classes, changed) = merge(lir, &candidates, &interference);
    if changed {
        rename(lir, &classes);
    }
    changed
}

/// Finds the copies whose source and destination have the same layout of lanes.
fn find_candidates(lir: &Lir) -> Candidates {
    let layouts = lane_layouts(lir);
    let mut known: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
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
            if !known[v] {
                known[v] = true;
                total += u32::from(lir.vgrfs[v].regs);
                vgrfs.push(v);
            }
        }
        copies.push((from, to, delta));
    }
    number_by_group(lir, copies, vgrfs)
}

/// Numbers the registers of the candidates such that VGRFs which copies connect follow one another.
fn number_by_group(lir: &Lir, copies: Vec<LaneCopy>, vgrfs: Vec<VgrfId>) -> Candidates {
    // Union-find; the first VGRF of a group stands for it.
    let mut parent: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, NONE);
    for (n, &v) in (0..).zip(&vgrfs) {
        parent[v] = n;
    }
    let mut sets = DisjointSets::new(vgrfs.len());
    for &(from, to, _) in &copies {
        sets.join(parent[from], parent[to]);
    }
    let mut members: Vec<Vec<VgrfId>> = vec![Vec::new(); vgrfs.len()];
    for (n, &v) in (0..).zip(&vgrfs) {
        members[sets.find(n) as usize].push(v);
    }
    let mut candidates = Candidates {
        copies,
        vgrfs,
        number: IdMap::for_arena(&lir.vgrfs, NONE),
        accessed: accessed_bytes(lir),
        groups: Vec::new(),
        group_of: Vec::new(),
    };
    let mut next = 0;
    for group in members.iter().filter(|group| !group.is_empty()) {
        let first = next;
        for &v in group {
            candidates.number[v] = next;
            next += u32::from(lir.vgrfs[v].regs);
        }
        let n = candidates.groups.len() as u32;
        candidates.group_of.resize(next as usize, n);
        candidates.groups.push(first..next);
    }
    candidates
}

/// Liveness analysis: the registers that are live at the beginning of each block.
fn compute_live_in(lir: &Lir, blocks: &[Block], candidates: &Candidates) -> Vec<SparseSet> {
    let mut live_in: Vec<SparseSet> = vec![SparseSet::default(); blocks.len()];
    let mut live = LiveSet::new(candidates.group_of.len());
    loop {
        let mut grew = false;
        for b in (0..blocks.len()).rev() {
            for next in blocks[b].next {
                if let Some(next) = live_in.get(next) {
                    live.insert_all(next);
                }
            }
            walk_backward(lir, &blocks[b], candidates, &mut live, |_, _, _| {});
            let now = live.remove_all();
            // Sets only grow.
            grew |= now.len() > live_in[b].len();
            live_in[b] = now;
        }
        if !grew {
            break;
        }
    }
    live_in
}

/// For each register, those of its group that hold a different value at the same time: a matrix of
/// bits for each group.
struct Interference<'c> {
    candidates: &'c Candidates,
    bits: Vec<u64>,
    /// Where the row of the first register of each group begins.
    start: Vec<usize>,
}

impl<'c> Interference<'c> {
    fn new(candidates: &'c Candidates) -> Interference<'c> {
        let mut start = Vec::with_capacity(candidates.groups.len());
        let mut total = 0;
        for group in &candidates.groups {
            start.push(total);
            total += group.len() * LiveSet::words_of(group).len();
        }
        Interference {
            candidates,
            bits: vec![0; total],
            start,
        }
    }

    /// The words of a register's row, and the range of words of a set of registers that they are.
    fn row_range(&self, register: u32) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let group = self.candidates.group_of[register as usize] as usize;
        let registers = &self.candidates.groups[group];
        let words = LiveSet::words_of(registers);
        let at = self.start[group] + (register - registers.start) as usize * words.len();
        (at..at + words.len(), words)
    }

    fn are_in_one_group(&self, a: u32, b: u32) -> bool {
        let group_of = &self.candidates.group_of;
        group_of[a as usize] == group_of[b as usize]
    }

    /// The word and bit of `b` in the row of `a`, if they are in one group.
    fn bit(&self, a: u32, b: u32) -> Option<(usize, u64)> {
        let (row, words) = self.row_range(a);
        let word = row.start + (b as usize / 64).checked_sub(words.start)?;
        (self.are_in_one_group(a, b)).then_some((word, 1 << (b % 64)))
    }

    fn has(&self, a: u32, b: u32) -> bool {
        self.bit(a, b)
            .is_some_and(|(word, bit)| self.bits[word] & bit != 0)
    }

    fn set(&mut self, a: u32, b: u32, interferes: bool) {
        match self.bit(a, b) {
            Some((word, bit)) if interferes => self.bits[word] |= bit,
            Some((word, bit)) => self.bits[word] &= !bit,
            None => {}
        }
    }

    /// Interference of a register with everything.
    fn fill(&mut self, a: u32) {
        let (row, _) = self.row_range(a);
        self.bits[row].fill(u64::MAX);
    }

    fn insert_all(&mut self, a: u32, live: &LiveSet) {
        let (row, words) = self.row_range(a);
        for (to, from) in self.bits[row].iter_mut().zip(live.words(words)) {
            *to |= from;
        }
    }

    /// The registers that interfere with `a`.
    fn row(&self, a: u32) -> impl Iterator<Item = u32> + use<'_, 'c> {
        let group = &self.candidates.groups[self.candidates.group_of[a as usize] as usize];
        let (row, words) = self.row_range(a);
        let set = words.zip(&self.bits[row]);
        set.flat_map(|(word, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(word as u32 * 64 + bit)
            })
        })
        .filter(|register| group.contains(register))
    }

    fn make_symmetric(&mut self) {
        for a in 0..self.candidates.group_of.len() as u32 {
            let others: Vec<u32> = self.row(a).collect();
            others.iter().for_each(|b| self.set(*b, a, true));
        }
    }
}

fn compute_interference<'c>(
    lir: &Lir,
    blocks: &[Block],
    live_in: &[SparseSet],
    candidates: &'c Candidates,
) -> Interference<'c> {
    let number = &candidates.number;
    let mut matrix = Interference::new(candidates);
    let mut live = LiveSet::new(candidates.group_of.len());
    for block in blocks {
        for next in block.next {
            if let Some(next) = live_in.get(next) {
                live.insert_all(next);
            }
        }
        walk_backward(lir, block, candidates, &mut live, |inst, register, live| {
            if inst.no_mask {
                // The write would destroy the elements of inactive lanes.
                matrix.fill(register);
                return;
            }
            // The source of a copy has the same value.
            let same = lane_copy(inst).and_then(|(from, to, delta)| {
                let at = number[to] as i32 - number[from] as i32;
                let source = register as i32 - at + delta / GRF_BYTES as i32;
                (number[from] != NONE).then_some(source as u32)
            });
            let same = same.filter(|s| (*s as usize) < candidates.group_of.len());
            let own = matrix.has(register, register);
            let interferes = same.is_some_and(|s| matrix.has(register, s));
            matrix.insert_all(register, live);
            matrix.set(register, register, own);
            if let Some(same) = same {
                matrix.set(register, same, interferes);
            }
        });
        live.clear();
    }
    add_cross_lane_interference(lir, candidates, &mut matrix);
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
                matrix.set(a, b, true);
            }
        }
    }
    matrix.make_symmetric();
    matrix
}

/// Adds interference between VGRFs that are read across lanes and everything that is written during
/// their live range: the write may be on a path that the reading lane does not take, but change the
/// element of another lane.
fn add_cross_lane_interference(lir: &Lir, candidates: &Candidates, matrix: &mut Interference<'_>) {
    let number = &candidates.number;
    let group = |v: VgrfId| candidates.group_of[number[v] as usize] as usize;
    let mut seen: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
    let mut across: Vec<Vec<VgrfId>> = vec![Vec::new(); candidates.groups.len()];
    let mut any = false;
    for inst in &lir.insts {
        for s in &inst.src[..inst.sources()] {
            let others = inst.no_mask || inst.op != Op::Send && s.stride == 0 && inst.exec > 1;
            if let Some(v) = s.as_vgrf().filter(|v| others && number[*v] != NONE)
                && !std::mem::replace(&mut seen[v], true)
            {
                across[group(v)].push(v);
                any = true;
            }
        }
    }
    if !any {
        return;
    }
    let intervals = live::intervals(lir, &live::loops(lir));
    for (at, inst) in (0..).zip(&lir.insts) {
        let Some(to) = inst.dst.as_vgrf().filter(|v| number[*v] != NONE) else {
            continue;
        };
        let copied = lane_copy(inst).map(|(from, ..)| from);
        let others = across[group(to)].iter();
        for &v in others.filter(|v| **v != to && copied != Some(**v)) {
            let Interval { start, end, .. } = intervals[v];
            if !(start / 2 < at && at <= end / 2) {
                continue;
            }
            let read = registers(number, v, 0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES);
            for register in registers(number, to, inst.dst.offset, inst.dst_bytes()) {
                read.clone()
                    .for_each(|read| matrix.set(register, read, true));
            }
        }
    }
}

/// The classes of merged VGRFs.
struct Classes {
    all: Vec<Class>,
    /// The class of each VGRF, and its offset in it.
    class_of: IdMap<Vgrf, (u32, i32)>,
    /// The VGRF of each register of a candidate.
    vgrf_of: Vec<VgrfId>,
}

impl Classes {
    /// Every candidate in a class of its own.
    fn new(lir: &Lir, candidates: &Candidates) -> Classes {
        // The payload of the EOT message cannot be spilled, so its live range must stay short.
        let mut early: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
        let late = lir.insts.len().saturating_sub(NEAR_END);
        for inst in &lir.insts[..late] {
            if let Some(v) = inst.dst.as_vgrf() {
                early[v] = true;
            }
        }
        let mut out = Classes {
            all: Vec::with_capacity(candidates.vgrfs.len()),
            class_of: IdMap::for_arena(&lir.vgrfs, (NONE, 0)),
            vgrf_of: Vec::new(),
        };
        let mut owners = vec![None; candidates.group_of.len()];
        for &v in &candidates.vgrfs {
            out.class_of[v] = (out.all.len() as u32, 0);
            let registers = u32::from(lir.vgrfs[v].regs);
            let first = candidates.number[v];
            owners[first as usize..(first + registers) as usize].fill(Some(v));
            out.all.push(Class {
                members: vec![(v, 0)],
                name: Some(v),
                bytes: (0, (registers * GRF_BYTES) as i32),
                fixed: lir.vgrfs[v].fixed.is_some().then_some((v, 0)),
                early: early[v],
            });
        }
        out.vgrf_of = owners.into_iter().flatten().collect();
        out
    }

    /// True if a register of `class` interferes with the register of `other` that would have the
    /// same place, if the offsets of `other` were raised by `shift`.
    fn interfere(
        &self,
        lir: &Lir,
        interference: &Interference<'_>,
        class: u32,
        other: u32,
        shift: i32,
    ) -> bool {
        let number = &interference.candidates.number;
        self.all[class as usize].members.iter().any(|&(v, at)| {
            (0..u32::from(lir.vgrfs[v].regs)).any(|k| {
                let byte = at + (k * GRF_BYTES) as i32;
                interference.row(number[v] + k).any(|register| {
                    let with = self.vgrf_of[register as usize];
                    let (its_class, its_at) = self.class_of[with];
                    let its_byte = its_at + ((register - number[with]) * GRF_BYTES) as i32;
                    its_class == other && its_byte + shift == byte
                })
            })
        })
    }

    /// Merges class `from` into `to`; offsets are raised by `shift`.
    fn absorb(&mut self, to: u32, from: u32, shift: i32) {
        let moved = std::mem::take(&mut self.all[from as usize]);
        let class = &mut self.all[to as usize];
        for &(v, at) in &moved.members {
            self.class_of[v] = (to, at + shift);
            class.members.push((v, at + shift));
        }
        class.bytes = union(class.bytes, moved.bytes, shift);
        class.fixed = class.fixed.or(moved.fixed.map(|(v, at)| (v, at + shift)));
        class.early |= moved.early;
    }
}

/// The range that covers `a`, and `b` raised by `shift`.
fn union(a: (i32, i32), b: (i32, i32), shift: i32) -> (i32, i32) {
    (a.0.min(b.0 + shift), a.1.max(b.1 + shift))
}

/// Merges the VGRFs of copies that do not interfere, from the last copy to the first: copies at the
/// ends of loop bodies, which are executed most often, follow those before the loop. Returns the
/// merged classes, and true if anything was merged.
fn merge(
    lir: &Lir,
    candidates: &Candidates,
    interference: &Interference<'_>,
) -> (Vec<Class>, bool) {
    let mut classes = Classes::new(lir, candidates);
    let mut pressure = Pressure::new(lir);
    let mut changed = false;
    for &(from, to, delta) in candidates.copies.iter().rev() {
        let ((a, from_at), (b, to_at)) = (classes.class_of[from], classes.class_of[to]);
        if a == b {
            continue;
        }
        let (left, right) = (&classes.all[a as usize], &classes.all[b as usize]);
        let shift = from_at + delta - to_at;
        let (first, end) = union(left.bytes, right.bytes, shift);
        let fixed_fits = match (left.fixed, right.fixed.map(|(v, at)| (v, at + shift))) {
            (None, None) => true,
            (Some((v, at)), None) | (None, Some((v, at))) => {
                let bytes = i32::from(lir.vgrfs[v].regs) * GRF_BYTES as i32;
                at == first && end - first == bytes && !left.early && !right.early
            }
            _ => false,
        };
        if !fixed_fits || end - first > (MAX_VGRF_REGISTERS * GRF_BYTES) as i32 {
            continue;
        }
        // The smaller class is searched and moved, so that no VGRF is moved often.
        let left_is_smaller = left.members.len() < right.members.len();
        let interfere = match left_is_smaller {
            true => classes.interfere(lir, interference, a, b, shift),
            false => classes.interfere(lir, interference, b, a, -shift),
        };
        let names = (left.name, right.name);
        let regs = (end - first) / GRF_BYTES as i32;
        let (Some(left_name), Some(right_name)) = names else {
            continue;
        };
        if interfere || !pressure.merge(left_name, right_name, regs) {
            continue;
        }
        match left_is_smaller {
            true => classes.absorb(b, a, -shift),
            false => classes.absorb(a, b, shift),
        }
        let merged = if left_is_smaller { b } else { a };
        classes.all[merged as usize].name = Some(left_name);
        changed = true;
    }
    (classes.all, changed)
}

/// Replaces the members of each class by one VGRF, and removes copies from a register to itself.
fn rename(lir: &mut Lir, classes: &[Class]) {
    let mut new_location: IdMap<Vgrf, Option<(VgrfId, u32)>> = IdMap::for_arena(&lir.vgrfs, None);
    for class in classes.iter().filter(|class| class.members.len() > 1) {
        let Some(name) = class.fixed.map(|(v, _)| v).or(class.name) else {
            continue;
        };
        let (first, end) = class.bytes;
        for &(v, at) in &class.members {
            new_location[v] = Some((name, (at - first) as u32));
        }
        lir.vgrfs[name].regs = ((end - first) as u32 / GRF_BYTES) as u16;
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
