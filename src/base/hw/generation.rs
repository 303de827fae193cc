//! Generations of Intel graphics, as far as tables are keyed by them.

/// A hardware generation, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the field's names")]
pub enum Gen {
    Gen7,
    Gen7_5,
    Gen8,
    Gen9,
    Gen11,
    Gen12,
    Gen12_5,
}
