//! The SSA intermediate representation.
//!
//! In:  builder calls, or text.
//! Out: a [`Shader`] that can be validated, printed, folded and interpreted.
//! Names and meaning follow Mesa's NIR. Tests: tests/nir/.

mod builder;
pub mod fold;
mod intrinsic;
mod ir;
mod op;
mod shader;
mod types;

pub use builder::Builder;
pub use intrinsic::{AtomicOp, Effects, INTRINSICS, IntrinsicInfo, IntrinsicOp, Shape};
pub use ir::*;
pub use op::{ALU_OPS, AluOp, Base, FoldFn, OpInfo, OpSrc, OpType, Props, Size};
pub use shader::{CfEvent, ListRef};
pub use types::{Member, Type, Types};
