//! Generations of Intel graphics, as far as tables are keyed by them. No device of those before gen7 is described.

/// A hardware generation, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the field's names")]
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
