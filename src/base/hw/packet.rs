//! Packets and state structures as data: the bits of each field, and how fields are unpacked.
//!
//! A [`Packet`] describes a command or a state structure; the tables are in [`crate::mi`],
//! [`crate::media`], [`crate::state`], [`crate::draw`] and [`crate::draw_state`].
//! [`crate::pack::PacketWords`] packs a packet; [`Field::get`] unpacks a field. The batch decoder,
//! [`crate::batch`], prints packets from the same tables.

use crate::generation::Gen;

/// How the bits of a field are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// An unsigned number.
    Uint,
    /// A signed number in two's complement.
    Int,
    /// A flag.
    Bool,
    /// A GPU address in bytes; the address bits below the lowest bit of the field are zero.
    Address,
    /// An offset from a base address in bytes, aligned like an address.
    Offset,
    /// The bits of a 32-bit float.
    Float,
    /// A bit, or bits, that must be one.
    MustBeOne,
}

/// A field. Bits are counted from bit 0 of the first dword of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in the PRM.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u16,
    /// Highest bit.
    pub hi: u16,
    /// Interpretation of the bits.
    pub kind: FieldKind,
}

impl Field {
    /// Width in bits, at most 64.
    pub const fn bits(&self) -> u32 {
        (self.hi - self.lo + 1) as u32
    }

    pub(crate) const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// True for kinds whose value is in bytes and whose low bits, which are zero, are not stored.
    pub(crate) const fn is_bytes(&self) -> bool {
        matches!(self.kind, FieldKind::Address | FieldKind::Offset)
    }

    /// Reads the field from the words of a packet; missing words count as zero. [`FieldKind::Int`]
    /// is sign-extended.
    pub fn get(&self, words: &[u32]) -> u64 {
        let first = usize::from(self.lo / 32);
        let mut raw = 0u128;
        for (i, word) in words.iter().skip(first).take(3).enumerate() {
            raw |= u128::from(*word) << (32 * i);
        }
        let value = (raw >> (self.lo % 32)) as u64 & self.mask();
        if self.is_bytes() {
            value << (self.lo % 32)
        } else if self.kind == FieldKind::Int {
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
    /// Name in the PRM.
    pub name: &'static str,
    /// First generation with this layout.
    pub first: Gen,
    /// Last generation with this layout.
    pub last: Gen,
    /// Length in dwords; 0 for commands of variable length.
    pub dwords: u16,
    /// Commands: the first dword with all variable fields zero, including the length if it is
    /// fixed.
    pub header: u32,
    /// Commands: the bits of the first dword that identify the packet. 0 for structures.
    pub header_mask: u32,
    /// Commands: the bits of the first dword that hold the length; 0 for commands of one dword.
    pub length_mask: u32,
    /// Length in dwords minus the value of the length field.
    pub length_bias: u16,
    /// All fields except those that are part of the header.
    pub fields: &'static [Field],
}

impl Packet {
    /// True if the generation has the packet in this layout.
    pub const fn is_on(&self, hw_gen: Gen) -> bool {
        self.first as u8 <= hw_gen as u8 && hw_gen as u8 <= self.last as u8
    }

    /// True if `first` is the first dword of this command.
    pub const fn matches(&self, first: u32) -> bool {
        self.header_mask != 0 && first & self.header_mask == self.header & self.header_mask
    }

    /// Length in dwords according to the first dword of the command.
    pub const fn length(&self, first: u32) -> usize {
        if self.length_mask == 0 {
            return 1;
        }
        (first & self.length_mask) as usize + self.length_bias as usize
    }
}
