//! Where the fields of message descriptors are.
//!
//! In:  nothing. Out: for each message, its fields as ranges of bits. What they ask for is the business of who sends or executes
//!      the message. Lengths (bits 20 to 28) and the end of thread (31) are the instruction's.
//! Ref: SKL PRM vol. 2d, message descriptors (MDC_*, MD_*); vol. 7, "Sampling Engine", "URB", "Pixel Interpolator",
//!      "Message Gateway".

/// Bits of a descriptor, from the lowest to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Lowest.
    pub lo: u8,
    /// Highest.
    pub hi: u8,
}

impl Bits {
    /// Their value in a descriptor.
    #[inline]
    pub const fn get(self, desc: u32) -> u32 {
        (desc & self.mask()) >> self.lo
    }

    /// True if one of them is set.
    #[inline]
    pub const fn any(self, desc: u32) -> bool {
        desc & self.mask() != 0
    }

    /// All of them set, in their place.
    pub const fn mask(self) -> u32 {
        (u32::MAX >> (31 - self.hi)) & (u32::MAX << self.lo)
    }
}

macro_rules! descriptors {
    ($($(#[doc = $doc:literal])+ $module:ident { $($field:ident $lo:literal..$hi:literal;)* })*) => {$(
        $(#[doc = $doc])+
        pub mod $module {
            use super::Bits;
            $(#[allow(missing_docs, reason = "the manual's names")]
            pub const $field: Bits = Bits { lo: $lo, hi: $hi };)*
        }
    )*};
}

#[rustfmt::skip]
descriptors! {
    /// Messages with a surface, and those with a header.
    common { BINDING_TABLE_INDEX 0..7; HEADER_PRESENT 19..19; }
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
    /// The thread spawner: all that is not the instruction's.
    spawner { ALL 0..19; ALL_ABOVE 29..30; }
    /// Scratch blocks, a category of their own.
    scratch_block { OFFSET 0..11; BLOCK_SIZE 12..13; INVALIDATE_AFTER_READ 15..15; CHANNEL_MODE 16..16; OPERATION 17..17; }
    /// Blocks of OWords; bit 14 tells those at any byte.
    oword_block { BLOCK_SIZE 8..10; INVALIDATE_AFTER_READ 13..13; UNALIGNED 14..14; }
    /// Two blocks of OWords.
    oword_dual_block { BLOCK_SIZE 8..9; INVALIDATE_AFTER_READ 13..13; }
    /// Dwords at offsets of their own.
    dword_scattered { BLOCK_SIZE 8..9; INVALIDATE_AFTER_READ 13..13; }
    /// Bytes, words and dwords at offsets of their own.
    byte_scattered { SIMD_MODE 8..8; DATA_SIZE 10..11; }
    /// Memory fences.
    fence { FLUSHES 8..12; COMMIT 13..13; }
    /// Data cache 1.
    data_cache_1 { MESSAGE_TYPE 14..18; }
    /// Untyped surface reads and writes, also by addresses of 64 bits.
    untyped { CHANNEL_MASK 8..11; SIMD_MODE 12..13; }
    /// Typed surface reads and writes.
    typed { CHANNEL_MASK 8..11; SLOT_GROUP 12..13; }
    /// Untyped atomics.
    atomic { OPERATION 8..11; SIMD_MODE 12..12; RETURN_DATA 13..13; }
    /// Typed atomics.
    typed_atomic { OPERATION 8..11; SLOT_GROUP 12..12; RETURN_DATA 13..13; }
    /// Atomics by addresses of 64 bits.
    a64_atomic { OPERATION 8..11; DATA_WIDTH 12..12; RETURN_DATA 13..13; }
    /// Scattered messages by addresses of 64 bits.
    a64_scattered { SUBTYPE 8..9; ELEMENTS 10..11; SIMD_MODE 12..12; }
    /// Blocks of OWords by addresses of 64 bits.
    a64_block { BLOCK_SIZE 8..10; SUBTYPE 11..12; INVALIDATE_AFTER_READ 13..13; }
}
