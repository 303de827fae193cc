//! Which bits of a field a draw or dispatch depends on, by its other state.
//!
//! In:  a command or structure, and the draw's or dispatch's state. Out: bits of the field that may
//!      make a difference. A bit is left out where the PRM says that the state makes it ignored;
//!      where the PRM is silent, the bit counts.
//! Ref: SKL PRM vol. 2a and 2d, each field's description and "exists if".

#[macro_use]
mod macros;
mod commands;
mod field;
mod masks;
mod rows;
mod stages;
mod state;

pub use field::bits;
pub use stages::{kernels, runs};
