//! The builder's methods for ALU operations, one for each row of the table in `op.rs`, with the
//! operation's name.
//!
//! In:  operands. Out: an instruction at the builder's cursor, and its result.

use crate::builder::Builder;
use crate::ir::Def;
use crate::op::{AluOp, alu_table};
use entity::Id;

macro_rules! alu_methods {
    ($($(#[$doc:meta])*
       $variant:ident $name:ident ( $($arg:ident : $ty:ident $(* $n:literal)?),* $(; $bits:ident)? )
       -> $out:ident $(* $on:literal)?, cost $cost:literal, $($prop:ident)|+,
       $kind:ident |$($p:ident),*| $body:expr;)*) => {
        /// One method for each ALU operation. Components and bits of the result follow from the
        /// operands; an operand of one component beside longer ones is broadcast. Conversions take
        /// the bits of the result.
        impl Builder<'_> {
            $($(#[$doc])*
            pub fn $name(&mut self $(, $arg: Id<Def>)* $(, $bits: u8)?) -> Id<Def> {
                self.alu_sized(AluOp::$variant, &[$($arg),*], 0 $(| $bits)?)
            })*
        }
    };
}

alu_table!(alu_methods);
