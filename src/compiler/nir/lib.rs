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
pub use capture::{CAPTURE_BUFFERS, TransformFeedbackInfo, TransformFeedbackOutput};
pub use cfg::{Cfg, CfgBlock};
pub use divergence::Divergence;
pub use exact::FloatControls;
pub use intrinsic::{AtomicOp, Effects, INTRINSICS, IntrinsicInfo, IntrinsicOp, ValueShape};
pub use io::{
    COVERAGE_OF_COMMANDS, ClipCullDistances, DepthLayout, FragmentInfo, GeometryInfo,
    InterpLocation, InterpMode, IoVar, Primitive, Slot, SlotSet, TessDomain, TessInfo, TessSpacing,
};
pub use ir::*;
pub use lex::ParseError;
pub use link::{InputsRead, LinkTarget, OutputLink};
pub use natural_layout::MAX_NATURAL_BYTES;
pub use op::{ALU_OPS, AluOp, AluProps, BaseType, FoldFn, OpInfo, OpSrc, OpType, SizeRule};
pub use parse::{parse, parse_bits};
pub use shader::{CfEvent, LayoutOrder, ListRef};
pub use tex::{Dim, TexInfo, TexOp, TexSrc};
pub use types::{StructMember, Type, Types, VariableMode};
pub use uses::{Use, Uses};
pub use validate::{ValidateError, validate};
