//! Estimates how many registers the values of a shader need at once.
//!
//! In:  a valid shader. Out: for each loop the largest number of registers that are live at one
//!      point in it, in GRFs at SIMD16.
//!
//! As in register allocation, a value is live from its definition to its last use in layout order,
//! and throughout each loop that it is defined before and used in.

use entity::{Id, IdMap};
use nir::*;

/// Maximum registers live in a loop, in GRFs at SIMD16, up to which passes add values to it. The
/// others of the 128 are for the payload, messages, and freedom of the scheduler.
pub(crate) const MAX_LIVE: u32 = 80;

/// The register demand of each loop.
pub(crate) struct LoopPressure {
    /// Registers live at the point of the loop with most of them.
    max_live: IdMap<Loop, u32>,
    /// The loop around each loop.
    parent: IdMap<Loop, Option<Id<Loop>>>,
}

impl LoopPressure {
    /// Analyses a shader.
    pub(crate) fn new(s: &Shader, divergence: &Divergence) -> LoopPressure {
        let layout = s.layout();
        let mut walk = Walk {
            first: vec![u32::MAX; s.defs.len()],
            last: vec![0; s.defs.len()],
            loops: Vec::new(),
        };
        let mut parent: IdMap<Loop, Option<Id<Loop>>> = IdMap::with_default(None);
        let mut open: Vec<usize> = Vec::new();
        let mut block_end: IdMap<Block, u32> = IdMap::for_arena(&s.blocks, 0);
        let mut phi_uses: Vec<(Id<Block>, Id<Def>)> = Vec::new();
        let mut position = 0;
        for event in &layout {
            match *event {
                CfEvent::Loop(l) => {
                    let outer = open.last().map(|k| walk.loops[*k].0);
                    parent[l] = outer;
                    open.push(walk.loops.len());
                    walk.loops.push((l, position, u32::MAX));
                }
                CfEvent::EndLoop(_) => {
                    if let Some(k) = open.pop() {
                        walk.loops[k].2 = position;
                    }
                }
                CfEvent::Block(b) => {
                    for &id in &s.blocks[b].instrs {
                        position += 1;
                        if let Some(def) = s.instrs[id].def() {
                            walk.first[def.index()] = position;
                            walk.last[def.index()] = walk.last[def.index()].max(position);
                        }
                        match &s.instrs[id] {
                            Instr::Phi(p) => phi_uses.extend(p.srcs.iter().copied()),
                            other => other.for_each_src(|d| walk.add_use(d, position)),
                        }
                    }
                    position += 1;
                    block_end[b] = position;
                }
                CfEvent::If(i) => walk.add_use(s.ifs[i].cond, position),
                _ => {}
            }
        }
        // A phi reads its operands at the ends of the predecessors.
        for (from, d) in phi_uses {
            walk.add_use(d, block_end[from]);
        }
        walk.extend_through_loops();
        let live = walk.live_counts(position, |d| registers(s, divergence, d));
        let mut max_live: IdMap<Loop, u32> = IdMap::with_default(0);
        for &(l, start, end) in &walk.loops {
            let inside = live.get(start as usize..=end as usize).unwrap_or(&[]);
            max_live[l] = inside.iter().copied().max().unwrap_or(0);
        }
        LoopPressure { max_live, parent }
    }

    /// Registers live at the point of the loop with most of them.
    pub(crate) fn max_live(&self, l: Id<Loop>) -> u32 {
        self.max_live[l]
    }

    /// Records that values of `registers` registers became live throughout the loop.
    pub(crate) fn add(&mut self, l: Id<Loop>, registers: u32) {
        self.max_live[l] += registers;
        let mut inner = l;
        while let Some(outer) = self.parent[inner] {
            self.max_live[outer] = self.max_live[outer].max(self.max_live[inner]);
            inner = outer;
        }
    }
}

/// The registers that a value needs, in GRFs at SIMD16. Constants and conditions need none: they
/// become immediates and flags.
pub(crate) fn registers(s: &Shader, divergence: &Divergence, d: Id<Def>) -> u32 {
    let def = s.defs[d];
    let free = matches!(s.instr_of(d), Instr::Const { .. } | Instr::Undef { .. });
    if free || def.bit_size == 1 {
        return 0;
    }
    let bytes = u32::from(def.num_components) * u32::from(def.bit_size) / 8;
    if divergence.is_divergent(d) {
        (bytes * 16).div_ceil(32)
    } else {
        bytes.div_ceil(32)
    }
}

/// Live ranges in layout order.
struct Walk {
    /// Position of each value's definition.
    first: Vec<u32>,
    /// Position of its last use.
    last: Vec<u32>,
    /// Loops with the positions at which they begin and end, outer ones first.
    loops: Vec<(Id<Loop>, u32, u32)>,
}

impl Walk {
    fn add_use(&mut self, d: Id<Def>, position: u32) {
        let last = &mut self.last[d.index()];
        *last = (*last).max(position);
    }

    /// Extends the live ranges of values that a loop uses, but does not define, to its end.
    fn extend_through_loops(&mut self) {
        for d in 0..self.first.len() {
            let first = self.first[d];
            if first == u32::MAX {
                continue;
            }
            for &(_, start, end) in &self.loops {
                let last = self.last[d];
                if first <= start && last > start && last < end {
                    self.last[d] = end;
                }
            }
        }
    }

    /// The number of registers live at each position up to `end`.
    fn live_counts(&self, end: u32, registers: impl Fn(Id<Def>) -> u32) -> Vec<u32> {
        let mut change = vec![0i64; end as usize + 2];
        for d in 0..self.first.len() {
            let (first, last) = (self.first[d], self.last[d]);
            if first == u32::MAX || last <= first {
                continue;
            }
            let size = i64::from(registers(Id::new(d)));
            change[first as usize] += size;
            change[last as usize] -= size;
        }
        let mut live = 0;
        let counts = change.into_iter().map(|c| {
            live += c;
            live.max(0) as u32
        });
        counts.collect()
    }
}
