//! Fixtures of this crate's tests.

pub mod genxml;
