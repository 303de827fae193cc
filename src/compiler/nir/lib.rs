//! The SSA intermediate representation.
//!
//! In:  builder calls, or text.
//! Out: a [`Shader`] that can be validated, printed, folded and interpreted.
//! Names and meaning follow Mesa's NIR. Tests: tests/nir/.

mod intrinsic;
mod ir;
mod op;
mod types;

pub use intrinsic::{AtomicOp, Effects, INTRINSICS, IntrinsicInfo, IntrinsicOp, Shape};
pub use ir::*;
pub use op::AluOp;
pub use types::{Member, Type, Types};
