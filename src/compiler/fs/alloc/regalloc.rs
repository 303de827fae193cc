//! Register allocation: linear scan over live intervals; VGRFs that do not fit are spilled to
//! scratch, and the scan is repeated.
//!
//! In:  LIR over VGRFs.
//! Out: the first GRF of each VGRF.
//!
//! The repetition ends: each round spills at least one of the original VGRFs, and the VGRFs that
//! spilling adds live for one instruction.

use crate::alloc::{spill, spill_gaps};
use crate::error::FsError;
use crate::lir::live::{Ends, Interval, intervals, loops};
use crate::lir::{GRF_BYTES, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::{IdMap, IdSet};

/// Number of GRFs.
const REGISTERS: usize = 128;
/// Number of GRFs that a response may use: all but r127, which the response must not include if it
/// overlaps the payload.
/// Ref: BDW PRM vol. 7, "SEND", r127.
const RESPONSE_REGISTERS: usize = 127;

/// The result of register allocation.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    /// First general register of each VGRF.
    pub reg: IdMap<Vgrf, u8>,
    /// Number of registers that spill code writes to scratch.
    pub spills: u32,
    /// Number of registers that spill code reads from scratch.
    pub fills: u32,
    /// Maximum number of registers that are live at once.
    pub max_live: u32,
}

/// Allocates registers, and spills until all VGRFs fit. `r0` is the VGRF of the thread's header.
/// Returns `None` if the VGRFs do not fit and `may_spill` is false, and an error if they do not fit
/// even with spilling.
pub(crate) fn allocate(
    lir: &mut Lir,
    r0: VgrfId,
    may_spill: bool,
) -> Result<Option<Allocation>, FsError> {
    if !may_spill {
        return allocate_within(lir, r0, None);
    }
    let original = lir.clone();
    match allocate_within(lir, r0, Some(spill_gaps::MAX_RESIDENT)) {
        // Values that the spiller keeps in registers between instructions cannot be spilled again,
        // and may block the rest.
        Err(FsError::Limit { .. }) => {
            *lir = original;
            allocate_within(lir, r0, Some(0))
        }
        done => done,
    }
}

/// Allocates registers, and spills until all VGRFs fit. Spilled values stay in registers between
/// instructions as long as no more than `max_resident` registers are in use; with `None` nothing is
/// spilled.
fn allocate_within(
    lir: &mut Lir,
    r0: VgrfId,
    max_resident: Option<i32>,
) -> Result<Option<Allocation>, FsError> {
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
        let Some(max_resident) = max_resident else {
            return Ok(None);
        };
        let counts = spill::spill(lir, &live, &spilled, r0, max_resident)?;
        spills += counts.0;
        fills += counts.1;
    }
}

/// One linear scan. Returns the VGRFs that must be spilled.
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
    let mut file = RegisterFile {
        free_at: [0; REGISTERS],
        owner: [None; REGISTERS],
    };
    let mut spilled = IdSet::new();
    // Computed when the first VGRF has to be spilled.
    let mut recipes = None;
    // The start of the EOT payload's live range, and its first register; it extends to the end of
    // the register file.
    let mut eot_payload = (u32::MAX, REGISTERS);
    let mut is_response: IdMap<Vgrf, bool> = IdMap::for_arena(&lir.vgrfs, false);
    for inst in lir.insts.iter().filter(|inst| inst.send.is_some()) {
        if let Some(v) = inst.dst.as_vgrf() {
            is_response[v] = true;
        }
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        if let (Some(reg), true) = (vgrf.fixed, live[v].is_used()) {
            out.reg[v] = reg;
            if !vgrf.is_thread_payload() {
                // A response must not overlap the payload of its own message, which is still being
                // read.
                let start = start_of(lir, live, v) & !u32::from(is_response[v]);
                eot_payload = eot_payload.min((start, usize::from(reg)));
            } else {
                file.assign(v, reg.into(), vgrf.regs.into(), ends);
            }
        }
    }
    let mut used = 0usize;
    for (start, v) in order {
        let regs = usize::from(lir.vgrfs[v].regs);
        let registers = match live[v].end < eot_payload.0 {
            true if is_response[v] => RESPONSE_REGISTERS,
            true => REGISTERS,
            false => eot_payload.1,
        };
        if let Some((source, reg)) = dying_source(lir, live, v, start, out, &spilled)
            && reg + regs <= registers
            && file.is_free_or_owned_by(source, reg..reg + regs, start)
        {
            out.reg[v] = reg as u8;
            file.assign(v, reg, regs, ends);
            continue;
        }
        loop {
            if let Some(reg) = find_free_run(&file.free_at[..registers], regs, start) {
                out.reg[v] = reg as u8;
                file.assign(v, reg, regs, ends);
                used = used.max(reg + regs);
                break;
            }
            let recipes = recipes.get_or_insert_with(|| spill::recipes(lir, |_| true));
            let cost = |v: VgrfId| spill_cost(lir, v, &live[v], recipes[v].is_some());
            let own_cost = cost(v);
            match file.find_cheapest_run(start, registers, regs, cost) {
                Some((others, first)) if own_cost.is_none_or(|own| others < own) => {
                    for r in first..first + regs {
                        if let Some(victim) = file.owner_at(r, start) {
                            spilled.insert(victim);
                            file.release(victim, start);
                        }
                    }
                }
                _ if own_cost.is_some() => {
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
    out.max_live = max_pressure(lir, live).max(1);
    debug_assert!(used <= REGISTERS);
    Ok(spilled)
}

/// Maximum number of registers that are live at once.
pub(crate) fn max_pressure(lir: &Lir, live: &IdMap<Vgrf, Interval>) -> u32 {
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

/// The position from which a VGRF needs its registers. An instruction that accesses two registers
/// writes its first half before it reads the sources of its second half, so its destination must
/// not share registers with sources that die there.
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

/// A source that dies at the definition of `v` and has the same region, so that `v` can use its
/// registers; and its first register.
fn dying_source(
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

/// The GRFs: the position from which each is free, and its last owner.
struct RegisterFile {
    free_at: [u32; REGISTERS],
    owner: [Option<VgrfId>; REGISTERS],
}

impl RegisterFile {
    fn assign(&mut self, v: VgrfId, reg: usize, regs: usize, ends: &Ends) {
        for r in 0..regs {
            self.free_at[reg + r] = ends.end(v, r) + 1;
            self.owner[reg + r] = Some(v);
        }
    }

    /// Frees the registers that a VGRF still owns.
    fn release(&mut self, v: VgrfId, at: u32) {
        for (free_at, owner) in self.free_at.iter_mut().zip(&mut self.owner) {
            if *owner == Some(v) {
                *free_at = (*free_at).min(at);
                *owner = None;
            }
        }
    }

    /// The owner of a register at a position.
    fn owner_at(&self, r: usize, at: u32) -> Option<VgrfId> {
        self.owner[r].filter(|_| self.free_at[r] > at)
    }

    /// The `regs` consecutive registers below `registers` whose owners are cheapest to spill: the
    /// cost, and the first register.
    fn find_cheapest_run(
        &self,
        at: u32,
        registers: usize,
        regs: usize,
        cost: impl Fn(VgrfId) -> Option<u64>,
    ) -> Option<(u64, usize)> {
        let owners: Vec<_> = (0..registers).map(|r| self.owner_at(r, at)).collect();
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

    /// True if each of the registers is free or belongs to the VGRF.
    fn is_free_or_owned_by(&self, v: VgrfId, range: std::ops::Range<usize>, at: u32) -> bool {
        let mut all = self.free_at[range.clone()].iter().zip(&self.owner[range]);
        all.all(|(free_at, owner)| *owner == Some(v) || *free_at <= at)
    }
}

/// The first of the lowest `regs` consecutive registers that are free at `start`.
fn find_free_run(free_at: &[u32], regs: usize, start: u32) -> Option<usize> {
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

/// The cost of spilling a VGRF: proportional to its weighted uses, and inversely proportional to
/// the length of its live range. `None` if it cannot be spilled.
fn spill_cost(lir: &Lir, v: VgrfId, live: &Interval, rematerialised: bool) -> Option<u64> {
    let vgrf = &lir.vgrfs[v];
    if vgrf.no_spill || vgrf.fixed.is_some() {
        return None;
    }
    let length = u64::from(live.end - live.start) + 1;
    // Rematerialisation needs no message.
    let factor = if rematerialised { 1 << 18 } else { 1 << 20 };
    Some(u64::from(live.weight) * factor / length)
}

/// Limit of resident registers for [`spill_everything`]: some values stay in registers, most do
/// not.
const FEW_RESIDENT: i32 = 24;

/// Spills every VGRF that can be spilled: for tests of the spiller.
pub(crate) fn spill_everything(lir: &mut Lir, r0: VgrfId) -> Result<(), FsError> {
    let live = intervals(lir, &loops(lir));
    let mut all = IdSet::new();
    for (v, vgrf) in lir.vgrfs.iter() {
        if live[v].is_used() && vgrf.fixed.is_none() && !vgrf.no_spill {
            all.insert(v);
        }
    }
    spill::spill(lir, &live, &all, r0, FEW_RESIDENT).map(|_| ())
}

/// Removes copies whose source and destination were assigned the same register.
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
