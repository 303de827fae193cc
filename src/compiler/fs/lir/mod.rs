//! LIR: EU instructions over virtual registers.
//!
//! A program is one list of instructions in layout order; IF, ELSE, ENDIF, DO, WHILE, BREAK and CONT
//! stand in it as themselves. Every instruction is as wide as the hardware can execute it: wider
//! operations are split when they are built. A VGRF is some whole registers; per-lane values
//! lie in it lane after lane.

pub(crate) mod builder;
mod inst;
pub(crate) mod live;
pub(crate) mod message;
mod message_registers;
mod operand;
pub(crate) mod print;
mod program;
pub(crate) mod validate;

pub(crate) use inst::{Inst, Op, Payload, PayloadId, PayloadPart, Pred, SendInfo};
pub(crate) use message_registers::COLOURS;
pub(crate) use operand::{
    Dst, FIRST_EOT_GRF, GRF_BYTES, INDIRECT_DW, MAX_PAYLOAD_GRFS, Mrf, Reg, Rows, Src, Vgrf, VgrfId,
};
pub(crate) use program::Lir;
