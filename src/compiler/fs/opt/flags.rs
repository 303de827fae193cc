//! Flag allocation: distributes the conditions of a block over the flag subregisters, and removes
//! repeated comparisons.
//!
//! In:  LIR in which instruction selection writes every condition to f0.0, just before it is read.
//! Out: the conditions of a block are in f0.0, f0.1, f1.0 and f1.1 (SIMD32: f0 and f1); each evicts
//!      the one whose next use is furthest away. A comparison that is equal to one still in a flag
//!      is removed.
//!
//! Flags that instruction selection uses explicitly (f1 in waterfall loops, live pixels) are not
//! allocated anywhere in the program.
//! Tests: tests/fs/opt_flags/.

use crate::lir::{Dst, Inst, Lir, Op, Reg};
use crate::opt::register_writes::RegisterWrites;
use isa::{ArfReg, CondMod, Opcode, PredCtrl};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Up to this number of conditions in a block, all stay in f0.0 unless one of them is repeated.
const FEW: usize = 4;

/// A condition: the instructions that write it, and those that read it before the next one is
/// written.
#[derive(Default)]
struct Web {
    writers: SmallVec<[u32; 2]>,
    readers: SmallVec<[u32; 4]>,
    /// The flag bits that are written.
    lanes: u64,
    /// Must stay in f0.0.
    pinned: bool,
    /// A writer follows a reader.
    mixed: bool,
    /// A writer is executed under the execution mask.
    masked: bool,
    /// The next equal condition of the block.
    next: Option<usize>,
}

/// Returns true if it changed the program.
pub(crate) fn opt_flags(lir: &mut Lir) -> bool {
    let flags = allocatable_flags(lir);
    let writes = RegisterWrites::new(lir);
    let mut gone = vec![false; lir.insts.len()];
    let mut changed = false;
    let mut first = 0;
    for at in 0..lir.insts.len() {
        if lir.insts[at].is_control() || at + 1 == lir.insts.len() {
            if let Some(webs) = build_webs(lir, first, at + 1) {
                changed |= assign_flags(lir, &writes, webs, &flags, &mut gone);
            }
            first = at + 1;
        }
    }
    if changed {
        let mut gone = gone.iter();
        lir.insts.retain(|_| !gone.next().unwrap_or(&false));
    }
    changed
}

/// The flag subregisters that can be allocated: f0.0, and those that the program does not use
/// explicitly.
fn allocatable_flags(lir: &Lir) -> SmallVec<[u8; 4]> {
    let mut taken = [false; 4];
    for inst in &lir.insts {
        if inst.pred.is_some() || inst.writes_flag() {
            taken[usize::from(inst.flag & 3)] = true;
        }
        let sources = inst.src[..inst.sources()].iter().map(|s| (s.reg, s.offset));
        for (reg, offset) in sources.chain([(inst.dst.reg, inst.dst.offset)]) {
            // The operand may be the word or the whole dword, so the upper word counts as used too.
            if let Reg::Arf(ArfReg::Flag, nr) = reg {
                let word = usize::from(nr & 1) * 2;
                taken[word + (offset / 2 % 2) as usize] = true;
                taken[word + 1] = true;
            }
        }
    }
    let all: &[u8] = if lir.width > 16 {
        &[0, 2]
    } else {
        &[0, 1, 2, 3]
    };
    let free = |f: &u8| *f == 0 || !taken[usize::from(*f)];
    all.iter().copied().filter(free).collect()
}

/// The conditions of a block in f0.0; none if the block reads a flag bit that it has not written.
fn build_webs(lir: &Lir, first: usize, end: usize) -> Option<Vec<Web>> {
    let mut out: Vec<Web> = Vec::new();
    // The last web begins with a MOV to the flag register: further writes belong to it until the
    // flag is read.
    let mut absorbs = false;
    for at in first..end {
        let inst = &lir.insts[at];
        let is_f0 = |r: Reg| matches!(r, Reg::Arf(ArfReg::Flag, 0));
        let reads_f0 = inst.src[..inst.sources()].iter().any(|s| is_f0(s.reg));
        if is_f0(inst.dst.reg) {
            out.push(Web {
                pinned: true,
                lanes: u64::MAX,
                ..Web::default()
            });
            absorbs = true;
            continue;
        }
        if reads_f0 {
            out.last_mut()?.pinned = true;
            absorbs = false;
        }
        if inst.flag != 0 {
            continue;
        }
        let bits = inst.flag_bits();
        if let Some(pred) = inst.pred {
            let web = out.last_mut()?;
            if bits & !web.lanes != 0 {
                return None;
            }
            let reads_inactive = inst.no_mask && web.masked;
            web.pinned |= pred.ctrl != PredCtrl::Normal || reads_inactive;
            if inst.writes_flag() {
                web.mixed |= !web.readers.is_empty();
                web.writers.push(at as u32);
                web.masked |= !inst.no_mask;
            } else {
                web.readers.push(at as u32);
            }
        } else if inst.writes_flag() {
            let joins = out.last().is_some_and(|w| absorbs || w.lanes & bits == 0);
            if !joins {
                out.push(Web::default());
            }
            let web = out.last_mut()?;
            web.mixed |= !web.readers.is_empty();
            web.writers.push(at as u32);
            web.lanes |= bits;
            web.masked |= !inst.no_mask;
        }
    }
    Some(out)
}

/// A flag subregister and its contents.
struct FlagContents {
    flag: u8,
    /// The web whose condition it holds: of equal ones the first.
    web: Option<usize>,
    /// The next web with an equal condition.
    next_use: Option<usize>,
}

/// The instruction without its destination and flag number: equal conditions compare equal.
fn condition(inst: &Inst) -> Inst {
    let mut c = *inst;
    c.dst = Dst::null(inst.dst.ty);
    c.flag = 0;
    c
}

/// A hash of the first sources of a web's writers.
fn hash_sources(lir: &Lir, web: &Web) -> u64 {
    let mut sum = 0u64;
    for &w in &web.writers {
        let s = &lir.insts[w as usize].src[0];
        let v = s.as_vgrf().map_or(0, |v| v.index() as u64 + 1);
        sum = (sum ^ v << 16 ^ u64::from(s.offset)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    sum
}

/// A hash of the destinations of a web's writers, comparable with [`hash_sources`].
fn hash_destinations(lir: &Lir, web: &Web) -> u64 {
    let mut sum = 0u64;
    for &w in &web.writers {
        let d = &lir.insts[w as usize].dst;
        let v = d.as_vgrf().map_or(0, |v| v.index() as u64 + 1);
        sum = (sum ^ v << 16 ^ u64::from(d.offset)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    sum
}

/// True if the condition of `b` is always equal to that of `a`.
fn is_same(lir: &Lir, writes: &RegisterWrites, a: &Web, b: &Web) -> bool {
    let possible = !a.pinned && !b.pinned && !b.mixed && a.writers.len() == b.writers.len();
    possible
        && a.writers.iter().zip(&b.writers).all(|(&a, &b)| {
            let (from, at) = (a as usize, b as usize);
            let (x, y) = (&lir.insts[from], &lir.insts[at]);
            if y.dst.reg != Reg::Null {
                return false;
            }
            let operands =
                || (0..x.sources()).all(|i| writes.source_unchanged(lir, x, i, from, at));
            condition(x) == condition(y) && operands() || tests_result(lir, writes, from, at)
        })
}

/// True if `at` tests the result of `from` (a CMP's mask, or a value with the condition NZ) for
/// being nonzero, which is the condition that `from` wrote.
fn tests_result(lir: &Lir, writes: &RegisterWrites, from: usize, at: usize) -> bool {
    let (x, y) = (&lir.insts[from], &lir.insts[at]);
    let Some(v) = x.dst.as_vgrf() else {
        return false;
    };
    let s = &y.src[0];
    let tests = y.op == Op::Eu(Opcode::Mov) && y.cmod == CondMod::Nz && y.pred.is_none();
    let defines = x.pred.is_none() && (x.op == Op::Eu(Opcode::Cmp) || x.cmod == CondMod::Nz);
    let lanes = (x.exec, x.group, x.no_mask) == (y.exec, y.group, y.no_mask);
    let stride = if y.exec == 1 { x.dst.stride } else { s.stride };
    let place = s.as_vgrf() == Some(v)
        && (s.offset, stride) == (x.dst.offset, x.dst.stride)
        && (s.neg, s.abs, s.rows) == (false, false, None)
        && s.ty.size_bytes() == 4
        && x.dst.ty.size_bytes() == 4
        && !s.ty.is_float();
    let bytes = (x.dst.offset, x.dst.offset + x.dst_bytes());
    tests && defines && lanes && place && writes.unchanged(v, bytes, from + 1, at)
}

/// Links each web of a block to the next one with an equal condition; returns true if there is one.
fn link_equal_webs(lir: &Lir, writes: &RegisterWrites, webs: &mut [Web]) -> bool {
    // Each entry is linked to the latest equal web before it.
    let mut last: FxHashMap<u64, SmallVec<[usize; 2]>> = FxHashMap::default();
    let mut found = false;
    for w in 0..webs.len() {
        if webs[w].pinned || webs[w].writers.is_empty() {
            continue;
        }
        // A web is also found by its results, which a later web may test for being nonzero.
        let key = hash_sources(lir, &webs[w]);
        let keys = [key, hash_destinations(lir, &webs[w])];
        let before = last.get(&key).and_then(|l| {
            let mut l = l.iter().rev().take(8);
            l.find(|b| is_same(lir, writes, &webs[**b], &webs[w]))
                .copied()
        });
        if let Some(b) = before {
            webs[b].next = Some(w);
            found = true;
        }
        for key in keys {
            last.entry(key).or_default().push(w);
        }
    }
    found
}

/// Assigns flag subregisters to the conditions of a block; returns true if it changed the program.
fn assign_flags(
    lir: &mut Lir,
    writes: &RegisterWrites,
    mut webs: Vec<Web>,
    flags: &[u8],
    gone: &mut [bool],
) -> bool {
    let repeats = link_equal_webs(lir, writes, &mut webs);
    // Using the flags in turn avoids false dependencies between conditions.
    let in_turn = webs.len() > FEW;
    if !repeats && !in_turn {
        return false;
    }
    let empty = |flag: &u8| FlagContents {
        flag: *flag,
        web: None,
        next_use: None,
    };
    let mut contents: SmallVec<[FlagContents; 4]> = flags.iter().map(empty).collect();
    let mut last_assigned: SmallVec<[usize; 4]> = SmallVec::from_elem(0, contents.len());
    let mut changed = false;
    for w in 0..webs.len() {
        if webs[w].pinned {
            for c in contents.iter_mut().filter(|c| c.flag == 0) {
                (c.web, c.next_use) = (None, None);
            }
            continue;
        }
        let known = contents.iter().position(|c| {
            c.web
                .is_some_and(|first| is_same(lir, writes, &webs[first], &webs[w]))
        });
        let slot = match known {
            Some(k) => {
                for &x in &webs[w].writers {
                    gone[x as usize] = true;
                }
                changed = true;
                contents[k].next_use = webs[w].next;
                k
            }
            None => {
                let next_use = |k: usize| contents[k].next_use.unwrap_or(usize::MAX);
                let age = |k: usize| if in_turn { w - last_assigned[k] } else { 0 };
                let best =
                    (0..contents.len()).max_by_key(|&k| (next_use(k), age(k), usize::MAX - k));
                let k = best.unwrap_or(0);
                contents[k].web = Some(w);
                contents[k].next_use = webs[w].next;
                k
            }
        };
        last_assigned[slot] = w;
        let flag = contents[slot].flag;
        for &x in webs[w].writers.iter().chain(&webs[w].readers) {
            lir.insts[x as usize].flag = flag;
        }
    }
    changed
}
