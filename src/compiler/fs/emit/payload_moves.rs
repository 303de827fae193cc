//! Moves that copy the parts of a payload.
//!
//! In:  payload parts, their [`Op::Collect`], and the destination.
//! Out: moves. Headers are copied as dwords without the execution mask, two contiguous ones with
//!      one move; values bit for bit, with the lanes and the mask of the collect. Gaps are not
//!      written.

use crate::lir::{Dst, GRF_BYTES, Inst, Op, PayloadPart, Reg, Src};
use isa::{Opcode, Type};

/// Emits the moves that copy the first part to byte `at` of `dst`, together with the second one if
/// both are contiguous headers. Returns the number of parts copied.
pub(crate) fn emit_next(
    parts: &[PayloadPart],
    collect: &Inst,
    dst: Reg,
    at: u32,
    mut emit: impl FnMut(Inst),
) -> usize {
    let Some(first) = parts.first() else { return 0 };
    if !first.header {
        emit_values(first, collect, dst, at, emit);
        return 1;
    }
    let regs = match parts {
        [a, b, ..] if are_contiguous(a, b) => 2,
        _ => 1,
    };
    if first.src.reg != Reg::Null {
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), 8 * regs);
        inst.no_mask = true;
        inst.dst = destination(dst, at, Type::Ud, 1);
        inst.src[0] = Src {
            ty: Type::Ud,
            ..first.src
        };
        emit(inst);
    }
    regs.into()
}

/// Emits the moves that copy a part other than a header to byte `at` of `dst`.
pub(crate) fn emit_values(
    p: &PayloadPart,
    collect: &Inst,
    dst: Reg,
    at: u32,
    mut emit: impl FnMut(Inst),
) {
    if p.src.reg == Reg::Null {
        return;
    }
    let slot = p.bytes / u32::from(collect.exec);
    let ty = bits_type(p.src.ty);
    let size = ty.size_bytes();
    let step = u32::from(p.src.stride) * size;
    let fits = |lanes: &u8| {
        let lanes = u32::from(*lanes);
        fits_registers(at, lanes, slot, size) && fits_registers(p.src.offset, lanes, step, size)
    };
    let lanes = [16, 8].into_iter().find(|n| *n <= collect.exec && fits(n));
    let lanes = lanes.unwrap_or(collect.exec.min(4));
    for lane in (0..collect.exec).step_by(usize::from(lanes)) {
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), lanes);
        inst.group = collect.group + lane;
        inst.no_mask = collect.no_mask;
        let to = at + u32::from(lane) * slot;
        inst.dst = destination(dst, to, ty, (slot / size) as u8);
        inst.src[0] = Src {
            offset: p.src.offset + u32::from(lane) * step,
            ty,
            ..p.src
        };
        emit(inst);
    }
}

fn destination(reg: Reg, offset: u32, ty: Type, stride: u8) -> Dst {
    Dst {
        reg,
        offset,
        ty,
        stride,
    }
}

/// True if `b` is a header whose source follows that of header `a` in the same VGRF.
fn are_contiguous(a: &PayloadPart, b: &PayloadPart) -> bool {
    let both = b.header && a.src.as_vgrf().is_some() && a.src.reg == b.src.reg;
    both && b.src.offset == a.src.offset + GRF_BYTES
}

/// True if one instruction can access `lanes` elements of `size` bytes, `step` bytes apart: they
/// are in one register, or half of them in each of two.
fn fits_registers(offset: u32, lanes: u32, step: u32, size: u32) -> bool {
    let at = offset % GRF_BYTES;
    let end = at + (lanes - 1) * step + size;
    let first = (GRF_BYTES - at).div_ceil(step.max(1));
    end <= GRF_BYTES || end <= 2 * GRF_BYTES && 2 * first == lanes
}

/// The integer type of the same size, with which a move copies bit for bit.
fn bits_type(ty: Type) -> Type {
    match ty.size_bytes() {
        1 => Type::Ub,
        2 => Type::Uw,
        4 => Type::Ud,
        _ => Type::Uq,
    }
}
