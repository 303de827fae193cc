//! The EU types of NIR values.
//!
//! In:  bit sizes. Out: types.

use isa::Type;

/// Bytes of a 16-bit float.
pub(super) const HF_BYTES: u8 = 2;

/// The signed integer type with `bits` bits.
pub(super) fn int(bits: u8) -> Type {
    match bits {
        8 => Type::B,
        16 => Type::W,
        64 => Type::Q,
        _ => Type::D,
    }
}

/// The unsigned integer type with `bits` bits.
pub(super) fn uint(bits: u8) -> Type {
    match bits {
        8 => Type::Ub,
        16 => Type::Uw,
        64 => Type::Uq,
        _ => Type::Ud,
    }
}

/// The float type with `bits` bits.
pub(super) fn float(bits: u8) -> Type {
    match bits {
        16 => Type::Hf,
        64 => Type::Df,
        _ => Type::F,
    }
}

/// The type that copies a def bit for bit. The low 16 bits of an 8- or 16-bit slot are always
/// written.
pub(super) fn raw_type(bits: u8) -> Type {
    match bits {
        64 => Type::Uq,
        8 | 16 => Type::Uw,
        _ => Type::Ud,
    }
}

/// The sign bit of a type.
pub(super) fn sign_bit(ty: Type) -> u64 {
    1 << (ty.size_bytes() * 8 - 1)
}

/// The type with which to read a location as `ty`: a 32-bit read that starts in the middle of a
/// dword is narrowed to a word, because the bytes behind it belong to another lane.
pub(super) fn sub_dword_type(ty: Type, offset: u32) -> Type {
    if ty.size_bytes() == 4 && !offset.is_multiple_of(4) {
        Type::Uw
    } else {
        ty
    }
}

/// The type with which to read a slot of `bits` bits whose values are widened to `ty`.
pub(super) fn slot_type(ty: Type, bits: u8) -> Type {
    match (ty, bits) {
        (Type::D, 8) => Type::B,
        (Type::D, 16) => Type::W,
        (Type::Ud, 8) => Type::Ub,
        (Type::Ud, 16) => Type::Uw,
        (Type::F, 16) => Type::Hf,
        _ => ty,
    }
}
