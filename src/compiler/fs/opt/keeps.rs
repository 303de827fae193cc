//! Whether registers keep what they hold from one instruction to another that it dominates.
//!
//! In:  LIR. Out: [`Keeps`], which knows every write by its place; [`Scopes`], which forgets what a construct of control flow
//! has found when it ends.
//! What dominates in structured control flow is what stands before, outside of branches and loops that have ended; there
//! the lanes that are active now were active, too. A loop goes round: what it writes anywhere may be written before.

use crate::lir::live::{Loop, NO_LOOP, loops};
use crate::lir::{GRF_BYTES, Inst, Lir, Op, Vgrf, VgrfId};
use entity::IdMap;
use isa::Opcode;

/// Writes that are looked at for one question.
const MOST: usize = 64;

/// A write: instruction, first byte, end.
type Write = (u32, u32, u32);

/// Every write of every VGRF.
pub(crate) struct Keeps {
    start: IdMap<Vgrf, (u32, u32)>,
    writes: Vec<Write>,
    loops: Vec<Loop>,
    /// The innermost loop around each instruction.
    loop_of: Vec<u32>,
}

impl Keeps {
    pub fn new(lir: &Lir) -> Keeps {
        let loops = loops(lir);
        let mut start: IdMap<Vgrf, (u32, u32)> = IdMap::for_arena(&lir.vgrfs, (0, 0));
        let mut loop_of = Vec::with_capacity(lir.insts.len());
        let (mut here, mut next) = (NO_LOOP, 0);
        for inst in &lir.insts {
            if inst.op == Op::Do {
                here = next;
                next += 1;
            }
            loop_of.push(here);
            if inst.op == Op::Eu(Opcode::While) && here != NO_LOOP {
                here = loops[here as usize].parent;
            }
            if let Some(v) = inst.dst.as_vgrf() {
                start[v].1 += 1;
            }
        }
        let mut total = 0;
        for v in lir.vgrfs.ids() {
            let n = start[v].1;
            start[v] = (total, total);
            total += n;
        }
        let mut writes = vec![(0, 0, 0); total as usize];
        for (at, inst) in lir.insts.iter().enumerate() {
            if let Some(v) = inst.dst.as_vgrf() {
                let first = inst.dst.offset;
                let end = match inst.op {
                    Op::Collect(_) => u32::MAX,
                    _ => first + inst.dst_bytes(),
                };
                writes[start[v].1 as usize] = (at as u32, first, end);
                start[v].1 += 1;
            }
        }
        Keeps {
            start,
            writes,
            loops,
            loop_of,
        }
    }

    /// Writes of a VGRF, in layout order.
    pub fn writes(&self, v: VgrfId) -> &[Write] {
        let (first, end) = self.start[v];
        &self.writes[first as usize..end as usize]
    }

    /// True if nothing writes these bytes from instruction `from` on until `to`, which is dominated by it, reads them.
    pub fn keeps(&self, v: VgrfId, (first, end): (u32, u32), from: usize, to: usize) -> bool {
        let mut until = to as u32;
        let mut around = self.loop_of[to];
        while around != NO_LOOP {
            let l = &self.loops[around as usize];
            if l.start < from as u32 {
                break;
            }
            until = l.end;
            around = l.parent;
        }
        let writes = self.writes(v);
        let at = writes.partition_point(|w| w.0 < from as u32);
        for (n, w) in writes[at..].iter().enumerate() {
            if w.0 >= until {
                return true;
            }
            if n == MOST || w.1 < end && first < w.2 {
                return false;
            }
        }
        true
    }

    /// The same for the bytes that a source reads.
    pub fn keeps_source(&self, lir: &Lir, inst: &Inst, i: usize, from: usize, to: usize) -> bool {
        let s = &inst.src[i];
        let Some(v) = s.as_vgrf() else { return true };
        let bytes = match inst.op {
            Op::MovIndirect if i == 0 => (0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES),
            _ => (s.offset, s.offset + inst.src_bytes(i)),
        };
        self.keeps(v, bytes, from, to)
    }
}

/// What was found, forgotten where the construct ends in which it was.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    open: Vec<usize>,
}

impl Scopes {
    /// To be asked before each instruction, with how many findings there are: how many of them hold from here on.
    pub fn enter(&mut self, inst: &Inst, found: usize) -> usize {
        match inst.op {
            Op::Do | Op::Eu(Opcode::If) => {
                self.open.push(found);
                found
            }
            Op::Eu(Opcode::Else) => self.open.last().copied().unwrap_or(0),
            Op::Eu(Opcode::Endif | Opcode::While) => self.open.pop().unwrap_or(0),
            // Lanes that had ended are there again.
            Op::HaltTarget => 0,
            _ => found,
        }
    }
}
