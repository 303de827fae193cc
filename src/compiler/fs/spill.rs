//! Spilling: registers that live in scratch memory and are fetched for one instruction at a time.
//!
//! In:  LIR and the VGRFs to spill.
//! Out: LIR in which each of their occurrences is a short-lived register of its own, filled before and spilled after.
//! Scratch messages ignore which lanes are active; where a write leaves lanes untouched that still matter, the register
//! is filled first.

use crate::error::FsError;
use crate::lir::*;
use crate::live::Interval;
use crate::message;
use entity::{IdMap, IdSet};
use isa::Type;
use smallvec::SmallVec;

/// Registers that a scratch message can address.
const MAX_REGISTERS: u32 = 4096;

/// The registers of a spilled VGRF that an instruction accesses.
struct Touched {
    v: VgrfId,
    first: u32,
    end: u32,
    read: bool,
    written: bool,
}

/// Returns how many registers were written and read by the code added.
pub(crate) fn spill(
    lir: &mut Lir,
    live: &IdMap<Vgrf, Interval>,
    spilled: &IdSet<Vgrf>,
    r0: VgrfId,
) -> Result<(u32, u32), FsError> {
    let mut slot: IdMap<Vgrf, u32> = IdMap::for_arena(&lir.vgrfs, 0);
    for v in spilled.iter() {
        let at = lir.scratch_bytes.div_ceil(GRF_BYTES);
        let end = at + u32::from(lir.vgrfs[v].regs);
        if end > MAX_REGISTERS {
            return Err(FsError::Limit {
                what: "registers of scratch",
                need: u64::from(end),
                max: u64::from(MAX_REGISTERS),
            });
        }
        slot[v] = at;
        lir.scratch_bytes = end * GRF_BYTES;
    }
    let insts = std::mem::take(&mut lir.insts);
    let mut out = Vec::with_capacity(insts.len() * 2);
    let (mut spills, mut fills) = (0, 0);
    for mut inst in insts {
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
            let temp = lir.vgrfs.push(Vgrf {
                regs: (end - first) as u16,
                fixed: None,
                no_spill: true,
            });
            let at = slot[v] + first;
            if read || written && must_merge(&inst, &live[v]) {
                fills += end - first;
                transfer(&mut out, r0, temp, at, end - first, false);
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
        out.push(inst);
        for (temp, at, n) in after {
            spills += n;
            transfer(&mut out, r0, temp, at, n, true);
        }
    }
    lir.insts = out;
    Ok((spills, fills))
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

/// Moves registers between a VGRF and scratch.
fn transfer(out: &mut Vec<Inst>, r0: VgrfId, v: VgrfId, at: u32, regs: u32, write: bool) {
    let mut done = 0;
    while done < regs {
        let n = if regs - done >= 2 { 2 } else { 1 };
        let mut inst = Inst::new(Op::Send, 8 * n as u8);
        inst.no_mask = true;
        inst.src[0] = Src::vgrf(r0, 0, Type::Ud, 1);
        if write {
            inst.send = Some(message::scratch_write(n as u8, at + done));
            inst.src[1] = Src::vgrf(v, done * GRF_BYTES, Type::Ud, 1);
        } else {
            inst.send = Some(message::scratch_read(n as u8, at + done));
            inst.dst = Dst::vgrf(v, done * GRF_BYTES, Type::Ud, 1);
        }
        out.push(inst);
        done += n;
    }
}
