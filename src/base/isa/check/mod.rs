//! The legality checker for single instructions.
//!
//! In:  an [`crate::Inst`], whether or not it can be encoded.
//! Out: the rules of the generation that it breaks; none for an instruction that may be executed.
//! Ref: SKL PRM vol. 7, "EU Programming Guide" and "Register Region Restrictions"; instruction
//!      pages of vol. 2a.
//! Tests: `tests.rs`; tests/isa/legality.txt.
//!
//! Rules are data: a name, the section of the PRM, a sentence, and a predicate that tells whether
//! an instruction breaks the rule. There is no rule that ExecSize times the size of the largest
//! type is at most 64 bytes, because it follows from the rules on spans and on the destination
//! stride. Conditions on more than one instruction (pairs of NoDDClr and NoDDChk, accumulator
//! contents) are not checked.

mod facts;
mod flow;
mod message;
mod operands;
mod region;
mod rule;
mod rule_sets;
mod table;
mod ternary;
#[cfg(test)]
mod tests;
mod types;
mod wide;

pub use rule::Violation;
#[cfg(test)]
pub(crate) use rule_sets::conditional_rule_names;
pub use rule_sets::{check, check_for_core, rules};
