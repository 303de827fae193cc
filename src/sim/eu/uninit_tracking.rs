//! Detects uses of uninitialised GRF bytes: marks bytes as written, and checks source bytes before
//! they are used.
//!
//! In:  an instruction before it executes, and its enabled lanes. Out: updated marks, or the broken
//!      rule.
//! Ref: SKL PRM vol. 7, "EU Register Files"; vol. 2d, message descriptors.

use crate::interpreter;
use crate::message::StopReason;
use crate::region::{OperandKind, SrcOp};
use crate::regs;
use crate::rules;
use crate::state::State;
use crate::uop::{ExecResult, Uop, UopKind};
use isa::descriptor::{self, common};
use isa::message::{data_cache_0, data_cache_1, urb};
use isa::{CondMod, Opcode};

/// The part of a SEND that the address check looks at.
pub(crate) struct MessagePayload {
    pub(crate) sfid: u8,
    pub(crate) desc: u32,
    pub(crate) lanes: u32,
    /// First register of the payload.
    pub(crate) register: usize,
    /// Number of registers.
    pub(crate) len: usize,
}

fn uninitialised(u: &Uop, lane: usize, at: usize) -> Box<StopReason> {
    u.undefined(
        &rules::UNINITIALISED,
        format!(
            "lane {lane} of {:?} reads g{}.{} before anything is written there",
            u.op,
            at / 32,
            at % 32
        ),
    )
}

impl State {
    /// Checks the sources of an ALU instruction before it executes and marks its destination as
    /// written, if [`crate::Options::uninit`] is set.
    pub(crate) fn check_uninitialised(&mut self, u: &Uop, lanes: u32) -> ExecResult {
        if self.written.is_none() || matches!(u.kind, UopKind::Flow(_) | UopKind::Send) {
            return Ok(());
        }
        // The usual case: all source bytes of all lanes are written.
        if let (Some(operand_bytes), Some(written)) = (&u.operand_bytes, &mut self.written)
            && operand_bytes.are_sources_written(written)
        {
            match lanes & u.dst.lane_mask & u.full_mask == u.full_mask {
                true => operand_bytes.mark_destination(written),
                false => self.mark_lanes_written(u, lanes & u.dst.lane_mask, 0),
            }
            return Ok(());
        }
        if self.propagate_unwritten(u, lanes)? {
            return Ok(());
        }
        // A NoMask instruction also executes for channels that are off. Compilers ignore those
        // results, so an uninitialised source is no error there; it makes the result uninitialised.
        let meant = lanes & (self.amask >> u.chan_off);
        let sources = &u.src[..usize::from(u.num_srcs).min(3)];
        let mut unwritten = 0u32;
        for s in sources {
            self.check_written(u, s, meant)?;
            for i in (0..usize::from(u.exec_size)).filter(|i| (lanes & !meant) >> i & 1 != 0) {
                unwritten |= u32::from(self.first_unwritten(u, s, i)?.is_some()) << i;
            }
        }
        if matches!(u.dst.kind, OperandKind::Contiguous | OperandKind::Table) {
            self.mark_lanes_written(u, lanes & u.dst.lane_mask, unwritten);
        } else if u.dst.kind == OperandKind::Indirect {
            let far = (usize::from(u.exec_size) - 1) * usize::from(u.dst.stride)
                + usize::from(u.dst.size);
            let at = interpreter::indirect_address(
                self,
                u,
                usize::from(u.dst.a0_sub),
                u.dst.disp,
                0,
                far,
            )?;
            self.mark_written(at, far);
        }
        Ok(())
    }

    /// Stops at the first lane whose source element is not fully written.
    fn check_written(&self, u: &Uop, s: &SrcOp, lanes: u32) -> ExecResult {
        for i in 0..usize::from(u.exec_size) {
            if lanes >> i & 1 == 0 {
                continue;
            }
            if let Some(at) = self.first_unwritten(u, s, i)? {
                return Err(uninitialised(u, i, at));
            }
        }
        Ok(())
    }

    /// Byte offset of a lane's source element if some of its bytes are unwritten; None for register
    /// files other than the GRF.
    fn first_unwritten(
        &self,
        u: &Uop,
        s: &SrcOp,
        lane: usize,
    ) -> Result<Option<usize>, Box<StopReason>> {
        let Some(w) = self.written.as_ref().filter(|_| s.kind != OperandKind::Imm) else {
            return Ok(None);
        };
        let at = match s.kind {
            OperandKind::Indirect => interpreter::indirect_offset(self, u, s, lane)?,
            _ => s.offset(lane),
        };
        let size = usize::from(s.size);
        if at + size > regs::GRF_BYTES {
            return Ok(None);
        }
        let need = (((1u64 << size) - 1) << (at % 32)) as u32;
        Ok((w[at / 32] & need != need).then_some(at))
    }

    /// Handles MOV and SEL, which copy values without using them: compilers emit them for undefined
    /// values, rightly. The marks of the source become those of the destination. False if the
    /// instruction is not such a copy.
    fn propagate_unwritten(&mut self, u: &Uop, lanes: u32) -> Result<bool, Box<StopReason>> {
        let chosen = match u.op {
            Opcode::Mov => u.full_mask,
            Opcode::Sel => self.predicate(u),
            _ => return Ok(false),
        };
        let size = usize::from(u.dst.size);
        let direct = matches!(u.dst.kind, OperandKind::Contiguous | OperandKind::Table);
        if !direct || u.cmod != CondMod::None || u.dst.offset(0) + size > regs::GRF_BYTES {
            return Ok(false);
        }
        let lanes = lanes & u.dst.lane_mask;
        // A raw move copies the marks byte by byte; other copies mark an element as unwritten if
        // any of its bytes is.
        let s = &u.src[0];
        let bits = u.op == Opcode::Mov && s.ty == u.dst.ty && !s.abs && !s.neg && !u.saturate;
        let mut unwritten = 0u32;
        let mut bytes = [0u32; 32];
        for i in (0..usize::from(u.exec_size)).filter(|i| lanes >> i & 1 != 0) {
            let source = &u.src[usize::from(chosen >> i & 1 == 0)];
            if let Some(at) = self.first_unwritten(u, source, i)? {
                unwritten |= 1 << i;
                if let (true, Some(w)) = (bits, &self.written) {
                    bytes[i] = w[at / 32] >> (at % 32) & ((1u64 << size) - 1) as u32;
                }
            }
        }
        self.mark_lanes_written(u, lanes, unwritten);
        if bits && let Some(w) = &mut self.written {
            for i in (0..usize::from(u.exec_size)).filter(|i| (lanes & unwritten) >> i & 1 != 0) {
                let at = u.dst.offset(i);
                w[at / 32] |= bytes[i] << (at % 32);
            }
        }
        Ok(true)
    }

    /// Marks the destination bytes of `lanes` as written, and those of the lanes in `unwritten` as
    /// unwritten.
    fn mark_lanes_written(&mut self, u: &Uop, lanes: u32, unwritten: u32) {
        let size = usize::from(u.dst.size);
        for i in (0..usize::from(u.exec_size)).filter(|i| lanes >> i & 1 != 0) {
            let at = u.dst.offset(i);
            self.mark_written(at, size);
            if unwritten >> i & 1 != 0
                && let Some(w) = &mut self.written
            {
                for b in at..(at + size).min(regs::GRF_BYTES) {
                    w[b / 32] &= !(1 << (b % 32));
                }
            }
        }
    }

    /// Checks that the addresses, or URB handles, of a SEND's enabled lanes have been written.
    pub(crate) fn check_message_addresses(&self, u: &Uop, m: &MessagePayload) -> ExecResult {
        let Some(w) = &self.written else {
            return Ok(());
        };
        let header = common::HEADER_PRESENT.get(m.desc) as usize;
        let end = (m.register + m.len) * 32;
        // SIMD8 URB messages begin with a register of handles, optionally followed by one of
        // offsets and one of channel masks.
        let urb = m.sfid == urb::SFID
            && matches!(
                descriptor::urb::OPCODE.get(m.desc),
                urb::SIMD8_WRITE | urb::SIMD8_READ
            );
        let more = descriptor::urb::PER_SLOT_OFFSET_PRESENT.get(m.desc)
            + descriptor::urb::CHANNEL_MASK_PRESENT.get(m.desc);
        // SKL PRM vol. 2d: the types of data cache messages with an address for each lane.
        let bytes = match m.sfid {
            data_cache_1::SFID => {
                use data_cache_1::*;
                match descriptor::data_cache_1::MESSAGE_TYPE.get(m.desc) {
                    UNTYPED_SURFACE_READ
                    | UNTYPED_SURFACE_WRITE
                    | UNTYPED_ATOMIC
                    | UNTYPED_ATOMIC_FLOAT => 4,
                    A64_SCATTERED_READ
                    | A64_SCATTERED_WRITE
                    | A64_UNTYPED_SURFACE_READ
                    | A64_UNTYPED_SURFACE_WRITE
                    | A64_UNTYPED_ATOMIC
                    | A64_UNTYPED_ATOMIC_FLOAT => 8,
                    _ => return Ok(()),
                }
            }
            data_cache_0::SFID if !descriptor::data_cache_0::CATEGORY.any(m.desc) => {
                use data_cache_0::*;
                match descriptor::data_cache_0::MESSAGE_TYPE.get(m.desc) {
                    DWORD_SCATTERED_READ
                    | DWORD_SCATTERED_WRITE
                    | BYTE_SCATTERED_READ
                    | BYTE_SCATTERED_WRITE => 4,
                    _ => return Ok(()),
                }
            }
            _ if urb => 4,
            _ => return Ok(()),
        };
        let (first, blocks, lanes) = match urb {
            true => (0, 1 + more as usize, m.lanes & 0xff),
            false => (header, 1, m.lanes),
        };
        // Fast check of whole registers before the check of each lane.
        let reach =
            (lanes.checked_ilog2().map_or(0, |last| last as usize + 1) * bytes).div_ceil(32);
        for block in first..first + blocks {
            let from = m.register + block;
            let whole = w.get(from..from + reach);
            if whole.is_some_and(|whole| whole.iter().all(|bytes| *bytes == u32::MAX)) {
                continue;
            }
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                let at = (m.register + block) * 32 + lane * bytes;
                let inside = at + bytes <= end;
                let need = (((1u64 << bytes) - 1) << (at % 32)) as u32;
                if inside && w.get(at / 32).is_some_and(|w| w & need != need) {
                    return Err(uninitialised(u, lane, at));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
