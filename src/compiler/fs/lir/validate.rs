//! The LIR validator.
//!
//! In:  LIR after a pass; after register allocation also the GRFs.
//! Out: an error that names the pass and the broken invariant.
//!
//! Before allocation: operands are within their VGRFs, span at most two registers (except payloads
//! and responses, whose lengths are checked), have encodable strides and only lanes of the thread;
//! control flow is nested; payload parts have the size of their lanes; no VGRF is read before it is
//! written; message registers are used as [`crate::lir::message_registers`] requires. After
//! allocation: VGRFs that are live at the same time share no GRF, unless one dies at the
//! instruction that defines the other.

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

/// Checks a program before register allocation.
pub(crate) fn validate(lir: &Lir, pass: &'static str) -> Result<(), FsError> {
    let mut open: Vec<Op> = Vec::new();
    let mut written: IdSet<Vgrf> = IdSet::new();
    for (v, vgrf) in lir.vgrfs.iter() {
        if vgrf.fixed.is_some() {
            written.insert(v);
        }
    }
    for (at, inst) in lir.insts.iter().enumerate() {
        check_inst(lir, inst, &mut written, &mut open).or_else(|e| fail(at, pass, e))?;
    }
    if open.is_empty() {
        Ok(())
    } else {
        fail(lir.insts.len(), pass, "control flow is not closed")
    }
}

/// Checks an instruction. `written` are the VGRFs written so far, `open` the open control-flow
/// constructs; both are updated.
fn check_inst(
    lir: &Lir,
    inst: &Inst,
    written: &mut IdSet<Vgrf>,
    open: &mut Vec<Op>,
) -> Result<(), String> {
    if !matches!(inst.exec, 1 | 2 | 4 | 8 | 16 | 32) {
        return Err(format!("an exec size of {}", inst.exec));
    }
    message_registers::check(lir, inst)?;
    if !inst.no_mask && u32::from(inst.group) + u32::from(inst.exec) > u32::from(lir.width) {
        return Err("lanes beyond those of the thread".into());
    }
    if let Op::Collect(payload) = inst.op {
        let payload = lir.payloads.get(payload).ok_or("no such payload")?;
        check_payload(lir, inst, payload, written)?;
    }
    for i in 0..inst.sources() {
        check_source(lir, inst, i, written)?;
    }
    if let Reg::Vgrf(v) = inst.dst.reg {
        check_destination(lir, inst, v)?;
        written.insert(v);
    }
    if inst.op == Op::Send {
        match inst.send {
            Some(s) if s.mlen >= 1 && s.mlen <= 15 && s.ex_mlen <= 15 && s.rlen <= 16 => {}
            _ => return Err("the lengths of a message are out of range".into()),
        }
    }
    check_nesting(inst, open)?;
    Ok(())
}

/// Checks source `i` of an instruction, if it is a VGRF.
fn check_source(lir: &Lir, inst: &Inst, i: usize, written: &IdSet<Vgrf>) -> Result<(), String> {
    let s = &inst.src[i];
    let Reg::Vgrf(v) = s.reg else { return Ok(()) };
    let vgrf = lir.vgrfs.get(v).ok_or("no such VGRF")?;
    if !written.contains(v) {
        return Err(format!("v{} is read and never written", v.index()));
    }
    let bytes = inst.src_bytes(i);
    if s.offset + bytes > u32::from(vgrf.regs) * GRF_BYTES {
        return Err(format!("source {i} lies beyond its VGRF"));
    }
    if inst.send.is_none()
        && !matches!(inst.op, Op::MovIndirect | Op::Eu(Opcode::Pln))
        && (s.offset + bytes).div_ceil(GRF_BYTES) - s.offset / GRF_BYTES > 2
    {
        return Err(format!("source {i} spans more than two registers"));
    }
    if inst.send.is_some() && i < 2 && !s.offset.is_multiple_of(GRF_BYTES) {
        return Err("a payload does not start a register".into());
    }
    if !matches!(s.stride, 0 | 1 | 2 | 4) {
        return Err(format!("source {i} has a stride of {}", s.stride));
    }
    Ok(())
}

/// Checks the destination of an instruction, VGRF `v`.
fn check_destination(lir: &Lir, inst: &Inst, v: VgrfId) -> Result<(), String> {
    let vgrf = lir.vgrfs.get(v).ok_or("no such VGRF")?;
    let bytes = match inst.op {
        Op::Collect(_) => 0,
        _ => inst.dst_bytes(),
    };
    if inst.dst.offset + bytes > u32::from(vgrf.regs) * GRF_BYTES {
        return Err("the destination lies beyond its VGRF".into());
    }
    if inst.send.is_none()
        && bytes > 0
        && (inst.dst.offset + bytes).div_ceil(GRF_BYTES) - inst.dst.offset / GRF_BYTES > 2
    {
        return Err("the destination spans more than two registers".into());
    }
    if !matches!(inst.dst.stride, 1 | 2 | 4) {
        return Err(format!("a destination stride of {}", inst.dst.stride));
    }
    Ok(())
}

/// Checks that control flow is nested.
fn check_nesting(inst: &Inst, open: &mut Vec<Op>) -> Result<(), &'static str> {
    match inst.op {
        Op::Do | Op::Eu(Opcode::If) => open.push(inst.op),
        Op::Eu(Opcode::Else) if open.last() != Some(&Op::Eu(Opcode::If)) => {
            return Err("ELSE without IF");
        }
        Op::Eu(Opcode::Endif) if open.pop() != Some(Op::Eu(Opcode::If)) => {
            return Err("ENDIF without IF");
        }
        Op::Eu(Opcode::While) if open.pop() != Some(Op::Do) => {
            return Err("WHILE without DO");
        }
        Op::Eu(Opcode::Break | Opcode::Cont) if !open.contains(&Op::Do) => {
            return Err("BREAK or CONT outside a loop");
        }
        _ => {}
    }
    Ok(())
}

/// Checks the parts of a payload: each has the size of its lanes, or of a header.
fn check_payload(
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

/// Checks an allocation: `reg` is the first GRF of each VGRF.
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
    // The owner of each register, and the last position of its live range.
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
