//! The bit fields of a block, read one after the other.
//!
//! In:  a block of up to 128 bits. Out: its fields.
//! Ref: Khronos Data Format Specification, bit layouts of BPTC and ASTC blocks.

/// Fields of a block, from its lowest bit on.
pub(super) struct Bits(pub(super) u128);

impl Bits {
    /// The next field, of fewer than 32 bits.
    pub(super) fn next_field(&mut self, bits: u32) -> u32 {
        let value = self.0 as u32 & ((1 << bits) - 1);
        self.0 >>= bits;
        value
    }
}
