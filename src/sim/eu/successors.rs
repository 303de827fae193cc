//! Where execution can continue after an instruction.
//!
//! In:  an instruction and its byte offset. Out: the byte offsets of those that may follow it.
//! Ref: SKL PRM vol. 7, "EU Flow Control".

use isa::{Inst, Opcode, RegFile};

/// Byte offsets at which execution can continue after an instruction.
pub(crate) struct Successors {
    pub(crate) next: Option<u64>,
    pub(crate) jip: Option<u64>,
    pub(crate) uip: Option<u64>,
}

impl Successors {
    /// The instructions to which the state of a thread passes from this one.
    ///
    /// IF and ELSE go to UIP with branch control alone. ENDIF jumps only if all channels of its
    /// branch have left it by BREAK, CONT or HALT: the state is that of the last of these, whose
    /// UIP has it too.
    pub(crate) fn on_paths(&self, inst: &Inst) -> impl Iterator<Item = u64> + use<> {
        let (jip, uip) = match inst.op {
            Opcode::Endif => (None, None),
            Opcode::If | Opcode::Else if !inst.branch_ctrl => (self.jip, None),
            _ => (self.jip, self.uip),
        };
        [self.next, jip, uip].into_iter().flatten()
    }

    pub(crate) fn from_inst(inst: &Inst, at: u64, len: u64) -> Successors {
        let rel = |d: i32| at.checked_add_signed(i64::from(d));
        let imm = |k: usize| inst.src[k].file == RegFile::Imm;
        let mut s = Successors {
            next: Some(at + len),
            jip: None,
            uip: None,
        };
        match inst.op {
            Opcode::If
            | Opcode::Else
            | Opcode::Break
            | Opcode::Cont
            | Opcode::Halt
            | Opcode::Goto => {
                s.jip = rel(inst.jip);
                s.uip = rel(inst.uip);
            }
            Opcode::Brc if imm(0) => {
                s.jip = rel(inst.jip);
                s.uip = rel(inst.uip);
            }
            Opcode::Endif | Opcode::While | Opcode::Join => s.jip = rel(inst.jip),
            Opcode::Brd if imm(0) => s.jip = rel(inst.jip),
            Opcode::Jmpi if imm(0) => {
                s.jip = rel(inst.jip);
                if inst.pred.is_none() {
                    s.next = None;
                }
            }
            Opcode::Call if imm(0) => s.jip = rel(inst.jip),
            Opcode::Calla if imm(0) => s.jip = u64::try_from(inst.jip).ok(),
            Opcode::Send | Opcode::Sendc | Opcode::Sends | Opcode::Sendsc
                if inst.send.is_some_and(|m| m.eot) =>
            {
                s.next = None;
            }
            Opcode::Illegal => s.next = None,
            _ => {}
        }
        s
    }
}
