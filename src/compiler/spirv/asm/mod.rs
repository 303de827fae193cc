//! SPIR-V assembly text to words.
//!
//! In:  the syntax of `spirv-as`: one instruction a line, `%result = OpName operands`, `;` comments, ids by name,
//!      enumerants by name (masks joined by `|`), numbers by the type that the grammar or the result type asks
//!      for, strings in quotes, `!123` for a raw word.
//! Out: words that [`crate::Module::parse`] reads. Nothing is checked that the grammar does not say.
//! Ref: "SPIR-V Assembly language syntax", the page of SPIRV-Tools.

mod assembler;
mod names;
mod number;

pub use assembler::assemble;
