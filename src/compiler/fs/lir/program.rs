//! An LIR program.

use crate::error::FsError;
use crate::lir::inst::{Inst, Payload};
use crate::lir::operand::{GRF_BYTES, Vgrf, VgrfId};
use entity::Arena;
use isa::MessageRegisters;

/// Maximum size of a thread's scratch memory in bytes. Ref: SKL PRM vol. 2a, MEDIA_VFE_STATE, Per
/// Thread Scratch Space.
const MAX_SCRATCH_BYTES: u64 = 2 << 20;

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Lir {
    /// The instructions in layout order.
    pub insts: Vec<Inst>,
    /// The virtual registers.
    pub vgrfs: Arena<Vgrf>,
    /// The payloads that [`super::inst::Op::Collect`] builds.
    pub payloads: Arena<Payload>,
    /// Lanes of a thread: 8, 16 or 32.
    pub width: u8,
    /// The message registers of the device, if it has any.
    pub message_registers: Option<MessageRegisters>,
    /// Scratch memory of each thread in bytes, as far as it is reserved.
    pub scratch_bytes: u32,
    /// Flag bits that are read in other blocks than those that write them, as a mask like
    /// [`Inst::flag_bits`].
    pub cross_block_flags: u64,
}

impl Lir {
    /// Adds a VGRF of at least `bytes` bytes.
    pub fn vgrf(&mut self, bytes: u32) -> VgrfId {
        self.vgrfs.push(Vgrf {
            regs: bytes.div_ceil(GRF_BYTES).max(1) as u16,
            fixed: None,
            no_spill: false,
        })
    }

    /// Reserves `bytes` bytes of scratch memory; returns their offset, a multiple of the register
    /// size.
    pub fn reserve_scratch(&mut self, bytes: u64) -> Result<u32, FsError> {
        let first = self.scratch_bytes.next_multiple_of(GRF_BYTES);
        let end = u64::from(first) + bytes;
        if end > MAX_SCRATCH_BYTES {
            return Err(FsError::Limit {
                what: "bytes of scratch for a thread",
                need: end,
                max: MAX_SCRATCH_BYTES,
            });
        }
        self.scratch_bytes = end as u32;
        Ok(first)
    }
}

#[cfg(test)]
mod tests;
