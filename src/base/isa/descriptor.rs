//! The fields of message descriptors.
//!
//! In:  nothing.
//! Out: for each kind of message, its fields as ranges of bits, and the special binding table
//!      indices; [`value`] has the values of fields. The compiler and the simulator define their
//!      meaning independently.
//! Ref: SKL PRM vol. 2d, message descriptors (MDC_*, MD_*); vol. 7, "Sampling Engine", "URB",
//!      "Pixel Interpolator", "Message Gateway".

pub mod value;

/// A range of bits of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Lowest bit.
    pub lo: u8,
    /// Highest bit.
    pub hi: u8,
}

impl Bits {
    /// The value of the field in a descriptor.
    #[inline]
    pub const fn get(self, desc: u32) -> u32 {
        (desc & self.mask()) >> self.lo
    }

    /// True if any bit of the field is set.
    #[inline]
    pub const fn any(self, desc: u32) -> bool {
        desc & self.mask() != 0
    }

    /// A descriptor in which this field has the value `value`, and all others are 0. Bits of
    /// `value` that do not fit the field are dropped.
    #[inline]
    pub const fn encode(self, value: u32) -> u32 {
        value << self.lo & self.mask()
    }

    /// The mask of the field in a descriptor.
    pub const fn mask(self) -> u32 {
        (u32::MAX >> (31 - self.hi)) & (u32::MAX << self.lo)
    }
}

/// Binding table indices with a meaning of their own.
/// Ref: SKL PRM vol. 7, "Surface State Model", "Stateless Model", "Bindless Surface State".
pub mod bti {
    /// The extended descriptor holds the offset of the surface state in the bindless heap.
    pub const BINDLESS: u32 = 252;
    /// Stateless: addresses from the general state base; not coherent with IA cores.
    pub const STATELESS_NON_COHERENT: u32 = 253;
    /// Shared local memory.
    pub const SLM: u32 = 254;
    /// Stateless: addresses from the general state base; coherent with IA cores.
    pub const STATELESS: u32 = 255;
}

macro_rules! descriptors {
    ($($(#[doc = $doc:literal])+ $module:ident { $($field:ident $lo:literal..$hi:literal;)* })*) => {$(
        $(#[doc = $doc])+
        pub mod $module {
            use $crate::descriptor::Bits;
            $(#[allow(missing_docs, reason = "the PRM's names")]
            pub const $field: Bits = Bits { lo: $lo, hi: $hi };)*
        }
    )*};
}

#[rustfmt::skip]
descriptors! {
    /// Fields of all messages; the first two, of messages with a surface.
    common { BINDING_TABLE_INDEX 0..7; MESSAGE_CONTROL 8..13; HEADER_PRESENT 19..19; RESPONSE_LENGTH 20..24; MESSAGE_LENGTH 25..28; END_OF_THREAD 31..31; }
    /// Extended descriptors.
    extended { SFID 0..3; END_OF_THREAD 5..5; MESSAGE_LENGTH 6..9; SURFACE_HANDLE 12..31; }
    /// The sampler.
    sample { SAMPLER_INDEX 8..11; MESSAGE_TYPE 12..16; SIMD_MODE 17..18; SIMD_MODE_EXTENSION 29..29; RETURN_FORMAT 30..30; }
    /// The message gateway.
    gateway { SUBFUNCTION 0..2; ACKNOWLEDGE 14..14; NOTIFY 15..16; }
    /// URB SIMD8 messages.
    urb { OPCODE 0..3; GLOBAL_OFFSET 4..14; CHANNEL_MASK_PRESENT 15..15; PER_SLOT_OFFSET_PRESENT 17..17; }
    /// The pixel interpolator.
    interpolator { OFFSETS 0..7; SLOT_GROUP 11..11; MESSAGE_TYPE 12..13; INTERPOLATION_MODE 14..14; SIMD_MODE 16..16; }
    /// Writes to render targets.
    render_target { SUBTYPE 8..10; SLOT_GROUP 11..11; LAST_RENDER_TARGET 12..12; MESSAGE_TYPE 14..17; DATA_FORMAT 30..30; }
    /// Data cache 0 and the constant cache.
    data_cache_0 { MESSAGE_TYPE 14..17; CATEGORY 18..18; }
    /// The thread spawner: all bits that are not common to all messages.
    spawner { ALL 0..19; ALL_ABOVE 29..30; }
    /// Scratch block reads and writes (Category 1).
    scratch_block { OFFSET 0..11; BLOCK_SIZE 12..13; INVALIDATE_AFTER_READ 15..15; CHANNEL_MODE 16..16; OPERATION 17..17; }
    /// OWord blocks. Bit 14: the offset is in bytes instead of OWords.
    oword_block { BLOCK_SIZE 8..10; INVALIDATE_AFTER_READ 13..13; UNALIGNED 14..14; }
    /// OWord dual blocks.
    oword_dual_block { BLOCK_SIZE 8..9; INVALIDATE_AFTER_READ 13..13; }
    /// Scattered dwords: each channel has its own offset.
    dword_scattered { BLOCK_SIZE 8..9; INVALIDATE_AFTER_READ 13..13; }
    /// Scattered bytes, words and dwords: each channel has its own offset.
    byte_scattered { SIMD_MODE 8..8; DATA_SIZE 10..11; }
    /// Memory fences.
    fence { FLUSHES 8..12; COMMIT 13..13; }
    /// Data cache 1.
    data_cache_1 { MESSAGE_TYPE 14..18; }
    /// Untyped surface reads and writes, including those with 64-bit addresses.
    untyped { CHANNEL_MASK 8..11; SIMD_MODE 12..13; }
    /// Typed surface reads and writes.
    typed { CHANNEL_MASK 8..11; SLOT_GROUP 12..13; }
    /// Untyped atomics.
    atomic { OPERATION 8..11; SIMD_MODE 12..12; RETURN_DATA 13..13; }
    /// Typed atomics.
    typed_atomic { OPERATION 8..11; SLOT_GROUP 12..12; RETURN_DATA 13..13; }
    /// Atomics with 64-bit addresses.
    a64_atomic { OPERATION 8..11; DATA_WIDTH 12..12; RETURN_DATA 13..13; }
    /// Scattered messages with 64-bit addresses.
    a64_scattered { SUBTYPE 8..9; ELEMENTS 10..11; SIMD_MODE 12..12; }
    /// OWord blocks with 64-bit addresses.
    a64_block { BLOCK_SIZE 8..10; SUBTYPE 11..12; INVALIDATE_AFTER_READ 13..13; }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encode_and_get_are_inverse() {
        let fields = [
            common::RESPONSE_LENGTH,
            urb::GLOBAL_OFFSET,
            common::END_OF_THREAD,
        ];
        for field in fields {
            let largest = field.mask() >> field.lo;
            for value in [0, 1, largest] {
                assert_eq!(field.get(field.encode(value)), value);
            }
            assert_eq!(field.encode(u32::MAX), field.mask());
        }
    }
}
