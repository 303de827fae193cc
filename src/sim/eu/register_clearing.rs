//! The registers that have to be zeroed before a thread state is reused for another thread of the
//! same kernel.
//!
//! In:  a kernel's instructions. Out: the register ranges that its threads write, and those of them
//!      that a later thread could read before it writes them. Zeroing only those is cheaper than
//!      zeroing the whole register file for each thread.

use crate::region::OperandKind;
use crate::regs;
use crate::uop::{Uop, UopKind};
use isa::{CondMod, MathFn, Opcode};
use std::ops::Range;

/// The registers that threads of a kernel leave changed. Ranges of the GRF are in quadwords.
#[derive(Clone, Debug)]
pub(crate) struct ClearRanges {
    /// Registers that a thread may write.
    pub(crate) written: Vec<Range<usize>>,
    /// Registers of `written` that a thread may read before it has written all of their bytes.
    pub(crate) read_before_written: Vec<Range<usize>>,
    /// Channels that a thread must have enabled for `read_before_written` to hold: with fewer, it
    /// writes fewer lanes.
    pub(crate) channels: u32,
    /// A thread may write architecture registers (ARF).
    pub(crate) writes_arf: bool,
}

/// Converts a set of GRFs to ranges of quadwords; neighbouring registers form one range.
fn quadword_ranges(registers: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (register, _) in registers.iter().enumerate().filter(|(_, one)| **one) {
        let range = register * 4..register * 4 + 4;
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
}

/// GRF bytes of `count` registers from `first` on.
fn register_bytes(first: usize, count: usize) -> Range<usize> {
    first * 32..(first + count) * 32
}

/// GRF bytes that an instruction's sources read.
fn source_bytes(u: &Uop) -> Vec<Range<usize>> {
    let mut bytes = Vec::new();
    for (k, s) in u.src[..usize::from(u.num_srcs).min(3)].iter().enumerate() {
        let base = usize::from(s.base);
        match (u.op, k) {
            _ if s.kind == OperandKind::Imm => {}
            // Four coefficients.
            (Opcode::Pln | Opcode::Line, 0) => bytes.push(base..base + 16),
            // A pair of registers for each eight lanes.
            (Opcode::Pln, 1) => bytes.push(base..base + usize::from(u.exec_size.div_ceil(8)) * 64),
            _ => {
                let lane = |i: usize| s.offset(i)..s.offset(i) + usize::from(s.size);
                bytes.extend((0..usize::from(u.exec_size)).map(lane));
            }
        }
    }
    bytes
}

/// True if an ALU instruction may write an architecture register, named or implicit.
fn writes_arf(u: &Uop) -> bool {
    let accumulates = matches!(
        u.op,
        Opcode::Mac | Opcode::Mach | Opcode::Sada2 | Opcode::Addc | Opcode::Subb
    );
    let named = u.dst.kind != OperandKind::Null && usize::from(u.dst.base) >= regs::GRF_BYTES;
    accumulates || named || u.acc_wr || u.cmod != CondMod::None
}

const REGISTERS: usize = regs::GRF_BYTES / 32;

/// Adds the registers that some GRF bytes lie in to a set.
fn mark_registers(registers: &mut [bool; REGISTERS], bytes: &Range<usize>) {
    let end = bytes.end.div_ceil(32).min(REGISTERS);
    let marked = registers.get_mut(bytes.start / 32..end);
    marked.unwrap_or_default().fill(true);
}

/// What the instructions of a straight-line kernel, up to one of them, read and write.
struct Accesses {
    /// GRF bytes that every thread with all channels has written.
    initialised: Vec<bool>,
    /// Registers that a thread may write.
    written: [bool; REGISTERS],
    /// Registers that a thread may read before it has written all of the bytes read.
    read_early: [bool; REGISTERS],
}

impl Accesses {
    fn read(&mut self, bytes: &Range<usize>) {
        let len = self.initialised.len();
        let range = self
            .initialised
            .get(bytes.start.min(len)..bytes.end.min(len));
        if range.unwrap_or_default().contains(&false) {
            mark_registers(&mut self.read_early, bytes);
        }
    }

    fn write_lanes(&mut self, u: &Uop) {
        for lane in 0..usize::from(u.exec_size) {
            let at = u.dst.offset(lane);
            let bytes = at..at + usize::from(u.dst.size);
            mark_registers(&mut self.written, &bytes);
            if u.dst.lane_mask >> lane & 1 == 1 {
                let initialised = self.initialised.get_mut(bytes);
                initialised.unwrap_or_default().fill(true);
            }
        }
    }
}

impl ClearRanges {
    /// All registers: for kernels whose threads differ in what they execute.
    pub(crate) fn everything() -> ClearRanges {
        let all = quadword_ranges(&[true; REGISTERS]);
        ClearRanges {
            written: all.clone(),
            read_before_written: all,
            channels: u32::MAX,
            writes_arf: true,
        }
    }

    /// The ranges of a straight-line kernel: see [`crate::straight_line`].
    pub(crate) fn of_straight_line(uops: &[Uop]) -> ClearRanges {
        // This function has a second destination that `dst` does not cover.
        if uops.iter().any(|u| u.math == Some(MathFn::IntDivBoth)) {
            return ClearRanges::everything();
        }
        let mut accesses = Accesses {
            initialised: vec![false; regs::GRF_BYTES],
            written: [false; REGISTERS],
            read_early: [false; REGISTERS],
        };
        let (mut channels, mut arf) = (0, false);
        for u in uops {
            if !u.no_mask {
                channels |= u.full_mask << u.chan_off;
            }
            match (&u.kind, &u.resolved_send) {
                (UopKind::Send, Some(send)) => {
                    for (first, count) in send.src {
                        accesses.read(&register_bytes(first, count));
                    }
                    if let Some(first) = send.dst {
                        // The shared function may leave parts of the response unwritten.
                        let response = register_bytes(first, send.rlen);
                        accesses.read(&response);
                        mark_registers(&mut accesses.written, &response);
                    }
                }
                (UopKind::Alu(_), _) => {
                    for bytes in source_bytes(u) {
                        accesses.read(&bytes);
                    }
                    arf |= writes_arf(u);
                    if matches!(u.dst.kind, OperandKind::Contiguous | OperandKind::Table) {
                        accesses.write_lanes(u);
                    }
                }
                _ => {}
            }
        }
        let (written, read) = (accesses.written, accesses.read_early);
        let both: Vec<bool> = written.iter().zip(read).map(|(w, r)| *w && r).collect();
        ClearRanges {
            written: quadword_ranges(&written),
            read_before_written: quadword_ranges(&both),
            channels,
            writes_arf: arf,
        }
    }
}
