//! Control flow, with one instruction pointer (PcIP) for each channel.
//!
//! In:  the active channels and the predicate. Out: which channels stay active, where the others
//!      wait, and the next instruction. A channel that is not active waits at an instruction; when
//!      the thread gets there, it becomes active again. The thread executes the next instruction if
//!      any channel does, and jumps to JIP otherwise.
//! Ref: SKL PRM vol. 7, "Flow Control Instructions"; vol. 2a: if, else, endif, while, break, cont,
//!      halt, goto, join, jmpi, brd, brc, call, calla, ret.

use crate::interpreter;
use crate::kernel::Kernel;
use crate::message::StopReason;
use crate::region::OperandKind;
use crate::state::State;
use crate::uop::{Flow, Uop};
use isa::{Opcode, RegFile};

/// Byte offset of the instruction with an index: a call returns to it, or a jump is relative to it.
fn instruction_offset(index: u32, u: &Uop, kernel: &Kernel) -> Result<u64, Box<StopReason>> {
    match kernel.uops.get(index as usize) {
        Some(n) => Ok(n.ip),
        None => Err(u.unimplemented()),
    }
}

/// Index of the instruction at the target of a computed branch.
fn branch_target(at: u64, u: &Uop, kernel: &Kernel) -> Result<u32, Box<StopReason>> {
    kernel.index_of(at).ok_or_else(|| {
        Box::new(StopReason::Unimplemented {
            what: format!("computed branch to {at:#x}, which static control flow does not reach"),
            at: u.ip,
        })
    })
}

impl State {
    /// Executes a control flow instruction and returns the index of the next one.
    pub(crate) fn flow(
        &mut self,
        f: Flow,
        u: &Uop,
        kernel: &Kernel,
    ) -> Result<u32, Box<StopReason>> {
        let span = u.full_mask << u.chan_off;
        let enabled = self.amask & span;
        let pred = match &u.pred {
            Some(_) => self.predicate(u) << u.chan_off,
            None => span,
        };
        let next_or_jip = |t: &State| if t.any_at(u.next) { u.next } else { u.jip };
        Ok(match f {
            Flow::If => {
                let off = enabled & !pred;
                let to = if u.inst.branch_ctrl { u.uip } else { u.jip };
                self.park(off, to);
                next_or_jip(self)
            }
            Flow::Else => {
                let to = if u.inst.branch_ctrl { u.uip } else { u.jip };
                self.park(enabled, to);
                next_or_jip(self)
            }
            Flow::Endif | Flow::Join => next_or_jip(self),
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
                // UIP is the loop's WHILE. The channel has left the loop, so it waits behind the
                // WHILE.
                let to = match kernel.uops.get(u.uip as usize) {
                    Some(w) if w.op == Opcode::While => w.next,
                    _ => u.uip,
                };
                self.park(enabled & pred, to);
                next_or_jip(self)
            }
            Flow::ParkAtUip => {
                if u.op == Opcode::Brc && u.inst.src[0].file != RegFile::Imm {
                    return Err(u.unimplemented());
                }
                self.park(enabled & pred, u.uip);
                next_or_jip(self)
            }
            // The predicated channels continue first: with branch control, as backward gotos have
            // it, at UIP; without it, behind the goto. The others wait at the other one of the two
            // (ERRATA.md).
            Flow::Goto if u.inst.branch_ctrl => {
                let take = enabled & pred;
                self.park(take, u.uip);
                if take != 0 {
                    let rest = self.amask;
                    self.park(rest, u.next);
                    u.uip
                } else {
                    next_or_jip(self)
                }
            }
            Flow::Goto => {
                self.park(enabled & !pred, u.uip);
                next_or_jip(self)
            }
            Flow::Jmpi => self.jump(u, kernel)?,
            Flow::Brd => {
                if u.inst.src[0].file != RegFile::Imm {
                    return Err(u.unimplemented());
                }
                self.park(enabled & pred, u.jip);
                next_or_jip(self)
            }
            Flow::Call => self.call(enabled & pred, u, kernel)?,
            Flow::Ret => {
                let go = enabled & pred;
                let to = u64::from(self.scalar(u)?);
                let to = branch_target(to, u, kernel)?;
                self.park(go, to);
                if self.any_at(u.next) { u.next } else { to }
            }
        })
    }

    /// Executes JMPI, a scalar branch by the predicate of its first channel.
    fn jump(&self, u: &Uop, kernel: &Kernel) -> Result<u32, Box<StopReason>> {
        let taken = match &u.pred {
            Some(_) => self.predicate(u) & 1 != 0,
            None => true,
        };
        if !taken {
            return Ok(u.next);
        }
        if u.inst.src[0].file == RegFile::Imm {
            return Ok(u.jip);
        }
        let d = self.scalar(u)? as i32;
        let base = instruction_offset(u.next, u, kernel)?;
        branch_target(base.wrapping_add_signed(i64::from(d)), u, kernel)
    }

    /// Executes CALL or CALLA for the channels `go`: stores the return address and the mask; the
    /// other channels wait behind it.
    fn call(&mut self, go: u32, u: &Uop, kernel: &Kernel) -> Result<u32, Box<StopReason>> {
        if go == 0 {
            return Ok(u.next);
        }
        let to = if u.inst.src[0].file == RegFile::Imm {
            u.jip
        } else {
            let d = self.scalar(u)?;
            let at = if u.op == Opcode::Calla {
                u64::from(d)
            } else {
                u.ip.wrapping_add_signed(i64::from(d as i32))
            };
            branch_target(at, u, kernel)?
        };
        let back = instruction_offset(u.next, u, kernel)? as u32;
        if u.dst.kind != OperandKind::Null {
            let at = u.dst.offset(0);
            self.regs.write(at, 4, u64::from(back));
            self.regs.write(at + 4, 4, u64::from(self.amask));
        }
        let rest = self.amask & !go;
        self.park(rest, u.next);
        Ok(to)
    }

    /// Reads the first element of source 0, a register.
    fn scalar(&self, u: &Uop) -> Result<u32, Box<StopReason>> {
        let s = &u.src[0];
        let at = match s.kind {
            OperandKind::Indirect => interpreter::indirect_offset(self, u, s, 0)?,
            _ => s.offset(0),
        };
        Ok(self.regs.read(at, 4) as u32)
    }
}

#[cfg(test)]
mod tests;
