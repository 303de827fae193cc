//! Fixtures that several tests of the workspace share.

pub mod batch;
pub mod scripts;
