//! Operand regions, resolved when a kernel is decoded.
//!
//! In:  `isa` operands. Out: the byte offset in [`crate::regs::Regs`] of each lane, or how to
//!      compute it at run time.
//! Ref: SKL PRM vol. 7, "Register Region Addressing", "Indirect Addressing", "Align16".

use crate::regs;
use isa::{Addr, ArfReg, Inst, Opcode, RegFile, Region, Src, Type};

/// How an operand's lanes are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandKind {
    /// An immediate: one value, or one for each lane in `lanes`.
    Imm,
    /// One element for all lanes.
    Scalar,
    /// Lane i at `base + i * size`.
    Contiguous,
    /// Lane i at `table[i]`.
    Table,
    /// Addressed through a0; `table` holds the displacement of each lane.
    Indirect,
    /// The null register as a destination.
    Null,
}

/// A resolved source.
#[derive(Clone, Debug)]
pub(crate) struct SrcOp {
    pub(crate) kind: OperandKind,
    /// Element type, after the expansion of vector immediates.
    pub(crate) ty: Type,
    pub(crate) size: u16,
    pub(crate) base: u16,
    pub(crate) abs: bool,
    pub(crate) neg: bool,
    pub(crate) imm: u64,
    pub(crate) table: Option<Box<[u16; 32]>>,
    /// Elements of a vector immediate, one for each lane.
    pub(crate) lanes: Option<Box<[u32; 32]>>,
    pub(crate) a0_sub: u8,
    pub(crate) disp: i16,
    /// Region Vx1 or VxH: rows of `width` lanes use successive address registers.
    pub(crate) vx1: bool,
    pub(crate) width: u8,
}

/// A resolved destination.
#[derive(Clone, Debug)]
pub(crate) struct DstOp {
    pub(crate) kind: OperandKind,
    pub(crate) ty: Type,
    pub(crate) size: u16,
    pub(crate) base: u16,
    /// Distance between lanes in bytes.
    pub(crate) stride: u16,
    pub(crate) a0_sub: u8,
    pub(crate) disp: i16,
    /// Lanes that the align16 write mask enables.
    pub(crate) lane_mask: u32,
}

/// Byte offset of an element of an architecture register.
pub(crate) fn arf_offset(nr: u8, sub_bytes: u8) -> usize {
    let idx = usize::from(nr & 0xf);
    let sub = usize::from(sub_bytes) & 31;
    let class = nr >> 4;
    let is = |r: ArfReg| class == r as u8;
    if is(ArfReg::Null) {
        regs::NULL
    } else if is(ArfReg::Address) {
        regs::A0 + sub
    } else if is(ArfReg::Accumulator) {
        regs::ACC + idx.min(9) * 32 + sub
    } else if is(ArfReg::Flag) {
        regs::FLAG + (idx & 1) * 4 + (sub & 3)
    } else if is(ArfReg::ChannelEnable) {
        regs::CE + sub
    } else if is(ArfReg::State) {
        regs::SR + sub
    } else if is(ArfReg::Control) {
        regs::CR + sub
    } else if is(ArfReg::Notification) {
        regs::N0 + sub
    } else if is(ArfReg::InstructionPointer) {
        regs::IP + sub
    } else if is(ArfReg::ThreadDependency) {
        regs::TDR + sub
    } else if is(ArfReg::Timestamp) {
        regs::TM + sub
    } else if is(ArfReg::FlowControl) {
        regs::FC + sub
    } else {
        regs::OTHER + sub
    }
}

/// Byte offset of a direct operand; 0 for an indirect one.
fn direct_offset(file: RegFile, addr: Addr) -> usize {
    match (file, addr) {
        (RegFile::Arf, Addr::Direct { nr, sub_bytes }) => arf_offset(nr, sub_bytes),
        (_, Addr::Direct { nr, sub_bytes }) => usize::from(nr & 127) * 32 + usize::from(sub_bytes),
        (_, Addr::Indirect { .. }) => 0,
    }
}

/// True if the swizzle and write mask fields of an instruction select macro accumulators (mme0 to
/// mme7, or none). Those hold extra mantissa bits between the steps of a macro. The simulated steps
/// need none, so the operands are read without swizzles.
fn uses_macro_accumulators(inst: &Inst) -> bool {
    inst.op == Opcode::Madm || inst.is_math_macro()
}

/// Displacement in bytes of lane `i` in the region.
fn lane_displacement(region: Region, size: usize, i: usize) -> usize {
    let w = usize::from(region.width.max(1));
    let v = if region.vstride == Region::VX1 {
        0
    } else {
        usize::from(region.vstride)
    };
    ((i / w) * v + (i % w) * usize::from(region.hstride)) * size
}

/// Displacement in bytes of lane `i` in an align16 region. The swizzle applies to each group of
/// four channels.
fn align16_displacement(src: &Src, size: usize, i: usize, three: bool) -> usize {
    if three && src.rep_ctrl {
        return 0;
    }
    let row = if !three && src.region.vstride == 0 {
        0
    } else {
        i / 4
    };
    let c = i % 4;
    let sel = usize::from((src.swizzle >> (2 * c)) & 3);
    row * 4 * size + sel * size
}

impl SrcOp {
    fn with_kind(ty: Type, kind: OperandKind) -> SrcOp {
        SrcOp {
            kind,
            ty,
            size: ty.size_bytes() as u16,
            base: regs::NULL as u16,
            abs: false,
            neg: false,
            imm: 0,
            table: None,
            lanes: None,
            a0_sub: 0,
            disp: 0,
            vx1: false,
            width: 1,
        }
    }

    /// The placeholder for a source that the operation does not have.
    pub(crate) fn unused() -> SrcOp {
        SrcOp::with_kind(Type::Ud, OperandKind::Imm)
    }

    /// Resolves source `k` of `inst`; `three` for instructions with three sources.
    ///
    /// # Errors
    /// A description of the region if it leaves the register file.
    pub(crate) fn new(inst: &Inst, k: usize, three: bool) -> Result<SrcOp, String> {
        let src = &inst.src[k];
        if src.file == RegFile::Imm {
            return Ok(SrcOp::imm(src));
        }
        let ty = src.ty;
        let size = ty.size_bytes() as usize;
        let mut op = SrcOp::with_kind(ty, OperandKind::Table);
        op.abs = src.abs;
        op.neg = src.negate;
        op.width = src.region.width.max(1);
        let n = usize::from(inst.exec_size).clamp(1, 32);
        let mut disp = [0usize; 32];
        for (i, d) in disp.iter_mut().enumerate().take(n) {
            *d = if uses_macro_accumulators(inst) {
                i * size
            } else if inst.align16 {
                align16_displacement(src, size, i, three)
            } else {
                lane_displacement(src.region, size, i)
            };
        }
        if let Addr::Indirect { a0_sub, imm_bytes } = src.addr {
            op.kind = OperandKind::Indirect;
            op.a0_sub = a0_sub;
            op.disp = imm_bytes;
            op.vx1 = src.region.vstride == Region::VX1;
            let mut t = Box::new([0u16; 32]);
            for i in 0..n {
                t[i] = if op.vx1 {
                    ((i % usize::from(op.width)) * usize::from(src.region.hstride) * size) as u16
                } else {
                    disp[i] as u16
                };
            }
            op.table = Some(t);
            return Ok(op);
        }
        let base = direct_offset(src.file, src.addr);
        op.base = base as u16;
        let is_null = src.file == RegFile::Arf && base == regs::NULL;
        if is_null {
            op.kind = OperandKind::Scalar;
            return Ok(op);
        }
        let limit = if src.file == RegFile::Arf {
            regs::END
        } else {
            regs::GRF_BYTES
        };
        if let Some(far) = disp[..n].iter().max()
            && base + far + size > limit
        {
            return Err(format!(
                "source {k} of {:?} reaches byte {:#x}, past the register file",
                inst.op,
                base + far + size - 1
            ));
        }
        if disp[..n].iter().all(|&d| d == 0) {
            op.kind = OperandKind::Scalar;
        } else if disp[..n].iter().enumerate().all(|(i, &d)| d == i * size) {
            op.kind = OperandKind::Contiguous;
        } else {
            let mut t = Box::new([base as u16; 32]);
            for i in 0..n {
                t[i] = (base + disp[i]) as u16;
            }
            op.table = Some(t);
        }
        Ok(op)
    }

    /// Resolves an immediate.
    fn imm(src: &Src) -> SrcOp {
        let (ty, lanes): (Type, Option<Box<[u32; 32]>>) = match src.ty {
            Type::V | Type::Uv => {
                let mut l = Box::new([0u32; 32]);
                for (i, e) in l.iter_mut().enumerate() {
                    let nib = (src.imm >> (4 * (i % 8))) as u32 & 0xf;
                    *e = if src.ty == Type::V {
                        (((nib << 28) as i32) >> 28) as u32 & 0xffff
                    } else {
                        nib
                    };
                }
                let ty = if src.ty == Type::V { Type::W } else { Type::Uw };
                (ty, Some(l))
            }
            Type::Vf => {
                let mut l = Box::new([0u32; 32]);
                for (i, e) in l.iter_mut().enumerate() {
                    *e = expand_vf((src.imm >> (8 * (i % 4))) as u8);
                }
                (Type::F, Some(l))
            }
            t => (t, None),
        };
        let mut op = SrcOp::with_kind(ty, OperandKind::Imm);
        op.imm = match ty.size_bytes() {
            1 => src.imm & 0xff,
            2 => src.imm & 0xffff,
            4 => src.imm & 0xffff_ffff,
            _ => src.imm,
        };
        op.lanes = lanes;
        op.abs = src.abs;
        op.neg = src.negate;
        op
    }

    /// The bits of an immediate for lane `i`.
    #[inline]
    pub(crate) fn imm_lane(&self, i: usize) -> u64 {
        match &self.lanes {
            Some(l) => u64::from(l[i & 31]),
            None => self.imm,
        }
    }

    /// Byte offset of lane `i` of a direct operand.
    #[inline]
    pub(crate) fn offset(&self, i: usize) -> usize {
        match self.kind {
            OperandKind::Contiguous => usize::from(self.base) + i * usize::from(self.size),
            OperandKind::Table => match &self.table {
                Some(t) => usize::from(t[i & 31]),
                None => usize::from(self.base),
            },
            _ => usize::from(self.base),
        }
    }

    /// The element offsets of `n` lanes of a table operand, by groups of four lanes; None if `n` is
    /// not a multiple of four.
    fn quads(&self, n: u8) -> Option<&[[u16; 4]]> {
        let quads = self.table.as_ref()?.as_chunks().0;
        quads
            .get(..usize::from(n) / 4)
            .filter(|_| n >= 4 && n.is_multiple_of(4))
    }

    /// True if each four of `n` lanes read the same element.
    pub(crate) fn is_splat_per_quad(&self, n: u8) -> bool {
        let same = |quad: &[u16; 4]| quad.iter().all(|at| *at == quad[0]);
        self.quads(n).is_some_and(|quads| quads.iter().all(same))
    }

    /// True if each four of `n` lanes read contiguous elements.
    pub(crate) fn is_contiguous_per_quad(&self, n: u8) -> bool {
        let expected = |quad: &[u16; 4], i: u16| u32::from(quad[0]) + u32::from(i * self.size);
        let row = |quad: &[u16; 4]| {
            (0..)
                .zip(quad)
                .all(|(i, at)| u32::from(*at) == expected(quad, i))
        };
        self.quads(n).is_some_and(|quads| quads.iter().all(row))
    }

    /// True for a D source whose modifiers wrap at 32 bits: everywhere but in an accumulator.
    pub(crate) fn keeps_dword(&self) -> bool {
        self.ty == Type::D && !self.within(regs::ACC, regs::FLAG)
    }

    /// True if the operand starts in the byte range `from..to` of the register files.
    pub(crate) fn within(&self, from: usize, to: usize) -> bool {
        !matches!(self.kind, OperandKind::Imm | OperandKind::Indirect)
            && (from..to).contains(&usize::from(self.base))
    }
}

/// Converts an element of a VF immediate to the bits of an F: sign, 3 exponent bits with bias 3, 4
/// mantissa bits; ±0 if all bits but the sign are zero.
pub(crate) fn expand_vf(b: u8) -> u32 {
    let sign = u32::from(b & 0x80) << 24;
    if b & 0x7f == 0 {
        return sign;
    }
    let exp = u32::from((b >> 4) & 7) + 127 - 3;
    sign | (exp << 23) | (u32::from(b & 0xf) << 19)
}

impl DstOp {
    /// Resolves the destination of `inst`.
    ///
    /// # Errors
    /// A description of the destination if it leaves the register file.
    pub(crate) fn new(inst: &Inst) -> Result<DstOp, String> {
        let dst = &inst.dst;
        let size = dst.ty.size_bytes() as usize;
        let n = usize::from(inst.exec_size).clamp(1, 32);
        let hs = if inst.align16 {
            1
        } else {
            usize::from(dst.hstride.max(1))
        };
        let mut op = DstOp {
            kind: OperandKind::Null,
            ty: dst.ty,
            size: size as u16,
            base: regs::NULL as u16,
            stride: (hs * size) as u16,
            a0_sub: 0,
            disp: 0,
            lane_mask: u32::MAX,
        };
        if inst.align16 && !uses_macro_accumulators(inst) {
            let wm = u32::from(dst.writemask & 0xf);
            op.lane_mask = wm * 0x1111_1111;
        }
        if let Addr::Indirect { a0_sub, imm_bytes } = dst.addr {
            op.kind = OperandKind::Indirect;
            op.a0_sub = a0_sub;
            op.disp = imm_bytes;
            return Ok(op);
        }
        let base = direct_offset(dst.file, dst.addr);
        if dst.file == RegFile::Imm || (dst.file == RegFile::Arf && base == regs::NULL) {
            return Ok(op);
        }
        op.base = base as u16;
        let limit = if dst.file == RegFile::Arf {
            regs::END
        } else {
            regs::GRF_BYTES
        };
        let send = matches!(
            inst.op,
            Opcode::Send | Opcode::Sendc | Opcode::Sends | Opcode::Sendsc
        );
        if !send && base + (n - 1) * hs * size + size > limit {
            return Err(format!(
                "destination of {:?} ends past the register file",
                inst.op
            ));
        }
        op.kind = if hs == 1 {
            OperandKind::Contiguous
        } else {
            OperandKind::Table
        };
        Ok(op)
    }

    /// Byte offset of lane `i` of a direct destination.
    #[inline]
    pub(crate) fn offset(&self, i: usize) -> usize {
        usize::from(self.base) + i * usize::from(self.stride)
    }

    /// True if the destination is an accumulator.
    pub(crate) fn is_acc(&self) -> bool {
        matches!(self.kind, OperandKind::Contiguous | OperandKind::Table)
            && (regs::ACC..regs::FLAG).contains(&usize::from(self.base))
    }
}

#[cfg(test)]
mod tests;
