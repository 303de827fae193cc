//! EU instructions: encoder, decoder, assembler, disassembler, legality checker.
//!
//! In:  [`Inst`] values, instruction bytes, or assembly text.
//! Out: either of the other two forms, and a list of the rules that an instruction breaks.
//! Ref: SKL PRM vol. 7 "3D-Media-GPGPU", EU instruction set; the text syntax is that of IGA.
//! Tests: beside their units; `text/tests/iga.rs` compares with Intel's assembler.

mod check;
mod compact;
mod construct;
mod decode;
pub mod descriptor;
mod encode;
mod inst;
mod layout;
pub mod message;
mod message_registers;
mod opcode;
mod text;
mod types;

pub use check::{Violation, check, check_for_core, rules};
pub use decode::{DecodeError, decode};
pub use encode::{EncodeError, encode};
pub use inst::{
    Addr, ArfReg, CondMod, Desc, Dst, Inst, MathFn, Pred, PredCtrl, RegFile, Region, Send, Src,
};
pub use message::describe_send;
pub use message_registers::{COMPR4, MessageRegisters, message_registers};
pub use opcode::{EncodingClass, OPCODES, Opcode, OpcodeInfo};
pub use text::names;
pub use text::{AsmError, KernelError, assemble, assemble_kernel, disassemble, disassemble_kernel};
pub use types::Type;

#[cfg(test)]
mod testing;
