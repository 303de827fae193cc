//! Packing of fields into the words of a packet.
//!
//! In:  a [`Field`] of a table, known at compile time, and a value.
//! Out: bits in the words of a packet. Everything is `const` and inlined: a packet whose fields are
//!      constants is a constant array, and a field with a variable value costs a shift and an OR.
//! Ref: [`crate::packet`], which describes packets and unpacks fields.

use crate::packet::{Field, FieldKind, Packet};

impl Field {
    /// The value shifted to the position of the field: three dwords, the first of which contains
    /// the lowest bit of the field (a field of 64 bits that starts within a dword touches three).
    #[inline(always)]
    const fn shift_value(&self, value: u64) -> [u32; 3] {
        let shift = self.lo as u32 % 32;
        let value = if self.is_bytes() {
            value >> shift
        } else {
            value
        };
        let value = value & self.mask();
        let high = if shift == 0 {
            0
        } else {
            (value >> (64 - shift)) as u32
        };
        [
            (value << shift) as u32,
            ((value << shift) >> 32) as u32,
            high,
        ]
    }

    /// Replaces the field in the words of a packet. Dwords past the end of `words` are not written.
    /// Bits of the value that do not fit are dropped; a debug build panics.
    #[inline(always)]
    pub const fn set(&self, words: &mut [u32], value: u64) {
        if !self.is_bytes() && !matches!(self.kind, FieldKind::Int) {
            debug_assert!(value & !self.mask() == 0, "the field cannot hold the value");
        }
        let bits = self.shift_value(value);
        // All bits of the field, in the unit of its values.
        let shift = self.lo as u32 % 32;
        let clear = self.shift_value(if self.is_bytes() {
            self.mask() << shift
        } else {
            self.mask()
        });
        let first = self.lo as usize / 32;
        let last = self.hi as usize / 32;
        let mut at = first;
        while at <= last && at < words.len() {
            words[at] = words[at] & !clear[at - first] | bits[at - first];
            at += 1;
        }
    }
}

/// The words of a packet under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketWords<const N: usize> {
    /// The words.
    pub dwords: [u32; N],
}

impl<const N: usize> PacketWords<N> {
    /// Sets a field.
    #[must_use]
    #[inline(always)]
    pub const fn with(mut self, field: Field, value: u64) -> PacketWords<N> {
        field.set(&mut self.dwords, value);
        self
    }

    /// Sets a field of one bit.
    #[must_use]
    #[inline(always)]
    pub const fn flag(self, field: Field, value: bool) -> PacketWords<N> {
        self.with(field, value as u64)
    }
}

impl Packet {
    /// A packet of `N` dwords with its header set and all fields zero.
    #[inline(always)]
    pub const fn words<const N: usize>(&self) -> PacketWords<N> {
        debug_assert!(
            self.dwords == 0 || self.dwords as usize == N,
            "not the length of the packet"
        );
        let mut words = PacketWords { dwords: [0; N] };
        words.dwords[0] = self.header;
        if self.dwords == 0 && self.length_mask != 0 {
            words.dwords[0] |= (N - self.length_bias as usize) as u32 & self.length_mask;
        }
        let mut index = 0;
        while index < self.fields.len() {
            let field = &self.fields[index];
            if matches!(field.kind, FieldKind::MustBeOne) {
                field.set(&mut words.dwords, u64::MAX >> (64 - field.bits()));
            }
            index += 1;
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::{gpgpu_walker, pipe_control};

    const TEMPLATE: [u32; 15] = gpgpu_walker::PACKET
        .words::<15>()
        .with(gpgpu_walker::SIMD_SIZE, 2)
        .with(gpgpu_walker::RIGHT_EXECUTION_MASK, 0xffff_ffff)
        .dwords;

    #[test]
    fn packets_are_packed_at_compile_time() {
        assert_eq!(TEMPLATE[0], 0x7105_000d);
        assert_eq!((TEMPLATE[4], TEMPLATE[13]), (2 << 30, u32::MAX));
        assert!(TEMPLATE[5..13].iter().all(|&word| word == 0));
    }

    #[test]
    fn fields_may_cross_dwords_and_hold_addresses() {
        let address = Field {
            name: "a",
            lo: 34,
            hi: 79,
            kind: FieldKind::Address,
        };
        let mut words = [0; 4];
        address.set(&mut words, 0xffff_8123_4567_89fc);
        assert_eq!(words, [0, 0x4567_89fc, 0x8123, 0]);
        assert_eq!(address.get(&words), 0x8123_4567_89fc);
        let signed = Field {
            name: "s",
            lo: 4,
            hi: 7,
            kind: FieldKind::Int,
        };
        signed.set(&mut words, -3i64 as u64);
        assert_eq!(signed.get(&words) as i64, -3);
        assert_eq!(words[0], 0xd0);
        let wide = Field {
            name: "w",
            lo: 5,
            hi: 68,
            kind: FieldKind::Uint,
        };
        wide.set(&mut words, u64::MAX);
        assert_eq!(words[0] >> 5, u32::MAX >> 5);
        assert_eq!((words[1], words[2] & 0x1f), (u32::MAX, 0x1f));
        wide.set(&mut words, 0x8000_0000_0000_0001);
        assert_eq!(wide.get(&words), 0x8000_0000_0000_0001);
        let mut short = [0; 1];
        wide.set(&mut short, u64::MAX);
        assert_eq!(short, [u32::MAX << 5]);
    }

    #[test]
    fn flags_and_addresses_are_packed() {
        let words = pipe_control::PACKET
            .words::<6>()
            .flag(pipe_control::DC_FLUSH_ENABLE, true)
            .with(pipe_control::ADDRESS, 0x1_2345_6788);
        assert_eq!(pipe_control::ADDRESS.get(&words.dwords), 0x1_2345_6788);
        assert_eq!(pipe_control::DC_FLUSH_ENABLE.get(&words.dwords), 1);
    }
}
