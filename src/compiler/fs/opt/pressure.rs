//! The register pressure while VGRFs are merged.
//!
//! In:  LIR, and pairs of VGRFs. Out: whether the pair may be merged.
//!
//! A segment tree holds the number of live registers at each instruction, so that a merge costs
//! the logarithm of the length of the live ranges.

use crate::lir::live::{self, Interval};
use crate::lir::{Lir, Vgrf, VgrfId};
use entity::IdMap;

/// Maximum number of live registers to which merging may raise the pressure.
const MAX_LIVE: i32 = 100;

/// The register pressure at each instruction.
pub(crate) struct Pressure {
    live: MaxTree,
    /// Of a class's name: first and last instruction of the class, and its registers.
    span: IdMap<Vgrf, (u32, u32, i32)>,
}

impl Pressure {
    pub(crate) fn new(lir: &Lir) -> Pressure {
        let intervals = live::intervals(lir, &live::loops(lir));
        let mut span = IdMap::for_arena(&lir.vgrfs, (0, 0, 0));
        // The changes of the number of live registers at each instruction.
        let mut live = vec![0; lir.insts.len() + 2];
        for (v, vgrf) in lir.vgrfs.iter() {
            let Interval { start, end, .. } = intervals[v];
            if intervals[v].is_used() {
                let regs = i32::from(vgrf.regs);
                span[v] = (start / 2, end / 2, regs);
                live[start as usize / 2] += regs;
                live[end as usize / 2 + 1] -= regs;
            }
        }
        // Prefix sum: from the changes to the totals.
        let mut sum = 0;
        for n in &mut live {
            sum += *n;
            *n = sum;
        }
        Pressure {
            live: MaxTree::new(&live),
            span,
        }
    }

    /// Merges two classes into one of `regs` registers, unless that raises the pressure beyond
    /// [`MAX_LIVE`] anywhere. The merged class has the name `a`. Returns true if it merged them.
    pub(crate) fn merge(&mut self, a: VgrfId, b: VgrfId, regs: i32) -> bool {
        let (left, right) = (self.span[a], self.span[b]);
        let both = (left.0.min(right.0), left.1.max(right.1), regs);
        // The live ranges begin or end between the pieces only.
        let mut ends = [both.0, left.0, right.0, left.1 + 1, right.1 + 1, both.1 + 1];
        ends.sort_unstable();
        let pieces = || {
            ends.windows(2)
                .map(|e| e[0]..e[1])
                .filter(|p| p.start < p.end)
        };
        let live_in = |at: u32, span: (u32, u32, i32)| {
            if (span.0..=span.1).contains(&at) {
                span.2
            } else {
                0
            }
        };
        let more = |at: u32| regs - live_in(at, left) - live_in(at, right);
        for piece in pieces() {
            let more = more(piece.start);
            if more > 0 && self.live.max(piece) + more > MAX_LIVE {
                return false;
            }
        }
        for piece in pieces() {
            let more = more(piece.start);
            self.live.add(piece, more);
        }
        self.span[a] = both;
        true
    }
}

/// Numbers with fast addition to a range and maximum of a range.
struct MaxTree {
    /// The number of leaves, a power of two.
    leaves: u32,
    /// Of each node, the maximum below it without what `added` of its ancestors adds. Node 1 is the
    /// root; the children of node `n` are `2n` and `2n + 1`.
    max: Vec<i32>,
    /// Of each node, what is added to all leaves below it; contained in its own `max`.
    added: Vec<i32>,
}

impl MaxTree {
    fn new(values: &[i32]) -> MaxTree {
        let leaves = values.len().next_power_of_two();
        let mut max = vec![0; 2 * leaves];
        max[leaves..leaves + values.len()].copy_from_slice(values);
        for n in (1..leaves).rev() {
            max[n] = max[2 * n].max(max[2 * n + 1]);
        }
        MaxTree {
            leaves: leaves as u32,
            max,
            added: vec![0; 2 * leaves],
        }
    }

    /// The maximum of a range that is not empty.
    fn max(&self, range: std::ops::Range<u32>) -> i32 {
        self.max_below(1, 0..self.leaves, &range)
    }

    fn max_below(&self, n: usize, of: std::ops::Range<u32>, range: &std::ops::Range<u32>) -> i32 {
        if range.end <= of.start || of.end <= range.start {
            return i32::MIN / 2;
        }
        if range.start <= of.start && of.end <= range.end {
            return self.max[n];
        }
        let middle = of.start.midpoint(of.end);
        let left = self.max_below(2 * n, of.start..middle, range);
        let right = self.max_below(2 * n + 1, middle..of.end, range);
        left.max(right) + self.added[n]
    }

    /// Adds `more` to a range.
    fn add(&mut self, range: std::ops::Range<u32>, more: i32) {
        if more != 0 {
            self.add_below(1, 0..self.leaves, &range, more);
        }
    }

    fn add_below(
        &mut self,
        n: usize,
        of: std::ops::Range<u32>,
        range: &std::ops::Range<u32>,
        more: i32,
    ) {
        if range.end <= of.start || of.end <= range.start {
            return;
        }
        if range.start <= of.start && of.end <= range.end {
            self.max[n] += more;
            self.added[n] += more;
            return;
        }
        let middle = of.start.midpoint(of.end);
        self.add_below(2 * n, of.start..middle, range, more);
        self.add_below(2 * n + 1, middle..of.end, range, more);
        self.max[n] = self.max[2 * n].max(self.max[2 * n + 1]) + self.added[n];
    }
}
