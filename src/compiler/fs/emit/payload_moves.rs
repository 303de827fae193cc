//! The moves that put the parts of a payload into their places.
//!
//! In:  parts, the [`Op::Collect`](crate::lir::Op::Collect) that they belong to, and where they go.
//! Out: moves. Headers are copied as doublewords without the execution mask, two at once where they
//!      follow each other; values under the mask of the collect, bit for bit, in the size that they
//!      have. Gaps are not written.

use crate::lir::{Dst, GRF_BYTES, Inst, Op, PayloadPart, Reg, Src};
use isa::{Opcode, Type};

/// Puts the first part in its place, `at` bytes from `dst` on, and the second one with it if both
/// are headers that follow each other; returns how many parts that are.
pub(crate) fn next(
    parts: &[PayloadPart],
    all: &Inst,
    dst: Reg,
    at: u32,
    mut put: impl FnMut(Inst),
) -> usize {
    let Some(first) = parts.first() else { return 0 };
    if !first.header {
        values(first, all, dst, at, put);
        return 1;
    }
    let regs = match parts {
        [a, b, ..] if follows(a, b) => 2,
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
        put(inst);
    }
    regs.into()
}

/// Puts the values of a part in their place, `at` bytes from `dst` on.
pub(crate) fn values(p: &PayloadPart, all: &Inst, dst: Reg, at: u32, mut put: impl FnMut(Inst)) {
    if p.src.reg == Reg::Null {
        return;
    }
    let slot = p.bytes / u32::from(all.exec);
    let ty = bits_type(p.src.ty);
    let size = ty.size_bytes();
    let step = u32::from(p.src.stride) * size;
    let fits = |lanes: &u8| {
        let lanes = u32::from(*lanes);
        fits_registers(at, lanes, slot, size) && fits_registers(p.src.offset, lanes, step, size)
    };
    let lanes = [16, 8].into_iter().find(|n| *n <= all.exec && fits(n));
    let lanes = lanes.unwrap_or(all.exec.min(4));
    for lane in (0..all.exec).step_by(usize::from(lanes)) {
        let mut inst = Inst::new(Op::Eu(Opcode::Mov), lanes);
        inst.group = all.group + lane;
        inst.no_mask = all.no_mask;
        let to = at + u32::from(lane) * slot;
        inst.dst = destination(dst, to, ty, (slot / size) as u8);
        inst.src[0] = Src {
            offset: p.src.offset + u32::from(lane) * step,
            ty,
            ..p.src
        };
        put(inst);
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

/// True if the second header lies behind the first one.
fn follows(a: &PayloadPart, b: &PayloadPart) -> bool {
    let both = b.header && a.src.as_vgrf().is_some() && a.src.reg == b.src.reg;
    both && b.src.offset == a.src.offset + GRF_BYTES
}

/// True if one instruction can access so many elements, `step` bytes apart: of two registers, as
/// many of the one as of the other.
fn fits_registers(offset: u32, lanes: u32, step: u32, size: u32) -> bool {
    let at = offset % GRF_BYTES;
    let end = at + (lanes - 1) * step + size;
    let first = (GRF_BYTES - at).div_ceil(step.max(1));
    end <= GRF_BYTES || end <= 2 * GRF_BYTES && 2 * first == lanes
}

/// The type of this size that a move copies bit for bit.
fn bits_type(ty: Type) -> Type {
    match ty.size_bytes() {
        1 => Type::Ub,
        2 => Type::Uw,
        4 => Type::Ud,
        _ => Type::Uq,
    }
}
