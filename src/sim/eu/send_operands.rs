//! The operands of a SEND, with descriptors and registers resolved.
//!
//! In:  a SEND, and the values it reads from a0. Out: a [`ResolvedSend`], whose registers all lie
//!      in the register file.
//! Ref: SKL PRM vol. 7, "Send Message", "Split Send Message"; vol. 2d, message descriptor.

use isa::descriptor::{common, extended};
use isa::{Addr, Desc, Inst, Opcode, RegFile, Send};

/// Most registers that one operand of a message may have.
const MAX_LEN: usize = 32;

/// The descriptors and the register ranges of a SEND. The range of a null operand is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedSend {
    pub(crate) sfid: u8,
    pub(crate) desc: u32,
    pub(crate) ex_desc: u32,
    /// First GRF and number of registers of src0 (mlen) and of src1 (ex_mlen).
    pub(crate) src: [(usize, usize); 2],
    /// First GRF of the response; None for the null register.
    pub(crate) dst: Option<usize>,
    /// Number of registers of the response.
    pub(crate) rlen: usize,
}

/// True for the split sends, which have a second payload operand.
pub(crate) fn is_split(op: Opcode) -> bool {
    matches!(op, Opcode::Sends | Opcode::Sendsc)
}

/// First GRF of a direct operand: Some(None) for the null register, None for an operand addressed
/// through a0.
pub(crate) fn direct_register(file: RegFile, addr: Addr) -> Option<Option<usize>> {
    match (file, addr) {
        (RegFile::Grf | RegFile::Mrf, Addr::Direct { nr, .. }) => Some(Some(usize::from(nr))),
        (RegFile::Grf | RegFile::Mrf, Addr::Indirect { .. }) => None,
        _ => Some(None),
    }
}

/// Checks that a range of registers lies in the register file. The error describes the range.
fn check_range(register: usize, len: usize, what: &str) -> Result<(), String> {
    if register + len > 128 || len > MAX_LEN {
        return Err(format!("{what} of {len} registers at g{register}"));
    }
    Ok(())
}

impl ResolvedSend {
    /// Resolves a SEND from its descriptor values and the first registers of its destination, src0
    /// and src1.
    ///
    /// # Errors
    /// A description of the operand that does not lie in the register file.
    pub(crate) fn new(
        send: &Send,
        split: bool,
        (desc, ex_desc): (u32, u32),
        [dst, src0, src1]: [Option<usize>; 3],
    ) -> Result<ResolvedSend, String> {
        let lengths = [
            common::MESSAGE_LENGTH.get(desc) as usize,
            if split {
                extended::MESSAGE_LENGTH.get(ex_desc) as usize
            } else {
                0
            },
        ];
        let src0 = src0.map_or((0, 0), |register| (register, lengths[0]));
        let src1 = src1.map_or((0, 0), |register| (register, lengths[1]));
        let rlen = common::RESPONSE_LENGTH.get(desc) as usize;
        check_range(src0.0, src0.1, "a message")?;
        check_range(src1.0, src1.1, "the second part of a message")?;
        if let Some(dst) = dst {
            check_range(dst, rlen, "a response")?;
        }
        Ok(ResolvedSend {
            // With the extended descriptor in a0, the SFID is its lowest bits.
            sfid: match send.ex_desc {
                Desc::Imm(_) => send.sfid,
                Desc::A0(_) => extended::SFID.get(ex_desc) as u8,
            },
            desc,
            ex_desc,
            src: [src0, src1],
            dst,
            rlen,
        })
    }

    /// Resolves a SEND at decode time; None if it reads a0 or has an operand outside the register
    /// file.
    pub(crate) fn resolve_static(inst: &Inst) -> Option<ResolvedSend> {
        let send = inst.send.as_ref()?;
        let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (send.desc, send.ex_desc) else {
            return None;
        };
        let split = is_split(inst.op);
        let [src0, src1, _] = &inst.src;
        let dst = direct_register(inst.dst.file, inst.dst.addr)?;
        let src0 = direct_register(src0.file, src0.addr)?;
        let src1 = match split {
            true => direct_register(src1.file, src1.addr)?,
            false => None,
        };
        ResolvedSend::new(send, split, (desc, ex_desc), [dst, src0, src1]).ok()
    }
}
