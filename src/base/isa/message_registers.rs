//! The registers that messages take their payloads from on gen4 to gen6, apart from the general ones.
//!
//! In:  a generation.
//! Out: how many it has, and how sixteen lanes lie in them.
//! Ref: PRMs of gen4 and gen5 vol. 4, "COMPR4"; SNB PRM vol. 4 part 2, "Message Registers".

use hw::Gen;

/// Bit of a message register's number: the second half of a destination of sixteen lanes is four registers behind the first one.
pub const COMPR4: u8 = 1 << 7;

/// What a generation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRegisters {
    /// m0 to the one before this.
    pub count: u8,
    /// Messages of sixteen lanes take their first four values as four registers of the lower lanes, then four of the upper ones; all
    /// others value behind value.
    pub halves_apart: bool,
    /// Instructions know [`COMPR4`].
    pub compr4: bool,
}

const TABLE: [(Gen, MessageRegisters); 4] = [
    (Gen::Gen4, row(16, true, false)),
    (Gen::Gen4_5, row(16, true, true)),
    (Gen::Gen5, row(16, true, true)),
    (Gen::Gen6, row(24, false, false)),
];

const fn row(count: u8, halves_apart: bool, compr4: bool) -> MessageRegisters {
    MessageRegisters {
        count,
        halves_apart,
        compr4,
    }
}

/// What the generation has; `None` from gen7 on, whose messages take general registers.
pub fn message_registers(hw_gen: Gen) -> Option<MessageRegisters> {
    let row = TABLE.iter().find(|row| row.0 == hw_gen)?;
    Some(row.1)
}
