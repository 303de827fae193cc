//! Parses the text form of a shader.
//!
//! In:  text as `print` writes it; `;` begins a comment.
//! Out: a shader, or the line with the first syntax error. Semantics are not checked, so that
//!      invalid shaders can be written as test cases; `validate` checks them. Ids in text are ids
//!      in memory: gaps in the numbering are filled with `undef` values outside any block.
//! Tests: tests/nir/.

mod body;
mod header;
mod literal;
mod parser;
mod shader;
mod stage;

pub use literal::parse_bits;
pub use shader::parse;
