//! Instruction selection: NIR to LIR at one SIMD width.
//!
//! In:  a shader after the NIR pipeline (see the list in crate `opt`) and the set of its divergent
//! values.
//! Out: LIR over virtual registers.
//!
//! [`mod@select`] has the driver loop and [`context`] the state that all parts share; every other
//! file selects one family of instructions. Vectors and moves emit no code: each component of a def
//! is only a location. Booleans in registers are masks, 0 or ~0, of the size of the operands
//! compared ([`bool_forms`]); a comparison that feeds a branch or a select is selected again at
//! that use, into a flag.
//! Tests: tests/fs/isel/.

mod alu;
mod analysis;
mod block_loads;
mod bool_forms;
mod cond;
mod context;
mod convert;
mod demote;
mod descriptors;
mod fragment;
mod geometry;
mod global;
mod header_reuse;
mod image;
mod int64;
mod intrinsic;
mod masks;
mod memory;
mod non_uniform_loops;
mod operands;
mod output;
mod packed_half;
mod payload;
mod payload_layout;
mod push_data;
mod push_ubo;
mod reduce;
mod render_target;
mod sampler_index;
mod scratch;
mod select;
mod shared_registers;
mod subgroup;
mod surface;
mod tess;
mod texture;
mod types;
mod unsupported;
mod urb;
mod urb_pairs;
mod vertex;

pub(crate) use select::{Selected, ShaderAnalysis, count_uses, select};
