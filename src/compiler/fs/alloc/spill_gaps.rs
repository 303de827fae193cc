//! Decides between which accesses a spilled VGRF stays in registers.
//!
//! In:  LIR, its live intervals, and the VGRFs to spill.
//! Out: all accesses to these VGRFs; each says whether the VGRF stays in registers until the next
//!      access, in the same block.
//!
//! A VGRF is spilled because of the point of highest pressure; between two of its accesses there
//! may be free registers. The gaps that occupy least registers and instructions for each message
//! saved are bridged first.

use crate::lir::live::Interval;
use crate::lir::{GRF_BYTES, Lir, Op, Vgrf, VgrfId};
use entity::{IdMap, IdSet};
use smallvec::SmallVec;

/// Maximum number of registers in use, up to which spilled values stay in registers; the others are
/// a reserve for VGRFs of several registers, which must be consecutive.
pub(crate) const MAX_RESIDENT: i32 = 120;

/// An access of an instruction to a spilled VGRF: the registers from `first` to before `end`.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub v: VgrfId,
    /// Index of the instruction.
    pub at: u32,
    pub first: u32,
    pub end: u32,
    /// The old contents are needed.
    pub read: bool,
    pub written: bool,
    /// The registers are still in the temporary at the next access.
    pub stays_resident: bool,
}

/// The accesses of an instruction to the VGRFs that are stored. `merges` tells whether a write
/// leaves elements that are needed.
fn accesses_of(
    lir: &Lir,
    at: usize,
    stored: impl Fn(VgrfId) -> bool,
    merges: impl Fn(usize, VgrfId) -> bool,
) -> SmallVec<[Access; 4]> {
    let inst = &lir.insts[at];
    let mut out: SmallVec<[Access; 4]> = SmallVec::new();
    let mut add = |v: VgrfId, first: u32, end: u32, read: bool, written: bool| match out
        .iter_mut()
        .find(|t| t.v == v)
    {
        Some(t) => {
            t.first = t.first.min(first);
            t.end = t.end.max(end);
            t.read |= read;
            t.written |= written;
        }
        None => out.push(Access {
            v,
            at: at as u32,
            first,
            end,
            read,
            written,
            stays_resident: false,
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
            add(v, first, end, true, false);
        }
    }
    if let Some(v) = inst.dst.as_vgrf().filter(|v| stored(*v)) {
        let d = &inst.dst;
        let end = (d.offset + inst.dst_bytes()).div_ceil(GRF_BYTES);
        add(v, d.offset / GRF_BYTES, end, merges(at, v), true);
    }
    out
}

/// All accesses to the spilled VGRFs that are stored, in layout order. A VGRF stays in registers
/// between accesses if no more than `max_resident` registers are in use there.
pub(crate) fn find_accesses(
    lir: &Lir,
    live: &IdMap<Vgrf, Interval>,
    spilled: &IdSet<Vgrf>,
    stored: impl Fn(VgrfId) -> bool,
    merges: impl Fn(usize, VgrfId) -> bool,
    max_resident: i32,
) -> Vec<Access> {
    let mut out = Vec::new();
    let mut used = registers_in_use(lir, live, spilled);
    // For each VGRF the number of accesses up to its last one.
    let mut last: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    let mut block_start = 0;
    let mut gaps: Vec<Gap> = Vec::new();
    for (at, inst) in lir.insts.iter().enumerate() {
        for access in accesses_of(lir, at, &stored, &merges) {
            used[at] += (access.end - access.first) as i32;
            let before = last[access.v] as usize;
            if before > block_start {
                gaps.extend(gap_between(&out[before - 1], &access, before - 1));
            }
            out.push(access);
            last[access.v] = out.len() as u32;
        }
        if inst.is_control() {
            block_start = out.len();
        }
    }
    gaps.sort_unstable_by_key(|g| (g.cost, g.from));
    for g in gaps {
        let between = &mut used[g.first..g.end];
        if between.iter().all(|n| *n + g.regs <= max_resident) {
            between.iter_mut().for_each(|n| *n += g.regs);
            out[g.from].stays_resident = true;
        }
    }
    out
}

/// The gap between two consecutive accesses to a VGRF in a block.
struct Gap {
    /// Registers × instructions for each message that is saved.
    cost: u32,
    /// Index of the first access.
    from: usize,
    regs: i32,
    /// The instructions between the accesses: from `first` to before `end`.
    first: usize,
    end: usize,
}

/// The gap between `a`, which is access number `from`, and `b`; none if bridging it saves no
/// message.
fn gap_between(a: &Access, b: &Access, from: usize) -> Option<Gap> {
    // A fill before a read, and a store whose value is overwritten.
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

/// The number of registers that are live at each instruction, without the spilled VGRFs.
fn registers_in_use(lir: &Lir, live: &IdMap<Vgrf, Interval>, spilled: &IdSet<Vgrf>) -> Vec<i32> {
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
