//! Properties of an instruction that several rules test.

use crate::inst::{Addr, ArfReg, Dst, Inst, RegFile, Region, Src};
use crate::opcode::{EncodingClass, Opcode};
use crate::types::Type;

/// Size of a general register in bytes.
pub const GRF_BYTES: u32 = 32;

/// An instruction with its encoding class, and methods for derived properties.
pub struct InstFacts<'a> {
    pub inst: &'a Inst,
    pub class: EncodingClass,
}

impl<'a> InstFacts<'a> {
    pub fn new(inst: &'a Inst) -> InstFacts<'a> {
        let class = inst.op.info().class;
        InstFacts { inst, class }
    }

    /// True for ordinary arithmetic: operands have types and regions in the common encoding.
    pub fn is_alu(&self) -> bool {
        let ordinary = matches!(self.class, EncodingClass::Basic | EncodingClass::Math);
        ordinary && !self.inst.is_math_macro()
    }

    /// True for ordinary arithmetic in align1.
    pub fn is_align1(&self) -> bool {
        self.is_alu() && !self.inst.align16
    }

    /// The sources that the operation has.
    pub fn sources(&self) -> &'a [Src] {
        self.inst.src.get(..self.inst.sources()).unwrap_or(&[])
    }

    /// The register sources of align1 arithmetic, with their regions. Empty for other instructions.
    pub fn regions(&self) -> impl Iterator<Item = (&'a Src, Region)> + use<'a> {
        let sources = if self.is_align1() {
            self.sources()
        } else {
            &[]
        };
        let registers = sources
            .iter()
            .filter(|s| s.file != RegFile::Imm && !is_null(s.file, s.addr));
        registers.map(|s| (s, s.region))
    }

    /// The immediate source of arithmetic.
    pub fn immediate(&self) -> Option<&'a Src> {
        if !self.is_alu() {
            return None;
        }
        self.sources().iter().find(|s| s.file == RegFile::Imm)
    }

    /// The destination of arithmetic; `None` if it is null.
    pub fn written_dst(&self) -> Option<&'a Dst> {
        let dst = &self.inst.dst;
        let writes = matches!(
            self.class,
            EncodingClass::Basic | EncodingClass::Math | EncodingClass::ThreeSource
        );
        (writes && !self.inst.is_math_macro() && !is_null(dst.file, dst.addr)).then_some(dst)
    }

    pub fn exec_size(&self) -> u32 {
        self.inst.exec_size.into()
    }

    /// End of an align1 destination, in bytes from the start of its first register.
    pub fn dst_end_bytes(&self, dst: &Dst) -> u32 {
        let (_, sub) = direct_address(dst.addr).unwrap_or((0, 0));
        let stride = u32::from(dst.hstride) * dst.ty.size_bytes();
        sub + self.exec_size().saturating_sub(1) * stride + dst.ty.size_bytes()
    }

    /// End of the region that an align1 source reads, in bytes from the start of its first
    /// register.
    pub fn src_end_bytes(&self, src: &Src) -> u32 {
        let region = src.region;
        let (_, sub) = direct_address(src.addr).unwrap_or((0, 0));
        let size = src.ty.size_bytes();
        let rows = self.rows(region).saturating_sub(1) * vstride(region);
        let columns = u32::from(region.width).saturating_sub(1) * u32::from(region.hstride);
        sub + (rows + columns + 1) * size
    }

    pub fn rows(&self, region: Region) -> u32 {
        self.exec_size() / u32::from(region.width.max(1))
    }

    /// The execution type of the instruction.
    pub fn execution_type(&self) -> Type {
        let widened = |ty| match ty {
            Type::Ub | Type::B | Type::Uw | Type::W | Type::Uv | Type::V => Type::W,
            Type::Ud | Type::D => Type::D,
            Type::Uq | Type::Q => Type::Q,
            Type::Vf => Type::F,
            other => other,
        };
        let dst = widened(self.inst.dst.ty);
        let sources = self.sources();
        let Some(first) = sources.first().map(|s| widened(s.ty)) else {
            return dst;
        };
        let Some(second) = sources.get(1).map(|s| widened(s.ty)) else {
            return if first == Type::Hf { dst } else { first };
        };
        if self.is_mixed_float() {
            return Type::F;
        }
        let rank = |ty: Type| (ty.size_bytes(), ty.is_float());
        if rank(second) > rank(first) {
            second
        } else {
            first
        }
    }

    /// True for mixed mode: HF and F in an instruction with one or two sources.
    pub fn is_mixed_float(&self) -> bool {
        if !self.is_alu() {
            return false;
        }
        let has = |ty| self.inst.dst.ty == ty || self.sources().iter().any(|s| s.ty == ty);
        has(Type::Hf) && has(Type::F)
    }

    /// True for a MOV that copies bits without conversion or modifiers.
    pub fn is_raw_move(&self) -> bool {
        let inst = self.inst;
        let src = &inst.src[0];
        let same = inst.dst.ty.size_bytes() == src.ty.size_bytes()
            && inst.dst.ty.is_float() == src.ty.is_float();
        inst.op == Opcode::Mov
            && !inst.saturate
            && !src.negate
            && !src.abs
            && same
            && src.file != RegFile::Imm
    }
}

/// Register number and byte within the register of a direct address; `None` for an indirect one.
pub fn direct_address(addr: Addr) -> Option<(u8, u32)> {
    match addr {
        Addr::Direct { nr, sub_bytes } => Some((nr, sub_bytes.into())),
        Addr::Indirect { .. } => None,
    }
}

/// True for a directly addressed architecture register of a kind.
pub fn is_arf(file: RegFile, addr: Addr, reg: ArfReg) -> bool {
    let kind = direct_address(addr).map(|p| p.0 >> 4);
    file == RegFile::Arf && kind == Some(reg as u8)
}

/// True for the null register.
pub fn is_null(file: RegFile, addr: Addr) -> bool {
    is_arf(file, addr, ArfReg::Null)
}

/// Vertical stride in elements; 0 for Vx1 and VxH regions.
pub fn vstride(region: Region) -> u32 {
    match region.vstride {
        Region::VX1 => 0,
        v => v.into(),
    }
}
