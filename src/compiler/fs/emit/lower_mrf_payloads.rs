//! Lowers payloads in message registers (gen4 to gen6).
//!
//! In:  LIR with [`Op::Collect`] whose destination is a message register; the device's
//!      [`Lir::message_registers`].
//! Out: moves into message registers. If the message requires the halves of the first four values
//!      four registers apart, each of these values is one SIMD16 move with COMPR4, or two SIMD8
//!      moves if the device lacks COMPR4 or the source does not allow SIMD16.
//!
//! These devices are not supported otherwise: `isa` returns an error for their encoding. An
//! allocator for them would have to align SIMD16 sources to even registers on gen4 and gen5
//! ("Operand Alignment Rule"), and could let instructions write message registers directly.
//! Ref: PRMs of gen4 and gen5 vol. 4, "COMPR4". Tests: tests/fs/lir/lower_mrf_payloads/.

use crate::emit::payload_moves;
use crate::lir::COLOURS;
use crate::lir::{GRF_BYTES, Inst, Lir, Mrf, Op, PayloadPart, Reg};
use isa::MessageRegisters;

/// Replaces the collects whose payloads are in message registers by moves.
pub(crate) fn lower_mrf_payloads(lir: &mut Lir) {
    let Some(mrfs) = lir.message_registers else {
        return;
    };
    let insts = std::mem::take(&mut lir.insts);
    for inst in insts {
        match (inst.op, inst.dst.reg) {
            (Op::Collect(payload), Reg::Mrf(first)) => {
                let parts = &lir.payloads[payload].parts;
                lower_collect(&mrfs, &inst, first, parts, |mut mov| {
                    if let Reg::Mrf(m) = &mut mov.dst.reg {
                        m.nr += (mov.dst.offset / GRF_BYTES) as u8;
                        mov.dst.offset %= GRF_BYTES;
                    }
                    lir.insts.push(mov);
                });
            }
            _ => lir.insts.push(inst),
        }
    }
}

/// Emits the moves of one collect through `emit`.
fn lower_collect(
    mrfs: &MessageRegisters,
    inst: &Inst,
    first: Mrf,
    parts: &[PayloadPart],
    mut emit: impl FnMut(Inst),
) {
    let dst = Reg::Mrf(Mrf {
        compr4: false,
        ..first
    });
    let headers = parts.iter().take_while(|p| p.header).count();
    let (headers, values) = parts.split_at(headers);
    let separate_halves = first.compr4 && mrfs.separate_simd8_halves && inst.exec == 16;
    let colours = if separate_halves {
        COLOURS.min(values.len())
    } else {
        0
    };
    let (colours, others) = values.split_at(colours);
    let mut at = emit_contiguous(headers, inst, dst, 0, &mut emit);
    for (p, first) in colours.iter().zip((at..).step_by(GRF_BYTES as usize)) {
        emit_colour(mrfs, p, inst, dst, first, &mut emit);
    }
    at += 2 * colours.len() as u32 * GRF_BYTES;
    emit_contiguous(others, inst, dst, at, &mut emit);
}

/// Emits the moves of contiguous parts, from byte `at` of `dst` on; returns the offset of their
/// end.
fn emit_contiguous(
    mut parts: &[PayloadPart],
    inst: &Inst,
    dst: Reg,
    mut at: u32,
    emit: &mut impl FnMut(Inst),
) -> u32 {
    while !parts.is_empty() {
        let n = payload_moves::emit_next(parts, inst, dst, at, &mut *emit);
        let (done, left) = parts.split_at(n);
        at += done.iter().map(|p| p.bytes).sum::<u32>();
        parts = left;
    }
    at
}

/// Emits the moves of a colour: its lower half to byte `at` of `dst`, its upper half four registers
/// behind that.
fn emit_colour(
    mrfs: &MessageRegisters,
    p: &PayloadPart,
    inst: &Inst,
    dst: Reg,
    at: u32,
    emit: &mut impl FnMut(Inst),
) {
    if mrfs.compr4 {
        let mut whole = None;
        payload_moves::emit_values(p, inst, dst, at, |mov| whole = Some(mov));
        if let Some(mov) = &mut whole
            && let Reg::Mrf(m) = &mut mov.dst.reg
            && mov.exec == 16
        {
            m.compr4 = true;
            emit(*mov);
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
        payload_moves::emit_values(&p, &lanes, dst, at + behind, &mut *emit);
    }
}

#[cfg(test)]
mod tests;
