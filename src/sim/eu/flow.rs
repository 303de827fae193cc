//! Control flow with one instruction pointer for each channel.
//!
//! In:  the enabled channels and the predicate. Out: which channels go on, which wait and where, and the next
//! instruction.
//! A channel that does not take part waits at an instruction; when the thread arrives there it takes part again.
//! The thread itself goes on with the next instruction while a channel is left for it, and jumps to JIP otherwise.
//! Ref: SKL PRM vol. 7, "Flow Control Instructions"; vol. 2a: if, else, endif, while, break, cont, halt, goto,
//! join, jmpi, brd, brc, call, calla, ret.

use crate::general;
use crate::kernel::Kernel;
use crate::message::Stop;
use crate::region::Kind;
use crate::state::State;
use crate::uop::{Flow, Uop};
use isa::{File, Opcode};

/// Byte offset of an instruction that a branch comes back to.
fn offset_of(index: u32, u: &Uop, kernel: &Kernel) -> Result<u64, Box<Stop>> {
    match kernel.uops.get(index as usize) {
        Some(n) => Ok(n.ip),
        None => Err(u.unimplemented()),
    }
}

/// Index of the instruction a computed branch goes to.
fn target(at: u64, u: &Uop, kernel: &Kernel) -> Result<u32, Box<Stop>> {
    kernel.at(at).ok_or_else(|| {
        Box::new(Stop::Unimplemented {
            what: format!("computed branch to {at:#x}, which static control flow does not reach"),
            at: u.ip,
        })
    })
}

impl State {
    /// Executes a flow instruction and gives the index of the next one.
    pub(crate) fn flow(&mut self, f: Flow, u: &Uop, kernel: &Kernel) -> Result<u32, Box<Stop>> {
        let span = u.full << u.chan;
        let enabled = self.amask & span;
        let pred = match &u.pred {
            Some(_) => self.predicate(u) << u.chan,
            None => span,
        };
        let fall = |t: &State| if t.any_at(u.next) { u.next } else { u.jip };
        Ok(match f {
            Flow::If => {
                let off = enabled & !pred;
                let to = if u.inst.branch_ctrl { u.uip } else { u.jip };
                self.park(off, to);
                fall(self)
            }
            Flow::Else => {
                let to = if u.inst.branch_ctrl { u.uip } else { u.jip };
                self.park(enabled, to);
                fall(self)
            }
            Flow::Endif | Flow::Join => fall(self),
            Flow::While => {
                let take = enabled & pred;
                if take == 0 {
                    u.next
                } else {
                    let leave = self.amask & !take;
                    self.park(leave, u.next);
                    u.jip
                }
            }
            Flow::Break => {
                // UIP names the loop's WHILE; the channel is done with it, so it waits behind.
                let to = match kernel.uops.get(u.uip as usize) {
                    Some(w) if w.op == Opcode::While => w.next,
                    _ => u.uip,
                };
                self.park(enabled & pred, to);
                fall(self)
            }
            Flow::Wander => {
                if u.op == Opcode::Brc && u.inst.src[0].file != File::Imm {
                    return Err(u.unimplemented());
                }
                self.park(enabled & pred, u.uip);
                fall(self)
            }
            // The predicate says who goes on first: at UIP with branch control, as backward gotos have it, else behind the
            // goto. The others wait at the other place (ERRATA.md).
            Flow::Goto if u.inst.branch_ctrl => {
                let take = enabled & pred;
                self.park(take, u.uip);
                if take != 0 {
                    let rest = self.amask;
                    self.park(rest, u.next);
                    u.uip
                } else {
                    fall(self)
                }
            }
            Flow::Goto => {
                self.park(enabled & !pred, u.uip);
                fall(self)
            }
            Flow::Jmpi => {
                let go = match &u.pred {
                    // A scalar branch: the predicate of its first channel.
                    Some(_) => self.predicate(u) & 1 != 0,
                    None => true,
                };
                if !go {
                    u.next
                } else if u.inst.src[0].file == File::Imm {
                    u.jip
                } else {
                    let d = self.scalar(u)? as i32;
                    let base = offset_of(u.next, u, kernel)?;
                    target(base.wrapping_add_signed(i64::from(d)), u, kernel)?
                }
            }
            Flow::Brd => {
                if u.inst.src[0].file != File::Imm {
                    return Err(u.unimplemented());
                }
                self.park(enabled & pred, u.jip);
                fall(self)
            }
            Flow::Call => {
                let go = enabled & pred;
                if go == 0 {
                    return Ok(u.next);
                }
                let to = if u.inst.src[0].file == File::Imm {
                    u.jip
                } else {
                    let d = self.scalar(u)?;
                    let at = if u.op == Opcode::Calla {
                        u64::from(d)
                    } else {
                        u.ip.wrapping_add_signed(i64::from(d as i32))
                    };
                    target(at, u, kernel)?
                };
                let back = offset_of(u.next, u, kernel)? as u32;
                if u.dst.kind != Kind::Null {
                    let at = u.dst.offset(0);
                    self.regs.write(at, 4, u64::from(back));
                    self.regs.write(at + 4, 4, u64::from(self.amask));
                }
                let rest = self.amask & !go;
                self.park(rest, u.next);
                to
            }
            Flow::Ret => {
                let go = enabled & pred;
                let to = u64::from(self.scalar(u)?);
                let to = target(to, u, kernel)?;
                self.park(go, to);
                if self.any_at(u.next) { u.next } else { to }
            }
        })
    }

    /// First element of a register operand.
    fn scalar(&self, u: &Uop) -> Result<u32, Box<Stop>> {
        let s = &u.src[0];
        let at = match s.kind {
            Kind::Indirect => general::indirect(self, u, s, 0)?,
            _ => s.offset(0),
        };
        Ok(self.regs.read(at, 4) as u32)
    }
}
