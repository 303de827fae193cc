//! What a SEND sends, resolved: registers and descriptors.
//!
//! In:  an instruction, and what it takes from a0. Out: a [`Letter`], whose registers are all in the register file.
//! Ref: SKL PRM vol. 7, "Send Message", "Split Send Message"; vol. 2d, message descriptor.

use isa::{Addr, Desc, File, Inst, Opcode, Send};

/// Registers that a message may move.
const MAX_LEN: usize = 32;

/// Where a message's registers are, and what its descriptors say. Registers that are not there count none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    pub(crate) sfid: u8,
    pub(crate) desc: u32,
    pub(crate) ex_desc: u32,
    /// First register, and how many, of both parts.
    pub(crate) parts: [(usize, usize); 2],
    /// First register of the answer, if it goes anywhere, and how many it has.
    pub(crate) answer: Option<usize>,
    pub(crate) answers: usize,
}

/// Whether it sends two parts.
pub(crate) fn is_split(op: Opcode) -> bool {
    matches!(op, Opcode::Sends | Opcode::Sendsc)
}

/// First register of an operand, where that is no matter of a0: none for the null register.
pub(crate) fn direct(file: File, addr: Addr) -> Option<Option<usize>> {
    match (file, addr) {
        (File::Grf | File::Mrf, Addr::Direct { nr, .. }) => Some(Some(usize::from(nr))),
        (File::Grf | File::Mrf, Addr::Indirect { .. }) => None,
        _ => Some(None),
    }
}

fn in_file(register: usize, len: usize, what: &str) -> Result<(), String> {
    if register + len > 128 || len > MAX_LEN {
        return Err(format!("{what} of {len} registers at g{register}"));
    }
    Ok(())
}

impl Letter {
    /// Of a SEND with its descriptors, and the first registers of its answer and of both parts. Err: what is not in the register
    /// file.
    pub(crate) fn new(
        send: &Send,
        split: bool,
        (desc, ex_desc): (u32, u32),
        [answer, first, second]: [Option<usize>; 3],
    ) -> Result<Letter, String> {
        let lengths = [
            (desc >> 25 & 15) as usize,
            if split {
                (ex_desc >> 6 & 15) as usize
            } else {
                0
            },
        ];
        let first = first.map_or((0, 0), |register| (register, lengths[0]));
        let second = second.map_or((0, 0), |register| (register, lengths[1]));
        let answers = (desc >> 20 & 31) as usize;
        in_file(first.0, first.1, "a message")?;
        in_file(second.0, second.1, "the second part of a message")?;
        if let Some(answer) = answer {
            in_file(answer, answers, "a response")?;
        }
        Ok(Letter {
            // With the extended descriptor in a0, the shared function's id is its lowest bits.
            sfid: match send.ex_desc {
                Desc::Imm(_) => send.sfid,
                Desc::A0(_) => (ex_desc & 15) as u8,
            },
            desc,
            ex_desc,
            parts: [first, second],
            answer,
            answers,
        })
    }

    /// Of a SEND that takes nothing from a0, and whose registers are in the register file.
    pub(crate) fn known(inst: &Inst) -> Option<Letter> {
        let send = inst.send.as_ref()?;
        let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (send.desc, send.ex_desc) else {
            return None;
        };
        let split = is_split(inst.op);
        let [first, second, _] = &inst.src;
        let answer = direct(inst.dst.file, inst.dst.addr)?;
        let first = direct(first.file, first.addr)?;
        let second = match split {
            true => direct(second.file, second.addr)?,
            false => None,
        };
        Letter::new(send, split, (desc, ex_desc), [answer, first, second]).ok()
    }
}
