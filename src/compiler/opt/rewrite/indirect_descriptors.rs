//! Loads of indirect descriptors from memory.
//!
//! In:  handles of descriptors. Out: loads of their dwords.
//! Ref: crate `abi`, "Indirect descriptors".

use abi::IndirectDescriptor;
use entity::Id;
use nir::*;

/// The 64-bit address that consists of a low dword and a constant high one.
pub(crate) fn emit_address(b: &mut Builder<'_>, low: Id<Def>, high: u32) -> Id<Def> {
    let high = b.imm_u32(high);
    b.pack_64_2x32_split(low, high)
}

/// Loads `count` dwords of the indirect descriptor with a handle, from a dword on. `base_high` is
/// the high dword of the address of the region of indirect descriptors.
pub(crate) fn load_descriptor(
    b: &mut Builder<'_>,
    handle: Id<Def>,
    base_high: u32,
    dword: u32,
    count: u8,
) -> Id<Def> {
    let more = i64::from(4 * dword) - i64::from(IndirectDescriptor::TAG);
    let low = b.iadd_imm(handle, more);
    let address = emit_address(b, low, base_high);
    let alignment = [IndirectDescriptor::BYTES, 4 * dword];
    let indices = [0, alignment[0], alignment[1]];
    b.load(
        IntrinsicOp::LoadGlobalConstant,
        count,
        32,
        &[address],
        &indices,
    )
}
