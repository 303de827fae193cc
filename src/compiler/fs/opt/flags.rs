//! Gives conditions flags of their own, so that one that is asked for again is there still.
//!
//! In:  LIR in which selection puts every condition into f0, where it is read. Out: the conditions of a block lie in whichever of f0.0, f0.1,
//! f1.0 and f1.1 is not wanted sooner (threads of 32 lanes: f0 and f1), and an equal comparison of what has not changed goes away.
//! Flags that selection names itself (f1 in loops over handles, live pixels) are left to it in the whole program.
//! Tests: tests/fs/opt_flags/.

use crate::lir::{Dst, Inst, Lir, Op, Reg};
use crate::opt::keeps::Keeps;
use isa::{ArfReg, CondMod, Opcode, PredCtrl};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Conditions of a block that keep their flag unless one is wanted again.
const FEW: usize = 4;

/// A condition: what writes it, and what reads it before the next one.
#[derive(Default)]
struct Web {
    writers: SmallVec<[u32; 2]>,
    readers: SmallVec<[u32; 4]>,
    /// Lanes that were written.
    lanes: u64,
    /// Must stay where it is.
    pinned: bool,
    /// Some writer stands behind a reader.
    mixed: bool,
    masked: bool,
    /// The next equal one, and where it begins.
    next: Option<usize>,
}

/// True if anything changed.
pub(crate) fn opt_flags(lir: &mut Lir) -> bool {
    let flags = usable(lir);
    let keeps = Keeps::new(lir);
    let mut gone = vec![false; lir.insts.len()];
    let mut changed = false;
    let mut first = 0;
    for at in 0..lir.insts.len() {
        if lir.insts[at].is_control() || at + 1 == lir.insts.len() {
            if let Some(webs) = webs(lir, first, at + 1) {
                changed |= assign(lir, &keeps, webs, &flags, &mut gone);
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

/// The flags that may be given out: f0, and what nobody names.
fn usable(lir: &Lir) -> SmallVec<[u8; 4]> {
    let mut taken = [false; 4];
    for inst in &lir.insts {
        if inst.pred.is_some() || inst.writes_flag() {
            taken[usize::from(inst.flag & 3)] = true;
        }
        let sources = inst.src[..inst.sources()].iter().map(|s| (s.reg, s.offset));
        for (reg, offset) in sources.chain([(inst.dst.reg, inst.dst.offset)]) {
            // Named by the word or by the doubleword: the higher word is then nobody's business but its.
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

/// The conditions of a block in f0; none if something is read that the block has not written.
fn webs(lir: &Lir, first: usize, end: usize) -> Option<Vec<Web>> {
    let mut out: Vec<Web> = Vec::new();
    let mut absorbs = false;
    for at in first..end {
        let inst = &lir.insts[at];
        let named = |r: Reg| matches!(r, Reg::Arf(ArfReg::Flag, 0));
        let names = inst.src[..inst.sources()].iter().any(|s| named(s.reg));
        if named(inst.dst.reg) {
            out.push(Web {
                pinned: true,
                lanes: u64::MAX,
                ..Web::default()
            });
            absorbs = true;
            continue;
        }
        if names {
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
            let blind = inst.no_mask && web.masked;
            web.pinned |= pred.ctrl != PredCtrl::Normal || blind;
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

/// A flag, the condition that it holds, and where an equal one is wanted next.
type Held = (u8, Option<usize>, Option<usize>);

/// What decides a flag, without where it and the mask go.
fn condition(inst: &Inst) -> Inst {
    let mut c = *inst;
    c.dst = Dst::null(inst.dst.ty);
    c.flag = 0;
    c
}

fn hash(lir: &Lir, web: &Web) -> u64 {
    let mut sum = 0u64;
    for &w in &web.writers {
        let s = &lir.insts[w as usize].src[0];
        let v = s.as_vgrf().map_or(0, |v| v.index() as u64 + 1);
        sum = (sum ^ v << 16 ^ u64::from(s.offset)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    sum
}

/// True if condition `b` says what `a` has said.
fn is_same(lir: &Lir, keeps: &Keeps, a: &Web, b: &Web) -> bool {
    let possible = !a.pinned && !b.pinned && !b.mixed && a.writers.len() == b.writers.len();
    possible
        && a.writers.iter().zip(&b.writers).all(|(&a, &b)| {
            let (from, at) = (a as usize, b as usize);
            let (x, y) = (&lir.insts[from], &lir.insts[at]);
            if y.dst.reg != Reg::Null {
                return false;
            }
            let operands = || (0..x.sources()).all(|i| keeps.keeps_source(lir, x, i, from, at));
            condition(x) == condition(y) && operands() || asks_mask(lir, keeps, from, at)
        })
}

/// True if `at` asks whether the mask is set, or the value is not zero, that `from` has written beside the same condition.
fn asks_mask(lir: &Lir, keeps: &Keeps, from: usize, at: usize) -> bool {
    let (x, y) = (&lir.insts[from], &lir.insts[at]);
    let Some(v) = x.dst.as_vgrf() else {
        return false;
    };
    let s = &y.src[0];
    let asks = y.op == Op::Eu(Opcode::Mov) && y.cmod == CondMod::Nz && y.pred.is_none();
    let tells = x.pred.is_none() && (x.op == Op::Eu(Opcode::Cmp) || x.cmod == CondMod::Nz);
    let lanes = (x.exec, x.group, x.no_mask) == (y.exec, y.group, y.no_mask);
    let stride = if y.exec == 1 { x.dst.stride } else { s.stride };
    let place = s.as_vgrf() == Some(v)
        && (s.offset, stride) == (x.dst.offset, x.dst.stride)
        && (s.neg, s.abs, s.rows) == (false, false, None)
        && s.ty.size_bytes() == 4
        && x.dst.ty.size_bytes() == 4
        && !s.ty.is_float();
    let bytes = (x.dst.offset, x.dst.offset + x.dst_bytes());
    asks && tells && lanes && place && keeps.keeps(v, bytes, from + 1, at)
}

/// Gives the conditions of a block their flags. True if anything changed.
fn assign(
    lir: &mut Lir,
    keeps: &Keeps,
    mut webs: Vec<Web>,
    flags: &[u8],
    gone: &mut [bool],
) -> bool {
    // Equal ones, each of the last before it.
    let mut last: FxHashMap<u64, SmallVec<[usize; 2]>> = FxHashMap::default();
    let mut equal = false;
    for w in 0..webs.len() {
        if webs[w].pinned || webs[w].writers.is_empty() {
            continue;
        }
        // A mask that is asked for is another register than what it was made of.
        let key = hash(lir, &webs[w]);
        let mut keys: SmallVec<[u64; 2]> = SmallVec::from_slice(&[key]);
        let mut of_masks = 0u64;
        for &x in &webs[w].writers {
            let d = &lir.insts[x as usize].dst;
            let v = d.as_vgrf().map_or(0, |v| v.index() as u64 + 1);
            of_masks =
                (of_masks ^ v << 16 ^ u64::from(d.offset)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        keys.push(of_masks);
        let before = last.get(&key).and_then(|l| {
            let mut l = l.iter().rev().take(8);
            l.find(|b| is_same(lir, keeps, &webs[**b], &webs[w]))
                .copied()
        });
        if let Some(b) = before {
            webs[b].next = Some(w);
            equal = true;
        }
        for key in keys {
            last.entry(key).or_default().push(w);
        }
    }
    // Conditions that take turns do not wait for one another.
    let turns = webs.len() > FEW;
    if !equal && !turns {
        return false;
    }
    // What each flag holds: the first of the equal conditions.
    let mut held: SmallVec<[Held; 4]> = flags.iter().map(|f| (*f, None, None)).collect();
    let mut used: SmallVec<[usize; 4]> = SmallVec::from_elem(0, held.len());
    let mut changed = false;
    for w in 0..webs.len() {
        if webs[w].pinned {
            for h in held.iter_mut().filter(|h| h.0 == 0) {
                (h.1, h.2) = (None, None);
            }
            continue;
        }
        let known = held.iter().position(|h| {
            h.1.is_some_and(|first| is_same(lir, keeps, &webs[first], &webs[w]))
        });
        let slot = match known {
            Some(k) => {
                for &x in &webs[w].writers {
                    gone[x as usize] = true;
                }
                changed = true;
                held[k].2 = webs[w].next;
                k
            }
            None => {
                let wanted = |h: &Held| h.2.unwrap_or(usize::MAX);
                let age = |k: usize| if turns { w - used[k] } else { 0 };
                let best =
                    (0..held.len()).max_by_key(|k| (wanted(&held[*k]), age(*k), usize::MAX - k));
                let k = best.unwrap_or(0);
                held[k].1 = Some(w);
                held[k].2 = webs[w].next;
                k
            }
        };
        used[slot] = w;
        let flag = held[slot].0;
        for &x in webs[w].writers.iter().chain(&webs[w].readers) {
            lir.insts[x as usize].flag = flag;
        }
    }
    changed
}
