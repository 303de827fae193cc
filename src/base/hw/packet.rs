//! Packets and state structures as data: where fields stand, how words are unpacked.
//!
//! A [`Packet`] says what a command or structure looks like; the tables are in [`crate::mi`], [`crate::media`],
//! [`crate::state`] and [`crate::draw`]. [`crate::Words`] is a packet being packed; [`Field::get`] reads one back. The batch
//! decoder, [`crate::batch`], prints from the same tables.

use crate::Gen;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An unsigned number.
    Uint,
    /// A signed number in two's complement.
    Int,
    /// A flag.
    Bool,
    /// A GPU address: the value is in bytes, and the bits below the field's lowest are zero.
    Address,
    /// An offset from a base: bytes, like an address.
    Offset,
    /// A float's bits.
    Float,
    /// Must be one.
    MustBeOne,
}

/// A field: its bits, counted from bit 0 of the packet's first dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The PRM's name.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u16,
    /// Highest bit.
    pub hi: u16,
    /// What it holds.
    pub kind: Kind,
}

impl Field {
    /// Number of bits, at most 64.
    pub const fn bits(&self) -> u32 {
        (self.hi - self.lo + 1) as u32
    }

    pub(crate) const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// True for kinds whose value is in bytes, the low ones of which the field leaves out.
    pub(crate) const fn is_bytes(&self) -> bool {
        matches!(self.kind, Kind::Address | Kind::Offset)
    }

    /// Reads the field from a packet's words; words that are not there are zero. Signed kinds are sign-extended.
    pub fn get(&self, words: &[u32]) -> u64 {
        let first = usize::from(self.lo / 32);
        let mut raw = 0u128;
        for (i, word) in words.iter().skip(first).take(3).enumerate() {
            raw |= u128::from(*word) << (32 * i);
        }
        let value = (raw >> (self.lo % 32)) as u64 & self.mask();
        if self.is_bytes() {
            value << (self.lo % 32)
        } else if self.kind == Kind::Int {
            let unused = 64 - self.bits();
            ((value << unused) as i64 >> unused) as u64
        } else {
            value
        }
    }
}

/// A command or a state structure.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The PRM's name.
    pub name: &'static str,
    /// First generation with this layout.
    pub first: Gen,
    /// Last generation with this layout.
    pub last: Gen,
    /// Dwords, for commands of one length and structures; 0 where the length varies.
    pub dwords: u16,
    /// Commands: the fixed bits of the first dword, length included where it is fixed.
    pub header: u32,
    /// Commands: which bits of the first dword tell this packet from others. 0 for structures.
    pub header_mask: u32,
    /// Commands: which bits of the first dword hold the length; 0 for those of one dword.
    pub length_mask: u32,
    /// Length in dwords = length field + this.
    pub length_bias: u16,
    /// All fields but those that are part of the header.
    pub fields: &'static [Field],
}

impl Packet {
    /// True if this is the packet's layout on a generation.
    pub const fn is_on(&self, hw_gen: Gen) -> bool {
        self.first as u8 <= hw_gen as u8 && hw_gen as u8 <= self.last as u8
    }

    /// True if the first dword of a command is this packet's.
    pub const fn matches(&self, first: u32) -> bool {
        self.header_mask != 0 && first & self.header_mask == self.header & self.header_mask
    }

    /// Length in dwords that a first dword claims.
    pub const fn length(&self, first: u32) -> usize {
        if self.length_mask == 0 {
            return 1;
        }
        (first & self.length_mask) as usize + self.length_bias as usize
    }
}

/// Declares packets: a module each, with `PACKET`, its words as a constant, and a constant for each field.
macro_rules! packets {
    ($($(#[$doc:meta])* $module:ident $name:literal [$first:ident..$last:ident]
        dwords $dwords:literal header $header:literal mask $mask:literal length $length:literal bias $bias:literal {
        $($field:ident $fname:literal $lo:literal..$hi:literal $kind:ident;)*
    })*) => {
        $($(#[$doc])* pub mod $module {
            #[allow(unused_imports, reason = "some packets have no fields")]
            use $crate::packet::{Field, Kind, Packet};
            use $crate::Gen;
            $(#[doc = $fname] pub const $field: Field = Field {
                name: $fname, lo: $lo, hi: $hi, kind: Kind::$kind,
            };)*
            #[doc = $name]
            pub static PACKET: Packet = Packet {
                name: $name,
                first: Gen::$first,
                last: Gen::$last,
                dwords: $dwords,
                header: $header,
                header_mask: $mask,
                length_mask: $length,
                length_bias: $bias,
                fields: &[$($field),*],
            };
            /// A packet of `N` dwords with its header set and all fields zero: a constant wherever it is asked for.
            #[inline(always)]
            pub const fn words<const N: usize>() -> $crate::Words<N> {
                const { PACKET.words::<N>() }
            }
        })*
        /// All packets of this table.
        pub static ALL: &[&$crate::packet::Packet] = &[$(&$module::PACKET),*];
    };
}
pub(crate) use packets;
