//! Spilling: registers that live in scratch memory and are fetched for one instruction at a time.
//!
//! In:  LIR and the VGRFs to spill.
//! Out: LIR in which each of their occurrences is a short-lived register of its own, filled before and spilled after. What holds
//! nothing but constants is made again where it is read, and never stored.
//! Scratch messages ignore which lanes are active; where a write leaves lanes untouched that still matter, the register
//! is filled first.

use crate::error::FsError;
use crate::lir::*;
use crate::live::Interval;
use crate::message;
use entity::{IdMap, IdSet};
use isa::Type;
use smallvec::SmallVec;

/// Registers that a message reaches from the place that its header names. Ref: SKL PRM vol. 7, "Scratch Block Read/Write".
const REACH: u32 = 4096;

/// The registers of a spilled VGRF that an instruction accesses.
struct Touched {
    v: VgrfId,
    first: u32,
    end: u32,
    read: bool,
    written: bool,
}

/// Instructions that make a VGRF again.
type Recipe = SmallVec<[Inst; 2]>;

/// Most instructions that make one again.
const MOST_REMADE: usize = 8;

/// True if the instruction gives the same wherever it stands: it reads constants alone, and depends on no lane and no flag.
fn is_constant(inst: &Inst) -> bool {
    let plain = matches!(inst.op, Op::Eu(isa::Opcode::Mov) | Op::Constants)
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

/// Returns how many registers were written and read by the code added.
pub(crate) fn spill(
    lir: &mut Lir,
    live: &IdMap<Vgrf, Interval>,
    spilled: &IdSet<Vgrf>,
    r0: VgrfId,
) -> Result<(u32, u32), FsError> {
    let mut slot: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    let remade = recipes(lir, |v| spilled.contains(v));
    for v in spilled.iter().filter(|v| remade[*v].is_none()) {
        let bytes = u64::from(lir.vgrfs[v].regs) * u64::from(GRF_BYTES);
        slot[v] = lir.reserve_scratch(bytes)? / GRF_BYTES;
    }
    let insts = std::mem::take(&mut lir.insts);
    let mut out = Vec::with_capacity(insts.len() * 2);
    let (mut spills, mut fills) = (0, 0);
    // What the instruction before had in registers: (VGRF, first register, end, where).
    let mut last: SmallVec<[(VgrfId, u32, u32, VgrfId); 4]> = SmallVec::new();
    for mut inst in insts {
        if inst.dst.as_vgrf().is_some_and(|v| remade[v].is_some()) {
            continue;
        }
        let before = std::mem::take(&mut last);
        let mut touched: SmallVec<[Touched; 4]> = SmallVec::new();
        let mut touch = |v: VgrfId, first: u32, end: u32, write: bool| match touched
            .iter_mut()
            .find(|t| t.v == v)
        {
            Some(t) => {
                t.first = t.first.min(first);
                t.end = t.end.max(end);
                t.read |= !write;
                t.written |= write;
            }
            None => touched.push(Touched {
                v,
                first,
                end,
                read: !write,
                written: write,
            }),
        };
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf().filter(|v| spilled.contains(*v)) {
                let s = &inst.src[i];
                let (first, end) = if inst.op == Op::MovIndirect && i == 0 {
                    (0, u32::from(lir.vgrfs[v].regs))
                } else {
                    let bytes = inst.src_bytes(i).max(1);
                    (s.offset / GRF_BYTES, (s.offset + bytes).div_ceil(GRF_BYTES))
                };
                touch(v, first, end, false);
            }
        }
        if let Some(v) = inst.dst.as_vgrf().filter(|v| spilled.contains(*v)) {
            let d = &inst.dst;
            touch(
                v,
                d.offset / GRF_BYTES,
                (d.offset + inst.dst_bytes()).div_ceil(GRF_BYTES),
                true,
            );
        }
        let mut after: SmallVec<[(VgrfId, u32, u32); 2]> = SmallVec::new();
        for t in &touched {
            let Touched {
                v,
                first,
                end,
                read,
                written,
            } = *t;
            if let Some(recipe) = &remade[v] {
                remake(lir, &mut out, &mut inst, v, recipe);
                continue;
            }
            let held = before
                .iter()
                .find(|l| l.0 == v && l.1 <= first && end <= l.2)
                .filter(|_| !written);
            let (first, end) = held.map_or((first, end), |l| (l.1, l.2));
            let temp = match held {
                Some(held) => held.3,
                None => lir.vgrfs.push(Vgrf {
                    regs: (end - first) as u16,
                    fixed: None,
                    no_spill: true,
                }),
            };
            last.push((v, first, end, temp));
            let at = slot[v] + first;
            if held.is_none() && (read || written && must_merge(&inst, &live[v])) {
                fills += end - first;
                transfer(lir, &mut out, r0, temp, at, end - first, false);
            }
            for s in &mut inst.src {
                if s.reg == Reg::Vgrf(v) {
                    s.reg = Reg::Vgrf(temp);
                    s.offset -= first * GRF_BYTES;
                }
            }
            if written {
                inst.dst.reg = Reg::Vgrf(temp);
                inst.dst.offset -= first * GRF_BYTES;
                after.push((temp, at, end - first));
            }
        }
        if inst.is_control() {
            last.clear();
        }
        out.push(inst);
        for (temp, at, n) in after {
            spills += n;
            transfer(lir, &mut out, r0, temp, at, n, true);
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

/// True if what the instruction does not write of its destination's registers may still be needed.
fn must_merge(inst: &Inst, live: &Interval) -> bool {
    let pitch = u32::from(inst.dst.stride) * inst.dst.ty.size_bytes();
    let whole = inst.send.is_some()
        || inst.dst.offset.is_multiple_of(GRF_BYTES)
            && inst.dst.ty.size_bytes() == pitch
            && inst.dst_bytes().is_multiple_of(GRF_BYTES);
    if inst.no_mask && inst.pred.is_none() && whole {
        return false;
    }
    // Made at one place and used in the same loop: lanes that are not active here do not read it.
    let local = live.defs == 1 && live.around == live.first_loop;
    !(local && inst.pred.is_none() && whole)
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
