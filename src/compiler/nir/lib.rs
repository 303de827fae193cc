//! The SSA intermediate representation.
//!
//! In:  builder calls, or text.
//! Out: a [`Shader`] that can be validated, printed, folded and interpreted.
//! Names and meaning follow Mesa's NIR. Tests: tests/nir/.

mod alu_builder;
mod builder;
mod capture;
mod cfg;
mod compact;
mod divergence;
mod exact;
pub mod fold;
mod index_names;
pub mod interp;
mod intrinsic;
mod io;
mod ir;
mod lex;
mod link;
mod natural_layout;
mod op;
mod parse;
mod print;
mod shader;
#[cfg(test)]
mod tests;
mod tex;
mod types;
mod uses;
mod validate;

pub use builder::Builder;
pub use capture::{CAPTURE_BUFFERS, Capture, Captured};
pub use cfg::{Cfg, CfgBlock};
pub use divergence::Divergence;
pub use exact::FloatControls;
pub use intrinsic::{AtomicOp, Effects, INTRINSICS, IntrinsicInfo, IntrinsicOp, Shape};
pub use io::{
    ClipCullDistances, DepthLayout, FragmentInfo, GeometryInfo, InterpLocation, InterpMode, IoVar,
    Primitive, Slot, Slots, TessDomain, TessInfo, TessSpacing,
};
pub use ir::*;
pub use lex::ParseError;
pub use link::{Link, Linked, Reads};
pub use op::{ALU_OPS, AluOp, Base, FoldFn, OpInfo, OpSrc, OpType, Props, Size};
pub use parse::{parse, parse_bits};
pub use shader::{CfEvent, Layout, ListRef};
pub use tex::{Dim, TexInfo, TexOp, TexSrc};
pub use types::{Member, Mode, Type, Types};
pub use uses::{Use, Uses};
pub use validate::{ValidateError, validate};
