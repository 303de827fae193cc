//! Assembly text in IGA's syntax.
//!
//! In:  instructions or machine code; or text.
//! Out: text that `iga64` assembles to the same bytes; or machine code.
//!
//! Extensions of IGA syntax: the option `{Align16}` with swizzles (`.xyzw`) and write masks on one-
//! and two-source instructions, and swizzles of three-source operands other than those that IGA
//! supports.
//! Ref: the documentation of IGA; SKL PRM for names that are not in IGA. Tests: `tests/`.

mod cursor;
mod float;
mod kernel;
pub mod names;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use kernel::{AsmError, KernelError, assemble, assemble_kernel, disassemble_kernel};
pub use print::disassemble;
