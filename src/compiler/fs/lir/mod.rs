//! LIR: EU instructions over virtual registers (VGRFs).
//!
//! A program is one list of instructions in layout order; control flow is structured, by IF, ELSE,
//! ENDIF, DO, WHILE, BREAK, CONT and HALT. Every instruction has an exec size that the hardware can
//! execute: the builder splits wider operations. A VGRF consists of whole registers; the elements
//! of a per-lane value follow one another in it in the order of the lanes.

pub(crate) mod builder;
mod inst;
pub(crate) mod live;
pub(crate) mod message;
mod message_registers;
mod names;
mod operand;
#[cfg(any(test, debug_assertions))]
pub(crate) mod parse;
pub(crate) mod print;
mod program;
#[cfg(any(test, debug_assertions))]
pub(crate) mod round_trip;
pub(crate) mod validate;

pub(crate) use inst::{Inst, Op, Payload, PayloadId, PayloadPart, Pred, SendInfo};
pub(crate) use message_registers::COLOURS;
pub(crate) use operand::{
    Dst, FIRST_EOT_GRF, GRF_BYTES, INDIRECT_DW, MAX_PAYLOAD_GRFS, Mrf, Reg, Rows, Src, Vgrf, VgrfId,
};
pub(crate) use program::Lir;
