//! What can be told of a kernel that goes straight to its end.
//!
//! In:  a decoded kernel. Out: whether its threads are all alike, and what their messages depend on.
//! Threads of a straight kernel execute the same instructions on the same lanes whatever they compute with.

use crate::kernel::Kernel;
use crate::region::Kind;
use crate::regs;
use crate::uop::{Run, Uop};
use isa::{Addr, Desc, MathFn, Opcode};
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
        Run::Send => {
            let direct = |addr: Addr| matches!(addr, Addr::Direct { .. });
            let described =
                |send: isa::Send| matches!((send.desc, send.ex_desc), (Desc::Imm(_), Desc::Imm(_)));
            u.pred.is_none()
                && u.inst.send.is_some_and(described)
                && direct(u.inst.dst.addr)
                && u.inst.src[..2].iter().all(|s| direct(s.addr))
        }
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

/// All of the GRF as one part, in quadwords.
pub(crate) fn everything() -> Vec<Range<usize>> {
    std::iter::once(0..regs::GRF_BYTES / 8).collect()
}

/// Parts of the GRF that a straight kernel may write, in quadwords.
pub(crate) fn writes(uops: &[Uop]) -> Vec<Range<usize>> {
    // A second destination, which the operand does not name.
    if uops.iter().any(|u| u.math == Some(MathFn::IntDivBoth)) {
        return everything();
    }
    let mut written = [false; regs::GRF_BYTES / 32];
    let mut note = |bytes: Range<usize>| {
        let end = bytes.end.div_ceil(32).min(written.len());
        written
            .get_mut(bytes.start / 32..end)
            .unwrap_or_default()
            .fill(true);
    };
    for u in uops {
        match (&u.run, u.inst.send, u.inst.dst.addr) {
            (Run::Send, Some(send), Addr::Direct { nr, .. }) => {
                let length = match send.desc {
                    Desc::Imm(desc) => desc as usize >> 20 & 31,
                    Desc::A0(_) => 32,
                };
                note(usize::from(nr) * 32..(usize::from(nr) + length) * 32);
            }
            (Run::Alu(_), ..) if matches!(u.dst.kind, Kind::Contig | Kind::Table) => {
                for lane in 0..usize::from(u.n) {
                    let at = u.dst.offset(lane);
                    note(at..at + usize::from(u.dst.size));
                }
            }
            _ => {}
        }
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (register, _) in written.iter().enumerate().filter(|(_, written)| **written) {
        let part = register * 4..register * 4 + 4;
        match parts.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => parts.push(part),
        }
    }
    parts
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
    let Some(send) = u.inst.send else {
        return false;
    };
    let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (send.desc, send.ex_desc) else {
        return false;
    };
    let split = matches!(u.op, Opcode::Sends | Opcode::Sendsc);
    let lengths = [desc >> 25 & 15, if split { ex_desc >> 6 & 15 } else { 0 }];
    let parts = u.inst.src.iter().zip(lengths).take(2);
    let fixed = |(src, len): (&isa::Src, u32)| match src.addr {
        Addr::Direct { nr, .. } => {
            let from = usize::from(nr) * 32;
            let part = varies.get(from..from + len as usize * 32);
            part.is_some_and(|p| !p.contains(&true))
        }
        Addr::Indirect { .. } => false,
    };
    desc >> 20 & 31 == 0 && parts.into_iter().all(fixed)
}
