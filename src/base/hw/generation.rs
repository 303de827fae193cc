//! Generations of Intel graphics, as keys of tables. No device before gen7.5 is in the device
//! table.

/// A hardware generation, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the usual names")]
pub enum Gen {
    Gen4,
    /// G4X.
    Gen4_5,
    Gen5,
    Gen6,
    Gen7,
    Gen7_5,
    Gen8,
    Gen9,
    Gen11,
    Gen12,
    Gen12_5,
}
