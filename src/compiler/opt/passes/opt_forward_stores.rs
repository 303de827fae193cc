//! Removes memory accesses whose result is known or not observed.
//!
//! In:  offset-based loads and stores, including those of tessellation control outputs; scalar
//!      arithmetic.
//! Out: a load of a location that was loaded or stored before, on every path to it, is that value,
//!      if there is no barrier or possible write in between. Stores of a value that is already
//!      there are removed, as are stores that a later store of the same block overwrites before
//!      they can be observed. Shared memory is only tracked within a block. Volatile and coherent
//!      accesses are left unchanged, and atomics invalidate what is known.
//! Tests: tests/opt/opt_forward_stores/.

use crate::analysis::offset::{Linear, Terms, constant_start, is_slots};
use crate::pass::Ctx;
use crate::rewrite::instrs::replace_with_mov;
use entity::{Id, IdMap};
use nir::*;

/// Maximum number of known values. When it is reached, all are discarded, so that the pass stays
/// linear.
const MAX_KNOWN: usize = 128;

/// Classes of memory that do not alias each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Buffers and physical addresses.
    Buffer = 1,
    Shared = 2,
    Scratch = 4,
    /// Tessellation control outputs, per patch and per vertex.
    Patch = 8,
    Points = 16,
    /// Buffers that are not written while the shader runs.
    Unchanging = 32,
}

/// All classes that may change.
const ALL_CHANGING: u8 = 31;

/// A memory location.
#[derive(Clone)]
struct Location {
    class: Class,
    /// The buffer. `None` for memory without handles. Physical addresses have none, and may be in
    /// any buffer.
    handle: Option<Id<Def>>,
    physical: bool,
    /// The dynamic part of the offset.
    terms: Terms,
    start: i64,
    end: i64,
    bits: u8,
}

impl Location {
    /// True if only the constant offsets decide whether the two overlap: buffer and dynamic offset
    /// are the same.
    fn is_comparable(&self, other: &Location) -> bool {
        self.class == other.class
            && self.physical == other.physical
            && self.handle == other.handle
            && self.terms == other.terms
    }

    fn may_overlap(&self, other: &Location) -> bool {
        self.class == other.class
            && (!self.is_comparable(other) || self.start < other.end && other.start < self.end)
    }

    fn covers(&self, other: &Location) -> bool {
        self.is_comparable(other) && self.start <= other.start && other.end <= self.end
    }
}

/// A load or store.
struct Access {
    location: Location,
    /// The value loaded or stored.
    value: Id<Def>,
    store: bool,
    /// Neither volatile nor coherent, and with a full write mask.
    plain: bool,
}

/// A location with a known value.
struct KnownValue {
    location: Location,
    value: Id<Def>,
    alive: bool,
}

fn analyse_access(s: &Shader, i: &Intrinsic) -> Option<Access> {
    use IntrinsicOp as Op;
    let control = s.stage == Stage::TessControl;
    let (class, offset, handle, store) = match i.op {
        Op::LoadSsbo if nir::Access::from_bits(i.index("access")).unchanging => {
            (Class::Unchanging, 1, Some(0), false)
        }
        Op::LoadSsbo => (Class::Buffer, 1, Some(0), false),
        Op::StoreSsbo => (Class::Buffer, 2, Some(1), true),
        Op::LoadGlobal => (Class::Buffer, 0, None, false),
        Op::StoreGlobal => (Class::Buffer, 1, None, true),
        Op::LoadShared => (Class::Shared, 0, None, false),
        Op::StoreShared => (Class::Shared, 1, None, true),
        Op::LoadScratch => (Class::Scratch, 0, None, false),
        Op::StoreScratch => (Class::Scratch, 1, None, true),
        Op::LoadOutput if control => (Class::Patch, 0, None, false),
        Op::StoreOutput if control => (Class::Patch, 1, None, true),
        Op::LoadPerVertexOutput if control => (Class::Points, 1, Some(0), false),
        Op::StorePerVertexOutput if control => (Class::Points, 2, Some(1), true),
        _ => return None,
    };
    let value = if store { i.srcs[0] } else { i.def? };
    let d = s.defs[value];
    let offset = Linear::new(s, i.srcs[offset]);
    let start = constant_start(i, offset.constant);
    let full_mask = !store || i.index("write_mask") == (1 << d.num_components) - 1;
    // A component of a slot takes 32 bits, whatever its type.
    let plain = match is_slots(i) {
        true => d.bit_size == 32,
        false => {
            let flags = nir::Access::from_bits(i.index("access"));
            !flags.volatile && !flags.coherent
        }
    };
    Some(Access {
        location: Location {
            class,
            handle: handle.map(|h| i.srcs[h]),
            physical: matches!(i.op, Op::LoadGlobal | Op::StoreGlobal),
            terms: offset.terms,
            start,
            end: start + i64::from(d.num_components) * i64::from(d.bit_size / 8),
            bits: d.bit_size,
        },
        value,
        store,
        plain: full_mask && plain,
    })
}

/// The classes of memory that an instruction may write, or whose accesses it orders.
fn clobbered_classes(s: &Shader, instr: &Instr) -> u8 {
    let Instr::Intrinsic(i) = instr else { return 0 };
    match analyse_access(s, i) {
        Some(a) if a.plain && !a.store => 0,
        Some(a) => a.location.class as u8,
        None => {
            let effects = instr.effects();
            let any = effects.any(Effects::WRITES.or(Effects::BARRIER));
            // Output stores are not memory accesses here.
            let harmless = matches!(
                i.op,
                IntrinsicOp::StoreOutput | IntrinsicOp::StorePerVertexOutput
            );
            if any && !harmless { ALL_CHANGING } else { 0 }
        }
    }
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_forward_stores(s: &mut Shader, _: &Ctx) -> bool {
    let layout = s.layout();
    let mut loads = 0;
    let mut stores = 0;
    let mut scratch = (0, 0);
    let mut in_loop: IdMap<Loop, u8> = IdMap::with_default(0);
    let mut open: Vec<Id<Loop>> = Vec::new();
    for event in &layout {
        match *event {
            CfEvent::Loop(l) => open.push(l),
            CfEvent::EndLoop(l) => {
                open.pop();
                if let Some(&outer) = open.last() {
                    let inner = in_loop[l];
                    in_loop[outer] |= inner;
                }
            }
            CfEvent::Block(b) => {
                for &id in &s.blocks[b].instrs {
                    let Instr::Intrinsic(i) = &s.instrs[id] else {
                        continue;
                    };
                    if let Some(a) = analyse_access(s, i) {
                        loads += u32::from(!a.store);
                        stores += u32::from(a.store);
                        if a.location.class == Class::Scratch {
                            scratch.0 += u32::from(!a.store);
                            scratch.1 += u32::from(a.store);
                        }
                    }
                    if let Some(&l) = open.last() {
                        in_loop[l] |= clobbered_classes(s, &s.instrs[id]);
                    }
                }
            }
            _ => {}
        }
    }
    // Scratch is private to the invocation: without loads, its stores are dead.
    let unread = scratch.0 == 0 && scratch.1 > 0;
    if unread {
        for b in s.block_order() {
            let mut instrs = std::mem::take(&mut s.blocks[b].instrs);
            instrs.retain(|&id| match &s.instrs[id] {
                Instr::Intrinsic(i) => i.op != IntrinsicOp::StoreScratch,
                _ => true,
            });
            s.blocks[b].instrs = instrs;
        }
        s.info.scratch_bytes = 0;
    }
    if loads + stores < 2 {
        return unread;
    }
    let mut changed = unread;
    let mut known = KnownMemory::default();
    let mut marks: Vec<usize> = Vec::new();
    for event in &layout {
        // The volatile qualifier of shared memory accesses has been lost at this point, and loops
        // may wait for another invocation.
        if !matches!(event, CfEvent::Block(_)) {
            known.forget(Class::Shared as u8);
        }
        match *event {
            CfEvent::Block(b) => {
                changed |= forward_in_block(s, b, &mut known);
                if stores > 1 {
                    changed |= remove_covered(s, b);
                }
            }
            CfEvent::If(_) => marks.push(known.all.len()),
            CfEvent::Loop(l) => {
                known.forget(in_loop[l]);
                marks.push(known.all.len());
            }
            CfEvent::Else(_) => known.all.truncate(marks.last().copied().unwrap_or(0)),
            CfEvent::EndIf(_) | CfEvent::EndLoop(_) => {
                known.all.truncate(marks.pop().unwrap_or(0));
            }
        }
    }
    changed
}

/// Known values of memory. Only the last [`MAX_KNOWN`] entries can be alive.
#[derive(Default)]
struct KnownMemory {
    all: Vec<KnownValue>,
    /// The number added since all were discarded.
    added: usize,
}

impl KnownMemory {
    fn latest(&mut self) -> impl Iterator<Item = &mut KnownValue> {
        self.all.iter_mut().rev().take(MAX_KNOWN)
    }

    fn forget(&mut self, classes: u8) {
        for k in self.latest() {
            k.alive &= k.location.class as u8 & classes == 0;
        }
    }

    fn add(&mut self, location: Location, value: Id<Def>) {
        if self.added == MAX_KNOWN {
            self.forget(ALL_CHANGING);
            self.added = 0;
        }
        self.added += 1;
        self.all.push(KnownValue {
            location,
            value,
            alive: true,
        });
    }

    /// The value that holds the contents of a location, and the component with which the location
    /// starts.
    fn find(&mut self, location: &Location) -> Option<(Id<Def>, u8)> {
        let step = i64::from(location.bits / 8).max(1);
        let found = self.latest().find(|k| {
            k.alive
                && k.location.bits == location.bits
                && k.location.covers(location)
                && (location.start - k.location.start) % step == 0
        })?;
        let first = (location.start - found.location.start) / step;
        Some((found.value, first as u8))
    }
}

/// Replaces loads by known values, and removes stores of values that are already there.
fn forward_in_block(s: &mut Shader, b: Id<Block>, known: &mut KnownMemory) -> bool {
    let mut changed = false;
    let mut instrs = std::mem::take(&mut s.blocks[b].instrs);
    instrs.retain(|&id| {
        let Instr::Intrinsic(i) = &s.instrs[id] else {
            return true;
        };
        let a = match analyse_access(s, i) {
            Some(a) if a.plain => a,
            _ => {
                let classes = clobbered_classes(s, &s.instrs[id]);
                if classes != 0 {
                    known.forget(classes);
                }
                return true;
            }
        };
        let current = known.find(&a.location);
        if a.store {
            if current == Some((a.value, 0)) {
                changed = true;
                return false;
            }
            for k in known.latest() {
                k.alive &= !k.location.may_overlap(&a.location);
            }
        } else if let Some((value, first)) = current {
            let n = s.defs[a.value].num_components;
            let op = match n {
                1 => Some(AluOp::Mov),
                _ => AluOp::vec(n.into()),
            };
            if s.defs[value].num_components == n {
                replace_with_mov(s, id, value);
                changed = true;
                return true;
            } else if let Some(op) = op {
                let parts = (first..first + n).map(|c| AluSrc::splat(value, c));
                s.instrs[id] = Instr::Alu(Alu {
                    op,
                    def: a.value,
                    srcs: parts.collect(),
                    exact: false,
                    preserve_nan_inf_sz: false,
                });
                changed = true;
                return true;
            }
        }
        known.add(a.location, a.value);
        true
    });
    s.blocks[b].instrs = instrs;
    changed
}

/// Removes stores that a later store of the block overwrites without a possible read in between.
fn remove_covered(s: &mut Shader, b: Id<Block>) -> bool {
    let mut covering: Vec<Location> = Vec::new();
    let mut dead: Vec<usize> = Vec::new();
    for (at, &id) in s.blocks[b].instrs.iter().enumerate().rev() {
        let instr = &s.instrs[id];
        let Instr::Intrinsic(i) = instr else { continue };
        match analyse_access(s, i) {
            Some(a) if a.plain && a.store => {
                if covering.iter().any(|c| c.covers(&a.location)) {
                    dead.push(at);
                } else if covering.len() < MAX_KNOWN {
                    covering.push(a.location);
                }
            }
            Some(a) if a.plain => covering.retain(|c| !c.may_overlap(&a.location)),
            Some(a) => covering.retain(|c| c.class != a.location.class),
            None => {
                let effects = instr.effects();
                let seen = Effects::READS
                    .or(Effects::WRITES)
                    .or(Effects::BARRIER)
                    .or(Effects::CHANGES_MASK);
                if effects.any(seen) {
                    covering.clear();
                }
            }
        }
    }
    if dead.is_empty() {
        return false;
    }
    // Indices are in descending order.
    let mut at = 0;
    s.blocks[b].instrs.retain(|_| {
        let removed = dead.last() == Some(&at);
        if removed {
            dead.pop();
        }
        at += 1;
        !removed
    });
    true
}
