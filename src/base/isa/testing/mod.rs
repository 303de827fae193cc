//! Fixtures of the tests of this crate.

pub mod random_inst;
