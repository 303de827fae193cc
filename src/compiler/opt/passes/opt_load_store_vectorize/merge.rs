//! Decides which accesses of a group become one.

use super::access::Access;
use super::groups::Group;
use crate::analysis::offset::{SLOT_BYTES, may_wrap};
use nir::{IntrinsicOp, Shader};

/// The size of the largest message.
const MAX_BYTES: i64 = 16;

/// Accesses to merge.
pub(super) struct Merge {
    pub(super) store: bool,
    /// The index at which the merged access is placed.
    pub(super) at: usize,
    /// The constant part of its offset.
    pub(super) start: i64,
    /// Bits of each component: 32, or 16 for a pair of bytes.
    pub(super) bits: u8,
    pub(super) components: u8,
    /// A power of two, and the residue of the whole offset; not of I/O slots.
    pub(super) align: Option<(u32, u32)>,
    /// In ascending order of offsets.
    pub(super) parts: Vec<Access>,
}

impl Group {
    /// The offset of the last multiple of `unit` bytes at or before an offset.
    fn floor(&self, offset: i64, unit: i64) -> i64 {
        offset - (offset + self.dynamic.residue).rem_euclid(unit)
    }

    /// True if it is known which offsets are multiples of `unit` bytes. I/O slots consist of
    /// dwords.
    fn knows_multiples(&self, unit: i64) -> bool {
        self.slots || self.dynamic.modulus >= unit
    }

    /// True if a unit may begin at any byte. Not if it has to be robust, since one that is partly
    /// out of bounds is out of bounds as a whole; nor where the dwords of lanes are interleaved
    /// (scratch), or in registers.
    fn allows_unaligned(&self) -> bool {
        use IntrinsicOp as Op;
        let dwords_only = matches!(
            self.key.op,
            Op::LoadScratch | Op::StoreScratch | Op::LoadPushConstant
        );
        self.robust_bits.is_none() && !dwords_only
    }

    /// True if an access from `first` to `end` may begin outside the buffer and reach its start,
    /// and must not.
    fn may_wrap(&self, s: &Shader, first: i64, end: i64, unit: i64) -> bool {
        self.robust_bits
            .is_some_and(|bits| may_wrap(s, &self.key.terms, bits, [first, end - unit]))
    }

    fn in_one_slot(&self, a: i64, b: i64) -> bool {
        !self.slots || a.div_euclid(SLOT_BYTES) == b.div_euclid(SLOT_BYTES)
    }

    /// The merged access of some parts of the group.
    fn merge(&self, parts: Vec<Access>, (start, end): (i64, i64), bits: u8) -> Merge {
        let positions = parts.iter().map(|a| a.at);
        let at = match self.store {
            true => positions.max(),
            false => positions.min(),
        };
        let align = (!self.slots).then(|| {
            let whole = (start + self.dynamic.residue).rem_euclid(self.dynamic.modulus);
            (self.dynamic.modulus as u32, whole as u32)
        });
        Merge {
            store: self.store,
            at: at.unwrap_or(0),
            start,
            bits,
            components: ((end - start) / i64::from(bits / 8)) as u8,
            align,
            parts,
        }
    }
}

/// Finds what to merge in a group, and sorts its accesses.
pub(super) fn find_merges(s: &Shader, g: &mut Group, out: &mut Vec<Merge>) {
    if g.accesses.len() < 2 {
        return;
    }
    g.accesses.sort_by_key(|a| (a.offset, a.at));
    match g.store {
        true => merge_stores(s, g, out),
        false => merge_loads(s, g, out),
    }
}

fn merge_loads(s: &Shader, g: &Group, out: &mut Vec<Merge>) {
    // Constant data at known offsets is in registers, where parts of dwords cost nothing.
    if g.key.op == IntrinsicOp::LoadPushConstant
        && g.key.terms.is_empty()
        && g.accesses.iter().any(Access::is_narrow)
    {
        return;
    }
    if !g.knows_multiples(4) {
        for unit in units(s, g).into_iter().filter(|unit| unit.parts.len() > 1) {
            out.push(g.merge(unit.parts, (unit.start, unit.end), unit.bits));
        }
        return;
    }
    let mut run: Vec<Access> = Vec::new();
    let (mut first, mut end) = (0, 0);
    let mut flush = |run: &mut Vec<Access>, span| {
        if run.len() > 1 {
            out.push(g.merge(std::mem::take(run), span, 32));
        }
        run.clear();
    };
    for a in &g.accesses {
        let (a_first, a_end) = (g.floor(a.offset, 4), g.floor(a.end() + 3, 4));
        let joined_end = end.max(a_end);
        // For per-vertex inputs, loading the gap is cheaper than a second message.
        let gap = g.key.op == IntrinsicOp::LoadPerVertexInput;
        let joins = !run.is_empty()
            && g.in_one_slot(first, a.offset)
            && (gap || a_first <= end)
            && joined_end - first <= MAX_BYTES
            && !g.may_wrap(s, first, joined_end, 4);
        if !joins {
            flush(&mut run, (first, end));
            (first, end) = (a_first, a_end);
        }
        end = end.max(a_end);
        run.push(a.clone());
    }
    flush(&mut run, (first, end));
}

/// Accesses that are one dword, word or byte together.
struct Unit {
    start: i64,
    end: i64,
    bits: u8,
    parts: Vec<Access>,
}

fn merge_stores(s: &Shader, g: &Group, out: &mut Vec<Merge>) {
    let mut run: Vec<Unit> = Vec::new();
    let mut flush = |run: &mut Vec<Unit>| {
        let span = match &run[..] {
            [first, .., last] => (first.start, last.end),
            [only] => (only.start, only.end),
            [] => return,
        };
        let bits = run[0].bits;
        let parts: Vec<Access> = run.drain(..).flat_map(|unit| unit.parts).collect();
        if parts.len() > 1 {
            out.push(g.merge(parts, span, bits));
        }
    };
    for unit in units(s, g) {
        let joins = match (run.first(), run.last()) {
            (Some(first), Some(last)) => {
                unit.bits == 32
                    && last.bits == 32
                    && g.knows_multiples(4)
                    && unit.start == last.end
                    && unit.end - first.start <= MAX_BYTES
                    && g.in_one_slot(first.start, unit.start)
                    && !g.may_wrap(s, first.start, unit.end, 4)
            }
            _ => false,
        };
        if !joins {
            flush(&mut run);
        }
        run.push(unit);
    }
    flush(&mut run);
}

/// The accesses of a group in ascending order, bytes and words joined to dwords where they fill
/// them, and bytes to words.
fn units(s: &Shader, g: &Group) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut rest = &g.accesses[..];
    while let Some(first) = rest.first() {
        let filled = [4, 2].into_iter().find_map(|bytes| {
            let n = filling(s, g, rest, bytes)?;
            Some((bytes, n))
        });
        let (bits, n) = match filled {
            Some((bytes, n)) => (8 * bytes as u8, n),
            None => (first.bits, 1),
        };
        let (parts, others) = rest.split_at(n);
        units.push(Unit {
            start: first.offset,
            end: parts.last().map_or(first.end(), Access::end),
            bits,
            parts: parts.to_vec(),
        });
        rest = others;
    }
    units
}

/// The number of narrow accesses at the start of `rest` that fill exactly a unit of `bytes` bytes,
/// at a multiple of its size unless units may begin anywhere.
fn filling(s: &Shader, g: &Group, rest: &[Access], bytes: i64) -> Option<usize> {
    let first = rest.first()?;
    let allowed = match g.knows_multiples(bytes) {
        true => g.floor(first.offset, bytes) == first.offset,
        false => g.allows_unaligned(),
    };
    if !allowed || g.may_wrap(s, first.offset, first.offset + bytes, 1) {
        return None;
    }
    let mut end = first.offset;
    for (k, a) in rest.iter().enumerate() {
        if !a.is_narrow() || a.offset != end {
            return None;
        }
        end = a.end();
        if end - first.offset >= bytes {
            return (end - first.offset == bytes).then_some(k + 1);
        }
    }
    None
}
