//! Data types of operands.
//!
//! Ref: SKL PRM vol. 7, "Numeric Data Types".

/// Data type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the PRM's names")]
pub enum Type {
    Ub,
    B,
    Uw,
    W,
    Ud,
    D,
    Uq,
    Q,
    Hf,
    F,
    Df,
    /// Gen4–7.5: extended accumulator float; never in memory.
    Nf,
    /// Immediate: 8 unsigned 4-bit values.
    Uv,
    /// Immediate: 8 signed 4-bit values.
    V,
    /// Immediate: 4 restricted 8-bit floats.
    Vf,
}

impl Type {
    /// Size of an element in bytes; for vector immediates that of the elements they expand to (W,
    /// UW, F).
    pub const fn size_bytes(self) -> u32 {
        match self {
            Type::Ub | Type::B => 1,
            Type::Uw | Type::W | Type::Hf | Type::Uv | Type::V => 2,
            Type::Ud | Type::D | Type::F | Type::Vf => 4,
            Type::Uq | Type::Q | Type::Df | Type::Nf => 8,
        }
    }
    /// True for HF, F, DF, NF and VF.
    pub const fn is_float(self) -> bool {
        matches!(self, Type::Hf | Type::F | Type::Df | Type::Nf | Type::Vf)
    }
    /// True for signed integers (B, W, D, Q, V).
    pub const fn is_signed_int(self) -> bool {
        matches!(self, Type::B | Type::W | Type::D | Type::Q | Type::V)
    }
}
