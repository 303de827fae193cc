//! `ingot batch --diff`: compares what two recordings of one program use of each command, state
//! structure and register.
//!
//! In:  two recordings of `ingot sim --record`, usually by two drivers. Out: for each command and
//!      structure how often both use it, and for each field the values that it has in both.
//! Places and sizes of objects differ between any two drivers; `normalise` makes them comparable.

mod compare;
mod normalise;
mod registers;
mod report;
mod usage;

pub use compare::{Difference, Side, differences};
pub use normalise::matches;
pub use report::{is_equal, table};
pub use usage::{PacketUsage, Usage, Values};
