//! Payloads in message registers, as gen4 to gen6 have them.
//!
//! In:  LIR with [`Op::Collect`] whose destination is a message register; what the part has
//!      ([`Lir::message_registers`]).
//! Out: moves into message registers. Where the message wants the halves of the first four values
//!      apart, each of these four is one move of sixteen lanes with COMPR4; on parts without it, or
//!      where the source does not allow sixteen lanes, two of eight.
//!
//! No code is made for these parts: `isa` has no encoding of theirs, and says so. What an allocator
//! for them has to do besides: sources of sixteen lanes lie at even registers on gen4 and gen5
//! ("Operand Alignment Rule"), and whoever makes a value may write it in its place.
//! Ref: PRMs of gen4 and gen5 vol. 4, "COMPR4". Tests: unit tests of this file.

use crate::emit::payload_moves;
use crate::lir::COLOURS;
use crate::lir::{GRF_BYTES, Inst, Lir, Mrf, Op, PayloadPart, Reg};
use isa::MessageRegisters;

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
    parts: &[PayloadPart],
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
    mut parts: &[PayloadPart],
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

/// Puts the lower half of a colour `at` bytes from `dst` on, and its upper half four registers
/// behind.
fn colour(
    part: &MessageRegisters,
    p: &PayloadPart,
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

#[cfg(test)]
mod tests;
