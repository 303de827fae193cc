//! Assembles SPIR-V text to words.
//!
//! In:  the syntax of `spirv-as`: one instruction a line, `%result = OpName operands`, `;`
//!      comments, ids by name, enumerants by name (masks joined by `|`), numbers of the type that
//!      the grammar or the result type requires, strings in quotes, `!123` for a raw word.
//! Out: words for [`crate::Module::parse`]. Only the grammar is checked.
//! Ref: "SPIR-V Assembly language syntax", of SPIRV-Tools.

mod assembler;
mod names;
mod number;

pub use assembler::assemble;
