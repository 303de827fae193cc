//! Rewrite rules over ALU operations, as data, and how they are matched. `opt_algebraic` applies
//! them.

pub(crate) mod matching;
pub(crate) mod pattern;
pub(crate) mod rule_set;
pub(crate) mod rules;
