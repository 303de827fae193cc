//! Fixtures of the unit tests.

pub(crate) mod random_flow;
