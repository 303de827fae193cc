//! What a thread leaves in its registers, and what of it the next of the same kernel could see.
//!
//! In:  a kernel's instructions. Out: the registers that have to be made zero again between two threads.

use crate::region::Kind;
use crate::regs;
use crate::uop::{Run, Uop};
use isa::{CondMod, MathFn, Opcode};
use std::ops::Range;

/// What threads of a kernel leave. Parts of the GRF are in quadwords.
#[derive(Clone, Debug)]
pub(crate) struct Leftovers {
    /// Parts that they may write.
    pub(crate) written: Vec<Range<usize>>,
    /// Those of them that a thread may look at before it has written them.
    pub(crate) seen: Vec<Range<usize>>,
    /// Channels that it has to have for that: with fewer, it does not write all of what it would.
    pub(crate) channels: u32,
    /// They may write architecture registers.
    pub(crate) architecture: bool,
}

/// Registers of the GRF as parts, those beside each other as one.
fn parts(registers: &[bool]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (register, _) in registers.iter().enumerate().filter(|(_, one)| **one) {
        let part = register * 4..register * 4 + 4;
        match parts.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => parts.push(part),
        }
    }
    parts
}

/// GRF bytes of some registers.
fn registers(first: usize, count: usize) -> Range<usize> {
    first * 32..(first + count) * 32
}

/// GRF bytes that an instruction's sources are in.
fn sources(u: &Uop) -> Vec<Range<usize>> {
    let mut bytes = Vec::new();
    for (k, s) in u.src[..usize::from(u.sources).min(3)].iter().enumerate() {
        let base = usize::from(s.base);
        match (u.op, k) {
            _ if s.kind == Kind::Imm => {}
            // Four coefficients.
            (Opcode::Pln | Opcode::Line, 0) => bytes.push(base..base + 16),
            // A pair of registers for each eight lanes.
            (Opcode::Pln, 1) => bytes.push(base..base + usize::from(u.n.div_ceil(8)) * 64),
            _ => {
                let lane = |i: usize| s.offset(i)..s.offset(i) + usize::from(s.size);
                bytes.extend((0..usize::from(u.n)).map(lane));
            }
        }
    }
    bytes
}

/// Whether an instruction of registers may write an architecture register.
fn is_architectural(u: &Uop) -> bool {
    let accumulates = matches!(
        u.op,
        Opcode::Mac | Opcode::Mach | Opcode::Sada2 | Opcode::Addc | Opcode::Subb
    );
    let named = u.dst.kind != Kind::Null && usize::from(u.dst.base) >= regs::GRF_BYTES;
    accumulates || named || u.acc_wr || u.cmod != CondMod::None
}

impl Leftovers {
    /// Of threads of which nothing is known.
    pub(crate) fn any() -> Leftovers {
        let everything = parts(&[true; regs::GRF_BYTES / 32]);
        Leftovers {
            written: everything.clone(),
            seen: everything,
            channels: u32::MAX,
            architecture: true,
        }
    }

    /// Of threads of a straight kernel: see [`crate::straight`].
    pub(crate) fn of(uops: &[Uop]) -> Leftovers {
        // A second destination, which the operand does not name.
        if uops.iter().any(|u| u.math == Some(MathFn::IntDivBoth)) {
            return Leftovers::any();
        }
        const REGISTERS: usize = regs::GRF_BYTES / 32;
        let mut whole = vec![false; regs::GRF_BYTES];
        let (mut written, mut read) = ([false; REGISTERS], [false; REGISTERS]);
        let mut found = Leftovers {
            written: Vec::new(),
            seen: Vec::new(),
            channels: 0,
            architecture: false,
        };
        let note = |registers: &mut [bool; REGISTERS], bytes: &Range<usize>| {
            let end = bytes.end.div_ceil(32).min(REGISTERS);
            let some = registers.get_mut(bytes.start / 32..end);
            some.unwrap_or_default().fill(true);
        };
        for u in uops {
            let mut looks = |whole: &[bool], bytes: Range<usize>| {
                let part = whole.get(bytes.start.min(whole.len())..bytes.end.min(whole.len()));
                if part.unwrap_or_default().contains(&false) {
                    note(&mut read, &bytes);
                }
            };
            if !u.no_mask {
                found.channels |= u.full << u.chan;
            }
            match (&u.run, &u.letter) {
                (Run::Send, Some(letter)) => {
                    for (first, count) in letter.parts {
                        looks(&whole, registers(first, count));
                    }
                    if let Some(first) = letter.answer {
                        // What is not answered stays.
                        looks(&whole, registers(first, letter.answers));
                        note(&mut written, &registers(first, letter.answers));
                    }
                }
                (Run::Alu(_), _) => {
                    for bytes in sources(u) {
                        looks(&whole, bytes);
                    }
                    found.architecture |= is_architectural(u);
                    if !matches!(u.dst.kind, Kind::Contig | Kind::Table) {
                        continue;
                    }
                    for lane in 0..usize::from(u.n) {
                        let at = u.dst.offset(lane);
                        let bytes = at..at + usize::from(u.dst.size);
                        note(&mut written, &bytes);
                        if u.dst.lane_mask >> lane & 1 == 1 {
                            whole.get_mut(bytes).unwrap_or_default().fill(true);
                        }
                    }
                }
                _ => {}
            }
        }
        let seen: Vec<bool> = written.iter().zip(read).map(|(w, r)| *w && r).collect();
        found.written = parts(&written);
        found.seen = parts(&seen);
        found
    }
}
