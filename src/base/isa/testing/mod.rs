//! Fixtures of the tests of this crate.

pub mod iga;
pub mod random_inst;
