//! Fixtures that the tests of several files share.

pub(crate) mod registry;
