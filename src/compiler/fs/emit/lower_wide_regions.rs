//! Lowers 64-bit operations for the region restrictions of low-power cores (CHV, BXT, GLK):
//! [`hw::Wa::Align64BitRegions`].
//!
//! In:  LIR that the other gen9 cores can execute.
//! Out: LIR in which the elements of vector operands of 64-bit operations are 8 bytes apart and
//!      have the same offset within their registers, no 64-bit operand is indirect, and products of
//!      dwords are computed from dword × word products.
//! Ref: SKL PRM vol. 7, "Register Region Restrictions: Special Requirements for Handling Double
//!      Precision Data Types". `isa` checks these rules (`check_for_core`). Tests:
//!      tests/fs/lir/lower_wide_regions/, tests/fs_exec on both kinds of core.

use crate::error::FsError;
use crate::lir::{Dst, GRF_BYTES, Inst, Lir, Op, Reg, Src};
use isa::{CondMod, Opcode, Type};

/// Bytes from one lane to the next in a 64-bit operation.
const STEP_BYTES: u32 = 8;

/// Rewrites the instructions that a low-power core cannot execute. Returns an error for
/// combinations that are not implemented.
pub(crate) fn lower_wide_regions(lir: &mut Lir) -> Result<(), FsError> {
    let insts = std::mem::take(&mut lir.insts);
    lir.insts = Vec::with_capacity(insts.len());
    for inst in insts {
        match inst.op {
            Op::MovIndirect if inst.dst.ty.size_bytes() == 8 => split_indirect(lir, &inst)?,
            Op::Eu(Opcode::Mul)
                if inst.exec > 1 && is_product(&inst) && inst.dst.ty.size_bytes() == 4 =>
            {
                lower_product(lir, &inst)?;
            }
            Op::Eu(op)
                if op.info().class == isa::EncodingClass::Basic
                    && inst.exec > 1
                    && is_wide(&inst) =>
            {
                align_regions(lir, &inst)?;
            }
            _ => lir.insts.push(inst),
        }
    }
    Ok(())
}

fn is_product(inst: &Inst) -> bool {
    let dword = |s: &Src| matches!(s.ty, Type::D | Type::Ud);
    inst.op == Op::Eu(Opcode::Mul) && inst.src.iter().take(2).all(dword)
}

fn is_wide(inst: &Inst) -> bool {
    let sources = inst.src.iter().take(inst.sources());
    let read = sources.into_iter().any(|s| s.ty.size_bytes() == 8);
    read || inst.dst.ty.size_bytes() == 8 || is_product(inst)
}

fn unsupported<T>(what: &'static str) -> Result<T, FsError> {
    Err(FsError::Unsupported {
        op: "a 64-bit operation on a low-power core",
        what,
    })
}

/// An instruction for the same lanes, as the elements of other lanes may be uninitialised. The
/// predicate of SEL does not restrict lanes.
fn for_same_lanes(inst: &Inst, op: Op) -> Inst {
    let selects = inst.op == Op::Eu(Opcode::Sel);
    Inst {
        group: inst.group,
        no_mask: inst.no_mask,
        pred: inst.pred.filter(|_| !selects),
        flag: inst.flag,
        ..Inst::new(op, inst.exec)
    }
}

/// Splits an indirect 64-bit move into two of 32 bits, as 64-bit operands must be direct.
fn split_indirect(lir: &mut Lir, inst: &Inst) -> Result<(), FsError> {
    let step = u32::from(inst.dst.stride) * 8;
    if inst.cmod != CondMod::None || inst.sat || inst.src[0].neg || inst.src[0].abs {
        return unsupported("an indirect move that computes");
    }
    for at in [0, 4] {
        let mut half = *inst;
        half.dst = Dst {
            offset: inst.dst.offset + at,
            ty: Type::Ud,
            stride: (step / 4) as u8,
            ..inst.dst
        };
        half.src[0] = Src {
            offset: inst.src[0].offset + at,
            ty: Type::Ud,
            ..inst.src[0]
        };
        lir.insts.push(half);
    }
    Ok(())
}

/// Lowers the low half of a product of dwords to two products with words: a × b = a × b.low + (a ×
/// b.high << 16).
fn lower_product(lir: &mut Lir, inst: &Inst) -> Result<(), FsError> {
    if inst.sat {
        return unsupported("a product that saturates");
    }
    let [a, b, _] = inst.src;
    let b = match b.reg {
        // A word region needs twice the stride of b, which must be at most 4.
        Reg::Vgrf(_) if b.neg || b.abs || b.stride > 2 => {
            let v = lir.vgrf(u32::from(inst.exec) * 4);
            let mut copy = for_same_lanes(inst, Op::Eu(Opcode::Mov));
            copy.dst = Dst::vgrf(v, 0, b.ty, 1);
            copy.src[0] = b;
            lir.insts.push(copy);
            Src::vgrf(v, 0, b.ty, 1)
        }
        _ => b,
    };
    let word = |high: bool| match b.reg {
        Reg::Imm(bits) => Src::imm(Type::Uw, (bits >> (if high { 16 } else { 0 })) & 0xffff),
        _ => Src {
            offset: b.offset + if high { 2 } else { 0 },
            ty: Type::Uw,
            stride: b.stride * 2,
            ..b
        },
    };
    let reads_dst = inst
        .src
        .iter()
        .any(|s| s.as_vgrf().is_some() && s.as_vgrf() == inst.dst.as_vgrf());
    let in_place = inst.cmod == CondMod::None
        && !reads_dst
        && inst.dst.as_vgrf().is_some()
        && inst.dst.stride <= 2;
    let low = if in_place {
        inst.dst
    } else {
        Dst::vgrf(lir.vgrf(u32::from(inst.exec) * 4), 0, inst.dst.ty, 1)
    };
    let mut mul = for_same_lanes(inst, Op::Eu(Opcode::Mul));
    mul.dst = low;
    mul.src = [a, word(false), Src::NULL];
    lir.insts.push(mul);
    let short = matches!(b.reg, Reg::Imm(bits) if bits & 0xffff_0000 == 0);
    if !short {
        let high = lir.vgrf(u32::from(inst.exec) * 4);
        mul.dst = Dst::vgrf(high, 0, inst.dst.ty, 1);
        mul.src[1] = word(true);
        lir.insts.push(mul);
        let mut add = for_same_lanes(inst, Op::Eu(Opcode::Add));
        add.dst = Dst {
            offset: low.offset + 2,
            ty: Type::Uw,
            stride: low.stride * 2,
            ..low
        };
        add.src[0] = src_of_dst(&add.dst);
        add.src[1] = Src::vgrf(high, 0, Type::Uw, 2);
        lir.insts.push(add);
    }
    if !in_place {
        let mut mov = *inst;
        mov.op = Op::Eu(Opcode::Mov);
        mov.src = [src_of_dst(&low), Src::NULL, Src::NULL];
        lir.insts.push(mov);
    }
    Ok(())
}

/// A source with the region of a destination.
fn src_of_dst(dst: &Dst) -> Src {
    Src {
        reg: dst.reg,
        offset: dst.offset,
        ty: dst.ty,
        stride: dst.stride,
        ..Src::NULL
    }
}

/// Copies the vector operands of an instruction whose elements are not 8 bytes apart or have
/// another offset in their registers than the destination.
fn align_regions(lir: &mut Lir, inst: &Inst) -> Result<(), FsError> {
    let mut to = *inst;
    let is_vector = |s: &Src| s.stride != 0 && s.as_vgrf().is_some();
    if inst
        .src
        .iter()
        .take(inst.sources())
        .any(|s| matches!(s.reg, Reg::Arf(..)))
    {
        return unsupported("an architecture register is read");
    }
    if !inst.src.iter().take(inst.sources()).any(is_vector) {
        lir.insts.push(to);
        return Ok(());
    }
    let size = inst.dst.ty.size_bytes();
    let stride = wide_stride(inst.dst.ty)?;
    let temporary = match inst.dst.reg {
        Reg::Null => {
            to.dst.stride = stride;
            None
        }
        Reg::Vgrf(_) if u32::from(inst.dst.stride) * size == STEP_BYTES => None,
        Reg::Vgrf(_) => {
            let v = lir.vgrf(u32::from(inst.exec) * STEP_BYTES);
            to.dst = Dst::vgrf(v, 0, inst.dst.ty, stride);
            Some(to.dst)
        }
        Reg::Arf(..) | Reg::Mrf(_) | Reg::Imm(_) => {
            return unsupported("an architecture register is written");
        }
    };
    let offset = to.dst.offset % GRF_BYTES;
    for i in 0..inst.sources() {
        let s = inst.src[i];
        let aligned =
            u32::from(s.stride) * s.ty.size_bytes() == STEP_BYTES && s.offset % GRF_BYTES == offset;
        if !is_vector(&s) || aligned {
            continue;
        }
        let v = lir.vgrf(offset + u32::from(inst.exec) * STEP_BYTES);
        let copy = Src {
            neg: s.neg,
            abs: s.abs,
            ..Src::vgrf(v, offset, s.ty, wide_stride(s.ty)?)
        };
        let bare = Src {
            neg: false,
            abs: false,
            ..s
        };
        let at = Dst::vgrf(v, offset, s.ty, copy.stride);
        copy_bits(lir, inst, at, bare);
        to.src[i] = copy;
    }
    lir.insts.push(to);
    if let Some(temporary) = temporary {
        if inst.pred.is_some() && to.writes_flag() {
            return unsupported("its predicate is overwritten before its result is stored");
        }
        copy_bits(lir, inst, inst.dst, src_of_dst(&temporary));
    }
    Ok(())
}

/// The stride with which elements of this type are 8 bytes apart.
fn wide_stride(ty: Type) -> Result<u8, FsError> {
    match ty.size_bytes() {
        1 => unsupported("bytes cannot lie 8 apart"),
        size => Ok((STEP_BYTES / size) as u8),
    }
}

/// Emits moves that copy elements bit for bit, 64-bit ones by halves.
fn copy_bits(lir: &mut Lir, like_inst: &Inst, dst: Dst, src: Src) {
    let size = dst.ty.size_bytes();
    let part = if size == 2 { Type::Uw } else { Type::Ud };
    let scale = (size / part.size_bytes()) as u8;
    for at in (0..size).step_by(part.size_bytes() as usize) {
        let mut mov = for_same_lanes(like_inst, Op::Eu(Opcode::Mov));
        mov.dst = Dst {
            offset: dst.offset + at,
            ty: part,
            stride: dst.stride * scale,
            ..dst
        };
        mov.src[0] = Src {
            offset: src.offset + at,
            ty: part,
            stride: src.stride * scale,
            ..src
        };
        lir.insts.push(mov);
    }
}
