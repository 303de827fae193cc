//! Where a spilled register may stay in registers from one of its occurrences to the next.
//!
//! In:  LIR, its intervals, the VGRFs to spill.
//! Out: for each occurrence whether what it has in registers is still there at the next one, which is in the same block.
//!
//! Between two occurrences there may be room: what is spilled is spilled for the place where most registers are wanted. Of the gaps in
//! a block those are bridged first that take least for each message that they save.

use crate::lir::live::Interval;
use crate::lir::{GRF_BYTES, Lir, Op, Vgrf, VgrfId};
use entity::{IdMap, IdSet};
use smallvec::SmallVec;

/// Registers that are filled up with what is spilled: the rest is for what must lie in a row.
pub(crate) const ROOM: i32 = 120;

/// The registers of a spilled VGRF that an instruction accesses.
#[derive(Clone, Copy)]
pub(crate) struct Touched {
    pub v: VgrfId,
    /// Index of the instruction.
    pub at: u32,
    pub first: u32,
    pub end: u32,
    /// What it held is needed.
    pub read: bool,
    pub written: bool,
    /// The same registers are still there at the next occurrence.
    pub kept: bool,
}

/// What an instruction accesses of the VGRFs that are stored. `merges` says whether a write leaves something that is needed.
fn touched(
    lir: &Lir,
    at: usize,
    stored: impl Fn(VgrfId) -> bool,
    merges: impl Fn(usize, VgrfId) -> bool,
) -> SmallVec<[Touched; 4]> {
    let inst = &lir.insts[at];
    let mut out: SmallVec<[Touched; 4]> = SmallVec::new();
    let mut touch = |v: VgrfId, first: u32, end: u32, read: bool, written: bool| match out
        .iter_mut()
        .find(|t| t.v == v)
    {
        Some(t) => {
            t.first = t.first.min(first);
            t.end = t.end.max(end);
            t.read |= read;
            t.written |= written;
        }
        None => out.push(Touched {
            v,
            at: at as u32,
            first,
            end,
            read,
            written,
            kept: false,
        }),
    };
    for i in 0..inst.sources() {
        if let Some(v) = inst.src[i].as_vgrf().filter(|v| stored(*v)) {
            let s = &inst.src[i];
            let (first, end) = if inst.op == Op::MovIndirect && i == 0 {
                (0, u32::from(lir.vgrfs[v].regs))
            } else {
                let bytes = inst.src_bytes(i).max(1);
                (s.offset / GRF_BYTES, (s.offset + bytes).div_ceil(GRF_BYTES))
            };
            touch(v, first, end, true, false);
        }
    }
    if let Some(v) = inst.dst.as_vgrf().filter(|v| stored(*v)) {
        let d = &inst.dst;
        let end = (d.offset + inst.dst_bytes()).div_ceil(GRF_BYTES);
        touch(v, d.offset / GRF_BYTES, end, merges(at, v), true);
    }
    out
}

/// All occurrences of the spilled VGRFs that are stored, in order; what there is room for is kept to the next.
pub(crate) fn occurrences(
    lir: &Lir,
    live: &IdMap<Vgrf, Interval>,
    spilled: &IdSet<Vgrf>,
    stored: impl Fn(VgrfId) -> bool,
    merges: impl Fn(usize, VgrfId) -> bool,
    room: i32,
) -> Vec<Touched> {
    let mut out = Vec::new();
    let mut taken = taken(lir, live, spilled);
    // The last occurrence of each, in this block.
    let mut last: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    let mut block_start = 0;
    let mut gaps: Vec<Gap> = Vec::new();
    for (at, inst) in lir.insts.iter().enumerate() {
        for t in touched(lir, at, &stored, &merges) {
            taken[at] += (t.end - t.first) as i32;
            let before = last[t.v] as usize;
            if before > block_start {
                gaps.extend(gap(&out[before - 1], &t, before - 1));
            }
            out.push(t);
            last[t.v] = out.len() as u32;
        }
        if inst.is_control() {
            block_start = out.len();
        }
    }
    gaps.sort_unstable_by_key(|g| (g.cost, g.from));
    for g in gaps {
        let between = &mut taken[g.first..g.end];
        if between.iter().all(|n| *n + g.regs <= room) {
            between.iter_mut().for_each(|n| *n += g.regs);
            out[g.from].kept = true;
        }
    }
    out
}

/// Two occurrences of a VGRF, one after the other in a block.
struct Gap {
    /// Registers and instructions, for each message that is saved.
    cost: u32,
    /// Number of the first occurrence.
    from: usize,
    regs: i32,
    /// The instructions between.
    first: usize,
    end: usize,
}

fn gap(a: &Touched, b: &Touched, from: usize) -> Option<Gap> {
    // The fill, and the store of what is written again.
    let saved = u32::from(b.read) + u32::from(a.written && b.written);
    let regs = a.end - a.first;
    let within = a.first <= b.first && b.end <= a.end;
    (within && saved > 0).then(|| Gap {
        cost: (b.at - a.at) * regs * 2 / saved,
        from,
        regs: regs as i32,
        first: a.at as usize + 1,
        end: b.at as usize,
    })
}

/// Registers that each instruction finds or makes, without those spilled.
fn taken(lir: &Lir, live: &IdMap<Vgrf, Interval>, spilled: &IdSet<Vgrf>) -> Vec<i32> {
    let mut out = vec![0; lir.insts.len() + 1];
    for (v, vgrf) in lir.vgrfs.iter() {
        if live[v].is_used() && !spilled.contains(v) {
            out[live[v].start as usize / 2] += i32::from(vgrf.regs);
            out[live[v].end as usize / 2 + 1] -= i32::from(vgrf.regs);
        }
    }
    let mut now = 0;
    for n in &mut out {
        now += *n;
        *n = now;
    }
    out
}
