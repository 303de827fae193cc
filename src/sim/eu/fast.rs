//! Placeholder-free start of the fast paths: nothing is selected yet, the general path executes all.

use crate::decode::{AluFn, Uop};

/// Operands resolved for the fast paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operands {}

/// A fast routine for an instruction, where one applies.
pub(crate) fn select(_u: &mut Uop) -> Option<AluFn> {
    None
}
