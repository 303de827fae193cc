//! Register allocation: linear scan over intervals; what does not fit goes to scratch memory, and the scan starts again.
//!
//! In:  LIR over virtual registers.
//! Out: a general register for each VGRF. It ends: every round spills at least one register that was there before,
//!      and what spilling makes lives for one instruction.

use crate::alloc::{spill, spill_gaps};
use crate::error::FsError;
use crate::lir::live::{Ends, Interval, intervals, loops};
use crate::lir::{GRF_BYTES, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::{IdMap, IdSet};

/// Registers that may be given out.
const REGISTERS: usize = 128;
/// Those that an answer to a message may come to. It may not come to r127 where it overlaps what is sent, and here it never does.
/// Ref: BDW PRM vol. 7, "SEND", r127.
const ANSWER_REGISTERS: usize = 127;

/// What allocation found.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    /// First general register of each VGRF.
    pub reg: IdMap<Vgrf, u8>,
    /// Registers written to scratch.
    pub spills: u32,
    /// Registers read back.
    pub fills: u32,
    /// Most registers in use at once.
    pub max_live: u32,
}

/// Allocates; spills until it fits. `r0` is the register of the thread's header. With `may_spill` false it gives up
/// (`None`) instead.
pub(crate) fn allocate(
    lir: &mut Lir,
    r0: VgrfId,
    may_spill: bool,
) -> Result<Option<Allocation>, FsError> {
    if !may_spill {
        return rounds(lir, r0, None);
    }
    let written = lir.clone();
    match rounds(lir, r0, Some(spill_gaps::ROOM)) {
        // What stays in registers longer than for an instruction cannot be spilled again, and may be in the way.
        Err(FsError::Limit { .. }) => {
            *lir = written;
            rounds(lir, r0, Some(0))
        }
        done => done,
    }
}

/// Allocates; spills until it fits, and fills as many registers as `room` says with what is spilled. Without it nothing is spilled.
fn rounds(lir: &mut Lir, r0: VgrfId, room: Option<i32>) -> Result<Option<Allocation>, FsError> {
    let (mut spills, mut fills) = (0, 0);
    loop {
        let loops = loops(lir);
        let live = intervals(lir, &loops);
        let mut out = Allocation {
            reg: IdMap::for_arena(&lir.vgrfs, 0),
            spills,
            fills,
            max_live: 0,
        };
        let ends = Ends::new(lir, &loops);
        let spilled = scan(lir, &live, &ends, &mut out)?;
        if spilled.is_empty() {
            return Ok(Some(out));
        }
        let Some(room) = room else { return Ok(None) };
        let counts = spill::spill(lir, &live, &spilled, r0, room)?;
        spills += counts.0;
        fills += counts.1;
    }
}

/// One scan. Returns what must be spilled.
fn scan(
    lir: &Lir,
    live: &IdMap<Vgrf, Interval>,
    ends: &Ends,
    out: &mut Allocation,
) -> Result<IdSet<Vgrf>, FsError> {
    let mut order: Vec<(u32, VgrfId)> = lir
        .vgrfs
        .ids()
        .filter(|v| live[*v].is_used() && lir.vgrfs[*v].fixed.is_none())
        .map(|v| (start_of(lir, live, v), v))
        .collect();
    order.sort_unstable_by_key(|(start, v)| (*start, v.index()));
    let mut file = File {
        free_at: [0; REGISTERS],
        owner: [None; REGISTERS],
    };
    let mut spilled = IdSet::new();
    // Looked for when something has to be spilled at all.
    let mut recipes = None;
    // From when on the payload of the last message takes the end of the file, and its first register.
    let mut last = (u32::MAX, REGISTERS);
    let mut answers: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
    for inst in lir.insts.iter().filter(|inst| inst.send.is_some()) {
        if let Some(v) = inst.dst.as_vgrf() {
            answers[v] = true;
        }
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        if let (Some(reg), true) = (vgrf.fixed, live[v].is_used()) {
            out.reg[v] = reg;
            if !vgrf.is_thread_payload() {
                // What is sent as an answer comes there does not die in time.
                let start = start_of(lir, live, v) & !u32::from(answers[v]);
                last = last.min((start, usize::from(reg)));
            } else {
                file.take(v, reg.into(), vgrf.regs.into(), ends);
            }
        }
    }
    let mut used = 0usize;
    for (start, v) in order {
        let regs = usize::from(lir.vgrfs[v].regs);
        let registers = match live[v].end < last.0 {
            true if answers[v] => ANSWER_REGISTERS,
            true => REGISTERS,
            false => last.1,
        };
        if let Some((source, reg)) = inherited(lir, live, v, start, out, &spilled)
            && reg + regs <= registers
            && file.is_of(source, reg..reg + regs, start)
        {
            out.reg[v] = reg as u8;
            file.take(v, reg, regs, ends);
            continue;
        }
        loop {
            if let Some(reg) = find(&file.free_at[..registers], regs, start) {
                out.reg[v] = reg as u8;
                file.take(v, reg, regs, ends);
                used = used.max(reg + regs);
                break;
            }
            let recipes = recipes.get_or_insert_with(|| spill::recipes(lir, |_| true));
            let cost = |v: VgrfId| cost(lir, v, &live[v], recipes[v].is_some());
            let itself = cost(v);
            match file.cheapest(start, registers, regs, cost) {
                Some((others, first)) if itself.is_none_or(|itself| others < itself) => {
                    for r in first..first + regs {
                        if let Some(victim) = file.taken(r, start) {
                            spilled.insert(victim);
                            file.free(victim, start);
                        }
                    }
                }
                _ if itself.is_some() => {
                    spilled.insert(v);
                    break;
                }
                _ => {
                    return Err(FsError::Limit {
                        what: "registers at once",
                        need: regs as u64,
                        max: registers as u64,
                    });
                }
            }
        }
    }
    out.max_live = pressure(lir, live).max(1);
    debug_assert!(used <= REGISTERS);
    Ok(spilled)
}

/// Most registers live at once.
pub(crate) fn pressure(lir: &Lir, live: &IdMap<Vgrf, Interval>) -> u32 {
    let mut change = vec![0i32; 2 * lir.insts.len() + 3];
    for (v, vgrf) in lir.vgrfs.iter() {
        if live[v].is_used() {
            change[live[v].start as usize] += i32::from(vgrf.regs);
            change[live[v].end as usize + 1] -= i32::from(vgrf.regs);
        }
    }
    let (mut now, mut max) = (0, 0);
    for c in change {
        now += c;
        max = max.max(now);
    }
    max as u32
}

/// Where a register begins to be taken. An instruction of two halves writes the first before it reads for the second: its
/// destination may not share registers with sources that die there.
fn start_of(lir: &Lir, live: &IdMap<Vgrf, Interval>, v: VgrfId) -> u32 {
    let start = live[v].start;
    if start & 1 == 0 {
        return start;
    }
    let inst = &lir.insts[start as usize / 2];
    if inst.send.is_some() {
        return start;
    }
    let halves = inst.op == Op::MovIndirect
        || inst.dst_bytes() > GRF_BYTES
        || (0..inst.sources()).any(|i| inst.src_bytes(i) > GRF_BYTES);
    if halves { start - 1 } else { start }
}

/// The register of a source that dies where `v` is made and lies in the same way: the two may share it.
fn inherited(
    lir: &Lir,
    live: &IdMap<Vgrf, Interval>,
    v: VgrfId,
    start: u32,
    out: &Allocation,
    spilled: &IdSet<Vgrf>,
) -> Option<(VgrfId, usize)> {
    if live[v].start != start + 1 {
        return None;
    }
    let inst = &lir.insts[start as usize / 2];
    if matches!(inst.op, Op::MovIndirect | Op::Eu(isa::Opcode::Pln)) || inst.dst.offset != 0 {
        return None;
    }
    let pitch = u32::from(inst.dst.stride) * inst.dst.ty.size_bytes();
    let same = |s: &Src| {
        s.offset == 0 && s.rows.is_none() && u32::from(s.stride) * s.ty.size_bytes() == pitch
    };
    for i in 0..inst.sources() {
        let Some(s) = inst.src[i].as_vgrf() else {
            continue;
        };
        let dies = live[s].end == start && lir.vgrfs[s].fixed.is_none() && !spilled.contains(s);
        if dies
            && lir.vgrfs[s].regs == lir.vgrfs[v].regs
            && (0..inst.sources()).all(|j| inst.src[j].as_vgrf() != Some(s) || same(&inst.src[j]))
        {
            return Some((s, usize::from(out.reg[s])));
        }
    }
    None
}

/// The general registers: from which position on each is free, and whose it is or was.
struct File {
    free_at: [u32; REGISTERS],
    owner: [Option<VgrfId>; REGISTERS],
}

impl File {
    fn take(&mut self, v: VgrfId, reg: usize, regs: usize, ends: &Ends) {
        for r in 0..regs {
            self.free_at[reg + r] = ends.end(v, r) + 1;
            self.owner[reg + r] = Some(v);
        }
    }

    /// Gives back what is still the VGRF's.
    fn free(&mut self, v: VgrfId, at: u32) {
        for (free_at, owner) in self.free_at.iter_mut().zip(&mut self.owner) {
            if *owner == Some(v) {
                *free_at = (*free_at).min(at);
                *owner = None;
            }
        }
    }

    /// Whose a register is at `at`.
    fn taken(&self, r: usize, at: u32) -> Option<VgrfId> {
        self.owner[r].filter(|_| self.free_at[r] > at)
    }

    /// The run of so many registers whose VGRFs cost least, and where it begins.
    fn cheapest(
        &self,
        at: u32,
        registers: usize,
        regs: usize,
        cost: impl Fn(VgrfId) -> Option<u64>,
    ) -> Option<(u64, usize)> {
        let owners: Vec<_> = (0..registers).map(|r| self.taken(r, at)).collect();
        let costs: Vec<_> = owners.iter().map(|v| v.map_or(Some(0), &cost)).collect();
        let run = |first: usize| {
            let mut sum = 0;
            for r in first..first + regs {
                let again = r > first && owners[r] == owners[r - 1];
                sum += if again { 0 } else { costs[r]? };
            }
            Some((sum, first))
        };
        (0..=registers.checked_sub(regs)?).filter_map(run).min()
    }

    /// True if the registers are still the VGRF's, or nobody's.
    fn is_of(&self, v: VgrfId, range: std::ops::Range<usize>, at: u32) -> bool {
        let mut all = self.free_at[range.clone()].iter().zip(&self.owner[range]);
        all.all(|(free_at, owner)| *owner == Some(v) || *free_at <= at)
    }
}

/// The lowest run of registers that is free at `start`.
fn find(free_at: &[u32], regs: usize, start: u32) -> Option<usize> {
    let mut run = 0;
    for (r, free) in free_at.iter().enumerate() {
        if *free <= start {
            run += 1;
            if run == regs {
                return Some(r + 1 - regs);
            }
        } else {
            run = 0;
        }
    }
    None
}

/// What it costs to spill a VGRF, if that can be: little for what is little used, and long alive.
fn cost(lir: &Lir, v: VgrfId, live: &Interval, remade: bool) -> Option<u64> {
    let vgrf = &lir.vgrfs[v];
    if vgrf.no_spill || vgrf.fixed.is_some() {
        return None;
    }
    let length = u64::from(live.end - live.start) + 1;
    // What is made again needs no message.
    Some(u64::from(live.weight) * if remade { 1 << 18 } else { 1 << 20 } / length)
}

/// Registers that are filled where everything is spilled: some of it stays there, most does not.
const LITTLE_ROOM: i32 = 24;

/// Spills every register that can be, once: for tests of the spiller.
pub(crate) fn spill_everything(lir: &mut Lir, r0: VgrfId) -> Result<(), FsError> {
    let live = intervals(lir, &loops(lir));
    let mut all = IdSet::new();
    for (v, vgrf) in lir.vgrfs.iter() {
        if live[v].is_used() && vgrf.fixed.is_none() && !vgrf.no_spill {
            all.insert(v);
        }
    }
    spill::spill(lir, &live, &all, r0, LITTLE_ROOM).map(|_| ())
}

/// Removes copies whose source and destination have got the same register.
pub(crate) fn remove_copies_to_self(lir: &mut Lir, reg: &IdMap<Vgrf, u8>) {
    lir.insts.retain(|inst| {
        let plain = inst.op == Op::Eu(isa::Opcode::Mov)
            && inst.cmod == isa::CondMod::None
            && !inst.sat
            && !inst.src[0].neg
            && !inst.src[0].abs
            && inst.src[0].rows.is_none()
            && inst.dst.ty == inst.src[0].ty
            && (inst.dst.stride == inst.src[0].stride || inst.exec == 1);
        let at = |v: VgrfId, offset: u32| u32::from(reg[v]) * GRF_BYTES + offset;
        match (plain, inst.dst.reg, inst.src[0].reg) {
            (true, Reg::Vgrf(d), Reg::Vgrf(s)) => {
                at(d, inst.dst.offset) != at(s, inst.src[0].offset)
            }
            _ => true,
        }
    });
}
