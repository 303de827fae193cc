//! Analysis of straight-line kernels: without control flow, predicates and indirect operands.
//!
//! In:  a decoded kernel. Out: whether it is straight-line, and whether its messages depend on
//!      given payload registers. Threads of a straight-line kernel execute the same instructions
//!      with the same channels, whatever their data.

use crate::kernel::Kernel;
use crate::region::OperandKind;
use crate::regs;
use crate::uop::{Uop, UopKind};
use isa::{MathFn, Opcode};
use std::ops::Range;

/// True if every thread executes an instruction in the same way: no control flow, no predicate, no
/// indirect operand.
fn is_unconditional(u: &Uop) -> bool {
    let sources = &u.src[..usize::from(u.num_srcs).min(3)];
    match &u.kind {
        UopKind::Nop => true,
        UopKind::Alu(_) => {
            u.pred.is_none()
                && u.dst.kind != OperandKind::Indirect
                && sources.iter().all(|s| s.kind != OperandKind::Indirect)
        }
        UopKind::Send => u.pred.is_none() && u.resolved_send.is_some(),
        _ => false,
    }
}

/// True if all instructions are unconditional, each is followed by the next, and only the last ends
/// the thread.
pub(crate) fn is_straight_line(uops: &[Uop]) -> bool {
    let follows = |(i, u): (usize, &Uop)| u.next as usize == i + 1;
    let ends = |u: &Uop| u.inst.send.is_some_and(|send| send.eot);
    let Some((last, before)) = uops.split_last() else {
        return false;
    };
    uops.iter().all(is_unconditional)
        && before.iter().enumerate().all(follows)
        && ends(last)
        && !before.iter().any(ends)
}

/// True if an instruction reads a GRF byte that is marked in `varies`. None if it also reads
/// registers that `src` does not cover.
fn reads_varying(u: &Uop, varies: &[bool]) -> Option<bool> {
    let implicit = matches!(
        u.op,
        Opcode::Pln
            | Opcode::Line
            | Opcode::Mac
            | Opcode::Mach
            | Opcode::Sada2
            | Opcode::Addc
            | Opcode::Subb
    );
    if implicit || u.acc_wr || u.math == Some(MathFn::IntDivBoth) {
        return None;
    }
    let mut found = false;
    for s in &u.src[..usize::from(u.num_srcs).min(3)] {
        if s.kind == OperandKind::Imm {
            continue;
        }
        for i in 0..usize::from(u.exec_size) {
            let at = s.offset(i);
            found |= varies.get(at..at + usize::from(s.size))?.contains(&true);
        }
    }
    Some(found)
}

impl Kernel {
    /// True if the messages of a thread with all channels enabled do not depend on the payload
    /// registers `varying` and have no response. Threads that differ only in these registers then
    /// send the same messages. May be false where that holds, too.
    pub fn has_fixed_messages(&self, varying: Range<usize>) -> bool {
        if !self.straight_line {
            return false;
        }
        let mut varies = vec![false; regs::GRF_BYTES];
        let bytes = varying.start * 32..(varying.end * 32).min(regs::GRF_BYTES);
        varies.get_mut(bytes).unwrap_or_default().fill(true);
        self.uops.iter().all(|u| match u.kind {
            UopKind::Send => sends_fixed_payload(u, &varies),
            UopKind::Alu(_) => {
                let Some(depends) = reads_varying(u, &varies) else {
                    return false;
                };
                if matches!(u.dst.kind, OperandKind::Contiguous | OperandKind::Table) {
                    for i in 0..usize::from(u.exec_size) {
                        let at = u.dst.offset(i);
                        if let Some(to) = varies.get_mut(at..at + usize::from(u.dst.size)) {
                            // A lane that the write mask disables keeps its old bytes.
                            to.iter_mut().for_each(|v| {
                                let preserved = *v && u.dst.lane_mask >> i & 1 == 0;
                                *v = depends || preserved;
                            });
                        }
                    }
                }
                true
            }
            _ => true,
        })
    }
}

/// True if the payload of a SEND does not depend on the bytes in `varies` and there is no response.
fn sends_fixed_payload(u: &Uop, varies: &[bool]) -> bool {
    let fixed = |(first, count): (usize, usize)| {
        let part = varies.get(first * 32..(first + count) * 32);
        part.is_some_and(|p| !p.contains(&true))
    };
    u.resolved_send
        .is_some_and(|send| send.rlen == 0 && send.src.into_iter().all(fixed))
}

#[cfg(test)]
mod tests;
