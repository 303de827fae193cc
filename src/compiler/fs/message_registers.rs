//! Payloads in message registers, as gen4 to gen6 have them.
//!
//! In:  LIR with [`Op::Collect`] whose destination is a message register; what the part has ([`Lir::message_registers`]).
//! Out: moves into message registers. Where the message wants the halves of the first four values apart, each of these four is one move of
//!      sixteen lanes with COMPR4; on parts without it, or where the source does not allow sixteen lanes, two of eight.
//!
//! No code is made for these parts: `isa` has no encoding of theirs, and says so. What an allocator for them has to do besides: sources of
//! sixteen lanes lie at even registers on gen4 and gen5 ("Operand Alignment Rule"), and whoever makes a value may write it in its place.
//! Ref: PRMs of gen4 and gen5 vol. 4, "COMPR4". Tests: unit tests of this file.

use crate::lir::*;
use crate::payload_moves;
use isa::MessageRegisters;

/// Values whose halves may lie apart.
const COLOURS: usize = 4;

/// Makes moves of the collects whose payloads lie in message registers.
pub(crate) fn lower_collects(lir: &mut Lir) {
    let Some(part) = lir.message_registers else {
        return;
    };
    let insts = std::mem::take(&mut lir.insts);
    for inst in insts {
        match (inst.op, inst.dst.reg) {
            (Op::Collect(payload), Reg::Mrf(first)) => {
                let parts = &lir.payloads[payload].parts;
                lower(&part, &inst, first, parts, |mov| lir.insts.push(mov));
            }
            _ => lir.insts.push(inst),
        }
    }
}

fn lower(
    part: &MessageRegisters,
    inst: &Inst,
    first: Mrf,
    parts: &[Part],
    mut put: impl FnMut(Inst),
) {
    let dst = Reg::Mrf(Mrf {
        compr4: false,
        ..first
    });
    let headers = parts.iter().take_while(|p| p.header).count();
    let (headers, values) = parts.split_at(headers);
    let apart = first.compr4 && part.halves_apart && inst.exec == 16;
    let colours = if apart { COLOURS.min(values.len()) } else { 0 };
    let (colours, others) = values.split_at(colours);
    let mut at = together(headers, inst, dst, 0, &mut put);
    for (p, first) in colours.iter().zip((at..).step_by(GRF_BYTES as usize)) {
        colour(part, p, inst, dst, first, &mut put);
    }
    at += 2 * colours.len() as u32 * GRF_BYTES;
    together(others, inst, dst, at, &mut put);
}

/// Puts parts one behind the other, `at` bytes from `dst` on; returns where they end.
fn together(
    mut parts: &[Part],
    inst: &Inst,
    dst: Reg,
    mut at: u32,
    put: &mut impl FnMut(Inst),
) -> u32 {
    while !parts.is_empty() {
        let n = payload_moves::next(parts, inst, dst, at, &mut *put);
        let (done, left) = parts.split_at(n);
        at += done.iter().map(|p| p.bytes).sum::<u32>();
        parts = left;
    }
    at
}

/// Puts the lower half of a colour `at` bytes from `dst` on, and its upper half four registers behind.
fn colour(
    part: &MessageRegisters,
    p: &Part,
    inst: &Inst,
    dst: Reg,
    at: u32,
    put: &mut impl FnMut(Inst),
) {
    if part.compr4 {
        let mut whole = None;
        payload_moves::values(p, inst, dst, at, |mov| whole = Some(mov));
        if let Some(mov) = &mut whole
            && let Reg::Mrf(m) = &mut mov.dst.reg
            && mov.exec == 16
        {
            m.compr4 = true;
            put(*mov);
            return;
        }
    }
    for half in 0..2 {
        let mut lanes = *inst;
        lanes.exec = 8;
        lanes.group += 8 * half;
        let mut p = *p;
        p.bytes = GRF_BYTES;
        let step = u32::from(p.src.stride) * p.src.ty.size_bytes();
        p.src.offset += u32::from(8 * half) * step;
        let behind = u32::from(half) * COLOURS as u32 * GRF_BYTES;
        payload_moves::values(&p, &lanes, dst, at + behind, &mut *put);
    }
}

/// Checks what an instruction has to do with message registers: they are written by moves of a half or of both and by
/// collects, and read by messages; the part has them, and COMPR4 if that is used, which is for two registers.
pub(crate) fn check(lir: &Lir, inst: &Inst) -> Result<(), &'static str> {
    for (i, s) in inst.src.iter().enumerate().take(inst.sources()) {
        let Reg::Mrf(m) = s.reg else { continue };
        if inst.op != Op::Send || i > 0 || m.compr4 {
            return Err("message registers are read by messages, as their first payload");
        }
        part_with(lir, m, s.offset + inst.src_bytes(i))?;
    }
    let payload = match inst.op {
        Op::Collect(payload) => lir.payloads.get(payload),
        _ => None,
    };
    let parts = payload.map_or(&[][..], |p| &p.parts);
    if parts.iter().any(|p| matches!(p.src.reg, Reg::Mrf(_))) {
        return Err("a payload is not made of message registers");
    }
    let Reg::Mrf(m) = inst.dst.reg else {
        return Ok(());
    };
    match (inst.op, payload) {
        (Op::Collect(_), Some(payload)) => {
            part_with(lir, m, payload.bytes())?;
            collect(inst, m, payload)
        }
        (Op::Eu(isa::Opcode::Mov), _) => {
            let end = inst.dst.offset + inst.dst_bytes();
            let part = part_with(lir, m, end + if m.compr4 { 3 * GRF_BYTES } else { 0 })?;
            if m.compr4 && !part.compr4 {
                return Err("the part has no COMPR4");
            }
            // NibCtrl is of gen7.
            if !inst.group.is_multiple_of(8) || inst.exec > 8 && inst.group > 0 {
                return Err("lanes are those of a half, or of both");
            }
            let halves = inst.exec == 16 && inst.dst.offset.is_multiple_of(GRF_BYTES);
            if m.compr4 && !(halves && inst.dst_bytes() == 2 * GRF_BYTES) {
                return Err("COMPR4 is for sixteen lanes of 32 bits");
            }
            let regs = end.div_ceil(GRF_BYTES) - inst.dst.offset / GRF_BYTES;
            match regs > 2 {
                true => Err("the destination spans more than two registers"),
                false => Ok(()),
            }
        }
        _ => Err("message registers are written by moves"),
    }
}

/// What the part has, if so many bytes from `m` on are there.
fn part_with(lir: &Lir, m: Mrf, bytes: u32) -> Result<MessageRegisters, &'static str> {
    match lir.message_registers {
        None => Err("the part has no message registers"),
        Some(part) if u32::from(m.nr) + bytes.div_ceil(GRF_BYTES) > part.count.into() => {
            Err("beyond the last message register")
        }
        Some(part) => Ok(part),
    }
}

fn collect(inst: &Inst, m: Mrf, payload: &Payload) -> Result<(), &'static str> {
    if inst.exec > 16 {
        return Err("no message in message registers has more than sixteen lanes");
    }
    if !m.compr4 || inst.exec < 16 {
        return Ok(());
    }
    let values = payload.parts.iter().skip_while(|p| p.header);
    let colours = values.take(COLOURS).filter(|p| {
        let size = p.src.ty.size_bytes();
        p.bytes == 16 * 4 && (size == 4 || p.src.reg == Reg::Null)
    });
    match colours.count() {
        COLOURS => Ok(()),
        _ => Err("COMPR4 is for four values of 32 bits"),
    }
}

#[cfg(test)]
#[path = "message_registers_tests.rs"]
mod tests;
