//! EU instructions: encode, decode, assemble, disassemble, legality.
//!
//! In:  [`Inst`] values, instruction bytes, or assembly text.
//! Out: any of the other two, and a list of the rules an instruction breaks.
//! Ref: SKL PRM vol. 7 "3D-Media-GPGPU", EU instruction set; text syntax: IGA's.

mod check;
mod compact;
mod construct;
mod decode;
pub mod descriptor;
mod encode;
mod inst;
mod layout;
mod message;
mod message_registers;
mod opcode;
mod text;
mod types;

#[cfg(test)]
pub(crate) use check::further_rules;
pub use check::{Violation, check, check_part, rules};
pub use decode::{DecodeError, decode};
pub use encode::{EncodeError, encode};
pub use inst::{
    Addr, ArfReg, CondMod, Desc, Dst, File, Inst, MathFn, Pred, PredCtrl, Region, Send, Src,
};
pub use message::{SHARED_FUNCTIONS, SharedFunction, describe_send};
pub use message_registers::{COMPR4, MessageRegisters, message_registers};
pub use opcode::{Class, OPCODES, Opcode, OpcodeInfo};
pub use text::{AsmError, KernelError, assemble, assemble_kernel, disassemble, disassemble_kernel};
pub use types::Type;

#[cfg(test)]
mod testing;
