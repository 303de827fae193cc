//! The ALU operations, one entry each.

/// The ALU operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AluOp {
    /// Copy.
    Mov,
}
