//! Assembly text in IGA's syntax.
//!
//! In:  instructions or machine code; or text.
//! Out: text that `iga64` reads back to the same bytes; or machine code.
//!
//! What IGA's syntax cannot say is written as an extension of it: the option `{Align16}` with swizzles (`.xyzw`) and
//! write masks on one- and two-source instructions, and swizzles of three-source operands other than those IGA knows.
//! Ref: IGA's documentation; the SKL PRM's names elsewhere.

mod cursor;
mod float;
mod kernel;
mod names;
mod parse;
mod print;

pub use kernel::{AsmError, KernelError, assemble, assemble_kernel, disassemble_kernel};
pub use print::disassemble;
