//! Where virtual registers are live: one interval each, over positions in layout order.
//!
//! In:  LIR.
//! Out: for each VGRF the first and last position, 2 × index for reads, 2 × index + 1 for writes.
//! A register that is used both inside and outside a loop is live through the whole loop. With that rule an interval
//! covers every place where a lane that is not active, or that has left the loop, still needs its value, so
//! instructions that ignore the execution mask cannot destroy it: layout order is physical order, and no holes are kept.

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
    /// The loop around, or [`NO_LOOP`].
    pub parent: u32,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// The interval of a VGRF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    /// First position; `u32::MAX` if the register is not used.
    pub start: u32,
    /// Last position.
    pub end: u32,
    /// Innermost loop around all occurrences.
    pub around: u32,
    /// Loop of the first occurrence.
    pub first_loop: u32,
    /// Instructions that write it.
    pub defs: u32,
    /// Occurrences, those in loops counted 10 times a level.
    pub weight: u32,
}

impl Interval {
    const UNUSED: Interval = Interval {
        start: u32::MAX,
        end: 0,
        around: NO_LOOP,
        first_loop: NO_LOOP,
        defs: 0,
        weight: 0,
    };
    /// True if the register occurs at all.
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

/// The intervals of all virtual registers.
pub(crate) fn intervals(lir: &Lir, loops: &[Loop]) -> IdMap<Vgrf, Interval> {
    let mut out = IdMap::for_arena(&lir.vgrfs, Interval::UNUSED);
    // The payload is there from the start, outside all loops.
    let payload = lir.vgrfs.iter().filter(|v| v.1.is_thread_payload());
    let payload: Vec<VgrfId> = payload.map(|v| v.0).collect();
    for &v in &payload {
        occurs(&mut out[v], 0, NO_LOOP, 0, loops);
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
                occurs(&mut out[v], read, here, weight, loops);
            }
        }
        if let Some(v) = inst.dst.as_vgrf() {
            occurs(&mut out[v], read + 1, here, weight, loops);
            out[v].defs += 1;
        }
        if inst.op == Op::Eu(Opcode::While) && here != NO_LOOP {
            here = loops[here as usize].parent;
            let depth = if here == NO_LOOP {
                0
            } else {
                loops[here as usize].depth
            };
            weight = 10u32.saturating_pow(depth.min(6));
        }
    }
    out
}

/// Where each register of each VGRF is accessed last: a VGRF is taken whole, and given back register by register.
pub(crate) struct Ends {
    first: IdMap<Vgrf, u32>,
    of: Vec<Interval>,
}

impl Ends {
    pub fn new(lir: &Lir, loops: &[Loop]) -> Ends {
        let mut first = IdMap::for_arena(&lir.vgrfs, 0);
        let mut total = 0;
        for (v, vgrf) in lir.vgrfs.iter() {
            first[v] = total;
            total += u32::from(vgrf.regs);
        }
        let mut of = vec![Interval::UNUSED; total as usize];
        for (v, vgrf) in lir.vgrfs.iter() {
            if vgrf.is_thread_payload() {
                let at = first[v] as usize;
                for i in &mut of[at..at + usize::from(vgrf.regs)] {
                    occurs(i, 0, NO_LOOP, 0, loops);
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
            let mut touch = |v: VgrfId, offset: u32, bytes: u32, at: u32| {
                let start = first[v] + offset / GRF_BYTES;
                let end = first[v] + (offset + bytes.max(1)).div_ceil(GRF_BYTES);
                for i in &mut of[start as usize..end as usize] {
                    occurs(i, at, here, 0, loops);
                }
            };
            for i in 0..inst.sources() {
                let s = &inst.src[i];
                let Some(v) = s.as_vgrf() else { continue };
                match inst.op {
                    Op::MovIndirect if i == 0 => {
                        touch(v, 0, u32::from(lir.vgrfs[v].regs) * GRF_BYTES, read);
                    }
                    _ => touch(v, s.offset, inst.src_bytes(i), read),
                }
            }
            if let Some(v) = inst.dst.as_vgrf() {
                touch(v, inst.dst.offset, inst.dst_bytes(), read + 1);
            }
            if inst.op == Op::Eu(Opcode::While) && here != NO_LOOP {
                here = loops[here as usize].parent;
            }
        }
        Ends { first, of }
    }

    /// Last position of register `r` of a VGRF; 0 if it is never accessed.
    pub fn end(&self, v: VgrfId, r: usize) -> u32 {
        self.of[self.first[v] as usize + r].end
    }
}

fn depth(loops: &[Loop], l: u32) -> u32 {
    if l == NO_LOOP {
        0
    } else {
        loops[l as usize].depth
    }
}

fn occurs(i: &mut Interval, at: u32, here: u32, weight: u32, loops: &[Loop]) {
    i.weight = i.weight.saturating_add(weight);
    if !i.is_used() {
        i.start = at;
        i.end = at;
        i.around = here;
        i.first_loop = here;
        return;
    }
    i.end = i.end.max(at);
    if here == i.around {
        return;
    }
    // Climb to the loop around both; what was passed on the way is live throughout.
    let (mut a, mut b) = (i.around, here);
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
        i.start = i.start.min(2 * loops[passed_a as usize].start);
        i.end = i.end.max(2 * loops[passed_a as usize].end + 1);
    }
    if passed_b != NO_LOOP {
        i.end = i.end.max(2 * loops[passed_b as usize].end + 1);
    }
    i.around = a;
}
