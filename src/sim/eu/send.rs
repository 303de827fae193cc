//! SEND, SENDC, SENDS, SENDSC: registers out of the thread, registers back.
//!
//! In:  payload registers and descriptors. Out: a [`Message`] for the shared functions; response registers.
//! Ref: SKL PRM vol. 7, "Send Message", "Split Send Message"; vol. 2d, message descriptor.

use crate::general;
use crate::message::{Message, SharedFunctions, Stop};
use crate::regs;
use crate::rules;
use crate::state::State;
use crate::uop::Uop;
use crate::written::Sent;
use isa::{Addr, Desc, File, Opcode};

/// Registers that a message may move.
const MAX_LEN: usize = 32;

/// Bits of an extended descriptor that SEND has where its descriptor is in a0 (`base/hw/ERRATA.md`).
const INDIRECT_EX_DESC: u32 = 0xffff;

/// Registers of a message lie in the register file.
#[inline]
fn send_range(u: &Uop, reg: usize, len: usize, what: &str) -> Result<(), Box<Stop>> {
    if reg + len > 128 || len > MAX_LEN {
        return Err(u.undefined(
            &rules::SEND_RANGE,
            format!("{what} of {len} registers at g{reg}"),
        ));
    }
    Ok(())
}

impl State {
    fn desc(&self, d: Desc) -> u32 {
        match d {
            Desc::Imm(v) => v,
            Desc::A0(sub) => self.regs.dword(regs::A0 + usize::from(sub & 14) * 2),
        }
    }

    /// First GRF of a SEND's operand; nothing for the null register.
    fn send_reg(&self, u: &Uop, file: File, addr: Addr) -> Result<Option<usize>, Box<Stop>> {
        match (file, addr) {
            (File::Grf | File::Mrf, Addr::Direct { nr, .. }) => Ok(Some(usize::from(nr))),
            (File::Grf | File::Mrf, Addr::Indirect { a0_sub, imm_bytes }) => {
                let at = general::address(self, u, usize::from(a0_sub), imm_bytes, 0, 1)?;
                Ok(Some(at / 32))
            }
            _ => Ok(None),
        }
    }

    /// Executes a SEND; true at the end of the thread.
    pub(crate) fn send(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
    ) -> Result<bool, Box<Stop>> {
        let Some(send) = u.inst.send else {
            return Err(u.unimplemented());
        };
        let lanes = self.mask(u);
        if lanes == 0 && !send.eot {
            return Ok(false);
        }
        let desc = self.desc(send.desc);
        let split = matches!(u.op, Opcode::Sends | Opcode::Sendsc);
        let ex_desc = match (send.desc, send.ex_desc) {
            // There the rest lies among the bits of the source's region, which compilers leave as other instructions have them.
            (Desc::A0(_), Desc::Imm(ex_desc)) if !split => ex_desc & INDIRECT_EX_DESC,
            (_, ex_desc) => self.desc(ex_desc),
        };
        let mlen = ((desc >> 25) & 15) as usize;
        let rlen = ((desc >> 20) & 31) as usize;
        let ex_mlen = if split {
            ((ex_desc >> 6) & 15) as usize
        } else {
            0
        };
        let dst = self.send_reg(u, u.inst.dst.file, u.inst.dst.addr)?;
        let s0 = self.send_reg(u, u.inst.src[0].file, u.inst.src[0].addr)?;
        let s1 = if split {
            self.send_reg(u, u.inst.src[1].file, u.inst.src[1].addr)?
        } else {
            None
        };
        let (s0, mlen) = s0.map_or((0, 0), |r| (r, mlen));
        let (s1, ex_mlen) = s1.map_or((0, 0), |r| (r, ex_mlen));
        send_range(u, s0, mlen, "a message")?;
        send_range(u, s1, ex_mlen, "the second part of a message")?;
        let mut buffer = std::mem::take(&mut self.response);
        if buffer.len() < rlen * 8 {
            buffer.resize(rlen * 8, 0);
        }
        if let Some(d) = dst {
            send_range(u, d, rlen, "a response")?;
            buffer[..rlen * 8].copy_from_slice(&self.regs.grf()[d * 8..(d + rlen) * 8]);
        }
        let grf = self.regs.grf();
        // With the extended descriptor in a0, the shared function's id is its lowest bits.
        let sfid = match send.ex_desc {
            Desc::Imm(_) => send.sfid,
            Desc::A0(_) => (ex_desc & 15) as u8,
        };
        let sent = Sent {
            sfid,
            desc,
            lanes,
            register: s0,
            len: mlen,
        };
        self.check_addresses(u, &sent)?;
        let message = Message {
            sfid,
            desc,
            ex_desc,
            exec_size: u.n,
            lanes,
            src0: &grf[s0 * 8..(s0 + mlen) * 8],
            src1: &grf[s1 * 8..(s1 + ex_mlen) * 8],
            waits: matches!(u.op, Opcode::Sendc | Opcode::Sendsc),
            eot: send.eot,
            ip: u.ip,
        };
        sf.message(&message, &mut buffer[..rlen * 8])
            .map_err(Box::new)?;
        if let Some(d) = dst {
            self.regs.dwords_mut()[d * 8..(d + rlen) * 8].copy_from_slice(&buffer[..rlen * 8]);
            self.mark_written(d * 32, rlen * 32);
        }
        self.response = buffer;
        Ok(send.eot)
    }
}
