//! Spilling: registers that live in scratch memory and are fetched for one instruction at a time.
//!
//! In:  LIR and the VGRFs to spill.
//! Out: LIR in which each of their occurrences is a short-lived register of its own, filled before and spilled after, or several in a
//! block are where there is room ([`spill_gaps`]). What holds nothing but constants is made again where it is read, and never stored.
//! Scratch messages ignore which lanes are active; where a write leaves lanes untouched that still matter, the register
//! is filled first.

use crate::alloc::spill_gaps;
use crate::error::FsError;
use crate::lir::live::Interval;
use crate::lir::message;
use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Reg, Src, Vgrf, VgrfId};
use entity::{IdMap, IdSet};
use isa::Type;
use smallvec::SmallVec;

/// Registers that a message reaches from the place that its header names. Ref: SKL PRM vol. 7, "Scratch Block Read/Write".
const REACH: u32 = 4096;

/// Instructions that make a VGRF again.
type Recipe = SmallVec<[Inst; 2]>;

/// Most instructions that make one again.
const MOST_REMADE: usize = 8;

/// True if the instruction gives the same wherever it stands: it reads constants alone, and depends on no lane and no flag.
fn is_constant(inst: &Inst) -> bool {
    let plain = matches!(inst.op, Op::Eu(isa::Opcode::Mov) | Op::ConstantDataHandle)
        && inst.pred.is_none()
        && inst.cmod == isa::CondMod::None
        && !inst.acc_wr
        && !inst.switch;
    plain && (0..inst.sources()).all(|i| matches!(inst.src[i].reg, Reg::Imm(_)))
}

/// Of the VGRFs named: the instructions that make those whose every byte is written once, with a constant.
pub(crate) fn recipes(lir: &Lir, of: impl Fn(VgrfId) -> bool) -> IdMap<Vgrf, Option<Recipe>> {
    let mut out: IdMap<Vgrf, Option<Recipe>> = IdMap::for_arena(&lir.vgrfs, None);
    let mut not: IdSet<Vgrf> = IdSet::new();
    for inst in &lir.insts {
        let Some(v) = inst.dst.as_vgrf() else {
            continue;
        };
        if not.contains(v) || !of(v) {
            continue;
        }
        let known = out[v].get_or_insert_with(Recipe::new);
        let range = |i: &Inst| (i.dst.offset, i.dst.offset + i.dst_bytes());
        let (first, end) = range(inst);
        let again = known.iter().map(range).any(|r| r.0 < end && first < r.1);
        if again || known.len() == MOST_REMADE || !is_constant(inst) {
            out[v] = None;
            not.insert(v);
            continue;
        }
        // Every lane may be asked for where it is made again.
        known.push(Inst {
            no_mask: true,
            ..*inst
        });
    }
    for (v, vgrf) in lir.vgrfs.iter() {
        if vgrf.fixed.is_some() {
            out[v] = None;
        }
    }
    out
}

/// What is in registers of a spilled VGRF.
struct Held {
    v: VgrfId,
    first: u32,
    end: u32,
    temp: VgrfId,
    /// It is not yet in scratch as it is here.
    changed: bool,
}

/// Returns how many registers were written and read by the code added. As many registers as `room` says are filled with what occurs
/// again.
pub(crate) fn spill(
    lir: &mut Lir,
    live: &IdMap<Vgrf, Interval>,
    spilled: &IdSet<Vgrf>,
    r0: VgrfId,
    room: i32,
) -> Result<(u32, u32), FsError> {
    let mut slot: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    let remade = recipes(lir, |v| spilled.contains(v));
    for v in spilled.iter().filter(|v| remade[*v].is_none()) {
        let bytes = u64::from(lir.vgrfs[v].regs) * u64::from(GRF_BYTES);
        slot[v] = lir.reserve_scratch(bytes)? / GRF_BYTES;
    }
    let stored = |v: VgrfId| spilled.contains(v) && remade[v].is_none();
    let writes = Writes::new(lir, stored);
    let merges = |at: usize, v: VgrfId| writes.must_merge(&lir.insts[at], at, v, &live[v]);
    let occurrences = spill_gaps::occurrences(lir, live, spilled, stored, merges, room);
    let mut next = occurrences.iter().peekable();
    let insts = std::mem::take(&mut lir.insts);
    let mut out = Vec::with_capacity(insts.len() * 2);
    let (mut spills, mut fills) = (0, 0);
    let mut held: Vec<Held> = Vec::new();
    for (at, mut inst) in insts.into_iter().enumerate() {
        if inst.dst.as_vgrf().is_some_and(|v| remade[v].is_some()) {
            continue;
        }
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf()
                && let Some(recipe) = &remade[v]
            {
                remake(lir, &mut out, &mut inst, v, recipe);
            }
        }
        let mut after: SmallVec<[Held; 2]> = SmallVec::new();
        while let Some(t) = next.next_if(|t| t.at as usize == at) {
            let v = t.v;
            let mut here = match held.iter().position(|h| h.v == v) {
                Some(i) => held.swap_remove(i),
                None => {
                    let temp = lir.vgrfs.push(Vgrf {
                        regs: (t.end - t.first) as u16,
                        fixed: None,
                        no_spill: true,
                    });
                    if t.read {
                        let n = t.end - t.first;
                        fills += n;
                        transfer(lir, &mut out, r0, temp, slot[v] + t.first, n, false);
                    }
                    Held {
                        v,
                        first: t.first,
                        end: t.end,
                        temp,
                        changed: false,
                    }
                }
            };
            let begin = here.first * GRF_BYTES;
            for s in inst.src.iter_mut().filter(|s| s.reg == Reg::Vgrf(v)) {
                s.reg = Reg::Vgrf(here.temp);
                s.offset -= begin;
            }
            if t.written {
                inst.dst.reg = Reg::Vgrf(here.temp);
                inst.dst.offset -= begin;
                here.changed = true;
            }
            if t.kept {
                held.push(here);
            } else if here.changed && live[v].end as usize > 2 * at + 1 {
                after.push(here);
            }
        }
        out.push(inst);
        for h in after {
            let n = h.end - h.first;
            spills += n;
            transfer(lir, &mut out, r0, h.temp, slot[h.v] + h.first, n, true);
        }
    }
    lir.insts = out;
    Ok((spills, fills))
}

/// Makes the bytes of a constant VGRF that an instruction reads, for it alone.
fn remake(lir: &mut Lir, out: &mut Vec<Inst>, inst: &mut Inst, v: VgrfId, recipe: &Recipe) {
    let temp = lir.vgrfs.push(Vgrf {
        regs: lir.vgrfs[v].regs,
        fixed: None,
        no_spill: true,
    });
    let (mut first, mut end) = (u32::MAX, 0);
    for i in 0..inst.sources() {
        let s = &inst.src[i];
        if s.reg == Reg::Vgrf(v) {
            let whole = inst.op == Op::MovIndirect && i == 0;
            first = if whole { 0 } else { first.min(s.offset) };
            end = match whole {
                true => u32::MAX,
                false => end.max(s.offset + inst.src_bytes(i)),
            };
        }
    }
    let read = |made: &&Inst| {
        let from = made.dst.offset;
        from < end && first < from + made.dst_bytes()
    };
    out.extend(recipe.iter().filter(read).map(|made| {
        let mut made = *made;
        made.dst.reg = Reg::Vgrf(temp);
        made
    }));
    for s in &mut inst.src {
        if s.reg == Reg::Vgrf(v) {
            s.reg = Reg::Vgrf(temp);
        }
    }
}

/// Bytes that an instruction writes to a VGRF, whichever lanes are active: first and end. [`None`] for those of active lanes alone.
type Written = Option<(u32, u32)>;

/// The writes of what is spilled, each kind once.
struct Writes {
    of: IdMap<Vgrf, SmallVec<[Written; 1]>>,
}

impl Writes {
    fn new(lir: &Lir, stored: impl Fn(VgrfId) -> bool) -> Writes {
        let mut of: IdMap<Vgrf, SmallVec<[Written; 1]>> =
            IdMap::for_arena(&lir.vgrfs, SmallVec::new());
        for inst in &lir.insts {
            if let Some(v) = inst.dst.as_vgrf().filter(|v| stored(*v)) {
                let written = Writes::of(inst);
                if !of[v].contains(&written) {
                    of[v].push(written);
                }
            }
        }
        Writes { of }
    }

    fn of(inst: &Inst) -> Written {
        let pitch = u32::from(inst.dst.stride) * inst.dst.ty.size_bytes();
        let packed = inst.send.is_some() || inst.exec == 1 || inst.dst.ty.size_bytes() == pitch;
        let all = inst.no_mask && inst.pred.is_none() && packed;
        all.then(|| (inst.dst.offset, inst.dst.offset + inst.dst_bytes()))
    }

    /// True if what the instruction does not write of its destination's registers may still be needed.
    fn must_merge(&self, inst: &Inst, at: usize, v: VgrfId, live: &Interval) -> bool {
        // Nothing is there yet.
        if live.start as usize == 2 * at + 1 {
            return false;
        }
        let pitch = u32::from(inst.dst.stride) * inst.dst.ty.size_bytes();
        let whole = inst.send.is_some()
            || inst.dst.offset.is_multiple_of(GRF_BYTES)
                && inst.dst.ty.size_bytes() == pitch
                && inst.dst_bytes().is_multiple_of(GRF_BYTES);
        if let Some((first, end)) = Writes::of(inst) {
            // All that is ever written of these registers is written again.
            let from = first / GRF_BYTES * GRF_BYTES;
            let to = end.next_multiple_of(GRF_BYTES);
            let within = |w: &Written| {
                w.is_some_and(|(a, b)| {
                    a >= to || b <= from || first <= a.max(from) && b.min(to) <= end
                })
            };
            return !whole && !self.of[v].iter().all(within);
        }
        // Made at one place and used in the same loop: lanes that are not active here do not read it.
        let local = live.defs == 1 && live.around == live.first_loop;
        !(local && inst.pred.is_none() && whole)
    }
}

/// Registers that one message moves: 4 at most.
const MAX_LOG2: u32 = 2;

/// Moves registers between a VGRF and scratch.
fn transfer(
    lir: &mut Lir,
    out: &mut Vec<Inst>,
    r0: VgrfId,
    v: VgrfId,
    at: u32,
    regs: u32,
    write: bool,
) {
    let (mut near, mut header) = (0, r0);
    let mut done = 0;
    while done < regs {
        let n = 1 << (regs - done).ilog2().min(MAX_LOG2);
        let place = at + done;
        if place / REACH != near {
            near = place / REACH;
            header = header_of(lir, out, r0, near * REACH * GRF_BYTES);
        }
        let place = place % REACH;
        let mut inst = Inst::new(Op::Send, if n == 1 { 8 } else { 16 });
        inst.no_mask = true;
        inst.src[0] = Src::vgrf(header, 0, Type::Ud, 1);
        if write {
            inst.send = Some(message::scratch_write(n as u8, place));
            inst.src[1] = Src::vgrf(v, done * GRF_BYTES, Type::Ud, 1);
        } else {
            inst.send = Some(message::scratch_read(n as u8, place));
            inst.dst = Dst::vgrf(v, done * GRF_BYTES, Type::Ud, 1);
        }
        out.push(inst);
        done += n;
    }
}

/// The header of messages to what lies `bytes` behind the start of the thread's scratch: r0, but for the place in dword 5.
fn header_of(lir: &mut Lir, out: &mut Vec<Inst>, r0: VgrfId, bytes: u32) -> VgrfId {
    const PLACE: u32 = 5 * 4;
    let header = lir.vgrfs.push(Vgrf {
        regs: 1,
        fixed: None,
        no_spill: true,
    });
    let mut copy = Inst::new(Op::Eu(isa::Opcode::Mov), 8);
    copy.no_mask = true;
    copy.src[0] = Src::vgrf(r0, 0, Type::Ud, 1);
    copy.dst = Dst::vgrf(header, 0, Type::Ud, 1);
    let mut add = Inst::new(Op::Eu(isa::Opcode::Add), 1);
    add.no_mask = true;
    add.src[0] = Src::vgrf(r0, PLACE, Type::Ud, 0);
    add.src[1] = Src::ud(bytes);
    add.dst = Dst::vgrf(header, PLACE, Type::Ud, 1);
    out.extend([copy, add]);
    header
}
