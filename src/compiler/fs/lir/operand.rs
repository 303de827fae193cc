//! Registers and operands of LIR instructions.

use entity::Id;
use isa::{ArfReg, Type};

/// Bytes of a general register.
pub const GRF_BYTES: u32 = 32;

/// First register that the payload of the message that ends the thread may lie in.
pub const FIRST_EOT_GRF: u8 = 112;

/// Registers that a thread's payload may have: a few are left to work with.
pub const MAX_PAYLOAD_GRFS: u8 = 124;

/// Dwords of a0 that an indirect operand of eight lanes takes.
pub const INDIRECT_DW: usize = 4;

/// A virtual register: contiguous general registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vgrf {
    /// Length in registers.
    pub regs: u16,
    /// Must lie at this register (payload, end-of-thread message).
    pub fixed: Option<u8>,
    /// Made by the spiller: lives too shortly to be spilled.
    pub no_spill: bool,
}

impl Vgrf {
    /// Whether it is there from the start, as a part of the thread's payload. What else is fixed is the payload of the message that ends
    /// the thread, and lies at the file's end, where no thread's payload reaches.
    pub fn is_thread_payload(&self) -> bool {
        self.fixed
            .is_some_and(|first| u16::from(first) + self.regs <= MAX_PAYLOAD_GRFS.into())
    }
}

/// Name of a virtual register.
pub type VgrfId = Id<Vgrf>;

/// A message register (gen4 to gen6): destination of moves and payloads, and where a message finds its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mrf {
    /// Its number.
    pub nr: u8,
    /// Of a move: the second half goes to the register four behind the first half's. Of a payload: its first four values are colours,
    /// which the message wants that way on some parts.
    pub compr4: bool,
}

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reg {
    /// Nowhere.
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

/// A source whose lanes form rows: row after row is `vstride` elements further, each `width` lanes wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Elements from one row to the next.
    pub vstride: u8,
    /// Lanes of a row.
    pub width: u8,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src {
    /// Register.
    pub reg: Reg,
    /// Byte at which it starts within the register.
    pub offset: u32,
    /// Element type.
    pub ty: Type,
    /// Elements from one lane to the next; 0: one element for all.
    pub stride: u8,
    /// Rows within which `stride` holds.
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

    /// The same, negated once more. An immediate is negated itself.
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
    /// Byte at which it starts within the register.
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
