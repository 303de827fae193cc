//! Merges accesses to adjacent memory, and to the I/O slots of tessellation control shaders.
//!
//! In:  offset-based loads and stores of dwords.
//! Out: within a block, loads of adjacent dwords from the same buffer with the same dynamic offset
//!      are one load of up to four dwords, at the position of the first, if no possible write is in
//!      between. Stores are merged likewise, at the position of the last. I/O accesses are merged
//!      within a slot.
//!
//! With robust accesses, offsets that may wrap around prevent merging: a message that begins out of
//! bounds is entirely out of bounds, so it must not include the start of the buffer.
//! Tests: tests/opt/opt_load_store_vectorize/.

use crate::analysis::offset::{
    Linear, SLOT_BYTES, Terms, constant_start, is_slots, may_wrap, split_constant,
};
use crate::pass::{Ctx, RobustBuffers};
use entity::Id;
use nir::*;
use smallvec::SmallVec;

/// Classes of memory that do not alias each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Buffers and physical addresses.
    Buffer,
    Shared,
    Scratch,
    /// Tessellation control outputs, per patch and per vertex.
    Patch,
    Points,
    /// Not written while the shader runs.
    Constant,
}

/// The class, the index of the offset operand, the index of the handle operand, and whether it is a
/// store.
fn classify(stage: Stage, i: &Intrinsic) -> Option<(Class, usize, Option<usize>, bool)> {
    use IntrinsicOp as Op;
    let op = i.op;
    if stage == Stage::TessControl {
        let slots = match op {
            Op::LoadPerVertexInput => Some((Class::Constant, 1, Some(0), false)),
            Op::LoadOutput => Some((Class::Patch, 0, None, false)),
            Op::StoreOutput => Some((Class::Patch, 1, None, true)),
            Op::LoadPerVertexOutput => Some((Class::Points, 1, Some(0), false)),
            Op::StorePerVertexOutput => Some((Class::Points, 2, Some(1), true)),
            _ => None,
        };
        if slots.is_some() {
            return slots;
        }
    }
    Some(match op {
        Op::LoadUbo => (Class::Constant, 1, Some(0), false),
        Op::LoadPushConstant => (Class::Constant, 0, None, false),
        Op::LoadConstant => (Class::Constant, 0, None, false),
        Op::LoadGlobalConstant => (Class::Constant, 0, None, false),
        Op::LoadSsbo if nir::Access::from_bits(i.index("access")).unchanging => {
            (Class::Constant, 1, Some(0), false)
        }
        Op::LoadSsbo => (Class::Buffer, 1, Some(0), false),
        Op::StoreSsbo => (Class::Buffer, 2, Some(1), true),
        Op::LoadGlobal => (Class::Buffer, 0, None, false),
        Op::StoreGlobal => (Class::Buffer, 1, None, true),
        Op::LoadShared => (Class::Shared, 0, None, false),
        Op::StoreShared => (Class::Shared, 1, None, true),
        Op::LoadScratch => (Class::Scratch, 0, None, false),
        Op::StoreScratch => (Class::Scratch, 1, None, true),
        _ => return None,
    })
}

/// True for accesses that are bounds-checked by the hardware and have to be robust.
fn is_robust(robust: RobustBuffers, op: IntrinsicOp) -> bool {
    use IntrinsicOp as Op;
    match op {
        Op::LoadUbo => robust.uniform,
        Op::LoadSsbo | Op::StoreSsbo => robust.storage,
        _ => false,
    }
}

/// Accesses with equal keys differ only in constant offsets.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    op: IntrinsicOp,
    /// The buffer, or the vertex.
    handle: Option<Id<Def>>,
    /// The dynamic part of the offset.
    terms: Terms,
    /// Access qualifiers; for I/O slots, the number of slots that a dynamic offset may reach.
    access: u32,
}

#[derive(Clone)]
struct Access {
    /// Index in the block.
    at: usize,
    instr: Id<Instr>,
    /// The constant part of the offset.
    offset: i64,
    components: u8,
}

impl Access {
    fn end(&self) -> i64 {
        self.offset + 4 * i64::from(self.components)
    }
    fn overlaps(&self, other: &Access) -> bool {
        self.offset < other.end() && other.offset < self.end()
    }
}

/// Accesses with equal keys that may be merged.
struct Group {
    key: Key,
    class: Class,
    store: bool,
    /// Accesses I/O slots.
    slots: bool,
    /// The bit size of offsets, if accesses are robust.
    robust_bits: Option<u8>,
    accesses: Vec<Access>,
}

/// Runs the pass. Returns true if it changed the shader.
pub fn opt_load_store_vectorize(s: &mut Shader, ctx: &Ctx) -> bool {
    let mut changed = false;
    for b in s.block_order() {
        changed |= vectorize_block(s, b, ctx.robust_buffers);
    }
    changed
}

fn vectorize_block(s: &mut Shader, b: Id<Block>, robust: RobustBuffers) -> bool {
    let candidates = s.blocks[b]
        .instrs
        .iter()
        .filter(|i| match &s.instrs[**i] {
            Instr::Intrinsic(i) => classify(s.stage, i).is_some(),
            _ => false,
        })
        .count();
    if candidates < 2 {
        return false;
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut done: Vec<Group> = Vec::new();
    for (at, &id) in s.blocks[b].instrs.iter().enumerate() {
        let Instr::Intrinsic(i) = &s.instrs[id] else {
            continue;
        };
        let Some((class, offset_at, handle_at, store)) = classify(s.stage, i) else {
            // Atomics and barriers order accesses to all memory that may change.
            let effects = i.op.info().effects;
            if effects.any(Effects::WRITES) || effects.any(Effects::BARRIER) {
                close_groups(&mut groups, &mut done, |g| g.class != Class::Constant);
            }
            continue;
        };
        let value = if store { Some(i.srcs[0]) } else { i.def };
        let shape = value.map(|v| s.defs[v]);
        let offset = Linear::new(s, i.srcs[offset_at]);
        let key = Key {
            op: i.op,
            handle: handle_at.map(|h| i.srcs[h]),
            terms: offset.terms,
            access: match is_slots(i) {
                true => i.index("num_slots") << 3,
                false => i.index("access"),
            },
        };
        // A write closes groups that may access the same memory; a read closes those of stores.
        close_groups(&mut groups, &mut done, |g| {
            g.class == class && class != Class::Constant && (store || g.store) && g.key != key
        });
        let fits = shape.is_some_and(|d| d.bit_size == 32 && d.num_components <= 4)
            && key.access & 4 == 0
            && (!store
                || shape.is_some_and(|d| i.index("write_mask") == (1 << d.num_components) - 1));
        if !fits {
            close_groups(&mut groups, &mut done, |g| g.key == key);
            continue;
        }
        let access = Access {
            at,
            instr: id,
            offset: constant_start(i, offset.constant),
            components: shape.map_or(1, |d| d.num_components),
        };
        // Stores to the same location keep their order: the later one starts a new group.
        close_groups(&mut groups, &mut done, |g| {
            g.store && g.key == key && g.accesses.iter().any(|a| a.overlaps(&access))
        });
        match groups.iter_mut().find(|g| g.key == key) {
            Some(g) => g.accesses.push(access),
            None => groups.push(Group {
                key,
                class,
                store,
                slots: is_slots(i),
                robust_bits: is_robust(robust, i.op).then(|| s.defs[i.srcs[offset_at]].bit_size),
                accesses: vec![access],
            }),
        }
    }
    done.append(&mut groups);
    let mut edits: Vec<Merge> = Vec::new();
    for g in &mut done {
        find_merges(s, g, &mut edits);
    }
    if edits.is_empty() {
        return false;
    }
    apply_merges(s, b, edits);
    true
}

fn close_groups(groups: &mut Vec<Group>, done: &mut Vec<Group>, which: impl Fn(&Group) -> bool) {
    let mut k = 0;
    while k < groups.len() {
        if which(&groups[k]) {
            done.push(groups.remove(k));
        } else {
            k += 1;
        }
    }
}

/// Accesses to merge.
struct Merge {
    store: bool,
    /// The index at which the merged access is placed.
    at: usize,
    start: i64,
    dwords: u8,
    parts: Vec<Access>,
}

fn find_merges(s: &Shader, g: &mut Group, out: &mut Vec<Merge>) {
    if g.accesses.len() < 2 {
        return;
    }
    g.accesses.sort_by_key(|a| (a.offset, a.at));
    let mut run: Vec<Access> = Vec::new();
    let mut end = 0i64;
    let mut flush = |run: &mut Vec<Access>, end: i64| {
        if run.len() > 1 {
            let positions = run.iter().map(|a| a.at);
            let at = if g.store {
                positions.max()
            } else {
                positions.min()
            };
            out.push(Merge {
                store: g.store,
                at: at.unwrap_or(0),
                start: run[0].offset,
                dwords: ((end - run[0].offset) / 4) as u8,
                parts: std::mem::take(run),
            });
        }
        run.clear();
    };
    for a in &g.accesses {
        let bytes = i64::from(a.components) * 4;
        let joins = run.first().is_some_and(|first| {
            // For per-vertex inputs, loading the gap is cheaper than a second message.
            let gap = g.key.op == IntrinsicOp::LoadPerVertexInput;
            let slots = [first.offset, a.offset].map(|at| at.div_euclid(SLOT_BYTES));
            (!g.slots || slots[0] == slots[1])
                && (gap || a.offset <= end)
                && (a.offset - first.offset) % 4 == 0
                && (a.offset + bytes).max(end) - first.offset <= 16
                && (!g.store || a.offset == end)
                && g.robust_bits.is_none_or(|bits| {
                    let last = (a.offset + bytes).max(end) - 4;
                    !may_wrap(s, &g.key.terms, bits, [first.offset, last])
                })
        });
        if !joins {
            flush(&mut run, end);
            end = a.offset + bytes;
        }
        end = end.max(a.offset + bytes);
        run.push(a.clone());
    }
    flush(&mut run, end);
}

fn apply_merges(s: &mut Shader, block: Id<Block>, mut edits: Vec<Merge>) {
    edits.sort_by_key(|m| m.at);
    let old = std::mem::take(&mut s.blocks[block].instrs);
    let mut merge_of: Vec<Option<usize>> = vec![None; old.len()];
    for (k, m) in edits.iter().enumerate() {
        for p in &m.parts {
            merge_of[p.at] = Some(k);
        }
    }
    let mut b = Builder::at_end_of_block(s, block);
    // The merged loads emitted so far.
    let mut loaded: Vec<Option<Id<Def>>> = vec![None; edits.len()];
    for (at, id) in old.into_iter().enumerate() {
        let Some(k) = merge_of[at] else {
            b.insert_instr(id);
            continue;
        };
        let m = &edits[k];
        if m.at == at {
            if m.store {
                store(&mut b, m);
            } else {
                loaded[k] = load(&mut b, m);
            }
        }
        if m.store {
            continue;
        }
        let Some(part) = m.parts.iter().find(|p| p.at == at) else {
            continue;
        };
        if let (Some(from), Some(def)) = (loaded[k], b.shader.instrs[id].def()) {
            let first = ((part.offset - m.start) / 4) as u8;
            let mut src = AluSrc::identity(from);
            for c in 0..MAX_COMPONENTS as u8 {
                src.swizzle[usize::from(c)] = first + c.min(part.components - 1);
            }
            b.shader.instrs[id] = Instr::Alu(Alu {
                op: AluOp::Mov,
                def,
                srcs: SmallVec::from_iter([src]),
                exact: false,
                preserve_nan_inf_sz: false,
            });
            b.insert_instr(id);
        }
    }
}

/// The merged access: a copy of `model` with its offset moved to the start.
fn merged_access(b: &mut Builder<'_>, m: &Merge, model: &Access) -> Option<Intrinsic> {
    let Instr::Intrinsic(mut i) = b.shader.instrs[model.instr].clone() else {
        return None;
    };
    let (_, offset_at, _, _) = classify(b.shader.stage, &i)?;
    let delta = m.start - model.offset;
    if is_slots(&i) {
        // The merged access is in the same slot.
        i.set_index("component", (m.start.rem_euclid(SLOT_BYTES) / 4) as u32);
    } else if delta != 0 {
        if i.op.index_of("base").is_some() && i64::from(i.index("base")) + delta >= 0 {
            let base = i64::from(i.index("base")) + delta;
            i.set_index("base", base as u32);
        } else {
            let bits = b.bits(i.srcs[offset_at]);
            let (root, constant) = split_constant(b.shader, i.srcs[offset_at]);
            i.srcs[offset_at] = match root {
                Some(root) => b.iadd_imm(root, constant + delta),
                None => b.imm_int(bits, constant + delta),
            };
        }
        let mul = i64::from(i.index("align_mul").max(1));
        let off = (i64::from(i.index("align_offset")) + delta).rem_euclid(mul);
        i.set_index("align_offset", off as u32);
    }
    Some(i)
}

fn load(b: &mut Builder<'_>, m: &Merge) -> Option<Id<Def>> {
    let model = m.parts.iter().find(|p| p.at == m.at)?;
    let i = merged_access(b, m, model)?;
    Some(b.load(i.op, m.dwords, 32, &i.srcs, &i.indices))
}

fn store(b: &mut Builder<'_>, m: &Merge) -> Option<()> {
    let model = m.parts.iter().find(|p| p.at == m.at)?;
    let mut i = merged_access(b, m, model)?;
    let mut parts: SmallVec<[(Id<Def>, u8); 4]> = SmallVec::new();
    for p in &m.parts {
        if let Instr::Intrinsic(x) = &b.shader.instrs[p.instr] {
            let v = x.srcs[0];
            parts.extend((0..p.components).map(|c| (v, c)));
        }
    }
    i.srcs[0] = b.vec_of(&parts);
    i.set_index("write_mask", (1 << m.dwords) - 1);
    b.intrinsic(i.op, None, &i.srcs, &i.indices);
    Some(())
}
