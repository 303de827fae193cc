//! Flag allocation: distributes the conditions of a block over the flag subregisters, and removes
//! repeated comparisons.
//!
//! In:  LIR in which instruction selection writes every condition to f0.0, just before it is read.
//! Out: the conditions of a block are in f0.0, f0.1, f1.0 and f1.1 (SIMD32: f0 and f1); each evicts
//!      the one whose next use is furthest away. A comparison that is equal to one still in a flag
//!      is removed. Conditions stay in their flags from block to block of nested IFs.
//!
//! Flags that instruction selection uses explicitly (f1 in waterfall loops, live pixels) are not
//! allocated anywhere in the program.
//! Tests: tests/fs/opt_flags/.

use crate::lir::{Dst, Inst, Lir, Op, Reg};
use crate::opt::register_writes::RegisterWrites;
use isa::{ArfReg, CondMod, Opcode, PredCtrl};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

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
    /// The next equal condition.
    next: Option<usize>,
    /// An earlier condition is equal.
    is_repeated: bool,
}

/// Returns true if it changed the program.
pub(crate) fn opt_flags(lir: &mut Lir) -> bool {
    let flags = allocatable_flags(lir);
    let writes = RegisterWrites::new(lir);
    // The conditions of all blocks, and for each block the instruction that ends it and its
    // conditions.
    let mut webs: Vec<Web> = Vec::new();
    let mut blocks: Vec<(usize, Option<Range<usize>>)> = Vec::new();
    let mut first = 0;
    for at in 0..lir.insts.len() {
        if lir.insts[at].is_control() || at + 1 == lir.insts.len() {
            let found = build_webs(lir, first, at + 1);
            let range = found.map(|found| {
                let start = webs.len();
                webs.extend(found);
                start..webs.len()
            });
            blocks.push((at, range));
            first = at + 1;
        }
    }
    link_equal_webs(lir, &writes, &mut webs);
    let mut allocator = Allocator::new(&flags, webs, lir.insts.len());
    for (end, range) in blocks {
        match range {
            Some(range) => allocator.assign(lir, &writes, range),
            // It reads a flag bit that it has not written, or not for all lanes.
            None => allocator.clobber(0),
        }
        allocator.enter_block(&lir.insts[end]);
    }
    if allocator.changed {
        lir.cross_block_flags |= allocator.cross_block_flags;
        let mut gone = allocator.gone.iter();
        lir.insts.retain(|_| !gone.next().unwrap_or(&false));
    }
    allocator.changed
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
    let compares = x.op == Op::Eu(Opcode::Cmp);
    let defines = x.pred.is_none() && (compares || x.cmod == CondMod::Nz);
    let lanes = (x.exec, x.group, x.no_mask) == (y.exec, y.group, y.no_mask);
    let (wrote, read) = (x.dst.ty.size_bytes(), s.ty.size_bytes());
    let pitch = u32::from(x.dst.stride) * wrote;
    // The bits of a mask are equal, so any part of it may be tested.
    let place = s.as_vgrf() == Some(v)
        && s.offset == x.dst.offset
        && (y.exec == 1 || u32::from(s.stride) * read == pitch)
        && (s.neg, s.abs, s.rows) == (false, false, None)
        && (wrote == read && read == 4 || compares && wrote >= read)
        && !s.ty.is_float();
    let bytes = (x.dst.offset, x.dst.offset + x.dst_bytes());
    tests && defines && lanes && place && writes.unchanged(v, bytes, from + 1, at)
}

/// Links each web to the next one with an equal condition.
fn link_equal_webs(lir: &Lir, writes: &RegisterWrites, webs: &mut [Web]) {
    // Each entry is linked to the latest equal web before it.
    let mut last: FxHashMap<u64, SmallVec<[usize; 2]>> = FxHashMap::default();
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
            webs[w].is_repeated = true;
        }
        for key in keys {
            last.entry(key).or_default().push(w);
        }
    }
}

/// A flag subregister and its contents.
#[derive(Clone, Copy)]
struct FlagContents {
    flag: u8,
    /// The web whose condition it holds: of equal ones the first.
    web: Option<usize>,
    /// The next web with an equal condition.
    next_use: Option<usize>,
    /// The web to which it was last assigned.
    assigned: usize,
}

impl FlagContents {
    fn clear(&mut self) {
        (self.web, self.next_use) = (None, None);
    }
}

/// An open IF: the contents of the flags at its start, and the flags (a bit for each) that have
/// been written since.
struct OpenIf {
    contents: SmallVec<[FlagContents; 4]>,
    written: u8,
}

/// Assigns flag subregisters to conditions, block by block.
///
/// What is in a flag at an IF is still there in either branch and after the ENDIF, for the lanes
/// that are active there, unless a branch writes the flag. Loops begin and end with empty flags.
struct Allocator {
    webs: Vec<Web>,
    contents: SmallVec<[FlagContents; 4]>,
    open: Vec<OpenIf>,
    /// Instructions that write a condition that is in a flag already.
    gone: Vec<bool>,
    /// First web of the present block.
    block_start: usize,
    cross_block_flags: u64,
    changed: bool,
}

impl Allocator {
    fn new(flags: &[u8], webs: Vec<Web>, insts: usize) -> Allocator {
        let empty = |flag: &u8| FlagContents {
            flag: *flag,
            web: None,
            next_use: None,
            assigned: 0,
        };
        Allocator {
            webs,
            contents: flags.iter().map(empty).collect(),
            open: Vec::new(),
            gone: vec![false; insts],
            block_start: 0,
            cross_block_flags: 0,
            changed: false,
        }
    }

    /// Goes on behind the instruction that ends a block.
    fn enter_block(&mut self, end: &Inst) {
        match end.op {
            Op::Eu(Opcode::If) => self.open.push(OpenIf {
                contents: self.contents.clone(),
                written: 0,
            }),
            Op::Eu(Opcode::Else) => {
                if let Some(open) = self.open.last() {
                    self.contents = contents_left(open);
                }
            }
            Op::Eu(Opcode::Endif) => {
                if let Some(open) = self.open.pop() {
                    self.contents = contents_left(&open);
                }
            }
            Op::Do | Op::Eu(Opcode::While) | Op::HaltTarget => (0..4).for_each(|f| self.clobber(f)),
            // The lanes that go on have their flags.
            _ => {}
        }
    }

    /// Records a write to a flag.
    fn written(&mut self, flag: u8) {
        for open in &mut self.open {
            open.written |= 1 << flag;
        }
    }

    /// Empties a flag.
    fn clobber(&mut self, flag: u8) {
        self.written(flag);
        for c in self.contents.iter_mut().filter(|c| c.flag == flag) {
            c.clear();
        }
    }

    /// Assigns flags to the conditions of a block.
    fn assign(&mut self, lir: &mut Lir, writes: &RegisterWrites, block: Range<usize>) {
        self.block_start = block.start;
        let webs = &self.webs[block.clone()];
        let repeats = webs.iter().any(|w| w.is_repeated || w.next.is_some());
        let is_needed = |c: &FlagContents| c.next_use.is_some_and(|next| next >= block.start);
        // Using the flags in turn avoids false dependencies between conditions.
        let in_turn = webs.len() > FEW;
        if !repeats && !in_turn && !self.contents.iter().any(is_needed) {
            if !webs.is_empty() {
                self.clobber(0);
            }
            return;
        }
        for w in block {
            if self.webs[w].pinned {
                self.clobber(0);
            } else {
                self.assign_web(lir, writes, w, in_turn);
            }
        }
    }

    fn assign_web(&mut self, lir: &mut Lir, writes: &RegisterWrites, w: usize, in_turn: bool) {
        let webs = &self.webs;
        let known = self.contents.iter().position(|c| {
            c.web
                .is_some_and(|first| is_same(lir, writes, &webs[first], &webs[w]))
        });
        let slot = match known {
            Some(slot) => {
                for &x in &webs[w].writers {
                    self.gone[x as usize] = true;
                }
                self.changed = true;
                if self.contents[slot].web < Some(self.block_start) {
                    let first = 16 * u32::from(self.contents[slot].flag);
                    self.cross_block_flags |= webs[w].lanes << first;
                }
                slot
            }
            None => {
                let next_use = |k: usize| {
                    let next = self.contents[k].next_use.filter(|next| *next > w);
                    next.unwrap_or(usize::MAX)
                };
                let age = |k: usize| match in_turn {
                    true => w - self.contents[k].assigned.max(self.block_start).min(w),
                    false => 0,
                };
                let slots = 0..self.contents.len();
                let best = slots.max_by_key(|&k| (next_use(k), age(k), usize::MAX - k));
                let slot = best.unwrap_or(0);
                self.contents[slot].web = Some(w);
                self.written(self.contents[slot].flag);
                slot
            }
        };
        let contents = &mut self.contents[slot];
        contents.next_use = self.webs[w].next;
        contents.assigned = w;
        let flag = contents.flag;
        for &x in self.webs[w].writers.iter().chain(&self.webs[w].readers) {
            lir.insts[x as usize].flag = flag;
        }
    }
}

/// The contents of the flags at an IF without those that have been written since.
fn contents_left(open: &OpenIf) -> SmallVec<[FlagContents; 4]> {
    let mut left = open.contents.clone();
    for c in left.iter_mut().filter(|c| open.written >> c.flag & 1 == 1) {
        c.clear();
    }
    left
}
