//! The SSA intermediate representation.
//!
//! In:  builder calls, or text.
//! Out: a [`Shader`] that can be validated, printed, folded and interpreted.
//! Names and meaning follow Mesa's NIR. Tests: tests/nir/.

mod builder;
mod cfg;
mod divergence;
pub mod fold;
pub mod interp;
mod intrinsic;
mod ir;
mod lex;
mod op;
mod parse;
mod print;
mod shader;
#[cfg(test)]
mod text_tests;
mod types;
mod uses;
mod validate;

pub use builder::Builder;
pub use cfg::{Cfg, CfgBlock};
pub use divergence::Divergence;
pub use intrinsic::{AtomicOp, Effects, INTRINSICS, IntrinsicInfo, IntrinsicOp, Shape};
pub use ir::*;
pub use op::{ALU_OPS, AluOp, Base, FoldFn, OpInfo, OpSrc, OpType, Props, Size};
pub use parse::{ParseError, parse, parse_bits};
pub use shader::{CfEvent, ListRef};
pub use types::{Member, Type, Types};
pub use uses::{Use, Uses};
pub use validate::{ValidateError, validate};
