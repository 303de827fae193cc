//! What can be told of a kernel that goes straight to its end.
//!
//! In:  a decoded kernel. Out: whether its threads are all alike, and what their messages depend on.
//! Threads of a straight kernel execute the same instructions on the same lanes whatever they compute with.

use crate::kernel::Kernel;
use crate::region::Kind;
use crate::regs;
use crate::uop::{Run, Uop};
use isa::{MathFn, Opcode};
use std::ops::Range;

/// Whether an instruction takes part in every thread in the same way: no flow, no predicate, no register named by another.
fn is_steady(u: &Uop) -> bool {
    let sources = &u.src[..usize::from(u.sources).min(3)];
    match &u.run {
        Run::Nop => true,
        Run::Alu(_) => {
            u.pred.is_none()
                && u.dst.kind != Kind::Indirect
                && sources.iter().all(|s| s.kind != Kind::Indirect)
        }
        Run::Send => u.pred.is_none() && u.letter.is_some(),
        _ => false,
    }
}

/// Whether all instructions are steady, each followed by the next, and the last ends the thread.
pub(crate) fn is_straight(uops: &[Uop]) -> bool {
    let follows = |(i, u): (usize, &Uop)| u.next as usize == i + 1;
    let ends = |u: &Uop| u.inst.send.is_some_and(|send| send.eot);
    let Some((last, before)) = uops.split_last() else {
        return false;
    };
    uops.iter().all(is_steady)
        && before.iter().enumerate().all(follows)
        && ends(last)
        && !before.iter().any(ends)
}

/// GRF bytes that an instruction's lanes read depend on what is noted in `varies`; none where that is not told.
fn depends(u: &Uop, varies: &[bool]) -> Option<bool> {
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
    for s in &u.src[..usize::from(u.sources).min(3)] {
        if s.kind == Kind::Imm {
            continue;
        }
        for i in 0..usize::from(u.n) {
            let at = s.offset(i);
            found |= varies.get(at..at + usize::from(s.size))?.contains(&true);
        }
    }
    Some(found)
}

impl Kernel {
    /// Whether the messages of a thread whose channels are all on are the same whatever payload registers of `varying` hold,
    /// and nothing answers them. The rest of the payload is the same for the threads that are compared.
    pub fn has_fixed_messages(&self, varying: Range<usize>) -> bool {
        if !self.straight {
            return false;
        }
        let mut varies = vec![false; regs::GRF_BYTES];
        let bytes = varying.start * 32..(varying.end * 32).min(regs::GRF_BYTES);
        varies.get_mut(bytes).unwrap_or_default().fill(true);
        self.uops.iter().all(|u| match u.run {
            Run::Send => is_fixed(u, &varies),
            Run::Alu(_) => {
                let Some(depends) = depends(u, &varies) else {
                    return false;
                };
                if matches!(u.dst.kind, Kind::Contig | Kind::Table) {
                    for i in 0..usize::from(u.n) {
                        let at = u.dst.offset(i);
                        if let Some(to) = varies.get_mut(at..at + usize::from(u.dst.size)) {
                            // A lane that is masked off keeps what was there.
                            to.iter_mut().for_each(|v| {
                                let kept = *v && u.dst.lane_mask >> i & 1 == 0;
                                *v = depends || kept;
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

fn is_fixed(u: &Uop, varies: &[bool]) -> bool {
    let fixed = |(first, count): (usize, usize)| {
        let part = varies.get(first * 32..(first + count) * 32);
        part.is_some_and(|p| !p.contains(&true))
    };
    u.letter
        .is_some_and(|letter| letter.answers == 0 && letter.parts.into_iter().all(fixed))
}
