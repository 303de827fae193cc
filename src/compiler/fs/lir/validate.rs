//! The LIR validator.
//!
//! Before allocation: every operand lies within its VGRF; no source or destination spans more than two registers (but
//! payloads and answers of messages, whose lengths fit); lanes lie within the thread; strides can be encoded; control
//! flow nests; the parts of a payload have the sizes that their lanes give; nothing is read that was never written; message
//! registers as `message_registers` has them. After allocation besides: no two VGRFs that are live at once share a register,
//! unless one takes over from the other at the instruction between them.

use crate::error::FsError;
use crate::lir::inst::{Inst, Op, Payload};
use crate::lir::live::{Ends, intervals, loops};
use crate::lir::message_registers;
use crate::lir::operand::{GRF_BYTES, Reg, Vgrf, VgrfId};
use crate::lir::program::Lir;
use entity::{IdMap, IdSet};
use isa::Opcode;

fn fail<T>(at: usize, pass: &'static str, what: impl Into<String>) -> Result<T, FsError> {
    Err(FsError::Invalid {
        at,
        pass,
        what: what.into(),
    })
}

/// Checks a program over virtual registers.
pub(crate) fn validate(lir: &Lir, pass: &'static str) -> Result<(), FsError> {
    let mut open: Vec<Op> = Vec::new();
    let mut written: IdSet<Vgrf> = IdSet::new();
    for (v, vgrf) in lir.vgrfs.iter() {
        if vgrf.fixed.is_some() {
            written.insert(v);
        }
    }
    for (at, inst) in lir.insts.iter().enumerate() {
        if !matches!(inst.exec, 1 | 2 | 4 | 8 | 16 | 32) {
            return fail(at, pass, format!("{} lanes", inst.exec));
        }
        message_registers::check(lir, inst).or_else(|e| fail(at, pass, e))?;
        if !inst.no_mask && u32::from(inst.group) + u32::from(inst.exec) > u32::from(lir.width) {
            return fail(at, pass, "lanes beyond the thread's");
        }
        if let Op::Collect(payload) = inst.op {
            match lir.payloads.get(payload) {
                Some(payload) => {
                    collect(lir, inst, payload, &written).or_else(|e| fail(at, pass, e))?
                }
                None => return fail(at, pass, "no such payload"),
            }
        }
        for i in 0..inst.sources() {
            let s = &inst.src[i];
            let Reg::Vgrf(v) = s.reg else { continue };
            let Some(vgrf) = lir.vgrfs.get(v) else {
                return fail(at, pass, "no such VGRF");
            };
            if !written.contains(v) {
                return fail(
                    at,
                    pass,
                    format!("v{} is read and never written", v.index()),
                );
            }
            let bytes = inst.src_bytes(i);
            if s.offset + bytes > u32::from(vgrf.regs) * GRF_BYTES {
                return fail(at, pass, format!("source {i} lies beyond its VGRF"));
            }
            if inst.send.is_none()
                && !matches!(inst.op, Op::MovIndirect | Op::Eu(Opcode::Pln))
                && (s.offset + bytes).div_ceil(GRF_BYTES) - s.offset / GRF_BYTES > 2
            {
                return fail(
                    at,
                    pass,
                    format!("source {i} spans more than two registers"),
                );
            }
            if inst.send.is_some() && i < 2 && !s.offset.is_multiple_of(GRF_BYTES) {
                return fail(at, pass, "a payload does not start a register");
            }
            if !matches!(s.stride, 0 | 1 | 2 | 4) {
                return fail(at, pass, format!("source {i} has a stride of {}", s.stride));
            }
        }
        if let Reg::Vgrf(v) = inst.dst.reg {
            let Some(vgrf) = lir.vgrfs.get(v) else {
                return fail(at, pass, "no such VGRF");
            };
            let bytes = match inst.op {
                Op::Collect(_) => 0,
                _ => inst.dst_bytes(),
            };
            if inst.dst.offset + bytes > u32::from(vgrf.regs) * GRF_BYTES {
                return fail(at, pass, "the destination lies beyond its VGRF");
            }
            if inst.send.is_none()
                && bytes > 0
                && (inst.dst.offset + bytes).div_ceil(GRF_BYTES) - inst.dst.offset / GRF_BYTES > 2
            {
                return fail(at, pass, "the destination spans more than two registers");
            }
            if !matches!(inst.dst.stride, 1 | 2 | 4) {
                return fail(
                    at,
                    pass,
                    format!("a destination stride of {}", inst.dst.stride),
                );
            }
            written.insert(v);
        }
        if inst.op == Op::Send {
            match inst.send {
                Some(s) if s.mlen >= 1 && s.mlen <= 15 && s.ex_mlen <= 15 && s.rlen <= 16 => {}
                _ => return fail(at, pass, "a message's lengths"),
            }
        }
        match inst.op {
            Op::Do | Op::Eu(Opcode::If) => open.push(inst.op),
            Op::Eu(Opcode::Else) if open.last() != Some(&Op::Eu(Opcode::If)) => {
                return fail(at, pass, "ELSE without IF");
            }
            Op::Eu(Opcode::Endif) if open.pop() != Some(Op::Eu(Opcode::If)) => {
                return fail(at, pass, "ENDIF without IF");
            }
            Op::Eu(Opcode::While) if open.pop() != Some(Op::Do) => {
                return fail(at, pass, "WHILE without DO");
            }
            Op::Eu(Opcode::Break | Opcode::Cont) if !open.contains(&Op::Do) => {
                return fail(at, pass, "BREAK or CONT outside a loop");
            }
            _ => {}
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        fail(lir.insts.len(), pass, "control flow is not closed")
    }
}

/// Checks a payload: every part has the size that its lanes or its header give it.
fn collect(
    lir: &Lir,
    inst: &Inst,
    payload: &Payload,
    written: &IdSet<Vgrf>,
) -> Result<(), &'static str> {
    if inst.sat || inst.pred.is_some() || inst.cmod != isa::CondMod::None {
        return Err("a payload is copied as it is: no saturation, predicate or condition");
    }
    let dst = inst.dst.as_vgrf().and_then(|v| lir.vgrfs.get(v));
    let beyond = dst.is_none_or(|v| payload.bytes() > u32::from(v.regs) * GRF_BYTES);
    let general = !matches!(inst.dst.reg, Reg::Mrf(_));
    if general && beyond || inst.dst.offset > 0 {
        return Err("a payload does not fit in its VGRF");
    }
    let headers = payload.parts.iter().take_while(|p| p.header).count();
    if payload.parts.iter().skip(headers).any(|p| p.header) {
        return Err("a payload's headers come first");
    }
    if headers > 0 && inst.exec > 16 {
        return Err("no message has a header and more than 16 lanes");
    }
    for p in &payload.parts {
        let (lanes, slot) = match p.header {
            true => (GRF_BYTES / p.src.ty.size_bytes(), p.src.ty.size_bytes()),
            false => (inst.exec.into(), p.bytes / u32::from(inst.exec)),
        };
        if p.header && (p.bytes != GRF_BYTES || p.src.stride != 1 && p.src.reg != Reg::Null) {
            return Err("a header is one register");
        }
        if p.bytes != lanes * slot || slot == 0 {
            return Err("a part's size is not that of its lanes");
        }
        if p.src.neg || p.src.abs {
            return Err("a payload is copied as it is: no source modifiers");
        }
        let size = p.src.ty.size_bytes();
        match p.src.reg {
            Reg::Null => continue,
            _ if !matches!(slot / size, 1 | 2 | 4) || slot % size > 0 => {
                return Err("a part's elements do not fit in their slots");
            }
            Reg::Vgrf(v) => {
                let bytes = (lanes - 1) * u32::from(p.src.stride) * size + size;
                let there = lir
                    .vgrfs
                    .get(v)
                    .map_or(0, |v| u32::from(v.regs) * GRF_BYTES);
                if p.src.offset + bytes > there {
                    return Err("a part's source lies beyond its VGRF");
                }
                if !written.contains(v) {
                    return Err("a part is read and never written");
                }
            }
            Reg::Imm(_) if p.header => return Err("a header is a register"),
            Reg::Imm(_) | Reg::Arf(..) | Reg::Mrf(_) => {}
        }
    }
    Ok(())
}

/// Checks an allocation.
pub(crate) fn validate_allocation(
    lir: &Lir,
    reg: &IdMap<Vgrf, u8>,
    pass: &'static str,
) -> Result<(), FsError> {
    let loops = loops(lir);
    let live = intervals(lir, &loops);
    let ends = Ends::new(lir, &loops);
    let mut used: Vec<VgrfId> = lir.vgrfs.ids().filter(|v| live[*v].is_used()).collect();
    used.sort_unstable_by_key(|v| (live[*v].start, v.index()));
    // Whose each register is, and until when.
    let mut owner: [Option<(VgrfId, u32)>; 128] = [None; 128];
    for v in used {
        let first = usize::from(reg[v]);
        let end = first + usize::from(lir.vgrfs[v].regs);
        if end > 128 || lir.vgrfs[v].fixed.is_some_and(|f| f != reg[v]) {
            return fail(
                live[v].start as usize / 2,
                pass,
                format!("v{} at g{first}", v.index()),
            );
        }
        for (r, o) in owner[first..end].iter_mut().enumerate() {
            if let Some((other, until)) = *o
                && until >= live[v].start
            {
                return fail(
                    live[v].start as usize / 2,
                    pass,
                    format!("v{} and v{} share a register", v.index(), other.index()),
                );
            }
            *o = Some((v, ends.end(v, r)));
        }
    }
    Ok(())
}
