//! The message registers (MRF) of gen4 to gen6, from which messages take their payloads.
//!
//! In:  a generation.
//! Out: the number of message registers, and the layout of SIMD16 payloads.
//! Ref: PRMs of gen4 and gen5 vol. 4, "COMPR4"; SNB PRM vol. 4 part 2, "Message Registers".

use hw::Gen;

/// Bit of a message register number in a SIMD16 destination: the upper eight channels are written
/// four registers after the lower eight, instead of one.
pub const COMPR4: u8 = 1 << 7;

/// The message registers of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRegisters {
    /// Number of message registers.
    pub count: u8,
    /// The first four values of a SIMD16 payload are laid out as four registers for the lower eight
    /// channels, then four for the upper eight. If false, the two registers of each value are
    /// adjacent.
    pub separate_simd8_halves: bool,
    /// Instructions support [`COMPR4`].
    pub compr4: bool,
}

const TABLE: [(Gen, MessageRegisters); 4] = [
    (Gen::Gen4, row(16, true, false)),
    (Gen::Gen4_5, row(16, true, true)),
    (Gen::Gen5, row(16, true, true)),
    (Gen::Gen6, row(24, false, false)),
];

const fn row(count: u8, separate_simd8_halves: bool, compr4: bool) -> MessageRegisters {
    MessageRegisters {
        count,
        separate_simd8_halves,
        compr4,
    }
}

/// The message registers of a generation; `None` from gen7 on, where payloads are in general
/// registers.
pub fn message_registers(hw_gen: Gen) -> Option<MessageRegisters> {
    let row = TABLE.iter().find(|row| row.0 == hw_gen)?;
    Some(row.1)
}
