//! SEND, SENDC, SENDS, SENDSC: registers out of the thread, registers back.
//!
//! In:  payload registers and descriptors. Out: a [`Message`] for the shared functions; response registers.
//! Ref: SKL PRM vol. 7, "Send Message", "Split Send Message"; vol. 2d, message descriptor.

use crate::general;
use crate::letter::{self, Letter};
use crate::message::{Message, SharedFunctions, Stop};
use crate::regs;
use crate::rules;
use crate::state::State;
use crate::uop::Uop;
use crate::written::Sent;
use isa::{Addr, Desc, File, Opcode};

/// Bits of an extended descriptor that SEND has where its descriptor is in a0 (`base/hw/ERRATA.md`).
const INDIRECT_EX_DESC: u32 = 0xffff;

/// Registers of an answer, and those of both parts of a message, where the answer goes to none that is sent: it is made in place
/// then.
fn apart<'r>(grf: &'r mut [u32], letter: &Letter) -> Option<(&'r mut [u32], [&'r [u32]; 2])> {
    let (to, count) = (letter.answer? * 8, letter.answers * 8);
    let (before, rest) = grf.split_at_mut_checked(to)?;
    let (answer, after) = rest.split_at_mut_checked(count)?;
    let (before, after) = (&*before, &*after);
    let part = |(register, count): (usize, usize)| {
        let (from, end) = (register * 8, (register + count) * 8);
        match from.checked_sub(to + answer.len()) {
            _ if end <= to => before.get(from..end),
            Some(from) => after.get(from..from + count * 8),
            None => None,
        }
    };
    let [first, second] = letter.parts.map(part);
    Some((answer, [first?, second?]))
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
        match (letter::direct(file, addr), addr) {
            (None, Addr::Indirect { a0_sub, imm_bytes }) => {
                let at = general::address(self, u, usize::from(a0_sub), imm_bytes, 0, 1)?;
                Ok(Some(at / 32))
            }
            (register, _) => Ok(register.flatten()),
        }
    }

    /// What a SEND sends that takes some of it from a0.
    #[cold]
    pub(crate) fn letter(&self, u: &Uop) -> Result<Letter, Box<Stop>> {
        let Some(send) = u.inst.send else {
            return Err(u.unimplemented());
        };
        let split = letter::is_split(u.op);
        let ex_desc = match (send.desc, send.ex_desc) {
            // There the rest lies among the bits of the source's region, which compilers leave as other instructions have them.
            (Desc::A0(_), Desc::Imm(ex_desc)) if !split => ex_desc & INDIRECT_EX_DESC,
            (_, ex_desc) => self.desc(ex_desc),
        };
        let [first, second, _] = &u.inst.src;
        let answer = self.send_reg(u, u.inst.dst.file, u.inst.dst.addr)?;
        let first = self.send_reg(u, first.file, first.addr)?;
        let second = match split {
            true => self.send_reg(u, second.file, second.addr)?,
            false => None,
        };
        let descriptors = (self.desc(send.desc), ex_desc);
        Letter::new(&send, split, descriptors, [answer, first, second])
            .map_err(|what| u.undefined(&rules::SEND_RANGE, what))
    }

    /// Executes a SEND; true at the end of the thread.
    #[inline(never)]
    pub(crate) fn send(
        &mut self,
        u: &Uop,
        sf: &mut dyn SharedFunctions,
    ) -> Result<bool, Box<Stop>> {
        let eot = u.inst.send.is_some_and(|send| send.eot);
        let lanes = self.mask(u);
        if lanes == 0 && !eot {
            return Ok(false);
        }
        let letter = match &u.letter {
            Some(letter) => *letter,
            None => self.letter(u)?,
        };
        if self.written.is_some() {
            let (register, len) = letter.parts[0];
            let sent = Sent {
                sfid: letter.sfid,
                desc: letter.desc,
                lanes,
                register,
                len,
            };
            self.check_addresses(u, &sent)?;
        }
        let blank = Message {
            sfid: letter.sfid,
            desc: letter.desc,
            ex_desc: letter.ex_desc,
            exec_size: u.n,
            lanes,
            src0: &[],
            src1: &[],
            waits: matches!(u.op, Opcode::Sendc | Opcode::Sendsc),
            eot,
            ip: u.ip,
        };
        let answers = letter.answers * 8;
        let to = letter.answer.map(|d| d * 8);
        let mut made = false;
        if let Some((answer, [src0, src1])) = apart(self.regs.grf_mut(), &letter) {
            let message = Message {
                src0,
                src1,
                ..blank
            };
            sf.message(&message, answer).map_err(Box::new)?;
            made = true;
        }
        if !made {
            let mut buffer = std::mem::take(&mut self.response);
            if buffer.len() < answers {
                buffer.resize(answers, 0);
            }
            let grf = self.regs.grf();
            let part =
                |(register, count): (usize, usize)| &grf[register * 8..(register + count) * 8];
            if let Some(to) = to {
                buffer[..answers].copy_from_slice(&grf[to..to + answers]);
            }
            let message = Message {
                src0: part(letter.parts[0]),
                src1: part(letter.parts[1]),
                ..blank
            };
            sf.message(&message, &mut buffer[..answers])
                .map_err(Box::new)?;
            if let Some(to) = to {
                self.regs.dwords_mut()[to..][..answers].copy_from_slice(&buffer[..answers]);
            }
            self.response = buffer;
        }
        if let Some(to) = to {
            self.mark_written(to * 4, answers * 4);
        }
        Ok(eot)
    }
}
