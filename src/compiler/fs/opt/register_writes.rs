//! Tells whether a register changes between two instructions of which the first dominates the
//! second.
//!
//! In:  LIR.
//! Out: [`RegisterWrites`], an index of the writes to every VGRF; [`DominanceScopes`], which a
//!      forward pass uses to drop the facts of a control-flow construct where that construct ends.
//!
//! In structured control flow an instruction is dominated by every earlier one that is not within a
//! branch or loop that has ended, and the lanes that are active now were active there. A write
//! anywhere in a loop may be executed before any instruction of the loop.

use crate::lir::live::{Loop, NO_LOOP, loops};
use crate::lir::{GRF_BYTES, Inst, Lir, Op, Vgrf, VgrfId};
use entity::IdMap;
use isa::Opcode;

/// Maximum number of writes that one query examines; beyond that the register counts as changed.
const MAX_WRITES_EXAMINED: usize = 64;

/// A write: index of the instruction, first byte, end of the bytes.
type Write = (u32, u32, u32);

/// All writes to all VGRFs.
pub(crate) struct RegisterWrites {
    /// The range of each VGRF in `writes`.
    range: IdMap<Vgrf, (u32, u32)>,
    writes: Vec<Write>,
    loops: Vec<Loop>,
    /// The innermost loop around each instruction.
    loop_of: Vec<u32>,
}

impl RegisterWrites {
    pub fn new(lir: &Lir) -> RegisterWrites {
        let loops = loops(lir);
        let mut range: IdMap<Vgrf, (u32, u32)> = IdMap::for_arena(&lir.vgrfs, (0, 0));
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
                range[v].1 += 1;
            }
        }
        let mut total = 0;
        for v in lir.vgrfs.ids() {
            let n = range[v].1;
            range[v] = (total, total);
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
                writes[range[v].1 as usize] = (at as u32, first, end);
                range[v].1 += 1;
            }
        }
        RegisterWrites {
            range,
            writes,
            loops,
            loop_of,
        }
    }

    /// The writes to a VGRF, in layout order.
    fn of_vgrf(&self, v: VgrfId) -> &[Write] {
        let (first, end) = self.range[v];
        &self.writes[first as usize..end as usize]
    }

    /// True if no instruction from `from` on writes the bytes `first..end` of a VGRF before `to`
    /// reads them. `from` must dominate `to`. It may return false although the bytes are unchanged.
    pub fn unchanged(&self, v: VgrfId, (first, end): (u32, u32), from: usize, to: usize) -> bool {
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
        let writes = self.of_vgrf(v);
        let at = writes.partition_point(|w| w.0 < from as u32);
        for (n, w) in writes[at..].iter().enumerate() {
            if w.0 >= until {
                return true;
            }
            if n == MAX_WRITES_EXAMINED || w.1 < end && first < w.2 {
                return false;
            }
        }
        true
    }

    /// The same as [`Self::unchanged`] for the bytes that source `i` of an instruction reads.
    pub fn source_unchanged(
        &self,
        lir: &Lir,
        inst: &Inst,
        i: usize,
        from: usize,
        to: usize,
    ) -> bool {
        let s = &inst.src[i];
        let Some(v) = s.as_vgrf() else { return true };
        let bytes = match inst.op {
            Op::MovIndirect if i == 0 => (0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES),
            _ => (s.offset, s.offset + inst.src_bytes(i)),
        };
        self.unchanged(v, bytes, from, to)
    }
}

/// The open control-flow constructs of a forward pass that keeps a stack of facts about dominating
/// instructions.
#[derive(Debug, Default)]
pub(crate) struct DominanceScopes {
    /// For each open construct the number of facts when it began.
    open: Vec<usize>,
}

impl DominanceScopes {
    /// Advances to the next instruction. `found` is the length of the pass's stack of facts;
    /// returns the length to which the pass must truncate it, as the facts above come from
    /// instructions that do not dominate this one.
    pub fn enter(&mut self, inst: &Inst, found: usize) -> usize {
        match inst.op {
            Op::Do | Op::Eu(Opcode::If) => {
                self.open.push(found);
                found
            }
            Op::Eu(Opcode::Else) => self.open.last().copied().unwrap_or(0),
            Op::Eu(Opcode::Endif | Opcode::While) => self.open.pop().unwrap_or(0),
            // Lanes that were inactive since their HALT are active again.
            Op::HaltTarget => 0,
            _ => found,
        }
    }
}
