//! Live intervals of VGRFs.
//!
//! In:  LIR.
//! Out: for each VGRF the first and last position in layout order at which it is live. Instruction
//!      i reads at position 2 × i and writes at 2 × i + 1.
//!
//! A VGRF that is accessed inside and outside a loop is live throughout the loop. So an interval,
//! which has no holes, covers all instructions that are executed while an inactive lane, or one
//! that has left the loop, still needs its value, and instructions that ignore the execution mask
//! cannot destroy that value.

use crate::lir::inst::Op;
use crate::lir::operand::{GRF_BYTES, Vgrf, VgrfId};
use crate::lir::program::Lir;
use entity::IdMap;
use isa::Opcode;

/// No loop.
pub(crate) const NO_LOOP: u32 = u32::MAX;

/// A loop of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    /// Index of DO.
    pub start: u32,
    /// Index of WHILE.
    pub end: u32,
    /// The enclosing loop, or [`NO_LOOP`].
    pub parent: u32,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// The live interval of a VGRF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    /// First position; `u32::MAX` if the VGRF is not used.
    pub start: u32,
    /// Last position.
    pub end: u32,
    /// Innermost loop that contains all accesses.
    pub enclosing_loop: u32,
    /// Innermost loop of the first access.
    pub first_loop: u32,
    /// Number of instructions that write it.
    pub defs: u32,
    /// Number of accesses, each weighted by 10 for every enclosing loop.
    pub weight: u32,
}

impl Interval {
    const UNUSED: Interval = Interval {
        start: u32::MAX,
        end: 0,
        enclosing_loop: NO_LOOP,
        first_loop: NO_LOOP,
        defs: 0,
        weight: 0,
    };
    /// True if any instruction accesses the VGRF, or it is part of the thread's payload.
    pub fn is_used(&self) -> bool {
        self.start != u32::MAX
    }
}

impl Default for Interval {
    fn default() -> Self {
        Interval::UNUSED
    }
}

/// The loops of a program, in the order of their DO.
pub(crate) fn loops(lir: &Lir) -> Vec<Loop> {
    let mut out: Vec<Loop> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    for (at, inst) in lir.insts.iter().enumerate() {
        match inst.op {
            Op::Do => {
                out.push(Loop {
                    start: at as u32,
                    end: at as u32,
                    parent: open.last().copied().unwrap_or(NO_LOOP),
                    depth: open.len() as u32 + 1,
                });
                open.push(out.len() as u32 - 1);
            }
            Op::Eu(Opcode::While) => {
                if let Some(l) = open.pop() {
                    out[l as usize].end = at as u32;
                }
            }
            _ => {}
        }
    }
    out
}

/// The live intervals of all VGRFs.
pub(crate) fn intervals(lir: &Lir, loops: &[Loop]) -> IdMap<Vgrf, Interval> {
    let mut out = IdMap::for_arena(&lir.vgrfs, Interval::UNUSED);
    // The thread's payload is live from the start of the program.
    let payload = lir.vgrfs.iter().filter(|v| v.1.is_thread_payload());
    let payload: Vec<VgrfId> = payload.map(|v| v.0).collect();
    for &v in &payload {
        out[v].add_access(0, NO_LOOP, 0, loops);
    }
    let mut next = 0u32;
    let mut here = NO_LOOP;
    let mut weight = 1u32;
    for (at, inst) in lir.insts.iter().enumerate() {
        if inst.op == Op::Do {
            here = next;
            next += 1;
            weight = 10u32.saturating_pow(loops[here as usize].depth.min(6));
        }
        let read = 2 * at as u32;
        for i in 0..inst.sources() {
            if let Some(v) = inst.src[i].as_vgrf() {
                out[v].add_access(read, here, weight, loops);
            }
        }
        if let Some(v) = inst.dst.as_vgrf() {
            out[v].add_access(read + 1, here, weight, loops);
            out[v].defs += 1;
        }
        if inst.op == Op::Eu(Opcode::While) && here != NO_LOOP {
            here = loops[here as usize].parent;
            weight = 10u32.saturating_pow(depth(loops, here).min(6));
        }
    }
    out
}

/// The end of the live interval of each register of each VGRF. The registers of a VGRF are
/// allocated together and freed one by one.
pub(crate) struct Ends {
    /// The index of each VGRF's first register.
    first: IdMap<Vgrf, u32>,
    intervals: Vec<Interval>,
}

impl Ends {
    pub fn new(lir: &Lir, loops: &[Loop]) -> Ends {
        let mut first = IdMap::for_arena(&lir.vgrfs, 0);
        let mut total = 0;
        for (v, vgrf) in lir.vgrfs.iter() {
            first[v] = total;
            total += u32::from(vgrf.regs);
        }
        let mut registers = vec![Interval::UNUSED; total as usize];
        for (v, vgrf) in lir.vgrfs.iter() {
            if vgrf.is_thread_payload() {
                let at = first[v] as usize;
                for i in &mut registers[at..at + usize::from(vgrf.regs)] {
                    i.add_access(0, NO_LOOP, 0, loops);
                }
            }
        }
        let mut next = 0u32;
        let mut here = NO_LOOP;
        for (at, inst) in lir.insts.iter().enumerate() {
            if inst.op == Op::Do {
                here = next;
                next += 1;
            }
            let read = 2 * at as u32;
            let mut access = |v: VgrfId, offset: u32, bytes: u32, at: u32| {
                let start = first[v] + offset / GRF_BYTES;
                let end = first[v] + (offset + bytes.max(1)).div_ceil(GRF_BYTES);
                for i in &mut registers[start as usize..end as usize] {
                    i.add_access(at, here, 0, loops);
                }
            };
            for i in 0..inst.sources() {
                let s = &inst.src[i];
                let Some(v) = s.as_vgrf() else { continue };
                match inst.op {
                    Op::MovIndirect if i == 0 => {
                        access(v, 0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES, read);
                    }
                    _ => access(v, s.offset, inst.src_bytes(i), read),
                }
            }
            if let Some(v) = inst.dst.as_vgrf() {
                access(v, inst.dst.offset, inst.dst_bytes(), read + 1);
            }
            if inst.op == Op::Eu(Opcode::While) && here != NO_LOOP {
                here = loops[here as usize].parent;
            }
        }
        Ends {
            first,
            intervals: registers,
        }
    }

    /// Last position of register `r` of a VGRF; 0 if it is never accessed.
    pub fn end(&self, v: VgrfId, r: usize) -> u32 {
        self.intervals[self.first[v] as usize + r].end
    }
}

fn depth(loops: &[Loop], l: u32) -> u32 {
    if l == NO_LOOP {
        0
    } else {
        loops[l as usize].depth
    }
}

impl Interval {
    /// Extends the interval by an access at position `at` in loop `here`.
    fn add_access(&mut self, at: u32, here: u32, weight: u32, loops: &[Loop]) {
        self.weight = self.weight.saturating_add(weight);
        if !self.is_used() {
            self.start = at;
            self.end = at;
            self.enclosing_loop = here;
            self.first_loop = here;
            return;
        }
        self.end = self.end.max(at);
        if here == self.enclosing_loop {
            return;
        }
        // Climb to the innermost loop that contains both; the VGRF is live throughout the loops
        // passed on the way.
        let (mut a, mut b) = (self.enclosing_loop, here);
        let mut passed_a = NO_LOOP;
        let mut passed_b = NO_LOOP;
        while a != b {
            if depth(loops, a) >= depth(loops, b) {
                passed_a = a;
                a = loops[a as usize].parent;
            } else {
                passed_b = b;
                b = loops[b as usize].parent;
            }
        }
        if passed_a != NO_LOOP {
            self.start = self.start.min(2 * loops[passed_a as usize].start);
            self.end = self.end.max(2 * loops[passed_a as usize].end + 1);
        }
        if passed_b != NO_LOOP {
            self.end = self.end.max(2 * loops[passed_b as usize].end + 1);
        }
        self.enclosing_loop = a;
    }
}
