//! Block reads and writes: consecutive OWords for the whole thread, and scratch.
//!
//! Ref: SKL PRM vol. 7, "OWord Block", "Unaligned OWord Block", "Scratch Block", "A64 OWord Block";
//!      vol. 2d, MDC_DB_OW.

use super::port::WorkerPort;
use crate::bindings::{Payload, unimplemented};
use crate::rules;
use eu::{Message, StopReason};
use isa::descriptor::value::{a64_block_subtype, oword_block_size, oword_dual_block_size};
use isa::descriptor::{a64_block, common, oword_block, oword_dual_block, scratch_block};

/// Dwords of MDC_DB_OW, and whether one OWord goes to the high half of the register.
fn oword_dwords(message: &Message<'_>) -> Result<(usize, bool), StopReason> {
    match oword_block::BLOCK_SIZE.get(message.desc) {
        oword_block_size::OWORD_LOW => Ok((4, false)),
        oword_block_size::OWORD_HIGH => Ok((4, true)),
        oword_block_size::OWORDS_2 => Ok((8, false)),
        oword_block_size::OWORDS_4 => Ok((16, false)),
        oword_block_size::OWORDS_8 => Ok((32, false)),
        _ => unimplemented(message, "an OWord block of this size"),
    }
}

/// Whether a block write writes a dword: its channel is enabled. Longer blocks than there are
/// channels begin the channels anew. Reads ignore the mask.
fn is_written(message: &Message<'_>, dword: usize) -> bool {
    message.lanes >> (dword % channels(message)) & 1 == 1
}

fn channels(message: &Message<'_>) -> usize {
    usize::from(message.exec_size.clamp(1, 16))
}

impl WorkerPort<'_> {
    /// In strict mode, refuses a write that depends on which channels are a block's where these are
    /// not as many as its dwords.
    fn check_block_mask(
        &self,
        message: &Message<'_>,
        dwords: usize,
        high: bool,
    ) -> Result<(), StopReason> {
        let channels = channels(message);
        let whole = message.lanes.count_ones() as usize >= channels;
        if self.bindings.limits.is_none() || whole || dwords == channels && !high {
            return Ok(());
        }
        let what = format!("{dwords} dwords by {channels} channels, of which some are off");
        Err(rules::BLOCK_MASK.stop(what, message.ip))
    }

    pub(super) fn scratch_block(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let dwords = 8usize << scratch_block::BLOCK_SIZE.get(message.desc);
        let write = scratch_block::OPERATION.any(message.desc);
        // Header dword 5 names a place in the thread's scratch, in bytes from the general state
        // base.
        let place = u64::from(payload.dword(5) & !0x3ff);
        let offset = u64::from(scratch_block::OFFSET.get(message.desc)) * 32;
        if let Some(limits) = self.bindings.limits {
            limits.scratch(place, offset + dwords as u64 * 4, message.ip)?;
        }
        let address = self.bindings.bases.general + place + offset;
        // Channel mode follows the execution mask dword by dword; block mode takes all.
        let dword_mode = scratch_block::CHANNEL_MODE.any(message.desc);
        let enabled = |i: usize| !dword_mode || message.lanes >> (i % 16) & 1 == 1;
        for i in (0..dwords).filter(|i| enabled(*i)) {
            let at = address + i as u64 * 4;
            if write {
                self.bindings.view.write(at, payload.dword(8 + i))?;
            } else if let Some(out) = response.get_mut(i) {
                *out = self.bindings.view.read(at)?;
            }
        }
        Ok(())
    }

    pub(super) fn oword_block_read(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, true)?;
        let (dwords, high) = oword_dwords(message)?;
        // The aligned form counts OWords, the unaligned one bytes.
        let unit = if oword_block::UNALIGNED.any(message.desc) {
            1
        } else {
            16
        };
        let offset = u64::from(payload.dword(2)) * unit;
        let shift = if high { 4 } else { 0 };
        for i in 0..dwords {
            if let Some(out) = response.get_mut(i + shift) {
                *out = self.load(message, surface, offset + i as u64 * 4)?;
            }
        }
        Ok(())
    }

    pub(super) fn oword_block_write(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, true)?;
        let (dwords, high) = oword_dwords(message)?;
        self.check_block_mask(message, dwords, high)?;
        let offset = u64::from(payload.dword(2)) * 16;
        let shift = if high { 4 } else { 0 };
        for i in (0..dwords).filter(|i| is_written(message, shift + i)) {
            let value = payload.dword(8 + shift + i);
            self.store(message, surface, offset + i as u64 * 4, value)?;
        }
        Ok(())
    }

    /// Two blocks of one or four OWords, each at an offset of its own: their OWords are the halves
    /// of registers.
    pub(super) fn oword_dual_block(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
        write: bool,
    ) -> Result<(), StopReason> {
        let surface = self.bindings.surface(message, payload, true)?;
        let registers = match oword_dual_block::BLOCK_SIZE.get(message.desc) {
            oword_dual_block_size::OWORDS_1 => 1,
            oword_dual_block_size::OWORDS_4 => 4,
            _ => return unimplemented(message, "OWord dual blocks of this size"),
        };
        let start = common::HEADER_PRESENT.get(message.desc) as usize * 8;
        for register in 0..registers {
            for lane in (0..8).filter(|l| message.lanes >> l & 1 == 1) {
                // Offsets count OWords; they are in the first dword of each half.
                let block = u64::from(payload.dword(start + lane / 4 * 4)) + register as u64;
                let offset = block * 16 + (lane % 4) as u64 * 4;
                if write {
                    let value = payload.dword(start + 8 + register * 8 + lane);
                    self.store(message, surface, offset, value)?;
                } else if let Some(out) = response.get_mut(register * 8 + lane) {
                    *out = self.load(message, surface, offset)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn a64_block_read(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
        response: &mut [u32],
    ) -> Result<(), StopReason> {
        let (dwords, high) = oword_dwords(message)?;
        let shift = if high { 4 } else { 0 };
        let alignment = match a64_block::SUBTYPE.get(message.desc) {
            a64_block_subtype::ALIGNED => !15,
            a64_block_subtype::UNALIGNED => !3,
            _ => return unimplemented(message, "an A64 block read of this kind"),
        };
        let address = payload.address(0) & alignment;
        for i in 0..dwords {
            if let Some(out) = response.get_mut(i + shift) {
                *out = self.bindings.view.read(address + i as u64 * 4)?;
            }
        }
        Ok(())
    }

    pub(super) fn a64_block_write(
        &mut self,
        message: &Message<'_>,
        payload: Payload<'_>,
    ) -> Result<(), StopReason> {
        if a64_block::SUBTYPE.get(message.desc) != a64_block_subtype::ALIGNED {
            return unimplemented(message, "an A64 block write of this kind");
        }
        let (dwords, high) = oword_dwords(message)?;
        let shift = if high { 4 } else { 0 };
        self.check_block_mask(message, dwords, high)?;
        let address = payload.address(0) & !15;
        for i in (0..dwords).filter(|i| is_written(message, shift + i)) {
            let value = payload.dword(8 + shift + i);
            self.bindings.view.write(address + i as u64 * 4, value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
