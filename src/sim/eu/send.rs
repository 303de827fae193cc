//! SEND, SENDC, SENDS, SENDSC: registers out of the thread, registers back.
//!
//! In:  payload registers and descriptors. Out: a [`Message`] to the shared functions, and the
//!      response registers.
//! Ref: SKL PRM vol. 7, "Send Message", "Split Send Message"; vol. 2d, message descriptor.

use crate::interpreter;
use crate::message::{Message, SharedFunctions, StopReason};
use crate::regs;
use crate::rules;
use crate::send_operands::{self, ResolvedSend};
use crate::state::State;
use crate::uninit_tracking::MessagePayload;
use crate::uop::Uop;
use isa::{Addr, Desc, Opcode, RegFile};

/// The bits of the extended descriptor that a SEND encodes if its descriptor is in a0
/// (`base/hw/ERRATA.md`).
const INDIRECT_EX_DESC: u32 = 0xffff;

/// Splits the GRF into the response registers and both payloads, so that the response can be
/// written in place. None without a destination, or if the response overlaps a payload.
fn split_in_place<'r>(
    grf: &'r mut [u32],
    send: &ResolvedSend,
) -> Option<(&'r mut [u32], [&'r [u32]; 2])> {
    let (to, count) = (send.dst? * 8, send.rlen * 8);
    let (before, rest) = grf.split_at_mut_checked(to)?;
    let (response, after) = rest.split_at_mut_checked(count)?;
    let (before, after) = (&*before, &*after);
    let payload = |(register, count): (usize, usize)| {
        let (from, end) = (register * 8, (register + count) * 8);
        match from.checked_sub(to + response.len()) {
            _ if end <= to => before.get(from..end),
            Some(from) => after.get(from..from + count * 8),
            None => None,
        }
    };
    let [src0, src1] = send.src.map(payload);
    Some((response, [src0?, src1?]))
}

impl State {
    /// The value of an immediate descriptor or of one in a0.
    fn descriptor_value(&self, d: Desc) -> u32 {
        match d {
            Desc::Imm(v) => v,
            Desc::A0(sub) => self.regs.dword(regs::A0 + usize::from(sub & 14) * 2),
        }
    }

    /// First GRF of an operand of a SEND; None for the null register.
    fn operand_register(
        &self,
        u: &Uop,
        file: RegFile,
        addr: Addr,
    ) -> Result<Option<usize>, Box<StopReason>> {
        match (send_operands::direct_register(file, addr), addr) {
            (None, Addr::Indirect { a0_sub, imm_bytes }) => {
                let at =
                    interpreter::indirect_address(self, u, usize::from(a0_sub), imm_bytes, 0, 1)?;
                Ok(Some(at / 32))
            }
            (register, _) => Ok(register.flatten()),
        }
    }

    /// Resolves a SEND that reads a0.
    #[cold]
    pub(crate) fn resolve_send(&self, u: &Uop) -> Result<ResolvedSend, Box<StopReason>> {
        let Some(send) = u.inst.send else {
            return Err(u.unimplemented());
        };
        let split = send_operands::is_split(u.op);
        let ex_desc = match (send.desc, send.ex_desc) {
            // The upper bits overlap the source's region here, which compilers fill as in other
            // instructions.
            (Desc::A0(_), Desc::Imm(ex_desc)) if !split => ex_desc & INDIRECT_EX_DESC,
            (_, ex_desc) => self.descriptor_value(ex_desc),
        };
        let [src0, src1, _] = &u.inst.src;
        let dst = self.operand_register(u, u.inst.dst.file, u.inst.dst.addr)?;
        let src0 = self.operand_register(u, src0.file, src0.addr)?;
        let src1 = match split {
            true => self.operand_register(u, src1.file, src1.addr)?,
            false => None,
        };
        let descriptors = (self.descriptor_value(send.desc), ex_desc);
        ResolvedSend::new(&send, split, descriptors, [dst, src0, src1])
            .map_err(|what| u.undefined(&rules::SEND_RANGE, what))
    }

    /// Executes a SEND. True if it ends the thread.
    #[inline(never)]
    pub(crate) fn send(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
    ) -> Result<bool, Box<StopReason>> {
        let eot = u.inst.send.is_some_and(|send| send.eot);
        let lanes = self.mask(u);
        if lanes == 0 && !eot {
            return Ok(false);
        }
        let send = match &u.resolved_send {
            Some(send) => *send,
            None => self.resolve_send(u)?,
        };
        if self.written.is_some() {
            let (register, len) = send.src[0];
            let payload = MessagePayload {
                sfid: send.sfid,
                desc: send.desc,
                lanes,
                register,
                len,
            };
            self.check_message_addresses(u, &payload)?;
            self.check_message_data(u, &send, lanes)?;
        }
        let message = Message {
            sfid: send.sfid,
            desc: send.desc,
            ex_desc: send.ex_desc,
            exec_size: u.exec_size,
            lanes,
            src0: &[],
            src1: &[],
            waits: matches!(u.op, Opcode::Sendc | Opcode::Sendsc),
            eot,
            ip: u.ip,
        };
        let mut in_place = false;
        if let Some((response, [src0, src1])) = split_in_place(self.regs.grf_mut(), &send) {
            let message = Message {
                src0,
                src1,
                ..message
            };
            sf.message(&message, response).map_err(Box::new)?;
            in_place = true;
        }
        if !in_place {
            self.send_through_buffer(&send, message, sf)?;
        }
        if let Some(dst) = send.dst {
            self.mark_written(dst * 32, send.rlen * 32);
        }
        Ok(eot)
    }

    /// Sends `message` with the payload of `send`. The response is written to a buffer and then
    /// copied to the destination.
    fn send_through_buffer(
        &mut self,
        send: &ResolvedSend,
        message: Message<'_>,
        sf: &mut dyn SharedFunctions,
    ) -> Result<(), Box<StopReason>> {
        let len = send.rlen * 8;
        let to = send.dst.map(|d| d * 8);
        let mut buffer = std::mem::take(&mut self.response);
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        let grf = self.regs.grf();
        let payload =
            |(register, count): (usize, usize)| &grf[register * 8..(register + count) * 8];
        if let Some(to) = to {
            buffer[..len].copy_from_slice(&grf[to..to + len]);
        }
        let message = Message {
            src0: payload(send.src[0]),
            src1: payload(send.src[1]),
            ..message
        };
        sf.message(&message, &mut buffer[..len]).map_err(Box::new)?;
        if let Some(to) = to {
            self.regs.dwords_mut()[to..][..len].copy_from_slice(&buffer[..len]);
        }
        self.response = buffer;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
