//! Registers and operands of LIR instructions.

use entity::Id;
use isa::{ArfReg, Type};

/// Size of a GRF in bytes.
pub const GRF_BYTES: u32 = 32;

/// First GRF in which the payload of the EOT message may be.
pub const FIRST_EOT_GRF: u8 = 112;

/// Maximum number of GRFs of a thread's payload; the rest is left for computation.
pub const MAX_PAYLOAD_GRFS: u8 = 124;

/// Number of dwords of a0 that an indirect operand of eight lanes uses.
pub const INDIRECT_DW: usize = 4;

/// A virtual register: contiguous GRFs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vgrf {
    /// Length in registers.
    pub regs: u16,
    /// The GRF at which it must be (thread payload, EOT message).
    pub fixed: Option<u8>,
    /// It must not be spilled, as its live range is short or its GRF is fixed.
    pub no_spill: bool,
}

impl Vgrf {
    /// True for a part of the thread's payload, which is live from the start. The only other fixed
    /// VGRF is the payload of the EOT message, which is at the end of the register file, behind
    /// [`MAX_PAYLOAD_GRFS`].
    pub fn is_thread_payload(&self) -> bool {
        self.fixed
            .is_some_and(|first| u16::from(first) + self.regs <= MAX_PAYLOAD_GRFS.into())
    }
}

/// Identifies a VGRF of a program.
pub type VgrfId = Id<Vgrf>;

/// A message register (gen4 to gen6): written by moves, read by messages as their payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mrf {
    /// Register number.
    pub nr: u8,
    /// As the destination of a move: the second half of the lanes goes to the register four behind
    /// that of the first half. As the destination of a payload: its first four values are colours,
    /// which the message expects in that order on some devices.
    pub compr4: bool,
}

/// The register file and register of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reg {
    /// The null register.
    Null,
    /// A virtual register.
    Vgrf(VgrfId),
    /// An architecture register and its index.
    Arf(ArfReg, u8),
    /// A message register.
    Mrf(Mrf),
    /// An immediate with these bits.
    Imm(u64),
}

/// The rows of a region `<vstride;width,hstride>`; the horizontal stride is [`Src::stride`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Elements from one row to the next.
    pub vstride: u8,
    /// Elements of a row.
    pub width: u8,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src {
    /// Register.
    pub reg: Reg,
    /// Offset of the first element in bytes from the start of the register.
    pub offset: u32,
    /// Element type.
    pub ty: Type,
    /// Elements from one lane to the next; 0 for a scalar.
    pub stride: u8,
    /// Rows of a two-dimensional region, in which `stride` is the distance within a row.
    pub rows: Option<Rows>,
    /// Negated (complemented on logic operations).
    pub neg: bool,
    /// Absolute value, before the negation.
    pub abs: bool,
}

impl Src {
    /// No operand.
    pub const NULL: Src = Src {
        reg: Reg::Null,
        offset: 0,
        ty: Type::Ud,
        stride: 1,
        rows: None,
        neg: false,
        abs: false,
    };

    /// A region of a virtual register.
    pub const fn vgrf(v: VgrfId, offset: u32, ty: Type, stride: u8) -> Src {
        Src {
            reg: Reg::Vgrf(v),
            offset,
            ty,
            stride,
            rows: None,
            neg: false,
            abs: false,
        }
    }

    /// An immediate.
    pub const fn imm(ty: Type, bits: u64) -> Src {
        Src {
            reg: Reg::Imm(bits),
            offset: 0,
            ty,
            stride: 0,
            rows: None,
            neg: false,
            abs: false,
        }
    }

    /// An immediate of 32 bits.
    pub const fn ud(bits: u32) -> Src {
        Src::imm(Type::Ud, bits as u64)
    }

    /// An architecture register as a scalar.
    pub const fn arf(reg: ArfReg, index: u8, offset: u32, ty: Type) -> Src {
        Src {
            reg: Reg::Arf(reg, index),
            offset,
            ty,
            stride: 0,
            rows: None,
            neg: false,
            abs: false,
        }
    }

    /// The virtual register, if it is one.
    pub const fn as_vgrf(&self) -> Option<VgrfId> {
        match self.reg {
            Reg::Vgrf(v) => Some(v),
            _ => None,
        }
    }

    /// The negated source. An immediate is negated by value, other sources by the source modifier.
    pub fn negated(mut self) -> Src {
        if let Reg::Imm(bits) = self.reg {
            self.reg = Reg::Imm(match self.ty {
                Type::F => bits ^ 0x8000_0000,
                Type::Hf => bits ^ 0x8000,
                Type::Df => bits ^ 1 << 63,
                Type::Uq | Type::Q => bits.wrapping_neg(),
                Type::Uw | Type::W => bits.wrapping_neg() & 0xffff,
                _ => bits.wrapping_neg() & 0xffff_ffff,
            });
        } else {
            self.neg = !self.neg;
        }
        self
    }
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dst {
    /// Register.
    pub reg: Reg,
    /// Offset of the first element in bytes from the start of the register.
    pub offset: u32,
    /// Element type.
    pub ty: Type,
    /// Elements from one lane to the next: 1, 2 or 4.
    pub stride: u8,
}

impl Dst {
    /// The null register.
    pub const fn null(ty: Type) -> Dst {
        Dst {
            reg: Reg::Null,
            offset: 0,
            ty,
            stride: 1,
        }
    }

    /// A region of a virtual register.
    pub const fn vgrf(v: VgrfId, offset: u32, ty: Type, stride: u8) -> Dst {
        Dst {
            reg: Reg::Vgrf(v),
            offset,
            ty,
            stride,
        }
    }

    /// An architecture register.
    pub const fn arf(reg: ArfReg, index: u8, offset: u32, ty: Type) -> Dst {
        Dst {
            reg: Reg::Arf(reg, index),
            offset,
            ty,
            stride: 1,
        }
    }

    /// The virtual register, if it is one.
    pub const fn as_vgrf(&self) -> Option<VgrfId> {
        match self.reg {
            Reg::Vgrf(v) => Some(v),
            _ => None,
        }
    }
}
