//! Table of all fields of commands and state structures, with what the simulator does about each
//! ("fate").
//!
//! In:  the tables of `hw`, the words of a command. Out: the error that stops a batch which uses a
//!      feature that is not simulated, or a field value that is illegal by itself. A field that no
//!      unit reads could let a wrong driver produce the right image, so each field has one of these
//!      fates:
//!
//! | in the tables | meaning |
//! | --- | --- |
//! | `modelled` | a unit reads the field |
//! | `bound` | a unit reads it as a limit: values within the limit give equal results |
//! | `words("FILE")` | a unit reads the whole dword, in this file |
//! | `ruled("RULE")` | strict mode checks it, by this rule |
//! | `allows("RULE")` | strict mode checks it as a limit, by this rule |
//! | `only([VALUES], "SOURCE")` | strict mode requires one of these values |
//! | `inert(REASON)` | no result depends on it |
//! | `refused` | a nonzero value is an error: not simulated |
//! | `never` | the whole command is an error: not simulated |
//!
//! Apart from fates, `legal` lists the legal values of fields: strict mode rejects reserved ones.
//!
//! Tests compare the tables with the units' sources: every field has exactly one fate; a modelled
//! or ruled field is read by a unit or a rule; an inert or refused field is read by no unit.

pub mod check;
mod draw;
mod legal;
pub(crate) mod length;
mod media;
pub(crate) mod message;
mod mi;
mod reason;
pub mod register;
mod state;
pub mod table;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub use check::{all, fates_of};
pub use table::{Fate, Fates};
